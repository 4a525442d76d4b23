/* interval.c: t, Yuen and sign intervals of one sample's centre, and intervals of a proportion.
 *
 * Sources: Student's t; Yuen, "The two-sample trimmed t for unequal population variances",
 * Biometrika 61, 1974 (standard error and degrees of freedom of one trimmed mean); the binomial
 * argument for order statistics (David and Nagaraja, "Order statistics", 2003, §7.1); Wilson 1927;
 * Clopper and Pearson 1934. Cost: one sort at most. */
#include "stats/interval.h"

#include "base/assert.h"
#include "stats/distribution.h"
#include "stats/order.h"

#include <math.h>

const char *stats_interval_method_name(enum stats_interval_method method)
{
    static const char *const names[] = {
        [STATS_INTERVAL_NONE] = "none",
        [STATS_INTERVAL_T] = "t",
        [STATS_INTERVAL_YUEN] = "yuen",
        [STATS_INTERVAL_SIGN] = "sign",
        [STATS_INTERVAL_WIDER] = "wider",
        [STATS_INTERVAL_BOOTSTRAP_PERCENTILE] = "bootstrap-percentile",
        [STATS_INTERVAL_BOOTSTRAP_BCA] = "bootstrap-bca",
        [STATS_INTERVAL_WELCH] = "welch",
        [STATS_INTERVAL_HODGES_LEHMANN] = "hodges-lehmann",
        [STATS_INTERVAL_MIXTURE] = "mixture",
    };
    TARE_ASSERT((size_t)method < sizeof names / sizeof names[0]);
    return names[method];
}

struct stats_interval stats_interval_t(const double *values, ptrdiff_t count, double alpha)
{
    TARE_ASSERT(count >= 0);
    TARE_ASSERT(alpha > 0 && alpha < 1);
    struct stats_interval result = {.method = STATS_INTERVAL_T, .confidence = 1 - alpha};
    if (count < 1) {
        return result;
    }
    result.estimate = stats_mean(values, count);
    if (count < 2) {
        return result;
    }
    double n = (double)count;
    double error = sqrt(stats_variance(values, count) / n);
    double reach = stats_t_quantile_upper(alpha / 2, n - 1) * error;
    result.is_defined = true;
    result.low = result.estimate - reach;
    result.high = result.estimate + reach;
    return result;
}

struct stats_interval stats_interval_yuen(const double *values, ptrdiff_t count, double share,
                                          double alpha, struct arena *scratch)
{
    TARE_ASSERT(count >= 0);
    TARE_ASSERT(alpha > 0 && alpha < 1);
    struct stats_interval result = {.method = STATS_INTERVAL_YUEN, .confidence = 1 - alpha};
    if (count < 1) {
        return result;
    }
    struct arena_mark mark = arena_mark(scratch);
    const double *sorted = stats_sort_copy(scratch, values, count);
    result.estimate = stats_trimmed_mean_sorted(sorted, count, share);
    double kept = (double)(count - 2 * stats_trim_count(count, share));
    if (kept >= 2) {
        double variance = stats_winsorised_variance_sorted(sorted, count, share);
        double error = sqrt((double)(count - 1) * variance / (kept * (kept - 1)));
        double reach = stats_t_quantile_upper(alpha / 2, kept - 1) * error;
        result.is_defined = true;
        result.low = result.estimate - reach;
        result.high = result.estimate + reach;
    }
    arena_reset(scratch, mark);
    return result;
}

ptrdiff_t stats_sign_count_min(double alpha)
{
    TARE_ASSERT(alpha > 0 && alpha < 1);
    ptrdiff_t count = 1;
    for (double error = 1; error > alpha; error /= 2) {
        count++;
    }
    return count;
}

ptrdiff_t stats_sign_rank(ptrdiff_t count, double alpha)
{
    TARE_ASSERT(count >= 0);
    TARE_ASSERT(alpha > 0 && alpha < 1);
    /* P(B < k) <= alpha / 2 grows with k: search between "always true" and "never true". */
    ptrdiff_t true_at = 0;
    ptrdiff_t false_at = count / 2 + 1;
    while (false_at - true_at > 1) {
        ptrdiff_t middle = true_at + (false_at - true_at) / 2;
        if (2 * stats_binomial_cdf(middle - 1, count, 0.5) <= alpha) {
            true_at = middle;
        } else {
            false_at = middle;
        }
    }
    return true_at;
}

struct stats_interval stats_interval_sign(const double *values, ptrdiff_t count, double alpha,
                                          struct arena *scratch)
{
    TARE_ASSERT(count >= 0);
    struct stats_interval result = {.method = STATS_INTERVAL_SIGN, .confidence = 1 - alpha};
    if (count < 1) {
        return result;
    }
    struct arena_mark mark = arena_mark(scratch);
    const double *sorted = stats_sort_copy(scratch, values, count);
    result.estimate = stats_median_sorted(sorted, count);
    ptrdiff_t rank = stats_sign_rank(count, alpha);
    if (rank >= 1) {
        result.is_defined = true;
        result.low = sorted[rank - 1];
        result.high = sorted[count - rank];
        result.confidence = 1 - 2 * stats_binomial_cdf(rank - 1, count, 0.5);
    }
    arena_reset(scratch, mark);
    return result;
}

struct stats_interval stats_interval_hull(struct stats_interval first, struct stats_interval second)
{
    struct stats_interval result = first;
    result.method = STATS_INTERVAL_WIDER;
    result.is_defined = first.is_defined && second.is_defined;
    if (result.is_defined) {
        result.low = fmin(first.low, second.low);
        result.high = fmax(first.high, second.high);
    }
    return result;
}

static struct stats_interval proportion_empty(ptrdiff_t successes, ptrdiff_t trials, double alpha)
{
    TARE_ASSERT(alpha > 0 && alpha < 1);
    TARE_ASSERT(trials >= 0 && successes >= 0 && successes <= trials);
    return (struct stats_interval){
        .is_defined = trials > 0,
        .estimate = trials > 0 ? (double)successes / (double)trials : 0,
        .confidence = 1 - alpha,
    };
}

struct stats_interval stats_proportion_wald(ptrdiff_t successes, ptrdiff_t trials, double alpha)
{
    struct stats_interval result = proportion_empty(successes, trials, alpha);
    if (result.is_defined) {
        double p = result.estimate;
        double reach = stats_normal_quantile_upper(alpha / 2) * sqrt(p * (1 - p) / (double)trials);
        result.low = fmax(0, p - reach);
        result.high = fmin(1, p + reach);
    }
    return result;
}

struct stats_interval stats_proportion_wilson(ptrdiff_t successes, ptrdiff_t trials, double alpha)
{
    struct stats_interval result = proportion_empty(successes, trials, alpha);
    if (result.is_defined) {
        double n = (double)trials;
        double p = result.estimate;
        double z = stats_normal_quantile_upper(alpha / 2);
        double centre = (p + z * z / (2 * n)) / (1 + z * z / n);
        double reach = z / (1 + z * z / n) * sqrt(p * (1 - p) / n + z * z / (4 * n * n));
        /* At the ends the formula gives 0 and 1 up to rounding: say them exactly. */
        result.low = successes == 0 ? 0 : centre - reach;
        result.high = successes == trials ? 1 : centre + reach;
    }
    return result;
}

struct stats_interval stats_proportion_exact(ptrdiff_t successes, ptrdiff_t trials, double alpha)
{
    struct stats_interval result = proportion_empty(successes, trials, alpha);
    if (result.is_defined) {
        double k = (double)successes;
        double n = (double)trials;
        result.low = successes == 0 ? 0 : stats_beta_quantile(alpha / 2, k, n - k + 1);
        /* The upper end through the mirrored distribution keeps alpha small and exact. */
        result.high = successes == trials ? 1 : 1 - stats_beta_quantile(alpha / 2, n - k, k + 1);
    }
    return result;
}
