/* noise.c: what is learnt by the way: reruns of one commit, and comparisons of identical programs.
 */
#include "store/internal.h"

#include "base/assert.h"

#include <math.h>

tare_status store_reruns_list(struct store *store, struct arena *arena, const char *machine_id,
                              const char *project, int64_t limit, struct store_reruns *reruns,
                              struct tare_error *error)
{
    *reruns = (struct store_reruns){0};
    struct row row = row_open(store, QUERY_RERUNS, error);
    row_bind_text(&row, machine_id);
    row_bind_text(&row, project);
    row_bind_int(&row, limit);
    while (row_next(&row)) {
        reruns->items = arena_grow(arena, reruns->items, &reruns->capacity, reruns->count + 1,
                                   (ptrdiff_t)sizeof *reruns->items);
        struct store_rerun *item = &reruns->items[reruns->count++];
        row_id(&row, item->id, sizeof item->id);
        item->started_unix_ns = row_int(&row);
        bool is_known = row_bool(&row);
        const char *hash = row_text(&row, arena);
        bool is_dirty = row_bool(&row);
        const char *program = row_text(&row, arena);
        item->commit_hash = is_known && !is_dirty && hash != NULL ? hash : "";
        item->program_hash = program != NULL ? program : "";
    }
    return row_close(&row);
}

static tare_status insert_noise(struct store *store, const struct store_noise *item,
                                struct tare_error *error)
{
    TARE_ASSERT(isfinite(item->log_ratio) && isfinite(item->half_width));
    struct row row = row_open(store, QUERY_NOISE_INSERT, error);
    row_bind_text(&row, item->machine_id);
    row_bind_text(&row, item->project);
    row_bind_text(&row, item->benchmark);
    row_bind_text(&row, item->metric);
    row_bind_int(&row, item->at_unix_ns);
    row_bind_text(&row, item->kind);
    row_bind_double(&row, item->log_ratio);
    row_bind_double(&row, item->half_width);
    row_bind_int(&row, item->launches);
    tare_status status = row_run(&row);
    if (status != TARE_OK) {
        return status;
    }
    struct row thin = row_open(store, QUERY_NOISE_THIN, error);
    row_bind_text(&thin, item->machine_id);
    row_bind_text(&thin, item->project);
    row_bind_text(&thin, item->benchmark);
    row_bind_text(&thin, item->metric);
    row_bind_int(&thin, STORE_NOISE_KEPT);
    return row_run(&thin);
}

tare_status store_noise_add(struct store *store, const struct store_noise *items, ptrdiff_t count,
                            struct tare_error *error)
{
    TARE_ASSERT(store->mode == STORE_WRITE);
    tare_status status = store_begin(store, error);
    if (status != TARE_OK) {
        return status;
    }
    for (ptrdiff_t i = 0; i < count && status == TARE_OK; i++) {
        status = insert_noise(store, &items[i], error);
    }
    return store_end(store, status, error);
}

tare_status store_noise_list(struct store *store, struct arena *arena, const char *machine_id,
                             const char *project, const char *benchmark, const char *metric,
                             int64_t since_unix_ns, struct store_noises *noises,
                             struct tare_error *error)
{
    *noises = (struct store_noises){0};
    struct row row = row_open(store, QUERY_NOISE_LIST, error);
    row_bind_text(&row, machine_id);
    row_bind_text(&row, project);
    row_bind_text(&row, benchmark);
    row_bind_text(&row, metric);
    row_bind_int(&row, since_unix_ns);
    while (row_next(&row)) {
        noises->items = arena_grow(arena, noises->items, &noises->capacity, noises->count + 1,
                                   (ptrdiff_t)sizeof *noises->items);
        struct store_noise *item = &noises->items[noises->count++];
        row_id(&row, item->machine_id, sizeof item->machine_id);
        item->project = row_word(&row, arena);
        item->benchmark = row_word(&row, arena);
        item->metric = row_word(&row, arena);
        item->at_unix_ns = row_int(&row);
        item->kind = row_word(&row, arena);
        item->log_ratio = row_finite(&row);
        item->half_width = row_finite(&row);
        item->launches = row_int(&row);
    }
    return row_close(&row);
}
