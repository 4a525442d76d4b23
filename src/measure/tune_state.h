/* tune_state.h: the file in which tune keeps what it found.
 *
 *   {"tare":1,"kind":"tune-state","settings":[{"path":"/sys/…","found":"powersave\n","set":"performance"}]}
 */
#ifndef TARE_MEASURE_TUNE_STATE_H
#define TARE_MEASURE_TUNE_STATE_H

#include "measure/tune.h"

const char *tune_state_path(struct arena *arena, const struct tune_options *options);

tare_status tune_state_save(struct arena *arena, const char *path, const struct tune_report *report,
                            struct tare_error *error);
/* Appends to `report`. A file that is not understood, or names a path that `is_known` refuses, is
 * an error: nothing of it is used. */
tare_status tune_state_load(struct arena *arena, const char *path, bool (*is_known)(const char *),
                            struct tune_report *report, struct tare_error *error);

#endif
