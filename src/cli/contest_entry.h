/* contest_entry.h: tasks of several plans, one per side, as an entry of a contest. */
#ifndef TARE_CLI_CONTEST_ENTRY_H
#define TARE_CLI_CONTEST_ENTRY_H

#include "cli/contest.h"
#include "cli/run_plan.h"

/* tasks[0] is old. Samples go into benchmarks of the entry's own. `gate` names the metrics that
 * decide, NULL: time, and what the benchmark declares itself; the others are compared and shown. */
void contest_entry_fill(struct arena *arena, struct contest_entry *entry, struct run_task **tasks,
                        int side_count, const struct text_list *gate);

#endif
