/* Goal: a result file is a run in memory, with its machine and figures, without a store. Method:
 * recorded files. */
#include "cli/import_load.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static struct arena arena;
static struct tare_error error;
static struct model_run run;

static int tear_down(void **state)
{
    (void)state;
    arena_free(&arena);
    error = (struct tare_error){0};
    return 0;
}

static tare_status load(const char *name, const char *machine)
{
    size_t length = strlen(__FILE__) - strlen("unit/test_import_load.c");
    const struct import_request request = {
        .path = arena_printf(&arena, "%.*sdata/import/%s", (int)length, __FILE__, name),
        .machine = machine,
    };
    return import_load(&arena, &request, &run, &error);
}

static void test_run(void **state)
{
    (void)state;
    assert_int_equal(load("go/base.txt", NULL), TARE_OK);
    assert_int_equal(run.benchmark_count, 3);
    assert_int_equal(run.state, MODEL_RUN_COMPLETE);
    assert_int_equal(strlen(run.machine.id), 32);
    assert_string_equal(model_field_get(&run.machine.identity, "origin"), "imported");
    assert_string_equal(model_field_get(&run.environment, "format"), "go");
    const struct model_metric *time = model_metric_find(&run.benchmarks[0], "time");
    assert_int_equal(time->count, 6);
    assert_true(time->figures.is_known);
    assert_int_equal(time->figures.launches, 3);
}

static void test_machines(void **state)
{
    (void)state;
    char ids[3][33];
    static const char *const machines[] = {NULL, "ci", "here"};
    for (int i = 0; i < 3; i++) {
        assert_int_equal(load("hyperfine/base.json", machines[i]), TARE_OK);
        memcpy(ids[i], run.machine.id, sizeof ids[i]);
        assert_int_equal(run.warning_count, i == 0 ? 1 : 0);
    }
    assert_string_not_equal(ids[0], ids[1]);
    assert_string_not_equal(ids[1], ids[2]);
    assert_int_equal(load("hyperfine/slow.json", "ci"), TARE_OK);
    assert_string_equal(run.machine.id, ids[1]);
}

static void test_failed_stays_failed(void **state)
{
    (void)state;
    assert_int_equal(load("gbench/base.json", NULL), TARE_OK);
    bool is_found = false;
    for (ptrdiff_t i = 0; i < run.benchmark_count; i++) {
        is_found = is_found || (run.benchmarks[i].state == MODEL_STATE_FAILED &&
                                strcmp(run.benchmarks[i].reason, "no data") == 0);
    }
    assert_true(is_found);
}

static void test_refused(void **state)
{
    (void)state;
    assert_int_equal(load("github-history/synthetic.js", NULL), TARE_ERROR_USAGE);
    assert_non_null(strstr(error.message, "holds several runs"));
    error = (struct tare_error){0};
    assert_int_equal(load("none.json", NULL), TARE_ERROR_IO);
    error = (struct tare_error){0};
    assert_int_equal(load("README.md", NULL), TARE_ERROR_MEASURE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(test_run, tear_down),
        cmocka_unit_test_teardown(test_machines, tear_down),
        cmocka_unit_test_teardown(test_failed_stays_failed, tear_down),
        cmocka_unit_test_teardown(test_refused, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
