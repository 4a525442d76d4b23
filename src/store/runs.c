/* runs.c: which runs there are, and removing those no longer wanted. */
#include "store/internal.h"

#include "base/assert.h"

#include <string.h>

/* Ids made in the same second share nine characters, but stores of one run should still show short
 * ones. */
enum { ID_LENGTH_MIN = 8, RUN_ID_LENGTH = 26 };

void store_row_read(struct row *row, struct arena *arena, struct store_run_row *run)
{
    row_id(row, run->id, sizeof run->id);
    run->started_unix_ns = row_int(row);
    run->finished_unix_ns = row_int(row);
    run->state = (enum model_run_state)row_word_index(row, store_run_state_words, 4);
    run->project = row_text(row, arena);
    run->command = row_text(row, arena);
    run->tare_version = row_text(row, arena);
    row_id(row, run->machine_id, sizeof run->machine_id);
    run->commit.is_known = row_bool(row);
    run->commit.hash = row_text(row, arena);
    run->commit.branch = row_text(row, arena);
    run->commit.subject = row_text(row, arena);
    run->commit.is_dirty = row_bool(row);
    run->benchmark_count = row_int(row);
    run->bad_count = row_int(row);
    const char *baselines = row_text(row, arena);
    run->baselines = baselines != NULL ? baselines : "";
    run->compared_as = row_text(row, arena);
}

struct store_run_row *store_rows_add(struct arena *arena, struct store_run_rows *rows)
{
    rows->items =
        arena_grow(arena, rows->items, &rows->capacity, rows->count + 1, sizeof *rows->items);
    return &rows->items[rows->count++];
}

tare_status store_runs_list(struct store *store, struct arena *arena,
                            const struct store_filter *filter, struct store_run_rows *rows,
                            struct tare_error *error)
{
    *rows = (struct store_run_rows){0};
    struct row row = row_open(store, QUERY_RUNS_LIST, error);
    row_bind_text(&row, filter->project);
    row_bind_text(&row, filter->commit);
    row_bind_text(&row, filter->machine_id);
    row_bind_text(&row, filter->branch);
    row_bind_int(&row, filter->limit > 0 ? filter->limit : -1);
    while (row_next(&row)) {
        store_row_read(&row, arena, store_rows_add(arena, rows));
    }
    return row_close(&row);
}

tare_status store_id_length(struct store *store, int *length, struct tare_error *error)
{
    *length = ID_LENGTH_MIN;
    char previous[RUN_ID_LENGTH + 1] = "";
    struct row row = row_open(store, QUERY_RUN_IDS, error);
    while (row_next(&row)) {
        char id[RUN_ID_LENGTH + 1];
        row_id(&row, id, sizeof id);
        int shared = 0;
        while (id[shared] != '\0' && id[shared] == previous[shared]) {
            shared++;
        }
        if (shared + 1 > *length && shared < RUN_ID_LENGTH) {
            *length = shared + 1;
        }
        memcpy(previous, id, sizeof previous);
    }
    return row_close(&row);
}

/* ---- pruning ---- */

static tare_status select_candidates(struct store *store, struct arena *arena,
                                     const struct store_prune *prune,
                                     struct store_run_rows *candidates, struct tare_error *error);
static tare_status remove_runs(struct store *store, const struct store_run_rows *rows,
                               struct tare_error *error);

static bool is_spared(const struct store_prune *prune, const struct store_run_row *run)
{
    bool may_be_live =
        run->state == MODEL_RUN_RUNNING && run->started_unix_ns > prune->live_after_unix_ns;
    return run->baselines[0] != '\0' || (may_be_live && prune->selector_count == 0);
}

tare_status store_runs_prune(struct store *store, struct arena *arena,
                             const struct store_prune *prune, struct store_prune_result *result,
                             struct tare_error *error)
{
    TARE_ASSERT((prune->keep >= 0 || prune->before_unix_ns > 0) != (prune->selector_count > 0));
    *result = (struct store_prune_result){0};
    tare_status status =
        prune->is_dry_run ? store_begin_read(store, error) : store_begin(store, error);
    if (status != TARE_OK) {
        return status;
    }
    struct store_run_rows candidates = {0};
    status = select_candidates(store, arena, prune, &candidates, error);
    for (ptrdiff_t i = 0; i < candidates.count; i++) {
        struct store_run_row *run = &candidates.items[i];
        *store_rows_add(arena, is_spared(prune, run) ? &result->kept : &result->removed) = *run;
    }
    if (status == TARE_OK && !prune->is_dry_run) {
        status = remove_runs(store, &result->removed, error);
    }
    status = store_end(store, status, error);
    if (status == TARE_OK && !prune->is_dry_run) {
        /* Gives the space back to the disk; the runs are gone either way, so a failure here is
         * none. */
        sqlite3_exec(store->database, "PRAGMA incremental_vacuum", NULL, NULL, NULL);
    }
    return status;
}

static bool has_run(const struct store_run_rows *rows, const char *id)
{
    for (ptrdiff_t i = 0; i < rows->count; i++) {
        if (strcmp(rows->items[i].id, id) == 0) {
            return true;
        }
    }
    return false;
}

static tare_status add_candidate(struct store *store, struct arena *arena, const char *id,
                                 struct store_run_rows *candidates, struct tare_error *error)
{
    struct row row = row_open(store, QUERY_RUN_ROW, error);
    row_bind_text(&row, id);
    if (row_next(&row)) {
        store_row_read(&row, arena, store_rows_add(arena, candidates));
    }
    return row_close(&row);
}

static tare_status select_named(struct store *store, struct arena *arena,
                                const struct store_prune *prune, struct store_run_rows *candidates,
                                struct tare_error *error)
{
    tare_status status = TARE_OK;
    for (ptrdiff_t i = 0; status == TARE_OK && i < prune->selector_count; i++) {
        char id[RUN_ID_LENGTH + 1];
        status = store_run_resolve(store, prune->selectors[i], id, error);
        if (status == TARE_OK && !has_run(candidates, id)) {
            status = add_candidate(store, arena, id, candidates, error);
        }
    }
    return status;
}

/* Runs found by two ways count once. */
static tare_status select_by(struct store *store, struct arena *arena, enum store_query query,
                             int64_t limit, struct store_run_rows *candidates,
                             struct tare_error *error)
{
    ptrdiff_t before_count = candidates->count;
    struct row row = row_open(store, query, error);
    row_bind_int(&row, limit);
    while (row_next(&row)) {
        char id[RUN_ID_LENGTH + 1];
        row_id(&row, id, sizeof id);
        struct store_run_rows before = {.items = candidates->items, .count = before_count};
        if (row.status == TARE_OK && !has_run(&before, id)) {
            row.status = add_candidate(store, arena, id, candidates, error);
        }
    }
    return row_close(&row);
}

static tare_status select_candidates(struct store *store, struct arena *arena,
                                     const struct store_prune *prune,
                                     struct store_run_rows *candidates, struct tare_error *error)
{
    if (prune->selector_count > 0) {
        return select_named(store, arena, prune, candidates, error);
    }
    tare_status status = TARE_OK;
    if (prune->keep >= 0) {
        status = select_by(store, arena, QUERY_RUNS_BEYOND, prune->keep, candidates, error);
    }
    if (status == TARE_OK && prune->before_unix_ns > 0) {
        status =
            select_by(store, arena, QUERY_RUNS_BEFORE, prune->before_unix_ns, candidates, error);
    }
    return status;
}

static tare_status remove_runs(struct store *store, const struct store_run_rows *rows,
                               struct tare_error *error)
{
    tare_status status = TARE_OK;
    for (ptrdiff_t i = 0; status == TARE_OK && i < rows->count; i++) {
        struct row row = row_open(store, QUERY_RUN_DELETE, error);
        row_bind_text(&row, rows->items[i].id);
        status = row_run(&row);
    }
    if (status == TARE_OK) {
        struct row row = row_open(store, QUERY_MACHINES_UNUSED_DELETE, error);
        status = row_run(&row);
    }
    return status;
}
