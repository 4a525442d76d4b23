/* Machine facts, read from recorded and made-up trees, and the parsers of /proc behind them. */
#include "measure/environment.h"
#include "os/cpu_times.h"
#include "os/file.h"
#include "os/machine.h"
#include "os/machine_parse.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* The source tree is where this file was compiled from; CMake names it by its full path. */
static const char *machine_root(struct arena *arena, const char *name)
{
    static const char own_name[] = "unit/test_machine.c";
    ptrdiff_t length = (ptrdiff_t)(strlen(__FILE__) - strlen(own_name));
    return arena_printf(arena, "%.*sdata/machines/%s", (int)length, __FILE__, name);
}

static struct machine read_named(struct arena *arena, const char *name)
{
    struct machine machine;
    const char *root = machine_root(arena, name);
    assert_true(file_is_directory(root));
    machine_read(arena, (struct machine_source){root}, &machine);
    return machine;
}

static const char *identity_of(struct arena *arena, const struct machine *machine, const char *key)
{
    struct model_machine model;
    measure_machine_fill(arena, machine, &model);
    const char *value = model_field_get(&model.identity, key);
    return value != NULL ? value : "";
}

/* Goal: a recorded guest is read right. Method: compare with what lscpu said there. */
static void test_recorded_guest(void **state)
{
    (void)state;
    struct arena arena = {0};
    struct machine machine = read_named(&arena, "kvm-guest");
    assert_string_equal(machine.cpu_model, "AMD EPYC");
    assert_string_equal(machine.cpu_signature, "family 25 model 1 stepping 1");
    assert_string_equal(machine.hypervisor, "kvm");
    assert_string_equal(machine.container, "");
    assert_string_equal(machine.governor, "");
    assert_int_equal(machine.cpus_online, 2);
    assert_int_equal(machine.cores, 2);
    assert_int_equal(machine.threads_per_core, 1);
    assert_int_equal(machine.smt, MACHINE_OFF);
    assert_int_equal(machine.turbo, MACHINE_UNKNOWN);
    assert_true(machine.cgroup_cpus == 0);
    assert_string_equal(identity_of(&arena, &machine, "memory"), "24.0 GiB");
    arena_free(&arena);
}

/* Goal: everything a laptop adds. Method: a tree made by hand. */
static void test_laptop(void **state)
{
    (void)state;
    struct arena arena = {0};
    struct machine machine = read_named(&arena, "synthetic-laptop");
    assert_string_equal(machine.governor, "powersave");
    assert_string_equal(machine.energy_preference, "balance_power");
    assert_string_equal(machine.hypervisor, "");
    assert_string_equal(machine.gpus, "Intel 0x5917");
    assert_string_equal(machine.mitigations, "mds=vulnerable meltdown=mitigated");
    assert_int_equal(machine.turbo, MACHINE_ON);
    assert_int_equal(machine.mains_power, MACHINE_OFF);
    assert_int_equal(machine.cores, 2);
    assert_int_equal(machine.threads_per_core, 2);
    assert_int_equal(machine.aslr, 0);
    assert_int_equal(machine.frequency_max_khz, 4200000);
    assert_true(isnan(machine.cgroup_cpus));
    arena_free(&arena);
}

/* Goal: limits set in a parent group count; an NVIDIA card is named once. Method: a pod's tree. */
static void test_container(void **state)
{
    (void)state;
    struct arena arena = {0};
    struct machine machine = read_named(&arena, "synthetic-container");
    assert_string_equal(machine.container, "kubernetes");
    assert_string_equal(machine.gpus, "NVIDIA A10G");
    assert_true(machine.cgroup_cpus == 1.5);
    assert_int_equal(machine.cgroup_memory_bytes, 1073741824);
    assert_int_equal(machine.cgroup_throttled, 17);
    assert_int_equal(machine.perf_event_paranoid, -1);
    arena_free(&arena);
}

/* Goal: ARM has no model name and still gets one; cgroup v1 limits above the group count. */
static void test_arm(void **state)
{
    (void)state;
    struct arena arena = {0};
    struct machine machine = read_named(&arena, "synthetic-arm");
    assert_string_equal(machine.cpu_model, "ARM Cortex-A53 + ARM Cortex-A73");
    assert_string_equal(machine.board, "Example Board Rev 1.1");
    assert_string_equal(machine.governor, "schedutil, performance");
    assert_true(machine.cgroup_cpus == 0.5);
    arena_free(&arena);
}

/* Goal: a folder with nothing in it gives unknowns, not a crash and not invented values. */
static void test_empty_tree(void **state)
{
    (void)state;
    struct arena arena = {0};
    struct machine machine;
    machine_read(&arena, (struct machine_source){"/nonexistent-tree"}, &machine);
    assert_string_equal(machine.cpu_model, "");
    assert_int_equal(machine.memory_bytes, -1);
    assert_int_equal(machine.cpus_online, -1);
    assert_true(isnan(machine.load[0]) && isnan(machine.cgroup_cpus));
    struct model_machine model;
    measure_machine_fill(&arena, &machine, &model);
    assert_int_equal(model.identity.count, 0);
    assert_int_equal(strlen(model.id), 32);
    arena_free(&arena);
}

/* Goal: this machine has an identity that does not change from one reading to the next. */
static void test_live_is_stable(void **state)
{
    (void)state;
    struct arena arena = {0};
    struct model_machine first;
    struct model_machine second;
    measure_machine_read(&arena, &first);
    measure_machine_read(&arena, &second);
    assert_true(first.identity.count > 0);
    assert_non_null(model_field_get(&first.identity, "architecture"));
    assert_non_null(model_field_get(&first.conditions, "kernel"));
    assert_string_equal(first.id, second.id);
    arena_free(&arena);
}

/* Goal: another kernel's reserve does not change the identity. Method: MemTotal a little smaller.
 */
static void test_memory_rounding(void **state)
{
    (void)state;
    static const struct {
        double reported_gib;
        double rounded_gib;
    } rows[] = {{15.4, 16}, {15.0, 16}, {23.54, 24}, {6.8, 7},     {3.7, 4},
                {31.2, 32}, {0.96, 1},  {94.3, 96},  {251.6, 256}, {1007, 1024}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        int64_t reported = (int64_t)(rows[i].reported_gib * 1073741824.0);
        assert_int_equal(machine_round_memory_bytes(reported),
                         (int64_t)(rows[i].rounded_gib * 1073741824.0));
    }
    assert_int_equal(machine_round_memory_bytes(-1), -1);
    assert_int_equal(machine_round_memory_bytes(0), -1);
    assert_true(machine_round_memory_bytes(INT64_MAX) > 0);
}

/* Goal: lists of CPUs are counted or refused. */
static void test_cpu_list(void **state)
{
    (void)state;
    bool is_member[8] = {false};
    assert_int_equal(machine_parse_cpu_list("0-2,5\n", is_member, 8), 4);
    assert_true(is_member[0] && is_member[2] && is_member[5] && !is_member[3]);
    static const char *const bad[] = {"",   "\n", "a", "3-1", "1,", "-2", "0-99999999999999999999",
                                      "1 2"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        assert_int_equal(machine_parse_cpu_list(bad[i], NULL, 0), -1);
    }
}

/* Goal: garbage in any file is unknown. Method: the parsers on texts that are cut or absurd. */
static void test_parsers_refuse(void **state)
{
    (void)state;
    struct arena arena = {0};
    double load[3];
    assert_false(machine_parse_loadavg("0.1 0.2", load));
    assert_false(machine_parse_loadavg("nan 0 0 1/1 1", load));
    assert_true(isnan(machine_parse_cpu_max("")));
    assert_true(isnan(machine_parse_cpu_max("100000")));
    assert_true(isnan(machine_parse_cpu_max("100000 0")));
    assert_true(machine_parse_cpu_max("max 100000\n") == 0);
    assert_int_equal(machine_parse_int("12x", -7), -7);
    assert_int_equal(machine_parse_int(NULL, -7), -7);
    assert_int_equal(machine_parse_int(" 12\n", -7), 12);
    assert_int_equal(machine_parse_meminfo_bytes("MemTotal:\n", "MemTotal"), -1);
    assert_int_equal(machine_parse_meminfo_bytes("MemTotal: 99999999999999999999 kB", "MemTotal"),
                     -1);
    assert_string_equal(machine_parse_selected(&arena, "always madvise"), "");
    assert_null(machine_parse_cgroup_path(&arena, "0:", ""));
    assert_null(machine_parse_cgroup_path(&arena, "1:cpu", "cpu"));
    assert_string_equal(machine_parse_cgroup_path(&arena, "3:cpu,cpuacct:/a/b\n0::/\n", "cpuacct"),
                        "/a/b");
    assert_string_equal(machine_clean(&arena, " a\t\x1b[31mb \n"), "a \\x1b[31mb");
    arena_free(&arena);
}

/* Goal: steal is a share of wanted time; broken or backward counters are unknown. */
static void test_steal(void **state)
{
    (void)state;
    struct cpu_times before = cpu_times_parse("cpu  100 0 100 1000 0 0 0 10 0 0\nctxt 7\n");
    struct cpu_times after = cpu_times_parse("cpu  150 0 120 1800 0 0 0 40 0 0\nctxt 9\n");
    assert_true(before.is_known);
    assert_int_equal(before.context_switches, 7);
    assert_true(fabs(cpu_times_steal_ratio(before, after) - 0.3) < 1e-12);
    assert_true(fabs(cpu_times_busy_ratio(before, after) - 100.0 / 900) < 1e-12);
    assert_true(isnan(cpu_times_steal_ratio(after, before)));
    assert_true(isnan(cpu_times_steal_ratio(before, before)));
    struct cpu_times idle = before;
    idle.total_ticks += 50;
    idle.idle_ticks += 50;
    assert_true(cpu_times_steal_ratio(before, idle) == 0);
    static const char *const bad[] = {"", "cpu", "cpu  1 2 3", "cpu0 1 2 3 4 5 6 7 8",
                                      "cpu  a b c"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        assert_false(cpu_times_parse(bad[i]).is_known);
    }
}

/* Goal: variables are kept by allowlist. Method: set one that may be kept and one that must not. */
static void test_environment_allowlist(void **state)
{
    (void)state;
    struct arena arena = {0};
    struct model_fields fields;
    setenv("OMP_NUM_THREADS", "3", 1);
    setenv("SECRET_TOKEN", "hunter2", 1);
    setenv("MALLOC_ARENA_MAX", "\x1b]0;x", 1);
    measure_environment_read(&arena, &fields);
    assert_string_equal(model_field_get(&fields, "OMP_NUM_THREADS"), "3");
    assert_string_equal(model_field_get(&fields, "MALLOC_ARENA_MAX"), "\\x1b]0;x");
    assert_null(model_field_get(&fields, "SECRET_TOKEN"));
    for (ptrdiff_t i = 0; i < fields.count; i++) {
        assert_null(strstr(fields.items[i].value, "hunter2"));
    }
    assert_non_null(model_field_get(&fields, "cpu_affinity"));
    assert_non_null(model_field_get(&fields, "directory"));
    arena_free(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_recorded_guest),
        cmocka_unit_test(test_laptop),
        cmocka_unit_test(test_container),
        cmocka_unit_test(test_arm),
        cmocka_unit_test(test_empty_tree),
        cmocka_unit_test(test_live_is_stable),
        cmocka_unit_test(test_memory_rounding),
        cmocka_unit_test(test_cpu_list),
        cmocka_unit_test(test_parsers_refuse),
        cmocka_unit_test(test_steal),
        cmocka_unit_test(test_environment_allowlist),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
