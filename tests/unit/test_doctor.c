/* Findings, the verdict on noise, and tuning, without a clock and without root. */
#include "base/random.h"
#include "measure/doctor.h"
#include "measure/tune.h"
#include "os/file.h"
#include "os/setting.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static const char *data_folder(struct arena *arena)
{
    static const char own_name[] = "unit/test_doctor.c";
    return arena_printf(arena, "%.*sdata/machines", (int)(strlen(__FILE__) - strlen(own_name)),
                        __FILE__);
}

/* The finding of that name about a recorded machine, or NULL. */
static const struct doctor_finding *finding_of(struct arena *arena, const char *machine_name,
                                               const char *name)
{
    struct machine *machine = ARENA_NEW(arena, struct machine);
    const char *root = arena_printf(arena, "%s/%s", data_folder(arena), machine_name);
    machine_read(arena, (struct machine_source){root}, machine);
    const struct doctor_facts facts = {.machine = machine,
                                       .times_since_boot = cpu_times_read(root),
                                       .throttled_meanwhile = -1,
                                       .store_free_bytes = 1000};
    struct doctor_findings findings;
    doctor_examine(arena, &facts, &findings);
    for (ptrdiff_t i = 0; i < findings.count; i++) {
        if (strcmp(findings.items[i].name, name) == 0) {
            return &findings.items[i];
        }
    }
    return NULL;
}

/* Goal: each check sees what is in its tree, at the level documented, with advice unless it is
 * fine. */
static void test_levels(void **state)
{
    (void)state;
    static const struct {
        const char *machine;
        const char *name;
        enum doctor_level level;
    } rows[] = {
        {"synthetic-laptop", "governor", DOCTOR_WARN},
        {"synthetic-laptop", "turbo", DOCTOR_NOTE},
        {"synthetic-laptop", "power", DOCTOR_WARN},
        {"synthetic-laptop", "smt", DOCTOR_NOTE},
        {"synthetic-laptop", "aslr", DOCTOR_NOTE},
        {"synthetic-laptop", "load", DOCTOR_WARN},
        {"synthetic-laptop", "huge pages", DOCTOR_NOTE},
        {"synthetic-laptop", "swap", DOCTOR_NOTE},
        {"synthetic-laptop", "clock", DOCTOR_WARN},
        {"synthetic-laptop", "steal", DOCTOR_OK},
        {"synthetic-laptop", "virtualisation", DOCTOR_OK},
        {"synthetic-laptop", "disk", DOCTOR_WARN},
        {"synthetic-container", "cgroup cpu", DOCTOR_WARN},
        {"synthetic-container", "cgroup memory", DOCTOR_NOTE},
        {"synthetic-container", "steal", DOCTOR_WARN},
        {"synthetic-container", "container", DOCTOR_NOTE},
        {"synthetic-container", "clock", DOCTOR_WARN},
        {"synthetic-container", "load", DOCTOR_OK},
        {"synthetic-arm", "governor", DOCTOR_WARN},
        {"synthetic-arm", "clock", DOCTOR_OK},
        {"kvm-guest", "virtualisation", DOCTOR_NOTE},
        {"kvm-guest", "governor", DOCTOR_NOTE},
        {"kvm-guest", "aslr", DOCTOR_OK},
        {"kvm-guest", "cgroup cpu", DOCTOR_OK},
    };
    struct arena arena = {0};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const struct doctor_finding *finding = finding_of(&arena, rows[i].machine, rows[i].name);
        if (finding == NULL || finding->level != rows[i].level) {
            fail_msg("%s: %s", rows[i].machine, rows[i].name);
        }
        assert_true((finding->advice == NULL) == (rows[i].level == DOCTOR_OK));
    }
    arena_free(&arena);
}

/* Goal: what is not known is not said. Method: a machine that could not be read at all. */
static void test_unknown_machine(void **state)
{
    (void)state;
    struct arena arena = {0};
    assert_null(finding_of(&arena, "nonexistent", "turbo"));
    assert_null(finding_of(&arena, "nonexistent", "steal"));
    assert_null(finding_of(&arena, "nonexistent", "counters"));
    assert_int_equal(finding_of(&arena, "nonexistent", "cpus")->level, DOCTOR_NOTE);
    arena_free(&arena);
}

/* Slices of 1 ms × exp(σ N(0, 1)), the same σ for every kernel unless `memory_sigma` says
 * otherwise. */
static struct noise_result simulate(struct arena *arena, double sigma, double memory_sigma)
{
    enum { BLOCKS = 60, PER_BLOCK = 40 };
    struct random random = random_seeded(7);
    struct noise_samples samples = {.slice_count = BLOCKS * PER_BLOCK,
                                    .slices_per_block = PER_BLOCK};
    for (int kernel = 0; kernel < NOISE_KERNEL_COUNT; kernel++) {
        samples.slices_ns[kernel] = ARENA_ARRAY(arena, double, samples.slice_count);
        for (ptrdiff_t i = 0; i < samples.slice_count; i++) {
            double s = kernel == NOISE_MEMORY ? memory_sigma : sigma;
            samples.slices_ns[kernel][i] = 1e6 * exp(s * random_normal(&random));
        }
    }
    struct noise_result result = {0};
    noise_analyse(arena, &samples, &result);
    return result;
}

/* Goal: the verdict follows the noise, and its figures are those of the model put in. */
static void test_noise_verdict(void **state)
{
    (void)state;
    struct arena arena = {0};
    struct noise_result quiet = simulate(&arena, 0.002, 0.002);
    assert_int_equal(quiet.verdict, NOISE_FIT);
    assert_true(fabs(quiet.kernels[0].cv - 0.002) < 0.0002);
    assert_true(quiet.kernels[0].disturbed_ratio == 0);
    assert_true(fabs(quiet.kernels[0].drift_ratio - 1) < 0.001);

    /* Median of 20 log-ratios, each of deviation σ√2: about 1.25 σ √2 / √20 = 0.39 σ. */
    struct noise_result noisy = simulate(&arena, 0.002, 0.25);
    assert_true(fabs(noisy.kernels[NOISE_MEMORY].pair_deviation / (0.39 * 0.25) - 1) < 0.35);
    assert_int_equal(noisy.verdict, NOISE_NOISY);
    assert_int_equal(noisy.worst_kernel, NOISE_MEMORY);
    assert_true(noisy.effect > 0.01 && noisy.effect_seconds <= 60);
    assert_non_null(strstr(noisy.sentence, "memory walk"));

    struct noise_result hopeless = simulate(&arena, 5, 5);
    assert_int_equal(hopeless.verdict, NOISE_NOT_FIT);
    assert_true(hopeless.effect == 0);
    assert_non_null(strstr(hopeless.sentence, "not fit"));
    arena_free(&arena);
}

/* Goal: smaller effects never take less time; no noise at all takes the fewest launches. */
static void test_noise_seconds(void **state)
{
    (void)state;
    struct arena arena = {0};
    struct noise_result noisy = simulate(&arena, 0.2, 0.2);
    for (int i = 1; i < NOISE_EFFECT_COUNT; i++) {
        assert_true(noisy.kernels[0].seconds[i] <= noisy.kernels[0].seconds[i - 1]);
    }
    struct noise_result still = simulate(&arena, 0, 0);
    /* 8 launches × (40 slices of 1 ms + 1 ms to start both sides). */
    assert_true(fabs(still.kernels[0].seconds[0] - 0.328) < 1e-9);
    arena_free(&arena);
}

/* A copy of the laptop's tree that may be written. */
static const char *copy_tree(struct arena *arena)
{
    char *folder = arena_strdup(arena, "/tmp/tare-test-tune-XXXXXX");
    assert_non_null(mkdtemp(folder));
    const char *command =
        arena_printf(arena, "cp -r '%s/synthetic-laptop/.' '%s'", data_folder(arena), folder);
    assert_int_equal(system(command), 0);
    return folder;
}

static void remove_tree(struct arena *arena, const char *folder)
{
    assert_int_equal(system(arena_printf(arena, "rm -rf '%s'", folder)), 0);
}

/* Is the tree as it was recorded, byte for byte, but for the folder of the state file? */
static bool is_as_recorded(struct arena *arena, const char *folder)
{
    return system(arena_printf(arena, "diff -r -x var '%s/synthetic-laptop' '%s' > /dev/null",
                               data_folder(arena), folder)) == 0;
}

static const char *governor(struct arena *arena, const char *folder)
{
    return setting_read(
        arena,
        arena_printf(arena, "%s/sys/devices/system/cpu/cpufreq/policy1/scaling_governor", folder));
}

/* Goal: tune changes what it says, restore puts back every byte and takes its file away. */
static void test_tune_and_restore(void **state)
{
    (void)state;
    struct arena arena = {0};
    struct tare_error error = {0};
    struct tune_report report;
    const char *folder = copy_tree(&arena);
    const struct tune_options options = {.root = folder};
    assert_int_equal(tune_apply(&arena, &options, &report, &error), TARE_OK);
    assert_int_equal(tune_count(&report, TUNE_FAILED), 0);
    assert_int_equal(tune_count(&report, TUNE_CHANGED), 11);
    assert_string_equal(governor(&arena, folder), "performance");
    assert_false(is_as_recorded(&arena, folder));
    assert_true(file_exists(report.state_path));
    assert_int_equal(tune_restore(&arena, &options, &report, &error), TARE_OK);
    assert_true(is_as_recorded(&arena, folder));
    assert_false(file_exists(report.state_path));
    remove_tree(&arena, folder);
    arena_free(&arena);
}

/* Goal: a second tune does not take the tuned values for the originals. */
static void test_tune_twice(void **state)
{
    (void)state;
    struct arena arena = {0};
    struct tare_error error = {0};
    struct tune_report report;
    const char *folder = copy_tree(&arena);
    const struct tune_options options = {.root = folder};
    assert_int_equal(tune_apply(&arena, &options, &report, &error), TARE_OK);
    assert_int_equal(tune_apply(&arena, &options, &report, &error), TARE_OK);
    assert_true(report.had_state);
    assert_int_equal(tune_count(&report, TUNE_CHANGED), 0);
    assert_string_equal(report.settings[0].found, "balance_power\n");
    assert_int_equal(tune_restore(&arena, &options, &report, &error), TARE_OK);
    assert_true(is_as_recorded(&arena, folder));
    remove_tree(&arena, folder);
    arena_free(&arena);
}

/* Goal: killed after any number of settings, restore still gets back. Method: tune fully, put the
 * first n back by hand as if they had never been reached, restore. */
static void test_killed_halfway(void **state)
{
    (void)state;
    struct arena arena = {0};
    struct tare_error error = {0};
    const char *folder = copy_tree(&arena);
    const struct tune_options options = {.root = folder};
    for (ptrdiff_t reached = 0; reached <= 11; reached++) {
        struct tune_report report;
        assert_int_equal(tune_apply(&arena, &options, &report, &error), TARE_OK);
        for (ptrdiff_t i = reached; i < report.count; i++) {
            const char *path = arena_printf(&arena, "%s%s", folder, report.settings[i].path);
            assert_int_equal(setting_write(path, report.settings[i].found, &error), TARE_OK);
        }
        assert_int_equal(tune_restore(&arena, &options, &report, &error), TARE_OK);
        assert_int_equal(tune_count(&report, TUNE_CHANGED), reached);
        assert_true(is_as_recorded(&arena, folder));
    }
    remove_tree(&arena, folder);
    arena_free(&arena);
}

/* Goal: a setting changed by somebody else is put back all the same, and said. */
static void test_changed_meanwhile(void **state)
{
    (void)state;
    struct arena arena = {0};
    struct tare_error error = {0};
    struct tune_report report;
    const char *folder = copy_tree(&arena);
    const struct tune_options options = {.root = folder};
    assert_int_equal(tune_apply(&arena, &options, &report, &error), TARE_OK);
    const char *path = arena_printf(&arena, "%s/proc/sys/kernel/perf_event_paranoid", folder);
    assert_int_equal(setting_write(path, "2\n", &error), TARE_OK);
    assert_int_equal(tune_restore(&arena, &options, &report, &error), TARE_OK);
    ptrdiff_t meanwhile = 0;
    for (ptrdiff_t i = 0; i < report.count; i++) {
        meanwhile += report.settings[i].is_changed_meanwhile;
    }
    assert_int_equal(meanwhile, 1);
    assert_true(is_as_recorded(&arena, folder));
    remove_tree(&arena, folder);
    arena_free(&arena);
}

/* Goal: one setting that fails does not stop the others, is reported, and keeps the state file.
 * Method: a setting that vanished. */
static void test_partial_failure(void **state)
{
    (void)state;
    struct arena arena = {0};
    struct tare_error error = {0};
    struct tune_report report;
    const char *folder = copy_tree(&arena);
    const struct tune_options options = {.root = folder};
    assert_int_equal(tune_apply(&arena, &options, &report, &error), TARE_OK);
    const char *path =
        arena_printf(&arena, "%s/sys/devices/system/cpu/intel_pstate/no_turbo", folder);
    assert_int_equal(remove(path), 0);
    assert_int_equal(tune_restore(&arena, &options, &report, &error), TARE_OK);
    assert_int_equal(tune_count(&report, TUNE_FAILED), 1);
    assert_int_equal(tune_count(&report, TUNE_CHANGED), 10);
    assert_true(file_exists(report.state_path));
    assert_string_equal(governor(&arena, folder), "powersave\n");
    remove_tree(&arena, folder);
    arena_free(&arena);
}

/* Goal: a forged, broken or foreign state file changes nothing. */
static void test_bad_state(void **state)
{
    (void)state;
    static const char *const texts[] = {"",
                                        "{",
                                        "[]",
                                        "{\"kind\":\"tune-state\"}",
                                        "{\"kind\":\"run\",\"settings\":[]}",
                                        "{\"kind\":\"tune-state\",\"settings\":[{\"path\":\"/etc/"
                                        "passwd\",\"found\":\"x\",\"set\":\"1\"}]}",
                                        "{\"kind\":\"tune-state\",\"settings\":[{\"path\":\"/sys/"
                                        "devices/system/cpu/cpufreq/policy/../../x/"
                                        "scaling_governor\",\"found\":\"x\",\"set\":\"1\"}]}",
                                        "{\"kind\":\"tune-state\",\"settings\":[{\"path\":\"/proc/"
                                        "sys/kernel/nmi_watchdog\",\"found\":7,"
                                        "\"set\":\"1\"}]}"};
    struct arena arena = {0};
    const char *folder = copy_tree(&arena);
    const char *path = arena_printf(&arena, "%s/var/state.json", folder);
    struct tare_error error = {0};
    assert_int_equal(file_make_directories(arena_printf(&arena, "%s/var", folder), &error),
                     TARE_OK);
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        const struct tune_options options = {.root = folder, .state_path = path};
        struct tune_report report;
        struct tare_error problem = {0};
        assert_int_equal(file_write(path, texts[i], (ptrdiff_t)strlen(texts[i]), &error), TARE_OK);
        assert_int_equal(tune_restore(&arena, &options, &report, &problem), TARE_ERROR_IO);
        error_clear(&problem);
        assert_int_equal(tune_apply(&arena, &options, &report, &problem), TARE_ERROR_IO);
        assert_non_null(strstr(problem.message, path));
        assert_true(is_as_recorded(&arena, folder));
    }
    remove_tree(&arena, folder);
    arena_free(&arena);
}

/* Goal: a dry run lists and touches nothing; a machine without settings says so; restore without
 * tune. */
static void test_nothing_to_do(void **state)
{
    (void)state;
    struct arena arena = {0};
    struct tare_error error = {0};
    struct tune_report report;
    const char *folder = copy_tree(&arena);
    const struct tune_options dry = {.root = folder, .is_dry_run = true};
    assert_int_equal(tune_apply(&arena, &dry, &report, &error), TARE_OK);
    assert_int_equal(report.count, 11);
    assert_true(is_as_recorded(&arena, folder));
    assert_false(file_exists(report.state_path));
    const struct tune_options real = {.root = folder};
    assert_int_equal(tune_restore(&arena, &real, &report, &error), TARE_OK);
    assert_false(report.had_state);
    remove_tree(&arena, folder);
    const struct tune_options nowhere = {.root = "/nonexistent-tree"};
    assert_int_equal(tune_apply(&arena, &nowhere, &report, &error), TARE_ERROR_MEASURE);
    assert_non_null(strstr(error.message, "nothing to tune"));
    arena_free(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_levels),           cmocka_unit_test(test_unknown_machine),
        cmocka_unit_test(test_noise_verdict),    cmocka_unit_test(test_noise_seconds),
        cmocka_unit_test(test_tune_and_restore), cmocka_unit_test(test_tune_twice),
        cmocka_unit_test(test_killed_halfway),   cmocka_unit_test(test_changed_meanwhile),
        cmocka_unit_test(test_partial_failure),  cmocka_unit_test(test_bad_state),
        cmocka_unit_test(test_nothing_to_do),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
