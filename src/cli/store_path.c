/* store_path.c: from the options and the current folder to an open store. */
#include "cli/store_path.h"

#include "base/text.h"
#include "os/file.h"

#include <stdlib.h>
#include <string.h>

/* Folders between here and the root; deeper ones are not looked through. */
enum { PARENTS_MAX = 256 };

static char *find_project_folder(struct arena *arena);
static char *user_store(struct arena *arena);
static tare_status make_folder(struct arena *arena, const char *store, struct tare_error *error);

static bool is_given(const char *text)
{
    return text != NULL && text[0] != '\0';
}

static char *named_store(struct arena *arena, const char *given)
{
    size_t length = strlen(given);
    if (given[length - 1] == '/') {
        return arena_printf(arena, "%sstore.db", given);
    }
    return file_is_directory(given) ? arena_printf(arena, "%s/store.db", given)
                                    : arena_strdup(arena, given);
}

tare_status store_path_find(struct arena *arena, const struct store_request *request, char **path,
                            struct tare_error *error)
{
    const char *from_environment = getenv("TARE_STORE");
    if (request->option != NULL && request->option[0] == '\0') {
        return error_set(error, TARE_ERROR_USAGE,
                         "--store wants a file or a folder, not an empty name");
    }
    const char *named = is_given(request->option)       ? request->option
                        : is_given(from_environment)    ? from_environment
                        : is_given(request->configured) ? request->configured
                                                        : NULL;
    if (named != NULL) {
        *path = named_store(arena, named);
        return TARE_OK;
    }
    char *folder = find_project_folder(arena);
    *path = folder != NULL ? arena_printf(arena, "%s/.tare/store.db", folder) : user_store(arena);
    if (*path == NULL) {
        return error_set(error, TARE_ERROR_USAGE,
                         "no place for a store: no tare.yaml or repository here, and neither "
                         "XDG_STATE_HOME nor HOME is "
                         "set; name one with --store");
    }
    return TARE_OK;
}

tare_status store_path_open(struct arena *arena, const struct store_request *request,
                            struct store **store, struct tare_error *error)
{
    char *path = NULL;
    tare_status status = store_path_find(arena, request, &path, error);
    if (status == TARE_OK && request->mode == STORE_WRITE) {
        status = make_folder(arena, path, error);
    }
    return status == TARE_OK ? store_open(arena, path, request->mode, store, error) : status;
}

/* "" is the root folder. The nearest folder upwards with a tare.yaml; else the nearest with a .git
 * (a folder, or a file in a worktree). */
static char *find_project_folder(struct arena *arena)
{
    static const char *const markers[] = {"tare.yaml", ".git"};
    char *here = file_current_directory(arena);
    for (size_t i = 0; here != NULL && i < sizeof markers / sizeof *markers; i++) {
        char *folder = arena_strdup(arena, here);
        for (int depth = 0; depth < PARENTS_MAX; depth++) {
            if (file_exists(arena_printf(arena, "%s/%s", folder, markers[i]))) {
                return folder;
            }
            char *slash = strrchr(folder, '/');
            if (slash == NULL || folder[0] == '\0') {
                break;
            }
            *slash = '\0';
        }
    }
    return NULL;
}

static char *user_store(struct arena *arena)
{
    const char *state = getenv("XDG_STATE_HOME");
    const char *home = getenv("HOME");
    /* A relative XDG path is to be ignored (XDG Base Directory Specification). */
    if (is_given(state) && state[0] == '/') {
        return arena_printf(arena, "%s/tare/store.db", state);
    }
    return is_given(home) ? arena_printf(arena, "%s/.local/state/tare/store.db", home) : NULL;
}

static tare_status make_folder(struct arena *arena, const char *store, struct tare_error *error)
{
    const char *slash = strrchr(store, '/');
    if (slash == NULL || slash == store) {
        return TARE_OK;
    }
    char *folder = arena_strndup(arena, store, slash - store);
    tare_status status = file_make_directories(folder, error);
    const char *last = strrchr(folder, '/');
    const char *name = last != NULL ? last + 1 : folder;
    char *ignore = arena_printf(arena, "%s/.gitignore", folder);
    if (status == TARE_OK && strcmp(name, ".tare") == 0 && !file_exists(ignore)) {
        static const char everything[] = "*\n";
        status = file_write(ignore, everything, sizeof everything - 1, error);
    }
    return status;
}
