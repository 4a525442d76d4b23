/* ab_checks.h: what `tare ab` does besides timing: same output, counts, which metric is steadier.
 */
#ifndef TARE_CLI_AB_CHECKS_H
#define TARE_CLI_AB_CHECKS_H

#include "cli/contest.h"
#include "cli/counting.h"
#include "cli/run_plan.h"

/* Runs every command once on each side, untimed, and compares what they print; a side that prints
 * something else than old has its benchmark marked as invalid. */
tare_status ab_check_output(struct arena *arena, struct run_plan *plans, int side_count,
                            struct contest *contest, struct tare_error *error);

/* Counts allocations of an entry's sides, where programs can, and adds the comparisons. */
tare_status ab_count_sides(struct arena *arena, const struct contest *contest,
                           struct contest_entry *entry, const struct text_list *gate,
                           struct tare_error *error);

/* Counts what --count asks for on every side, adds the comparisons, and has the instructions
 * testify about the time. Harmless when it was done before. */
tare_status ab_count_exactly(struct arena *arena, const struct contest *contest,
                             struct contest_entry *entry, const struct counting *counting,
                             const struct text_list *gate, struct tare_error *error);

/* Is this a metric that is counted in launches of its own? */
bool ab_is_counted(const char *metric);

/* A peak at the launcher's own size is "at most this": two such peaks are not known to be equal.
 * Turns `equivalent` into `inconclusive` there. */
void ab_doubt_memory(struct arena *arena, struct contest_entry *entry);

/* Says for commands when processor time would decide better than wall time. */
void ab_note_steadier(struct arena *arena, const struct contest *contest,
                      struct model_decision *decision);

#endif
