/* fuzz_json_stream.c: any bytes as JSON. Tokens in pieces of any size are the same as in one; what
 * jansson takes, the stream takes with the same number of tokens; depth never leaves its bounds. */
#include "base/assert.h"
#include "codec/json_stream.h"

#include <jansson.h>
#include <stdint.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static tare_status count_tokens(const uint8_t *data, size_t size, ptrdiff_t step, bool is_searched,
                                uint64_t *count)
{
    struct arena arena = {0};
    struct tare_error error = {0};
    struct import_memory memory = {
        .bytes = size > 0 ? (const char *)data : "", .length = (ptrdiff_t)size, .step = step};
    struct import_source source = import_source_memory(&memory, "input");
    struct json_stream *stream = json_stream_new(&arena, &source);
    bool is_found = true;
    tare_status status = is_searched ? json_stream_find(stream, &is_found, &error) : TARE_OK;
    while (status == TARE_OK && is_found) {
        status = json_stream_next(stream, &error);
        if (status != TARE_OK || stream->event == JSON_EVENT_NONE) {
            break;
        }
        TARE_ASSERT(stream->depth >= 0 && stream->depth <= JSON_STREAM_DEPTH_MAX);
        TARE_ASSERT(source.offset >= 0 && source.offset <= (int64_t)size);
        TARE_ASSERT(source.line >= 1 && source.column >= 1);
        if (stream->event == JSON_EVENT_KEY || stream->event == JSON_EVENT_TEXT) {
            TARE_ASSERT(strlen(stream->text) == (size_t)stream->text_length);
        }
        *count = *count * 31 + (uint64_t)stream->event + (uint64_t)source.offset;
    }
    TARE_ASSERT((status == TARE_OK) == (error.status == TARE_OK));
    arena_free(&arena);
    return status;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    for (int is_searched = 0; is_searched < 2; is_searched++) {
        uint64_t whole = 0;
        uint64_t pieces = 0;
        tare_status status = count_tokens(data, size, 0, is_searched != 0, &whole);
        TARE_ASSERT(count_tokens(data, size, 1, is_searched != 0, &pieces) == status);
        TARE_ASSERT(whole == pieces);
        json_t *value =
            is_searched
                ? NULL
                : json_loadb((const char *)data, size,
                             JSON_REJECT_DUPLICATES | JSON_DECODE_ANY | JSON_DECODE_INT_AS_REAL,
                             NULL);
        /* What the stream refuses on purpose: depth, and NUL, which jansson takes for a blank. */
        if (value != NULL && size < 2 * JSON_STREAM_DEPTH_MAX && memchr(data, 0, size) == NULL) {
            TARE_ASSERT(status == TARE_OK);
        }
        json_decref(value);
    }
    return 0;
}
