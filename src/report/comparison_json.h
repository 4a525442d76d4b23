/* comparison_json.h: a comparison as JSON, kind "comparison": fields may be added, never renamed.
 */
#ifndef TARE_REPORT_COMPARISON_JSON_H
#define TARE_REPORT_COMPARISON_JSON_H

#include "base/buffer.h"
#include "model/comparison.h"

void report_comparison_json(struct buffer *out, const struct model_decision *decision,
                            const struct model_machine *machine, int exit_code);

#endif
