/* Hypothesis tests and corrections against R and SciPy. */
#include "stats/test.h"
#include "stats/correction.h"
#include "stats/rank.h"

#include "../oracle/oracle.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static struct arena arena;

struct pair {
    const char *name;
    const double *first;
    ptrdiff_t first_count;
    const double *second;
    ptrdiff_t second_count;
};

#define PAIR(a, b)                                                                                 \
    {                                                                                              \
#a "-" #b, data_##a, ORACLE_COUNT(data_##a), data_##b, ORACLE_COUNT(data_##b)              \
    }
static const struct pair pairs[] = {
    PAIR(normal, other), PAIR(ties, ties2), PAIR(large, large2),
    PAIR(skewed, ties),  PAIR(two, other),
};

static void check(double actual, const char *what, const char *name, const char *part)
{
    char key[100];
    oracle_key(key, sizeof key, "%s/%s/%s", what, name, part);
    assert_true(oracle_is_close(actual, R_VALUE(key), 1e-10, key));
}

/* Goal: Welch, Mann–Whitney and Kolmogorov–Smirnov equal R's. Method: pairs without ties (exact),
 * with ties, beyond 49 values (normal), and with two values on one side. */
static void test_two_samples_equal_r(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof pairs / sizeof pairs[0]; i++) {
        const struct pair *p = &pairs[i];
        struct stats_test welch =
            stats_test_welch(p->first, p->first_count, p->second, p->second_count);
        check(welch.statistic, "welch", p->name, "t");
        check(welch.p, "welch", p->name, "p");
        struct stats_test mann =
            stats_test_mann_whitney(p->first, p->first_count, p->second, p->second_count, &arena);
        check(mann.statistic, "mann-whitney", p->name, "u");
        check(mann.p, "mann-whitney", p->name, "p");
        struct stats_test smirnov =
            stats_test_smirnov(p->first, p->first_count, p->second, p->second_count, &arena);
        assert_true(smirnov.is_exact);
        check(smirnov.statistic, "smirnov", p->name, "d");
        check(smirnov.p, "smirnov", p->name, "p");
    }
    const char *key = "mann-whitney/normal-other/p";
    struct stats_test mann = stats_test_mann_whitney(data_normal, 12, data_other, 15, &arena);
    assert_true(mann.is_exact);
    assert_true(oracle_is_close(mann.p, SCIPY_VALUE(key), 1e-10, key));
}

/* Goal: beyond the exact range Kolmogorov's limit is used. Method: each value of a pair repeated
 * keeps D; the p-value then is that of the limit, which we compute here from its series. */
static void test_smirnov_limit(void **state)
{
    (void)state;
    double first[150];
    double second[150];
    for (int i = 0; i < 150; i++) {
        first[i] = i;
        second[i] = i + 20.5;
    }
    struct stats_test test = stats_test_smirnov(first, 150, second, 150, &arena);
    assert_false(test.is_exact);
    assert_true(fabs(test.statistic - 21.0 / 150) < 1e-12);
    double x = sqrt(75) * 21.0 / 150;
    double expected = 0;
    for (int k = 1; k < 20; k++) {
        expected += (k % 2 == 1 ? 2 : -2) * exp(-2.0 * k * k * x * x);
    }
    assert_true(oracle_is_close(test.p, expected, 1e-10, "limit"));
}

/* Goal: sign and signed-rank tests equal R's, with zeros and ties and without. */
static void test_one_sample_equals_r(void **state)
{
    (void)state;
    const struct {
        const char *name;
        const double *values;
        ptrdiff_t count;
    } samples[] = {
        {"signs", data_signs, ORACLE_COUNT(data_signs)},
        {"walk", data_walk, ORACLE_COUNT(data_walk)},
        {"modes", data_modes, ORACLE_COUNT(data_modes)},
        {"large", data_large, ORACLE_COUNT(data_large)},
    };
    for (size_t i = 0; i < 4; i++) {
        struct stats_test rank =
            stats_test_signed_rank(samples[i].values, samples[i].count, &arena);
        check(rank.statistic, "signed-rank", samples[i].name, "v");
        check(rank.p, "signed-rank", samples[i].name, "p");
        char key[100];
        oracle_key(key, sizeof key, "sign-test/%s", samples[i].name);
        struct stats_test sign = stats_test_sign(samples[i].values, samples[i].count);
        assert_true(oracle_is_close(sign.p, R_VALUE(key), 1e-10, key));
    }
}

/* Goal: adjusted p-values equal R's p.adjust, in place too. */
static void test_adjust_equals_r(void **state)
{
    (void)state;
    const double p[] = {0.01, 0.02, 0.03, 0.03, 0.2, 0.0005, 0.9, 0.04, 1};
    double bonferroni[9];
    double holm[9];
    double hochberg[9];
    stats_adjust_bonferroni(p, bonferroni, 9);
    stats_adjust_holm(p, holm, 9, &arena);
    memcpy(hochberg, p, sizeof p);
    stats_adjust_benjamini_hochberg(hochberg, hochberg, 9, &arena);
    for (int i = 0; i < 9; i++) {
        char part[12];
        snprintf(part, sizeof part, "%d", i);
        check(bonferroni[i], "adjust", "bonferroni", part);
        check(holm[i], "adjust", "holm", part);
        check(hochberg[i], "adjust", "BH", part);
    }
    stats_adjust_holm(p, holm, 0, &arena);
    assert_true(stats_bonferroni_alpha(0.01, 100) == 0.0001);
}

/* Goal: nothing to test is said, not answered. Method: no values, only zeros, no variation. */
static void test_undefined(void **state)
{
    (void)state;
    const double zeros[] = {0, 0, 0};
    assert_false(stats_test_sign(zeros, 3).is_defined);
    assert_false(stats_test_sign(zeros, 0).is_defined);
    assert_false(stats_test_signed_rank(zeros, 3, &arena).is_defined);
    assert_false(stats_test_signed_rank(zeros, 0, &arena).is_defined);
    assert_false(stats_test_mann_whitney(zeros, 3, zeros, 0, &arena).is_defined);
    assert_false(stats_test_mann_whitney(zeros, 3, zeros, 3, &arena).is_defined);
    assert_false(stats_test_welch(zeros, 3, zeros, 3).is_defined);
    assert_false(stats_test_welch(data_normal, 1, data_other, 5).is_defined);
    assert_false(stats_test_smirnov(zeros, 0, zeros, 3, &arena).is_defined);
    struct stats_test same = stats_test_smirnov(zeros, 3, zeros, 3, &arena);
    assert_true(same.is_defined && same.p == 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_two_samples_equal_r), cmocka_unit_test(test_smirnov_limit),
        cmocka_unit_test(test_one_sample_equals_r), cmocka_unit_test(test_adjust_equals_r),
        cmocka_unit_test(test_undefined),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    arena_free(&arena);
    return failed;
}
