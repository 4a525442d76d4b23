/* interrupt.c: the one place with process-wide state, because a signal handler can reach nothing
 * else.
 *
 * The handler sets a flag and makes an eventfd readable; every loop that waits polls that
 * descriptor, so no signal is lost between a look at the flag and the wait. */
#include "os/interrupt.h"

#include "base/assert.h"

#include <errno.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <unistd.h>

/* 128 + SIGINT, what shells report for an interrupted program, and ours (README, "Exit codes"). */
enum { EXIT_INTERRUPTED = 130 };

static volatile sig_atomic_t is_interrupted;
static int event_fd = -1;

static void interrupt_open(void)
{
    if (event_fd < 0) {
        event_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
        TARE_ASSERT(event_fd >= 0);
    }
}

static void interrupt_handle(int signal_number)
{
    (void)signal_number;
    if (is_interrupted) {
        _exit(EXIT_INTERRUPTED);
    }
    is_interrupted = 1;
    int saved_errno = errno;
    uint64_t one = 1;
    ssize_t written = write(event_fd, &one, sizeof one);
    (void)written; /* a full counter is readable too */
    errno = saved_errno;
}

void interrupt_install(void)
{
    static const int signals[] = {SIGINT, SIGTERM, SIGHUP};
    interrupt_open();
    for (size_t i = 0; i < sizeof signals / sizeof signals[0]; i++) {
        struct sigaction old;
        /* nohup and shells' background jobs ignore some of them on purpose; that stays. */
        if (sigaction(signals[i], NULL, &old) == 0 && old.sa_handler == SIG_IGN) {
            continue;
        }
        struct sigaction action = {.sa_handler = interrupt_handle};
        sigemptyset(&action.sa_mask);
        int result = sigaction(signals[i], &action, NULL);
        TARE_ASSERT(result == 0);
    }
}

void interrupt_ignore_size_limit(void)
{
    signal(SIGXFSZ, SIG_IGN);
}

bool interrupt_is_requested(void)
{
    return is_interrupted != 0;
}

int interrupt_fd(void)
{
    interrupt_open();
    return event_fd;
}

void interrupt_set(bool is_requested)
{
    interrupt_open();
    uint64_t value = 1;
    ssize_t moved =
        is_requested ? write(event_fd, &value, sizeof value) : read(event_fd, &value, sizeof value);
    (void)moved; /* reading an empty counter fails, and that is the state asked for */
    is_interrupted = is_requested ? 1 : 0;
}
