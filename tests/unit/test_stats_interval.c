/* Intervals against R and SciPy, and what they say with too few values. */
#include "stats/bootstrap.h"
#include "stats/interval.h"
#include "stats/rank.h"

#include "../oracle/oracle.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static struct arena arena;

struct sample {
    const char *name;
    const double *values;
    ptrdiff_t count;
};

#define SAMPLE(name)                                                                               \
    {                                                                                              \
#name, data_##name, ORACLE_COUNT(data_##name)                                              \
    }
static const struct sample samples[] = {
    SAMPLE(normal), SAMPLE(other), SAMPLE(skewed), SAMPLE(ties), SAMPLE(signs),
    SAMPLE(modes),  SAMPLE(walk),  SAMPLE(large),  SAMPLE(two),
};

static void check(const struct stats_interval *interval, const char *what, const char *name)
{
    char key[100];
    assert_true(interval->is_defined);
    oracle_key(key, sizeof key, "%s/%s/low", what, name);
    assert_true(oracle_is_close(interval->low, R_VALUE(key), 1e-10, key));
    oracle_key(key, sizeof key, "%s/%s/high", what, name);
    assert_true(oracle_is_close(interval->high, R_VALUE(key), 1e-10, key));
}

/* Goal: t, Yuen and sign intervals at 99 % equal R's; the sign interval knows its coverage. */
static void test_intervals_equal_r(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof samples / sizeof samples[0]; i++) {
        const struct sample *s = &samples[i];
        struct stats_interval t = stats_interval_t(s->values, s->count, 0.01);
        check(&t, "t", s->name);
        if (s->count < 8) {
            continue;
        }
        struct stats_interval yuen = stats_interval_yuen(s->values, s->count, 0.2, 0.01, &arena);
        check(&yuen, "yuen", s->name);
        struct stats_interval sign = stats_interval_sign(s->values, s->count, 0.01, &arena);
        check(&sign, "sign", s->name);
        char key[100];
        oracle_key(key, sizeof key, "sign/%s/coverage", s->name);
        assert_true(oracle_is_close(sign.confidence, R_VALUE(key), 1e-12, key));
    }
}

/* Goal: Welch's and Hodges and Lehmann's intervals equal R's. */
static void test_two_samples_equal_r(void **state)
{
    (void)state;
    struct stats_interval welch = stats_interval_welch(data_normal, ORACLE_COUNT(data_normal),
                                                       data_other, ORACLE_COUNT(data_other), 0.01);
    check(&welch, "welch", "normal-other");
    struct stats_interval shift = stats_hodges_lehmann_shift(
        data_normal, ORACLE_COUNT(data_normal), data_other, ORACLE_COUNT(data_other), 0.01, &arena);
    check(&shift, "shift", "normal-other");
    assert_true(oracle_is_close(shift.estimate, R_VALUE("shift/normal-other/estimate"), 1e-12, ""));
    struct stats_interval centre =
        stats_hodges_lehmann(data_normal, ORACLE_COUNT(data_normal), 0.01, &arena);
    check(&centre, "centre", "normal");
    assert_true(centre.confidence >= 0.99);
}

/* Goal: the normal approximation of the rank of the ends is near the exact one. Method: at n = 49
 * and n = 50, around the switch, the interval hardly changes. */
static void test_hodges_lehmann_switches_smoothly(void **state)
{
    (void)state;
    struct stats_interval exact = stats_hodges_lehmann(data_large, 49, 0.01, &arena);
    struct stats_interval normal = stats_hodges_lehmann(data_large, 50, 0.01, &arena);
    assert_true(exact.is_defined && normal.is_defined);
    double width = exact.high - exact.low;
    assert_true(fabs((normal.high - normal.low) - width) < 0.1 * width);
}

/* Goal: Wilson's and Clopper and Pearson's intervals equal R's, ends included. */
static void test_proportions_equal_r(void **state)
{
    (void)state;
    const ptrdiff_t counts[] = {0, 1, 7, 29, 30};
    for (size_t i = 0; i < 5; i++) {
        char name[20];
        snprintf(name, sizeof name, "%td", counts[i]);
        struct stats_interval exact = stats_proportion_exact(counts[i], 30, 0.01);
        struct stats_interval wilson = stats_proportion_wilson(counts[i], 30, 0.01);
        check(&exact, "exact", name);
        check(&wilson, "wilson", name);
    }
    struct stats_interval wald = stats_proportion_wald(15, 30, 0.05);
    assert_true(fabs(wald.high - (0.5 + 1.959963984540054 * sqrt(0.25 / 30))) < 1e-12);
    assert_false(stats_proportion_exact(0, 0, 0.01).is_defined);
    assert_false(stats_proportion_wilson(0, 0, 0.01).is_defined);
}

/* Goal: too few values give no interval, and the estimate stays right. */
static void test_few_values(void **state)
{
    (void)state;
    const double one[] = {5};
    assert_false(stats_interval_t(one, 0, 0.01).is_defined);
    assert_false(stats_interval_t(one, 1, 0.01).is_defined);
    assert_true(stats_interval_t(one, 1, 0.01).estimate == 5);
    assert_false(stats_interval_yuen(one, 1, 0.2, 0.01, &arena).is_defined);
    assert_false(stats_interval_sign(one, 0, 0.01, &arena).is_defined);
    assert_false(stats_hodges_lehmann(one, 1, 0.01, &arena).is_defined);
    assert_false(stats_hodges_lehmann(one, 0, 0.01, &arena).is_defined);
    assert_false(stats_interval_welch(one, 1, data_normal, 12, 0.01).is_defined);
}

/* Goal: the sign interval needs 8 values for 99 % and not one less. */
static void test_sign_minimum(void **state)
{
    (void)state;
    assert_int_equal(stats_sign_count_min(0.01), 8);
    assert_int_equal(stats_sign_count_min(0.0001), 15);
    assert_false(stats_interval_sign(data_normal, 7, 0.01, &arena).is_defined);
    struct stats_interval eight = stats_interval_sign(data_normal, 8, 0.01, &arena);
    assert_true(eight.is_defined);
    assert_true(eight.confidence == 1 - 2 / 256.0);
}

/* Goal: the hull holds both, and needs both. */
static void test_hull(void **state)
{
    (void)state;
    struct stats_interval a = {.is_defined = true, .estimate = 1, .low = 0, .high = 2};
    struct stats_interval b = {.is_defined = true, .estimate = 2, .low = 1, .high = 3};
    struct stats_interval hull = stats_interval_hull(a, b);
    assert_true(hull.is_defined && hull.low == 0 && hull.high == 3 && hull.estimate == 1);
    assert_int_equal(hull.method, STATS_INTERVAL_WIDER);
    b.is_defined = false;
    assert_false(stats_interval_hull(a, b).is_defined);
}

static void check_bootstrap(const struct stats_interval *interval, const char *key_start)
{
    char key[100];
    double low = SCIPY_VALUE(oracle_key(key, sizeof key, "%s/low", key_start));
    double high = SCIPY_VALUE(oracle_key(key, sizeof key, "%s/high", key_start));
    double allowed = 0.02 * (high - low); /* six standard errors of both simulations together */
    assert_true(interval->is_defined);
    assert_true(fabs(interval->low - low) < allowed);
    assert_true(fabs(interval->high - high) < allowed);
}

/* Goal: bootstrap intervals agree with SciPy's within Monte Carlo error. Method: 50,000 resamples,
 * fixed seed; the percentile and BCa ends of the skewed sample differ by ten times the tolerance.
 */
static void test_bootstrap_agrees_with_scipy(void **state)
{
    (void)state;
    struct random random = random_seeded(4);
    struct stats_bootstrap options = {
        .statistic = stats_statistic_mean, .resamples = 50000, .alpha = 0.05, .random = &random};
    ptrdiff_t skewed = ORACLE_COUNT(data_skewed);
    struct stats_interval interval =
        stats_bootstrap_percentile(data_skewed, skewed, &options, &arena);
    check_bootstrap(&interval, "bootstrap/percentile/mean/skewed");
    interval = stats_bootstrap_bca(data_skewed, skewed, &options, &arena);
    check_bootstrap(&interval, "bootstrap/BCa/mean/skewed");
    interval = stats_bootstrap_bca(data_large, ORACLE_COUNT(data_large), &options, &arena);
    check_bootstrap(&interval, "bootstrap/BCa/mean/large");
    options.statistic = stats_median;
    interval = stats_bootstrap_percentile(data_skewed, skewed, &options, &arena);
    check_bootstrap(&interval, "bootstrap/percentile/median/skewed");
}

/* Goal: where BCa's correction does not exist it says so. Method: equal values; one value. */
static void test_bootstrap_undefined(void **state)
{
    (void)state;
    struct random random = random_seeded(1);
    struct stats_bootstrap options = {
        .statistic = stats_statistic_mean, .resamples = 100, .alpha = 0.05, .random = &random};
    const double equal[] = {2, 2, 2};
    assert_false(stats_bootstrap_bca(equal, 3, &options, &arena).is_defined);
    assert_false(stats_bootstrap_percentile(equal, 1, &options, &arena).is_defined);
    assert_true(stats_bootstrap_percentile(equal, 1, &options, &arena).estimate == 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_intervals_equal_r),
        cmocka_unit_test(test_two_samples_equal_r),
        cmocka_unit_test(test_hodges_lehmann_switches_smoothly),
        cmocka_unit_test(test_proportions_equal_r),
        cmocka_unit_test(test_few_values),
        cmocka_unit_test(test_sign_minimum),
        cmocka_unit_test(test_hull),
        cmocka_unit_test(test_bootstrap_agrees_with_scipy),
        cmocka_unit_test(test_bootstrap_undefined),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    arena_free(&arena);
    return failed;
}
