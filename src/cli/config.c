#include "cli/config.h"

#include "codec/policy_yaml.h"
#include "os/file.h"

#include <string.h>

static const char *find_file(struct arena *arena)
{
    char *directory = file_current_directory(arena);
    while (directory != NULL) {
        const char *path = arena_printf(arena, "%s/tare.yaml", directory);
        if (file_exists(path)) {
            return path;
        }
        char *slash = strrchr(directory, '/');
        if (slash == NULL || slash == directory) {
            break;
        }
        *slash = '\0';
    }
    return NULL;
}

const char *config_path(struct arena *arena, const struct config *config, const char *path)
{
    bool is_relative = path[0] != '/' && config->directory != NULL;
    return is_relative ? arena_printf(arena, "%s/%s", config->directory, path) : path;
}

tare_status config_load(struct arena *arena, struct config *config, struct tare_error *error)
{
    *config = (struct config){.policy = model_policy_default(), .path = find_file(arena)};
    if (config->path == NULL) {
        return TARE_OK;
    }
    char *text = NULL;
    ptrdiff_t length = 0;
    tare_status status =
        file_read(arena, config->path, POLICY_FILE_BYTES_MAX, &text, &length, error);
    if (status == TARE_OK) {
        status = policy_read(arena, text, length, config->path, &config->policy, error);
    }
    if (status != TARE_OK) {
        return status;
    }
    config->is_found = true;
    config->directory =
        arena_strndup(arena, config->path, strrchr(config->path, '/') - config->path);
    if (config->policy.store != NULL) {
        config->store = config_path(arena, config, config->policy.store);
    }
    return TARE_OK;
}
