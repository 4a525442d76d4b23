/* import_json.h: the steps that readers of JSON result files repeat. Of no use elsewhere. */
#ifndef TARE_CODEC_IMPORT_JSON_H
#define TARE_CODEC_IMPORT_JSON_H

#include "codec/import_formats.h"
#include "codec/json_stream.h"

/* A file being read. */
struct import_json {
    struct import_source *source;
    struct import_sink *sink;
    struct json_stream *stream;
    struct arena lasting; /* of the whole file */
    struct arena *arena;  /* of one item of it; emptied by import_json_forget */
    struct arena items;
};

/* Goes to the first token of the first document: an object or an array, as `bracket` says. */
tare_status import_json_open(struct import_json *json, struct import_source *source,
                             struct import_sink *sink, char bracket, struct tare_error *error);
/* The next document of the same kind; *is_there is false when there is none. */
tare_status import_json_next(struct import_json *json, char bracket, bool *is_there,
                             struct tare_error *error);
void import_json_close(struct import_json *json);
void import_json_forget(struct import_json *json);

/* The current token must begin an object. `what` is what should stand there. */
tare_status import_json_expect(struct import_json *json, const char *what,
                               struct tare_error *error);

struct import_numbers {
    double *items;
    ptrdiff_t count;
    ptrdiff_t capacity;
};
/* The list behind the current key; its items must be numbers, null (NaN), or numbers written as
 * text
 * ("NaN", "-INF"). */
tare_status import_json_numbers(struct import_json *json, struct import_numbers *numbers,
                                struct tare_error *error);
/* The same when the list's begin is the current token. */
tare_status import_json_items(struct import_json *json, struct import_numbers *numbers,
                              struct tare_error *error);
void import_numbers_add(struct arena *arena, struct import_numbers *numbers, double value);

/* The scalar behind the current key as text, "" for null; lists and objects are passed over and
 * give NULL. */
tare_status import_json_scalar(struct import_json *json, const char **text,
                               struct tare_error *error);
/* The scalars of the object behind the current key. */
struct import_pairs {
    struct model_parameter items[MODEL_PARAMETERS_MAX];
    ptrdiff_t count;
};
tare_status import_json_pairs(struct import_json *json, struct import_pairs *pairs,
                              struct tare_error *error);

/* A table of members that are read the same way everywhere: one of the three is not NULL. */
struct import_member {
    const char *key;
    const char **text;
    double *number;
    bool *flag;
};
/* Reads the value behind the current key when it is in the table; *is_known says whether. The table
 * ends in a row without key. */
tare_status import_json_member(struct import_json *json, const struct import_member *table,
                               bool *is_known, struct tare_error *error);
/* A finite number, "NaN", "-INF" and the like in a text; false when it is none. */
bool import_number_parse(const char *text, double *number);

#endif
