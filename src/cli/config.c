#include "cli/config.h"

#include "base/text.h"
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

/* A file that is too large is the user's mistake; file_read would call it unreadable. */
static tare_status check_size(struct arena *arena, const char *path, struct tare_error *error)
{
    const void *bytes = NULL;
    ptrdiff_t length = 0;
    if (!file_map(path, &bytes, &length)) {
        return TARE_OK;
    }
    file_unmap(bytes, length);
    return length <= POLICY_FILE_BYTES_MAX
               ? TARE_OK
               : error_set(error, TARE_ERROR_USAGE,
                           "%s: %td bytes is too large for a policy (at most %d)",
                           text_printable(arena, path, 120), length, POLICY_FILE_BYTES_MAX);
}

tare_status config_load(struct arena *arena, struct config *config, struct tare_error *error)
{
    *config = (struct config){.policy = model_policy_default(), .path = find_file(arena)};
    if (config->path == NULL) {
        return TARE_OK;
    }
    char *text = NULL;
    ptrdiff_t length = 0;
    tare_status status = check_size(arena, config->path, error);
    if (status == TARE_OK) {
        status = file_read(arena, config->path, POLICY_FILE_BYTES_MAX, &text, &length, error);
    }
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
