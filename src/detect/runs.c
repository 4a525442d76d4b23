/* runs.c: figures of two runs and of reruns → verdict. The interval is explained in runs.h, the
 * rule of the band is that of verdict.h: four fifths of the error for the typical launch, one fifth
 * for the worst tenth of the samples. */
#include "detect/runs.h"

#include "base/assert.h"
#include "base/unit.h"
#include "detect/conclude.h"
#include "detect/figures.h"
#include "stats/distribution.h"
#include "stats/interval.h"

#include <math.h>
#include <string.h>

/* As in verdict.c, which has the reasons. */
static const double TYPICAL_SHARE = 0.8;
static const double TAIL_SHARE = 0.2;
static const double TAIL_BANDS_MAX = 3;
/* Exactly at a threshold is not beyond it. */
static const double EPSILON = 1e-12;

/* ---- what reruns say ---- */

static bool is_usable(const struct model_figures *figures)
{
    return figures->is_known && figures->has_logs && figures->launches >= DETECT_RUN_LAUNCHES_MIN;
}

/* Sum of squares about the mean of a group's centres, and of its tails. */
struct squares {
    double centre;
    double tail;
};

static struct squares sum_squares(const struct model_figures *const *group, ptrdiff_t count)
{
    double centre_mean = 0;
    double tail_mean = 0;
    for (ptrdiff_t i = 0; i < count; i++) {
        centre_mean += group[i]->centre_log / (double)count;
        tail_mean += group[i]->tail_log / (double)count;
    }
    struct squares sum = {0};
    for (ptrdiff_t i = 0; i < count; i++) {
        double centre = group[i]->centre_log - centre_mean;
        double tail = group[i]->tail_log - tail_mean;
        sum.centre += centre * centre;
        sum.tail += tail * tail;
    }
    return sum;
}

struct detect_reruns detect_reruns_pool(const struct detect_rerun *reruns, ptrdiff_t count,
                                        struct arena *scratch)
{
    struct arena_mark mark = arena_mark(scratch);
    const struct model_figures **group = ARENA_ARRAY(scratch, const struct model_figures *, count);
    struct detect_reruns pool = {.has_tail = true};
    struct squares total = {0};
    double launch_sum = 0;
    for (ptrdiff_t start = 0, end = 0; start < count; start = end) {
        ptrdiff_t usable = 0;
        for (; end < count && reruns[end].group == reruns[start].group; end++) {
            if (is_usable(reruns[end].figures)) {
                group[usable++] = reruns[end].figures;
            }
        }
        if (usable < 2) {
            continue;
        }
        struct squares squares = sum_squares(group, usable);
        total.centre += squares.centre;
        total.tail += squares.tail;
        for (ptrdiff_t i = 0; i < usable; i++) {
            launch_sum += group[i]->centre_variance;
            pool.has_tail = pool.has_tail && group[i]->has_tail;
        }
        pool.runs += usable;
        pool.groups++;
    }
    arena_reset(scratch, mark);
    pool.freedom = (double)(pool.runs - pool.groups);
    if (pool.freedom > 0) {
        pool.variance = total.centre / pool.freedom;
        pool.tail_variance = total.tail / pool.freedom;
        pool.launch_variance = launch_sum / (double)pool.runs;
    }
    pool.has_tail = pool.has_tail && pool.freedom > 0;
    return pool;
}

double detect_reruns_deviation(const struct detect_reruns *reruns)
{
    return sqrt(fmax(0, reruns->variance - reruns->launch_variance));
}

/* ---- the interval ---- */

/* Of the log cost ratio; up is worse. */
struct log_interval {
    bool is_defined;
    double estimate;
    double low;
    double high;
};

static struct log_interval interval_around(double estimate, double variance, double freedom,
                                           double alpha)
{
    double half_width = stats_t_quantile_upper(alpha / 2, freedom) * sqrt(variance);
    return (struct log_interval){
        .is_defined = true,
        .estimate = estimate,
        .low = estimate - half_width,
        .high = estimate + half_width,
    };
}

/* How many times wider than for normal runs. Fitted to the quantiles of |a − b| / √(2 S²) of
 * exponential runs (sometimes slower, never faster), for 4 to 40 reruns and alpha from 1 to 0.01 %:
 * there the exact factors are 1.73, 1.67, 1.56, 1.44 for 4, 6, 10, 20 reruns at 1 %,
 * and 2.15, 2.15, 2.15, 2.00 at 0.01 %. */
static double skew_guard(double freedom, double alpha)
{
    double rarer = fmax(0, log10(0.01 / alpha));
    return (1.45 + 1 / freedom) * (1 + 0.2 * rarer);
}

/* Runs without any variation (memory, faults) have no width to go by: then as many equal runs are
 * wanted as the sign test would want. */
static bool is_freedom_enough(const struct detect_reruns *reruns, double variance, double alpha)
{
    double least = DETECT_RERUN_FREEDOM_MIN;
    if (!(variance > 0)) {
        least = fmax(least, (double)(stats_sign_count_min(alpha) - 1));
    }
    return reruns->freedom >= least;
}

/* Twice the variance between runs, and what the compared runs' own launches add to it. */
static struct log_interval runs_interval(double estimate, double variance_between,
                                         const struct model_figures *old_figures,
                                         const struct model_figures *new_figures,
                                         const struct detect_reruns *reruns, double alpha)
{
    double guard = reruns->freedom > 0 ? skew_guard(reruns->freedom, alpha) : 0;
    double between = 2 * variance_between * guard * guard;
    double old_extra = fmax(0, old_figures->centre_variance - reruns->launch_variance);
    double new_extra = fmax(0, new_figures->centre_variance - reruns->launch_variance);
    double variance = between + old_extra + new_extra;
    if (!is_freedom_enough(reruns, variance, alpha)) {
        return (struct log_interval){.estimate = estimate};
    }
    double freedom = reruns->freedom;
    if (variance > 0) {
        double spread = between * between / freedom +
                        old_extra * old_extra / detect_figures_freedom(old_figures->launches) +
                        new_extra * new_extra / detect_figures_freedom(new_figures->launches);
        freedom = variance * variance / spread;
    }
    return interval_around(estimate, variance, freedom, alpha);
}

/* What launches alone would say: Welch's interval of two trimmed means. Never a verdict's. */
static struct log_interval launches_interval(double estimate,
                                             const struct model_figures *old_figures,
                                             const struct model_figures *new_figures, double alpha)
{
    double old_part = old_figures->centre_variance;
    double new_part = new_figures->centre_variance;
    double variance = old_part + new_part;
    if (!(variance > 0)) {
        return (struct log_interval){.estimate = estimate};
    }
    double spread = old_part * old_part / detect_figures_freedom(old_figures->launches) +
                    new_part * new_part / detect_figures_freedom(new_figures->launches);
    return interval_around(estimate, variance, variance * variance / spread, alpha);
}

/* ---- the verdict ---- */

enum place { PLACE_WORSE, PLACE_BETTER, PLACE_INSIDE, PLACE_ACROSS };

/* Changes must be beyond the learnt noise too; `equivalent` goes by the band alone. */
static enum place place_of(const struct log_interval *interval, const struct model_comparison *c)
{
    double edge = log1p(fmax(c->band, c->floor));
    double inner = log1p(c->band);
    if (!interval->is_defined) {
        return PLACE_ACROSS;
    }
    if (interval->low > edge + EPSILON) {
        return PLACE_WORSE;
    }
    if (interval->high < -edge - EPSILON) {
        return PLACE_BETTER;
    }
    bool is_inside =
        c->band > 0 && interval->low >= -inner - EPSILON && interval->high <= inner + EPSILON;
    return is_inside ? PLACE_INSIDE : PLACE_ACROSS;
}

/* "runs of one commit differ by 1.2 % here (6 reruns of 2 commits)" */
static const char *reruns_text(struct arena *arena, const struct detect_reruns *reruns)
{
    return arena_printf(arena, "runs of one commit differ by %.2g %% here (%td reruns of %td %s)",
                        expm1(sqrt(reruns->variance)) * 100, reruns->runs, reruns->groups,
                        reruns->groups == 1 ? "commit" : "commits");
}

static double signed_log(const struct model_comparison *c, double log_value)
{
    return c->better == MODEL_LOWER_IS_BETTER ? log_value : -log_value;
}

/* Back from costs to the metric's own ratio. */
static void put_interval(const struct model_comparison *c, const struct log_interval *interval,
                         double *low, double *high)
{
    bool is_cost = c->better == MODEL_LOWER_IS_BETTER;
    *low = is_cost ? exp(interval->low) : exp(-interval->high);
    *high = is_cost ? exp(interval->high) : exp(-interval->low);
}

/* "by launches alone +1.0 … +3.1 %" */
static const char *launches_text(struct arena *arena, const struct model_comparison *c,
                                 const struct model_figures *old_figures,
                                 const struct model_figures *new_figures, double estimate,
                                 double alpha)
{
    struct log_interval interval = launches_interval(estimate, old_figures, new_figures, alpha);
    if (!interval.is_defined) {
        return "launches alone do not vary";
    }
    double low;
    double high;
    put_interval(c, &interval, &low, &high);
    return arena_printf(arena, "by launches alone %s … %s", unit_format_change(arena, low, 1),
                        unit_format_change(arena, high, 1));
}

static void conclude_without_reruns(struct arena *arena, struct model_comparison *c,
                                    const struct detect_reruns *reruns, const char *launches)
{
    ptrdiff_t runs = reruns != NULL ? reruns->runs : 0;
    if (runs == 0) {
        detect_conclude(
            c, MODEL_INCONCLUSIVE, "no-reruns",
            arena_printf(arena,
                         "%s, but how much runs differ is not known: 'tare run' one commit %d "
                         "times, or use 'tare ab'",
                         launches, DETECT_RERUN_FREEDOM_MIN + 1));
    } else {
        double freedom = reruns->freedom;
        detect_conclude(
            c, MODEL_INCONCLUSIVE, "too-few-reruns",
            arena_printf(arena,
                         "%s, but how much runs differ is known from %td reruns of %td %s "
                         "only: %.0f more 'tare run' of one of them, or 'tare ab'",
                         launches, runs, reruns->groups, reruns->groups == 1 ? "commit" : "commits",
                         fmax(1, DETECT_RERUN_FREEDOM_MIN - freedom)));
    }
}

static const char *tail_text(struct arena *arena, const struct model_comparison *c)
{
    return arena_printf(arena,
                        "the typical launch is the same, but the worst tenth changed by %s: only "
                        "some calls changed",
                        unit_format_change(arena, c->tail_ratio, 1));
}

/* Does what a median cannot see contradict "equivalent"? */
static bool tail_contradicts(const struct model_comparison *c, const struct log_interval *tail)
{
    enum place place = place_of(tail, c);
    return place == PLACE_WORSE || place == PLACE_BETTER ||
           fabs(tail->estimate) > TAIL_BANDS_MAX * log1p(c->band);
}

static void judge_inside(struct arena *arena, struct model_comparison *c,
                         const struct log_interval *tail, double mean_log)
{
    if (c->has_tail && !tail->is_defined) {
        detect_conclude(
            c, MODEL_INCONCLUSIVE, "tail-unknown",
            "the typical launch is the same; of the worst tenth the reruns say too little");
    } else if (c->has_tail && tail_contradicts(c, tail)) {
        bool is_worse = place_of(tail, c) == PLACE_WORSE;
        detect_conclude(c, is_worse ? MODEL_REGRESSED : MODEL_INCONCLUSIVE,
                        is_worse ? "tail-beyond-band" : "tail-differs", tail_text(arena, c));
    } else if (!c->has_tail && fabs(mean_log) > TAIL_BANDS_MAX * log1p(c->band)) {
        detect_conclude(
            c, MODEL_INCONCLUSIVE, "mean-differs",
            arena_printf(arena,
                         "the typical launch is the same, but the mean is %.1f %% off: some "
                         "launches changed",
                         expm1(fabs(mean_log)) * 100));
    } else {
        detect_conclude(c, MODEL_EQUIVALENT, "within-band",
                        "the whole interval is within the band");
    }
}

static void judge_interval(struct arena *arena, struct model_comparison *c,
                           const struct log_interval *typical, const struct log_interval *tail,
                           double mean_log, const struct detect_reruns *reruns)
{
    enum place place = place_of(typical, c);
    bool is_tail_worse = c->has_tail && place_of(tail, c) == PLACE_WORSE;
    if (place == PLACE_WORSE) {
        detect_conclude(c, MODEL_REGRESSED, "beyond-band", "the whole interval is beyond the band");
    } else if (place == PLACE_BETTER && is_tail_worse) {
        detect_conclude(c, MODEL_INCONCLUSIVE, "mixed",
                        "the typical launch is better, but the worst tenth is worse");
    } else if (place == PLACE_BETTER) {
        detect_conclude(c, MODEL_IMPROVED, "beyond-band", "the whole interval is beyond the band");
    } else if (place == PLACE_INSIDE) {
        judge_inside(arena, c, tail, mean_log);
    } else if (is_tail_worse) {
        detect_conclude(c, MODEL_REGRESSED, "tail-beyond-band", tail_text(arena, c));
    } else {
        detect_conclude(c, MODEL_INCONCLUSIVE, "interval-across-band",
                        arena_printf(arena, "the interval reaches across the edge of the band: %s",
                                     reruns_text(arena, reruns)));
    }
}

static void judge_figures(struct arena *arena, struct model_comparison *c,
                          const struct model_figures *old_figures,
                          const struct model_figures *new_figures,
                          const struct detect_reruns *reruns, const struct detect_runs_rule *rule)
{
    double alpha = rule->verdict.alpha;
    double estimate = signed_log(c, new_figures->centre_log - old_figures->centre_log);
    double mean_log = signed_log(c, new_figures->mean_log - old_figures->mean_log);
    c->has_ratio = true;
    c->ratio = exp(new_figures->centre_log - old_figures->centre_log);
    c->mean_ratio = exp(new_figures->mean_log - old_figures->mean_log);
    c->has_tail = old_figures->has_tail && new_figures->has_tail;
    ptrdiff_t least = old_figures->launches < new_figures->launches ? old_figures->launches
                                                                    : new_figures->launches;
    if (least < DETECT_RUN_LAUNCHES_MIN) {
        detect_conclude(
            c, MODEL_INCONCLUSIVE, "too-few-launches",
            arena_printf(arena, "%td launches in one run; %d are needed ('tare run --runs %d')",
                         least, DETECT_RUN_LAUNCHES_MIN, DETECT_RUN_LAUNCHES_MIN));
        return;
    }
    struct log_interval typical = {.estimate = estimate};
    struct log_interval tail = {0};
    if (reruns != NULL) {
        typical = runs_interval(estimate, reruns->variance, old_figures, new_figures, reruns,
                                c->has_tail ? alpha * TYPICAL_SHARE : alpha);
    }
    if (!typical.is_defined) {
        conclude_without_reruns(arena, c, reruns,
                                launches_text(arena, c, old_figures, new_figures, estimate, alpha));
        return;
    }
    c->has_interval = true;
    c->method = "runs";
    put_interval(c, &typical, &c->low, &c->high);
    if (c->has_tail) {
        tail.estimate = signed_log(c, new_figures->tail_log - old_figures->tail_log);
    }
    if (c->has_tail && reruns->has_tail) {
        tail = runs_interval(tail.estimate, reruns->tail_variance, old_figures, new_figures, reruns,
                             alpha * TAIL_SHARE);
    }
    if (tail.is_defined) {
        c->tail_ratio = exp(new_figures->tail_log - old_figures->tail_log);
        put_interval(c, &tail, &c->tail_low, &c->tail_high);
    }
    judge_interval(arena, c, &typical, &tail, mean_log, reruns);
}

/* ---- what cannot be compared ---- */

static const char *benchmark_obstacle(struct arena *arena, const char *side,
                                      const struct model_benchmark *benchmark)
{
    if (benchmark->state != MODEL_STATE_OK) {
        return arena_printf(arena, "%s is %s: %s", side, model_state_name(benchmark->state),
                            benchmark->reason != NULL ? benchmark->reason : "no reason given");
    }
    if (benchmark->check == MODEL_CHECK_FAILED) {
        return arena_printf(arena, "%s failed its own check%s%s", side,
                            benchmark->check_detail != NULL ? ": " : "",
                            benchmark->check_detail != NULL ? benchmark->check_detail : "");
    }
    return NULL;
}

static const char *metric_obstacle(struct arena *arena, const char *side,
                                   const struct model_metric *metric)
{
    if (metric == NULL || !metric->figures.is_known) {
        return arena_printf(arena, "%s has no samples of it", side);
    }
    if (metric->invalid_reason != NULL) {
        return arena_printf(arena, "%s: %s", side, metric->invalid_reason);
    }
    if (metric->is_exact && metric->figures.min != metric->figures.max) {
        return arena_printf(arena,
                            "%s was counted more than once and the counts disagree: %s and %s",
                            side, unit_format_digits(arena, metric->figures.min, 6),
                            unit_format_digits(arena, metric->figures.max, 6));
    }
    return NULL;
}

static const char *find_obstacle(struct arena *arena, const struct model_benchmark *old_benchmark,
                                 const struct model_benchmark *new_benchmark,
                                 const struct model_metric *old_metric,
                                 const struct model_metric *new_metric)
{
    const char *obstacle = benchmark_obstacle(arena, "old", old_benchmark);
    obstacle = obstacle != NULL ? obstacle : benchmark_obstacle(arena, "new", new_benchmark);
    obstacle = obstacle != NULL ? obstacle : metric_obstacle(arena, "old", old_metric);
    obstacle = obstacle != NULL ? obstacle : metric_obstacle(arena, "new", new_metric);
    if (obstacle != NULL) {
        return obstacle;
    }
    TARE_ASSERT(old_metric != NULL && new_metric != NULL);
    if (strcmp(old_metric->unit, new_metric->unit) != 0 ||
        old_metric->better != new_metric->better) {
        return arena_printf(arena, "old has unit %s, %s is better; new has unit %s, %s is better",
                            old_metric->unit, model_better_name(old_metric->better),
                            new_metric->unit, model_better_name(new_metric->better));
    }
    if (old_metric->is_exact != new_metric->is_exact) {
        return arena_printf(arena, "%s is an exact count, the other side's is not",
                            old_metric->is_exact ? "old" : "new");
    }
    return NULL;
}

static struct model_side side_of(const struct model_metric *metric)
{
    if (metric == NULL || !metric->figures.is_known) {
        return (struct model_side){0};
    }
    return (struct model_side){.median = metric->figures.median,
                               .launches = metric->figures.launches,
                               .count = metric->figures.count};
}

/* Proven or not, the policy may say that a verdict across other conditions is none. */
static void cap_by_conditions(struct arena *arena, struct model_comparison *c,
                              const struct detect_runs_rule *rule)
{
    bool is_capped =
        rule->is_conditions_changed && rule->conditions == MODEL_CONDITIONS_INCONCLUSIVE;
    if (is_capped && c->verdict != MODEL_INVALID && c->verdict != MODEL_INCONCLUSIVE) {
        detect_conclude(c, MODEL_INCONCLUSIVE, "conditions-differ",
                        arena_printf(arena, "would be %s, but conditions differ",
                                     model_verdict_name(c->verdict)));
    }
}

void detect_runs(struct arena *arena, const struct model_benchmark *old_benchmark,
                 const struct model_benchmark *new_benchmark, const char *metric,
                 const struct detect_reruns *reruns, const struct detect_runs_rule *rule,
                 struct model_comparison *comparison)
{
    const struct model_metric *old_metric = model_metric_find(old_benchmark, metric);
    const struct model_metric *new_metric = model_metric_find(new_benchmark, metric);
    const struct model_metric *known = old_metric != NULL ? old_metric : new_metric;
    *comparison = (struct model_comparison){
        .benchmark = detect_full_name(arena, new_benchmark),
        .parameters = new_benchmark->parameters,
        .parameter_count = new_benchmark->parameter_count,
        .metric = known != NULL ? known->name : metric,
        .unit = known != NULL ? known->unit : "",
        .better = known != NULL ? known->better : MODEL_LOWER_IS_BETTER,
        .basis = MODEL_BASIS_RUNS,
        .band = rule->verdict.band,
        .floor = rule->verdict.floor,
        .method = "none",
        .old_side = side_of(old_metric),
        .new_side = side_of(new_metric),
        .limit = -1,
    };
    const char *obstacle = rule->obstacle;
    if (obstacle == NULL) {
        obstacle = find_obstacle(arena, old_benchmark, new_benchmark, old_metric, new_metric);
    }
    if (obstacle != NULL) {
        detect_conclude(comparison, MODEL_INVALID, "no-ratio", obstacle);
        return;
    }
    const struct model_figures *old_figures = &old_metric->figures;
    const struct model_figures *new_figures = &new_metric->figures;
    if (old_metric->is_exact) {
        detect_exact(arena, comparison, old_figures->median, new_figures->median);
    } else if (!old_figures->has_logs || !new_figures->has_logs) {
        detect_conclude(comparison, MODEL_INVALID, "not-positive",
                        "a value is zero or negative, so there is no ratio");
    } else {
        judge_figures(arena, comparison, old_figures, new_figures, reruns, rule);
    }
    cap_by_conditions(arena, comparison, rule);
    comparison->seconds_more = comparison->verdict == MODEL_INCONCLUSIVE ? -1 : 0;
}

/* ---- the runs as a whole ---- */

/* "cpu A → B, memory 4 GiB → 8 GiB" */
static const char *identity_text(struct arena *arena, const struct model_machine *old_machine,
                                 const struct model_machine *new_machine)
{
    const char *text = "";
    for (ptrdiff_t i = 0; i < old_machine->identity.count; i++) {
        const struct model_field *field = &old_machine->identity.items[i];
        const char *value = model_field_get(&new_machine->identity, field->key);
        if (value == NULL || strcmp(value, field->value) != 0) {
            text = arena_printf(arena, "%s%s%s %s → %s", text, text[0] != '\0' ? ", " : "",
                                field->key, field->value, value != NULL ? value : "not known");
        }
    }
    return text;
}

const char *detect_runs_obstacle(struct arena *arena, const struct model_run *old_run,
                                 const struct model_run *new_run)
{
    if (strcmp(old_run->machine.id, new_run->machine.id) != 0) {
        return arena_printf(arena, "the runs are of different machines: %s",
                            identity_text(arena, &old_run->machine, &new_run->machine));
    }
    const struct model_run *runs[] = {old_run, new_run};
    for (int i = 0; i < 2; i++) {
        if (runs[i]->state != MODEL_RUN_COMPLETE) {
            return arena_printf(arena, "the %s run %.10s was not finished: it is %s",
                                i == 0 ? "old" : "new", runs[i]->id,
                                model_run_state_name(runs[i]->state));
        }
    }
    return NULL;
}

static bool is_in(const char *const *names, const char *name)
{
    for (; *names != NULL; names++) {
        if (strcmp(*names, name) == 0) {
            return true;
        }
    }
    return false;
}

/* Both lists are sorted by key: one walk over the two. */
static const char **list_changes(struct arena *arena, const struct model_fields *old_fields,
                                 const struct model_fields *new_fields, const char *const *ignored,
                                 ptrdiff_t *count)
{
    const char **texts = ARENA_ARRAY(arena, const char *, old_fields->count + new_fields->count);
    ptrdiff_t i = 0;
    ptrdiff_t k = 0;
    while (i < old_fields->count || k < new_fields->count) {
        int order = i == old_fields->count ? 1
                    : k == new_fields->count
                        ? -1
                        : strcmp(old_fields->items[i].key, new_fields->items[k].key);
        const char *key = order <= 0 ? old_fields->items[i].key : new_fields->items[k].key;
        const char *old_value = order <= 0 ? old_fields->items[i++].value : "not there";
        const char *new_value = order >= 0 ? new_fields->items[k++].value : "not there";
        if (strcmp(old_value, new_value) != 0 && !is_in(ignored, key)) {
            texts[(*count)++] = arena_printf(arena, "%s %s → %s", key, old_value, new_value);
        }
    }
    return texts;
}

struct detect_differences detect_conditions_differ(struct arena *arena,
                                                   const struct model_run *old_run,
                                                   const struct model_run *new_run)
{
    static const char *const moods[] = {"load_1min", NULL};
    /* Where it ran and how much else is in the environment differs without meaning anything. */
    static const char *const places[] = {"directory",   "path_hash",    "environment_bytes",
                                         "compared_as", "program_hash", "environment_count",
                                         NULL};
    struct detect_differences differences = {0};
    differences.conditions =
        list_changes(arena, &old_run->machine.conditions, &new_run->machine.conditions, moods,
                     &differences.condition_count);
    differences.environment = list_changes(arena, &old_run->environment, &new_run->environment,
                                           places, &differences.environment_count);
    return differences;
}
