/* import_dotnet.c: BenchmarkDotNet's full JSON (`*-report-full.json`). Nanoseconds.
 *
 *   HostEnvironmentInfo{}  ProcessorName, LogicalCoreCount: the machine; versions: conditions
 *   Benchmarks[]           FullName, Parameters "N=10&X=1", Statistics{OriginalValues[], Median} |
 * null, Measurements[{IterationMode, IterationStage, LaunchIndex, Operations, Nanoseconds}],
 *                          Memory{BytesAllocatedPerOperation}
 *
 * Measurements of mode Workload and stage Result are the samples, LaunchIndex their process.
 * Without them (the brief report) the median is a point value; without statistics the benchmark
 * failed. The full name holds the parameters already; Type is the suite and Method the name where
 * they are there. */
#include "codec/import_json.h"

#include "base/text.h"

#include <math.h>
#include <string.h>

struct sample {
    double value;
    int64_t process;
};

struct row {
    const char *type;
    const char *method;
    const char *full_name;
    const char *parameters;
    double median;
    double allocated;
    bool has_statistics;
    struct sample *samples;
    ptrdiff_t count;
    ptrdiff_t capacity;
};

static tare_status read_host(struct import_json *json, struct tare_error *error);
static tare_status read_rows(struct import_json *json, struct tare_error *error);
static tare_status keep_row(struct import_json *json, struct row *row, struct tare_error *error);

static bool recognise(const char *head, ptrdiff_t length, const char *path)
{
    (void)length;
    (void)path;
    return import_head_bracket(head) == '{' && import_head_has_key(head, "HostEnvironmentInfo");
}

static tare_status read_file(struct import_source *source, struct import_sink *sink,
                             struct tare_error *error)
{
    struct import_json json;
    tare_status status = import_json_open(&json, source, sink, '{', error);
    while (status == TARE_OK && json_stream_key(json.stream, &status, error)) {
        status = json_stream_is_key(json.stream, "HostEnvironmentInfo") ? read_host(&json, error)
                 : json_stream_is_key(json.stream, "Benchmarks")
                     ? read_rows(&json, error)
                     : json_stream_skip(json.stream, error);
    }
    import_json_close(&json);
    return status;
}

const struct import_format import_dotnet = {
    .name = "benchmarkdotnet",
    .description = "BenchmarkDotNet: *-report-full.json",
    .looked_for = "\"HostEnvironmentInfo\" (BenchmarkDotNet)",
    .recognise = recognise,
    .read = read_file,
};

static tare_status read_host(struct import_json *json, struct tare_error *error)
{
    static const struct {
        const char *key;
        const char *fact;
    } identity[] = {{"ProcessorName", "cpu"}, {"LogicalCoreCount", "cpus"}};
    struct model_run *run = import_run(json->sink);
    bool is_there = false;
    tare_status status = json_stream_object(json->stream, &is_there, error);
    while (is_there && json_stream_key(json->stream, &status, error)) {
        const char *key = arena_strdup(json->arena, json->stream->text);
        const char *text = NULL;
        status = import_json_scalar(json, &text, error);
        const char *fact = NULL;
        for (size_t i = 0; i < sizeof identity / sizeof *identity; i++) {
            fact = strcmp(identity[i].key, key) == 0 ? identity[i].fact : fact;
        }
        if (status == TARE_OK) {
            import_field(json->sink,
                         fact != NULL ? &run->machine.identity : &run->machine.conditions,
                         fact != NULL ? fact : key, text);
        }
    }
    import_json_forget(json);
    return status;
}

/* ---- rows ---- */

/* A number; NaN is written as "". */
static tare_status read_number(struct import_json *json, double *number, struct tare_error *error)
{
    const char *text = NULL;
    tare_status status = import_json_scalar(json, &text, error);
    *number = NAN;
    if (status == TARE_OK && text != NULL) {
        import_number_parse(text, number);
    }
    return status;
}

static tare_status read_measurement(struct import_json *json, struct row *row,
                                    struct tare_error *error)
{
    const char *mode = NULL;
    const char *stage = NULL;
    double launch = 1;
    double operations = NAN;
    double time_ns = NAN;
    tare_status status = import_json_expect(json, "a measurement", error);
    while (json_stream_key(json->stream, &status, error)) {
        status =
            json_stream_is_key(json->stream, "IterationMode")
                ? import_json_scalar(json, &mode, error)
            : json_stream_is_key(json->stream, "IterationStage")
                ? import_json_scalar(json, &stage, error)
            : json_stream_is_key(json->stream, "LaunchIndex") ? read_number(json, &launch, error)
            : json_stream_is_key(json->stream, "Operations") ? read_number(json, &operations, error)
            : json_stream_is_key(json->stream, "Nanoseconds")
                ? read_number(json, &time_ns, error)
                : json_stream_skip(json->stream, error);
    }
    bool is_sample = mode != NULL && stage != NULL && strcmp(mode, "Workload") == 0 &&
                     strcmp(stage, "Result") == 0;
    if (status != TARE_OK || !is_sample) {
        return status;
    }
    if (!(launch >= 1 && launch <= MODEL_LAUNCHES_MAX) || !(operations > 0)) {
        return import_fail(json->source, error,
                           "a measurement without LaunchIndex or Operations, each from 1");
    }
    row->samples = arena_grow(json->arena, row->samples, &row->capacity, row->count + 1,
                              (ptrdiff_t)sizeof *row->samples);
    row->samples[row->count++] =
        (struct sample){.value = time_ns / operations, .process = (int64_t)launch - 1};
    return TARE_OK;
}

static tare_status read_part(struct import_json *json, struct row *row, struct tare_error *error)
{
    struct json_stream *stream = json->stream;
    bool is_there = false;
    bool is_memory = json_stream_is_key(stream, "Memory");
    if (json_stream_is_key(stream, "Measurements")) {
        tare_status status = json_stream_array(stream, &is_there, error);
        while (is_there && json_stream_item(stream, &status, error)) {
            status = read_measurement(json, row, error);
        }
        return status;
    }
    tare_status status = json_stream_object(stream, &is_there, error);
    row->has_statistics = row->has_statistics || (is_there && !is_memory);
    while (is_there && json_stream_key(stream, &status, error)) {
        status = is_memory && json_stream_is_key(stream, "BytesAllocatedPerOperation")
                     ? read_number(json, &row->allocated, error)
                 : !is_memory && json_stream_is_key(stream, "Median")
                     ? read_number(json, &row->median, error)
                     : json_stream_skip(stream, error);
    }
    return status;
}

static tare_status read_row(struct import_json *json, struct row *row, struct tare_error *error)
{
    const struct import_member members[] = {
        {"Type", &row->type, NULL, NULL},
        {"Method", &row->method, NULL, NULL},
        {"FullName", &row->full_name, NULL, NULL},
        {"Parameters", &row->parameters, NULL, NULL},
        {NULL, NULL, NULL, NULL},
    };
    tare_status status = import_json_expect(json, "a benchmark", error);
    while (json_stream_key(json->stream, &status, error)) {
        bool is_known = true;
        if (json_stream_is_key(json->stream, "Statistics") ||
            json_stream_is_key(json->stream, "Memory") ||
            json_stream_is_key(json->stream, "Measurements")) {
            status = read_part(json, row, error);
        } else {
            status = import_json_member(json, members, &is_known, error);
        }
        if (status == TARE_OK && !is_known) {
            status = json_stream_skip(json->stream, error);
        }
    }
    return status;
}

static tare_status read_rows(struct import_json *json, struct tare_error *error)
{
    bool is_there = false;
    tare_status status = json_stream_array(json->stream, &is_there, error);
    while (is_there && json_stream_item(json->stream, &status, error)) {
        struct row row = {.median = NAN, .allocated = NAN};
        status = read_row(json, &row, error);
        if (status == TARE_OK) {
            status = keep_row(json, &row, error);
        }
        import_json_forget(json);
    }
    return status;
}

/* ---- keeping ---- */

/* "N=10&X=1"; more than fit, or a part without "=", leave the whole to the name. */
static void split_parameters(struct import_json *json, const char *text, struct import_pairs *pairs)
{
    char *copy = arena_strdup(json->arena, text != NULL ? text : "");
    char *save = NULL;
    for (char *part = strtok_r(copy, "&", &save); part != NULL; part = strtok_r(NULL, "&", &save)) {
        char *equals = strchr(part, '=');
        if (equals == NULL || equals == part || pairs->count == MODEL_PARAMETERS_MAX) {
            pairs->count = 0;
            return;
        }
        *equals = '\0';
        pairs->items[pairs->count++] = (struct model_parameter){.name = part, .value = equals + 1};
    }
}

static tare_status keep_values(struct import_json *json, const struct row *row,
                               struct tare_error *error)
{
    struct import_value value = {.metric = "time", .unit = "ns", .better = MODEL_LOWER_IS_BETTER};
    tare_status status = TARE_OK;
    for (ptrdiff_t i = 0; status == TARE_OK && i < row->count; i++) {
        value.value = row->samples[i].value;
        value.process = row->samples[i].process;
        status = import_add(json->sink, &value, error);
    }
    value.process = IMPORT_POINT;
    if (status == TARE_OK && row->count == 0) {
        value.value = row->median;
        status = import_add(json->sink, &value, error);
    }
    if (status == TARE_OK && isfinite(row->allocated)) {
        value.metric = "allocated";
        value.unit = "B";
        value.value = row->allocated;
        status = import_add(json->sink, &value, error);
    }
    return status;
}

static tare_status keep_row(struct import_json *json, struct row *row, struct tare_error *error)
{
    struct import_pairs pairs = {0};
    split_parameters(json, row->parameters, &pairs);
    bool has_parts = row->type != NULL && row->method != NULL &&
                     (pairs.count > 0 || row->parameters == NULL || row->parameters[0] == '\0');
    const struct import_name name = {.suite = has_parts ? row->type : "",
                                     .name = has_parts ? row->method : row->full_name,
                                     .parameters = pairs.items,
                                     .parameter_count = has_parts ? pairs.count : 0};
    if (name.name == NULL) {
        return import_fail(json->source, error, "the benchmark that ends here has no \"FullName\"");
    }
    struct model_benchmark *benchmark = NULL;
    tare_status status = import_benchmark(json->sink, &name, &benchmark, error);
    if (status != TARE_OK) {
        return status;
    }
    if (benchmark->metric_count > 0) {
        return import_fail(json->source, error,
                           "benchmark '%s' is there twice (several jobs in one report are not told "
                           "apart)",
                           text_printable(json->arena, name.name, 60));
    }
    if (!row->has_statistics) {
        benchmark->state = MODEL_STATE_FAILED;
        benchmark->reason = "BenchmarkDotNet has no statistics of it: it failed";
        return TARE_OK;
    }
    return keep_values(json, row, error);
}
