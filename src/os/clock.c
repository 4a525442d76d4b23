/* clock.c: clocks and randomness from the kernel. CLOCK_MONOTONIC costs about 20 ns through the
 * vDSO. */
#include "os/clock.h"

#include "base/assert.h"

#include <sys/random.h>

static int64_t clock_read_ns(clockid_t id)
{
    struct timespec now;
    int result = clock_gettime(id, &now);
    TARE_ASSERT(result == 0);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

mono_time clock_now(void)
{
    return (mono_time){.ns = clock_read_ns(CLOCK_MONOTONIC)};
}

int64_t clock_since_ns(mono_time start)
{
    return clock_now().ns - start.ns;
}

struct timespec clock_left(mono_time deadline)
{
    int64_t left_ns = deadline.ns - clock_now().ns;
    left_ns = left_ns > 0 ? left_ns : 0;
    return (struct timespec){.tv_sec = left_ns / 1000000000, .tv_nsec = left_ns % 1000000000};
}

int64_t clock_suspended_ns(void)
{
    /* Monotonic first: the difference may then come out a little too large, never negative. */
    int64_t monotonic_ns = clock_read_ns(CLOCK_MONOTONIC);
    return clock_read_ns(CLOCK_BOOTTIME) - monotonic_ns;
}

int64_t clock_unix_ns(void)
{
    return clock_read_ns(CLOCK_REALTIME);
}

int32_t clock_date(int64_t unix_ns)
{
    time_t seconds = (time_t)(unix_ns / 1000000000);
    struct tm parts;
    if (gmtime_r(&seconds, &parts) == NULL) {
        return 0;
    }
    return (parts.tm_year + 1900) * 10000 + (parts.tm_mon + 1) * 100 + parts.tm_mday;
}

uint64_t clock_entropy(void)
{
    uint64_t bits = 0;
    if (getrandom(&bits, sizeof bits, 0) == (ssize_t)sizeof bits) {
        return bits;
    }
    /* A sandbox may refuse getrandom; the clocks still differ from run to run, and nothing here is
     * a secret. */
    return (uint64_t)clock_unix_ns() * UINT64_C(0x9E3779B97F4A7C15) ^ (uint64_t)clock_now().ns;
}
