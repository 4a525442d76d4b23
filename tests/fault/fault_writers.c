/* 16 processes write at once, from the making of the store on: all succeed, nothing is lost. */
#include "fault.h"

#include <setjmp.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

enum { WRITERS = 16, RUNS_EACH = 5 };

static void writer(const char *path, int number, int start_fd)
{
    char byte;
    /* The pipe is closed by the parent when all are there: every writer goes at once. */
    while (read(start_fd, &byte, 1) > 0) {
    }
    for (int i = 0; i < RUNS_EACH; i++) {
        struct arena arena = {0};
        struct tare_error error = {0};
        int saved = 0;
        if (fault_session(&arena, path, number * RUNS_EACH + i, -1, &saved, &error) != TARE_OK) {
            fprintf(stderr, "writer %d: %s\n", number, error.message);
            _exit(1);
        }
        arena_free(&arena);
    }
    _exit(0);
}

/* Goal: concurrent writers all succeed. Method: 16 processes, a store that is not there yet, then
 * every run read back. */
static void sixteen_writers_succeed(void **state)
{
    (void)state;
    struct arena arena = {0};
    char *folder = fixture_folder(&arena);
    char *path = arena_printf(&arena, "%s/store.db", folder);
    int fds[2];
    pid_t pids[WRITERS];
    assert_int_equal(pipe(fds), 0);
    for (int i = 0; i < WRITERS; i++) {
        pids[i] = fork();
        assert_true(pids[i] >= 0);
        if (pids[i] == 0) {
            close(fds[1]);
            writer(path, i, fds[0]);
        }
    }
    close(fds[0]);
    close(fds[1]);
    for (int i = 0; i < WRITERS; i++) {
        int status = 0;
        assert_int_equal(waitpid(pids[i], &status, 0), pids[i]);
        assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    }
    for (int i = 0; i < WRITERS * RUNS_EACH; i += 7) {
        assert_true(fault_store_is_sound(path, i, FAULT_BENCHMARKS));
    }
    struct tare_error error = {0};
    struct store *store = NULL;
    struct store_check check;
    assert_int_equal(store_open(&arena, path, STORE_READ, &store, &error), TARE_OK);
    assert_int_equal(store_check(store, &arena, &check, &error), TARE_OK);
    assert_int_equal(check.run_count, WRITERS * RUNS_EACH);
    assert_int_equal(check.benchmark_count, WRITERS * RUNS_EACH * FAULT_BENCHMARKS);
    store_close(store);
    fixture_remove(folder);
    arena_free(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(sixteen_writers_succeed)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
