/* Order statistics and moments against R and SciPy, and at n = 1, 2, ties. */
#include "stats/order.h"

#include "../oracle/oracle.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

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
    SAMPLE(normal), SAMPLE(other), SAMPLE(skewed), SAMPLE(ties),  SAMPLE(ties2),  SAMPLE(signs),
    SAMPLE(modes),  SAMPLE(walk),  SAMPLE(two),    SAMPLE(large), SAMPLE(large2),
};

static void check(double actual, const char *what, const struct sample *sample)
{
    char key[100];
    oracle_key(key, sizeof key, "%s/%s", what, sample->name);
    assert_true(oracle_is_close(actual, R_VALUE(key), 1e-12, key));
}

/* Goal: location and spread equal R's. Method: eleven stored samples. */
static void test_moments_equal_r(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof samples / sizeof samples[0]; i++) {
        const struct sample *s = &samples[i];
        check(stats_mean(s->values, s->count), "mean", s);
        check(stats_variance(s->values, s->count), "variance", s);
        check(stats_median(s->values, s->count, &arena), "median", s);
        check(stats_mad(s->values, s->count, &arena), "mad", s);
        check(stats_iqr(s->values, s->count, &arena), "iqr", s);
        check(stats_trimmed_mean(s->values, s->count, 0.2, &arena), "trimmed", s);
        check(stats_winsorised_variance(s->values, s->count, 0.2, &arena), "winsorised", s);
        if (s->count >= 8) {
            check(stats_skewness(s->values, s->count).value, "skewness", s);
            check(stats_kurtosis(s->values, s->count).value, "kurtosis", s);
        }
    }
}

/* Goal: a second opinion on trimming and shape. Method: SciPy's values of the same samples. */
static void test_shape_equals_scipy(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof samples / sizeof samples[0]; i++) {
        const struct sample *s = &samples[i];
        if (s->count < 8) {
            continue;
        }
        char key[100];
        oracle_key(key, sizeof key, "trimmed/%s", s->name);
        double trimmed = stats_trimmed_mean(s->values, s->count, 0.2, &arena);
        assert_true(oracle_is_close(trimmed, SCIPY_VALUE(key), 1e-12, key));
        oracle_key(key, sizeof key, "winsorised/%s", s->name);
        double variance = stats_winsorised_variance(s->values, s->count, 0.2, &arena);
        assert_true(oracle_is_close(variance, SCIPY_VALUE(key), 1e-12, key));
        oracle_key(key, sizeof key, "kurtosis/%s", s->name);
        double kurtosis = stats_kurtosis(s->values, s->count).value;
        assert_true(oracle_is_close(kurtosis, SCIPY_VALUE(key), 1e-11, key));
    }
}

/* Goal: quantiles of types 7 and 8 equal R's, ends included. */
static void test_quantiles_equal_r(void **state)
{
    (void)state;
    const double probabilities[] = {0, 0.01, 0.25, 0.5, 0.9, 0.95, 1};
    for (size_t i = 0; i < sizeof samples / sizeof samples[0]; i++) {
        const struct sample *s = &samples[i];
        for (size_t p = 0; p < sizeof probabilities / sizeof probabilities[0]; p++) {
            for (int type = 7; type <= 8; type++) {
                char key[100];
                oracle_key(key, sizeof key, "quantile%d/%s/%g", type, s->name, probabilities[p]);
                double actual =
                    stats_quantile(s->values, s->count, probabilities[p],
                                   type == 7 ? STATS_QUANTILE_TYPE7 : STATS_QUANTILE_TYPE8, &arena);
                assert_true(oracle_is_close(actual, R_VALUE(key), 1e-12, key));
            }
        }
    }
}

/* Goal: one value is its own centre and has no spread that is made up. */
static void test_one_value(void **state)
{
    (void)state;
    const double one[] = {7};
    assert_true(stats_median(one, 1, &arena) == 7);
    assert_true(stats_quantile(one, 1, 0.99, STATS_QUANTILE_TYPE8, &arena) == 7);
    assert_true(stats_mad(one, 1, &arena) == 0);
    assert_true(stats_trimmed_mean(one, 1, 0.2, &arena) == 7);
    assert_false(stats_cv(one, 1).is_defined);
    assert_false(stats_skewness(one, 1).is_defined);
    assert_false(stats_kurtosis(one, 1).is_defined);
}

/* Goal: quotients that do not exist are not defined. Method: zero mean, zero variance. */
static void test_undefined_quotients(void **state)
{
    (void)state;
    const double balanced[] = {-1, 1};
    const double equal[] = {4, 4, 4, 4, 4};
    assert_false(stats_cv(balanced, 2).is_defined);
    assert_false(stats_skewness(equal, 5).is_defined);
    assert_false(stats_kurtosis(equal, 5).is_defined);
    assert_true(stats_cv(equal, 5).is_defined);
    assert_true(stats_cv(equal, 5).value == 0);
}

/* Goal: the mean keeps small digits beside large ones. Method: 1e16 and −1e16 around ones. */
static void test_mean_is_compensated(void **state)
{
    (void)state;
    const double values[] = {1e16, 1, 1, 1, -1e16, 1};
    assert_true(oracle_is_close(stats_mean(values, 6), 4.0 / 6, 1e-15, "mean"));
}

/* Goal: the median of two huge values does not overflow. */
static void test_median_of_huge_values(void **state)
{
    (void)state;
    const double values[] = {1.7e308, 1.6e308};
    assert_true(isfinite(stats_median(values, 2, &arena)));
}

/* Goal: trimming counts as meant although 0.2 is not exact. */
static void test_trim_count(void **state)
{
    (void)state;
    assert_int_equal(stats_trim_count(15, 0.2), 3);
    assert_int_equal(stats_trim_count(4, 0.2), 0);
    assert_int_equal(stats_trim_count(5, 0.2), 1);
    assert_int_equal(stats_trim_count(0, 0.2), 0);
}

/* Goal: scratch is put back. Method: the mark before and after is the same. */
static void test_scratch_is_put_back(void **state)
{
    (void)state;
    ARENA_NEW(&arena, double);
    struct arena_mark before = arena_mark(&arena);
    stats_mad(data_large, ORACLE_COUNT(data_large), &arena);
    struct arena_mark after = arena_mark(&arena);
    assert_ptr_equal(before.block, after.block);
    assert_int_equal(before.used_bytes, after.used_bytes);
}

/* Goal: NaN is a bug of the caller and stops the program. Method: a child that must abort. */
static void test_nan_is_refused(void **state)
{
    (void)state;
    fflush(NULL);
    pid_t child = fork();
    if (child == 0) {
        struct rlimit none = {0, 0};
        setrlimit(RLIMIT_CORE, &none);
        signal(SIGABRT, SIG_DFL);
        freopen("/dev/null", "w", stderr);
        const double values[] = {1, NAN, 2};
        stats_median(values, 3, &arena);
        _exit(0);
    }
    int status = 0;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_moments_equal_r),       cmocka_unit_test(test_shape_equals_scipy),
        cmocka_unit_test(test_quantiles_equal_r),     cmocka_unit_test(test_one_value),
        cmocka_unit_test(test_undefined_quotients),   cmocka_unit_test(test_mean_is_compensated),
        cmocka_unit_test(test_median_of_huge_values), cmocka_unit_test(test_trim_count),
        cmocka_unit_test(test_scratch_is_put_back),   cmocka_unit_test(test_nan_is_refused),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    arena_free(&arena);
    return failed;
}
