/* rank.h: Mann–Whitney, Wilcoxon's signed ranks, and the Hodges–Lehmann estimates that belong to
 * them.
 *
 * p-values are exact without ties and zeros for up to 49 values a side, and normal with tie and
 * continuity correction otherwise: the same rule, and so the same numbers, as R's wilcox.test. */
#ifndef TARE_STATS_RANK_H
#define TARE_STATS_RANK_H

#include "stats/test.h"

enum {
    STATS_RANK_EXACT_MAX = 49,
    STATS_HODGES_LEHMANN_PAIRS_MAX = 4000000, /* 32 MB of differences; beyond it: undefined */
};

/* Statistic U of `first`: pairs in which first > second, ties counting half. */
struct stats_test stats_test_mann_whitney(const double *first, ptrdiff_t first_count,
                                          const double *second, ptrdiff_t second_count,
                                          struct arena *scratch);

/* Statistic V: sum of the ranks of positive values; zeros are dropped. Assumes symmetry about the
 * centre: a skewed difference is "significant" without any shift. */
struct stats_test stats_test_signed_rank(const double *values, ptrdiff_t count,
                                         struct arena *scratch);

/* Centre of one sample: median of the means of all pairs (i <= j). With symmetry it is the median.
 */
struct stats_interval stats_hodges_lehmann(const double *values, ptrdiff_t count, double alpha,
                                           struct arena *scratch);

/* Shift from first to second: median of all differences second − first. Assumes the same shape. */
struct stats_interval stats_hodges_lehmann_shift(const double *first, ptrdiff_t first_count,
                                                 const double *second, ptrdiff_t second_count,
                                                 double alpha, struct arena *scratch);

#endif
