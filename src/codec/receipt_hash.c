#include "codec/receipt_hash.h"

#include "base/assert.h"

#include <sha2.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Two sums in one walk: of the whole, and of one member of the outermost object. */
struct hashing {
    SHA2_CTX whole;
    SHA2_CTX part;
    bool is_in_part;
};

static void hash_value(struct hashing *hashing, const json_t *value);
static void hash_members(struct hashing *hashing, const json_t *object, const char *except,
                         const char *part);

static void finish(SHA2_CTX *context, char hash[RECEIPT_HASH_BYTES])
{
    static const char hex[] = "0123456789abcdef";
    uint8_t digest[SHA256_DIGEST_LENGTH];
    SHA256Final(digest, context);
    for (int i = 0; i < SHA256_DIGEST_LENGTH; i++) {
        hash[2 * i] = hex[digest[i] >> 4];
        hash[2 * i + 1] = hex[digest[i] & 15];
    }
    hash[2 * SHA256_DIGEST_LENGTH] = '\0';
}

void receipt_hash(const json_t *document, char hash[RECEIPT_HASH_BYTES],
                  char run_hash[RECEIPT_HASH_BYTES])
{
    struct hashing hashing = {.is_in_part = false};
    SHA256Init(&hashing.whole);
    SHA256Init(&hashing.part);
    hash_members(&hashing, document, "sha256", "run");
    finish(&hashing.whole, hash);
    finish(&hashing.part, run_hash);
}

static void hash_text(struct hashing *hashing, const char *text)
{
    size_t length = strlen(text);
    SHA256Update(&hashing->whole, (const uint8_t *)text, length);
    if (hashing->is_in_part) {
        SHA256Update(&hashing->part, (const uint8_t *)text, length);
    }
}

static void hash_string(struct hashing *hashing, const char *text)
{
    struct arena scratch = {0};
    struct buffer quoted = buffer_new(&scratch, RECEIPT_BYTES_MAX * (ptrdiff_t)6);
    receipt_quote(&quoted, text);
    hash_text(hashing, buffer_string(&quoted));
    arena_free(&scratch);
}

static void hash_array(struct hashing *hashing, const json_t *array)
{
    hash_text(hashing, "[");
    for (size_t i = 0; i < json_array_size(array); i++) {
        hash_text(hashing, i > 0 ? "," : "");
        hash_value(hashing, json_array_get(array, i));
    }
    hash_text(hashing, "]");
}

static int compare_keys(const void *left, const void *right)
{
    const char *const *a = left;
    const char *const *b = right;
    return strcmp(*a, *b);
}

static void hash_members(struct hashing *hashing, const json_t *object, const char *except,
                         const char *part)
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
    hash_text(hashing, "{");
    for (size_t i = 0; i < count; i++) {
        if (except != NULL && strcmp(keys[i], except) == 0) {
            continue;
        }
        hash_text(hashing, separator);
        hash_string(hashing, keys[i]);
        hash_text(hashing, ":");
        bool is_part = part != NULL && strcmp(keys[i], part) == 0;
        hashing->is_in_part = hashing->is_in_part || is_part;
        hash_value(hashing, json_object_get(object, keys[i]));
        hashing->is_in_part = hashing->is_in_part && !is_part;
        separator = ",";
    }
    hash_text(hashing, "}");
    arena_free(&scratch);
}

static void hash_value(struct hashing *hashing, const json_t *value)
{
    char number[RECEIPT_NUMBER_BYTES];
    switch (json_typeof(value)) {
    case JSON_OBJECT:
        hash_members(hashing, value, NULL, NULL);
        return;
    case JSON_ARRAY:
        hash_array(hashing, value);
        return;
    case JSON_STRING:
        hash_string(hashing, json_string_value(value));
        return;
    case JSON_INTEGER:
        snprintf(number, sizeof number, "%lld", (long long)json_integer_value(value));
        hash_text(hashing, number);
        return;
    case JSON_REAL:
        receipt_number(json_real_value(value), number);
        hash_text(hashing, number);
        return;
    case JSON_TRUE:
        hash_text(hashing, "true");
        return;
    case JSON_FALSE:
        hash_text(hashing, "false");
        return;
    case JSON_NULL:
        hash_text(hashing, "null");
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
