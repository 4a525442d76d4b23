/* gate_measure.c: spends a gate's budget.
 *
 *   screen every benchmark against its limit, each at the policy's confidence
 *   → confirm what failed, on fresh launches, at the level corrected for how many are gated
 *   → go on with what is still in doubt, in the time left and in a bounded number of retries
 *
 * Going on spends on of the same error (stats/sequential.h); a confirmation is judged by its own
 * launches alone, so that what was picked because it looked bad gets a fair second hearing. */
#include "base/text.h"
#include "base/unit.h"
#include "cli/contest_entry.h"
#include "cli/gate_session.h"
#include "detect/judge.h"
#include "os/clock.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* Of the budget for the first pass; the rest is for confirming, and for doubt. */
static const double SCREEN_SHARE = 0.7;
/* A retry gets half of the budget again. */
static const double RETRY_SHARE = 0.5;
/* Less than a tenth decides nothing that the whole did not. */
static const double LEFT_SHARE_MIN = 0.1;
/* A confirmation that would get less time than this cannot reach its first look under load. */
static const double CONFIRM_NS_MIN = 5e9;

/* Known before the first sample: the target declares its metrics. */
static const char *unit_of(const struct contest_entry *entry, const char *metric)
{
    const struct measure_target *target = &entry->pair.sides[GATE_OLD].target;
    for (ptrdiff_t i = 0; i < target->metric_count; i++) {
        if (strcmp(target->metrics[i].name, metric) == 0) {
            return target->metrics[i].unit;
        }
    }
    return "ns"; /* time, which every target has */
}

/* Limit, band and learnt noise of every metric; the metrics that do not decide have no limit. */
static void set_rules(struct gate_session *session)
{
    struct arena *arena = session->ab.cli->arena;
    struct contest *contest = &session->ab.contest;
    const struct model_policy *policy = &session->ab.config.policy;
    for (ptrdiff_t i = 0; i < contest->count; i++) {
        struct contest_entry *entry = &contest->entries[i];
        entry->rules = ARENA_ARRAY(arena, struct detect_rule, entry->metric_count);
        for (ptrdiff_t m = 0; m < entry->metric_count; m++) {
            entry->rules[m] = contest->rule;
            struct detect_noise_floor learnt =
                noise_floor_of(&session->floors, entry->label, entry->metrics[m]);
            entry->rules[m].floor = learnt.floor;
            if (m >= entry->gated_count) {
                continue;
            }
            entry->rules[m].limit = judge_limit(arena, policy, entry->label, entry->metrics[m],
                                                unit_of(entry, entry->metrics[m]));
            const char *text = detect_noise_floor_text(arena, &learnt, clock_unix_ns());
            if (learnt.floor > contest->rule.band) {
                model_decision_warn(arena, &session->ab.decision, "%s %s: %s",
                                    text_printable(arena, entry->label, 60), entry->metrics[m],
                                    text);
            }
        }
    }
}

/* An exact count is what it is: there is nothing to confirm. */
static bool needs_confirmation(const struct contest_entry *entry, ptrdiff_t metric)
{
    const struct model_comparison *c = &entry->comparisons[0][metric];
    return c->basis != MODEL_BASIS_EXACT &&
           detect_gate(c, &entry->rules[metric].limit) == MODEL_GATE_FAIL;
}

static bool has_failed(const struct contest_entry *entry)
{
    for (ptrdiff_t m = 0; m < entry->gated_count; m++) {
        if (needs_confirmation(entry, m)) {
            return true;
        }
    }
    return false;
}

/* What the fresh launches say takes the place of what made us suspicious. */
static void take_confirmation(struct gate_session *session, struct contest_entry *entry,
                              const struct contest_entry *fresh)
{
    struct arena *arena = session->ab.cli->arena;
    for (ptrdiff_t m = 0; m < entry->gated_count; m++) {
        if (!needs_confirmation(entry, m)) {
            continue;
        }
        struct model_comparison *seen = &entry->comparisons[0][m];
        struct model_comparison again = fresh->comparisons[0][m];
        again.is_confirmed = detect_gate(&again, &fresh->rules[m].limit) == MODEL_GATE_FAIL;
        again.seconds += seen->seconds;
        again.witness = again.is_confirmed ? seen->witness : NULL;
        if (!again.is_confirmed && again.verdict != MODEL_INVALID) {
            entry->is_closed =
                true; /* two answers that disagree are no answer, however it goes on */
            again.verdict = MODEL_INCONCLUSIVE;
            again.reason_code = "not-confirmed";
            again.reason = arena_printf(
                arena, "first it was %s, on fresh launches it was %s: not confirmed",
                unit_format_change(arena, seen->ratio, 1),
                again.has_ratio ? unit_format_change(arena, again.ratio, 1) : "not measured");
        }
        *seen = again;
    }
}

/* A message must not begin behind the line that people watch. */
static const char *clear_line(const struct gate_session *session)
{
    return session->ab.is_live ? "\r\033[K" : "";
}

/* The runs of a confirmation are kept beside the others. */
static tare_status begin_confirmation(struct gate_session *session, struct ab_session *again,
                                      char **argv, struct tare_error *error)
{
    *again = session->ab;
    for (int side = 0; side < GATE_SIDES; side++) {
        again->names[side] =
            arena_printf(session->ab.cli->arena, "%s, confirmation", session->ab.names[side]);
    }
    memset(again->runs, 0, sizeof again->runs);
    again->counting.kinds = 0; /* a count is what it is */
    return ab_begin_runs(again, argv, error);
}

/* The suspects again, with nothing measured yet, at the level corrected for how many are gated. */
static void enter_suspects(struct gate_session *session, struct contest *again,
                           const ptrdiff_t *suspects, ptrdiff_t count)
{
    struct arena *arena = session->ab.cli->arena;
    double alpha =
        (1 - session->ab.decision.confidence) / fmax(1, (double)session->ab.decision.gated_count);
    again->entries = ARENA_ARRAY(arena, struct contest_entry, count);
    again->count = count;
    for (ptrdiff_t i = 0; i < count; i++) {
        const struct contest_entry *suspect = &session->ab.contest.entries[suspects[i]];
        struct contest_entry *fresh = &again->entries[i];
        contest_entry_fresh(arena, suspect, fresh);
        fresh->rules = ARENA_ARRAY(arena, struct detect_rule, fresh->metric_count);
        for (ptrdiff_t m = 0; m < fresh->metric_count; m++) {
            fresh->rules[m] = suspect->rules[m];
            fresh->rules[m].alpha = alpha;
        }
    }
    contest_open(arena, again);
}

/* Fresh launches for every entry that failed and was not confirmed yet. */
static tare_status confirm(struct gate_session *session, char **argv, double budget_ns,
                           struct tare_error *error)
{
    struct arena *arena = session->ab.cli->arena;
    struct contest *contest = &session->ab.contest;
    ptrdiff_t *suspects = ARENA_ARRAY(arena, ptrdiff_t, contest->count);
    ptrdiff_t count = 0;
    for (ptrdiff_t i = 0; i < contest->count; i++) {
        if (!session->is_confirmed[i] && has_failed(&contest->entries[i])) {
            suspects[count++] = i;
        }
    }
    if (count == 0) {
        return TARE_OK;
    }
    struct ab_session again;
    tare_status status = begin_confirmation(session, &again, argv, error);
    if (status != TARE_OK) {
        return status;
    }
    if (!session->options->ab.run.common.quiet) {
        fprintf(stderr, "%sconfirming %td on fresh launches\n", clear_line(session), count);
    }
    again.contest.budget_ns = budget_ns;
    again.observer = (struct contest_observer){
        .context = &again, .update = ab_show_progress, .settled = ab_settle_entry};
    again.contest.observer = &again.observer;
    enter_suspects(session, &again.contest, suspects, count);
    status = contest_run(arena, &again.contest, error);
    for (ptrdiff_t i = 0; i < count; i++) {
        take_confirmation(session, &contest->entries[suspects[i]], &again.contest.entries[i]);
        session->is_confirmed[suspects[i]] = true;
    }
    session->ab.decision = again.decision;
    tare_status kept = ab_finish_runs(&again, status, error);
    return status == TARE_OK ? kept : status;
}

static tare_status keep_entry(struct gate_session *session, struct contest_entry *entry,
                              struct tare_error *error)
{
    bool *is_kept = &session->is_kept[entry - session->ab.contest.entries];
    if (*is_kept) {
        return TARE_OK;
    }
    *is_kept = true;
    return ab_settle_entry(&session->ab, entry, error);
}

/* What is decided is kept at once; what is in doubt may be measured further. */
static tare_status settle(void *context, struct contest_entry *entry, struct tare_error *error)
{
    struct gate_session *session = context;
    return contest_is_decided(&session->ab.contest, entry) ? keep_entry(session, entry, error)
                                                           : TARE_OK;
}

static void show(void *context, const struct contest_entry *entry, double left_ns)
{
    struct gate_session *session = context;
    ab_show_progress(&session->ab, entry, left_ns);
}

static double left_ns(const struct gate_session *session, mono_time started)
{
    return session->options->ab.run.budget_ns - (double)clock_since_ns(started);
}

static void say_retry(const struct gate_session *session, double more_ns, int retries)
{
    if (!session->options->ab.run.common.quiet) {
        fprintf(stderr, "%sstill in doubt: another %s (%d more %s)\n", clear_line(session),
                unit_format(session->ab.cli->arena, more_ns, "ns", 3), retries,
                retries == 1 ? "retry" : "retries");
    }
}

static ptrdiff_t count_launches(const struct contest *contest)
{
    ptrdiff_t count = 0;
    for (ptrdiff_t i = 0; i < contest->count; i++) {
        count += contest->entries[i].pair.launches;
    }
    return count;
}

/* One pass over what is open, then fresh launches for what failed. `is_stuck`: no next look fitted
 * into the time there was, so the same time again would not be used either. */
static tare_status screen(struct gate_session *session, char **argv, mono_time started,
                          bool *is_stuck, struct tare_error *error)
{
    struct contest *contest = &session->ab.contest;
    ptrdiff_t launches = count_launches(contest);
    tare_status status = contest_run(session->ab.cli->arena, contest, error);
    *is_stuck = count_launches(contest) == launches;
    double share_ns = fmax(left_ns(session, started), CONFIRM_NS_MIN);
    return status == TARE_OK ? confirm(session, argv, share_ns, error) : status;
}

/* Screens, confirms, and goes on, until nothing is in doubt or time and retries are used up. */
static tare_status spend_budget(struct gate_session *session, char **argv, struct tare_error *error)
{
    struct contest *contest = &session->ab.contest;
    double budget_ns = session->options->ab.run.budget_ns;
    int retries = (int)session->options->retries;
    mono_time started = clock_now();
    contest->budget_ns = budget_ns * SCREEN_SHARE;
    for (;;) {
        bool is_stuck = false;
        tare_status status = screen(session, argv, started, &is_stuck, error);
        double more_ns = left_ns(session, started);
        bool is_spent = is_stuck || more_ns < budget_ns * LEFT_SHARE_MIN;
        if (status != TARE_OK || (is_spent && retries == 0)) {
            return status;
        }
        more_ns = is_spent ? budget_ns * RETRY_SHARE : more_ns;
        if (contest_reopen(contest, more_ns) == 0) {
            return TARE_OK;
        }
        if (is_spent) {
            retries--;
            started = clock_now();
            started.ns -= (int64_t)(budget_ns - more_ns);
            say_retry(session, more_ns, retries);
        }
    }
}

tare_status gate_measure(struct gate_session *session, char **argv, struct tare_error *error)
{
    struct arena *arena = session->ab.cli->arena;
    struct contest *contest = &session->ab.contest;
    session->is_confirmed = ARENA_ARRAY(arena, bool, contest->count);
    session->is_kept = ARENA_ARRAY(arena, bool, contest->count);
    ab_prepare_contest(&session->ab);
    /* Each is screened at the full confidence; the correction is paid when a failure is confirmed.
     */
    contest->rule.alpha = 1 - session->ab.decision.confidence;
    session->ab.observer =
        (struct contest_observer){.context = session, .update = show, .settled = settle};
    tare_status status = noise_floors_load(
        arena, session->ab.store, session->ab.runs[0].machine.id, session->ab.runs[0].project,
        clock_unix_ns(), session->ab.config.policy.noise_floor_max, &session->floors, error);
    if (status == TARE_OK) {
        set_rules(session);
        status = ab_open_commands(&session->ab, error);
    }
    if (status == TARE_OK) {
        status = spend_budget(session, argv, error);
    }
    struct tare_error ignored = {0};
    for (ptrdiff_t i = 0; i < contest->count; i++) {
        tare_status kept =
            keep_entry(session, &contest->entries[i], status == TARE_OK ? error : &ignored);
        status = status == TARE_OK ? kept : status;
    }
    ab_close_commands(&session->ab);
    session->benchmark_count = contest->count;
    session->benchmarks = ARENA_ARRAY(arena, const struct model_benchmark *, contest->count);
    for (ptrdiff_t i = 0; i < contest->count; i++) {
        session->benchmarks[i] = contest->entries[i].pair.sides[GATE_NEW].benchmark;
    }
    return status;
}

/* A result that nobody checks any more may be fast because it is wrong. */
static void doubt_unchecked(struct gate_session *session, const struct contest_entry *entry)
{
    const struct pair_side *sides = entry->pair.sides;
    if (sides[GATE_OLD].benchmark->check != MODEL_CHECK_PASSED ||
        sides[GATE_NEW].benchmark->check != MODEL_CHECK_NONE ||
        sides[GATE_NEW].benchmark->state != MODEL_STATE_OK) {
        return;
    }
    gate_add_change(session, arena_printf(session->ab.cli->arena, "check of %s: removed",
                                          text_printable(session->ab.cli->arena, entry->label, 0)));
    bool is_refused = session->ab.config.policy.missing == MODEL_OUTCOME_FAIL;
    for (ptrdiff_t m = 0; is_refused && m < entry->gated_count; m++) {
        struct model_comparison *c = &entry->comparisons[0][m];
        c->verdict = MODEL_INVALID;
        c->reason_code = "check-removed";
        c->reason = "old checks its result, new no longer does: it may be fast because it is wrong "
                    "(missing: fail)";
    }
}

/* A policy may let doubt pass, but not that nobody looked. */
static void doubt_unmeasured(const struct gate_session *session, const struct contest_entry *entry)
{
    bool lets_pass = session->ab.config.policy.inconclusive != MODEL_OUTCOME_FAIL;
    for (ptrdiff_t m = 0; lets_pass && m < entry->gated_count; m++) {
        struct model_comparison *c = &entry->comparisons[0][m];
        if (c->verdict == MODEL_INCONCLUSIVE &&
            (c->old_side.count == 0 || c->new_side.count == 0)) {
            c->verdict = MODEL_INVALID;
            c->reason_code = "not-measured";
            c->reason = "nothing was measured, there was no time: --budget";
        }
    }
}

void gate_doubt(struct gate_session *session)
{
    for (ptrdiff_t i = 0; i < session->ab.contest.count; i++) {
        doubt_unchecked(session, &session->ab.contest.entries[i]);
        doubt_unmeasured(session, &session->ab.contest.entries[i]);
    }
}
