/* run_session.h: measuring a plan from start to end, as `tare run` does, and as a gate does that
 * holds head against a stored run. */
#ifndef TARE_CLI_RUN_SESSION_H
#define TARE_CLI_RUN_SESSION_H

#include "base/random.h"
#include "cli/command.h"
#include "cli/config.h"
#include "cli/counting.h"
#include "cli/progress.h"
#include "cli/run_options.h"
#include "cli/run_plan.h"
#include "store/store.h"

struct run_session {
    struct cli *cli;
    struct run_options *options;
    struct config config;
    struct run_plan plan;
    struct counting counting;
    double counting_ns; /* spent on it, which has no part in the budget */
    struct model_run run;
    struct store *store;
    struct progress progress;
    struct measure_clock clock;
    struct random random;
    mono_time started;
};

/* The record, and a run in the store, which is opened when it is not yet. */
tare_status run_session_begin(struct run_session *session, char **argv, struct tare_error *error);
/* Every benchmark in turn; each is kept as soon as it is measured. */
tare_status run_session_measure(struct run_session *session, struct tare_error *error);
/* Ends the run in the store; the store stays open. Returns `status`, or what went wrong here. */
tare_status run_session_finish(struct run_session *session, tare_status status,
                               struct tare_error *error);

#endif
