#include "measure/added_work.h"

#include <math.h>

double measure_added_work_share(double share, double iterations)
{
    return round(iterations * (1 + share)) / iterations - 1;
}

static tare_status added_begin(void *context, struct arena *arena, enum model_launch_kind kind,
                               const struct measure_variation *variation,
                               struct model_benchmark *benchmark, struct tare_error *error)
{
    struct measure_added_work *work = context;
    return work->inner.begin(work->inner.context, arena, kind, variation, benchmark, error);
}

static tare_status added_slice(void *context, struct arena *arena, double iterations,
                               enum protocol_count count, struct protocol_slice *slice,
                               struct tare_error *error)
{
    struct measure_added_work *work = context;
    return work->inner.slice(work->inner.context, arena, round(iterations * (1 + work->share)),
                             count, slice, error);
}

static tare_status added_end(void *context, int *exit_status, struct tare_error *error)
{
    struct measure_added_work *work = context;
    return work->inner.end(work->inner.context, exit_status, error);
}

static ptrdiff_t added_slices_left(void *context)
{
    struct measure_added_work *work = context;
    return work->inner.slices_left(work->inner.context);
}

/* The smallest count at which whole iterations come near enough to the share: 3 % of 109 would be
 * 2.75 %, of 131 it is 3.05 %. */
static double added_suit(void *context, double iterations, double iterations_max)
{
    const double error_max = 0.02;
    const struct measure_added_work *work = context;
    for (double tried = iterations; tried <= iterations_max; tried++) {
        if (fabs(measure_added_work_share(work->share, tried) - work->share) <=
            error_max * work->share) {
            return tried;
        }
    }
    return iterations;
}

struct measure_target measure_target_added_work(struct measure_added_work *context)
{
    struct measure_target target = context->inner;
    target.context = context;
    target.begin = added_begin;
    target.slice = added_slice;
    target.end = added_end;
    target.count_instructions = NULL; /* the work is added from outside, per slice */
    target.suit = added_suit;
    target.slices_left = context->inner.slices_left != NULL ? added_slices_left : NULL;
    return target;
}
