/* test.h: hypothesis tests, two-sided. For comparisons with other tools and for diagnostics;
 * verdicts are made from intervals (ratio.h), because a p-value does not say how much.
 *
 * A test that cannot be done (no values, no variation) has is_defined false. */
#ifndef TARE_STATS_TEST_H
#define TARE_STATS_TEST_H

#include "base/arena.h"
#include "stats/interval.h"

struct stats_test {
    bool is_defined;
    bool is_exact; /* p from the exact distribution, not from an approximation */
    double statistic;
    double p;
};

/* Welch's t: do two means differ? Both samples need 2 values, at least one of them variation. */
struct stats_test stats_test_welch(const double *first, ptrdiff_t first_count, const double *second,
                                   ptrdiff_t second_count);

/* Interval of mean(second) − mean(first), variances not assumed equal. Degrees of freedom after
 * Satterthwaite. Without variation on both sides: undefined. */
struct stats_interval stats_interval_welch(const double *first, ptrdiff_t first_count,
                                           const double *second, ptrdiff_t second_count,
                                           double alpha);

/* Sign test that the median is 0: exact binomial; zeros are dropped. The statistic counts positive
 * values. */
struct stats_test stats_test_sign(const double *values, ptrdiff_t count);

/* Kolmogorov–Smirnov: are two samples from one distribution? The statistic is the largest distance
 * D. Exact by counting paths while first_count × second_count <= 10,000, ties included; else
 * Kolmogorov's limit. */
struct stats_test stats_test_smirnov(const double *first, ptrdiff_t first_count,
                                     const double *second, ptrdiff_t second_count,
                                     struct arena *scratch);

#endif
