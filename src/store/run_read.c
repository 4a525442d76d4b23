/* run_read.c: a run comes out: which one is meant, and all of it.
 *
 * One query per table for the whole run, each in the order benchmarks were saved, so that a cursor
 * that only moves forward finds the benchmark a row belongs to. Everything read is checked against
 * the model's limits: a file from outside may hold anything. */
#include "store/internal.h"

#include "base/assert.h"
#include "base/text.h"
#include "base/unit.h"

#include <jansson.h>
#include <math.h>
#include <string.h>

/* How much of it is read. */
enum detail {
    DETAIL_FIGURES, /* no samples, launches or warnings of benchmarks */
    DETAIL_BARE,    /* no samples */
    DETAIL_ALL,
};

/* A run being read: where its benchmarks' keys are. */
struct loading {
    struct store *store;
    struct arena *arena;
    struct model_run *run;
    struct tare_error *error;
    int64_t key;
    int64_t *benchmark_keys; /* ascending, one per benchmark */
    ptrdiff_t key_capacity;
    ptrdiff_t cursor;
    enum detail detail;
    const char *last_name; /* of the metric before: most metrics share a few names and units */
    const char *last_unit;
};

static tare_status load_head(struct loading *loading, const char *id);
static tare_status load_fields(struct loading *loading, enum store_query query, const char *kind,
                               struct model_fields *fields);
static tare_status load_run_warnings(struct loading *loading);
static tare_status load_benchmarks(struct loading *loading);
static tare_status load_benchmark_warnings(struct loading *loading);
static void read_launches(struct loading *loading, struct row *row,
                          struct model_benchmark *benchmark);
static tare_status load_metrics(struct loading *loading);
static tare_status load_histograms(struct loading *loading);

/* One read transaction around the queries: a writer in between must not show half a benchmark. */
static tare_status load_all(struct loading *loading, const char *selector)
{
    char id[27];
    struct model_run *run = loading->run;
    tare_status status = store_run_resolve(loading->store, selector, id, loading->error);
    if (status == TARE_OK) {
        status = load_head(loading, id);
    }
    if (status == TARE_OK) {
        status = load_fields(loading, QUERY_MACHINE_FIELDS, NULL, &run->machine.identity);
    }
    if (status == TARE_OK) {
        status = load_fields(loading, QUERY_RUN_FIELDS, "condition", &run->machine.conditions);
    }
    if (status == TARE_OK) {
        status = load_fields(loading, QUERY_RUN_FIELDS, "environment", &run->environment);
    }
    if (status == TARE_OK) {
        status = load_run_warnings(loading);
    }
    if (status == TARE_OK) {
        status = load_benchmarks(loading);
    }
    if (status == TARE_OK && loading->detail != DETAIL_FIGURES) {
        status = load_benchmark_warnings(loading);
    }
    if (status == TARE_OK) {
        status = load_metrics(loading);
    }
    if (status == TARE_OK && loading->detail == DETAIL_ALL) {
        status = load_histograms(loading);
    }
    return status;
}

static tare_status load(struct store *store, struct arena *arena, const char *selector,
                        enum detail detail, struct model_run *run, struct tare_error *error)
{
    *run = (struct model_run){0};
    struct loading loading = {
        .store = store, .arena = arena, .run = run, .error = error, .detail = detail};
    tare_status status = store_begin_read(store, error);
    if (status != TARE_OK) {
        return status;
    }
    return store_end(store, load_all(&loading, selector), error);
}

tare_status store_run_load(struct store *store, struct arena *arena, const char *selector,
                           bool with_samples, struct model_run *run, struct tare_error *error)
{
    return load(store, arena, selector, with_samples ? DETAIL_ALL : DETAIL_BARE, run, error);
}

tare_status store_run_figures(struct store *store, struct arena *arena, const char *selector,
                              struct model_run *run, struct tare_error *error)
{
    return load(store, arena, selector, DETAIL_FIGURES, run, error);
}

/* ---- the run itself ---- */

static tare_status load_head(struct loading *loading, const char *id)
{
    struct model_run *run = loading->run;
    struct arena *arena = loading->arena;
    struct row row = row_open(loading->store, QUERY_RUN_SELECT, loading->error);
    row_bind_text(&row, id);
    if (row_next(&row)) {
        loading->key = row_int(&row);
        row_id(&row, run->id, sizeof run->id);
        run->started_unix_ns = row_int(&row);
        run->finished_unix_ns = row_int(&row);
        run->state = (enum model_run_state)row_word_index(&row, store_run_state_words, 4);
        run->project = row_text(&row, arena);
        run->command = row_text(&row, arena);
        run->tare_version = row_text(&row, arena);
        run->seed = (uint64_t)row_int(&row);
        run->confidence = row_finite(&row);
        row_id(&row, run->machine.id, sizeof run->machine.id);
        run->commit.is_known = row_bool(&row);
        run->commit.hash = row_text(&row, arena);
        run->commit.branch = row_text(&row, arena);
        run->commit.subject = row_text(&row, arena);
        run->commit.is_dirty = row_bool(&row);
    } else if (row.status == TARE_OK) {
        row.status =
            store_damaged(loading->store, loading->error, "a run found by its id is not there");
    }
    return row_close(&row);
}

static tare_status load_fields(struct loading *loading, enum store_query query, const char *kind,
                               struct model_fields *fields)
{
    struct row row = row_open(loading->store, query, loading->error);
    if (kind == NULL) {
        row_bind_text(&row, loading->run->machine.id);
    } else {
        row_bind_int(&row, loading->key);
        row_bind_text(&row, kind);
    }
    while (row_next(&row)) {
        const char *key = row_word(&row, loading->arena);
        const char *value = row_word(&row, loading->arena);
        if (fields->count >= MODEL_FIELDS_MAX) {
            row.status =
                store_damaged(loading->store, loading->error, "too many facts about a machine");
            break;
        }
        fields->items = arena_grow(loading->arena, fields->items, &fields->capacity,
                                   fields->count + 1, sizeof *fields->items);
        fields->items[fields->count++] = (struct model_field){.key = key, .value = value};
    }
    return row_close(&row);
}

static tare_status load_run_warnings(struct loading *loading)
{
    struct model_run *run = loading->run;
    struct row row = row_open(loading->store, QUERY_RUN_WARNINGS, loading->error);
    row_bind_int(&row, loading->key);
    while (row_next(&row)) {
        const char *text = row_word(&row, loading->arena);
        run->warnings = arena_grow(loading->arena, run->warnings, &run->warning_capacity,
                                   run->warning_count + 1, sizeof *run->warnings);
        run->warnings[run->warning_count++] = text;
    }
    return row_close(&row);
}

/* ---- benchmarks ---- */

static void read_parameters(struct loading *loading, struct row *row,
                            struct model_benchmark *benchmark)
{
    const char *text = row_word(row, loading->arena);
    if (strcmp(text, "{}") == 0 || row->status != TARE_OK) {
        return;
    }
    json_error_t cause = {0};
    json_t *object = json_loads(text, JSON_REJECT_DUPLICATES, &cause);
    size_t count = json_object_size(object);
    bool is_good = json_is_object(object) && count <= MODEL_PARAMETERS_MAX;
    const char *name;
    json_t *value;
    if (is_good) {
        benchmark->parameters =
            ARENA_ARRAY(loading->arena, struct model_parameter, (ptrdiff_t)count);
        json_object_foreach(object, name, value)
        {
            struct model_parameter *parameter =
                &benchmark->parameters[benchmark->parameter_count++];
            is_good = is_good && json_is_string(value);
            parameter->name = arena_strdup(loading->arena, name);
            parameter->value =
                json_is_string(value) ? arena_strdup(loading->arena, json_string_value(value)) : "";
        }
    }
    bool is_memory_gone = object == NULL && json_error_code(&cause) == json_error_out_of_memory;
    json_decref(object);
    if (is_memory_gone) {
        row->status =
            error_set(loading->error, TARE_ERROR_MEMORY, "out of memory while reading a benchmark");
    } else if (!is_good) {
        row->status = store_damaged(loading->store, loading->error,
                                    "parameters of a benchmark cannot be read");
    }
}

static void read_benchmark(struct loading *loading, struct row *row)
{
    struct model_run *run = loading->run;
    struct arena *arena = loading->arena;
    struct model_benchmark *benchmark = model_run_add_benchmark(arena, run);
    loading->benchmark_keys = arena_grow(arena, loading->benchmark_keys, &loading->key_capacity,
                                         run->benchmark_count, sizeof *loading->benchmark_keys);
    loading->benchmark_keys[run->benchmark_count - 1] = row_int(row);
    benchmark->suite = row_word(row, arena);
    benchmark->name = row_word(row, arena);
    benchmark->variant = row_word(row, arena);
    read_parameters(loading, row, benchmark);
    benchmark->is_reference = row_bool(row);
    benchmark->size_parameter = row_text(row, arena);
    benchmark->state = (enum model_state)row_word_index(row, store_state_words, 4);
    benchmark->reason = row_text(row, arena);
    benchmark->check = (enum model_check)row_word_index(row, store_check_words, 3);
    benchmark->check_detail = row_text(row, arena);
    benchmark->iterations = row_finite(row);
    benchmark->overhead_ns = row_finite(row);
    benchmark->timer_floor_ns = row_finite(row);
    if (loading->detail != DETAIL_FIGURES) {
        read_launches(loading, row, benchmark);
    }
}

static tare_status load_benchmarks(struct loading *loading)
{
    struct row row =
        row_open(loading->store,
                 loading->detail == DETAIL_FIGURES ? QUERY_BENCHMARKS_BARE : QUERY_BENCHMARKS,
                 loading->error);
    row_bind_int(&row, loading->key);
    while (row_next(&row)) {
        if (loading->run->benchmark_count >= MODEL_BENCHMARKS_MAX) {
            row.status =
                store_damaged(loading->store, loading->error, "too many benchmarks in a run");
            break;
        }
        read_benchmark(loading, &row);
    }
    return row_close(&row);
}

/* A query over the parts of all benchmarks: its first column is the benchmark's key, never going
 * back. */
static struct row open_parts(struct loading *loading, enum store_query query)
{
    struct row row = row_open(loading->store, query, loading->error);
    row_bind_int(&row, loading->key);
    loading->cursor = 0;
    return row;
}

static struct model_benchmark *next_part(struct loading *loading, struct row *row)
{
    if (!row_next(row)) {
        return NULL;
    }
    int64_t key = row_int(row);
    while (loading->cursor < loading->run->benchmark_count &&
           loading->benchmark_keys[loading->cursor] != key) {
        loading->cursor++;
    }
    if (loading->cursor == loading->run->benchmark_count) {
        row->status =
            store_damaged(loading->store, loading->error, "its tables contradict each other");
        return NULL;
    }
    return &loading->run->benchmarks[loading->cursor];
}

static tare_status load_benchmark_warnings(struct loading *loading)
{
    struct row row = open_parts(loading, QUERY_BENCHMARK_WARNINGS);
    struct model_benchmark *benchmark;
    while ((benchmark = next_part(loading, &row)) != NULL) {
        const char *text = row_word(&row, loading->arena);
        benchmark->warnings =
            arena_grow(loading->arena, benchmark->warnings, &benchmark->warning_capacity,
                       benchmark->warning_count + 1, sizeof *benchmark->warnings);
        benchmark->warnings[benchmark->warning_count++] = text;
    }
    return row_close(&row);
}

/* ---- samples ---- */

static tare_status samples_unreadable(struct loading *loading,
                                      const struct model_benchmark *benchmark, const char *part,
                                      const struct tare_error *cause)
{
    const char *label =
        text_printable(loading->arena, model_benchmark_label(loading->arena, benchmark), 80);
    return error_set(loading->error, cause->status,
                     "store '%s': run %s, benchmark '%s', %s: %s; 'tare runs check' finds all",
                     loading->store->path, loading->run->id, label,
                     text_printable(loading->arena, part, 80), cause->message);
}

static void read_launches(struct loading *loading, struct row *row,
                          struct model_benchmark *benchmark)
{
    struct tare_error cause = {0};
    int64_t count = row_int(row);
    struct samples_blob blob = row_blob(row);
    if (row->status != TARE_OK) {
        return;
    }
    tare_status status =
        samples_launches_decode(loading->store->codec, loading->arena, blob, benchmark, &cause);
    if (status == TARE_OK && benchmark->launch_count != count) {
        status = error_set(&cause, TARE_ERROR_IO, "%td launches where %lld were stored",
                           benchmark->launch_count, (long long)count);
    }
    if (status != TARE_OK) {
        row->status = samples_unreadable(loading, benchmark, "launches", &cause);
    }
}

static void read_samples(struct loading *loading, struct row *row,
                         const struct model_benchmark *benchmark, struct model_metric *metric,
                         int64_t sample_count)
{
    struct tare_error cause = {0};
    struct samples_blob blob = row_blob(row);
    if (row->status != TARE_OK) {
        return;
    }
    tare_status status =
        samples_decode(loading->store->codec, loading->arena, blob, metric, &cause);
    if (status == TARE_OK && metric->count != sample_count) {
        status = error_set(&cause, TARE_ERROR_IO, "%td samples where %lld were stored",
                           metric->count, (long long)sample_count);
    }
    for (ptrdiff_t i = 0; status == TARE_OK && benchmark->launch_count > 0 && i < metric->count;
         i++) {
        if (metric->launches[i] >= benchmark->launch_count) {
            status =
                error_set(&cause, TARE_ERROR_IO, "sample %td is of a launch that is not there", i);
        }
    }
    if (status != TARE_OK) {
        row->status = samples_unreadable(loading, benchmark, metric->name, &cause);
    }
}

/* A word that is often the same as the last one is kept once. */
static const char *repeated_word(struct loading *loading, struct row *row, const char **last)
{
    const char *text = row_peek(row);
    if (*last == NULL || text == NULL || strcmp(*last, text) != 0) {
        *last = row_word(row, loading->arena);
    } else {
        row->column++;
    }
    return *last;
}

static void read_figures(struct row *row, int64_t sample_count, struct model_figures *figures)
{
    double launches = row_double(row);
    double median = row_double(row);
    double min = row_double(row);
    double max = row_double(row);
    double centre_log = row_double(row);
    double centre_variance = row_double(row);
    double mean_log = row_double(row);
    double tail_log = row_double(row);
    /* Made from samples that are there: anything else was put in by someone else. */
    if (!(launches >= 1 && launches <= (double)sample_count) || !isfinite(median) ||
        !isfinite(min) || !isfinite(max)) {
        return;
    }
    *figures = (struct model_figures){
        .is_known = true,
        .launches = (ptrdiff_t)launches,
        .count = (ptrdiff_t)sample_count,
        .median = median,
        .min = min,
        .max = max,
        .has_logs = isfinite(centre_log) && isfinite(mean_log) && centre_variance >= 0 &&
                    isfinite(centre_variance),
    };
    if (figures->has_logs) {
        figures->centre_log = centre_log;
        figures->centre_variance = centre_variance;
        figures->mean_log = mean_log;
        figures->has_tail = isfinite(tail_log);
        figures->tail_log = figures->has_tail ? tail_log : 0;
    }
}

static tare_status load_metrics(struct loading *loading)
{
    bool with_samples = loading->detail == DETAIL_ALL;
    struct row row = open_parts(loading, with_samples ? QUERY_METRICS : QUERY_METRICS_BARE);
    struct model_benchmark *benchmark;
    while ((benchmark = next_part(loading, &row)) != NULL) {
        if (benchmark->metric_count >= MODEL_METRICS_MAX) {
            row.status =
                store_damaged(loading->store, loading->error, "too many metrics in a benchmark");
            break;
        }
        benchmark->metrics =
            arena_grow(loading->arena, benchmark->metrics, &benchmark->metric_capacity,
                       benchmark->metric_count + 1, sizeof *benchmark->metrics);
        struct model_metric *metric = &benchmark->metrics[benchmark->metric_count++];
        *metric = (struct model_metric){.name = repeated_word(loading, &row, &loading->last_name)};
        metric->unit = repeated_word(loading, &row, &loading->last_unit);
        metric->better = (enum model_better)row_word_index(&row, store_better_words, 2);
        metric->is_exact = row_bool(&row);
        metric->invalid_reason = row_text(&row, loading->arena);
        int64_t sample_count = row_int(&row);
        if (with_samples) {
            read_samples(loading, &row, benchmark, metric, sample_count);
        } else {
            row.column++;
        }
        read_figures(&row, sample_count, &metric->figures);
    }
    return row_close(&row);
}

static tare_status load_histograms(struct loading *loading)
{
    struct row row = open_parts(loading, QUERY_HISTOGRAMS);
    struct model_benchmark *benchmark;
    while ((benchmark = next_part(loading, &row)) != NULL) {
        struct tare_error cause = {0};
        int64_t count = row_int(&row);
        struct samples_blob blob = row_blob(&row);
        if (row.status != TARE_OK) {
            break;
        }
        tare_status status = samples_histograms_decode(loading->store->codec, loading->arena, blob,
                                                       benchmark, &cause);
        if (status == TARE_OK && benchmark->histogram_count != count) {
            status = error_set(&cause, TARE_ERROR_IO, "%td histograms where %lld were stored",
                               benchmark->histogram_count, (long long)count);
        }
        if (status != TARE_OK) {
            row.status = samples_unreadable(loading, benchmark, "histograms", &cause);
        }
    }
    return row_close(&row);
}
