#include "os/capture.h"

#include "base/assert.h"
#include "os/interrupt.h"
#include "os/spawn.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdint.h>
#include <sys/wait.h>
#include <unistd.h>

enum {
    READ_CHUNK_BYTES = 64 * 1024,
    /* A larger pipe lets the child go on while we sleep; the kernel's default limit for users. */
    PIPE_BYTES = 1024 * 1024,
    /* Without pidfds: how often the child's end is looked for. */
    LOOK_PERIOD_MS = 5,
};

struct capture_pipes {
    int output[2];
    int errors[2];
};

static tare_status capture_open(const struct capture *capture, struct capture_pipes *pipes,
                                struct tare_error *error);
static void capture_follow(const struct process *process, mono_time deadline,
                           struct capture *capture, int *output_fd);
static void capture_drain(struct buffer *output, int *fd);

tare_status capture_run(const struct process_spec *spec, double timeout_ns, struct capture *capture,
                        struct process_usage *usage, struct tare_error *error)
{
    struct capture_pipes pipes = {.output = {-1, -1}, .errors = {-1, -1}};
    struct process process = {.pidfd = -1};
    capture->tail = (struct channel_tail){.fd = -1};
    tare_status status = capture_open(capture, &pipes, error);
    if (status == TARE_OK) {
        struct process_spec piped = *spec;
        piped.stdout_fd = capture->output != NULL ? pipes.output[1] : spec->stdout_fd;
        piped.stderr_fd = capture->has_errors ? pipes.errors[1] : spec->stderr_fd;
        status = process_start(&piped, &process, error);
    }
    process_close((int[]){pipes.output[1], pipes.errors[1]}, 2);
    if (status != TARE_OK) {
        process_close((int[]){pipes.output[0], pipes.errors[0]}, 2);
        return status;
    }
    capture->tail.fd = pipes.errors[0];
    capture_follow(&process, spawn_deadline(process.started, timeout_ns), capture,
                   &pipes.output[0]);
    if (capture->output != NULL && capture->output->is_full) {
        process_kill(&process);
        status = error_set(error, TARE_ERROR_MEASURE,
                           "it prints more than %td bytes, the most that is kept",
                           capture->output->length_max);
    } else {
        status = process_wait(&process, timeout_ns, usage, error);
    }
    /* What was printed last is still in the pipes. */
    if (capture->output != NULL && pipes.output[0] >= 0) {
        capture_drain(capture->output, &pipes.output[0]);
    }
    channel_tail_drain(&capture->tail);
    process_close((int[]){pipes.output[0], capture->tail.fd}, 2);
    capture->tail.fd = -1;
    if (status == TARE_OK && capture->output != NULL && capture->output->is_full) {
        status = error_set(error, TARE_ERROR_MEASURE,
                           "it prints more than %td bytes, the most that is kept",
                           capture->output->length_max);
    }
    return status;
}

static tare_status capture_open(const struct capture *capture, struct capture_pipes *pipes,
                                struct tare_error *error)
{
    tare_status status = TARE_OK;
    if (capture->output != NULL) {
        status = process_pipe(pipes->output, error);
        if (status == TARE_OK) {
            fcntl(pipes->output[0], F_SETFL, O_NONBLOCK); /* our end only */
            fcntl(pipes->output[0], F_SETPIPE_SZ, PIPE_BYTES);
        }
    }
    if (status == TARE_OK && capture->has_errors) {
        status = process_pipe(pipes->errors, error);
    }
    return status;
}

/* Reads what there is now; at its end the descriptor is closed and becomes −1. */
static void capture_drain(struct buffer *output, int *fd)
{
    char chunk[READ_CHUNK_BYTES];
    while (!output->is_full) {
        ssize_t got = read(*fd, chunk, sizeof chunk);
        if (got > 0) {
            buffer_append(output, chunk, got);
        } else if (got == 0 || (errno != EAGAIN && errno != EINTR)) {
            close(*fd);
            *fd = -1;
            return;
        } else if (errno == EAGAIN) {
            return;
        }
    }
}

static bool capture_has_ended(const struct process *process)
{
    siginfo_t info = {0};
    return waitid(P_PID, (id_t)process->pid, &info, WEXITED | WNOHANG | WNOWAIT) == 0 &&
           info.si_pid == process->pid;
}

/* How long poll may sleep: without a pidfd the child's end must be looked for. */
static struct timespec capture_rest(mono_time deadline, bool has_pidfd)
{
    mono_time look = {.ns = clock_now().ns + LOOK_PERIOD_MS * INT64_C(1000000)};
    return clock_left(!has_pidfd && look.ns < deadline.ns ? look : deadline);
}

/* Empties the pipes until the child has ended, the deadline or an interrupt has come (process_wait
 * then does what is due), or the limit is reached. */
static void capture_follow(const struct process *process, mono_time deadline,
                           struct capture *capture, int *output_fd)
{
    for (;;) {
        struct pollfd polled[] = {
            {.fd = process->pidfd, .events = POLLIN},
            {.fd = interrupt_fd(), .events = POLLIN},
            {.fd = *output_fd, .events = POLLIN},
            {.fd = capture->tail.fd, .events = POLLIN},
        };
        struct timespec rest = capture_rest(deadline, process->pidfd >= 0);
        int ready = ppoll(polled, 4, &rest, NULL);
        if (ready < 0) {
            TARE_ASSERT(errno == EINTR || errno == ENOMEM);
            continue;
        }
        bool is_over = polled[0].revents != 0 || polled[1].revents != 0;
        if (is_over || (process->pidfd < 0 && capture_has_ended(process))) {
            return; /* at once: the clock is still running */
        }
        if (polled[2].revents != 0 && capture->output != NULL) {
            capture_drain(capture->output, output_fd);
        }
        if (polled[3].revents != 0) {
            channel_tail_drain(&capture->tail);
        }
        bool is_full = capture->output != NULL && capture->output->is_full;
        if (is_full || clock_now().ns >= deadline.ns) {
            return;
        }
    }
}
