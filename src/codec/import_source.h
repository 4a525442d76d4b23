/* import_source.h: the bytes of a result file, in chunks, and where in them a reader is.
 *
 * Whoever opens the file fills in the functions; readers see only this, so that a file, standard
 * input, an unpacked .gz and the text of a test are the same to them. A source can be read again
 * from its beginning: recognising a format and reading it are two passes.
 *
 * The position is that of the token a reader is at; import_fail puts it in front of its message. */
#ifndef TARE_CODEC_IMPORT_SOURCE_H
#define TARE_CODEC_IMPORT_SOURCE_H

#include "base/arena.h"
#include "base/error.h"

#include <stdbool.h>
#include <stdint.h>

enum {
    IMPORT_CHUNK_BYTES = 64 * 1024, /* larger ones gain nothing measurable */
    IMPORT_LINE_BYTES_MAX = 1024 * 1024,
};

struct import_source {
    const char *name; /* for messages */
    const char *path; /* as it was given; "" when there is none (standard input) */
    void *context;
    /* Up to `capacity` bytes; *length 0 is the end. */
    tare_status (*read)(struct import_source *source, char *bytes, ptrdiff_t capacity,
                        ptrdiff_t *length, struct tare_error *error);
    tare_status (*rewind)(struct import_source *source, struct tare_error *error);
    /* Another file, by its path relative to this one's folder ("sample.json", "../x"), that lives
     * as long as this one. *other is NULL when there is no such file. NULL: there are no others. */
    tare_status (*open_beside)(struct import_source *source, const char *path,
                               struct import_source **other, struct tare_error *error);
    int64_t line; /* from 1; 0: the source as a whole */
    int64_t column;
    int64_t offset; /* in bytes from the beginning */
};

/* Sets the error "NAME:LINE:COLUMN (byte OFFSET): message", TARE_ERROR_MEASURE. */
tare_status import_fail(const struct import_source *source, struct tare_error *error,
                        const char *format, ...) __attribute__((format(printf, 3, 4)));

/* As in base/error.h: the static analyser must know that this is never TARE_OK. */
#ifdef __clang_analyzer__
#define import_fail(...) ((import_fail)(__VA_ARGS__), TARE_ERROR_MEASURE)
#endif

/* A source over bytes in memory, which must outlive it. */
struct import_memory {
    const char *bytes;
    ptrdiff_t length;
    ptrdiff_t at;
    ptrdiff_t step; /* bytes handed out at once; 0: as many as asked for */
};
struct import_source import_source_memory(struct import_memory *memory, const char *name);

/* Lines of a source, one at a time. */
struct import_lines {
    struct import_source *source;
    struct arena *arena;
    char *chunk;
    ptrdiff_t at;
    ptrdiff_t end;
    int64_t chunk_offset;
    char *text; /* the line, NUL-terminated, without "\n" or "\r\n" */
    ptrdiff_t length;
    ptrdiff_t capacity;
    int64_t line;
};
struct import_lines import_lines_new(struct arena *arena, struct import_source *source);
/* False at the end and on an error (*status). A line with a NUL byte, or longer than
 * IMPORT_LINE_BYTES_MAX, is an error. The position is the line's first character. */
bool import_lines_next(struct import_lines *lines, tare_status *status, struct tare_error *error);

#endif
