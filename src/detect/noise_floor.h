/* noise_floor.h: how much do comparisons of identical programs differ beyond what their own
 * intervals say? Pure.
 *
 * An interval made within one comparison cannot see what changes from one comparison to the next.
 * Of n comparisons whose truth is 0 (A/A), with log ratios x and standard errors s,
 *
 *     is  Σ (x/s)²  beyond χ²(95 %, n)?        no: the intervals say it all, the floor is 0
 *     floor = exp(t(97.5 %, n) √(mean x² − mean s²)) − 1
 *
 * the 95 % bound of the next such comparison's own share. A gate asks that a change be beyond the
 * floor before it is `regressed` or `improved`; `equivalent` goes by the band alone, so a floor
 * never makes it easier. It needs several observations, has an upper bound, and runs out. */
#ifndef TARE_DETECT_NOISE_FLOOR_H
#define TARE_DETECT_NOISE_FLOOR_H

#include "base/arena.h"
#include "detect/runs.h"

#include <stdbool.h>
#include <stdint.h>

enum {
    DETECT_FLOOR_OBSERVATIONS_MIN = 5, /* below, χ² sees only what is blatant, and t is wide */
    DETECT_FLOOR_DAYS = 30, /* after that, neighbours, kernels and programs have changed */
};

/* One comparison of identical programs. */
struct detect_noise {
    int64_t at_unix_ns;
    double log_ratio;
    double half_width; /* of its 99 % interval, log scale */
    int64_t launches;
};

struct detect_noise_floor {
    double floor;           /* 0.018 is 1.8 %; 0: nothing beyond the intervals, or not known */
    bool is_known;          /* there were observations enough */
    bool is_capped;         /* it would be more than the upper bound */
    ptrdiff_t observations; /* that count */
    ptrdiff_t expired;      /* too old to count */
    int64_t newest_unix_ns; /* 0: none */
};

/* floor_max: the upper bound (0.05 is 5 %). Observations in any order. */
struct detect_noise_floor detect_noise_floor(const struct detect_noise *observations,
                                             ptrdiff_t count, int64_t now_unix_ns,
                                             double floor_max);

/* Reruns of one commit as observations: every run against the one before it in its group, with the
 * interval of launches alone. For comparisons whose intervals do not carry the variation between
 * runs (single values of other tools); paired ones cancel it, those of runs.h carry it already.
 * Writes at most `count` observations, returns how many. */
ptrdiff_t detect_noise_of_reruns(const struct detect_rerun *reruns, const int64_t *started_unix_ns,
                                 ptrdiff_t count, struct detect_noise *observations);

/* "1.8 %: so much 12 comparisons of identical programs differed beyond their intervals; …" and what
 * would narrow it. NULL when the floor is 0. */
const char *detect_noise_floor_text(struct arena *arena, const struct detect_noise_floor *floor,
                                    int64_t now_unix_ns);

#endif
