/* summary.h: what a run says about one metric.
 *
 * Location and spread describe all samples. The interval is of the typical value over launches: the
 * samples of one launch share its memory layout and are not independent, so a launch counts once,
 * by its median. */
#ifndef TARE_STATS_SUMMARY_H
#define TARE_STATS_SUMMARY_H

#include "base/arena.h"
#include "stats/interval.h"
#include "stats/order.h"

#include <stdint.h>

struct stats_summary {
    ptrdiff_t count;    /* samples */
    ptrdiff_t launches; /* distinct launches among them */
    double mean;
    double median; /* p50 */
    double min;
    double max;
    double p95;
    double p99;
    double mad;            /* scaled to estimate σ */
    struct stats_value cv; /* standard deviation over mean of all samples */
    /* Typical value with its interval, over launch medians: on the log scale when all are positive
     * (then the estimate is a geometric trimmed mean), else on the plain one. Yuen's from 8
     * launches, Student's below, the sign interval where launches do not vary at all. Undefined
     * with fewer than 2 launches. */
    struct stats_interval interval;
    bool is_interval_log; /* computed on the log scale and taken back */
};

/* From how many launches on the summary trims: 8 is where 20 % takes one launch from each end and
 * leaves six. */
enum { STATS_SUMMARY_TRIM_LAUNCHES_MIN = 8 };

/* values[i] came from launch launches[i]; any numbers, in any order. count >= 1, confidence in (0,
 * 1). `launches` may be NULL: then every value is its own launch (whole runs of a command). */
struct stats_summary stats_summarise(const double *values, const int32_t *launches, ptrdiff_t count,
                                     double confidence, struct arena *scratch);

/* The median of each launch, in order of first appearance: an array in `arena`, its length in
 * *launch_count. */
double *stats_launch_medians(const double *values, const int32_t *launches, ptrdiff_t count,
                             struct arena *arena, ptrdiff_t *launch_count);

#endif
