/* The n-th write fails: the error is reported, everything acknowledged before it is there, and the
 * store is whole. */
#include "fault.h"

#include <setjmp.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

/* Runs sessions with the 1st, 2nd, 3rd … change of a file failing, until one goes through. */
static long fail_everywhere(struct fault_plan plan, const char *message_part)
{
    for (long nth = 1;; nth++) {
        struct arena arena = {0};
        struct tare_error error = {0};
        char *folder = fixture_folder(&arena);
        char *path = arena_printf(&arena, "%s/store.db", folder);
        int saved = 0;
        fault_plan = plan;
        fault_plan.countdown = nth;
        tare_status status = fault_session(&arena, path, 0, -1, &saved, &error);
        bool has_fired = fault_plan.has_fired;
        fault_plan = (struct fault_plan){0};
        if (status != TARE_OK &&
            (status != TARE_ERROR_IO || strstr(error.message, message_part) == NULL)) {
            print_error("call %ld: status %d: %s\n", nth, (int)status, error.message);
            fail();
        }
        assert_true(status != TARE_OK || saved == FAULT_BENCHMARKS);
        assert_true(fault_store_is_sound(path, 0, saved));
        fixture_remove(folder);
        arena_free(&arena);
        if (!has_fired) {
            return nth - 1;
        }
    }
}

/* Goal: a disk that is full for good. */
static void disk_stays_full(void **state)
{
    (void)state;
    const struct fault_plan plan = {
        .kind = FAULT_ERROR, .error_number = ENOSPC, .is_lasting = true};
    assert_true(fail_everywhere(plan, "store.db") > 20);
}

/* Goal: one write that fails and then the disk works again: reported or repeated, never silently
 * lost. */
static void one_write_fails(void **state)
{
    (void)state;
    const struct fault_plan plan = {.kind = FAULT_ERROR, .error_number = EIO};
    assert_true(fail_everywhere(plan, "store.db") > 20);
}

/* Goal: a full disk is called that. Method: the store is there, then the disk fills up before the
 * second benchmark. */
static void full_disk_is_named(void **state)
{
    (void)state;
    struct arena arena = {0};
    struct tare_error error = {0};
    struct store *store = NULL;
    char *folder = fixture_folder(&arena);
    char *path = arena_printf(&arena, "%s/store.db", folder);
    struct model_run run = fault_run(&arena, 0);
    assert_int_equal(store_open(&arena, path, STORE_WRITE, &store, &error), TARE_OK);
    assert_int_equal(store_run_begin(store, &run, &error), TARE_OK);
    assert_int_equal(store_benchmark_save(store, run.id, &run.benchmarks[0], &error), TARE_OK);
    fault_plan = (struct fault_plan){
        .kind = FAULT_ERROR, .countdown = 1, .error_number = ENOSPC, .is_lasting = true};
    assert_int_equal(store_benchmark_save(store, run.id, &run.benchmarks[1], &error),
                     TARE_ERROR_IO);
    assert_non_null(strstr(error.message, "space"));
    assert_non_null(strstr(error.message, "is kept"));
    /* Space is back: the same store goes on. */
    fault_plan = (struct fault_plan){0};
    error_clear(&error);
    assert_int_equal(store_benchmark_save(store, run.id, &run.benchmarks[1], &error), TARE_OK);
    store_close(store);
    assert_true(fault_store_is_sound(path, 0, 2));
    fixture_remove(folder);
    arena_free(&arena);
}

static int install(void **state)
{
    (void)state;
    fault_install();
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(disk_stays_full),
        cmocka_unit_test(one_write_fails),
        cmocka_unit_test(full_disk_is_named),
    };
    return cmocka_run_group_tests(tests, install, NULL);
}
