/* strip.h: the shape of a distribution in a few characters: ▁▂▇▃▁ ▁ */
#ifndef TARE_REPORT_STRIP_H
#define TARE_REPORT_STRIP_H

#include "base/arena.h"

/* `width` cells from the smallest to the largest value of the middle 98 %; the height of a cell is
 * its share of the fullest. An empty cell is a space, so that two modes and stragglers are seen. */
char *report_strip(struct arena *arena, const double *values, ptrdiff_t count, int width);

#endif
