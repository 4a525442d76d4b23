/* modes.c: Hartigan's dip and its p-value.
 *
 * Idea: a distribution with one mode is convex left of it and concave right of it. Take the
 * greatest convex minorant and the least concave majorant of the sample's distribution between two
 * ends; where they are farthest apart lies a narrower candidate for the modal interval; what sticks
 * out of the hulls outside it bounds the dip from below. Repeat inside until the hulls are closer
 * than the bound.
 *
 * Source: Hartigan and Hartigan, "The dip test of unimodality", Annals of Statistics 13, 1985; the
 * narrowing follows P. Hartigan's algorithm AS 217, Applied Statistics 34, 1985. The table of
 * quantiles is simulated by tests/simulate/dip_table.c. Cost: a sort, then a few linear passes. */
#include "stats/modes.h"

#include "base/assert.h"
#include "stats/dip_table.h"
#include "stats/order.h"

#include <math.h>

/* Heights are counted in samples: the distribution jumps from i to i + 1 at sorted[i]. */
struct hull {
    ptrdiff_t *vertices; /* indices into the sample, ascending */
    ptrdiff_t count;
};

struct modal_range {
    ptrdiff_t low;
    ptrdiff_t high;
    double distance; /* between the hulls, in samples */
};

static double dip_sorted(const double *sorted, ptrdiff_t count, struct arena *scratch);
static double dip_p(double dip, ptrdiff_t count);

struct stats_dip stats_dip(const double *values, ptrdiff_t count, struct arena *scratch)
{
    TARE_ASSERT(count >= 0);
    struct stats_dip result = {0};
    if (count < 4) {
        return result;
    }
    struct arena_mark mark = arena_mark(scratch);
    const double *sorted = stats_sort_copy(scratch, values, count);
    if (sorted[0] < sorted[count - 1]) {
        result.is_defined = true;
        result.dip = dip_sorted(sorted, count, scratch);
        result.p = dip_p(result.dip, count);
    }
    arena_reset(scratch, mark);
    return result;
}

/* ---- the statistic ---- */

/* Convex minorant (side = 1) or concave majorant (side = −1) of the points (sorted[i], i). */
static void hull_build(struct hull *hull, const double *sorted, ptrdiff_t low, ptrdiff_t high,
                       int side)
{
    hull->count = 0;
    for (ptrdiff_t i = low; i <= high; i++) {
        while (hull->count >= 2) {
            ptrdiff_t b = hull->vertices[hull->count - 1];
            ptrdiff_t a = hull->vertices[hull->count - 2];
            /* Keep b when the slope grows (minorant) or falls (majorant) there. */
            double turn = (sorted[b] - sorted[a]) * (double)(i - b) -
                          (sorted[i] - sorted[b]) * (double)(b - a);
            if (side * turn > 0) {
                break;
            }
            hull->count--;
        }
        hull->vertices[hull->count++] = i;
    }
}

/* Height of the chord from vertex a to vertex b over the value x. */
static double chord_height(const double *sorted, ptrdiff_t a, ptrdiff_t b, double x)
{
    double width = sorted[b] - sorted[a];
    return width > 0 ? (double)a + (x - sorted[a]) * (double)(b - a) / width : (double)b;
}

/* Where minorant and majorant are farthest apart, and the modal range that follows from it. */
static struct modal_range hull_gap(const struct hull *minorant, const struct hull *majorant,
                                   const double *sorted)
{
    ptrdiff_t low = minorant->vertices[0];
    ptrdiff_t high = majorant->vertices[majorant->count - 1];
    struct modal_range best = {.low = low, .high = high, .distance = 0};
    ptrdiff_t g = 0;
    ptrdiff_t m = 0;
    /* Walk the vertices of both hulls together; at each, measure to the other hull. */
    while (g + 1 < minorant->count || m + 1 < majorant->count) {
        bool is_majorant =
            g + 1 >= minorant->count ||
            (m + 1 < majorant->count && majorant->vertices[m + 1] <= minorant->vertices[g + 1]);
        struct modal_range gap;
        if (is_majorant) {
            m++;
            ptrdiff_t vertex = majorant->vertices[m];
            ptrdiff_t left = minorant->vertices[g];
            ptrdiff_t right = g + 1 < minorant->count ? minorant->vertices[g + 1] : left;
            double under = chord_height(sorted, left, right, sorted[vertex]);
            gap = (struct modal_range){left, vertex, (double)(vertex + 1) - under};
        } else {
            g++;
            ptrdiff_t vertex = minorant->vertices[g];
            ptrdiff_t left = majorant->vertices[m];
            ptrdiff_t right = m + 1 < majorant->count ? majorant->vertices[m + 1] : left;
            double over = chord_height(sorted, left, right, sorted[vertex]) + 1;
            gap = (struct modal_range){vertex, right, over - (double)vertex};
        }
        if (gap.low < gap.high && gap.distance > best.distance) {
            best = gap;
        }
    }
    return best;
}

/* How far the distribution sticks out of a hull between the vertices `from` and `to`: above the
 * minorant (side = 1) or below the majorant (side = −1); at least 1, the height of a step. */
static double hull_excess(const struct hull *hull, const double *sorted, ptrdiff_t from,
                          ptrdiff_t to, int side)
{
    double excess = 1;
    for (ptrdiff_t v = 0; v + 1 < hull->count; v++) {
        ptrdiff_t a = hull->vertices[v];
        ptrdiff_t b = hull->vertices[v + 1];
        if (a < from || b > to || !(sorted[b] > sorted[a])) {
            continue;
        }
        for (ptrdiff_t i = a; i <= b; i++) {
            double above = (double)i - chord_height(sorted, a, b, sorted[i]);
            excess = fmax(excess, side * above + 1);
        }
    }
    return excess;
}

static double dip_sorted(const double *sorted, ptrdiff_t count, struct arena *scratch)
{
    struct hull minorant = {.vertices = ARENA_ARRAY(scratch, ptrdiff_t, count)};
    struct hull majorant = {.vertices = ARENA_ARRAY(scratch, ptrdiff_t, count)};
    ptrdiff_t low = 0;
    ptrdiff_t high = count - 1;
    double twice_dip = 1;
    /* The range shrinks with every turn, so count turns are more than enough. */
    for (ptrdiff_t turn = 0; turn < count && low < high; turn++) {
        hull_build(&minorant, sorted, low, high, 1);
        hull_build(&majorant, sorted, low, high, -1);
        struct modal_range range = hull_gap(&minorant, &majorant, sorted);
        if (range.distance <= twice_dip) {
            break;
        }
        twice_dip = fmax(twice_dip, hull_excess(&minorant, sorted, low, range.low, 1));
        twice_dip = fmax(twice_dip, hull_excess(&majorant, sorted, range.high, high, -1));
        if (range.low == low && range.high == high) {
            break;
        }
        low = range.low;
        high = range.high;
    }
    return twice_dip / (2 * (double)count);
}

/* ---- the p-value ---- */

/* The quantile of √n × dip at dip_levels[level], between the table's sizes on a log scale. */
static double dip_critical(ptrdiff_t count, int level)
{
    int row = 0;
    while (row + 1 < DIP_SIZES && dip_rows[row + 1].size <= count) {
        row++;
    }
    double low = dip_rows[row].scaled[level];
    if (row + 1 == DIP_SIZES) {
        return low; /* the scaled dip hardly moves beyond 1,000 values: 1 % up to 10,000 */
    }
    double high = dip_rows[row + 1].scaled[level];
    double from = log((double)dip_rows[row].size);
    double to = log((double)dip_rows[row + 1].size);
    return low + (high - low) * (log((double)count) - from) / (to - from);
}

static double dip_p(double dip, ptrdiff_t count)
{
    double scaled = dip * sqrt((double)count);
    double below = dip_critical(count, 0);
    if (scaled < below) {
        return 1;
    }
    for (int level = 1; level < DIP_LEVELS; level++) {
        double above = dip_critical(count, level);
        if (scaled < above) {
            double share = (scaled - below) / (above - below);
            double probability =
                dip_levels[level - 1] + share * (dip_levels[level] - dip_levels[level - 1]);
            return 1 - probability;
        }
        below = above;
    }
    return 1 - dip_levels[DIP_LEVELS - 1];
}
