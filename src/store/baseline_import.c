#include "store/baseline_import.h"

#include "base/assert.h"
#include "codec/receipt_write.h"
#include "store/internal.h"

#include <string.h>

static tare_status import_all(struct store *store, struct arena *arena,
                              const struct store_import *import, struct store_import_result *result,
                              struct tare_error *error);

tare_status store_baseline_import(struct store *store, const struct store_import *import,
                                  struct store_import_result *result, struct tare_error *error)
{
    TARE_ASSERT(store->mode == STORE_WRITE);
    *result = (struct store_import_result){0};
    tare_status status = store_begin(store, error);
    if (status != TARE_OK) {
        return status;
    }
    struct arena scratch = {0};
    status = import_all(store, &scratch, import, result, error);
    status = store_end(store, status, error);
    arena_free(&scratch);
    return status;
}

static tare_status has_run(struct store *store, const char *id, bool *is_there,
                           struct tare_error *error);
static tare_status check_same(struct store *store, struct arena *arena,
                              const struct receipt *receipt, struct tare_error *error);
static tare_status insert_run(struct store *store, const struct model_run *run,
                              struct tare_error *error);
static tare_status find_previous(struct store *store, struct arena *arena,
                                 const struct store_import *import,
                                 struct store_import_result *result, struct tare_error *error);
static tare_status add_history(struct store *store, struct arena *arena,
                               const struct store_import *import, ptrdiff_t *added,
                               struct tare_error *error);
static tare_status move_baseline(struct store *store, const struct store_import *import,
                                 const struct store_import_result *result,
                                 struct tare_error *error);

static tare_status import_all(struct store *store, struct arena *arena,
                              const struct store_import *import, struct store_import_result *result,
                              struct tare_error *error)
{
    const struct receipt *receipt = import->receipt;
    bool is_there = false;
    tare_status status = has_run(store, receipt->run.id, &is_there, error);
    if (status == TARE_OK) {
        status = is_there ? check_same(store, arena, receipt, error)
                          : insert_run(store, &receipt->run, error);
    }
    if (status == TARE_OK) {
        result->is_run_new = !is_there;
        status = find_previous(store, arena, import, result, error);
    }
    if (status != TARE_OK || strcmp(result->previous_run_id, receipt->run.id) == 0) {
        return status;
    }
    result->is_baseline_changed = true;
    status = add_history(store, arena, import, &result->history_count, error);
    return status == TARE_OK ? move_baseline(store, import, result, error) : status;
}

/* ---- the run ---- */

static tare_status has_run(struct store *store, const char *id, bool *is_there,
                           struct tare_error *error)
{
    struct row row = row_open(store, QUERY_RUN_EXISTS, error);
    row_bind_text(&row, id);
    *is_there = row_next(&row);
    return row_close(&row);
}

/* Two runs are the same when their receipts are. */
static tare_status check_same(struct store *store, struct arena *arena,
                              const struct receipt *receipt, struct tare_error *error)
{
    struct receipt stored = {0};
    struct buffer text = buffer_new(arena, RECEIPT_BYTES_MAX);
    tare_status status = store_run_load(store, arena, receipt->run.id, true, &stored.run, error);
    if (status == TARE_OK) {
        status = receipt_write(&stored, &text, error);
    }
    if (status == TARE_OK && strcmp(stored.run_sha256, receipt->run_sha256) != 0) {
        status = error_set(error, TARE_ERROR_MEASURE,
                           "run %s is in store '%s' already, with other content: one of the two "
                           "was changed; 'tare runs show %s' shows the stored one",
                           receipt->run.id, store->path, receipt->run.id);
    }
    return status;
}

static tare_status insert_run(struct store *store, const struct model_run *run,
                              struct tare_error *error)
{
    tare_status status = store_run_begin(store, run, error);
    for (ptrdiff_t i = 0; status == TARE_OK && i < run->benchmark_count; i++) {
        status = store_benchmark_save(store, run->id, &run->benchmarks[i], error);
    }
    if (status == TARE_OK && run->state != MODEL_RUN_RUNNING) {
        status = store_run_finish(store, run, error);
    }
    return status;
}

/* ---- the baseline ---- */

static tare_status find_previous(struct store *store, struct arena *arena,
                                 const struct store_import *import,
                                 struct store_import_result *result, struct tare_error *error)
{
    struct store_baselines all;
    tare_status status =
        store_baselines_list(store, arena, import->receipt->run.machine.id, &all, error);
    for (ptrdiff_t i = 0; status == TARE_OK && i < all.count; i++) {
        if (strcmp(all.items[i].name, import->name) == 0) {
            memcpy(result->previous_run_id, all.items[i].run.id, sizeof result->previous_run_id);
            result->previous_started_unix_ns = all.items[i].run.started_unix_ns;
        }
    }
    return status;
}

static bool is_known(const struct store_promotions *known,
                     const struct receipt_promotion *promotion)
{
    for (ptrdiff_t i = 0; i < known->count; i++) {
        const struct store_promotion *other = &known->items[i];
        if (other->at_unix_ns == promotion->at_unix_ns &&
            strcmp(other->run_id, promotion->run_id) == 0 &&
            strcmp(other->previous_run_id, promotion->previous_run_id) == 0 &&
            strcmp(other->by, promotion->by) == 0) {
            return true;
        }
    }
    return false;
}

static tare_status insert_promotion(struct store *store, const struct store_import *import,
                                    const struct receipt_promotion *promotion,
                                    struct tare_error *error)
{
    struct row row = row_open(store, QUERY_PROMOTION_INSERT, error);
    row_bind_text(&row, import->name);
    row_bind_text(&row, import->receipt->run.machine.id);
    row_bind_text(&row, promotion->action);
    row_bind_text(&row, promotion->run_id);
    row_bind_text(&row, promotion->previous_run_id);
    row_bind_int(&row, promotion->at_unix_ns);
    row_bind_text(&row, promotion->by);
    row_bind_text(&row, promotion->reason);
    return row_run(&row);
}

/* What others did with the baseline before it came here; entries that are here already stay single.
 */
static tare_status add_history(struct store *store, struct arena *arena,
                               const struct store_import *import, ptrdiff_t *added,
                               struct tare_error *error)
{
    struct store_promotions known;
    tare_status status = store_baseline_history(store, arena, import->name,
                                                import->receipt->run.machine.id, &known, error);
    for (ptrdiff_t i = 0; status == TARE_OK && i < import->receipt->history_count; i++) {
        const struct receipt_promotion *promotion = &import->receipt->history[i];
        if (!is_known(&known, promotion)) {
            status = insert_promotion(store, import, promotion, error);
            *added += status == TARE_OK;
        }
    }
    return status;
}

/* Whoever exported the baseline had taken the run as it is, complete or not. */
static tare_status move_baseline(struct store *store, const struct store_import *import,
                                 const struct store_import_result *result, struct tare_error *error)
{
    const struct store_change change = {
        .name = import->name,
        .selector = import->receipt->run.id,
        .at_unix_ns = import->at_unix_ns,
        .by = import->by,
        .reason = import->reason,
        .is_forced = true,
    };
    return result->previous_run_id[0] == '\0' ? store_baseline_save(store, &change, error)
                                              : store_baseline_promote(store, &change, error);
}
