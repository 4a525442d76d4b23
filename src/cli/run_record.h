/* run_record.h: everything about a run that is known before the first measurement. */
#ifndef TARE_CLI_RUN_RECORD_H
#define TARE_CLI_RUN_RECORD_H

#include "cli/run_plan.h"

/* Identifier, project, command line, seed, machine, environment, commit, compiler, and what to warn
 * of already. */
void run_record_fill(struct arena *arena, const struct run_options *options,
                     const struct run_plan *plan, char **argv, struct model_run *run);

/* The project a run belongs to: what was said, else the folder's name. */
const char *run_record_project(struct arena *arena, const struct run_options *options);

#endif
