/* modes.h: does a sample have more than one mode? Hartigan's dip test.
 *
 * The dip is the largest distance between the sample's distribution and the nearest distribution
 * with one mode. Its p-value is that of uniform data, the least favourable case, read from a
 * simulated table; so normal data almost never reach it. */
#ifndef TARE_STATS_MODES_H
#define TARE_STATS_MODES_H

#include "base/arena.h"

#include <stdbool.h>
#include <stddef.h>

struct stats_dip {
    bool is_defined; /* from 4 values, not all equal */
    double dip;      /* in [1/(2n), 1/4] */
    double p;        /* from the table's 0.5 to 0.001; larger ones read 1, smaller ones 0.001 */
};

struct stats_dip stats_dip(const double *values, ptrdiff_t count, struct arena *scratch);

#endif
