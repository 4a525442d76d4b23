/* git.h: which commit a folder is at, asked of `git` itself.
 *
 * Two short processes (git status, git log), each with a time limit; no lock is taken in the
 * repository. A folder that is no repository, a repository without a commit, git missing, or git
 * refusing (safe.directory): is_known is false and `reason` says why in a sentence. */
#ifndef TARE_OS_GIT_H
#define TARE_OS_GIT_H

#include "base/arena.h"

#include <stdbool.h>

struct git_state {
    bool is_known;
    const char *hash;    /* full, lower case hex */
    const char *branch;  /* "" when detached */
    const char *subject; /* first line of the message, printable */
    bool is_dirty;       /* a tracked file differs from the commit; untracked files do not count */
    const char *reason;  /* NULL, or why nothing is known */
};

/* directory NULL: the current one. */
void git_read(struct arena *arena, const char *directory, struct git_state *state);

/* The two answers taken apart, for tests: `git status --porcelain=v2 --branch`, and the subject. */
bool git_parse_status(struct arena *arena, const char *text, struct git_state *state);

#endif
