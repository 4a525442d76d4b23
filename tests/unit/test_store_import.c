/* Goal: several steps are one transaction, a benchmark comes out as it went in, and facts that come
 * late are kept. Method: a store in a temporary folder. */
#include "codec/import.h"
#include "store/import.h"

#include "store_fixture.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static struct arena arena;
static struct tare_error error;
static struct store *store;
static char *folder;
static struct model_run run;

static int set_up(void **state)
{
    (void)state;
    error = (struct tare_error){0};
    folder = fixture_folder(&arena);
    run = fixture_run(&arena, 1);
    return store_open(&arena, arena_printf(&arena, "%s/store.db", folder), STORE_WRITE, &store,
                      &error);
}

static int tear_down(void **state)
{
    (void)state;
    store_close(store);
    fixture_remove(folder);
    arena_free(&arena);
    return 0;
}

/* A benchmark with `count` samples of one launch, the first being `first`. */
static struct model_benchmark make_benchmark(const char *parameter, double first, int count)
{
    struct model_benchmark benchmark = {.suite = "s", .name = "b", .variant = "", .iterations = 1};
    model_parameter_add(&arena, &benchmark, "n", parameter);
    model_launch_add(&arena, &benchmark, (struct model_launch){.steal_ratio = NAN});
    struct model_metric *metric =
        model_metric_get(&arena, &benchmark, "time", "ns", MODEL_LOWER_IS_BETTER, false);
    for (int i = 0; i < count; i++) {
        model_metric_add(&arena, metric, first + i, 0);
    }
    model_benchmark_warn(&arena, &benchmark, "a warning");
    return benchmark;
}

static ptrdiff_t count_runs(void)
{
    struct store_run_rows rows;
    assert_int_equal(store_runs_list(store, &arena, &(struct store_filter){0}, &rows, &error),
                     TARE_OK);
    return rows.count;
}

static void test_all_or_nothing(void **state)
{
    (void)state;
    struct model_benchmark benchmark = make_benchmark("1", 10, 2);
    assert_int_equal(store_batch_begin(store, &error), TARE_OK);
    assert_int_equal(store_run_begin(store, &run, &error), TARE_OK);
    assert_int_equal(store_benchmark_save(store, run.id, &benchmark, &error), TARE_OK);
    tare_status status = error_set(&error, TARE_ERROR_MEASURE, "the file was cut off");
    assert_int_equal(store_batch_end(store, status, &error), TARE_ERROR_MEASURE);
    assert_string_equal(error.message, "the file was cut off");
    error = (struct tare_error){0};
    assert_int_equal(count_runs(), 0);
    /* The store goes on as if nothing had been. */
    assert_int_equal(store_run_begin(store, &run, &error), TARE_OK);
    assert_int_equal(store_benchmark_save(store, run.id, &benchmark, &error), TARE_OK);
    assert_int_equal(count_runs(), 1);
}

static void test_pieces_add_up(void **state)
{
    (void)state;
    struct model_benchmark first = make_benchmark("1", 10, 2);
    struct model_benchmark other = make_benchmark("2", 50, 1);
    struct model_benchmark second = make_benchmark("1", 20, 3);
    struct model_benchmark taken;
    bool is_found = false;
    assert_int_equal(store_batch_begin(store, &error), TARE_OK);
    assert_int_equal(store_run_begin(store, &run, &error), TARE_OK);
    assert_int_equal(store_benchmark_take(store, &arena, run.id, &first, &taken, &is_found, &error),
                     TARE_OK);
    assert_false(is_found);
    assert_int_equal(store_benchmark_save(store, run.id, &first, &error), TARE_OK);
    assert_int_equal(store_benchmark_save(store, run.id, &other, &error), TARE_OK);
    assert_int_equal(
        store_benchmark_take(store, &arena, run.id, &second, &taken, &is_found, &error), TARE_OK);
    assert_true(is_found);
    assert_int_equal(import_merge(&arena, &taken, &second, &error), TARE_OK);
    assert_int_equal(store_benchmark_save(store, run.id, &taken, &error), TARE_OK);
    run.state = MODEL_RUN_COMPLETE;
    assert_int_equal(store_run_finish(store, &run, &error), TARE_OK);
    assert_int_equal(store_batch_end(store, TARE_OK, &error), TARE_OK);
    struct model_run loaded;
    assert_int_equal(store_run_load(store, &arena, run.id, true, &loaded, &error), TARE_OK);
    assert_int_equal(loaded.benchmark_count, 2);
    const struct model_benchmark *joined = &loaded.benchmarks[1];
    assert_string_equal(joined->parameters[0].value, "1");
    assert_int_equal(joined->metrics[0].count, 5);
    assert_true(joined->metrics[0].values[1] == 11 && joined->metrics[0].values[2] == 20);
    assert_int_equal(joined->launch_count, 1);
    assert_int_equal(joined->warning_count, 2);
    assert_int_equal(loaded.benchmarks[0].metrics[0].count, 1);
}

static void test_merge_refuses_other_units(void **state)
{
    (void)state;
    struct model_benchmark first = make_benchmark("1", 10, 2);
    struct model_benchmark second = make_benchmark("1", 20, 3);
    second.metrics[0].unit = "B";
    assert_int_equal(import_merge(&arena, &first, &second, &error), TARE_ERROR_MEASURE);
    /* A single value may not come twice. */
    error = (struct tare_error){0};
    struct model_benchmark point = make_benchmark("1", 10, 1);
    struct model_benchmark again = make_benchmark("1", 10, 1);
    point.launch_count = again.launch_count = 0;
    assert_int_equal(import_merge(&arena, &point, &again, &error), TARE_ERROR_MEASURE);
}

static void test_late_facts(void **state)
{
    (void)state;
    struct model_benchmark benchmark = make_benchmark("1", 10, 2);
    assert_int_equal(store_run_begin(store, &run, &error), TARE_OK);
    assert_int_equal(store_benchmark_save(store, run.id, &benchmark, &error), TARE_OK);
    struct model_machine machine = {0};
    fixture_machine(&arena, &machine, "Another CPU");
    run.machine = machine;
    run.started_unix_ns = 5;
    run.commit.hash = "abc";
    run.state = MODEL_RUN_COMPLETE;
    assert_int_equal(store_run_describe(store, &run, &error), TARE_OK);
    assert_int_equal(store_run_finish(store, &run, &error), TARE_OK);
    struct model_run loaded;
    assert_int_equal(store_run_load(store, &arena, run.id, true, &loaded, &error), TARE_OK);
    assert_string_equal(loaded.machine.id, machine.id);
    assert_string_equal(model_field_get(&loaded.machine.identity, "cpu"), "Another CPU");
    assert_int_equal(loaded.started_unix_ns, 5);
    assert_string_equal(loaded.commit.hash, "abc");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_all_or_nothing, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_pieces_add_up, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_merge_refuses_other_units, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_late_facts, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
