/* json_write.h: the steps every JSON report repeats, on top of jansson. */
#ifndef TARE_REPORT_JSON_WRITE_H
#define TARE_REPORT_JSON_WRITE_H

#include "base/buffer.h"
#include "model/model.h"

#include <jansson.h>

/* Text, null for NULL; what is not UTF-8 is written as it is printed. */
json_t *json_write_text(struct arena *arena, const char *text);
/* A number; one that is not finite is unknown and becomes null. */
json_t *json_write_number(double value);
/* [low, high], or null. */
json_t *json_write_pair(bool is_defined, double low, double high);
json_t *json_write_fields(struct arena *arena, const struct model_fields *fields);
json_t *json_write_texts(struct arena *arena, const char *const *texts, ptrdiff_t count);
json_t *json_write_machine(struct arena *arena, const struct model_machine *machine);
/* Appends the document with a newline, and releases it. */
void json_write_dump(struct buffer *out, json_t *root);

#endif
