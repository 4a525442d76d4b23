/* complexity.h: how does time grow with size? Fits time = constant + factor × f(n) for the usual f.
 *
 *     sizes 1k, 2k, 4k, 8k, 16k → "O(n log n), residual 1.3 %" */
#ifndef TARE_STATS_COMPLEXITY_H
#define TARE_STATS_COMPLEXITY_H

#include "base/arena.h"

#include <stdbool.h>
#include <stddef.h>

enum stats_complexity {
    STATS_COMPLEXITY_1,
    STATS_COMPLEXITY_LOG_N,
    STATS_COMPLEXITY_N,
    STATS_COMPLEXITY_N_LOG_N,
    STATS_COMPLEXITY_N2,
    STATS_COMPLEXITY_N3,
    STATS_COMPLEXITY_COUNT
};

struct stats_complexity_fit {
    enum stats_complexity kind;
    double factor;    /* time per f(n) */
    double constant;  /* time at f(n) = 0; 0 unless the fit needed one */
    double residual;  /* root mean square of (fitted − time) / time */
    bool is_possible; /* factor and constant are not negative */
};

struct stats_complexity_result {
    bool is_defined; /* at least STATS_COMPLEXITY_SIZES_MIN different sizes, largest >= 4 × smallest
                      */
    bool is_clear;   /* no other f fits nearly as well (residual within a factor 1.5) */
    struct stats_complexity_fit best;
    struct stats_complexity_fit all[STATS_COMPLEXITY_COUNT];
};

enum { STATS_COMPLEXITY_SIZES_MIN = 4 };

/* sizes[i] > 0 took times[i] > 0. Sizes may repeat. */
struct stats_complexity_result stats_complexity_fit(const double *sizes, const double *times,
                                                    ptrdiff_t count);

/* "O(n log n)". */
const char *stats_complexity_name(enum stats_complexity kind);

#endif
