/* import.h: several steps as one transaction, for runs that come in from files.
 *
 *     store_batch_begin(store, &error);
 *     store_run_begin(…); store_benchmark_save(…); store_run_describe(…); store_run_finish(…);
 *     store_batch_end(store, status, &error);       all of it, or nothing
 *
 * Between begin and end no other process can write; readers go on. */
#ifndef TARE_STORE_IMPORT_H
#define TARE_STORE_IMPORT_H

#include "store/store.h"

tare_status store_batch_begin(struct store *store, struct tare_error *error);
/* Commits on TARE_OK, else takes everything back and keeps the first error. */
tare_status store_batch_end(struct store *store, tare_status status, struct tare_error *error);

/* Takes a benchmark of the run that was saved before out again: the one with the suite, name,
 * variant and parameters of `like`. Samples, launches and warnings come with it; histograms must
 * not be there. *is_found is false when there is none. */
tare_status store_benchmark_take(struct store *store, struct arena *arena, const char *run_id,
                                 const struct model_benchmark *like,
                                 struct model_benchmark *benchmark, bool *is_found,
                                 struct tare_error *error);

/* Machine, commit and start of a run that was begun before they were known. */
tare_status store_run_describe(struct store *store, const struct model_run *run,
                               struct tare_error *error);

#endif
