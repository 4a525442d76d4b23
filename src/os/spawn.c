/* spawn.c: vfork and exec by hand, and the wait for the end.
 *
 * posix_spawn can neither switch off address randomisation nor bind to a CPU in the child, and
 * resets all 64 signals one by one. Here the child borrows our memory (CLONE_VM) while we are
 * suspended (CLONE_VFORK), so that nothing is copied however large we are, and it reports a failure
 * by writing to our memory. It runs on a stack of its own, calls nothing but system calls, and no
 * handler of ours can run in it: signals are blocked until they have been put back to default.
 *
 * The end is noticed by poll on the pidfd together with the interrupt's descriptor, and the clock
 * is read right after. Then what is left of the group is killed while the zombie still holds the
 * group's number, and only then is the child reaped with wait4.
 *
 * Cost: one clone, one exec, and at most 14 cheap calls between. */
#include "os/spawn.h"

#include "base/assert.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdalign.h>
#include <sys/personality.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#ifndef CLOSE_RANGE_CLOEXEC
#define CLOSE_RANGE_CLOEXEC (1U << 2)
#endif

/* The child's own frames take under 1 KiB; sanitizers and PLT resolution take more. */
enum { CHILD_STACK_BYTES = 64 * 1024 };

enum {
    /* What a killed process gets to end; beyond it hangs in the kernel, on a dead disk for example.
     */
    KILL_GRACE_MS = 10000,
    /* Without pidfds the end is looked for this often; the time of a run is then up to so much
       late. */
    LOOK_PERIOD_US = 200,
};

/* A failed child's exit status; nobody sees it. */
enum { CHILD_FAILED_STATUS = 127 };

/* 30 years: keeps the sum of clock and time-out within 64 bits. */
static const double TIMEOUT_NS_MAX = 1e18;

struct spawn_child {
    const struct spawn_plan *plan;
    struct spawn_result *result;
};

static int spawn_child_main(void *argument);
static double spawn_own_peak_bytes(void);

void spawn_start(const struct spawn_plan *plan, struct spawn_result *result)
{
    alignas(16) char stack[CHILD_STACK_BYTES];
    struct spawn_child child = {.plan = plan, .result = result};
    int flags = CLONE_VM | CLONE_VFORK | CLONE_PIDFD | SIGCHLD;
    flags |= plan->is_sibling ? CLONE_PARENT : 0;
    *result = (struct spawn_result){.pidfd = -1};
    int pidfd = -1; /* stays −1 on kernels that do not know CLONE_PIDFD */
    sigset_t all;
    sigset_t old_mask;
    sigfillset(&all);
    pthread_sigmask(SIG_BLOCK, &all, &old_mask);
    result->started = clock_now();
    pid_t pid = clone(spawn_child_main, stack + sizeof stack, flags, &child, &pidfd);
    int clone_errno = errno;
    pthread_sigmask(SIG_SETMASK, &old_mask, NULL);
    if (pid < 0) {
        result->failed_step = SPAWN_STEP_CLONE;
        result->errno_value = clone_errno;
        return;
    }
    if (result->failed_step == SPAWN_STEP_NONE) {
        result->pid = pid;
        result->pidfd = pidfd;
        result->memory_floor_bytes = spawn_own_peak_bytes();
        return;
    }
    if (pidfd >= 0) {
        close(pidfd);
    }
    if (plan->is_sibling) {
        result->failed_pid = pid;
        return;
    }
    while (waitpid(pid, NULL, 0) < 0 && errno == EINTR) {
    }
}

static double spawn_own_peak_bytes(void)
{
    struct rusage usage = {0};
    getrusage(RUSAGE_SELF, &usage);
    return (double)usage.ru_maxrss * 1024;
}

mono_time spawn_deadline(mono_time started, double timeout_ns)
{
    bool is_endless = !(timeout_ns > 0) || timeout_ns > TIMEOUT_NS_MAX;
    return (mono_time){.ns = is_endless ? INT64_MAX : started.ns + (int64_t)timeout_ns};
}

static enum spawn_ending spawn_await(const struct spawn_result *child, mono_time deadline,
                                     int interrupted_fd);
static void spawn_reap(const struct spawn_result *child, struct spawn_end *end);

void spawn_finish(const struct spawn_result *child, mono_time deadline, int interrupted_fd,
                  struct spawn_end *end)
{
    *end = (struct spawn_end){.ending = spawn_await(child, deadline, interrupted_fd)};
    end->ended = clock_now();
    spawn_reap(child, end);
}

void spawn_abort(const struct spawn_result *child, struct spawn_end *end)
{
    *end = (struct spawn_end){.ending = SPAWN_INTERRUPTED, .ended = clock_now()};
    spawn_reap(child, end);
}

static void spawn_reap(const struct spawn_result *child, struct spawn_end *end)
{
    /* The leader is not reaped yet, so its number, and with it the group's, cannot have been
     * reused. */
    kill(-child->pid, SIGKILL);
    mono_time deadline = {.ns = end->ended.ns + KILL_GRACE_MS * INT64_C(1000000)};
    bool has_ended = end->ending == SPAWN_ENDED || spawn_await(child, deadline, -1) == SPAWN_ENDED;
    pid_t reaped = 0;
    do {
        reaped = wait4(child->pid, &end->wait_status, has_ended ? 0 : WNOHANG, &end->used);
    } while (reaped < 0 && errno == EINTR);
    end->is_reaped = reaped > 0;
    if (child->pidfd >= 0) {
        close(child->pidfd);
    }
    /* Members of the group that came to us as orphans. They are killed, so this does not last. */
    while (has_ended && waitpid(-child->pid, NULL, 0) > 0) {
    }
}

/* Where there are no pidfds: looks now and then. */
static enum spawn_ending spawn_await_slowly(const struct spawn_result *child, mono_time deadline,
                                            int interrupted_fd)
{
    for (;;) {
        siginfo_t info = {0};
        if (waitid(P_PID, (id_t)child->pid, &info, WEXITED | WNOHANG | WNOWAIT) == 0 &&
            info.si_pid == child->pid) {
            return SPAWN_ENDED;
        }
        if (clock_now().ns >= deadline.ns) {
            return SPAWN_TIMED_OUT;
        }
        struct pollfd polled = {.fd = interrupted_fd, .events = POLLIN};
        struct timespec period = {.tv_nsec = LOOK_PERIOD_US * 1000L};
        if (ppoll(&polled, 1, &period, NULL) > 0) {
            return SPAWN_INTERRUPTED;
        }
    }
}

static enum spawn_ending spawn_await(const struct spawn_result *child, mono_time deadline,
                                     int interrupted_fd)
{
    if (child->pidfd < 0) {
        return spawn_await_slowly(child, deadline, interrupted_fd);
    }
    for (;;) {
        struct pollfd polled[] = {
            {.fd = child->pidfd, .events = POLLIN},
            {.fd = interrupted_fd, .events = POLLIN},
        };
        struct timespec rest = clock_left(deadline);
        int ready = ppoll(polled, 2, &rest, NULL);
        if (ready > 0) {
            return polled[0].revents != 0 ? SPAWN_ENDED : SPAWN_INTERRUPTED;
        }
        if (ready == 0) {
            return SPAWN_TIMED_OUT;
        }
        TARE_ASSERT(errno == EINTR || errno == ENOMEM);
    }
}

/* From here on everything runs in the child, in our memory. */

static int spawn_fail(struct spawn_child *child, enum spawn_step step)
{
    child->result->errno_value = errno;
    child->result->failed_step = step;
    return -1;
}

/* Signals the tool handles or ignores get their default back; exec resets handlers, but one of ours
 * must not run in shared memory, and an ignored SIGPIPE would stay ignored. */
static void spawn_reset_signals(void)
{
    static const int signals[] = {SIGINT, SIGTERM, SIGHUP, SIGPIPE, SIGCHLD};
    for (size_t i = 0; i < sizeof signals / sizeof signals[0]; i++) {
        struct sigaction action = {.sa_handler = SIG_DFL};
        sigaction(signals[i], &action, NULL);
    }
    sigset_t none;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
}

/* Puts the three standard descriptors in place. Sources among 0 to 2 are first moved out of the
 * way, since the one could be the other's target. */
static int spawn_place_descriptors(struct spawn_child *child)
{
    const struct spawn_plan *plan = child->plan;
    int sources[3];
    /* Everything else closes at exec, even what a library opened without saying so. */
    syscall(SYS_close_range, 3U, ~0U, CLOSE_RANGE_CLOEXEC);
    for (int i = 0; i < 3; i++) {
        sources[i] = plan->standard_fds[i];
        if (sources[i] < 3 && sources[i] != i) {
            sources[i] = fcntl(sources[i], F_DUPFD_CLOEXEC, 3);
        }
        if (sources[i] < 0) {
            return spawn_fail(child, SPAWN_STEP_DESCRIPTORS);
        }
    }
    for (int i = 0; i < 3; i++) {
        int placed = sources[i] == i ? fcntl(i, F_SETFD, 0) : dup2(sources[i], i);
        if (placed < 0) {
            return spawn_fail(child, SPAWN_STEP_DESCRIPTORS);
        }
    }
    for (int i = 0; i < plan->kept_fd_count; i++) {
        if (fcntl(plan->kept_fds[i], F_SETFD, 0) < 0) {
            return spawn_fail(child, SPAWN_STEP_DESCRIPTORS);
        }
    }
    return 0;
}

static int spawn_apply_settings(struct spawn_child *child)
{
    const struct spawn_plan *plan = child->plan;
    if (plan->directory != NULL && chdir(plan->directory) != 0) {
        return spawn_fail(child, SPAWN_STEP_DIRECTORY);
    }
    if (plan->cpu >= 0) {
        cpu_set_t set;
        CPU_ZERO(&set);
        CPU_SET((size_t)plan->cpu, &set);
        if (sched_setaffinity(0, sizeof set, &set) != 0) {
            return spawn_fail(child, SPAWN_STEP_CPU);
        }
    }
    if (plan->is_aslr_off) {
        int current = personality(0xFFFFFFFF);
        if (current < 0 || personality((unsigned long)current | ADDR_NO_RANDOMIZE) < 0) {
            return spawn_fail(child, SPAWN_STEP_ASLR);
        }
    }
    return 0;
}

__attribute__((no_sanitize("address", "thread", "undefined"))) static int spawn_child_main(
    void *argument)
{
    struct spawn_child *child = argument;
    setpgid(0, 0);
    /* Should the tool be killed, a runaway benchmark must not live on. */
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    spawn_reset_signals();
    if (spawn_place_descriptors(child) == 0 && spawn_apply_settings(child) == 0) {
        execve(child->plan->path, child->plan->argv, child->plan->environment);
        spawn_fail(child, SPAWN_STEP_EXEC);
    }
    _exit(CHILD_FAILED_STATUS);
}
