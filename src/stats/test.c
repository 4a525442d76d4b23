/* test.c: Welch's, the sign and the Kolmogorov–Smirnov test.
 *
 * Sources: Welch, Biometrika 34, 1947; Dixon and Mood 1946 (sign); Schröer and Trenkler, "Exact and
 * randomization distributions of Kolmogorov–Smirnov tests", Computational Statistics & Data
 * Analysis 20, 1995 (paths with ties). */
#include "stats/test.h"

#include "base/assert.h"
#include "stats/distribution.h"
#include "stats/order.h"

#include <math.h>

/* ---- Welch ---- */

struct welch {
    bool is_defined;
    double difference; /* second − first */
    double error;
    double df;
};

static struct welch welch_parts(const double *first, ptrdiff_t first_count, const double *second,
                                ptrdiff_t second_count)
{
    TARE_ASSERT(first_count >= 0 && second_count >= 0);
    struct welch parts = {0};
    if (first_count >= 1 && second_count >= 1) {
        parts.difference = stats_mean(second, second_count) - stats_mean(first, first_count);
    }
    if (first_count < 2 || second_count < 2) {
        return parts;
    }
    double a = stats_variance(first, first_count) / (double)first_count;
    double b = stats_variance(second, second_count) / (double)second_count;
    if (a + b > 0) {
        parts.is_defined = true;
        parts.error = sqrt(a + b);
        parts.df = (a + b) * (a + b) /
                   (a * a / (double)(first_count - 1) + b * b / (double)(second_count - 1));
    }
    return parts;
}

struct stats_test stats_test_welch(const double *first, ptrdiff_t first_count, const double *second,
                                   ptrdiff_t second_count)
{
    struct welch parts = welch_parts(first, first_count, second, second_count);
    if (!parts.is_defined) {
        return (struct stats_test){0};
    }
    double t = parts.difference / parts.error;
    return (struct stats_test){
        .is_defined = true, .statistic = t, .p = 2 * stats_t_upper(fabs(t), parts.df)};
}

struct stats_interval stats_interval_welch(const double *first, ptrdiff_t first_count,
                                           const double *second, ptrdiff_t second_count,
                                           double alpha)
{
    TARE_ASSERT(alpha > 0 && alpha < 1);
    struct welch parts = welch_parts(first, first_count, second, second_count);
    struct stats_interval result = {.is_defined = parts.is_defined,
                                    .method = STATS_INTERVAL_WELCH,
                                    .estimate = parts.difference,
                                    .confidence = 1 - alpha};
    if (parts.is_defined) {
        double reach = stats_t_quantile_upper(alpha / 2, parts.df) * parts.error;
        result.low = parts.difference - reach;
        result.high = parts.difference + reach;
    }
    return result;
}

/* ---- sign ---- */

struct stats_test stats_test_sign(const double *values, ptrdiff_t count)
{
    TARE_ASSERT(count >= 0);
    ptrdiff_t positive = 0;
    ptrdiff_t used = 0;
    for (ptrdiff_t i = 0; i < count; i++) {
        TARE_ASSERT(isfinite(values[i]));
        positive += values[i] > 0;
        used += values[i] != 0;
    }
    if (used == 0) {
        return (struct stats_test){0};
    }
    ptrdiff_t fewer = positive < used - positive ? positive : used - positive;
    return (struct stats_test){
        .is_defined = true,
        .is_exact = true,
        .statistic = (double)positive,
        .p = fmin(1, 2 * stats_binomial_cdf(fewer, used, 0.5)),
    };
}

/* ---- Kolmogorov–Smirnov ---- */

enum { SMIRNOV_PATHS_MAX = 10000, KOLMOGOROV_TERMS_MAX = 100 };

/* Both samples sorted into one, walked value by value. */
struct smirnov_walk {
    const double *pooled;
    ptrdiff_t pooled_count;
    double distance;
};

static struct smirnov_walk smirnov_walk(const double *first, ptrdiff_t m, const double *second,
                                        ptrdiff_t n, struct arena *scratch)
{
    const double *a = stats_sort_copy(scratch, first, m);
    const double *b = stats_sort_copy(scratch, second, n);
    double *pooled = ARENA_ARRAY(scratch, double, m + n);
    struct smirnov_walk walk = {.pooled = pooled, .pooled_count = m + n};
    ptrdiff_t i = 0;
    ptrdiff_t j = 0;
    while (i < m || j < n) {
        double value = j == n || (i < m && a[i] <= b[j]) ? a[i] : b[j];
        while (i < m && a[i] == value) {
            pooled[i + j] = value;
            i++;
        }
        while (j < n && b[j] == value) {
            pooled[i + j] = value;
            j++;
        }
        double gap = fabs((double)i / (double)m - (double)j / (double)n);
        walk.distance = fmax(walk.distance, gap);
    }
    return walk;
}

/* P(D >= d): share of all orders of the pooled sample whose path strays that far. row[j] is the
 * share of paths to (i, j) that have strayed; a point inside a group of ties is not looked at. */
static double smirnov_exact(const struct smirnov_walk *walk, ptrdiff_t m, ptrdiff_t n,
                            struct arena *scratch)
{
    /* Half a step of the lattice keeps "as far as observed" safe from rounding. */
    double limit = walk->distance - 0.5 / ((double)m * (double)n);
    double *row = ARENA_ARRAY(scratch, double, n + 1);
    for (ptrdiff_t i = 0; i <= m; i++) {
        for (ptrdiff_t j = 0; j <= n; j++) {
            ptrdiff_t at = i + j;
            bool is_group_end =
                at == walk->pooled_count || (at > 0 && walk->pooled[at - 1] < walk->pooled[at]);
            double gap = fabs((double)i / (double)m - (double)j / (double)n);
            if (is_group_end && gap >= limit) {
                row[j] = 1;
            } else if (at > 0) {
                double from_first = i > 0 ? (double)i * row[j] : 0;
                double from_second = j > 0 ? (double)j * row[j - 1] : 0;
                row[j] = (from_first + from_second) / (double)at;
            }
        }
    }
    return row[n];
}

/* P(K > x) of Kolmogorov's distribution: 2 Σ (−1)^(k−1) exp(−2 k² x²). */
static double kolmogorov_upper(double x)
{
    if (x < 0.2) {
        return 1; /* the true value differs from 1 by less than 1e-12 */
    }
    double sum = 0;
    for (int k = 1; k <= KOLMOGOROV_TERMS_MAX; k++) {
        double term = exp(-2.0 * k * k * x * x);
        sum += k % 2 == 1 ? term : -term;
        if (term < 1e-18 * fabs(sum)) {
            break;
        }
    }
    return fmin(1, fmax(0, 2 * sum));
}

struct stats_test stats_test_smirnov(const double *first, ptrdiff_t first_count,
                                     const double *second, ptrdiff_t second_count,
                                     struct arena *scratch)
{
    TARE_ASSERT(first_count >= 0 && second_count >= 0);
    if (first_count == 0 || second_count == 0) {
        return (struct stats_test){0};
    }
    struct arena_mark mark = arena_mark(scratch);
    struct smirnov_walk walk = smirnov_walk(first, first_count, second, second_count, scratch);
    struct stats_test result = {.is_defined = true, .statistic = walk.distance};
    result.is_exact = first_count <= SMIRNOV_PATHS_MAX / second_count;
    if (walk.distance == 0) {
        result.p = 1;
    } else if (result.is_exact) {
        result.p = smirnov_exact(&walk, first_count, second_count, scratch);
    } else {
        double m = (double)first_count;
        double n = (double)second_count;
        result.p = kolmogorov_upper(sqrt(m * n / (m + n)) * walk.distance);
    }
    arena_reset(scratch, mark);
    return result;
}
