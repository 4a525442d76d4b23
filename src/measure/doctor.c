#include "measure/doctor.h"

#include "base/assert.h"
#include "base/unit.h"

#include <math.h>
#include <string.h>

/* One check. Leaves `value` NULL when it has nothing to say about this machine. */
typedef void check_function(struct arena *arena, const struct doctor_facts *facts,
                            struct doctor_finding *finding);

static check_function check_cpus, check_virtual, check_container, check_load, check_steal,
    check_governor, check_turbo, check_frequency, check_power, check_smt, check_aslr,
    check_cgroup_cpu, check_cgroup_memory, check_huge_pages, check_swap, check_counters,
    check_perf_permission, check_clock, check_priority, check_drift, check_disk;

static const struct {
    const char *name;
    check_function *check;
} checks[] = {
    {"cpus", check_cpus},
    {"virtualisation", check_virtual},
    {"container", check_container},
    {"load", check_load},
    {"steal", check_steal},
    {"governor", check_governor},
    {"turbo", check_turbo},
    {"frequency", check_frequency},
    {"power", check_power},
    {"smt", check_smt},
    {"aslr", check_aslr},
    {"cgroup cpu", check_cgroup_cpu},
    {"cgroup memory", check_cgroup_memory},
    {"huge pages", check_huge_pages},
    {"swap", check_swap},
    {"counters", check_counters},
    {"profiling", check_perf_permission},
    {"clock", check_clock},
    {"priority", check_priority},
    {"drift", check_drift},
    {"disk", check_disk},
};

void doctor_examine(struct arena *arena, const struct doctor_facts *facts,
                    struct doctor_findings *findings)
{
    TARE_ASSERT(facts->machine != NULL);
    *findings = (struct doctor_findings){0};
    for (size_t i = 0; i < sizeof checks / sizeof *checks; i++) {
        struct doctor_finding finding = {.name = checks[i].name};
        checks[i].check(arena, facts, &finding);
        if (finding.value == NULL) {
            continue;
        }
        findings->items = arena_grow(arena, findings->items, &findings->capacity,
                                     findings->count + 1, sizeof *findings->items);
        findings->items[findings->count++] = finding;
    }
}

static void set(struct doctor_finding *finding, enum doctor_level level, const char *value,
                const char *advice)
{
    finding->level = level;
    finding->value = value;
    finding->advice = advice;
}

static bool is_virtual(const struct doctor_facts *facts)
{
    return facts->machine->hypervisor[0] != '\0';
}

static void check_cpus(struct arena *arena, const struct doctor_facts *facts,
                       struct doctor_finding *finding)
{
    const struct machine *machine = facts->machine;
    int64_t usable = machine->cpus_online;
    if (facts->process != NULL && facts->process->affinity_count > 0) {
        usable = facts->process->affinity_count < usable ? facts->process->affinity_count : usable;
    }
    if (usable <= 0) {
        set(finding, DOCTOR_NOTE, "not known", "/sys/devices/system/cpu/online cannot be read.");
        return;
    }
    const char *value = arena_printf(arena, "%lld online of %lld, %lld usable here",
                                     (long long)machine->cpus_online,
                                     (long long)machine->cpus_present, (long long)usable);
    if (usable == 1) {
        set(finding, DOCTOR_WARN, value,
            "With one CPU everything else on the machine interrupts the measured program: give it "
            "a "
            "second one.");
    } else if (machine->efficiency_cpus > 0) {
        set(finding, DOCTOR_WARN,
            arena_printf(arena, "%s; %lld of them efficiency cores", value,
                         (long long)machine->efficiency_cpus),
            "A run on another kind of core is another machine: keep to one kind, for example "
            "taskset -c $(cat /sys/devices/cpu_core/cpus) tare run ...");
    } else {
        set(finding, DOCTOR_OK, value, NULL);
    }
}

static void check_virtual(struct arena *arena, const struct doctor_facts *facts,
                          struct doctor_finding *finding)
{
    (void)arena;
    if (!is_virtual(facts)) {
        set(finding, DOCTOR_OK, "none seen", NULL);
        return;
    }
    set(finding, DOCTOR_NOTE, facts->machine->hypervisor,
        "Neighbours and the host are felt and not seen: compare old and new side by side (tare "
        "ab), "
        "do not trust a baseline stored on another day.");
}

static void check_container(struct arena *arena, const struct doctor_facts *facts,
                            struct doctor_finding *finding)
{
    (void)arena;
    if (facts->machine->container[0] != '\0') {
        set(finding, DOCTOR_NOTE, facts->machine->container,
            "Other containers share CPUs, caches and disk; settings of the kernel are the host's "
            "to "
            "change.");
    }
}

static void check_load(struct arena *arena, const struct doctor_facts *facts,
                       struct doctor_finding *finding)
{
    const struct machine *machine = facts->machine;
    double load = machine->load[0];
    if (!isfinite(load) || machine->cpus_online <= 0) {
        return;
    }
    const char *value = arena_printf(arena, "%.2f over the last minute, on %lld CPUs", load,
                                     (long long)machine->cpus_online);
    double per_cpu = load / (double)machine->cpus_online;
    /* Half the CPUs busy leaves room for one measured program on any machine with two or more; a
     * fifth is still felt in shared caches. */
    if (per_cpu > 0.5) {
        set(finding, DOCTOR_WARN, value,
            "Other programs are running: stop them or wait. What they are: "
            "ps -eo pcpu,pid,comm --sort=-pcpu | head");
    } else if (per_cpu > 0.2) {
        set(finding, DOCTOR_NOTE, value,
            "Something else is running: ps -eo pcpu,pid,comm --sort=-pcpu | head");
    } else {
        set(finding, DOCTOR_OK, value, NULL);
    }
}

static void check_steal(struct arena *arena, const struct doctor_facts *facts,
                        struct doctor_finding *finding)
{
    bool is_measured = facts->noise != NULL && isfinite(facts->noise->steal_ratio);
    struct cpu_times zero = {.is_known = true};
    double ratio = is_measured ? facts->noise->steal_ratio
                               : cpu_times_steal_ratio(zero, facts->times_since_boot);
    if (!isfinite(ratio)) {
        return;
    }
    const char *value = arena_printf(arena, "%.1f %% of the CPU time wanted, %s", ratio * 100,
                                     is_measured ? "while measuring" : "since boot");
    /* 2 %: a median over slices still hides it; beyond, runs minutes apart no longer agree. */
    if (ratio > 0.02) {
        set(finding, DOCTOR_WARN, value,
            "The hypervisor gives this machine's CPUs to others: use tare ab, or a machine of its "
            "own "
            "(a dedicated instance, bare metal).");
    } else if (ratio > 0.001) {
        set(finding, DOCTOR_NOTE, value,
            "A little is taken by neighbours; medians bear it, tails (p99) do not.");
    } else {
        set(finding, DOCTOR_OK, value, NULL);
    }
}

static void check_governor(struct arena *arena, const struct doctor_facts *facts,
                           struct doctor_finding *finding)
{
    const struct machine *machine = facts->machine;
    if (machine->governor[0] == '\0') {
        set(finding, DOCTOR_NOTE, "not visible",
            is_virtual(facts) ? "The host decides about the clock; inside nothing can be done."
                              : "The kernel shows no frequency control; nothing can be done.");
    } else if (strcmp(machine->governor, "performance") == 0) {
        set(finding, DOCTOR_OK, machine->governor, NULL);
    } else {
        const char *value =
            machine->energy_preference[0] != '\0'
                ? arena_printf(arena, "%s (%s)", machine->governor, machine->energy_preference)
                : machine->governor;
        set(finding, DOCTOR_WARN, value,
            "The clock follows the load, so the same code runs at different speeds: sudo tare "
            "doctor "
            "--tune, or sudo cpupower frequency-set -g performance");
    }
}

static void check_turbo(struct arena *arena, const struct doctor_facts *facts,
                        struct doctor_finding *finding)
{
    (void)arena;
    if (facts->machine->turbo == MACHINE_ON) {
        set(finding, DOCTOR_NOTE, "on",
            "The top clock depends on temperature and on how many cores are busy: sudo tare doctor "
            "--tune switches it off until --restore.");
    } else if (facts->machine->turbo == MACHINE_OFF) {
        set(finding, DOCTOR_OK, "off", NULL);
    }
}

static void check_frequency(struct arena *arena, const struct doctor_facts *facts,
                            struct doctor_finding *finding)
{
    const struct machine *machine = facts->machine;
    const char *now = isfinite(machine->frequency_now_mhz)
                          ? arena_printf(arena, "%.0f MHz now", machine->frequency_now_mhz)
                          : NULL;
    if (machine->frequency_min_khz > 0 && machine->frequency_max_khz > 0) {
        set(finding, DOCTOR_OK,
            arena_printf(arena, "%s%s%lld to %lld MHz allowed (%s)", now != NULL ? now : "",
                         now != NULL ? ", " : "", (long long)machine->frequency_min_khz / 1000,
                         (long long)machine->frequency_max_khz / 1000, machine->frequency_driver),
            NULL);
    } else if (now != NULL) {
        set(finding, DOCTOR_OK, now, NULL);
    }
}

static void check_power(struct arena *arena, const struct doctor_facts *facts,
                        struct doctor_finding *finding)
{
    (void)arena;
    if (facts->machine->mains_power == MACHINE_OFF) {
        set(finding, DOCTOR_WARN, "on battery",
            "Firmware lowers the clock on battery, whatever the governor says: plug it in.");
    } else if (facts->machine->mains_power == MACHINE_ON) {
        set(finding, DOCTOR_OK, "plugged in", NULL);
    }
}

static void check_smt(struct arena *arena, const struct doctor_facts *facts,
                      struct doctor_finding *finding)
{
    (void)arena;
    if (facts->machine->smt == MACHINE_ON) {
        set(finding, DOCTOR_NOTE, "on",
            "Work on the other thread of a core slows the measured one. On a quiet machine it does "
            "not matter; else pin to one thread per core, or: echo off | sudo tee "
            "/sys/devices/system/cpu/smt/control");
    } else if (facts->machine->smt == MACHINE_OFF) {
        set(finding, DOCTOR_OK, is_virtual(facts) ? "off, as far as the guest sees" : "off", NULL);
    }
}

static void check_aslr(struct arena *arena, const struct doctor_facts *facts,
                       struct doctor_finding *finding)
{
    (void)arena;
    if (facts->machine->aslr >= 1) {
        set(finding, DOCTOR_OK, "on: launches differ in layout, which Tare averages over", NULL);
    } else if (facts->machine->aslr == 0) {
        set(finding, DOCTOR_NOTE, "off",
            "Every launch gets the same addresses, so luck of placement looks like a difference: "
            "sudo sysctl kernel.randomize_va_space=2");
    }
}

static void check_cgroup_cpu(struct arena *arena, const struct doctor_facts *facts,
                             struct doctor_finding *finding)
{
    const struct machine *machine = facts->machine;
    if (isnan(machine->cgroup_cpus)) {
        return;
    }
    if (machine->cgroup_cpus == 0) {
        set(finding, DOCTOR_OK, "no quota", NULL);
        return;
    }
    const char *value =
        arena_printf(arena, "quota of %s CPUs", unit_format_digits(arena, machine->cgroup_cpus, 3));
    if (machine->cgroup_throttled > 0) {
        value =
            arena_printf(arena, "%s, throttled in %lld of %lld periods so far", value,
                         (long long)machine->cgroup_throttled, (long long)machine->cgroup_periods);
    }
    if (facts->throttled_meanwhile > 0) {
        value = arena_printf(arena, "%s, %lld while measuring", value,
                             (long long)facts->throttled_meanwhile);
    }
    bool is_tight = machine->cgroup_throttled > 0 || machine->cgroup_cpus < 1.5;
    set(finding, is_tight ? DOCTOR_WARN : DOCTOR_NOTE, value,
        "A program that uses up its quota is stopped for the rest of the period (100 ms), in the "
        "middle of a slice. Raise it: docker run --cpus, Kubernetes limits.cpu, systemd CPUQuota=");
}

static void check_cgroup_memory(struct arena *arena, const struct doctor_facts *facts,
                                struct doctor_finding *finding)
{
    if (facts->machine->cgroup_memory_bytes > 0) {
        set(finding, DOCTOR_NOTE,
            unit_format(arena, (double)facts->machine->cgroup_memory_bytes, "B", 3),
            "Near the limit the kernel takes memory back while the program runs; keep the measured "
            "program well below it.");
    }
}

static void check_huge_pages(struct arena *arena, const struct doctor_facts *facts,
                             struct doctor_finding *finding)
{
    (void)arena;
    const char *mode = facts->machine->huge_pages;
    if (strcmp(mode, "always") == 0) {
        set(finding, DOCTOR_NOTE, mode,
            "The kernel gives huge pages when it has some, so memory is fast in one launch and "
            "slower "
            "in another; for steadier figures: echo madvise | sudo tee "
            "/sys/kernel/mm/transparent_hugepage/enabled");
    } else if (mode[0] != '\0') {
        set(finding, DOCTOR_OK, mode, NULL);
    }
}

static void check_swap(struct arena *arena, const struct doctor_facts *facts,
                       struct doctor_finding *finding)
{
    const struct machine *machine = facts->machine;
    if (machine->swap_total_bytes < 0 || machine->swap_free_bytes < 0) {
        return;
    }
    double used = (double)(machine->swap_total_bytes - machine->swap_free_bytes);
    if (machine->swap_total_bytes == 0) {
        set(finding, DOCTOR_OK, "none", NULL);
    } else if (used <= 0) {
        set(finding, DOCTOR_OK, "not used", NULL);
    } else {
        set(finding, DOCTOR_NOTE,
            arena_printf(arena, "%s of %s in use", unit_format(arena, used, "B", 3),
                         unit_format(arena, (double)machine->swap_total_bytes, "B", 3)),
            "Memory was short at some time; if it still is, page faults are measured, not code: "
            "free "
            "memory, then sudo swapoff -a && sudo swapon -a");
    }
}

static void check_counters(struct arena *arena, const struct doctor_facts *facts,
                           struct doctor_finding *finding)
{
    if (facts->counters == NULL) {
        return;
    }
    const char *value = arena_printf(arena, "cycles %s, instructions %s",
                                     counter_state_name(facts->counters->cycles),
                                     counter_state_name(facts->counters->instructions));
    switch (facts->counters->cycles) {
    case COUNTER_WORKS:
        set(finding, DOCTOR_OK, value, NULL);
        return;
    case COUNTER_FORBIDDEN:
        set(finding, DOCTOR_NOTE, value,
            "Time is measured all the same. To allow counters: sudo sysctl "
            "kernel.perf_event_paranoid=1 (in a container also --cap-add PERFMON)");
        return;
    case COUNTER_BUSY:
        set(finding, DOCTOR_NOTE, value,
            "Somebody holds the counters; often it is the watchdog: sudo sysctl "
            "kernel.nmi_watchdog=0");
        return;
    case COUNTER_MISSING:
    case COUNTER_ALWAYS_ZERO:
        break;
    }
    set(finding, DOCTOR_NOTE, value,
        is_virtual(facts)
            ? "The virtual machine has no hardware counters; time is measured all the "
              "same. An instance type on bare metal would have them."
            : "This CPU or kernel offers no hardware counters; time is measured all the "
              "same.");
}

static void check_perf_permission(struct arena *arena, const struct doctor_facts *facts,
                                  struct doctor_finding *finding)
{
    int64_t paranoid = facts->machine->perf_event_paranoid;
    const char *level = paranoid == INT64_MIN
                            ? "perf_event_paranoid not readable"
                            : arena_printf(arena, "perf_event_paranoid %lld", (long long)paranoid);
    if (facts->counters == NULL) {
        return;
    }
    if (facts->counters->task_clock == COUNTER_WORKS) {
        set(finding, DOCTOR_OK,
            arena_printf(arena, "sampling by a software clock works (%s)", level), NULL);
    } else {
        set(finding, DOCTOR_NOTE,
            arena_printf(arena, "software clock %s (%s)",
                         counter_state_name(facts->counters->task_clock), level),
            "Profilers cannot sample: sudo sysctl kernel.perf_event_paranoid=2 or lower; a "
            "container's seccomp profile may forbid perf_event_open as well.");
    }
}

/* Clock sources that are read without entering the kernel. */
static bool is_fast_clock(const char *name)
{
    static const char *const fast[] = {"tsc", "kvm-clock", "hyperv_clocksource_tsc_page",
                                       "arch_sys_counter"};
    for (size_t i = 0; i < sizeof fast / sizeof *fast; i++) {
        if (strcmp(fast[i], name) == 0) {
            return true;
        }
    }
    return false;
}

static void check_clock(struct arena *arena, const struct doctor_facts *facts,
                        struct doctor_finding *finding)
{
    const char *source = facts->machine->clock_source;
    const char *name = source[0] != '\0' ? source : "clock source not known";
    const char *value = name;
    if (facts->noise != NULL) {
        value = arena_printf(arena, "%s, %.0f ns a reading, steps of %.0f ns", name,
                             facts->noise->clock_cost_ns, facts->noise->clock_step_ns);
    } else if (source[0] == '\0') {
        return;
    }
    /* 200 ns: no clock read in user space is that slow, every one read through the kernel is. */
    bool is_slow =
        facts->noise != NULL ? facts->noise->clock_cost_ns > 200 : !is_fast_clock(source);
    if (is_slow) {
        bool has_tsc = strstr(facts->machine->clock_sources, "tsc") != NULL;
        set(finding, DOCTOR_WARN, value,
            has_tsc ? "Reading the time enters the kernel: echo tsc | sudo tee "
                      "/sys/devices/system/clocksource/clocksource0/current_clocksource"
                    : "Reading the time enters the kernel, and there is no better source here: let "
                      "slices be long, do not use latency mode for calls below 10 µs.");
    } else {
        set(finding, DOCTOR_OK, value, NULL);
    }
}

static void check_priority(struct arena *arena, const struct doctor_facts *facts,
                           struct doctor_finding *finding)
{
    if (facts->process == NULL) {
        return;
    }
    const char *scheduler = facts->process->scheduler;
    bool is_low = facts->process->nice > 0 || strcmp(scheduler, "idle") == 0;
    if (is_low) {
        set(finding, DOCTOR_WARN,
            arena_printf(arena, "nice %lld, scheduler %s", (long long)facts->process->nice,
                         scheduler),
            "Everything else goes first: start tare without nice and without chrt -i.");
    }
}

static void check_drift(struct arena *arena, const struct doctor_facts *facts,
                        struct doctor_finding *finding)
{
    if (facts->noise == NULL) {
        return;
    }
    /* Arithmetic alone: its time is the clock's period and nothing else. */
    double drift = facts->noise->kernels[NOISE_ARITHMETIC].drift_ratio;
    const char *value = arena_printf(arena, "arithmetic %s from the first third to the last",
                                     unit_format_change(arena, drift, 1));
    /* 1 %: Tare's usual band; a clock that moves by more within seconds decides unpaired
     * comparisons. */
    if (fabs(log(drift)) > log(1.01)) {
        set(finding, DOCTOR_WARN, value,
            "The CPU's speed moves within seconds (heat, turbo, a busy host): compare side by "
            "side, "
            "and see governor and turbo above.");
    } else {
        set(finding, DOCTOR_OK, value, NULL);
    }
}

static void check_disk(struct arena *arena, const struct doctor_facts *facts,
                       struct doctor_finding *finding)
{
    if (facts->store_free_bytes < 0) {
        return;
    }
    const char *value = arena_printf(arena, "%s free for the store",
                                     unit_format(arena, (double)facts->store_free_bytes, "B", 3));
    /* 100 MiB: a thousand large runs. */
    if (facts->store_free_bytes < 100 * 1024 * 1024) {
        set(finding, DOCTOR_WARN, value,
            "Results could not be kept when the disk is full: free some, or use --store "
            "elsewhere.");
    } else {
        set(finding, DOCTOR_OK, value, NULL);
    }
}

ptrdiff_t doctor_count(const struct doctor_findings *findings, enum doctor_level level)
{
    ptrdiff_t count = 0;
    for (ptrdiff_t i = 0; i < findings->count; i++) {
        count += findings->items[i].level == level;
    }
    return count;
}

const char *doctor_level_name(enum doctor_level level)
{
    static const char *const names[] = {"ok", "note", "warn"};
    TARE_ASSERT((size_t)level < sizeof names / sizeof *names);
    return names[level];
}
