#include "os/git_call.h"

#include "base/assert.h"
#include "base/buffer.h"
#include "base/text.h"
#include "os/capture.h"
#include "os/environment.h"
#include "os/process.h"
#include "os/worktree.h"

#include <string.h>

enum {
    /* The list of a million files, or of as many tags. */
    OUTPUT_BYTES_MAX = 128 * 1024 * 1024,
    ARGUMENTS_MAX = 48,
    MESSAGE_COLUMNS_MAX = 400,
};

const char *const worktree_bound_variables[] = {
    "GIT_DIR",
    "GIT_WORK_TREE",
    "GIT_IMPLICIT_WORK_TREE",
    "GIT_COMMON_DIR",
    "GIT_INDEX_FILE",
    "GIT_OBJECT_DIRECTORY",
    "GIT_ALTERNATE_OBJECT_DIRECTORIES",
    "GIT_PREFIX",
    "GIT_NAMESPACE",
    "GIT_SHALLOW_FILE",
    "GIT_GRAFT_FILE",
    "GIT_CONFIG",
    "GIT_INTERNAL_SUPER_PREFIX",
    "GIT_LITERAL_PATHSPECS",
    "GIT_GLOB_PATHSPECS",
    "GIT_NOGLOB_PATHSPECS",
    "GIT_ICASE_PATHSPECS",
    NULL,
};

/* Whatever the user configured: no hooks, no daemon, no index features that write beside the index
 * they are told to use, no housekeeping, no objection to line endings. */
static const char *const settled[] = {
    "-c", "core.hooksPath=/dev/null",     "-c", "core.fsmonitor=false",
    "-c", "core.splitIndex=false",        "-c", "core.untrackedCache=false",
    "-c", "core.safecrlf=false",          "-c", "gc.auto=0",
    "-c", "maintenance.auto=false",       "-c", "submodule.recurse=false",
    "-c", "advice.addEmbeddedRepo=false", "-c", "core.looseCompression=1",
    "-c", "log.showSignature=false",      "-c", "advice.detachedHead=false",
};

/* A path in double quotes as git reads it in its configuration, its lists of object folders and
 * environment. */
const char *git_quoted(struct arena *arena, const char *path)
{
    struct buffer quoted = buffer_new(arena, BUFFER_LENGTH_MAX);
    buffer_char(&quoted, '"');
    for (const char *c = path; *c != '\0'; c++) {
        if (*c == '\n') {
            buffer_text(&quoted, "\\n");
            continue;
        }
        if (*c == '"' || *c == '\\') {
            buffer_char(&quoted, '\\');
        }
        buffer_char(&quoted, *c);
    }
    buffer_char(&quoted, '"');
    return buffer_string(&quoted);
}

/* This process's environment without what binds git to a repository, plus what the call wants. The
 * language of messages is fixed, and no question is ever asked. */
static const char *const *git_environment(struct arena *arena, const struct git_call *call)
{
    struct environment environment = environment_copy(arena);
    for (const char *const *name = worktree_bound_variables; *name != NULL; name++) {
        environment_unset(&environment, *name);
    }
    environment_set(&environment, "LC_ALL", "C");
    environment_set(&environment, "GIT_TERMINAL_PROMPT", "0");
    environment_set(&environment, "GIT_OPTIONAL_LOCKS", "0");
    if (call->index != NULL) {
        environment_set(&environment, "GIT_INDEX_FILE", call->index);
    }
    if (call->objects != NULL) {
        environment_set(&environment, "GIT_OBJECT_DIRECTORY", call->objects);
    }
    if (call->borrowed != NULL) {
        environment_set(&environment, "GIT_ALTERNATE_OBJECT_DIRECTORIES",
                        git_quoted(arena, call->borrowed));
    }
    if (call->has_identity) {
        static const char *const roles[] = {"AUTHOR", "COMMITTER"};
        for (size_t i = 0; i < sizeof roles / sizeof *roles; i++) {
            environment_set(&environment, arena_printf(arena, "GIT_%s_NAME", roles[i]), "tare");
            environment_set(&environment, arena_printf(arena, "GIT_%s_EMAIL", roles[i]), "tare");
            environment_set(&environment, arena_printf(arena, "GIT_%s_DATE", roles[i]), call->date);
        }
    }
    return environment.variables;
}

/* Everything that git said, on one line that is safe to print. */
static const char *one_line(struct arena *arena, const char *text)
{
    char *copy = arena_strdup(arena, text);
    for (char *c = copy; *c != '\0'; c++) {
        if (*c == '\n' || *c == '\t' || *c == '\r') {
            *c = c[1] == '\0' ? '\0' : ' ';
        }
    }
    return copy[0] != '\0' ? text_printable(arena, copy, MESSAGE_COLUMNS_MAX)
                           : "git failed without a word";
}

tare_status git_run(struct arena *arena, const struct git_call *call, const char *const *arguments,
                    struct git_reply *reply, struct tare_error *error)
{
    enum { SETTLED = sizeof settled / sizeof *settled };
    const char *argv[ARGUMENTS_MAX] = {"git"};
    memcpy(argv + 1, settled, sizeof settled);
    for (ptrdiff_t i = 0; arguments[i] != NULL; i++) {
        TARE_ASSERT(i + SETTLED + 2 < ARGUMENTS_MAX);
        argv[i + SETTLED + 1] = arguments[i];
    }
    *reply = (struct git_reply){.output = arena_strdup(arena, ""), .problem = ""};
    struct buffer output = buffer_new(arena, OUTPUT_BYTES_MAX);
    struct capture capture = {.output = &output, .has_errors = true};
    struct process_usage usage = {0};
    const struct process_spec spec = {.argv = argv,
                                      .environment = git_environment(arena, call),
                                      .directory = call->directory,
                                      .stdin_fd = -1,
                                      .stdout_fd = -1,
                                      .stderr_fd = -1,
                                      .cpu = -1};
    tare_status status = capture_run(&spec, call->timeout_ns, &capture, &usage, error);
    if (status != TARE_OK) {
        return status;
    }
    buffer_append(&output, "", 0);
    if (output.length > 0 && output.data[output.length - 1] == '\n') {
        output.data[--output.length] = '\0'; /* one newline is git's, any other is the answer's */
    }
    char text[96];
    reply->output = output.length > 0 ? output.data : reply->output;
    reply->output_length = output.length;
    reply->is_success = !usage.is_timed_out && process_exit_code(usage.status) == 0;
    if (!reply->is_success) {
        reply->problem = capture.tail.length > 0 && !usage.is_timed_out
                             ? one_line(arena, capture.tail.text)
                             : arena_printf(arena, "git %s %s", arguments[0],
                                            process_status_text(usage.status, usage.is_timed_out,
                                                                text, sizeof text));
    }
    return TARE_OK;
}

tare_status git_must(struct arena *arena, const struct git_call *call, const char *const *arguments,
                     struct git_reply *reply, struct tare_error *error)
{
    tare_status status = git_run(arena, call, arguments, reply, error);
    if (status == TARE_OK && !reply->is_success) {
        status = error_set(error, TARE_ERROR_MEASURE, "%s", reply->problem);
    }
    return status;
}
