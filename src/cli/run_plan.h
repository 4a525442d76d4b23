/* run_plan.h: from the words of the command line to the list of benchmarks to measure.
 *
 * A word is, in this order: an executable with Tare's ELF note (or any with --protocol), or one of
 * Google Benchmark, whose list of benchmarks is asked for; else a command line in shell words.
 * Behind "--" stands one command, word by word. */
#ifndef TARE_CLI_RUN_PLAN_H
#define TARE_CLI_RUN_PLAN_H

#include "cli/config.h"
#include "cli/run_options.h"
#include "measure/command.h"
#include "measure/program.h"
#include "measure/target.h"

/* One benchmark to measure: a target, and what is known of it beforehand. */
struct run_task {
    struct measure_target target;
    struct model_benchmark benchmark; /* name, parameters, variant; no samples yet */
    const char *skip_reason;          /* NULL, or why the program will not run it */
    const char *compiler;             /* "" when not known */
    const char *source;               /* program or command it comes from */
    struct measure_command *command;  /* NULL: a program's benchmark */
    struct measure_program *program;  /* NULL: not one that speaks the protocol */
    bool is_paired;                   /* in a comparison: old has a counterpart */
};

struct run_plan {
    struct run_task *tasks;
    ptrdiff_t task_count;
    ptrdiff_t task_capacity;
    const char *unoptimized;      /* NULL, or a program that was built without optimisation */
    const char *counters_missing; /* NULL, or why a program has no CPU counters */
    struct model_commit commit;   /* what was built; not known: what is checked out here */
};

/* Fails on words that make no sense; a command that cannot be started fails later, as a benchmark.
 */
tare_status run_plan_make(struct arena *arena, const struct run_options *options,
                          const struct option_result *words, struct run_plan *plan,
                          struct tare_error *error);

/* The benchmarks of tare.yaml, for a command without words. */
tare_status run_plan_configured(struct arena *arena, const struct run_options *options,
                                const struct config *config, struct run_plan *plan,
                                struct tare_error *error);

/* Makes the programs of `other` subtract what those of `plan` found their loop and timer to cost,
 * so that a comparison does not see a difference between two calibrations. */
void run_plan_share_calibration(const struct run_plan *plan, struct run_plan *other);

/* A new task at the end of the plan. */
struct run_task *run_plan_add(struct arena *arena, struct run_plan *plan);

#endif
