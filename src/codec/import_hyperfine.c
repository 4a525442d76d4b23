/* import_hyperfine.c: hyperfine's `--export-json`. All times are in seconds.
 *
 *   results[]   command (or what -n called it), parameters{}, times[], exit_codes[],
 *               memory_usage_byte[], and summaries: mean, median, min, max, user, system
 *
 * Every run of the command is a process: a launch with one sample. user and system are means over
 * all runs, so each is one value. memory_usage_byte is the largest of all children so far
 * (getrusage), not that of one run: only its maximum means something, and that is kept as one
 * value. A result without times is a point value: the median. */
#include "codec/import_formats.h"
#include "codec/json_stream.h"

#include "base/text.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

static const double NS_PER_S = 1e9;

struct numbers {
    double *items;
    ptrdiff_t count;
    ptrdiff_t capacity;
};

struct result {
    const char *command;
    double median;
    double mean;
    double user;
    double system;
    struct numbers times;
    struct numbers exit_codes; /* NaN: ended by a signal */
    double memory_max;
    struct model_parameter parameters[MODEL_PARAMETERS_MAX];
    ptrdiff_t parameter_count;
};

struct reading {
    struct json_stream *stream;
    struct import_source *source;
    struct import_sink *sink;
    struct arena *arena; /* of one result */
};

static tare_status read_results(struct reading *reading, struct tare_error *error);
static tare_status read_member(struct reading *reading, struct result *result,
                               struct tare_error *error);
static tare_status keep_result(struct reading *reading, const struct result *result,
                               struct tare_error *error);

static bool recognise(const char *head, ptrdiff_t length, const char *path)
{
    (void)length;
    (void)path;
    return import_head_bracket(head) == '{' && import_head_has_key(head, "results") &&
           import_head_has_key(head, "command") && import_head_has_key(head, "mean");
}

static tare_status read_file(struct import_source *source, struct import_sink *sink,
                             struct tare_error *error)
{
    struct arena lasting = {0};
    struct arena results = {0};
    struct json_stream *stream = json_stream_new(&lasting, source);
    struct reading reading = {.stream = stream, .source = source, .sink = sink, .arena = &results};
    import_sink_read(sink, source);
    bool is_found = false;
    tare_status status = json_stream_find(stream, &is_found, error);
    if (status == TARE_OK && is_found) {
        status = json_stream_next(stream, error);
    }
    bool has_results = false;
    while (is_found && json_stream_key(stream, &status, error)) {
        bool is_list = json_stream_is_key(stream, "results");
        has_results = has_results || is_list;
        status = is_list ? read_results(&reading, error) : json_stream_skip(stream, error);
    }
    if (status == TARE_OK && !has_results) {
        status = import_fail(source, error, "no object with a list \"results\" in it");
    }
    arena_free(&results);
    arena_free(&lasting);
    return status;
}

const struct import_format import_hyperfine = {
    .name = "hyperfine",
    .description = "hyperfine --export-json FILE",
    .looked_for = "\"results\" with \"command\" and \"mean\" (hyperfine)",
    .recognise = recognise,
    .read = read_file,
};

static tare_status read_results(struct reading *reading, struct tare_error *error)
{
    struct json_stream *stream = reading->stream;
    bool is_there = false;
    tare_status status = json_stream_array(stream, &is_there, error);
    while (is_there && json_stream_item(stream, &status, error)) {
        struct arena_mark mark = arena_mark(reading->arena);
        struct result result = {
            .median = NAN, .mean = NAN, .user = NAN, .system = NAN, .memory_max = NAN};
        if (stream->event != JSON_EVENT_OBJECT) {
            return import_fail(reading->source, error, "%s where a result should stand",
                               json_stream_shown(stream, reading->arena));
        }
        while (json_stream_key(stream, &status, error)) {
            status = read_member(reading, &result, error);
        }
        if (status == TARE_OK) {
            status = keep_result(reading, &result, error);
        }
        arena_reset(reading->arena, mark);
    }
    return status;
}

/* Numbers, and NaN for null. */
static tare_status read_numbers(struct reading *reading, struct numbers *numbers,
                                struct tare_error *error)
{
    struct json_stream *stream = reading->stream;
    bool is_there = false;
    tare_status status = json_stream_array(stream, &is_there, error);
    while (is_there && json_stream_item(stream, &status, error)) {
        if (stream->event != JSON_EVENT_NUMBER && stream->event != JSON_EVENT_NULL) {
            return import_fail(reading->source, error, "%s where a number should stand",
                               json_stream_shown(stream, reading->arena));
        }
        if (numbers->count >= MODEL_LAUNCHES_MAX) {
            return import_fail(reading->source, error, "more than %d runs of one command",
                               MODEL_LAUNCHES_MAX);
        }
        numbers->items = arena_grow(reading->arena, numbers->items, &numbers->capacity,
                                    numbers->count + 1, (ptrdiff_t)sizeof *numbers->items);
        numbers->items[numbers->count++] =
            stream->event == JSON_EVENT_NUMBER ? stream->number : NAN;
    }
    return status;
}

static tare_status read_memory(struct reading *reading, struct result *result,
                               struct tare_error *error)
{
    struct numbers numbers = {0};
    tare_status status = read_numbers(reading, &numbers, error);
    for (ptrdiff_t i = 0; i < numbers.count; i++) {
        result->memory_max = fmax(result->memory_max, numbers.items[i]);
    }
    return status;
}

static tare_status read_parameters(struct reading *reading, struct result *result,
                                   struct tare_error *error)
{
    struct json_stream *stream = reading->stream;
    bool is_there = false;
    tare_status status = json_stream_object(stream, &is_there, error);
    while (is_there && json_stream_key(stream, &status, error)) {
        if (result->parameter_count == MODEL_PARAMETERS_MAX) {
            return import_fail(reading->source, error, "more than %d parameters",
                               MODEL_PARAMETERS_MAX);
        }
        struct model_parameter *parameter = &result->parameters[result->parameter_count++];
        parameter->name = arena_strdup(reading->arena, stream->text);
        status = json_stream_next(stream, error);
        if (status == TARE_OK && stream->event != JSON_EVENT_TEXT &&
            stream->event != JSON_EVENT_NUMBER) {
            return import_fail(reading->source, error, "%s as a parameter's value",
                               json_stream_shown(stream, reading->arena));
        }
        parameter->value = arena_strdup(reading->arena, stream->text);
    }
    return status;
}

static tare_status read_member(struct reading *reading, struct result *result,
                               struct tare_error *error)
{
    struct json_stream *stream = reading->stream;
    const struct {
        const char *key;
        double *number;
    } members[] = {{"median", &result->median},
                   {"mean", &result->mean},
                   {"user", &result->user},
                   {"system", &result->system}};
    for (size_t i = 0; i < sizeof members / sizeof *members; i++) {
        if (json_stream_is_key(stream, members[i].key)) {
            return json_stream_number(stream, members[i].number, error);
        }
    }
    if (json_stream_is_key(stream, "command")) {
        return json_stream_text(stream, reading->arena, &result->command, error);
    }
    if (json_stream_is_key(stream, "times")) {
        return read_numbers(reading, &result->times, error);
    }
    if (json_stream_is_key(stream, "exit_codes")) {
        return read_numbers(reading, &result->exit_codes, error);
    }
    if (json_stream_is_key(stream, "memory_usage_byte")) {
        return read_memory(reading, result, error);
    }
    if (json_stream_is_key(stream, "parameters")) {
        return read_parameters(reading, result, error);
    }
    return json_stream_skip(stream, error);
}

/* ---- a result becomes values ---- */

static tare_status keep_times(struct reading *reading, const struct result *result,
                              struct tare_error *error)
{
    struct import_value value = {
        .metric = "time", .unit = "ns", .written_unit = "s", .better = MODEL_LOWER_IS_BETTER};
    tare_status status = TARE_OK;
    for (ptrdiff_t i = 0; status == TARE_OK && i < result->times.count; i++) {
        value.value = result->times.items[i] * NS_PER_S;
        value.process = i;
        status = import_add(reading->sink, &value, error);
    }
    if (result->times.count == 0) {
        value.value = (isnan(result->median) ? result->mean : result->median) * NS_PER_S;
        value.process = IMPORT_POINT;
        status = import_add(reading->sink, &value, error);
    }
    return status;
}

static tare_status keep_summaries(struct reading *reading, const struct result *result,
                                  struct tare_error *error)
{
    const struct import_value values[] = {
        {.metric = "user", .unit = "ns", .written_unit = "s", .value = result->user * NS_PER_S},
        {.metric = "system", .unit = "ns", .written_unit = "s", .value = result->system * NS_PER_S},
        {.metric = "memory", .unit = "B", .value = result->memory_max},
    };
    tare_status status = TARE_OK;
    for (size_t i = 0; status == TARE_OK && i < sizeof values / sizeof *values; i++) {
        struct import_value value = values[i];
        value.better = MODEL_LOWER_IS_BETTER;
        value.process = IMPORT_POINT;
        status = isnan(value.value) ? TARE_OK : import_add(reading->sink, &value, error);
    }
    return status;
}

/* hyperfine keeps failed runs only when it was told to ignore them (-i), so they are no failure of
 * the benchmark; but they must be seen. */
static void keep_exit_codes(struct reading *reading, const struct result *result,
                            struct model_benchmark *benchmark)
{
    ptrdiff_t bad = 0;
    for (ptrdiff_t i = 0; i < result->exit_codes.count && i < benchmark->launch_count; i++) {
        double code = result->exit_codes.items[i];
        bad += code != 0;
        /* As wait(2) tells it; which signal it was, hyperfine does not say. */
        benchmark->launches[i].exit_status = isnan(code)               ? 1
                                             : code >= 0 && code < 256 ? (int32_t)code << 8
                                                                       : 1 << 8;
    }
    if (bad > 0) {
        model_benchmark_warn(
            import_arena(reading->sink), benchmark,
            "%td of %td runs ended with an error that hyperfine was told to ignore", bad,
            result->exit_codes.count);
    }
}

static tare_status keep_result(struct reading *reading, const struct result *result,
                               struct tare_error *error)
{
    if (result->command == NULL) {
        return import_fail(reading->source, error, "the result that ends here has no \"command\"");
    }
    const struct import_name name = {.name = result->command,
                                     .parameters = result->parameters,
                                     .parameter_count = result->parameter_count};
    struct model_benchmark *benchmark = NULL;
    tare_status status = import_benchmark(reading->sink, &name, &benchmark, error);
    if (status == TARE_OK && benchmark->metric_count > 0) {
        return import_fail(reading->source, error,
                           "the command '%s' is there twice; hyperfine -n gives them names",
                           text_printable(reading->arena, result->command, 60));
    }
    if (status == TARE_OK) {
        status = keep_times(reading, result, error);
    }
    if (status == TARE_OK) {
        status = keep_summaries(reading, result, error);
    }
    if (status == TARE_OK) {
        keep_exit_codes(reading, result, benchmark);
    }
    return status;
}
