/* import_criterion.c: Criterion.rs: its folders, and cargo-criterion's lines.
 *
 *   target/criterion/GROUP/FUNCTION/VALUE/new/benchmark.json   which benchmark
 *                                           /sample.json      iters[], times[]: a sample each, ns
 *                                           /estimates.json   median: when there are no samples
 *
 * Both dialects: up to 0.3.2 sample.json is [[iters…], [times…]] and estimates are "Median"; later
 * {"iters": […], "times": […]} and "median". A file is one benchmark, so all of one folder make a
 * run. The `new` folders are the last measurement; others (base, saved baselines) are taken where
 * they are named with --format criterion.
 *
 *   {"reason":"benchmark-complete","id":"g/f/20","iteration_count":[…],"measured_values":[…],"unit":"ns"}
 *
 * are the lines of cargo-criterion --message-format=json. One process measured all samples: one
 * launch. The group is the suite, the value a parameter. */
#include "codec/import_json.h"

#include "base/text.h"

#include <math.h>
#include <string.h>

struct identity {
    const char *group;
    const char *function;
    const char *value;
};

static tare_status read_identity(struct import_json *json, struct identity *identity,
                                 struct tare_error *error);
static tare_status read_samples(struct import_source *source, struct import_sink *sink,
                                struct tare_error *error);
static tare_status read_median(struct import_source *source, struct import_sink *sink,
                               struct tare_error *error);
static tare_status keep_samples(struct import_json *json, const struct import_numbers *iterations,
                                const struct import_numbers *times, const char *unit,
                                struct tare_error *error);

static bool recognise(const char *head, ptrdiff_t length, const char *path)
{
    (void)length;
    static const char tail[] = "/new/benchmark.json";
    size_t size = strlen(path);
    return size >= sizeof tail - 1 && strcmp(path + size - (sizeof tail - 1), tail) == 0 &&
           import_head_has_key(head, "group_id");
}

/* The samples beside benchmark.json, else the estimates. */
static tare_status read_beside(struct import_source *source, struct import_sink *sink,
                               struct tare_error *error)
{
    struct import_source *other = NULL;
    tare_status status = source->open_beside != NULL
                             ? source->open_beside(source, "sample.json", &other, error)
                             : TARE_OK;
    if (status == TARE_OK && other != NULL) {
        return read_samples(other, sink, error);
    }
    if (status == TARE_OK && source->open_beside != NULL) {
        status = source->open_beside(source, "estimates.json", &other, error);
    }
    if (status == TARE_OK && other != NULL) {
        return read_median(other, sink, error);
    }
    return status == TARE_OK
               ? import_fail(source, error, "neither sample.json nor estimates.json beside it")
               : status;
}

static tare_status read_folder(struct import_source *source, struct import_sink *sink,
                               struct tare_error *error)
{
    struct import_json json;
    struct identity identity = {0};
    struct model_benchmark *benchmark = NULL;
    tare_status status = import_json_open(&json, source, sink, '{', error);
    if (status == TARE_OK) {
        status = read_identity(&json, &identity, error);
    }
    if (status == TARE_OK && identity.group == NULL) {
        status = import_fail(source, error, "no \"group_id\" in it");
    }
    if (status == TARE_OK) {
        bool is_alone = identity.function == NULL;
        const struct model_parameter parameter = {.name = "value", .value = identity.value};
        const struct import_name name = {.suite = is_alone ? "" : identity.group,
                                         .name = is_alone ? identity.group : identity.function,
                                         .parameters = &parameter,
                                         .parameter_count = identity.value != NULL ? 1 : 0};
        status = import_benchmark(sink, &name, &benchmark, error);
    }
    if (status == TARE_OK && benchmark->metric_count > 0) {
        status = import_fail(source, error, "its benchmark came from another folder already");
    }
    if (status == TARE_OK) {
        status = read_beside(source, sink, error);
    }
    import_json_close(&json);
    return status;
}

const struct import_format import_criterion = {
    .name = "criterion",
    .description = "Criterion.rs: the folder target/criterion",
    .looked_for = "…/new/benchmark.json (Criterion)",
    .recognise = recognise,
    .read = read_folder,
    .is_folder = true,
};

static tare_status read_identity(struct import_json *json, struct identity *identity,
                                 struct tare_error *error)
{
    const struct import_member members[] = {
        {"group_id", &identity->group, NULL, NULL},
        {"function_id", &identity->function, NULL, NULL},
        {"value_str", &identity->value, NULL, NULL},
        {NULL, NULL, NULL, NULL},
    };
    tare_status status = TARE_OK;
    while (json_stream_key(json->stream, &status, error)) {
        bool is_known = false;
        status = import_json_member(json, members, &is_known, error);
        if (status == TARE_OK && !is_known) {
            status = json_stream_skip(json->stream, error);
        }
    }
    return status;
}

/* ---- samples ---- */

static tare_status read_columns(struct import_json *json, struct import_numbers *iterations,
                                struct import_numbers *times, struct tare_error *error)
{
    tare_status status = TARE_OK;
    while (json_stream_key(json->stream, &status, error)) {
        status =
            json_stream_is_key(json->stream, "iters") ? import_json_numbers(json, iterations, error)
            : json_stream_is_key(json->stream, "times") ? import_json_numbers(json, times, error)
                                                        : json_stream_skip(json->stream, error);
    }
    return status;
}

/* Up to 0.3.2: two lists in a list. */
static tare_status read_pair(struct import_json *json, struct import_numbers *iterations,
                             struct import_numbers *times, struct tare_error *error)
{
    tare_status status = TARE_OK;
    for (int i = 0; json_stream_item(json->stream, &status, error); i++) {
        if (json->stream->event != JSON_EVENT_ARRAY || i > 1) {
            return import_fail(json->source, error, "no pair of lists");
        }
        status = import_json_items(json, i == 0 ? iterations : times, error);
    }
    return status;
}

static tare_status read_samples(struct import_source *source, struct import_sink *sink,
                                struct tare_error *error)
{
    struct import_json json = {.source = source, .sink = sink};
    struct import_numbers iterations = {0};
    struct import_numbers times = {0};
    bool is_found = false;
    json.arena = &json.items;
    json.stream = json_stream_new(&json.lasting, source);
    import_sink_read(sink, source);
    tare_status status = json_stream_find(json.stream, &is_found, error);
    if (status == TARE_OK && is_found) {
        status = json_stream_next(json.stream, error);
    }
    if (status == TARE_OK) {
        status = !is_found ? import_fail(source, error, "no JSON in it")
                 : json.stream->event == JSON_EVENT_OBJECT
                     ? read_columns(&json, &iterations, &times, error)
                     : read_pair(&json, &iterations, &times, error);
    }
    if (status == TARE_OK) {
        status = keep_samples(&json, &iterations, &times, "ns", error);
    }
    import_json_close(&json);
    return status;
}

static tare_status keep_samples(struct import_json *json, const struct import_numbers *iterations,
                                const struct import_numbers *times, const char *unit,
                                struct tare_error *error)
{
    double factor = import_time_factor(unit);
    if (factor == 0) {
        return import_fail(json->source, error, "unknown unit '%s': times are ns, us, ms or s",
                           text_printable(json->arena, unit, 40));
    }
    if (iterations->count != times->count || times->count == 0) {
        return import_fail(json->source, error, "%td counts of iterations and %td times",
                           iterations->count, times->count);
    }
    tare_status status = TARE_OK;
    for (ptrdiff_t i = 0; status == TARE_OK && i < times->count; i++) {
        const struct import_value value = {
            .metric = "time",
            .unit = "ns",
            .written_unit = unit,
            .better = MODEL_LOWER_IS_BETTER,
            .value =
                iterations->items[i] > 0 ? times->items[i] / iterations->items[i] * factor : NAN};
        status = import_add(json->sink, &value, error);
    }
    return status;
}

static tare_status read_median(struct import_source *source, struct import_sink *sink,
                               struct tare_error *error)
{
    struct import_json json;
    double median = NAN;
    tare_status status = import_json_open(&json, source, sink, '{', error);
    while (status == TARE_OK && json_stream_key(json.stream, &status, error)) {
        if (!json_stream_is_key(json.stream, "median") &&
            !json_stream_is_key(json.stream, "Median")) {
            status = json_stream_skip(json.stream, error);
            continue;
        }
        bool is_there = false;
        status = json_stream_object(json.stream, &is_there, error);
        while (is_there && json_stream_key(json.stream, &status, error)) {
            status = json_stream_is_key(json.stream, "point_estimate")
                         ? json_stream_number(json.stream, &median, error)
                         : json_stream_skip(json.stream, error);
        }
    }
    const struct import_value value = {.metric = "time",
                                       .unit = "ns",
                                       .better = MODEL_LOWER_IS_BETTER,
                                       .value = median,
                                       .process = IMPORT_POINT};
    if (status == TARE_OK) {
        status = import_add(sink, &value, error);
    }
    import_json_close(&json);
    return status;
}

/* ---- cargo-criterion ---- */

static bool recognise_lines(const char *head, ptrdiff_t length, const char *path)
{
    (void)length;
    (void)path;
    return import_head_bracket(head) == '{' && import_head_has_key(head, "reason") &&
           (strstr(head, "\"benchmark-complete\"") != NULL ||
            strstr(head, "\"group-complete\"") != NULL);
}

struct line {
    const char *reason;
    const char *id;
    const char *unit;
    struct import_numbers iterations;
    struct import_numbers values;
};

static tare_status read_line(struct import_json *json, struct line *line, struct tare_error *error)
{
    const struct import_member members[] = {
        {"reason", &line->reason, NULL, NULL},
        {"id", &line->id, NULL, NULL},
        {"unit", &line->unit, NULL, NULL},
        {NULL, NULL, NULL, NULL},
    };
    tare_status status = TARE_OK;
    while (json_stream_key(json->stream, &status, error)) {
        bool is_known = true;
        if (json_stream_is_key(json->stream, "iteration_count")) {
            status = import_json_numbers(json, &line->iterations, error);
        } else if (json_stream_is_key(json->stream, "measured_values")) {
            status = import_json_numbers(json, &line->values, error);
        } else {
            status = import_json_member(json, members, &is_known, error);
        }
        if (status == TARE_OK && !is_known) {
            status = json_stream_skip(json->stream, error);
        }
    }
    return status;
}

static tare_status keep_line(struct import_json *json, const struct line *line,
                             struct tare_error *error)
{
    if (line->reason == NULL || strcmp(line->reason, "benchmark-complete") != 0) {
        return TARE_OK;
    }
    if (line->id == NULL || line->unit == NULL) {
        return import_fail(json->source, error, "a benchmark without \"id\" or \"unit\"");
    }
    struct model_benchmark *benchmark = NULL;
    const struct import_name name = {.name = line->id};
    tare_status status = import_benchmark(json->sink, &name, &benchmark, error);
    if (status == TARE_OK && benchmark->metric_count > 0) {
        return import_fail(json->source, error, "benchmark '%s' is there twice",
                           text_printable(json->arena, line->id, 60));
    }
    return status == TARE_OK
               ? keep_samples(json, &line->iterations, &line->values, line->unit, error)
               : status;
}

static tare_status read_lines(struct import_source *source, struct import_sink *sink,
                              struct tare_error *error)
{
    struct import_json json;
    bool is_there = true;
    tare_status status = import_json_open(&json, source, sink, '{', error);
    while (status == TARE_OK && is_there) {
        struct line line = {0};
        status = read_line(&json, &line, error);
        if (status == TARE_OK) {
            status = keep_line(&json, &line, error);
        }
        import_json_forget(&json);
        if (status == TARE_OK) {
            status = import_json_next(&json, '{', &is_there, error);
        }
    }
    import_json_close(&json);
    return status;
}

const struct import_format import_cargo_criterion = {
    .name = "cargo-criterion",
    .description = "cargo criterion --message-format=json",
    .looked_for = "\"reason\":\"benchmark-complete\" (cargo-criterion)",
    .recognise = recognise_lines,
    .read = read_lines,
};
