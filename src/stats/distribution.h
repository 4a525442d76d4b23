/* distribution.h: cumulative probabilities and quantiles of the distributions the methods need.
 *
 * Agreement with R is within 1e-10 relative (tests/unit/test_stats_distribution.c), tails included:
 * each has an "upper" form, so that a probability of 1e-12 is passed and returned as itself and not
 * as the difference of two numbers near 1. */
#ifndef TARE_STATS_DISTRIBUTION_H
#define TARE_STATS_DISTRIBUTION_H

#include <stddef.h>

/* Standard normal: P(Z <= z), P(Z > z), and the z with P(Z > z) = tail (0 < tail < 1). */
double stats_normal_cdf(double z);
double stats_normal_upper(double z);
double stats_normal_quantile(double probability);
double stats_normal_quantile_upper(double tail);

/* Student's t with any df > 0 (fractions, as Welch and Yuen need them). */
double stats_t_cdf(double t, double df);
double stats_t_upper(double t, double df);
double stats_t_quantile(double probability, double df);
double stats_t_quantile_upper(double tail, double df);

/* Regularised incomplete beta function I_x(a, b) and its inverse; a, b > 0. */
double stats_beta_cdf(double x, double a, double b);
double stats_beta_upper(double x, double a, double b);
double stats_beta_quantile(double probability, double a, double b);

/* X ~ Binomial(trials, probability): P(X <= successes), P(X > successes), P(X = successes). */
double stats_binomial_cdf(ptrdiff_t successes, ptrdiff_t trials, double probability);
double stats_binomial_upper(ptrdiff_t successes, ptrdiff_t trials, double probability);
double stats_binomial_mass(ptrdiff_t successes, ptrdiff_t trials, double probability);

/* P(X <= x), P(X > x) of χ² with df > 0. */
double stats_chi2_cdf(double x, double df);
double stats_chi2_upper(double x, double df);

#endif
