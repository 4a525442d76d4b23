/* revision.h: git revisions, built once and kept: the two sides of `tare ab --rev` and `tare gate`.
 *
 *   find the repository → name the commit (or record the working tree) → look into the cache
 *   → lock, write the files, build, mark as finished → drop the oldest
 *
 * The cache is .tare/worktrees/ at the root of the repository; for a bare or write-protected one,
 * tare/worktrees/ in $XDG_CACHE_HOME or ~/.cache. An entry is found again by commit, build line,
 * layout, environment (but for terminals, sessions and jobs) and the compilers' identity. All
 * entries' paths are equally long, so that old and new differ in nothing but content. An entry
 * counts only once its mark is written, last of all; a killed build leaves none. Entries in use are
 * locked.
 *
 * Limits: the newest 20 plain and 40 salted builds are kept. An upgrade of system libraries does
 * not make an entry stale: `rm -rf .tare/worktrees` does. */
#ifndef TARE_CLI_REVISION_H
#define TARE_CLI_REVISION_H

#include "base/arena.h"
#include "base/error.h"
#include "cli/revision_salt.h"
#include "model/model.h"
#include "os/worktree.h"

#include <stdbool.h>

enum {
    REVISION_PLAIN_KEPT = 20,  /* builds, by last use; a month of work on one project */
    REVISION_SALTED_KEPT = 40, /* 2 sides × 20 layouts: one comparison stays whole */
};

enum revision_stage {
    REVISION_CACHED,   /* it was built before */
    REVISION_WAITING,  /* another tare builds it right now */
    REVISION_WRITING,  /* its files are written */
    REVISION_BUILDING, /* the build line runs */
    REVISION_STAGES,
};

/* Told when a stage begins. */
struct revision_observer {
    void *context;
    void (*update)(void *context, enum revision_stage stage, const char *name, int layout);
};

struct revision_request {
    const char *repository; /* any folder in it; NULL: the current one */
    const char *revision;   /* "main", "HEAD~3", a hash; NULL: the working tree as it is now */
    /* NULL, or an earlier answer: that very commit again (`revision` is not looked at), for another
     * layout of a working tree that may have changed since. */
    const struct revision *same_as;
    const char *build; /* shell line, run in the counterpart of `repository`; NULL: nothing to do */
    int layout;        /* 0: plain; 1 … SALT_LAYOUT_MAX: number of a salted link */
    double timeout_ns; /* of the build; 0: none */
    const struct revision_observer *observer; /* NULL: nobody */
};

struct revision {
    const char *name;      /* "main@3f2c1a9", "working tree" */
    const char *hash;      /* of the commit; of one made for it when the working tree is dirty */
    const char *directory; /* where the build ran: counterpart of the request's folder */
    const char *root;      /* the worktree itself */
    const char *log;       /* what the build printed */
    const char *warning;   /* NULL, or a sentence about submodules or unsalted links */
    bool is_dirty;         /* a working tree that differs from HEAD */
    bool has_build;        /* a build line was given */
    bool was_cached;
    double build_ns; /* of the build, now or when it was made */
    int layout;
    struct salt_links links;
    struct worktree_commit commit;
    int lock_fd; /* held until revision_release or the end of the process: nobody prunes it */
};

/* The repository around a folder (NULL: the current one), with a place for objects, and the cache.
 */
tare_status revision_repository(struct arena *arena, const char *directory,
                                struct worktree_repository *repository, const char **cache,
                                struct tare_error *error);

/* One call per side (and layout). TARE_ERROR_USAGE: no repository, no such revision;
 * TARE_ERROR_MEASURE: the build failed or took too long, with its last lines and the log's place.
 */
tare_status revision_prepare(struct arena *arena, const struct revision_request *request,
                             struct revision *revision, struct tare_error *error);
void revision_release(struct revision *revision);
/* For the record; not known for a working tree, whose record says where it stands. */
struct model_commit revision_commit(const struct revision *revision);
/* The end of a build's output for a message: a newline and an indented line each, at most `room`
 * bytes in all; "" when it printed nothing. */
const char *revision_log_tail(struct arena *arena, const char *log, ptrdiff_t room);

/* Layout numbers so that every side of every round gets a layout of its own: `round` counts from 1,
 * `side` from 0. */
int revision_layout(int round, int side, int side_count);

/* The program in the worktree that a word of the command line means: relative to `directory`,
 * there, executable, inside, and salted when the build was. Absolute paths and names that PATH
 * would find mean the same program on both sides and are refused (TARE_ERROR_USAGE); a program that
 * the build did not make is TARE_ERROR_MEASURE. */
tare_status revision_program(struct arena *arena, const struct revision *revision,
                             const char *program, const char **path, struct tare_error *error);
/* True when two files are equal byte by byte: comparing them is an A/A. */
bool revision_is_same_program(const char *a, const char *b);

/* "building main@3f2c1a9", for the line that people see. */
char *revision_stage_text(struct arena *arena, enum revision_stage stage, const char *name,
                          int layout);

/* Drops what is unfinished or beyond the limits and not in use; revision_prepare calls it after
 * every build. */
void revision_prune(struct arena *arena, const char *cache);

#endif
