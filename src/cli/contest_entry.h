/* contest_entry.h: tasks of several plans, one per side, as an entry of a contest. */
#ifndef TARE_CLI_CONTEST_ENTRY_H
#define TARE_CLI_CONTEST_ENTRY_H

#include "cli/contest.h"
#include "cli/run_plan.h"

/* tasks[0] is old. Samples go into benchmarks of the entry's own. `gate` names the metrics that
 * decide, NULL: time, and what the benchmark declares itself; the others are compared and shown. */
void contest_entry_fill(struct arena *arena, struct contest_entry *entry, struct run_task **tasks,
                        int side_count, const struct text_list *gate);

/* Does a metric of that name decide? An empty `gate`, or none: time, and what is not built in. */
bool contest_metric_is_gated(const struct text_list *gate, const char *name);
/* Is it the reciprocal of the time, so that it would only be judged twice? */
bool contest_metric_is_derived(const char *name);

/* The same benchmark again, with nothing measured yet: for a confirmation that must not see the
 * samples it confirms. */
void contest_entry_fresh(struct arena *arena, const struct contest_entry *entry,
                         struct contest_entry *fresh);

#endif
