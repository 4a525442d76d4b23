/* spawn.h: the bare start and end of a child, shared by process.c (which does it itself) and
 * launcher.c (which has a small helper process do it). Nothing here allocates or uses stdio.
 * Internal to os. */
#ifndef TARE_OS_SPAWN_H
#define TARE_OS_SPAWN_H

#include "os/process.h"

#include <sys/resource.h>

/* Everything resolved: the child only has to carry it out. */
struct spawn_plan {
    const char *path;
    char *const *argv;
    char *const *environment;
    const char *directory; /* NULL: stay */
    int standard_fds[3];
    int kept_fds[PROCESS_KEPT_FDS_MAX];
    int kept_fd_count;
    int cpu; /* −1: anywhere */
    bool is_aslr_off;
    bool is_sibling; /* the child becomes one of this process's parent */
};

/* What the child was doing when it failed. */
enum spawn_step {
    SPAWN_STEP_NONE,
    SPAWN_STEP_CLONE,
    SPAWN_STEP_DESCRIPTORS,
    SPAWN_STEP_DIRECTORY,
    SPAWN_STEP_CPU,
    SPAWN_STEP_ASLR,
    SPAWN_STEP_EXEC,
};

struct spawn_result {
    pid_t pid; /* 0: it failed, and unless is_sibling nothing is left to wait for */
    int pidfd;
    mono_time started;
    double memory_floor_bytes; /* what its parent had resident: its peak begins there */
    enum spawn_step failed_step;
    int errno_value;
    pid_t failed_pid; /* is_sibling: the child that failed, for the parent to reap */
};

enum spawn_ending { SPAWN_ENDED, SPAWN_TIMED_OUT, SPAWN_INTERRUPTED };

struct spawn_end {
    enum spawn_ending ending;
    mono_time ended;
    bool is_reaped; /* false: it was killed and does not end */
    int wait_status;
    struct rusage used;
};

void spawn_start(const struct spawn_plan *plan, struct spawn_result *result);
/* INT64_MAX for no deadline, which a time-out of 0 or beyond all measure means. */
mono_time spawn_deadline(mono_time started, double timeout_ns);
/* Waits for the end, the deadline (INT64_MAX: none) or a readable `interrupted_fd`; kills the
 * group, reaps the child and what of the group came to us, closes the pidfd. */
void spawn_finish(const struct spawn_result *child, mono_time deadline, int interrupted_fd,
                  struct spawn_end *end);
/* Kills the group at once, then as spawn_finish. */
void spawn_abort(const struct spawn_result *child, struct spawn_end *end);

#endif
