/* import_jmh.c: JMH's JSON (`-rf json`).
 *
 *   [{benchmark, mode, threads, params{}, primaryMetric{score, scoreUnit, rawData[[…]…]},
 *     secondaryMetrics{}}]
 *
 * A row of rawData is a fork: a process, a launch; its iterations are samples. rawDataHistogram
 * (mode sample) has pairs of value and count for every iteration, which are written out. Without
 * raw data the score is a point value. Times an operation (avgt, sample, ss) become ns, operations
 * a time (thrpt) become a rate per second: the mode says which is better. Mode, and threads beyond
 * one, are parameters, since one file may hold a benchmark in several. Numbers that are not finite
 * are written as text. Secondary metrics (profilers) have no direction. */
#include "codec/import_json.h"

#include "base/text.h"

#include <math.h>
#include <string.h>

struct sample {
    double value;
    int64_t process;
};

struct metric {
    const char *unit;
    double score;
    struct sample *samples;
    ptrdiff_t count;
    ptrdiff_t capacity;
};

enum { SECONDARY_MAX = 64 };

struct row {
    const char *benchmark;
    const char *mode;
    const char *version;
    double threads;
    struct import_pairs params;
    struct metric primary;
    bool has_primary;
    const char *secondary_names[SECONDARY_MAX];
    struct metric secondary[SECONDARY_MAX];
    ptrdiff_t secondary_count;
};

static tare_status read_row(struct import_json *json, struct row *row, struct tare_error *error);
static tare_status keep_row(struct import_json *json, struct row *row, struct tare_error *error);

static bool recognise(const char *head, ptrdiff_t length, const char *path)
{
    (void)length;
    (void)path;
    return import_head_bracket(head) == '[' && import_head_has_key(head, "primaryMetric");
}

static tare_status read_file(struct import_source *source, struct import_sink *sink,
                             struct tare_error *error)
{
    struct import_json json;
    tare_status status = import_json_open(&json, source, sink, '[', error);
    while (status == TARE_OK && json_stream_item(json.stream, &status, error)) {
        struct row *row = ARENA_NEW(json.arena, struct row);
        row->threads = 1;
        status = read_row(&json, row, error);
        if (status == TARE_OK) {
            status = keep_row(&json, row, error);
        }
        import_json_forget(&json);
    }
    import_json_close(&json);
    return status;
}

const struct import_format import_jmh = {
    .name = "jmh",
    .description = "JMH: -rf json -rff FILE",
    .looked_for = "a list with \"primaryMetric\" (JMH)",
    .recognise = recognise,
    .read = read_file,
};

/* ---- reading ---- */

static tare_status add_sample(struct import_json *json, struct metric *metric, double value,
                              int64_t process, struct tare_error *error)
{
    if (metric->count >= MODEL_SAMPLES_MAX) {
        return import_fail(json->source, error, "more than %d samples", MODEL_SAMPLES_MAX);
    }
    metric->samples = arena_grow(json->arena, metric->samples, &metric->capacity, metric->count + 1,
                                 (ptrdiff_t)sizeof *metric->samples);
    metric->samples[metric->count++] = (struct sample){.value = value, .process = process};
    return TARE_OK;
}

/* A pair [value, count], or a number. The current token is its first. */
static tare_status read_item(struct import_json *json, struct metric *metric, int64_t process,
                             struct tare_error *error)
{
    struct json_stream *stream = json->stream;
    double value = stream->number;
    if (stream->event == JSON_EVENT_NUMBER ||
        (stream->event == JSON_EVENT_TEXT && import_number_parse(stream->text, &value))) {
        return add_sample(json, metric, value, process, error);
    }
    if (stream->event != JSON_EVENT_ARRAY) {
        return import_fail(json->source, error, "%s where a number should stand",
                           json_stream_shown(stream, json->arena));
    }
    struct import_numbers pair = {0};
    tare_status status = import_json_items(json, &pair, error);
    if (status == TARE_OK &&
        (pair.count != 2 || !(pair.items[1] >= 0) || pair.items[1] > MODEL_SAMPLES_MAX)) {
        return import_fail(json->source, error, "no pair of value and count");
    }
    for (double i = 0; status == TARE_OK && i < pair.items[1]; i++) {
        status = add_sample(json, metric, pair.items[0], process, error);
    }
    return status;
}

/* [[…], …]: a list for every fork; of numbers, or of lists of pairs for every iteration. */
static tare_status read_raw(struct import_json *json, struct metric *metric, bool is_histogram,
                            struct tare_error *error)
{
    struct json_stream *stream = json->stream;
    bool is_there = false;
    int64_t process = 0;
    tare_status status = json_stream_array(stream, &is_there, error);
    while (is_there && json_stream_item(stream, &status, error)) {
        if (stream->event != JSON_EVENT_ARRAY) {
            return import_fail(json->source, error, "%s where a fork's list should stand",
                               json_stream_shown(stream, json->arena));
        }
        while (json_stream_item(stream, &status, error)) {
            if (!is_histogram) {
                status = read_item(json, metric, process, error);
                continue;
            }
            if (stream->event != JSON_EVENT_ARRAY) {
                return import_fail(json->source, error, "no list of an iteration's pairs");
            }
            while (json_stream_item(stream, &status, error)) {
                status = read_item(json, metric, process, error);
            }
        }
        process++;
    }
    return status;
}

/* Behind its key, or at its begin. */
static tare_status read_metric(struct import_json *json, struct metric *metric, bool *is_there,
                               struct tare_error *error)
{
    struct json_stream *stream = json->stream;
    metric->score = NAN;
    tare_status status = json_stream_object(stream, is_there, error);
    while (*is_there && json_stream_key(stream, &status, error)) {
        if (json_stream_is_key(stream, "scoreUnit")) {
            status = json_stream_text(stream, json->arena, &metric->unit, error);
        } else if (json_stream_is_key(stream, "rawData")) {
            status = read_raw(json, metric, false, error);
        } else if (json_stream_is_key(stream, "rawDataHistogram")) {
            status = read_raw(json, metric, true, error);
        } else if (json_stream_is_key(stream, "score")) {
            const char *text = NULL;
            status = import_json_scalar(json, &text, error);
            if (status == TARE_OK && text != NULL) {
                import_number_parse(text, &metric->score);
            }
        } else {
            status = json_stream_skip(stream, error);
        }
    }
    return status;
}

static tare_status read_secondary(struct import_json *json, struct row *row,
                                  struct tare_error *error)
{
    bool is_there = false;
    tare_status status = json_stream_object(json->stream, &is_there, error);
    while (is_there && json_stream_key(json->stream, &status, error)) {
        if (row->secondary_count == SECONDARY_MAX) {
            return import_fail(json->source, error, "more than %d secondary metrics",
                               SECONDARY_MAX);
        }
        bool is_metric = false;
        ptrdiff_t at = row->secondary_count++;
        row->secondary_names[at] = arena_strdup(json->arena, json->stream->text);
        status = read_metric(json, &row->secondary[at], &is_metric, error);
    }
    return status;
}

static tare_status read_row(struct import_json *json, struct row *row, struct tare_error *error)
{
    struct json_stream *stream = json->stream;
    const struct import_member members[] = {
        {"benchmark", &row->benchmark, NULL, NULL},
        {"mode", &row->mode, NULL, NULL},
        {"jmhVersion", &row->version, NULL, NULL},
        {"threads", NULL, &row->threads, NULL},
        {NULL, NULL, NULL, NULL},
    };
    tare_status status = import_json_expect(json, "a benchmark", error);
    while (json_stream_key(stream, &status, error)) {
        bool is_known = true;
        if (json_stream_is_key(stream, "params")) {
            status = import_json_pairs(json, &row->params, error);
        } else if (json_stream_is_key(stream, "primaryMetric")) {
            status = read_metric(json, &row->primary, &row->has_primary, error);
        } else if (json_stream_is_key(stream, "secondaryMetrics")) {
            status = read_secondary(json, row, error);
        } else if (json_stream_is_key(stream, "vmName") ||
                   json_stream_is_key(stream, "vmVersion") ||
                   json_stream_is_key(stream, "jdkVersion")) {
            const char *key = arena_strdup(json->arena, stream->text);
            const char *text = NULL;
            status = import_json_scalar(json, &text, error);
            import_field(json->sink, &import_run(json->sink)->machine.conditions, key, text);
        } else {
            status = import_json_member(json, members, &is_known, error);
        }
        if (status == TARE_OK && !is_known) {
            status = json_stream_skip(stream, error);
        }
    }
    return status;
}

/* ---- keeping ---- */

/* "us/op" → ns, lower; "ops/ms" → 1/s, higher. */
static bool read_unit(struct arena *arena, const char *unit, struct import_value *value,
                      double *factor)
{
    const char *slash = unit != NULL ? strchr(unit, '/') : NULL;
    if (slash == NULL) {
        return false;
    }
    bool is_rate = strncmp(unit, "ops/", 4) == 0;
    double time =
        import_time_factor(is_rate ? slash + 1 : arena_strndup(arena, unit, slash - unit));
    if (time == 0 || (!is_rate && strcmp(slash, "/op") != 0)) {
        return false;
    }
    *factor = is_rate ? 1e9 / time : time;
    value->metric = is_rate ? "op_rate" : "time";
    value->unit = is_rate ? "1/s" : "ns";
    value->better = is_rate ? MODEL_HIGHER_IS_BETTER : MODEL_LOWER_IS_BETTER;
    return true;
}

static tare_status keep_metric(struct import_json *json, const struct metric *metric,
                               const struct import_value *like, double factor, bool is_open,
                               struct tare_error *error)
{
    tare_status status = TARE_OK;
    ptrdiff_t count = metric->count > 0 ? metric->count : 1;
    for (ptrdiff_t i = 0; status == TARE_OK && i < count; i++) {
        struct import_value value = *like;
        value.written_unit = metric->unit;
        value.value = (metric->count > 0 ? metric->samples[i].value : metric->score) * factor;
        value.process = metric->count > 0 ? metric->samples[i].process : IMPORT_POINT;
        status = is_open ? import_add_open(json->sink, &value, error)
                         : import_add(json->sink, &value, error);
    }
    return status;
}

static tare_status add_parameters(struct import_json *json, struct row *row,
                                  struct tare_error *error)
{
    if (row->params.count + 2 > MODEL_PARAMETERS_MAX) {
        return import_fail(json->source, error, "more than %d parameters", MODEL_PARAMETERS_MAX);
    }
    row->params.items[row->params.count++] =
        (struct model_parameter){.name = "mode", .value = row->mode};
    if (row->threads > 1) {
        row->params.items[row->params.count++] = (struct model_parameter){
            .name = "threads", .value = arena_printf(json->arena, "%.0f", row->threads)};
    }
    return TARE_OK;
}

static tare_status keep_row(struct import_json *json, struct row *row, struct tare_error *error)
{
    struct import_value like = {0};
    double factor = 1;
    if (row->benchmark == NULL || row->mode == NULL || !row->has_primary) {
        return import_fail(json->source, error,
                           "the benchmark that ends here has no \"benchmark\", \"mode\" or "
                           "\"primaryMetric\"");
    }
    if (!read_unit(json->arena, row->primary.unit, &like, &factor)) {
        return import_fail(
            json->source, error, "unknown scoreUnit '%s' (ns/op, ops/s and the like)",
            text_printable(json->arena, row->primary.unit != NULL ? row->primary.unit : "", 40));
    }
    import_field(json->sink, &import_run(json->sink)->machine.conditions, "harness_version",
                 row->version);
    tare_status status = add_parameters(json, row, error);
    const struct import_name name = {.name = row->benchmark,
                                     .parameters = row->params.items,
                                     .parameter_count = row->params.count};
    struct model_benchmark *benchmark = NULL;
    if (status == TARE_OK) {
        status = import_benchmark(json->sink, &name, &benchmark, error);
    }
    if (status == TARE_OK && benchmark->metric_count > 0) {
        return import_fail(json->source, error, "benchmark '%s' is there twice in the same mode",
                           text_printable(json->arena, row->benchmark, 60));
    }
    if (status == TARE_OK) {
        status = keep_metric(json, &row->primary, &like, factor, false, error);
    }
    for (ptrdiff_t i = 0; status == TARE_OK && i < row->secondary_count; i++) {
        const struct metric *metric = &row->secondary[i];
        const struct import_value open = {.metric = row->secondary_names[i], .unit = metric->unit};
        status = keep_metric(json, metric, &open, 1, true, error);
    }
    return status;
}
