/* run_json.h: a run as JSON, kind "run": fields may be added, never renamed. */
#ifndef TARE_REPORT_RUN_JSON_H
#define TARE_REPORT_RUN_JSON_H

#include "base/buffer.h"
#include "model/model.h"

void report_run_json(struct buffer *out, const struct model_run *run, bool with_samples,
                     int exit_code);

#endif
