/* slice.h: what every way of measuring does with a single slice: find its size, run it, keep it. */
#ifndef TARE_MEASURE_SLICE_H
#define TARE_MEASURE_SLICE_H

#include "measure/target.h"

/* What is said of a benchmark whose slices are deleted. */
extern const char measure_deleted_reason[];

/* Runs one slice unless an interrupt has come. A slice that the program declined, or whose check
 * failed, is TARE_ERROR_MEASURE with target->declined set. */
tare_status measure_slice_run(struct measure_target *target, struct arena *scratch,
                              double iterations, enum protocol_count count,
                              struct protocol_slice *slice, struct tare_error *error);

/* After TARE_ERROR_MEASURE: the benchmark is failed, or what its target has declined it as. The
 * error is forgotten, so that what else there is goes on. */
void measure_slice_fail(struct arena *arena, const struct measure_target *target,
                        struct model_benchmark *benchmark, struct tare_error *error);

struct measure_calibration {
    double slice_ns; /* to aim for */
    double
        limit_ns; /* give up when no time has passed by the program's clock after so much of ours */
    const struct measure_clock *clock;
};

/* Finds the iteration count whose slice takes about slice_ns; the slices run on the way warm the
 * program up. *last is the slice that decided. A benchmark for which no time passes is
 * TARE_ERROR_MEASURE. */
tare_status measure_calibrate(struct measure_target *target, struct arena *scratch,
                              const struct measure_calibration *calibration, double *iterations,
                              struct protocol_slice *last, struct tare_error *error);

/* Adds a slice's time per iteration, its declared metrics and its histogram to the benchmark. A
 * metric that was not declared is TARE_ERROR_MEASURE. */
tare_status measure_slice_keep(struct arena *arena, const struct measure_target *target,
                               struct model_benchmark *benchmark, double iterations,
                               const struct protocol_slice *slice, int32_t launch,
                               struct tare_error *error);

#endif
