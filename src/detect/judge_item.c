/* judge_item.c: one comparison held against its limit: level, pass or fail, waiver, in words. */
#include "detect/judge_parts.h"

#include <string.h>

/* The threshold from which a regression has this level; where only the other one was said, that
 * one: a single number is meant to decide. */
static const struct model_threshold *threshold_of(const struct model_metric_thresholds *thresholds,
                                                  enum model_level level)
{
    if (thresholds == NULL || level < MODEL_LEVEL_WARNING) {
        return NULL;
    }
    const struct model_threshold *first = &thresholds->warning;
    const struct model_threshold *second = &thresholds->critical;
    if (level == MODEL_LEVEL_CRITICAL) {
        first = &thresholds->critical;
        second = &thresholds->warning;
    }
    return first->is_set ? first : second->is_set ? second : NULL;
}

static struct detect_limit limit_from(const struct model_policy *policy,
                                      const struct model_threshold *threshold)
{
    return threshold == NULL ? (struct detect_limit){.is_set = true, .value = policy->min_effect}
                             : (struct detect_limit){.is_set = true,
                                                     .is_absolute = threshold->is_absolute,
                                                     .value = threshold->value};
}

/* A threshold may be written in another unit of the same kind; false: in one of another kind. */
static bool convert_threshold(struct arena *arena, const char *unit,
                              struct model_threshold *threshold)
{
    if (!threshold->is_set || !threshold->is_absolute || threshold->unit == NULL ||
        *threshold->unit == '\0') {
        return true;
    }
    const char *base = NULL;
    threshold->value /= judge_unit_factor(arena, unit, &base);
    return strcmp(base, threshold->unit) == 0;
}

struct detect_limit judge_limit(struct arena *arena, const struct model_policy *policy,
                                const char *label, const char *metric, const char *unit)
{
    const struct model_threshold *threshold = threshold_of(
        model_policy_thresholds(policy, label, metric), model_policy_fail_at(policy, label));
    struct model_threshold own = threshold != NULL ? *threshold : (struct model_threshold){0};
    /* One of another kind is told when the item is judged. */
    if (!model_policy_is_gated(policy, metric) || !convert_threshold(arena, unit, &own)) {
        return (struct detect_limit){0};
    }
    return limit_from(policy, threshold != NULL ? &own : NULL);
}

static bool is_proven_beyond(const struct model_comparison *c,
                             const struct model_threshold *threshold)
{
    struct detect_limit limit = {
        .is_set = true, .is_absolute = threshold->is_absolute, .value = threshold->value};
    return threshold->is_set && detect_gate(c, &limit) == MODEL_GATE_FAIL;
}

enum model_level judge_level(const struct model_comparison *comparison,
                             const struct model_metric_thresholds *thresholds)
{
    if (comparison->verdict != MODEL_REGRESSED) {
        return MODEL_LEVEL_NONE;
    }
    if (thresholds == NULL) {
        return MODEL_LEVEL_MINOR;
    }
    return is_proven_beyond(comparison, &thresholds->critical)  ? MODEL_LEVEL_CRITICAL
           : is_proven_beyond(comparison, &thresholds->warning) ? MODEL_LEVEL_WARNING
                                                                : MODEL_LEVEL_MINOR;
}

/* "limit 3 %", and what the limit really is where learnt noise or the band is above it. */
static const char *limit_words(struct arena *arena, const struct model_comparison *c,
                               const struct detect_limit *limit)
{
    double effective = detect_limit_effective(c, limit);
    const char *said = judge_amount(arena, c, limit->is_absolute, limit->value);
    if (!detect_is_beyond(effective, limit->value)) {
        return arena_printf(arena, "limit %s", said);
    }
    return arena_printf(arena, "limit %s, raised to %s by the %s", said,
                        judge_amount(arena, c, limit->is_absolute, effective),
                        c->floor > c->band ? "noise learnt here" : "smallest effect that counts");
}

/* Of a change for the worse in the interval [near, far]: "at least 3.5 % worse". */
static const char *end_words(struct arena *arena, const struct model_comparison *c,
                             bool is_absolute, const char *which, double amount)
{
    if (!(amount > 0)) {
        return "not worse";
    }
    return arena_printf(arena, "%s %s worse", which, judge_amount(arena, c, is_absolute, amount));
}

static const char *fail_words(struct arena *arena, const struct model_comparison *c,
                              const struct detect_limit *limit)
{
    struct detect_change change = detect_change_for_worse(c, limit->is_absolute);
    if (c->basis == MODEL_BASIS_EXACT) {
        return arena_printf(arena, "%s (%s)", c->reason, limit_words(arena, c, limit));
    }
    bool is_tail = change.has_tail && change.tail_near > change.near;
    return arena_printf(arena, "%s%s (%s)", is_tail ? "the slowest tenth is " : "",
                        end_words(arena, c, limit->is_absolute,
                                  c->basis == MODEL_BASIS_POINT ? "one value each:" : "at least",
                                  is_tail ? change.tail_near : change.near),
                        limit_words(arena, c, limit));
}

static const char *pass_words(struct arena *arena, const struct model_comparison *c,
                              const struct detect_limit *limit)
{
    if (c->basis == MODEL_BASIS_EXACT) {
        return arena_printf(arena, "%s (%s)", c->reason, limit_words(arena, c, limit));
    }
    struct detect_change change = detect_change_for_worse(c, limit->is_absolute);
    return arena_printf(arena, "%s (%s)",
                        end_words(arena, c, limit->is_absolute, "at most", change.far),
                        limit_words(arena, c, limit));
}

/* Why a comparison is neither within its limit nor beyond it. */
static const char *open_words(struct arena *arena, const struct model_comparison *c,
                              const struct detect_limit *limit)
{
    struct detect_change change = detect_change_for_worse(c, limit->is_absolute);
    if (!change.is_known || c->basis == MODEL_BASIS_POINT) {
        return c->reason;
    }
    if (detect_is_beyond(change.far, detect_limit_effective(c, limit))) {
        return arena_printf(arena, "could be %s worse (%s)",
                            judge_amount(arena, c, limit->is_absolute, change.far),
                            limit_words(arena, c, limit));
    }
    return arena_printf(arena, "typically %s (%s), but the slowest part is not shown to be",
                        "within its limit", limit_words(arena, c, limit));
}

const char *judge_waiver_words(struct arena *arena, const struct model_policy_waiver *waiver)
{
    return arena_printf(arena, "%s (%s, until %s)", waiver->reason, waiver->by,
                        judge_date(arena, waiver->until_date));
}

/* Somebody signed for whatever this comparison shows; also for not knowing it: it could pass
 * whichever way it went. */
static bool waive(struct judge_work *work, struct model_comparison *c, const char *label)
{
    const struct judge_context *context = work->context;
    const struct model_policy_waiver *waiver =
        model_policy_waiver(context->policy, label, c->metric, context->today);
    if (waiver != NULL) {
        c->waiver = judge_waiver_words(work->arena, waiver);
        c->gate = MODEL_GATE_WAIVED;
        struct judge_use *use = &work->waiver_uses[waiver - context->policy->waivers];
        use->count++;
        use->first = use->first != NULL ? use->first : judge_subject(work->arena, label, c->metric);
        return true;
    }
    waiver = model_policy_waiver_expired(context->policy, label, c->metric, context->today);
    if (waiver != NULL) {
        c->gate_reason = arena_printf(work->arena, "%s; its waiver ended on %s", c->gate_reason,
                                      judge_date(work->arena, waiver->until_date));
    }
    return false;
}

static bool needs_confirmation(const struct model_comparison *c)
{
    return c->basis != MODEL_BASIS_EXACT && c->basis != MODEL_BASIS_POINT;
}

/* At the lowest level every regression fails: for a throughput the band is a little closer than its
 * number says. */
static enum model_gate place(const struct model_comparison *c, const struct detect_limit *limit,
                             enum model_level fail_at)
{
    bool is_any_regression = fail_at == MODEL_LEVEL_MINOR && c->verdict == MODEL_REGRESSED;
    return is_any_regression ? MODEL_GATE_FAIL : detect_gate(c, limit);
}

/* It failed once and not again: the two contradict each other, so neither is believed. */
static bool is_not_confirmed(const struct model_comparison *c)
{
    return c->reason_code != NULL && strcmp(c->reason_code, "not-confirmed") == 0;
}

/* Pass, fail, open or waived, with the reason. */
static void judge_gate(struct judge_work *work, struct model_comparison *c, const char *label,
                       const struct model_metric_thresholds *thresholds)
{
    struct arena *arena = work->arena;
    enum model_level fail_at = model_policy_fail_at(work->context->policy, label);
    struct detect_limit limit =
        limit_from(work->context->policy, threshold_of(thresholds, fail_at));
    c->limit = limit.value;
    c->is_limit_absolute = limit.is_absolute;
    bool is_refuted = is_not_confirmed(c);
    c->gate = is_refuted ? MODEL_GATE_OPEN : place(c, &limit, fail_at);
    work->unconfirmed += is_refuted;
    if (c->gate == MODEL_GATE_PASS) {
        c->gate_reason = pass_words(arena, c, &limit);
        return;
    }
    bool is_beyond = c->gate == MODEL_GATE_FAIL;
    c->gate_reason = is_beyond    ? fail_words(arena, c, &limit)
                     : is_refuted ? c->reason
                                  : open_words(arena, c, &limit);
    if (waive(work, c, label) || !is_beyond || !needs_confirmation(c)) {
        return;
    }
    const char *how = ", confirmed on fresh launches";
    if (!c->is_confirmed) {
        how = ", but not confirmed on fresh launches";
        c->gate = MODEL_GATE_OPEN;
        work->unconfirmed++;
    }
    c->gate_reason = arena_printf(arena, "%s%s", c->gate_reason, how);
}

bool judge_is_worse(const struct model_comparison *left, const struct model_comparison *right)
{
    if (left->level != right->level) {
        return left->level > right->level;
    }
    return detect_change_for_worse(left, false).near > detect_change_for_worse(right, false).near;
}

/* Proven to be better by more than this factor is no everyday gain: work may have been lost. */
static const double WILD_FACTOR = 2;

static bool is_wild(const struct model_comparison *c)
{
    return c->verdict == MODEL_IMPROVED && c->has_interval && c->low > 0 && c->high > 0 &&
           (c->better == MODEL_LOWER_IS_BETTER ? 1 / c->high : c->low) > WILD_FACTOR;
}

static void count_item(struct judge_work *work, ptrdiff_t at)
{
    const struct model_comparison *items = work->decision->items;
    const struct model_comparison *c = &items[at];
    work->passed += c->gate == MODEL_GATE_PASS;
    work->waived += c->gate == MODEL_GATE_WAIVED;
    if (c->gate == MODEL_GATE_PASS) {
        work->minor += c->level == MODEL_LEVEL_MINOR;
        work->in_budget += c->level > MODEL_LEVEL_MINOR;
    }
    if (c->gate != MODEL_GATE_WAIVED && c->level > work->level) {
        work->level = c->level;
    }
    if (c->gate == MODEL_GATE_FAIL) {
        work->failed++;
        if (work->worst_failed < 0 || judge_is_worse(c, &items[work->worst_failed])) {
            work->worst_failed = at;
        }
    }
    if (is_wild(c)) {
        work->wild++;
        work->first_wild = work->first_wild < 0 ? at : work->first_wild;
    }
    if (c->gate == MODEL_GATE_OPEN) {
        work->open++;
        work->first_open = work->first_open < 0 ? at : work->first_open;
    }
}

static void count_invalid(struct judge_work *work, ptrdiff_t at, const char *reason)
{
    struct model_comparison *c = &work->decision->items[at];
    c->gate = MODEL_GATE_OPEN;
    c->gate_reason = reason != NULL ? reason : "no reason given";
    work->invalid++;
    work->first_invalid = work->first_invalid < 0 ? at : work->first_invalid;
}

void judge_item(struct judge_work *work, ptrdiff_t at)
{
    struct model_comparison *c = &work->decision->items[at];
    const char *label = work->labels[at];
    const struct model_metric_thresholds *thresholds =
        model_policy_thresholds(work->context->policy, label, c->metric);
    struct model_metric_thresholds own = {0};
    bool is_unit_right = true;
    if (thresholds != NULL) {
        own = *thresholds;
        is_unit_right = convert_threshold(work->arena, c->unit, &own.warning) &&
                        convert_threshold(work->arena, c->unit, &own.critical);
    }
    c->gate = MODEL_GATE_NONE;
    c->gate_reason = NULL;
    c->waiver = NULL;
    c->limit = -1;
    c->is_limit_absolute = false;
    c->level = is_unit_right ? judge_level(c, &own) : MODEL_LEVEL_NONE;
    if (!c->is_gated) {
        return;
    }
    work->gated++;
    if (c->verdict == MODEL_INVALID) {
        count_invalid(work, at, c->reason);
    } else if (!is_unit_right) {
        count_invalid(work, at,
                      arena_printf(work->arena, "its threshold is in %s, but it is in %s",
                                   own.warning.is_absolute ? own.warning.unit : own.critical.unit,
                                   c->unit));
    } else {
        judge_gate(work, c, label, &own);
        count_item(work, at);
    }
}
