/* worktree.h: a git revision, or the working tree as it is now, as files in a folder of its own.
 *
 * The user's checkout, index, HEAD, branches, stash and `git worktree list` are never touched, and
 * no hook runs. How: the working tree is recorded through a copy of the index, with new objects in
 * a folder of ours; files are written by `git read-tree` of the user's own repository (so that its
 * attributes, filters and LFS objects count) with another index and another work tree; the folder
 * then gets a small repository of its own (.git) that borrows the user's objects. A build that runs
 * git there (describe, status, even clean or checkout) sees the right commit and reaches nothing
 * else.
 *
 * Limits: files that git ignores are not taken along, nor changes to files marked assume-unchanged.
 * Submodules come at their recorded commit from the checkout next door, never over the network;
 * what could not be had, or has changes of its own, is said in `warning`. */
#ifndef TARE_OS_WORKTREE_H
#define TARE_OS_WORKTREE_H

#include "base/arena.h"
#include "base/error.h"

#include <stdbool.h>

struct worktree_repository {
    const char *root;   /* of the working tree, without a slash at the end; NULL: it is bare */
    const char *prefix; /* of the folder asked for, below the root: "" or "sub/folder/" */
    const char *git_directory;
    const char *common_directory; /* differs from git_directory in a linked worktree */
    bool is_shallow;
    /* A folder for the objects of recorded working trees; the caller sets it before anything but
     * worktree_open. It has to exist, and be ignored when it lies in the working tree. */
    const char *objects;
};

struct worktree_commit {
    const char *name;     /* "main@3f2c1a9", "3f2c1a9", "working tree" */
    const char *hash;     /* full hash of a commit; of one made for it, when the tree is dirty */
    const char *tree;     /* full hash */
    bool is_working_tree; /* recorded from it */
    bool is_dirty;        /* it differs from HEAD: untracked files that are not ignored count */
    const char *left_out; /* NULL, or a sentence about untracked programs and objects */
};

/* Finds the repository around a folder (NULL: the current one). No repository: TARE_ERROR_USAGE. */
tare_status worktree_open(struct arena *arena, const char *directory,
                          struct worktree_repository *repository, struct tare_error *error);

/* Which commit a name means. One that means none is TARE_ERROR_USAGE, with the nearest name, or
 * with what to fetch in a shallow clone. */
tare_status worktree_resolve(struct arena *arena, const struct worktree_repository *repository,
                             const char *revision, struct worktree_commit *commit,
                             struct tare_error *error);

/* The working tree as it is now: tracked and untracked files, not ignored ones, nor untracked
 * programs, objects and libraries (what a build made must not stand in for what it is to make). The
 * same content on the same HEAD gives the same commit; a clean tree gives HEAD itself. */
tare_status worktree_record(struct arena *arena, const struct worktree_repository *repository,
                            struct worktree_commit *commit, struct tare_error *error);

/* Writes the commit's files to `folder`, which must not exist. *warning becomes NULL, or a sentence
 * about submodules. A failure leaves a partly written folder. */
tare_status worktree_write(struct arena *arena, const struct worktree_repository *repository,
                           const struct worktree_commit *commit, const char *folder,
                           const char **warning, struct tare_error *error);

/* The variables that bind a git to one repository (set in hooks, for one): children that work in a
 * folder of ours must not inherit them. The list ends in NULL. */
extern const char *const worktree_bound_variables[];

#endif
