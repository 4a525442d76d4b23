/* The summary of a run, launch by launch, and the fit of growth laws. */
#include "stats/complexity.h"
#include "stats/summary.h"

#include "../oracle/oracle.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static struct arena arena;

/* Goal: launches are grouped whatever their numbers and order. Method: three launches, interleaved.
 */
static void test_launch_medians(void **state)
{
    (void)state;
    const double values[] = {5, 1, 10, 7, 2, 6, 3};
    const int32_t launches[] = {9, -2, 4, 9, -2, 9, -2};
    ptrdiff_t count = 0;
    const double *medians = stats_launch_medians(values, launches, 7, &arena, &count);
    assert_int_equal(count, 3);
    assert_true(medians[0] == 6 && medians[1] == 2 && medians[2] == 10);
}

/* Goal: location and spread are those of all samples. */
static void test_summary_describes_samples(void **state)
{
    (void)state;
    ptrdiff_t n = ORACLE_COUNT(data_skewed);
    struct stats_summary summary = stats_summarise(data_skewed, NULL, n, 0.99, &arena);
    assert_int_equal(summary.count, n);
    assert_int_equal(summary.launches, n);
    assert_true(oracle_is_close(summary.median, R_VALUE("median/skewed"), 1e-12, "median"));
    assert_true(oracle_is_close(summary.mean, R_VALUE("mean/skewed"), 1e-12, "mean"));
    assert_true(oracle_is_close(summary.p95, R_VALUE("quantile7/skewed/0.95"), 1e-12, "p95"));
    assert_true(oracle_is_close(summary.mad, R_VALUE("mad/skewed"), 1e-12, "mad"));
    assert_true(summary.min == R_VALUE("quantile7/skewed/0"));
    assert_true(summary.max == R_VALUE("quantile7/skewed/1"));
}

/* Goal: the interval is Yuen's over logarithms of launch medians. Method: taken back by hand. */
static void test_summary_interval(void **state)
{
    (void)state;
    ptrdiff_t n = ORACLE_COUNT(data_skewed);
    double logs[25];
    for (ptrdiff_t i = 0; i < n; i++) {
        logs[i] = log(data_skewed[i]);
    }
    struct stats_interval yuen = stats_interval_yuen(logs, n, 0.2, 0.01, &arena);
    struct stats_summary summary = stats_summarise(data_skewed, NULL, n, 0.99, &arena);
    assert_true(summary.is_interval_log);
    assert_int_equal(summary.interval.method, STATS_INTERVAL_YUEN);
    assert_true(fabs(summary.interval.low - exp(yuen.low)) < 1e-9);
    assert_true(fabs(summary.interval.high - exp(yuen.high)) < 1e-9);
}

/* Goal: many samples of one launch are one replicate: no interval. Five launches: Student's. */
static void test_launch_is_the_unit(void **state)
{
    (void)state;
    int32_t one_launch[12] = {0};
    int32_t five[12] = {0, 0, 0, 1, 1, 2, 2, 3, 3, 3, 4, 4};
    struct stats_summary single = stats_summarise(data_normal, one_launch, 12, 0.99, &arena);
    assert_int_equal(single.launches, 1);
    assert_false(single.interval.is_defined);
    struct stats_summary some = stats_summarise(data_normal, five, 12, 0.99, &arena);
    assert_int_equal(some.launches, 5);
    assert_true(some.interval.is_defined);
    assert_int_equal(some.interval.method, STATS_INTERVAL_T);
}

/* Goal: values at or below zero have no logarithm: the plain scale is used. */
static void test_summary_of_zeros(void **state)
{
    (void)state;
    const double values[] = {0, 1, 2, 3, 0, 1};
    struct stats_summary summary = stats_summarise(values, NULL, 6, 0.99, &arena);
    assert_false(summary.is_interval_log);
    assert_true(summary.interval.is_defined && summary.interval.low < 0);
}

/* Goal: equal launches give exactly themselves from the sign minimum on, and no interval before. */
static void test_summary_of_equal_launches(void **state)
{
    (void)state;
    double values[8];
    for (int i = 0; i < 8; i++) {
        values[i] = 4096.1;
    }
    struct stats_summary seven = stats_summarise(values, NULL, 7, 0.99, &arena);
    assert_false(seven.interval.is_defined);
    struct stats_summary eight = stats_summarise(values, NULL, 8, 0.99, &arena);
    assert_true(eight.interval.is_defined);
    assert_int_equal(eight.interval.method, STATS_INTERVAL_SIGN);
    assert_true(eight.interval.low == 4096.1 && eight.interval.high == 4096.1);
}

static void test_summary_of_one_value(void **state)
{
    (void)state;
    const double value = 3.5;
    struct stats_summary summary = stats_summarise(&value, NULL, 1, 0.99, &arena);
    assert_true(summary.median == 3.5 && summary.p99 == 3.5 && summary.mad == 0);
    assert_false(summary.cv.is_defined);
    assert_false(summary.interval.is_defined);
}

/* Goal: each law is recognised from noisy times. Method: 3 % alternating error, sizes 8 to 8192. */
static void test_complexity_recognised(void **state)
{
    (void)state;
    for (int kind = 0; kind < STATS_COMPLEXITY_COUNT; kind++) {
        double sizes[6];
        double times[6];
        for (int i = 0; i < 6; i++) {
            double n = 8 * pow(4, i);
            const double laws[] = {1, log2(n), n, n * log2(n), n * n, n * n * n};
            sizes[i] = n;
            times[i] = 5 * laws[kind] * (i % 2 == 0 ? 1.03 : 0.97);
        }
        struct stats_complexity_result result = stats_complexity_fit(sizes, times, 6);
        assert_true(result.is_defined && result.is_clear);
        assert_int_equal(result.best.kind, kind);
        assert_true(fabs(result.best.factor / 5 - 1) < 0.06);
        assert_true(result.best.residual < 0.05);
    }
}

/* Goal: the fit with a fixed cost equals R's weighted lm. */
static void test_complexity_equals_r(void **state)
{
    (void)state;
    const double sizes[] = {8, 16, 64, 256, 1024};
    const double times[] = {40, 71, 262, 1010, 4130};
    struct stats_complexity_result result = stats_complexity_fit(sizes, times, 5);
    assert_int_equal(result.best.kind, STATS_COMPLEXITY_N);
    assert_true(oracle_is_close(result.best.constant, R_VALUE("complexity/n/constant"), 1e-9, "c"));
    assert_true(oracle_is_close(result.best.factor, R_VALUE("complexity/n/factor"), 1e-9, "a"));
    assert_true(oracle_is_close(result.best.residual, R_VALUE("complexity/n/residual"), 1e-9, "r"));
}

/* Goal: too few sizes or too narrow a range is not answered. */
static void test_complexity_undefined(void **state)
{
    (void)state;
    const double few[] = {1, 10, 100, 100};
    const double narrow[] = {100, 110, 120, 130};
    const double times[] = {1, 2, 3, 4};
    assert_false(stats_complexity_fit(few, times, 4).is_defined);
    assert_false(stats_complexity_fit(narrow, times, 4).is_defined);
    assert_false(stats_complexity_fit(narrow, times, 0).is_defined);
    assert_string_equal(stats_complexity_name(STATS_COMPLEXITY_N_LOG_N), "O(n log n)");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_launch_medians),
        cmocka_unit_test(test_summary_describes_samples),
        cmocka_unit_test(test_summary_interval),
        cmocka_unit_test(test_launch_is_the_unit),
        cmocka_unit_test(test_summary_of_zeros),
        cmocka_unit_test(test_summary_of_equal_launches),
        cmocka_unit_test(test_summary_of_one_value),
        cmocka_unit_test(test_complexity_recognised),
        cmocka_unit_test(test_complexity_equals_r),
        cmocka_unit_test(test_complexity_undefined),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    arena_free(&arena);
    return failed;
}
