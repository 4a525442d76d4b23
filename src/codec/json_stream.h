/* json_stream.h: JSON of any size, one token at a time, in constant memory.
 *
 *     struct json_stream *stream = json_stream_new(arena, source);
 *     json_stream_find(stream, &is_found, error);        the next line that begins a document
 *     json_stream_next(stream, error);                   stream->event, ->text, ->number
 *
 * Result files are not always JSON. Taken beyond it: the bare words NaN, Infinity and their
 * likes (numbers that are not finite), and whatever stands before, between and behind documents.
 * Not taken: comments, trailing commas, keys given twice in one object. Every error has the
 * file's name, line, column and byte.
 *
 * Memory: a chunk, the longest text, and eight bytes for each key of the open objects (keys beyond
 * the JSON_STREAM_KEYS_MAX-th of one object are not compared). Cost: linear; bench/import has the
 * figures. */
#ifndef TARE_CODEC_JSON_STREAM_H
#define TARE_CODEC_JSON_STREAM_H

#include "codec/import_source.h"

#include <string.h>

enum {
    JSON_STREAM_DEPTH_MAX = 64,
    JSON_STREAM_TEXT_BYTES_MAX = 1024 * 1024,
    JSON_STREAM_NUMBER_BYTES_MAX = 512,
    JSON_STREAM_KEYS_MAX = 512,
};

enum json_event {
    JSON_EVENT_NONE, /* before the first token, and behind the end of a document */
    JSON_EVENT_OBJECT,
    JSON_EVENT_OBJECT_END,
    JSON_EVENT_ARRAY,
    JSON_EVENT_ARRAY_END,
    JSON_EVENT_KEY,
    JSON_EVENT_TEXT,
    JSON_EVENT_NUMBER, /* NaN and infinities included */
    JSON_EVENT_TRUE,
    JSON_EVENT_FALSE,
    JSON_EVENT_NULL,
};

struct json_stream {
    struct import_source *source; /* its position is the token's */
    enum json_event event;
    const char *text; /* of a key, text or number as written; good until the next call */
    ptrdiff_t text_length;
    double number;
    int depth; /* of open objects and arrays */
    /* The rest is the reader's own. */
    struct arena *arena;
    char *chunk;
    const char *at;
    const char *end;
    int64_t chunk_offset;
    int64_t line;
    int64_t line_offset; /* of the line's first byte; negative moves never happen */
    char *buffer;
    ptrdiff_t capacity;
    uint64_t *keys; /* hashes of the keys of open objects, outer ones first */
    ptrdiff_t key_count;
    ptrdiff_t key_capacity;
    ptrdiff_t key_start[JSON_STREAM_DEPTH_MAX + 1];
    bool is_object[JSON_STREAM_DEPTH_MAX + 1];
    bool has_item; /* a value stood before, so a comma must */
    bool wants_value;
    bool is_over; /* the source has no more */
};

struct json_stream *json_stream_new(struct arena *arena, struct import_source *source);

/* Goes on to the next line that begins like an object or an array, over any noise; the next token
 * is that bracket. Between documents only. */
tare_status json_stream_find(struct json_stream *stream, bool *is_found, struct tare_error *error);

/* The first bracket behind the first such byte, wherever it stands: for scripts that assign JSON.
 */
tare_status json_stream_find_behind(struct json_stream *stream, char mark, bool *is_found,
                                    struct tare_error *error);

/* The next token of the document. Behind its end: JSON_EVENT_NONE when nothing but blanks follow,
 * else an error. */
tare_status json_stream_next(struct json_stream *stream, struct tare_error *error);

/* Passes over the value whose first token is the current one (or whose key it is). */
tare_status json_stream_skip(struct json_stream *stream, struct tare_error *error);

/* ---- steps of readers; all errors are kept in *status, and all answer false on one ---- */

/* Inside an object whose begin, or the end of one of its values, is the current token: is there
 * another key? With it, the current token is the key. */
bool json_stream_key(struct json_stream *stream, tare_status *status, struct tare_error *error);
/* The same for the items of an array; the current token is then the item's first. */
bool json_stream_item(struct json_stream *stream, tare_status *status, struct tare_error *error);
static inline bool json_stream_is_key(const struct json_stream *stream, const char *name)
{
    /* The first byte tells most keys apart. */
    return stream->event == JSON_EVENT_KEY && stream->text[0] == name[0] &&
           strcmp(stream->text, name) == 0;
}
/* The value behind the current key, which must be of this kind. `text` lands in the arena. Null is
 * taken and leaves the target alone. */
tare_status json_stream_text(struct json_stream *stream, struct arena *arena, const char **text,
                             struct tare_error *error);
tare_status json_stream_number(struct json_stream *stream, double *number,
                               struct tare_error *error);
tare_status json_stream_bool(struct json_stream *stream, bool *value, struct tare_error *error);
/* Goes to the value behind the current key, which must be an object or an array. Null is taken:
 * *is_there is false. */
tare_status json_stream_object(struct json_stream *stream, bool *is_there,
                               struct tare_error *error);
tare_status json_stream_array(struct json_stream *stream, bool *is_there, struct tare_error *error);
/* "an object", "the number 5", for messages. */
const char *json_stream_shown(struct json_stream *stream, struct arena *arena);

#endif
