#include "os/worktree_history.h"

#include "base/text.h"
#include "os/clock.h"
#include "os/folder.h"
#include "os/git_call.h"

#include <string.h>

/* A call that sees the repository's objects and ours. */
static struct git_call question(const struct worktree_repository *repository)
{
    return (struct git_call){.directory = repository->root != NULL ? repository->root
                                                                   : repository->git_directory,
                             .borrowed = repository->objects,
                             .timeout_ns = GIT_ASK_TIMEOUT_NS};
}

tare_status worktree_merge_base(struct arena *arena, const struct worktree_repository *repository,
                                const char *left, const char *right, const char **hash,
                                struct tare_error *error)
{
    const struct git_call call = question(repository);
    struct git_reply reply;
    tare_status status = git_run(arena, &call, GIT("merge-base", left, right), &reply, error);
    bool is_found = status == TARE_OK && reply.is_success && reply.output[0] != '\0';
    *hash = is_found ? reply.output : NULL;
    return status;
}

tare_status worktree_default_branch(struct arena *arena,
                                    const struct worktree_repository *repository,
                                    const char **branch, struct tare_error *error)
{
    /* In full: a tag or a branch called origin/main would come before the one that is meant. */
    static const char *const candidates[] = {"refs/remotes/origin/HEAD", "refs/remotes/origin/main",
                                             "refs/remotes/origin/master", "refs/heads/main",
                                             "refs/heads/master"};
    const struct git_call call = question(repository);
    *branch = NULL;
    for (size_t i = 0; i < sizeof candidates / sizeof *candidates && *branch == NULL; i++) {
        struct git_reply reply;
        const char *wanted = arena_printf(arena, "%s^{commit}", candidates[i]);
        tare_status status =
            git_run(arena, &call, GIT("rev-parse", "--verify", "-q", wanted), &reply, error);
        if (status != TARE_OK) {
            return status;
        }
        if (reply.is_success && reply.output[0] != '\0') {
            *branch = candidates[i];
        }
    }
    return TARE_OK;
}

tare_status worktree_has_changes(struct arena *arena, const struct worktree_repository *repository,
                                 bool *has_changes, struct tare_error *error)
{
    const struct git_call call = question(repository);
    struct git_reply reply;
    tare_status status =
        git_run(arena, &call, GIT("diff", "--quiet", "--no-ext-diff", "HEAD", "--"), &reply, error);
    *has_changes = status == TARE_OK && !reply.is_success;
    return status;
}

tare_status worktree_file(struct arena *arena, const struct worktree_repository *repository,
                          const struct worktree_commit *commit, const char *path, char **text,
                          ptrdiff_t *length, struct tare_error *error)
{
    const struct git_call call = question(repository);
    struct git_reply reply;
    const char *object = arena_printf(arena, "%s:%s", commit->tree, path);
    *text = NULL;
    *length = 0;
    tare_status status = git_run(arena, &call, GIT("cat-file", "-t", object), &reply, error);
    if (status != TARE_OK || !reply.is_success || strcmp(reply.output, "blob") != 0) {
        return status;
    }
    status = git_must(arena, &call, GIT("cat-file", "blob", object), &reply, error);
    if (status == TARE_OK) {
        *text = reply.output;
        *length = reply.output_length;
    }
    return status;
}

bool worktree_has_path(struct arena *arena, const struct worktree_repository *repository,
                       const struct worktree_commit *commit, const char *path)
{
    const struct git_call call = question(repository);
    struct git_reply reply;
    const char *object = arena_printf(arena, "%s:%s", commit->tree, path);
    return git_run(arena, &call, GIT("rev-parse", "--verify", "-q", object), &reply, NULL) ==
               TARE_OK &&
           reply.is_success;
}

bool worktree_is_as_committed(struct arena *arena, const struct worktree_repository *repository,
                              const struct worktree_commit *commit, const char *tracked,
                              const char *path)
{
    const struct git_call call = question(repository);
    const char *object = arena_printf(arena, "%s:%s", commit->tree, tracked);
    struct git_reply committed;
    struct git_reply now;
    return git_run(arena, &call, GIT("rev-parse", "--verify", "-q", object), &committed, NULL) ==
               TARE_OK &&
           committed.is_success &&
           git_run(arena, &call, GIT("hash-object", "--no-filters", "--", path), &now, NULL) ==
               TARE_OK &&
           now.is_success && strcmp(committed.output, now.output) == 0;
}

/* One path of the donor into the index, whatever was there before. */
static tare_status take_path(struct arena *arena, const struct git_call *call,
                             const struct worktree_commit *donor, const char *path,
                             struct tare_error *error)
{
    const char *shown = text_printable(arena, path, 80);
    ptrdiff_t length = (ptrdiff_t)strlen(path);
    while (length > 0 && path[length - 1] == '/') {
        length--;
    }
    const char *bare = arena_strndup(arena, path, length);
    struct git_reply reply;
    /* "100644 blob HASH", "040000 tree HASH": the words in front of the path. */
    tare_status status =
        git_must(arena, call, GIT("ls-tree", donor->tree, "--", bare), &reply, error);
    if (status != TARE_OK) {
        return status;
    }
    const char *tab = strchr(reply.output, '\t');
    bool is_tree = text_starts_with(reply.output, "040000 tree ") && tab != NULL;
    bool is_file = text_starts_with(reply.output, "100") && tab != NULL;
    if (!is_tree && !is_file) {
        return error_set(error, TARE_ERROR_USAGE,
                         "bench_paths: %s has no file or folder \"%s\" to take", donor->name,
                         shown);
    }
    const char *space = strrchr(arena_strndup(arena, reply.output, tab - reply.output), ' ');
    const char *hash = space + 1;
    const char *mode = arena_strndup(arena, reply.output, (ptrdiff_t)strcspn(reply.output, " "));
    status = git_must(arena, call,
                      GIT("rm", "-r", "-f", "-q", "--cached", "--ignore-unmatch", "--", bare),
                      &reply, error);
    if (status == TARE_OK && is_tree) {
        status =
            git_must(arena, call, GIT("read-tree", arena_printf(arena, "--prefix=%s/", bare), hash),
                     &reply, error);
    } else if (status == TARE_OK) {
        const char *entry = arena_printf(arena, "%s,%s,%s", mode, hash, bare);
        status = git_must(arena, call, GIT("update-index", "--add", "--cacheinfo", entry), &reply,
                          error);
    }
    return status;
}

tare_status worktree_compose(struct arena *arena, const struct worktree_repository *repository,
                             const struct worktree_commit *commit,
                             const struct worktree_commit *donor, const char *const *paths,
                             ptrdiff_t path_count, struct worktree_commit *composed,
                             struct tare_error *error)
{
    struct git_call call = question(repository);
    call.index = arena_printf(arena, "%s.index-%016llx", repository->objects,
                              (unsigned long long)clock_entropy());
    call.objects = repository->objects;
    call.borrowed = arena_printf(arena, "%s/objects", repository->common_directory);
    call.has_identity = true;
    call.date = "@0 +0000";
    struct git_reply reply;
    tare_status status = git_must(arena, &call, GIT("read-tree", commit->tree), &reply, error);
    for (ptrdiff_t i = 0; i < path_count && status == TARE_OK; i++) {
        status = take_path(arena, &call, donor, paths[i], error);
    }
    *composed = *commit;
    if (status == TARE_OK) {
        status = git_must(arena, &call, GIT("write-tree"), &reply, error);
        composed->tree = reply.output;
    }
    if (status == TARE_OK) {
        status = git_must(arena, &call,
                          GIT("commit-tree", composed->tree, "-m", "composed", "-p", commit->hash),
                          &reply, error);
        composed->hash = reply.output;
    }
    (void)folder_remove(call.index, NULL);
    return status;
}
