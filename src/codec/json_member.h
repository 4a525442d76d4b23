/* json_member.h: a JSON tree read member by member, strictly, with the place in every message:
 * "'main.json': run.benchmarks[3].iterations is not a number".
 *
 * A place lives on the C stack, one for every level of the tree. The first error sticks in the
 * reading; what is read after it is thrown away, so that a reader is a list of members and looks at
 * the status once. json_place_… read a value, json_member_… the member of that name of an object.
 * Texts are copied into the arena. */
#ifndef TARE_CODEC_JSON_MEMBER_H
#define TARE_CODEC_JSON_MEMBER_H

#include "model/model.h"

#include <jansson.h>

/* Where in the document: run . benchmarks [3] . name. */
struct json_place {
    const struct json_place *parent;
    const char *name; /* NULL: the item with this index */
    ptrdiff_t index;
};

struct json_reading {
    struct arena *arena;
    const char *what; /* names the document in messages */
    tare_status status;
    struct tare_error *error;
};

/* Records "WHAT: PLACE PROBLEM" as TARE_ERROR_MEASURE, unless there is an error already. */
void json_place_fail(struct json_reading *reading, const struct json_place *at,
                     const char *problem);

/* An object with exactly these members? The list ends in NULL. */
bool json_place_object(struct json_reading *reading, const struct json_place *at,
                       const json_t *object, const char *const *members);
/* The number of items of an array of at most count_max; −1 when it is none. */
ptrdiff_t json_place_array(struct json_reading *reading, const struct json_place *at,
                           const json_t *array, ptrdiff_t count_max);
/* NULL for null. Bytes that are not UTF-8 stand as {"hex": "…"}. */
const char *json_place_text(struct json_reading *reading, const struct json_place *at,
                            const json_t *value);
int64_t json_place_integer(struct json_reading *reading, const struct json_place *at,
                           const json_t *value, int64_t low, int64_t high);
/* A finite number that a double holds exactly as it is written. */
double json_place_number(struct json_reading *reading, const struct json_place *at,
                         const json_t *value);
bool json_place_bool(struct json_reading *reading, const struct json_place *at,
                     const json_t *value);
/* The place of a text in a list of words that ends in NULL. */
int json_place_choice(struct json_reading *reading, const struct json_place *at,
                      const json_t *value, const char *const *words);

const char *json_member_text(struct json_reading *reading, const struct json_place *parent,
                             const json_t *object, const char *name);
/* A text that must be there; never NULL. */
const char *json_member_word(struct json_reading *reading, const struct json_place *parent,
                             const json_t *object, const char *name);
/* What model_name_is_valid takes, or "" where that is allowed. */
const char *json_member_name(struct json_reading *reading, const struct json_place *parent,
                             const json_t *object, const char *name, bool may_be_empty);
int64_t json_member_integer(struct json_reading *reading, const struct json_place *parent,
                            const json_t *object, const char *name, int64_t low, int64_t high);
double json_member_number(struct json_reading *reading, const struct json_place *parent,
                          const json_t *object, const char *name);
bool json_member_bool(struct json_reading *reading, const struct json_place *parent,
                      const json_t *object, const char *name);
int json_member_choice(struct json_reading *reading, const struct json_place *parent,
                       const json_t *object, const char *name, const char *const *words);
/* An array of texts. */
void json_member_texts(struct json_reading *reading, const struct json_place *parent,
                       const json_t *object, const char *name, const char ***texts,
                       ptrdiff_t *count);
/* An object of texts. */
void json_member_fields(struct json_reading *reading, const struct json_place *parent,
                        const json_t *object, const char *name, struct model_fields *fields);

#endif
