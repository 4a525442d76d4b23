/* bootstrap.h: intervals of any statistic by resampling. */
#ifndef TARE_STATS_BOOTSTRAP_H
#define TARE_STATS_BOOTSTRAP_H

#include "base/random.h"
#include "stats/interval.h"
#include "stats/order.h"

/* A statistic of count >= 1 values, in any order; it may use scratch and must put it back. */
typedef double stats_statistic(const double *values, ptrdiff_t count, struct arena *scratch);

/* stats_mean in the shape of a stats_statistic; stats_median has it already. */
double stats_statistic_mean(const double *values, ptrdiff_t count, struct arena *scratch);

struct stats_bootstrap {
    stats_statistic *statistic;
    ptrdiff_t resamples; /* 1 … STATS_RESAMPLES_MAX; 2,000 for 95 %, 10,000 for 99 % */
    double alpha;
    struct random *random; /* moved on by the call */
};

enum { STATS_RESAMPLES_MAX = 10000000 };

/* Quantiles alpha/2 and 1 − alpha/2 of the resampled statistic. Undefined below 2 values. */
struct stats_interval stats_bootstrap_percentile(const double *values, ptrdiff_t count,
                                                 const struct stats_bootstrap *options,
                                                 struct arena *scratch);

/* Bias-corrected and accelerated. Where its correction does not exist (no resample below or none
 * above the estimate, a statistic that does not vary), undefined. */
struct stats_interval stats_bootstrap_bca(const double *values, ptrdiff_t count,
                                          const struct stats_bootstrap *options,
                                          struct arena *scratch);

/* The jackknife's acceleration, as BCa uses it; undefined when leaving out any value changes
 * nothing. */
struct stats_value stats_jackknife_acceleration(const double *values, ptrdiff_t count,
                                                stats_statistic *statistic, struct arena *scratch);

#endif
