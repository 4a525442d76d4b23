#include "os/setting.h"

#include "os/file.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

const char *setting_read(struct arena *arena, const char *path)
{
    char *content = NULL;
    ptrdiff_t length = 0;
    if (file_read(arena, path, SETTING_BYTES_MAX, &content, &length, NULL) != TARE_OK) {
        return NULL;
    }
    /* A NUL inside is nothing a setting has; what is behind it could not be put back. */
    return (ptrdiff_t)strlen(content) == length ? content : NULL;
}

tare_status setting_write(const char *path, const char *text, struct tare_error *error)
{
    int fd = open(path, O_WRONLY | O_TRUNC | O_CLOEXEC);
    if (fd < 0) {
        return error_set_errno(error, TARE_ERROR_IO, errno, "cannot open %s for writing", path);
    }
    size_t length = strlen(text);
    ssize_t written = write(fd, text, length);
    int write_error = written < 0 ? errno : 0;
    /* Some settings are refused only on close. */
    if (close(fd) != 0 && write_error == 0) {
        write_error = errno;
    }
    if (write_error != 0) {
        return error_set_errno(error, TARE_ERROR_IO, write_error, "cannot write %s", path);
    }
    if ((size_t)written != length) {
        return error_set(error, TARE_ERROR_IO, "%s took only a part of the value", path);
    }
    return TARE_OK;
}

bool setting_is_writable(const char *path)
{
    return access(path, W_OK) == 0;
}

int setting_lock(const char *folder, struct tare_error *error)
{
    int fd = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd < 0) {
        error_set_errno(error, TARE_ERROR_IO, errno, "cannot open %s", folder);
        return -1;
    }
    while (flock(fd, LOCK_EX) != 0) {
        if (errno != EINTR) {
            error_set_errno(error, TARE_ERROR_IO, errno, "cannot lock %s", folder);
            close(fd);
            return -1;
        }
    }
    return fd;
}

void setting_unlock(int fd)
{
    if (fd >= 0) {
        close(fd);
    }
}

tare_status setting_remove_file(const char *path, struct tare_error *error)
{
    if (unlink(path) != 0 && errno != ENOENT) {
        return error_set_errno(error, TARE_ERROR_IO, errno, "cannot remove %s", path);
    }
    return TARE_OK;
}
