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

/* What differs from one session or job to the next and means nothing to a program under test. */
static const char *const session_prefixes[] = {
    "_=",      "OLDPWD=",       "SHLVL=",           "COLUMNS=",
    "LINES=",  "WINDOWID=",     "GPG_TTY=",         "TMUX",
    "STY=",    "SSH_",          "XDG_SESSION_",     "DBUS_SESSION_",
    "RUNNER_", "ACTIONS_",      "TERM_SESSION_ID=", "VALGRIND_OPTS=",
    "GITHUB_", "TARE_PADDING=",
};

static int compare_variables(const void *left, const void *right)
{
    return strcmp(*(const char *const *)left, *(const char *const *)right);
}

enum {
    SETTLED_VARIABLES = 64,
    SETTLED_NAME_BYTES = 1024, /* of all names together, room for those that fill included */
    SETTLED_BYTES = 4096,
};

/* Start-up code looks at every variable and at every letter of its name, some 450 instructions for
 * a variable and 7 for a letter (glibc 2.36): empty ones make their number and length even. */
static void fill_names(struct environment *environment)
{
    while ((environment->count + 2) % SETTLED_VARIABLES != 0) {
        environment_set(environment,
                        arena_printf(environment->arena, "TARE_FILL_%02td",
                                     environment->count % SETTLED_VARIABLES),
                        "");
    }
    ptrdiff_t bytes = 0;
    for (ptrdiff_t i = 0; i < environment->count; i++) {
        bytes += (ptrdiff_t)strcspn(environment->variables[i], "=");
    }
    ptrdiff_t more = SETTLED_NAME_BYTES - bytes % SETTLED_NAME_BYTES;
    char *name = arena_alloc(environment->arena, more + 1, 1);
    memset(name, '_', (size_t)more);
    environment_set(environment, name, "");
}

void environment_settle(struct environment *environment)
{
    for (size_t i = 0; i < sizeof session_prefixes / sizeof *session_prefixes; i++) {
        environment_remove(environment, session_prefixes[i]);
    }
    environment_set(environment, "PYTHONHASHSEED", "0");
    environment_set(environment, "PERL_HASH_SEED", "0");
    environment_set(environment, "PERL_PERTURB_KEYS", "0");
    qsort(environment->variables, (size_t)environment->count, sizeof *environment->variables,
          compare_variables);
    fill_names(environment);
    /* The stack begins below them: its place decides which way copies and searches take. */
    ptrdiff_t bytes = (ptrdiff_t)sizeof "TARE_PADDING=";
    for (ptrdiff_t i = 0; i < environment->count; i++) {
        bytes += (ptrdiff_t)strlen(environment->variables[i]) + 1;
    }
    environment_pad(environment, (SETTLED_BYTES - bytes % SETTLED_BYTES) % SETTLED_BYTES);
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
