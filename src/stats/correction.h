/* correction.h: p-values and levels when many comparisons are made at once. */
#ifndef TARE_STATS_CORRECTION_H
#define TARE_STATS_CORRECTION_H

#include "base/arena.h"

/* The level each of `comparisons` >= 1 intervals needs so that all hold together: alpha /
 * comparisons. */
double stats_bonferroni_alpha(double alpha, ptrdiff_t comparisons);

/* Adjusted p-values, written to adjusted[i] for p[i]; may be the same array. As R's p.adjust.
 * Bonferroni and Holm bound the chance of any false alarm, Benjamini and Hochberg the expected
 * share of false ones among those found (independent or positively dependent tests). */
void stats_adjust_bonferroni(const double *p, double *adjusted, ptrdiff_t count);
void stats_adjust_holm(const double *p, double *adjusted, ptrdiff_t count, struct arena *scratch);
void stats_adjust_benjamini_hochberg(const double *p, double *adjusted, ptrdiff_t count,
                                     struct arena *scratch);

#endif
