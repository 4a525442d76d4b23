/* Goal: identical programs that differ beyond their intervals give a floor; intervals that say it
 * all give none; too few, too old and unusable observations do not count; the floor has an upper
 * bound. Method: observations made by hand and with fixed seeds. Also text_index, which finds
 * floors. */
#include "base/random.h"
#include "base/text_index.h"
#include "detect/noise_floor.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static const int64_t DAY = INT64_C(86400000000000);
static const int64_t NOW = INT64_C(1700000000000000000);

/* Standard error 0.001: the 99 % t quantile of 19 degrees of freedom is 2.860935. */
static struct detect_noise noise_at(double log_ratio, int64_t age)
{
    return (struct detect_noise){.at_unix_ns = NOW - age,
                                 .log_ratio = log_ratio,
                                 .half_width = 0.001 * 2.860934606449914,
                                 .launches = 20};
}

static void test_floor_by_hand(void **state)
{
    (void)state;
    struct detect_noise items[10];
    for (int i = 0; i < 10; i++) {
        items[i] = noise_at(i % 2 == 0 ? 0.005 : -0.005, i * DAY);
    }
    struct detect_noise_floor floor = detect_noise_floor(items, 10, NOW, 0.05);
    /* t(97.5 %, 10) = 2.228139; excess 0.005² − 0.001². */
    double expected = expm1(2.2281388519649385 * sqrt(0.005 * 0.005 - 0.001 * 0.001));
    assert_true(floor.is_known && !floor.is_capped);
    assert_true(fabs(floor.floor - expected) < 1e-9);
    assert_int_equal(floor.observations, 10);
    assert_int_equal(floor.newest_unix_ns, NOW);
    struct arena arena = {0};
    const char *text = detect_noise_floor_text(&arena, &floor, NOW);
    assert_non_null(strstr(text, "1.1 %"));
    assert_non_null(strstr(text, "10 comparisons"));
    arena_free(&arena);
}

/* What the intervals explain is no floor: among 300 honest sets at most about 5 % get one. */
static void test_honest_intervals(void **state)
{
    (void)state;
    struct random random = random_seeded(5);
    int with_floor = 0;
    for (int set = 0; set < 300; set++) {
        struct detect_noise items[12];
        for (int i = 0; i < 12; i++) {
            items[i] = noise_at(0.001 * random_normal(&random), DAY);
        }
        struct detect_noise_floor floor = detect_noise_floor(items, 12, NOW, 0.05);
        assert_true(floor.is_known);
        with_floor += floor.floor > 0;
    }
    assert_true(with_floor > 0 && with_floor < 30);
}

static void test_limits(void **state)
{
    (void)state;
    struct detect_noise items[10];
    for (int i = 0; i < 10; i++) {
        items[i] = noise_at(0.2, DAY);
    }
    struct detect_noise_floor floor = detect_noise_floor(items, 10, NOW, 0.05);
    assert_true(floor.is_capped && floor.floor == 0.05);
    floor = detect_noise_floor(items, 10, NOW, 0);
    assert_true(floor.floor == 0);
    floor = detect_noise_floor(items, DETECT_FLOOR_OBSERVATIONS_MIN - 1, NOW, 0.05);
    assert_true(!floor.is_known && floor.floor == 0);
    floor = detect_noise_floor(NULL, 0, NOW, 0.05);
    assert_true(!floor.is_known && floor.floor == 0);
    /* They run out: the day after, six of them are too old, and four are too few. */
    for (int i = 0; i < 6; i++) {
        items[i] = noise_at(0.2, DETECT_FLOOR_DAYS * DAY);
    }
    assert_true(detect_noise_floor(items, 10, NOW, 0.05).floor > 0);
    floor = detect_noise_floor(items, 10, NOW + 1000, 0.05);
    assert_true(!floor.is_known && floor.floor == 0);
    assert_int_equal(floor.expired, 6);
    /* What is no number, or has no interval, is none. */
    for (int i = 0; i < 10; i++) {
        items[i] = noise_at(i % 2 == 0 ? (double)NAN : 0.2, DAY);
        items[i].half_width = i % 3 == 0 ? 0 : items[i].half_width;
    }
    assert_int_equal(detect_noise_floor(items, 10, NOW, 0.05).observations, 3);
}

static void test_reruns_as_observations(void **state)
{
    (void)state;
    struct model_figures figures[4];
    struct detect_rerun reruns[4];
    int64_t started[4];
    for (int i = 0; i < 4; i++) {
        figures[i] = (struct model_figures){.is_known = true,
                                            .has_logs = true,
                                            .launches = 12,
                                            .centre_log = i * 0.01,
                                            .centre_variance = 1e-6};
        reruns[i] = (struct detect_rerun){.group = i / 3, .figures = &figures[i]};
        started[i] = NOW + i;
    }
    struct detect_noise items[4];
    assert_int_equal(detect_noise_of_reruns(reruns, started, 4, items), 2);
    assert_true(fabs(items[0].log_ratio - 0.01) < 1e-15);
    assert_int_equal(items[1].at_unix_ns, NOW + 2);
    assert_true(items[0].half_width > 0.004 && items[0].half_width < 0.005);
    figures[1].launches = 3;
    assert_int_equal(detect_noise_of_reruns(reruns, started, 4, items), 0);
}

static void test_text_index(void **state)
{
    (void)state;
    struct arena arena = {0};
    struct text_index index = text_index_new(&arena, 0);
    assert_int_equal(text_index_get(&index, "x"), -1);
    for (int i = 0; i < 1000; i++) {
        assert_true(text_index_put(&index, arena_printf(&arena, "b%d", i), i));
    }
    assert_false(text_index_put(&index, "b7", 5));
    for (int i = 0; i < 1000; i++) {
        assert_int_equal(text_index_get(&index, arena_printf(&arena, "b%d", i)), i);
    }
    assert_int_equal(text_index_get(&index, "b1000"), -1);
    assert_int_equal(text_index_get(&index, ""), -1);
    arena_free(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_floor_by_hand), cmocka_unit_test(test_honest_intervals),
        cmocka_unit_test(test_limits),        cmocka_unit_test(test_reruns_as_observations),
        cmocka_unit_test(test_text_index),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
