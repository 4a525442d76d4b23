/* machine.h: what this machine is and in which state, read from /proc, /sys and a few system calls.
 *
 * One struct with everything that was found, and two lists made from it: the identity (what it is:
 * another one cannot be compared) and the conditions (its state: kernel, governor, …). Reading
 * takes about a millisecond, starts no process and needs no privilege; what cannot be read is
 * unknown (−1, NaN, ""), and left out of the lists. With another root than "" only the files under
 * it are read and no system call is asked, so that recorded trees of other machines give the same
 * facts everywhere. */
#ifndef TARE_OS_MACHINE_H
#define TARE_OS_MACHINE_H

#include "base/arena.h"

#include <stdbool.h>
#include <stdint.h>

struct machine_source {
    const char
        *root; /* "" is this machine; else a folder that has proc/, sys/ and so on below it */
};

/* CPUs are counted up to here; the kernel's own limit is 8192. */
enum { MACHINE_CPUS_MAX = 8192 };

enum machine_switch { MACHINE_UNKNOWN = -1, MACHINE_OFF = 0, MACHINE_ON = 1 };

struct machine {
    /* What it is. */
    const char *architecture;  /* "x86_64" */
    const char *cpu_model;     /* "AMD EPYC 7763 64-Core Processor" */
    const char *cpu_vendor;    /* "AuthenticAMD" */
    const char *cpu_signature; /* "family 25 model 1 stepping 1" */
    const char *board;         /* device tree's model, on ARM boards */
    int64_t cpus_present;      /* logical CPUs plugged in */
    int64_t cpus_online;
    int64_t cores;            /* physical cores of the CPUs online */
    int64_t threads_per_core; /* of the hardware: stays 2 when SMT is switched off */
    int64_t efficiency_cpus;  /* E-cores of a hybrid x86 CPU; 0: not hybrid */
    int64_t memory_bytes;     /* MemTotal as the kernel says */
    const char *gpus;         /* "NVIDIA H100 80GB HBM3 x2", or PCI ids */

    /* In which state. */
    const char *kernel;
    const char
        *hypervisor; /* "kvm", "xen", "vmware", "microsoft", …, "unknown kind"; "" on metal */
    const char
        *container; /* "docker", "podman", "kubernetes", "lxc", …; "" when none was recognised */
    const char *governor; /* "performance"; several: "performance, powersave" */
    const char *frequency_driver;
    const char *energy_preference; /* "balance_performance", of Intel's and AMD's own governors */
    int64_t frequency_min_khz;     /* what the governor may choose from */
    int64_t frequency_max_khz;
    double frequency_now_mhz;
    enum machine_switch turbo;
    enum machine_switch smt;
    const char *microcode;
    int64_t aslr; /* kernel.randomize_va_space: 0, 1, 2 */
    const char *huge_pages;
    int64_t swap_total_bytes;
    int64_t swap_free_bytes;
    const char *clock_source;
    const char *clock_sources; /* those available */
    double load[3];
    int64_t perf_event_paranoid; /* INT64_MIN: unknown */
    const char *mitigations;
    const char *isolated_cpus;
    enum machine_switch mains_power; /* off: on battery; unknown: a machine without one */

    /* The control group this process is in, and those above it. */
    double cgroup_cpus; /* quota in CPUs: the smallest on the way up; 0: no limit; NaN: unknown */
    int64_t cgroup_memory_bytes; /* likewise; 0: no limit; −1: unknown */
    int64_t cgroup_periods;      /* of cpu.stat of the group itself */
    int64_t cgroup_throttled;
    const char *cgroup_cpuset; /* "0-3"; "" unknown */
    double
        pressure_cpu_some; /* /proc/pressure/cpu: share of time some task waited, last 10 s; NaN */
};

void machine_read(struct arena *arena, struct machine_source source, struct machine *machine);

struct machine_fact {
    const char *key;
    const char *value;
};

struct machine_facts {
    struct machine_fact *items;
    ptrdiff_t count;
    ptrdiff_t capacity;
};

/* The facts that are known, with values for people and for comparison: "memory" = "24 GiB". */
void machine_identity(struct arena *arena, const struct machine *machine,
                      struct machine_facts *facts);
void machine_conditions(struct arena *arena, const struct machine *machine,
                        struct machine_facts *facts);

/* What this process was given. */
struct machine_process {
    const char *affinity;      /* CPUs it may run on, "0-1"; "" unknown */
    int64_t affinity_count;    /* −1 unknown */
    int64_t stack_limit_bytes; /* −1 unknown, INT64_MAX unlimited */
    int64_t environment_bytes; /* of all variables with their terminators; it moves the stack */
    int64_t environment_count;
    int64_t nice;
    const char *scheduler; /* "other", "batch", "idle", "fifo", "round-robin", "deadline" */
};

void machine_process_read(struct arena *arena, struct machine_process *process);

/* Sorted names in a folder, without "." and ".."; none when it cannot be read. */
struct machine_names {
    const char **items;
    ptrdiff_t count;
    ptrdiff_t capacity;
};

enum { MACHINE_NAMES_MAX = 4 * MACHINE_CPUS_MAX };

struct machine_names machine_list(struct arena *arena, const char *folder);
/* Text of root + path, NULL when it cannot be read. */
const char *machine_file(struct arena *arena, struct machine_source source, const char *path);

#endif
