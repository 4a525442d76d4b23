/* file_tree.c: copies of files, and temporary folders. */
#include "os/file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <unistd.h>

static tare_status copy_bytes(int from, int to, off_t left, const char *path,
                              struct tare_error *error)
{
    while (left > 0) {
        ssize_t sent = sendfile(to, from, NULL, (size_t)left);
        if (sent < 0 && errno == EINTR) {
            continue;
        }
        if (sent <= 0) {
            return error_set_errno(error, TARE_ERROR_IO, sent < 0 ? errno : EIO,
                                   "cannot write '%s'", path);
        }
        left -= sent;
    }
    return TARE_OK;
}

tare_status file_copy(const char *from, const char *to, struct tare_error *error)
{
    int source = open(from, O_RDONLY | O_CLOEXEC);
    struct stat facts;
    if (source < 0 || fstat(source, &facts) != 0) {
        int reason = errno;
        if (source >= 0) {
            close(source);
        }
        return error_set_errno(error, TARE_ERROR_IO, reason, "cannot read '%s'", from);
    }
    int target = open(to, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, facts.st_mode & 0777);
    tare_status status = target < 0
                             ? error_set_errno(error, TARE_ERROR_IO, errno, "cannot write '%s'", to)
                             : copy_bytes(source, target, facts.st_size, to, error);
    close(source);
    if (target >= 0 && close(target) != 0 && status == TARE_OK) {
        status = error_set_errno(error, TARE_ERROR_IO, errno, "cannot write '%s'", to);
    }
    return status;
}

tare_status file_temporary_directory(struct arena *arena, const char *prefix, char **path,
                                     struct tare_error *error)
{
    const char *parent = getenv("TMPDIR");
    char *folder = arena_printf(arena, "%s/%s-XXXXXX",
                                parent != NULL && parent[0] != '\0' ? parent : "/tmp", prefix);
    *path = mkdtemp(folder);
    return *path != NULL
               ? TARE_OK
               : error_set_errno(error, TARE_ERROR_IO, errno, "cannot make a folder '%s'", folder);
}
