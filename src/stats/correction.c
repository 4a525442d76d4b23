/* correction.c: Bonferroni; Holm, Scandinavian Journal of Statistics 6, 1979; Benjamini and
 * Hochberg, Journal of the Royal Statistical Society B 57, 1995. Cost: one sort. */
#include "stats/correction.h"

#include "base/assert.h"

#include <math.h>
#include <stdlib.h>

double stats_bonferroni_alpha(double alpha, ptrdiff_t comparisons)
{
    TARE_ASSERT(alpha > 0 && alpha < 1);
    TARE_ASSERT(comparisons >= 1);
    return alpha / (double)comparisons;
}

struct placed {
    double p;
    ptrdiff_t place;
};

static int compare_placed(const void *left, const void *right)
{
    const struct placed *a = left;
    const struct placed *b = right;
    return (a->p > b->p) - (a->p < b->p);
}

static struct placed *sort_placed(const double *p, ptrdiff_t count, struct arena *scratch)
{
    TARE_ASSERT(count >= 0);
    struct placed *sorted = ARENA_ARRAY(scratch, struct placed, count);
    for (ptrdiff_t i = 0; i < count; i++) {
        TARE_ASSERT(p[i] >= 0 && p[i] <= 1);
        sorted[i] = (struct placed){.p = p[i], .place = i};
    }
    if (count > 1) {
        qsort(sorted, (size_t)count, sizeof sorted[0], compare_placed);
    }
    return sorted;
}

void stats_adjust_bonferroni(const double *p, double *adjusted, ptrdiff_t count)
{
    TARE_ASSERT(count >= 0);
    for (ptrdiff_t i = 0; i < count; i++) {
        TARE_ASSERT(p[i] >= 0 && p[i] <= 1);
        adjusted[i] = fmin(1, p[i] * (double)count);
    }
}

void stats_adjust_holm(const double *p, double *adjusted, ptrdiff_t count, struct arena *scratch)
{
    struct arena_mark mark = arena_mark(scratch);
    const struct placed *sorted = sort_placed(p, count, scratch);
    double largest = 0;
    for (ptrdiff_t i = 0; i < count; i++) {
        largest = fmax(largest, fmin(1, sorted[i].p * (double)(count - i)));
        adjusted[sorted[i].place] = largest;
    }
    arena_reset(scratch, mark);
}

void stats_adjust_benjamini_hochberg(const double *p, double *adjusted, ptrdiff_t count,
                                     struct arena *scratch)
{
    struct arena_mark mark = arena_mark(scratch);
    const struct placed *sorted = sort_placed(p, count, scratch);
    double smallest = 1;
    for (ptrdiff_t i = count - 1; i >= 0; i--) {
        smallest = fmin(smallest, sorted[i].p * (double)count / (double)(i + 1));
        adjusted[sorted[i].place] = smallest;
    }
    arena_reset(scratch, mark);
}
