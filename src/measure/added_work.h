/* added_work.h: a target that really does more work than it says, to prove that slowdowns are
 * found.
 *
 * Asked for n iterations it does n(1 + ε) and reports their time as that of n. The extra work is
 * executed like any other; nothing is slept or scaled. With few iterations the share is rounded to
 * what whole iterations allow: measure_added_work_share says what was really added. */
#ifndef TARE_MEASURE_ADDED_WORK_H
#define TARE_MEASURE_ADDED_WORK_H

#include "measure/target.h"

struct measure_added_work {
    struct measure_target inner;
    double share; /* ε, 0.03 for 3 % more */
};

/* `context` must outlive the target. */
struct measure_target measure_target_added_work(struct measure_added_work *context);

/* The share really added at this count of iterations. */
double measure_added_work_share(double share, double iterations);

#endif
