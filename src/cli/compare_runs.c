/* compare_runs.c: which runs, which reruns, which benchmarks belong together; detect/runs.h judges.
 *
 *   resolve and read both runs  →  find reruns of commits, read their figures
 *   →  pair benchmarks by label  →  count what is gated, so that the error can be shared out
 *   →  gather each pair's reruns, judge  →  decision */
#include "cli/compare_runs.h"

#include "base/assert.h"
#include "base/text.h"
#include "base/text_index.h"
#include "cli/command.h"
#include "cli/contest_entry.h"
#include "detect/figures.h"

#include <math.h>
#include <regex.h>
#include <stdlib.h>
#include <string.h>

/* ---- reading ---- */

/* Figures that were never made (a run kept by an older version) are made from the samples. */
static tare_status load_run(struct arena *arena, struct store *store, const char *selector,
                            struct model_run *run, struct tare_error *error)
{
    tare_status status = store_run_figures(store, arena, selector, run, error);
    bool is_whole = true;
    for (ptrdiff_t i = 0; i < run->benchmark_count && status == TARE_OK; i++) {
        for (ptrdiff_t k = 0; k < run->benchmarks[i].metric_count; k++) {
            is_whole = is_whole && run->benchmarks[i].metrics[k].figures.is_known;
        }
    }
    if (status != TARE_OK || is_whole) {
        return status;
    }
    char id[27];
    memcpy(id, run->id, sizeof id);
    status = store_run_load(store, arena, id, true, run, error);
    for (ptrdiff_t i = 0; i < run->benchmark_count && status == TARE_OK; i++) {
        detect_figures_fill(&run->benchmarks[i]);
    }
    return status;
}

/* Ids begin with a 0 until the year 6429; names of baselines rarely do. */
static bool looks_like_id(const char *selector)
{
    return selector[0] == '0' &&
           strspn(selector, "0123456789abcdefghjkmnpqrstvwxyzABCDEFGHJKMNPQRSTVWXYZ") ==
               strlen(selector);
}

static tare_status load_old(struct arena *arena, struct store *store, const char *selector,
                            struct model_run *run, struct tare_error *error)
{
    struct tare_error cause = {0};
    tare_status status = load_run(arena, store, selector, run, &cause);
    bool is_name = !looks_like_id(selector) && !text_starts_with(selector, "latest");
    if (status == TARE_ERROR_USAGE && is_name) {
        return error_set(
            error, TARE_ERROR_NO_BASELINE,
            "there is no baseline '%s' for this machine: 'tare baseline save %s' makes "
            "the newest run one, 'tare baseline list' and 'tare runs list' show what "
            "there is",
            text_printable(arena, selector, 60), text_printable(arena, selector, 60));
    }
    return status == TARE_OK ? status : error_set(error, status, "%s", cause.message);
}

/* ---- reruns ---- */

/* What makes two runs reruns of each other; NULL: nothing does. A rebuild need not be byte for byte
 * the same, so the program is asked only as long as that leaves reruns enough. */
static const char *rerun_key(struct arena *arena, const struct store_rerun *run, bool by_program)
{
    if (run->commit_hash[0] == '\0' && run->program_hash[0] == '\0') {
        return NULL;
    }
    bool has_program = by_program || run->commit_hash[0] == '\0';
    return arena_printf(arena, "%s %s", run->commit_hash, has_program ? run->program_hash : "");
}

/* Gives every run its group, −1 for none; returns runs less groups, of groups of two and more. */
static ptrdiff_t group_reruns(struct arena *arena, const struct store_reruns *all, bool by_program,
                              ptrdiff_t *groups)
{
    struct text_index index = text_index_new(arena, all->count);
    ptrdiff_t *sizes = ARENA_ARRAY(arena, ptrdiff_t, all->count);
    for (ptrdiff_t i = 0; i < all->count; i++) {
        const char *key = rerun_key(arena, &all->items[i], by_program);
        groups[i] = -1;
        if (key != NULL) {
            text_index_put(&index, key, i);
            groups[i] = text_index_get(&index, key);
            sizes[groups[i]]++;
        }
    }
    ptrdiff_t freedom = 0;
    for (ptrdiff_t i = 0; i < all->count; i++) {
        bool has_company = groups[i] >= 0 && sizes[groups[i]] > 1;
        groups[i] = has_company ? groups[i] : -1;
        freedom += has_company && groups[i] != i;
    }
    return freedom;
}

static int compare_groups(const void *left, const void *right)
{
    const struct compare_rerun *a = left;
    const struct compare_rerun *b = right;
    return a->group != b->group ? (a->group > b->group) - (a->group < b->group)
                                : strcmp(a->run.id, b->run.id);
}

static tare_status load_reruns(struct arena *arena, struct store *store, struct compare_runs *runs,
                               struct tare_error *error)
{
    struct store_reruns all;
    const struct model_run *run = &runs->new_run;
    tare_status status = store_reruns_list(store, arena, run->machine.id, run->project,
                                           COMPARE_HISTORY_MAX, &all, error);
    if (status != TARE_OK) {
        return status;
    }
    ptrdiff_t *groups = ARENA_ARRAY(arena, ptrdiff_t, all.count);
    if (group_reruns(arena, &all, true, groups) < DETECT_RERUN_FREEDOM_MIN) {
        group_reruns(arena, &all, false, groups);
    }
    runs->reruns = ARENA_ARRAY(arena, struct compare_rerun, COMPARE_RERUNS_MAX);
    for (ptrdiff_t i = 0; i < all.count && status == TARE_OK; i++) {
        if (groups[i] < 0 || runs->rerun_count == COMPARE_RERUNS_MAX) {
            continue;
        }
        struct compare_rerun *rerun = &runs->reruns[runs->rerun_count++];
        rerun->group = groups[i];
        /* Runs that are read already are not read again. */
        if (strcmp(all.items[i].id, runs->old_run.id) == 0) {
            rerun->run = runs->old_run;
        } else if (strcmp(all.items[i].id, runs->new_run.id) == 0) {
            rerun->run = runs->new_run;
        } else {
            status = load_run(arena, store, all.items[i].id, &rerun->run, error);
        }
    }
    if (runs->rerun_count > 1) {
        qsort(runs->reruns, (size_t)runs->rerun_count, sizeof *runs->reruns, compare_groups);
    }
    for (ptrdiff_t i = 0; i < runs->rerun_count; i++) {
        runs->group_count += i == 0 || runs->reruns[i].group != runs->reruns[i - 1].group;
    }
    return status;
}

tare_status compare_runs_load(struct arena *arena, struct store *store,
                              const struct compare_request *request, struct compare_runs *runs,
                              struct tare_error *error)
{
    *runs = (struct compare_runs){0};
    tare_status status = load_old(arena, store, request->old_selector, &runs->old_run, error);
    if (status == TARE_OK) {
        status = load_run(arena, store, request->new_selector, &runs->new_run, error);
    }
    if (status == TARE_OK && strcmp(runs->old_run.id, runs->new_run.id) == 0) {
        return error_set(error, TARE_ERROR_USAGE,
                         "both are run %s: a run compared with itself says nothing",
                         runs->old_run.id);
    }
    return status == TARE_OK ? load_reruns(arena, store, runs, error) : status;
}

/* ---- pairing ---- */

/* A benchmark of both runs. */
struct matched {
    const struct model_benchmark *old_benchmark;
    const struct model_benchmark *new_benchmark;
    const char **metrics; /* to be judged */
    ptrdiff_t metric_count;
    struct detect_rerun **reruns; /* of each metric */
    ptrdiff_t *rerun_counts;
};

struct judging {
    struct arena *arena;
    const struct compare_request *request;
    const struct compare_runs *runs;
    struct model_decision *decision;
    struct matched *pairs;
    ptrdiff_t pair_count;
    struct text_index by_label; /* labels of old and of new → pair */
    regex_t filter;
};

/* Most benchmarks are their name alone; then no text is made. */
static const char *label_of(struct arena *arena, const struct model_benchmark *benchmark)
{
    bool is_plain = benchmark->suite[0] == '\0' && benchmark->variant[0] == '\0' &&
                    benchmark->parameter_count == 0;
    return is_plain ? benchmark->name : model_benchmark_label(arena, benchmark);
}

static bool is_wanted(const struct judging *judging, const char *label)
{
    return judging->request->filter == NULL || regexec(&judging->filter, label, 0, NULL, 0) == 0;
}

static const char *const *add_label(struct arena *arena, const char *const *labels,
                                    ptrdiff_t *count, ptrdiff_t most, const char *label)
{
    const char **list =
        *count == 0 ? ARENA_ARRAY(arena, const char *, most) : (const char **)labels;
    list[(*count)++] = label;
    return list;
}

/* Every benchmark of old that new has too, by its label or its new name. */
static void pair_benchmarks(struct judging *judging)
{
    struct arena *arena = judging->arena;
    struct model_decision *decision = judging->decision;
    const struct model_run *old_run = &judging->runs->old_run;
    const struct model_run *new_run = &judging->runs->new_run;
    struct text_index new_labels = text_index_new(arena, new_run->benchmark_count);
    bool *is_paired = ARENA_ARRAY(arena, bool, new_run->benchmark_count);
    const char **labels = ARENA_ARRAY(arena, const char *, new_run->benchmark_count);
    for (ptrdiff_t i = 0; i < new_run->benchmark_count; i++) {
        labels[i] = label_of(arena, &new_run->benchmarks[i]);
        text_index_put(&new_labels, labels[i], i);
    }
    judging->pairs = ARENA_ARRAY(arena, struct matched, old_run->benchmark_count);
    judging->by_label = text_index_new(arena, 2 * old_run->benchmark_count);
    for (ptrdiff_t i = 0; i < old_run->benchmark_count; i++) {
        const char *old_label = label_of(arena, &old_run->benchmarks[i]);
        ptrdiff_t found = text_index_get(&new_labels, old_label);
        const char *new_label = old_label;
        if (found < 0) {
            const char *renamed = model_policy_renamed(judging->request->policy, old_label);
            new_label = renamed != NULL ? renamed : old_label;
            found = text_index_get(&new_labels, new_label);
        }
        if (!is_wanted(judging, old_label) && !is_wanted(judging, new_label)) {
            continue;
        }
        if (found < 0 || is_paired[found]) {
            decision->missing =
                (const char **)add_label(arena, decision->missing, &decision->missing_count,
                                         old_run->benchmark_count, old_label);
            continue;
        }
        is_paired[found] = true;
        text_index_put(&judging->by_label, old_label, judging->pair_count);
        text_index_put(&judging->by_label, new_label, judging->pair_count);
        judging->pairs[judging->pair_count++] = (struct matched){
            .old_benchmark = &old_run->benchmarks[i], .new_benchmark = &new_run->benchmarks[found]};
    }
    for (ptrdiff_t i = 0; i < new_run->benchmark_count; i++) {
        if (!is_paired[i] && is_wanted(judging, labels[i])) {
            decision->added =
                (const char **)add_label(arena, decision->added, &decision->added_count,
                                         new_run->benchmark_count, labels[i]);
        }
    }
}

/* What old has, and what new has and is asked for by name. */
static void choose_metrics(struct judging *judging, struct matched *pair, ptrdiff_t *gated)
{
    const struct text_list *gate = judging->request->gate;
    const struct model_benchmark *sides[] = {pair->old_benchmark, pair->new_benchmark};
    ptrdiff_t most = sides[0]->metric_count + sides[1]->metric_count;
    pair->metrics = ARENA_ARRAY(judging->arena, const char *, most);
    for (int side = 0; side < 2; side++) {
        for (ptrdiff_t i = 0; i < sides[side]->metric_count; i++) {
            const struct model_metric *metric = &sides[side]->metrics[i];
            bool is_gated = contest_metric_is_gated(gate, metric->name);
            bool is_known = side == 1 && model_metric_find(sides[0], metric->name) != NULL;
            bool is_asked = side == 0 || (is_gated && gate != NULL && gate->count > 0);
            if (is_known || !is_asked || (!is_gated && contest_metric_is_derived(metric->name))) {
                continue;
            }
            pair->metrics[pair->metric_count++] = metric->name;
            *gated += is_gated && !metric->is_exact; /* counts need no share of the error */
        }
    }
}

/* A metric that no benchmark has is a typing error. */
static tare_status check_gate(const struct judging *judging, struct tare_error *error)
{
    const struct text_list *gate = judging->request->gate;
    for (ptrdiff_t g = 0; gate != NULL && g < gate->count; g++) {
        bool is_found = false;
        for (ptrdiff_t i = 0; i < judging->pair_count && !is_found; i++) {
            const struct matched *pair = &judging->pairs[i];
            for (ptrdiff_t m = 0; m < pair->metric_count; m++) {
                is_found = is_found || strcmp(pair->metrics[m], gate->items[g]) == 0;
            }
        }
        if (!is_found) {
            return error_set(error, TARE_ERROR_USAGE,
                             "metric '%s' is to decide, but no benchmark has it",
                             text_printable(judging->arena, gate->items[g], 60));
        }
    }
    return TARE_OK;
}

/* ---- judging ---- */

/* Metrics of one benchmark mostly stand in the same order in every run. */
static const struct model_metric *find_metric(const struct model_benchmark *benchmark,
                                              const char *name, ptrdiff_t likely)
{
    bool is_there =
        likely < benchmark->metric_count && strcmp(benchmark->metrics[likely].name, name) == 0;
    return is_there ? &benchmark->metrics[likely] : model_metric_find(benchmark, name);
}

static void add_reruns(struct judging *judging, const struct compare_rerun *rerun)
{
    const struct compare_runs *runs = judging->runs;
    for (ptrdiff_t b = 0; b < rerun->run.benchmark_count; b++) {
        const struct model_benchmark *benchmark = &rerun->run.benchmarks[b];
        ptrdiff_t found =
            benchmark->state == MODEL_STATE_OK
                ? text_index_get(&judging->by_label, label_of(judging->arena, benchmark))
                : -1;
        if (found < 0) {
            continue;
        }
        struct matched *pair = &judging->pairs[found];
        if (pair->reruns == NULL) {
            pair->reruns = ARENA_ARRAY(judging->arena, struct detect_rerun *, pair->metric_count);
            pair->rerun_counts = ARENA_ARRAY(judging->arena, ptrdiff_t, pair->metric_count);
            for (ptrdiff_t m = 0; m < pair->metric_count; m++) {
                pair->reruns[m] =
                    ARENA_ARRAY(judging->arena, struct detect_rerun, runs->rerun_count);
            }
        }
        for (ptrdiff_t m = 0; m < pair->metric_count; m++) {
            const struct model_metric *metric = find_metric(benchmark, pair->metrics[m], m);
            const struct model_metric *now = find_metric(pair->new_benchmark, pair->metrics[m], m);
            /* A renamed benchmark has two labels, but a run has it once. */
            if (metric == NULL || metric->invalid_reason != NULL || now == NULL ||
                strcmp(metric->unit, now->unit) != 0 || metric->better != now->better ||
                pair->rerun_counts[m] == runs->rerun_count) {
                continue;
            }
            pair->reruns[m][pair->rerun_counts[m]++] =
                (struct detect_rerun){.group = rerun->group, .figures = &metric->figures};
        }
    }
}

static void judge_pair(struct judging *judging, const struct matched *pair,
                       const struct detect_runs_rule *rule, struct arena *scratch)
{
    for (ptrdiff_t m = 0; m < pair->metric_count; m++) {
        struct detect_reruns reruns = {0};
        if (pair->reruns != NULL) {
            reruns = detect_reruns_pool(pair->reruns[m], pair->rerun_counts[m], scratch);
        }
        struct model_comparison found;
        detect_runs(judging->arena, pair->old_benchmark, pair->new_benchmark, pair->metrics[m],
                    &reruns, rule, &found);
        found.is_gated = contest_metric_is_gated(judging->request->gate, pair->metrics[m]);
        if (!found.is_gated && found.verdict == MODEL_INVALID) {
            continue; /* a counter that stayed at zero has no ratio, and nobody asked */
        }
        found.level = found.verdict == MODEL_REGRESSED ? MODEL_LEVEL_MINOR : MODEL_LEVEL_NONE;
        *model_decision_add(judging->arena, judging->decision) = found;
    }
}

/* "main = 01hf2k3m, commit 3f2c1a9+" */
static const char *run_name(struct arena *arena, const char *selector, const struct model_run *run)
{
    const char *commit = "";
    if (run->commit.is_known && run->commit.hash != NULL) {
        commit = arena_printf(arena, "@%.9s%s", run->commit.hash, run->commit.is_dirty ? "+" : "");
    }
    bool is_id = text_starts_with(run->id, selector);
    return is_id ? arena_printf(arena, "%.10s%s", run->id, commit)
                 : arena_printf(arena, "%s %.10s%s", text_printable(arena, selector, 40), run->id,
                                commit);
}

static void warn_about_runs(struct judging *judging, const struct detect_differences *differences)
{
    struct arena *arena = judging->arena;
    struct model_decision *decision = judging->decision;
    for (ptrdiff_t i = 0; i < differences->condition_count; i++) {
        model_decision_warn(arena, decision, "conditions differ: %s", differences->conditions[i]);
    }
    for (ptrdiff_t i = 0; i < differences->environment_count; i++) {
        model_decision_warn(arena, decision, "environment differs: %s",
                            differences->environment[i]);
    }
    const struct model_run *sides[] = {&judging->runs->old_run, &judging->runs->new_run};
    for (int i = 0; i < 2; i++) {
        if (model_field_get(&sides[i]->environment, "compared_as") != NULL) {
            model_decision_warn(arena, decision,
                                "run %.10s is a side of a comparison, measured in turns with "
                                "another program: reruns say less about it",
                                sides[i]->id);
        }
    }
}

/* How old and how spread the reruns are, beside what is compared: what changes from day to day is
 * not seen in reruns of one minute. */
static void warn_about_reruns(struct judging *judging)
{
    const struct compare_runs *runs = judging->runs;
    if (runs->rerun_count == 0) {
        return;
    }
    int64_t spread_ns = 0;
    for (ptrdiff_t i = 1; i < runs->rerun_count; i++) {
        if (runs->reruns[i].group == runs->reruns[i - 1].group) {
            int64_t apart =
                runs->reruns[i].run.started_unix_ns - runs->reruns[i - 1].run.started_unix_ns;
            spread_ns = apart > spread_ns ? apart : spread_ns;
        }
    }
    int64_t apart_ns = llabs(runs->new_run.started_unix_ns - runs->old_run.started_unix_ns);
    double ns_per_hour = 3600e9;
    model_decision_warn(judging->arena, judging->decision,
                        "how much runs differ is learnt from %td runs of %td %s", runs->rerun_count,
                        runs->group_count, runs->group_count == 1 ? "commit" : "commits");
    /* A factor of ten and an hour: below, the machine is likely to be in the same mood. */
    if ((double)apart_ns > 10 * (double)spread_ns && (double)apart_ns > ns_per_hour) {
        model_decision_warn(judging->arena, judging->decision,
                            "the compared runs are %.3g h apart, reruns of one commit at most %.2g "
                            "h: what changes over such a time is not in the intervals",
                            (double)apart_ns / ns_per_hour, (double)spread_ns / ns_per_hour);
    }
}

static const char *advise(struct judging *judging)
{
    const struct model_decision *decision = judging->decision;
    for (ptrdiff_t i = 0; i < decision->count; i++) {
        const struct model_comparison *item = &decision->items[i];
        bool wants_reruns = item->is_gated && item->verdict == MODEL_INCONCLUSIVE &&
                            (strcmp(item->reason_code, "no-reruns") == 0 ||
                             strcmp(item->reason_code, "too-few-reruns") == 0);
        const char *command = judging->runs->new_run.command;
        if (wants_reruns && command != NULL && text_starts_with(command, "tare run")) {
            return arena_printf(judging->arena, "for i in 1 2 3 4; do %s; done",
                                text_printable(judging->arena, command, 400));
        }
    }
    return NULL;
}

static tare_status judge_pairs(struct judging *judging, ptrdiff_t gated)
{
    struct arena *arena = judging->arena;
    const struct compare_request *request = judging->request;
    const struct compare_runs *runs = judging->runs;
    struct model_decision *decision = judging->decision;
    struct detect_differences differences =
        detect_conditions_differ(arena, &runs->old_run, &runs->new_run);
    decision->gated_count = gated;
    decision->confidence = request->confidence;
    decision->old_name = run_name(arena, request->old_selector, &runs->old_run);
    decision->new_name = run_name(arena, request->new_selector, &runs->new_run);
    const struct detect_runs_rule rule = {
        .verdict = {.alpha = (1 - request->confidence) / (gated > 0 ? (double)gated : 1),
                    .band = request->min_effect},
        .obstacle = detect_runs_obstacle(arena, &runs->old_run, &runs->new_run),
        .is_conditions_changed = differences.condition_count > 0,
        .conditions = request->policy->conditions,
    };
    for (ptrdiff_t i = 0; i < runs->rerun_count; i++) {
        add_reruns(judging, &runs->reruns[i]);
    }
    struct arena scratch = {0};
    for (ptrdiff_t i = 0; i < judging->pair_count; i++) {
        judge_pair(judging, &judging->pairs[i], &rule, &scratch);
    }
    arena_free(&scratch);
    warn_about_runs(judging, &differences);
    warn_about_reruns(judging);
    model_decision_sort(decision);
    decision->next = advise(judging);
    return TARE_OK;
}

static tare_status compile_filter(struct judging *judging, struct tare_error *error)
{
    const char *filter = judging->request->filter;
    int code = regcomp(&judging->filter, filter, REG_EXTENDED | REG_NOSUB);
    if (code == 0) {
        return TARE_OK;
    }
    char reason[200];
    regerror(code, &judging->filter, reason, sizeof reason);
    return error_set(error, TARE_ERROR_USAGE, "--filter '%s' is no regular expression: %s",
                     text_printable(judging->arena, filter, 60), reason);
}

tare_status compare_runs_judge(struct arena *arena, const struct compare_request *request,
                               const struct compare_runs *runs, struct model_decision *decision,
                               struct tare_error *error)
{
    struct judging judging = {
        .arena = arena, .request = request, .runs = runs, .decision = decision};
    tare_status status = TARE_OK;
    if (request->filter != NULL) {
        status = compile_filter(&judging, error);
        if (status != TARE_OK) {
            return status;
        }
    }
    pair_benchmarks(&judging);
    if (request->filter != NULL) {
        regfree(&judging.filter);
    }
    ptrdiff_t gated = 0;
    for (ptrdiff_t i = 0; i < judging.pair_count; i++) {
        choose_metrics(&judging, &judging.pairs[i], &gated);
    }
    if (judging.pair_count == 0 && decision->missing_count == 0 && request->filter != NULL) {
        return error_set(error, TARE_ERROR_USAGE, "--filter '%s' matches no benchmark of the runs",
                         text_printable(arena, request->filter, 60));
    }
    if (judging.pair_count > 0) {
        status = check_gate(&judging, error);
    }
    return status == TARE_OK ? judge_pairs(&judging, gated) : status;
}

int compare_runs_exit_code(const struct model_decision *decision)
{
    switch (model_decision_verdict(decision)) {
    case MODEL_REGRESSED:
        return EXIT_CODE_REGRESSED;
    case MODEL_INVALID:
        return EXIT_CODE_FAILED;
    case MODEL_INCONCLUSIVE:
        return EXIT_CODE_INCONCLUSIVE;
    default:
        return EXIT_CODE_OK;
    }
}
