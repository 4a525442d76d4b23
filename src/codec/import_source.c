#include "codec/import_source.h"

#include "base/assert.h"
#include "base/text.h"

#include <stdio.h>
#include <string.h>

tare_status(import_fail)(const struct import_source *source, struct tare_error *error,
                         const char *format, ...)
{
    struct arena scratch = {0};
    va_list arguments;
    va_start(arguments, format);
    const char *message = arena_vprintf(&scratch, format, arguments);
    va_end(arguments);
    const char *name = text_printable(&scratch, source->name, 200);
    tare_status status = source->line > 0
                             ? error_set(error, TARE_ERROR_MEASURE, "%s:%lld:%lld (byte %lld): %s",
                                         name, (long long)source->line, (long long)source->column,
                                         (long long)source->offset, message)
                             : error_set(error, TARE_ERROR_MEASURE, "%s: %s", name, message);
    arena_free(&scratch);
    return status;
}

static tare_status memory_read(struct import_source *source, char *bytes, ptrdiff_t capacity,
                               ptrdiff_t *length, struct tare_error *error)
{
    (void)error;
    struct import_memory *memory = source->context;
    ptrdiff_t count = memory->length - memory->at;
    count = count < capacity ? count : capacity;
    count = memory->step > 0 && memory->step < count ? memory->step : count;
    if (count > 0) {
        memcpy(bytes, memory->bytes + memory->at, (size_t)count);
    }
    memory->at += count;
    *length = count;
    return TARE_OK;
}

static tare_status memory_rewind(struct import_source *source, struct tare_error *error)
{
    (void)error;
    struct import_memory *memory = source->context;
    memory->at = 0;
    source->line = 0;
    return TARE_OK;
}

struct import_source import_source_memory(struct import_memory *memory, const char *name)
{
    return (struct import_source){
        .name = name, .path = "", .context = memory, .read = memory_read, .rewind = memory_rewind};
}

/* ---- lines ---- */

struct import_lines import_lines_new(struct arena *arena, struct import_source *source)
{
    return (struct import_lines){
        .source = source, .arena = arena, .chunk = ARENA_ARRAY(arena, char, IMPORT_CHUNK_BYTES)};
}

static void keep(struct import_lines *lines, const char *bytes, ptrdiff_t length)
{
    lines->text =
        arena_grow(lines->arena, lines->text, &lines->capacity, lines->length + length + 1, 1);
    if (length > 0) {
        memcpy(lines->text + lines->length, bytes, (size_t)length);
    }
    lines->length += length;
    lines->text[lines->length] = '\0';
}

static tare_status refill(struct import_lines *lines, struct tare_error *error)
{
    lines->chunk_offset += lines->end;
    lines->at = lines->end = 0;
    ptrdiff_t length = 0;
    tare_status status =
        lines->source->read(lines->source, lines->chunk, IMPORT_CHUNK_BYTES, &length, error);
    lines->end = status == TARE_OK ? length : 0;
    return status;
}

static tare_status finish_line(struct import_lines *lines, struct tare_error *error)
{
    if (memchr(lines->text, '\0', (size_t)lines->length) != NULL) {
        return import_fail(lines->source, error, "a NUL byte: this is not a text file");
    }
    if (lines->line == 1 && lines->length >= 3 && memcmp(lines->text, "\xef\xbb\xbf", 3) == 0) {
        lines->length -= 3; /* a byte-order mark */
        memmove(lines->text, lines->text + 3, (size_t)lines->length + 1);
    }
    if (lines->length > 0 && lines->text[lines->length - 1] == '\r') {
        lines->text[--lines->length] = '\0';
    }
    return TARE_OK;
}

bool import_lines_next(struct import_lines *lines, tare_status *status, struct tare_error *error)
{
    lines->length = 0;
    *status = lines->at == lines->end ? refill(lines, error) : TARE_OK;
    if (*status != TARE_OK || lines->end == 0) {
        return false;
    }
    lines->source->line = ++lines->line;
    lines->source->column = 1;
    lines->source->offset = lines->chunk_offset + lines->at;
    for (bool is_whole = false; !is_whole && *status == TARE_OK && lines->end > 0;) {
        const char *start = lines->chunk + lines->at;
        const char *newline = memchr(start, '\n', (size_t)(lines->end - lines->at));
        ptrdiff_t length = newline != NULL ? newline - start : lines->end - lines->at;
        is_whole = newline != NULL;
        if (length > IMPORT_LINE_BYTES_MAX - lines->length) {
            *status = import_fail(lines->source, error, "a line longer than %d bytes",
                                  IMPORT_LINE_BYTES_MAX);
            break;
        }
        keep(lines, start, length);
        lines->at += length + is_whole;
        if (!is_whole) {
            *status = refill(lines, error);
        }
    }
    if (*status == TARE_OK) {
        *status = finish_line(lines, error);
    }
    return *status == TARE_OK;
}
