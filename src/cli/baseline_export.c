/* baseline_export.c: `tare baseline export`: a baseline with its run as a file to commit.
 *
 * The file is a receipt (docs/receipt.md): everything measured, the machine, the commit, the
 * history of promotions, and a SHA-256 over all of it. The same baseline always gives the same
 * bytes. */
#include "base/text.h"
#include "base/unit.h"
#include "cli/baseline_command.h"
#include "cli/receipt_file.h"
#include "codec/receipt_write.h"
#include "os/file.h"
#include "report/json_write.h"
#include "store/baseline_import.h"

#include <stdio.h>
#include <string.h>

struct export_options {
    struct common_options common;
    const char *output;
    const char *machine;
    bool all;
};

static const struct option export_table[] = {
    {"output", 'o', OPTION_TEXT, offsetof(struct export_options, output), "FILE",
     "the file, or a folder in which it gets its own name (standard output)"},
    {"all", 0, OPTION_FLAG, offsetof(struct export_options, all), NULL,
     "every baseline of every machine, into the folder -o names"},
    {"machine", 0, OPTION_TEXT, offsetof(struct export_options, machine), "ID",
     "another machine's: the beginning of its id (this machine)"},
    {NULL, 0, OPTION_FLAG, 0, NULL, NULL},
};

/* One file that was written. */
struct exported {
    const char *path; /* NULL: standard output */
    const char *name;
    char machine_id[33];
    char run_id[27];
    char sha256[RECEIPT_HASH_BYTES];
    ptrdiff_t bytes;
    ptrdiff_t benchmark_count;
    int64_t sample_count;
};

struct exports {
    struct exported *items;
    ptrdiff_t count;
};

static tare_status find_baselines(struct cli *cli, struct store *store,
                                  const struct export_options *options, const char *name,
                                  struct store_baselines *baselines, struct tare_error *error);
static tare_status export_one(struct cli *cli, struct store *store,
                              const struct store_baseline *baseline,
                              const struct export_options *options, struct exported *done,
                              struct tare_error *error);
static int print_exports(struct cli *cli, const struct store *store, const struct exports *exports,
                         bool is_json);

static tare_status check_options(const struct export_options *options, ptrdiff_t operand_count,
                                 struct tare_error *error)
{
    if (options->all && (operand_count > 0 || options->output == NULL)) {
        return error_set(error, TARE_ERROR_USAGE,
                         "--all takes no name and needs a folder: tare baseline export --all -o "
                         "baselines/");
    }
    if (!options->all && operand_count == 0) {
        return error_set(error, TARE_ERROR_USAGE,
                         "a name is missing: usage is 'tare baseline export NAME [-o FILE]'; 'tare "
                         "baseline list' shows the names");
    }
    if (options->output == NULL && options->common.json) {
        return error_set(error, TARE_ERROR_USAGE,
                         "--json says what was written where, so it needs -o FILE; without both, "
                         "the file itself goes to standard output");
    }
    return TARE_OK;
}

static tare_status export_baselines(struct cli *cli, struct store *store,
                                    const struct export_options *options, const char *name,
                                    struct exports *exports, struct tare_error *error)
{
    struct store_baselines baselines;
    tare_status status = find_baselines(cli, store, options, name, &baselines, error);
    size_t length = options->output != NULL ? strlen(options->output) : 0;
    bool is_folder = options->all || (length > 0 && options->output[length - 1] == '/');
    if (status == TARE_OK && is_folder) {
        status = file_make_directories(options->output, error);
    }
    if (status != TARE_OK) {
        return status;
    }
    exports->items = ARENA_ARRAY(cli->arena, struct exported, baselines.count);
    for (ptrdiff_t i = 0; status == TARE_OK && i < baselines.count; i++) {
        status = export_one(cli, store, &baselines.items[i], options, &exports->items[i], error);
        exports->count += status == TARE_OK;
    }
    return status;
}

static int run_export(struct cli *cli, int argc, char **argv)
{
    struct export_options options = {0};
    struct option_result arguments;
    int exit_code;
    if (!command_parse(cli, &command_baseline_export, argc, argv, false, &options, &arguments,
                       &exit_code) ||
        !baseline_operands(&command_baseline_export, &arguments, 0, 1, &exit_code)) {
        return exit_code;
    }
    struct tare_error error = {0};
    struct store *store = NULL;
    struct exports exports = {0};
    const char *name = arguments.operands.count > 0 ? arguments.operands.items[0] : NULL;
    tare_status status = check_options(&options, arguments.operands.count, &error);
    if (status == TARE_OK) {
        status = baseline_open_existing(cli, &options.common, STORE_READ, &store, &error);
    }
    if (status == TARE_OK) {
        status = export_baselines(cli, store, &options, name, &exports, &error);
    }
    exit_code = status == TARE_OK ? print_exports(cli, store, &exports, options.common.json)
                                  : command_fail(&command_baseline_export, &error);
    store_close(store);
    return exit_code;
}

static tare_status find_baselines(struct cli *cli, struct store *store,
                                  const struct export_options *options, const char *name,
                                  struct store_baselines *baselines, struct tare_error *error)
{
    if (options->all) {
        tare_status status = store_baselines_list(store, cli->arena, NULL, baselines, error);
        if (status == TARE_OK && baselines->count == 0) {
            return error_set(error, TARE_ERROR_NO_BASELINE,
                             "no baselines in store '%s': 'tare baseline save NAME' makes one",
                             store_path(store));
        }
        return status;
    }
    *baselines = (struct store_baselines){.count = 1};
    baselines->items = ARENA_ARRAY(cli->arena, struct store_baseline, 1);
    tare_status status = baseline_choose_machine(cli->arena, store, options->machine, error);
    return status == TARE_OK
               ? store_baseline_find(store, cli->arena, name, &baselines->items[0], error)
               : status;
}

/* ---- one file ---- */

/* "main.3f2c1a9b.json". Characters that a file's name should not have become "_", and the run's id
 * keeps such names apart. */
static const char *file_name(struct arena *arena, const struct store_baseline *baseline)
{
    enum { NAME_BYTES_MAX = 100 };
    char *name =
        arena_strndup(arena, baseline->name, (ptrdiff_t)strnlen(baseline->name, NAME_BYTES_MAX));
    bool is_plain = strlen(baseline->name) <= NAME_BYTES_MAX && name[0] != '.';
    for (char *at = name; *at != '\0'; at++) {
        bool is_fine = (*at >= 'a' && *at <= 'z') || (*at >= 'A' && *at <= 'Z') ||
                       (*at >= '0' && *at <= '9') || strchr("._-+@", *at) != NULL;
        if (!is_fine || (at == name && *at == '.')) {
            *at = '_';
            is_plain = false;
        }
    }
    return is_plain ? arena_printf(arena, "%s.%.8s.json", name, baseline->machine_id)
                    : arena_printf(arena, "%s.%s.%.8s.json", name, baseline->run.id,
                                   baseline->machine_id);
}

static const char *output_path(struct arena *arena, const struct export_options *options,
                               const struct store_baseline *baseline)
{
    const char *output = options->output;
    size_t length = output != NULL ? strlen(output) : 0;
    if (output == NULL || (!options->all && !file_is_directory(output))) {
        return output;
    }
    return arena_printf(arena, "%s%s%s", output, output[length - 1] == '/' ? "" : "/",
                        file_name(arena, baseline));
}

/* The store has the newest entry first, the file the oldest: a promotion adds a line at the end.
 * What imports did to this store is left out, so that a file comes out as it went in. */
static tare_status load_receipt(struct store *store, struct arena *arena,
                                const struct store_baseline *baseline, struct receipt *receipt,
                                struct tare_error *error)
{
    struct store_promotions history;
    *receipt = (struct receipt){.baseline = baseline->name};
    tare_status status = store_run_load(store, arena, baseline->run.id, true, &receipt->run, error);
    if (status == TARE_OK) {
        status = store_baseline_history(store, arena, baseline->name, baseline->machine_id,
                                        &history, error);
    }
    if (status != TARE_OK) {
        return status;
    }
    receipt->history = ARENA_ARRAY(arena, struct receipt_promotion, history.count);
    for (ptrdiff_t i = history.count - 1; i >= 0; i--) {
        const struct store_promotion *from = &history.items[i];
        if (text_starts_with(from->reason, STORE_IMPORT_REASON)) {
            continue;
        }
        receipt->history[receipt->history_count++] = (struct receipt_promotion){
            .action = from->action,
            .run_id = from->run_id,
            .previous_run_id = from->previous_run_id,
            .at_unix_ns = from->at_unix_ns,
            .by = from->by,
            .reason = from->reason,
        };
    }
    return TARE_OK;
}

static tare_status export_one(struct cli *cli, struct store *store,
                              const struct store_baseline *baseline,
                              const struct export_options *options, struct exported *done,
                              struct tare_error *error)
{
    struct arena scratch = {0};
    struct receipt receipt;
    struct buffer text = buffer_new(&scratch, RECEIPT_BYTES_MAX);
    tare_status status = load_receipt(store, &scratch, baseline, &receipt, error);
    if (status == TARE_OK) {
        status = receipt_write(&receipt, &text, error);
    }
    if (status == TARE_OK) {
        *done = (struct exported){
            .path = output_path(cli->arena, options, baseline),
            .name = baseline->name,
            .bytes = text.length,
            .benchmark_count = receipt.run.benchmark_count,
            .sample_count = receipt_file_samples(&receipt.run),
        };
        memcpy(done->machine_id, baseline->machine_id, sizeof done->machine_id);
        memcpy(done->run_id, baseline->run.id, sizeof done->run_id);
        memcpy(done->sha256, receipt.sha256, sizeof done->sha256);
    }
    if (status == TARE_OK && done->path == NULL) {
        fputs(buffer_string(&text), stdout);
    } else if (status == TARE_OK) {
        status = file_write(done->path, text.data, text.length, error);
    }
    arena_free(&scratch);
    return status;
}

/* ---- what was done ---- */

static json_t *exported_json(struct arena *arena, const struct exported *done)
{
    json_t *object = json_object();
    json_object_set_new(object, "file", json_write_text(arena, done->path));
    json_object_set_new(object, "name", json_write_text(arena, done->name));
    json_object_set_new(object, "machine", json_write_text(arena, done->machine_id));
    json_object_set_new(object, "run", json_write_text(arena, done->run_id));
    json_object_set_new(object, "bytes", json_integer(done->bytes));
    json_object_set_new(object, "benchmarks", json_integer(done->benchmark_count));
    json_object_set_new(object, "samples", json_integer(done->sample_count));
    json_object_set_new(object, "sha256", json_write_text(arena, done->sha256));
    return object;
}

static int print_exports(struct cli *cli, const struct store *store, const struct exports *exports,
                         bool is_json)
{
    if (is_json) {
        json_t *answer = store_command_answer(cli->arena, "baseline-export", store);
        json_t *files = json_array();
        for (ptrdiff_t i = 0; i < exports->count; i++) {
            json_array_append_new(files, exported_json(cli->arena, &exports->items[i]));
        }
        json_object_set_new(answer, "files", files);
        return store_command_print_json(&command_baseline_export, answer, EXIT_CODE_OK);
    }
    for (ptrdiff_t i = 0; i < exports->count; i++) {
        const struct exported *done = &exports->items[i];
        if (done->path != NULL) {
            printf("%s: baseline %s, run %s, %td benchmarks, %lld samples, %s\n",
                   text_printable(cli->arena, done->path, 0),
                   text_printable(cli->arena, done->name, 0), done->run_id, done->benchmark_count,
                   (long long)done->sample_count,
                   unit_format(cli->arena, (double)done->bytes, "B", 3));
        }
    }
    return command_end(&command_baseline_export, EXIT_CODE_OK);
}

const struct command command_baseline_export = {
    .name = "baseline export",
    .run = run_export,
    .summary = "Write a baseline with everything measured to a file to commit",
    .usage = "NAME [-o FILE] | --all -o FOLDER",
    .examples = "  tare baseline export main -o baselines/           baselines/main.3f2c1a9b.json\n"
                "  tare baseline export main > main.json\n"
                "  tare baseline export --all -o baselines/          all names, all machines",
    .details =
        "The file holds the run with every sample, machine, commit, the history of promotions "
        "and a SHA-256 over all of it.\nThe same baseline gives the same bytes. 'tare baseline "
        "import' reads it elsewhere, 'tare verify' checks it.\n"
        "One file per machine: figures of different machines are never compared.",
    .options = export_table,
};
