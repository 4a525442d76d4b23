/* The sequential schedule, paired launches, and the rule that chooses the verdict's interval. */
#include "base/random.h"
#include "stats/order.h"
#include "stats/ratio.h"
#include "stats/sequential.h"

#include "../oracle/oracle.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static struct arena arena;

/* Goal: looks grow by 1.35 from 8, and are found from the number of launches. */
static void test_looks(void **state)
{
    (void)state;
    struct stats_sequential sequential = stats_sequential_new(0.01);
    const ptrdiff_t expected[] = {8, 11, 15, 20, 27, 36, 49, 66, 89, 120, 161};
    for (ptrdiff_t look = 0; look < 11; look++) {
        assert_int_equal(stats_sequential_launches(&sequential, look), expected[look]);
        assert_int_equal(stats_sequential_look(&sequential, expected[look]), look);
        assert_int_equal(stats_sequential_look(&sequential, expected[look] - 1), look - 1);
        assert_true(stats_sequential_is_look(&sequential, expected[look]));
        assert_false(stats_sequential_is_look(&sequential, expected[look] + 1));
    }
    assert_int_equal(stats_sequential_look(&sequential, 0), -1);
}

/* Goal: a slow growth still makes every look a new one. */
static void test_looks_always_advance(void **state)
{
    (void)state;
    struct stats_sequential slow = {.alpha = 0.05, .launches_first = 2, .growth = 1.01};
    for (ptrdiff_t look = 1; look < 50; look++) {
        assert_true(stats_sequential_launches(&slow, look) >
                    stats_sequential_launches(&slow, look - 1));
    }
}

/* Goal: however many looks, no more than alpha is spent, and nearly all of it is. */
static void test_alpha_adds_up(void **state)
{
    (void)state;
    struct stats_sequential sequential = stats_sequential_new(0.01);
    double spent = 0;
    for (ptrdiff_t look = 0; look < 100000; look++) {
        double alpha = stats_sequential_alpha(&sequential, look);
        assert_true(alpha > 0);
        spent += alpha;
        if (look == 11) {
            assert_true(fabs(spent - 0.009) < 1e-15);
        }
    }
    assert_true(spent <= 0.01 && spent > 0.00999);
}

/* Goal: the t-mixture's width is the published formula's. Method: σ = 1, n = 6 and 100 at 99 %: 7.4
 * and 0.385; with two values it would be infinite and is undefined. */
static void test_mixture(void **state)
{
    (void)state;
    double values[100];
    for (int i = 0; i < 100; i++) {
        values[i] = i % 2 == 0 ? 1 : -1;
    }
    struct stats_interval six = stats_interval_mixture(values, 6, 0.01);
    struct stats_interval hundred = stats_interval_mixture(values, 100, 0.01);
    assert_true(six.is_defined && hundred.is_defined);
    assert_true(fabs(six.high / stats_deviation(values, 6) - 7.4) < 0.05);
    assert_true(fabs(hundred.high / stats_deviation(values, 100) - 0.385) < 0.001);
    assert_false(stats_interval_mixture(values, 2, 0.01).is_defined);
    assert_false(stats_interval_mixture(values, 0, 0.01).is_defined);
}

/* Goal: a slowdown of one round in five is invisible to the median and seen by the other two. */
static void test_partial_slowdown_is_seen(void **state)
{
    (void)state;
    double old_values[40];
    double new_values[40];
    for (int i = 0; i < 40; i++) {
        old_values[i] = 100;
        new_values[i] = i % 5 == 0 ? 130 : 100;
    }
    struct stats_paired pair = stats_paired_launch(old_values, new_values, 40, &arena);
    assert_true(pair.is_defined);
    assert_true(pair.median_log == 0);
    assert_true(fabs(pair.mean_log - log(1.06)) < 1e-12);
    assert_true(fabs(pair.upper_log - log(1.3)) < 1e-12);
}

/* Goal: no round, or a time that has no logarithm, gives no ratio. */
static void test_pair_undefined(void **state)
{
    (void)state;
    const double good[] = {1, 2};
    const double zero[] = {1, 0};
    const double negative[] = {-1, 1};
    assert_false(stats_paired_launch(good, good, 0, &arena).is_defined);
    assert_false(stats_paired_launch(good, zero, 2, &arena).is_defined);
    assert_false(stats_paired_launch(negative, good, 2, &arena).is_defined);
    assert_true(stats_paired_launch(good, good, 1, &arena).is_defined);
}

static void fill_normal(double *values, ptrdiff_t count, double mean, uint64_t seed)
{
    struct random random = random_seeded(seed);
    for (ptrdiff_t i = 0; i < count; i++) {
        values[i] = mean + 0.01 * random_normal(&random);
    }
}

/* Goal: fewer launches than 8 give an estimate and no interval, whatever they are. */
static void test_minimum_launches(void **state)
{
    (void)state;
    double values[8];
    fill_normal(values, 8, 0.05, 1);
    for (ptrdiff_t n = 0; n < 8; n++) {
        struct stats_ratio ratio = stats_ratio_interval(values, n, 0.01, &arena);
        assert_false(ratio.log.is_defined);
        assert_int_equal(ratio.launches, n);
    }
    assert_true(stats_ratio_interval(values, 8, 0.01, &arena).log.is_defined);
}

/* Goal: the rule takes t, then Yuen, and puts ratio and logarithm side by side. */
static void test_rule_plain(void **state)
{
    (void)state;
    double values[60];
    fill_normal(values, 60, 0.05, 3);
    struct stats_ratio few = stats_ratio_interval(values, 10, 0.01, &arena);
    struct stats_ratio many = stats_ratio_interval(values, 60, 0.01, &arena);
    assert_int_equal(few.log.method, STATS_INTERVAL_T);
    assert_int_equal(many.log.method, STATS_INTERVAL_YUEN);
    assert_true(few.widening >= 1 && many.widening >= 1);
    assert_true(many.low < many.ratio && many.ratio < many.high);
    assert_true(fabs(log(many.high) - many.log.high) < 1e-12);
    assert_true(many.low < exp(0.05) && exp(0.05) < many.high);
    assert_false(many.is_skewed || many.is_multimodal || many.is_heavy_tailed || many.is_constant);
}

/* Goal: a far launch on one side is skew, and gets the wider interval, which needs the sign
 * minimum. */
static void test_rule_skewed(void **state)
{
    (void)state;
    double values[12];
    fill_normal(values, 12, 0, 5);
    values[3] = 0.2;
    struct stats_ratio ratio = stats_ratio_interval(values, 12, 0.001, &arena);
    assert_true(ratio.is_skewed);
    assert_int_equal(ratio.log.method, STATS_INTERVAL_WIDER);
    assert_true(ratio.log.is_defined);
    assert_true(ratio.log.high >= 0.2);
    ratio = stats_ratio_interval(values, 10, 0.001, &arena);
    assert_false(ratio.log.is_defined);
    assert_int_equal(ratio.launches_min, 11);
}

/* Goal: two modes are flagged and the interval reaches over both. */
static void test_rule_two_modes(void **state)
{
    (void)state;
    double values[40];
    fill_normal(values, 40, 0, 6);
    for (int i = 0; i < 40; i += 2) {
        values[i] += 0.1;
    }
    struct stats_ratio ratio = stats_ratio_interval(values, 40, 0.001, &arena);
    assert_true(ratio.is_multimodal);
    assert_int_equal(ratio.log.method, STATS_INTERVAL_WIDER);
    assert_true(ratio.log.low < 0.03 && ratio.log.high > 0.07);
}

/* Goal: launches that never vary (memory) do not give a zero-width interval before the sign
 * minimum. */
static void test_rule_constant(void **state)
{
    (void)state;
    double values[12] = {0};
    struct stats_ratio ratio = stats_ratio_interval(values, 10, 0.001, &arena);
    assert_true(ratio.is_constant);
    assert_false(ratio.log.is_defined);
    assert_int_equal(ratio.launches_min, 11);
    ratio = stats_ratio_interval(values, 11, 0.001, &arena);
    assert_true(ratio.log.is_defined);
    assert_int_equal(ratio.log.method, STATS_INTERVAL_SIGN);
    assert_true(ratio.ratio == 1 && ratio.low == 1 && ratio.high == 1);
}

/* Goal: correlated launches widen the interval and are flagged; alternating ones do not narrow it.
 */
static void test_rule_autocorrelated(void **state)
{
    (void)state;
    double values[60];
    fill_normal(values, 60, 0, 9);
    double plain = stats_ratio_interval(values, 60, 0.01, &arena).widening;
    for (int i = 1; i < 60; i++) {
        values[i] += 0.7 * values[i - 1];
    }
    struct stats_ratio ratio = stats_ratio_interval(values, 60, 0.01, &arena);
    assert_true(ratio.is_autocorrelated);
    assert_true(ratio.widening > 1.8 && ratio.widening > plain);
    for (int i = 0; i < 60; i++) {
        values[i] = (i % 2 == 0 ? 0.01 : -0.01) * (1 + 0.001 * i);
    }
    ratio = stats_ratio_interval(values, 60, 0.01, &arena);
    assert_false(ratio.is_autocorrelated);
    assert_true(ratio.widening == 1);
}

/* Goal: "how many more launches" is a look, shrinks with the demand, and admits defeat. */
static void test_launches_needed(void **state)
{
    (void)state;
    double values[20];
    fill_normal(values, 20, 0, 11);
    struct stats_sequential sequential = stats_sequential_new(0.01);
    double alpha = stats_sequential_alpha(&sequential, 3);
    struct stats_ratio ratio = stats_ratio_interval(values, 20, alpha, &arena);
    double now = (ratio.log.high - ratio.log.low) / 2;
    assert_int_equal(stats_ratio_launches_needed(&sequential, &ratio, now * 1.01, 1000), 20);
    ptrdiff_t half = stats_ratio_launches_needed(&sequential, &ratio, now / 2, 1000);
    assert_true(half >= 49 && half <= 89);
    assert_true(stats_sequential_is_look(&sequential, half));
    assert_int_equal(stats_ratio_launches_needed(&sequential, &ratio, now / 100, 1000), 0);
}

/* Goal: equivalence means inside the band, its edge included, and never with a band of 0. */
static void test_equivalence(void **state)
{
    (void)state;
    struct stats_interval log_interval = {.is_defined = true, .low = -0.01, .high = 0.005};
    assert_true(stats_is_equivalent(&log_interval, 0.01));
    assert_false(stats_is_equivalent(&log_interval, 0.0099));
    log_interval.low = log_interval.high = 0;
    assert_false(stats_is_equivalent(&log_interval, 0));
    log_interval.is_defined = false;
    assert_false(stats_is_equivalent(&log_interval, 1));
}

/* Goal: the two one-sided tests equal R's t.test twice. Method: shift each sample so that the band
 * is not symmetric about its mean: the nearer edge is 1 away, the farther one 2. */
static void test_tost_equals_r(void **state)
{
    (void)state;
    const struct {
        const char *key;
        const double *values;
        ptrdiff_t count;
    } samples[] = {
        {"tost/normal", data_normal, ORACLE_COUNT(data_normal)},
        {"tost/skewed", data_skewed, ORACLE_COUNT(data_skewed)},
        {"tost/large", data_large, ORACLE_COUNT(data_large)},
    };
    for (size_t i = 0; i < 3; i++) {
        double shifted[100];
        double mean = stats_mean(samples[i].values, samples[i].count);
        for (ptrdiff_t j = 0; j < samples[i].count; j++) {
            shifted[j] = samples[i].values[j] - mean - 0.5;
        }
        double p = stats_tost_p(shifted, samples[i].count, 1.5);
        assert_true(oracle_is_close(p, R_VALUE(samples[i].key), 1e-9, samples[i].key));
    }
    assert_true(stats_tost_p(data_normal, 1, 5) == 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_looks),
        cmocka_unit_test(test_looks_always_advance),
        cmocka_unit_test(test_alpha_adds_up),
        cmocka_unit_test(test_mixture),
        cmocka_unit_test(test_partial_slowdown_is_seen),
        cmocka_unit_test(test_pair_undefined),
        cmocka_unit_test(test_minimum_launches),
        cmocka_unit_test(test_rule_plain),
        cmocka_unit_test(test_rule_skewed),
        cmocka_unit_test(test_rule_two_modes),
        cmocka_unit_test(test_rule_constant),
        cmocka_unit_test(test_rule_autocorrelated),
        cmocka_unit_test(test_launches_needed),
        cmocka_unit_test(test_equivalence),
        cmocka_unit_test(test_tost_equals_r),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    arena_free(&arena);
    return failed;
}
