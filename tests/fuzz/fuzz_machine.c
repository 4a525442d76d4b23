/* fuzz_machine.c: any bytes as the text of any file of /proc and /sys, and as git's answer. */
#include "base/arena.h"
#include "os/cpu_times.h"
#include "os/git.h"
#include "os/machine_parse.h"

#include <stddef.h>
#include <stdint.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct arena arena = {0};
    const char *text = arena_strndup(&arena, (const char *)data, (ptrdiff_t)size);
    bool is_member[64] = {false};
    double load[3];
    struct git_state state;
    machine_parse_cpuinfo(&arena, text);
    machine_parse_cpu_list(text, is_member, 64);
    machine_parse_meminfo_bytes(text, "MemTotal");
    machine_parse_selected(&arena, text);
    machine_parse_keyed(text, "nr_throttled");
    machine_parse_cgroup_path(&arena, text, "cpu");
    machine_parse_cgroup_path(&arena, text, "");
    machine_parse_cpu_max(text);
    machine_parse_loadavg(text, load);
    machine_round_memory_bytes(machine_parse_int(text, -1));
    machine_clean(&arena, text);
    cpu_times_parse(text);
    git_parse_status(&arena, text, &state);
    arena_free(&arena);
    return 0;
}
