/* worktree.c: git revisions as files, by git's own commands; see worktree.h for the idea.
 *
 * Cost: about ten short git processes (2 ms each), plus writing the files. Recording a working tree
 * reads only files whose size or time differ from the index, as `git add` does. */
#include "os/worktree.h"

#include "base/assert.h"
#include "base/buffer.h"
#include "base/text.h"
#include "os/clock.h"
#include "os/file.h"
#include "os/folder.h"
#include "os/git_call.h"

#include <stdio.h>
#include <string.h>

enum {
    /* Digits of a hash in names for people: git's own default for small repositories. */
    SHORT_HASH_DIGITS = 7,
    /* Branches and tags looked through for "did you mean". */
    SUGGESTIONS_MAX = 2000,
    SUBMODULE_DEPTH_MAX = 8,
    SUBMODULES_MAX = 1000,
    NAME_COLUMNS_MAX = 80,
};

/* Opening */

/* One path per call: a path may hold a newline, and then lines could not be told apart. */
static tare_status ask_path(struct arena *arena, const char *directory, const char *question,
                            const char **path, struct tare_error *error)
{
    const struct git_call call = {.directory = directory, .timeout_ns = GIT_ASK_TIMEOUT_NS};
    struct git_reply reply;
    tare_status status =
        git_must(arena, &call, GIT("rev-parse", "--path-format=absolute", question), &reply, error);
    *path = reply.output;
    return status;
}

static tare_status ask_paths(struct arena *arena, const char *directory, bool is_bare,
                             struct worktree_repository *repository, struct tare_error *error)
{
    const struct {
        const char *question;
        const char **path;
        bool needs_tree;
    } paths[] = {
        {"--absolute-git-dir", &repository->git_directory, false},
        {"--git-common-dir", &repository->common_directory, false},
        {"--show-toplevel", &repository->root, true},
        {"--show-prefix", &repository->prefix, true},
    };
    tare_status status = TARE_OK;
    for (size_t i = 0; i < sizeof paths / sizeof *paths && status == TARE_OK; i++) {
        if (!is_bare || !paths[i].needs_tree) {
            status = ask_path(arena, directory, paths[i].question, paths[i].path, error);
        }
    }
    return status;
}

tare_status worktree_open(struct arena *arena, const char *directory,
                          struct worktree_repository *repository, struct tare_error *error)
{
    const struct git_call call = {.directory = directory, .timeout_ns = GIT_ASK_TIMEOUT_NS};
    const char *shown = directory != NULL ? text_printable(arena, directory, 0) : "this folder";
    struct git_reply reply;
    *repository = (struct worktree_repository){.prefix = ""};
    if (directory != NULL && !file_is_directory(directory)) {
        return error_set(error, TARE_ERROR_USAGE, "there is no folder %s", shown);
    }
    tare_status status = git_run(arena, &call,
                                 GIT("rev-parse", "--is-bare-repository", "--is-inside-work-tree",
                                     "--is-shallow-repository"),
                                 &reply, error);
    if (status != TARE_OK) {
        return status;
    }
    if (!reply.is_success && strstr(reply.problem, "not a git repository") != NULL) {
        return error_set(error, TARE_ERROR_USAGE,
                         "%s is in no git repository, so there are no revisions to build", shown);
    }
    if (!reply.is_success) {
        return error_set(error, TARE_ERROR_MEASURE, "git does not answer for %s: %s", shown,
                         reply.problem);
    }
    char answers[3][8] = {{0}};
    if (sscanf(reply.output, "%7s %7s %7s", answers[0], answers[1], answers[2]) != 3) {
        return error_set(error, TARE_ERROR_MEASURE,
                         "git rev-parse gave an answer that is not "
                         "understood: is it older than 2.31?");
    }
    bool is_bare = strcmp(answers[0], "true") == 0;
    bool is_inside = strcmp(answers[1], "true") == 0;
    repository->is_shallow = strcmp(answers[2], "true") == 0;
    if (!is_bare && !is_inside) {
        return error_set(error, TARE_ERROR_USAGE,
                         "%s is inside the .git folder: go to the working tree", shown);
    }
    return ask_paths(arena, directory, is_bare, repository, error);
}

/* Resolving */

static const char *short_name(struct arena *arena, const char *revision, const char *hash)
{
    const char *digits = arena_strndup(arena, hash, SHORT_HASH_DIGITS);
    if (strncmp(hash, revision, strlen(revision)) == 0) {
        return digits;
    }
    static const char *const places[] = {"refs/heads/", "refs/remotes/", "refs/tags/"};
    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        revision += text_starts_with(revision, places[i]) ? strlen(places[i]) : 0;
    }
    return arena_printf(arena, "%s@%s", text_printable(arena, revision, NAME_COLUMNS_MAX), digits);
}

/* The branch or tag that is nearest to a wrong name; NULL when none is near. */
static const char *suggest(struct arena *arena, const struct git_call *call, const char *revision)
{
    struct git_reply reply;
    if (git_run(arena, call,
                GIT("for-each-ref", "--count=2000", "--format=%(refname:short)", "refs/heads",
                    "refs/tags", "refs/remotes"),
                &reply, NULL) != TARE_OK ||
        !reply.is_success) {
        return NULL;
    }
    const char *candidates[SUGGESTIONS_MAX + 1];
    ptrdiff_t count = 0;
    const char *on_remote = arena_printf(arena, "origin/%s", revision);
    for (char *line = strtok(reply.output, "\n"); line != NULL && count < SUGGESTIONS_MAX;
         line = strtok(NULL, "\n")) {
        if (strcmp(line, on_remote) == 0) {
            return on_remote;
        }
        candidates[count++] = line;
    }
    candidates[count] = NULL;
    return text_nearest(revision, candidates);
}

static tare_status say_unknown(struct arena *arena, const struct worktree_repository *repository,
                               const struct git_call *call, const char *revision,
                               struct tare_error *error)
{
    const char *shown = text_printable(arena, revision, NAME_COLUMNS_MAX);
    struct git_reply reply;
    tare_status status =
        git_run(arena, call, GIT("rev-parse", "--verify", "-q", "HEAD"), &reply, error);
    if (status != TARE_OK) {
        return status;
    }
    if (!reply.is_success && strncmp(revision, "HEAD", 4) == 0) {
        return error_set(error, TARE_ERROR_USAGE,
                         "there is no %s: the repository has no commit yet", shown);
    }
    status = git_run(arena, call, GIT("rev-parse", "--verify", "-q", revision), &reply, error);
    if (status == TARE_OK && reply.is_success && !repository->is_shallow) {
        return error_set(error, TARE_ERROR_USAGE, "%s is no commit of this repository", shown);
    }
    const char *near = suggest(arena, call, revision);
    if (near != NULL) {
        return error_set(error, TARE_ERROR_USAGE,
                         "there is no revision \"%s\"; did you mean \"%s\"?", shown,
                         text_printable(arena, near, NAME_COLUMNS_MAX));
    }
    if (repository->is_shallow) {
        return error_set(error, TARE_ERROR_USAGE,
                         "there is no revision \"%s\" in this shallow clone: run `git fetch "
                         "--unshallow`, or for a branch `git fetch --depth=1 origin "
                         "BRANCH:refs/remotes/origin/BRANCH` and name origin/BRANCH",
                         shown);
    }
    return error_set(error, TARE_ERROR_USAGE,
                     "there is no revision \"%s\"; `git branch -a` and `git tag` list the names",
                     shown);
}

/* "main:" and "v1^{tree}" are no commits, "--all" is no name, and "" is nothing. */
tare_status worktree_resolve(struct arena *arena, const struct worktree_repository *repository,
                             const char *revision, struct worktree_commit *commit,
                             struct tare_error *error)
{
    if (revision[0] == '\0' || revision[0] == '-') {
        return error_set(error, TARE_ERROR_USAGE, "\"%s\" cannot be the name of a revision",
                         text_printable(arena, revision, NAME_COLUMNS_MAX));
    }
    const struct git_call call = {.directory = repository->root != NULL ? repository->root
                                                                        : repository->git_directory,
                                  .borrowed = repository->objects,
                                  .timeout_ns = GIT_ASK_TIMEOUT_NS};
    struct git_reply reply;
    const char *wanted = arena_printf(arena, "%s^{commit}", revision);
    tare_status status =
        git_run(arena, &call, GIT("rev-parse", "--verify", "-q", wanted), &reply, error);
    if (status == TARE_OK && (!reply.is_success || reply.output[0] == '\0')) {
        status = say_unknown(arena, repository, &call, revision, error);
    }
    if (status != TARE_OK) {
        return status;
    }
    *commit = (struct worktree_commit){.hash = reply.output,
                                       .name = short_name(arena, revision, reply.output)};
    wanted = arena_printf(arena, "%s^{tree}", commit->hash);
    status = git_must(arena, &call, GIT("rev-parse", "--verify", "-q", wanted), &reply, error);
    commit->tree = reply.output;
    return status;
}

/* Recording the working tree */

/* Programs, objects and libraries that lie untracked in the working tree were made by a build:
 * taken along, they would stand where the build is to put new ones, and make would call them up to
 * date.
 */
static bool is_product(const char *path)
{
    static const char elf[] = "\177ELF";
    static const char archive[] = "!<arch>\n";
    const void *bytes = NULL;
    ptrdiff_t length = 0;
    if (!file_map(path, &bytes, &length)) {
        return false;
    }
    bool is_elf = length >= (ptrdiff_t)sizeof elf - 1 && memcmp(bytes, elf, sizeof elf - 1) == 0;
    bool is_archive =
        length >= (ptrdiff_t)sizeof archive - 1 && memcmp(bytes, archive, sizeof archive - 1) == 0;
    file_unmap(bytes, length);
    return is_elf || is_archive;
}

static tare_status leave_out_products(struct arena *arena, const struct git_call *call,
                                      const char *others, ptrdiff_t length,
                                      struct worktree_commit *commit, struct tare_error *error)
{
    tare_status status = TARE_OK;
    const char *first = NULL;
    int count = 0;
    for (const char *path = others; path < others + length && status == TARE_OK;
         path += strlen(path) + 1) {
        struct git_reply reply;
        if (!is_product(arena_printf(arena, "%s/%s", call->directory, path))) {
            continue;
        }
        first = first != NULL ? first : path;
        count++;
        status =
            git_must(arena, call,
                     GIT("rm", "-q", "--cached", "--", arena_printf(arena, ":(literal)%s", path)),
                     &reply, error);
    }
    if (count > 0) {
        commit->left_out = arena_printf(
            arena,
            "%s%s untracked and made by a build: left out of the working tree that is measured",
            text_printable(arena, first, NAME_COLUMNS_MAX),
            count > 1 ? arena_printf(arena, " and %d more files are", count - 1) : " is");
    }
    return status;
}

static tare_status record_tree(struct arena *arena, const struct worktree_repository *repository,
                               const char *index, struct worktree_commit *commit,
                               struct tare_error *error)
{
    const char *own_objects = arena_printf(arena, "%s/objects", repository->common_directory);
    const struct git_call call = {.directory = repository->root,
                                  .index = index,
                                  .objects = repository->objects,
                                  .borrowed = own_objects,
                                  .timeout_ns = GIT_WRITE_TIMEOUT_NS};
    struct git_reply others;
    struct git_reply reply;
    /* The copy keeps the time of the index: git trusts an entry only when its file is older. */
    tare_status status =
        folder_copy_file(arena_printf(arena, "%s/index", repository->git_directory), index, error);
    if (status == TARE_OK) {
        status = git_must(arena, &call, GIT("ls-files", "--others", "--exclude-standard", "-z"),
                          &others, error);
    }
    if (status == TARE_OK) {
        status = git_must(arena, &call, GIT("add", "--all"), &reply, error);
    }
    if (status == TARE_OK) {
        status =
            leave_out_products(arena, &call, others.output, others.output_length, commit, error);
    }
    if (status == TARE_OK) {
        status = git_must(arena, &call, GIT("write-tree"), &reply, error);
        commit->tree = reply.output;
    }
    return status;
}

/* A commit that nobody refers to, with HEAD as its parent, so that a build that asks git for a
 * version gets a sensible one. All that is in it follows from tree and HEAD. */
static tare_status record_commit(struct arena *arena, const struct worktree_repository *repository,
                                 const struct worktree_commit *head, struct worktree_commit *commit,
                                 struct tare_error *error)
{
    const char *own_objects = arena_printf(arena, "%s/objects", repository->common_directory);
    struct git_call call = {.directory = repository->root,
                            .objects = repository->objects,
                            .borrowed = own_objects,
                            .has_identity = true,
                            .date = "@0 +0000",
                            .timeout_ns = GIT_ASK_TIMEOUT_NS};
    struct git_reply reply;
    tare_status status = TARE_OK;
    if (head != NULL) {
        status = git_must(arena, &call, GIT("show", "-s", "--format=@%ct +0000", head->hash),
                          &reply, error);
        call.date = reply.output;
    }
    if (status == TARE_OK) {
        status = git_must(arena, &call,
                          GIT("commit-tree", commit->tree, "-m", "working tree",
                              head != NULL ? "-p" : NULL, head != NULL ? head->hash : NULL),
                          &reply, error);
        commit->hash = reply.output;
    }
    return status;
}

tare_status worktree_record(struct arena *arena, const struct worktree_repository *repository,
                            struct worktree_commit *commit, struct tare_error *error)
{
    TARE_ASSERT(repository->objects != NULL);
    if (repository->root == NULL) {
        return error_set(error, TARE_ERROR_USAGE,
                         "a bare repository has no working tree: name both revisions");
    }
    *commit = (struct worktree_commit){.name = "working tree", .is_working_tree = true};
    const char *index = arena_printf(arena, "%s.index-%016llx", repository->objects,
                                     (unsigned long long)clock_entropy());
    tare_status status = record_tree(arena, repository, index, commit, error);
    (void)folder_remove(index, NULL);
    if (status != TARE_OK) {
        return status;
    }
    struct worktree_commit head = {0};
    struct tare_error unborn = {0};
    bool has_head = worktree_resolve(arena, repository, "HEAD", &head, &unborn) == TARE_OK;
    if (!has_head && unborn.status != TARE_ERROR_USAGE) {
        return error_set(error, unborn.status, "%s", unborn.message);
    }
    commit->is_dirty = !has_head || strcmp(head.tree, commit->tree) != 0;
    if (!commit->is_dirty) {
        commit->hash = head.hash;
        return TARE_OK;
    }
    return record_commit(arena, repository, has_head ? &head : NULL, commit, error);
}

/* Writing */

static tare_status write_text(struct arena *arena, const char *folder, const char *name,
                              const char *text, struct tare_error *error)
{
    return file_write(arena_printf(arena, "%s/%s", folder, name), text, (ptrdiff_t)strlen(text),
                      error);
}

/* The user's settings count (filters, for one), but for those that would reach beyond the folder.
 */
static tare_status write_config(struct arena *arena, const struct worktree_repository *repository,
                                const char *hash, const char *git_folder, struct tare_error *error)
{
    /* SHA-1 has 40 digits; the other format that git knows needs to be said. */
    const char *format = strlen(hash) == 40 ? "\trepositoryformatversion = 0\n"
                                            : "\trepositoryformatversion = 1\n"
                                              "[extensions]\n\tobjectformat = sha256\n[core]\n";
    const char *own = arena_printf(arena, "%s/config", repository->common_directory);
    return write_text(arena, git_folder, "config",
                      arena_printf(arena,
                                   "[include]\n\tpath = %s\n[core]\n%s\tbare = false\n"
                                   "\thooksPath = /dev/null\n\tfsmonitor = false\n"
                                   "\tsparseCheckout = false\n[gc]\n\tauto = 0\n",
                                   git_quoted(arena, own), format),
                      error);
}

/* The user's objects and those of recorded working trees are borrowed, not copied. */
static tare_status write_objects(struct arena *arena, const struct worktree_repository *repository,
                                 const char *git_folder, struct tare_error *error)
{
    const char *own = arena_printf(arena, "%s/objects", repository->common_directory);
    const char *recorded =
        repository->objects != NULL ? git_quoted(arena, repository->objects) : "";
    tare_status status =
        file_make_directories(arena_printf(arena, "%s/objects/info", git_folder), error);
    if (status == TARE_OK) {
        status =
            write_text(arena, git_folder, "objects/info/alternates",
                       arena_printf(arena, "%s\n%s\n", git_quoted(arena, own), recorded), error);
    }
    if (status == TARE_OK) {
        status = folder_copy_file(arena_printf(arena, "%s/shallow", repository->common_directory),
                                  arena_printf(arena, "%s/shallow", git_folder), error);
    }
    return status;
}

/* The user's tags, for `git describe`; no branch. */
static tare_status write_references(struct arena *arena,
                                    const struct worktree_repository *repository, const char *hash,
                                    const char *git_folder, struct tare_error *error)
{
    const struct git_call call = {.directory = repository->git_directory,
                                  .timeout_ns = GIT_ASK_TIMEOUT_NS};
    struct git_reply tags;
    tare_status status = file_make_directories(arena_printf(arena, "%s/refs", git_folder), error);
    if (status == TARE_OK) {
        status = write_text(arena, git_folder, "HEAD", arena_printf(arena, "%s\n", hash), error);
    }
    if (status == TARE_OK) {
        status = git_must(arena, &call,
                          GIT("for-each-ref", "--format=%(objectname) %(refname)", "refs/tags"),
                          &tags, error);
    }
    if (status == TARE_OK && tags.output[0] != '\0') {
        status = write_text(arena, git_folder, "packed-refs",
                            arena_printf(arena, "%s\n", tags.output), error);
    }
    return status;
}

/* The folder's own repository, written by hand: `git init` would bring templates and hooks. */
static tare_status write_repository(struct arena *arena,
                                    const struct worktree_repository *repository, const char *hash,
                                    const char *git_folder, struct tare_error *error)
{
    tare_status status = write_objects(arena, repository, git_folder, error);
    if (status == TARE_OK) {
        status = write_config(arena, repository, hash, git_folder, error);
    }
    if (status == TARE_OK) {
        status = write_references(arena, repository, hash, git_folder, error);
    }
    return status;
}

static tare_status write_files(struct arena *arena, const struct worktree_repository *repository,
                               const struct worktree_commit *commit, const char *folder,
                               struct tare_error *error)
{
    const char *git_folder = arena_printf(arena, "%s/.git", folder);
    tare_status status = write_repository(arena, repository, commit->hash, git_folder, error);
    if (status != TARE_OK) {
        return status;
    }
    const struct git_call call = {.directory = folder,
                                  .index = arena_printf(arena, "%s/index", git_folder),
                                  .borrowed = repository->objects,
                                  .timeout_ns = GIT_WRITE_TIMEOUT_NS};
    struct git_reply reply;
    return git_must(arena, &call,
                    GIT(arena_printf(arena, "--git-dir=%s", repository->git_directory),
                        arena_printf(arena, "--work-tree=%s", folder), "read-tree", "--reset", "-u",
                        "--no-sparse-checkout", commit->tree),
                    &reply, error);
}

struct submodule_visit {
    struct arena *arena;
    struct buffer missing; /* paths, for the warning */
    struct buffer changed;
};

static tare_status write_submodules(struct submodule_visit *visit,
                                    const struct worktree_repository *repository,
                                    const char *folder, bool is_working_tree, int depth,
                                    struct tare_error *error);

tare_status worktree_write(struct arena *arena, const struct worktree_repository *repository,
                           const struct worktree_commit *commit, const char *folder,
                           const char **warning, struct tare_error *error)
{
    *warning = NULL;
    struct submodule_visit visit = {.arena = arena,
                                    .missing = buffer_new(arena, ERROR_MESSAGE_MAX),
                                    .changed = buffer_new(arena, ERROR_MESSAGE_MAX)};
    tare_status status = write_files(arena, repository, commit, folder, error);
    if (status == TARE_OK) {
        status = write_submodules(&visit, repository, folder, commit->is_working_tree, 0, error);
    }
    bool has_missing = visit.missing.length > 0;
    bool has_changed = visit.changed.length > 0;
    if (status == TARE_OK && (has_missing || has_changed)) {
        *warning = arena_printf(
            arena, "%s%s%s%s%s",
            has_missing ? "submodules left empty, as their commit is not here (run `git submodule "
                          "update --init --recursive`, or commit the repository inside):"
                        : "",
            buffer_string(&visit.missing), has_missing && has_changed ? "; " : "",
            has_changed ? "changes inside submodules are not taken along:" : "",
            buffer_string(&visit.changed));
    }
    return status;
}

/* The repository of a submodule: in the checkout, or kept below .git from an earlier one. */
static bool open_submodule(struct arena *arena, const struct worktree_repository *repository,
                           const char *path, struct worktree_repository *submodule)
{
    struct tare_error ignored = {0};
    if (repository->root != NULL) {
        const char *checkout = arena_printf(arena, "%s/%s", repository->root, path);
        /* Without a .git of its own, git would answer for the repository around it. */
        if (file_exists(arena_printf(arena, "%s/.git", checkout)) &&
            worktree_open(arena, checkout, submodule, &ignored) == TARE_OK) {
            return true;
        }
    }
    const char *kept = arena_printf(arena, "%s/modules/%s", repository->common_directory, path);
    *submodule =
        (struct worktree_repository){.prefix = "", .git_directory = kept, .common_directory = kept};
    return file_exists(arena_printf(arena, "%s/HEAD", kept));
}

static bool has_changes(struct arena *arena, const struct worktree_repository *submodule)
{
    const struct git_call call = {.directory = submodule->root, .timeout_ns = GIT_ASK_TIMEOUT_NS};
    struct git_reply reply;
    return submodule->root != NULL &&
           git_run(arena, &call, GIT("status", "--porcelain"), &reply, NULL) == TARE_OK &&
           reply.is_success && reply.output[0] != '\0';
}

static tare_status write_submodule(struct submodule_visit *visit,
                                   const struct worktree_repository *repository, const char *folder,
                                   const char *path, const char *hash, bool is_working_tree,
                                   int depth, struct tare_error *error)
{
    struct arena *arena = visit->arena;
    struct worktree_repository submodule;
    struct worktree_commit commit;
    struct tare_error absent = {0};
    const char *shown = text_printable(arena, path, NAME_COLUMNS_MAX);
    if (depth >= SUBMODULE_DEPTH_MAX || !open_submodule(arena, repository, path, &submodule) ||
        worktree_resolve(arena, &submodule, hash, &commit, &absent) != TARE_OK) {
        buffer_printf(&visit->missing, " %s", shown);
        return TARE_OK;
    }
    if (is_working_tree && has_changes(arena, &submodule)) {
        buffer_printf(&visit->changed, " %s", shown);
    }
    const char *inside = arena_printf(arena, "%s/%s", folder, path);
    tare_status status = write_files(arena, &submodule, &commit, inside, error);
    return status == TARE_OK
               ? write_submodules(visit, &submodule, inside, is_working_tree, depth + 1, error)
               : status;
}

static tare_status write_submodules(struct submodule_visit *visit,
                                    const struct worktree_repository *repository,
                                    const char *folder, bool is_working_tree, int depth,
                                    struct tare_error *error)
{
    const struct git_call call = {.directory = folder, .timeout_ns = GIT_ASK_TIMEOUT_NS};
    struct git_reply reply;
    tare_status status =
        git_must(visit->arena, &call, GIT("ls-files", "--stage", "-z"), &reply, error);
    if (status != TARE_OK) {
        return status;
    }
    /* "160000 HASH 0<tab>PATH", each ended by a NUL. */
    ptrdiff_t count = 0;
    const char *end = reply.output + reply.output_length;
    for (char *entry = reply.output; entry < end; entry += strlen(entry) + 1) {
        char *tab = strchr(entry, '\t');
        if (!text_starts_with(entry, "160000 ") || tab == NULL) {
            continue;
        }
        if (++count > SUBMODULES_MAX) {
            return error_set(error, TARE_ERROR_MEASURE, "more than %d submodules", SUBMODULES_MAX);
        }
        char *hash = entry + strlen("160000 ");
        hash = arena_strndup(visit->arena, hash, (ptrdiff_t)strcspn(hash, " "));
        status = write_submodule(visit, repository, folder, tab + 1, hash, is_working_tree, depth,
                                 error);
        if (status != TARE_OK) {
            return status;
        }
    }
    return TARE_OK;
}
