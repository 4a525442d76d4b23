/* machine.c: reads the files and system calls behind struct machine. What they mean is in the
 * kernel's Documentation/ABI and admin-guide (pm/cpufreq, cgroup-v1, cgroup-v2, hw-vuln). */
#include "os/machine.h"

#include "base/buffer.h"
#include "base/text.h"
#include "os/file.h"
#include "os/machine_parse.h"
#include "os/machine_virtual.h"

#include <dirent.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>

/* 16 MiB: cpuinfo of 8192 CPUs has about 12. */
static const ptrdiff_t FILE_BYTES_MAX = 16 * 1024 * 1024;

static const char CPU_FOLDER[] = "/sys/devices/system/cpu";

/* Where to read and where results live; every reader below takes it. */
struct reader {
    struct arena *arena;
    struct machine_source source;
    struct machine *machine;
};

static void read_cpu(const struct reader *reader);
static void read_topology(const struct reader *reader);
static void read_frequency(const struct reader *reader);
static void read_memory(const struct reader *reader);
static void read_gpus(const struct reader *reader);
static void read_kernel(const struct reader *reader);
static void read_clock_and_load(const struct reader *reader);
static void read_power(const struct reader *reader);
static void read_mitigations(const struct reader *reader);
static void read_cgroup(const struct reader *reader);

void machine_read(struct arena *arena, struct machine_source source, struct machine *machine)
{
    *machine = (struct machine){.cpus_present = -1, .cores = -1, .threads_per_core = -1};
    const struct reader reader = {arena, source, machine};
    read_cpu(&reader);
    read_topology(&reader);
    read_frequency(&reader);
    read_memory(&reader);
    read_gpus(&reader);
    read_kernel(&reader);
    read_clock_and_load(&reader);
    read_power(&reader);
    read_mitigations(&reader);
    read_cgroup(&reader);
}

const char *machine_file(struct arena *arena, struct machine_source source, const char *path)
{
    char *content = NULL;
    ptrdiff_t length = 0;
    const char *full = arena_printf(arena, "%s%s", source.root, path);
    if (file_read(arena, full, FILE_BYTES_MAX, &content, &length, NULL) != TARE_OK) {
        return NULL;
    }
    return content;
}

/* The whole file as one clean line, "" when unreadable. */
static const char *clean_file(const struct reader *reader, const char *path)
{
    return machine_clean(reader->arena, machine_file(reader->arena, reader->source, path));
}

static int64_t int_file(const struct reader *reader, const char *path)
{
    return machine_parse_int(machine_file(reader->arena, reader->source, path), -1);
}

static bool is_live(const struct reader *reader)
{
    return reader->source.root[0] == '\0';
}

static struct machine_names list_folder(const struct reader *reader, const char *path)
{
    return machine_list(reader->arena,
                        arena_printf(reader->arena, "%s%s", reader->source.root, path));
}

static void read_cpu(const struct reader *reader)
{
    struct machine *machine = reader->machine;
    const char *text = machine_file(reader->arena, reader->source, "/proc/cpuinfo");
    struct machine_cpuinfo info = machine_parse_cpuinfo(reader->arena, text != NULL ? text : "");
    machine->cpu_model = info.model_name;
    machine->cpu_vendor = info.vendor;
    machine->cpu_signature = info.signature;
    machine->microcode = info.microcode;
    machine->frequency_now_mhz = info.frequency_mhz;
    machine->cpus_online = info.processor_count;
    machine->board = clean_file(reader, "/proc/device-tree/model");
    machine->hypervisor =
        machine_hypervisor(reader->arena, reader->source, info.is_hypervisor_flag_set);
    machine->container = machine_container(reader->arena, reader->source);
}

/* Counts a CPU file such as "present"; `fallback` when it is not there. */
static int64_t count_cpus(const struct reader *reader, const char *path, int64_t fallback)
{
    const char *text = machine_file(reader->arena, reader->source, path);
    int64_t count = text != NULL ? machine_parse_cpu_list(text, NULL, 0) : -1;
    return count > 0 ? count : fallback;
}

/* Every core is counted at its first thread. */
static int64_t count_cores(const struct reader *reader)
{
    const char *text =
        machine_file(reader->arena, reader->source, "/sys/devices/system/cpu/online");
    bool *is_online = ARENA_ARRAY(reader->arena, bool, MACHINE_CPUS_MAX);
    if (text == NULL || machine_parse_cpu_list(text, is_online, MACHINE_CPUS_MAX) < 0) {
        return -1;
    }
    int64_t count = 0;
    for (int64_t cpu = 0; cpu < MACHINE_CPUS_MAX; cpu++) {
        const char *path = arena_printf(reader->arena, "%s/cpu%lld/topology/thread_siblings_list",
                                        CPU_FOLDER, (long long)cpu);
        const char *siblings =
            is_online[cpu] ? machine_file(reader->arena, reader->source, path) : NULL;
        /* The list of a core's threads begins with its lowest: that one stands for the core. */
        if (siblings != NULL && strtoll(siblings, NULL, 10) == cpu) {
            count++;
        }
    }
    return count > 0 ? count : -1;
}

static void read_topology(const struct reader *reader)
{
    struct machine *machine = reader->machine;
    machine->cpus_online =
        count_cpus(reader, "/sys/devices/system/cpu/online", machine->cpus_online);
    machine->cpus_present =
        count_cpus(reader, "/sys/devices/system/cpu/present", machine->cpus_online);
    machine->cores = count_cores(reader);
    if (machine->cores > 0 && machine->cpus_present > 0) {
        machine->threads_per_core = (machine->cpus_present + machine->cores - 1) / machine->cores;
    }
    machine->efficiency_cpus = count_cpus(reader, "/sys/devices/cpu_atom/cpus", 0);
    machine->isolated_cpus = clean_file(reader, "/sys/devices/system/cpu/isolated");
    int64_t active = int_file(reader, "/sys/devices/system/cpu/smt/active");
    machine->smt = active < 0 ? MACHINE_UNKNOWN : active != 0 ? MACHINE_ON : MACHINE_OFF;
}

/* Adds a word to "a, b" unless it is there already. */
static void add_word(struct buffer *words, const char *word)
{
    if (word[0] == '\0' || strstr(buffer_string(words), word) != NULL) {
        return;
    }
    buffer_printf(words, "%s%s", words->length > 0 ? ", " : "", word);
}

static enum machine_switch read_turbo(const struct reader *reader)
{
    int64_t no_turbo = int_file(reader, "/sys/devices/system/cpu/intel_pstate/no_turbo");
    if (no_turbo >= 0) {
        return no_turbo != 0 ? MACHINE_OFF : MACHINE_ON;
    }
    int64_t boost = int_file(reader, "/sys/devices/system/cpu/cpufreq/boost");
    return boost < 0 ? MACHINE_UNKNOWN : boost != 0 ? MACHINE_ON : MACHINE_OFF;
}

static void read_frequency(const struct reader *reader)
{
    struct machine *machine = reader->machine;
    struct arena *arena = reader->arena;
    struct buffer governors = buffer_new(arena, MACHINE_VALUE_COLUMNS_MAX);
    struct buffer preferences = buffer_new(arena, MACHINE_VALUE_COLUMNS_MAX);
    machine->frequency_min_khz = machine->frequency_max_khz = -1;
    machine->frequency_driver = "";
    struct machine_names policies = list_folder(reader, "/sys/devices/system/cpu/cpufreq");
    for (ptrdiff_t i = 0; i < policies.count; i++) {
        if (!text_starts_with(policies.items[i], "policy")) {
            continue;
        }
        const char *folder = arena_printf(arena, "%s/cpufreq/%s", CPU_FOLDER, policies.items[i]);
        add_word(&governors,
                 clean_file(reader, arena_printf(arena, "%s/scaling_governor", folder)));
        add_word(
            &preferences,
            clean_file(reader, arena_printf(arena, "%s/energy_performance_preference", folder)));
        machine->frequency_driver =
            clean_file(reader, arena_printf(arena, "%s/scaling_driver", folder));
        int64_t low = int_file(reader, arena_printf(arena, "%s/scaling_min_freq", folder));
        int64_t high = int_file(reader, arena_printf(arena, "%s/scaling_max_freq", folder));
        if (low > 0 && (machine->frequency_min_khz < 0 || low < machine->frequency_min_khz)) {
            machine->frequency_min_khz = low;
        }
        if (high > machine->frequency_max_khz) {
            machine->frequency_max_khz = high;
        }
    }
    machine->governor = arena_strdup(arena, buffer_string(&governors));
    machine->energy_preference = arena_strdup(arena, buffer_string(&preferences));
    machine->turbo = read_turbo(reader);
}

static void read_memory(const struct reader *reader)
{
    struct machine *machine = reader->machine;
    const char *text = machine_file(reader->arena, reader->source, "/proc/meminfo");
    text = text != NULL ? text : "";
    machine->memory_bytes = machine_parse_meminfo_bytes(text, "MemTotal");
    machine->swap_total_bytes = machine_parse_meminfo_bytes(text, "SwapTotal");
    machine->swap_free_bytes = machine_parse_meminfo_bytes(text, "SwapFree");
    const char *pages =
        machine_file(reader->arena, reader->source, "/sys/kernel/mm/transparent_hugepage/enabled");
    machine->huge_pages = pages != NULL ? machine_parse_selected(reader->arena, pages) : "";
}

/* Adds what NVIDIA's driver says, one "Model:" per card; true when there was one. */
static bool read_nvidia(const struct reader *reader, struct buffer *names)
{
    struct machine_names cards = list_folder(reader, "/proc/driver/nvidia/gpus");
    for (ptrdiff_t i = 0; i < cards.count; i++) {
        const char *path =
            arena_printf(reader->arena, "/proc/driver/nvidia/gpus/%s/information", cards.items[i]);
        const char *text = machine_file(reader->arena, reader->source, path);
        const char *model = text != NULL ? strstr(text, "Model:") : NULL;
        if (model == NULL) {
            continue;
        }
        model += strlen("Model:");
        const char *name = machine_clean(
            reader->arena, arena_strndup(reader->arena, model, (ptrdiff_t)strcspn(model, "\n")));
        buffer_printf(names, "%s%s", names->length > 0 ? ", " : "", name);
    }
    return names->length > 0;
}

/* PCI vendors of real GPUs. Others in /sys/class/drm are displays of virtual machines and of remote
 * management, which compute nothing. */
struct gpu_vendor {
    const char *id;
    const char *name;
    bool is_nvidia;
};

static const struct gpu_vendor gpu_vendors[] = {
    {"0x10de", "NVIDIA", true},
    {"0x1002", "AMD", false},
    {"0x8086", "Intel", false},
};

static void read_drm(const struct reader *reader, bool has_nvidia, struct buffer *names)
{
    struct machine_names cards = list_folder(reader, "/sys/class/drm");
    for (ptrdiff_t i = 0; i < cards.count; i++) {
        const char *card = cards.items[i];
        /* card0, not card0-HDMI-A-1, which is a plug of it, nor renderD128, its other name. */
        if (!text_starts_with(card, "card") || strchr(card, '-') != NULL) {
            continue;
        }
        const char *folder = arena_printf(reader->arena, "/sys/class/drm/%s/device", card);
        const char *vendor = clean_file(reader, arena_printf(reader->arena, "%s/vendor", folder));
        const char *device = clean_file(reader, arena_printf(reader->arena, "%s/device", folder));
        for (size_t v = 0; v < sizeof gpu_vendors / sizeof *gpu_vendors; v++) {
            if (strcmp(gpu_vendors[v].id, vendor) == 0 &&
                !(gpu_vendors[v].is_nvidia && has_nvidia)) {
                buffer_printf(names, "%s%s %s", names->length > 0 ? ", " : "", gpu_vendors[v].name,
                              device);
            }
        }
    }
}

static void read_gpus(const struct reader *reader)
{
    struct buffer names = buffer_new(reader->arena, MACHINE_VALUE_COLUMNS_MAX);
    bool has_nvidia = read_nvidia(reader, &names);
    read_drm(reader, has_nvidia, &names);
    reader->machine->gpus = arena_strdup(reader->arena, buffer_string(&names));
}

static void read_kernel(const struct reader *reader)
{
    struct machine *machine = reader->machine;
    machine->kernel = clean_file(reader, "/proc/sys/kernel/osrelease");
    machine->architecture = clean_file(reader, "/proc/sys/kernel/arch");
    struct utsname names;
    if (is_live(reader) && uname(&names) == 0) {
        /* A 32-bit personality makes uname say "i686" where the file says what the kernel is. */
        machine->kernel = machine_clean(reader->arena, names.release);
        if (machine->architecture[0] == '\0') {
            machine->architecture = machine_clean(reader->arena, names.machine);
        }
    }
    machine->aslr = int_file(reader, "/proc/sys/kernel/randomize_va_space");
    /* −1 is a level of its own here. */
    machine->perf_event_paranoid = machine_parse_int(
        machine_file(reader->arena, reader->source, "/proc/sys/kernel/perf_event_paranoid"),
        INT64_MIN);
}

static void read_clock_and_load(const struct reader *reader)
{
    struct machine *machine = reader->machine;
    const char *folder = "/sys/devices/system/clocksource/clocksource0";
    machine->clock_source =
        clean_file(reader, arena_printf(reader->arena, "%s/current_clocksource", folder));
    machine->clock_sources =
        clean_file(reader, arena_printf(reader->arena, "%s/available_clocksource", folder));
    const char *load = machine_file(reader->arena, reader->source, "/proc/loadavg");
    if (load == NULL || !machine_parse_loadavg(load, machine->load)) {
        machine->load[0] = machine->load[1] = machine->load[2] = NAN;
    }
    const char *pressure = clean_file(reader, "/proc/pressure/cpu");
    double percent = NAN;
    if (text_starts_with(pressure, "some avg10=")) {
        percent = strtod(pressure + strlen("some avg10="), NULL);
    }
    machine->pressure_cpu_some = percent >= 0 && percent <= 100 ? percent / 100 : NAN;
}

/* Only a machine with a battery says whether it is plugged in. */
static void read_power(const struct reader *reader)
{
    reader->machine->mains_power = MACHINE_UNKNOWN;
    struct machine_names supplies = list_folder(reader, "/sys/class/power_supply");
    for (ptrdiff_t i = 0; i < supplies.count; i++) {
        const char *folder =
            arena_printf(reader->arena, "/sys/class/power_supply/%s", supplies.items[i]);
        const char *type = clean_file(reader, arena_printf(reader->arena, "%s/type", folder));
        int64_t online = int_file(reader, arena_printf(reader->arena, "%s/online", folder));
        if (strcmp(type, "Mains") == 0 && online >= 0) {
            reader->machine->mains_power = online != 0 ? MACHINE_ON : MACHINE_OFF;
        }
    }
}

/* "spectre_v1=mitigated srso=vulnerable": what does not apply is left out. */
static void read_mitigations(const struct reader *reader)
{
    struct buffer summary = buffer_new(reader->arena, MACHINE_VALUE_COLUMNS_MAX);
    struct machine_names names = list_folder(reader, "/sys/devices/system/cpu/vulnerabilities");
    for (ptrdiff_t i = 0; i < names.count; i++) {
        const char *state = clean_file(reader, arena_printf(reader->arena, "%s/vulnerabilities/%s",
                                                            CPU_FOLDER, names.items[i]));
        const char *word = text_starts_with(state, "Mitigation")   ? "mitigated"
                           : text_starts_with(state, "Vulnerable") ? "vulnerable"
                           : text_starts_with(state, "KVM: Mit")   ? "mitigated"
                                                                   : NULL;
        if (word != NULL) {
            buffer_printf(&summary, "%s%s=%s", summary.length > 0 ? " " : "", names.items[i], word);
        }
    }
    reader->machine->mitigations = machine_clean(reader->arena, buffer_string(&summary));
}

/* Where a controller's files of this process are, tried in this order. */
struct cgroup_place {
    const char *mount; /* "/sys/fs/cgroup" or a folder in it */
    const char *path;  /* of this process's group below the mount */
    bool is_unified;
};

static bool find_cgroup(const struct reader *reader, const char *controller,
                        struct cgroup_place *place)
{
    const char *text = machine_file(reader->arena, reader->source, "/proc/self/cgroup");
    if (text == NULL) {
        return false;
    }
    const char *path = machine_parse_cgroup_path(reader->arena, text, controller);
    if (path != NULL) {
        /* "cpu" is a link to "cpu,cpuacct" where both are mounted together. */
        const char *mount = arena_printf(reader->arena, "/sys/fs/cgroup/%s", controller);
        *place = (struct cgroup_place){mount, path, false};
        return true;
    }
    path = machine_parse_cgroup_path(reader->arena, text, "");
    *place = (struct cgroup_place){"/sys/fs/cgroup", path, true};
    return path != NULL;
}

/* The folder of the group itself. A container on cgroup v1 sees the host's path in
 * /proc/self/cgroup but only its own group under the mount: then that is it. */
static const char *cgroup_folder(const struct reader *reader, const struct cgroup_place *place)
{
    const char *folder = arena_printf(reader->arena, "%s%s", place->mount,
                                      strcmp(place->path, "/") == 0 ? "" : place->path);
    const char *full = arena_printf(reader->arena, "%s%s", reader->source.root, folder);
    bool is_safe = strstr(place->path, "..") == NULL;
    return is_safe && file_is_directory(full) ? folder : place->mount;
}

static double read_quota(const struct reader *reader, const char *folder, bool is_unified)
{
    if (is_unified) {
        const char *text = machine_file(reader->arena, reader->source,
                                        arena_printf(reader->arena, "%s/cpu.max", folder));
        return text != NULL ? machine_parse_cpu_max(text) : NAN;
    }
    int64_t quota = int_file(reader, arena_printf(reader->arena, "%s/cpu.cfs_quota_us", folder));
    int64_t period = int_file(reader, arena_printf(reader->arena, "%s/cpu.cfs_period_us", folder));
    if (period <= 0) {
        return NAN;
    }
    return quota > 0 ? (double)quota / (double)period : 0;
}

static int64_t read_memory_limit(const struct reader *reader, const char *folder, bool is_unified)
{
    const char *path = arena_printf(reader->arena, "%s/%s", folder,
                                    is_unified ? "memory.max" : "memory.limit_in_bytes");
    const char *text = clean_file(reader, path);
    if (strcmp(text, "max") == 0) {
        return 0;
    }
    int64_t limit = machine_parse_int(text, -1);
    /* cgroup v1 says "no limit" as the largest page-aligned number. */
    return limit > INT64_MAX / 2 ? 0 : limit;
}

/* Calls up from the group to the mount, since a limit above applies as well. */
static void read_cgroup_cpu(const struct reader *reader)
{
    struct machine *machine = reader->machine;
    struct cgroup_place place;
    machine->cgroup_cpus = NAN;
    machine->cgroup_periods = machine->cgroup_throttled = -1;
    if (!find_cgroup(reader, "cpu", &place)) {
        return;
    }
    char *folder = arena_strdup(reader->arena, cgroup_folder(reader, &place));
    const char *stat = machine_file(reader->arena, reader->source,
                                    arena_printf(reader->arena, "%s/cpu.stat", folder));
    if (stat != NULL) {
        machine->cgroup_periods = machine_parse_keyed(stat, "nr_periods");
        machine->cgroup_throttled = machine_parse_keyed(stat, "nr_throttled");
    }
    while (strlen(folder) >= strlen(place.mount)) {
        double cpus = read_quota(reader, folder, place.is_unified);
        bool is_smaller = cpus > 0 && !(machine->cgroup_cpus > 0 && machine->cgroup_cpus <= cpus);
        if (is_smaller || (cpus == 0 && isnan(machine->cgroup_cpus))) {
            machine->cgroup_cpus = cpus;
        }
        *strrchr(folder, '/') = '\0';
    }
}

static void read_cgroup_memory(const struct reader *reader)
{
    struct machine *machine = reader->machine;
    struct cgroup_place place;
    machine->cgroup_memory_bytes = -1;
    if (!find_cgroup(reader, "memory", &place)) {
        return;
    }
    char *folder = arena_strdup(reader->arena, cgroup_folder(reader, &place));
    while (strlen(folder) >= strlen(place.mount)) {
        int64_t limit = read_memory_limit(reader, folder, place.is_unified);
        bool is_smaller = limit > 0 && (machine->cgroup_memory_bytes <= 0 ||
                                        limit < machine->cgroup_memory_bytes);
        if (is_smaller || (limit == 0 && machine->cgroup_memory_bytes < 0)) {
            machine->cgroup_memory_bytes = limit;
        }
        *strrchr(folder, '/') = '\0';
    }
}

static void read_cgroup(const struct reader *reader)
{
    read_cgroup_cpu(reader);
    read_cgroup_memory(reader);
    struct cgroup_place place;
    reader->machine->cgroup_cpuset = "";
    if (find_cgroup(reader, "cpuset", &place)) {
        const char *name = place.is_unified ? "cpuset.cpus.effective" : "cpuset.effective_cpus";
        reader->machine->cgroup_cpuset = clean_file(
            reader, arena_printf(reader->arena, "%s/%s", cgroup_folder(reader, &place), name));
    }
}

static int compare_names(const void *left, const void *right)
{
    return strcmp(*(const char *const *)left, *(const char *const *)right);
}

struct machine_names machine_list(struct arena *arena, const char *folder)
{
    struct machine_names names = {0};
    DIR *directory = opendir(folder);
    if (directory == NULL) {
        return names;
    }
    const struct dirent *entry;
    while (names.count < MACHINE_NAMES_MAX && (entry = readdir(directory)) != NULL) {
        if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0) {
            continue;
        }
        names.items =
            arena_grow(arena, names.items, &names.capacity, names.count + 1, sizeof *names.items);
        names.items[names.count++] = arena_strdup(arena, entry->d_name);
    }
    closedir(directory);
    if (names.count > 0) {
        qsort(names.items, (size_t)names.count, sizeof *names.items, compare_names);
    }
    return names;
}
