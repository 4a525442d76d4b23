/* cmd_run.c: `tare run`: measure benchmark programs or commands, keep the run, print it.
 *
 *   read the arguments  →  plan (what is to be measured)  →  begin a run in the store
 *   →  measure each benchmark, save it at once  →  finish the run, print it, exit */
#include "base/assert.h"
#include "base/random.h"
#include "base/text.h"
#include "base/unit.h"
#include "cli/command.h"
#include "cli/counting.h"
#include "cli/progress.h"
#include "cli/run_options.h"
#include "cli/run_plan.h"
#include "cli/run_record.h"
#include "cli/store_path.h"
#include "detect/advice.h"
#include "detect/figures.h"
#include "measure/sampler.h"
#include "os/clock.h"
#include "os/interrupt.h"
#include "os/terminal.h"
#include "report/run_json.h"
#include "report/run_text.h"
#include "stats/summary.h"
#include "store/store.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* One `tare run` from start to end. */
struct run_session {
    struct cli *cli;
    struct run_options *options;
    struct config config;
    struct run_plan plan;
    struct counting counting;
    double counting_ns; /* spent on it, which has no part in the budget */
    struct model_run run;
    struct store *store;
    struct progress progress;
    struct measure_clock clock;
    struct random random;
    mono_time started;
};

static tare_status session_plan(struct run_session *session, const struct option_result *words,
                                struct tare_error *error);
static tare_status session_begin(struct run_session *session, char **argv,
                                 struct tare_error *error);
static tare_status session_measure(struct run_session *session, struct tare_error *error);
static tare_status session_finish(struct run_session *session, tare_status status,
                                  struct tare_error *error);
static int session_print(struct run_session *session, tare_status status,
                         const struct tare_error *error);
static int print_list(const struct run_session *session);

static int cmd_run(struct cli *cli, int argc, char **argv)
{
    struct run_options options = run_options_unset();
    struct option_result words;
    int code = EXIT_CODE_OK;
    if (!command_parse(cli, &command_run, argc, argv, false, &options, &words, &code)) {
        return code;
    }
    struct run_session session = {.cli = cli, .options = &options};
    struct tare_error error = {0};
    interrupt_install();
    tare_status status = session_plan(&session, &words, &error);
    if (status == TARE_OK && options.is_list) {
        return print_list(&session);
    }
    if (status == TARE_OK) {
        status = session_begin(&session, argv, &error);
    }
    if (status != TARE_OK) {
        store_close(session.store);
        return command_fail(&command_run, &error);
    }
    status = session_measure(&session, &error);
    status = session_finish(&session, status, &error);
    return session_print(&session, status, &error);
}

/* What is to be measured: what the words say, or without any, what tare.yaml lists. */
static tare_status session_plan(struct run_session *session, const struct option_result *words,
                                struct tare_error *error)
{
    struct arena *arena = session->cli->arena;
    tare_status status = config_load(arena, &session->config, error);
    if (status != TARE_OK) {
        return status;
    }
    run_options_complete(session->options, &session->config.policy);
    status = run_options_check(session->options, error);
    if (status == TARE_OK) {
        status = counting_open(arena, &session->options->counts, NULL, session->config.policy.count,
                               &session->counting, error);
    }
    if (status != TARE_OK) {
        return status;
    }
    bool has_words = words->operands.count > 0 || words->rest.count > 0;
    if (!has_words && session->config.policy.benchmark_count > 0) {
        return run_plan_configured(arena, session->options, &session->config, &session->plan,
                                   error);
    }
    return run_plan_make(arena, session->options, words, &session->plan, error);
}

static int print_list(const struct run_session *session)
{
    struct arena *arena = session->cli->arena;
    if (session->options->common.json) {
        struct buffer out = buffer_new(arena, BUFFER_LENGTH_MAX);
        struct model_run listed = {.id = "", .project = "", .command = "", .tare_version = ""};
        for (ptrdiff_t i = 0; i < session->plan.task_count; i++) {
            *model_run_add_benchmark(arena, &listed) = session->plan.tasks[i].benchmark;
        }
        report_run_json(&out, &listed, false, EXIT_CODE_OK);
        fputs(buffer_string(&out), stdout);
        return EXIT_CODE_OK;
    }
    for (ptrdiff_t i = 0; i < session->plan.task_count; i++) {
        const char *label = model_benchmark_label(arena, &session->plan.tasks[i].benchmark);
        printf("%s\n", text_printable(arena, label, 0));
    }
    return EXIT_CODE_OK;
}

static tare_status session_begin(struct run_session *session, char **argv, struct tare_error *error)
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
    const struct store_request request = {
        .option = common->store, .configured = session->config.store, .mode = STORE_WRITE};
    tare_status status = store_path_open(arena, &request, &session->store, error);
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

static tare_status session_measure(struct run_session *session, struct tare_error *error)
{
    tare_status status = TARE_OK;
    for (ptrdiff_t i = 0; i < session->plan.task_count && status == TARE_OK; i++) {
        ptrdiff_t left = session->plan.task_count - i;
        status = measure_task(session, &session->plan.tasks[i], left, error);
    }
    progress_clear(&session->progress);
    return status;
}

static tare_status session_finish(struct run_session *session, tare_status status,
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
    store_close(session->store);
    session->store = NULL;
    return status != TARE_OK ? status : finished;
}

/* What was asked to be counted and could not be. */
static bool has_failed_counts(const struct run_session *session)
{
    for (ptrdiff_t i = 0; i < session->run.benchmark_count; i++) {
        if (counting_has_failed(&session->counting, &session->run.benchmarks[i])) {
            return true;
        }
    }
    return false;
}

/* Nothing measured is never a success, nor is a benchmark that failed or cannot be believed. */
static int exit_code_of(const struct run_session *session, tare_status status)
{
    if (status != TARE_OK) {
        return command_exit_code(status);
    }
    ptrdiff_t measured = 0;
    for (ptrdiff_t i = 0; i < session->run.benchmark_count; i++) {
        enum model_state state = session->run.benchmarks[i].state;
        if (state == MODEL_STATE_FAILED || state == MODEL_STATE_INVALID) {
            return EXIT_CODE_FAILED;
        }
        measured += state == MODEL_STATE_OK;
    }
    return measured > 0 && !has_failed_counts(session) ? EXIT_CODE_OK : EXIT_CODE_FAILED;
}

static void print_closing_line(const struct run_session *session, int code)
{
    ptrdiff_t measured = 0;
    for (ptrdiff_t i = 0; i < session->run.benchmark_count; i++) {
        measured += session->run.benchmarks[i].state == MODEL_STATE_OK;
    }
    const char *word = code == EXIT_CODE_OK            ? "measured"
                       : code == EXIT_CODE_INTERRUPTED ? "interrupted, what was finished is kept"
                       : measured == 0                 ? "nothing could be measured"
                       : measured < session->plan.task_count ? "not everything could be measured"
                       : has_failed_counts(session)
                           ? "measured, but not everything could be counted"
                           : "measured, but the result could not be printed or kept";
    fprintf(stderr, "tare: %s: %td of %td benchmarks, run %.10s (exit %d), %.1f s\n", word,
            measured, session->plan.task_count, session->run.id, code,
            (double)clock_since_ns(session->started) / 1e9);
}

static int session_print(struct run_session *session, tare_status status,
                         const struct tare_error *error)
{
    const struct common_options *common = &session->options->common;
    int code = exit_code_of(session, status);
    struct buffer out = buffer_new(session->cli->arena, BUFFER_LENGTH_MAX);
    if (common->json) {
        report_run_json(&out, &session->run, session->options->has_samples, code);
    } else {
        const struct report_style style = {
            .columns = terminal_columns(STDOUT_FILENO),
            .has_color = !common->no_color && terminal_has_color(STDOUT_FILENO),
            .is_verbose = common->verbose,
        };
        report_run_text(&out, &session->run, &style);
    }
    code = command_print(&command_run, &out, code);
    if (status != TARE_OK && status != TARE_INTERRUPTED) {
        fprintf(stderr, "tare run: %s\n", error->message);
    }
    print_closing_line(session, code);
    return code;
}

const struct command command_run = {
    .name = "run",
    .run = cmd_run,
    .summary = "Measure benchmark programs or commands, and keep the results.",
    .usage = "[OPTIONS] [PROGRAM | 'COMMAND LINE']… [-- COMMAND…]",
    .examples =
        "  tare run ./bench                        every benchmark of a program linked with "
        "libtare\n"
        "  tare run ./bench --filter 'sort.*'      some of them\n"
        "  tare run -- gzip -k -c big.txt          a command, without a shell\n"
        "  tare run 'gzip -1 -c f' 'gzip -9 -c f'  two commands\n"
        "  tare run -P n=1..9+4 'gzip -{n} -c f'   one command, n = 1, 5, 9\n"
        "  tare run --shell 'sort f | uniq -c'     a line for the shell\n"
        "  tare run -w 3 -p 'sync' -- ./tool       warm up; prepare every run\n"
        "  tare run --protocol ./bench.py          a program in any language (docs/protocol.md)",
    .details =
        "Each benchmark is measured in several launches (fresh processes, placed differently in "
        "memory)\n"
        "until its interval is as narrow as --precision asks or its share of --budget is spent.\n"
        "Results go to standard output, progress to standard error, every sample into the store.\n"
        "Exit codes: 0 all measured, 2 wrong usage, 3 something failed or is invalid, 130 "
        "interrupted.",
    .options = run_option_table,
};
