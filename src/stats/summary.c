/* summary.c: one metric's samples → location, spread and an interval over launches.
 *
 * Idea: group by launch, take each launch's median, and put an interval around their centre. Times
 * vary in proportion, so the interval is computed on logarithms where all medians are positive.
 * Cost: two sorts of all samples. */
#include "stats/summary.h"

#include "base/assert.h"

#include <math.h>
#include <stdlib.h>

static struct stats_interval launch_interval(const double *medians, ptrdiff_t count, double alpha,
                                             bool *is_log, struct arena *scratch);

struct stats_summary stats_summarise(const double *values, const int32_t *launches, ptrdiff_t count,
                                     double confidence, struct arena *scratch)
{
    TARE_ASSERT(count >= 1);
    TARE_ASSERT(confidence > 0 && confidence < 1);
    struct arena_mark mark = arena_mark(scratch);
    const double *sorted = stats_sort_copy(scratch, values, count);
    struct stats_summary summary = {
        .count = count,
        .mean = stats_mean(values, count),
        .median = stats_median_sorted(sorted, count),
        .min = sorted[0],
        .max = sorted[count - 1],
        .p95 = stats_quantile_sorted(sorted, count, 0.95, STATS_QUANTILE_TYPE7),
        .p99 = stats_quantile_sorted(sorted, count, 0.99, STATS_QUANTILE_TYPE7),
        .mad = stats_mad(values, count, scratch),
        .cv = stats_cv(values, count),
    };
    const double *medians =
        stats_launch_medians(values, launches, count, scratch, &summary.launches);
    summary.interval = launch_interval(medians, summary.launches, 1 - confidence,
                                       &summary.is_interval_log, scratch);
    arena_reset(scratch, mark);
    return summary;
}

/* A value and where it came from, for grouping. */
struct launch_value {
    double value;
    int32_t launch;
    ptrdiff_t first; /* index of the launch's first value */
};

static int compare_by_launch(const void *left, const void *right)
{
    const struct launch_value *a = left;
    const struct launch_value *b = right;
    if (a->launch != b->launch) {
        return a->launch < b->launch ? -1 : 1;
    }
    return (a->first > b->first) - (a->first < b->first);
}

static int compare_by_first(const void *left, const void *right)
{
    const struct launch_value *a = left;
    const struct launch_value *b = right;
    return (a->first > b->first) - (a->first < b->first);
}

double *stats_launch_medians(const double *values, const int32_t *launches, ptrdiff_t count,
                             struct arena *arena, ptrdiff_t *launch_count)
{
    TARE_ASSERT(count >= 0);
    double *medians = ARENA_ARRAY(arena, double, count);
    struct arena_mark mark = arena_mark(arena);
    struct launch_value *items = ARENA_ARRAY(arena, struct launch_value, count);
    double *group = ARENA_ARRAY(arena, double, count);
    for (ptrdiff_t i = 0; i < count; i++) {
        int32_t launch = launches != NULL ? launches[i] : (int32_t)i;
        items[i] = (struct launch_value){.value = values[i], .launch = launch, .first = i};
    }
    if (count > 1 && launches != NULL) {
        qsort(items, (size_t)count, sizeof items[0], compare_by_launch);
    }
    ptrdiff_t found = 0;
    for (ptrdiff_t start = 0; start < count;) {
        ptrdiff_t end = start;
        while (end < count && items[end].launch == items[start].launch) {
            group[end - start] = items[end].value;
            end++;
        }
        stats_sort(group, end - start);
        items[found] = (struct launch_value){.value = stats_median_sorted(group, end - start),
                                             .first = items[start].first};
        found++;
        start = end;
    }
    if (found > 1) {
        qsort(items, (size_t)found, sizeof items[0], compare_by_first);
    }
    for (ptrdiff_t i = 0; i < found; i++) {
        medians[i] = items[i].value;
    }
    arena_reset(arena, mark);
    *launch_count = found;
    return medians;
}

/* Yuen, t or sign by the number of launches and whether they vary. */
static struct stats_interval launch_interval(const double *medians, ptrdiff_t count, double alpha,
                                             bool *is_log, struct arena *scratch)
{
    *is_log = stats_min(medians, count) > 0;
    double *scaled = ARENA_ARRAY(scratch, double, count);
    for (ptrdiff_t i = 0; i < count; i++) {
        scaled[i] = *is_log ? log(medians[i]) : medians[i];
    }
    struct stats_interval interval =
        count >= STATS_SUMMARY_TRIM_LAUNCHES_MIN
            ? stats_interval_yuen(scaled, count, STATS_TRIM_SHARE, alpha, scratch)
            : stats_interval_t(scaled, count, alpha);
    if (interval.is_defined && !(interval.high > interval.low)) {
        /* Order statistics do not care about the scale: equal launches stay exactly themselves. */
        *is_log = false;
        return stats_interval_sign(medians, count, alpha, scratch);
    }
    if (*is_log) {
        interval.estimate = exp(interval.estimate);
        interval.low = interval.is_defined ? exp(interval.low) : 0;
        interval.high = interval.is_defined ? exp(interval.high) : 0;
    }
    return interval;
}
