/* import_js.c: benchmarks of JavaScript: vitest's (tinybench) and mitata's JSON.
 *
 *   vitest bench --outputJson: {files[{filepath, groups[{fullName, benchmarks[{name, samples[],
 * median, mean}]}]}]}, milliseconds
 *
 *   mitata, run({format: 'json'}): {benchmarks[{alias, runs[{name, args{}, stats{samples[], avg,
 * p50} | error}]}], context{arch, runtime, cpu{name}}}, nanoseconds
 *
 * All samples are of one process. Without samples the median is a point value. vitest's group is
 * the suite; mitata's args are parameters, and a run that threw is a failed benchmark. */
#include "codec/import_json.h"

#include "base/text.h"

#include <math.h>
#include <string.h>

/* One benchmark of either. */
struct task {
    const char *suite;
    const char *name;
    const char *failure;
    double median;
    double mean;
    struct import_numbers samples;
    struct import_pairs parameters;
};

static tare_status keep_task(struct import_json *json, const struct task *task, double factor,
                             const char *unit, struct tare_error *error)
{
    if (task->name == NULL) {
        return import_fail(json->source, error, "the benchmark that ends here has no name");
    }
    const struct import_name name = {.suite = task->suite,
                                     .name = task->name,
                                     .parameters = task->parameters.items,
                                     .parameter_count = task->parameters.count};
    struct model_benchmark *benchmark = NULL;
    tare_status status = import_benchmark(json->sink, &name, &benchmark, error);
    if (status != TARE_OK) {
        return status;
    }
    if (benchmark->metric_count > 0) {
        return import_fail(json->source, error, "benchmark '%s' is there twice",
                           text_printable(json->arena, task->name, 60));
    }
    if (task->failure != NULL) {
        benchmark->state = MODEL_STATE_FAILED;
        benchmark->reason = text_printable(import_arena(json->sink), task->failure, 1000);
        return TARE_OK;
    }
    struct import_value value = {
        .metric = "time", .unit = "ns", .written_unit = unit, .better = MODEL_LOWER_IS_BETTER};
    for (ptrdiff_t i = 0; status == TARE_OK && i < task->samples.count; i++) {
        value.value = task->samples.items[i] * factor;
        status = import_add(json->sink, &value, error);
    }
    if (task->samples.count == 0) {
        value.value = (isnan(task->median) ? task->mean : task->median) * factor;
        value.process = IMPORT_POINT;
        status = import_add(json->sink, &value, error);
    }
    return status;
}

/* Members of a task in the object whose begin is the current token; the rest is passed over. */
static tare_status read_numbers(struct import_json *json, struct task *task, const char *median,
                                const char *mean, struct tare_error *error)
{
    const struct import_member members[] = {
        {"name", &task->name, NULL, NULL},
        {median, NULL, &task->median, NULL},
        {mean, NULL, &task->mean, NULL},
        {NULL, NULL, NULL, NULL},
    };
    tare_status status = TARE_OK;
    while (json_stream_key(json->stream, &status, error)) {
        bool is_known = true;
        if (json_stream_is_key(json->stream, "samples")) {
            status = import_json_numbers(json, &task->samples, error);
        } else {
            status = import_json_member(json, members, &is_known, error);
        }
        if (status == TARE_OK && !is_known) {
            status = json_stream_skip(json->stream, error);
        }
    }
    return status;
}

/* Calls `read_item` for every item of the list behind the current key. */
static tare_status each_item(struct import_json *json,
                             tare_status (*read_item)(struct import_json *json, void *context,
                                                      struct tare_error *error),
                             void *context, struct tare_error *error)
{
    bool is_there = false;
    tare_status status = json_stream_array(json->stream, &is_there, error);
    while (is_there && json_stream_item(json->stream, &status, error)) {
        status = import_json_expect(json, "an object", error);
        if (status == TARE_OK) {
            status = read_item(json, context, error);
        }
    }
    return status;
}

/* ---- vitest ---- */

static bool recognise_vitest(const char *head, ptrdiff_t length, const char *path)
{
    (void)length;
    (void)path;
    return import_head_bracket(head) == '{' && import_head_has_key(head, "files") &&
           import_head_has_key(head, "groups");
}

struct group {
    const char *name; /* NULL: not read yet */
    struct task *tasks;
    ptrdiff_t count;
    ptrdiff_t capacity;
};

static tare_status read_vitest_task(struct import_json *json, void *context,
                                    struct tare_error *error)
{
    struct group *group = context;
    group->tasks = arena_grow(json->arena, group->tasks, &group->capacity, group->count + 1,
                              (ptrdiff_t)sizeof *group->tasks);
    struct task *task = &group->tasks[group->count++];
    *task = (struct task){.median = NAN, .mean = NAN};
    return read_numbers(json, task, "median", "mean", error);
}

static tare_status read_group(struct import_json *json, void *context, struct tare_error *error)
{
    (void)context;
    struct group group = {0};
    tare_status status = TARE_OK;
    while (json_stream_key(json->stream, &status, error)) {
        status = json_stream_is_key(json->stream, "fullName")
                     ? json_stream_text(json->stream, json->arena, &group.name, error)
                 : json_stream_is_key(json->stream, "benchmarks")
                     ? each_item(json, read_vitest_task, &group, error)
                     : json_stream_skip(json->stream, error);
    }
    for (ptrdiff_t i = 0; status == TARE_OK && i < group.count; i++) {
        group.tasks[i].suite = group.name;
        status = keep_task(json, &group.tasks[i], 1e6, "ms", error);
    }
    import_json_forget(json);
    return status;
}

static tare_status read_vitest_file(struct import_json *json, void *context,
                                    struct tare_error *error)
{
    (void)context;
    tare_status status = TARE_OK;
    while (json_stream_key(json->stream, &status, error)) {
        status = json_stream_is_key(json->stream, "groups")
                     ? each_item(json, read_group, NULL, error)
                     : json_stream_skip(json->stream, error);
    }
    return status;
}

static tare_status read_vitest(struct import_source *source, struct import_sink *sink,
                               struct tare_error *error)
{
    struct import_json json;
    tare_status status = import_json_open(&json, source, sink, '{', error);
    while (status == TARE_OK && json_stream_key(json.stream, &status, error)) {
        status = json_stream_is_key(json.stream, "files")
                     ? each_item(&json, read_vitest_file, NULL, error)
                     : json_stream_skip(json.stream, error);
    }
    import_json_close(&json);
    return status;
}

const struct import_format import_vitest = {
    .name = "vitest",
    .description = "vitest bench --outputJson FILE (tinybench)",
    .looked_for = "\"files\" with \"groups\" (vitest)",
    .recognise = recognise_vitest,
    .read = read_vitest,
};

/* ---- mitata ---- */

static bool recognise_mitata(const char *head, ptrdiff_t length, const char *path)
{
    (void)length;
    (void)path;
    return import_head_bracket(head) == '{' && import_head_has_key(head, "layout") &&
           import_head_has_key(head, "benchmarks");
}

static tare_status read_failure(struct import_json *json, struct task *task,
                                struct tare_error *error)
{
    bool is_there = false;
    tare_status status = json_stream_next(json->stream, error);
    is_there = status == TARE_OK && json->stream->event == JSON_EVENT_OBJECT;
    if (status == TARE_OK && json->stream->event != JSON_EVENT_NULL) {
        task->failure = "it threw an error";
    }
    if (status == TARE_OK && json->stream->event == JSON_EVENT_TEXT) {
        task->failure = arena_strdup(json->arena, json->stream->text);
    }
    while (is_there && json_stream_key(json->stream, &status, error)) {
        status = json_stream_is_key(json->stream, "message")
                     ? json_stream_text(json->stream, json->arena, &task->failure, error)
                     : json_stream_skip(json->stream, error);
    }
    return status;
}

static tare_status read_run(struct import_json *json, void *context, struct tare_error *error)
{
    (void)context;
    struct task task = {.median = NAN, .mean = NAN};
    struct task stats = task;
    tare_status status = TARE_OK;
    while (json_stream_key(json->stream, &status, error)) {
        bool is_there = false;
        if (json_stream_is_key(json->stream, "name")) {
            status = json_stream_text(json->stream, json->arena, &task.name, error);
        } else if (json_stream_is_key(json->stream, "args")) {
            status = import_json_pairs(json, &task.parameters, error);
        } else if (json_stream_is_key(json->stream, "error")) {
            status = read_failure(json, &task, error);
        } else if (json_stream_is_key(json->stream, "stats")) {
            status = json_stream_object(json->stream, &is_there, error);
            status = status == TARE_OK && is_there ? read_numbers(json, &stats, "p50", "avg", error)
                                                   : status;
        } else {
            status = json_stream_skip(json->stream, error);
        }
    }
    task.median = stats.median;
    task.mean = stats.mean;
    task.samples = stats.samples;
    if (status == TARE_OK) {
        status = keep_task(json, &task, 1, "ns", error);
    }
    import_json_forget(json);
    return status;
}

static tare_status read_mitata_benchmark(struct import_json *json, void *context,
                                         struct tare_error *error)
{
    (void)context;
    tare_status status = TARE_OK;
    while (json_stream_key(json->stream, &status, error)) {
        status = json_stream_is_key(json->stream, "runs") ? each_item(json, read_run, NULL, error)
                                                          : json_stream_skip(json->stream, error);
    }
    return status;
}

static tare_status read_mitata_context(struct import_json *json, struct tare_error *error)
{
    struct model_run *run = import_run(json->sink);
    bool is_there = false;
    tare_status status = json_stream_object(json->stream, &is_there, error);
    while (is_there && json_stream_key(json->stream, &status, error)) {
        if (json_stream_is_key(json->stream, "cpu")) {
            struct import_pairs cpu = {0};
            status = import_json_pairs(json, &cpu, error);
            for (ptrdiff_t i = 0; i < cpu.count; i++) {
                if (strcmp(cpu.items[i].name, "name") == 0) {
                    import_field(json->sink, &run->machine.identity, "cpu", cpu.items[i].value);
                }
            }
            continue;
        }
        const char *key = arena_strdup(json->arena, json->stream->text);
        const char *text = NULL;
        status = import_json_scalar(json, &text, error);
        if (status == TARE_OK && (strcmp(key, "arch") == 0 || strcmp(key, "runtime") == 0 ||
                                  strcmp(key, "version") == 0)) {
            import_field(json->sink, &run->machine.conditions, key, text);
        }
    }
    import_json_forget(json);
    return status;
}

static tare_status read_mitata(struct import_source *source, struct import_sink *sink,
                               struct tare_error *error)
{
    struct import_json json;
    tare_status status = import_json_open(&json, source, sink, '{', error);
    while (status == TARE_OK && json_stream_key(json.stream, &status, error)) {
        status = json_stream_is_key(json.stream, "benchmarks")
                     ? each_item(&json, read_mitata_benchmark, NULL, error)
                 : json_stream_is_key(json.stream, "context")
                     ? read_mitata_context(&json, error)
                     : json_stream_skip(json.stream, error);
    }
    import_json_close(&json);
    return status;
}

const struct import_format import_mitata = {
    .name = "mitata",
    .description = "mitata: run({format: 'json'})",
    .looked_for = "\"layout\" with \"benchmarks\" (mitata)",
    .recognise = recognise_mitata,
    .read = read_mitata,
};
