/* machine_facts.c: struct machine as two lists of key and value, and what this process was given.
 */
#include "os/machine.h"

#include "base/assert.h"
#include "base/buffer.h"
#include "base/unit.h"
#include "os/machine_parse.h"

#include <errno.h>
#include <math.h>
#include <sched.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

static void add(struct arena *arena, struct machine_facts *facts, const char *key,
                const char *value)
{
    if (value == NULL || value[0] == '\0') {
        return;
    }
    facts->items =
        arena_grow(arena, facts->items, &facts->capacity, facts->count + 1, sizeof *facts->items);
    facts->items[facts->count++] = (struct machine_fact){key, value};
}

static void add_count(struct arena *arena, struct machine_facts *facts, const char *key,
                      int64_t count)
{
    if (count > 0) {
        add(arena, facts, key, arena_printf(arena, "%lld", (long long)count));
    }
}

static void add_size(struct arena *arena, struct machine_facts *facts, const char *key,
                     int64_t size_bytes)
{
    if (size_bytes > 0) {
        add(arena, facts, key, unit_format(arena, (double)size_bytes, "B", 3));
    }
}

static void add_switch(struct arena *arena, struct machine_facts *facts, const char *key,
                       enum machine_switch state)
{
    add(arena, facts, key, state == MACHINE_UNKNOWN ? "" : state == MACHINE_ON ? "on" : "off");
}

void machine_identity(struct arena *arena, const struct machine *machine,
                      struct machine_facts *facts)
{
    add(arena, facts, "architecture", machine->architecture);
    add(arena, facts, "board", machine->board);
    add(arena, facts, "cpu", machine->cpu_model);
    add(arena, facts, "cpu_signature", machine->cpu_signature);
    add(arena, facts, "cpu_vendor", machine->cpu_vendor);
    add_count(arena, facts, "cores", machine->cores);
    add_count(arena, facts, "cpus", machine->cpus_present);
    add_count(arena, facts, "efficiency_cpus", machine->efficiency_cpus);
    add(arena, facts, "gpus", machine->gpus);
    add_size(arena, facts, "memory", machine_round_memory_bytes(machine->memory_bytes));
    add_count(arena, facts, "threads_per_core", machine->threads_per_core);
}

static void add_cgroup(struct arena *arena, const struct machine *machine,
                       struct machine_facts *facts)
{
    if (machine->cgroup_cpus > 0) {
        add(arena, facts, "cgroup_cpus", unit_format_digits(arena, machine->cgroup_cpus, 3));
    } else if (machine->cgroup_cpus == 0) {
        add(arena, facts, "cgroup_cpus", "unlimited");
    }
    add(arena, facts, "cgroup_cpuset", machine->cgroup_cpuset);
    if (machine->cgroup_memory_bytes == 0) {
        add(arena, facts, "cgroup_memory", "unlimited");
    }
    add_size(arena, facts, "cgroup_memory", machine->cgroup_memory_bytes);
}

static void add_frequency(struct arena *arena, const struct machine *machine,
                          struct machine_facts *facts)
{
    add(arena, facts, "energy_preference", machine->energy_preference);
    add(arena, facts, "frequency_driver", machine->frequency_driver);
    if (machine->frequency_min_khz > 0 && machine->frequency_max_khz > 0) {
        add(arena, facts, "frequency_range",
            arena_printf(arena, "%lld-%lld MHz", (long long)machine->frequency_min_khz / 1000,
                         (long long)machine->frequency_max_khz / 1000));
    }
    add(arena, facts, "governor", machine->governor);
}

void machine_conditions(struct arena *arena, const struct machine *machine,
                        struct machine_facts *facts)
{
    static const char *const aslr_names[] = {"off", "on, heap fixed", "on"};
    if (machine->aslr >= 0 && machine->aslr <= 2) {
        add(arena, facts, "aslr", aslr_names[machine->aslr]);
    }
    add_cgroup(arena, machine, facts);
    add(arena, facts, "clock_source", machine->clock_source);
    add(arena, facts, "container", machine->container);
    add_count(arena, facts, "cpus_online", machine->cpus_online);
    add_frequency(arena, machine, facts);
    add(arena, facts, "huge_pages", machine->huge_pages);
    add(arena, facts, "isolated_cpus", machine->isolated_cpus);
    add(arena, facts, "kernel", machine->kernel);
    if (isfinite(machine->load[0])) {
        add(arena, facts, "load_1min", arena_printf(arena, "%.2f", machine->load[0]));
    }
    add(arena, facts, "microcode", machine->microcode);
    add(arena, facts, "mitigations", machine->mitigations);
    add_switch(arena, facts, "mains_power", machine->mains_power);
    add_switch(arena, facts, "smt", machine->smt);
    if (machine->swap_total_bytes == 0) {
        add(arena, facts, "swap", "none");
    }
    add_size(arena, facts, "swap", machine->swap_total_bytes);
    add_switch(arena, facts, "turbo", machine->turbo);
    add(arena, facts, "virtualisation", machine->hypervisor);
}

/* CPUs of a set as "0-3,8". */
static const char *cpu_set_text(struct arena *arena, const cpu_set_t *set, size_t set_bytes,
                                int64_t *count)
{
    struct buffer text = buffer_new(arena, MACHINE_VALUE_COLUMNS_MAX);
    *count = 0;
    for (int cpu = 0; cpu < MACHINE_CPUS_MAX; cpu++) {
        if (!CPU_ISSET_S((size_t)cpu, set_bytes, set)) {
            continue;
        }
        int last = cpu;
        while (last + 1 < MACHINE_CPUS_MAX && CPU_ISSET_S((size_t)last + 1, set_bytes, set)) {
            last++;
        }
        *count += last - cpu + 1;
        buffer_printf(&text, last > cpu ? "%s%d-%d" : "%s%d", text.length > 0 ? "," : "", cpu,
                      last);
        cpu = last;
    }
    return arena_strdup(arena, buffer_string(&text));
}

static void read_affinity(struct arena *arena, struct machine_process *process)
{
    process->affinity = "";
    process->affinity_count = -1;
    cpu_set_t *set = CPU_ALLOC(MACHINE_CPUS_MAX);
    size_t set_bytes = CPU_ALLOC_SIZE(MACHINE_CPUS_MAX);
    if (set == NULL) {
        return;
    }
    CPU_ZERO_S(set_bytes, set);
    if (sched_getaffinity(0, set_bytes, set) == 0) {
        process->affinity = cpu_set_text(arena, set, set_bytes, &process->affinity_count);
    }
    CPU_FREE(set);
}

static const char *scheduler_name(int policy)
{
    static const struct {
        int policy;
        const char *name;
    } names[] = {
        {SCHED_OTHER, "other"}, {SCHED_BATCH, "batch"},    {SCHED_IDLE, "idle"},
        {SCHED_FIFO, "fifo"},   {SCHED_RR, "round-robin"},
    };
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        if (names[i].policy == policy) {
            return names[i].name;
        }
    }
    return "";
}

void machine_process_read(struct arena *arena, struct machine_process *process)
{
    *process = (struct machine_process){.stack_limit_bytes = -1};
    read_affinity(arena, process);
    struct rlimit limit;
    if (getrlimit(RLIMIT_STACK, &limit) == 0) {
        process->stack_limit_bytes =
            limit.rlim_cur == RLIM_INFINITY ? INT64_MAX : (int64_t)limit.rlim_cur;
    }
    for (char **variable = environ; variable != NULL && *variable != NULL; variable++) {
        process->environment_bytes += (int64_t)strlen(*variable) + 1;
        process->environment_count++;
    }
    errno = 0;
    int nice_level = getpriority(PRIO_PROCESS, 0);
    process->nice = errno == 0 ? nice_level : 0;
    process->scheduler = scheduler_name(sched_getscheduler(0) & ~SCHED_RESET_ON_FORK);
}
