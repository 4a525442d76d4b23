/* cmd_baseline.c: `tare baseline`: names that point at runs, per machine: list, show, save,
 * promote, remove. export and import are in baseline_export.c and baseline_import.c. */
#include "base/text.h"
#include "cli/baseline_age.h"
#include "cli/baseline_command.h"
#include "cli/config.h"
#include "os/clock.h"
#include "os/file.h"
#include "os/terminal.h"
#include "report/json_write.h"
#include "report/table.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

static const struct command command_baseline_list;
static const struct command command_baseline_show;
static const struct command command_baseline_save;
static const struct command command_baseline_promote;
static const struct command command_baseline_remove;

static const struct command *const subcommands[] = {
    &command_baseline_list,    &command_baseline_show,
    &command_baseline_save,    &command_baseline_export,
    &command_baseline_promote, &command_baseline_import,
    &command_baseline_remove,  NULL,
};

static int run_baseline(struct cli *cli, int argc, char **argv)
{
    return store_command_dispatch(cli, &command_baseline, subcommands, argc, argv);
}

const struct command command_baseline = {
    .name = "baseline",
    .run = run_baseline,
    .summary = "Names that point at runs: save, list, show, promote, export, import, remove",
    .usage = "[list|show|save|promote|export|import|remove] [OPTIONS]",
    .examples =
        "  tare baseline save main                             the newest run is now called main\n"
        "  tare baseline promote main --reason 'v1.2 is out'   main moves on to the newest run\n"
        "  tare baseline show main                             what it points at, and its history\n"
        "  tare baseline list\n"
        "  tare baseline export main -o baselines/             a file to commit\n"
        "  tare baseline import baselines/                     what others committed",
    .details = "A baseline belongs to one machine identity (CPU model, cores, memory, GPU): "
               "figures of another machine cannot "
               "be compared.\nOf a name that only other machines have, the exit code is 5.",
};

/* Opens an existing store; without one there is no baseline either. */
tare_status baseline_open_existing(struct cli *cli, const struct common_options *common,
                                   enum store_mode mode, struct store **store,
                                   struct tare_error *error)
{
    char *path = NULL;
    const struct store_request request = {.option = common->store, .mode = mode};
    tare_status status = store_path_find(cli->arena, &request, &path, error);
    if (status == TARE_OK && !file_exists(path)) {
        status =
            error_set(error, TARE_ERROR_NO_BASELINE,
                      "no baselines, because there is no store at '%s' yet: 'tare run' makes one",
                      text_printable(cli->arena, path, 0));
    }
    return status == TARE_OK ? store_command_open(cli, common, mode, store, error) : status;
}

/* ---- list ---- */

struct list_options {
    struct common_options common;
    double stale_after_ns;
};

static const struct option list_table[] = {
    {"stale-after", 0, OPTION_TIME, offsetof(struct list_options, stale_after_ns), "TIME",
     "warn of baselines older than this (max_baseline_age of tare.yaml, else 90d)"},
    {NULL, 0, OPTION_FLAG, 0, NULL, NULL},
};

/* The age from which on a baseline is stale: as asked for, else as the policy has it. */
static tare_status stale_age(struct arena *arena, double asked_ns, double *age_max_ns,
                             struct tare_error *error)
{
    struct config config;
    *age_max_ns = asked_ns;
    if (asked_ns >= 0) {
        return TARE_OK;
    }
    tare_status status = config_load(arena, &config, error);
    *age_max_ns = config.policy.max_baseline_age_ns;
    return status;
}

static void read_age(struct arena *arena, const struct store_run_row *run, double age_max_ns,
                     struct baseline_age *age)
{
    const struct baseline_age_request request = {
        .commit = &run->commit,
        .started_unix_ns = run->started_unix_ns,
        .now_unix_ns = clock_unix_ns(),
        .age_max_ns = age_max_ns,
    };
    baseline_age_read(arena, &request, age);
}

static json_t *age_json(struct arena *arena, const struct baseline_age *age)
{
    json_t *object = json_object();
    json_object_set_new(object, "days", json_integer(age->days));
    json_object_set_new(object, "commits",
                        age->commits >= 0 ? json_integer(age->commits) : json_null());
    json_object_set_new(object, "stale", json_boolean(age->is_stale));
    json_object_set_new(object, "text", json_write_text(arena, age->text));
    return object;
}

static json_t *baseline_json(struct arena *arena, const struct store_baseline *baseline)
{
    json_t *object = json_object();
    json_object_set_new(object, "name", json_write_text(arena, baseline->name));
    json_object_set_new(object, "machine", json_write_text(arena, baseline->machine_id));
    json_object_set_new(object, "machine_identity", json_write_text(arena, baseline->machine));
    json_object_set_new(object, "run", store_command_run(arena, &baseline->run));
    return object;
}

static void print_list(struct arena *arena, const struct store_baselines *baselines,
                       const struct baseline_age *ages, const char *here, bool has_color)
{
    int64_t now = clock_unix_ns();
    struct table table = table_new(arena);
    table_add_column(&table, "baseline", TABLE_LEFT, 0);
    table_add_column(&table, "run", TABLE_LEFT, 0);
    table_add_column(&table, "age", TABLE_RIGHT, 0);
    table_add_column(&table, "commit", TABLE_LEFT, 0);
    table_add_column(&table, "behind", TABLE_RIGHT, 0);
    table_add_column(&table, "moved by", TABLE_LEFT, 2);
    table_add_column(&table, "reason", TABLE_LEFT, 3);
    table_add_column(&table, "machine", TABLE_LEFT, 1);
    for (ptrdiff_t i = 0; i < baselines->count; i++) {
        const struct store_baseline *baseline = &baselines->items[i];
        struct table_row *row = table_add_row(&table);
        row->cells[0] = text_printable(arena, baseline->name, 40);
        row->cells[1] = baseline->run.id;
        row->cells[2] = store_command_age(arena, now, baseline->run.started_unix_ns);
        row->cells[3] = store_command_commit(arena, &baseline->run.commit);
        row->cells[4] =
            ages[i].commits < 0 ? "?" : arena_printf(arena, "%lld", (long long)ages[i].commits);
        row->cells[5] = text_printable(arena, baseline->last.by, 30);
        row->cells[6] = text_printable(arena, baseline->last.reason, 40);
        row->cells[7] = strcmp(baseline->machine_id, here) == 0
                            ? "this one"
                            : arena_printf(arena, "%.8s (%s)", baseline->machine_id,
                                           text_printable(arena, baseline->machine, 60));
    }
    struct buffer out = buffer_new(arena, BUFFER_LENGTH_MAX);
    table_print(&table, &out, terminal_is(STDOUT_FILENO) ? terminal_columns(STDOUT_FILENO) : 0,
                has_color);
    fputs(buffer_string(&out), stdout);
}

static int list_found(struct cli *cli, const struct store *store,
                      const struct store_baselines *baselines, const struct baseline_age *ages,
                      const struct list_options *options)
{
    if (options->common.json) {
        json_t *answer = store_command_answer(cli->arena, "baselines", store);
        json_t *array = json_array();
        for (ptrdiff_t i = 0; i < baselines->count; i++) {
            json_t *object = baseline_json(cli->arena, &baselines->items[i]);
            json_object_set_new(object, "age", age_json(cli->arena, &ages[i]));
            json_array_append_new(array, object);
        }
        json_object_set_new(answer, "machine", json_write_text(cli->arena, store_machine(store)));
        json_object_set_new(answer, "baselines", array);
        return store_command_print_json(&command_baseline_list, answer, EXIT_CODE_OK);
    }
    if (baselines->count == 0) {
        fprintf(stderr,
                "tare baseline list: none in '%s' yet: 'tare baseline save NAME' makes one\n",
                store_path(store));
    } else {
        print_list(cli->arena, baselines, ages, store_machine(store),
                   terminal_has_color(STDOUT_FILENO) && !options->common.no_color);
    }
    for (ptrdiff_t i = 0; i < baselines->count && !options->common.quiet; i++) {
        if (ages[i].warning != NULL) {
            fprintf(stderr, "%s: %s\n", text_printable(cli->arena, baselines->items[i].name, 40),
                    ages[i].warning);
        }
    }
    return command_end(&command_baseline_list, EXIT_CODE_OK);
}

bool baseline_operands(const struct command *command, const struct option_result *arguments,
                       ptrdiff_t low, ptrdiff_t high, int *exit_code)
{
    if (arguments->operands.count >= low && arguments->operands.count <= high &&
        !arguments->has_rest) {
        return true;
    }
    struct tare_error error = {0};
    error_set(&error, TARE_ERROR_USAGE, "%s: usage is 'tare %s %s'",
              arguments->operands.count < low ? "a name is missing" : "too many arguments",
              command->name, command->usage);
    *exit_code = command_fail(command, &error);
    return false;
}

static int run_list(struct cli *cli, int argc, char **argv)
{
    struct list_options options = {.stale_after_ns = -1};
    struct option_result arguments;
    int exit_code;
    if (!command_parse(cli, &command_baseline_list, argc, argv, false, &options, &arguments,
                       &exit_code) ||
        !baseline_operands(&command_baseline_list, &arguments, 0, 0, &exit_code)) {
        return exit_code;
    }
    struct tare_error error = {0};
    struct store *store = NULL;
    struct store_baselines baselines = {0};
    struct baseline_age *ages = NULL;
    double age_max_ns = 0;
    tare_status status = store_command_open(cli, &options.common, STORE_READ, &store, &error);
    if (status == TARE_OK) {
        status = stale_age(cli->arena, options.stale_after_ns, &age_max_ns, &error);
    }
    if (status == TARE_OK) {
        status = store_baselines_list(store, cli->arena, NULL, &baselines, &error);
        ages = ARENA_ARRAY(cli->arena, struct baseline_age, baselines.count);
    }
    for (ptrdiff_t i = 0; status == TARE_OK && i < baselines.count; i++) {
        read_age(cli->arena, &baselines.items[i].run, age_max_ns, &ages[i]);
    }
    exit_code = status == TARE_OK ? list_found(cli, store, &baselines, ages, &options)
                                  : command_fail(&command_baseline_list, &error);
    store_close(store);
    return exit_code;
}

static const struct command command_baseline_list = {
    .name = "baseline list",
    .run = run_list,
    .summary = "The baselines of all machines in the store",
    .usage = "[OPTIONS]",
    .examples = "  tare baseline list\n"
                "  tare baseline list --stale-after 30d",
    .details = "'behind' is the number of commits from the baseline's commit to HEAD.",
    .options = list_table,
};

/* ---- show, and what remove shares with it: another machine's baseline by --machine ---- */

struct machine_options {
    struct common_options common;
    const char *machine;
    const char *reason;
    double stale_after_ns;
};

static const struct option show_table[] = {
    {"machine", 0, OPTION_TEXT, offsetof(struct machine_options, machine), "ID",
     "another machine's: the beginning of its id (this machine)"},
    {"stale-after", 0, OPTION_TIME, offsetof(struct machine_options, stale_after_ns), "TIME",
     "warn when it is older than this (max_baseline_age of tare.yaml, else 90d)"},
    {NULL, 0, OPTION_FLAG, 0, NULL, NULL},
};

/* Turns the beginning of a machine's id into the machine in use. */
tare_status baseline_choose_machine(struct arena *arena, struct store *store, const char *prefix,
                                    struct tare_error *error)
{
    if (prefix == NULL) {
        return TARE_OK;
    }
    struct store_baselines all;
    const char *found = NULL;
    bool is_ambiguous = false;
    tare_status status = store_baselines_list(store, arena, NULL, &all, error);
    for (ptrdiff_t i = 0; status == TARE_OK && i < all.count; i++) {
        const char *id = all.items[i].machine_id;
        if (text_starts_with(id, prefix)) {
            is_ambiguous = is_ambiguous || (found != NULL && strcmp(found, id) != 0);
            found = id;
        }
    }
    if (status == TARE_OK && (found == NULL || is_ambiguous || prefix[0] == '\0')) {
        return error_set(
            error, TARE_ERROR_USAGE,
            "--machine '%s' is the beginning of %s machine's id: 'tare baseline list' shows them",
            text_printable(arena, prefix, 40), found == NULL ? "no" : "more than one");
    }
    if (status == TARE_OK) {
        store_use_machine(store, found);
    }
    return status;
}

static json_t *promotion_json(struct arena *arena, const struct store_promotion *promotion)
{
    json_t *object = json_object();
    json_object_set_new(object, "action", json_write_text(arena, promotion->action));
    json_object_set_new(object, "run",
                        promotion->run_id[0] != '\0' ? json_write_text(arena, promotion->run_id)
                                                     : json_null());
    json_object_set_new(object, "previous_run",
                        promotion->previous_run_id[0] != '\0'
                            ? json_write_text(arena, promotion->previous_run_id)
                            : json_null());
    json_object_set_new(object, "at_unix_ns", json_integer(promotion->at_unix_ns));
    json_object_set_new(object, "by", json_write_text(arena, promotion->by));
    json_object_set_new(object, "reason", json_write_text(arena, promotion->reason));
    return object;
}

/* All that `show` says of a baseline. */
struct shown {
    struct store_baseline baseline;
    struct store_promotions history;
    struct baseline_age age;
    struct hygiene_findings findings;
};

static void print_cautions(const struct shown *shown)
{
    if (shown->age.warning == NULL && shown->findings.count == 0) {
        return;
    }
    printf("before anything is compared with it\n");
    if (shown->age.warning != NULL) {
        printf("  %s\n", shown->age.warning);
    }
    for (ptrdiff_t i = 0; i < shown->findings.count; i++) {
        printf("  %s\n", shown->findings.items[i].text);
    }
}

static void print_show(struct arena *arena, const struct shown *shown)
{
    const struct store_baseline *baseline = &shown->baseline;
    const struct store_promotions *history = &shown->history;
    const struct store_run_row *run = &baseline->run;
    printf("baseline %s\n", text_printable(arena, baseline->name, 0));
    printf("run      %s  %s, %lld benchmarks, started %s\n", run->id,
           store_command_state(run->state), (long long)run->benchmark_count,
           store_command_time(arena, run->started_unix_ns));
    printf("commit   %s %s\n", store_command_commit(arena, &run->commit),
           run->commit.is_known && run->commit.subject != NULL
               ? text_printable(arena, run->commit.subject, 60)
               : "not known");
    printf("machine  %s  %s\n", baseline->machine_id, baseline->machine);
    printf("age      %s\n", shown->age.text);
    print_cautions(shown);
    printf("history, newest first\n");
    for (ptrdiff_t i = 0; i < history->count; i++) {
        const struct store_promotion *promotion = &history->items[i];
        printf("  %s  %-7s  %s%s%s  %s  %s\n", store_command_time(arena, promotion->at_unix_ns),
               promotion->action, promotion->previous_run_id,
               promotion->previous_run_id[0] != '\0' ? " -> " : "",
               promotion->run_id[0] != '\0' ? promotion->run_id : "nothing",
               text_printable(arena, promotion->by, 60),
               text_printable(arena, promotion->reason, 0));
    }
}

static json_t *cautions_json(struct arena *arena, const struct shown *shown)
{
    json_t *array = json_array();
    if (shown->age.warning != NULL) {
        json_array_append_new(array, json_pack("{s:s,s:o}", "code",
                                               shown->age.is_stale ? "stale" : "future", "text",
                                               json_write_text(arena, shown->age.warning)));
    }
    for (ptrdiff_t i = 0; i < shown->findings.count; i++) {
        const struct hygiene_finding *finding = &shown->findings.items[i];
        json_array_append_new(array, json_pack("{s:s,s:o}", "code", finding->code, "text",
                                               json_write_text(arena, finding->text)));
    }
    return array;
}

static int show_found(struct cli *cli, const struct store *store, const struct shown *shown,
                      bool is_json)
{
    if (!is_json) {
        print_show(cli->arena, shown);
        fprintf(stderr, "'tare runs show %s' shows its figures\n",
                text_printable(cli->arena, shown->baseline.name, 0));
        return command_end(&command_baseline_show, EXIT_CODE_OK);
    }
    json_t *answer = store_command_answer(cli->arena, "baseline", store);
    json_t *array = json_array();
    for (ptrdiff_t i = 0; i < shown->history.count; i++) {
        json_array_append_new(array, promotion_json(cli->arena, &shown->history.items[i]));
    }
    json_object_update_new(answer, baseline_json(cli->arena, &shown->baseline));
    json_object_set_new(answer, "age", age_json(cli->arena, &shown->age));
    json_object_set_new(answer, "warnings", cautions_json(cli->arena, shown));
    json_object_set_new(answer, "history", array);
    return store_command_print_json(&command_baseline_show, answer, EXIT_CODE_OK);
}

static tare_status read_shown(struct arena *arena, struct store *store, const char *name,
                              double age_max_ns, struct shown *shown, struct tare_error *error)
{
    tare_status status = store_baseline_find(store, arena, name, &shown->baseline, error);
    if (status == TARE_OK) {
        status = store_baseline_history(store, arena, name, shown->baseline.machine_id,
                                        &shown->history, error);
    }
    if (status == TARE_OK) {
        read_age(arena, &shown->baseline.run, age_max_ns, &shown->age);
        status = baseline_hygiene_read(arena, store, &shown->baseline, &shown->findings, error);
    }
    return status;
}

static int run_show(struct cli *cli, int argc, char **argv)
{
    struct machine_options options = {.stale_after_ns = -1};
    struct option_result arguments;
    int exit_code;
    if (!command_parse(cli, &command_baseline_show, argc, argv, false, &options, &arguments,
                       &exit_code) ||
        !baseline_operands(&command_baseline_show, &arguments, 1, 1, &exit_code)) {
        return exit_code;
    }
    struct tare_error error = {0};
    struct store *store = NULL;
    struct shown shown = {0};
    double age_max_ns = 0;
    tare_status status = baseline_open_existing(cli, &options.common, STORE_READ, &store, &error);
    if (status == TARE_OK) {
        status = stale_age(cli->arena, options.stale_after_ns, &age_max_ns, &error);
    }
    if (status == TARE_OK) {
        status = baseline_choose_machine(cli->arena, store, options.machine, &error);
    }
    if (status == TARE_OK) {
        status =
            read_shown(cli->arena, store, arguments.operands.items[0], age_max_ns, &shown, &error);
    }
    exit_code = status == TARE_OK ? show_found(cli, store, &shown, options.common.json)
                                  : command_fail(&command_baseline_show, &error);
    store_close(store);
    return exit_code;
}

static const struct command command_baseline_show = {
    .name = "baseline show",
    .run = run_show,
    .summary = "What a baseline points at, and who moved it when and why",
    .usage = "NAME [OPTIONS]",
    .examples = "  tare baseline show main\n"
                "  tare baseline show main --machine 3f2c    another machine's",
    .details =
        "Says how many days and commits old it is, and what speaks against comparing with it.",
    .options = show_table,
};

/* ---- save, promote, remove ---- */

struct change_options {
    struct common_options common;
    const char *reason;
    bool force;
};

static const struct option change_table[] = {
    {"reason", 0, OPTION_TEXT, offsetof(struct change_options, reason), "TEXT",
     "why; kept in the history"},
    {"force", 0, OPTION_FLAG, offsetof(struct change_options, force), NULL,
     "take a run that is not complete"},
    {NULL, 0, OPTION_FLAG, 0, NULL, NULL},
};

static const struct option remove_table[] = {
    {"machine", 0, OPTION_TEXT, offsetof(struct machine_options, machine), "ID",
     "another machine's: the beginning of its id (this machine)"},
    {"reason", 0, OPTION_TEXT, offsetof(struct machine_options, reason), "TEXT",
     "why; kept in the history"},
    {NULL, 0, OPTION_FLAG, 0, NULL, NULL},
};

/* Does the baseline point at the selected run already? What cannot be answered is for the change
 * itself to complain about. */
static bool find_unchanged(struct arena *arena, struct store *store,
                           const struct store_change *change, struct store_baseline *found)
{
    struct tare_error ignored = {0};
    struct store_baselines baselines;
    char run_id[27];
    if (store_run_resolve(store, change->selector, run_id, &ignored) != TARE_OK ||
        store_baselines_list(store, arena, NULL, &baselines, &ignored) != TARE_OK) {
        return false;
    }
    /* A run belongs to one machine, so no other machine's baseline can point at it. */
    for (ptrdiff_t i = 0; i < baselines.count; i++) {
        const struct store_baseline *baseline = &baselines.items[i];
        if (strcmp(baseline->name, change->name) == 0 && strcmp(baseline->run.id, run_id) == 0) {
            *found = *baseline;
            return true;
        }
    }
    return false;
}

static int print_unchanged(struct cli *cli, const struct command *command,
                           const struct store *store, const struct store_baseline *baseline,
                           bool is_json)
{
    if (is_json) {
        json_t *answer = store_command_answer(cli->arena, "baseline-change", store);
        json_object_set_new(answer, "name", json_write_text(cli->arena, baseline->name));
        json_object_set_new(answer, "machine", json_write_text(cli->arena, baseline->machine_id));
        json_object_set_new(answer, "changed", json_false());
        json_object_update_new(answer, promotion_json(cli->arena, &baseline->last));
        return store_command_print_json(command, answer, EXIT_CODE_OK);
    }
    printf("baseline %s points at run %s already: nothing to do\n",
           text_printable(cli->arena, baseline->name, 0), baseline->run.id);
    return command_end(command, EXIT_CODE_OK);
}

/* The newest row of the name's history is what was just done. */
static int print_change(struct cli *cli, const struct command *command, struct store *store,
                        const char *name, bool is_json)
{
    struct tare_error error = {0};
    struct store_promotions history;
    if (store_baseline_history(store, cli->arena, name, NULL, &history, &error) != TARE_OK ||
        history.count == 0) {
        return command_fail(command, &error);
    }
    const struct store_promotion *done = &history.items[0];
    if (is_json) {
        json_t *answer = store_command_answer(cli->arena, "baseline-change", store);
        json_object_set_new(answer, "name", json_write_text(cli->arena, name));
        json_object_set_new(answer, "machine", json_write_text(cli->arena, done->machine_id));
        json_object_set_new(answer, "changed", json_true());
        json_object_update_new(answer, promotion_json(cli->arena, done));
        return store_command_print_json(command, answer, EXIT_CODE_OK);
    }
    const char *shown = text_printable(cli->arena, name, 0);
    bool is_here = strcmp(done->machine_id, store_machine(store)) == 0;
    if (done->run_id[0] == '\0') {
        printf("baseline %s removed; it pointed at run %s, which stays\n", shown,
               done->previous_run_id);
    } else if (done->previous_run_id[0] != '\0') {
        printf("baseline %s moved from run %s to %s\n", shown, done->previous_run_id, done->run_id);
    } else {
        printf("baseline %s points at run %s\n", shown, done->run_id);
    }
    if (!is_here) {
        fprintf(stderr, "it belongs to another machine: %.8s\n", done->machine_id);
    }
    return command_end(command, EXIT_CODE_OK);
}

typedef tare_status change_function(struct store *store, const struct store_change *change,
                                    struct tare_error *error);

/* The newest run that is nobody's side: those of comparisons are measured to be compared, one of
 * them perhaps a confirmation of a part. */
static tare_status find_latest(struct cli *cli, struct store *store, const char **selector,
                               struct tare_error *error)
{
    struct store_run_rows rows = {0};
    const struct store_filter everything = {0};
    tare_status status = store_runs_list(store, cli->arena, &everything, &rows, error);
    for (ptrdiff_t i = 0; i < rows.count && status == TARE_OK; i++) {
        if (rows.items[i].compared_as == NULL) {
            *selector = rows.items[i].id;
            return TARE_OK;
        }
    }
    if (status == TARE_OK && rows.count > 0) {
        status = error_set(error, TARE_ERROR_USAGE,
                           "all runs here are sides of comparisons: measure with 'tare run', or "
                           "name the one you mean ('tare runs list')");
    }
    return status;
}

static int move_baseline(struct cli *cli, const struct command *command,
                         change_function *change_baseline, int argc, char **argv)
{
    struct change_options options = {.reason = ""};
    struct option_result arguments;
    int exit_code;
    if (!command_parse(cli, command, argc, argv, false, &options, &arguments, &exit_code) ||
        !baseline_operands(command, &arguments, 1, 2, &exit_code)) {
        return exit_code;
    }
    struct store_change change = {
        .name = arguments.operands.items[0],
        .selector = arguments.operands.count > 1 ? arguments.operands.items[1] : "latest",
        .at_unix_ns = clock_unix_ns(),
        .by = store_command_who(cli->arena),
        .reason = options.reason,
        .is_forced = options.force,
    };
    struct tare_error error = {0};
    struct store *store = NULL;
    tare_status status = baseline_open_existing(cli, &options.common, STORE_WRITE, &store, &error);
    if (status == TARE_OK && arguments.operands.count == 1) {
        status = find_latest(cli, store, &change.selector, &error);
    }
    struct store_baseline unchanged;
    if (status == TARE_OK && change_baseline == store_baseline_promote &&
        find_unchanged(cli->arena, store, &change, &unchanged)) {
        exit_code = print_unchanged(cli, command, store, &unchanged, options.common.json);
        store_close(store);
        return exit_code;
    }
    if (status == TARE_OK) {
        status = change_baseline(store, &change, &error);
    }
    exit_code = status == TARE_OK
                    ? print_change(cli, command, store, change.name, options.common.json)
                    : command_fail(command, &error);
    store_close(store);
    return exit_code;
}

static int run_save(struct cli *cli, int argc, char **argv)
{
    return move_baseline(cli, &command_baseline_save, store_baseline_save, argc, argv);
}

static int run_promote(struct cli *cli, int argc, char **argv)
{
    return move_baseline(cli, &command_baseline_promote, store_baseline_promote, argc, argv);
}

static int run_remove(struct cli *cli, int argc, char **argv)
{
    struct machine_options options = {.reason = ""};
    struct option_result arguments;
    int exit_code;
    if (!command_parse(cli, &command_baseline_remove, argc, argv, false, &options, &arguments,
                       &exit_code) ||
        !baseline_operands(&command_baseline_remove, &arguments, 1, 1, &exit_code)) {
        return exit_code;
    }
    const struct store_change change = {
        .name = arguments.operands.items[0],
        .at_unix_ns = clock_unix_ns(),
        .by = store_command_who(cli->arena),
        .reason = options.reason,
    };
    struct tare_error error = {0};
    struct store *store = NULL;
    tare_status status = baseline_open_existing(cli, &options.common, STORE_WRITE, &store, &error);
    if (status == TARE_OK) {
        status = baseline_choose_machine(cli->arena, store, options.machine, &error);
    }
    if (status == TARE_OK) {
        status = store_baseline_remove(store, &change, &error);
    }
    exit_code = status == TARE_OK ? print_change(cli, &command_baseline_remove, store, change.name,
                                                 options.common.json)
                                  : command_fail(&command_baseline_remove, &error);
    store_close(store);
    return exit_code;
}

static const struct command command_baseline_save = {
    .name = "baseline save",
    .run = run_save,
    .summary = "Give a run a name that later runs are compared with",
    .usage = "NAME [RUN] [OPTIONS]",
    .examples = "  tare baseline save main              the newest run\n"
                "  tare baseline save v1.0 01hf2k3m     another one",
    .details = "RUN is what 'tare runs show' takes (latest). A name that exists on this machine is "
               "moved by 'tare baseline promote'.",
    .options = change_table,
};

static const struct command command_baseline_promote = {
    .name = "baseline promote",
    .run = run_promote,
    .summary = "Move a baseline on to another run",
    .usage = "NAME [RUN] [OPTIONS]",
    .examples = "  tare baseline promote main --reason 'new allocator, agreed'\n"
                "  tare baseline promote main latest~1",
    .details = "RUN is what 'tare runs show' takes (latest). Who, when, why and from which run is "
               "kept: 'tare baseline show NAME'.",
    .options = change_table,
};

static const struct command command_baseline_remove = {
    .name = "baseline remove",
    .run = run_remove,
    .summary = "Take a baseline's name away; the run and the history stay",
    .usage = "NAME [OPTIONS]",
    .examples = "  tare baseline remove v1.0 --reason 'no longer supported'",
    .options = remove_table,
};
