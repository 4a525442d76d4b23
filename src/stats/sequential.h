/* sequential.h: looking at the data again and again without crying wolf more often.
 *
 * The total error alpha is split over looks at geometrically growing numbers of launches: 8, 11,
 * 15, 20, 27, … Each look has its own small alpha, and all of them, however many, add up to at most
 * alpha, so the chance that any look excludes the truth is at most alpha (Bonferroni). Between
 * looks nothing may be decided. Retries go on along the same schedule; they never start afresh. */
#ifndef TARE_STATS_SEQUENTIAL_H
#define TARE_STATS_SEQUENTIAL_H

#include "stats/interval.h"

struct stats_sequential {
    double alpha;             /* total two-sided error over all looks */
    ptrdiff_t launches_first; /* launches at look 0 */
    double growth;            /* of the number of launches from look to look */
};

/* The schedule of verdicts: first look at 8 launches, then × 1.35. */
struct stats_sequential stats_sequential_new(double alpha);

/* Launches at look 0, 1, 2, …: ceil(first × growth^look), at least one more than the look before.
 */
ptrdiff_t stats_sequential_launches(const struct stats_sequential *sequential, ptrdiff_t look);

/* The latest look that these launches allow; −1 before the first. */
ptrdiff_t stats_sequential_look(const struct stats_sequential *sequential, ptrdiff_t launches);

/* Is there a look at exactly this number of launches? */
bool stats_sequential_is_look(const struct stats_sequential *sequential, ptrdiff_t launches);

/* The error this look may spend. */
double stats_sequential_alpha(const struct stats_sequential *sequential, ptrdiff_t look);

/* For comparison: a confidence sequence of the mean, valid at every n at once for normal data
 * (t-mixture, effect sizes weighted by a standard normal). Undefined while it would be infinite. */
struct stats_interval stats_interval_mixture(const double *values, ptrdiff_t count, double alpha);

#endif
