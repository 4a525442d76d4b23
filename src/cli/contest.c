#include "cli/contest.h"

#include "base/assert.h"
#include "os/interrupt.h"

#include <math.h>

/* A first guess at what a launch costs, before one was seen: two processes and forty slices. */
static const double LAUNCH_NS_GUESS = 80e6;
/* Launches of a paced benchmark are at most so long that its share of the budget holds 30 of them:
 * enough for six looks. */
static const double LAUNCHES_WANTED = 30;

static ptrdiff_t launches_max(const struct contest *contest)
{
    return contest->launches_max > 0 ? contest->launches_max : CONTEST_LAUNCHES_MAX;
}

static double left_ns(const struct contest *contest, mono_time started)
{
    mono_time now = contest->clock->now(contest->clock->context);
    return contest->budget_ns - (double)(now.ns - started.ns);
}

/* What it costs to bring the entry to its next look. */
static double next_look_ns(const struct contest *contest, const struct contest_entry *entry)
{
    ptrdiff_t launches = entry->pair.launches;
    ptrdiff_t more = detect_next_look(&contest->rule, launches) - launches;
    return (double)more * (entry->launch_ns > 0 ? entry->launch_ns : LAUNCH_NS_GUESS);
}

static struct contest_entry *choose_entry(struct contest *contest)
{
    struct contest_entry *best = NULL;
    double best_ns = INFINITY;
    for (ptrdiff_t i = 0; i < contest->count; i++) {
        struct contest_entry *entry = &contest->entries[i];
        double cost_ns = entry->is_settled ? INFINITY : next_look_ns(contest, entry);
        if (cost_ns < best_ns) {
            best = entry;
            best_ns = cost_ns;
        }
    }
    return best;
}

/* A single call that outlasts the budget is told, with what a verdict would take. */
static void explain_slow(struct arena *arena, const struct contest *contest,
                         const struct contest_entry *entry, struct model_comparison *comparison)
{
    if (!entry->pair.is_out_of_time || entry->pair.launches > 0 ||
        comparison->verdict != MODEL_INCONCLUSIVE) {
        return;
    }
    double call_s = entry->pair.slice_cost_ns / 1e9;
    ptrdiff_t launches = detect_next_look(&contest->rule, 0);
    comparison->seconds_more = (double)launches * entry->pair.side_count * call_s;
    comparison->reason_code = "slower-than-budget";
    comparison->reason =
        arena_printf(arena, "one call takes %.3g s, a verdict needs %td of them a side: --budget",
                     call_s, launches);
}

static const struct detect_rule *rule_of(const struct contest *contest,
                                         const struct contest_entry *entry, ptrdiff_t metric)
{
    return entry->rules != NULL ? &entry->rules[metric] : &contest->rule;
}

bool contest_is_decided(const struct contest *contest, const struct contest_entry *entry)
{
    for (int side = 1; side < entry->pair.side_count; side++) {
        for (ptrdiff_t m = 0; m < entry->gated_count; m++) {
            if (!detect_is_decided(rule_of(contest, entry, m), &entry->comparisons[side - 1][m])) {
                return false;
            }
        }
    }
    return true;
}

/* Asks the rule about every metric of every new side. What was counted is what it is; what was
 * confirmed is judged by the launches of its confirmation alone. */
static void judge_entry(struct arena *arena, const struct contest *contest,
                        struct contest_entry *entry)
{
    const struct pair_side *sides = entry->pair.sides;
    for (int side = 1; side < entry->pair.side_count; side++) {
        for (ptrdiff_t m = 0; m < entry->metric_count - entry->counted_count; m++) {
            struct model_comparison *comparison = &entry->comparisons[side - 1][m];
            const struct detect_rule *rule = rule_of(contest, entry, m);
            if (comparison->is_confirmed) {
                continue;
            }
            detect_paired(arena, sides[0].benchmark, sides[side].benchmark, entry->metrics[m], rule,
                          comparison);
            comparison->is_gated = m < entry->gated_count;
            ptrdiff_t more =
                detect_launches_more(rule, comparison, entry->pair.launches, launches_max(contest));
            comparison->seconds_more = (double)more * entry->launch_ns / 1e9;
            explain_slow(arena, contest, entry, comparison);
            comparison->seconds = entry->pair.spent_ns / 1e9;
        }
    }
}

void contest_open(struct arena *arena, const struct contest *contest)
{
    for (ptrdiff_t i = 0; i < contest->count; i++) {
        judge_entry(arena, contest, &contest->entries[i]);
    }
}

static void tell(const struct contest *contest, const struct contest_entry *entry,
                 mono_time started)
{
    if (contest->observer != NULL) {
        contest->observer->update(contest->observer->context, entry, left_ns(contest, started));
    }
}

static tare_status settle(struct contest *contest, struct contest_entry *entry,
                          struct tare_error *error)
{
    entry->is_settled = true;
    return contest->observer != NULL && contest->observer->settled != NULL
               ? contest->observer->settled(contest->observer->context, entry, error)
               : TARE_OK;
}

/* What a launch costs: a mean in which the latest weighs most, since paced launches grow. */
static double recent_launch_ns(const struct contest_entry *entry, double spent_before_ns)
{
    const double weight = 0.3;
    double latest_ns = entry->pair.spent_ns - spent_before_ns;
    return entry->launch_ns > 0 ? entry->launch_ns + weight * (latest_ns - entry->launch_ns)
                                : latest_ns;
}

/* Launches up to the next look, then the verdicts. */
static tare_status take_turn(struct arena *arena, struct contest *contest,
                             struct contest_entry *entry, mono_time started,
                             struct tare_error *error)
{
    ptrdiff_t goal = detect_next_look(&contest->rule, entry->pair.launches);
    struct pair_plan *plan =
        entry->pair.sides[0].target.is_command ? &contest->command_plan : &contest->plan;
    tare_status status = TARE_OK;
    entry->pair.is_out_of_time = false; /* the budget may have been extended since */
    while (status == TARE_OK && entry->pair.launches < goal && pair_is_sound(&entry->pair) &&
           left_ns(contest, started) > 0 && !entry->pair.is_out_of_time) {
        if (interrupt_is_requested()) {
            return error_set(error, TARE_INTERRUPTED, "interrupted");
        }
        double spent_ns = entry->pair.spent_ns;
        plan->left_ns = left_ns(contest, started);
        status = pair_launch(arena, &entry->pair, plan, contest->clock, contest->random, error);
        if (entry->pair.launches > 0) {
            entry->launch_ns = recent_launch_ns(entry, spent_ns);
        }
        tell(contest, entry, started);
    }
    judge_entry(arena, contest, entry);
    bool is_over = !pair_is_sound(&entry->pair) ||
                   detect_next_look(&contest->rule, entry->pair.launches) > launches_max(contest) ||
                   left_ns(contest, started) <= 0 || entry->pair.is_out_of_time;
    tell(contest, entry, started);
    return status == TARE_OK && (is_over || contest_is_decided(contest, entry))
               ? settle(contest, entry, error)
               : status;
}

ptrdiff_t contest_reopen(struct contest *contest, double budget_ns)
{
    ptrdiff_t count = 0;
    contest->budget_ns = budget_ns;
    for (ptrdiff_t i = 0; i < contest->count; i++) {
        struct contest_entry *entry = &contest->entries[i];
        bool is_open = entry->is_settled && !entry->is_closed && pair_is_sound(&entry->pair) &&
                       entry->pair.launches < launches_max(contest) &&
                       !contest_is_decided(contest, entry);
        entry->is_settled = !is_open && entry->is_settled;
        count += is_open;
    }
    return count;
}

tare_status contest_run(struct arena *arena, struct contest *contest, struct tare_error *error)
{
    mono_time started = contest->clock->now(contest->clock->context);
    tare_status status = TARE_OK;
    contest->plan.launch_ns_max =
        contest->budget_ns / fmax(1, (double)contest->count) / LAUNCHES_WANTED;
    while (status == TARE_OK) {
        struct contest_entry *entry = choose_entry(contest);
        if (entry == NULL) {
            break;
        }
        /* A look that does not fit is not begun, unless it is the entry's first: then what fits is
         * measured, so that at least an estimate is there. */
        bool does_fit = next_look_ns(contest, entry) <= left_ns(contest, started);
        if (!does_fit && entry->pair.launches > 0) {
            status = settle(contest, entry, error);
        } else if (left_ns(contest, started) <= 0) {
            judge_entry(arena, contest, entry);
            status = settle(contest, entry, error);
        } else {
            status = take_turn(arena, contest, entry, started, error);
        }
    }
    return status;
}
