/* conclude.h: what every way of comparing does alike: name it, say the verdict, compare counts. */
#ifndef TARE_DETECT_CONCLUDE_H
#define TARE_DETECT_CONCLUDE_H

#include "model/comparison.h"

void detect_conclude(struct model_comparison *comparison, enum model_verdict verdict,
                     const char *code, const char *reason);

/* Counts compare by difference: the same is equivalent, anything else is better or worse. Fills
 * ratio, interval and verdict. */
void detect_exact(struct arena *arena, struct model_comparison *comparison, double old_value,
                  double new_value);

/* "suite:name/variant", without the parameters. */
const char *detect_full_name(struct arena *arena, const struct model_benchmark *benchmark);

#endif
