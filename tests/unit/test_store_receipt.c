/* A receipt comes into the store whole or not at all, and what a baseline pointed at is told. */
#include "codec/receipt_read.h"
#include "codec/receipt_write.h"
#include "store/baseline_import.h"
#include "store_fixture.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

struct context {
    struct arena arena;
    char *folder;
    struct store *store;
    struct tare_error error;
};

static int setup(void **state)
{
    struct context *context = calloc(1, sizeof *context);
    context->folder = fixture_folder(&context->arena);
    *state = context;
    const char *path = arena_printf(&context->arena, "%s/store.db", context->folder);
    return store_open(&context->arena, path, STORE_WRITE, &context->store, &context->error);
}

static int teardown(void **state)
{
    struct context *context = *state;
    store_close(context->store);
    fixture_remove(context->folder);
    arena_free(&context->arena);
    free(context);
    return 0;
}

/* Run number `number` as a receipt, hashes made. */
static struct receipt receipt_of(struct arena *arena, int number)
{
    struct receipt receipt = {.baseline = "main", .run = fixture_run(arena, number)};
    receipt.run.state = MODEL_RUN_COMPLETE;
    receipt.run.finished_unix_ns = receipt.run.started_unix_ns + 1;
    fixture_benchmark(arena, &receipt.run, 0, 3, 2);
    fixture_benchmark(arena, &receipt.run, 1, 3, 2);
    model_run_warn(arena, &receipt.run, "a warning");
    receipt.history = ARENA_ARRAY(arena, struct receipt_promotion, 1);
    receipt.history[receipt.history_count++] =
        (struct receipt_promotion){"save", receipt.run.id, "", 7, "a@b", "because"};
    struct buffer text = buffer_new(arena, RECEIPT_BYTES_MAX);
    struct tare_error error = {0};
    assert_int_equal(receipt_write(&receipt, &text, &error), TARE_OK);
    return receipt;
}

static tare_status import_as(struct context *context, const struct receipt *receipt,
                             const char *name, struct store_import_result *result)
{
    const struct store_import import = {.receipt = receipt,
                                        .name = name,
                                        .at_unix_ns = 1000,
                                        .by = "me@here",
                                        .reason = STORE_IMPORT_REASON "x.json"};
    error_clear(&context->error);
    return store_baseline_import(context->store, &import, result, &context->error);
}

static ptrdiff_t run_count(struct context *context)
{
    struct store_run_rows rows;
    assert_int_equal(store_runs_list(context->store, &context->arena, &(struct store_filter){0},
                                     &rows, &context->error),
                     TARE_OK);
    return rows.count;
}

static void test_new_then_same_then_moved(void **state)
{
    struct context *context = *state;
    struct store_import_result result;
    struct receipt first = receipt_of(&context->arena, 1);
    struct receipt second = receipt_of(&context->arena, 2);
    assert_int_equal(import_as(context, &first, "main", &result), TARE_OK);
    assert_true(result.is_run_new && result.is_baseline_changed);
    assert_int_equal(result.history_count, 1);
    assert_string_equal(result.previous_run_id, "");

    struct model_run stored;
    assert_int_equal(store_run_load(context->store, &context->arena, first.run.id, true, &stored,
                                    &context->error),
                     TARE_OK);
    assert_true(fixture_same_run(&first.run, &stored));

    assert_int_equal(import_as(context, &first, "main", &result), TARE_OK);
    assert_false(result.is_run_new || result.is_baseline_changed);

    assert_int_equal(import_as(context, &second, "main", &result), TARE_OK);
    assert_true(result.is_run_new && result.is_baseline_changed);
    assert_string_equal(result.previous_run_id, first.run.id);
    assert_int_equal(result.previous_started_unix_ns, first.run.started_unix_ns);
}

static void test_unfinished_run(void **state)
{
    struct context *context = *state;
    struct store_import_result result;
    struct receipt receipt = receipt_of(&context->arena, 1);
    receipt.run.state = MODEL_RUN_RUNNING;
    receipt.run.finished_unix_ns = 0;
    receipt.run.warning_count = 0;
    assert_int_equal(import_as(context, &receipt, "main", &result), TARE_OK);
    struct model_run stored;
    assert_int_equal(
        store_run_load(context->store, &context->arena, "main", true, &stored, &context->error),
        TARE_OK);
    assert_true(fixture_same_run(&receipt.run, &stored));
}

static void test_other_content(void **state)
{
    struct context *context = *state;
    struct store_import_result result;
    struct receipt receipt = receipt_of(&context->arena, 1);
    assert_int_equal(import_as(context, &receipt, "main", &result), TARE_OK);
    receipt.run_sha256[0] = receipt.run_sha256[0] == '0' ? '1' : '0';
    assert_int_equal(import_as(context, &receipt, "main", &result), TARE_ERROR_MEASURE);
    assert_non_null(strstr(context->error.message, "with other content"));
}

/* Two benchmarks alike, the second is refused: the first and the run must be gone as well. The same
 * for a bad name and for a run without benchmarks, which are found last. */
static void test_all_or_nothing(void **state)
{
    struct context *context = *state;
    struct store_import_result result;
    struct receipt twice = receipt_of(&context->arena, 1);
    twice.run.benchmarks[1].name = twice.run.benchmarks[0].name;
    assert_int_equal(import_as(context, &twice, "main", &result), TARE_ERROR_MEASURE);
    assert_int_equal(run_count(context), 0);
    struct receipt receipt = receipt_of(&context->arena, 1);
    assert_int_equal(import_as(context, &receipt, "latest", &result), TARE_ERROR_USAGE);
    assert_int_equal(run_count(context), 0);
    receipt.run.benchmark_count = 0;
    assert_int_equal(import_as(context, &receipt, "main", &result), TARE_ERROR_USAGE);
    assert_int_equal(run_count(context), 0);
    struct store_promotions history;
    assert_int_equal(store_baseline_history(context->store, &context->arena, "main", NULL, &history,
                                            &context->error),
                     TARE_OK);
    assert_int_equal(history.count, 0);
    /* And the store goes on. */
    receipt.run.benchmark_count = 2;
    assert_int_equal(import_as(context, &receipt, "main", &result), TARE_OK);
    assert_int_equal(run_count(context), 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_new_then_same_then_moved, setup, teardown),
        cmocka_unit_test_setup_teardown(test_unfinished_run, setup, teardown),
        cmocka_unit_test_setup_teardown(test_other_content, setup, teardown),
        cmocka_unit_test_setup_teardown(test_all_or_nothing, setup, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
