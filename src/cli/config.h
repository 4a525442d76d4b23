/* config.h: the project's tare.yaml: found upwards from the current folder, read once per command.
 */
#ifndef TARE_CLI_CONFIG_H
#define TARE_CLI_CONFIG_H

#include "base/arena.h"
#include "base/error.h"
#include "model/policy.h"

struct config {
    bool is_found;
    const char *path;           /* of tare.yaml */
    const char *directory;      /* that holds it: relative paths in it start there */
    const char *store;          /* `store:` made absolute; NULL: not said */
    struct model_policy policy; /* the defaults when there is no file */
};

/* A missing file is fine; a wrong one is TARE_ERROR_USAGE with line and column. */
tare_status config_load(struct arena *arena, struct config *config, struct tare_error *error);

/* A path of the file as seen from anywhere. */
const char *config_path(struct arena *arena, const struct config *config, const char *path);

#endif
