/* cmd_ab.c: `tare ab OLD NEW…`: old and new side by side, until decided or out of budget.
 *
 *   read the arguments  →  plan each side  →  pair the benchmarks by name
 *   →  contest (launch, look, decide)  →  decision: print it, keep it, exit */
#include "base/text.h"
#include "cli/ab_checks.h"
#include "cli/ab_session.h"
#include "cli/command.h"
#include "os/clock.h"
#include "os/interrupt.h"
#include "os/terminal.h"
#include "report/comparison_json.h"
#include "report/comparison_text.h"

#include <math.h>
#include <stdio.h>
#include <unistd.h>

static void make_decision(struct ab_session *session);
static int finish_runs(struct ab_session *session, tare_status status, struct tare_error *error);
static int print_decision(struct ab_session *session, int code);

static int cmd_ab(struct cli *cli, int argc, char **argv)
{
    struct ab_options options = {
        .run = run_options_unset(), .min_effect = -1, .rounds = UNSET_ROUNDS};
    struct option_result words;
    int code = EXIT_CODE_OK;
    if (!command_parse(cli, &command_ab, argc, argv, false, &options, &words, &code)) {
        return code;
    }
    struct ab_session session = {.cli = cli, .options = &options, .started = clock_now()};
    struct tare_error error = {0};
    interrupt_install();
    tare_status status = config_load(cli->arena, &session.config, &error);
    if (status == TARE_OK) {
        const struct model_policy *policy = &session.config.policy;
        run_options_complete(&options.run, policy);
        options.min_effect = options.min_effect < 0 ? policy->min_effect : options.min_effect;
        status = run_options_check(&options.run, &error);
    }
    if (status == TARE_OK) {
        status = ab_plan_sides(&session, &words, &error);
    }
    if (status == TARE_OK) {
        status = ab_plan_pairs(&session, &error);
    }
    /* After builds, before the environment is written down. */
    if (status == TARE_OK && !options.keeps_priority) {
        session.priority = priority_raise();
    }
    if (status == TARE_OK) {
        status = ab_begin_runs(&session, argv, &error);
    }
    if (status != TARE_OK) {
        store_close(session.store);
        return command_fail(&command_ab, &error);
    }
    ab_prepare_contest(&session);
    status = ab_open_commands(&session, &error);
    if (status == TARE_OK && options.must_print_same) {
        status = ab_check_output(cli->arena, session.plans, session.side_count, &session.contest,
                                 &error);
    }
    if (status == TARE_OK) {
        status = contest_run(cli->arena, &session.contest, &error);
    }
    ab_close_commands(&session);
    priority_restore(&session.priority);
    make_decision(&session);
    int exit_code = finish_runs(&session, status, &error);
    if (status != TARE_OK && status != TARE_INTERRUPTED) {
        return command_fail(&command_ab, &error);
    }
    return print_decision(&session, exit_code);
}

/* What would decide the rest: more time, as far as it can be told, else a quieter machine. */
static const char *advise_budget(const struct ab_session *session)
{
    double more_s = 0;
    for (ptrdiff_t i = 0; i < session->decision.count; i++) {
        const struct model_comparison *item = &session->decision.items[i];
        if (item->is_gated && item->verdict == MODEL_INCONCLUSIVE) {
            more_s = item->seconds_more < 0 ? INFINITY : fmax(more_s, item->seconds_more);
        }
    }
    if (!isfinite(more_s)) {
        return "tare doctor";
    }
    /* Half as much again: a forecast from few launches is rough. */
    double budget_s = session->options->run.budget_ns / 1e9 + 1.5 * more_s;
    return arena_printf(session->cli->arena, "the same with --budget %.0fs",
                        ceil(fmax(budget_s, 5)));
}

static void make_decision(struct ab_session *session)
{
    struct arena *arena = session->cli->arena;
    struct model_decision *decision = &session->decision;
    decision->old_name = session->names[0];
    decision->new_name = session->names[1];
    for (int side = 2; side < session->side_count; side++) {
        decision->new_name =
            arena_printf(arena, "%s, %s", decision->new_name, session->names[side]);
    }
    ab_note_steadier(arena, &session->contest, decision);
    ab_add_items(session);
    model_decision_sort(decision);
    enum model_verdict verdict = model_decision_verdict(decision);
    if (verdict == MODEL_INCONCLUSIVE) {
        decision->next = advise_budget(session);
    } else if (verdict == MODEL_REGRESSED) {
        decision->next = arena_printf(arena, "tare runs show -v %.10s", session->runs[1].id);
    }
    decision->seconds = (double)clock_since_ns(session->started) / 1e9;
}

/* The order of the exit codes is 130, 2, 1, 3, 5, 4, 0: a regression outweighs what could not be
 * compared. */
static int exit_code_of(const struct model_decision *decision, tare_status status)
{
    if (status == TARE_INTERRUPTED) {
        return EXIT_CODE_INTERRUPTED;
    }
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

/* Ends the runs and keeps the decision as it is printed in JSON. Returns the exit code. */
static int finish_runs(struct ab_session *session, tare_status status, struct tare_error *error)
{
    int code = exit_code_of(&session->decision, status);
    tare_status kept = ab_finish_runs(session, status, error);
    if (kept == TARE_OK) {
        kept = ab_keep_decision(session, code, error);
    }
    /* Builds of revisions may read other files, so equal programs prove nothing there. */
    bool is_itself = session->side_count == 2 && session->options->revision == NULL &&
                     ab_has_same_programs(session);
    if (kept == TARE_OK && is_itself) {
        kept = ab_record_noise(session, "ab", error);
    }
    if (kept != TARE_OK) {
        model_decision_warn(session->cli->arena, &session->decision,
                            "the result could not be kept: %s", error->message);
        code = code == EXIT_CODE_OK ? EXIT_CODE_FAILED : code;
    }
    store_close(session->store);
    return code;
}

static int print_decision(struct ab_session *session, int code)
{
    const struct common_options *common = &session->options->run.common;
    const struct model_decision *decision = &session->decision;
    struct buffer out = buffer_new(session->cli->arena, BUFFER_LENGTH_MAX);
    if (common->json) {
        report_comparison_json(&out, decision, &session->runs[0].machine, code);
    } else {
        const struct report_style style = {
            .columns = terminal_columns(STDOUT_FILENO),
            .has_color = !common->no_color && terminal_has_color(STDOUT_FILENO),
            .is_verbose = common->verbose,
        };
        report_comparison_text(&out, decision, &session->runs[0].machine, &style);
    }
    if (session->is_live) {
        fprintf(stderr, "\r\033[K");
    }
    code = command_print(&command_ab, &out, code);
    fprintf(stderr, "tare: %s (exit %d), %.1f s\n",
            code == EXIT_CODE_INTERRUPTED ? "interrupted"
                                          : model_verdict_name(model_decision_verdict(decision)),
            code, decision->seconds);
    return code;
}

#define AT(member) offsetof(struct ab_options, member)

static const struct option ab_option_table[] = {
    {"budget", 'b', OPTION_TIME, AT(run.budget_ns), "TIME", "time for everything together (60s)"},
    {"min-effect", 'e', OPTION_RATIO, AT(min_effect), "SHARE",
     "changes within this band are equivalent; 0 asks for any difference (1%)"},
    {"confidence", 0, OPTION_RATIO, AT(run.confidence), "SHARE", "of all verdicts together (99%)"},
    {"filter", 'f', OPTION_TEXT, AT(run.filter), "REGEX", "only benchmarks whose name matches"},
    {"timeout", 't', OPTION_TIME, AT(run.timeout_ns), "TIME",
     "kill a run or a slice that takes longer (10min)"},
    {"protocol", 0, OPTION_FLAG, AT(run.is_protocol), NULL,
     "programs speak Tare's protocol though they have no ELF note"},
    {"rev", 'r', OPTION_TEXT, AT(revision), "OLD",
     "build this git revision and NEW (operand; the working tree) and compare"},
    {"build", 0, OPTION_TEXT, AT(build), "LINE", "how a revision is built (tare.yaml's build:)"},
    {"layouts", 0, OPTION_COUNT, AT(layouts), "N",
     "build each side N times with other code layouts; the build is the unit"},
    {"gate", 'g', OPTION_LIST, AT(gate), "METRIC",
     "metric that decides, may repeat (time, and what the program declares)"},
    {"same-output", 0, OPTION_FLAG, AT(must_print_same), NULL,
     "commands must print the same on both sides, else invalid"},
    {"name", 'n', OPTION_LIST, AT(run.names), "NAME", "what the compared commands are called"},
    {"metric", 'm', OPTION_LIST, AT(run.metrics), "SPEC",
     "a number in the output: 'speed[tok/s]:higher=re:([0-9.]+) tok/s'"},
    {"param", 'P', OPTION_LIST, AT(run.params), "N=LIST", "{N} in the commands, as in 'tare run'"},
    {"shell", 'S', OPTION_FLAG, AT(run.is_shell), NULL, "run commands through /bin/sh"},
    {"prepare", 'p', OPTION_TEXT, AT(run.prepare), "LINE",
     "shell line before every run, not timed"},
    {"conclude", 'c', OPTION_TEXT, AT(run.conclude), "LINE",
     "shell line after every run, not timed"},
    {"input", 0, OPTION_TEXT, AT(run.input), "FILE", "standard input of every run (/dev/null)"},
    {"exit-code", 0, OPTION_LIST, AT(run.exit_codes), "N", "expected exit status, may repeat (0)"},
    {"ignore-failure", 'i', OPTION_FLAG, AT(run.ignores_failure), NULL, "any exit status is fine"},
    {"count", 0, OPTION_LIST, AT(run.counts), "WHAT",
     "count exactly: instructions (needs Valgrind), size, allocations"},
    {"rounds", 0, OPTION_COUNT, AT(rounds), "N", "rounds of a launch (as many as pay)"},
    {"slice", 0, OPTION_TIME, AT(slice_ns), "TIME", "length of a slice (0.2ms)"},
    {"cpu", 0, OPTION_COUNT, AT(run.cpu), "N", "pin both sides to this CPU"},
    {"no-pin", 0, OPTION_FLAG, AT(is_not_pinned), NULL,
     "pin to no CPU (programs: one at random per launch; commands: none)"},
    {"no-priority", 0, OPTION_FLAG, AT(keeps_priority), NULL,
     "do not raise the priority of both sides, where that is permitted"},
    {"no-huge-pages", 0, OPTION_FLAG, AT(has_no_huge_pages), NULL,
     "do not ask for huge pages for what programs allocate"},
    {"no-aslr", 0, OPTION_FLAG, AT(run.has_no_aslr), NULL, "switch address randomisation off"},
    {"seed", 0, OPTION_COUNT, AT(run.seed), "N", "of orders and placements"},
    {NULL, 0, OPTION_FLAG, 0, NULL, NULL},
};

const struct command command_ab = {
    .name = "ab",
    .run = cmd_ab,
    .summary = "Compare builds or commands side by side, until decided or out of budget.",
    .usage = "[OPTIONS] OLD NEW [NEW…]  |  --rev OLD [NEW…] [--build LINE] -- PROGRAM",
    .examples =
        "  tare ab ./bench-old ./bench-new                 two builds of a benchmark program\n"
        "  tare ab ./bench-old ./bench-new --filter sort   some of its benchmarks\n"
        "  tare ab 'gzip -6 -c f' 'pigz -6 -c f'           two commands\n"
        "  tare ab --min-effect 0 A B                      is there any difference at all?",
    .details =
        "Both sides stay alive and get short slices in turn, in random order, so that whatever the "
        "machine\n"
        "does hits both alike. Verdicts: regressed, improved, equivalent (within --min-effect),\n"
        "inconclusive, invalid. Exit codes: 0 nothing regressed, 1 regressed, 2 wrong usage,\n"
        "3 could not compare, 4 inconclusive, 130 interrupted.",
    .options = ab_option_table,
};
