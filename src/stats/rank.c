/* rank.c: rank tests and Hodges–Lehmann intervals.
 *
 * Exact null distributions are counted by adding up, never by subtracting, so they keep full
 * precision: Mann–Whitney's U is a sum of m of the ranks 1 … m+n, the signed-rank V a sum of a
 * subset of 1 … n (Mann and Whitney 1947; Wilcoxon 1945). Intervals: Hodges and Lehmann, Annals of
 * Mathematical Statistics 34, 1963; ends are order statistics of the pairwise differences, their
 * ranks taken from the same null distributions. Cost: exact U for 49 + 49 values 12 million
 * additions. */
#include "stats/rank.h"

#include "base/assert.h"
#include "stats/distribution.h"
#include "stats/order.h"

#include <math.h>
#include <stdlib.h>

/* ---- exact null distributions: cumulative probabilities 0 … length − 1 ---- */

static const double *cumulate(double *counts, ptrdiff_t length)
{
    double total = 0;
    for (ptrdiff_t i = 0; i < length; i++) {
        total += counts[i];
        counts[i] = total;
    }
    for (ptrdiff_t i = 0; i < length; i++) {
        counts[i] /= total;
    }
    return counts;
}

/* P(U <= u), u = 0 … m n. ways[k][u]: choices of k of the ranks seen so far with U = u. */
static const double *mann_whitney_cdf(ptrdiff_t m, ptrdiff_t n, struct arena *scratch)
{
    ptrdiff_t length = m * n + 1;
    double *ways = ARENA_ARRAY(scratch, double, (m + 1) * length);
    ways[0] = 1;
    for (ptrdiff_t rank = 1; rank <= m + n; rank++) {
        for (ptrdiff_t k = rank < m ? rank : m; k >= 1; k--) {
            /* The k-th smallest chosen rank adds rank − k to U. */
            ptrdiff_t step = rank - k;
            for (ptrdiff_t u = length - 1; u >= step; u--) {
                ways[k * length + u] += ways[(k - 1) * length + u - step];
            }
        }
    }
    return cumulate(ways + m * length, length);
}

/* P(V <= v), v = 0 … n (n + 1) / 2. */
static const double *signed_rank_cdf(ptrdiff_t n, struct arena *scratch)
{
    ptrdiff_t length = n * (n + 1) / 2 + 1;
    double *ways = ARENA_ARRAY(scratch, double, length);
    ways[0] = 1;
    for (ptrdiff_t rank = 1; rank <= n; rank++) {
        for (ptrdiff_t v = length - 1; v >= rank; v--) {
            ways[v] += ways[v - rank];
        }
    }
    return cumulate(ways, length);
}

/* Both null distributions are symmetric, so the upper tail is a lower one of the mirrored value. */
static double exact_p(const double *cdf, ptrdiff_t largest, double statistic)
{
    ptrdiff_t value = (ptrdiff_t)lround(statistic);
    ptrdiff_t nearer = value < largest - value ? value : largest - value;
    return fmin(1, 2 * cdf[nearer]);
}

/* Normal approximation with the continuity correction of half a step. */
static double normal_p(double statistic, double mean, double variance)
{
    double distance = fmax(0, fabs(statistic - mean) - 0.5);
    return fmin(1, 2 * stats_normal_upper(distance / sqrt(variance)));
}

/* ---- ranks ---- */

struct ranked {
    double value; /* what is ranked */
    bool is_counted;
};

static int compare_ranked(const void *left, const void *right)
{
    double a = ((const struct ranked *)left)->value;
    double b = ((const struct ranked *)right)->value;
    return (a > b) - (a < b);
}

struct rank_sum {
    double sum;       /* of the mean ranks of counted items */
    double tie_cubes; /* Σ t³ − t over groups of ties */
};

static struct rank_sum rank_items(struct ranked *items, ptrdiff_t count)
{
    struct rank_sum result = {0};
    qsort(items, (size_t)count, sizeof items[0], compare_ranked);
    for (ptrdiff_t start = 0; start < count;) {
        ptrdiff_t end = start;
        ptrdiff_t counted = 0;
        while (end < count && items[end].value == items[start].value) {
            counted += items[end].is_counted;
            end++;
        }
        double ties = (double)(end - start);
        double mean_rank = (double)(start + 1 + end) / 2;
        result.sum += mean_rank * (double)counted;
        result.tie_cubes += ties * ties * ties - ties;
        start = end;
    }
    return result;
}

/* ---- tests ---- */

struct stats_test stats_test_mann_whitney(const double *first, ptrdiff_t first_count,
                                          const double *second, ptrdiff_t second_count,
                                          struct arena *scratch)
{
    TARE_ASSERT(first_count >= 0 && second_count >= 0);
    struct stats_test result = {0};
    if (first_count == 0 || second_count == 0) {
        return result;
    }
    struct arena_mark mark = arena_mark(scratch);
    ptrdiff_t all = first_count + second_count;
    struct ranked *items = ARENA_ARRAY(scratch, struct ranked, all);
    for (ptrdiff_t i = 0; i < all; i++) {
        bool is_first = i < first_count;
        double value = is_first ? first[i] : second[i - first_count];
        TARE_ASSERT(isfinite(value));
        items[i] = (struct ranked){.value = value, .is_counted = is_first};
    }
    struct rank_sum ranks = rank_items(items, all);
    double m = (double)first_count;
    double n = (double)second_count;
    double total = m + n;
    result.statistic = ranks.sum - m * (m + 1) / 2;
    double variance = m * n / 12 * ((total + 1) - ranks.tie_cubes / (total * (total - 1)));
    result.is_exact = ranks.tie_cubes == 0 && first_count <= STATS_RANK_EXACT_MAX &&
                      second_count <= STATS_RANK_EXACT_MAX;
    result.is_defined = result.is_exact || variance > 0;
    if (result.is_exact) {
        const double *cdf = mann_whitney_cdf(first_count, second_count, scratch);
        result.p = exact_p(cdf, first_count * second_count, result.statistic);
    } else if (result.is_defined) {
        result.p = normal_p(result.statistic, m * n / 2, variance);
    }
    arena_reset(scratch, mark);
    return result;
}

struct stats_test stats_test_signed_rank(const double *values, ptrdiff_t count,
                                         struct arena *scratch)
{
    TARE_ASSERT(count >= 0);
    struct stats_test result = {0};
    struct arena_mark mark = arena_mark(scratch);
    struct ranked *items = ARENA_ARRAY(scratch, struct ranked, count);
    ptrdiff_t used = 0;
    for (ptrdiff_t i = 0; i < count; i++) {
        TARE_ASSERT(isfinite(values[i]));
        if (values[i] != 0) {
            items[used++] = (struct ranked){.value = fabs(values[i]), .is_counted = values[i] > 0};
        }
    }
    if (used > 0) {
        struct rank_sum ranks = rank_items(items, used);
        double n = (double)used;
        double variance = n * (n + 1) * (2 * n + 1) / 24 - ranks.tie_cubes / 48;
        result.is_defined = true;
        result.statistic = ranks.sum;
        result.is_exact = ranks.tie_cubes == 0 && used == count && used <= STATS_RANK_EXACT_MAX;
        result.p = result.is_exact
                       ? exact_p(signed_rank_cdf(used, scratch), used * (used + 1) / 2, ranks.sum)
                       : normal_p(ranks.sum, n * (n + 1) / 4, variance);
    }
    arena_reset(scratch, mark);
    return result;
}

/* ---- Hodges–Lehmann ---- */

/* The largest k with 2 P(statistic < k) <= alpha; from the exact distribution or the normal limit.
 */
struct rank_bound {
    ptrdiff_t rank;
    double confidence;
};

static struct rank_bound bound_exact(const double *cdf, double alpha)
{
    ptrdiff_t rank = 0;
    while (2 * cdf[rank] <= alpha) {
        rank++;
    }
    return (struct rank_bound){.rank = rank,
                               .confidence = rank > 0 ? 1 - 2 * cdf[rank - 1] : 1 - alpha};
}

static struct rank_bound bound_normal(double mean, double variance, double alpha)
{
    double z = stats_normal_quantile_upper(alpha / 2);
    double rank = floor(mean + 0.5 - z * sqrt(variance));
    return (struct rank_bound){.rank = rank > 0 ? (ptrdiff_t)rank : 0, .confidence = 1 - alpha};
}

static struct stats_interval interval_of_pairs(double *pairs, ptrdiff_t pair_count,
                                               struct rank_bound bound)
{
    stats_sort(pairs, pair_count);
    struct stats_interval result = {.method = STATS_INTERVAL_HODGES_LEHMANN,
                                    .estimate = stats_median_sorted(pairs, pair_count),
                                    .confidence = bound.confidence};
    if (bound.rank >= 1) {
        result.is_defined = true;
        result.low = pairs[bound.rank - 1];
        result.high = pairs[pair_count - bound.rank];
    }
    return result;
}

struct stats_interval stats_hodges_lehmann(const double *values, ptrdiff_t count, double alpha,
                                           struct arena *scratch)
{
    TARE_ASSERT(count >= 0);
    TARE_ASSERT(alpha > 0 && alpha < 1);
    if (count == 0 || (count + 1) / 2 > STATS_HODGES_LEHMANN_PAIRS_MAX / count) {
        return (struct stats_interval){.method = STATS_INTERVAL_HODGES_LEHMANN};
    }
    struct arena_mark mark = arena_mark(scratch);
    ptrdiff_t pair_count = count * (count + 1) / 2;
    double *pairs = ARENA_ARRAY(scratch, double, pair_count);
    ptrdiff_t pair = 0;
    for (ptrdiff_t i = 0; i < count; i++) {
        for (ptrdiff_t j = i; j < count; j++) {
            pairs[pair++] = (values[i] + values[j]) / 2;
        }
    }
    double n = (double)count;
    struct rank_bound bound =
        count <= STATS_RANK_EXACT_MAX
            ? bound_exact(signed_rank_cdf(count, scratch), alpha)
            : bound_normal(n * (n + 1) / 4, n * (n + 1) * (2 * n + 1) / 24, alpha);
    struct stats_interval result = interval_of_pairs(pairs, pair_count, bound);
    arena_reset(scratch, mark);
    return result;
}

struct stats_interval stats_hodges_lehmann_shift(const double *first, ptrdiff_t first_count,
                                                 const double *second, ptrdiff_t second_count,
                                                 double alpha, struct arena *scratch)
{
    TARE_ASSERT(first_count >= 0 && second_count >= 0);
    TARE_ASSERT(alpha > 0 && alpha < 1);
    if (first_count == 0 || second_count == 0 ||
        first_count > STATS_HODGES_LEHMANN_PAIRS_MAX / second_count) {
        return (struct stats_interval){.method = STATS_INTERVAL_HODGES_LEHMANN};
    }
    struct arena_mark mark = arena_mark(scratch);
    ptrdiff_t pair_count = first_count * second_count;
    double *pairs = ARENA_ARRAY(scratch, double, pair_count);
    for (ptrdiff_t i = 0; i < first_count; i++) {
        for (ptrdiff_t j = 0; j < second_count; j++) {
            pairs[i * second_count + j] = second[j] - first[i];
        }
    }
    double m = (double)first_count;
    double n = (double)second_count;
    bool is_exact = first_count <= STATS_RANK_EXACT_MAX && second_count <= STATS_RANK_EXACT_MAX;
    struct rank_bound bound =
        is_exact ? bound_exact(mann_whitney_cdf(first_count, second_count, scratch), alpha)
                 : bound_normal(m * n / 2, m * n * (m + n + 1) / 12, alpha);
    struct stats_interval result = interval_of_pairs(pairs, pair_count, bound);
    arena_reset(scratch, mark);
    return result;
}
