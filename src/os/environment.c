#include "os/environment.h"

#include <stdlib.h>
#include <string.h>

extern char **environ;

struct environment environment_copy(struct arena *arena)
{
    struct environment copy = {.arena = arena};
    while (environ[copy.count] != NULL) {
        copy.count++;
    }
    copy.variables =
        arena_grow(arena, NULL, &copy.capacity, copy.count + 8, (ptrdiff_t)sizeof *copy.variables);
    memcpy(copy.variables, environ, (size_t)copy.count * sizeof *copy.variables);
    return copy;
}

void environment_set(struct environment *environment, const char *name, const char *value)
{
    const char *assignment = arena_printf(environment->arena, "%s=%s", name, value);
    size_t length = strlen(name) + 1;
    for (ptrdiff_t i = 0; i < environment->count; i++) {
        if (strncmp(environment->variables[i], assignment, length) == 0) {
            environment->variables[i] = assignment;
            return;
        }
    }
    environment->variables =
        arena_grow(environment->arena, environment->variables, &environment->capacity,
                   environment->count + 2, (ptrdiff_t)sizeof *environment->variables);
    environment->variables[environment->count++] = assignment;
    environment->variables[environment->count] = NULL;
}

void environment_unset(struct environment *environment, const char *name)
{
    environment_remove(environment, arena_printf(environment->arena, "%s=", name));
}

void environment_remove(struct environment *environment, const char *prefix)
{
    size_t length = strlen(prefix);
    ptrdiff_t kept = 0;
    for (ptrdiff_t i = 0; i < environment->count; i++) {
        if (strncmp(environment->variables[i], prefix, length) != 0) {
            environment->variables[kept++] = environment->variables[i];
        }
    }
    environment->count = kept;
    environment->variables[kept] = NULL;
}

void environment_pad(struct environment *environment, ptrdiff_t bytes)
{
    char *padding = arena_alloc(environment->arena, bytes + 1, 1);
    memset(padding, 'x', (size_t)bytes);
    environment_set(environment, "TARE_PADDING", padding);
}

void environment_preload(struct environment *environment, const char *library)
{
    const char *before = getenv("LD_PRELOAD");
    bool has_before = before != NULL && before[0] != '\0';
    environment_set(environment, "LD_PRELOAD",
                    arena_printf(environment->arena, "%s%s%s", library, has_before ? ":" : "",
                                 has_before ? before : ""));
}

void environment_tune(struct environment *environment, const char *name, const char *value)
{
    const char *before = getenv("GLIBC_TUNABLES");
    const char *assignment = arena_printf(environment->arena, "%s=%s", name, value);
    bool has_before = before != NULL && before[0] != '\0';
    if (has_before && strstr(before, arena_printf(environment->arena, "%s=", name)) != NULL) {
        return;
    }
    environment_set(environment, "GLIBC_TUNABLES",
                    arena_printf(environment->arena, "%s%s%s", has_before ? before : "",
                                 has_before ? ":" : "", assignment));
}
