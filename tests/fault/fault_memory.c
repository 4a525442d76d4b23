/* The n-th allocation fails: an error is reported, everything acknowledged before it is there, and
 * the store is whole. */
#include "fault.h"

#include <jansson.h>
#include <setjmp.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

/* Allocations until one fails; 0: none does. */
static long countdown;
static bool is_lasting;
static bool has_fired;
static sqlite3_mem_methods real_memory;

static bool allocation_fails(void)
{
    if (has_fired) {
        return is_lasting;
    }
    if (countdown > 0 && --countdown == 0) {
        has_fired = true;
    }
    return has_fired;
}

static void *failing_malloc(int size)
{
    return allocation_fails() ? NULL : real_memory.xMalloc(size);
}

static void *failing_realloc(void *old, int size)
{
    return allocation_fails() ? NULL : real_memory.xRealloc(old, size);
}

static void *failing_json_malloc(size_t size)
{
    return allocation_fails() ? NULL : malloc(size);
}

static void plan_failure(long nth, bool lasting)
{
    countdown = nth;
    is_lasting = lasting;
    has_fired = false;
}

static long fail_everywhere(bool lasting)
{
    /* Every one at first, then fewer: the later ones repeat what a save allocates. */
    for (long nth = 1;; nth += 1 + nth / 100) {
        struct arena arena = {0};
        struct tare_error error = {0};
        char *folder = fixture_folder(&arena);
        char *path = arena_printf(&arena, "%s/store.db", folder);
        int saved = 0;
        plan_failure(nth, lasting);
        tare_status status = fault_session(&arena, path, 0, -1, &saved, &error);
        bool was_fired = has_fired;
        plan_failure(0, false);
        if (status != TARE_OK && error.message[0] == '\0') {
            print_error("allocation %ld: status %d without a message\n", nth, (int)status);
            fail();
        }
        assert_true(status != TARE_OK || saved == FAULT_BENCHMARKS);
        assert_true(fault_store_is_sound(path, 0, saved));
        fixture_remove(folder);
        arena_free(&arena);
        if (!was_fired) {
            return nth - 1;
        }
    }
}

/* Goal: one allocation inside SQLite or jansson fails. Method: the 1st, 2nd, 3rd …, until a session
 * needs no more. */
static void one_allocation_fails(void **state)
{
    (void)state;
    long failures = fail_everywhere(false);
    print_message("failed up to allocation %ld\n", failures);
    assert_true(failures > 100);
}

/* Goal: memory is gone for good from the n-th allocation on. */
static void memory_stays_gone(void **state)
{
    (void)state;
    assert_true(fail_everywhere(true) > 100);
}

static void leave_at_once(void)
{
    _exit(3);
}

/* Goal: reading with failing allocations gives errors, never wrong runs. */
static void reading_fails_cleanly(void **state)
{
    (void)state;
    struct arena arena = {0};
    struct tare_error error = {0};
    char *folder = fixture_folder(&arena);
    char *path = arena_printf(&arena, "%s/store.db", folder);
    int saved = 0;
    assert_int_equal(fault_session(&arena, path, 0, -1, &saved, &error), TARE_OK);
    struct model_run expected = fault_run(&arena, 0);
    expected.state = MODEL_RUN_COMPLETE;
    expected.finished_unix_ns = 1;
    bool was_fired = true;
    for (long nth = 1; was_fired; nth += 1 + nth / 100) {
        struct store *store = NULL;
        struct model_run run = {0};
        struct tare_error read_error = {0};
        plan_failure(nth, false);
        tare_status status = store_open(&arena, path, STORE_READ, &store, &read_error);
        if (status == TARE_OK) {
            status = store_run_load(store, &arena, "latest", true, &run, &read_error);
        }
        was_fired = has_fired;
        plan_failure(0, false);
        store_close(store);
        if (status == TARE_OK && !fixture_same_run(&expected, &run)) {
            print_error("allocation %ld: a wrong run\n", nth);
            fail();
        }
    }
    fixture_remove(folder);
    arena_free(&arena);
}

/* Goal: an arena without memory ends the process with code 3, and the store is sound. Method: in a
 * child, block by block. */
static void arena_runs_out(void **state)
{
    (void)state;
    for (long nth = 1;; nth++) {
        struct arena arena = {0};
        char *folder = fixture_folder(&arena);
        char *path = arena_printf(&arena, "%s/store.db", folder);
        int fds[2];
        assert_int_equal(pipe(fds), 0);
        pid_t pid = fork();
        assert_true(pid >= 0);
        if (pid == 0) {
            struct arena own = {0};
            struct tare_error error = {0};
            int saved = 0;
            arena_set_failure_hook(leave_at_once);
            arena_fail_nth_block(nth);
            _exit(fault_session(&own, path, 0, fds[1], &saved, &error) == TARE_OK ? 0 : 98);
        }
        close(fds[1]);
        int saved = 0;
        char byte;
        while (read(fds[0], &byte, 1) == 1) {
            saved++;
        }
        close(fds[0]);
        int status = 0;
        assert_int_equal(waitpid(pid, &status, 0), pid);
        assert_true(WIFEXITED(status) && (WEXITSTATUS(status) == 3 || WEXITSTATUS(status) == 0));
        assert_true(fault_store_is_sound(path, 0, saved));
        fixture_remove(folder);
        arena_free(&arena);
        if (WEXITSTATUS(status) == 0) {
            assert_true(nth > 3);
            return;
        }
    }
}

static int install(void **state)
{
    (void)state;
    if (sqlite3_config(SQLITE_CONFIG_GETMALLOC, &real_memory) != SQLITE_OK) {
        return 1;
    }
    sqlite3_mem_methods failing = real_memory;
    failing.xMalloc = failing_malloc;
    failing.xRealloc = failing_realloc;
    json_set_alloc_funcs(failing_json_malloc, free);
    /* Without the look-aside pool every small allocation can fail too. */
    return sqlite3_config(SQLITE_CONFIG_MALLOC, &failing) != SQLITE_OK ||
           sqlite3_config(SQLITE_CONFIG_LOOKASIDE, 0, 0) != SQLITE_OK ||
           sqlite3_initialize() != SQLITE_OK;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_allocation_fails),
        cmocka_unit_test(memory_stays_gone),
        cmocka_unit_test(reading_fails_cleanly),
        cmocka_unit_test(arena_runs_out),
    };
    return cmocka_run_group_tests(tests, install, NULL);
}
