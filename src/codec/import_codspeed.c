/* import_codspeed.c: CodSpeed's walltime results.
 *
 *   {creator{name, version}, instrument{type: "walltime"}, benchmarks[{name, uri, stats{median_ns,
 * …}}]}
 *
 * CodSpeed keeps no samples in it: the median is a point value. The uri ("tests/x.py::test") is
 * unique and is the name; what stands before "::" is the suite. */
#include "codec/import_json.h"

#include "base/text.h"

#include <math.h>
#include <string.h>

struct row {
    const char *name;
    const char *uri;
    double median;
    double mean;
};

static bool recognise(const char *head, ptrdiff_t length, const char *path)
{
    (void)length;
    (void)path;
    return import_head_bracket(head) == '{' && import_head_has_key(head, "instrument") &&
           import_head_has_key(head, "creator");
}

static tare_status read_stats(struct import_json *json, struct row *row, struct tare_error *error)
{
    bool is_there = false;
    tare_status status = json_stream_object(json->stream, &is_there, error);
    while (is_there && json_stream_key(json->stream, &status, error)) {
        status = json_stream_is_key(json->stream, "median_ns")
                     ? json_stream_number(json->stream, &row->median, error)
                 : json_stream_is_key(json->stream, "mean_ns")
                     ? json_stream_number(json->stream, &row->mean, error)
                     : json_stream_skip(json->stream, error);
    }
    return status;
}

static tare_status keep_row(struct import_json *json, const struct row *row,
                            struct tare_error *error)
{
    const char *full = row->uri != NULL ? row->uri : row->name;
    const char *separator = full != NULL ? strstr(full, "::") : NULL;
    const struct import_name name = {
        .suite = separator != NULL ? arena_strndup(json->arena, full, separator - full) : "",
        .name = separator != NULL ? separator + 2 : full,
    };
    const struct import_value value = {.metric = "time",
                                       .unit = "ns",
                                       .better = MODEL_LOWER_IS_BETTER,
                                       .value = isnan(row->median) ? row->mean : row->median,
                                       .process = IMPORT_POINT};
    struct model_benchmark *benchmark = NULL;
    tare_status status = import_benchmark(json->sink, &name, &benchmark, error);
    return status == TARE_OK ? import_add(json->sink, &value, error) : status;
}

static tare_status read_rows(struct import_json *json, struct tare_error *error)
{
    bool is_there = false;
    tare_status status = json_stream_array(json->stream, &is_there, error);
    while (is_there && json_stream_item(json->stream, &status, error)) {
        struct row row = {.median = NAN, .mean = NAN};
        const struct import_member members[] = {
            {"name", &row.name, NULL, NULL},
            {"uri", &row.uri, NULL, NULL},
            {NULL, NULL, NULL, NULL},
        };
        status = import_json_expect(json, "a benchmark", error);
        while (json_stream_key(json->stream, &status, error)) {
            bool is_known = true;
            status = json_stream_is_key(json->stream, "stats")
                         ? read_stats(json, &row, error)
                         : import_json_member(json, members, &is_known, error);
            if (status == TARE_OK && !is_known) {
                status = json_stream_skip(json->stream, error);
            }
        }
        if (status == TARE_OK) {
            status = keep_row(json, &row, error);
        }
        import_json_forget(json);
    }
    return status;
}

static tare_status read_file(struct import_source *source, struct import_sink *sink,
                             struct tare_error *error)
{
    struct import_json json;
    tare_status status = import_json_open(&json, source, sink, '{', error);
    while (status == TARE_OK && json_stream_key(json.stream, &status, error)) {
        status = json_stream_is_key(json.stream, "benchmarks")
                     ? read_rows(&json, error)
                     : json_stream_skip(json.stream, error);
    }
    import_json_close(&json);
    return status;
}

const struct import_format import_codspeed = {
    .name = "codspeed",
    .description = "CodSpeed's walltime results",
    .looked_for = "\"creator\" with \"instrument\" (CodSpeed)",
    .recognise = recognise,
    .read = read_file,
};
