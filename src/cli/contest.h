/* contest.h: spends the budget on the comparisons that are still in doubt.
 *
 * Benchmarks take turns. A turn is as many paired launches as it takes to reach the next look; then
 * the verdict rule is asked, and a decided benchmark is out. Which one goes next: the one whose
 * next look is cheapest, so that first intervals come early and time goes where doubt is. Ends when
 * all are decided or no look fits into what is left of the budget. */
#ifndef TARE_CLI_CONTEST_H
#define TARE_CLI_CONTEST_H

#include "base/random.h"
#include "detect/verdict.h"
#include "measure/pair.h"

/* One benchmark: its sides, and what is known about each metric of each new side. */
struct contest_entry {
    struct pair pair;
    const char *label;
    const char **metrics; /* compared; the first `gated_count` of them decide */
    ptrdiff_t metric_count;
    ptrdiff_t gated_count;
    ptrdiff_t counted_count;   /* the last ones: exact counts, made once, not judged at a look */
    struct detect_rule *rules; /* one per metric; NULL: the contest's */
    /* comparisons[side − 1][metric]: as of the latest look. */
    struct model_comparison **comparisons;
    bool is_settled;  /* decided, failed, or out of time */
    bool is_closed;   /* not to be taken up again */
    double launch_ns; /* cost of a launch, of late; 0: none yet */
};

/* More launches than this would not decide what these have not. */
enum { CONTEST_LAUNCHES_MAX = 5000 };

struct contest_observer {
    void *context;
    void (*update)(void *context, const struct contest_entry *entry, double left_ns);
    /* An entry will not be measured any more: the moment to count, to keep, to say so. May be NULL.
     */
    tare_status (*settled)(void *context, struct contest_entry *entry, struct tare_error *error);
};

struct contest {
    struct contest_entry *entries;
    ptrdiff_t count;
    struct detect_rule rule;
    struct pair_plan plan;
    struct pair_plan command_plan; /* for entries that are whole commands */
    double budget_ns;
    ptrdiff_t launches_max; /* of an entry; 0: CONTEST_LAUNCHES_MAX */
    const struct measure_clock *clock;
    struct random *random;
    const struct contest_observer *observer;
};

/* Before anything is measured: every comparison says so, whatever interrupts the contest. */
void contest_open(struct arena *arena, const struct contest *contest);

/* Is none of the entry's metrics that decide in doubt? */
bool contest_is_decided(const struct contest *contest, const struct contest_entry *entry);

/* Takes entries that were left in doubt up again, with a new budget: measuring goes on where it
 * stopped and spends on of the same error. Returns how many. */
ptrdiff_t contest_reopen(struct contest *contest, double budget_ns);

/* TARE_INTERRUPTED leaves what was decided in the entries. */
tare_status contest_run(struct arena *arena, struct contest *contest, struct tare_error *error);

#endif
