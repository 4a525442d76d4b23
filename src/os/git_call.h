/* git_call.h: one call of git, with nothing of the user's settings in its way. */
#ifndef TARE_OS_GIT_CALL_H
#define TARE_OS_GIT_CALL_H

#include "base/arena.h"
#include "base/error.h"

#include <stdbool.h>
#include <stddef.h>

/* Questions are answered from a few files; 30 s is a cold, slow disk. */
#define GIT_ASK_TIMEOUT_NS 30e9
/* Hashing or writing a whole tree: 10 min is several GB on a slow disk. */
#define GIT_WRITE_TIMEOUT_NS 600e9

/* One call of git: where, with which files in place of its own, and how long at most. */
struct git_call {
    const char *directory;
    const char *index;    /* NULL: git's own */
    const char *objects;  /* NULL, or where new objects go */
    const char *borrowed; /* NULL, or a further folder of objects */
    bool has_identity;    /* an author is needed, whoever it is */
    const char *date;     /* with has_identity */
    double timeout_ns;
};

struct git_reply {
    bool is_success;
    char *output; /* never NULL; binary safe up to output_length */
    ptrdiff_t output_length;
    const char *problem; /* what git said on standard error: one printable line */
};

#define GIT(...) ((const char *const[]){__VA_ARGS__, NULL})

/* TARE_OK when git ran to its end, whatever it answered. */
tare_status git_run(struct arena *arena, const struct git_call *call, const char *const *arguments,
                    struct git_reply *reply, struct tare_error *error);
/* The same, but git has to succeed. */
tare_status git_must(struct arena *arena, const struct git_call *call, const char *const *arguments,
                     struct git_reply *reply, struct tare_error *error);

/* A path in double quotes as git reads it in its configuration and its lists of object folders. */
const char *git_quoted(struct arena *arena, const char *path);

#endif
