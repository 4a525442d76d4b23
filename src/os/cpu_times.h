/* cpu_times.h: what all CPUs did since boot (/proc/stat), so that callers can tell what happened
 * between two moments: steal above all, the time a hypervisor gave to somebody else while a CPU
 * here wanted to run.
 *
 * Steal has the resolution of the kernel's tick (1 to 10 ms per CPU): over intervals of less than
 * about a hundred ticks the ratio is coarse; add several up by keeping the first reading. */
#ifndef TARE_OS_CPU_TIMES_H
#define TARE_OS_CPU_TIMES_H

#include "base/arena.h"

#include <stdbool.h>
#include <stdint.h>

struct cpu_times {
    bool is_known;
    uint64_t total_ticks; /* everything, idle included; guests are part of user already */
    uint64_t idle_ticks;  /* with waiting for disks */
    uint64_t steal_ticks;
    uint64_t context_switches; /* of the whole machine */
};

struct cpu_times cpu_times_read(const char *root); /* "" for this machine */
struct cpu_times cpu_times_parse(const char *text);

/* Steal as a share of the time CPUs were busy or wanted to be: steal / (busy + steal). An idle CPU
 * loses nothing to its neighbours, so idle time does not dilute it. NaN when unknown: a reading
 * failed, the clock of the counters went back, or no tick has passed. */
double cpu_times_steal_ratio(struct cpu_times before, struct cpu_times after);
/* Share of all CPUs' time that was not idle; NaN when unknown. */
double cpu_times_busy_ratio(struct cpu_times before, struct cpu_times after);

/* Context switches of the calling process so far. */
struct cpu_switches {
    int64_t voluntary;
    int64_t involuntary;
};

struct cpu_switches cpu_switches_read(void);

#endif
