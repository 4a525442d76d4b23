/* process.h: start a child, feed and watch it, end it with all it started, and learn what it used.
 *
 * A child gets its own process group, so that a timeout or Ctrl-C ends its children too; standard
 * input is /dev/null unless said otherwise. The time of a run is taken around spawn and wait4, as
 * close to them as possible; what the child used (user, system, peak memory, faults, switches)
 * comes from wait4 of that child alone. */
#ifndef TARE_OS_PROCESS_H
#define TARE_OS_PROCESS_H

#include "base/error.h"
#include "os/clock.h"

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

enum { PROCESS_KEPT_FDS_MAX = 4 };

struct process_spec {
    const char *const *argv;            /* NULL-terminated; argv[0] is looked up in PATH */
    const char *path;                   /* NULL, or the program itself, when it is not argv[0] */
    const char *const *environment;     /* NULL-terminated; NULL: this process's own */
    const char *directory;              /* NULL: stay; a relative program path begins there */
    int stdin_fd;                       /* −1: /dev/null */
    int stdout_fd;                      /* −1: /dev/null */
    int stderr_fd;                      /* −1: /dev/null */
    int kept_fds[PROCESS_KEPT_FDS_MAX]; /* stay open in the child under the same number */
    int kept_fd_count;
    int cpu; /* ≥ 0: the child runs on this CPU only; −1: anywhere */
    bool is_aslr_off;
    bool is_direct; /* start it from this process, whose own memory then counts in the child's peak
                     */
};

struct process {
    pid_t pid; /* 0: none */
    int pidfd; /* −1 where the kernel has none */
    mono_time started;
    double memory_floor_bytes;
};

struct process_usage {
    int status; /* as wait(2) tells it */
    bool is_timed_out;
    double wall_ns;
    double user_ns;
    double system_ns;
    double peak_memory_bytes;
    double
        memory_floor_bytes; /* a peak not above it says "at most this": it is the launcher's own */
    double minor_faults;
    double major_faults;
    double voluntary_switches;
    double involuntary_switches;
};

/* Fails with a message that names the program and says why: not found in PATH, not executable, is a
 * directory, wrong format, missing interpreter. */
tare_status process_start(const struct process_spec *spec, struct process *process,
                          struct tare_error *error);

/* Start and wait in one, the cheapest and steadiest way to time a run: all of it happens in the
 * launcher while this process sleeps. As process_start followed by process_wait otherwise. */
tare_status process_run(const struct process_spec *spec, double timeout_ns,
                        struct process_usage *usage, struct tare_error *error);

/* Waits until the child has ended, or kills its group when `timeout_ns` (> 0) has passed since its
 * start or an interrupt has come (TARE_INTERRUPTED). Kills what is left of the group afterwards in
 * any case, and reaps it. */
tare_status process_wait(struct process *process, double timeout_ns, struct process_usage *usage,
                         struct tare_error *error);

/* Ends the group at once, without a message; harmless when it is gone already. */
void process_kill(struct process *process);

/* The exit status of a wait status; −1 when a signal ended it. */
int process_exit_code(int status);

/* "exited with status 3", "killed by signal 11 (Segmentation fault)", "timed out". */
const char *process_status_text(int status, bool is_timed_out, char *buffer, size_t size);

/* Close-on-exec pipe; fds[0] reads. */
tare_status process_pipe(int fds[2], struct tare_error *error);

/* Closes descriptors, passing over −1, and sets each to −1. */
void process_close(int *fds, int count);

#endif
