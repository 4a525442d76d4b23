/* rotation.h: several builds of one program as one target: every launch takes the next build.
 *
 * With as many launches as builds, the build is the unit of replication: an interval over launches
 * then carries how much the layout of the code matters, not only where its pages lie. */
#ifndef TARE_MEASURE_ROTATION_H
#define TARE_MEASURE_ROTATION_H

#include "measure/target.h"

struct measure_rotation {
    struct measure_target *inner; /* the builds, alike in everything but layout */
    ptrdiff_t count;
    ptrdiff_t launches; /* begun so far */
};

/* `context` must outlive the target. */
struct measure_target measure_target_rotation(struct measure_rotation *context);

#endif
