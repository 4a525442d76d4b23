/* environment.h: environments for children: this process's own, with some variables set. */
#ifndef TARE_OS_ENVIRONMENT_H
#define TARE_OS_ENVIRONMENT_H

#include "base/arena.h"

#include <stdbool.h>

struct environment {
    struct arena *arena;
    const char **variables; /* "NAME=value", NULL-terminated: ready for process_spec */
    ptrdiff_t count;
    ptrdiff_t capacity;
};

/* A copy of this process's environment (the texts are shared, the list is not). */
struct environment environment_copy(struct arena *arena);
/* Sets NAME=value, in place of an earlier one. */
void environment_set(struct environment *environment, const char *name, const char *value);
/* Takes the variable out; it need not be there. */
void environment_unset(struct environment *environment, const char *name);
/* Takes away every variable whose name begins so. */
void environment_remove(struct environment *environment, const char *prefix);
/* Sets TARE_PADDING to so many characters, which moves the child's stack. */
void environment_pad(struct environment *environment, ptrdiff_t bytes);
/* Makes it the same for every shell, terminal and job that this may be called from, so that counts
 * of instructions repeat: without the variables that name the session, sorted, hash seeds of script
 * languages fixed, filled up to a multiple of 64 variables and of 4 KiB. To be called last. */
void environment_settle(struct environment *environment);
/* Puts a library in front of LD_PRELOAD. */
void environment_preload(struct environment *environment, const char *library);
/* Adds a tunable of the C library to GLIBC_TUNABLES, unless it is set there already. Other C
 * libraries do not mind. */
void environment_tune(struct environment *environment, const char *name, const char *value);

#endif
