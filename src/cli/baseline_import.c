/* baseline_import.c: `tare baseline import`: baselines from files that `tare baseline export`
 * wrote.
 *
 * Each file is one transaction, and is checked to the last digit before anything is changed. A file
 * that cannot be taken does not keep the others out; the exit code tells. */
#include "store/baseline_import.h"
#include "base/text.h"
#include "cli/baseline_command.h"
#include "cli/receipt_file.h"
#include "detect/figures.h"
#include "os/clock.h"
#include "os/file.h"
#include "os/folder.h"
#include "report/json_write.h"

#include <stdio.h>
#include <string.h>

struct import_options {
    struct common_options common;
    const char *as;
};

static const struct option import_table[] = {
    {"as", 0, OPTION_TEXT, offsetof(struct import_options, as), "NAME",
     "the baseline's name here (the file's)"},
    {NULL, 0, OPTION_FLAG, 0, NULL, NULL},
};

/* The command at work: the store is opened when the first good file is there. */
struct importing {
    struct cli *cli;
    const struct import_options *options;
    struct store *store;
    json_t *files; /* NULL without --json */
    int exit_code;
};

static tare_status list_files(struct arena *arena, const struct text_list *operands,
                              struct text_list *files, struct tare_error *error);
static void import_file(struct importing *importing, const char *path);

static int run_import(struct cli *cli, int argc, char **argv)
{
    struct import_options options = {0};
    struct option_result arguments;
    int exit_code;
    if (!command_parse(cli, &command_baseline_import, argc, argv, false, &options, &arguments,
                       &exit_code) ||
        !baseline_operands(&command_baseline_import, &arguments, 1, PTRDIFF_MAX, &exit_code)) {
        return exit_code;
    }
    struct tare_error error = {0};
    struct text_list files = {0};
    if (list_files(cli->arena, &arguments.operands, &files, &error) != TARE_OK) {
        return command_fail(&command_baseline_import, &error);
    }
    struct importing importing = {
        .cli = cli, .options = &options, .files = options.common.json ? json_array() : NULL};
    for (ptrdiff_t i = 0; i < files.count; i++) {
        import_file(&importing, files.items[i]);
    }
    store_close(importing.store);
    if (importing.files == NULL) {
        return command_end(&command_baseline_import, importing.exit_code);
    }
    json_t *answer =
        json_pack("{s:i,s:s,s:o}", "tare", 1, "kind", "baseline-import", "files", importing.files);
    return store_command_print_json(&command_baseline_import, answer, importing.exit_code);
}

/* A folder stands for the .json files in it. */
static tare_status list_files(struct arena *arena, const struct text_list *operands,
                              struct text_list *files, struct tare_error *error)
{
    for (ptrdiff_t i = 0; i < operands->count; i++) {
        const char *operand = operands->items[i];
        if (!file_is_directory(operand)) {
            text_list_add(arena, files, operand);
            continue;
        }
        ptrdiff_t before = files->count;
        struct folder_names names = folder_list(arena, operand);
        for (ptrdiff_t j = 0; j < names.count; j++) {
            size_t length = strlen(names.items[j]);
            if (length > 5 && strcmp(names.items[j] + length - 5, ".json") == 0) {
                text_list_add(arena, files, arena_printf(arena, "%s/%s", operand, names.items[j]));
            }
        }
        if (files->count == before) {
            return error_set(
                error, TARE_ERROR_IO,
                "no .json files in '%s': 'tare baseline export --all -o %s' writes them",
                text_printable(arena, operand, 200), text_printable(arena, operand, 200));
        }
    }
    return TARE_OK;
}

/* ---- one file ---- */

static tare_status store_receipt(struct importing *importing, struct arena *arena, const char *path,
                                 struct receipt *receipt, const char *name,
                                 struct store_import_result *result, struct tare_error *error);
static void print_imported(struct importing *importing, const char *path,
                           const struct receipt *receipt, const char *name,
                           const struct store_import_result *result);
static void print_refused(struct importing *importing, const char *path,
                          const struct tare_error *error);

static void import_file(struct importing *importing, const char *path)
{
    struct arena scratch = {0};
    struct tare_error error = {0};
    struct receipt receipt;
    struct store_import_result result = {0};
    tare_status status = receipt_file_read(&scratch, path, &receipt, &error);
    const char *name = NULL;
    if (status == TARE_OK) {
        name = importing->options->as != NULL ? importing->options->as : receipt.baseline;
        if (name == NULL) {
            status = error_set(&error, TARE_ERROR_USAGE,
                               "'%s' holds a run without a baseline's name: --as NAME gives it one",
                               text_printable(&scratch, path, 200));
        }
    }
    if (status == TARE_OK) {
        status = store_receipt(importing, &scratch, path, &receipt, name, &result, &error);
    }
    if (status == TARE_OK) {
        print_imported(importing, path, &receipt, name, &result);
    } else {
        print_refused(importing, path, &error);
    }
    arena_free(&scratch);
}

static tare_status store_receipt(struct importing *importing, struct arena *arena, const char *path,
                                 struct receipt *receipt, const char *name,
                                 struct store_import_result *result, struct tare_error *error)
{
    if (importing->store == NULL) {
        tare_status status = store_command_open(importing->cli, &importing->options->common,
                                                STORE_WRITE, &importing->store, error);
        if (status != TARE_OK) {
            return status;
        }
    }
    for (ptrdiff_t i = 0; i < receipt->run.benchmark_count; i++) {
        detect_figures_fill(&receipt->run.benchmarks[i]);
    }
    const struct store_import import = {
        .receipt = receipt,
        .name = name,
        .at_unix_ns = clock_unix_ns(),
        .by = store_command_who(arena),
        .reason = arena_printf(arena, STORE_IMPORT_REASON "%s (sha256 %.12s)",
                               text_printable(arena, path, 200), receipt->sha256),
    };
    return store_baseline_import(importing->store, &import, result, error);
}

/* ---- what was done ---- */

static json_t *imported_json(struct arena *arena, const char *path, const struct receipt *receipt,
                             const char *name, const struct store_import_result *result)
{
    json_t *object = json_object();
    json_object_set_new(object, "file", json_write_text(arena, path));
    json_object_set_new(object, "error", json_null());
    json_object_set_new(object, "name", json_write_text(arena, name));
    json_object_set_new(object, "machine", json_write_text(arena, receipt->run.machine.id));
    json_object_set_new(object, "run", json_write_text(arena, receipt->run.id));
    json_object_set_new(object, "previous_run",
                        result->previous_run_id[0] != '\0'
                            ? json_write_text(arena, result->previous_run_id)
                            : json_null());
    json_object_set_new(object, "changed", json_boolean(result->is_baseline_changed));
    json_object_set_new(object, "run_added", json_boolean(result->is_run_new));
    json_object_set_new(object, "history_added", json_integer(result->history_count));
    json_object_set_new(object, "sha256", json_write_text(arena, receipt->sha256));
    return object;
}

/* What the user should know beside that it was done. */
static void print_cautions(const struct importing *importing, const struct receipt *receipt,
                           const char *shown, const struct store_import_result *result)
{
    if (strcmp(receipt->run.machine.id, store_machine(importing->store)) != 0) {
        const char *cpu = model_field_get(&receipt->run.machine.identity, "cpu");
        fprintf(
            stderr,
            "it was measured on another machine (%.8s%s%s): it is kept for that machine and will "
            "not be used here\n",
            receipt->run.machine.id, cpu != NULL ? ", " : "",
            cpu != NULL ? text_printable(importing->cli->arena, cpu, 60) : "");
    }
    if (result->is_baseline_changed && result->previous_run_id[0] != '\0' &&
        result->previous_started_unix_ns > receipt->run.started_unix_ns) {
        fprintf(stderr,
                "the run it pointed at was newer: 'tare baseline promote %s %s' puts it back\n",
                shown, result->previous_run_id);
    }
}

static void print_imported(struct importing *importing, const char *path,
                           const struct receipt *receipt, const char *name,
                           const struct store_import_result *result)
{
    struct arena *arena = importing->cli->arena;
    if (importing->files != NULL) {
        json_t *object = imported_json(arena, path, receipt, name, result);
        bool is_here = strcmp(receipt->run.machine.id, store_machine(importing->store)) == 0;
        json_object_set_new(object, "this_machine", json_boolean(is_here));
        json_array_append_new(importing->files, object);
        return;
    }
    const char *shown = text_printable(arena, name, 0);
    printf("%s: baseline %s ", text_printable(arena, path, 0), shown);
    if (!result->is_baseline_changed) {
        printf("points at run %s already: nothing to do\n", receipt->run.id);
    } else if (result->previous_run_id[0] != '\0') {
        printf("moved from run %s to %s\n", result->previous_run_id, receipt->run.id);
    } else {
        printf("points at run %s\n", receipt->run.id);
    }
    fflush(stdout);
    print_cautions(importing, receipt, shown, result);
}

static void print_refused(struct importing *importing, const char *path,
                          const struct tare_error *error)
{
    int failure = command_say(&command_baseline_import, error);
    if (importing->exit_code == EXIT_CODE_OK || failure == EXIT_CODE_USAGE) {
        importing->exit_code = failure;
    }
    if (importing->files != NULL) {
        json_t *object = json_object();
        json_object_set_new(object, "file", json_write_text(importing->cli->arena, path));
        json_object_set_new(object, "error",
                            json_write_text(importing->cli->arena, error->message));
        json_array_append_new(importing->files, object);
    }
}

const struct command command_baseline_import = {
    .name = "baseline import",
    .run = run_import,
    .summary = "Take baselines from files that 'tare baseline export' wrote",
    .usage = "FILE… | FOLDER… [--as NAME]",
    .examples = "  tare baseline import baselines/              all .json files in the folder\n"
                "  tare baseline import main.3f2c1a9b.json\n"
                "  tare baseline import old.json --as v1.0      under another name",
    .details = "Each file's SHA-256 is checked first: one changed digit, and nothing of it is "
               "taken (exit 3).\n"
               "The baseline is set for the machine it was measured on; another machine's is kept "
               "and not used "
               "here.\nImporting a file twice changes nothing.",
    .options = import_table,
};
