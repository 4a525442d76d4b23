#include "codec/json_read.h"

#include "base/text.h"

#include <stdlib.h>

tare_status json_read_object(struct arena *arena, const char *text, const char *what,
                             json_t **object, struct tare_error *error)
{
    json_error_t at = {0};
    *object = json_loads(text, JSON_REJECT_DUPLICATES, &at);
    if (*object != NULL && json_is_object(*object)) {
        return TARE_OK;
    }
    const char *shown = text_printable(arena, text, 80);
    if (*object == NULL) {
        return error_set(error, TARE_ERROR_MEASURE, "%s is not JSON (%s, column %d): %s", what,
                         text_printable(arena, at.text, 120), at.column, shown);
    }
    json_decref(*object);
    *object = NULL;
    return error_set(error, TARE_ERROR_MEASURE, "%s is not a JSON object: %s", what, shown);
}

const char *json_read_text(struct arena *arena, const json_t *object, const char *name,
                           const char *fallback)
{
    const char *text = json_string_value(json_object_get(object, name));
    return text != NULL ? arena_strdup(arena, text) : fallback;
}

char *json_read_dump(struct arena *arena, const json_t *value)
{
    char *text = json_dumps(value, JSON_COMPACT | JSON_ENCODE_ANY);
    char *copy = arena_strdup(arena, text != NULL ? text : "?");
    free(text);
    return copy;
}
