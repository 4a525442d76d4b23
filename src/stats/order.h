/* order.h: order statistics and moments: quantiles, median, MAD, trimmed mean and the like.
 *
 * Preconditions everywhere in stats: values are finite (no NaN, no infinity), which is asserted
 * where they are sorted or summed; counts are asserted, never guessed around. A location needs
 * count >= 1, a variance count >= 2; where a quotient may not exist the result is a stats_value
 * that must be asked.
 *
 * `scratch` is an arena for temporary copies; it is put back to where it was before the function
 * returns. Only stats_sort_copy leaves its result there. Sorting costs n log n, the rest is linear.
 */
#ifndef TARE_STATS_ORDER_H
#define TARE_STATS_ORDER_H

#include "base/arena.h"

#include <stdbool.h>
#include <stddef.h>

/* A number that may not exist, such as a coefficient of variation around zero. */
struct stats_value {
    bool is_defined;
    double value; /* 0 unless is_defined */
};

/* How a quantile is read between two order statistics (Hyndman and Fan, "Sample quantiles in
 * statistical packages", American Statistician 50, 1996). */
enum stats_quantile_type {
    STATS_QUANTILE_TYPE7, /* R's and NumPy's default: what people get elsewhere */
    STATS_QUANTILE_TYPE8, /* approximately median-unbiased whatever the distribution: for small n */
};

void stats_sort(double *values, ptrdiff_t count);
double *stats_sort_copy(struct arena *arena, const double *values, ptrdiff_t count);

/* probability in [0, 1]; type 8 outside (1/3)/(n+1/3) … is the smallest or largest value. */
double stats_quantile_sorted(const double *sorted, ptrdiff_t count, double probability,
                             enum stats_quantile_type type);
double stats_quantile(const double *values, ptrdiff_t count, double probability,
                      enum stats_quantile_type type, struct arena *scratch);
double stats_median_sorted(const double *sorted, ptrdiff_t count);
double stats_median(const double *values, ptrdiff_t count, struct arena *scratch);

double stats_min(const double *values, ptrdiff_t count);
double stats_max(const double *values, ptrdiff_t count);
/* Compensated (Neumaier) sum divided by count. */
double stats_mean(const double *values, ptrdiff_t count);
/* Divisor n − 1, two passes; count >= 2. */
double stats_variance(const double *values, ptrdiff_t count);
double stats_deviation(const double *values, ptrdiff_t count);

/* Median of the distances to the median, times 1.4826 so that it estimates σ of normal data. One
 * value gives 0: its distance to itself. */
double stats_mad(const double *values, ptrdiff_t count, struct arena *scratch);
/* Third minus first quartile, type 7. */
double stats_iqr(const double *values, ptrdiff_t count, struct arena *scratch);
/* Standard deviation over mean; undefined below two values or for a mean of zero. */
struct stats_value stats_cv(const double *values, ptrdiff_t count);
/* Adjusted Fisher–Pearson skewness G1; undefined below three values or without variance. */
struct stats_value stats_skewness(const double *values, ptrdiff_t count);
/* Excess kurtosis G2; undefined below four values or without variance. */
struct stats_value stats_kurtosis(const double *values, ptrdiff_t count);

/* How many values a trim of `share` (in [0, 0.5)) takes from each end: floor(share × n). */
ptrdiff_t stats_trim_count(ptrdiff_t count, double share);
double stats_trimmed_mean_sorted(const double *sorted, ptrdiff_t count, double share);
/* Variance (n − 1) after the trimmed values are replaced by the nearest kept ones; count >= 2. */
double stats_winsorised_variance_sorted(const double *sorted, ptrdiff_t count, double share);
double stats_trimmed_mean(const double *values, ptrdiff_t count, double share,
                          struct arena *scratch);
double stats_winsorised_variance(const double *values, ptrdiff_t count, double share,
                                 struct arena *scratch);

#endif
