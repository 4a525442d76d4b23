#include "cli/import_load.h"

#include "base/text.h"
#include "base/version.h"
#include "cli/import_file.h"
#include "detect/figures.h"
#include "measure/environment.h"
#include "os/clock.h"

#include <string.h>

struct loading {
    struct arena *arena;
    struct model_run *run;
    const struct import_request *request;
    ptrdiff_t run_count;
};

void import_identify(struct arena *arena, const char *machine, const struct model_machine *here,
                     struct model_run *run)
{
    struct model_machine *kept = &run->machine;
    if (machine != NULL && strcmp(machine, "here") == 0) {
        struct model_fields conditions = kept->conditions;
        *kept = *here;
        kept->conditions = conditions;
        return;
    }
    if (machine != NULL) {
        kept->identity = (struct model_fields){0};
        model_field_set(arena, &kept->identity, "machine", machine);
    } else if (kept->identity.count == 0) {
        model_field_set(arena, &kept->identity, "machine", "unknown");
        model_run_warn(arena, run,
                       "the file does not say which machine measured it: it compares with others "
                       "of unknown machines; --machine NAME says it");
    }
    model_field_set(arena, &kept->identity, "origin", "imported");
    model_machine_identify(kept);
}

static const char *copy_text(struct arena *arena, const char *text)
{
    return text != NULL ? arena_strdup(arena, text) : NULL;
}

static struct model_benchmark *find_saved(struct loading *loading,
                                          const struct model_benchmark *piece)
{
    struct model_run *run = loading->run;
    struct model_benchmark *found = NULL;
    struct arena scratch = {0};
    const char *wanted = model_benchmark_label(&scratch, piece);
    struct arena_mark mark = arena_mark(&scratch);
    for (ptrdiff_t i = 0; i < run->benchmark_count && found == NULL; i++) {
        struct model_benchmark *saved = &run->benchmarks[i];
        if (strcmp(saved->name, piece->name) == 0 &&
            strcmp(model_benchmark_label(&scratch, saved), wanted) == 0) {
            found = saved;
        }
        arena_reset(&scratch, mark);
    }
    arena_free(&scratch);
    return found;
}

static tare_status save(void *context, struct model_benchmark *piece, bool is_again,
                        struct tare_error *error)
{
    struct loading *loading = context;
    struct arena *arena = loading->arena;
    struct model_benchmark *kept = is_again ? find_saved(loading, piece) : NULL;
    if (loading->run_count > 0) {
        return error_set(error, TARE_ERROR_USAGE,
                         "%s holds several runs: 'tare import' takes it, then name one of them",
                         text_printable(arena, loading->request->path, 200));
    }
    if (kept == NULL) {
        if (loading->run->benchmark_count >= MODEL_BENCHMARKS_MAX) {
            return error_set(error, TARE_ERROR_MEASURE, "%s: more than %d benchmarks in one run",
                             text_printable(arena, loading->request->path, 200),
                             MODEL_BENCHMARKS_MAX);
        }
        kept = model_run_add_benchmark(arena, loading->run);
        kept->suite = arena_strdup(arena, piece->suite);
        kept->name = arena_strdup(arena, piece->name);
        kept->variant = arena_strdup(arena, piece->variant);
        kept->iterations = piece->iterations;
        kept->state = piece->state;
        kept->reason = copy_text(arena, piece->reason);
        for (ptrdiff_t i = 0; i < piece->parameter_count; i++) {
            model_parameter_add(arena, kept, piece->parameters[i].name, piece->parameters[i].value);
        }
    }
    return import_merge(arena, kept, piece, error);
}

static void copy_fields(struct arena *arena, const struct model_fields *from,
                        struct model_fields *to)
{
    for (ptrdiff_t i = 0; i < from->count; i++) {
        model_field_set(arena, to, from->items[i].key, from->items[i].value);
    }
}

static tare_status end(void *context, struct model_run *from, struct tare_error *error)
{
    (void)error;
    struct loading *loading = context;
    struct arena *arena = loading->arena;
    struct model_run *run = loading->run;
    int64_t now = clock_unix_ns();
    loading->run_count++;
    run->started_unix_ns = from->started_unix_ns != 0 ? from->started_unix_ns : now;
    run->finished_unix_ns = run->started_unix_ns;
    run->commit = (struct model_commit){.is_known = from->commit.is_known,
                                        .hash = copy_text(arena, from->commit.hash),
                                        .branch = copy_text(arena, from->commit.branch),
                                        .subject = copy_text(arena, from->commit.subject),
                                        .is_dirty = from->commit.is_dirty};
    copy_fields(arena, &from->machine.identity, &run->machine.identity);
    copy_fields(arena, &from->machine.conditions, &run->machine.conditions);
    copy_fields(arena, &from->environment, &run->environment);
    for (ptrdiff_t i = 0; i < from->warning_count; i++) {
        model_run_warn(arena, run, "%s", from->warnings[i]);
    }
    return TARE_OK;
}

static tare_status read_all(struct loading *loading, struct import_file *file,
                            struct tare_error *error)
{
    const struct import_request *request = loading->request;
    const struct import_format *format = request->format;
    const struct import_options options = {
        .output = {.context = loading, .save = save, .end = end},
        .rules = request->rules,
        .rule_count = request->rule_count,
    };
    tare_status status =
        format == NULL ? import_format_recognise(file->source, &format, error) : TARE_OK;
    if (status != TARE_OK) {
        return status;
    }
    struct import_sink *sink = import_sink_new(&options);
    status = format->read(file->source, sink, error);
    file->source->line = 0;
    if (status == TARE_OK) {
        status = import_run_end(sink, error);
    }
    import_sink_free(sink);
    model_field_set(loading->arena, &loading->run->environment, "format", format->name);
    return status == TARE_OK ? import_file_check(file, error) : status;
}

tare_status import_load(struct arena *arena, const struct import_request *request,
                        struct model_run *run, struct tare_error *error)
{
    *run = (struct model_run){
        .state = MODEL_RUN_COMPLETE,
        .project = "",
        .command = arena_printf(arena, "tare import %s", text_printable(arena, request->path, 0)),
        .tare_version = TARE_VERSION_STRING,
        .confidence = 0.99,
    };
    struct loading loading = {.arena = arena, .run = run, .request = request};
    struct import_file file;
    tare_status status = import_file_open(&file, request->path, error);
    if (status != TARE_OK) {
        return status;
    }
    status = read_all(&loading, &file, error);
    import_file_close(&file);
    if (status == TARE_OK) {
        struct model_machine here = {0};
        measure_machine_read(arena, &here);
        import_identify(arena, request->machine, &here, run);
        for (ptrdiff_t i = 0; i < run->benchmark_count; i++) {
            detect_figures_fill(&run->benchmarks[i]);
        }
    }
    return status;
}
