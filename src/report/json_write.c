#include "report/json_write.h"

#include "base/assert.h"
#include "base/text.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* jansson refuses text that is not UTF-8; such names are shown as they are printed. */
json_t *json_write_text(struct arena *arena, const char *text)
{
    if (text == NULL) {
        return json_null();
    }
    if (text_is_utf8(text, (ptrdiff_t)strlen(text))) {
        return json_string(text);
    }
    return json_string(text_printable(arena, text, 0));
}

/* A number that is not finite is unknown. */
json_t *json_write_number(double value)
{
    return isfinite(value) ? json_real(value) : json_null();
}

json_t *json_write_pair(bool is_defined, double low, double high)
{
    return is_defined ? json_pack("[o,o]", json_write_number(low), json_write_number(high))
                      : json_null();
}

json_t *json_write_fields(struct arena *arena, const struct model_fields *fields)
{
    json_t *object = json_object();
    for (ptrdiff_t i = 0; i < fields->count; i++) {
        json_object_set_new(object, text_printable(arena, fields->items[i].key, 0),
                            json_write_text(arena, fields->items[i].value));
    }
    return object;
}

json_t *json_write_texts(struct arena *arena, const char *const *texts, ptrdiff_t count)
{
    json_t *array = json_array();
    for (ptrdiff_t i = 0; i < count; i++) {
        json_array_append_new(array, json_write_text(arena, texts[i]));
    }
    return array;
}

json_t *json_write_machine(struct arena *arena, const struct model_machine *machine)
{
    json_t *object = json_object();
    json_object_set_new(object, "id", json_string(machine->id));
    json_object_set_new(object, "identity", json_write_fields(arena, &machine->identity));
    json_object_set_new(object, "conditions", json_write_fields(arena, &machine->conditions));
    return object;
}

void json_write_dump(struct buffer *out, json_t *root)
{
    char *text = json_dumps(root, JSON_INDENT(1));
    TARE_ASSERT(text != NULL);
    buffer_text(out, text);
    buffer_char(out, '\n');
    free(text);
    json_decref(root);
}
