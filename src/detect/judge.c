#include "detect/judge_parts.h"

#include "base/assert.h"
#include "base/text.h"

#include <string.h>

/* Exit codes are the same for every command. */
enum { EXIT_OK = 0, EXIT_REGRESSED = 1, EXIT_INVALID = 3, EXIT_OPEN = 4, EXIT_NO_BASELINE = 5 };

/* "a, b, c and 3 more" */
static const char *name_some(struct arena *arena, const char *const *names, ptrdiff_t count)
{
    enum { SHOWN_MAX = 3 };
    const char *text = "";
    for (ptrdiff_t i = 0; i < count && i < SHOWN_MAX; i++) {
        text = arena_printf(arena, "%s%s%s", text, i == 0 ? "" : ", ", names[i]);
    }
    return count > SHOWN_MAX ? arena_printf(arena, "%s and %td more", text, count - SHOWN_MAX)
                             : text;
}

/* A benchmark that only one side has cannot be compared; the policy says what that means. */
static void judge_absent(struct judge_work *work, const char *const *names, ptrdiff_t count,
                         enum model_outcome outcome, const char *key, const char *side)
{
    if (count == 0) {
        return;
    }
    const char *text =
        arena_printf(work->arena, "only %s has %s", side, name_some(work->arena, names, count));
    if (outcome == MODEL_OUTCOME_FAIL) {
        judge_say(work->arena, &work->obstacles, "%s: could not be compared (%s: fail)", text, key);
        return;
    }
    judge_say(work->arena, &work->notes, "%s: not compared, let through by the policy (%s: %s)",
              text, key, model_outcome_name(outcome));
    work->is_neutral = work->is_neutral || outcome == MODEL_OUTCOME_NEUTRAL;
}

static void judge_invalid_items(struct judge_work *work)
{
    if (work->invalid > 0) {
        const struct model_comparison *first = &work->decision->items[work->first_invalid];
        judge_say(work->arena, &work->obstacles, "%td of %td comparisons could not be made; %s: %s",
                  work->invalid, work->gated,
                  judge_subject(work->arena, work->labels[work->first_invalid], first->metric),
                  first->gate_reason);
    }
}

/* What ran on new's side and failed is no evidence of anything, compared or not. */
static void judge_broken(struct judge_work *work)
{
    const struct judge_context *context = work->context;
    ptrdiff_t broken = 0;
    ptrdiff_t skipped = 0;
    const struct model_benchmark *first = NULL;
    for (ptrdiff_t i = 0; i < context->benchmark_count; i++) {
        const struct model_benchmark *benchmark = context->benchmarks[i];
        bool is_broken =
            benchmark->state == MODEL_STATE_FAILED || benchmark->state == MODEL_STATE_INVALID;
        first = is_broken && first == NULL ? benchmark : first;
        broken += is_broken;
        skipped += benchmark->state == MODEL_STATE_SKIPPED;
    }
    if (first != NULL) {
        judge_say(work->arena, &work->obstacles, "%s of new failed; %s is %s: %s",
                  judge_count(work->arena, broken, "benchmark"),
                  model_benchmark_label(work->arena, first), model_state_name(first->state),
                  first->reason != NULL ? first->reason : "no reason given");
    }
    if (skipped > 0) {
        judge_say(work->arena, &work->notes, "%s of new declined to run",
                  judge_count(work->arena, skipped, "benchmark"));
    }
}

static bool is_metric_gated_here(const struct judge_work *work, const char *metric)
{
    const struct model_decision *decision = work->decision;
    for (ptrdiff_t i = 0; i < decision->count; i++) {
        if (decision->items[i].is_gated && strcmp(decision->items[i].metric, metric) == 0) {
            return true;
        }
    }
    return false;
}

/* A metric that `gate:` names and nothing reports decides nothing: the name is misspelt, or it is
 * no longer measured. */
static void judge_gate_list(struct judge_work *work)
{
    const struct model_text_list *gate = &work->context->policy->gate;
    for (ptrdiff_t i = 0; i < gate->count; i++) {
        if (!is_metric_gated_here(work, gate->items[i])) {
            judge_say(work->arena, &work->obstacles,
                      "the metric %s shall decide (gate: in the policy), but no benchmark that was "
                      "compared has it",
                      gate->items[i]);
        }
    }
}

/* Whatever keeps the gate from deciding, what weighs most first. */
static void find_obstacles(struct judge_work *work)
{
    const struct model_decision *decision = work->decision;
    const struct model_policy *policy = work->context->policy;
    judge_absent(work, decision->missing, decision->missing_count, policy->missing, "missing",
                 "old");
    judge_invalid_items(work);
    judge_broken(work);
    if (work->unchecked > 0) {
        judge_say(work->arena, &work->obstacles, "%s could not be checked",
                  judge_count(work->arena, work->unchecked, "requirement"));
    }
    if (!work->context->has_baseline) {
        return;
    }
    judge_absent(work, decision->added, decision->added_count, policy->added, "added", "new");
    if (decision->count > 0) {
        judge_gate_list(work);
        if (work->gated == 0) {
            judge_say(work->arena, &work->obstacles,
                      "nothing was compared that decides: no benchmark has a metric that does");
        }
    } else if (work->met + work->unmet + work->unknown == 0) {
        judge_say(work->arena, &work->obstacles, "nothing was compared");
    } else {
        judge_say(work->arena, &work->notes,
                  "nothing was compared with old: only the requirements decide");
    }
}

static int exit_code_of(const struct judge_work *work)
{
    bool is_open = work->open > 0 || work->unknown > 0;
    return work->failed > 0 || work->unmet > 0                                    ? EXIT_REGRESSED
           : work->obstacles.count > 0                                            ? EXIT_INVALID
           : !work->context->has_baseline                                         ? EXIT_NO_BASELINE
           : is_open && work->context->policy->inconclusive == MODEL_OUTCOME_FAIL ? EXIT_OPEN
                                                                                  : EXIT_OK;
}

static const char *fail_reason(struct judge_work *work)
{
    struct arena *arena = work->arena;
    const char *unmet =
        work->unmet > 0
            ? arena_printf(arena, "%s not met",
                           work->unmet == 1
                               ? "a requirement is"
                               : arena_printf(arena, "%td requirements are", work->unmet))
            : "";
    if (work->failed == 0) {
        return unmet;
    }
    const struct model_comparison *worst = &work->decision->items[work->worst_failed];
    const char *which = work->failed > 1
                            ? arena_printf(arena, "%td of %td comparisons are beyond their limit; ",
                                           work->failed, work->gated)
                            : "";
    bool is_measured = text_starts_with(worst->gate_reason, "at least");
    return arena_printf(arena, "%s%s%s%s%s%s", which,
                        judge_subject(arena, work->labels[work->worst_failed], worst->metric),
                        is_measured ? " is " : ": ", worst->gate_reason,
                        work->unmet > 0 ? "; " : "", unmet);
}

static const char *open_reason(struct judge_work *work)
{
    struct arena *arena = work->arena;
    if (work->open == 0) {
        return arena_printf(arena, "%s not decided",
                            judge_count(arena, work->unknown, "requirement"));
    }
    const struct model_comparison *first = &work->decision->items[work->first_open];
    return arena_printf(
        arena, "%td of %td comparisons are not decided; %s: %s", work->open, work->gated,
        judge_subject(arena, work->labels[work->first_open], first->metric), first->gate_reason);
}

static const char *pass_reason(struct judge_work *work)
{
    struct arena *arena = work->arena;
    const char *text =
        work->gated == 0                                  ? "nothing was compared with old"
        : work->gated == work->passed && work->gated == 1 ? "1 comparison is within its limit"
        : work->gated == work->passed
            ? arena_printf(arena, "all %td comparisons are within their limit", work->gated)
            : arena_printf(arena, "%td of %td comparisons are within their limit", work->passed,
                           work->gated);
    if (work->waived > 0) {
        text = arena_printf(arena, "%s, %td waived", text, work->waived);
    }
    if (work->met > 0) {
        text = arena_printf(arena, "%s; %td of %td requirements met", text, work->met,
                            work->requirement_count);
    }
    bool is_open = work->open > 0 || work->unknown > 0;
    return is_open ? arena_printf(arena, "%s; %s: let through by the policy (inconclusive: %s)",
                                  text, open_reason(work),
                                  model_outcome_name(work->context->policy->inconclusive))
                   : text;
}

static const char *reason_of(struct judge_work *work, int exit_code)
{
    switch (exit_code) {
    case EXIT_REGRESSED:
        return fail_reason(work);
    case EXIT_INVALID:
        return work->obstacles.items[0];
    case EXIT_NO_BASELINE:
        return work->met > 0
                   ? arena_printf(work->arena,
                                  "there is nothing to compare with; %td of %td requirements met",
                                  work->met, work->requirement_count)
                   : "there is nothing to compare with";
    case EXIT_OPEN:
        return open_reason(work);
    default:
        return pass_reason(work);
    }
}

static enum model_gate outcome_of(const struct judge_work *work, int exit_code)
{
    bool is_open = work->open > 0 || work->unknown > 0;
    bool is_neutral = work->is_neutral ||
                      (is_open && work->context->policy->inconclusive == MODEL_OUTCOME_NEUTRAL);
    return exit_code == EXIT_REGRESSED          ? MODEL_GATE_FAIL
           : exit_code != EXIT_OK || is_neutral ? MODEL_GATE_OPEN
                                                : MODEL_GATE_PASS;
}

/* How many were gated and what that costs in certainty. The screen is at the confidence of each, so
 * that a real change is seen soon; what it finds is only believed when it is seen again at the
 * level that holds for all of them together. */
static const char *correction_words(struct judge_work *work)
{
    double confidence = work->decision->confidence;
    ptrdiff_t counted = work->decision->gated_count;
    ptrdiff_t gated = counted > work->gated ? counted : work->gated;
    if (gated <= 1) {
        return arena_printf(work->arena, "%s decides, at %g %%",
                            judge_count(work->arena, gated, "comparison"), confidence * 100);
    }
    double each = 1 - (1 - confidence) / (double)gated;
    return arena_printf(
        work->arena,
        "%td comparisons decide: screened at %g %% each, failures confirmed at %.6g "
        "%%, so that all of them together hold at %g %%",
        gated, confidence * 100, each * 100, confidence * 100);
}

static const char *waiver_scope(struct arena *arena, const struct model_policy_waiver *waiver)
{
    return waiver->metric == NULL ? waiver->match
                                  : judge_subject(arena, waiver->match, waiver->metric);
}

/* Those that were used, and those that ended: they are said until they are gone from the policy. */
static void say_waivers(struct judge_work *work)
{
    const struct model_policy *policy = work->context->policy;
    struct arena *arena = work->arena;
    for (ptrdiff_t i = 0; i < policy->waiver_count; i++) {
        const struct model_policy_waiver *waiver = &policy->waivers[i];
        const struct judge_use *use = &work->waiver_uses[i];
        if (use->count > 0) {
            const char *more =
                use->count > 1 ? arena_printf(arena, " and %td more", use->count - 1) : "";
            judge_say(arena, &work->waivers, "%s%s waived: %s", use->first, more,
                      judge_waiver_words(arena, waiver));
        }
        if (waiver->until_date < work->context->today) {
            judge_say(arena, &work->waivers,
                      "the waiver of %s ended on %s and no longer counts; it said: %s (%s)",
                      waiver_scope(arena, waiver), judge_date(arena, waiver->until_date),
                      waiver->reason, waiver->by);
        }
    }
}

/* A jump that nobody explains is as suspicious upwards as downwards. */
static void say_wild(struct judge_work *work)
{
    if (work->wild > 0) {
        const struct model_comparison *c = &work->decision->items[work->first_wild];
        judge_say(work->arena, &work->notes,
                  "%s%s is better by more than a factor of two: make sure that it still does the "
                  "same work",
                  judge_subject(work->arena, work->labels[work->first_wild], c->metric),
                  work->wild > 1 ? arena_printf(work->arena, " (and %td more)", work->wild - 1)
                                 : "");
    }
}

/* What stood in the way and is not the reason itself. */
static void say_other_obstacles(struct judge_work *work, int exit_code)
{
    for (ptrdiff_t i = exit_code == EXIT_INVALID ? 1 : 0; i < work->obstacles.count; i++) {
        judge_say(work->arena, &work->notes, "%s", work->obstacles.items[i]);
    }
    if (exit_code == EXIT_REGRESSED && work->unconfirmed > 0) {
        judge_say(work->arena, &work->notes, "%s beyond the limit, but not confirmed",
                  judge_count(work->arena, work->unconfirmed, "more comparison"));
    }
}

void judge_decision(struct arena *arena, struct model_decision *decision,
                    const struct judge_context *context)
{
    TARE_ASSERT(context->policy != NULL);
    struct judge_work work = {
        .arena = arena,
        .decision = decision,
        .context = context,
        .labels = ARENA_ARRAY(arena, const char *, decision->count),
        .waiver_uses = ARENA_ARRAY(arena, struct judge_use, context->policy->waiver_count),
        .worst_failed = -1,
        .first_open = -1,
        .first_invalid = -1,
        .first_wild = -1,
    };
    for (ptrdiff_t i = 0; i < decision->count; i++) {
        work.labels[i] = model_comparison_label(arena, &decision->items[i]);
        judge_item(&work, i);
    }
    judge_requirements(&work);
    find_obstacles(&work);
    say_waivers(&work);
    int exit_code = exit_code_of(&work);
    struct model_judgement *judgement = ARENA_NEW(arena, struct model_judgement);
    *judgement = (struct model_judgement){
        .outcome = outcome_of(&work, exit_code),
        .level = work.level,
        .fail_at = context->policy->fail_at,
        .exit_code = exit_code,
        .reason = reason_of(&work, exit_code),
        .spread = judge_spread(&work),
        .correction = correction_words(&work),
        .requirements = work.requirements,
        .requirement_count = work.requirement_count,
    };
    judge_groups(&work);
    say_wild(&work);
    say_other_obstacles(&work, exit_code);
    decision->judgement = judgement;
    judgement->route = judge_route(&work, judgement);
    judgement->waivers = work.waivers.items;
    judgement->waiver_count = work.waivers.count;
    judgement->notes = work.notes.items;
    judgement->note_count = work.notes.count;
}
