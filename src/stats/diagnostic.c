/* diagnostic.c: autocorrelation, drift, skew, outliers, slow start.
 *
 * Sources: Mann 1945 and Kendall, "Rank correlation methods", 1975 (drift, tie-corrected variance);
 * Sen 1968 (slope); D'Agostino, "Transformation to normality of the null distribution of g1",
 * Biometrika 57, 1970; Tukey 1977; Iglewicz and Hoaglin, "How to detect and handle outliers", 1993.
 */
#include "stats/diagnostic.h"

#include "base/assert.h"
#include "stats/distribution.h"

#include <math.h>

struct stats_value stats_autocorrelation(const double *values, ptrdiff_t count, ptrdiff_t lag)
{
    TARE_ASSERT(count >= 0 && lag >= 1);
    if (count < lag + 2) {
        return (struct stats_value){0};
    }
    double mean = stats_mean(values, count);
    double products = 0;
    double squares = 0;
    for (ptrdiff_t i = 0; i < count; i++) {
        double distance = values[i] - mean;
        squares += distance * distance;
        if (i + lag < count) {
            products += distance * (values[i + lag] - mean);
        }
    }
    if (!(squares > 0)) {
        return (struct stats_value){0};
    }
    return (struct stats_value){.is_defined = true, .value = products / squares};
}

struct stats_value stats_effective_count(const double *values, ptrdiff_t count)
{
    struct stats_value r = stats_autocorrelation(values, count, 1);
    if (!r.is_defined) {
        return r;
    }
    double n = (double)count;
    double positive = fmax(0, r.value);
    double effective = n * (1 - positive) / (1 + positive);
    return (struct stats_value){.is_defined = true, .value = fmin(n, fmax(1, effective))};
}

/* ---- drift ---- */

/* At most STATS_DRIFT_COUNT_MAX values: medians of equal blocks where there are more. */
static const double *drift_blocks(const double *values, ptrdiff_t count, ptrdiff_t *block_count,
                                  struct arena *scratch)
{
    if (count <= STATS_DRIFT_COUNT_MAX) {
        *block_count = count;
        return values;
    }
    *block_count = STATS_DRIFT_COUNT_MAX;
    double *blocks = ARENA_ARRAY(scratch, double, STATS_DRIFT_COUNT_MAX);
    for (ptrdiff_t b = 0; b < STATS_DRIFT_COUNT_MAX; b++) {
        /* 10^8 samples × 2,000 fits in 64 bits. */
        ptrdiff_t start = count * b / STATS_DRIFT_COUNT_MAX;
        ptrdiff_t end = count * (b + 1) / STATS_DRIFT_COUNT_MAX;
        blocks[b] = stats_median(values + start, end - start, scratch);
    }
    return blocks;
}

/* Variance of Kendall's S under no trend, corrected for ties among the values. */
static double drift_variance(const double *values, ptrdiff_t count, struct arena *scratch)
{
    const double *sorted = stats_sort_copy(scratch, values, count);
    double n = (double)count;
    double variance = n * (n - 1) * (2 * n + 5);
    for (ptrdiff_t start = 0; start < count;) {
        ptrdiff_t end = start;
        while (end < count && sorted[end] == sorted[start]) {
            end++;
        }
        double ties = (double)(end - start);
        variance -= ties * (ties - 1) * (2 * ties + 5);
        start = end;
    }
    return variance / 18;
}

struct stats_drift stats_drift(const double *values, ptrdiff_t count, struct arena *scratch)
{
    TARE_ASSERT(count >= 0);
    struct stats_drift result = {0};
    if (count < 4) {
        return result;
    }
    struct arena_mark mark = arena_mark(scratch);
    const double *x = drift_blocks(values, count, &result.count, scratch);
    double variance = drift_variance(x, result.count, scratch);
    if (variance > 0) {
        ptrdiff_t pair_count = result.count * (result.count - 1) / 2;
        double *slopes = ARENA_ARRAY(scratch, double, pair_count);
        ptrdiff_t pair = 0;
        double s = 0;
        for (ptrdiff_t i = 0; i < result.count; i++) {
            for (ptrdiff_t j = i + 1; j < result.count; j++) {
                s += (x[j] > x[i]) - (x[j] < x[i]);
                slopes[pair++] = (x[j] - x[i]) / (double)(j - i);
            }
        }
        stats_sort(slopes, pair_count);
        result.is_defined = true;
        result.tau = s / (double)pair_count;
        double z = fmax(0, fabs(s) - 1) / sqrt(variance);
        result.p = 2 * stats_normal_upper(z);
        double slope = stats_median_sorted(slopes, pair_count);
        result.change = slope * (double)(result.count - 1);
        result.slope = result.change / (double)(count - 1);
    }
    arena_reset(scratch, mark);
    return result;
}

/* ---- skew ---- */

struct stats_skew_test stats_skew_test(const double *values, ptrdiff_t count)
{
    TARE_ASSERT(count >= 0);
    struct stats_value adjusted = stats_skewness(values, count);
    if (count < 8 || !adjusted.is_defined) {
        return (struct stats_skew_test){0};
    }
    double n = (double)count;
    double g1 = adjusted.value * (n - 2) / sqrt(n * (n - 1));
    /* D'Agostino's letters: Y is g1 over its deviation, then a Johnson S_U transformation. */
    double y = g1 * sqrt((n + 1) * (n + 3) / (6 * (n - 2)));
    double beta2 =
        3 * (n * n + 27 * n - 70) * (n + 1) * (n + 3) / ((n - 2) * (n + 5) * (n + 7) * (n + 9));
    double w2 = -1 + sqrt(2 * (beta2 - 1));
    double delta = 1 / sqrt(0.5 * log(w2));
    double a = sqrt(2 / (w2 - 1));
    double z = delta * asinh(y / a);
    return (struct stats_skew_test){
        .is_defined = true, .skewness = g1, .z = z, .p = 2 * stats_normal_upper(fabs(z))};
}

/* ---- outliers ---- */

struct stats_outliers stats_outliers(const double *values, ptrdiff_t count, struct arena *scratch)
{
    TARE_ASSERT(count >= 0);
    struct stats_outliers result = {0};
    if (count < 4) {
        return result;
    }
    struct arena_mark mark = arena_mark(scratch);
    const double *sorted = stats_sort_copy(scratch, values, count);
    double first = stats_quantile_sorted(sorted, count, 0.25, STATS_QUANTILE_TYPE7);
    double third = stats_quantile_sorted(sorted, count, 0.75, STATS_QUANTILE_TYPE7);
    double range = third - first;
    double median = stats_median_sorted(sorted, count);
    double mad = stats_mad(values, count, scratch);
    for (ptrdiff_t i = 0; i < count; i++) {
        double x = values[i];
        result.far_low += x < first - 3 * range;
        result.mild_low += x < first - 1.5 * range && x >= first - 3 * range;
        result.far_high += x > third + 3 * range;
        result.mild_high += x > third + 1.5 * range && x <= third + 3 * range;
        result.modified_z += mad > 0 && fabs(x - median) > 3.5 * mad;
    }
    ptrdiff_t all = result.far_low + result.mild_low + result.far_high + result.mild_high;
    result.share = (double)all / (double)count;
    arena_reset(scratch, mark);
    return result;
}

struct stats_first stats_first_slow(const double *values, ptrdiff_t count, struct arena *scratch)
{
    TARE_ASSERT(count >= 0);
    if (count < 5) {
        return (struct stats_first){0};
    }
    struct arena_mark mark = arena_mark(scratch);
    ptrdiff_t rest_count = count - 1;
    const double *rest = stats_sort_copy(scratch, values + 1, rest_count);
    double first_quartile = stats_quantile_sorted(rest, rest_count, 0.25, STATS_QUANTILE_TYPE7);
    double third_quartile = stats_quantile_sorted(rest, rest_count, 0.75, STATS_QUANTILE_TYPE7);
    double fence = third_quartile + 3 * (third_quartile - first_quartile);
    double median = stats_median_sorted(rest, rest_count);
    struct stats_first result = {
        .is_defined = true,
        .is_slow = values[0] > fence && values[0] > rest[rest_count - 1],
        .ratio = median != 0 ? values[0] / median : 0,
    };
    arena_reset(scratch, mark);
    return result;
}
