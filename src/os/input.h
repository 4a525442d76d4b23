/* input.h: a file from outside that is read in pieces, again if need be, and checked for having
 * stayed the same meanwhile; and which files a folder holds. */
#ifndef TARE_OS_INPUT_H
#define TARE_OS_INPUT_H

#include "base/arena.h"
#include "base/error.h"

#include <stdbool.h>
#include <stdint.h>

struct input {
    const char *name; /* for messages */
    int fd;
    int64_t start;  /* where reading begins */
    bool is_copied; /* standard input or a pipe, read to its end into a file without a name */
    int64_t size;
    int64_t modified_ns;
    int64_t changed_ns;
};

/* "-" is standard input. What is no regular file is read to its end first, so that nothing that
 * follows waits for whoever writes it; the copy lies in $TMPDIR or /tmp. */
tare_status input_open(const char *path, struct input *input, struct tare_error *error);
/* *length 0 is the end. */
tare_status input_read(struct input *input, char *bytes, ptrdiff_t capacity, ptrdiff_t *length,
                       struct tare_error *error);
tare_status input_rewind(struct input *input, struct tare_error *error);
/* An error when the file is not what it was when it was opened: its size or its times. */
tare_status input_check_unchanged(const struct input *input, struct tare_error *error);
void input_close(struct input *input);

enum { INPUT_FILES_MAX = 1000000, INPUT_DEPTH_MAX = 64 };

struct input_files {
    const char **paths; /* sorted */
    ptrdiff_t count;
    ptrdiff_t capacity;
};
/* All regular files in a folder and below; hidden files and folders are left out, links to folders
 * are not followed. */
tare_status input_list(struct arena *arena, const char *folder, struct input_files *files,
                       struct tare_error *error);

#endif
