#include "detect/figures.h"

#include "stats/interval.h"
#include "stats/order.h"

#include <math.h>

/* One launch summed up, and the logs of all launches so far. */
struct launches {
    double *median_logs;
    double *mean_logs;
    double *tail_logs;
    ptrdiff_t count;
    ptrdiff_t samples_min;
    bool is_positive;
};

/* The worst tenth begins at the 90 % quantile of a cost and at the 10 % quantile of a rate. */
static double worst_tenth(const double *sorted, ptrdiff_t count, enum model_better better)
{
    double probability = better == MODEL_LOWER_IS_BETTER ? 0.9 : 0.1;
    return stats_quantile_sorted(sorted, count, probability, STATS_QUANTILE_TYPE8);
}

static void add_launch(struct launches *launches, const double *values, ptrdiff_t count,
                       enum model_better better, struct arena *scratch)
{
    struct arena_mark mark = arena_mark(scratch);
    const double *sorted = stats_sort_copy(scratch, values, count);
    double median = stats_median_sorted(sorted, count);
    double tail = worst_tenth(sorted, count, better);
    double mean = stats_mean(values, count);
    launches->is_positive = launches->is_positive && median > 0 && mean > 0 && tail > 0;
    if (launches->is_positive) {
        launches->median_logs[launches->count] = log(median);
        launches->mean_logs[launches->count] = log(mean);
        launches->tail_logs[launches->count] = log(tail);
    }
    launches->count++;
    launches->samples_min = count < launches->samples_min ? count : launches->samples_min;
    arena_reset(scratch, mark);
}

/* Samples of a launch stand together, as they were measured. */
static struct launches gather(const struct model_metric *metric, struct arena *scratch)
{
    struct launches launches = {
        .median_logs = ARENA_ARRAY(scratch, double, metric->count),
        .mean_logs = ARENA_ARRAY(scratch, double, metric->count),
        .tail_logs = ARENA_ARRAY(scratch, double, metric->count),
        .samples_min = PTRDIFF_MAX,
        .is_positive = true,
    };
    for (ptrdiff_t start = 0; start < metric->count;) {
        ptrdiff_t end = start;
        while (end < metric->count && metric->launches[end] == metric->launches[start]) {
            end++;
        }
        add_launch(&launches, metric->values + start, end - start, metric->better, scratch);
        start = end;
    }
    return launches;
}

static ptrdiff_t kept_count(ptrdiff_t launches)
{
    return launches - 2 * stats_trim_count(launches, STATS_TRIM_SHARE);
}

double detect_figures_freedom(ptrdiff_t launches)
{
    return (double)(kept_count(launches) - 1);
}

/* Yuen's: the winsorised variance over the kept values. */
static double centre_variance(const double *logs, ptrdiff_t count, struct arena *scratch)
{
    if (count < 2) {
        return 0;
    }
    double kept = (double)kept_count(count);
    return stats_winsorised_variance(logs, count, STATS_TRIM_SHARE, scratch) * (double)(count - 1) /
           (kept * (kept - 1));
}

static bool is_finite(const struct model_metric *metric)
{
    for (ptrdiff_t i = 0; i < metric->count; i++) {
        if (!isfinite(metric->values[i])) {
            return false;
        }
    }
    return true;
}

struct model_figures detect_figures(const struct model_metric *metric, struct arena *scratch)
{
    if (metric->count == 0 || !is_finite(metric)) {
        return (struct model_figures){0};
    }
    struct arena_mark mark = arena_mark(scratch);
    struct launches launches = gather(metric, scratch);
    struct model_figures figures = {
        .is_known = true,
        .launches = launches.count,
        .count = metric->count,
        .median = stats_median(metric->values, metric->count, scratch),
        .min = stats_min(metric->values, metric->count),
        .max = stats_max(metric->values, metric->count),
        .has_logs = launches.is_positive,
    };
    if (figures.has_logs) {
        ptrdiff_t count = launches.count;
        figures.centre_log =
            stats_trimmed_mean(launches.median_logs, count, STATS_TRIM_SHARE, scratch);
        figures.centre_variance = centre_variance(launches.median_logs, count, scratch);
        figures.mean_log = stats_mean(launches.mean_logs, count);
        figures.has_tail = launches.samples_min >= DETECT_TAIL_SAMPLES_MIN;
        if (figures.has_tail) {
            figures.tail_log =
                stats_trimmed_mean(launches.tail_logs, count, STATS_TRIM_SHARE, scratch);
        }
    }
    arena_reset(scratch, mark);
    return figures;
}

void detect_figures_fill(struct model_benchmark *benchmark)
{
    struct arena scratch = {0};
    for (ptrdiff_t i = 0; i < benchmark->metric_count; i++) {
        struct model_metric *metric = &benchmark->metrics[i];
        if (!metric->figures.is_known) {
            metric->figures = detect_figures(metric, &scratch);
        }
    }
    arena_free(&scratch);
}
