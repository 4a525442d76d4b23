/* cmd_run.c: `tare run`: measure benchmark programs or commands, keep the run, print it.
 *
 *   read the arguments  →  plan (what is to be measured)  →  begin a run in the store
 *   →  measure each benchmark, save it at once  →  finish the run, print it, exit */
#include "base/assert.h"
#include "base/text.h"
#include "cli/command.h"
#include "cli/run_options.h"
#include "cli/run_session.h"
#include "os/clock.h"
#include "os/interrupt.h"
#include "os/terminal.h"
#include "report/run_json.h"
#include "report/run_text.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

static tare_status session_plan(struct run_session *session, const struct option_result *words,
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
        status = run_session_begin(&session, argv, &error);
    }
    if (status != TARE_OK) {
        store_close(session.store);
        return command_fail(&command_run, &error);
    }
    status = run_session_measure(&session, &error);
    status = run_session_finish(&session, status, &error);
    store_close(session.store);
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
