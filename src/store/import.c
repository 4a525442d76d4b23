/* import.c: what runs from files need besides saving: one transaction around several steps, and
 * facts and samples that come later than what they belong to. */
#include "store/import.h"

#include "store/internal.h"

#include "base/assert.h"

#include <jansson.h>
#include <string.h>

tare_status store_batch_begin(struct store *store, struct tare_error *error)
{
    TARE_ASSERT(store->mode == STORE_WRITE);
    return store_begin(store, error);
}

tare_status store_batch_end(struct store *store, tare_status status, struct tare_error *error)
{
    return store_end(store, status, error);
}

/* A statement of this file's own, used rarely; open_done ends it. */
static struct row open_own(struct store *store, const char *sql, struct tare_error *error)
{
    struct row row = {.store = store, .error = error, .status = TARE_OK, .parameter = 1};
    int code = sqlite3_prepare_v2(store->database, sql, -1, &row.statement, NULL);
    if (code != SQLITE_OK) {
        row.status = store_failed(store, code, error);
    }
    return row;
}

static tare_status close_own(struct row *row)
{
    sqlite3_finalize(row->statement);
    return row->status;
}

/* ---- taking a benchmark out ---- */

static bool has_same_parameters(const char *text, const struct model_benchmark *like)
{
    json_t *object = json_loads(text, 0, NULL);
    bool is_same =
        json_is_object(object) && json_object_size(object) == (size_t)like->parameter_count;
    for (ptrdiff_t i = 0; is_same && i < like->parameter_count; i++) {
        const char *value = json_string_value(json_object_get(object, like->parameters[i].name));
        is_same = value != NULL && strcmp(value, like->parameters[i].value) == 0;
    }
    json_decref(object);
    return is_same;
}

static void read_launches(struct row *row, struct arena *arena, struct model_benchmark *benchmark)
{
    struct samples_blob blob = row_blob(row);
    if (row->status == TARE_OK) {
        row->status =
            samples_launches_decode(row->store->codec, arena, blob, benchmark, row->error);
    }
}

/* Its row, without metrics. */
static tare_status find_saved(struct store *store, struct arena *arena, const char *run_id,
                              const struct model_benchmark *like, struct model_benchmark *benchmark,
                              int64_t *key, struct tare_error *error)
{
    struct row row =
        open_own(store,
                 "SELECT benchmark.key, parameters, benchmark.state, reason, iterations, launches "
                 "FROM benchmark JOIN run ON run.key = benchmark.run "
                 "WHERE run.id = ? AND name = ? AND suite = ? AND variant = ?",
                 error);
    row_bind_text(&row, run_id);
    row_bind_text(&row, like->name);
    row_bind_text(&row, like->suite);
    row_bind_text(&row, like->variant);
    while (*key == 0 && row_next(&row)) {
        int64_t found = row_int(&row);
        if (!has_same_parameters(row_word(&row, arena), like)) {
            continue;
        }
        *key = found;
        benchmark->state = (enum model_state)row_word_index(&row, store_state_words, 4);
        benchmark->reason = row_text(&row, arena);
        benchmark->iterations = row_finite(&row);
        read_launches(&row, arena, benchmark);
    }
    return close_own(&row);
}

static tare_status read_metrics(struct store *store, struct arena *arena, int64_t key,
                                struct model_benchmark *benchmark, struct tare_error *error)
{
    struct row row = open_own(store,
                              "SELECT name, unit, better, is_exact, invalid_reason, samples "
                              "FROM metric WHERE benchmark = ? ORDER BY key",
                              error);
    row_bind_int(&row, key);
    while (row_next(&row)) {
        const char *name = row_word(&row, arena);
        const char *unit = row_word(&row, arena);
        enum model_better better = (enum model_better)row_word_index(&row, store_better_words, 2);
        struct model_metric *metric =
            model_metric_get(arena, benchmark, name, unit, better, row_bool(&row));
        metric->invalid_reason = row_text(&row, arena);
        struct samples_blob blob = row_blob(&row);
        if (row.status == TARE_OK) {
            row.status = samples_decode(store->codec, arena, blob, metric, error);
        }
    }
    return close_own(&row);
}

static tare_status read_warnings(struct store *store, struct arena *arena, int64_t key,
                                 struct model_benchmark *benchmark, struct tare_error *error)
{
    struct row row = open_own(
        store, "SELECT text FROM benchmark_warning WHERE benchmark = ? ORDER BY number", error);
    row_bind_int(&row, key);
    while (row_next(&row)) {
        model_benchmark_warn(arena, benchmark, "%s", row_word(&row, arena));
    }
    return close_own(&row);
}

static tare_status delete_saved(struct store *store, int64_t key, struct tare_error *error)
{
    struct row row = open_own(store, "DELETE FROM benchmark WHERE key = ?", error);
    row_bind_int(&row, key);
    row_next(&row);
    return close_own(&row);
}

tare_status store_benchmark_take(struct store *store, struct arena *arena, const char *run_id,
                                 const struct model_benchmark *like,
                                 struct model_benchmark *benchmark, bool *is_found,
                                 struct tare_error *error)
{
    int64_t key = 0;
    *benchmark = (struct model_benchmark){.suite = like->suite,
                                          .name = like->name,
                                          .variant = like->variant,
                                          .parameters = like->parameters,
                                          .parameter_count = like->parameter_count};
    tare_status status = find_saved(store, arena, run_id, like, benchmark, &key, error);
    *is_found = status == TARE_OK && key != 0;
    if (!*is_found) {
        return status;
    }
    status = read_metrics(store, arena, key, benchmark, error);
    if (status == TARE_OK) {
        status = read_warnings(store, arena, key, benchmark, error);
    }
    return status == TARE_OK ? delete_saved(store, key, error) : status;
}

/* ---- facts that come late ---- */

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

tare_status store_run_describe(struct store *store, const struct model_run *run,
                               struct tare_error *error)
{
    TARE_ASSERT(strlen(run->id) == 26 && strlen(run->machine.id) == 32);
    tare_status status = insert_machine(store, &run->machine, error);
    if (status != TARE_OK) {
        return status;
    }
    struct row row =
        open_own(store,
                 "UPDATE run SET machine = ?, started_unix_ns = ?, commit_is_known = ?, "
                 "commit_hash = ?, commit_branch = ?, commit_subject = ?, commit_is_dirty = ? "
                 "WHERE id = ?",
                 error);
    row_bind_text(&row, run->machine.id);
    row_bind_int(&row, run->started_unix_ns);
    row_bind_int(&row, run->commit.is_known);
    row_bind_text(&row, run->commit.hash);
    row_bind_text(&row, run->commit.branch);
    row_bind_text(&row, run->commit.subject);
    row_bind_int(&row, run->commit.is_dirty);
    row_bind_text(&row, run->id);
    row_next(&row);
    return close_own(&row);
}
