/* cmd_compare.c: `tare compare A B`: two runs that are in the store.
 *
 *   read the arguments  →  load both runs and reruns  →  judge  →  print, exit */
#include "base/text.h"
#include "cli/command.h"
#include "cli/compare_runs.h"
#include "cli/config.h"
#include "cli/store_command.h"
#include "os/clock.h"
#include "os/terminal.h"
#include "report/comparison_json.h"
#include "report/comparison_text.h"

#include <stdio.h>
#include <unistd.h>

struct compare_options {
    struct common_options common;
    double min_effect;
    double confidence;
    const char *filter;
    struct text_list gate;
};

static tare_status read_request(struct cli *cli, struct compare_options *options,
                                const struct option_result *words, struct compare_request *request,
                                struct tare_error *error);
static int print_decision(struct cli *cli, const struct compare_options *options,
                          const struct compare_runs *runs, const struct model_decision *decision);

static int cmd_compare(struct cli *cli, int argc, char **argv)
{
    struct compare_options options = {.min_effect = -1, .confidence = -1};
    struct option_result words;
    int code = EXIT_CODE_OK;
    if (!command_parse(cli, &command_compare, argc, argv, false, &options, &words, &code)) {
        return code;
    }
    mono_time started = clock_now();
    struct tare_error error = {0};
    struct compare_request request;
    struct compare_runs runs;
    struct model_decision decision = {0};
    struct store *store = NULL;
    model_run_id_new(decision.id, clock_unix_ns(), clock_entropy(), clock_entropy());
    tare_status status = read_request(cli, &options, &words, &request, &error);
    if (status == TARE_OK) {
        status = store_command_open(cli, &options.common, STORE_READ, &store, &error);
    }
    if (status == TARE_OK) {
        status = compare_runs_load(cli->arena, store, &request, &runs, &error);
    }
    store_close(store);
    if (status == TARE_OK) {
        status = compare_runs_judge(cli->arena, &request, &runs, &decision, &error);
    }
    if (status != TARE_OK) {
        return command_fail(&command_compare, &error);
    }
    decision.seconds = (double)clock_since_ns(started) / 1e9;
    return print_decision(cli, &options, &runs, &decision);
}

static tare_status check_options(const struct compare_options *options,
                                 const struct option_result *words, struct tare_error *error)
{
    if (words->operands.count != 2 || words->has_rest) {
        return error_set(error, TARE_ERROR_USAGE,
                         "two runs are wanted, OLD and NEW: ids, beginnings of ids, names of "
                         "baselines, latest, latest~1");
    }
    if (!(options->confidence >= 0.5 && options->confidence < 1)) {
        return error_set(error, TARE_ERROR_USAGE,
                         "--confidence must be at least 50%% and below 100%%");
    }
    if (!(options->min_effect < 1)) {
        return error_set(error, TARE_ERROR_USAGE, "--min-effect must be below 100%%");
    }
    return TARE_OK;
}

/* What was not said comes from tare.yaml, or from the defaults. */
static tare_status read_request(struct cli *cli, struct compare_options *options,
                                const struct option_result *words, struct compare_request *request,
                                struct tare_error *error)
{
    struct config *config = ARENA_NEW(cli->arena, struct config);
    tare_status status = config_load(cli->arena, config, error);
    if (status != TARE_OK) {
        return status;
    }
    const struct model_policy *policy = &config->policy;
    options->min_effect = options->min_effect < 0 ? policy->min_effect : options->min_effect;
    options->confidence = options->confidence < 0 ? policy->confidence : options->confidence;
    bool is_gate_said = options->gate.count > 0;
    for (ptrdiff_t i = 0; !is_gate_said && i < policy->gate.count; i++) {
        text_list_add(cli->arena, &options->gate, policy->gate.items[i]);
    }
    status = check_options(options, words, error);
    if (status == TARE_OK) {
        *request = (struct compare_request){
            .old_selector = words->operands.items[0],
            .new_selector = words->operands.items[1],
            .confidence = options->confidence,
            .min_effect = options->min_effect,
            .gate = &options->gate,
            .filter = options->filter,
            .policy = policy,
        };
    }
    return status;
}

static int print_decision(struct cli *cli, const struct compare_options *options,
                          const struct compare_runs *runs, const struct model_decision *decision)
{
    int code = compare_runs_exit_code(decision);
    struct buffer out = buffer_new(cli->arena, BUFFER_LENGTH_MAX);
    if (options->common.json) {
        report_comparison_json(&out, decision, &runs->new_run.machine, code);
    } else {
        const struct report_style style = {
            .columns = terminal_columns(STDOUT_FILENO),
            .has_color = !options->common.no_color && terminal_has_color(STDOUT_FILENO),
            .is_verbose = options->common.verbose,
        };
        report_comparison_text(&out, decision, &runs->new_run.machine, &style);
    }
    code = command_print(&command_compare, &out, code);
    if (!options->common.quiet) {
        fprintf(stderr, "tare: %s (exit %d), %.1f s\n",
                model_verdict_name(model_decision_verdict(decision)), code, decision->seconds);
    }
    return code;
}

#define AT(member) offsetof(struct compare_options, member)

static const struct option compare_option_table[] = {
    {"min-effect", 'e', OPTION_RATIO, AT(min_effect), "SHARE",
     "changes within this band are equivalent; 0 asks for any difference (1%)"},
    {"confidence", 0, OPTION_RATIO, AT(confidence), "SHARE", "of all verdicts together (99%)"},
    {"filter", 'f', OPTION_TEXT, AT(filter), "REGEX", "only benchmarks whose name matches"},
    {"gate", 'g', OPTION_LIST, AT(gate), "METRIC",
     "metric that decides, may repeat (time, and what the program declares)"},
    {NULL, 0, OPTION_FLAG, 0, NULL, NULL},
};

const struct command command_compare = {
    .name = "compare",
    .run = cmd_compare,
    .summary = "Compare two stored runs or baselines, as far as runs can be compared.",
    .usage = "[OPTIONS] OLD NEW",
    .examples = "  tare compare main latest             the baseline 'main' and the newest run\n"
                "  tare compare latest~1 latest         the two newest runs\n"
                "  tare compare 01hf2k3m 01hf2k9z       two runs by the beginning of their ids\n"
                "  tare compare main latest --gate p99  decide by another metric",
    .details =
        "Runs of one program differ by more than their launches do. How much is learnt from reruns "
        "in the\n"
        "store: 'tare run' the same commit at least 4 times, at different times. Without reruns "
        "the "
        "answer\n"
        "is 'inconclusive'; 'tare ab' needs none. Exit codes: 0 nothing regressed, 1 regressed, 2 "
        "wrong usage,\n"
        "3 could not compare or a benchmark is gone, 4 inconclusive, 5 no such baseline.",
    .options = compare_option_table,
};
