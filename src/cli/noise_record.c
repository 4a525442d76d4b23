#include "cli/noise_record.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static bool is_observation(const struct model_comparison *c)
{
    return c->basis == MODEL_BASIS_PAIRED && c->has_interval && c->ratio > 0 && c->low > 0 &&
           c->high > c->low && isfinite(c->ratio) && isfinite(c->high) &&
           c->verdict != MODEL_INVALID;
}

tare_status noise_record(struct arena *arena, struct store *store,
                         const struct noise_source *source, const struct model_decision *decision,
                         struct tare_error *error)
{
    struct store_noise *items = ARENA_ARRAY(arena, struct store_noise, decision->count);
    ptrdiff_t count = 0;
    for (ptrdiff_t i = 0; i < decision->count; i++) {
        const struct model_comparison *c = &decision->items[i];
        if (!is_observation(c)) {
            continue;
        }
        struct store_noise *item = &items[count++];
        *item = (struct store_noise){
            .project = source->project,
            .benchmark = model_comparison_label(arena, c),
            .metric = c->metric,
            .at_unix_ns = source->at_unix_ns,
            .kind = source->kind,
            .log_ratio = log(c->ratio),
            .half_width = log(c->high / c->low) / 2,
            .launches = c->old_side.launches < c->new_side.launches ? c->old_side.launches
                                                                    : c->new_side.launches,
        };
        snprintf(item->machine_id, sizeof item->machine_id, "%s", source->machine_id);
    }
    return count > 0 ? store_noise_add(store, items, count, error) : TARE_OK;
}

/* Labels hold no control characters, so a newline keeps label and metric apart. */
static const char *floor_key(struct arena *arena, const char *label, const char *metric)
{
    return arena_printf(arena, "%s\n%s", label, metric);
}

tare_status noise_floors_load(struct arena *arena, struct store *store, const char *machine_id,
                              const char *project, int64_t now_unix_ns, double floor_max,
                              struct noise_floors *floors, struct tare_error *error)
{
    struct store_noises noises;
    tare_status status =
        store_noise_list(store, arena, machine_id, project, NULL, NULL, INT64_MIN, &noises, error);
    if (status != TARE_OK) {
        return status;
    }
    *floors = (struct noise_floors){
        .index = text_index_new(arena, noises.count),
        .items = ARENA_ARRAY(arena, struct detect_noise_floor, noises.count),
    };
    struct detect_noise *observations = ARENA_ARRAY(arena, struct detect_noise, noises.count);
    for (ptrdiff_t start = 0, end = 0; start < noises.count; start = end) {
        const struct store_noise *first = &noises.items[start];
        for (; end < noises.count && strcmp(noises.items[end].benchmark, first->benchmark) == 0 &&
               strcmp(noises.items[end].metric, first->metric) == 0;
             end++) {
            observations[end] = (struct detect_noise){
                .at_unix_ns = noises.items[end].at_unix_ns,
                .log_ratio = noises.items[end].log_ratio,
                .half_width = noises.items[end].half_width,
                .launches = noises.items[end].launches,
            };
        }
        floors->items[floors->count] =
            detect_noise_floor(&observations[start], end - start, now_unix_ns, floor_max);
        text_index_put(&floors->index, floor_key(arena, first->benchmark, first->metric),
                       floors->count++);
    }
    return TARE_OK;
}

struct detect_noise_floor noise_floor_of(const struct noise_floors *floors, const char *label,
                                         const char *metric)
{
    struct arena scratch = {0};
    ptrdiff_t found = -1;
    if (floors->count > 0) {
        found = text_index_get(&floors->index, floor_key(&scratch, label, metric));
    }
    arena_free(&scratch);
    return found >= 0 ? floors->items[found] : (struct detect_noise_floor){0};
}
