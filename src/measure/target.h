/* target.h: something that can be measured, launch by launch, slice by slice.
 *
 * The sampler knows only this interface: a benchmark in a program that speaks the protocol, a whole
 * command, or a test's fake with a fake clock. */
#ifndef TARE_MEASURE_TARGET_H
#define TARE_MEASURE_TARGET_H

#include "codec/protocol.h"
#include "measure/valgrind.h"
#include "model/model.h"
#include "os/clock.h"

/* Environment padding: up to a page moves the stack through all its alignments. */
enum { MEASURE_PADDING_BYTES_MAX = 4096 };

/* What is varied on purpose between launches, so that luck of placement averages out and is seen.
 */
struct measure_variation {
    int32_t environment_padding_bytes;
    bool is_aslr_off;
    int cpu; /* −1: any */
    bool
        wants_huge_pages; /* large allocations lie on few pages, so that their place matters less */
};

struct measure_target {
    void *context;
    /* Starts a process and prepares the benchmark in it. Fills benchmark->check and friends. A
     * failure of the program is TARE_ERROR_MEASURE; a declined or invalid benchmark sets
     * benchmark->state and returns OK. */
    tare_status (*begin)(void *context, struct arena *arena, enum model_launch_kind kind,
                         const struct measure_variation *variation,
                         struct model_benchmark *benchmark, struct tare_error *error);
    /* Does the work `iterations` times. */
    tare_status (*slice)(void *context, struct arena *arena, double iterations,
                         enum protocol_count count, struct protocol_slice *slice,
                         struct tare_error *error);
    /* Ends the process; *exit_status as wait(2) tells it. */
    tare_status (*end)(void *context, int *exit_status, struct tare_error *error);
    /* NULL: any number of slices. Otherwise a process makes its slices in one go, since it cannot
     * wait between them: how many are left of it; 0 ends the launch. It warms up by itself. */
    ptrdiff_t (*slices_left)(void *context);
    /* NULL, or: a count of iterations from `iterations` to `iterations_max` that suits it better.
     */
    double (*suit)(void *context, double iterations, double iterations_max);
    /* The program chooses its iterations: 1 is asked for, and the time is that of one. */
    bool is_self_paced;
    double slice_ns; /* > 0: the length of a slice that suits it, instead of the plan's */
    /* One slice is one whole process: the count of iterations is always 1. */
    bool is_command;
    bool can_count_allocations;
    bool can_count_counters;
    /* Counts instructions in a launch of its own under Valgrind: of one iteration, or of a whole
     * command. `iterations` is how many to count over, 0 lets it choose and say; builds that are
     * compared use the same. NULL: it cannot be counted, and uncountable_reason says why. */
    tare_status (*count_instructions)(void *context, struct arena *arena,
                                      const struct valgrind *valgrind, double *iterations,
                                      double *count, struct tare_error *error);
    const char *uncountable_reason;
    const char *program_path; /* the file that is run; NULL: none, or not known */
    /* Metrics beyond time that slices may report. */
    const struct protocol_metric *metrics;
    ptrdiff_t metric_count;
    /* Set by measure_slice_run when a slice was declined (SKIPPED) or failed its check (INVALID).
     */
    enum model_state declined;
};

/* Time as the sampler sees it; tests bring their own. */
struct measure_clock {
    void *context;
    mono_time (*now)(void *context);
    int64_t (*suspended_ns)(void *context); /* grows while the machine sleeps */
    double (*steal_ratio)(void *context);   /* share stolen since the last call; NaN: unknown */
};

struct measure_clock measure_clock_real(struct arena *arena);

#endif
