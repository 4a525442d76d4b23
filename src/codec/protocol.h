/* protocol.h: the lines of protocol v1 (docs/protocol.md) ↔ plain records.
 *
 * Every reader takes one line from a program that may be broken or hostile, and gives a record that
 * is within the model's limits, or an error that says what was wrong with the line. */
#ifndef TARE_CODEC_PROTOCOL_H
#define TARE_CODEC_PROTOCOL_H

#include "base/buffer.h"
#include "model/model.h"

enum { PROTOCOL_VERSION = 1 };

struct protocol_hello {
    const char *harness;  /* "" when not said */
    const char *compiler; /* "" when not said */
    double timer_ns; /* of one timed region and of one loop pass, already subtracted; 0: not said */
    double loop_ns;
    double timer_floor_ns;
    bool can_count_allocations;
    bool can_count_counters;
    bool can_count_instructions;  /* it runs under Valgrind and marks its loops */
    bool is_unoptimized;          /* built without optimisation, by its own account */
    const char *counters_missing; /* NULL, or why there are none */
};

/* A metric a benchmark has declared. */
struct protocol_metric {
    const char *name;
    const char *unit;
    enum model_better better;
    bool is_exact;
};

struct protocol_listed {
    const char *name;
    struct model_parameter *parameters; /* as listed, not sorted */
    ptrdiff_t parameter_count;
    const char *variant; /* "" */
    bool is_reference;
    struct protocol_metric *metrics;
    ptrdiff_t metric_count;
    const char *skip_reason;    /* NULL */
    const char *size_parameter; /* NULL, or the parameter to fit cost over */
};

struct protocol_opened {
    enum model_check check;
    const char *check_detail; /* NULL */
    const char *skip_reason;  /* NULL */
};

struct protocol_value {
    const char *name;
    double value;
};

/* A slice that was declined, or whose check failed, has nothing else in it. */
struct protocol_slice {
    const char *skip_reason; /* NULL */
    bool is_check_failed;
    const char *check_detail; /* NULL */
    double time_ns;
    double overhead_ns;
    bool is_deleted;
    double scaled; /* share of the time counted, 1 when all of it */
    struct protocol_value *values;
    ptrdiff_t value_count;
    bool has_histogram;
    struct model_histogram histogram;
};

enum protocol_count {
    PROTOCOL_COUNT_NONE,
    PROTOCOL_COUNT_ALLOCATIONS,
    PROTOCOL_COUNT_COUNTERS,
    PROTOCOL_COUNT_INSTRUCTIONS, /* by Valgrind, from outside: the reply holds no number */
};

/* Requests, each with its newline. */
void protocol_write_hello(struct buffer *out);
void protocol_write_simple(struct buffer *out, const char *operation); /* list, quit */
void protocol_write_benchmark(struct buffer *out, const char *operation, ptrdiff_t benchmark);
void protocol_write_run(struct buffer *out, ptrdiff_t benchmark, double iterations,
                        enum protocol_count count);

/* Replies. */
tare_status protocol_read_hello(struct arena *arena, const char *line, struct protocol_hello *hello,
                                struct tare_error *error);
/* A benchmark's line sets *is_end to false and fills `listed`; the last line sets it to true.
 * `count` is how many were listed so far: numbers must be in order, and the last line must agree.
 */
tare_status protocol_read_listed(struct arena *arena, const char *line, ptrdiff_t count,
                                 struct protocol_listed *listed, bool *is_end,
                                 struct tare_error *error);
tare_status protocol_read_opened(struct arena *arena, const char *line,
                                 struct protocol_opened *opened, struct tare_error *error);
tare_status protocol_read_slice(struct arena *arena, const char *line, double iterations,
                                struct protocol_slice *slice, struct tare_error *error);
tare_status protocol_read_done(struct arena *arena, const char *line, const char *operation,
                               struct tare_error *error);

#endif
