#include "codec/json_member.h"

#include "base/buffer.h"
#include "base/text.h"

#include <math.h>
#include <string.h>

static void put_place(struct buffer *out, const struct json_place *at)
{
    if (at->parent != NULL) {
        put_place(out, at->parent);
    }
    if (at->name == NULL) {
        buffer_printf(out, "[%td]", at->index);
    } else {
        buffer_printf(out, "%s%s", at->parent != NULL ? "." : "",
                      text_printable(out->arena, at->name, 60));
    }
}

void json_place_fail(struct json_reading *reading, const struct json_place *at, const char *problem)
{
    if (reading->status != TARE_OK) {
        return;
    }
    struct buffer path = buffer_new(reading->arena, BUFFER_LENGTH_MAX);
    put_place(&path, at);
    reading->status = error_set(reading->error, TARE_ERROR_MEASURE, "%s: %s %s", reading->what,
                                buffer_string(&path), problem);
}

/* An object with exactly these members; the list ends in NULL. */
bool json_place_object(struct json_reading *reading, const struct json_place *at,
                       const json_t *object, const char *const *members)
{
    if (!json_is_object(object)) {
        json_place_fail(reading, at, "is not an object");
        return false;
    }
    size_t count = 0;
    for (; members[count] != NULL; count++) {
        if (json_object_get(object, members[count]) == NULL) {
            json_place_fail(reading, &(struct json_place){.parent = at, .name = members[count]},
                            "is missing");
            return false;
        }
    }
    if (json_object_size(object) == count) {
        return true;
    }
    const char *key;
    json_t *value;
    json_object_foreach((json_t *)object, key, value)
    {
        size_t i = 0;
        while (i < count && strcmp(members[i], key) != 0) {
            i++;
        }
        if (i == count) {
            json_place_fail(
                reading,
                &(struct json_place){.parent = at, .name = arena_strdup(reading->arena, key)},
                "is not known: was it made by a newer tare?");
        }
    }
    return false;
}

/* The items of a member that is an array of at most count_max; −1 when it is none. */
ptrdiff_t json_place_array(struct json_reading *reading, const struct json_place *at,
                           const json_t *array, ptrdiff_t count_max)
{
    if (!json_is_array(array)) {
        json_place_fail(reading, at, "is not an array");
        return -1;
    }
    if ((ptrdiff_t)json_array_size(array) > count_max) {
        json_place_fail(reading, at, "has more items than allowed");
        return -1;
    }
    return (ptrdiff_t)json_array_size(array);
}

static int hex_digit(char character)
{
    static const char digits[] = "0123456789abcdef";
    const char *found = character != '\0' ? strchr(digits, character) : NULL;
    return found != NULL ? (int)(found - digits) : -1;
}

/* The bytes of {"hex": "…"}; NULL when they are not such. */
static const char *hex_text(struct json_reading *reading, const json_t *object)
{
    const char *digits = json_string_value(json_object_get(object, "hex"));
    size_t length = digits != NULL ? strlen(digits) : 0;
    if (length == 0 || length % 2 != 0 || json_object_size(object) != 1) {
        return NULL;
    }
    char *text = arena_alloc(reading->arena, (ptrdiff_t)(length / 2) + 1, 1);
    for (size_t i = 0; i < length / 2; i++) {
        int high = hex_digit(digits[2 * i]);
        int low = hex_digit(digits[2 * i + 1]);
        if (high < 0 || low < 0 || high + low == 0) {
            return NULL;
        }
        text[i] = (char)(high * 16 + low);
    }
    return text_is_utf8(text, (ptrdiff_t)(length / 2)) ? NULL : text;
}

/* A text or null. */
const char *json_place_text(struct json_reading *reading, const struct json_place *at,
                            const json_t *value)
{
    if (json_is_string(value)) {
        return arena_strdup(reading->arena, json_string_value(value));
    }
    const char *text = json_is_object(value) ? hex_text(reading, value) : NULL;
    if (text == NULL && !json_is_null(value)) {
        json_place_fail(reading, at, "is not a text");
    }
    return text;
}

const char *json_member_text(struct json_reading *reading, const struct json_place *parent,
                             const json_t *object, const char *name)
{
    const struct json_place at = {.parent = parent, .name = name};
    return json_place_text(reading, &at, json_object_get(object, name));
}

/* A text that must be there. */
const char *json_member_word(struct json_reading *reading, const struct json_place *parent,
                             const json_t *object, const char *name)
{
    const char *text = json_member_text(reading, parent, object, name);
    if (text == NULL) {
        json_place_fail(reading, &(struct json_place){.parent = parent, .name = name},
                        "is not a text");
    }
    return text != NULL ? text : "";
}

/* A name as people see it: what model_name_is_valid takes, or "" where that is allowed. */
const char *json_member_name(struct json_reading *reading, const struct json_place *parent,
                             const json_t *object, const char *name, bool may_be_empty)
{
    const char *text = json_member_word(reading, parent, object, name);
    if (!model_name_is_valid(text) && !(may_be_empty && text[0] == '\0')) {
        json_place_fail(reading, &(struct json_place){.parent = parent, .name = name},
                        "is empty, too long or has control characters");
    }
    return text;
}

int64_t json_place_integer(struct json_reading *reading, const struct json_place *at,
                           const json_t *value, int64_t low, int64_t high)
{
    if (!json_is_integer(value)) {
        json_place_fail(reading, at, "is not a whole number");
        return low;
    }
    int64_t number = json_integer_value(value);
    if (number < low || number > high) {
        json_place_fail(reading, at, "is out of range");
        return low;
    }
    return number;
}

int64_t json_member_integer(struct json_reading *reading, const struct json_place *parent,
                            const json_t *object, const char *name, int64_t low, int64_t high)
{
    const struct json_place at = {.parent = parent, .name = name};
    return json_place_integer(reading, &at, json_object_get(object, name), low, high);
}

double json_place_number(struct json_reading *reading, const struct json_place *at,
                         const json_t *value)
{
    if (!json_is_number(value)) {
        json_place_fail(reading, at, "is not a number");
        return 0;
    }
    double number = json_number_value(value);
    /* Whole numbers stand as integers; one between two doubles was not written by us. */
    bool is_exact = !json_is_integer(value) ||
                    (fabs(number) < 1e17 && (int64_t)number == json_integer_value(value));
    if (!is_exact || !isfinite(number)) {
        json_place_fail(reading, at, "is not a number that can be kept exactly");
        return 0;
    }
    return number;
}

double json_member_number(struct json_reading *reading, const struct json_place *parent,
                          const json_t *object, const char *name)
{
    const struct json_place at = {.parent = parent, .name = name};
    return json_place_number(reading, &at, json_object_get(object, name));
}

bool json_place_bool(struct json_reading *reading, const struct json_place *at, const json_t *value)
{
    if (!json_is_boolean(value)) {
        json_place_fail(reading, at, "is neither true nor false");
    }
    return json_is_true(value);
}

bool json_member_bool(struct json_reading *reading, const struct json_place *parent,
                      const json_t *object, const char *name)
{
    const struct json_place at = {.parent = parent, .name = name};
    return json_place_bool(reading, &at, json_object_get(object, name));
}

/* The place of a text in a list of words that ends in NULL. */
int json_place_choice(struct json_reading *reading, const struct json_place *at,
                      const json_t *value, const char *const *words)
{
    const char *text = json_string_value(value);
    for (int i = 0; text != NULL && words[i] != NULL; i++) {
        if (strcmp(words[i], text) == 0) {
            return i;
        }
    }
    json_place_fail(reading, at, "is not one of the known words");
    return 0;
}

int json_member_choice(struct json_reading *reading, const struct json_place *parent,
                       const json_t *object, const char *name, const char *const *words)
{
    const struct json_place at = {.parent = parent, .name = name};
    return json_place_choice(reading, &at, json_object_get(object, name), words);
}

void json_member_texts(struct json_reading *reading, const struct json_place *parent,
                       const json_t *object, const char *name, const char ***texts,
                       ptrdiff_t *count)
{
    const struct json_place at = {.parent = parent, .name = name};
    const json_t *array = json_object_get(object, name);
    ptrdiff_t size = json_place_array(reading, &at, array, PTRDIFF_MAX);
    *texts = size > 0 ? ARENA_ARRAY(reading->arena, const char *, size) : NULL;
    for (ptrdiff_t i = 0; i < size; i++) {
        const struct json_place item = {.parent = &at, .index = i};
        const char *text = json_place_text(reading, &item, json_array_get(array, (size_t)i));
        if (text == NULL) {
            json_place_fail(reading, &item, "is not a text");
            return;
        }
        (*texts)[i] = text;
        *count = i + 1;
    }
}

void json_member_fields(struct json_reading *reading, const struct json_place *parent,
                        const json_t *object, const char *name, struct model_fields *fields)
{
    const struct json_place at = {.parent = parent, .name = name};
    json_t *values = json_object_get(object, name);
    if (!json_is_object(values)) {
        json_place_fail(reading, &at, "is not an object");
        return;
    }
    if (json_object_size(values) > MODEL_FIELDS_MAX) {
        json_place_fail(reading, &at, "has more members than allowed");
        return;
    }
    const char *key;
    json_t *value;
    json_object_foreach(values, key, value)
    {
        const struct json_place member = {.parent = &at, .name = key};
        const char *text = json_place_text(reading, &member, value);
        if (text == NULL) {
            json_place_fail(reading, &member, "is not a text");
            return;
        }
        model_field_set(reading->arena, fields, key, text);
    }
}
