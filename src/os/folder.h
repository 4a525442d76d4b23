/* folder.h: whole folders: removed, locked, listed; and the facts about files that caches need.
 *
 * A lock is a file of its own beside the folder, held with flock(2): it ends with the process that
 * holds it, however that ends, and it survives the folder it stands for. */
#ifndef TARE_OS_FOLDER_H
#define TARE_OS_FOLDER_H

#include "base/arena.h"
#include "base/error.h"

#include <stdbool.h>
#include <stdint.h>

/* More entries than any cache folder of ours holds; the rest is left for the next time. */
enum { FOLDER_NAMES_MAX = 4096 };

struct folder_names {
    const char **items; /* sorted, without "." and ".." */
    ptrdiff_t count;
    ptrdiff_t capacity;
};

/* No names when it cannot be read. */
struct folder_names folder_list(struct arena *arena, const char *path);

/* Removes a folder or a file with all it holds, write-protected folders included; never follows a
 * link nor crosses into another file system. What is not there is removed already. */
tare_status folder_remove(const char *path, struct tare_error *error);

/* Moves the folder out of the way at once, to PATH.old-XXXXXX, then removes it as far as possible:
 * a left-over process that still writes to it hits the moved one. What stays is for the next sweep.
 */
tare_status folder_discard(const char *path, struct tare_error *error);
/* True for the names that folder_discard gives. */
bool folder_is_discarded(const char *name);

enum folder_lock_kind { FOLDER_LOCK_SHARED, FOLDER_LOCK_EXCLUSIVE };

/* Takes the lock, or answers at once with *fd = −1 when another process holds it. A descriptor
 * ≥ 0 is given back with folder_unlock. */
tare_status folder_lock_try(const char *path, enum folder_lock_kind kind, int *fd,
                            struct tare_error *error);
/* Waits as long as it takes; an interrupt ends it (TARE_INTERRUPTED). */
tare_status folder_lock_wait(const char *path, enum folder_lock_kind kind, int *fd,
                             struct tare_error *error);
void folder_unlock(int fd);

/* A copy with the same modification time and mode; a missing source is no error and no copy. */
tare_status folder_copy_file(const char *from, const char *to, struct tare_error *error);
tare_status folder_make_executable(const char *path, struct tare_error *error);
/* Sets the modification time to now; failure does not matter. */
void folder_touch(const char *path);
/* Modification time, INT64_MIN when there is no such file. */
int64_t folder_modified_ns(const char *path);
/* "PATH SIZE MTIME" of the file behind all links: changes when the file is replaced. NULL: none. */
char *folder_identity(struct arena *arena, const char *path);
/* The path without links, "." and ".."; NULL when it leads nowhere. */
char *folder_real_path(struct arena *arena, const char *path);
bool folder_is_program(const char *path);
bool folder_is_writable(const char *path);

#endif
