/* sequential.c: the schedule of looks and how much error each may spend.
 *
 * Why not peek at every launch with a corrected interval: on real, skewed and two-mode launches the
 * asymptotic sequences fail badly, and the t-mixture, valid for normal data, is 2.6 times as wide
 * at n = 6 and still wider at 100. Few looks with an exact small-sample interval each are both
 * narrower and sturdier; the tables are in docs/statistics.md.
 *
 * Why these shares: 90 % of alpha go to the first 12 looks (8 to 217 launches), where almost every
 * comparison ends; the looks after them share the rest as 1/((j+1)(j+2)), a series that sums to 1,
 * so the schedule never ends. The first four looks get 1/5 … 4/5 of a full share: with so few
 * launches neither skew nor autocorrelation can be seen yet, and what is decided there is far from
 * any threshold.
 *
 * Mixture: likelihood ratio of effect sizes δ ~ N(0, 1) against 0 with the scale integrated out
 * under its invariant prior (Gönen et al., American Statistician 59, 2005); a test martingale, so
 * Ville's inequality holds (Wang and Ramdas, "Anytime-valid t-tests and confidence sequences for
 * Gaussian means with unknown variance", 2024). */
#include "stats/sequential.h"

#include "base/assert.h"
#include "stats/order.h"

#include <math.h>

enum { LOOKS_PLANNED = 12, LOOKS_RAMP = 4, LAUNCHES_FIRST = 8, LOOKS_MAX = 1000 };

/* ×1.35: 11 looks up to 161 launches. Doubling would keep a decided benchmark measuring for up to
 * twice as long as needed, ×1.1 would cost three times as many looks. */
static const double GROWTH = 1.35;
static const double PLANNED_SHARE = 0.9;

struct stats_sequential stats_sequential_new(double alpha)
{
    TARE_ASSERT(alpha > 0 && alpha < 1);
    return (struct stats_sequential){
        .alpha = alpha, .launches_first = LAUNCHES_FIRST, .growth = GROWTH};
}

ptrdiff_t stats_sequential_launches(const struct stats_sequential *sequential, ptrdiff_t look)
{
    TARE_ASSERT(look >= 0 && look < LOOKS_MAX);
    TARE_ASSERT(sequential->growth > 1 && sequential->launches_first >= 2);
    ptrdiff_t launches = sequential->launches_first;
    double exact = (double)launches;
    for (ptrdiff_t i = 0; i < look; i++) {
        exact *= sequential->growth;
        if (exact > 1e15) { /* nobody launches that often; keeps the conversion defined */
            return (ptrdiff_t)1e15 + look;
        }
        ptrdiff_t next = (ptrdiff_t)ceil(exact - 1e-9);
        launches = next > launches ? next : launches + 1;
    }
    return launches;
}

ptrdiff_t stats_sequential_look(const struct stats_sequential *sequential, ptrdiff_t launches)
{
    ptrdiff_t look = -1;
    while (look + 1 < LOOKS_MAX && stats_sequential_launches(sequential, look + 1) <= launches) {
        look++;
    }
    return look;
}

bool stats_sequential_is_look(const struct stats_sequential *sequential, ptrdiff_t launches)
{
    ptrdiff_t look = stats_sequential_look(sequential, launches);
    return look >= 0 && stats_sequential_launches(sequential, look) == launches;
}

double stats_sequential_alpha(const struct stats_sequential *sequential, ptrdiff_t look)
{
    TARE_ASSERT(look >= 0);
    if (look >= LOOKS_PLANNED) {
        double j = (double)(look - LOOKS_PLANNED);
        return sequential->alpha * (1 - PLANNED_SHARE) / ((j + 1) * (j + 2));
    }
    /* Weights 1/5, 2/5, 3/5, 4/5, 1, 1, …: over the planned looks they add up to this. */
    const double weights = (double)(LOOKS_PLANNED - LOOKS_RAMP) + LOOKS_RAMP / 2.0;
    double weight = look < LOOKS_RAMP ? (double)(look + 1) / (LOOKS_RAMP + 1) : 1;
    return sequential->alpha * PLANNED_SHARE * weight / weights;
}

struct stats_interval stats_interval_mixture(const double *values, ptrdiff_t count, double alpha)
{
    TARE_ASSERT(count >= 0);
    TARE_ASSERT(alpha > 0 && alpha < 1);
    struct stats_interval result = {.method = STATS_INTERVAL_MIXTURE, .confidence = 1 - alpha};
    if (count < 1) {
        return result;
    }
    result.estimate = stats_mean(values, count);
    if (count < 2) {
        return result;
    }
    double n = (double)count;
    double a = 1 + n; /* 1 + n × the effect's prior variance */
    double k = pow(a / (alpha * alpha), 1 / n);
    if (k < a) {
        double t = sqrt((n - 1) * (k - 1) / (1 - k / a));
        double reach = t * sqrt(stats_variance(values, count) / n);
        result.is_defined = true;
        result.low = result.estimate - reach;
        result.high = result.estimate + reach;
    }
    return result;
}
