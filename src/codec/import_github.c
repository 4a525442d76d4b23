/* import_github.c: github-action-benchmark: the JSON it takes from custom tools, and the history it
 * keeps in data.js.
 *
 *   [{"name": "…", "unit": "…", "value": 1.5, "range": "±3", "extra": "…"}]
 *
 *   window.BENCHMARK_DATA = {"entries": {"SUITE": [{"commit": {…}, "date": ms, "tool": "cargo",
 *                                                   "benches": […]}]}}
 *
 * Every value is a point value, its metric "time" where the unit is one of time (ns, ms/op, …),
 * else "value". Custom JSON does not say which direction is better: it stands in the workflow, so
 * the user must say it here (`--metric value:higher`). The history names the tool, and the tool
 * fixes it; every entry becomes a run with its commit and date. */
#include "codec/import_json.h"

#include "base/text.h"

#include <math.h>
#include <string.h>

struct bench {
    const char *name;
    const char *unit;
    double value;
};

struct benches {
    struct bench *items;
    ptrdiff_t count;
    ptrdiff_t capacity;
};

/* Which way each tool's values go, as the action itself has it. */
static const struct {
    const char *tool;
    enum model_better better;
} tools[] = {
    {"cargo", MODEL_LOWER_IS_BETTER},
    {"go", MODEL_LOWER_IS_BETTER},
    {"benchmarkjs", MODEL_HIGHER_IS_BETTER},
    {"benchmarkluau", MODEL_LOWER_IS_BETTER},
    {"pytest", MODEL_HIGHER_IS_BETTER},
    {"googlecpp", MODEL_LOWER_IS_BETTER},
    {"catch2", MODEL_LOWER_IS_BETTER},
    {"julia", MODEL_LOWER_IS_BETTER},
    {"jmh", MODEL_LOWER_IS_BETTER},
    {"benchmarkdotnet", MODEL_LOWER_IS_BETTER},
    {"customBiggerIsBetter", MODEL_HIGHER_IS_BETTER},
    {"customSmallerIsBetter", MODEL_LOWER_IS_BETTER},
};

static bool find_tool(const char *tool, enum model_better *better)
{
    for (size_t i = 0; tool != NULL && i < sizeof tools / sizeof *tools; i++) {
        if (strcmp(tools[i].tool, tool) == 0) {
            *better = tools[i].better;
            return true;
        }
    }
    return false;
}

/* ---- one value ---- */

/* The current token begins it. */
static tare_status read_bench(struct import_json *json, struct bench *bench,
                              struct tare_error *error)
{
    *bench = (struct bench){.value = NAN};
    bool has_value = false;
    const struct import_member members[] = {
        {"name", &bench->name, NULL, NULL},
        {"unit", &bench->unit, NULL, NULL},
        {NULL, NULL, NULL, NULL},
    };
    tare_status status = import_json_expect(json, "a value", error);
    while (json_stream_key(json->stream, &status, error)) {
        bool is_known = true;
        if (json_stream_is_key(json->stream, "value")) {
            const char *text = NULL;
            status = import_json_scalar(json, &text, error);
            has_value = text != NULL && import_number_parse(text, &bench->value);
            has_value = has_value || json->stream->event == JSON_EVENT_NUMBER;
        } else {
            status = import_json_member(json, members, &is_known, error);
        }
        if (status == TARE_OK && !is_known) {
            status = json_stream_skip(json->stream, error);
        }
    }
    if (status == TARE_OK && (bench->name == NULL || bench->unit == NULL || !has_value)) {
        status = import_fail(json->source, error,
                             "the value that ends here lacks \"name\", \"unit\" or a number "
                             "\"value\"");
    }
    return status;
}

/* "ns", "ms/op", "us/iter": the part before the slash. */
static double time_factor(struct arena *arena, const char *unit)
{
    const char *slash = strchr(unit, '/');
    bool is_each = slash == NULL || strcmp(slash, "/op") == 0 || strcmp(slash, "/iter") == 0;
    const char *part = slash != NULL ? arena_strndup(arena, unit, slash - unit) : unit;
    return is_each ? import_time_factor(part) : 0;
}

static tare_status keep_bench(struct import_json *json, const char *suite,
                              const struct bench *bench, const enum model_better *better,
                              struct tare_error *error)
{
    struct model_benchmark *benchmark = NULL;
    tare_status status = import_benchmark(
        json->sink, &(struct import_name){.suite = suite, .name = bench->name}, &benchmark, error);
    double factor = time_factor(json->arena, bench->unit);
    bool is_time = factor > 0;
    const struct import_value value = {
        .metric = is_time ? "time" : "value",
        .unit = is_time                  ? "ns"
                : bench->unit[0] != '\0' ? bench->unit
                                         : "1",
        .written_unit = bench->unit[0] != '\0' ? bench->unit : "1",
        .better = better != NULL ? *better : MODEL_LOWER_IS_BETTER,
        .value = is_time ? bench->value * factor : bench->value,
        .process = IMPORT_POINT,
    };
    if (status != TARE_OK) {
        return status;
    }
    return better != NULL ? import_add(json->sink, &value, error)
                          : import_add_open(json->sink, &value, error);
}

/* ---- custom ---- */

static bool recognise_custom(const char *head, ptrdiff_t length, const char *path)
{
    (void)length;
    (void)path;
    return import_head_bracket(head) == '[' && import_head_has_key(head, "name") &&
           import_head_has_key(head, "unit") && import_head_has_key(head, "value") &&
           !import_head_has_key(head, "primaryMetric");
}

static tare_status read_custom(struct import_source *source, struct import_sink *sink,
                               struct tare_error *error)
{
    struct import_json json;
    tare_status status = import_json_open(&json, source, sink, '[', error);
    while (status == TARE_OK && json_stream_item(json.stream, &status, error)) {
        struct bench bench;
        status = read_bench(&json, &bench, error);
        if (status == TARE_OK) {
            status = keep_bench(&json, "", &bench, NULL, error);
        }
        import_json_forget(&json);
    }
    import_json_close(&json);
    return status;
}

const struct import_format import_custom = {
    .name = "github-custom",
    .description = "github-action-benchmark: customSmallerIsBetter, customBiggerIsBetter",
    .looked_for = "a list of \"name\", \"unit\", \"value\" (github-action-benchmark)",
    .recognise = recognise_custom,
    .read = read_custom,
};

/* ---- history ---- */

struct entry {
    const char *hash;
    const char *message;
    const char *timestamp;
    const char *tool;
    double date_ms;
    struct benches benches;
};

static bool recognise_history(const char *head, ptrdiff_t length, const char *path)
{
    (void)length;
    (void)path;
    return strstr(head, "BENCHMARK_DATA") != NULL && import_head_has_key(head, "entries");
}

static tare_status read_commit(struct import_json *json, struct entry *entry,
                               struct tare_error *error)
{
    const struct import_member members[] = {
        {"id", &entry->hash, NULL, NULL},
        {"message", &entry->message, NULL, NULL},
        {"timestamp", &entry->timestamp, NULL, NULL},
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
    return status;
}

static tare_status read_benches(struct import_json *json, struct benches *benches,
                                struct tare_error *error)
{
    bool is_there = false;
    tare_status status = json_stream_array(json->stream, &is_there, error);
    while (is_there && json_stream_item(json->stream, &status, error)) {
        if (benches->count == MODEL_BENCHMARKS_MAX) {
            return import_fail(json->source, error, "more than %d values in one entry",
                               MODEL_BENCHMARKS_MAX);
        }
        benches->items = arena_grow(json->arena, benches->items, &benches->capacity,
                                    benches->count + 1, (ptrdiff_t)sizeof *benches->items);
        status = read_bench(json, &benches->items[benches->count], error);
        benches->count++;
    }
    return status;
}

static tare_status read_entry(struct import_json *json, struct entry *entry,
                              struct tare_error *error)
{
    const struct import_member members[] = {
        {"tool", &entry->tool, NULL, NULL},
        {"date", NULL, &entry->date_ms, NULL},
        {NULL, NULL, NULL, NULL},
    };
    tare_status status = import_json_expect(json, "an entry", error);
    while (json_stream_key(json->stream, &status, error)) {
        bool is_known = true;
        if (json_stream_is_key(json->stream, "commit")) {
            status = read_commit(json, entry, error);
        } else if (json_stream_is_key(json->stream, "benches")) {
            status = read_benches(json, &entry->benches, error);
        } else {
            status = import_json_member(json, members, &is_known, error);
        }
        if (status == TARE_OK && !is_known) {
            status = json_stream_skip(json->stream, error);
        }
    }
    return status;
}

static void keep_commit(struct import_json *json, const struct entry *entry)
{
    struct model_run *run = import_run(json->sink);
    struct arena *lasting = import_arena(json->sink);
    const double date_ms_max = 7e12; /* the year 2191: nanoseconds still fit into 64 bits */
    bool has_date = entry->date_ms > 0 && entry->date_ms < date_ms_max;
    run->started_unix_ns =
        has_date ? (int64_t)entry->date_ms * 1000000 : import_time_parse(entry->timestamp);
    if (entry->hash != NULL && entry->hash[0] != '\0') {
        const char *message = entry->message != NULL ? entry->message : "";
        const char *subject = arena_strndup(lasting, message, (ptrdiff_t)strcspn(message, "\r\n"));
        run->commit = (struct model_commit){.is_known = true,
                                            .hash = text_printable(lasting, entry->hash, 100),
                                            .branch = "",
                                            .subject = text_printable(lasting, subject, 500)};
    }
}

static tare_status keep_entry(struct import_json *json, const char *suite,
                              const struct entry *entry, struct tare_error *error)
{
    enum model_better better = MODEL_LOWER_IS_BETTER;
    bool has_tool = find_tool(entry->tool, &better);
    if (entry->benches.count == 0) {
        return TARE_OK; /* a commit of which nothing was measured is no run */
    }
    keep_commit(json, entry);
    import_field(json->sink, &import_run(json->sink)->environment, "tool", entry->tool);
    tare_status status = TARE_OK;
    for (ptrdiff_t i = 0; status == TARE_OK && i < entry->benches.count; i++) {
        status =
            keep_bench(json, suite, &entry->benches.items[i], has_tool ? &better : NULL, error);
    }
    return status;
}

static tare_status read_suites(struct import_json *json, struct tare_error *error)
{
    bool is_there = false;
    bool is_first = true;
    tare_status status = json_stream_object(json->stream, &is_there, error);
    while (is_there && json_stream_key(json->stream, &status, error)) {
        const char *suite = arena_strdup(&json->lasting, json->stream->text);
        bool is_list = false;
        status = json_stream_array(json->stream, &is_list, error);
        while (is_list && json_stream_item(json->stream, &status, error)) {
            struct entry entry = {0};
            status = read_entry(json, &entry, error);
            /* The run before ends when another begins: the last is the caller's to end. */
            if (status == TARE_OK && entry.benches.count > 0 && !is_first) {
                status = import_run_end(json->sink, error);
            }
            is_first = is_first && entry.benches.count == 0;
            if (status == TARE_OK) {
                status = keep_entry(json, suite, &entry, error);
            }
            import_json_forget(json);
        }
    }
    return status;
}

static tare_status read_history(struct import_source *source, struct import_sink *sink,
                                struct tare_error *error)
{
    struct import_json json = {.source = source, .sink = sink};
    json.arena = &json.items;
    json.stream = json_stream_new(&json.lasting, source);
    import_sink_read(sink, source);
    bool is_found = false;
    tare_status status = json_stream_find_behind(json.stream, '=', &is_found, error);
    if (status == TARE_OK && !is_found) {
        status = import_fail(source, error, "no \"BENCHMARK_DATA = {\" in it");
    }
    if (status == TARE_OK) {
        status = json_stream_next(json.stream, error);
    }
    if (status == TARE_OK) {
        status = import_json_expect(&json, "an object", error);
    }
    while (status == TARE_OK && json_stream_key(json.stream, &status, error)) {
        status = json_stream_is_key(json.stream, "entries") ? read_suites(&json, error)
                                                            : json_stream_skip(json.stream, error);
    }
    import_json_close(&json);
    return status;
}

const struct import_format import_history = {
    .name = "github-history",
    .description = "github-action-benchmark: data.js, a run for every entry",
    .looked_for = "BENCHMARK_DATA with \"entries\" (github-action-benchmark)",
    .recognise = recognise_history,
    .read = read_history,
};
