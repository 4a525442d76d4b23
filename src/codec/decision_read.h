/* decision_read.h: a comparison comes back from the JSON that was printed and kept
 * (report/comparison_json.h writes it).
 *
 * Fields may be added over time, never renamed: what a text does not have is left out here too. A
 * text that is no comparison, or whose figures cannot be, is TARE_ERROR_MEASURE with the reason. */
#ifndef TARE_CODEC_DECISION_READ_H
#define TARE_CODEC_DECISION_READ_H

#include "model/comparison.h"

struct decision_document {
    struct model_decision decision;
    struct model_machine machine;
    int exit_code;
};

/* `what` names the text in messages. */
tare_status decision_read(struct arena *arena, const char *text, const char *what,
                          struct decision_document *document, struct tare_error *error);

#endif
