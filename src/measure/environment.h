/* environment.h: fills a run's machine, environment and commit from what os finds. */
#ifndef TARE_MEASURE_ENVIRONMENT_H
#define TARE_MEASURE_ENVIRONMENT_H

#include "model/model.h"
#include "os/machine.h"

/* Identity, conditions and id of this machine. */
void measure_machine_read(struct arena *arena, struct model_machine *machine);
/* Likewise of a machine read before, or of a recorded one. */
void measure_machine_fill(struct arena *arena, const struct machine *facts,
                          struct model_machine *machine);

/* Variables and settings that may change a measurement: an allowlist, so that no secret is kept.
 * Values are cut at the model's limit and made printable. */
void measure_environment_read(struct arena *arena, struct model_fields *environment);

/* The commit of `directory` (NULL: the current one). *reason: NULL, or why it is not known. */
void measure_commit_read(struct arena *arena, const char *directory, struct model_commit *commit,
                         const char **reason);

#endif
