#include "detect/gate.h"

#include <math.h>

/* Relative slack for binary fractions: 2.097 / 2.33 − 1 is −0.10000000000000009. */
static const double EPSILON = 1e-9;
/* A pass wants the slowest tenth near: its centre within so many bands, or within the limit. */
static const double TAIL_BANDS_MAX = 3;

bool detect_is_beyond(double value, double limit)
{
    return value > limit + EPSILON * fmax(1, fabs(limit));
}

/* Of a ratio: by how much is it for the worse? */
static double worse(const struct model_comparison *c, double ratio)
{
    return c->better == MODEL_LOWER_IS_BETTER ? ratio - 1 : 1 - ratio;
}

/* Counts compare by difference, so that a step from nothing to something has a size. */
static struct detect_change change_of_counts(const struct model_comparison *c, bool is_absolute)
{
    double more = c->new_side.median - c->old_side.median;
    double difference = c->better == MODEL_LOWER_IS_BETTER ? more : -more;
    double change = difference;
    if (!is_absolute && difference != 0) {
        double old_value = fabs(c->old_side.median);
        change = old_value > 0 ? difference / old_value : copysign(INFINITY, difference);
    }
    return (struct detect_change){
        .is_known = isfinite(more), .unit = 1, .near = change, .far = change};
}

/* One value a side proves nothing: it can be beyond a limit, never within it. */
static struct detect_change change_of_points(const struct model_comparison *c, bool is_absolute)
{
    double unit = is_absolute ? fabs(c->old_side.median) : 1;
    double change = worse(c, c->ratio) * unit;
    return (struct detect_change){.is_known = c->has_ratio && isfinite(change),
                                  .unit = unit,
                                  .near = change,
                                  .far = INFINITY};
}

struct detect_change detect_change_for_worse(const struct model_comparison *comparison,
                                             bool is_absolute)
{
    const struct model_comparison *c = comparison;
    if (c->verdict == MODEL_INVALID) {
        return (struct detect_change){.is_known = false};
    }
    if (c->basis == MODEL_BASIS_EXACT) {
        return change_of_counts(c, is_absolute);
    }
    if (c->basis == MODEL_BASIS_POINT) {
        return change_of_points(c, is_absolute);
    }
    double unit = is_absolute ? fabs(c->old_side.median) : 1;
    double at_low = worse(c, c->low) * unit;
    double at_high = worse(c, c->high) * unit;
    double tail_at_low = worse(c, c->tail_low) * unit;
    double tail_at_high = worse(c, c->tail_high) * unit;
    return (struct detect_change){
        .is_known = c->has_interval && isfinite(at_low) && isfinite(at_high),
        .unit = unit,
        .near = fmin(at_low, at_high),
        .far = fmax(at_low, at_high),
        .has_tail =
            c->has_tail && c->tail_ratio > 0 && isfinite(tail_at_low) && isfinite(tail_at_high),
        .tail_near = fmin(tail_at_low, tail_at_high),
        .tail_centre = worse(c, c->tail_ratio) * unit,
    };
}

double detect_limit_effective(const struct model_comparison *comparison,
                              const struct detect_limit *limit)
{
    return limit->is_absolute ? limit->value
                              : fmax(limit->value, fmax(comparison->band, comparison->floor));
}

/* A median does not see that some calls became slower: the slowest tenth must be near, or where a
 * launch is one run, the mean over the launches. */
static bool is_rest_in_doubt(const struct model_comparison *c, const struct detect_change *change,
                             double limit)
{
    if (c->basis == MODEL_BASIS_EXACT) {
        return false;
    }
    double near_enough = fmax(limit, TAIL_BANDS_MAX * c->band * change->unit);
    if (c->has_tail) {
        return !change->has_tail || detect_is_beyond(change->tail_centre, near_enough);
    }
    return isnan(c->mean_ratio) ||
           (c->mean_ratio > 0 &&
            detect_is_beyond(worse(c, c->mean_ratio) * change->unit, near_enough));
}

enum model_gate detect_gate(const struct model_comparison *comparison,
                            const struct detect_limit *limit)
{
    struct detect_change change = detect_change_for_worse(comparison, limit->is_absolute);
    double value = detect_limit_effective(comparison, limit);
    /* What is not a number is neither beyond a limit nor within it. */
    bool is_limit_known = isfinite(limit->value) && limit->value >= 0;
    if (!change.is_known || !is_limit_known) {
        return MODEL_GATE_OPEN;
    }
    bool is_tail_beyond = change.has_tail && detect_is_beyond(change.tail_near, value);
    if (detect_is_beyond(change.near, value) || is_tail_beyond) {
        return MODEL_GATE_FAIL;
    }
    bool is_within = !detect_is_beyond(change.far, value);
    return is_within && !is_rest_in_doubt(comparison, &change, value) ? MODEL_GATE_PASS
                                                                      : MODEL_GATE_OPEN;
}
