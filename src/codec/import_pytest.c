/* import_pytest.c: pytest-benchmark's JSON (`--benchmark-json`, `.benchmarks/`). Seconds.
 *
 *   machine_info{}   node, cpu{brand_raw, count}: the machine; python_*: conditions
 *   commit_info{}    id, branch, dirty
 *   benchmarks[]     fullname "file.py::test[id]", params{}, stats{data[], median, iterations}
 *
 * One process made all of it: `data`, one mean time per round, are samples of one launch. Without
 * `data` (autosaved files) the median is a point value. The file is the suite. Parameters are
 * parameters where the id in brackets is made of nothing but their values; else the name keeps its
 * brackets, which are unique, and parameters that cannot be told apart are left out. */
#include "codec/import_json.h"

#include "base/buffer.h"
#include "base/text.h"

#include <math.h>
#include <string.h>

static const double NS_PER_S = 1e9;

struct row {
    const char *name;
    const char *fullname;
    const char *param;
    struct import_pairs params;
    struct import_numbers data;
    double median;
    double mean;
    double iterations;
    bool has_stats;
};

static tare_status read_machine(struct import_json *json, struct tare_error *error);
static tare_status read_commit(struct import_json *json, struct tare_error *error);
static tare_status read_rows(struct import_json *json, struct tare_error *error);
static tare_status keep_row(struct import_json *json, const struct row *row,
                            struct tare_error *error);

static bool recognise(const char *head, ptrdiff_t length, const char *path)
{
    (void)length;
    (void)path;
    return import_head_bracket(head) == '{' && import_head_has_key(head, "machine_info");
}

static tare_status read_member(struct import_json *json, bool *has_rows, struct tare_error *error)
{
    struct json_stream *stream = json->stream;
    if (json_stream_is_key(stream, "machine_info")) {
        return read_machine(json, error);
    }
    if (json_stream_is_key(stream, "commit_info")) {
        return read_commit(json, error);
    }
    if (json_stream_is_key(stream, "benchmarks")) {
        *has_rows = true;
        return read_rows(json, error);
    }
    bool is_date = json_stream_is_key(stream, "datetime");
    bool is_version = json_stream_is_key(stream, "version");
    const char *text = NULL;
    tare_status status = import_json_scalar(json, &text, error);
    struct model_run *run = import_run(json->sink);
    if (status == TARE_OK && is_date) {
        run->started_unix_ns = import_time_parse(text);
    } else if (status == TARE_OK && is_version) {
        import_field(json->sink, &run->machine.conditions, "harness_version", text);
    }
    return status;
}

static tare_status read_file(struct import_source *source, struct import_sink *sink,
                             struct tare_error *error)
{
    struct import_json json;
    bool has_rows = false;
    tare_status status = import_json_open(&json, source, sink, '{', error);
    while (status == TARE_OK && json_stream_key(json.stream, &status, error)) {
        status = read_member(&json, &has_rows, error);
    }
    if (status == TARE_OK && !has_rows) {
        status = import_fail(source, error, "no list \"benchmarks\" in it");
    }
    import_json_close(&json);
    return status;
}

const struct import_format import_pytest = {
    .name = "pytest",
    .description = "pytest-benchmark --benchmark-json=FILE",
    .looked_for = "\"machine_info\" (pytest-benchmark)",
    .recognise = recognise,
    .read = read_file,
};

/* ---- machine and commit ---- */

static tare_status read_cpu(struct import_json *json, struct tare_error *error)
{
    struct model_run *run = import_run(json->sink);
    bool is_there = false;
    tare_status status = json_stream_object(json->stream, &is_there, error);
    while (is_there && json_stream_key(json->stream, &status, error)) {
        bool is_brand = json_stream_is_key(json->stream, "brand_raw") ||
                        json_stream_is_key(json->stream, "brand");
        bool is_count = json_stream_is_key(json->stream, "count");
        const char *text = NULL;
        status = import_json_scalar(json, &text, error);
        if (status == TARE_OK && (is_brand || is_count)) {
            import_field(json->sink, &run->machine.identity, is_brand ? "cpu" : "cpus", text);
        }
    }
    return status;
}

static tare_status read_machine(struct import_json *json, struct tare_error *error)
{
    struct model_run *run = import_run(json->sink);
    bool is_there = false;
    tare_status status = json_stream_object(json->stream, &is_there, error);
    while (is_there && json_stream_key(json->stream, &status, error)) {
        if (json_stream_is_key(json->stream, "cpu")) {
            status = read_cpu(json, error);
            continue;
        }
        const char *key = arena_strdup(json->arena, json->stream->text);
        const char *text = NULL;
        status = import_json_scalar(json, &text, error);
        if (status == TARE_OK && strcmp(key, "node") == 0) {
            import_field(json->sink, &run->machine.identity, "host", text);
        } else if (status == TARE_OK) {
            import_field(json->sink, &run->machine.conditions, key, text);
        }
    }
    return status;
}

static tare_status read_commit(struct import_json *json, struct tare_error *error)
{
    struct model_commit *commit = &import_run(json->sink)->commit;
    struct arena *lasting = import_arena(json->sink);
    const char *hash = NULL;
    const char *branch = NULL;
    const struct import_member members[] = {
        {"id", &hash, NULL, NULL},
        {"branch", &branch, NULL, NULL},
        {"dirty", NULL, NULL, &commit->is_dirty},
        {NULL, NULL, NULL, NULL},
    };
    bool is_there = false;
    tare_status status = json_stream_object(json->stream, &is_there, error);
    while (is_there && json_stream_key(json->stream, &status, error)) {
        bool is_known = false;
        status = import_json_member(json, members, &is_known, error);
        if (status == TARE_OK && !is_known) {
            status = json_stream_skip(json->stream, error);
        }
    }
    /* Outside of a repository it says "unversioned" or "unknown". */
    if (status == TARE_OK && hash != NULL && strncmp(hash, "un", 2) != 0) {
        commit->is_known = true;
        commit->hash = text_printable(lasting, hash, 100);
        bool is_unknown = branch == NULL || branch[0] == '(';
        commit->branch = is_unknown ? "" : text_printable(lasting, branch, 200);
        commit->subject = "";
    } else {
        commit->is_dirty = false;
    }
    return status;
}

/* ---- rows ---- */

static tare_status read_stats(struct import_json *json, struct row *row, struct tare_error *error)
{
    const struct import_member members[] = {
        {"median", NULL, &row->median, NULL},
        {"mean", NULL, &row->mean, NULL},
        {"iterations", NULL, &row->iterations, NULL},
        {NULL, NULL, NULL, NULL},
    };
    tare_status status = json_stream_object(json->stream, &row->has_stats, error);
    while (row->has_stats && json_stream_key(json->stream, &status, error)) {
        bool is_known = false;
        if (json_stream_is_key(json->stream, "data")) {
            status = import_json_numbers(json, &row->data, error);
            continue;
        }
        status = import_json_member(json, members, &is_known, error);
        if (status == TARE_OK && !is_known) {
            status = json_stream_skip(json->stream, error);
        }
    }
    return status;
}

static tare_status read_row(struct import_json *json, struct row *row, struct tare_error *error)
{
    const struct import_member members[] = {
        {"name", &row->name, NULL, NULL},
        {"fullname", &row->fullname, NULL, NULL},
        {NULL, NULL, NULL, NULL},
    };
    tare_status status = import_json_expect(json, "a benchmark", error);
    while (json_stream_key(json->stream, &status, error)) {
        bool is_known = true;
        if (json_stream_is_key(json->stream, "params")) {
            status = import_json_pairs(json, &row->params, error);
        } else if (json_stream_is_key(json->stream, "param")) {
            status = import_json_scalar(json, &row->param, error);
        } else if (json_stream_is_key(json->stream, "stats")) {
            status = read_stats(json, row, error);
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
        struct row row = {.median = NAN, .mean = NAN, .iterations = NAN};
        status = read_row(json, &row, error);
        if (status == TARE_OK) {
            status = keep_row(json, &row, error);
        }
        import_json_forget(json);
    }
    return status;
}

/* "100-fast" for the values 100 and fast: then the parameters say as much as the id does. */
static bool is_id_of_parameters(struct arena *arena, const struct row *row)
{
    struct buffer id = buffer_new(arena, BUFFER_LENGTH_MAX);
    for (ptrdiff_t i = 0; i < row->params.count; i++) {
        buffer_printf(&id, "%s%s", i > 0 ? "-" : "", row->params.items[i].value);
    }
    return row->params.count > 0 && row->param != NULL &&
           strcmp(buffer_string(&id), row->param) == 0;
}

static tare_status keep_values(struct import_json *json, const struct row *row,
                               struct tare_error *error)
{
    struct import_value value = {
        .metric = "time", .unit = "ns", .written_unit = "s", .better = MODEL_LOWER_IS_BETTER};
    tare_status status = TARE_OK;
    for (ptrdiff_t i = 0; status == TARE_OK && i < row->data.count; i++) {
        value.value = row->data.items[i] * NS_PER_S;
        status = import_add(json->sink, &value, error);
    }
    if (row->data.count == 0) {
        value.value = (isnan(row->median) ? row->mean : row->median) * NS_PER_S;
        value.process = IMPORT_POINT;
        status = import_add(json->sink, &value, error);
    }
    return status;
}

static tare_status keep_row(struct import_json *json, const struct row *row,
                            struct tare_error *error)
{
    const char *full = row->fullname != NULL ? row->fullname : row->name;
    if (full == NULL || !row->has_stats) {
        return import_fail(json->source, error, "the benchmark that ends here has no %s",
                           full == NULL ? "\"fullname\"" : "\"stats\"");
    }
    const char *separator = strstr(full, "::");
    struct import_name name = {
        .suite = separator != NULL ? arena_strndup(json->arena, full, separator - full) : "",
        .name = separator != NULL ? separator + 2 : full,
    };
    const char *bracket = strrchr(name.name, '[');
    if (bracket != NULL && bracket > name.name && is_id_of_parameters(json->arena, row)) {
        name.name = arena_strndup(json->arena, name.name, bracket - name.name);
        name.parameters = row->params.items;
        name.parameter_count = row->params.count;
    }
    struct model_benchmark *benchmark = NULL;
    tare_status status = import_benchmark(json->sink, &name, &benchmark, error);
    if (status == TARE_OK && benchmark->metric_count > 0) {
        return import_fail(json->source, error, "benchmark '%s' is there twice",
                           text_printable(json->arena, full, 60));
    }
    if (status == TARE_OK && row->iterations >= 1 && isfinite(row->iterations)) {
        benchmark->iterations = row->iterations;
    }
    return status == TARE_OK ? keep_values(json, row, error) : status;
}
