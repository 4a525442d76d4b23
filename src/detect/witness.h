/* witness.h: instructions as a second witness beside time. Pure.
 *
 * Instructions are counted exactly, time is not: together they tell whether a change of time is a
 * change of the work done, or of how the machine gets through the same work. */
#ifndef TARE_DETECT_WITNESS_H
#define TARE_DETECT_WITNESS_H

#include "model/comparison.h"

struct detect_witness {
    const char *code; /* NULL: nothing can be said */
    const char *text; /* one sentence without a full stop */
};

/* Two comparisons of the same benchmark and sides. */
struct detect_witness detect_witness(struct arena *arena, const struct model_comparison *time,
                                     const struct model_comparison *instructions);

#endif
