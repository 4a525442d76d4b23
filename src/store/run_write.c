/* run_write.c: a run goes in: begin, one save per benchmark, finish. Each is one transaction.
 *
 * What is written is checked first: names within the model's limits, numbers finite, so that
 * nothing can be stored that a reader would have to refuse. */
#include "store/internal.h"

#include "base/assert.h"
#include "base/buffer.h"
#include "base/text.h"

#include <math.h>
#include <string.h>

static tare_status insert_machine(struct store *store, const struct model_machine *machine,
                                  struct tare_error *error);
static tare_status insert_run(struct store *store, const struct model_run *run,
                              struct tare_error *error);
static tare_status insert_fields(struct store *store, int64_t run, const char *kind,
                                 const struct model_fields *fields, struct tare_error *error);
static tare_status insert_warnings(struct store *store, enum store_query query, int64_t owner,
                                   const char *const *texts, ptrdiff_t count,
                                   struct tare_error *error);
static tare_status find_run(struct store *store, const char *run_id, int64_t *key,
                            struct tare_error *error);
static tare_status check_benchmark(struct arena *arena, const struct model_benchmark *benchmark,
                                   struct tare_error *error);
static tare_status insert_benchmark(struct store *store, struct arena *arena, const char *run_id,
                                    const struct model_benchmark *benchmark,
                                    struct tare_error *error);

tare_status store_run_begin(struct store *store, const struct model_run *run,
                            struct tare_error *error)
{
    TARE_ASSERT(store->mode == STORE_WRITE);
    TARE_ASSERT(strlen(run->id) == 26 && strlen(run->machine.id) == 32);
    if (!isfinite(run->confidence)) {
        return error_set(error, TARE_ERROR_MEASURE, "the run's confidence is not a finite number");
    }
    tare_status status = store_begin(store, error);
    if (status != TARE_OK) {
        return status;
    }
    status = insert_machine(store, &run->machine, error);
    if (status == TARE_OK) {
        status = insert_run(store, run, error);
    }
    int64_t key = sqlite3_last_insert_rowid(store->database);
    if (status == TARE_OK) {
        status = insert_fields(store, key, "condition", &run->machine.conditions, error);
    }
    if (status == TARE_OK) {
        status = insert_fields(store, key, "environment", &run->environment, error);
    }
    return store_end(store, status, error);
}

tare_status store_benchmark_save(struct store *store, const char *run_id,
                                 const struct model_benchmark *benchmark, struct tare_error *error)
{
    TARE_ASSERT(store->mode == STORE_WRITE);
    struct arena scratch = {0};
    tare_status status = check_benchmark(&scratch, benchmark, error);
    if (status == TARE_OK) {
        status = store_begin(store, error);
        if (status == TARE_OK) {
            status = insert_benchmark(store, &scratch, run_id, benchmark, error);
            status = store_end(store, status, error);
        }
    }
    arena_free(&scratch);
    return status;
}

static tare_status delete_of_run(struct store *store, enum store_query query, int64_t run,
                                 struct tare_error *error)
{
    struct row row = row_open(store, query, error);
    row_bind_int(&row, run);
    return row_run(&row);
}

static tare_status update_run(struct store *store, int64_t key, const struct model_run *run,
                              struct tare_error *error)
{
    struct row row = row_open(store, QUERY_RUN_FINISH, error);
    row_bind_text(&row, store_run_state_words[run->state]);
    row_bind_int(&row, run->finished_unix_ns);
    row_bind_int(&row, key);
    return row_run(&row);
}

tare_status store_run_finish(struct store *store, const struct model_run *run,
                             struct tare_error *error)
{
    TARE_ASSERT(store->mode == STORE_WRITE && run->state != MODEL_RUN_RUNNING);
    tare_status status = store_begin(store, error);
    if (status != TARE_OK) {
        return status;
    }
    int64_t key = 0;
    status = find_run(store, run->id, &key, error);
    if (status == TARE_OK) {
        status = update_run(store, key, run, error);
    }
    if (status == TARE_OK) {
        status = delete_of_run(store, QUERY_RUN_FIELDS_DELETE, key, error);
    }
    if (status == TARE_OK) {
        status = insert_fields(store, key, "condition", &run->machine.conditions, error);
    }
    if (status == TARE_OK) {
        status = insert_fields(store, key, "environment", &run->environment, error);
    }
    if (status == TARE_OK) {
        status = delete_of_run(store, QUERY_RUN_WARNINGS_DELETE, key, error);
    }
    if (status == TARE_OK) {
        status = insert_warnings(store, QUERY_RUN_WARNING_INSERT, key, run->warnings,
                                 run->warning_count, error);
    }
    return store_end(store, status, error);
}

/* ---- the run ---- */

static tare_status insert_machine(struct store *store, const struct model_machine *machine,
                                  struct tare_error *error)
{
    struct row row = row_open(store, QUERY_MACHINE_INSERT, error);
    row_bind_text(&row, machine->id);
    tare_status status = row_run(&row);
    for (ptrdiff_t i = 0; status == TARE_OK && i < machine->identity.count; i++) {
        struct row field = row_open(store, QUERY_MACHINE_FIELD_INSERT, error);
        row_bind_text(&field, machine->id);
        row_bind_text(&field, machine->identity.items[i].key);
        row_bind_text(&field, machine->identity.items[i].value);
        status = row_run(&field);
    }
    return status;
}

static tare_status insert_run(struct store *store, const struct model_run *run,
                              struct tare_error *error)
{
    struct row row = row_open(store, QUERY_RUN_INSERT, error);
    row_bind_text(&row, run->id);
    row_bind_int(&row, run->started_unix_ns);
    row_bind_text(&row, run->project);
    row_bind_text(&row, run->command);
    row_bind_text(&row, run->tare_version);
    row_bind_int(&row, (int64_t)run->seed);
    row_bind_double(&row, run->confidence);
    row_bind_text(&row, run->machine.id);
    row_bind_int(&row, run->commit.is_known);
    row_bind_text(&row, run->commit.hash);
    row_bind_text(&row, run->commit.branch);
    row_bind_text(&row, run->commit.subject);
    row_bind_int(&row, run->commit.is_dirty);
    return row_run(&row);
}

static tare_status insert_fields(struct store *store, int64_t run, const char *kind,
                                 const struct model_fields *fields, struct tare_error *error)
{
    tare_status status = TARE_OK;
    for (ptrdiff_t i = 0; status == TARE_OK && i < fields->count; i++) {
        struct row row = row_open(store, QUERY_RUN_FIELD_INSERT, error);
        row_bind_int(&row, run);
        row_bind_text(&row, kind);
        row_bind_text(&row, fields->items[i].key);
        row_bind_text(&row, fields->items[i].value);
        status = row_run(&row);
    }
    return status;
}

static tare_status insert_warnings(struct store *store, enum store_query query, int64_t owner,
                                   const char *const *texts, ptrdiff_t count,
                                   struct tare_error *error)
{
    tare_status status = TARE_OK;
    for (ptrdiff_t i = 0; status == TARE_OK && i < count; i++) {
        struct row row = row_open(store, query, error);
        row_bind_int(&row, owner);
        row_bind_int(&row, i);
        row_bind_text(&row, texts[i]);
        status = row_run(&row);
    }
    return status;
}

static tare_status find_run(struct store *store, const char *run_id, int64_t *key,
                            struct tare_error *error)
{
    struct row row = row_open(store, QUERY_RUN_KEY, error);
    row_bind_text(&row, run_id);
    bool is_found = row_next(&row);
    if (is_found) {
        *key = row_int(&row);
    }
    tare_status status = row_close(&row);
    if (status == TARE_OK && !is_found) {
        status = error_set(error, TARE_ERROR_IO,
                           "run %s is no longer in store '%s': was it pruned meanwhile?", run_id,
                           store->path);
    }
    return status;
}

/* ---- checks ---- */

static tare_status refuse(struct arena *arena, const struct model_benchmark *benchmark,
                          const char *what, struct tare_error *error)
{
    return error_set(error, TARE_ERROR_MEASURE, "benchmark '%s' is not kept: %s",
                     text_printable(arena, benchmark->name, 60), what);
}

static const char *flaw_in_names(const struct model_benchmark *benchmark)
{
    if (!model_name_is_valid(benchmark->name)) {
        return "its name is empty, longer than 1,024 bytes, not UTF-8 or has control characters";
    }
    if (benchmark->suite[0] != '\0' && !model_name_is_valid(benchmark->suite)) {
        return "its suite's name is longer than 1,024 bytes, not UTF-8 or has control characters";
    }
    if (benchmark->variant[0] != '\0' && !model_name_is_valid(benchmark->variant)) {
        return "its variant's name is longer than 1,024 bytes, not UTF-8 or has control characters";
    }
    if (benchmark->parameter_count > MODEL_PARAMETERS_MAX) {
        return "it has too many parameters";
    }
    for (ptrdiff_t i = 0; i < benchmark->parameter_count; i++) {
        const struct model_parameter *parameter = &benchmark->parameters[i];
        size_t length = strlen(parameter->value);
        if (!model_name_is_valid(parameter->name)) {
            return "a parameter's name is empty, longer than 1,024 bytes, not UTF-8 or has control "
                   "characters";
        }
        if (length > MODEL_VALUE_BYTES_MAX || !text_is_utf8(parameter->value, (ptrdiff_t)length)) {
            return "a parameter's value is longer than 4,096 bytes or not UTF-8";
        }
        if (i > 0 && strcmp(benchmark->parameters[i - 1].name, parameter->name) >= 0) {
            return "its parameters are not sorted or one is there twice";
        }
    }
    return NULL;
}

static const char *flaw_in_numbers(const struct model_benchmark *benchmark)
{
    if (!isfinite(benchmark->iterations) || !isfinite(benchmark->overhead_ns) ||
        !isfinite(benchmark->timer_floor_ns)) {
        return "its iterations or overheads are not finite numbers";
    }
    if (benchmark->launch_count > MODEL_LAUNCHES_MAX ||
        benchmark->metric_count > MODEL_METRICS_MAX) {
        return "it has too many launches or metrics";
    }
    return NULL;
}

static const char *flaw_in_metric(const struct model_benchmark *benchmark,
                                  const struct model_metric *metric)
{
    if (!model_name_is_valid(metric->name) || !model_name_is_valid(metric->unit)) {
        return "a metric's name or unit is empty, longer than 1,024 bytes, not UTF-8 or has "
               "control characters";
    }
    for (ptrdiff_t i = 0; benchmark->launch_count > 0 && i < metric->count; i++) {
        if (metric->launches[i] >= benchmark->launch_count) {
            return "a sample is of a launch that is not there";
        }
    }
    return NULL;
}

static tare_status check_benchmark(struct arena *arena, const struct model_benchmark *benchmark,
                                   struct tare_error *error)
{
    const char *flaw = flaw_in_names(benchmark);
    if (flaw == NULL) {
        flaw = flaw_in_numbers(benchmark);
    }
    for (ptrdiff_t i = 0; flaw == NULL && i < benchmark->metric_count; i++) {
        flaw = flaw_in_metric(benchmark, &benchmark->metrics[i]);
    }
    return flaw == NULL ? TARE_OK : refuse(arena, benchmark, flaw, error);
}

/* ---- the benchmark ---- */

static void append_json_text(struct buffer *out, const char *text)
{
    buffer_char(out, '"');
    for (const char *at = text; *at != '\0'; at++) {
        if (*at == '"' || *at == '\\') {
            buffer_printf(out, "\\%c", *at);
        } else if ((unsigned char)*at < 0x20) {
            buffer_printf(out, "\\u%04x", (unsigned)(unsigned char)*at);
        } else {
            buffer_char(out, *at);
        }
    }
    buffer_char(out, '"');
}

/* {"n":"64","size":"1k"}: the same parameters always give the same text, so that the text can be
 * part of a key. */
static const char *parameters_text(struct arena *arena, const struct model_benchmark *benchmark)
{
    struct buffer out = buffer_new(arena, BUFFER_LENGTH_MAX);
    buffer_char(&out, '{');
    for (ptrdiff_t i = 0; i < benchmark->parameter_count; i++) {
        buffer_text(&out, i > 0 ? "," : "");
        append_json_text(&out, benchmark->parameters[i].name);
        buffer_char(&out, ':');
        append_json_text(&out, benchmark->parameters[i].value);
    }
    buffer_char(&out, '}');
    /* 32 parameters of at most 5 KiB, each byte at most six characters: far below the buffer's
     * limit. */
    TARE_ASSERT(!out.is_full);
    return buffer_string(&out);
}

static tare_status insert_benchmark_row(struct store *store, int64_t run,
                                        const struct model_benchmark *benchmark,
                                        const char *parameters, struct samples_blob launches,
                                        struct tare_error *error)
{
    struct row row = row_open(store, QUERY_BENCHMARK_INSERT, error);
    row_bind_int(&row, run);
    row_bind_text(&row, benchmark->suite);
    row_bind_text(&row, benchmark->name);
    row_bind_text(&row, benchmark->variant);
    row_bind_text(&row, parameters);
    row_bind_int(&row, benchmark->is_reference);
    row_bind_text(&row, benchmark->size_parameter);
    row_bind_text(&row, store_state_words[benchmark->state]);
    row_bind_text(&row, benchmark->reason);
    row_bind_text(&row, store_check_words[benchmark->check]);
    row_bind_text(&row, benchmark->check_detail);
    row_bind_double(&row, benchmark->iterations);
    row_bind_double(&row, benchmark->overhead_ns);
    row_bind_double(&row, benchmark->timer_floor_ns);
    row_bind_int(&row, benchmark->launch_count);
    row_bind_blob(&row, launches);
    tare_status status = row_run(&row);
    if (status == TARE_OK && sqlite3_changes(store->database) == 0) {
        struct arena scratch = {0};
        status = refuse(&scratch, benchmark,
                        "this run has one of the same suite, name, variant and parameters already; "
                        "give them different names",
                        error);
        arena_free(&scratch);
    }
    return status;
}

static tare_status encode_launches(struct store *store, struct arena *arena,
                                   const struct model_benchmark *benchmark,
                                   struct samples_blob *launches, struct tare_error *error)
{
    struct tare_error cause = {0};
    if (samples_launches_encode(store->codec, arena, benchmark, launches, &cause) != TARE_OK) {
        return error_set(error, cause.status, "benchmark '%s' is not kept: %s", benchmark->name,
                         cause.message);
    }
    return TARE_OK;
}

static tare_status insert_figures(struct store *store, int64_t metric,
                                  const struct model_figures *figures, struct tare_error *error)
{
    struct row row = row_open(store, QUERY_FIGURES_INSERT, error);
    row_bind_int(&row, metric);
    row_bind_int(&row, figures->launches);
    row_bind_double(&row, figures->median);
    row_bind_double(&row, figures->min);
    row_bind_double(&row, figures->max);
    row_bind_double(&row, figures->has_logs ? figures->centre_log : NAN);
    row_bind_double(&row, figures->has_logs ? figures->centre_variance : NAN);
    row_bind_double(&row, figures->has_logs ? figures->mean_log : NAN);
    row_bind_double(&row, figures->has_tail ? figures->tail_log : NAN);
    return row_run(&row);
}

static tare_status insert_metrics(struct store *store, struct arena *arena, int64_t key,
                                  const struct model_benchmark *benchmark, struct tare_error *error)
{
    tare_status status = TARE_OK;
    for (ptrdiff_t i = 0; status == TARE_OK && i < benchmark->metric_count; i++) {
        const struct model_metric *metric = &benchmark->metrics[i];
        struct samples_blob blob;
        struct tare_error cause = {0};
        if (samples_encode(store->codec, arena, metric, &blob, &cause) != TARE_OK) {
            return error_set(error, cause.status, "benchmark '%s' is not kept: metric '%s': %s",
                             benchmark->name, metric->name, cause.message);
        }
        struct row row = row_open(store, QUERY_METRIC_INSERT, error);
        row_bind_int(&row, key);
        row_bind_text(&row, metric->name);
        row_bind_text(&row, metric->unit);
        row_bind_text(&row, store_better_words[metric->better]);
        row_bind_int(&row, metric->is_exact);
        row_bind_text(&row, metric->invalid_reason);
        row_bind_int(&row, metric->count);
        row_bind_blob(&row, blob);
        status = row_run(&row);
        if (status == TARE_OK && metric->figures.is_known) {
            status = insert_figures(store, sqlite3_last_insert_rowid(store->database),
                                    &metric->figures, error);
        }
    }
    return status;
}

static tare_status insert_histograms(struct store *store, struct arena *arena, int64_t key,
                                     const struct model_benchmark *benchmark,
                                     struct tare_error *error)
{
    if (benchmark->histogram_count == 0) {
        return TARE_OK;
    }
    struct samples_blob blob;
    struct tare_error cause = {0};
    if (samples_histograms_encode(store->codec, arena, benchmark, &blob, &cause) != TARE_OK) {
        return error_set(error, cause.status, "benchmark '%s' is not kept: %s", benchmark->name,
                         cause.message);
    }
    struct row row = row_open(store, QUERY_HISTOGRAMS_INSERT, error);
    row_bind_int(&row, key);
    row_bind_int(&row, benchmark->histogram_count);
    row_bind_blob(&row, blob);
    return row_run(&row);
}

static tare_status insert_benchmark(struct store *store, struct arena *arena, const char *run_id,
                                    const struct model_benchmark *benchmark,
                                    struct tare_error *error)
{
    int64_t run = 0;
    struct samples_blob launches = {0};
    tare_status status = find_run(store, run_id, &run, error);
    if (status == TARE_OK) {
        status = encode_launches(store, arena, benchmark, &launches, error);
    }
    if (status == TARE_OK) {
        status = insert_benchmark_row(store, run, benchmark, parameters_text(arena, benchmark),
                                      launches, error);
    }
    int64_t key = sqlite3_last_insert_rowid(store->database);
    if (status == TARE_OK) {
        status = insert_metrics(store, arena, key, benchmark, error);
    }
    if (status == TARE_OK) {
        status = insert_histograms(store, arena, key, benchmark, error);
    }
    if (status == TARE_OK) {
        status = insert_warnings(store, QUERY_BENCHMARK_WARNING_INSERT, key, benchmark->warnings,
                                 benchmark->warning_count, error);
    }
    return status;
}
