/* pace.h: how many rounds a paired launch is worth.
 *
 * A launch costs C around its rounds (starting processes, set-up, waiting) and s for each of them.
 * Its median log ratio varies by B (where the processes lie in memory) and by W/R (its rounds
 * scatter). For a given time the interval is narrowest with
 *
 *     R = √(C/s · W/B)
 *
 * rounds a launch (Cochran 1977, two-stage sampling). All four are taken from the launches so far.
 * W comes from the medians of a launch's first and second half, whose difference has the variance
 * 4W/R: that holds for rounds of any shape and for noise that lasts for some rounds, where the
 * spread of single rounds says little about the median of many. Only spreads and costs enter, never
 * where the ratios lie, so that how long a launch is does not depend on which side is ahead. */
#ifndef TARE_MEASURE_PACE_H
#define TARE_MEASURE_PACE_H

#include "base/arena.h"

#include <stddef.h>

enum {
    PACE_LAUNCHES_MIN = 4, /* before, nothing can be said about how launches differ */
    PACE_LAUNCHES_KEPT = 64,
    PACE_ROUNDS_MAX = 200, /* the interval lives on launches */
};

struct pace_launch {
    double median_log;
    double half_gap; /* estimates √W, with a sign */
    double inverse_rounds;
};

struct pace {
    struct pace_launch latest[PACE_LAUNCHES_KEPT];
    ptrdiff_t launches;
    ptrdiff_t rounds;
    double rounds_ns; /* of all rounds together */
    double around_ns;
};

struct pace_limits {
    ptrdiff_t rounds_min;
    double launch_ns_max; /* 0: none */
};

/* A launch is over: its times side by side, what its rounds took and what was around them. A launch
 * of one round, or with a time that is not positive, is passed over. */
void pace_add(struct pace *pace, const double *old_ns, const double *new_ns, ptrdiff_t rounds,
              double rounds_ns, double around_ns, struct arena *scratch);

/* Rounds of the next launch; the smallest number allowed while too little is known. */
ptrdiff_t pace_rounds(const struct pace *pace, const struct pace_limits *limits,
                      struct arena *scratch);

#endif
