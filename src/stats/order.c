/* order.c: order statistics and moments.
 *
 * Quantiles interpolate between order statistics (Hyndman and Fan 1996, definitions 7 and 8). Sums
 * are compensated (Neumaier 1974), because a mean over 10^8 samples of nearly equal times would
 * otherwise lose the digits that matter. Skewness and kurtosis are the adjusted G1 and G2 (Joanes
 * and Gill, "Comparing measures of sample skewness and kurtosis", The Statistician 47, 1998). */
#include "stats/order.h"

#include "base/assert.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* 1/Φ⁻¹(3/4): makes the MAD estimate σ of normal data. */
static const double MAD_TO_SIGMA = 1.4826022185056018;

static int compare_doubles(const void *left, const void *right)
{
    double a = *(const double *)left;
    double b = *(const double *)right;
    return (a > b) - (a < b);
}

void stats_sort(double *values, ptrdiff_t count)
{
    TARE_ASSERT(count >= 0);
    for (ptrdiff_t i = 0; i < count; i++) {
        TARE_ASSERT(isfinite(values[i]));
    }
    if (count > 1) {
        qsort(values, (size_t)count, sizeof values[0], compare_doubles);
    }
}

double *stats_sort_copy(struct arena *arena, const double *values, ptrdiff_t count)
{
    double *copy = ARENA_ARRAY(arena, double, count);
    if (count > 0) {
        memcpy(copy, values, (size_t)count * sizeof copy[0]);
    }
    stats_sort(copy, count);
    return copy;
}

double stats_quantile_sorted(const double *sorted, ptrdiff_t count, double probability,
                             enum stats_quantile_type type)
{
    TARE_ASSERT(count >= 1);
    TARE_ASSERT(probability >= 0 && probability <= 1);
    double n = (double)count;
    /* 1-based position between the order statistics. */
    double position = type == STATS_QUANTILE_TYPE7 ? 1 + (n - 1) * probability
                                                   : (n + 1.0 / 3) * probability + 1.0 / 3;
    if (position <= 1) {
        return sorted[0];
    }
    if (position >= n) {
        return sorted[count - 1];
    }
    ptrdiff_t below = (ptrdiff_t)floor(position);
    double fraction = position - (double)below;
    double low = sorted[below - 1];
    double high = sorted[below];
    return low + fraction * (high - low);
}

double stats_quantile(const double *values, ptrdiff_t count, double probability,
                      enum stats_quantile_type type, struct arena *scratch)
{
    struct arena_mark mark = arena_mark(scratch);
    const double *sorted = stats_sort_copy(scratch, values, count);
    double result = stats_quantile_sorted(sorted, count, probability, type);
    arena_reset(scratch, mark);
    return result;
}

double stats_median_sorted(const double *sorted, ptrdiff_t count)
{
    TARE_ASSERT(count >= 1);
    double low = sorted[(count - 1) / 2];
    double high = sorted[count / 2];
    return low + (high - low) / 2;
}

double stats_median(const double *values, ptrdiff_t count, struct arena *scratch)
{
    struct arena_mark mark = arena_mark(scratch);
    double result = stats_median_sorted(stats_sort_copy(scratch, values, count), count);
    arena_reset(scratch, mark);
    return result;
}

double stats_min(const double *values, ptrdiff_t count)
{
    TARE_ASSERT(count >= 1);
    double smallest = values[0];
    for (ptrdiff_t i = 1; i < count; i++) {
        smallest = values[i] < smallest ? values[i] : smallest;
    }
    return smallest;
}

double stats_max(const double *values, ptrdiff_t count)
{
    TARE_ASSERT(count >= 1);
    double largest = values[0];
    for (ptrdiff_t i = 1; i < count; i++) {
        largest = values[i] > largest ? values[i] : largest;
    }
    return largest;
}

double stats_mean(const double *values, ptrdiff_t count)
{
    TARE_ASSERT(count >= 1);
    double sum = 0;
    double lost = 0;
    for (ptrdiff_t i = 0; i < count; i++) {
        double next = sum + values[i];
        lost += fabs(sum) >= fabs(values[i]) ? (sum - next) + values[i] : (values[i] - next) + sum;
        sum = next;
    }
    TARE_ASSERT(isfinite(sum));
    return (sum + lost) / (double)count;
}

/* Σ (x − mean)^power. */
static double central_sum(const double *values, ptrdiff_t count, double mean, int power)
{
    double sum = 0;
    for (ptrdiff_t i = 0; i < count; i++) {
        double distance = values[i] - mean;
        double term = distance * distance;
        if (power >= 3) {
            term *= distance;
        }
        if (power == 4) {
            term *= distance;
        }
        sum += term;
    }
    return sum;
}

double stats_variance(const double *values, ptrdiff_t count)
{
    TARE_ASSERT(count >= 2);
    return central_sum(values, count, stats_mean(values, count), 2) / (double)(count - 1);
}

double stats_deviation(const double *values, ptrdiff_t count)
{
    return sqrt(stats_variance(values, count));
}

double stats_mad(const double *values, ptrdiff_t count, struct arena *scratch)
{
    struct arena_mark mark = arena_mark(scratch);
    double *distances = stats_sort_copy(scratch, values, count);
    double median = stats_median_sorted(distances, count);
    for (ptrdiff_t i = 0; i < count; i++) {
        distances[i] = fabs(distances[i] - median);
    }
    stats_sort(distances, count);
    double result = MAD_TO_SIGMA * stats_median_sorted(distances, count);
    arena_reset(scratch, mark);
    return result;
}

double stats_iqr(const double *values, ptrdiff_t count, struct arena *scratch)
{
    struct arena_mark mark = arena_mark(scratch);
    const double *sorted = stats_sort_copy(scratch, values, count);
    double result = stats_quantile_sorted(sorted, count, 0.75, STATS_QUANTILE_TYPE7) -
                    stats_quantile_sorted(sorted, count, 0.25, STATS_QUANTILE_TYPE7);
    arena_reset(scratch, mark);
    return result;
}

struct stats_value stats_cv(const double *values, ptrdiff_t count)
{
    if (count < 2) {
        return (struct stats_value){0};
    }
    double mean = stats_mean(values, count);
    if (mean == 0) {
        return (struct stats_value){0};
    }
    return (struct stats_value){.is_defined = true,
                                .value = stats_deviation(values, count) / fabs(mean)};
}

struct stats_value stats_skewness(const double *values, ptrdiff_t count)
{
    if (count < 3) {
        return (struct stats_value){0};
    }
    double n = (double)count;
    double mean = stats_mean(values, count);
    double second = central_sum(values, count, mean, 2) / n;
    if (!(second > 0)) {
        return (struct stats_value){0};
    }
    double third = central_sum(values, count, mean, 3) / n;
    double plain = third / (second * sqrt(second));
    return (struct stats_value){.is_defined = true, .value = plain * sqrt(n * (n - 1)) / (n - 2)};
}

struct stats_value stats_kurtosis(const double *values, ptrdiff_t count)
{
    if (count < 4) {
        return (struct stats_value){0};
    }
    double n = (double)count;
    double mean = stats_mean(values, count);
    double second = central_sum(values, count, mean, 2) / n;
    if (!(second > 0)) {
        return (struct stats_value){0};
    }
    double plain = central_sum(values, count, mean, 4) / n / (second * second) - 3;
    return (struct stats_value){
        .is_defined = true,
        .value = (n - 1) / ((n - 2) * (n - 3)) * ((n + 1) * plain + 6),
    };
}

ptrdiff_t stats_trim_count(ptrdiff_t count, double share)
{
    TARE_ASSERT(count >= 0);
    TARE_ASSERT(share >= 0 && share < 0.5);
    /* The tiny addend keeps 0.2 × 15 at 3 although 0.2 is not exact in binary. */
    return (ptrdiff_t)floor(share * (double)count + 1e-9);
}

double stats_trimmed_mean_sorted(const double *sorted, ptrdiff_t count, double share)
{
    TARE_ASSERT(count >= 1);
    ptrdiff_t cut = stats_trim_count(count, share);
    return stats_mean(sorted + cut, count - 2 * cut);
}

double stats_winsorised_variance_sorted(const double *sorted, ptrdiff_t count, double share)
{
    TARE_ASSERT(count >= 2);
    ptrdiff_t cut = stats_trim_count(count, share);
    const double *kept = sorted + cut;
    ptrdiff_t kept_count = count - 2 * cut;
    double low = kept[0];
    double high = kept[kept_count - 1];
    double n = (double)count;
    double mean =
        (stats_mean(kept, kept_count) * (double)kept_count + (double)cut * (low + high)) / n;
    double sum = central_sum(kept, kept_count, mean, 2);
    sum += (double)cut * ((low - mean) * (low - mean) + (high - mean) * (high - mean));
    return sum / (n - 1);
}

double stats_trimmed_mean(const double *values, ptrdiff_t count, double share,
                          struct arena *scratch)
{
    struct arena_mark mark = arena_mark(scratch);
    double result =
        stats_trimmed_mean_sorted(stats_sort_copy(scratch, values, count), count, share);
    arena_reset(scratch, mark);
    return result;
}

double stats_winsorised_variance(const double *values, ptrdiff_t count, double share,
                                 struct arena *scratch)
{
    struct arena_mark mark = arena_mark(scratch);
    double result =
        stats_winsorised_variance_sorted(stats_sort_copy(scratch, values, count), count, share);
    arena_reset(scratch, mark);
    return result;
}
