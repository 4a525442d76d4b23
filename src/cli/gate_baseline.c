/* gate_baseline.c: head against a stored baseline: measured now, compared with then.
 *
 * Between runs more changes than within one, so this needs reruns in the history to learn from
 * (cli/compare_runs.h); without them it is never more than inconclusive. A failure counts when a
 * second run of head shows it too. */
#include "base/text.h"
#include "cli/baseline_age.h"
#include "cli/compare_runs.h"
#include "cli/gate_session.h"
#include "cli/run_session.h"
#include "cli/store_path.h"
#include "detect/judge.h"
#include "measure/environment.h"
#include "os/clock.h"

#include <stdio.h>
#include <string.h>

/* Of the budget for each of the two runs of head. A second one, only made when the first fails, is
 * as long as the first, so that it is known as well: together they may take 1.4 budgets. */
static const double RUN_SHARE = 0.7;

/* The baseline has to be there before anything is built or measured. */
static tare_status find_baseline(struct gate_session *session, struct store_baseline *baseline,
                                 struct tare_error *error)
{
    struct arena *arena = session->ab.cli->arena;
    const struct store_request request = {.option = session->options->ab.run.common.store,
                                          .configured = session->ab.config.store,
                                          .mode = STORE_WRITE};
    const char *name = session->ab.config.policy.against;
    tare_status status = store_path_open(arena, &request, &session->ab.store, error);
    if (status != TARE_OK) {
        return status;
    }
    struct model_machine machine = {0};
    measure_machine_read(arena, &machine);
    store_use_machine(session->ab.store, machine.id);
    status = store_baseline_find(session->ab.store, arena, name, baseline, error);
    if (status == TARE_ERROR_NO_BASELINE) {
        const struct tare_error cause = *error;
        error_clear(error);
        return error_set(error, TARE_ERROR_NO_BASELINE,
                         "against: %s is neither a revision nor a baseline of this machine: %s",
                         text_printable(arena, name, 60), cause.message);
    }
    return status;
}

/* Old baselines, and those with something against them, are said. */
static void warn_of_age(struct gate_session *session, const struct store_baseline *baseline)
{
    struct arena *arena = session->ab.cli->arena;
    const struct baseline_age_request request = {
        .commit = &baseline->run.commit,
        .started_unix_ns = baseline->run.started_unix_ns,
        .now_unix_ns = clock_unix_ns(),
        .age_max_ns = session->ab.config.policy.max_baseline_age_ns,
        .directory = session->repository.root,
    };
    struct baseline_age age;
    struct hygiene_findings findings = {0};
    baseline_age_read(arena, &request, &age);
    model_decision_warn(arena, &session->ab.decision, "%s",
                        age.warning != NULL ? age.warning : age.text);
    if (baseline_hygiene_read(arena, session->ab.store, baseline, &findings, NULL) == TARE_OK) {
        for (ptrdiff_t i = 0; i < findings.count; i++) {
            model_decision_warn(arena, &session->ab.decision, "baseline: %s",
                                findings.items[i].text);
        }
    }
}

/* One run of head, kept in the store. */
static tare_status measure_head(struct gate_session *session, char **argv, double budget_ns,
                                struct run_session *measured, struct tare_error *error)
{
    struct run_options *options = &session->options->ab.run;
    options->budget_ns = budget_ns;
    *measured = (struct run_session){.cli = session->ab.cli,
                                     .options = options,
                                     .config = session->ab.config,
                                     .plan = session->ab.plans[GATE_NEW],
                                     .counting = session->ab.counting,
                                     .store = session->ab.store};
    tare_status status = run_session_begin(measured, argv, error);
    if (status == TARE_OK) {
        status = run_session_measure(measured, error);
        status = run_session_finish(measured, status, error);
    }
    return status;
}

static tare_status compare(struct gate_session *session, const struct model_run *run,
                           struct model_decision *decision, struct compare_runs *runs,
                           struct tare_error *error)
{
    struct arena *arena = session->ab.cli->arena;
    const struct compare_request request = {
        .old_selector = session->ab.config.policy.against,
        .new_selector = run->id,
        .confidence = session->options->ab.run.confidence,
        .min_effect = session->options->ab.min_effect,
        .gate = &session->options->ab.gate,
        .filter = session->options->ab.run.filter,
        .policy = &session->ab.config.policy,
    };
    tare_status status = compare_runs_load(arena, session->ab.store, &request, runs, error);
    return status == TARE_OK ? compare_runs_judge(arena, &request, runs, decision, error) : status;
}

static bool is_failing(const struct gate_session *session, const struct model_comparison *item)
{
    const char *label = model_comparison_label(session->ab.cli->arena, item);
    const struct detect_limit limit = judge_limit(
        session->ab.cli->arena, &session->ab.config.policy, label, item->metric, item->unit);
    return item->is_gated && limit.is_set && detect_gate(item, &limit) == MODEL_GATE_FAIL;
}

static const struct model_comparison *find_item(const struct model_decision *decision,
                                                const char *label, const char *metric,
                                                struct arena *arena)
{
    for (ptrdiff_t i = 0; i < decision->count; i++) {
        const struct model_comparison *item = &decision->items[i];
        if (strcmp(item->metric, metric) == 0 &&
            strcmp(model_comparison_label(arena, item), label) == 0) {
            return item;
        }
    }
    return NULL;
}

/* A second run of head; its figures take the place of those that looked bad. */
static tare_status confirm(struct gate_session *session, char **argv, double budget_ns,
                           struct tare_error *error)
{
    struct arena *arena = session->ab.cli->arena;
    struct model_decision *decision = &session->ab.decision;
    struct run_session measured;
    struct model_decision again = {0};
    struct compare_runs runs;
    tare_status status = measure_head(session, argv, budget_ns, &measured, error);
    if (status == TARE_OK) {
        status = compare(session, &measured.run, &again, &runs, error);
    }
    for (ptrdiff_t i = 0; i < decision->count && status == TARE_OK; i++) {
        struct model_comparison *item = &decision->items[i];
        if (!is_failing(session, item)) {
            continue;
        }
        const char *label = model_comparison_label(arena, item);
        const struct model_comparison *seen = find_item(&again, label, item->metric, arena);
        bool is_seen = seen != NULL && is_failing(session, seen);
        if (is_seen) {
            *item = *seen;
            item->is_confirmed = true;
        } else {
            item->verdict = MODEL_INCONCLUSIVE;
            item->reason_code = "not-confirmed";
            item->reason = "a second run of head does not show it";
        }
    }
    return status;
}

tare_status gate_against_baseline(struct gate_session *session, const struct option_result *words,
                                  char **argv, struct tare_error *error)
{
    struct arena *arena = session->ab.cli->arena;
    struct model_decision *decision = &session->ab.decision;
    double budget_ns = session->options->ab.run.budget_ns;
    struct store_baseline baseline;
    struct run_session measured;
    struct compare_runs runs;
    tare_status status = find_baseline(session, &baseline, error);
    if (status == TARE_OK) {
        warn_of_age(session, &baseline);
        status = gate_plan_head(session, words, error);
    }
    if (status == TARE_OK) {
        status = measure_head(session, argv, budget_ns * RUN_SHARE, &measured, error);
    }
    if (status == TARE_OK) {
        status = compare(session, &measured.run, decision, &runs, error);
    }
    if (status != TARE_OK) {
        return status;
    }
    model_run_id_new(decision->id, clock_unix_ns(), clock_entropy(), clock_entropy());
    decision->confidence = session->options->ab.run.confidence;
    session->ab.runs[GATE_OLD] = runs.old_run;
    session->ab.runs[GATE_NEW] = measured.run;
    session->benchmark_count = measured.run.benchmark_count;
    session->benchmarks =
        ARENA_ARRAY(arena, const struct model_benchmark *, session->benchmark_count);
    bool has_failure = false;
    for (ptrdiff_t i = 0; i < session->benchmark_count; i++) {
        session->benchmarks[i] = &measured.run.benchmarks[i];
    }
    for (ptrdiff_t i = 0; i < decision->count; i++) {
        has_failure = has_failure || is_failing(session, &decision->items[i]);
    }
    return has_failure ? confirm(session, argv, budget_ns * RUN_SHARE, error) : TARE_OK;
}
