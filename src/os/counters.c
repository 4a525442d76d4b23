#include "os/counters.h"

#include "base/assert.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <stddef.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

struct counter_request {
    uint32_t type;
    uint64_t config;
    bool is_kernel_counted;
};

static enum counter_state probe(struct counter_request request, uint64_t *counted);

struct counters_probe counters_probe(void)
{
    uint64_t ignored = 0;
    struct counters_probe result = {0};
    result.cycles =
        probe((struct counter_request){PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES, false},
              &result.cycles_counted);
    result.cycles_kernel = probe(
        (struct counter_request){PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES, true}, &ignored);
    result.instructions =
        probe((struct counter_request){PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS, false},
              &result.instructions_counted);
    result.task_clock = probe(
        (struct counter_request){PERF_TYPE_SOFTWARE, PERF_COUNT_SW_TASK_CLOCK, false}, &ignored);
    return result;
}

/* 20,000 dependent multiplications: some 20 µs, enough for any counter to move. */
static void work(void)
{
    uint64_t value = 1;
    for (int i = 0; i < 20000; i++) {
        value = value * 6364136223846793005u + 1442695040888963407u;
        __asm__ volatile("" : "+r"(value));
    }
}

static enum counter_state state_of_errno(int error_number)
{
    switch (error_number) {
    case EACCES:
    case EPERM:
        return COUNTER_FORBIDDEN;
    case EBUSY:
        return COUNTER_BUSY;
    default: /* ENOENT, ENODEV, EOPNOTSUPP, ENOSYS, EINVAL */
        return COUNTER_MISSING;
    }
}

static enum counter_state probe(struct counter_request request, uint64_t *counted)
{
    struct perf_event_attr attributes = {
        .type = request.type,
        .size = sizeof attributes,
        .config = request.config,
        .disabled = 1,
        .exclude_kernel = !request.is_kernel_counted,
        .exclude_hv = 1,
    };
    int fd = (int)syscall(SYS_perf_event_open, &attributes, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);
    if (fd < 0) {
        return state_of_errno(errno);
    }
    ioctl(fd, PERF_EVENT_IOC_ENABLE, 0);
    work();
    ioctl(fd, PERF_EVENT_IOC_DISABLE, 0);
    uint64_t value = 0;
    ssize_t length = read(fd, &value, sizeof value);
    close(fd);
    if (length != (ssize_t)sizeof value || value == 0) {
        return COUNTER_ALWAYS_ZERO;
    }
    *counted = value;
    return COUNTER_WORKS;
}

const char *counter_state_name(enum counter_state state)
{
    static const char *const names[] = {"works", "forbidden", "missing", "busy", "always zero"};
    TARE_ASSERT((size_t)state < sizeof names / sizeof *names);
    return names[state];
}
