/* compare_runs.h: two stored runs → a decision, basis `runs`. The stages of `tare compare`, for
 * every command that holds a run against a stored one.
 *
 *     compare_runs_load(arena, store, &request, &runs, &error);     both runs, and reruns of
 * commits compare_runs_judge(arena, &request, &runs, &decision, &error);
 *
 * Figures only are read (store_run_figures), and everything is found by hashing: 10,000 benchmarks
 * of 5 metrics take about a second (bench/judge.c). */
#ifndef TARE_CLI_COMPARE_RUNS_H
#define TARE_CLI_COMPARE_RUNS_H

#include "cli/options.h"
#include "detect/runs.h"
#include "model/policy.h"
#include "store/store.h"

enum {
    COMPARE_HISTORY_MAX = 500, /* newest runs of the project in which reruns are looked for */
    COMPARE_RERUNS_MAX = 32,   /* newest reruns used: more say little more, and cost reading */
};

struct compare_request {
    const char *old_selector;
    const char *new_selector;
    double confidence;
    double min_effect;
    const struct text_list *gate; /* metrics that decide; empty: time and what programs declare */
    const char *filter;           /* NULL, or a regular expression over labels */
    const struct model_policy *policy; /* renamed benchmarks, other conditions */
};

/* One run of a commit of which there are several. */
struct compare_rerun {
    ptrdiff_t group;
    struct model_run run;
};

struct compare_runs {
    struct model_run old_run;
    struct model_run new_run;
    struct compare_rerun *reruns; /* in order of their groups */
    ptrdiff_t rerun_count;
    ptrdiff_t group_count;
};

/* TARE_ERROR_NO_BASELINE when the old selector is a name that no baseline has. */
tare_status compare_runs_load(struct arena *arena, struct store *store,
                              const struct compare_request *request, struct compare_runs *runs,
                              struct tare_error *error);

/* Adds an item for every metric of every benchmark that both have, the labels only one has, and
 * warnings; then sorts. Old and new names are filled too. */
tare_status compare_runs_judge(struct arena *arena, const struct compare_request *request,
                               const struct compare_runs *runs, struct model_decision *decision,
                               struct tare_error *error);

/* By the worst verdict: 1, 3, 4 or 0. */
int compare_runs_exit_code(const struct model_decision *decision);

#endif
