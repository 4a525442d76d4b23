/* bootstrap.c: percentile and BCa intervals.
 *
 * Source: Efron, "Better bootstrap confidence intervals", JASA 82, 1987. Needs resamples × n steps
 * and resamples doubles. Fails for small n (below about 20 it covers too little: it cannot resample
 * what was never seen) and for medians of few values, whose resampled distribution has few steps.
 */
#include "stats/bootstrap.h"

#include "base/assert.h"
#include "stats/distribution.h"

#include <math.h>

static double *resample_sorted(const double *values, ptrdiff_t count,
                               const struct stats_bootstrap *options, struct arena *scratch);

double stats_statistic_mean(const double *values, ptrdiff_t count, struct arena *scratch)
{
    (void)scratch;
    return stats_mean(values, count);
}

static struct stats_interval bootstrap_empty(const double *values, ptrdiff_t count,
                                             const struct stats_bootstrap *options,
                                             struct arena *scratch)
{
    TARE_ASSERT(count >= 0);
    TARE_ASSERT(options->alpha > 0 && options->alpha < 1);
    TARE_ASSERT(options->resamples >= 1 && options->resamples <= STATS_RESAMPLES_MAX);
    return (struct stats_interval){
        .estimate = count > 0 ? options->statistic(values, count, scratch) : 0,
        .confidence = 1 - options->alpha,
    };
}

struct stats_interval stats_bootstrap_percentile(const double *values, ptrdiff_t count,
                                                 const struct stats_bootstrap *options,
                                                 struct arena *scratch)
{
    struct stats_interval result = bootstrap_empty(values, count, options, scratch);
    result.method = STATS_INTERVAL_BOOTSTRAP_PERCENTILE;
    if (count < 2) {
        return result;
    }
    struct arena_mark mark = arena_mark(scratch);
    const double *sorted = resample_sorted(values, count, options, scratch);
    const enum stats_quantile_type type = STATS_QUANTILE_TYPE7;
    result.is_defined = true;
    result.low = stats_quantile_sorted(sorted, options->resamples, options->alpha / 2, type);
    result.high = stats_quantile_sorted(sorted, options->resamples, 1 - options->alpha / 2, type);
    arena_reset(scratch, mark);
    return result;
}

/* Φ(z0 + (z0 + z) / (1 − a (z0 + z))): where BCa reads the resampled distribution. */
static double bca_level(double bias, double acceleration, double z)
{
    double sum = bias + z;
    return stats_normal_cdf(bias + sum / (1 - acceleration * sum));
}

struct stats_interval stats_bootstrap_bca(const double *values, ptrdiff_t count,
                                          const struct stats_bootstrap *options,
                                          struct arena *scratch)
{
    struct stats_interval result = bootstrap_empty(values, count, options, scratch);
    result.method = STATS_INTERVAL_BOOTSTRAP_BCA;
    struct stats_value acceleration =
        stats_jackknife_acceleration(values, count, options->statistic, scratch);
    if (!acceleration.is_defined) {
        return result;
    }
    struct arena_mark mark = arena_mark(scratch);
    const double *sorted = resample_sorted(values, count, options, scratch);
    double below = 0; /* resamples below the estimate, equal ones counting half */
    for (ptrdiff_t i = 0; i < options->resamples && sorted[i] <= result.estimate; i++) {
        below += sorted[i] < result.estimate ? 1 : 0.5;
    }
    double share = below / (double)options->resamples;
    if (share > 0 && share < 1) {
        double bias = stats_normal_quantile(share);
        double z = stats_normal_quantile_upper(options->alpha / 2);
        double low = bca_level(bias, acceleration.value, -z);
        double high = bca_level(bias, acceleration.value, z);
        result.is_defined = true;
        result.low = stats_quantile_sorted(sorted, options->resamples, low, STATS_QUANTILE_TYPE7);
        result.high = stats_quantile_sorted(sorted, options->resamples, high, STATS_QUANTILE_TYPE7);
    }
    arena_reset(scratch, mark);
    return result;
}

static double *resample_sorted(const double *values, ptrdiff_t count,
                               const struct stats_bootstrap *options, struct arena *scratch)
{
    double *results = ARENA_ARRAY(scratch, double, options->resamples);
    double *sample = ARENA_ARRAY(scratch, double, count);
    for (ptrdiff_t r = 0; r < options->resamples; r++) {
        for (ptrdiff_t i = 0; i < count; i++) {
            sample[i] = values[random_below(options->random, (uint64_t)count)];
        }
        results[r] = options->statistic(sample, count, scratch);
    }
    stats_sort(results, options->resamples);
    return results;
}

struct stats_value stats_jackknife_acceleration(const double *values, ptrdiff_t count,
                                                stats_statistic *statistic, struct arena *scratch)
{
    TARE_ASSERT(count >= 0);
    if (count < 2) {
        return (struct stats_value){0};
    }
    struct arena_mark mark = arena_mark(scratch);
    double *without = ARENA_ARRAY(scratch, double, count);
    double *left = ARENA_ARRAY(scratch, double, count);
    for (ptrdiff_t out = 0; out < count; out++) {
        for (ptrdiff_t i = 0; i < count - 1; i++) {
            left[i] = values[i < out ? i : i + 1];
        }
        without[out] = statistic(left, count - 1, scratch);
    }
    double mean = stats_mean(without, count);
    double squares = 0;
    double cubes = 0;
    for (ptrdiff_t i = 0; i < count; i++) {
        double distance = mean - without[i];
        squares += distance * distance;
        cubes += distance * distance * distance;
    }
    arena_reset(scratch, mark);
    if (!(squares > 0)) {
        return (struct stats_value){0};
    }
    return (struct stats_value){.is_defined = true, .value = cubes / (6 * squares * sqrt(squares))};
}
