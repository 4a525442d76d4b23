/* sampler.h: measures one benchmark until its interval is narrow enough or its budget is spent.
 *
 *   calibrate   in the first launch: how many iterations make a slice of about a millisecond
 *   launch      a fresh process with another placement in memory
 *     warm up   slices that are run and thrown away
 *     sample    slices that are kept, all of the same iteration count
 *   look        at growing numbers of launches: is the interval of the typical time narrow enough?
 *   count       allocations and CPU counters in launches of their own
 *
 * The launch is the unit of replication: samples of one process share its layout, so the interval
 * is over launches (docs/statistics.md). */
#ifndef TARE_MEASURE_SAMPLER_H
#define TARE_MEASURE_SAMPLER_H

#include "base/random.h"
#include "measure/target.h"

struct measure_plan {
    double budget_ns; /* for this benchmark */
    double precision; /* stop when the interval's half-width is within this share of the estimate */
    double confidence;
    ptrdiff_t launches_min; /* never fewer, unless the budget forbids */
    ptrdiff_t launches_max;
    bool is_fixed; /* exactly launches_max, whatever precision and budget say */
    ptrdiff_t slices_per_launch;
    double slice_ns;       /* length of a slice to aim for */
    double warmup_ns;      /* of every launch of a program */
    ptrdiff_t warmup_runs; /* of a command, before the first kept run */
    bool is_aslr_off;
    int cpu; /* −1: any; else every launch is pinned there */
};

struct measure_plan measure_plan_default(bool is_command);

/* What is known so far, for progress. */
struct measure_progress {
    const char *phase; /* "calibrating", "warming up", "measuring", "counting" */
    ptrdiff_t launches;
    ptrdiff_t samples;
    double elapsed_ns;
    double budget_ns;
    double estimate;            /* of the first metric; NaN: none yet */
    double relative_half_width; /* NaN: none yet */
    double left_ns;             /* expected time to the end of this benchmark */
};

struct measure_observer {
    void *context;
    void (*update)(void *context, const struct measure_progress *progress);
};

/* Fills `benchmark` with launches, metrics and every sample. A program that failed is not an error
 * of the sampler: benchmark->state and reason say so, and what was measured before stays. Errors
 * returned are TARE_INTERRUPTED and failures of the machine (no memory, no file descriptors). */
tare_status measure_benchmark(struct arena *arena, struct measure_target *target,
                              const struct measure_plan *plan, const struct measure_clock *clock,
                              struct random *random, const struct measure_observer *observer,
                              struct model_benchmark *benchmark, struct tare_error *error);

/* Counts allocations and CPU counters of a benchmark in launches of their own, where the target
 * can. Counts that do not repeat are marked as invalid. A program that fails marks the benchmark as
 * failed. */
tare_status measure_counts(struct arena *arena, struct measure_target *target, double iterations,
                           const struct measure_clock *clock, struct random *random,
                           struct model_benchmark *benchmark, struct tare_error *error);

#endif
