#include "detect/verdict.h"

#include "base/assert.h"
#include "detect/conclude.h"
#include "stats/order.h"
#include "stats/ratio.h"

#include <math.h>
#include <string.h>

/* How the error is split between the typical round and the slowest tenth of the rounds. */
static const double TYPICAL_SHARE = 0.8;
static const double TAIL_SHARE = 0.2;
/* Rounds per launch from which a slowest tenth can be spoken of. */
enum { TAIL_ROUNDS_MIN = 10 };
/* "Equivalent" wants the slowest tenth within so many bands. One slice in five
 * 30 % slower is at 26 bands of 1 %; identical steady kernels under load were never held up by it
 * (docs/verdicts.md). */
static const double TAIL_BANDS_MAX = 3;

/* What the launches up to the latest look say. */
struct evidence {
    double *typical; /* one log ratio per launch */
    double *tail;
    ptrdiff_t launches;
    ptrdiff_t rounds_min; /* of any launch */
    bool is_defined;      /* all values positive */
};

static struct stats_sequential typical_schedule(const struct detect_rule *rule)
{
    return stats_sequential_new(rule->alpha * TYPICAL_SHARE);
}

ptrdiff_t detect_next_look(const struct detect_rule *rule, ptrdiff_t launches)
{
    struct stats_sequential schedule = typical_schedule(rule);
    ptrdiff_t look = stats_sequential_look(&schedule, launches);
    return stats_sequential_launches(&schedule, look + 1);
}

/* Where the samples of a launch begin and how many they are; samples of a launch stand together. */
static ptrdiff_t launch_samples(const struct model_metric *metric, ptrdiff_t *at)
{
    ptrdiff_t start = *at;
    while (*at < metric->count && metric->launches[*at] == metric->launches[start]) {
        (*at)++;
    }
    return *at - start;
}

/* The values as costs, so that up is worse: those of a throughput are turned over. */
static const double *as_costs(const struct model_metric *metric, ptrdiff_t start, ptrdiff_t count,
                              struct arena *scratch)
{
    if (metric->better == MODEL_LOWER_IS_BETTER) {
        return metric->values + start;
    }
    double *costs = ARENA_ARRAY(scratch, double, count);
    for (ptrdiff_t i = 0; i < count; i++) {
        double value = metric->values[start + i];
        costs[i] = value > 0 ? 1 / value : 0; /* what is not positive stays without a ratio */
    }
    return costs;
}

/* Sums every launch up. Launches of both sides come in the same order with the same number of
 * rounds. */
static struct evidence gather(const struct model_metric *old_metric,
                              const struct model_metric *new_metric, ptrdiff_t launches_max,
                              struct arena *scratch)
{
    struct evidence evidence = {
        .typical = ARENA_ARRAY(scratch, double, launches_max),
        .tail = ARENA_ARRAY(scratch, double, launches_max),
        .rounds_min = PTRDIFF_MAX,
        .is_defined = true,
    };
    ptrdiff_t old_at = 0;
    ptrdiff_t new_at = 0;
    while (evidence.launches < launches_max && old_at < old_metric->count &&
           new_at < new_metric->count) {
        ptrdiff_t old_start = old_at;
        ptrdiff_t new_start = new_at;
        ptrdiff_t rounds = launch_samples(old_metric, &old_at);
        ptrdiff_t new_rounds = launch_samples(new_metric, &new_at);
        rounds = new_rounds < rounds ? new_rounds : rounds;
        struct stats_paired pair =
            stats_paired_launch(as_costs(old_metric, old_start, rounds, scratch),
                                as_costs(new_metric, new_start, rounds, scratch), rounds, scratch);
        evidence.is_defined = evidence.is_defined && pair.is_defined;
        evidence.typical[evidence.launches] = pair.median_log;
        evidence.tail[evidence.launches] = pair.upper_log;
        evidence.launches++;
        evidence.rounds_min = rounds < evidence.rounds_min ? rounds : evidence.rounds_min;
    }
    return evidence;
}

static struct model_side describe_side(const struct model_metric *metric, struct arena *scratch)
{
    struct model_side side = {.count = metric->count};
    for (ptrdiff_t at = 0; at < metric->count;) {
        launch_samples(metric, &at);
        side.launches++;
    }
    if (metric->count > 0) {
        side.median = stats_median(metric->values, metric->count, scratch);
    }
    return side;
}

/* Beyond the band on the bad side, on the good side, or neither; log scale, turned so that up is
 * worse. */
enum place { PLACE_WORSE, PLACE_BETTER, PLACE_INSIDE, PLACE_ACROSS };

static enum place place_interval(const struct stats_interval *log_cost,
                                 const struct model_comparison *c)
{
    double edge = log1p(c->band);
    /* Learnt noise makes a difference harder to claim, never sameness easier. */
    double far_edge = log1p(fmax(c->band, c->floor));
    double worse_low = log_cost->low;
    double worse_high = log_cost->high;
    /* Exactly at the band is not beyond it. */
    const double epsilon = 1e-12;
    if (worse_low > far_edge + epsilon) {
        return PLACE_WORSE;
    }
    if (worse_high < -far_edge - epsilon) {
        return PLACE_BETTER;
    }
    bool is_inside = c->band > 0 && worse_low >= -edge - epsilon && worse_high <= edge + epsilon;
    return is_inside ? PLACE_INSIDE : PLACE_ACROSS;
}

static const char *odd_text(const struct stats_ratio *r)
{
    return r->is_multimodal     ? " (launches fall into two groups)"
           : r->is_skewed       ? " (launches are skewed)"
           : r->is_heavy_tailed ? " (some launches are far off)"
                                : "";
}

static void judge_tail(struct arena *arena, struct model_comparison *c,
                       const struct stats_ratio *tail)
{
    if (!tail->log.is_defined) {
        detect_conclude(c, MODEL_INCONCLUSIVE, "tail-unknown",
                        "the typical round is the same; the slowest tenth needs more launches");
        return;
    }
    double change = fabs(tail->ratio - 1) * 100;
    const char *text = arena_printf(arena,
                                    "the typical round is the same, but the slowest tenth is %.1f "
                                    "%% %s: only some calls changed",
                                    change, tail->ratio > 1 ? "slower" : "faster");
    enum place place = place_interval(&tail->log, c);
    if (place == PLACE_WORSE) {
        detect_conclude(c, MODEL_REGRESSED, "tail-beyond-band", text);
    } else {
        detect_conclude(c, MODEL_INCONCLUSIVE, "tail-differs", text);
    }
}

/* Does the slowest tenth contradict "equivalent"? Its interval is wider than that of the typical
 * round, so it need not lie inside the band; but it must be there, must not lie beyond the band,
 * and its centre must be near. */
static bool tail_contradicts(const struct model_comparison *c, const struct stats_ratio *tail)
{
    enum place place = place_interval(&tail->log, c);
    return !tail->log.is_defined || place == PLACE_WORSE || place == PLACE_BETTER ||
           fabs(tail->log.estimate) > TAIL_BANDS_MAX * log1p(c->band);
}

/* Whole runs have no slowest tenth within a launch; there the mean over launches must be near. */
static bool mean_contradicts(const struct model_comparison *c, double mean_log)
{
    return fabs(mean_log) > TAIL_BANDS_MAX * log1p(c->band);
}

/* Would it count as a change if no noise had been learnt? */
static bool is_within_noise(const struct model_comparison *c, const struct stats_interval *log_cost)
{
    double edge = log1p(c->band);
    return c->floor > c->band && (log_cost->low > edge || log_cost->high < -edge);
}

static void judge_ratio(struct arena *arena, struct model_comparison *c,
                        const struct stats_ratio *typical, const struct stats_ratio *tail,
                        bool has_tail, double mean_log)
{
    enum place place = place_interval(&typical->log, c);
    bool is_tail_worse = tail->log.is_defined && place_interval(&tail->log, c) == PLACE_WORSE;
    if (place == PLACE_WORSE) {
        detect_conclude(c, MODEL_REGRESSED, "beyond-band", "the whole interval is beyond the band");
    } else if (place == PLACE_BETTER && is_tail_worse) {
        detect_conclude(c, MODEL_INCONCLUSIVE, "mixed",
                        "the typical round is better, but the slowest tenth is worse");
    } else if (place == PLACE_BETTER) {
        detect_conclude(c, MODEL_IMPROVED, "beyond-band", "the whole interval is beyond the band");
    } else if (place == PLACE_INSIDE && has_tail && tail_contradicts(c, tail)) {
        judge_tail(arena, c, tail);
    } else if (place == PLACE_INSIDE && !has_tail && mean_contradicts(c, mean_log)) {
        detect_conclude(
            c, MODEL_INCONCLUSIVE, "mean-differs",
            arena_printf(arena,
                         "the typical run is the same, but the mean is %.1f %% off: some "
                         "runs changed",
                         expm1(fabs(mean_log)) * 100));
    } else if (place == PLACE_INSIDE) {
        detect_conclude(c, MODEL_EQUIVALENT, "within-band",
                        "the whole interval is within the band");
    } else if (is_tail_worse) {
        judge_tail(arena, c, tail);
    } else if (is_within_noise(c, &typical->log)) {
        detect_conclude(
            c, MODEL_INCONCLUSIVE, "within-noise",
            arena_printf(arena,
                         "beyond the band, but within the Â± %.1f %% that identical builds showed "
                         "here",
                         c->floor * 100));
    } else {
        detect_conclude(c, MODEL_INCONCLUSIVE, "interval-across-band",
                        arena_printf(arena, "the interval reaches across the edge of the band%s",
                                     odd_text(typical)));
    }
}

static void set_tail(struct model_comparison *c, const struct stats_ratio *tail, bool is_cost)
{
    c->has_tail = true;
    if (tail->log.is_defined) {
        c->tail_ratio = is_cost ? tail->ratio : 1 / tail->ratio;
        c->tail_low = is_cost ? tail->low : 1 / tail->high;
        c->tail_high = is_cost ? tail->high : 1 / tail->low;
    }
}

static void judge_launches(struct arena *arena, struct model_comparison *c,
                           const struct evidence *evidence, const struct detect_rule *rule,
                           struct arena *scratch)
{
    struct stats_sequential schedule = typical_schedule(rule);
    ptrdiff_t look = stats_sequential_look(&schedule, evidence->launches);
    if (look < 0) {
        detect_conclude(c, MODEL_INCONCLUSIVE, "too-few-launches",
                        arena_printf(arena, "%td launches a side; a verdict needs %td",
                                     evidence->launches, stats_sequential_launches(&schedule, 0)));
        return;
    }
    bool is_cost = c->better == MODEL_LOWER_IS_BETTER;
    struct stats_ratio typical = stats_ratio_interval(
        evidence->typical, evidence->launches, stats_sequential_alpha(&schedule, look), scratch);
    struct stats_ratio tail = {0};
    bool has_tail = evidence->rounds_min >= TAIL_ROUNDS_MIN;
    if (has_tail) {
        struct stats_sequential tails = stats_sequential_new(rule->alpha * TAIL_SHARE);
        tail = stats_ratio_interval(evidence->tail, evidence->launches,
                                    stats_sequential_alpha(&tails, look), scratch);
        set_tail(c, &tail, is_cost);
    }
    c->has_ratio = evidence->launches > 0;
    double cost_ratio = typical.log.is_defined
                            ? typical.ratio
                            : exp(stats_median(evidence->typical, evidence->launches, scratch));
    c->ratio = is_cost ? cost_ratio : 1 / cost_ratio;
    if (!typical.log.is_defined) {
        detect_conclude(c, MODEL_INCONCLUSIVE, "too-few-launches",
                        arena_printf(arena, "%td launches a side; this data needs %td",
                                     evidence->launches, typical.launches_min));
        return;
    }
    c->has_interval = true;
    c->low = is_cost ? typical.low : 1 / typical.high;
    c->high = is_cost ? typical.high : 1 / typical.low;
    c->method = stats_interval_method_name(typical.log.method);
    double mean_log = stats_mean(evidence->typical, evidence->launches);
    c->mean_ratio = exp(is_cost ? mean_log : -mean_log);
    judge_ratio(arena, c, &typical, &tail, has_tail, mean_log);
}

/* Why no ratio can be defined, or NULL. */
static const char *find_obstacle(struct arena *arena, const struct model_benchmark *old_benchmark,
                                 const struct model_benchmark *new_benchmark,
                                 const struct model_metric *old_metric,
                                 const struct model_metric *new_metric)
{
    if (old_benchmark->state != MODEL_STATE_OK || new_benchmark->state != MODEL_STATE_OK) {
        bool is_old = old_benchmark->state != MODEL_STATE_OK;
        const struct model_benchmark *bad = is_old ? old_benchmark : new_benchmark;
        return arena_printf(arena, "%s is %s: %s", is_old ? "old" : "new",
                            model_state_name(bad->state),
                            bad->reason != NULL ? bad->reason : "no reason given");
    }
    if (old_metric == NULL || new_metric == NULL || old_metric->count == 0 ||
        new_metric->count == 0) {
        return arena_printf(arena, "%s has no samples of it",
                            old_metric == NULL || old_metric->count == 0 ? "old" : "new");
    }
    if (strcmp(old_metric->unit, new_metric->unit) != 0 ||
        old_metric->better != new_metric->better) {
        return arena_printf(arena, "old has unit %s, %s is better; new has unit %s, %s is better",
                            old_metric->unit, model_better_name(old_metric->better),
                            new_metric->unit, model_better_name(new_metric->better));
    }
    const struct model_metric *bad = old_metric->invalid_reason != NULL ? old_metric : new_metric;
    return bad->invalid_reason;
}

void detect_paired(struct arena *arena, const struct model_benchmark *old_benchmark,
                   const struct model_benchmark *new_benchmark, const char *metric,
                   const struct detect_rule *rule, struct model_comparison *comparison)
{
    struct arena scratch = {0};
    const struct model_metric *old_metric = model_metric_find(old_benchmark, metric);
    const struct model_metric *new_metric = model_metric_find(new_benchmark, metric);
    const struct model_metric *known = old_metric != NULL ? old_metric : new_metric;
    *comparison = (struct model_comparison){
        .benchmark = detect_full_name(arena, old_benchmark),
        .parameters = old_benchmark->parameters,
        .parameter_count = old_benchmark->parameter_count,
        .metric = metric,
        .unit = known != NULL ? known->unit : "",
        .better = known != NULL ? known->better : MODEL_LOWER_IS_BETTER,
        .basis = MODEL_BASIS_PAIRED,
        .band = rule->band,
        .floor = rule->floor,
        .limit = rule->limit.is_set ? rule->limit.value : -1,
        .is_limit_absolute = rule->limit.is_absolute,
        .method = "none",
    };
    if (old_metric != NULL) {
        comparison->old_side = describe_side(old_metric, &scratch);
    }
    if (new_metric != NULL) {
        comparison->new_side = describe_side(new_metric, &scratch);
    }
    bool is_sound =
        old_benchmark->state == MODEL_STATE_OK && new_benchmark->state == MODEL_STATE_OK;
    if (is_sound && old_benchmark->launch_count == 0 && new_benchmark->launch_count == 0) {
        detect_conclude(comparison, MODEL_INCONCLUSIVE, "not-measured",
                        "it was not measured: the time was up, or it was interrupted");
        arena_free(&scratch);
        return;
    }
    const char *obstacle =
        find_obstacle(arena, old_benchmark, new_benchmark, old_metric, new_metric);
    if (obstacle != NULL) {
        detect_conclude(comparison, MODEL_INVALID, "no-ratio", obstacle);
        arena_free(&scratch);
        return;
    }
    TARE_ASSERT(old_metric != NULL && new_metric != NULL);
    if (old_metric->is_exact) {
        detect_exact(arena, comparison, old_metric->values[0], new_metric->values[0]);
    } else {
        ptrdiff_t launches = comparison->old_side.launches < comparison->new_side.launches
                                 ? comparison->old_side.launches
                                 : comparison->new_side.launches;
        struct stats_sequential schedule = typical_schedule(rule);
        ptrdiff_t look = stats_sequential_look(&schedule, launches);
        ptrdiff_t used = look >= 0 ? stats_sequential_launches(&schedule, look) : launches;
        struct evidence evidence = gather(old_metric, new_metric, used, &scratch);
        if (evidence.is_defined) {
            judge_launches(arena, comparison, &evidence, rule, &scratch);
        } else {
            detect_conclude(comparison, MODEL_INVALID, "not-positive",
                            "a value is zero or negative, so there is no ratio");
        }
    }
    arena_free(&scratch);
}

bool detect_is_decided(const struct detect_rule *rule, const struct model_comparison *comparison)
{
    if (comparison->verdict == MODEL_INVALID) {
        return true;
    }
    return rule->limit.is_set ? detect_gate(comparison, &rule->limit) != MODEL_GATE_OPEN
                              : comparison->verdict != MODEL_INCONCLUSIVE;
}

/* The distance from the estimate to the edge it must be told apart from, log scale. */
static double distance_to_edge(const struct detect_rule *rule, const struct model_comparison *c)
{
    if (!rule->limit.is_set) {
        return fabs(fabs(log(c->ratio)) - log1p(rule->band));
    }
    double limit = detect_limit_effective(c, &rule->limit);
    double relative = rule->limit.is_absolute ? limit / fabs(c->old_side.median) : limit;
    bool is_cost = c->better == MODEL_LOWER_IS_BETTER;
    return fabs(log(c->ratio) - (is_cost ? log1p(relative) : log1p(-fmin(relative, 0.999))));
}

ptrdiff_t detect_launches_more(const struct detect_rule *rule,
                               const struct model_comparison *comparison, ptrdiff_t launches,
                               ptrdiff_t launches_max)
{
    if (detect_is_decided(rule, comparison)) {
        return 0;
    }
    /* Nothing is decided before the next look. */
    ptrdiff_t next = detect_next_look(rule, launches);
    bool is_tail_unknown = strcmp(comparison->reason_code, "tail-unknown") == 0;
    if (!comparison->has_interval || is_tail_unknown) {
        return next - launches;
    }
    double wanted = distance_to_edge(rule, comparison);
    double half_width = log(comparison->high / comparison->low) / 2;
    /* An estimate on the edge itself is never decided: half-widths shrink, but never to nothing.
     * What a slowest tenth that differs will do is not known. */
    double needed = (double)launches * (half_width / wanted) * (half_width / wanted);
    if (!(wanted > 0) || needed >= (double)launches_max ||
        strcmp(comparison->reason_code, "tail-differs") == 0) {
        return -1;
    }
    ptrdiff_t total = (ptrdiff_t)ceil(needed);
    return (total > next ? total : next) - launches;
}
