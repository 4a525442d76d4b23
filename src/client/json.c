/* json.c: a strict, bounded reader of one JSON object and a safe writer.
 *
 * The reader is a recursive descent over [at, end): every function either consumes one value and
 * returns true, or notes what is wrong and returns false. Depth is limited, nothing is allocated,
 * and the text need not end in NUL. Fuzzed by tests/fuzz/fuzz_client_protocol.c. */
#include "client/json.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { DEPTH_MAX = 32, NUMBER_BYTES_MAX = 64 };

struct reader {
    const char *at;
    const char *end;
    const char *wrong;
};

static bool read_value(struct reader *reader, int depth);
static bool read_member(struct reader *reader, struct json_request *request);
static void skip_space(struct reader *reader);
static bool take(struct reader *reader, char character);

const char *json_request_parse(const char *text, size_t length, struct json_request *request)
{
    *request = (struct json_request){0};
    struct reader reader = {.at = text, .end = text + length};
    skip_space(&reader);
    if (!take(&reader, '{')) {
        return "a request is a JSON object";
    }
    skip_space(&reader);
    if (!take(&reader, '}')) {
        do {
            if (!read_member(&reader, request)) {
                return reader.wrong;
            }
        } while (take(&reader, ','));
        if (!take(&reader, '}')) {
            return "expected ',' or '}'";
        }
    }
    skip_space(&reader);
    return reader.at == reader.end ? NULL : "text behind the object";
}

static void skip_space(struct reader *reader)
{
    while (reader->at < reader->end && (*reader->at == ' ' || *reader->at == '\t' ||
                                        *reader->at == '\n' || *reader->at == '\r')) {
        reader->at++;
    }
}

static bool take(struct reader *reader, char character)
{
    if (reader->at < reader->end && *reader->at == character) {
        reader->at++;
        return true;
    }
    return false;
}

static bool fail(struct reader *reader, const char *what)
{
    reader->wrong = what;
    return false;
}

static bool read_hex4(struct reader *reader, unsigned *code)
{
    *code = 0;
    for (int i = 0; i < 4; i++) {
        if (reader->at >= reader->end) {
            return fail(reader, "text ends in an escape");
        }
        char c = *reader->at++;
        unsigned digit = c >= '0' && c <= '9'   ? (unsigned)(c - '0')
                         : c >= 'a' && c <= 'f' ? (unsigned)(c - 'a' + 10)
                         : c >= 'A' && c <= 'F' ? (unsigned)(c - 'A' + 10)
                                                : 16;
        if (digit == 16) {
            return fail(reader, "a \\u escape needs four hexadecimal digits");
        }
        *code = *code * 16 + digit;
    }
    return true;
}

/* One character of a text. Beyond ASCII it only has to be passed over: no word of a request has
 * any. */
static bool read_character(struct reader *reader, unsigned *code)
{
    unsigned char c = (unsigned char)*reader->at++;
    if (c < 0x20) {
        return fail(reader, "a control character in a text must be escaped");
    }
    *code = c;
    if (c != '\\') {
        return true;
    }
    if (reader->at >= reader->end) {
        return fail(reader, "text ends in an escape");
    }
    static const char letters[] = "\"\\/bfnrt";
    static const char meanings[] = "\"\\/\b\f\n\r\t";
    char letter = *reader->at++;
    if (letter == 'u') {
        return read_hex4(reader, code);
    }
    const char *found = letter != '\0' ? strchr(letters, letter) : NULL;
    if (found == NULL) {
        return fail(reader, "unknown escape in a text");
    }
    *code = (unsigned char)meanings[found - letters];
    return true;
}

/* A text; what fits of it goes to `word`. One that does not fit, or has a character beyond ASCII or
 * a NUL, becomes "\x01", which equals no word. */
static bool read_text(struct reader *reader, char word[JSON_WORD_BYTES_MAX])
{
    if (!take(reader, '"')) {
        return fail(reader, "expected a text in double quotes");
    }
    size_t length = 0;
    bool is_word = true;
    while (reader->at < reader->end && *reader->at != '"') {
        unsigned code = 0;
        if (!read_character(reader, &code)) {
            return false;
        }
        is_word = is_word && code > 0 && code < 0x80 && length < JSON_WORD_BYTES_MAX - 1;
        if (is_word) {
            word[length++] = (char)code;
        }
    }
    word[length] = '\0';
    if (!is_word) {
        memcpy(word, "\x01", 2);
    }
    return take(reader, '"') || fail(reader, "a text is not closed");
}

static size_t read_digits(struct reader *reader)
{
    const char *start = reader->at;
    while (reader->at < reader->end && *reader->at >= '0' && *reader->at <= '9') {
        reader->at++;
    }
    return (size_t)(reader->at - start);
}

/* A number; `value` gets it when it is an integer that fits, also written 1e3 or 2.0. */
static bool read_number(struct reader *reader, bool *is_integer, int64_t *value)
{
    const char *start = reader->at;
    take(reader, '-');
    bool starts_with_zero = reader->at < reader->end && *reader->at == '0';
    size_t digits = read_digits(reader);
    if (digits == 0 || (starts_with_zero && digits > 1)) {
        return fail(reader, "not a number");
    }
    bool is_plain = true;
    if (take(reader, '.')) {
        is_plain = false;
        if (read_digits(reader) == 0) {
            return fail(reader, "digits are missing behind the decimal point");
        }
    }
    if (take(reader, 'e') || take(reader, 'E')) {
        is_plain = false;
        if (!take(reader, '+')) {
            take(reader, '-');
        }
        if (read_digits(reader) == 0) {
            return fail(reader, "digits are missing in the exponent");
        }
    }
    size_t length = (size_t)(reader->at - start);
    char copy[NUMBER_BYTES_MAX];
    if (length >= sizeof copy) {
        *is_integer = false;
        return true;
    }
    memcpy(copy, start, length);
    copy[length] = '\0';
    double number = strtod(copy, NULL);
    /* 2^63 as a double; a plain integer below it is read exactly. */
    *is_integer = number > -9.2233720368547758e18 && number < 9.2233720368547758e18 &&
                  (is_plain || (double)(int64_t)number == number);
    *value = !*is_integer ? 0 : is_plain ? strtoll(copy, NULL, 10) : (int64_t)number;
    return true;
}

static bool read_literal(struct reader *reader, const char *literal)
{
    size_t length = strlen(literal);
    if ((size_t)(reader->end - reader->at) < length || memcmp(reader->at, literal, length) != 0) {
        return fail(reader, "not a JSON value");
    }
    reader->at += length;
    return true;
}

static bool read_list(struct reader *reader, int depth, char close, bool has_names)
{
    reader->at++;
    skip_space(reader);
    if (take(reader, close)) {
        return true;
    }
    do {
        skip_space(reader);
        char ignored[JSON_WORD_BYTES_MAX];
        if (has_names && !read_text(reader, ignored)) {
            return false;
        }
        skip_space(reader);
        if (has_names && !take(reader, ':')) {
            return fail(reader, "expected ':'");
        }
        if (!read_value(reader, depth)) {
            return false;
        }
        skip_space(reader);
    } while (take(reader, ','));
    return take(reader, close) || fail(reader, "a list or an object is not closed");
}

static bool read_value(struct reader *reader, int depth)
{
    skip_space(reader);
    if (depth > DEPTH_MAX) {
        return fail(reader, "nested too deeply");
    }
    if (reader->at >= reader->end) {
        return fail(reader, "a value is missing");
    }
    char ignored[JSON_WORD_BYTES_MAX];
    bool is_integer = false;
    int64_t value = 0;
    switch (*reader->at) {
    case '{':
        return read_list(reader, depth + 1, '}', true);
    case '[':
        return read_list(reader, depth + 1, ']', false);
    case '"':
        return read_text(reader, ignored);
    case 't':
        return read_literal(reader, "true");
    case 'f':
        return read_literal(reader, "false");
    case 'n':
        return read_literal(reader, "null");
    default:
        return read_number(reader, &is_integer, &value);
    }
}

struct request_field {
    const char *name;
    char *word; /* for a text, or NULL */
    bool *has;  /* for an integer */
    int64_t *number;
};

static bool read_member(struct reader *reader, struct json_request *request)
{
    char name[JSON_WORD_BYTES_MAX];
    skip_space(reader);
    if (!read_text(reader, name)) {
        return false;
    }
    skip_space(reader);
    if (!take(reader, ':')) {
        return fail(reader, "expected ':'");
    }
    skip_space(reader);
    const struct request_field fields[] = {
        {"op", request->op, NULL, NULL},
        {"count", request->count, NULL, NULL},
        {"benchmark", NULL, &request->has_benchmark, &request->benchmark},
        {"iterations", NULL, &request->has_iterations, &request->iterations},
        {"protocol", NULL, &request->has_protocol, &request->protocol},
    };
    bool is_text = reader->at < reader->end && *reader->at == '"';
    bool is_number = reader->at < reader->end &&
                     (*reader->at == '-' || (*reader->at >= '0' && *reader->at <= '9'));
    const struct request_field *field = NULL;
    for (size_t i = 0; i < sizeof fields / sizeof *fields; i++) {
        if (strcmp(fields[i].name, name) == 0) {
            field = &fields[i];
        }
    }
    bool is_read = field != NULL && field->word != NULL && is_text ? read_text(reader, field->word)
                   : field != NULL && field->number != NULL && is_number
                       ? read_number(reader, field->has, field->number)
                       : read_value(reader, 0);
    skip_space(reader);
    return is_read;
}

/* Length of the well-formed UTF-8 character at `text` (NUL-terminated), or 0. */
static int utf8_length(const unsigned char *text)
{
    unsigned char lead = text[0];
    int length = lead < 0x80 ? 1 : lead >= 0xF0 ? 4 : lead >= 0xE0 ? 3 : lead >= 0xC2 ? 2 : 0;
    unsigned code = lead & (0xFFu >> (length == 1 ? 0 : length + 1));
    for (int i = 1; i < length; i++) {
        if ((text[i] & 0xC0) != 0x80) {
            return 0;
        }
        code = code << 6 | (text[i] & 0x3Fu);
    }
    bool is_overlong = (length == 3 && code < 0x800) || (length == 4 && code < 0x10000);
    bool is_surrogate = code >= 0xD800 && code <= 0xDFFF;
    return is_overlong || is_surrogate || code > 0x10FFFF ? 0 : length;
}

void json_text(struct buffer *out, const char *text)
{
    buffer_char(out, '"');
    for (const char *at = text; *at != '\0';) {
        int length = utf8_length((const unsigned char *)at);
        if (length == 0) {
            buffer_text(out, "\xEF\xBF\xBD"); /* U+FFFD */
            length = 1;
        } else if (*at == '"' || *at == '\\') {
            buffer_printf(out, "\\%c", *at);
        } else if ((unsigned char)*at < 0x20 || *at == 0x7F) {
            buffer_printf(out, "\\u%04x", (unsigned)*at);
        } else {
            buffer_append(out, at, length);
        }
        at += length;
    }
    buffer_char(out, '"');
}

void json_number(struct buffer *out, double value)
{
    if (!isfinite(value)) {
        buffer_text(out, "null");
        return;
    }
    /* The shortest of the two forms that gives the same number back. */
    char text[32];
    snprintf(text, sizeof text, "%.15g", value);
    if (strtod(text, NULL) != value) {
        snprintf(text, sizeof text, "%.17g", value);
    }
    buffer_text(out, text);
}
