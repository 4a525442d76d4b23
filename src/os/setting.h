/* setting.h: kernel settings as files: read exactly, written in place.
 *
 * /sys and /proc/sys cannot be replaced by a rename as ordinary files are (os/file.h): the bytes go
 * to the file itself, in one write(2), which the kernel accepts or refuses as a whole. */
#ifndef TARE_OS_SETTING_H
#define TARE_OS_SETTING_H

#include "base/arena.h"
#include "base/error.h"

#include <stdbool.h>

/* A setting is a page at most. */
enum { SETTING_BYTES_MAX = 4096 };

/* The bytes as they are, newline included; NULL when it cannot be read. */
const char *setting_read(struct arena *arena, const char *path);
tare_status setting_write(const char *path, const char *text, struct tare_error *error);
/* May this process write it? Asked without writing. */
bool setting_is_writable(const char *path);

/* One tuner at a time: waits for the lock of a folder and returns a descriptor to give back, −1 on
 * failure. The lock ends with the process at the latest. */
int setting_lock(const char *folder, struct tare_error *error);
void setting_unlock(int fd);

/* Removes a file; one that is not there is no error. */
tare_status setting_remove_file(const char *path, struct tare_error *error);

#endif
