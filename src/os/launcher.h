/* launcher.h: a small helper process that starts children on our behalf. Internal to os. */
#ifndef TARE_OS_LAUNCHER_H
#define TARE_OS_LAUNCHER_H

#include "os/spawn.h"

/* Have the helper (started at the first call) start the plan; false when that is not possible here,
 * and nothing was started: the caller does it itself then. */
/* Start only: the child is ours to wait for. */
bool launcher_start(const struct spawn_plan *plan, struct spawn_result *result);
/* Start, wait, reap: we sleep meanwhile, and nothing of the exchange falls into the measured time.
 * `end` is set when result->pid is. Orphans come to us. */
bool launcher_run(const struct spawn_plan *plan, double timeout_ns, struct spawn_result *result,
                  struct spawn_end *end);
/* The helper's process number, 0 when there is none: a child of ours that is no orphan. */
pid_t launcher_pid(void);

#endif
