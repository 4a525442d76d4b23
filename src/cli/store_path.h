/* store_path.h: which store a command means, and opening it.
 *
 * In this order: --store, $TARE_STORE, `store:` in tare.yaml, .tare/store.db beside the nearest
 * tare.yaml upwards or at the root of the repository, $XDG_STATE_HOME/tare/store.db,
 * ~/.local/state/tare/store.db. A folder given for the first three means store.db in it. */
#ifndef TARE_CLI_STORE_PATH_H
#define TARE_CLI_STORE_PATH_H

#include "store/store.h"

struct store_request {
    const char *option;     /* --store, or NULL */
    const char *configured; /* `store:` of tare.yaml made relative to the current folder, or NULL */
    enum store_mode mode;
};

tare_status store_path_find(struct arena *arena, const struct store_request *request, char **path,
                            struct tare_error *error);

/* Finds and opens. For writing, makes the folders on the way; a folder called .tare gets a
 * .gitignore of its own. */
tare_status store_path_open(struct arena *arena, const struct store_request *request,
                            struct store **store, struct tare_error *error);

#endif
