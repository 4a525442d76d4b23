/* revision.c: git revisions, built once and kept; see revision.h.
 *
 * In the cache:  KEY-LLL/tree/   the files, with what the build made     KEY-LLL.lock  flock
 *                KEY-LLL/salt/   wrappers of a salted build              KEY-LLL.log   build output
 *                KEY-LLL/ready   the mark: the whole key, and what is known of the build
 *                objects/        git objects of recorded working trees
 * KEY is a hash of the key text in 16 digits, LLL the layout. */
#include "cli/revision.h"

#include "base/assert.h"
#include "base/buffer.h"
#include "base/text.h"
#include "base/unit.h"
#include "os/environment.h"
#include "os/file.h"
#include "os/folder.h"
#include "os/process.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    LOG_BYTES_MAX = 256 * 1024 * 1024, /* of a build's output, when its end is looked for */
    TAIL_LINES_MAX = 8,                /* of it, in a message */
    MARK_BYTES_MAX = 1024 * 1024,
    /* Beyond it something else removes what we build. */
    ROUNDS_MAX = 5,
};

/* A build may read any variable; these say only where and for whom it runs. With a star: all that
 * begin so. Changed ones do not make a build stale, all others do. */
static const char *const free_variables[] = {
    "_",         "PWD",       "OLDPWD",   "SHLVL",     "COLUMNS",  "LINES",         "TERM*",
    "COLOR*",    "LS_COLORS", "PS1",      "PS2",       "PROMPT*",  "HIST*",         "LESS*",
    "PAGER",     "EDITOR",    "VISUAL",   "DISPLAY",   "WAYLAND*", "WINDOW*",       "XAUTH*",
    "XDG_*",     "DBUS_*",    "SSH_*",    "GPG_*",     "SUDO_*",   "TMUX*",         "STY",
    "VTE_*",     "KONSOLE*",  "GNOME_*",  "DESKTOP*",  "SESSION*", "INVOCATION_ID", "JOURNAL_*",
    "MAIL",      "HOSTNAME",  "NO_COLOR", "TARE_*",    "GIT_*",    "GITHUB_*",      "RUNNER_*",
    "CI_*",      "GITLAB_*",  "BUILD_*",  "JENKINS_*", "BATS_*",   "CTEST_*",       "MAKEFLAGS",
    "MAKELEVEL", "MFLAGS",    "ASAN_*",   "UBSAN_*",   "LSAN_*",   "TMPDIR",        NULL,
};

/* Tools whose replacement makes an old build another build. */
static const char *const key_tools[] = {"cc",      "c++", "gcc",    "g++",    "clang",
                                        "clang++", "ld",  "ld.lld", "mold",   "as",
                                        "rustc",   "go",  "zig",    "swiftc", NULL};

struct revision_entry {
    const char *path; /* without the end: + "/ready", ".lock", ".log" */
    const char *key;  /* text */
};

static tare_status find_commit(struct arena *arena, const struct revision_request *request,
                               const struct worktree_repository *repository,
                               struct worktree_commit *commit, struct tare_error *error);
static struct revision_entry make_entry(struct arena *arena, const struct revision_request *request,
                                        const struct worktree_repository *repository,
                                        const char *cache, const struct worktree_commit *commit);
static tare_status obtain(struct arena *arena, const struct revision_request *request,
                          const struct worktree_repository *repository,
                          const struct revision_entry *entry, struct revision *revision,
                          struct tare_error *error);

tare_status revision_prepare(struct arena *arena, const struct revision_request *request,
                             struct revision *revision, struct tare_error *error)
{
    TARE_ASSERT(request->layout >= 0 && request->layout <= SALT_LAYOUT_MAX);
    struct worktree_repository repository;
    struct worktree_commit commit;
    const char *cache;
    *revision = (struct revision){
        .lock_fd = -1, .layout = request->layout, .has_build = request->build != NULL};
    if (request->layout > 0 && request->build == NULL) {
        return error_set(error, TARE_ERROR_USAGE,
                         "layouts are varied by building: --build is wanted");
    }
    tare_status status =
        revision_repository(arena, request->repository, &repository, &cache, error);
    if (status == TARE_OK) {
        status = find_commit(arena, request, &repository, &commit, error);
    }
    if (status != TARE_OK) {
        return status;
    }
    struct revision_entry entry = make_entry(arena, request, &repository, cache, &commit);
    revision->commit = commit;
    revision->name = commit.name;
    revision->hash = commit.hash;
    revision->is_dirty = commit.is_working_tree && commit.is_dirty;
    revision->root = arena_printf(arena, "%s/tree", entry.path);
    ptrdiff_t prefix = (ptrdiff_t)strlen(repository.prefix);
    revision->directory = prefix > 0 ? arena_printf(arena, "%s/%.*s", revision->root,
                                                    (int)prefix - 1, repository.prefix)
                                     : revision->root;
    revision->log = arena_printf(arena, "%s.log", entry.path);
    status = obtain(arena, request, &repository, &entry, revision, error);
    if (status == TARE_OK && !revision->was_cached) {
        revision_prune(arena, cache);
    }
    if (status != TARE_OK) {
        revision_release(revision);
    }
    return status;
}

void revision_release(struct revision *revision)
{
    folder_unlock(revision->lock_fd);
    revision->lock_fd = -1;
}

int revision_layout(int round, int side, int side_count)
{
    TARE_ASSERT(round >= 1 && side >= 0 && side < side_count);
    return (round - 1) * side_count + side + 1;
}

/* Repository, cache, commit, key */

static const char *user_cache(struct arena *arena)
{
    const char *cache = getenv("XDG_CACHE_HOME");
    const char *home = getenv("HOME");
    /* A relative XDG path is to be ignored (XDG Base Directory Specification). */
    if (cache != NULL && cache[0] == '/') {
        return arena_printf(arena, "%s/tare/worktrees", cache);
    }
    return home != NULL && home[0] == '/' ? arena_printf(arena, "%s/.cache/tare/worktrees", home)
                                          : NULL;
}

tare_status revision_repository(struct arena *arena, const char *directory,
                                struct worktree_repository *repository, const char **cache,
                                struct tare_error *error)
{
    tare_status status = worktree_open(arena, directory, repository, error);
    if (status != TARE_OK) {
        return status;
    }
    *cache = repository->root != NULL && folder_is_writable(repository->root)
                 ? arena_printf(arena, "%s/.tare/worktrees", repository->root)
                 : user_cache(arena);
    if (*cache == NULL) {
        return error_set(error, TARE_ERROR_IO,
                         "there is no place for worktrees: the repository cannot be written to, "
                         "and neither XDG_CACHE_HOME nor HOME names a folder");
    }
    repository->objects = arena_printf(arena, "%s/objects", *cache);
    status = file_make_directories(repository->objects, error);
    const char *ignore = arena_printf(arena, "%s/.gitignore", *cache);
    if (status == TARE_OK && !file_exists(ignore)) {
        static const char everything[] = "*\n";
        status = file_write(ignore, everything, sizeof everything - 1, error);
    }
    return status;
}

static tare_status find_commit(struct arena *arena, const struct revision_request *request,
                               const struct worktree_repository *repository,
                               struct worktree_commit *commit, struct tare_error *error)
{
    if (request->same_as != NULL) {
        *commit = request->same_as->commit;
        return TARE_OK;
    }
    return request->revision != NULL
               ? worktree_resolve(arena, repository, request->revision, commit, error)
               : worktree_record(arena, repository, commit, error);
}

/* FNV-1a (Fowler, Noll, Vo), 64 bits: names only; the mark holds the whole text and is compared. */
static uint64_t hash_text(const char *text)
{
    uint64_t hash = UINT64_C(0xcbf29ce484222325);
    for (; *text != '\0'; text++) {
        hash = (hash ^ (unsigned char)*text) * UINT64_C(0x100000001b3);
    }
    return hash;
}

static void add_tool(struct arena *arena, struct buffer *key, const char *name)
{
    const char *path = file_find_program(arena, name);
    const char *identity = path != NULL ? folder_identity(arena, path) : NULL;
    if (identity != NULL) {
        buffer_printf(key, "tool %s %s\n", name, identity);
    }
}

/* "NAME=value": is NAME one that builds do not depend on? */
static bool is_free(const char *variable)
{
    size_t length = strcspn(variable, "=");
    for (const char *const *name = free_variables; *name != NULL; name++) {
        size_t known = strlen(*name);
        bool is_prefix = known > 1 && (*name)[known - 1] == '*';
        if (is_prefix ? length >= known - 1 && strncmp(variable, *name, known - 1) == 0
                      : length == known && strncmp(variable, *name, known) == 0) {
            return true;
        }
    }
    return false;
}

/* Only a hash is kept: variables may hold secrets. Their order does not count. */
static uint64_t hash_environment(struct arena *arena)
{
    uint64_t sum = 0;
    struct environment environment = environment_copy(arena);
    for (const char *const *variable = environment.variables; *variable != NULL; variable++) {
        if (!is_free(*variable)) {
            sum += hash_text(*variable);
        }
    }
    return sum;
}

static struct revision_entry make_entry(struct arena *arena, const struct revision_request *request,
                                        const struct worktree_repository *repository,
                                        const char *cache, const struct worktree_commit *commit)
{
    struct buffer key = buffer_new(arena, BUFFER_LENGTH_MAX);
    buffer_printf(&key, "tare worktree 2\nrepository %s\ncommit %s\nlayout %d\nfolder %s\n",
                  repository->common_directory, commit->hash, request->layout, repository->prefix);
    buffer_printf(&key, "build %s\n", request->build != NULL ? request->build : "(none)");
    if (request->build != NULL) {
        buffer_printf(&key, "environment %016" PRIx64 "\n", hash_environment(arena));
    }
    for (const char *const *name = key_tools; *name != NULL && request->build != NULL; name++) {
        add_tool(arena, &key, *name);
    }
    static const char *const named[] = {"CC", "CXX", "FC", "LD"};
    for (size_t i = 0; i < sizeof named / sizeof *named && request->build != NULL; i++) {
        const char *value = getenv(named[i]);
        if (value != NULL) {
            add_tool(arena, &key, arena_strndup(arena, value, (ptrdiff_t)strcspn(value, " \t")));
        }
    }
    const char *text = buffer_string(&key);
    return (struct revision_entry){.key = text,
                                   .path = arena_printf(arena, "%s/%016" PRIx64 "-%03d", cache,
                                                        hash_text(text), request->layout)};
}

/* The mark */

/* Behind the key: what is known of the build. */
static const char MARK_END[] = "finished %.0f ns, %d links salted, %d not\n";

static bool read_mark(struct arena *arena, const struct revision_entry *entry,
                      struct revision *revision)
{
    char *text = NULL;
    ptrdiff_t length = 0;
    const char *path = arena_printf(arena, "%s/ready", entry->path);
    if (file_read(arena, path, MARK_BYTES_MAX, &text, &length, NULL) != TARE_OK ||
        !text_starts_with(text, entry->key) || !file_is_directory(revision->directory)) {
        return false;
    }
    const char *rest = text + strlen(entry->key);
    if (sscanf(rest, "finished %lf ns, %d links salted, %d not", &revision->build_ns,
               &revision->links.salted, &revision->links.unsalted) != 3) {
        return false;
    }
    const char *warning = strchr(rest, '\n');
    if (warning != NULL && warning[1] != '\0') {
        revision->warning = warning + 1;
    }
    folder_touch(path); /* the newest used are kept */
    return true;
}

static tare_status write_mark(struct arena *arena, const struct revision_entry *entry,
                              const struct revision *revision, struct tare_error *error)
{
    struct buffer text = buffer_new(arena, MARK_BYTES_MAX);
    buffer_text(&text, entry->key);
    buffer_printf(&text, MARK_END, revision->build_ns, revision->links.salted,
                  revision->links.unsalted);
    buffer_text(&text, revision->warning != NULL ? revision->warning : "");
    return file_write(arena_printf(arena, "%s/ready", entry->path), text.data, text.length, error);
}

/* Getting hold of a finished entry */

static void tell(const struct revision_request *request, enum revision_stage stage,
                 const struct revision *revision)
{
    if (request->observer != NULL) {
        request->observer->update(request->observer->context, stage, revision->name,
                                  request->layout);
    }
}

static tare_status lock(struct arena *arena, const struct revision_request *request,
                        const struct revision_entry *entry, enum folder_lock_kind kind,
                        struct revision *revision, struct tare_error *error)
{
    const char *path = arena_printf(arena, "%s.lock", entry->path);
    tare_status status = folder_lock_try(path, kind, &revision->lock_fd, error);
    if (status == TARE_OK && revision->lock_fd < 0) {
        tell(request, REVISION_WAITING, revision);
        status = folder_lock_wait(path, kind, &revision->lock_fd, error);
    }
    return status;
}

static tare_status make(struct arena *arena, const struct revision_request *request,
                        const struct worktree_repository *repository,
                        const struct revision_entry *entry, struct revision *revision,
                        struct tare_error *error);

/* Shared lock and mark: it is ours to use. Else make it under the exclusive lock, and look again,
 * as the lock is open for a moment when it changes. */
static tare_status obtain(struct arena *arena, const struct revision_request *request,
                          const struct worktree_repository *repository,
                          const struct revision_entry *entry, struct revision *revision,
                          struct tare_error *error)
{
    bool is_made = false;
    for (int i = 0; i < ROUNDS_MAX; i++) {
        tare_status status = lock(arena, request, entry, FOLDER_LOCK_SHARED, revision, error);
        if (status != TARE_OK) {
            return status;
        }
        if (read_mark(arena, entry, revision)) {
            revision->was_cached = !is_made;
            if (!is_made) {
                tell(request, REVISION_CACHED, revision);
            }
            return TARE_OK;
        }
        revision_release(revision);
        status = lock(arena, request, entry, FOLDER_LOCK_EXCLUSIVE, revision, error);
        if (status == TARE_OK && !read_mark(arena, entry, revision)) {
            status = make(arena, request, repository, entry, revision, error);
            is_made = true;
        }
        if (status != TARE_OK) {
            return status;
        }
        revision_release(revision);
    }
    return error_set(error, TARE_ERROR_IO,
                     "the build of %s in %s disappears as soon as it is made: does something else "
                     "remove it?",
                     revision->name, entry->path);
}

/* Making an entry */

static tare_status build(struct arena *arena, const struct revision_request *request,
                         const struct revision_entry *entry, struct revision *revision,
                         struct tare_error *error);

static tare_status make(struct arena *arena, const struct revision_request *request,
                        const struct worktree_repository *repository,
                        const struct revision_entry *entry, struct revision *revision,
                        struct tare_error *error)
{
    tell(request, REVISION_WRITING, revision);
    tare_status status = folder_discard(entry->path, error);
    if (status == TARE_OK) {
        status = folder_remove(revision->log, error);
    }
    if (status == TARE_OK) {
        status = worktree_write(arena, repository, &revision->commit, revision->root,
                                &revision->warning, error);
    }
    if (status == TARE_OK && !file_is_directory(revision->directory)) {
        status = error_set(error, TARE_ERROR_MEASURE,
                           "%s has no folder %s; run tare from the root of the repository",
                           revision->name, text_printable(arena, repository->prefix, 0));
    }
    if (status == TARE_OK && request->build != NULL) {
        tell(request, REVISION_BUILDING, revision);
        status = build(arena, request, entry, revision, error);
    }
    return status == TARE_OK ? write_mark(arena, entry, revision, error) : status;
}

const char *revision_log_tail(struct arena *arena, const char *log, ptrdiff_t room)
{
    char *text = NULL;
    ptrdiff_t length = 0;
    if (file_read(arena, log, LOG_BYTES_MAX, &text, &length, NULL) != TARE_OK) {
        return "";
    }
    while (length > 0 && (text[length - 1] == '\n' || text[length - 1] == '\0')) {
        text[--length] = '\0';
    }
    const char *lines = "";
    for (int i = 0; i < TAIL_LINES_MAX && length > 0; i++) {
        ptrdiff_t start = length;
        while (start > 0 && text[start - 1] != '\n') {
            start--;
        }
        const char *line =
            text_printable(arena, arena_strndup(arena, text + start, length - start), 160);
        const char *more = arena_printf(arena, "\n  %s%s", line, lines);
        if ((ptrdiff_t)strlen(more) > room) {
            break;
        }
        lines = more;
        length = start > 0 ? start - 1 : 0;
    }
    return lines;
}

static tare_status say_failed(struct arena *arena, const struct revision_request *request,
                              const struct revision *revision, const struct process_usage *usage,
                              struct tare_error *error)
{
    char text[96];
    const char *how = usage->is_timed_out
                          ? arena_printf(arena, "took longer than %s and was killed",
                                         unit_format(arena, request->timeout_ns, "ns", 3))
                          : process_status_text(usage->status, false, text, sizeof text);
    const char *hint =
        revision->warning != NULL
            ? arena_printf(arena, "; %s", text_printable(arena, revision->warning, 200))
            : "";
    const char *head = arena_printf(arena, "the build of %s %s (output: %s)%s", revision->name, how,
                                    revision->log, hint);
    /* Some room for the word in front and the mark of a cut. */
    ptrdiff_t room = ERROR_MESSAGE_MAX - (ptrdiff_t)strlen(head) - 32;
    return error_set(error, TARE_ERROR_MEASURE, "%s%s", head,
                     revision_log_tail(arena, revision->log, room));
}

static tare_status check_links(struct arena *arena, const char *salt, struct revision *revision,
                               struct tare_error *error)
{
    revision->links = salt_count(arena, salt);
    if (revision->links.salted == 0) {
        return error_set(error, TARE_ERROR_MEASURE,
                         "the build of %s linked nothing through a compiler found in PATH%s: its "
                         "layout cannot be varied (output: %s)",
                         revision->name,
                         revision->links.unsalted > 0
                             ? ", only by a compiler's full path or by the linker itself"
                             : "",
                         revision->log);
    }
    if (revision->links.unsalted > 0) {
        revision->warning =
            arena_printf(arena, "%s%s%d of %d links are not salted (%s/links)",
                         revision->warning != NULL ? revision->warning : "",
                         revision->warning != NULL ? "; " : "", revision->links.unsalted,
                         revision->links.unsalted + revision->links.salted, salt);
    }
    return TARE_OK;
}

static tare_status build(struct arena *arena, const struct revision_request *request,
                         const struct revision_entry *entry, struct revision *revision,
                         struct tare_error *error)
{
    const char *salt = arena_printf(arena, "%s/salt", entry->path);
    struct environment environment = environment_copy(arena);
    for (const char *const *name = worktree_bound_variables; *name != NULL; name++) {
        environment_unset(&environment, *name);
    }
    if (request->layout > 0) {
        tare_status status = salt_prepare(arena, salt, request->layout, &environment, error);
        if (status != TARE_OK) {
            return status;
        }
    }
    int log_fd = file_open_write(revision->log, error);
    if (log_fd < 0) {
        return TARE_ERROR_IO;
    }
    const struct process_spec spec = {
        .argv = (const char *const[]){"/bin/sh", "-c", request->build, NULL},
        .environment = environment.variables,
        .directory = revision->directory,
        .stdin_fd = -1,
        .stdout_fd = log_fd,
        .stderr_fd = log_fd,
        .cpu = -1,
    };
    struct process_usage usage = {0};
    tare_status status = process_run(&spec, request->timeout_ns, &usage, error);
    process_close(&log_fd, 1);
    revision->build_ns = usage.wall_ns;
    if (status == TARE_OK && (usage.is_timed_out || process_exit_code(usage.status) != 0)) {
        status = say_failed(arena, request, revision, &usage, error);
    }
    if (status == TARE_OK && request->layout > 0) {
        status = check_links(arena, salt, revision, error);
    }
    return status;
}
