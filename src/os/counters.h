/* counters.h: which performance counters this process may use here (perf_event_open(2)).
 *
 * Each kind is opened, made to count a little real work, and read back: a counter that opens and
 * stays at zero, as in some virtual machines, counts as missing. Costs well under a millisecond. */
#ifndef TARE_OS_COUNTERS_H
#define TARE_OS_COUNTERS_H

#include <stdbool.h>
#include <stdint.h>

enum counter_state {
    COUNTER_WORKS,
    COUNTER_FORBIDDEN,   /* permission: perf_event_paranoid, seccomp, a container */
    COUNTER_MISSING,     /* the hardware, the virtual machine or the kernel has none */
    COUNTER_BUSY,        /* somebody else holds it */
    COUNTER_ALWAYS_ZERO, /* opens, but counts nothing */
};

struct counters_probe {
    enum counter_state cycles;        /* hardware cycles in user space */
    enum counter_state cycles_kernel; /* hardware cycles, the kernel's included */
    enum counter_state instructions;  /* in user space */
    enum counter_state task_clock;    /* a software counter in user space */
    uint64_t cycles_counted;
    uint64_t instructions_counted;
};

struct counters_probe counters_probe(void);
const char *counter_state_name(enum counter_state state);

#endif
