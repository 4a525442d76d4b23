#include "codec/import_json.h"

#include "base/text.h"
#include "base/unit.h"

#include <math.h>
#include <string.h>

static tare_status first_token(struct import_json *json, char bracket, struct tare_error *error)
{
    tare_status status = json_stream_next(json->stream, error);
    enum json_event wanted = bracket == '{' ? JSON_EVENT_OBJECT : JSON_EVENT_ARRAY;
    if (status == TARE_OK && json->stream->event != wanted) {
        status = import_fail(json->source, error, "%s where %s should stand",
                             json_stream_shown(json->stream, json->arena),
                             bracket == '{' ? "an object" : "a list");
    }
    return status;
}

tare_status import_json_open(struct import_json *json, struct import_source *source,
                             struct import_sink *sink, char bracket, struct tare_error *error)
{
    *json = (struct import_json){.source = source, .sink = sink};
    json->arena = &json->items;
    json->stream = json_stream_new(&json->lasting, source);
    import_sink_read(sink, source);
    bool is_found = false;
    tare_status status = import_json_next(json, bracket, &is_found, error);
    if (status == TARE_OK && !is_found) {
        status = import_fail(source, error, "no JSON in it");
    }
    return status;
}

tare_status import_json_next(struct import_json *json, char bracket, bool *is_there,
                             struct tare_error *error)
{
    tare_status status = json_stream_find(json->stream, is_there, error);
    return status == TARE_OK && *is_there ? first_token(json, bracket, error) : status;
}

void import_json_close(struct import_json *json)
{
    arena_free(&json->items);
    arena_free(&json->lasting);
}

void import_json_forget(struct import_json *json)
{
    arena_free(json->arena);
}

tare_status import_json_expect(struct import_json *json, const char *what, struct tare_error *error)
{
    return json->stream->event == JSON_EVENT_OBJECT
               ? TARE_OK
               : import_fail(json->source, error, "%s where %s should stand",
                             json_stream_shown(json->stream, json->arena), what);
}

/* ---- values ---- */

bool import_number_parse(const char *text, double *number)
{
    static const struct {
        const char *name;
        double value;
    } words[] = {{"NaN", NAN},           {"nan", NAN},
                 {"-NaN", NAN},          {"+INF", INFINITY},
                 {"INF", INFINITY},      {"-INF", -INFINITY},
                 {"inf", INFINITY},      {"-inf", -INFINITY},
                 {"Infinity", INFINITY}, {"-Infinity", -INFINITY}};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        if (strcmp(words[i].name, text) == 0) {
            *number = words[i].value;
            return true;
        }
    }
    return unit_parse_double(text, number);
}

void import_numbers_add(struct arena *arena, struct import_numbers *numbers, double value)
{
    numbers->items = arena_grow(arena, numbers->items, &numbers->capacity, numbers->count + 1,
                                (ptrdiff_t)sizeof *numbers->items);
    numbers->items[numbers->count++] = value;
}

tare_status import_json_items(struct import_json *json, struct import_numbers *numbers,
                              struct tare_error *error)
{
    struct json_stream *stream = json->stream;
    tare_status status = TARE_OK;
    while (json_stream_item(stream, &status, error)) {
        double value = stream->event == JSON_EVENT_NUMBER ? stream->number : NAN;
        bool is_number =
            stream->event == JSON_EVENT_NUMBER || stream->event == JSON_EVENT_NULL ||
            (stream->event == JSON_EVENT_TEXT && import_number_parse(stream->text, &value));
        if (!is_number) {
            return import_fail(json->source, error, "%s where a number should stand",
                               json_stream_shown(stream, json->arena));
        }
        if (numbers->count >= MODEL_SAMPLES_MAX) {
            return import_fail(json->source, error, "a list of more than %d numbers",
                               MODEL_SAMPLES_MAX);
        }
        import_numbers_add(json->arena, numbers, value);
    }
    return status;
}

tare_status import_json_numbers(struct import_json *json, struct import_numbers *numbers,
                                struct tare_error *error)
{
    bool is_there = false;
    tare_status status = json_stream_array(json->stream, &is_there, error);
    return status == TARE_OK && is_there ? import_json_items(json, numbers, error) : status;
}

tare_status import_json_scalar(struct import_json *json, const char **text,
                               struct tare_error *error)
{
    struct json_stream *stream = json->stream;
    *text = NULL;
    tare_status status = json_stream_next(stream, error);
    if (status != TARE_OK) {
        return status;
    }
    switch (stream->event) {
    case JSON_EVENT_TEXT:
    case JSON_EVENT_NUMBER:
        *text = arena_strndup(json->arena, stream->text, stream->text_length);
        return TARE_OK;
    case JSON_EVENT_TRUE:
    case JSON_EVENT_FALSE:
        *text = stream->event == JSON_EVENT_TRUE ? "true" : "false";
        return TARE_OK;
    case JSON_EVENT_NULL:
        *text = "";
        return TARE_OK;
    default:
        return json_stream_skip(stream, error);
    }
}

tare_status import_json_pairs(struct import_json *json, struct import_pairs *pairs,
                              struct tare_error *error)
{
    bool is_there = false;
    tare_status status = json_stream_object(json->stream, &is_there, error);
    while (is_there && json_stream_key(json->stream, &status, error)) {
        if (pairs->count == MODEL_PARAMETERS_MAX) {
            return import_fail(json->source, error, "more than %d parameters",
                               MODEL_PARAMETERS_MAX);
        }
        const char *name = arena_strdup(json->arena, json->stream->text);
        const char *value = NULL;
        status = import_json_scalar(json, &value, error);
        if (status == TARE_OK && value != NULL) {
            pairs->items[pairs->count++] = (struct model_parameter){.name = name, .value = value};
        }
    }
    return status;
}

tare_status import_json_member(struct import_json *json, const struct import_member *table,
                               bool *is_known, struct tare_error *error)
{
    for (; table->key != NULL; table++) {
        if (json_stream_is_key(json->stream, table->key)) {
            *is_known = true;
            return table->text != NULL
                       ? json_stream_text(json->stream, json->arena, table->text, error)
                   : table->number != NULL ? json_stream_number(json->stream, table->number, error)
                                           : json_stream_bool(json->stream, table->flag, error);
        }
    }
    *is_known = false;
    return TARE_OK;
}
