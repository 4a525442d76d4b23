#include "cli/run_session.h"

#include "base/text.h"
#include "base/unit.h"
#include "cli/run_record.h"
#include "cli/store_path.h"
#include "detect/advice.h"
#include "detect/figures.h"
#include "measure/sampler.h"
#include "os/clock.h"
#include "stats/summary.h"

#include <stdio.h>

tare_status run_session_begin(struct run_session *session, char **argv, struct tare_error *error)
{
    struct arena *arena = session->cli->arena;
    const struct common_options *common = &session->options->common;
    run_record_fill(arena, session->options, &session->plan, argv, &session->run);
    if (session->counting.path_note != NULL) {
        model_run_warn(arena, &session->run, "%s", session->counting.path_note);
    }
    session->started = clock_now();
    session->clock = measure_clock_real(arena);
    session->random = random_seeded(session->run.seed);
    session->progress = progress_new(common, session->plan.task_count);
    tare_status status = TARE_OK;
    if (session->store == NULL) {
        const struct store_request request = {
            .option = common->store, .configured = session->config.store, .mode = STORE_WRITE};
        status = store_path_open(arena, &request, &session->store, error);
    }
    if (status == TARE_OK) {
        status = store_run_begin(session->store, &session->run, error);
    }
    if (status == TARE_OK && !common->quiet) {
        fprintf(stderr, "%td benchmark%s, at most %s in all (--budget); run %.10s in %s\n",
                session->plan.task_count, session->plan.task_count == 1 ? "" : "s",
                unit_format(arena, session->options->budget_ns, "ns", 3), session->run.id,
                text_printable(arena, store_path(session->store), 200));
    }
    return status;
}

static struct measure_plan plan_for(const struct run_session *session, bool is_command,
                                    ptrdiff_t tasks_left)
{
    const struct run_options *options = session->options;
    struct measure_plan plan = measure_plan_default(is_command);
    double spent_ns = (double)clock_since_ns(session->started) - session->counting_ns;
    double left_ns = options->budget_ns - spent_ns;
    /* What earlier benchmarks did not need goes to the later ones; each gets something. */
    double share_ns = (left_ns > 0 ? left_ns : 0) / (double)tasks_left;
    plan.budget_ns = share_ns > 1e6 ? share_ns : 1e6;
    plan.precision = options->precision;
    plan.confidence = options->confidence;
    plan.warmup_runs = is_command ? (ptrdiff_t)options->warmup : 0;
    plan.is_aslr_off = options->has_no_aslr;
    plan.cpu = (int)options->cpu;
    if (options->runs > 0) {
        plan.launches_min = (ptrdiff_t)options->runs;
        plan.launches_max = (ptrdiff_t)options->runs;
        plan.is_fixed = true;
    }
    return plan;
}

/* "sort n=1k: 12.3 µs ± 0.4 %", for logs. */
static char *describe_result(struct arena *arena, const struct model_benchmark *benchmark,
                             double confidence)
{
    const char *label = text_printable(arena, model_benchmark_label(arena, benchmark), 80);
    if (benchmark->state != MODEL_STATE_OK || benchmark->metric_count == 0 ||
        benchmark->metrics[0].count == 0) {
        return arena_printf(arena, "%s: %s: %s", label, model_state_name(benchmark->state),
                            benchmark->reason != NULL
                                ? text_printable(arena, benchmark->reason, 300)
                                : "no samples");
    }
    const struct model_metric *metric = &benchmark->metrics[0];
    struct stats_summary summary =
        stats_summarise(metric->values, metric->launches, metric->count, confidence, arena);
    double estimate = summary.interval.is_defined ? summary.interval.estimate : summary.median;
    const char *value = unit_format(arena, estimate, metric->unit, 3);
    if (!summary.interval.is_defined || !(summary.interval.estimate > 0)) {
        return arena_printf(arena, "%s: %s", label, value);
    }
    double half_width =
        (summary.interval.high - summary.interval.low) / 2 / summary.interval.estimate;
    return half_width >= 1
               ? arena_printf(arena, "%s: %s ± >100 %%", label, value)
               : arena_printf(arena, "%s: %s ± %.2g %%", label, value, half_width * 100);
}

/* A command that cannot be started is a failed benchmark, not the end of the run. */
static tare_status fail_task(struct arena *arena, struct model_benchmark *benchmark,
                             tare_status status, struct tare_error *error)
{
    if (status != TARE_ERROR_MEASURE) {
        return status;
    }
    benchmark->state = MODEL_STATE_FAILED;
    benchmark->reason = arena_strdup(arena, error->message);
    error_clear(error);
    return TARE_OK;
}

/* Opens a command, measures the task, closes the command again whatever happened. */
static tare_status measure_opened(struct run_session *session, struct run_task *task,
                                  const struct measure_plan *plan,
                                  struct model_benchmark *benchmark, struct tare_error *error)
{
    struct arena *arena = session->cli->arena;
    tare_status status = TARE_OK;
    if (task->command != NULL) {
        status = measure_command_open(arena, task->command, error);
        status = fail_task(arena, benchmark, status, error);
    }
    if (status == TARE_OK && benchmark->state == MODEL_STATE_OK) {
        const struct measure_observer observer = {.context = &session->progress,
                                                  .update = progress_update};
        status = measure_benchmark(arena, &task->target, plan, &session->clock, &session->random,
                                   &observer, benchmark, error);
    }
    if (status == TARE_OK && benchmark->state == MODEL_STATE_OK) {
        double iterations = 0;
        mono_time started = clock_now();
        status = counting_benchmark(arena, &session->counting, &task->target, &iterations,
                                    &session->clock, &session->random, benchmark, error);
        session->counting_ns += (double)clock_since_ns(started);
    }
    if (task->command != NULL) {
        const struct measure_command_target *command = task->target.context;
        if (status == TARE_OK && command->memory_bound_bytes > 0) {
            model_benchmark_warn(arena, benchmark,
                                 "its peak memory is at most %s: less cannot be told",
                                 unit_format(arena, command->memory_bound_bytes, "B", 3));
        }
        tare_status closed = measure_command_close(task->command, error);
        status = status != TARE_OK ? status : fail_task(arena, benchmark, closed, error);
    }
    return status;
}

static struct advice_context advice_for(const struct run_session *session, bool is_command)
{
    const struct run_options *options = session->options;
    return (struct advice_context){
        .precision = options->precision,
        .confidence = options->confidence,
        .is_command = is_command,
        .has_warmup = options->warmup > 0,
        .has_fixed_runs = options->runs > 0,
        .is_shell = options->is_shell,
    };
}

static tare_status measure_task(struct run_session *session, struct run_task *task,
                                ptrdiff_t tasks_left, struct tare_error *error)
{
    struct arena *arena = session->cli->arena;
    struct model_benchmark *benchmark = model_run_add_benchmark(arena, &session->run);
    *benchmark = task->benchmark;
    if (task->skip_reason != NULL) {
        benchmark->state = MODEL_STATE_SKIPPED;
        benchmark->reason = task->skip_reason;
    } else {
        struct measure_plan plan = plan_for(session, task->command != NULL, tasks_left);
        const struct advice_context advice = advice_for(session, task->command != NULL);
        progress_begin(&session->progress, model_benchmark_label(arena, benchmark));
        tare_status status = measure_opened(session, task, &plan, benchmark, error);
        if (status != TARE_OK) {
            session->run.benchmark_count--; /* unfinished: not a result */
            return status;
        }
        advice_benchmark(arena, benchmark, &advice);
    }
    detect_figures_fill(benchmark);
    tare_status status = store_benchmark_save(session->store, session->run.id, benchmark, error);
    progress_finish(&session->progress,
                    describe_result(arena, benchmark, session->options->confidence));
    return status;
}

tare_status run_session_measure(struct run_session *session, struct tare_error *error)
{
    tare_status status = TARE_OK;
    for (ptrdiff_t i = 0; i < session->plan.task_count && status == TARE_OK; i++) {
        ptrdiff_t left = session->plan.task_count - i;
        status = measure_task(session, &session->plan.tasks[i], left, error);
    }
    progress_clear(&session->progress);
    return status;
}

tare_status run_session_finish(struct run_session *session, tare_status status,
                               struct tare_error *error)
{
    bool has_commands = false;
    for (ptrdiff_t i = 0; i < session->plan.task_count; i++) {
        has_commands = has_commands || session->plan.tasks[i].command != NULL;
    }
    const struct advice_context advice = advice_for(session, has_commands);
    advice_run_finished(session->cli->arena, &session->run, &advice);
    session->run.finished_unix_ns = clock_unix_ns();
    session->run.state = status == TARE_OK            ? MODEL_RUN_COMPLETE
                         : status == TARE_INTERRUPTED ? MODEL_RUN_INTERRUPTED
                                                      : MODEL_RUN_FAILED;
    tare_status finished = store_run_finish(session->store, &session->run, error);
    return status != TARE_OK ? status : finished;
}
