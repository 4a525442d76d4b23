/* json.h: the little JSON that the protocol needs: read one flat request, write text safely. */
#ifndef TARE_CLIENT_JSON_H
#define TARE_CLIENT_JSON_H

#include "base/buffer.h"

#include <stdbool.h>
#include <stdint.h>

/* Words of a request ("op", "count") are short; a longer text is not one of them. */
enum { JSON_WORD_BYTES_MAX = 32 };

struct json_request {
    char op[JSON_WORD_BYTES_MAX];    /* "" when missing or not a text */
    char count[JSON_WORD_BYTES_MAX]; /* likewise */
    bool has_benchmark, has_iterations, has_protocol;
    int64_t benchmark, iterations, protocol;
};

/* Reads one JSON object, strictly (RFC 8259, at most 32 levels), and picks the members a request
 * has; others are checked and ignored. Returns NULL, or what is wrong with it. Never reads past the
 * length. */
const char *json_request_parse(const char *text, size_t length, struct json_request *request);

/* A text in quotes: control characters escaped, invalid UTF-8 replaced by U+FFFD. */
void json_text(struct buffer *out, const char *text);
/* A finite number with every digit it needs; an infinity or a NaN, which JSON cannot say, as null.
 */
void json_number(struct buffer *out, double value);

#endif
