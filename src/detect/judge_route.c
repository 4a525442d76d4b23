/* judge_route.c: how far a regression spreads, whether groups of benchmarks agree, and where the
 * decision goes next. All of it is computed from the comparisons; nothing is asserted. */
#include "detect/judge_parts.h"

#include "base/text.h"
#include "base/unit.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A regression is system-wide when more than half of the benchmarks that were compared got worse
 * beyond the band, and at least so many: of one or two, "all" says nothing. */
enum { SYSTEM_WIDE_MIN = 3 };
/* Lines of evidence of a route, beside the summary. */
enum { EVIDENCE_MAX = 10 };
/* Metrics whose groups are held against each other. */
enum { GROUP_METRICS_MAX = 8 };

struct moved {
    const char *label;
    bool is_worse;
};

static int compare_labels(const void *left, const void *right)
{
    return strcmp(((const struct moved *)left)->label, ((const struct moved *)right)->label);
}

/* Benchmarks, not comparisons: one with five metrics counts once. */
static void count_moved(struct judge_work *work)
{
    const struct model_decision *decision = work->decision;
    struct moved *list = ARENA_ARRAY(work->arena, struct moved, decision->count);
    ptrdiff_t count = 0;
    for (ptrdiff_t i = 0; i < decision->count; i++) {
        const struct model_comparison *c = &decision->items[i];
        if (c->is_gated && c->verdict != MODEL_INVALID) {
            list[count++] = (struct moved){work->labels[i], c->verdict == MODEL_REGRESSED};
        }
    }
    if (count > 0) {
        qsort(list, (size_t)count, sizeof *list, compare_labels);
    }
    for (ptrdiff_t i = 0; i < count;) {
        ptrdiff_t start = i;
        bool is_worse = false;
        for (; i < count && strcmp(list[i].label, list[start].label) == 0; i++) {
            is_worse = is_worse || list[i].is_worse;
        }
        work->compared_benchmarks++;
        work->worse_benchmarks += is_worse;
    }
}

const char *judge_spread(struct judge_work *work)
{
    count_moved(work);
    bool is_most = work->worse_benchmarks * 2 > work->compared_benchmarks;
    return work->worse_benchmarks == 0                            ? "none"
           : is_most && work->worse_benchmarks >= SYSTEM_WIDE_MIN ? "system-wide"
                                                                  : "localised";
}

/* Is this value a GPU's name, alone or with a number: "cuda", "cuda:1"? */
static bool is_gpu_value(const char *value, size_t length)
{
    static const char *const names[] = {"gpu", "cuda", "hip"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        size_t known = strlen(names[i]);
        if (length >= known && strncmp(value, names[i], known) == 0 &&
            (length == known || value[known] == ':')) {
            return true;
        }
    }
    return false;
}

static bool is_gpu_parameter(const char *word)
{
    static const char *const keys[] = {"device=", "backend=", "target="};
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
        if (text_starts_with(word, keys[i])) {
            const char *value = word + strlen(keys[i]);
            return is_gpu_value(value, strcspn(value, " "));
        }
    }
    return false;
}

bool judge_is_gpu(const struct model_policy *policy, const char *label)
{
    for (ptrdiff_t i = 0; i < policy->gpu.count; i++) {
        if (model_policy_match(policy->gpu.items[i], label)) {
            return true;
        }
    }
    if (text_starts_with(label, "gpu:")) {
        return true;
    }
    for (const char *blank = strchr(label, ' '); blank != NULL; blank = strchr(blank + 1, ' ')) {
        if (is_gpu_parameter(blank + 1)) {
            return true;
        }
    }
    return false;
}

/* One metric of one group. The interval of the mean log ratio goes from the mean of the low ends to
 * the mean of the high ends: it holds whenever all intervals hold together, however they hang
 * together. */
struct group {
    ptrdiff_t count;
    ptrdiff_t worse;
    ptrdiff_t better;
    double log_sum;
    double low_sum;
    double high_sum;
};

static void group_add(struct group *group, const struct model_comparison *c)
{
    group->count++;
    group->worse += c->verdict == MODEL_REGRESSED;
    group->better += c->verdict == MODEL_IMPROVED;
    group->log_sum += log(c->ratio);
    group->low_sum += log(c->low);
    group->high_sum += log(c->high);
}

static bool can_be_averaged(const struct model_comparison *c)
{
    return c->is_gated && c->verdict != MODEL_INVALID && c->has_ratio && c->has_interval &&
           c->ratio > 0 && c->low > 0 && c->high > 0;
}

static const char *group_words(struct arena *arena, const struct group *group)
{
    double count = (double)group->count;
    return arena_printf(arena, "%s (%s … %s, %td of %td regressed)",
                        unit_format_change(arena, exp(group->log_sum / count), 1),
                        unit_format_change(arena, exp(group->low_sum / count), 1),
                        unit_format_change(arena, exp(group->high_sum / count), 1), group->worse,
                        group->count);
}

static void say_groups(struct judge_work *work, const char *metric, const struct group *synthetic,
                       const struct group *realistic)
{
    struct arena *arena = work->arena;
    if (synthetic->count == 0 || realistic->count == 0) {
        return;
    }
    judge_say(arena, &work->notes, "%s, geometric mean: synthetic benchmarks %s, realistic %s",
              metric, group_words(arena, synthetic), group_words(arena, realistic));
    if ((synthetic->worse > 0) != (realistic->worse > 0)) {
        judge_say(arena, &work->notes,
                  "the groups disagree: %s benchmarks regressed in %s, %s ones did not",
                  synthetic->worse > 0 ? "synthetic" : "realistic", metric,
                  synthetic->worse > 0 ? "realistic" : "synthetic");
    } else if ((synthetic->better > 0) != (realistic->better > 0)) {
        judge_say(arena, &work->notes,
                  "the groups disagree: %s benchmarks improved in %s, %s ones did not",
                  synthetic->better > 0 ? "synthetic" : "realistic", metric,
                  synthetic->better > 0 ? "realistic" : "synthetic");
    }
}

static ptrdiff_t metric_index(const char **metrics, ptrdiff_t *count, const char *metric)
{
    for (ptrdiff_t i = 0; i < *count; i++) {
        if (strcmp(metrics[i], metric) == 0) {
            return i;
        }
    }
    if (*count == GROUP_METRICS_MAX) {
        return -1;
    }
    metrics[*count] = metric;
    return (*count)++;
}

void judge_groups(struct judge_work *work)
{
    const struct model_policy *policy = work->context->policy;
    if (policy->synthetic.count == 0 || policy->realistic.count == 0) {
        return;
    }
    const char *metrics[GROUP_METRICS_MAX];
    struct group synthetic[GROUP_METRICS_MAX] = {0};
    struct group realistic[GROUP_METRICS_MAX] = {0};
    ptrdiff_t metric_count = 0;
    for (ptrdiff_t i = 0; i < work->decision->count; i++) {
        const struct model_comparison *c = &work->decision->items[i];
        enum model_group group =
            can_be_averaged(c) ? model_policy_group(policy, work->labels[i]) : MODEL_GROUP_NONE;
        ptrdiff_t at =
            group != MODEL_GROUP_NONE ? metric_index(metrics, &metric_count, c->metric) : -1;
        if (at >= 0) {
            group_add(group == MODEL_GROUP_SYNTHETIC ? &synthetic[at] : &realistic[at], c);
        }
    }
    for (ptrdiff_t i = 0; i < metric_count; i++) {
        say_groups(work, metrics[i], &synthetic[i], &realistic[i]);
    }
}

/* What a failure is about. */
struct failures {
    ptrdiff_t total; /* comparisons beyond their limit, and requirements not met */
    ptrdiff_t quality;
    ptrdiff_t gpu;
};

static struct failures count_failures(const struct judge_work *work)
{
    struct failures failures = {
        .total = work->unmet,
        .quality = work->unmet_quality,
        .gpu = work->unmet_gpu,
    };
    for (ptrdiff_t i = 0; i < work->decision->count; i++) {
        const struct model_comparison *c = &work->decision->items[i];
        if (c->gate == MODEL_GATE_FAIL) {
            failures.total++;
            failures.quality +=
                model_policy_is_quality(work->context->policy, work->labels[i], c->metric);
            failures.gpu += judge_is_gpu(work->context->policy, work->labels[i]);
        }
    }
    return failures;
}

static const char *spread_words(struct judge_work *work, const char *spread)
{
    if (work->worse_benchmarks == 0) {
        return "";
    }
    const char *moved = arena_printf(work->arena, "%s: %td of %td benchmarks got worse", spread,
                                     work->worse_benchmarks, work->compared_benchmarks);
    return strcmp(spread, "system-wide") == 0
               ? arena_printf(work->arena,
                              "; %s, so look for a cause they share (compiler, flags, allocator, "
                              "common code) before single functions",
                              moved)
               : arena_printf(work->arena, "; %s", moved);
}

/* Quality lost weighs more than speed; a GPU's route is taken when nothing else failed. */
static enum model_route_kind route_of_failure(struct judge_work *work, const char *spread,
                                              const char **reason)
{
    struct failures failures = count_failures(work);
    struct arena *arena = work->arena;
    const char *words = spread_words(work, spread);
    if (failures.quality > 0) {
        *reason = arena_printf(arena,
                               "quality was lost: %td of %td failures are of metrics with an "
                               "absolute threshold%s",
                               failures.quality, failures.total, words);
        return MODEL_ROUTE_ACCURACY;
    }
    if (failures.gpu == failures.total) {
        *reason = arena_printf(arena, "beyond the budget, on the GPU only%s", words);
        return MODEL_ROUTE_GPU;
    }
    *reason =
        arena_printf(arena, "beyond the budget%s%s", words,
                     failures.gpu > 0 ? arena_printf(arena, "; %td of %td failures are on the GPU",
                                                     failures.gpu, failures.total)
                                      : "");
    return MODEL_ROUTE_FIX;
}

static enum model_route_kind route_of_success(struct judge_work *work, const char **reason)
{
    struct arena *arena = work->arena;
    if (work->waived > 0) {
        *reason = arena_printf(arena, "%s waived: to be documented",
                               judge_count(arena, work->waived, "comparison"));
        return MODEL_ROUTE_DOCUMENT;
    }
    if (work->in_budget > 0) {
        *reason = arena_printf(arena, "%s regressed within the budget: to be documented",
                               judge_count(arena, work->in_budget, "comparison"));
        return MODEL_ROUTE_DOCUMENT;
    }
    if (work->open > 0 || work->unknown > 0) {
        *reason = "not everything is decided, which the policy lets pass: to be documented";
        return MODEL_ROUTE_DOCUMENT;
    }
    if (work->minor > 0) {
        *reason = arena_printf(arena, "%s regressed, within the threshold",
                               judge_count(arena, work->minor, "comparison"));
        return MODEL_ROUTE_PROMOTE;
    }
    *reason = "no regression";
    return MODEL_ROUTE_FINALIZE;
}

/* Which comparisons speak for a route. */
static bool is_evidence(const struct model_comparison *c, enum model_route_kind kind)
{
    switch (kind) {
    case MODEL_ROUTE_FIX:
    case MODEL_ROUTE_GPU:
    case MODEL_ROUTE_ACCURACY:
        return c->gate == MODEL_GATE_FAIL;
    case MODEL_ROUTE_DOCUMENT:
        return c->gate == MODEL_GATE_WAIVED || c->gate == MODEL_GATE_OPEN ||
               c->level > MODEL_LEVEL_MINOR;
    case MODEL_ROUTE_PROMOTE:
        return c->level > MODEL_LEVEL_NONE;
    case MODEL_ROUTE_RETRY:
        return c->gate == MODEL_GATE_OPEN;
    default:
        return false;
    }
}

static int compare_worse(const void *left, const void *right)
{
    const struct model_comparison *a = *(const struct model_comparison *const *)left;
    const struct model_comparison *b = *(const struct model_comparison *const *)right;
    return judge_is_worse(a, b) ? -1 : judge_is_worse(b, a) ? 1 : a < b ? -1 : a > b;
}

/* The comparisons that speak for a route, worst first; others in their order. */
static ptrdiff_t find_evidence(const struct judge_work *work, enum model_route_kind kind,
                               const struct model_comparison **found)
{
    ptrdiff_t count = 0;
    for (ptrdiff_t i = 0; i < work->decision->count; i++) {
        const struct model_comparison *c = &work->decision->items[i];
        if (c->is_gated && is_evidence(c, kind)) {
            found[count++] = c;
        }
    }
    if (count > 0) {
        qsort(found, (size_t)count, sizeof(const struct model_comparison *), compare_worse);
    }
    return count;
}

static void gather_evidence(struct judge_work *work, enum model_route_kind kind,
                            struct judge_texts *texts)
{
    struct arena *arena = work->arena;
    const struct model_comparison **found =
        ARENA_ARRAY(arena, const struct model_comparison *, work->decision->count);
    ptrdiff_t count = find_evidence(work, kind, found);
    ptrdiff_t left_out = count > EVIDENCE_MAX ? count - EVIDENCE_MAX : 0;
    judge_say(arena, texts, "%s", judge_evidence_summary(arena, work->decision));
    for (ptrdiff_t i = 0; i < count - left_out; i++) {
        judge_say(arena, texts, "%s", judge_evidence(arena, found[i]));
    }
    for (ptrdiff_t i = 0; i < work->requirement_count; i++) {
        if (work->requirements[i].gate == MODEL_GATE_PASS) {
            continue;
        }
        if (texts->count <= EVIDENCE_MAX) {
            judge_say(arena, texts, "%s",
                      judge_evidence_requirement(arena, &work->requirements[i]));
        } else {
            left_out++;
        }
    }
    if (left_out > 0) {
        judge_say(arena, texts, "perf: %td more of the kind", left_out);
    }
}

static enum model_route_kind kind_of(struct judge_work *work,
                                     const struct model_judgement *judgement, const char **reason)
{
    if (work->failed > 0 || work->unmet > 0) {
        return route_of_failure(work, judgement->spread, reason);
    }
    if (work->obstacles.count > 0) {
        *reason = "it could not be compared: mend that first, then again";
        return MODEL_ROUTE_RETRY;
    }
    if (!work->context->has_baseline) {
        *reason = "there is no baseline yet: this run can become one";
        return MODEL_ROUTE_SUMMARIZE;
    }
    if (judgement->outcome == MODEL_GATE_OPEN && (work->open > 0 || work->unknown > 0)) {
        *reason = work->unconfirmed > 0
                      ? "a regression was seen, but not confirmed: more time would tell"
                      : "not decided: more time, or a quieter machine, would tell";
        return MODEL_ROUTE_RETRY;
    }
    return route_of_success(work, reason);
}

struct model_route judge_route(struct judge_work *work, const struct model_judgement *judgement)
{
    const char *reason = NULL;
    enum model_route_kind kind = kind_of(work, judgement, &reason);
    struct judge_texts evidence = {0};
    gather_evidence(work, kind, &evidence);
    return (struct model_route){
        .kind = model_route_key(kind),
        .name = work->context->policy->routes[kind],
        .reason = reason,
        .evidence = evidence.items,
        .evidence_count = evidence.count,
    };
}
