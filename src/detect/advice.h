/* advice.h: what is odd about a measured benchmark, and what to do about it. Pure: samples in,
 * sentences out.
 *
 * Each rule says something specific, with its figures, and ends in a step to take. A rule that
 * cannot be sure keeps silent: a warning that is always there is read by nobody. */
#ifndef TARE_DETECT_ADVICE_H
#define TARE_DETECT_ADVICE_H

#include "model/model.h"

struct advice_context {
    double precision; /* that was asked for */
    double confidence;
    bool is_command;     /* whole processes were timed */
    bool has_warmup;     /* warm-up runs were asked for already */
    bool has_fixed_runs; /* their number was asked for, so precision was not */
    bool is_shell;       /* commands ran through a shell */
};

/* Adds warnings to the benchmark. */
void advice_benchmark(struct arena *arena, struct model_benchmark *benchmark,
                      const struct advice_context *context);

/* Adds warnings that concern many benchmarks alike: imprecise ones, short commands. */
void advice_run_finished(struct arena *arena, struct model_run *run,
                         const struct advice_context *context);

/* Adds warnings that are known before the first measurement: governor, load. */
void advice_run(struct arena *arena, struct model_run *run);

#endif
