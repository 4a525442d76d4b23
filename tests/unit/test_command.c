/* test_command.c: one run of a command: what is around it happens in order, every way to fail has
 * its message, output is kept, checked and read. Commands are small shell lines in a folder of
 * their own. */
#include "measure/command.h"
#include "os/file.h"
#include "os/interrupt.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

static struct arena arena;
static struct tare_error error;
static struct measure_command_result result;
static char folder[] = "/tmp/tare-test-command-XXXXXX";

static const struct measure_variation plain = {.cpu = -1};

/* Opens, runs once (watched), closes; the first failure's status. */
static tare_status run(struct measure_command command)
{
    error_clear(&error);
    command.directory = folder;
    tare_status status = measure_command_open(&arena, &command, &error);
    if (status == TARE_OK) {
        status = measure_command_run_once(&arena, &command, &plain, true, &result, &error);
    }
    tare_status closed = measure_command_close(&command, &error);
    return status != TARE_OK ? status : closed;
}

static tare_status run_line(const char *line)
{
    return run((struct measure_command){.shell_line = line});
}

static const char *in_folder(const char *name)
{
    return arena_printf(&arena, "%s/%s", folder, name);
}

static void assert_said(const char *words)
{
    if (strstr(error.message, words) == NULL) {
        fail_msg("'%s' does not say '%s'", error.message, words);
    }
}

static void figures_are_filled_in(void **state)
{
    (void)state;
    const char *const argv[] = {"sh", "-c", "i=0; while [ $i -lt 30000 ]; do i=$((i+1)); done",
                                NULL};
    assert_int_equal(run((struct measure_command){.argv = argv}), TARE_OK);
    assert_true(result.usage.wall_ns > 0);
    assert_true(result.cpu_ns > 0);
    assert_true(result.cpu_ns == result.usage.user_ns + result.usage.system_ns);
    for (ptrdiff_t i = 0; i < measure_command_metric_count; i++) {
        assert_true(isfinite(measure_command_value(&result, i)));
    }
    assert_true(measure_command_value(&result, 3) == result.usage.peak_memory_bytes);
}

/* Goal: setup, prepare, run, conclude, cleanup, in this order. Method: each appends its letter. */
static void order_of_things(void **state)
{
    (void)state;
    struct measure_command command = {.shell_line = "printf r >>log",
                                      .setup = "printf s >>log",
                                      .prepare = "printf p >>log",
                                      .conclude = "printf c >>log",
                                      .cleanup = "printf x >>log",
                                      .directory = folder};
    error_clear(&error);
    assert_int_equal(measure_command_open(&arena, &command, &error), TARE_OK);
    for (int i = 0; i < 2; i++) {
        assert_int_equal(
            measure_command_run_once(&arena, &command, &plain, i == 0, &result, &error), TARE_OK);
    }
    assert_int_equal(measure_command_close(&command, &error), TARE_OK);
    assert_int_equal(measure_command_close(&command, &error), TARE_OK);
    assert_string_equal(file_read_line(&arena, in_folder("log")), "sprcprcx");
}

/* Goal: a failing helper is named with its last words; conclude runs after a failed run too. */
static void failing_helpers_are_named(void **state)
{
    (void)state;
    struct measure_command command = {.shell_line = ":", .prepare = "echo why >&2; exit 3"};
    assert_int_equal(run(command), TARE_ERROR_MEASURE);
    assert_said("--prepare 'echo why >&2; exit 3' exited with status 3: why");
    assert_int_equal(run((struct measure_command){.shell_line = ":", .setup = "exit 1"}),
                     TARE_ERROR_MEASURE);
    assert_said("--setup 'exit 1'");
    assert_int_equal(run((struct measure_command){.shell_line = ":", .conclude = "exit 1"}),
                     TARE_ERROR_MEASURE);
    assert_said("--conclude 'exit 1'");
    assert_int_equal(run((struct measure_command){.shell_line = ":", .cleanup = "exit 1"}),
                     TARE_ERROR_MEASURE);
    assert_said("--cleanup 'exit 1'");
    command = (struct measure_command){.shell_line = "exit 5", .conclude = "touch concluded"};
    assert_int_equal(run(command), TARE_ERROR_MEASURE);
    assert_said("'exit 5' exited with status 5");
    assert_true(file_exists(in_folder("concluded")));
}

static void exit_codes(void **state)
{
    (void)state;
    assert_int_equal(run_line("echo the reason >&2; exit 3"), TARE_ERROR_MEASURE);
    assert_said("exited with status 3");
    assert_said("it said: the reason");
    struct measure_command command = {
        .shell_line = "exit 3", .expected_exit_codes = {1, 3}, .expected_exit_code_count = 2};
    assert_int_equal(run(command), TARE_OK);
    command.shell_line = "exit 0";
    assert_int_equal(run(command), TARE_ERROR_MEASURE);
    command.shell_line = "kill -SEGV $$";
    assert_int_equal(run(command), TARE_ERROR_MEASURE);
    assert_said("killed by signal 11");
    command.ignores_failure = true;
    assert_int_equal(run(command), TARE_OK);
    assert_int_equal(result.usage.status & 0x7f, 11);
}

/* Goal: a program that hangs is ended by the time-out, even when failures are ignored. */
static void timeouts(void **state)
{
    (void)state;
    struct measure_command command = {
        .shell_line = "sleep 1000", .timeout_ns = 30e6, .ignores_failure = true};
    assert_int_equal(run(command), TARE_ERROR_MEASURE);
    assert_said("did not end within 0.03 s");
}

static void interrupts(void **state)
{
    (void)state;
    struct measure_command command = {.shell_line = "sleep 1000", .directory = folder};
    error_clear(&error);
    assert_int_equal(measure_command_open(&arena, &command, &error), TARE_OK);
    interrupt_set(true);
    for (int i = 0; i < 2; i++) {
        error_clear(&error);
        assert_int_equal(
            measure_command_run_once(&arena, &command, &plain, i == 0, &result, &error),
            TARE_INTERRUPTED);
    }
    interrupt_set(false);
}

/* Goal: programs that cannot start are explained; --prepare may still make them. */
static void programs_that_do_not_start(void **state)
{
    (void)state;
    const char *const missing[] = {"no-such-program-anywhere", NULL};
    assert_int_equal(run((struct measure_command){.argv = missing}), TARE_ERROR_MEASURE);
    assert_said("cannot run 'no-such-program-anywhere': not found in PATH");
    const char *const made[] = {"./made", NULL};
    struct measure_command command = {
        .argv = made, .prepare = "printf '#!/bin/sh\\nexit 0\\n' >made; chmod +x made"};
    assert_int_equal(run(command), TARE_OK);
}

static void input_is_fed(void **state)
{
    (void)state;
    assert_int_equal(file_write(in_folder("input"), "one\ntwo\n", 8, &error), TARE_OK);
    struct measure_command command = {.shell_line = "test \"$(tail -n1)\" = two",
                                      .input_path = in_folder("input")};
    assert_int_equal(run(command), TARE_OK);
    command.input_path = NULL;
    assert_int_equal(run(command), TARE_ERROR_MEASURE);
    command.input_path = in_folder("no-input");
    assert_int_equal(run(command), TARE_ERROR_IO);
    assert_said("no-input: No such file");
    command.input_path = folder;
    assert_int_equal(run(command), TARE_ERROR_IO);
    assert_said("is a directory");
}

static void output_is_kept(void **state)
{
    (void)state;
    struct measure_command command = {
        .shell_line = "echo kept", .output = MEASURE_OUTPUT_FILE, .output_path = in_folder("kept")};
    assert_int_equal(run(command), TARE_OK);
    assert_int_equal(run(command), TARE_OK);
    assert_string_equal(file_read_line(&arena, in_folder("kept")), "kept");
    command.output_path = "/no/such/folder/x";
    assert_int_equal(run(command), TARE_ERROR_IO);
    assert_said("/no/such/folder/x");
}

/* Goal: --expect-output is exact, and a difference is shown with its place. */
static void output_is_checked(void **state)
{
    (void)state;
    assert_int_equal(file_write(in_folder("expected"), "a\nbb\nc\n", 7, &error), TARE_OK);
    struct measure_command command = {.shell_line = "printf 'a\\nbb\\nc\\n'",
                                      .output = MEASURE_OUTPUT_CHECK,
                                      .expected_path = in_folder("expected")};
    assert_int_equal(run(command), TARE_OK);
    command.shell_line = "printf 'a\\nbx\\nc\\n'";
    assert_int_equal(run(command), TARE_ERROR_MEASURE);
    assert_said("first at line 2 (byte 4): 'bx' instead of 'bb'");
    command.shell_line = "printf 'a\\nbb\\n'";
    assert_int_equal(run(command), TARE_ERROR_MEASURE);
    assert_said("first at line 3 (byte 6): '(end)' instead of 'c'");
    command.shell_line = "printf 'a\\nbb\\nc\\nd'";
    assert_int_equal(run(command), TARE_ERROR_MEASURE);
    assert_said("line 4 (byte 8): 'd' instead of '(end)'");
    command.expected_path = in_folder("no-expected");
    assert_int_equal(run(command), TARE_ERROR_IO);
}

static void metrics_are_read(void **state)
{
    (void)state;
    struct metric_pattern patterns[2];
    error_clear(&error);
    assert_int_equal(
        metric_pattern_parse(&arena, "speed[1/s]:higher=re:([0-9]+) per s", &patterns[0], &error),
        TARE_OK);
    assert_int_equal(metric_pattern_parse(&arena, "loss:lower=json:/loss", &patterns[1], &error),
                     TARE_OK);
    struct measure_command command = {.shell_line = "echo 12 per s; echo '{\"loss\":0.5}'",
                                      .patterns = patterns,
                                      .pattern_count = 2,
                                      .output = MEASURE_OUTPUT_FILE,
                                      .output_path = in_folder("metrics")};
    assert_int_equal(run(command), TARE_OK);
    assert_true(result.metrics[0] == 12 && result.metrics[1] == 0.5);
    assert_non_null(strstr(file_read_line(&arena, in_folder("metrics")), "12 per s"));
    command.shell_line = "echo 12 per s";
    assert_int_equal(run(command), TARE_ERROR_MEASURE);
    assert_said("metric 'loss'");
    command.output = MEASURE_OUTPUT_INHERIT;
    assert_int_equal(run(command), TARE_ERROR_USAGE);
    command.output = MEASURE_OUTPUT_DISCARD;
    patterns[1] = patterns[0];
    assert_int_equal(run(command), TARE_ERROR_USAGE);
    assert_said("'speed' is given twice");
}

/* Goal: a flood ends in an error, not in lost memory or a hang; output from a grandchild that keeps
 * the pipe is not waited for. */
static void floods_and_kept_pipes(void **state)
{
    (void)state;
    struct metric_pattern pattern;
    error_clear(&error);
    assert_int_equal(metric_pattern_parse(&arena, "n:lower=re:n=(.)", &pattern, &error), TARE_OK);
    struct measure_command command = {
        .shell_line = "exec yes", .patterns = &pattern, .pattern_count = 1};
    assert_int_equal(run(command), TARE_ERROR_MEASURE);
    assert_said("prints more than 67108864 bytes");
    command.shell_line = "sleep 1000 & setsid sleep 1000 & echo n=7";
    assert_int_equal(run(command), TARE_OK);
    assert_true(result.metrics[0] == 7);
    assert_int_equal(run_line("yes | head -c 3000000 >&2; exit 1"), TARE_ERROR_MEASURE);
    assert_said("it said: y | y");
}

/* Goal: padding and ASLR reach the child. Method: it compares them itself. */
static void variation_reaches_the_child(void **state)
{
    (void)state;
    struct measure_command command = {
        .shell_line = "test ${#TARE_PADDING} = 1234 && grep -q 00040000 /proc/self/personality"};
    struct measure_variation variation = {
        .environment_padding_bytes = 1234, .is_aslr_off = true, .cpu = 0};
    error_clear(&error);
    assert_int_equal(measure_command_open(&arena, &command, &error), TARE_OK);
    assert_int_equal(measure_command_run_once(&arena, &command, &variation, false, &result, &error),
                     TARE_OK);
    assert_int_equal(measure_command_run_once(&arena, &command, &plain, false, &result, &error),
                     TARE_ERROR_MEASURE);
}

/* Goal: as a target, a launch is one run with every metric. */
static void target(void **state)
{
    (void)state;
    struct metric_pattern pattern;
    error_clear(&error);
    assert_int_equal(metric_pattern_parse(&arena, "n[x]:higher:exact=re:n=(.)", &pattern, &error),
                     TARE_OK);
    struct measure_command command = {
        .shell_line = "echo n=7; exit 4",
        .patterns = &pattern,
        .pattern_count = 1,
        .expected_exit_codes = {4},
        .expected_exit_code_count = 1,
    };
    assert_int_equal(measure_command_open(&arena, &command, &error), TARE_OK);
    struct measure_command_target context = {.command = &command};
    struct measure_target measured = measure_target_command(&arena, &context);
    assert_true(measured.is_command && !measured.can_count_allocations);
    struct model_benchmark benchmark = {0};
    struct protocol_slice slice;
    int exit_status = -1;
    assert_int_equal(
        measured.begin(measured.context, &arena, MODEL_LAUNCH_TIMED, &plain, &benchmark, &error),
        TARE_OK);
    assert_int_equal(
        measured.slice(measured.context, &arena, 1, PROTOCOL_COUNT_NONE, &slice, &error), TARE_OK);
    assert_int_equal(measured.end(measured.context, &exit_status, &error), TARE_OK);
    assert_int_equal(exit_status >> 8, 4);
    assert_true(slice.time_ns > 0);
    assert_int_equal(slice.value_count, measured.metric_count);
    ptrdiff_t last = measured.metric_count - 1;
    assert_string_equal(slice.values[last].name, "n");
    assert_true(slice.values[last].value == 7);
    assert_string_equal(measured.metrics[last].unit, "x");
    assert_true(measured.metrics[last].is_exact);
    assert_string_equal(slice.values[3].name, "memory");
}

static int set_up(void **state)
{
    (void)state;
    return mkdtemp(folder) != NULL ? 0 : -1;
}

static int tear_down(void **state)
{
    (void)state;
    int removed = system(arena_printf(&arena, "rm -rf '%s'", folder));
    arena_free(&arena);
    return removed;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(figures_are_filled_in),
        cmocka_unit_test(order_of_things),
        cmocka_unit_test(failing_helpers_are_named),
        cmocka_unit_test(exit_codes),
        cmocka_unit_test(timeouts),
        cmocka_unit_test(interrupts),
        cmocka_unit_test(programs_that_do_not_start),
        cmocka_unit_test(input_is_fed),
        cmocka_unit_test(output_is_kept),
        cmocka_unit_test(output_is_checked),
        cmocka_unit_test(metrics_are_read),
        cmocka_unit_test(floods_and_kept_pipes),
        cmocka_unit_test(variation_reaches_the_child),
        cmocka_unit_test(target),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
