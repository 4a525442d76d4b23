/* Kill the process at every step: the store opens, is whole, and has every benchmark that was
 * acknowledged. */
#include "fault.h"

#include <setjmp.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

struct kill_point {
    long write_count; /* > 0: die in the n-th change of a file */
    long step_count;  /* > 0: die at the n-th thousand of SQLite's steps, anywhere in between */
};

static long steps_left;

static int die_at_step(void *unused)
{
    (void)unused;
    if (--steps_left == 0) {
        kill(getpid(), SIGKILL);
    }
    return 0;
}

/* Every connection the child opens from now on counts its steps. */
static int count_steps(sqlite3 *database, const char **message,
                       const struct sqlite3_api_routines *routines)
{
    (void)message;
    (void)routines;
    sqlite3_progress_handler(database, 50, die_at_step, NULL);
    return SQLITE_OK;
}

static void child(const char *path, struct kill_point point, int acknowledge_fd)
{
    struct arena arena = {0};
    struct tare_error error = {0};
    int saved = 0;
    if (point.write_count > 0) {
        fault_install();
        fault_plan = (struct fault_plan){.kind = FAULT_KILL, .countdown = point.write_count};
    } else {
        steps_left = point.step_count;
        sqlite3_auto_extension((void (*)(void))count_steps);
    }
    tare_status status = fault_session(&arena, path, 0, acknowledge_fd, &saved, &error);
    if (status != TARE_OK) {
        fprintf(stderr, "%s\n", error.message);
    }
    _exit(status == TARE_OK ? 0 : 98);
}

/* Runs a session that dies at the point. True when it lived to the end. */
static bool survives(const char *path, struct kill_point point)
{
    int fds[2];
    assert_int_equal(pipe(fds), 0);
    pid_t pid = fork();
    assert_true(pid >= 0);
    if (pid == 0) {
        close(fds[0]);
        child(path, point, fds[1]);
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
    bool is_killed = WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL;
    assert_true(is_killed || (WIFEXITED(status) && WEXITSTATUS(status) == 0));
    assert_true(fault_store_is_sound(path, 0, saved));
    return !is_killed;
}

static long kill_everywhere(struct kill_point first, struct kill_point step)
{
    struct kill_point point = first;
    for (long deaths = 0;; deaths++) {
        struct arena arena = {0};
        char *folder = fixture_folder(&arena);
        bool has_survived = survives(arena_printf(&arena, "%s/store.db", folder), point);
        fixture_remove(folder);
        arena_free(&arena);
        if (has_survived) {
            return deaths;
        }
        point.write_count += step.write_count;
        point.step_count += step.step_count;
    }
}

/* Goal: promise 7. Method: die inside the 1st, 2nd, 3rd … change of a file, half of it written,
 * until a session survives. */
static void killed_in_every_write(void **state)
{
    (void)state;
    long deaths = kill_everywhere((struct kill_point){.write_count = 1},
                                  (struct kill_point){.write_count = 1});
    print_message("killed in %ld writes\n", deaths);
    assert_true(deaths > 20);
}

/* Goal: the same between writes. Method: die at every 50th step of SQLite's machine. */
static void killed_between_writes(void **state)
{
    (void)state;
    long deaths =
        kill_everywhere((struct kill_point){.step_count = 1}, (struct kill_point){.step_count = 1});
    print_message("killed at %ld steps\n", deaths);
    assert_true(deaths > 10);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(killed_in_every_write),
        cmocka_unit_test(killed_between_writes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
