/* import_pyperf.c: pyperf's JSON, version 1.0 (plain or .gz).
 *
 *   metadata{}      what all benchmarks share: unit, hostname, cpu_model_name, cpu_count, …
 *   benchmarks[]    metadata{name, unit}, runs[{metadata{date}, warmups, values[]}]
 *
 * Every run is a process: a launch; its values, already per loop, are samples. Runs without values
 * calibrated. pyperf writes keys in alphabetic order, so what all benchmarks share stands behind
 * them: the file is read twice, first for that. Less is better in every unit pyperf has (second,
 * byte, integer): its own comparisons call the larger value slower. */
#include "codec/import_json.h"

#include "base/text.h"

#include <string.h>

static const struct {
    const char *unit;
    const char *metric;
    const char *kept_unit;
    double factor;
} units[] = {
    {"second", "time", "ns", 1e9},
    {"byte", "memory", "B", 1},
    {"integer", "value", "1", 1},
};

struct shared {
    const char *name;
    const char *unit;
};

static tare_status read_shared(struct import_json *json, struct shared *shared,
                               struct tare_error *error);
static tare_status read_benchmarks(struct import_json *json, const struct shared *shared,
                                   struct tare_error *error);

static bool recognise(const char *head, ptrdiff_t length, const char *path)
{
    (void)length;
    (void)path;
    return import_head_bracket(head) == '{' && import_head_has_key(head, "benchmarks") &&
           import_head_has_key(head, "runs") &&
           (import_head_has_key(head, "warmups") || import_head_has_key(head, "values"));
}

/* One pass over the file: `shared` is filled in the first, used in the second. */
static tare_status read_pass(struct import_source *source, struct import_sink *sink, bool is_first,
                             struct shared *shared, struct arena *kept, struct tare_error *error)
{
    struct import_json json;
    bool has_benchmarks = false;
    tare_status status = source->rewind(source, error);
    if (status != TARE_OK) {
        return status;
    }
    status = import_json_open(&json, source, sink, '{', error);
    json.arena = is_first ? kept : json.arena;
    while (status == TARE_OK && json_stream_key(json.stream, &status, error)) {
        bool is_list = json_stream_is_key(json.stream, "benchmarks");
        has_benchmarks = has_benchmarks || is_list;
        if (is_first && json_stream_is_key(json.stream, "metadata")) {
            status = read_shared(&json, shared, error);
        } else if (!is_first && is_list) {
            status = read_benchmarks(&json, shared, error);
        } else {
            status = json_stream_skip(json.stream, error);
        }
    }
    if (status == TARE_OK && !has_benchmarks) {
        status = import_fail(source, error, "no list \"benchmarks\" in it");
    }
    json.arena = &json.items;
    import_json_close(&json);
    return status;
}

static tare_status read_file(struct import_source *source, struct import_sink *sink,
                             struct tare_error *error)
{
    struct arena kept = {0};
    struct shared shared = {.unit = "second"}; /* pyperf leaves its default out */
    tare_status status = read_pass(source, sink, true, &shared, &kept, error);
    if (status == TARE_OK) {
        status = read_pass(source, sink, false, &shared, &kept, error);
    }
    arena_free(&kept);
    return status;
}

const struct import_format import_pyperf = {
    .name = "pyperf",
    .description = "pyperf -o FILE (also packed: FILE.gz)",
    .looked_for = "\"benchmarks\" with \"runs\" and \"values\" (pyperf)",
    .recognise = recognise,
    .read = read_file,
};

static tare_status read_shared(struct import_json *json, struct shared *shared,
                               struct tare_error *error)
{
    static const struct {
        const char *key;
        const char *fact;
    } identity[] = {{"hostname", "host"}, {"cpu_model_name", "cpu"}, {"cpu_count", "cpus"}};
    struct model_run *run = import_run(json->sink);
    bool is_there = false;
    tare_status status = json_stream_object(json->stream, &is_there, error);
    while (is_there && json_stream_key(json->stream, &status, error)) {
        const char *key = arena_strdup(json->arena, json->stream->text);
        const char *text = NULL;
        status = import_json_scalar(json, &text, error);
        if (status != TARE_OK || text == NULL) {
            continue;
        }
        const char *fact = NULL;
        for (size_t i = 0; i < sizeof identity / sizeof *identity; i++) {
            fact = strcmp(identity[i].key, key) == 0 ? identity[i].fact : fact;
        }
        shared->unit = strcmp(key, "unit") == 0 ? text : shared->unit;
        shared->name = strcmp(key, "name") == 0 ? text : shared->name;
        import_field(json->sink, fact != NULL ? &run->machine.identity : &run->machine.conditions,
                     fact != NULL ? fact : key, text);
    }
    return status;
}

/* ---- benchmarks ---- */

/* Values of one run, and which process it was. */
struct sample {
    double value;
    int64_t process;
};

struct benchmark {
    const char *name;
    const char *unit;
    const char *date;
    struct sample *samples;
    ptrdiff_t count;
    ptrdiff_t capacity;
    int64_t processes;
};

static tare_status read_metadata(struct import_json *json, struct benchmark *benchmark,
                                 struct tare_error *error)
{
    const char *ignored = NULL;
    bool is_there = false;
    tare_status status = json_stream_object(json->stream, &is_there, error);
    while (is_there && json_stream_key(json->stream, &status, error)) {
        const char **target = json_stream_is_key(json->stream, "name")   ? &benchmark->name
                              : json_stream_is_key(json->stream, "unit") ? &benchmark->unit
                              : json_stream_is_key(json->stream, "date") ? &benchmark->date
                                                                         : &ignored;
        status = import_json_scalar(json, target, error);
    }
    return status;
}

static tare_status read_run(struct import_json *json, struct benchmark *benchmark,
                            struct tare_error *error)
{
    struct import_numbers values = {0};
    struct benchmark of_run = {0};
    tare_status status = import_json_expect(json, "a run", error);
    while (json_stream_key(json->stream, &status, error)) {
        if (json_stream_is_key(json->stream, "values")) {
            status = import_json_numbers(json, &values, error);
        } else if (json_stream_is_key(json->stream, "metadata")) {
            status = read_metadata(json, &of_run, error);
        } else {
            status = json_stream_skip(json->stream, error);
        }
    }
    benchmark->unit = of_run.unit != NULL ? of_run.unit : benchmark->unit;
    benchmark->name = of_run.name != NULL ? of_run.name : benchmark->name;
    benchmark->date = benchmark->date != NULL ? benchmark->date : of_run.date;
    for (ptrdiff_t i = 0; i < values.count; i++) {
        benchmark->samples =
            arena_grow(json->arena, benchmark->samples, &benchmark->capacity, benchmark->count + 1,
                       (ptrdiff_t)sizeof *benchmark->samples);
        benchmark->samples[benchmark->count++] =
            (struct sample){.value = values.items[i], .process = benchmark->processes};
    }
    benchmark->processes += values.count > 0;
    return status;
}

static tare_status read_benchmark(struct import_json *json, struct benchmark *benchmark,
                                  struct tare_error *error)
{
    tare_status status = import_json_expect(json, "a benchmark", error);
    while (json_stream_key(json->stream, &status, error)) {
        if (json_stream_is_key(json->stream, "metadata")) {
            status = read_metadata(json, benchmark, error);
        } else if (json_stream_is_key(json->stream, "runs")) {
            bool is_there = false;
            status = json_stream_array(json->stream, &is_there, error);
            while (is_there && json_stream_item(json->stream, &status, error)) {
                status = read_run(json, benchmark, error);
            }
        } else {
            status = json_stream_skip(json->stream, error);
        }
    }
    return status;
}

static tare_status keep_benchmark(struct import_json *json, const struct benchmark *benchmark,
                                  struct tare_error *error)
{
    size_t unit = 0;
    while (unit < sizeof units / sizeof *units && strcmp(units[unit].unit, benchmark->unit) != 0) {
        unit++;
    }
    if (unit == sizeof units / sizeof *units) {
        return import_fail(json->source, error, "unknown unit '%s' (second, byte, integer)",
                           text_printable(json->arena, benchmark->unit, 60));
    }
    struct model_benchmark *model = NULL;
    struct model_run *run = import_run(json->sink);
    if (run->started_unix_ns == 0) {
        run->started_unix_ns = import_time_parse(benchmark->date);
    }
    /* pyperf itself calls a benchmark without a name this. */
    const struct import_name name = {.name =
                                         benchmark->name != NULL ? benchmark->name : "<no name>"};
    tare_status status = import_benchmark(json->sink, &name, &model, error);
    if (status == TARE_OK && model->metric_count > 0) {
        return import_fail(json->source, error, "benchmark '%s' is there twice",
                           text_printable(json->arena, name.name, 60));
    }
    for (ptrdiff_t i = 0; status == TARE_OK && i < benchmark->count; i++) {
        const struct import_value value = {
            .metric = units[unit].metric,
            .unit = units[unit].kept_unit,
            .written_unit = units[unit].unit,
            .better = MODEL_LOWER_IS_BETTER,
            .value = benchmark->samples[i].value * units[unit].factor,
            .process = benchmark->samples[i].process,
        };
        status = import_add(json->sink, &value, error);
    }
    return status;
}

static tare_status read_benchmarks(struct import_json *json, const struct shared *shared,
                                   struct tare_error *error)
{
    bool is_there = false;
    tare_status status = json_stream_array(json->stream, &is_there, error);
    while (is_there && json_stream_item(json->stream, &status, error)) {
        struct benchmark benchmark = {.name = shared->name, .unit = shared->unit};
        status = read_benchmark(json, &benchmark, error);
        if (status == TARE_OK) {
            status = keep_benchmark(json, &benchmark, error);
        }
        import_json_forget(json);
    }
    return status;
}
