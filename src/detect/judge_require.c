/* judge_require.c: floors and ceilings of the policy against what new measured, whatever old did.
 *
 * A requirement is met, or not, by the whole interval of new's typical value (over launch medians,
 * at the policy's confidence), never by the estimate; exact counts by their value. A requirement
 * that finds no benchmark, or no metric, or another kind of unit, is never fine. */
#include "detect/judge_parts.h"

#include "base/unit.h"
#include "stats/summary.h"

#include <math.h>
#include <string.h>

/* As for verdicts: below, an interval says more about its assumptions than about the program. */
enum { LAUNCHES_MIN = 6 };

double judge_unit_factor(struct arena *arena, const char *unit, const char **base)
{
    double factor = 1;
    *base = unit;
    /* "1" is how a metric without a unit is written. */
    if (strcmp(unit, "1") == 0) {
        *base = "";
    } else if (!unit_parse_quantity(arena, arena_printf(arena, "1 %s", unit), &factor, base) ||
               !(factor > 0)) {
        factor = 1;
        *base = unit;
    }
    return factor;
}

static const char *bound_words(struct arena *arena, const struct model_policy_requirement *rule,
                               const char *metric_unit)
{
    const struct model_quantity *bounds[] = {&rule->at_least, &rule->at_most};
    static const char *const words[] = {"at least", "at most"};
    const char *text = "";
    for (int i = 0; i < 2; i++) {
        if (bounds[i]->is_set) {
            bool is_own = bounds[i]->unit == NULL || *bounds[i]->unit == '\0';
            text = arena_printf(
                arena, "%s%s%s %s", text, *text == '\0' ? "" : ", ", words[i],
                judge_bound(arena, bounds[i]->value, is_own ? metric_unit : bounds[i]->unit));
        }
    }
    return text;
}

/* Both bounds in the metric's own unit. */
struct bounds {
    bool has_low;
    bool has_high;
    double low;
    double high;
};

static bool convert_bound(const struct model_quantity *quantity, double factor, const char *base,
                          double *value)
{
    bool is_own = quantity->unit == NULL || *quantity->unit == '\0';
    *value = is_own ? quantity->value : quantity->value / factor;
    return isfinite(*value) && (is_own || strcmp(quantity->unit, base) == 0);
}

/* False: the bound is of another kind than the metric, a time against a rate. */
static bool convert_bounds(struct arena *arena, const struct model_policy_requirement *rule,
                           const char *metric_unit, struct bounds *bounds)
{
    const char *base = NULL;
    double factor = judge_unit_factor(arena, metric_unit, &base);
    *bounds = (struct bounds){.has_low = rule->at_least.is_set, .has_high = rule->at_most.is_set};
    return (!bounds->has_low || convert_bound(&rule->at_least, factor, base, &bounds->low)) &&
           (!bounds->has_high || convert_bound(&rule->at_most, factor, base, &bounds->high)) &&
           (bounds->has_low || bounds->has_high);
}

static struct model_requirement *add(struct judge_work *work, const char *benchmark,
                                     const struct model_policy_requirement *rule)
{
    work->requirements =
        arena_grow(work->arena, work->requirements, &work->requirement_capacity,
                   work->requirement_count + 1, (ptrdiff_t)sizeof *work->requirements);
    struct model_requirement *added = &work->requirements[work->requirement_count++];
    *added = (struct model_requirement){
        .benchmark = benchmark,
        .metric = rule->metric,
        .bound = bound_words(work->arena, rule, ""),
        .gate = MODEL_GATE_OPEN,
    };
    return added;
}

static void set_invalid(struct judge_work *work, struct model_requirement *requirement,
                        const char *reason)
{
    requirement->gate = MODEL_GATE_OPEN;
    requirement->is_invalid = true;
    requirement->reason = reason;
    work->unchecked++;
}

/* What new's samples say, as an interval; or why they say nothing. */
struct finding {
    bool is_known;
    double low;
    double high;
    double estimate;
    const char *obstacle;  /* invalid */
    const char *not_known; /* more measuring would help */
};

static struct finding find_exact(const struct model_metric *metric)
{
    struct finding finding = {.is_known = true,
                              .low = metric->values[0],
                              .high = metric->values[0],
                              .estimate = metric->values[0]};
    for (ptrdiff_t i = 1; i < metric->count; i++) {
        if (metric->values[i] != metric->values[0]) {
            return (struct finding){.obstacle = "counted twice, with two results"};
        }
    }
    return finding;
}

static struct finding find_interval(struct arena *arena, const struct model_metric *metric,
                                    double confidence)
{
    struct arena scratch = {0};
    struct stats_summary summary =
        stats_summarise(metric->values, metric->launches, metric->count, confidence, &scratch);
    arena_free(&scratch);
    struct finding finding = {.estimate = summary.median};
    if (summary.launches < LAUNCHES_MIN || !summary.interval.is_defined) {
        finding.not_known =
            arena_printf(arena, "%td launches are too few to tell", summary.launches);
        return finding;
    }
    finding.is_known = true;
    finding.low = summary.interval.low;
    finding.high = summary.interval.high;
    finding.estimate = summary.interval.estimate;
    return finding;
}

static struct finding find(struct arena *arena, const struct model_benchmark *benchmark,
                           const struct model_metric *metric, double confidence)
{
    if (benchmark->state != MODEL_STATE_OK) {
        return (struct finding){
            .obstacle =
                arena_printf(arena, "the benchmark is %s: %s", model_state_name(benchmark->state),
                             benchmark->reason != NULL ? benchmark->reason : "no reason given")};
    }
    if (metric->invalid_reason != NULL) {
        return (struct finding){.obstacle = metric->invalid_reason};
    }
    for (ptrdiff_t i = 0; i < metric->count; i++) {
        if (!isfinite(metric->values[i])) {
            return (struct finding){.obstacle = "a value is not a number"};
        }
    }
    if (metric->count == 0) {
        return (struct finding){.not_known = "nothing was measured"};
    }
    return metric->is_exact ? find_exact(metric) : find_interval(arena, metric, confidence);
}

/* "3.9 GiB/s (3.8 … 4.0)" */
static const char *found_words(struct arena *arena, const struct finding *finding, const char *unit)
{
    const char *estimate = unit_format(arena, finding->estimate, unit, 3);
    if (!finding->is_known || !(finding->low < finding->high)) {
        return estimate;
    }
    const char *label = NULL;
    double scale = unit_scale(finding->estimate, unit, arena, &label);
    return arena_printf(arena, "%s (%s … %s)", estimate,
                        unit_format_digits(arena, finding->low / scale, 3),
                        unit_format_digits(arena, finding->high / scale, 3));
}

/* Proven within both bounds, proven beyond one, or neither. */
static enum model_gate place(const struct finding *finding, const struct bounds *bounds)
{
    bool is_below = bounds->has_low && detect_is_beyond(bounds->low, finding->high);
    bool is_above = bounds->has_high && detect_is_beyond(finding->low, bounds->high);
    bool may_be_below = bounds->has_low && detect_is_beyond(bounds->low, finding->low);
    bool may_be_above = bounds->has_high && detect_is_beyond(finding->high, bounds->high);
    return is_below || is_above           ? MODEL_GATE_FAIL
           : may_be_below || may_be_above ? MODEL_GATE_OPEN
                                          : MODEL_GATE_PASS;
}

static void count(struct judge_work *work, const struct model_requirement *requirement)
{
    const struct model_policy *policy = work->context->policy;
    work->met += requirement->gate == MODEL_GATE_PASS;
    work->unknown += requirement->gate == MODEL_GATE_OPEN;
    if (requirement->gate == MODEL_GATE_FAIL) {
        work->unmet++;
        work->unmet_quality +=
            model_policy_is_quality(policy, requirement->benchmark, requirement->metric);
        work->unmet_gpu += judge_is_gpu(policy, requirement->benchmark);
    }
}

static void check_metric(struct judge_work *work, const struct model_benchmark *benchmark,
                         const struct model_metric *metric, const char *label,
                         const struct model_policy_requirement *rule)
{
    struct arena *arena = work->arena;
    struct model_requirement *requirement = add(work, label, rule);
    struct bounds bounds;
    requirement->bound = bound_words(arena, rule, metric->unit);
    if (!convert_bounds(arena, rule, metric->unit, &bounds)) {
        set_invalid(work, requirement,
                    arena_printf(arena, "the metric is in %s, which this cannot be held against",
                                 metric->unit));
        return;
    }
    struct finding finding = find(arena, benchmark, metric, work->context->policy->confidence);
    if (finding.obstacle != NULL) {
        set_invalid(work, requirement, finding.obstacle);
        return;
    }
    if (metric->count > 0) {
        requirement->found = found_words(arena, &finding, metric->unit);
    }
    requirement->gate = finding.is_known ? place(&finding, &bounds) : MODEL_GATE_OPEN;
    requirement->reason = requirement->gate == MODEL_GATE_PASS   ? "met"
                          : requirement->gate == MODEL_GATE_FAIL ? "not met"
                          : finding.is_known ? "the interval reaches across the bound"
                                             : finding.not_known;
    count(work, requirement);
}

/* One rule against every benchmark it means. */
static void check_rule(struct judge_work *work, const char *const *labels,
                       const struct model_policy_requirement *rule)
{
    const struct judge_context *context = work->context;
    ptrdiff_t matched = 0;
    ptrdiff_t without = 0;
    const char *first_without = NULL;
    for (ptrdiff_t i = 0; i < context->benchmark_count; i++) {
        const struct model_benchmark *benchmark = context->benchmarks[i];
        if (!model_policy_match(rule->match, labels[i])) {
            continue;
        }
        matched++;
        const struct model_metric *metric = model_metric_find(benchmark, rule->metric);
        if (metric != NULL) {
            check_metric(work, benchmark, metric, labels[i], rule);
        } else if (benchmark->state == MODEL_STATE_OK && benchmark->metric_count == 0) {
            add(work, labels[i], rule)->reason = "the budget was spent before it was measured";
            work->unknown++;
        } else {
            without++;
            first_without = first_without != NULL ? first_without : labels[i];
        }
    }
    if (matched == 0) {
        set_invalid(work, add(work, rule->match, rule), "no benchmark of new has this name");
    } else if (matched == without) {
        set_invalid(work, add(work, rule->match, rule),
                    arena_printf(work->arena, "no benchmark that this means has the metric %s",
                                 rule->metric));
    } else if (without > 0) {
        judge_say(work->arena, &work->notes,
                  "%s (require: %s) is not checked where it is not reported: %s%s", rule->metric,
                  rule->match, first_without,
                  without > 1 ? arena_printf(work->arena, " and %td more", without - 1) : "");
    }
}

void judge_requirements(struct judge_work *work)
{
    const struct judge_context *context = work->context;
    if (context->policy->requirement_count == 0) {
        return;
    }
    const char **labels = ARENA_ARRAY(work->arena, const char *, context->benchmark_count);
    for (ptrdiff_t i = 0; i < context->benchmark_count; i++) {
        labels[i] = model_benchmark_label(work->arena, context->benchmarks[i]);
    }
    for (ptrdiff_t i = 0; i < context->policy->requirement_count; i++) {
        check_rule(work, labels, &context->policy->requirements[i]);
    }
}
