#include "detect/noise_floor.h"

#include "detect/figures.h"
#include "stats/distribution.h"

#include <math.h>

static const double NS_PER_DAY = 86400e9;
/* When is a sum of squares too large for the intervals to be all there is? */
static const double EXCESS_P = 0.05;
/* Of the bound of the next comparison's share. */
static const double BOUND_TAIL = 0.025;
/* Intervals are kept at 99 %. */
static const double HALF_WIDTH_TAIL = 0.005;

static bool is_usable(const struct detect_noise *noise)
{
    return isfinite(noise->log_ratio) && isfinite(noise->half_width) && noise->half_width > 0 &&
           noise->launches >= 2;
}

static double standard_error(const struct detect_noise *noise)
{
    return noise->half_width /
           stats_t_quantile_upper(HALF_WIDTH_TAIL, (double)(noise->launches - 1));
}

struct detect_noise_floor detect_noise_floor(const struct detect_noise *observations,
                                             ptrdiff_t count, int64_t now_unix_ns, double floor_max)
{
    struct detect_noise_floor result = {0};
    double ratio_squares = 0;
    double error_squares = 0;
    double standardised = 0;
    for (ptrdiff_t i = 0; i < count; i++) {
        const struct detect_noise *noise = &observations[i];
        double age_days = ((double)now_unix_ns - (double)noise->at_unix_ns) / NS_PER_DAY;
        if (!is_usable(noise)) {
            continue;
        }
        if (age_days > DETECT_FLOOR_DAYS) {
            result.expired++;
            continue;
        }
        double error = standard_error(noise);
        ratio_squares += noise->log_ratio * noise->log_ratio;
        error_squares += error * error;
        standardised += (noise->log_ratio / error) * (noise->log_ratio / error);
        result.observations++;
        result.newest_unix_ns =
            noise->at_unix_ns > result.newest_unix_ns ? noise->at_unix_ns : result.newest_unix_ns;
    }
    double n = (double)result.observations;
    result.is_known = result.observations >= DETECT_FLOOR_OBSERVATIONS_MIN;
    if (!result.is_known || stats_chi2_upper(standardised, n) >= EXCESS_P) {
        return result;
    }
    double excess = (ratio_squares - error_squares) / n;
    double floor = excess > 0 ? expm1(stats_t_quantile_upper(BOUND_TAIL, n) * sqrt(excess)) : 0;
    result.is_capped = floor > floor_max;
    result.floor = result.is_capped ? floor_max : floor;
    return result;
}

ptrdiff_t detect_noise_of_reruns(const struct detect_rerun *reruns, const int64_t *started_unix_ns,
                                 ptrdiff_t count, struct detect_noise *observations)
{
    ptrdiff_t found = 0;
    for (ptrdiff_t i = 1; i < count; i++) {
        const struct model_figures *before = reruns[i - 1].figures;
        const struct model_figures *now = reruns[i].figures;
        if (reruns[i].group != reruns[i - 1].group || !before->has_logs || !now->has_logs ||
            before->launches < DETECT_RUN_LAUNCHES_MIN || now->launches < DETECT_RUN_LAUNCHES_MIN) {
            continue;
        }
        ptrdiff_t launches = before->launches < now->launches ? before->launches : now->launches;
        double error = sqrt(before->centre_variance + now->centre_variance);
        observations[found++] = (struct detect_noise){
            .at_unix_ns = started_unix_ns[i],
            .log_ratio = now->centre_log - before->centre_log,
            .half_width = error * stats_t_quantile_upper(HALF_WIDTH_TAIL, (double)(launches - 1)),
            .launches = launches,
        };
    }
    return found;
}

const char *detect_noise_floor_text(struct arena *arena, const struct detect_noise_floor *floor,
                                    int64_t now_unix_ns)
{
    if (!(floor->floor > 0)) {
        return NULL;
    }
    double days = ((double)now_unix_ns - (double)floor->newest_unix_ns) / NS_PER_DAY;
    return arena_printf(
        arena,
        "changes below %.2g %% do not count here: so much %td comparisons of "
        "identical programs differed beyond their intervals (the newest %.0f days "
        "ago)%s; a quieter machine ('tare doctor') and a new 'tare prove' narrow it",
        floor->floor * 100, floor->observations, fmax(0, trunc(days)),
        floor->is_capped ? ", and more than noise_floor_max allows" : "");
}
