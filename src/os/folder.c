/* folder.c: whole folders: removed, locked, listed. */
#include "os/folder.h"

#include "base/assert.h"
#include "base/text.h"
#include "os/clock.h"
#include "os/file.h"
#include "os/interrupt.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <limits.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
    /* How often a lock is asked for again: people do not notice, and the machine neither. */
    LOCK_PERIOD_MS = 100,
    /* Descriptors for a walk: deeper trees are walked all the same, a little slower. */
    WALK_DESCRIPTORS = 32,
    /* A lock file may be removed between our opening and locking it; it is not every time. */
    LOCK_TRIES_MAX = 16,
};

static const char DISCARDED[] = ".old-";

static int compare_names(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

struct folder_names folder_list(struct arena *arena, const char *path)
{
    struct folder_names names = {0};
    DIR *folder = opendir(path);
    if (folder == NULL) {
        return names;
    }
    const struct dirent *entry;
    while (names.count < FOLDER_NAMES_MAX && (entry = readdir(folder)) != NULL) {
        if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0) {
            continue;
        }
        if (names.count == names.capacity) {
            names.items = arena_grow(arena, names.items, &names.capacity, names.count + 1,
                                     (ptrdiff_t)sizeof *names.items);
        }
        names.items[names.count++] = arena_strdup(arena, entry->d_name);
    }
    closedir(folder);
    if (names.count > 0) {
        qsort(names.items, (size_t)names.count, sizeof *names.items, compare_names);
    }
    return names;
}

/* Folders that forbid it (Go's module cache, for one) are opened to their owner first. */
static int open_up(const char *path, const struct stat *facts, int kind, struct FTW *where)
{
    (void)where;
    if ((kind == FTW_D || kind == FTW_DNR) && (facts->st_mode & 0700) != 0700) {
        (void)chmod(path, (facts->st_mode & 07777) | 0700); /* the removal tells if it failed */
    }
    return 0;
}

static int remove_one(const char *path, const struct stat *facts, int kind, struct FTW *where)
{
    (void)facts;
    (void)kind;
    (void)where;
    return remove(path) == 0 || errno == ENOENT ? 0 : -1;
}

tare_status folder_remove(const char *path, struct tare_error *error)
{
    struct stat facts;
    if (lstat(path, &facts) != 0) {
        return errno == ENOENT || errno == ENOTDIR
                   ? TARE_OK
                   : error_set_errno(error, TARE_ERROR_IO, errno, "cannot remove %s", path);
    }
    if (S_ISDIR(facts.st_mode)) {
        nftw(path, open_up, WALK_DESCRIPTORS, FTW_PHYS | FTW_MOUNT);
    }
    if (nftw(path, remove_one, WALK_DESCRIPTORS, FTW_PHYS | FTW_MOUNT | FTW_DEPTH) != 0) {
        return error_set_errno(error, TARE_ERROR_IO, errno, "cannot remove %s", path);
    }
    return TARE_OK;
}

tare_status folder_discard(const char *path, struct tare_error *error)
{
    char moved[PATH_MAX];
    int needed = snprintf(moved, sizeof moved, "%s%s%06x", path, DISCARDED,
                          (unsigned)(clock_entropy() & 0xffffff));
    if (needed < 0 || (size_t)needed >= sizeof moved) {
        return error_set(error, TARE_ERROR_IO, "cannot move %s: the path is too long", path);
    }
    if (rename(path, moved) != 0) {
        return errno == ENOENT
                   ? TARE_OK
                   : error_set_errno(error, TARE_ERROR_IO, errno, "cannot move %s away", path);
    }
    (void)folder_remove(moved, NULL); /* out of the way already; a later sweep takes the rest */
    return TARE_OK;
}

bool folder_is_discarded(const char *name)
{
    return strstr(name, DISCARDED) != NULL;
}

/* The file that we locked is still the one of that name: nobody removed it meanwhile. */
static bool is_same_file(int fd, const char *path)
{
    struct stat held;
    struct stat named;
    return fstat(fd, &held) == 0 && stat(path, &named) == 0 && held.st_dev == named.st_dev &&
           held.st_ino == named.st_ino;
}

tare_status folder_lock_try(const char *path, enum folder_lock_kind kind, int *fd,
                            struct tare_error *error)
{
    int operation = (kind == FOLDER_LOCK_SHARED ? LOCK_SH : LOCK_EX) | LOCK_NB;
    *fd = -1;
    for (int i = 0; i < LOCK_TRIES_MAX; i++) {
        int lock = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
        if (lock < 0) {
            return error_set_errno(error, TARE_ERROR_IO, errno, "cannot open the lock %s", path);
        }
        if (flock(lock, operation) != 0) {
            int problem = errno;
            close(lock);
            return problem == EWOULDBLOCK || problem == EINTR
                       ? TARE_OK
                       : error_set_errno(error, TARE_ERROR_IO, problem, "cannot lock %s", path);
        }
        if (is_same_file(lock, path)) {
            *fd = lock;
            return TARE_OK;
        }
        close(lock);
    }
    return TARE_OK; /* it comes and goes: as good as held by others */
}

/* False when an interrupt has come. */
static bool wait_a_little(void)
{
    struct pollfd wanted = {.fd = interrupt_fd(), .events = POLLIN};
    return !interrupt_is_requested() && poll(&wanted, 1, LOCK_PERIOD_MS) <= 0 &&
           !interrupt_is_requested();
}

tare_status folder_lock_wait(const char *path, enum folder_lock_kind kind, int *fd,
                             struct tare_error *error)
{
    tare_status status = folder_lock_try(path, kind, fd, error);
    while (status == TARE_OK && *fd < 0) {
        if (!wait_a_little()) {
            return error_set(error, TARE_INTERRUPTED, "interrupted");
        }
        status = folder_lock_try(path, kind, fd, error);
    }
    return status;
}

void folder_unlock(int fd)
{
    if (fd >= 0) {
        flock(fd, LOCK_UN);
        close(fd);
    }
}

tare_status folder_copy_file(const char *from, const char *to, struct tare_error *error)
{
    struct stat facts;
    if (stat(from, &facts) != 0) {
        return errno == ENOENT
                   ? TARE_OK
                   : error_set_errno(error, TARE_ERROR_IO, errno, "cannot read '%s'", from);
    }
    tare_status status = file_copy(from, to, error);
    const struct timespec times[2] = {facts.st_atim, facts.st_mtim};
    if (status == TARE_OK && utimensat(AT_FDCWD, to, times, 0) != 0) {
        status = error_set_errno(error, TARE_ERROR_IO, errno, "cannot set the time of '%s'", to);
    }
    return status;
}

tare_status folder_make_executable(const char *path, struct tare_error *error)
{
    return chmod(path, 0755) == 0
               ? TARE_OK
               : error_set_errno(error, TARE_ERROR_IO, errno, "cannot make %s executable", path);
}

void folder_touch(const char *path)
{
    (void)utimensat(AT_FDCWD, path, NULL, 0);
}

static int64_t modified_ns(const struct stat *facts)
{
    return (int64_t)facts->st_mtim.tv_sec * 1000000000 + facts->st_mtim.tv_nsec;
}

int64_t folder_modified_ns(const char *path)
{
    struct stat facts;
    return stat(path, &facts) == 0 ? modified_ns(&facts) : INT64_MIN;
}

char *folder_identity(struct arena *arena, const char *path)
{
    struct stat facts;
    char *real = folder_real_path(arena, path);
    if (real == NULL || stat(real, &facts) != 0) {
        return NULL;
    }
    return arena_printf(arena, "%s %lld %lld", real, (long long)facts.st_size,
                        (long long)modified_ns(&facts));
}

char *folder_real_path(struct arena *arena, const char *path)
{
    char real[PATH_MAX];
    return realpath(path, real) != NULL ? arena_strdup(arena, real) : NULL;
}

bool folder_is_program(const char *path)
{
    struct stat facts;
    return stat(path, &facts) == 0 && S_ISREG(facts.st_mode) && access(path, X_OK) == 0;
}

bool folder_is_writable(const char *path)
{
    return access(path, W_OK | X_OK) == 0;
}
