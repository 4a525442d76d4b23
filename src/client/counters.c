/* counters.c: CPU counters of the calling thread, user mode only, through perf_event_open(2).
 *
 * Each counter is an event of its own, so that a CPU with fewer counters than asked for multiplexes
 * instead of refusing; a value is then scaled by time_enabled / time_running, and the smallest
 * share of the time counted is reported along. Virtual machines often have none: the reason is
 * given once. */
#include "client/client.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

/* A C library without the kernel's headers (musl's wrapper for gcc has none) builds without
 * counters. */
#if __has_include(<linux/perf_event.h>)
#include <linux/perf_event.h>
#define HAS_COUNTERS 1
#else
#define HAS_COUNTERS 0
enum { PERF_COUNT_HW_CPU_CYCLES, PERF_COUNT_HW_INSTRUCTIONS, PERF_COUNT_HW_CACHE_MISSES };
enum { PERF_COUNT_HW_BRANCH_INSTRUCTIONS, PERF_COUNT_HW_BRANCH_MISSES };
enum { PERF_EVENT_IOC_RESET, PERF_EVENT_IOC_ENABLE, PERF_EVENT_IOC_DISABLE };
#endif

static const struct {
    const char *name;
    uint64_t event;
} counter_table[CLIENT_COUNTERS] = {
    {"instructions", PERF_COUNT_HW_INSTRUCTIONS},    {"cycles", PERF_COUNT_HW_CPU_CYCLES},
    {"branches", PERF_COUNT_HW_BRANCH_INSTRUCTIONS}, {"branch_misses", PERF_COUNT_HW_BRANCH_MISSES},
    {"cache_misses", PERF_COUNT_HW_CACHE_MISSES},
};

struct client_counter_set {
    int fds[CLIENT_COUNTERS]; /* −1: this one is not there */
};

const char *client_counter_name(int index)
{
    return counter_table[index].name;
}

#if HAS_COUNTERS
static int counter_open(int index)
{
    struct perf_event_attr attributes = {
        .type = PERF_TYPE_HARDWARE,
        .size = sizeof attributes,
        .config = counter_table[index].event,
        .read_format = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING,
        .disabled = 1,
        .exclude_kernel = 1,
        .exclude_hv = 1,
    };
    return (int)syscall(SYS_perf_event_open, &attributes, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);
}
#else
static int counter_open(int index)
{
    (void)index;
    errno = ENOSYS;
    return -1;
}
#endif

const char *client_counters_missing_for(int errno_value)
{
    switch (errno_value) {
    case ENOENT:
    case ENODEV:
    case EOPNOTSUPP:
        return "this CPU or virtual machine has no hardware counters";
    case EACCES:
    case EPERM:
        return "the kernel forbids them: kernel.perf_event_paranoid, or a container's rules";
    case ENOSYS:
        return "this kernel, or this build of libtare, is without perf events";
    default:
        return "perf_event_open failed";
    }
}

const char *client_counters_missing(void)
{
    int fd = counter_open(0);
    if (fd < 0) {
        return client_counters_missing_for(errno);
    }
    close(fd);
    return NULL;
}

struct client_counter_set *client_counters_open(void)
{
    struct client_counter_set *set = malloc(sizeof *set);
    if (set == NULL) {
        return NULL;
    }
    for (int i = 0; i < CLIENT_COUNTERS; i++) {
        set->fds[i] = counter_open(i);
    }
    return set;
}

static void control(const struct client_counter_set *set, unsigned long request)
{
    for (int i = 0; set != NULL && i < CLIENT_COUNTERS; i++) {
        if (set->fds[i] >= 0) {
            ioctl(set->fds[i], request, 0);
        }
    }
}

void client_counters_start(struct client_counter_set *set)
{
    control(set, PERF_EVENT_IOC_RESET);
    control(set, PERF_EVENT_IOC_ENABLE);
}

void client_counters_add(struct client_counter_values *values, int index,
                         const struct client_counter_reading *reading)
{
    /* A counter that never ran has no value; 0 would be a made-up one. */
    if (reading->running_ns == 0) {
        return;
    }
    double share = (double)reading->running_ns / (double)reading->enabled_ns;
    values->is_there[index] = true;
    values->values[index] += (double)reading->value / share;
    if (share < values->scaled) {
        values->scaled = share;
    }
}

void client_counters_stop(struct client_counter_set *set, struct client_counter_values *values)
{
    control(set, PERF_EVENT_IOC_DISABLE);
    for (int i = 0; set != NULL && i < CLIENT_COUNTERS; i++) {
        struct client_counter_reading reading = {0};
        if (set->fds[i] >= 0 && read(set->fds[i], &reading, sizeof reading) == sizeof reading) {
            client_counters_add(values, i, &reading);
        }
    }
}

void client_counters_close(struct client_counter_set *set)
{
    for (int i = 0; set != NULL && i < CLIENT_COUNTERS; i++) {
        if (set->fds[i] >= 0) {
            close(set->fds[i]);
        }
    }
    free(set);
}
