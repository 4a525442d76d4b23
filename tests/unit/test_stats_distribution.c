/* Distributions against R (every stored value) and SciPy, 1e-10 relative. */
#include "stats/distribution.h"

#include "../oracle/oracle.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdbool.h>

static const double TOLERANCE = 1e-10;

typedef double two_arguments(double, double);
typedef double three_arguments(double, double, double);

/* Reads up to three numbers out of "name/1/2.5/1e-6". */
static int read_key(const char *key, const char *name, double numbers[3])
{
    size_t length = strlen(name);
    if (strncmp(key, name, length) != 0 || key[length] != '/') {
        return 0;
    }
    return sscanf(key + length, "/%lf/%lf/%lf", &numbers[0], &numbers[1], &numbers[2]);
}

/* Every row of R's table with this name; returns how many there were. */
static int check_rows(const char *name, double (*compute)(const double numbers[3]))
{
    int found = 0;
    for (size_t i = 0; i < sizeof r_rows / sizeof r_rows[0]; i++) {
        double numbers[3] = {0};
        if (read_key(r_rows[i].key, name, numbers) > 0) {
            found++;
            double actual = compute(numbers);
            assert_true(oracle_is_close(actual, r_rows[i].value, TOLERANCE, r_rows[i].key));
        }
    }
    return found;
}

static double do_qt(const double x[3])
{
    return stats_t_quantile_upper(x[1], x[0]);
}

static double do_pt(const double x[3])
{
    return stats_t_upper(x[1], x[0]);
}

static double do_pt_lower(const double x[3])
{
    return stats_t_cdf(-x[1], x[0]);
}

static double do_qnorm(const double x[3])
{
    return stats_normal_quantile_upper(x[0]);
}

static double do_pnorm(const double x[3])
{
    return stats_normal_upper(x[0]);
}

static double do_pbeta(const double x[3])
{
    return stats_beta_cdf(x[0], x[1], x[2]);
}

static double do_pbeta_upper(const double x[3])
{
    return stats_beta_upper(x[0], x[1], x[2]);
}

static double do_qbeta(const double x[3])
{
    return stats_beta_quantile(x[0], x[1], x[2]);
}

static double do_pbinom(const double x[3])
{
    return stats_binomial_cdf((ptrdiff_t)x[0], 1000, x[1]);
}

static double do_dbinom(const double x[3])
{
    return stats_binomial_mass((ptrdiff_t)x[0], 1000, x[1]);
}

static double do_pchisq(const double x[3])
{
    return stats_chi2_cdf(x[0], x[1]);
}

static double do_pchisq_upper(const double x[3])
{
    return stats_chi2_upper(x[0], x[1]);
}

/* Goal: t for df 1 to 10^6 and tails down to 1e-12. */
static void test_t_equals_r(void **state)
{
    (void)state;
    assert_int_equal(check_rows("qt", do_qt), 49);
    assert_int_equal(check_rows("pt", do_pt), 35);
    assert_int_equal(check_rows("pt-", do_pt_lower), 35);
}

/* Goal: a second opinion; SciPy 1.10 itself is 2e-9 off R at df = 60. */
static void test_t_equals_scipy(void **state)
{
    (void)state;
    int found = 0;
    for (size_t i = 0; i < sizeof scipy_rows / sizeof scipy_rows[0]; i++) {
        double x[3] = {0};
        if (read_key(scipy_rows[i].key, "t.isf", x) > 0) {
            found++;
            assert_true(oracle_is_close(do_qt(x), scipy_rows[i].value, 1e-8, scipy_rows[i].key));
        }
    }
    assert_int_equal(found, 16);
}

static void test_normal_equals_r(void **state)
{
    (void)state;
    assert_int_equal(check_rows("qnorm", do_qnorm), 6);
    assert_int_equal(check_rows("pnorm", do_pnorm), 6);
}

static void test_beta_equals_r(void **state)
{
    (void)state;
    assert_int_equal(check_rows("pbeta", do_pbeta), 48);
    assert_int_equal(check_rows("pbeta+", do_pbeta_upper), 48);
    assert_int_equal(check_rows("qbeta", do_qbeta), 48);
}

static void test_binomial_equals_r(void **state)
{
    (void)state;
    assert_int_equal(check_rows("pbinom", do_pbinom), 12);
    assert_int_equal(check_rows("dbinom", do_dbinom), 12);
}

static void test_chi2_equals_r(void **state)
{
    (void)state;
    assert_int_equal(check_rows("pchisq", do_pchisq), 16);
    assert_int_equal(check_rows("pchisq+", do_pchisq_upper), 16);
}

/* Goal: quantile and probability undo each other over a grid far wider than R's. */
static void test_quantiles_invert(void **state)
{
    (void)state;
    for (double df = 0.5; df < 2e6; df *= 3.7) {
        for (double tail = 1e-15; tail < 0.499; tail *= 3.1) {
            double t = stats_t_quantile_upper(tail, df);
            assert_true(oracle_is_close(stats_t_upper(t, df), tail, 1e-11, "t inverse"));
            assert_true(stats_t_quantile(tail, df) == -t);
        }
    }
}

/* Goal: the edges of the supports and the centre are exact. */
static void test_edges(void **state)
{
    (void)state;
    assert_true(stats_t_quantile_upper(0.5, 3) == 0);
    assert_true(stats_t_cdf(0, 3) == 0.5);
    assert_true(stats_beta_cdf(0, 2, 3) == 0);
    assert_true(stats_beta_cdf(1, 2, 3) == 1);
    assert_true(stats_beta_quantile(0, 2, 3) == 0);
    assert_true(stats_beta_quantile(1, 2, 3) == 1);
    assert_true(stats_binomial_cdf(-1, 10, 0.5) == 0);
    assert_true(stats_binomial_cdf(10, 10, 0.5) == 1);
    assert_true(stats_binomial_upper(-1, 10, 0.5) == 1);
    assert_true(stats_binomial_mass(3, 3, 1) == 1);
    assert_true(stats_binomial_mass(11, 10, 0.5) == 0);
    assert_true(stats_chi2_cdf(0, 3) == 0);
    assert_true(stats_t_upper(1e200, 1) == 0);
    assert_true(stats_t_upper(-1e200, 1) == 1);
    assert_true(stats_normal_quantile(0.5) == 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_t_equals_r),        cmocka_unit_test(test_t_equals_scipy),
        cmocka_unit_test(test_normal_equals_r),   cmocka_unit_test(test_beta_equals_r),
        cmocka_unit_test(test_binomial_equals_r), cmocka_unit_test(test_chi2_equals_r),
        cmocka_unit_test(test_quantiles_invert),  cmocka_unit_test(test_edges),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
