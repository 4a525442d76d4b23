/* capture.h: runs a child and keeps what it prints, while it prints it.
 *
 * A child that floods is stopped at the limit, one that leaves its pipes to others is not waited
 * for beyond its own end. Its time includes waiting for us when it prints faster than we read; runs
 * whose output nobody wants go to /dev/null instead (process_run). */
#ifndef TARE_OS_CAPTURE_H
#define TARE_OS_CAPTURE_H

#include "base/buffer.h"
#include "os/channel.h"
#include "os/process.h"

struct capture {
    struct buffer *output;    /* NULL: standard output goes where the spec says */
    bool has_errors;          /* keep the end of standard error; else it goes where the spec says */
    struct channel_tail tail; /* of standard error */
};

/* As process_run; more output than the buffer's limit kills the child and is TARE_ERROR_MEASURE. */
tare_status capture_run(const struct process_spec *spec, double timeout_ns, struct capture *capture,
                        struct process_usage *usage, struct tare_error *error);

#endif
