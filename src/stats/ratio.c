/* ratio.c: paired launches → one interval of the ratio, with what was odd about them.
 *
 * Pairing on the log scale cancels everything both sides share: machine speed, neighbours, drift.
 * What is left varies from launch to launch (placement, caches), heavy-tailed, sometimes in two
 * modes, sometimes on one side only; the rule below answers to each. The target is the median log
 * ratio of launches; for symmetric data it is also the mean and the trimmed mean. Wrong exclusions
 * and widths by kind of data are in docs/statistics.md, from tests/simulate/sequential.c. Cost: a
 * few sorts of the launches. */
#include "stats/ratio.h"

#include "base/assert.h"
#include "stats/diagnostic.h"
#include "stats/distribution.h"
#include "stats/modes.h"
#include "stats/order.h"

#include <math.h>

enum {
    LAUNCHES_MIN = 8,  /* fewer launches can all come from one of two equal modes too often (1 %) */
    LAUNCHES_YUEN = 20 /* from here trimming costs little; below, t is a quarter narrower */
};

/* 5 %: at 1 % the test sees too little of a one-sided skew at 15 launches. */
static const double SKEW_P = 0.05;
/* The dip's p-values are for uniform data, its worst case; 5 % there is far less for normal data.
 */
static const double DIP_P = 0.05;
/* Two-sided 5 % under independence, for the flag only: the widening does not wait for it. */
static const double AUTOCORRELATION_Z = 1.96;
/* Half a standard error (1/√n) on top of the estimate: with n = 8 to 20 a true 0.3 often reads 0.
 */
static const double AUTOCORRELATION_MARGIN = 0.5;
static const double AUTOCORRELATION_MAX = 0.9;

static void ratio_describe(struct stats_ratio *result, const double *values, struct arena *scratch);
static struct stats_interval ratio_choose(const struct stats_ratio *result, const double *values,
                                          double alpha, struct arena *scratch);
static double ratio_widening(const double *values, ptrdiff_t count);

struct stats_paired stats_paired_launch(const double *old_values, const double *new_values,
                                        ptrdiff_t rounds, struct arena *scratch)
{
    TARE_ASSERT(rounds >= 0);
    struct stats_paired result = {0};
    for (ptrdiff_t i = 0; i < rounds; i++) {
        if (!(old_values[i] > 0) || !(new_values[i] > 0)) {
            return result;
        }
    }
    if (rounds == 0) {
        return result;
    }
    struct arena_mark mark = arena_mark(scratch);
    double *logs = ARENA_ARRAY(scratch, double, rounds);
    for (ptrdiff_t i = 0; i < rounds; i++) {
        logs[i] = log(new_values[i] / old_values[i]);
    }
    const enum stats_quantile_type small = STATS_QUANTILE_TYPE8;
    result.is_defined = true;
    result.median_log = stats_median(logs, rounds, scratch);
    result.mean_log = log(stats_mean(new_values, rounds) / stats_mean(old_values, rounds));
    result.upper_log = log(stats_quantile(new_values, rounds, 0.9, small, scratch) /
                           stats_quantile(old_values, rounds, 0.9, small, scratch));
    arena_reset(scratch, mark);
    return result;
}

struct stats_ratio stats_ratio_interval(const double *log_ratios, ptrdiff_t launches, double alpha,
                                        struct arena *scratch)
{
    TARE_ASSERT(launches >= 0);
    TARE_ASSERT(alpha > 0 && alpha < 1);
    struct stats_ratio result = {.launches = launches, .launches_min = LAUNCHES_MIN, .widening = 1};
    if (launches == 0) {
        return result;
    }
    ratio_describe(&result, log_ratios, scratch);
    ptrdiff_t sign_min = stats_sign_count_min(alpha);
    if ((result.is_constant || result.is_skewed || result.is_multimodal) &&
        sign_min > LAUNCHES_MIN) {
        result.launches_min = sign_min;
    }
    result.log = ratio_choose(&result, log_ratios, alpha, scratch);
    result.ratio = exp(result.log.estimate);
    if (result.log.is_defined) {
        double centre = result.log.estimate;
        result.log.low = centre - (centre - result.log.low) * result.widening;
        result.log.high = centre + (result.log.high - centre) * result.widening;
        result.low = exp(result.log.low);
        result.high = exp(result.log.high);
    }
    return result;
}

/* Sets the flags and the widening. */
static void ratio_describe(struct stats_ratio *result, const double *values, struct arena *scratch)
{
    ptrdiff_t count = result->launches;
    result->is_constant =
        count < 2 || !(stats_winsorised_variance(values, count, STATS_TRIM_SHARE, scratch) > 0);
    struct stats_skew_test skew = stats_skew_test(values, count);
    struct stats_dip dip = stats_dip(values, count, scratch);
    struct stats_outliers outliers = stats_outliers(values, count, scratch);
    struct stats_value r = stats_autocorrelation(values, count, 1);
    result->is_skewed = skew.is_defined && skew.p < SKEW_P;
    result->is_multimodal = dip.is_defined && dip.p < DIP_P;
    result->is_heavy_tailed = outliers.far_low + outliers.far_high > 0;
    result->is_autocorrelated = r.is_defined && r.value > AUTOCORRELATION_Z / sqrt((double)count);
    result->widening = result->is_constant ? 1 : ratio_widening(values, count);
}

static struct stats_interval ratio_choose(const struct stats_ratio *result, const double *values,
                                          double alpha, struct arena *scratch)
{
    ptrdiff_t count = result->launches;
    struct stats_interval yuen =
        stats_interval_yuen(values, count, STATS_TRIM_SHARE, alpha, scratch);
    if (count < LAUNCHES_MIN) {
        yuen.is_defined = false;
        return yuen;
    }
    if (result->is_constant) {
        return stats_interval_sign(values, count, alpha, scratch);
    }
    if (result->is_skewed || result->is_multimodal) {
        return stats_interval_hull(yuen, stats_interval_sign(values, count, alpha, scratch));
    }
    if (result->is_heavy_tailed || count >= LAUNCHES_YUEN) {
        return yuen;
    }
    return stats_interval_t(values, count, alpha);
}

/* √((1 + r)/(1 − r)), the standard error's growth under AR(1), with r corrected for its bias
 * −(1 + 3r)/n (Kendall 1954) and raised by a margin; never below 1. */
static double ratio_widening(const double *values, ptrdiff_t count)
{
    struct stats_value estimate = stats_autocorrelation(values, count, 1);
    if (!estimate.is_defined) {
        return 1;
    }
    double n = (double)count;
    double r = estimate.value + (1 + 3 * estimate.value) / n + AUTOCORRELATION_MARGIN / sqrt(n);
    r = fmin(fmax(r, 0), AUTOCORRELATION_MAX);
    return sqrt((1 + r) / (1 - r));
}

ptrdiff_t stats_ratio_launches_needed(const struct stats_sequential *sequential,
                                      const struct stats_ratio *r, double half_width,
                                      ptrdiff_t launches_max)
{
    TARE_ASSERT(half_width > 0);
    if (!r->log.is_defined || r->launches < 2) {
        return 0;
    }
    double now = (r->log.high - r->log.low) / 2;
    ptrdiff_t look = stats_sequential_look(sequential, r->launches);
    double n = (double)r->launches;
    double spent = stats_sequential_alpha(sequential, look < 0 ? 0 : look);
    double deviations = now * sqrt(n) / stats_t_quantile_upper(spent / 2, n - 1);
    for (ptrdiff_t later = look < 0 ? 0 : look;; later++) {
        ptrdiff_t launches = stats_sequential_launches(sequential, later);
        if (launches > launches_max) {
            return 0;
        }
        double m = (double)launches;
        double reach = stats_t_quantile_upper(stats_sequential_alpha(sequential, later) / 2, m - 1);
        if (deviations * reach / sqrt(m) <= half_width) {
            return launches;
        }
    }
}

bool stats_is_equivalent(const struct stats_interval *log, double band_log)
{
    TARE_ASSERT(band_log >= 0);
    /* Rounding of exp and log must not push an interval that ends exactly at the band outside. */
    double band = band_log * (1 + 1e-12);
    return band_log > 0 && log->is_defined && log->low >= -band && log->high <= band;
}

double stats_tost_p(const double *values, ptrdiff_t count, double band)
{
    TARE_ASSERT(count >= 0 && band >= 0);
    if (count < 2) {
        return 1;
    }
    double n = (double)count;
    double mean = stats_mean(values, count);
    double error = sqrt(stats_variance(values, count) / n);
    double nearer = fmin(mean + band, band - mean);
    if (!(error > 0)) {
        return nearer > 0 ? 0 : 1;
    }
    return stats_t_upper(nearer / error, n - 1);
}
