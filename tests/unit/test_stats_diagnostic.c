/* Diagnostics against R and SciPy, and on data that is odd on purpose. */
#include "base/random.h"
#include "stats/diagnostic.h"
#include "stats/modes.h"

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
    SAMPLE(normal), SAMPLE(other), SAMPLE(skewed), SAMPLE(ties),  SAMPLE(ties2),
    SAMPLE(signs),  SAMPLE(modes), SAMPLE(walk),   SAMPLE(large),
};
enum { SAMPLES = sizeof samples / sizeof samples[0] };

/* Goal: autocorrelation, Kendall's p and the dip equal R's. */
static void test_equal_r(void **state)
{
    (void)state;
    for (size_t i = 0; i < SAMPLES; i++) {
        const struct sample *s = &samples[i];
        char key[100];
        oracle_key(key, sizeof key, "acf/%s", s->name);
        double r1 = stats_autocorrelation(s->values, s->count, 1).value;
        assert_true(oracle_is_close(r1, R_VALUE(key), 1e-11, key));
        oracle_key(key, sizeof key, "acf3/%s", s->name);
        double r3 = stats_autocorrelation(s->values, s->count, 3).value;
        assert_true(oracle_is_close(r3, R_VALUE(key), 1e-11, key));
        oracle_key(key, sizeof key, "kendall/%s/p", s->name);
        double p = stats_drift(s->values, s->count, &arena).p;
        assert_true(oracle_is_close(p, R_VALUE(key), 1e-10, key));
        oracle_key(key, sizeof key, "dip/%s", s->name);
        double dip = stats_dip(s->values, s->count, &arena).dip;
        assert_true(oracle_is_close(dip, R_VALUE(key), 1e-12, key));
    }
}

/* Goal: D'Agostino's test and Sen's slope equal SciPy's. */
static void test_equal_scipy(void **state)
{
    (void)state;
    for (size_t i = 0; i < SAMPLES; i++) {
        const struct sample *s = &samples[i];
        char key[100];
        struct stats_skew_test skew = stats_skew_test(s->values, s->count);
        oracle_key(key, sizeof key, "skewtest/%s/z", s->name);
        assert_true(oracle_is_close(skew.z, SCIPY_VALUE(key), 1e-10, key));
        oracle_key(key, sizeof key, "skewtest/%s/p", s->name);
        assert_true(oracle_is_close(skew.p, SCIPY_VALUE(key), 1e-10, key));
        oracle_key(key, sizeof key, "theil/%s", s->name);
        double slope = stats_drift(s->values, s->count, &arena).slope;
        assert_true(fabs(slope - SCIPY_VALUE(key)) < 1e-12);
    }
}

/* Goal: too few or equal values are not diagnosed. */
static void test_undefined(void **state)
{
    (void)state;
    const double equal[] = {3, 3, 3, 3, 3, 3, 3, 3, 3};
    assert_false(stats_autocorrelation(equal, 9, 1).is_defined);
    assert_false(stats_autocorrelation(data_normal, 2, 1).is_defined);
    assert_false(stats_effective_count(equal, 9).is_defined);
    assert_false(stats_drift(equal, 9, &arena).is_defined);
    assert_false(stats_drift(data_normal, 3, &arena).is_defined);
    assert_false(stats_skew_test(equal, 9).is_defined);
    assert_false(stats_skew_test(data_normal, 7).is_defined);
    assert_false(stats_dip(equal, 9, &arena).is_defined);
    assert_false(stats_dip(data_normal, 3, &arena).is_defined);
    assert_false(stats_first_slow(data_normal, 4, &arena).is_defined);
    assert_true(stats_outliers(data_normal, 3, &arena).share == 0);
    assert_true(stats_outliers(equal, 9, &arena).share == 0);
}

/* Goal: a positive correlation costs samples, a negative one earns none. */
static void test_effective_count(void **state)
{
    (void)state;
    double r = R_VALUE("acf/walk");
    double effective = stats_effective_count(data_walk, ORACLE_COUNT(data_walk)).value;
    assert_true(fabs(effective - 30 * (1 - r) / (1 + r)) < 1e-9);
    const double zigzag[] = {1, 2, 1, 2, 1, 2, 1, 2};
    assert_true(stats_effective_count(zigzag, 8).value == 8);
}

/* Goal: a trend is found with its size, also when blocks stand for samples. Method: 10,000 values
 * that rise by 3 in all, with noise of 1. */
static void test_drift_of_many(void **state)
{
    (void)state;
    enum { COUNT = 10000 };
    double *values = ARENA_ARRAY(&arena, double, COUNT);
    struct random random = random_seeded(8);
    for (int i = 0; i < COUNT; i++) {
        values[i] = 3.0 * i / (COUNT - 1) + random_normal(&random);
    }
    struct stats_drift drift = stats_drift(values, COUNT, &arena);
    assert_true(drift.is_defined);
    assert_int_equal(drift.count, STATS_DRIFT_COUNT_MAX);
    assert_true(drift.p < 1e-10);
    assert_true(fabs(drift.change - 3) < 0.15);
    assert_true(drift.tau > 0.5);
}

/* Goal: fences are Tukey's. Method: one far and one mild value above nine even ones. */
static void test_outliers(void **state)
{
    (void)state;
    const double values[] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 18, 60};
    struct stats_outliers outliers = stats_outliers(values, 11, &arena);
    assert_int_equal(outliers.far_high, 1);
    assert_int_equal(outliers.mild_high, 1);
    assert_int_equal(outliers.far_low + outliers.mild_low, 0);
    assert_int_equal(outliers.modified_z, 1);
    assert_true(fabs(outliers.share - 2.0 / 11) < 1e-15);
}

/* Goal: a slow first sample is seen, an ordinary maximum is not. */
static void test_first_slow(void **state)
{
    (void)state;
    const double slow[] = {30, 10, 10.5, 11, 10.2, 10.8};
    const double ordinary[] = {11.1, 10, 10.5, 11, 10.2, 10.8};
    assert_true(stats_first_slow(slow, 6, &arena).is_slow);
    assert_true(fabs(stats_first_slow(slow, 6, &arena).ratio - 30 / 10.5) < 1e-12);
    assert_false(stats_first_slow(ordinary, 6, &arena).is_slow);
}

static double dip_share(double distance, ptrdiff_t count, double level, uint64_t seed)
{
    struct random random = random_seeded(seed);
    int found = 0;
    double values[100];
    for (int trial = 0; trial < 1000; trial++) {
        for (ptrdiff_t i = 0; i < count; i++) {
            double shift = random_unit(&random) < 0.5 ? distance : 0;
            values[i] = distance < 0 ? random_unit(&random) : shift + random_normal(&random);
        }
        found += stats_dip(values, count, &arena).p < level;
    }
    return found / 1000.0;
}

/* Goal: the dip's p-values are right for uniform data, never wrong for normal data, and two modes
 * five deviations apart are found at n = 20. Method: 1,000 simulated samples each. */
static void test_dip_level_and_power(void **state)
{
    (void)state;
    double uniform = dip_share(-1, 35, 0.05, 3); /* 35 lies between the table's sizes */
    assert_true(uniform > 0.03 && uniform < 0.075);
    assert_true(dip_share(0, 30, 0.05, 4) < 0.02);
    assert_true(dip_share(6, 20, 0.05, 5) > 0.55);
    assert_true(dip_share(6, 40, 0.05, 6) > 0.9);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_equal_r),       cmocka_unit_test(test_equal_scipy),
        cmocka_unit_test(test_undefined),     cmocka_unit_test(test_effective_count),
        cmocka_unit_test(test_drift_of_many), cmocka_unit_test(test_outliers),
        cmocka_unit_test(test_first_slow),    cmocka_unit_test(test_dip_level_and_power),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    arena_free(&arena);
    return failed;
}
