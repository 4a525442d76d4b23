/* import_bmf.c: Bencher's metric format.
 *
 *   {"BENCHMARK": {"MEASURE": {"value": 1.5, "lower_value": 1.4, "upper_value": 1.6}}}
 *
 * Every value is a point value; bounds are passed over. The measures that Bencher itself defines
 * have a unit and a direction; others are the user's to explain (`--metric`). */
#include "codec/import_json.h"

#include "base/text.h"

#include <math.h>
#include <string.h>

static const struct {
    const char *name;
    const char *unit;
    double factor;
    enum model_better better;
} measures[] = {
    {"latency", "ns", 1, MODEL_LOWER_IS_BETTER},
    {"throughput", "1/s", 1, MODEL_HIGHER_IS_BETTER},
    {"build-time", "ns", 1e9, MODEL_LOWER_IS_BETTER},
    {"file-size", "B", 1, MODEL_LOWER_IS_BETTER},
};

static tare_status read_benchmark(struct import_json *json, const char *name,
                                  struct tare_error *error);

/* Three objects in each other, then a value or a bound. */
static bool recognise(const char *head, ptrdiff_t length, const char *path)
{
    (void)path;
    static const enum json_event shape[] = {JSON_EVENT_OBJECT, JSON_EVENT_KEY,    JSON_EVENT_OBJECT,
                                            JSON_EVENT_KEY,    JSON_EVENT_OBJECT, JSON_EVENT_KEY};
    struct arena scratch = {0};
    struct tare_error error = {0};
    struct import_memory memory = {.bytes = head, .length = length};
    struct import_source source = import_source_memory(&memory, "");
    struct json_stream *stream = json_stream_new(&scratch, &source);
    bool is_found = false;
    tare_status status = json_stream_find(stream, &is_found, &error);
    bool is_same = status == TARE_OK && is_found;
    for (size_t i = 0; is_same && i < sizeof shape / sizeof *shape; i++) {
        is_same = json_stream_next(stream, &error) == TARE_OK && stream->event == shape[i];
    }
    is_same = is_same &&
              (json_stream_is_key(stream, "value") || json_stream_is_key(stream, "lower_value") ||
               json_stream_is_key(stream, "upper_value"));
    arena_free(&scratch);
    return is_same;
}

static tare_status read_file(struct import_source *source, struct import_sink *sink,
                             struct tare_error *error)
{
    struct import_json json;
    tare_status status = import_json_open(&json, source, sink, '{', error);
    while (status == TARE_OK && json_stream_key(json.stream, &status, error)) {
        const char *name = arena_strdup(json.arena, json.stream->text);
        status = read_benchmark(&json, name, error);
        import_json_forget(&json);
    }
    import_json_close(&json);
    return status;
}

const struct import_format import_bmf = {
    .name = "bmf",
    .description = "Bencher's metric format",
    .looked_for = "{benchmark: {measure: {\"value\": …}}} (Bencher)",
    .recognise = recognise,
    .read = read_file,
};

static tare_status keep_measure(struct import_json *json, const char *measure, double number,
                                struct tare_error *error)
{
    for (size_t i = 0; i < sizeof measures / sizeof *measures; i++) {
        if (strcmp(measures[i].name, measure) == 0) {
            const struct import_value value = {.metric = measure,
                                               .unit = measures[i].unit,
                                               .better = measures[i].better,
                                               .value = number * measures[i].factor,
                                               .process = IMPORT_POINT};
            return import_add(json->sink, &value, error);
        }
    }
    const struct import_value value = {.metric = measure, .value = number, .process = IMPORT_POINT};
    return import_add_open(json->sink, &value, error);
}

static tare_status read_measure(struct import_json *json, double *number, struct tare_error *error)
{
    bool is_there = false;
    bool has_value = false;
    tare_status status = json_stream_object(json->stream, &is_there, error);
    while (is_there && json_stream_key(json->stream, &status, error)) {
        bool is_value = json_stream_is_key(json->stream, "value");
        status = is_value ? json_stream_number(json->stream, number, error)
                          : json_stream_skip(json->stream, error);
        has_value = has_value || is_value;
    }
    if (status == TARE_OK && !has_value) {
        status = import_fail(json->source, error, "the measure that ends here has no \"value\"");
    }
    return status;
}

static tare_status read_benchmark(struct import_json *json, const char *name,
                                  struct tare_error *error)
{
    bool is_there = false;
    struct model_benchmark *benchmark = NULL;
    tare_status status = json_stream_object(json->stream, &is_there, error);
    if (status == TARE_OK) {
        status =
            import_benchmark(json->sink, &(struct import_name){.name = name}, &benchmark, error);
    }
    if (status == TARE_OK && benchmark->metric_count > 0) {
        return import_fail(json->source, error, "benchmark '%s' is there twice",
                           text_printable(json->arena, name, 60));
    }
    while (is_there && json_stream_key(json->stream, &status, error)) {
        const char *measure = arena_strdup(json->arena, json->stream->text);
        double number = NAN;
        status = read_measure(json, &number, error);
        if (status == TARE_OK) {
            status = keep_measure(json, measure, number, error);
        }
    }
    return status;
}
