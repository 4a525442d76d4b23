/* noise_record.h: comparisons of identical programs are kept, and become noise floors.
 *
 * After a decision:   noise_record(…), if both sides are the same
 * Before judging:     noise_floors_load(…) once, noise_floor_of(…) per benchmark and metric */
#ifndef TARE_CLI_NOISE_RECORD_H
#define TARE_CLI_NOISE_RECORD_H

#include "base/text_index.h"
#include "detect/noise_floor.h"
#include "model/comparison.h"
#include "store/store.h"

struct noise_source {
    const char *machine_id;
    const char *project;
    const char *kind; /* "ab", "gate", "prove" */
    int64_t at_unix_ns;
};

/* Every paired comparison of the decision that has an interval. None is no error. */
tare_status noise_record(struct arena *arena, struct store *store,
                         const struct noise_source *source, const struct model_decision *decision,
                         struct tare_error *error);

/* Floors of one project on one machine. */
struct noise_floors {
    struct text_index index;
    struct detect_noise_floor *items;
    ptrdiff_t count;
};

/* A store without a single observation gives no floors. */
tare_status noise_floors_load(struct arena *arena, struct store *store, const char *machine_id,
                              const char *project, int64_t now_unix_ns, double floor_max,
                              struct noise_floors *floors, struct tare_error *error);
/* is_known false where nothing was learnt. */
struct detect_noise_floor noise_floor_of(const struct noise_floors *floors, const char *label,
                                         const char *metric);

#endif
