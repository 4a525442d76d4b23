/* json_stream.c: a pull reader of tokens over chunks.
 *
 * Idea: one chunk is looked at directly; a text or number that crosses its end is collected in a
 * buffer, which also makes all of them NUL-terminated. What may come next is told by two flags and
 * a stack of one bool per level, so that nothing recurses and depth costs no memory of the process.
 */
#include "codec/json_stream.h"

#include "base/assert.h"
#include "base/text.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { END = -1, FAILED = -2 };
enum { KEY_SHOWN_BYTES = 64 }; /* longer keys are not shown in messages */

/* Words that stand for no number, as printf and various libraries write them. */
static const char *const nan_words[] = {"NaN", "nan", "NAN", NULL};
static const char *const infinity_words[] = {"Infinity", "infinity", "Inf", "inf", "INF", NULL};

static tare_status read_text(struct json_stream *stream, enum json_event event,
                             struct tare_error *error);
static tare_status read_number(struct json_stream *stream, struct tare_error *error);
static tare_status read_word(struct json_stream *stream, struct tare_error *error);
static tare_status open_level(struct json_stream *stream, bool is_object, struct tare_error *error);
static tare_status close_level(struct json_stream *stream, bool is_object,
                               struct tare_error *error);
static tare_status check_key(struct json_stream *stream, struct tare_error *error);

struct json_stream *json_stream_new(struct arena *arena, struct import_source *source)
{
    struct json_stream *stream = ARENA_NEW(arena, struct json_stream);
    *stream = (struct json_stream){
        .source = source,
        .arena = arena,
        .text = "",
        .chunk = ARENA_ARRAY(arena, char, IMPORT_CHUNK_BYTES),
        .line = 1,
        .wants_value = true,
    };
    stream->at = stream->end = stream->chunk;
    return stream;
}

/* ---- bytes ---- */

static tare_status refill(struct json_stream *stream, struct tare_error *error)
{
    stream->chunk_offset += stream->end - stream->chunk;
    stream->at = stream->end = stream->chunk;
    if (stream->is_over) {
        return TARE_OK;
    }
    ptrdiff_t length = 0;
    tare_status status =
        stream->source->read(stream->source, stream->chunk, IMPORT_CHUNK_BYTES, &length, error);
    if (status == TARE_OK) {
        stream->end = stream->chunk + length;
        stream->is_over = length == 0;
    }
    return status;
}

/* The byte to come, END, or FAILED with the error set. */
static int peek(struct json_stream *stream, struct tare_error *error)
{
    if (stream->at < stream->end) {
        return (unsigned char)*stream->at;
    }
    if (refill(stream, error) != TARE_OK) {
        return FAILED;
    }
    return stream->at < stream->end ? (unsigned char)*stream->at : END;
}

static int64_t offset_now(const struct json_stream *stream)
{
    return stream->chunk_offset + (stream->at - stream->chunk);
}

/* What comes next is a token, or what is wrong. */
static void mark_position(struct json_stream *stream)
{
    stream->source->offset = offset_now(stream);
    stream->source->line = stream->line;
    stream->source->column = stream->source->offset - stream->line_offset + 1;
}

static void step_line(struct json_stream *stream)
{
    stream->at++;
    stream->line++;
    stream->line_offset = offset_now(stream);
}

static int skip_blanks(struct json_stream *stream, struct tare_error *error)
{
    for (;;) {
        /* Most blanks are the spaces of an indentation. */
        while (stream->at < stream->end && *stream->at == ' ') {
            stream->at++;
        }
        int byte = peek(stream, error);
        if (byte == '\n') {
            step_line(stream);
        } else if (byte == ' ' || byte == '\t' || byte == '\r') {
            stream->at++;
        } else {
            return byte;
        }
    }
}

static tare_status unexpected(struct json_stream *stream, int byte, const char *wanted,
                              struct tare_error *error)
{
    if (byte == FAILED) {
        return error->status != TARE_OK ? error->status : TARE_ERROR_IO;
    }
    mark_position(stream);
    if (byte == END) {
        return import_fail(stream->source, error,
                           "the file ends here, where %s should stand: it "
                           "was cut off",
                           wanted);
    }
    if (byte >= ' ' && byte < 0x7f) {
        return import_fail(stream->source, error, "'%c' where %s should stand", byte, wanted);
    }
    return import_fail(stream->source, error, "byte 0x%02x where %s should stand", (unsigned)byte,
                       wanted);
}

/* ---- documents ---- */

static int skip_line(struct json_stream *stream, struct tare_error *error)
{
    for (;;) {
        if (stream->at == stream->end) {
            int byte = peek(stream, error);
            if (byte < 0) {
                return byte;
            }
        }
        const char *newline = memchr(stream->at, '\n', (size_t)(stream->end - stream->at));
        stream->at = newline != NULL ? newline : stream->end;
        if (newline != NULL) {
            step_line(stream);
            return 0;
        }
    }
}

/* "[INFO] ready" begins no array: what may follow a bracket on its line tells them apart. Blanks
 * behind the bracket are passed over. */
static int begins_document(struct json_stream *stream, int bracket, struct tare_error *error)
{
    int byte = peek(stream, error);
    while (byte == ' ' || byte == '\t' || byte == '\r') {
        stream->at++;
        byte = peek(stream, error);
    }
    if (byte == FAILED) {
        return FAILED;
    }
    const char *followers = bracket == '{' ? "\n\"}" : "\n{[\"]-0123456789";
    return byte == END || (byte != 0 && strchr(followers, byte) != NULL);
}

/* A byte-order mark may stand before everything. */
static int skip_mark(struct json_stream *stream, struct tare_error *error)
{
    static const unsigned char mark[] = {0xEF, 0xBB, 0xBF};
    int byte = 0;
    for (size_t i = 0; i < sizeof mark && byte >= 0; i++) {
        byte = peek(stream, error);
        if (byte != mark[i]) {
            break;
        }
        stream->at++;
    }
    return byte;
}

tare_status json_stream_find(struct json_stream *stream, bool *is_found, struct tare_error *error)
{
    TARE_ASSERT(stream->depth == 0);
    *is_found = false;
    stream->wants_value = true;
    stream->has_item = false;
    stream->event = JSON_EVENT_NONE;
    if (offset_now(stream) == 0 && skip_mark(stream, error) == FAILED) {
        return unexpected(stream, FAILED, "", error);
    }
    for (;;) {
        int byte = skip_blanks(stream, error);
        if (byte < 0) {
            return byte == END ? TARE_OK : unexpected(stream, byte, "", error);
        }
        if (byte == '{' || byte == '[') {
            mark_position(stream);
            stream->at++;
            int begins = begins_document(stream, byte, error);
            if (begins == FAILED) {
                return unexpected(stream, FAILED, "", error);
            }
            if (begins) {
                *is_found = true;
                return open_level(stream, byte == '{', error);
            }
        }
        if (skip_line(stream, error) == FAILED) {
            return unexpected(stream, FAILED, "", error);
        }
    }
}

tare_status json_stream_find_behind(struct json_stream *stream, char mark, bool *is_found,
                                    struct tare_error *error)
{
    TARE_ASSERT(stream->depth == 0 && stream->event == JSON_EVENT_NONE);
    int byte = 0;
    *is_found = false;
    while (byte != mark && byte >= 0) {
        byte = skip_blanks(stream, error);
        stream->at += byte >= 0;
    }
    if (byte >= 0) {
        byte = skip_blanks(stream, error);
    }
    if (byte == FAILED) {
        return unexpected(stream, FAILED, "", error);
    }
    if (byte != '{' && byte != '[') {
        return TARE_OK;
    }
    mark_position(stream);
    stream->at++;
    *is_found = true;
    return open_level(stream, byte == '{', error);
}

/* ---- tokens ---- */

static tare_status next_value(struct json_stream *stream, int byte, struct tare_error *error)
{
    stream->wants_value = false;
    stream->has_item = true;
    switch (byte) {
    case '{':
    case '[':
        stream->at++;
        return open_level(stream, byte == '{', error);
    case '"':
        return read_text(stream, JSON_EVENT_TEXT, error);
    case '-':
    case '0':
    case '1':
    case '2':
    case '3':
    case '4':
    case '5':
    case '6':
    case '7':
    case '8':
    case '9':
        return read_number(stream, error);
    case 't':
    case 'f':
    case 'n':
    case 'N':
    case 'I':
    case 'i':
        return read_word(stream, error);
    default:
        return unexpected(stream, byte, "a value", error);
    }
}

static tare_status next_key(struct json_stream *stream, int byte, struct tare_error *error)
{
    if (byte != '"') {
        return unexpected(stream, byte, "a key in quotes", error);
    }
    tare_status status = read_text(stream, JSON_EVENT_KEY, error);
    if (status == TARE_OK) {
        status = check_key(stream, error);
    }
    if (status != TARE_OK) {
        return status;
    }
    byte = skip_blanks(stream, error);
    if (byte != ':') {
        return unexpected(stream, byte, "':'", error);
    }
    stream->at++;
    stream->wants_value = true;
    return TARE_OK;
}

static tare_status next_inside(struct json_stream *stream, int byte, struct tare_error *error)
{
    bool is_object = stream->is_object[stream->depth];
    int closing = is_object ? '}' : ']';
    if (byte == closing) {
        stream->at++;
        return close_level(stream, is_object, error);
    }
    if (stream->has_item) {
        if (byte != ',') {
            return unexpected(stream, byte, is_object ? "',' or '}'" : "',' or ']'", error);
        }
        stream->at++;
        byte = skip_blanks(stream, error);
        mark_position(stream);
    }
    return is_object ? next_key(stream, byte, error) : next_value(stream, byte, error);
}

tare_status json_stream_next(struct json_stream *stream, struct tare_error *error)
{
    if (stream->event == JSON_EVENT_NONE && stream->depth > 0) { /* json_stream_find was here */
        stream->event = stream->is_object[1] ? JSON_EVENT_OBJECT : JSON_EVENT_ARRAY;
        return TARE_OK;
    }
    int byte = skip_blanks(stream, error);
    mark_position(stream);
    if (stream->depth > 0 && !stream->wants_value) {
        return next_inside(stream, byte, error);
    }
    if (stream->wants_value && (byte != END || stream->depth > 0)) {
        return next_value(stream, byte, error);
    }
    stream->event = JSON_EVENT_NONE;
    return byte == END ? TARE_OK : unexpected(stream, byte, "the end of the file", error);
}

static tare_status open_level(struct json_stream *stream, bool is_object, struct tare_error *error)
{
    if (stream->depth == JSON_STREAM_DEPTH_MAX) {
        return import_fail(stream->source, error, "nested deeper than %d levels",
                           JSON_STREAM_DEPTH_MAX);
    }
    bool is_found = stream->event == JSON_EVENT_NONE && stream->depth == 0 && stream->wants_value;
    stream->depth++;
    stream->is_object[stream->depth] = is_object;
    stream->key_start[stream->depth] = stream->key_count;
    stream->has_item = false;
    stream->wants_value = false;
    if (!is_found) {
        stream->event = is_object ? JSON_EVENT_OBJECT : JSON_EVENT_ARRAY;
    }
    return TARE_OK;
}

static tare_status close_level(struct json_stream *stream, bool is_object, struct tare_error *error)
{
    (void)error;
    stream->key_count = stream->key_start[stream->depth];
    stream->depth--;
    stream->has_item = true;
    stream->wants_value = false;
    stream->event = is_object ? JSON_EVENT_OBJECT_END : JSON_EVENT_ARRAY_END;
    return TARE_OK;
}

static tare_status check_key(struct json_stream *stream, struct tare_error *error)
{
    uint64_t hash = XXH3_64bits(stream->text, (size_t)stream->text_length);
    ptrdiff_t start = stream->key_start[stream->depth];
    for (ptrdiff_t i = start; i < stream->key_count; i++) {
        if (stream->keys[i] == hash) {
            struct arena scratch = {0};
            tare_status status =
                import_fail(stream->source, error, "key \"%s\" is there twice in one object",
                            text_printable(&scratch, stream->text, 60));
            arena_free(&scratch);
            return status;
        }
    }
    if (stream->key_count - start < JSON_STREAM_KEYS_MAX) {
        stream->keys = arena_grow(stream->arena, stream->keys, &stream->key_capacity,
                                  stream->key_count + 1, (ptrdiff_t)sizeof *stream->keys);
        stream->keys[stream->key_count++] = hash;
    }
    return TARE_OK;
}

/* ---- texts ---- */

static void reserve(struct json_stream *stream, ptrdiff_t more)
{
    stream->buffer = arena_grow(stream->arena, stream->buffer, &stream->capacity,
                                stream->text_length + more + 1, 1);
}

static void keep(struct json_stream *stream, const char *bytes, ptrdiff_t length)
{
    reserve(stream, length);
    memcpy(stream->buffer + stream->text_length, bytes, (size_t)length);
    stream->text_length += length;
}

static void keep_code_point(struct json_stream *stream, uint32_t code)
{
    char bytes[4];
    ptrdiff_t length = 0;
    if (code < 0x80) {
        bytes[length++] = (char)code;
    } else if (code < 0x800) {
        bytes[length++] = (char)(0xC0 | (code >> 6));
        bytes[length++] = (char)(0x80 | (code & 0x3F));
    } else if (code < 0x10000) {
        bytes[length++] = (char)(0xE0 | (code >> 12));
        bytes[length++] = (char)(0x80 | ((code >> 6) & 0x3F));
        bytes[length++] = (char)(0x80 | (code & 0x3F));
    } else {
        bytes[length++] = (char)(0xF0 | (code >> 18));
        bytes[length++] = (char)(0x80 | ((code >> 12) & 0x3F));
        bytes[length++] = (char)(0x80 | ((code >> 6) & 0x3F));
        bytes[length++] = (char)(0x80 | (code & 0x3F));
    }
    keep(stream, bytes, length);
}

static int hex_digit(int byte)
{
    return byte >= '0' && byte <= '9'   ? byte - '0'
           : byte >= 'a' && byte <= 'f' ? byte - 'a' + 10
           : byte >= 'A' && byte <= 'F' ? byte - 'A' + 10
                                        : -1;
}

static tare_status read_hex4(struct json_stream *stream, uint32_t *code, struct tare_error *error)
{
    *code = 0;
    for (int i = 0; i < 4; i++) {
        int byte = peek(stream, error);
        int digit = hex_digit(byte);
        if (digit < 0) {
            return unexpected(stream, byte, "a hexadecimal digit", error);
        }
        *code = *code << 4 | (uint32_t)digit;
        stream->at++;
    }
    return TARE_OK;
}

enum { REPLACEMENT = 0xFFFD };

/* Behind "\u". Half of a pair, and NUL, which would end the text, become U+FFFD. */
static tare_status read_unicode(struct json_stream *stream, struct tare_error *error)
{
    uint32_t code = 0;
    tare_status status = read_hex4(stream, &code, error);
    while (status == TARE_OK && code >= 0xD800 && code < 0xDC00) {
        if (peek(stream, error) != '\\') {
            code = REPLACEMENT;
            break;
        }
        stream->at++;
        int byte = peek(stream, error);
        if (byte != 'u') { /* another escape: the half pair first, then that one */
            keep_code_point(stream, REPLACEMENT);
            return byte == FAILED ? unexpected(stream, byte, "", error) : TARE_ERROR_USAGE;
        }
        stream->at++;
        uint32_t low = 0;
        status = read_hex4(stream, &low, error);
        if (low >= 0xDC00 && low < 0xE000) {
            code = 0x10000 + ((code - 0xD800) << 10) + (low - 0xDC00);
        } else {
            keep_code_point(stream, REPLACEMENT);
            code = low;
        }
    }
    if (status == TARE_OK) {
        bool is_half = code >= 0xDC00 && code < 0xE000;
        keep_code_point(stream, code == 0 || is_half ? (uint32_t)REPLACEMENT : code);
    }
    return status;
}

/* Behind a backslash. */
static tare_status read_escape(struct json_stream *stream, struct tare_error *error)
{
    static const char names[] = "\"\\/bfnrt";
    static const char values[] = "\"\\/\b\f\n\r\t";
    for (;;) {
        int byte = peek(stream, error);
        const char *found = byte > 0 ? strchr(names, byte) : NULL;
        if (found != NULL) {
            stream->at++;
            keep(stream, &values[found - names], 1);
            return TARE_OK;
        }
        if (byte != 'u') {
            return unexpected(stream, byte, "an escape such as \\n", error);
        }
        stream->at++;
        tare_status status = read_unicode(stream, error);
        if (status != TARE_ERROR_USAGE) { /* else: a backslash has been read, its letter not */
            return status;
        }
    }
}

/* Copies what needs no thought; stops at a quote, a backslash, a control character or the chunk's
 * end. */
static void keep_plain(struct json_stream *stream)
{
    const char *start = stream->at;
    while (stream->at < stream->end && *stream->at != '"' && *stream->at != '\\' &&
           (unsigned char)*stream->at >= ' ') {
        stream->at++;
    }
    keep(stream, start, stream->at - start);
}

static tare_status read_text(struct json_stream *stream, enum json_event event,
                             struct tare_error *error)
{
    stream->at++; /* the quote */
    stream->text_length = 0;
    for (;;) {
        keep_plain(stream);
        if (stream->text_length > JSON_STREAM_TEXT_BYTES_MAX) {
            return import_fail(stream->source, error, "a text longer than %d bytes",
                               JSON_STREAM_TEXT_BYTES_MAX);
        }
        int byte = peek(stream, error);
        if (byte == '"') {
            break;
        }
        tare_status status = TARE_OK;
        if (byte == '\\') {
            stream->at++;
            status = read_escape(stream, error);
        } else if (byte == '\t') {
            keep(stream, stream->at++, 1);
        } else if (byte < ' ') {
            status = unexpected(stream, byte, "the end of the text that began on this line", error);
        }
        if (status != TARE_OK) {
            return status;
        }
    }
    stream->at++;
    reserve(stream, 0);
    stream->buffer[stream->text_length] = '\0';
    stream->text = stream->buffer;
    stream->event = event;
    return TARE_OK;
}

/* ---- numbers and words ---- */

static bool is_word_byte(int byte)
{
    return (byte >= '0' && byte <= '9') || (byte >= 'a' && byte <= 'z') ||
           (byte >= 'A' && byte <= 'Z') || byte == '-' || byte == '+' || byte == '.' || byte == '_';
}

/* Everything up to a byte that can be part of neither a number nor a word. */
static tare_status collect_word(struct json_stream *stream, struct tare_error *error)
{
    stream->text_length = 0;
    for (;;) {
        const char *start = stream->at;
        while (stream->at < stream->end && is_word_byte((unsigned char)*stream->at)) {
            stream->at++;
        }
        keep(stream, start, stream->at - start);
        if (stream->text_length > JSON_STREAM_NUMBER_BYTES_MAX) {
            return import_fail(stream->source, error, "a number longer than %d bytes",
                               JSON_STREAM_NUMBER_BYTES_MAX);
        }
        if (stream->at < stream->end) {
            break;
        }
        int byte = peek(stream, error);
        if (byte == FAILED) {
            return unexpected(stream, byte, "", error);
        }
        if (byte == END) {
            break;
        }
    }
    stream->buffer[stream->text_length] = '\0';
    stream->text = stream->buffer;
    return TARE_OK;
}

static bool is_listed(const char *word, const char *const *words)
{
    for (; *words != NULL; words++) {
        if (strcmp(word, *words) == 0) {
            return true;
        }
    }
    return false;
}

static bool is_digit(char byte)
{
    return byte >= '0' && byte <= '9';
}

/* JSON's grammar: -?digits(.digits)?([eE][+-]?digits)?. A leading zero is let pass. */
static bool is_number(const char *text)
{
    text += *text == '-';
    if (!is_digit(*text)) {
        return false;
    }
    text += strspn(text, "0123456789");
    if (*text == '.') {
        text++;
        if (!is_digit(*text)) {
            return false;
        }
        text += strspn(text, "0123456789");
    }
    if (*text == 'e' || *text == 'E') {
        text++;
        text += *text == '+' || *text == '-';
        if (!is_digit(*text)) {
            return false;
        }
        text += strspn(text, "0123456789");
    }
    return *text == '\0';
}

static tare_status bad_word(struct json_stream *stream, struct tare_error *error)
{
    struct arena scratch = {0};
    tare_status status = import_fail(stream->source, error, "'%s' is no value of JSON",
                                     text_printable(&scratch, stream->text, 60));
    arena_free(&scratch);
    return status;
}

static tare_status read_number(struct json_stream *stream, struct tare_error *error)
{
    tare_status status = collect_word(stream, error);
    if (status != TARE_OK) {
        return status;
    }
    bool is_negative = stream->text[0] == '-';
    const char *rest = stream->text + is_negative;
    if (is_number(stream->text)) {
        stream->number = strtod(stream->text, NULL); /* beyond the range: an infinity */
    } else if (is_listed(rest, nan_words)) {
        stream->number = NAN;
    } else if (is_listed(rest, infinity_words)) {
        stream->number = is_negative ? -INFINITY : INFINITY;
    } else {
        return bad_word(stream, error);
    }
    stream->event = JSON_EVENT_NUMBER;
    return TARE_OK;
}

static tare_status read_word(struct json_stream *stream, struct tare_error *error)
{
    tare_status status = collect_word(stream, error);
    if (status != TARE_OK) {
        return status;
    }
    if (strcmp(stream->text, "true") == 0) {
        stream->event = JSON_EVENT_TRUE;
    } else if (strcmp(stream->text, "false") == 0) {
        stream->event = JSON_EVENT_FALSE;
    } else if (strcmp(stream->text, "null") == 0) {
        stream->event = JSON_EVENT_NULL;
    } else if (is_listed(stream->text, nan_words) || is_listed(stream->text, infinity_words)) {
        stream->event = JSON_EVENT_NUMBER;
        stream->number = is_listed(stream->text, nan_words) ? NAN : INFINITY;
    } else {
        return bad_word(stream, error);
    }
    return TARE_OK;
}

/* ---- steps of readers ---- */

tare_status json_stream_skip(struct json_stream *stream, struct tare_error *error)
{
    tare_status status =
        stream->event == JSON_EVENT_KEY ? json_stream_next(stream, error) : TARE_OK;
    bool is_open = stream->event == JSON_EVENT_OBJECT || stream->event == JSON_EVENT_ARRAY;
    for (int outside = stream->depth - 1; status == TARE_OK && is_open;) {
        status = json_stream_next(stream, error);
        is_open = stream->depth > outside;
    }
    return status;
}

bool json_stream_key(struct json_stream *stream, tare_status *status, struct tare_error *error)
{
    if (*status == TARE_OK) {
        *status = json_stream_next(stream, error);
    }
    return *status == TARE_OK && stream->event == JSON_EVENT_KEY;
}

bool json_stream_item(struct json_stream *stream, tare_status *status, struct tare_error *error)
{
    if (*status == TARE_OK) {
        *status = json_stream_next(stream, error);
    }
    return *status == TARE_OK && stream->event != JSON_EVENT_ARRAY_END;
}

const char *json_stream_shown(struct json_stream *stream, struct arena *arena)
{
    static const char *const names[] = {
        [JSON_EVENT_NONE] = "nothing",   [JSON_EVENT_OBJECT] = "an object",
        [JSON_EVENT_OBJECT_END] = "'}'", [JSON_EVENT_ARRAY] = "a list",
        [JSON_EVENT_ARRAY_END] = "']'",  [JSON_EVENT_KEY] = "the key",
        [JSON_EVENT_TEXT] = "the text",  [JSON_EVENT_NUMBER] = "the number",
        [JSON_EVENT_TRUE] = "true",      [JSON_EVENT_FALSE] = "false",
        [JSON_EVENT_NULL] = "null",
    };
    bool has_text = stream->event == JSON_EVENT_KEY || stream->event == JSON_EVENT_TEXT ||
                    stream->event == JSON_EVENT_NUMBER;
    return has_text ? arena_printf(arena, "%s '%s'", names[stream->event],
                                   text_printable(arena, stream->text, 60))
                    : names[stream->event];
}

/* Goes to the value behind the key; anything but `wanted` and null is an error. */
static tare_status next_of_kind(struct json_stream *stream, enum json_event wanted,
                                const char *wanted_name, struct tare_error *error)
{
    char key[KEY_SHOWN_BYTES] = "";
    if (stream->event == JSON_EVENT_KEY && stream->text_length < KEY_SHOWN_BYTES) {
        memcpy(key, stream->text, (size_t)stream->text_length + 1);
    }
    tare_status status = json_stream_next(stream, error);
    if (status == TARE_OK && stream->event != wanted && stream->event != JSON_EVENT_NULL) {
        struct arena scratch = {0};
        status = import_fail(stream->source, error, "%s of \"%s\", where %s should stand",
                             json_stream_shown(stream, &scratch), text_printable(&scratch, key, 0),
                             wanted_name);
        arena_free(&scratch);
    }
    return status;
}

tare_status json_stream_text(struct json_stream *stream, struct arena *arena, const char **text,
                             struct tare_error *error)
{
    tare_status status = next_of_kind(stream, JSON_EVENT_TEXT, "a text", error);
    if (status == TARE_OK && stream->event == JSON_EVENT_TEXT) {
        *text = arena_strndup(arena, stream->text, stream->text_length);
    }
    return status;
}

tare_status json_stream_number(struct json_stream *stream, double *number, struct tare_error *error)
{
    tare_status status = next_of_kind(stream, JSON_EVENT_NUMBER, "a number", error);
    if (status == TARE_OK && stream->event == JSON_EVENT_NUMBER) {
        *number = stream->number;
    }
    return status;
}

tare_status json_stream_bool(struct json_stream *stream, bool *value, struct tare_error *error)
{
    enum json_event wanted = JSON_EVENT_TRUE;
    tare_status status = json_stream_next(stream, error);
    if (status != TARE_OK) {
        return status;
    }
    if (stream->event == wanted || stream->event == JSON_EVENT_FALSE) {
        *value = stream->event == wanted;
    } else if (stream->event != JSON_EVENT_NULL) {
        struct arena scratch = {0};
        status = import_fail(stream->source, error, "%s where true or false should stand",
                             json_stream_shown(stream, &scratch));
        arena_free(&scratch);
    }
    return status;
}

tare_status json_stream_object(struct json_stream *stream, bool *is_there, struct tare_error *error)
{
    tare_status status = next_of_kind(stream, JSON_EVENT_OBJECT, "an object", error);
    *is_there = status == TARE_OK && stream->event == JSON_EVENT_OBJECT;
    return status;
}

tare_status json_stream_array(struct json_stream *stream, bool *is_there, struct tare_error *error)
{
    tare_status status = next_of_kind(stream, JSON_EVENT_ARRAY, "a list", error);
    *is_there = status == TARE_OK && stream->event == JSON_EVENT_ARRAY;
    return status;
}
