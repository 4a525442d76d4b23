/* cmd_runs.c: `tare runs`: what is in the store: list, show, prune, check. */
#include "base/text.h"
#include "cli/config.h"
#include "cli/runs_document.h"
#include "cli/store_command.h"
#include "os/clock.h"
#include "os/terminal.h"
#include "report/json_write.h"
#include "report/run_json.h"
#include "report/run_text.h"
#include "report/table.h"

#include <math.h>
#include <stdio.h>
#include <unistd.h>

static const struct command command_runs_list;
static const struct command command_runs_show;
static const struct command command_runs_prune;
static const struct command command_runs_check;

static const struct command *const subcommands[] = {
    &command_runs_list, &command_runs_show, &command_runs_prune, &command_runs_check, NULL,
};

static int run_runs(struct cli *cli, int argc, char **argv)
{
    return store_command_dispatch(cli, &command_runs, subcommands, argc, argv);
}

const struct command command_runs = {
    .name = "runs",
    .run = run_runs,
    .summary = "What is in the store: list, show, prune, check",
    .usage = "[list|show|prune|check] [OPTIONS]",
    .examples = "  tare runs                        the newest runs\n"
                "  tare runs show                   the newest run in full\n"
                "  tare runs show latest~1 --json   the one before, as JSON\n"
                "  tare runs prune --keep 20        all but the newest 20 go\n"
                "  tare runs check                  is the store whole?",
    .details = "A RUN is an id, the beginning of one, a baseline's name, 'latest', or 'latest~2' "
               "for two before it.\n"
               "'tare runs list --help', 'tare runs prune --help' and so on show their options.\n"
               "Nothing is ever pruned by itself.",
};

static bool only_operands(const struct command *command, const struct option_result *arguments,
                          ptrdiff_t count_max, int *exit_code)
{
    if (arguments->operands.count <= count_max && !arguments->has_rest) {
        return true;
    }
    struct tare_error error = {0};
    error_set(&error, TARE_ERROR_USAGE, "too many arguments: usage is 'tare %s %s'", command->name,
              command->usage);
    *exit_code = command_fail(command, &error);
    return false;
}

/* ---- list ---- */

struct list_options {
    struct common_options common;
    const char *project;
    const char *commit;
    const char *branch;
    const char *machine;
    double limit;
    bool results;
};

static const struct option list_table[] = {
    {"project", 0, OPTION_TEXT, offsetof(struct list_options, project), "NAME",
     "runs of this project only"},
    {"commit", 0, OPTION_TEXT, offsetof(struct list_options, commit), "HASH",
     "runs of this commit (beginning of a hash)"},
    {"branch", 0, OPTION_TEXT, offsetof(struct list_options, branch), "NAME",
     "runs of this branch only"},
    {"machine", 0, OPTION_TEXT, offsetof(struct list_options, machine), "ID",
     "runs of the machine with this full id"},
    {"limit", 'n', OPTION_COUNT, offsetof(struct list_options, limit), "N",
     "at most so many; 0: all (20)"},
    {"results", 0, OPTION_FLAG, offsetof(struct list_options, results), NULL,
     "kept comparisons and proofs instead of runs"},
    {NULL, 0, OPTION_FLAG, 0, NULL, NULL},
};

/* An id's beginning that is enough to tell it from all others. */
static const char *short_id(struct arena *arena, const char *id, int length)
{
    return arena_printf(arena, "%.*s", length, id);
}

/* The command, in front of it the side when it is one of a comparison. */
static const char *command_cell(struct arena *arena, const struct store_run_row *run)
{
    const char *command = run->command != NULL ? run->command : "";
    if (run->compared_as != NULL) {
        command = arena_printf(arena, "(%s) %s", run->compared_as, command);
    }
    return text_printable(arena, command, 60);
}

static void print_list(struct arena *arena, const struct store_run_rows *rows, int id_length,
                       const struct list_options *options)
{
    int64_t now = clock_unix_ns();
    struct table table = table_new(arena);
    table_add_column(&table, "run", TABLE_LEFT, 0);
    table_add_column(&table, "age", TABLE_RIGHT, 0);
    table_add_column(&table, "state", TABLE_LEFT, 0);
    table_add_column(&table, "benchmarks", TABLE_RIGHT, 0);
    table_add_column(&table, "commit", TABLE_LEFT, 1);
    table_add_column(&table, "branch", TABLE_LEFT, 2);
    table_add_column(&table, "baseline", TABLE_LEFT, 0);
    table_add_column(&table, "command", TABLE_LEFT, 3);
    for (ptrdiff_t i = 0; i < rows->count; i++) {
        const struct store_run_row *run = &rows->items[i];
        struct table_row *row = table_add_row(&table);
        row->cells[0] = short_id(arena, run->id, id_length);
        row->cells[1] = store_command_age(arena, now, run->started_unix_ns);
        row->cells[2] = store_command_state(run->state);
        row->cells[3] =
            run->bad_count == 0
                ? arena_printf(arena, "%lld", (long long)run->benchmark_count)
                : arena_printf(arena, "%lld (%lld bad)", (long long)run->benchmark_count,
                               (long long)run->bad_count);
        row->cells[4] = store_command_commit(arena, &run->commit);
        row->cells[5] =
            run->commit.branch != NULL ? text_printable(arena, run->commit.branch, 24) : "";
        row->cells[6] = text_printable(arena, run->baselines, 40);
        row->cells[7] = command_cell(arena, run);
    }
    struct buffer out = buffer_new(arena, BUFFER_LENGTH_MAX);
    bool is_terminal = terminal_is(STDOUT_FILENO);
    table_print(&table, &out, is_terminal ? terminal_columns(STDOUT_FILENO) : 0,
                terminal_has_color(STDOUT_FILENO) && !options->common.no_color);
    fputs(buffer_string(&out), stdout);
}

static int list_found(struct cli *cli, struct store *store, const struct list_options *options,
                      struct store_run_rows *rows, int id_length)
{
    bool has_more = options->limit > 0 && rows->count > (ptrdiff_t)options->limit;
    rows->count -= has_more;
    if (options->common.json) {
        json_t *answer = store_command_answer(cli->arena, "runs", store);
        json_object_set_new(answer, "runs", store_command_runs(cli->arena, rows));
        json_object_set_new(answer, "more", json_boolean(has_more));
        return store_command_print_json(&command_runs_list, answer, EXIT_CODE_OK);
    }
    if (rows->count == 0) {
        fprintf(stderr, "tare runs list: no such runs in '%s'\n", store_path(store));
    } else {
        print_list(cli->arena, rows, id_length, options);
    }
    if (has_more && !options->common.quiet) {
        fprintf(stderr, "there are older ones: --limit 0 shows all\n");
    }
    return command_end(&command_runs_list, EXIT_CODE_OK);
}

static int run_list(struct cli *cli, int argc, char **argv)
{
    struct list_options options = {.limit = 20};
    struct option_result arguments;
    int exit_code;
    if (!command_parse(cli, &command_runs_list, argc, argv, false, &options, &arguments,
                       &exit_code) ||
        !only_operands(&command_runs_list, &arguments, 0, &exit_code)) {
        return exit_code;
    }
    struct tare_error error = {0};
    struct store *store = NULL;
    struct store_run_rows rows;
    int id_length = 0;
    const struct store_filter filter = {
        .project = options.project,
        .commit = options.commit,
        .machine_id = options.machine,
        .branch = options.branch,
        .limit = options.limit > 0 && options.limit < 1e9 ? (int64_t)options.limit + 1 : 0,
    };
    tare_status status = store_command_open(cli, &options.common, STORE_READ, &store, &error);
    if (status == TARE_OK && options.results) {
        int64_t limit = options.limit < 1e9 ? (int64_t)options.limit : 0;
        exit_code = runs_document_list(cli, &command_runs_list, store, &options.common, limit);
        store_close(store);
        return exit_code;
    }
    if (status == TARE_OK) {
        status = store_runs_list(store, cli->arena, &filter, &rows, &error);
    }
    if (status == TARE_OK) {
        status = store_id_length(store, &id_length, &error);
    }
    exit_code = status == TARE_OK ? list_found(cli, store, &options, &rows, id_length)
                                  : command_fail(&command_runs_list, &error);
    store_close(store);
    return exit_code;
}

static const struct command command_runs_list = {
    .name = "runs list",
    .run = run_list,
    .summary = "The runs in the store, newest first",
    .usage = "[OPTIONS]",
    .examples = "  tare runs list                   the newest 20\n"
                "  tare runs list --commit 3f2c1a9  those of one commit\n"
                "  tare runs list --limit 0 --json  all, as JSON",
    .options = list_table,
};

/* ---- show ---- */

struct show_options {
    struct common_options common;
    bool samples;
};

static const struct option show_table[] = {
    {"samples", 0, OPTION_FLAG, offsetof(struct show_options, samples), NULL,
     "with --json: every sample"},
    {NULL, 0, OPTION_FLAG, 0, NULL, NULL},
};

static int print_run(struct arena *arena, const struct model_run *run,
                     const struct show_options *options)
{
    struct buffer out = buffer_new(arena, BUFFER_LENGTH_MAX);
    if (options->common.json) {
        report_run_json(&out, run, options->samples, EXIT_CODE_OK);
    } else {
        const struct report_style style = {
            .columns = terminal_is(STDOUT_FILENO) ? terminal_columns(STDOUT_FILENO) : 0,
            .has_color = terminal_has_color(STDOUT_FILENO) && !options->common.no_color,
            .is_verbose = options->common.verbose,
        };
        report_run_text(&out, run, &style);
    }
    return command_print(&command_runs_show, &out, EXIT_CODE_OK);
}

static int run_show(struct cli *cli, int argc, char **argv)
{
    struct show_options options = {0};
    struct option_result arguments;
    int exit_code;
    if (!command_parse(cli, &command_runs_show, argc, argv, false, &options, &arguments,
                       &exit_code) ||
        !only_operands(&command_runs_show, &arguments, 1, &exit_code)) {
        return exit_code;
    }
    const char *selector = arguments.operands.count > 0 ? arguments.operands.items[0] : "latest";
    struct tare_error error = {0};
    struct store *store = NULL;
    struct model_run run;
    tare_status status = store_command_open(cli, &options.common, STORE_READ, &store, &error);
    if (status == TARE_OK) {
        status = store_run_load(store, cli->arena, selector, true, &run, &error);
    }
    if (status == TARE_ERROR_USAGE && store != NULL) {
        bool is_document = false;
        exit_code = runs_document_show(cli, &command_runs_show, store, &options.common, selector,
                                       &is_document);
        if (is_document) {
            store_close(store);
            return exit_code;
        }
    }
    store_close(store);
    if (status != TARE_OK) {
        return command_fail(&command_runs_show, &error);
    }
    exit_code = print_run(cli->arena, &run, &options);
    if (!options.common.json && run.state != MODEL_RUN_COMPLETE) {
        fprintf(stderr, "this run is %s: it holds what was finished\n",
                store_command_state(run.state));
    }
    return exit_code;
}

static const struct command command_runs_show = {
    .name = "runs show",
    .run = run_show,
    .summary = "One run in full (the newest)",
    .usage = "[RUN] [OPTIONS]",
    .examples = "  tare runs show                     the newest\n"
                "  tare runs show 01hf2k3m            by the beginning of its id\n"
                "  tare runs show main                the run that baseline main points at\n"
                "  tare runs show 01hf2kez            a kept comparison (runs list --results)\n"
                "  tare runs show --json --samples    every sample, as JSON",
    .options = show_table,
};

/* ---- prune ---- */

struct prune_options {
    struct common_options common;
    double keep;
    double older_than_ns;
    bool policy;
    bool dry_run;
};

static const struct option prune_table[] = {
    {"keep", 0, OPTION_COUNT, offsetof(struct prune_options, keep), "N",
     "remove all but the newest N runs"},
    {"older-than", 0, OPTION_TIME, offsetof(struct prune_options, older_than_ns), "TIME",
     "remove runs older than this: 90d, 12h"},
    {"policy", 0, OPTION_FLAG, offsetof(struct prune_options, policy), NULL,
     "remove what 'retention' of tare.yaml does not keep"},
    {"dry-run", 0, OPTION_FLAG, offsetof(struct prune_options, dry_run), NULL,
     "say what would go, remove nothing"},
    {NULL, 0, OPTION_FLAG, 0, NULL, NULL},
};

/* A run that says it is running and is older than this belongs to a process long gone: no budget is
 * a day. */
static const int64_t LIVE_NS = INT64_C(86400) * 1000000000;

static tare_status read_prune(const struct prune_options *options,
                              const struct option_result *arguments, struct store_prune *prune,
                              struct tare_error *error)
{
    bool has_keep = options->keep >= 0;
    bool has_age = options->older_than_ns >= 0;
    bool has_runs = arguments->operands.count > 0;
    if (has_keep + has_age + has_runs + options->policy != 1 || arguments->has_rest) {
        return error_set(
            error, TARE_ERROR_USAGE,
            "say which: either --keep N, or --older-than TIME, or --policy, or runs by "
            "their ids");
    }
    if (has_keep && (floor(options->keep) != options->keep || options->keep > 1e9)) {
        return error_set(error, TARE_ERROR_USAGE, "--keep wants a whole number of runs");
    }
    int64_t now = clock_unix_ns();
    *prune = (struct store_prune){
        .keep = has_keep ? (int64_t)options->keep : -1,
        .selectors = arguments->operands.items,
        .selector_count = arguments->operands.count,
        .live_after_unix_ns = now - LIVE_NS,
        .is_dry_run = options->dry_run,
    };
    if (has_age) {
        /* Older than 1970 is no run at all; 1 keeps that a time. */
        prune->before_unix_ns =
            options->older_than_ns < (double)now ? now - (int64_t)options->older_than_ns : 1;
    }
    return TARE_OK;
}

static void print_pruned(struct arena *arena, const struct store_prune_result *result,
                         const struct prune_options *options)
{
    int64_t now = clock_unix_ns();
    for (ptrdiff_t i = 0; i < result->removed.count; i++) {
        const struct store_run_row *run = &result->removed.items[i];
        printf("%s %s  %s old, %lld benchmarks  %s\n",
               options->dry_run ? "would remove" : "removed", run->id,
               store_command_age(arena, now, run->started_unix_ns), (long long)run->benchmark_count,
               run->command != NULL ? text_printable(arena, run->command, 60) : "");
    }
    for (ptrdiff_t i = 0; i < result->kept.count; i++) {
        const struct store_run_row *run = &result->kept.items[i];
        if (run->baselines[0] != '\0') {
            printf("kept %s  baseline %s points at it\n", run->id,
                   text_printable(arena, run->baselines, 60));
        } else {
            printf("kept %s  it has no end: it is running, or was killed less than a day ago; "
                   "'tare runs prune %s' removes it\n",
                   run->id, run->id);
        }
    }
    printf("%td %s %s, %td kept that %s asked for\n", result->removed.count,
           result->removed.count == 1 ? "run" : "runs",
           options->dry_run ? "would be removed" : "removed", result->kept.count,
           result->kept.count == 1 ? "was" : "were");
}

/* `retention: {keep: N, days: N}`: a run goes when it is beyond either. */
static tare_status read_retention(struct arena *arena, struct store_prune *prune,
                                  struct tare_error *error)
{
    static const int64_t DAY_NS = INT64_C(86400) * 1000000000;
    struct config config;
    tare_status status = config_load(arena, &config, error);
    if (status != TARE_OK) {
        return status;
    }
    const struct model_policy_retention *retention = &config.policy.retention;
    if (retention->keep <= 0 && retention->days <= 0) {
        return error_set(error, TARE_ERROR_USAGE,
                         "%s says nothing about retention: add 'retention: {keep: 500, days: 365}'",
                         config.is_found ? text_printable(arena, config.path, 200)
                                         : "there is no tare.yaml, which");
    }
    int64_t now = clock_unix_ns();
    prune->keep = retention->keep > 0 ? retention->keep : -1;
    /* More days than since 1970 keep everything. */
    prune->before_unix_ns = retention->days <= 0             ? 0
                            : retention->days > now / DAY_NS ? 1
                                                             : now - retention->days * DAY_NS;
    return TARE_OK;
}

static int run_prune(struct cli *cli, int argc, char **argv)
{
    struct prune_options options = {.keep = -1, .older_than_ns = -1};
    struct option_result arguments;
    int exit_code;
    if (!command_parse(cli, &command_runs_prune, argc, argv, false, &options, &arguments,
                       &exit_code)) {
        return exit_code;
    }
    struct tare_error error = {0};
    struct store *store = NULL;
    struct store_prune prune;
    struct store_prune_result result;
    tare_status status = read_prune(&options, &arguments, &prune, &error);
    if (status == TARE_OK && options.policy) {
        status = read_retention(cli->arena, &prune, &error);
    }
    if (status == TARE_OK) {
        /* Opened for reading first: pruning never makes a store. */
        status = store_command_open(cli, &options.common, STORE_READ, &store, &error);
    }
    if (status == TARE_OK && !options.dry_run) {
        store_close(store);
        store = NULL;
        status = store_command_open(cli, &options.common, STORE_WRITE, &store, &error);
    }
    if (status == TARE_OK) {
        status = store_runs_prune(store, cli->arena, &prune, &result, &error);
    }
    if (status != TARE_OK) {
        exit_code = command_fail(&command_runs_prune, &error);
    } else if (options.common.json) {
        json_t *answer = store_command_answer(cli->arena, "prune", store);
        json_object_set_new(answer, "dry_run", json_boolean(options.dry_run));
        json_object_set_new(answer, "removed", store_command_runs(cli->arena, &result.removed));
        json_object_set_new(answer, "kept", store_command_runs(cli->arena, &result.kept));
        exit_code = store_command_print_json(&command_runs_prune, answer, EXIT_CODE_OK);
    } else {
        print_pruned(cli->arena, &result, &options);
        exit_code = command_end(&command_runs_prune, EXIT_CODE_OK);
    }
    store_close(store);
    return exit_code;
}

static const struct command command_runs_prune = {
    .name = "runs prune",
    .run = run_prune,
    .summary = "Remove runs from the store",
    .usage = "--keep N | --older-than TIME | --policy | RUN… [--dry-run]",
    .examples = "  tare runs prune --keep 20 --dry-run    what would go\n"
                "  tare runs prune --older-than 90d\n"
                "  tare runs prune --policy               as 'retention' in tare.yaml says\n"
                "  tare runs prune 01hf2k3m 01hf2k9z      these two",
    .details =
        "A run that a baseline points at is never removed. What is removed is gone.\n"
        "'retention: {keep: 500, days: 365}' in tare.yaml keeps the newest 500 runs and none "
        "older than a year;\neither of the two may stand alone.",
    .options = prune_table,
};

/* ---- check ---- */

struct check_options {
    struct common_options common;
};

static const struct option check_table[] = {{NULL, 0, OPTION_FLAG, 0, NULL, NULL}};

static int check_json(struct cli *cli, const struct store *store, const struct store_check *check,
                      int exit_code)
{
    json_t *answer = store_command_answer(cli->arena, "check", store);
    json_t *problems = json_array();
    for (ptrdiff_t i = 0; i < check->problem_count; i++) {
        json_array_append_new(problems, json_write_text(cli->arena, check->problems[i]));
    }
    json_object_set_new(answer, "problems", problems);
    json_object_set_new(answer, "runs", json_integer(check->run_count));
    json_object_set_new(answer, "benchmarks", json_integer(check->benchmark_count));
    json_object_set_new(answer, "samples", json_integer(check->sample_count));
    return store_command_print_json(&command_runs_check, answer, exit_code);
}

static void print_check(const struct store *store, const struct store_check *check)
{
    for (ptrdiff_t i = 0; i < check->problem_count; i++) {
        printf("%s\n", check->problems[i]);
    }
    printf("%s: %s: %lld runs, %lld benchmarks, %lld samples\n", store_path(store),
           check->problem_count == 0 ? "whole" : "damaged", (long long)check->run_count,
           (long long)check->benchmark_count, (long long)check->sample_count);
    if (check->problem_count > 0) {
        fprintf(stderr,
                "'tare runs show RUN' still reads runs that are whole; to save what can be saved: "
                "sqlite3 OLD .recover | sqlite3 NEW\n");
    }
}

static int run_check(struct cli *cli, int argc, char **argv)
{
    struct check_options options = {0};
    struct option_result arguments;
    int exit_code;
    if (!command_parse(cli, &command_runs_check, argc, argv, false, &options, &arguments,
                       &exit_code) ||
        !only_operands(&command_runs_check, &arguments, 0, &exit_code)) {
        return exit_code;
    }
    struct tare_error error = {0};
    struct store *store = NULL;
    struct store_check check;
    tare_status status = store_command_open(cli, &options.common, STORE_READ, &store, &error);
    if (status == TARE_OK) {
        status = store_check(store, cli->arena, &check, &error);
    }
    if (status != TARE_OK) {
        exit_code = command_fail(&command_runs_check, &error);
    } else {
        exit_code = check.problem_count == 0 ? EXIT_CODE_OK : EXIT_CODE_FAILED;
        if (options.common.json) {
            exit_code = check_json(cli, store, &check, exit_code);
        } else {
            print_check(store, &check);
            exit_code = command_end(&command_runs_check, exit_code);
        }
    }
    store_close(store);
    return exit_code;
}

static const struct command command_runs_check = {
    .name = "runs check",
    .run = run_check,
    .summary = "Is the store whole? Checks the file and decodes every sample",
    .usage = "[OPTIONS]",
    .examples = "  tare runs check\n"
                "  tare runs check --store copy.db",
    .options = check_table,
};
