/* failure_json.h: a command that could not answer says so in JSON too. */
#ifndef TARE_REPORT_FAILURE_JSON_H
#define TARE_REPORT_FAILURE_JSON_H

#include "base/buffer.h"

/* {"tare": 1, "kind": "failure", "command": …, "exit": …, "message": …} */
void report_failure_json(struct buffer *out, const char *command, const char *message,
                         int exit_code);

#endif
