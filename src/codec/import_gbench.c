/* import_gbench.c: Google Benchmark's JSON (`--benchmark_format=json`, `--benchmark_out=`), schema
 * 1 and the older files without a schema.
 *
 *   context{}      host_name, num_cpus, mhz_per_cpu, caches: the machine; date: when
 *   benchmarks[]   one row a repetition; rows of aggregates are passed over where repetitions are
 *                  there, and are point values where they are all there is (the median, else the
 * mean)
 *
 * A document is one process, so its repetitions share a launch; several documents in one file (the
 * same program run again and again with its output appended) are several launches. Counters the
 * library itself defines have a direction; a user's own have none.
 *
 * A row is read whole before it is used: its unit may stand behind its times. */
#include "codec/import_formats.h"
#include "codec/json_stream.h"

#include "base/text.h"

#include <math.h>
#include <string.h>

enum { COUNTERS_MAX = 128 }; /* numbers of one row that are none of the format's own */

/* Counters of the library's own whose meaning is documented. */
static const struct {
    const char *key;
    const char *metric;
    const char *unit;
    enum model_better better;
} known_counters[] = {
    {"bytes_per_second", "throughput", "B/s", MODEL_HIGHER_IS_BETTER},
    {"items_per_second", "item_rate", "1/s", MODEL_HIGHER_IS_BETTER},
    {"allocs_per_iter", "allocations", "1", MODEL_LOWER_IS_BETTER},
    {"max_bytes_used", "peak_live", "B", MODEL_LOWER_IS_BETTER},
    {"total_allocated_bytes", "allocated", "B", MODEL_LOWER_IS_BETTER},
    {"net_heap_growth", "heap_growth", "B", MODEL_LOWER_IS_BETTER},
};

/* Numbers of a row that are facts, not results. */
static const char *const facts[] = {
    "family_index", "per_family_instance_index", "repetitions",      "repetition_index", "threads",
    "rms",          "cpu_coefficient",           "real_coefficient",
};

struct counter {
    const char *key;
    double value;
};

struct row {
    const char *name;
    const char *run_name;
    const char *run_type;
    const char *aggregate_name;
    const char *aggregate_unit;
    const char *time_unit;
    const char *error_message;
    const char *skip_message;
    bool is_failed;
    bool is_skipped;
    bool has_time;
    double iterations;
    double real_time;
    double cpu_time;
    struct counter counters[COUNTERS_MAX];
    ptrdiff_t counter_count;
};

struct reading {
    struct json_stream *stream;
    struct import_source *source;
    struct import_sink *sink;
    struct arena *arena; /* of one row */
    int64_t process;
    int64_t row_count;
};

static tare_status read_document(struct reading *reading, struct tare_error *error);
static tare_status read_context(struct reading *reading, struct tare_error *error);
static tare_status read_rows(struct reading *reading, struct tare_error *error);
static tare_status read_row(struct reading *reading, struct row *row, struct tare_error *error);
static tare_status keep_row(struct reading *reading, const struct row *row,
                            struct tare_error *error);

static bool recognise(const char *head, ptrdiff_t length, const char *path)
{
    (void)length;
    (void)path;
    return import_head_bracket(head) == '{' && import_head_has_key(head, "context") &&
           (import_head_has_key(head, "library_build_type") ||
            import_head_has_key(head, "mhz_per_cpu") || import_head_has_key(head, "real_time"));
}

static tare_status read_file(struct import_source *source, struct import_sink *sink,
                             struct tare_error *error)
{
    struct arena lasting = {0};
    struct arena rows = {0};
    struct reading reading = {.stream = json_stream_new(&lasting, source),
                              .source = source,
                              .sink = sink,
                              .arena = &rows};
    import_sink_read(sink, source);
    bool is_found = false;
    tare_status status = json_stream_find(reading.stream, &is_found, error);
    if (status == TARE_OK && !is_found) {
        status = import_fail(source, error, "no JSON object in it");
    }
    while (status == TARE_OK && is_found) {
        status = read_document(&reading, error);
        reading.process++;
        if (status == TARE_OK) {
            status = json_stream_find(reading.stream, &is_found, error);
        }
    }
    arena_free(&rows);
    arena_free(&lasting);
    return status;
}

const struct import_format import_gbench = {
    .name = "gbench",
    .description = "Google Benchmark: --benchmark_out=FILE, --benchmark_format=json",
    .looked_for = "\"context\" with \"library_build_type\" (Google Benchmark)",
    .recognise = recognise,
    .read = read_file,
};

static tare_status read_document(struct reading *reading, struct tare_error *error)
{
    struct json_stream *stream = reading->stream;
    tare_status status = json_stream_next(stream, error);
    if (status == TARE_OK && stream->event != JSON_EVENT_OBJECT) {
        return import_fail(reading->source, error, "a list where an object should stand");
    }
    bool has_rows = false;
    while (json_stream_key(stream, &status, error)) {
        if (json_stream_is_key(stream, "context")) {
            status = read_context(reading, error);
        } else if (json_stream_is_key(stream, "benchmarks")) {
            has_rows = true;
            status = read_rows(reading, error);
        } else {
            status = json_stream_skip(stream, error);
        }
    }
    if (status == TARE_OK && !has_rows) {
        status = import_fail(reading->source, error,
                             "the object that ends here has no list \"benchmarks\"");
    }
    return status;
}

/* ---- context ---- */

/* Scalars of the context and where they go; the rest (user's strings) are conditions. */
static const struct {
    const char *key;
    const char *fact;
    bool is_identity;
} context_facts[] = {
    {"host_name", "host", true},
    {"num_cpus", "cpus", true},
    {"mhz_per_cpu", "mhz", false},
    {"cpu_scaling_enabled", "cpu_scaling", false},
    {"aslr_enabled", "aslr", false},
    {"library_version", "harness_version", false},
    {"library_build_type", "library_build_type", false},
    {"executable", "executable", false},
};

static void keep_fact(struct reading *reading, const char *key, const char *value)
{
    struct model_run *run = import_run(reading->sink);
    for (size_t i = 0; i < sizeof context_facts / sizeof *context_facts; i++) {
        if (strcmp(context_facts[i].key, key) == 0) {
            import_field(reading->sink,
                         context_facts[i].is_identity ? &run->machine.identity
                                                      : &run->machine.conditions,
                         context_facts[i].fact, value);
            return;
        }
    }
    if (strcmp(key, "date") == 0) {
        run->started_unix_ns =
            run->started_unix_ns == 0 ? import_time_parse(value) : run->started_unix_ns;
    } else if (strcmp(key, "json_schema_version") != 0) {
        import_field(reading->sink, &run->machine.conditions, key, value);
    }
}

static tare_status read_context(struct reading *reading, struct tare_error *error)
{
    struct json_stream *stream = reading->stream;
    bool is_there = false;
    tare_status status = json_stream_object(stream, &is_there, error);
    while (is_there && json_stream_key(stream, &status, error)) {
        const char *key = arena_strndup(reading->arena, stream->text, stream->text_length);
        status = json_stream_next(stream, error);
        if (status != TARE_OK) {
            break;
        }
        if (stream->event == JSON_EVENT_TEXT || stream->event == JSON_EVENT_NUMBER) {
            keep_fact(reading, key, stream->text);
        } else if (stream->event == JSON_EVENT_TRUE || stream->event == JSON_EVENT_FALSE) {
            keep_fact(reading, key, stream->event == JSON_EVENT_TRUE ? "yes" : "no");
        } else {
            status = json_stream_skip(stream, error); /* caches, load_avg */
        }
    }
    const char *build =
        model_field_get(&import_run(reading->sink)->machine.conditions, "library_build_type");
    if (status == TARE_OK && build != NULL && strcmp(build, "debug") == 0 &&
        reading->process == 0) {
        model_run_warn(import_arena(reading->sink), import_run(reading->sink),
                       "Google Benchmark itself was built for debugging: its own cost is in the "
                       "times");
    }
    return status;
}

/* ---- rows ---- */

static tare_status read_rows(struct reading *reading, struct tare_error *error)
{
    struct json_stream *stream = reading->stream;
    bool is_there = false;
    tare_status status = json_stream_array(stream, &is_there, error);
    while (is_there && json_stream_item(stream, &status, error)) {
        struct arena_mark mark = arena_mark(reading->arena);
        struct row row = {.iterations = NAN, .real_time = NAN, .cpu_time = NAN};
        if (stream->event != JSON_EVENT_OBJECT) {
            return import_fail(reading->source, error, "%s where a row should stand",
                               json_stream_shown(stream, reading->arena));
        }
        status = read_row(reading, &row, error);
        if (status == TARE_OK) {
            status = keep_row(reading, &row, error);
        }
        reading->row_count++;
        arena_reset(reading->arena, mark);
    }
    return status;
}

static bool is_fact(const struct json_stream *stream)
{
    for (size_t i = 0; i < sizeof facts / sizeof *facts; i++) {
        if (json_stream_is_key(stream, facts[i])) {
            return true;
        }
    }
    return false;
}

/* A member that is none of the format's own: a number is a counter, anything else is passed over.
 */
static tare_status read_counter(struct reading *reading, struct row *row, struct tare_error *error)
{
    struct json_stream *stream = reading->stream;
    if (is_fact(stream)) {
        return json_stream_skip(stream, error);
    }
    const char *key = arena_strndup(reading->arena, stream->text, stream->text_length);
    tare_status status = json_stream_next(stream, error);
    if (status != TARE_OK || stream->event != JSON_EVENT_NUMBER) {
        return status == TARE_OK ? json_stream_skip(stream, error) : status;
    }
    if (row->counter_count == COUNTERS_MAX) {
        return import_fail(reading->source, error, "a row with more than %d counters",
                           COUNTERS_MAX);
    }
    row->counters[row->counter_count++] = (struct counter){.key = key, .value = stream->number};
    return TARE_OK;
}

static tare_status read_member(struct reading *reading, struct row *row, struct tare_error *error)
{
    struct json_stream *stream = reading->stream;
    const struct {
        const char *key;
        const char **text;
        double *number;
        bool *flag;
    } members[] = {
        {"name", &row->name, NULL, NULL},
        {"run_name", &row->run_name, NULL, NULL},
        {"run_type", &row->run_type, NULL, NULL},
        {"real_time", NULL, &row->real_time, NULL},
        {"cpu_time", NULL, &row->cpu_time, NULL},
        {"time_unit", &row->time_unit, NULL, NULL},
        {"iterations", NULL, &row->iterations, NULL},
        {"aggregate_name", &row->aggregate_name, NULL, NULL},
        {"aggregate_unit", &row->aggregate_unit, NULL, NULL},
        {"error_occurred", NULL, NULL, &row->is_failed},
        {"error_message", &row->error_message, NULL, NULL},
        {"skipped", NULL, NULL, &row->is_skipped},
        {"skip_message", &row->skip_message, NULL, NULL},
    };
    for (size_t i = 0; i < sizeof members / sizeof *members; i++) {
        if (!json_stream_is_key(stream, members[i].key)) {
            continue;
        }
        row->has_time = row->has_time || members[i].number == &row->real_time;
        return members[i].text != NULL
                   ? json_stream_text(stream, reading->arena, members[i].text, error)
               : members[i].number != NULL ? json_stream_number(stream, members[i].number, error)
                                           : json_stream_bool(stream, members[i].flag, error);
    }
    return read_counter(reading, row, error);
}

static tare_status read_row(struct reading *reading, struct row *row, struct tare_error *error)
{
    tare_status status = TARE_OK;
    while (json_stream_key(reading->stream, &status, error)) {
        status = read_member(reading, row, error);
    }
    return status;
}

/* ---- a row becomes values ---- */

static const char *shown(struct reading *reading, const char *text)
{
    return text_printable(reading->arena, text, 60);
}

/* A benchmark that failed or was declined says so once, whatever its other repetitions did. */
static void keep_failure(struct reading *reading, const struct row *row,
                         struct model_benchmark *benchmark)
{
    const char *message = row->is_failed ? row->error_message : row->skip_message;
    if (benchmark->state == MODEL_STATE_FAILED) {
        return;
    }
    benchmark->state = row->is_failed ? MODEL_STATE_FAILED : MODEL_STATE_SKIPPED;
    benchmark->reason = arena_strdup(
        import_arena(reading->sink),
        text_printable(reading->arena, message != NULL ? message : "no reason given", 1000));
}

static tare_status keep_counter(struct reading *reading, const struct counter *counter,
                                int64_t process, struct tare_error *error)
{
    for (size_t i = 0; i < sizeof known_counters / sizeof *known_counters; i++) {
        if (strcmp(known_counters[i].key, counter->key) == 0) {
            const struct import_value value = {.metric = known_counters[i].metric,
                                               .unit = known_counters[i].unit,
                                               .better = known_counters[i].better,
                                               .value = counter->value,
                                               .process = process};
            return import_add(reading->sink, &value, error);
        }
    }
    const struct import_value value = {
        .metric = counter->key, .value = counter->value, .process = process};
    return import_add_open(reading->sink, &value, error);
}

static tare_status keep_values(struct reading *reading, const struct row *row, double factor,
                               int64_t process, struct tare_error *error)
{
    struct import_value value = {.metric = "time",
                                 .unit = "ns",
                                 .written_unit = row->time_unit,
                                 .better = MODEL_LOWER_IS_BETTER,
                                 .value = row->real_time * factor,
                                 .process = process};
    tare_status status = import_add(reading->sink, &value, error);
    value.metric = "cpu";
    value.value = row->cpu_time * factor;
    if (status == TARE_OK) {
        status = import_add(reading->sink, &value, error);
    }
    for (ptrdiff_t i = 0; status == TARE_OK && i < row->counter_count; i++) {
        status = keep_counter(reading, &row->counters[i], process, error);
    }
    return status;
}

/* The one aggregate of a benchmark that stands for it when there are no repetitions: the median,
 * which the library writes behind the mean, so that it is there whenever the mean is. Others
 * (deviations, percentages, complexities) are no values of the benchmark. */
static bool is_kept_aggregate(const struct row *row)
{
    return row->aggregate_name != NULL && strcmp(row->aggregate_name, "median") == 0 &&
           (row->aggregate_unit == NULL || strcmp(row->aggregate_unit, "time") == 0);
}

static tare_status keep_row(struct reading *reading, const struct row *row,
                            struct tare_error *error)
{
    bool is_aggregate = row->aggregate_name != NULL ||
                        (row->run_type != NULL && strcmp(row->run_type, "aggregate") == 0);
    if (is_aggregate && !is_kept_aggregate(row)) {
        return TARE_OK;
    }
    /* Before 1.5 there was no run_name; repetitions then had the benchmark's own. */
    const char *name = row->run_name != NULL ? row->run_name : row->name;
    if (name == NULL) {
        return import_fail(reading->source, error, "the row that ends here has no \"name\"");
    }
    struct model_benchmark *benchmark = NULL;
    tare_status status =
        import_benchmark(reading->sink, &(struct import_name){.name = name}, &benchmark, error);
    if (status != TARE_OK || (is_aggregate && benchmark->launch_count > 0)) {
        return status;
    }
    if (row->is_failed || row->is_skipped) {
        keep_failure(reading, row, benchmark);
        return TARE_OK; /* its times are zeros that mean nothing */
    }
    double factor = import_time_factor(row->time_unit);
    if (!row->has_time || factor == 0) {
        return import_fail(reading->source, error, "the row of '%s' that ends here has no %s",
                           shown(reading, name),
                           row->has_time ? "time unit that is known (ns, us, ms, s)"
                                         : "\"real_time\"");
    }
    if (!is_aggregate && row->iterations >= 1) {
        benchmark->iterations = row->iterations;
    }
    return keep_values(reading, row, factor, is_aggregate ? IMPORT_POINT : reading->process, error);
}
