#include "os/git.h"

#include "base/buffer.h"
#include "base/text.h"
#include "os/clock.h"
#include "os/environment.h"
#include "os/process.h"

#include <errno.h>
#include <poll.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* 20 s: a cold `git status` of a very large tree on a slow disk; a hanging network disk is given
 * up. */
static const double GIT_TIMEOUT_NS = 20e9;
/* A tree with 100,000 changed files still fits; more is cut, and cut is dirty all the same. */
static const ptrdiff_t GIT_OUTPUT_BYTES_MAX = 16 * 1024 * 1024;
static const ptrdiff_t GIT_SUBJECT_COLUMNS_MAX = 200;

struct git_answer {
    bool is_success;
    const char *output;
    const char *problem; /* what git said on standard error, or why it did not run */
};

static struct git_answer git_ask(struct arena *arena, const char *directory,
                                 const char *const *arguments);
static void set_unknown(struct arena *arena, struct git_state *state, const char *reason);

void git_read(struct arena *arena, const char *directory, struct git_state *state)
{
    static const char *const status_arguments[] = {
        "git",      "--no-optional-locks",  "status", "--porcelain=v2",
        "--branch", "--untracked-files=no", NULL};
    static const char *const log_arguments[] = {
        "git", "-c", "log.showSignature=false", "log", "-1", "--no-color", "--format=%s", NULL};
    *state = (struct git_state){.hash = "", .branch = "", .subject = ""};
    struct git_answer status = git_ask(arena, directory, status_arguments);
    if (!status.is_success) {
        set_unknown(arena, state, status.problem);
        return;
    }
    if (!git_parse_status(arena, status.output, state)) {
        return;
    }
    struct git_answer log = git_ask(arena, directory, log_arguments);
    if (!log.is_success) {
        set_unknown(arena, state, log.problem);
        return;
    }
    char *subject = arena_strndup(arena, log.output, (ptrdiff_t)strcspn(log.output, "\n"));
    state->subject = text_printable(arena, subject, GIT_SUBJECT_COLUMNS_MAX);
}

static void set_unknown(struct arena *arena, struct git_state *state, const char *reason)
{
    *state = (struct git_state){.hash = "", .branch = "", .subject = ""};
    const char *line = arena_strndup(arena, reason, (ptrdiff_t)strcspn(reason, "\n"));
    state->reason = text_printable(arena, line, GIT_SUBJECT_COLUMNS_MAX);
}

/* SHA-1 has 40 digits, SHA-256 64. */
static bool is_hash(const char *text)
{
    size_t length = strspn(text, "0123456789abcdef");
    return text[length] == '\0' && (length == 40 || length == 64);
}

bool git_parse_status(struct arena *arena, const char *text, struct git_state *state)
{
    static const char head[] = "# branch.head ";
    static const char oid[] = "# branch.oid ";
    *state = (struct git_state){.hash = "", .branch = "", .subject = ""};
    bool is_initial = false;
    while (*text != '\0') {
        size_t length = strcspn(text, "\n");
        const char *line = arena_strndup(arena, text, (ptrdiff_t)length);
        text += length + (text[length] == '\n');
        if (text_starts_with(line, oid)) {
            is_initial = strcmp(line + strlen(oid), "(initial)") == 0;
            state->hash = line + strlen(oid);
        } else if (text_starts_with(line, head)) {
            const char *name = line + strlen(head);
            state->branch = strcmp(name, "(detached)") == 0 ? "" : text_printable(arena, name, 0);
        } else if (line[0] != '#' && line[0] != '\0') {
            /* One changed file is enough to know. */
            state->is_dirty = true;
            break;
        }
    }
    if (is_initial) {
        set_unknown(arena, state, "the repository has no commit yet");
        return false;
    }
    if (!is_hash(state->hash)) {
        set_unknown(arena, state, "git status gave an answer that is not understood");
        return false;
    }
    state->is_known = true;
    return true;
}

/* Reads both pipes until both are closed, the time is over, or there is too much. */
static bool read_pipes(int output_fd, int problem_fd, struct buffer *output, struct buffer *problem)
{
    mono_time start = clock_now();
    struct pollfd fds[2] = {{.fd = output_fd, .events = POLLIN},
                            {.fd = problem_fd, .events = POLLIN}};
    struct buffer *const buffers[2] = {output, problem};
    while (fds[0].fd >= 0 || fds[1].fd >= 0) {
        double left_ns = GIT_TIMEOUT_NS - (double)clock_since_ns(start);
        int ready = left_ns > 0 ? poll(fds, 2, (int)(left_ns / 1e6) + 1) : 0;
        if (ready == 0) {
            return false;
        }
        if (ready < 0 && errno != EINTR) {
            return false;
        }
        for (int i = 0; i < 2 && ready > 0; i++) {
            char bytes[4096];
            if (fds[i].fd < 0 || fds[i].revents == 0) {
                continue;
            }
            ssize_t count = read(fds[i].fd, bytes, sizeof bytes);
            if (count > 0) {
                buffer_append(buffers[i], bytes, count);
            } else if (count == 0 || errno != EINTR) {
                fds[i].fd = -1;
            }
        }
    }
    return true;
}

/* This process's environment, with the language of git's messages fixed and no question ever asked.
 */
static const char *const *git_environment(struct arena *arena)
{
    struct environment environment = environment_copy(arena);
    environment_set(&environment, "LC_ALL", "C");
    environment_set(&environment, "GIT_TERMINAL_PROMPT", "0");
    return environment.variables;
}

static void close_pipe(int fds[2])
{
    for (int i = 0; i < 2; i++) {
        if (fds[i] >= 0) {
            close(fds[i]);
        }
        fds[i] = -1;
    }
}

static struct git_answer failed(struct arena *arena, const char *problem)
{
    const char *text =
        problem[0] != '\0' ? arena_strdup(arena, problem) : "git failed without a word";
    return (struct git_answer){.output = "", .problem = text};
}

/* Starts git with both pipes' writing ends, reads what it says, reaps it. */
static struct git_answer git_run(struct arena *arena, const struct process_spec *spec,
                                 int output_fds[2], int problem_fds[2])
{
    struct tare_error error = {0};
    struct process process = {0};
    if (process_start(spec, &process, &error) != TARE_OK) {
        return failed(arena, error.message);
    }
    close(output_fds[1]);
    close(problem_fds[1]);
    output_fds[1] = problem_fds[1] = -1;
    struct buffer output = buffer_new(arena, GIT_OUTPUT_BYTES_MAX);
    struct buffer problem = buffer_new(arena, GIT_OUTPUT_BYTES_MAX);
    bool is_complete = read_pipes(output_fds[0], problem_fds[0], &output, &problem);
    if (!is_complete) {
        process_kill(&process);
    }
    struct process_usage usage = {0};
    if (process_wait(&process, GIT_TIMEOUT_NS, &usage, &error) != TARE_OK) {
        return failed(arena, error.message);
    }
    if (!is_complete || usage.is_timed_out) {
        return failed(arena, "git took too long to answer");
    }
    if (!WIFEXITED(usage.status) || WEXITSTATUS(usage.status) != 0) {
        return failed(arena, buffer_string(&problem));
    }
    return (struct git_answer){.is_success = true, .output = buffer_string(&output), .problem = ""};
}

static struct git_answer git_ask(struct arena *arena, const char *directory,
                                 const char *const *arguments)
{
    struct tare_error error = {0};
    int output_fds[2] = {-1, -1};
    int problem_fds[2] = {-1, -1};
    struct git_answer answer;
    if (process_pipe(output_fds, &error) != TARE_OK ||
        process_pipe(problem_fds, &error) != TARE_OK) {
        answer = failed(arena, error.message);
    } else {
        const struct process_spec spec = {
            .argv = arguments,
            .environment = git_environment(arena),
            .directory = directory,
            .stdin_fd = -1,
            .stdout_fd = output_fds[1],
            .stderr_fd = problem_fds[1],
            .cpu = -1,
        };
        answer = git_run(arena, &spec, output_fds, problem_fds);
    }
    close_pipe(output_fds);
    close_pipe(problem_fds);
    return answer;
}
