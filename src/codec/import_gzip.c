#include "codec/import_gzip.h"

#include <stdlib.h>
#include <string.h>
#include <zlib.h>

enum {
    WINDOW_BITS_GZIP = 15 + 16, /* the largest window, with gzip's header */
};

struct import_gzip {
    struct import_source source;
    struct import_source *packed;
    z_stream stream;
    bool is_ended; /* the last member was whole */
    bool is_over;  /* the packed source has no more */
    char chunk[IMPORT_CHUNK_BYTES];
};

tare_status import_gzip_is(struct import_source *source, bool *is_packed, struct tare_error *error)
{
    char head[2] = {0};
    ptrdiff_t length = 0;
    tare_status status = TARE_OK;
    for (ptrdiff_t got = 1; status == TARE_OK && got > 0 && length < 2; length += got) {
        status = source->read(source, head + length, 2 - length, &got, error);
    }
    *is_packed = memcmp(head, "\x1f\x8b", 2) == 0;
    return status == TARE_OK ? source->rewind(source, error) : status;
}

static tare_status fill(struct import_gzip *gzip, struct tare_error *error)
{
    ptrdiff_t length = 0;
    tare_status status =
        gzip->packed->read(gzip->packed, gzip->chunk, IMPORT_CHUNK_BYTES, &length, error);
    gzip->stream.next_in = (Bytef *)gzip->chunk;
    gzip->stream.avail_in = status == TARE_OK ? (uInt)length : 0;
    gzip->is_over = length == 0;
    return status;
}

/* Members may follow each other: gzip files may be appended to. */
static tare_status unpack(struct import_source *source, char *bytes, ptrdiff_t capacity,
                          ptrdiff_t *length, struct tare_error *error)
{
    struct import_gzip *gzip = source->context;
    gzip->stream.next_out = (Bytef *)bytes;
    gzip->stream.avail_out = (uInt)capacity;
    tare_status status = TARE_OK;
    while (status == TARE_OK && gzip->stream.avail_out == (uInt)capacity) {
        if (gzip->stream.avail_in == 0) {
            status = fill(gzip, error);
        }
        if (status != TARE_OK || (gzip->is_over && gzip->is_ended)) {
            break;
        }
        if (gzip->is_over) {
            return import_fail(gzip->packed, error, "the packed file was cut off");
        }
        if (gzip->is_ended) {
            inflateReset(&gzip->stream);
            gzip->is_ended = false;
        }
        int code = inflate(&gzip->stream, Z_NO_FLUSH);
        gzip->is_ended = code == Z_STREAM_END;
        if (code != Z_OK && code != Z_STREAM_END && code != Z_BUF_ERROR) {
            return import_fail(gzip->packed, error, "cannot be unpacked: %s",
                               gzip->stream.msg != NULL ? gzip->stream.msg : "damaged");
        }
    }
    *length = capacity - (ptrdiff_t)gzip->stream.avail_out;
    return status;
}

static tare_status rewind_both(struct import_source *source, struct tare_error *error)
{
    struct import_gzip *gzip = source->context;
    inflateReset(&gzip->stream);
    gzip->stream.avail_in = 0;
    gzip->is_ended = gzip->is_over = false;
    source->line = 0;
    return gzip->packed->rewind(gzip->packed, error);
}

static tare_status open_beside(struct import_source *source, const char *path,
                               struct import_source **other, struct tare_error *error)
{
    struct import_gzip *gzip = source->context;
    *other = NULL;
    return gzip->packed->open_beside != NULL
               ? gzip->packed->open_beside(gzip->packed, path, other, error)
               : TARE_OK;
}

struct import_gzip *import_gzip_new(struct import_source *packed)
{
    struct import_gzip *gzip = calloc(1, sizeof *gzip);
    if (gzip == NULL || inflateInit2(&gzip->stream, WINDOW_BITS_GZIP) != Z_OK) {
        free(gzip);
        return NULL;
    }
    gzip->packed = packed;
    gzip->source = (struct import_source){
        .name = packed->name,
        .path = packed->path,
        .context = gzip,
        .read = unpack,
        .rewind = rewind_both,
        .open_beside = open_beside,
    };
    return gzip;
}

struct import_source *import_gzip_source(struct import_gzip *gzip)
{
    return &gzip->source;
}

void import_gzip_free(struct import_gzip *gzip)
{
    if (gzip != NULL) {
        inflateEnd(&gzip->stream);
        free(gzip);
    }
}
