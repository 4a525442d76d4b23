/* worktree_history.h: questions about commits: where two of them parted, what a file was, and a
 * tree put together of two. Nothing of the user's is changed; new objects go where worktree.h says.
 */
#ifndef TARE_OS_WORKTREE_HISTORY_H
#define TARE_OS_WORKTREE_HISTORY_H

#include "os/worktree.h"

/* The newest commit that both come from. *hash becomes NULL when there is none, or when a shallow
 * clone does not reach it. */
tare_status worktree_merge_base(struct arena *arena, const struct worktree_repository *repository,
                                const char *left, const char *right, const char **hash,
                                struct tare_error *error);

/* The branch that others are merged into, by its full name: what origin says, else origin/main,
 * origin/master, main, master. NULL: none of them is there. */
tare_status worktree_default_branch(struct arena *arena,
                                    const struct worktree_repository *repository,
                                    const char **branch, struct tare_error *error);

/* Does any file that git knows differ from HEAD? Untracked files do not count. */
tare_status worktree_has_changes(struct arena *arena, const struct worktree_repository *repository,
                                 bool *has_changes, struct tare_error *error);

/* A file as it is in a commit, by its path from the root. *text becomes NULL when there is none. */
tare_status worktree_file(struct arena *arena, const struct worktree_repository *repository,
                          const struct worktree_commit *commit, const char *path, char **text,
                          ptrdiff_t *length, struct tare_error *error);

/* Does the commit hold a file or folder of this path from the root? */
bool worktree_has_path(struct arena *arena, const struct worktree_repository *repository,
                       const struct worktree_commit *commit, const char *path);

/* Is the file at `path` the very one that the commit holds at `tracked`, byte by byte? */
bool worktree_is_as_committed(struct arena *arena, const struct worktree_repository *repository,
                              const struct worktree_commit *commit, const char *tracked,
                              const char *path);

/* `commit` with the files below `paths` (from the root) replaced by those of `donor`. A path that
 * the donor does not have is TARE_ERROR_USAGE. */
tare_status worktree_compose(struct arena *arena, const struct worktree_repository *repository,
                             const struct worktree_commit *commit,
                             const struct worktree_commit *donor, const char *const *paths,
                             ptrdiff_t path_count, struct worktree_commit *composed,
                             struct tare_error *error);

#endif
