/* file.h: small file helpers. */
#ifndef TARE_OS_FILE_H
#define TARE_OS_FILE_H

#include "base/arena.h"
#include "base/error.h"

#include <stdbool.h>

/* The whole file (or "-": standard input), NUL-terminated; larger than bytes_max is an error. */
tare_status file_read(struct arena *arena, const char *path, ptrdiff_t bytes_max, char **content,
                      ptrdiff_t *length, struct tare_error *error);
/* Like file_read for /proc and /sys: trailing newline removed, NULL when unreadable; no message. */
char *file_read_line(struct arena *arena, const char *path);
/* Writes to a temporary file beside `path`, syncs, renames: the old file or the whole new one. */
tare_status file_write(const char *path, const void *bytes, ptrdiff_t length,
                       struct tare_error *error);
/* Descriptors for children, close-on-exec; −1 and the error on failure. Writing begins anew. */
int file_open_read(const char *path, struct tare_error *error);
int file_open_write(const char *path, struct tare_error *error);
/* A file without a name, gone when closed: a child writes it as /proc/self/fd/N when it keeps the
 * descriptor, and so is it read here. */
int file_open_memory(struct tare_error *error);
/* A closed standard descriptor would go to the next file that is opened, the store perhaps. Fills
 * its place; printing to it then fails, as it should. */
void file_fill_standard(void);
/* The file's bytes as read-only memory, without reading it first: for looking into large programs.
 * False when it is no readable regular file with something in it. */
bool file_map(const char *path, const void **bytes, ptrdiff_t *length);
void file_unmap(const void *bytes, ptrdiff_t length);
/* Copies content and permissions. */
tare_status file_copy(const char *from, const char *to, struct tare_error *error);
/* A new private folder below $TMPDIR or /tmp; folder_remove takes it away with all in it. *path
 * is NULL when none could be made. */
tare_status file_temporary_directory(struct arena *arena, const char *prefix, char **path,
                                     struct tare_error *error);
bool file_exists(const char *path);
bool file_is_directory(const char *path);
tare_status file_make_directories(const char *path, struct tare_error *error);
/* Folder of this executable, for files installed beside it. */
char *file_own_directory(struct arena *arena);
char *file_current_directory(struct arena *arena);
/* Full path of a program as PATH finds it; NULL when it does not. */
char *file_find_program(struct arena *arena, const char *name);

#endif
