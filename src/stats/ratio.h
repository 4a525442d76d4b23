/* ratio.h: how many times slower is new than old? Paired rounds, the launch as unit of replication.
 *
 *     for each launch:  struct stats_paired pair = stats_paired_launch(old, new, rounds, &scratch);
 *     at each look:     struct stats_ratio r = stats_ratio_interval(pairs, launches, alpha,
 * &scratch);
 *
 * Everything is on the natural-log scale until the end: log(new) − log(old), 0 means the same. */
#ifndef TARE_STATS_RATIO_H
#define TARE_STATS_RATIO_H

#include "stats/interval.h"
#include "stats/sequential.h"

/* One launch: rounds summed up in three ways. A median does not see that one round in five is
 * slower; the mean and the upper percentile do. */
struct stats_paired {
    bool is_defined;   /* at least one round, all times positive */
    double median_log; /* median over rounds of log(new/old) */
    double mean_log;   /* log of mean(new) / mean(old) */
    double upper_log;  /* log of p90(new) / p90(old), type 8 */
};

/* old[i] and new[i] were measured next to each other. */
struct stats_paired stats_paired_launch(const double *old_values, const double *new_values,
                                        ptrdiff_t rounds, struct arena *scratch);

struct stats_ratio {
    struct stats_interval log; /* interval of the launches' typical log ratio; ask log.is_defined */
    double ratio;              /* exp of the estimate, low and high; 0 where undefined */
    double low;
    double high;
    ptrdiff_t launches;
    ptrdiff_t
        launches_min; /* from how many launches this rule can give an interval for this data */
    double widening;  /* >= 1: factor for autocorrelation, already in the interval */
    bool is_constant; /* the kept launches are all equal: only the sign interval is honest */
    bool is_skewed;
    bool is_multimodal;
    bool is_heavy_tailed;
    bool is_autocorrelated;
};

/* The interval of verdicts from one log ratio per launch, in order of measuring. The rule, tuned by
 * tests/simulate: below 8 launches none; launches without variation: sign; skewed or multimodal:
 * the wider of Yuen and sign; far outliers or 20 launches: Yuen; else t. Then widened about the
 * estimate by what autocorrelation could hide. alpha is this look's (stats_sequential_alpha). */
struct stats_ratio stats_ratio_interval(const double *log_ratios, ptrdiff_t launches, double alpha,
                                        struct arena *scratch);

/* Launches after which the half-width of r, seen at launches r->launches, is expected to be at most
 * `half_width` (log scale), rounded up to a look; 0 when that is beyond launches_max. */
ptrdiff_t stats_ratio_launches_needed(const struct stats_sequential *sequential,
                                      const struct stats_ratio *r, double half_width,
                                      ptrdiff_t launches_max);

/* Equivalence by confidence interval: [low, high] inside [−band, band] on the log scale; exactly at
 * the band is inside. An interval at 1 − alpha makes this a TOST of size alpha / 2. False with band
 * 0. */
bool stats_is_equivalent(const struct stats_interval *log, double band_log);

/* Two one-sided t tests that the mean lies inside (−band, band): the larger p; 1 below 2 values. */
double stats_tost_p(const double *values, ptrdiff_t count, double band);

#endif
