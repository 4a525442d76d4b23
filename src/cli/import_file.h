/* import_file.h: result files opened for the readers of codec/import.h. */
#ifndef TARE_CLI_IMPORT_FILE_H
#define TARE_CLI_IMPORT_FILE_H

#include "codec/import.h"
#include "codec/import_gzip.h"
#include "os/input.h"

struct import_file {
    struct import_source *source; /* what readers see */
    struct import_source raw;     /* the file's own bytes */
    struct import_gzip *gzip;     /* NULL, or what unpacks them */
    struct input input;
    struct arena arena;         /* of this file */
    struct import_file *beside; /* other files a reader asked for, newest first */
    struct import_file *next;   /* in the list of `beside` */
};

/* "-" is standard input. A file packed with gzip is unpacked as it is read. On an error nothing is
 * left open. */
tare_status import_file_open(struct import_file *file, const char *path, struct tare_error *error);
/* An error when it, or one beside it that was read, changed meanwhile. */
tare_status import_file_check(const struct import_file *file, struct tare_error *error);
void import_file_close(struct import_file *file);

#endif
