/* fault.h: a small writing session for the fault tests, failing system calls under SQLite, and the
 * question whether the store afterwards holds everything that was acknowledged. */
#ifndef TARE_TESTS_FAULT_H
#define TARE_TESTS_FAULT_H

#include "store/internal.h"
#include "store_fixture.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>

enum { FAULT_BENCHMARKS = 3 };

/* The run that every session writes. */
static inline struct model_run fault_run(struct arena *arena, int number)
{
    struct model_run run = fixture_run(arena, number);
    for (int i = 0; i < FAULT_BENCHMARKS; i++) {
        fixture_benchmark(arena, &run, i, 4, 20);
    }
    return run;
}

/* Writes the run; *saved counts the saves that returned TARE_OK, and each of them sends one byte to
 * `acknowledge_fd` (−1: none). */
static inline tare_status fault_session(struct arena *arena, const char *path, int number,
                                        int acknowledge_fd, int *saved, struct tare_error *error)
{
    struct store *store = NULL;
    struct model_run run = fault_run(arena, number);
    tare_status status = store_open(arena, path, STORE_WRITE, &store, error);
    if (status == TARE_OK) {
        status = store_run_begin(store, &run, error);
    }
    for (ptrdiff_t i = 0; status == TARE_OK && i < run.benchmark_count; i++) {
        status = store_benchmark_save(store, run.id, &run.benchmarks[i], error);
        if (status == TARE_OK) {
            ++*saved;
            if (acknowledge_fd >= 0 && write(acknowledge_fd, "+", 1) != 1) {
                _exit(99);
            }
        }
    }
    if (status == TARE_OK) {
        run.state = MODEL_RUN_COMPLETE;
        run.finished_unix_ns = 1;
        status = store_run_finish(store, &run, error);
    }
    store_close(store);
    return status;
}

/* Is the store whole, and are the first `saved` benchmarks of the run in it, exactly? At most one
 * more may be there: written, but the process did not live to say so. Says what is wrong. */
static inline bool fault_store_is_sound(const char *path, int number, int saved)
{
    struct arena arena = {0};
    struct tare_error error = {0};
    struct store *store = NULL;
    struct store_check check = {0};
    struct model_run expected = fault_run(&arena, number);
    struct model_run found = {0};
    bool is_sound = store_open(&arena, path, STORE_WRITE, &store, &error) == TARE_OK &&
                    store_check(store, &arena, &check, &error) == TARE_OK &&
                    check.problem_count == 0;
    if (is_sound && saved > 0) {
        is_sound = store_run_load(store, &arena, expected.id, true, &found, &error) == TARE_OK &&
                   found.benchmark_count >= saved && found.benchmark_count <= saved + 1;
        for (ptrdiff_t i = 0; is_sound && i < found.benchmark_count; i++) {
            is_sound = fixture_same_benchmark(&expected.benchmarks[i], &found.benchmarks[i]);
        }
    }
    if (!is_sound) {
        fprintf(stderr, "saved %d, found %td, problems %td %s: %s\n", saved, found.benchmark_count,
                check.problem_count, check.problem_count > 0 ? check.problems[0] : "",
                error.message);
    }
    store_close(store);
    arena_free(&arena);
    return is_sound;
}

/* ---- failing system calls ---- */

enum fault_kind { FAULT_NONE, FAULT_ERROR, FAULT_KILL };

/* The n-th call that changes a file (or is about to) fails, and all after it when `is_lasting`; or
 * the process dies in it, after half of what it was to write. One per process, because SQLite's
 * system calls are. */
struct fault_plan {
    enum fault_kind kind;
    long countdown;
    int error_number;
    bool is_lasting;
    bool has_fired;
};
static struct fault_plan fault_plan;

static inline bool fault_is_due(void)
{
    if (fault_plan.kind == FAULT_NONE) {
        return false;
    }
    if (fault_plan.has_fired) {
        return fault_plan.is_lasting;
    }
    fault_plan.has_fired = --fault_plan.countdown == 0;
    return fault_plan.has_fired;
}

static inline bool fault_fires(void)
{
    if (!fault_is_due()) {
        return false;
    }
    if (fault_plan.kind == FAULT_KILL) {
        kill(getpid(), SIGKILL);
    }
    errno = fault_plan.error_number;
    return true;
}

static inline ssize_t fault_pwrite(int fd, const void *bytes, size_t length, off_t offset)
{
    if (fault_is_due()) {
        if (fault_plan.kind == FAULT_KILL) {
            ssize_t ignored = pwrite(fd, bytes, length / 2, offset);
            (void)ignored;
            kill(getpid(), SIGKILL);
        }
        errno = fault_plan.error_number;
        return -1;
    }
    return pwrite(fd, bytes, length, offset);
}

static inline ssize_t fault_write(int fd, const void *bytes, size_t length)
{
    return fault_fires() ? -1 : write(fd, bytes, length);
}

static inline int fault_truncate(int fd, off_t length)
{
    return fault_fires() ? -1 : ftruncate(fd, length);
}

static inline int fault_open(const char *path, int flags, int mode)
{
    return fault_fires() ? -1 : open(path, flags, mode);
}

static inline int fault_unlink(const char *path)
{
    return fault_fires() ? -1 : unlink(path);
}

/* Puts the failing calls under SQLite; they do nothing until fault_plan says so. */
static inline void fault_install(void)
{
    sqlite3_vfs *vfs = sqlite3_vfs_find(NULL);
    vfs->xSetSystemCall(vfs, "pwrite", (sqlite3_syscall_ptr)fault_pwrite);
    vfs->xSetSystemCall(vfs, "pwrite64", (sqlite3_syscall_ptr)fault_pwrite);
    vfs->xSetSystemCall(vfs, "write", (sqlite3_syscall_ptr)fault_write);
    vfs->xSetSystemCall(vfs, "ftruncate", (sqlite3_syscall_ptr)fault_truncate);
    vfs->xSetSystemCall(vfs, "open", (sqlite3_syscall_ptr)fault_open);
    vfs->xSetSystemCall(vfs, "unlink", (sqlite3_syscall_ptr)fault_unlink);
}

#endif
