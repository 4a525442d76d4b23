/* cmd_import.c: `tare import`: result files of other harnesses become runs in the store.
 *
 * One file is one transaction: it comes in whole or not at all. Files of a format that writes a
 * folder (Criterion) come in together, as one run. */
#include "base/text.h"
#include "base/version.h"
#include "cli/config.h"
#include "cli/import_file.h"
#include "cli/import_load.h"
#include "cli/store_command.h"
#include "codec/shell_words.h"
#include "detect/figures.h"
#include "measure/environment.h"
#include "os/clock.h"
#include "os/file.h"
#include "report/json_write.h"
#include "store/import.h"

#include <stdio.h>
#include <string.h>

struct import_command_options {
    struct common_options common;
    const char *format;
    const char *project;
    const char *machine;
    const char *commit;
    struct text_list metrics;
};

#define AT(member) offsetof(struct import_command_options, member)
static const struct option import_table[] = {
    {"format", 'f', OPTION_TEXT, AT(format), "NAME", "which format it is (told from content)"},
    {"project", 0, OPTION_TEXT, AT(project), "NAME", "whose runs they are (the folder's name)"},
    {"machine", 0, OPTION_TEXT, AT(machine), "NAME",
     "which machine measured it; 'here': this one (what the file says)"},
    {"commit", 0, OPTION_TEXT, AT(commit), "HASH", "of what was measured (what the file says)"},
    {"metric", 'm', OPTION_LIST, AT(metrics), "NAME[UNIT]:lower|higher",
     "takes a metric whose direction the file does not say"},
    {NULL, 0, OPTION_FLAG, 0, NULL, NULL},
};
#undef AT

/* One run that came in. */
struct imported_run {
    char id[27];
    int64_t benchmark_count;
    int64_t sample_count;
    int64_t bad_count; /* failed or invalid */
    const char *bad_name;
    const char *bad_reason;
    const char **warnings;
    ptrdiff_t warning_count;
};

/* What became of one file, or of the files of one folder that belong together. */
struct imported {
    const char *path;
    const char *format; /* NULL: not known */
    struct imported_run *runs;
    ptrdiff_t run_count;
    ptrdiff_t run_capacity;
    const char *failure; /* NULL, or why nothing came in */
};

struct session {
    struct cli *cli;
    const struct import_command_options *options;
    struct arena *arena;
    struct store *store;
    const struct import_format *format; /* NULL: told from content */
    struct import_rule *rules;
    ptrdiff_t rule_count;
    const char *project;
    struct model_machine here;
    int64_t id_unix_ns; /* of the newest id: ids are in the order of runs */
    struct imported *items;
    ptrdiff_t count;
    ptrdiff_t capacity;
    struct imported *current;
    struct imported_run run; /* being read */
    char run_id[27];         /* "": not begun */
};

static tare_status prepare(struct session *session, struct tare_error *error);
static void import_operand(struct session *session, const char *operand);
static int finish(struct session *session);

static int run_import(struct cli *cli, int argc, char **argv)
{
    struct import_command_options options = {0};
    struct option_result arguments;
    struct tare_error error = {0};
    int exit_code;
    if (!command_parse(cli, &command_import, argc, argv, false, &options, &arguments, &exit_code)) {
        return exit_code;
    }
    for (ptrdiff_t i = 0; i < arguments.rest.count; i++) {
        text_list_add(cli->arena, &arguments.operands, arguments.rest.items[i]);
    }
    if (arguments.operands.count == 0) {
        error_set(&error, TARE_ERROR_USAGE,
                  "which files? 'tare import results.json', 'tare import -' for standard input");
        return command_fail(&command_import, &error);
    }
    struct session session = {.cli = cli, .options = &options, .arena = cli->arena};
    if (prepare(&session, &error) != TARE_OK) {
        store_close(session.store);
        return command_fail(&command_import, &error);
    }
    for (ptrdiff_t i = 0; i < arguments.operands.count; i++) {
        import_operand(&session, arguments.operands.items[i]);
    }
    exit_code = finish(&session);
    store_close(session.store);
    return exit_code;
}

const struct command command_import = {
    .name = "import",
    .run = run_import,
    .summary = "Result files of other harnesses become runs",
    .usage = "[OPTIONS] FILE|FOLDER|-…",
    .examples = "  tare import results.json             the format is told from the content\n"
                "  hyperfine --export-json - 'sleep 1' | tare import -\n"
                "  tare import target/criterion         a folder\n"
                "  tare import -m 'hits:higher' a.json  takes a counter of your own\n"
                "  tare runs show                       what came in",
    .details =
        "Formats (--format): gbench, hyperfine, go, criterion, cargo-criterion, pytest, pyperf, "
        "libtest,\njmh, catch2, csv, bmf, github-custom, github-history, nanobench, vitest, "
        "mitata, "
        "benchmarkdotnet,\ncodspeed; packed with gzip too.\n"
        "A file comes in whole or not at all. docs/import.md says what becomes what.\n"
        "A run from a file is compared with runs of the same machine only: the one the file "
        "names, --machine NAME, or --machine here.",
    .options = import_table,
};

/* ---- before the first file ---- */

static const char *project_name(struct arena *arena, const struct config *config,
                                const struct import_command_options *options)
{
    if (options->project != NULL || config->policy.project != NULL) {
        return options->project != NULL ? options->project : config->policy.project;
    }
    const char *directory = file_current_directory(arena);
    const char *slash = strrchr(directory, '/');
    return slash != NULL && slash[1] != '\0' ? slash + 1 : "unnamed";
}

static tare_status prepare(struct session *session, struct tare_error *error)
{
    const struct import_command_options *options = session->options;
    struct config config;
    tare_status status = config_load(session->arena, &config, error);
    if (status == TARE_OK && options->format != NULL) {
        status = import_format_find(options->format, &session->format, error);
    }
    session->rules = ARENA_ARRAY(session->arena, struct import_rule, options->metrics.count);
    for (ptrdiff_t i = 0; status == TARE_OK && i < options->metrics.count; i++) {
        status =
            import_rule_parse(session->arena, options->metrics.items[i], &session->rules[i], error);
        session->rule_count++;
    }
    if (status == TARE_OK && options->machine != NULL && !model_name_is_valid(options->machine)) {
        status = error_set(error, TARE_ERROR_USAGE, "--machine wants a name, or 'here'");
    }
    if (status == TARE_OK) {
        session->project =
            text_printable(session->arena, project_name(session->arena, &config, options), 0);
        measure_machine_read(session->arena, &session->here);
        const struct store_request request = {
            .option = options->common.store, .configured = config.store, .mode = STORE_WRITE};
        status = store_path_open(session->arena, &request, &session->store, error);
    }
    return status;
}

/* ---- benchmarks and runs go into the store ---- */

static tare_status begin_run(struct session *session, struct tare_error *error)
{
    struct arena scratch = {0};
    int64_t now = clock_unix_ns();
    const int64_t millisecond = 1000000;
    session->id_unix_ns = now / millisecond > session->id_unix_ns / millisecond
                              ? now
                              : session->id_unix_ns + millisecond;
    struct model_run run = {
        .started_unix_ns = now,
        .project = session->project,
        .command = arena_printf(
            &scratch, "tare import %s",
            shell_words_join(
                &scratch,
                (const char *const[]){text_printable(&scratch, session->current->path, 0), NULL})),
        .tare_version = TARE_VERSION_STRING,
        .confidence = 0.99,
        .machine = session->here,
    };
    run.machine.conditions = (struct model_fields){0};
    model_run_id_new(run.id, session->id_unix_ns, clock_entropy(), clock_entropy());
    tare_status status = store_run_begin(session->store, &run, error);
    memcpy(session->run_id, run.id, sizeof run.id);
    session->run = (struct imported_run){0};
    memcpy(session->run.id, run.id, sizeof run.id);
    arena_free(&scratch);
    return status;
}

static tare_status save_joined(struct session *session, struct model_benchmark *benchmark,
                               struct tare_error *error)
{
    struct arena scratch = {0};
    struct model_benchmark earlier;
    bool is_found = false;
    tare_status status = store_benchmark_take(session->store, &scratch, session->run_id, benchmark,
                                              &earlier, &is_found, error);
    struct model_benchmark *whole = is_found ? &earlier : benchmark;
    if (status == TARE_OK && is_found) {
        session->run.benchmark_count--;
        status = import_merge(&scratch, &earlier, benchmark, error);
    }
    if (status == TARE_OK) {
        detect_figures_fill(whole);
        status = store_benchmark_save(session->store, session->run_id, whole, error);
    }
    arena_free(&scratch);
    return status;
}

static void count_benchmark(struct session *session, const struct model_benchmark *benchmark)
{
    struct imported_run *run = &session->run;
    run->benchmark_count++;
    for (ptrdiff_t i = 0; i < benchmark->metric_count; i++) {
        run->sample_count += benchmark->metrics[i].count;
    }
    if (benchmark->state == MODEL_STATE_FAILED || benchmark->state == MODEL_STATE_INVALID) {
        run->bad_count++;
        if (run->bad_name == NULL) {
            run->bad_name = text_printable(session->arena, benchmark->name, 60);
            run->bad_reason = text_printable(
                session->arena, benchmark->reason != NULL ? benchmark->reason : "", 300);
        }
    }
}

static tare_status save_benchmark(void *context, struct model_benchmark *benchmark, bool is_again,
                                  struct tare_error *error)
{
    struct session *session = context;
    tare_status status = session->run_id[0] == '\0' ? begin_run(session, error) : TARE_OK;
    if (status == TARE_OK && session->run.benchmark_count >= MODEL_BENCHMARKS_MAX) {
        status = error_set(error, TARE_ERROR_MEASURE, "%s: more than %d benchmarks in one run",
                           text_printable(session->arena, session->current->path, 200),
                           MODEL_BENCHMARKS_MAX);
    }
    if (status == TARE_OK && is_again) {
        status = save_joined(session, benchmark, error);
    } else if (status == TARE_OK) {
        detect_figures_fill(benchmark);
        status = store_benchmark_save(session->store, session->run_id, benchmark, error);
    }
    if (status == TARE_OK) {
        count_benchmark(session, benchmark);
    }
    return status;
}

static void keep_warnings(struct session *session, const struct model_run *run)
{
    struct imported_run *kept = &session->run;
    kept->warnings = ARENA_ARRAY(session->arena, const char *, run->warning_count);
    for (ptrdiff_t i = 0; i < run->warning_count; i++) {
        kept->warnings[kept->warning_count++] = arena_strdup(session->arena, run->warnings[i]);
    }
}

static tare_status end_run(void *context, struct model_run *run, struct tare_error *error)
{
    struct session *session = context;
    struct arena scratch = {0};
    struct imported *current = session->current;
    int64_t now = clock_unix_ns();
    memcpy(run->id, session->run_id, sizeof run->id);
    run->state = MODEL_RUN_COMPLETE;
    run->finished_unix_ns = run->started_unix_ns != 0 ? run->started_unix_ns : now;
    run->started_unix_ns = run->started_unix_ns != 0 ? run->started_unix_ns : now;
    model_field_set(&scratch, &run->environment, "format", current->format);
    model_field_set(&scratch, &run->environment, "imported_from",
                    text_printable(&scratch, current->path, MODEL_VALUE_BYTES_MAX / 4));
    import_identify(&scratch, session->options->machine, &session->here, run);
    if (session->options->commit != NULL) {
        run->commit =
            (struct model_commit){.is_known = true,
                                  .hash = text_printable(&scratch, session->options->commit, 100),
                                  .branch = "",
                                  .subject = ""};
    }
    tare_status status = store_run_describe(session->store, run, error);
    if (status == TARE_OK) {
        status = store_run_finish(session->store, run, error);
    }
    if (status == TARE_OK) {
        keep_warnings(session, run);
        current->runs = arena_grow(session->arena, current->runs, &current->run_capacity,
                                   current->run_count + 1, (ptrdiff_t)sizeof *current->runs);
        current->runs[current->run_count++] = session->run;
    }
    session->run_id[0] = '\0';
    arena_free(&scratch);
    return status;
}

/* ---- files ---- */

static struct imported *add_item(struct session *session, const char *path)
{
    session->items = arena_grow(session->arena, session->items, &session->capacity,
                                session->count + 1, (ptrdiff_t)sizeof *session->items);
    struct imported *item = &session->items[session->count++];
    *item = (struct imported){.path = path};
    return item;
}

/* The files of one transaction: one that is open already, or those of a folder. */
struct batch {
    const struct import_format *format;
    const char *path; /* what the user calls it */
    struct import_file *file;
    const char *const *paths;
    ptrdiff_t count;
};

static tare_status read_file(struct import_file *file, const struct import_format *format,
                             bool is_last, struct import_sink *sink, struct tare_error *error)
{
    tare_status status = format->read(file->source, sink, error);
    file->source->line = 0;
    if (status == TARE_OK && is_last) {
        status = import_run_end(sink, error);
    }
    return status == TARE_OK ? import_file_check(file, error) : status;
}

static tare_status read_batch(struct session *session, const struct batch *batch,
                              struct tare_error *error)
{
    const struct import_options options = {
        .output = {.context = session, .save = save_benchmark, .end = end_run},
        .rules = session->rules,
        .rule_count = session->rule_count,
    };
    struct import_sink *sink = import_sink_new(&options);
    session->run_id[0] = '\0';
    tare_status status = TARE_OK;
    if (batch->file != NULL) {
        status = read_file(batch->file, batch->format, true, sink, error);
    }
    for (ptrdiff_t i = 0; status == TARE_OK && i < batch->count; i++) {
        struct import_file file;
        status = import_file_open(&file, batch->paths[i], error);
        if (status == TARE_OK) {
            status = read_file(&file, batch->format, i == batch->count - 1, sink, error);
            import_file_close(&file);
        }
    }
    import_sink_free(sink);
    return status;
}

static void import_batch(struct session *session, const struct batch *batch)
{
    struct tare_error error = {0};
    struct imported *item = add_item(session, batch->path);
    item->format = batch->format->name;
    session->current = item;
    tare_status status = store_batch_begin(session->store, &error);
    if (status == TARE_OK) {
        status = read_batch(session, batch, &error);
        status = store_batch_end(session->store, status, &error);
    }
    if (status != TARE_OK) {
        item->run_count = 0;
        item->failure = arena_strdup(session->arena, error.message);
    }
}

/* Opens it and tells its format. On an error nothing is open. */
static tare_status open_file(struct session *session, const char *path, struct import_file *file,
                             const struct import_format **format, struct tare_error *error)
{
    tare_status status = import_file_open(file, path, error);
    *format = session->format;
    if (status == TARE_OK && *format == NULL) {
        status = import_format_recognise(file->source, format, error);
        if (status != TARE_OK) {
            import_file_close(file);
        }
    }
    return status;
}

static void import_one(struct session *session, const char *path)
{
    struct tare_error error = {0};
    struct import_file file;
    const struct import_format *format = NULL;
    if (open_file(session, path, &file, &format, &error) != TARE_OK) {
        add_item(session, path)->failure = arena_strdup(session->arena, error.message);
        return;
    }
    import_batch(session, &(struct batch){.format = format, .path = path, .file = &file});
    import_file_close(&file);
}

/* Files of no known format are passed over: a folder holds other things too. */
static void import_folder(struct session *session, const char *folder)
{
    struct tare_error error = {0};
    struct input_files files;
    struct text_list together = {0};
    const struct import_format *folder_format = NULL;
    if (input_list(session->arena, folder, &files, &error) != TARE_OK) {
        add_item(session, folder)->failure = arena_strdup(session->arena, error.message);
        return;
    }
    ptrdiff_t before = session->count;
    for (ptrdiff_t i = 0; i < files.count; i++) {
        const struct import_format *format = NULL;
        struct import_file file;
        error_clear(&error);
        if (open_file(session, files.paths[i], &file, &format, &error) != TARE_OK) {
            continue;
        }
        if (format->is_folder && (folder_format == NULL || folder_format == format)) {
            folder_format = format;
            text_list_add(session->arena, &together, files.paths[i]);
        } else {
            import_batch(session,
                         &(struct batch){.format = format, .path = files.paths[i], .file = &file});
        }
        import_file_close(&file);
    }
    if (together.count > 0) {
        import_batch(session, &(struct batch){.format = folder_format,
                                              .path = folder,
                                              .paths = together.items,
                                              .count = together.count});
    }
    if (session->count == before) {
        add_item(session, folder)->failure =
            arena_printf(session->arena, "%s: none of its %td files is of a known format",
                         text_printable(session->arena, folder, 200), files.count);
    }
}

static void import_operand(struct session *session, const char *operand)
{
    if (strcmp(operand, "-") != 0 && file_is_directory(operand)) {
        import_folder(session, operand);
    } else {
        import_one(session, operand);
    }
}

/* ---- the answer ---- */

static json_t *run_json(struct arena *arena, const struct imported_run *run)
{
    json_t *object = json_object();
    json_object_set_new(object, "id", json_string(run->id));
    json_object_set_new(object, "benchmarks", json_integer(run->benchmark_count));
    json_object_set_new(object, "samples", json_integer(run->sample_count));
    json_object_set_new(object, "failed_or_invalid", json_integer(run->bad_count));
    json_object_set_new(object, "warnings",
                        json_write_texts(arena, run->warnings, run->warning_count));
    return object;
}

static int print_json(struct session *session, int exit_code)
{
    json_t *answer = store_command_answer(session->arena, "import", session->store);
    json_t *files = json_array();
    for (ptrdiff_t i = 0; i < session->count; i++) {
        const struct imported *item = &session->items[i];
        json_t *runs = json_array();
        for (ptrdiff_t k = 0; k < item->run_count; k++) {
            json_array_append_new(runs, run_json(session->arena, &item->runs[k]));
        }
        json_t *file = json_object();
        json_object_set_new(file, "path", json_write_text(session->arena, item->path));
        json_object_set_new(file, "format", json_write_text(session->arena, item->format));
        json_object_set_new(file, "runs", runs);
        json_object_set_new(file, "error", json_write_text(session->arena, item->failure));
        json_array_append_new(files, file);
    }
    json_object_set_new(answer, "files", files);
    return store_command_print_json(&command_import, answer, exit_code);
}

static void print_run(struct session *session, const struct imported *item,
                      const struct imported_run *run)
{
    if (session->options->common.quiet) {
        printf("%s\n", run->id);
        return;
    }
    printf("%s  %s: %s, %lld benchmark%s, %lld value%s\n", run->id,
           text_printable(session->arena, item->path, 0), item->format,
           (long long)run->benchmark_count, run->benchmark_count == 1 ? "" : "s",
           (long long)run->sample_count, run->sample_count == 1 ? "" : "s");
    for (ptrdiff_t i = 0; i < run->warning_count; i++) {
        fprintf(stderr, "tare import: %s: %s\n", text_printable(session->arena, item->path, 0),
                run->warnings[i]);
    }
}

static void print_bad(struct session *session, const struct imported *item,
                      const struct imported_run *run)
{
    if (run->bad_count > 0) {
        fprintf(stderr,
                "tare import: %s: %lld benchmark%s failed or invalid, kept as such; '%s': %s\n",
                text_printable(session->arena, item->path, 0), (long long)run->bad_count,
                run->bad_count == 1 ? " is" : "s are", run->bad_name, run->bad_reason);
    }
}

static int finish(struct session *session)
{
    int exit_code = EXIT_CODE_OK;
    for (ptrdiff_t i = 0; i < session->count; i++) {
        const struct imported *item = &session->items[i];
        if (item->failure != NULL) {
            fprintf(stderr, "tare import: %s\n", item->failure);
            exit_code = EXIT_CODE_FAILED;
        }
        for (ptrdiff_t k = 0; k < item->run_count; k++) {
            if (!session->options->common.json) {
                print_run(session, item, &item->runs[k]);
            }
            print_bad(session, item, &item->runs[k]);
            exit_code = item->runs[k].bad_count > 0 ? EXIT_CODE_FAILED : exit_code;
        }
    }
    return session->options->common.json ? print_json(session, exit_code)
                                         : command_end(&command_import, exit_code);
}
