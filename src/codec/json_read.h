/* json_read.h: a few steps every reader of JSON repeats, on top of jansson. */
#ifndef TARE_CODEC_JSON_READ_H
#define TARE_CODEC_JSON_READ_H

#include "base/arena.h"
#include "base/error.h"

#include <jansson.h>

/* Parses a text that must be one JSON object; duplicate keys are refused. `what` names it in the
 * error. The caller releases it with json_decref (NULL is fine). */
tare_status json_read_object(struct arena *arena, const char *text, const char *what,
                             json_t **object, struct tare_error *error);
/* A copy of a text member, or `fallback` when it is missing or no text. */
const char *json_read_text(struct arena *arena, const json_t *object, const char *name,
                           const char *fallback);
/* The value as compact JSON, for messages. */
char *json_read_dump(struct arena *arena, const json_t *value);

#endif
