/* machine_parse.h: the text of /proc and /sys taken apart. Pure: text in, facts out.
 *
 * The kernel's files are well formed on the machines we know; in containers, sandboxes and recorded
 * trees they may be cut, empty or garbage. Every parser here accepts any bytes, reads no further
 * than the terminating NUL, and answers "unknown" (−1, "", false) rather than guess.
 * tests/fuzz/fuzz_machine.c holds them to it. */
#ifndef TARE_OS_MACHINE_PARSE_H
#define TARE_OS_MACHINE_PARSE_H

#include "base/arena.h"

#include <stdbool.h>
#include <stdint.h>

/* Longest value kept of one fact. CPU names have 48 bytes; a list of GPUs or mitigations is longer.
 */
enum { MACHINE_VALUE_COLUMNS_MAX = 400 };

/* What /proc/cpuinfo says. Missing numbers are −1, missing texts "". */
struct machine_cpuinfo {
    int64_t processor_count;
    const char *model_name; /* on ARM made from implementer and part: "ARM Neoverse-N1" */
    const char *vendor;
    const char
        *signature; /* x86: "family 25 model 1 stepping 1"; ARM: "implementer 0x41 part 0xd0c …" */
    const char *microcode;
    double frequency_mhz; /* of the first processor; NaN when not said */
    bool is_hypervisor_flag_set;
};

struct machine_cpuinfo machine_parse_cpuinfo(struct arena *arena, const char *text);

/* "0-3,8,10-11" → 7; −1 when it is no such list. Sets bits below `capacity` in `is_member` unless
 * NULL. */
int64_t machine_parse_cpu_list(const char *text, bool *is_member, int64_t capacity);

/* A line "Name:   123 kB" of /proc/meminfo in bytes, −1 when it is not there. */
int64_t machine_parse_meminfo_bytes(const char *text, const char *name);

/* The word in brackets of "always [madvise] never"; "" when there is none. */
const char *machine_parse_selected(struct arena *arena, const char *text);

/* The value of a line "key value" (cpu.stat, memory.stat), −1 when it is not there. */
int64_t machine_parse_keyed(const char *text, const char *key);

/* The path of this process in the hierarchy of `controller` (cgroup v1), or in the unified one
 * (controller ""); NULL when /proc/self/cgroup does not name it. */
const char *machine_parse_cgroup_path(struct arena *arena, const char *text,
                                      const char *controller);

/* cgroup v2's cpu.max "200000 100000" → 2.0 CPUs; 0 for "max" (no limit); NaN for anything else. */
double machine_parse_cpu_max(const char *text);

/* "0.52 0.58 0.59 1/389 12345": the three averages; false when the text does not begin with three.
 */
bool machine_parse_loadavg(const char *text, double load[3]);

/* A whole number and nothing else but white space around it; `unknown` otherwise. */
int64_t machine_parse_int(const char *text, int64_t unknown);

/* One printable line: white space runs become one space, ends are trimmed, control characters shown
 * as \xNN, cut at MACHINE_VALUE_COLUMNS_MAX. NULL gives "". */
const char *machine_clean(struct arena *arena, const char *text);

/* Memory as it was bought, from what the kernel reports as MemTotal, which is smaller by what
 * firmware and kernel keep for themselves and differs by a few MiB between kernels and boots:
 * rounded up to a quarter of the power of two below it (15.4 GiB → 16, 23.5 → 24, 6.8 → 7). −1
 * stays −1. */
int64_t machine_round_memory_bytes(int64_t reported_bytes);

#endif
