/* cmd_gate.c: `tare gate`: the change in this checkout against its base, judged by the base's
 * policy; the exit code is the answer. */
#include "base/text.h"
#include "cli/ab_checks.h"
#include "cli/gate_session.h"
#include "detect/judge.h"
#include "os/clock.h"
#include "os/interrupt.h"
#include "os/terminal.h"
#include "report/comparison_json.h"
#include "report/gate_text.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static tare_status complete_options(struct gate_session *session, struct tare_error *error);
static tare_status compare_sides(struct gate_session *session, const struct option_result *words,
                                 char **argv, struct tare_error *error);
static void make_decision(struct gate_session *session);
static int keep_decision(struct gate_session *session, tare_status status,
                         struct tare_error *error);
static int print_decision(struct gate_session *session, int code);

static int cmd_gate(struct cli *cli, int argc, char **argv)
{
    struct gate_options options = {
        .ab = {.run = run_options_unset(), .min_effect = -1, .rounds = UNSET_ROUNDS},
        .retries = UNSET_RETRIES};
    struct option_result words;
    int code = EXIT_CODE_OK;
    if (!command_parse(cli, &command_gate, argc, argv, false, &options, &words, &code)) {
        return code;
    }
    struct gate_session session = {
        .ab = {.cli = cli, .options = &options.ab, .started = clock_now()}, .options = &options};
    struct tare_error error = {0};
    interrupt_install();
    tare_status status = TARE_OK;
    if (words.operands.count > 0) {
        status = error_set(&error, TARE_ERROR_USAGE,
                           "'%s' is not expected here: the program stands behind --, the base is "
                           "named with --base",
                           text_printable(cli->arena, words.operands.items[0], 60));
    }
    if (status == TARE_OK) {
        status = gate_find_base(&session, &error);
    }
    if (status == TARE_OK) {
        status = complete_options(&session, &error);
    }
    if (status == TARE_OK) {
        status = session.is_baseline ? gate_against_baseline(&session, &words, argv, &error)
                                     : compare_sides(&session, &words, argv, &error);
    }
    bool has_decision = session.ab.decision.id[0] != '\0';
    if (!has_decision || (status != TARE_OK && status != TARE_INTERRUPTED)) {
        store_close(session.ab.store);
        return command_fail(&command_gate, &error);
    }
    make_decision(&session);
    return print_decision(&session, keep_decision(&session, status, &error));
}

/* Both sides built and measured side by side. */
static tare_status compare_sides(struct gate_session *session, const struct option_result *words,
                                 char **argv, struct tare_error *error)
{
    tare_status status = gate_plan(session, words, error);
    /* After builds, before the environment is written down. */
    if (status == TARE_OK && !session->options->ab.keeps_priority) {
        session->ab.priority = priority_raise();
    }
    if (status == TARE_OK) {
        status = ab_begin_runs(&session->ab, argv, error);
    }
    if (status != TARE_OK) {
        return status;
    }
    status = gate_measure(session, argv, error);
    priority_restore(&session->ab.priority);
    if (status == TARE_OK) {
        status = gate_check_base(session, error);
    }
    struct tare_error ignored = {0};
    tare_status finished =
        ab_finish_runs(&session->ab, status, status == TARE_OK ? error : &ignored);
    return status == TARE_OK ? finished : status;
}

/* What was not said comes from the base's policy. */
static tare_status complete_options(struct gate_session *session, struct tare_error *error)
{
    struct gate_options *options = session->options;
    const struct model_policy *policy = &session->ab.config.policy;
    run_options_complete(&options->ab.run, policy);
    options->ab.min_effect =
        options->ab.min_effect < 0 ? policy->min_effect : options->ab.min_effect;
    session->ab.config.policy.min_effect = options->ab.min_effect;
    session->ab.config.policy.confidence = options->ab.run.confidence;
    options->retries = options->retries < 0 ? policy->retries : options->retries;
    if (options->ab.gate.count > 0) {
        session->ab.config.policy.gate =
            (struct model_text_list){options->ab.gate.items, options->ab.gate.count};
    } else {
        for (ptrdiff_t i = 0; i < policy->gate.count; i++) {
            text_list_add(session->ab.cli->arena, &options->ab.gate, policy->gate.items[i]);
        }
    }
    if (options->ab.min_effect >= 1) {
        return error_set(error, TARE_ERROR_USAGE, "--min-effect must be below 100%%");
    }
    if (!(options->retries <= POLICY_RETRIES_MAX && floor(options->retries) == options->retries)) {
        return error_set(error, TARE_ERROR_USAGE, "--retries must be a whole number, 0 to %d",
                         POLICY_RETRIES_MAX);
    }
    return run_options_check(&options->ab.run, error);
}

static void make_decision(struct gate_session *session)
{
    struct arena *arena = session->ab.cli->arena;
    struct model_decision *decision = &session->ab.decision;
    if (!session->is_baseline) {
        decision->old_name = session->ab.names[GATE_OLD];
        decision->new_name = session->ab.names[GATE_NEW];
        ab_note_steadier(arena, &session->ab.contest, decision);
        gate_doubt(session);
        ab_add_items(&session->ab);
    }
    const struct judge_context context = {
        .policy = &session->ab.config.policy,
        .today = clock_date(clock_unix_ns()),
        .has_baseline = true,
        .benchmarks = session->benchmarks,
        .benchmark_count = session->benchmark_count,
    };
    judge_decision(arena, decision, &context);
    model_decision_sort(decision);
    decision->seconds = (double)clock_since_ns(session->ab.started) / 1e9;
}

static int keep_decision(struct gate_session *session, tare_status status, struct tare_error *error)
{
    struct model_decision *decision = &session->ab.decision;
    int code = status == TARE_INTERRUPTED ? EXIT_CODE_INTERRUPTED : decision->judgement->exit_code;
    decision->judgement->exit_code = code;
    error_clear(error); /* an interrupt is told by the code; what follows has reasons of its own */
    tare_status kept = ab_keep_decision(&session->ab, code, error);
    /* Equal programs may read files that differ: only equal trees prove that nothing changed. */
    bool is_itself = session->has_same_programs &&
                     strcmp(session->commits[GATE_OLD].tree, session->commits[GATE_NEW].tree) == 0;
    if (kept == TARE_OK && is_itself) {
        kept = ab_record_noise(&session->ab, "gate", error);
    }
    if (kept != TARE_OK) {
        model_decision_warn(session->ab.cli->arena, decision, "the result could not be kept: %s",
                            error->message);
        code = code == EXIT_CODE_OK ? EXIT_CODE_FAILED : code;
    }
    store_close(session->ab.store);
    return code;
}

static int print_decision(struct gate_session *session, int code)
{
    const struct common_options *common = &session->options->ab.run.common;
    const struct model_decision *decision = &session->ab.decision;
    struct buffer out = buffer_new(session->ab.cli->arena, BUFFER_LENGTH_MAX);
    if (common->json) {
        report_comparison_json(&out, decision, &session->ab.runs[0].machine, code);
    } else {
        const struct report_style style = {
            .columns = terminal_columns(STDOUT_FILENO),
            .has_color = !common->no_color && terminal_has_color(STDOUT_FILENO),
            .is_verbose = common->verbose,
        };
        report_gate_text(&out, decision, &session->ab.runs[0].machine, &style);
    }
    if (session->ab.is_live) {
        fprintf(stderr, "\r\033[K");
    }
    code = command_print(&command_gate, &out, code);
    /* What could not be kept or printed is no answer. */
    bool is_told = code == decision->judgement->exit_code;
    fprintf(stderr, "tare: gate: %s (exit %d), %.1f s\n",
            is_told ? report_gate_outcome(decision->judgement) : "failed", code, decision->seconds);
    return code;
}

#define AT(member) offsetof(struct gate_options, member)

static const struct option gate_option_table[] = {
    {"base", 0, OPTION_TEXT, AT(base), "REF",
     "compare with where head and this revision parted (the default branch)"},
    {"head", 0, OPTION_TEXT, AT(head), "REF", "judge this revision (the working tree)"},
    {"build", 0, OPTION_TEXT, AT(ab.build), "LINE", "how a revision is built (tare.yaml's build:)"},
    {"budget", 'b', OPTION_TIME, AT(ab.run.budget_ns), "TIME",
     "time for measuring, building not counted (60s)"},
    {"retries", 0, OPTION_COUNT, AT(retries), "N",
     "go on so often, half a budget each, while in doubt (2)"},
    {"min-effect", 'e', OPTION_RATIO, AT(ab.min_effect), "SHARE",
     "changes within this band are equivalent (1%)"},
    {"confidence", 0, OPTION_RATIO, AT(ab.run.confidence), "SHARE",
     "of all verdicts together (99%)"},
    {"filter", 'f', OPTION_TEXT, AT(ab.run.filter), "REGEX", "only benchmarks whose name matches"},
    {"gate", 'g', OPTION_LIST, AT(ab.gate), "METRIC",
     "metric that decides, may repeat (the policy's gate:)"},
    {"count", 0, OPTION_LIST, AT(ab.run.counts), "WHAT",
     "count exactly: instructions (needs Valgrind), size, allocations"},
    {"timeout", 't', OPTION_TIME, AT(ab.run.timeout_ns), "TIME",
     "kill a run or a slice that takes longer (10min)"},
    {"cpu", 0, OPTION_COUNT, AT(ab.run.cpu), "N", "pin both sides to this CPU"},
    {"no-pin", 0, OPTION_FLAG, AT(ab.is_not_pinned), NULL, "pin to no CPU"},
    {"no-priority", 0, OPTION_FLAG, AT(ab.keeps_priority), NULL,
     "do not raise the priority of both sides, where that is permitted"},
    {"no-huge-pages", 0, OPTION_FLAG, AT(ab.has_no_huge_pages), NULL,
     "do not ask for huge pages for what the program allocates"},
    {"seed", 0, OPTION_COUNT, AT(ab.run.seed), "N", "of orders and placements"},
    {NULL, 0, OPTION_FLAG, 0, NULL, NULL},
};

const struct command command_gate = {
    .name = "gate",
    .run = cmd_gate,
    .summary =
        "Build this change and its base, compare, judge by the policy; the exit code answers.",
    .usage = "[OPTIONS] [--base REF] [-- PROGRAM]",
    .examples =
        "  tare gate                                            as tare.yaml says\n"
        "  tare gate --base main --build 'make bench' -- ./bench  without any configuration\n"
        "  tare gate --base origin/main --json > gate.json      in CI, for other tools",
    .details =
        "Both revisions are built in worktrees of their own; your checkout is not touched. The\n"
        "policy is read from the base, so that a change cannot loosen the rules it is judged by;\n"
        "what it changes in them is listed. A failure counts when fresh launches confirm it.\n"
        "Exit codes: 0 within the limits, 1 a regression at or beyond the gate's level or a\n"
        "requirement not met, 2 wrong usage or policy, 3 could not compare, 4 inconclusive,\n"
        "5 no baseline, 130 interrupted.",
    .options = gate_option_table,
};
