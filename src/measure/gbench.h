/* gbench.h: drives a program of Google Benchmark, benchmark by benchmark, by its own flags.
 *
 * Such a program fixes its time, not its work, so timing it whole says nothing. Here every launch
 * is one short process that runs one benchmark (an exact, anchored filter) in many short
 * repetitions; each repetition is a slice. The results come as JSON through a file in memory, so
 * whatever the program prints itself does not matter.
 *
 * The process cannot be held between two repetitions: it reports when all are done, and stopping it
 * by a signal stops it inside a timed loop. So lock-step is at the level of processes: one of old,
 * one of new, next to each other, in random order, pinned to the same CPU. Ways tried on two busy
 * cores (load 4 to 8), a kernel of 190 ns, 99 % half-width of an A/A ratio scaled to 5 s; loads
 * differed between the two runs, so compare within one. First run: processes in turns, 20
 * repetitions of 0.3 ms 0.33 %, of 1 ms 0.57 %, one of 1 ms 2.5 %, 5 of 5 ms 30 % (nearly all are
 * preempted); 10 of 1 ms both at once on one CPU 0.96 %, on two 1.8 %, alternated by SIGSTOP and
 * SIGCONT 12 %. Second run: in turns, 20 of 0.1 ms 0.20 %, of 0.3 ms 0.27 %, of 1 ms 0.56 %, by
 * SIGSTOP 0.94 %. Hence repetitions that are short, and some of them.
 *
 * Iterations: from 1.8 on `--benchmark_min_time=Nx` fixes their number, which is then calibrated as
 * for other programs and the same on all sides; the first repetition is warm-up and thrown away. An
 * older library finds a number of its own in every process, which warms it up.
 *
 * Limits: user counters have no direction in this format and are not kept. Google Benchmark reads
 * the CPU clock once inside the wall time it reports, some 0.3 µs or 0.3 % of a repetition; both
 * sides of a comparison have it. A benchmark with a dear set-up pays it for every repetition. A
 * benchmark that sets ->Iterations(), ->MinTime() or ->Repetitions() keeps its own. */
#ifndef TARE_MEASURE_GBENCH_H
#define TARE_MEASURE_GBENCH_H

#include "codec/gbench_json.h"
#include "measure/target.h"
#include "os/process.h"

struct measure_gbench {
    /* Set by the caller. */
    const char *const *argv; /* NULL-terminated; flags of the user's come first, ours win */
    double timeout_ns;       /* for one process */
    const char *directory;   /* to run in; NULL: here */

    /* Found by measure_gbench_list. */
    bool can_fix_iterations;
};

/* Asks the program for its benchmarks. None at all, two of one name, a program that ignores the
 * flag: TARE_ERROR_MEASURE. */
tare_status measure_gbench_list(struct arena *arena, struct measure_gbench *program,
                                struct gbench_list *list, struct tare_error *error);

/* A benchmark of the program as a target for the sampler. */
struct measure_gbench_target {
    /* Set by the caller. */
    struct measure_gbench *program;
    const char *name;

    /* State of the current launch. */
    struct arena arena; /* what lasts as long as its slices */
    struct measure_variation variation;
    struct model_benchmark *benchmark;
    struct gbench_row *rows; /* made and not yet handed out */
    ptrdiff_t row_count;
    ptrdiff_t row_next;
    double row_iterations; /* asked for when they were made */
    int exit_status;
    const char *skip_reason; /* NULL, or why the benchmark declined */

    /* Learnt from earlier processes. */
    double repetition_ns; /* what a repetition costs, with its set-up; 0: not known yet */
    bool is_short;        /* its repetitions are shorter than asked for, always */
    bool is_summed;       /* of several repetitions it reports only aggregates */
};

struct measure_target measure_target_gbench(struct measure_gbench_target *context);

#endif
