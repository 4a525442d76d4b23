#include "measure/rotation.h"

#include "base/assert.h"

/* The build of the launch begun last. */
static struct measure_target *current(struct measure_rotation *rotation)
{
    TARE_ASSERT(rotation->launches > 0);
    return &rotation->inner[(rotation->launches - 1) % rotation->count];
}

static tare_status rotation_begin(void *context, struct arena *arena, enum model_launch_kind kind,
                                  const struct measure_variation *variation,
                                  struct model_benchmark *benchmark, struct tare_error *error)
{
    struct measure_rotation *rotation = context;
    rotation->launches++;
    struct measure_target *target = current(rotation);
    return target->begin(target->context, arena, kind, variation, benchmark, error);
}

static tare_status rotation_slice(void *context, struct arena *arena, double iterations,
                                  enum protocol_count count, struct protocol_slice *slice,
                                  struct tare_error *error)
{
    struct measure_target *target = current(context);
    return target->slice(target->context, arena, iterations, count, slice, error);
}

static tare_status rotation_end(void *context, int *exit_status, struct tare_error *error)
{
    struct measure_rotation *rotation = context;
    if (rotation->launches == 0) {
        *exit_status = 0;
        return TARE_OK; /* never begun */
    }
    struct measure_target *target = current(rotation);
    return target->end(target->context, exit_status, error);
}

static ptrdiff_t rotation_slices_left(void *context)
{
    struct measure_target *target = current(context);
    return target->slices_left(target->context);
}

/* Builds differ in layout only, so the first stands for all. */
static tare_status rotation_count(void *context, struct arena *arena,
                                  const struct valgrind *valgrind, double *iterations,
                                  double *count, struct tare_error *error)
{
    struct measure_rotation *rotation = context;
    struct measure_target *first = &rotation->inner[0];
    return first->count_instructions(first->context, arena, valgrind, iterations, count, error);
}

struct measure_target measure_target_rotation(struct measure_rotation *context)
{
    TARE_ASSERT(context->count > 0);
    struct measure_target target = context->inner[0];
    target.context = context;
    target.begin = rotation_begin;
    target.slice = rotation_slice;
    target.end = rotation_end;
    target.count_instructions = target.count_instructions != NULL ? rotation_count : NULL;
    target.slices_left = target.slices_left != NULL ? rotation_slices_left : NULL;
    return target;
}
