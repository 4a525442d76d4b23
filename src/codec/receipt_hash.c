#include "codec/receipt_hash.h"

#include "base/assert.h"

#include <sha2.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void hash_value(SHA2_CTX *context, const json_t *value, const char *except);

void receipt_hash(const json_t *value, const char *except, char hash[RECEIPT_HASH_BYTES])
{
    static const char hex[] = "0123456789abcdef";
    SHA2_CTX context;
    uint8_t digest[SHA256_DIGEST_LENGTH];
    SHA256Init(&context);
    hash_value(&context, value, except);
    SHA256Final(digest, &context);
    for (int i = 0; i < SHA256_DIGEST_LENGTH; i++) {
        hash[2 * i] = hex[digest[i] >> 4];
        hash[2 * i + 1] = hex[digest[i] & 15];
    }
    hash[2 * SHA256_DIGEST_LENGTH] = '\0';
}

static void hash_text(SHA2_CTX *context, const char *text)
{
    SHA256Update(context, (const uint8_t *)text, strlen(text));
}

static void hash_string(SHA2_CTX *context, const char *text)
{
    struct arena scratch = {0};
    struct buffer quoted = buffer_new(&scratch, RECEIPT_BYTES_MAX * (ptrdiff_t)6);
    receipt_quote(&quoted, text);
    hash_text(context, buffer_string(&quoted));
    arena_free(&scratch);
}

static void hash_array(SHA2_CTX *context, const json_t *array)
{
    hash_text(context, "[");
    for (size_t i = 0; i < json_array_size(array); i++) {
        hash_text(context, i > 0 ? "," : "");
        hash_value(context, json_array_get(array, i), NULL);
    }
    hash_text(context, "]");
}

static int compare_keys(const void *left, const void *right)
{
    const char *const *a = left;
    const char *const *b = right;
    return strcmp(*a, *b);
}

static void hash_object(SHA2_CTX *context, const json_t *object, const char *except)
{
    struct arena scratch = {0};
    size_t count = json_object_size(object);
    const char **keys = ARENA_ARRAY(&scratch, const char *, (ptrdiff_t)count + 1);
    size_t at = 0;
    const char *key;
    json_t *value;
    json_object_foreach((json_t *)object, key, value)
    {
        keys[at++] = key;
    }
    TARE_ASSERT(at == count);
    qsort(keys, count, sizeof *keys, compare_keys);
    const char *separator = "";
    hash_text(context, "{");
    for (size_t i = 0; i < count; i++) {
        if (except != NULL && strcmp(keys[i], except) == 0) {
            continue;
        }
        hash_text(context, separator);
        hash_string(context, keys[i]);
        hash_text(context, ":");
        hash_value(context, json_object_get(object, keys[i]), NULL);
        separator = ",";
    }
    hash_text(context, "}");
    arena_free(&scratch);
}

static void hash_value(SHA2_CTX *context, const json_t *value, const char *except)
{
    char number[RECEIPT_NUMBER_BYTES];
    switch (json_typeof(value)) {
    case JSON_OBJECT:
        hash_object(context, value, except);
        return;
    case JSON_ARRAY:
        hash_array(context, value);
        return;
    case JSON_STRING:
        hash_string(context, json_string_value(value));
        return;
    case JSON_INTEGER:
        snprintf(number, sizeof number, "%lld", (long long)json_integer_value(value));
        hash_text(context, number);
        return;
    case JSON_REAL:
        receipt_number(json_real_value(value), number);
        hash_text(context, number);
        return;
    case JSON_TRUE:
        hash_text(context, "true");
        return;
    case JSON_FALSE:
        hash_text(context, "false");
        return;
    case JSON_NULL:
        hash_text(context, "null");
        return;
    }
}

void receipt_number(double value, char text[RECEIPT_NUMBER_BYTES])
{
    /* From here on printf's %.17g takes to exponents by itself. */
    static const double WHOLE_END = 1e17;
    TARE_ASSERT(isfinite(value));
    if (value == 0 && signbit(value)) {
        memcpy(text, "-0.0", sizeof "-0.0");
        return;
    }
    if (fabs(value) < WHOLE_END && value == floor(value)) {
        snprintf(text, RECEIPT_NUMBER_BYTES, "%.0f", value);
        return;
    }
    /* 15 digits are always kept by a double; 17 always keep the double. */
    for (int digits = 15; digits <= 17; digits++) {
        snprintf(text, RECEIPT_NUMBER_BYTES, "%.*g", digits, value);
        if (strtod(text, NULL) == value) {
            return;
        }
    }
}

/* The letter of a short escape, or 0. */
static char escape_letter(char character)
{
    static const char characters[] = "\"\\\b\f\n\r\t";
    static const char letters[] = "\"\\bfnrt";
    const char *found = strchr(characters, character);
    return found != NULL ? letters[found - characters] : '\0';
}

void receipt_quote(struct buffer *out, const char *text)
{
    buffer_char(out, '"');
    const char *plain = text; /* start of what has not been written yet */
    for (const char *at = text; *at != '\0'; at++) {
        char letter = escape_letter(*at);
        if (letter == '\0' && (unsigned char)*at >= 0x20) {
            continue;
        }
        buffer_append(out, plain, at - plain);
        if (letter != '\0') {
            buffer_printf(out, "\\%c", letter);
        } else {
            buffer_printf(out, "\\u%04x", (unsigned)(unsigned char)*at);
        }
        plain = at + 1;
    }
    buffer_text(out, plain);
    buffer_char(out, '"');
}
