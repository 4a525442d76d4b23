#include "os/input.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { COPY_CHUNK_BYTES = 64 * 1024 };

static int64_t timespec_ns(struct timespec time)
{
    return (int64_t)time.tv_sec * 1000000000 + time.tv_nsec;
}

static tare_status note_facts(struct input *input, struct tare_error *error)
{
    struct stat facts;
    if (fstat(input->fd, &facts) != 0) {
        return error_set_errno(error, TARE_ERROR_IO, errno, "cannot read %s", input->name);
    }
    input->size = facts.st_size;
    input->modified_ns = timespec_ns(facts.st_mtim);
    input->changed_ns = timespec_ns(facts.st_ctim);
    return TARE_OK;
}

/* A file in the folder for temporary ones that has no name, and so goes with its descriptor. */
static int open_nameless(struct tare_error *error)
{
    const char *folder = getenv("TMPDIR");
    char path[4096];
    folder =
        folder != NULL && folder[0] != '\0' && strlen(folder) < sizeof path - 32 ? folder : "/tmp";
    int fd = open(folder, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
    if (fd < 0) { /* a file system that cannot */
        strcpy(stpcpy(path, folder), "/tare-XXXXXX");
        fd = mkostemp(path, O_CLOEXEC);
        if (fd >= 0) {
            unlink(path);
        }
    }
    if (fd < 0) {
        error_set_errno(error, TARE_ERROR_IO, errno, "cannot make a temporary file in %s", folder);
    }
    return fd;
}

static tare_status write_all(int fd, const char *bytes, ptrdiff_t length, struct tare_error *error)
{
    while (length > 0) {
        ssize_t done = write(fd, bytes, (size_t)length);
        if (done < 0 && errno != EINTR) {
            return error_set_errno(error, TARE_ERROR_IO, errno, "cannot write a temporary file");
        }
        bytes += done > 0 ? done : 0;
        length -= done > 0 ? done : 0;
    }
    return TARE_OK;
}

static tare_status copy_to_end(struct input *input, int to, struct tare_error *error)
{
    char chunk[COPY_CHUNK_BYTES];
    ptrdiff_t length = 1;
    tare_status status = TARE_OK;
    while (status == TARE_OK && length > 0) {
        status = input_read(input, chunk, sizeof chunk, &length, error);
        if (status == TARE_OK) {
            status = write_all(to, chunk, length, error);
        }
    }
    return status;
}

static tare_status copy_stream(struct input *input, struct tare_error *error)
{
    int copy = open_nameless(error);
    if (copy < 0) {
        return TARE_ERROR_IO;
    }
    tare_status status = copy_to_end(input, copy, error);
    close(input->fd);
    input->fd = copy;
    input->start = 0;
    input->is_copied = true;
    return status == TARE_OK ? input_rewind(input, error) : status;
}

tare_status input_open(const char *path, struct input *input, struct tare_error *error)
{
    bool is_stdin = strcmp(path, "-") == 0;
    *input = (struct input){.name = is_stdin ? "standard input" : path};
    input->fd =
        is_stdin ? fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 3) : open(path, O_RDONLY | O_CLOEXEC);
    if (input->fd < 0) {
        return error_set_errno(error, TARE_ERROR_IO, errno, "cannot open %s", input->name);
    }
    struct stat facts;
    tare_status status = TARE_OK;
    if (fstat(input->fd, &facts) != 0) {
        status = error_set_errno(error, TARE_ERROR_IO, errno, "cannot read %s", input->name);
    } else if (S_ISDIR(facts.st_mode)) {
        status = error_set(error, TARE_ERROR_IO, "cannot read %s: it is a directory", input->name);
    } else if (S_ISREG(facts.st_mode)) {
        off_t at = is_stdin ? lseek(input->fd, 0, SEEK_CUR) : 0;
        input->start = at > 0 ? at : 0;
    } else {
        status = copy_stream(input, error);
    }
    if (status == TARE_OK) {
        status = note_facts(input, error);
    }
    if (status != TARE_OK) {
        input_close(input);
    }
    return status;
}

tare_status input_read(struct input *input, char *bytes, ptrdiff_t capacity, ptrdiff_t *length,
                       struct tare_error *error)
{
    for (;;) {
        ssize_t got = read(input->fd, bytes, (size_t)capacity);
        if (got < 0 && errno == EINTR) {
            continue;
        }
        *length = got > 0 ? got : 0;
        return got >= 0
                   ? TARE_OK
                   : error_set_errno(error, TARE_ERROR_IO, errno, "cannot read %s", input->name);
    }
}

tare_status input_rewind(struct input *input, struct tare_error *error)
{
    return lseek(input->fd, input->start, SEEK_SET) >= 0
               ? TARE_OK
               : error_set_errno(error, TARE_ERROR_IO, errno, "cannot read %s again", input->name);
}

tare_status input_check_unchanged(const struct input *input, struct tare_error *error)
{
    struct input now = *input;
    tare_status status = note_facts(&now, error);
    if (status == TARE_OK && !input->is_copied &&
        (now.size != input->size || now.modified_ns != input->modified_ns)) {
        status = error_set(error, TARE_ERROR_MEASURE,
                           "%s changed while it was read: wait until whoever writes it is done, "
                           "and import it again",
                           input->name);
    }
    return status;
}

void input_close(struct input *input)
{
    if (input->fd >= 0) {
        close(input->fd);
    }
    input->fd = -1;
}

/* ---- folders ---- */

static int compare_paths(const void *left, const void *right)
{
    return strcmp(*(const char *const *)left, *(const char *const *)right);
}

static tare_status list_folder(struct arena *arena, const char *folder, int depth,
                               struct input_files *files, struct tare_error *error);

static tare_status list_entry(struct arena *arena, const char *path, int depth,
                              struct input_files *files, struct tare_error *error)
{
    struct stat facts;
    if (lstat(path, &facts) != 0) {
        return TARE_OK; /* gone meanwhile */
    }
    if (S_ISDIR(facts.st_mode)) {
        return list_folder(arena, path, depth + 1, files, error);
    }
    bool is_link_to_file =
        S_ISLNK(facts.st_mode) && stat(path, &facts) == 0 && S_ISREG(facts.st_mode);
    if (!S_ISREG(facts.st_mode) && !is_link_to_file) {
        return TARE_OK;
    }
    if (files->count == INPUT_FILES_MAX) {
        return error_set(error, TARE_ERROR_IO, "more than %d files in one folder", INPUT_FILES_MAX);
    }
    files->paths = arena_grow(arena, files->paths, &files->capacity, files->count + 1,
                              (ptrdiff_t)sizeof *files->paths);
    files->paths[files->count++] = path;
    return TARE_OK;
}

static tare_status list_folder(struct arena *arena, const char *folder, int depth,
                               struct input_files *files, struct tare_error *error)
{
    if (depth > INPUT_DEPTH_MAX) {
        return error_set(error, TARE_ERROR_IO, "folders nested deeper than %d: %s", INPUT_DEPTH_MAX,
                         folder);
    }
    DIR *open_folder = opendir(folder);
    if (open_folder == NULL) {
        return error_set_errno(error, TARE_ERROR_IO, errno, "cannot read folder %s", folder);
    }
    tare_status status = TARE_OK;
    for (struct dirent *entry = readdir(open_folder); entry != NULL && status == TARE_OK;
         entry = readdir(open_folder)) {
        if (entry->d_name[0] != '.') {
            status = list_entry(arena, arena_printf(arena, "%s/%s", folder, entry->d_name), depth,
                                files, error);
        }
    }
    closedir(open_folder);
    return status;
}

tare_status input_list(struct arena *arena, const char *folder, struct input_files *files,
                       struct tare_error *error)
{
    *files = (struct input_files){0};
    size_t length = strlen(folder);
    while (length > 1 && folder[length - 1] == '/') {
        length--;
    }
    tare_status status =
        list_folder(arena, arena_strndup(arena, folder, (ptrdiff_t)length), 0, files, error);
    if (status == TARE_OK && files->count > 0) {
        qsort(files->paths, (size_t)files->count, sizeof *files->paths, compare_paths);
    }
    return status;
}
