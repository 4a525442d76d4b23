/* file.c: files read whole within a limit, written whole or not at all. */
#include "os/file.h"

#include "base/assert.h"
#include "base/buffer.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
    READ_CHUNK_BYTES = 64 * 1024,    /* one read(2); larger ones gain nothing measurable */
    PROC_FILE_BYTES_MAX = 64 * 1024, /* a line of /proc or /sys; they are at most a page or two */
};

static tare_status file_read_fd(int fd, const char *name, struct buffer *buffer,
                                struct tare_error *error);

tare_status file_read(struct arena *arena, const char *path, ptrdiff_t bytes_max, char **content,
                      ptrdiff_t *length, struct tare_error *error)
{
    TARE_ASSERT(bytes_max > 0);
    bool is_stdin = strcmp(path, "-") == 0;
    const char *name = is_stdin ? "standard input" : path;
    int fd = is_stdin ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0) {
        return error_set_errno(error, TARE_ERROR_IO, errno, "cannot open %s", name);
    }
    struct buffer buffer = buffer_new(arena, bytes_max);
    tare_status status = file_read_fd(fd, name, &buffer, error);
    if (!is_stdin) {
        close(fd);
    }
    if (status == TARE_OK && buffer.is_full) {
        status = error_set(error, TARE_ERROR_IO, "%s is larger than the limit of %td bytes", name,
                           bytes_max);
    }
    if (status == TARE_OK) {
        buffer_append(&buffer, "", 0); /* an empty file gets its NUL too */
        *content = buffer.data;
        *length = buffer.length;
    }
    return status;
}

/* Reads to the end, or until the buffer has said that it is full. */
static tare_status file_read_fd(int fd, const char *name, struct buffer *buffer,
                                struct tare_error *error)
{
    char chunk[READ_CHUNK_BYTES];
    while (!buffer->is_full) {
        ssize_t got = read(fd, chunk, sizeof chunk);
        if (got < 0 && errno == EINTR) {
            continue;
        }
        if (got < 0) {
            return error_set_errno(error, TARE_ERROR_IO, errno, "cannot read %s", name);
        }
        if (got == 0) {
            break;
        }
        buffer_append(buffer, chunk, got);
    }
    return TARE_OK;
}

char *file_read_line(struct arena *arena, const char *path)
{
    struct tare_error ignored = {0};
    char *content = NULL;
    ptrdiff_t length = 0;
    if (file_read(arena, path, PROC_FILE_BYTES_MAX, &content, &length, &ignored) != TARE_OK) {
        return NULL;
    }
    if (length > 0 && content[length - 1] == '\n') {
        content[length - 1] = '\0';
    }
    return content;
}

static tare_status file_write_fd(int fd, const char *path, const char *bytes, ptrdiff_t length,
                                 struct tare_error *error)
{
    while (length > 0) {
        ssize_t put = write(fd, bytes, (size_t)length);
        if (put < 0 && errno == EINTR) {
            continue;
        }
        if (put < 0) {
            return error_set_errno(error, TARE_ERROR_IO, errno, "cannot write %s", path);
        }
        bytes += put;
        length -= put;
    }
    if (fsync(fd) != 0 && errno != EINVAL && errno != EROFS) {
        return error_set_errno(error, TARE_ERROR_IO, errno, "cannot write %s to disk", path);
    }
    return TARE_OK;
}

/* Pipes, terminals and devices such as /dev/stdout cannot be replaced by a rename: written
 * straight. */
static tare_status file_write_special(const char *path, const void *bytes, ptrdiff_t length,
                                      struct tare_error *error)
{
    int fd = open(path, O_WRONLY | O_CLOEXEC);
    if (fd < 0) {
        return error_set_errno(error, TARE_ERROR_IO, errno, "cannot write %s", path);
    }
    tare_status status = file_write_fd(fd, path, bytes, length, error);
    close(fd);
    return status;
}

/* The mode the finished file gets: that of the file it replaces, else what the umask leaves. */
static mode_t file_mode_for(const char *path)
{
    struct stat old;
    if (stat(path, &old) == 0) {
        return old.st_mode & 07777;
    }
    mode_t mask = umask(0);
    umask(mask);
    return 0666 & ~mask;
}

tare_status file_write(const char *path, const void *bytes, ptrdiff_t length,
                       struct tare_error *error)
{
    struct stat old;
    if (stat(path, &old) == 0 && !S_ISREG(old.st_mode)) {
        if (S_ISDIR(old.st_mode)) {
            return error_set(error, TARE_ERROR_IO, "cannot write %s: it is a directory", path);
        }
        return file_write_special(path, bytes, length, error);
    }
    char *target =
        realpath(path, NULL); /* through a symbolic link: the link stays, its file changes */
    const char *final_path = target != NULL ? target : path;
    char temporary[PATH_MAX];
    int needed = snprintf(temporary, sizeof temporary, "%s.XXXXXX", final_path);
    if (needed < 0 || (size_t)needed >= sizeof temporary) {
        free(target);
        return error_set(error, TARE_ERROR_IO, "cannot write %s: the path is too long", path);
    }
    int fd = mkostemp(temporary, O_CLOEXEC);
    if (fd < 0) {
        free(target);
        return error_set_errno(error, TARE_ERROR_IO, errno, "cannot write %s", path);
    }
    tare_status status = file_write_fd(fd, path, bytes, length, error);
    if (status == TARE_OK && fchmod(fd, file_mode_for(final_path)) != 0) {
        status = error_set_errno(error, TARE_ERROR_IO, errno, "cannot set the mode of %s", path);
    }
    if (close(fd) != 0 && status == TARE_OK) {
        status = error_set_errno(error, TARE_ERROR_IO, errno, "cannot write %s", path);
    }
    if (status == TARE_OK && rename(temporary, final_path) != 0) {
        status = error_set_errno(error, TARE_ERROR_IO, errno, "cannot write %s", path);
    }
    if (status != TARE_OK) {
        unlink(temporary);
    }
    free(target);
    return status;
}

int file_open_read(const char *path, struct tare_error *error)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0) {
        error_set_errno(error, TARE_ERROR_IO, errno, "cannot open %s", path);
    } else if (file_is_directory(path)) {
        close(fd);
        fd = -1;
        error_set(error, TARE_ERROR_IO, "cannot read %s: it is a directory", path);
    }
    return fd;
}

int file_open_memory(struct tare_error *error)
{
    int fd = memfd_create("tare", MFD_CLOEXEC);
    if (fd < 0) {
        error_set_errno(error, TARE_ERROR_IO, errno, "cannot make a file in memory");
    }
    return fd;
}

int file_open_write(const char *path, struct tare_error *error)
{
    int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    if (fd < 0) {
        error_set_errno(error, TARE_ERROR_IO, errno, "cannot write %s", path);
    }
    return fd;
}

void file_fill_standard(void)
{
    for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++) {
        if (fcntl(fd, F_GETFD) < 0) {
            (void)open("/dev/null", O_RDONLY); /* the lowest free number is this one */
        }
    }
}

bool file_map(const char *path, const void **bytes, ptrdiff_t *length)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK); /* a pipe of that name must not block */
    struct stat status;
    void *mapped = MAP_FAILED;
    if (fd >= 0 && fstat(fd, &status) == 0 && S_ISREG(status.st_mode) && status.st_size > 0) {
        mapped = mmap(NULL, (size_t)status.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
    }
    if (fd >= 0) {
        close(fd);
    }
    if (mapped == MAP_FAILED) {
        return false;
    }
    *bytes = mapped;
    *length = (ptrdiff_t)status.st_size;
    return true;
}

void file_unmap(const void *bytes, ptrdiff_t length)
{
    munmap((void *)bytes, (size_t)length);
}

bool file_exists(const char *path)
{
    struct stat status;
    return stat(path, &status) == 0;
}

bool file_is_directory(const char *path)
{
    struct stat status;
    return stat(path, &status) == 0 && S_ISDIR(status.st_mode);
}

tare_status file_make_directories(const char *path, struct tare_error *error)
{
    char partial[PATH_MAX];
    size_t length = strlen(path);
    if (length == 0 || length >= sizeof partial) {
        return error_set(error, TARE_ERROR_IO, "cannot create a directory of a name of %zu bytes",
                         length);
    }
    memcpy(partial, path, length + 1);
    for (char *cursor = partial + 1;; cursor++) {
        if (*cursor != '/' && *cursor != '\0') {
            continue;
        }
        char end = *cursor;
        *cursor = '\0';
        if (mkdir(partial, 0777) != 0 && !(errno == EEXIST && file_is_directory(partial))) {
            return error_set_errno(error, TARE_ERROR_IO, errno, "cannot create directory %s",
                                   partial);
        }
        *cursor = end;
        if (end == '\0') {
            return TARE_OK;
        }
    }
}

char *file_own_directory(struct arena *arena)
{
    char path[PATH_MAX];
    ssize_t length = readlink("/proc/self/exe", path, sizeof path - 1);
    if (length <= 0) {
        return file_current_directory(arena);
    }
    path[length] = '\0';
    char *slash = strrchr(path, '/');
    if (slash == NULL) {
        return file_current_directory(arena);
    }
    return arena_strndup(arena, path, slash == path ? 1 : slash - path);
}

char *file_current_directory(struct arena *arena)
{
    char path[PATH_MAX];
    return arena_strdup(arena, getcwd(path, sizeof path) != NULL ? path : ".");
}

static bool file_is_program(const char *path)
{
    struct stat status;
    return stat(path, &status) == 0 && S_ISREG(status.st_mode) && access(path, X_OK) == 0;
}

char *file_find_program(struct arena *arena, const char *name)
{
    if (strchr(name, '/') != NULL) {
        return file_is_program(name) ? arena_strdup(arena, name) : NULL;
    }
    const char *path = getenv("PATH");
    if (name[0] == '\0') {
        return NULL;
    }
    for (const char *part = path != NULL ? path : "/bin:/usr/bin"; part != NULL;) {
        const char *colon = strchr(part, ':');
        int length = colon != NULL ? (int)(colon - part) : (int)strlen(part);
        char full[PATH_MAX];
        /* An empty entry means the current directory, as it does for execvp. */
        int needed =
            snprintf(full, sizeof full, "%.*s%s%s", length, part, length > 0 ? "/" : "./", name);
        if (needed > 0 && (size_t)needed < sizeof full && file_is_program(full)) {
            return arena_strdup(arena, full);
        }
        part = colon != NULL ? colon + 1 : NULL;
    }
    return NULL;
}
