/* metric_pattern.h: a number in a program's output as a metric of its benchmark.
 *
 *   speed[tok/s]:higher=re:([0-9.]+) tok/s      POSIX extended regular expression with one group
 *   loss:lower=json:/eval/loss                  JSON pointer (RFC 6901)
 *   nodes[1]:lower:exact=re:^nodes ([0-9]+)$    a count that must repeat bit for bit
 *
 * NAME, [UNIT] if it has one, which direction is better, and where the number stands. An expression
 * is matched line by line and the last match in the output counts, since programs print their
 * summary at the end. A pointer is followed in the whole output if that is JSON, else in its last
 * line that is a JSON object or array. No match, no number, NaN and infinity are errors: never a
 * made-up value. */
#ifndef TARE_CODEC_METRIC_PATTERN_H
#define TARE_CODEC_METRIC_PATTERN_H

#include "base/arena.h"
#include "base/error.h"
#include "model/model.h"

enum {
    METRIC_EXPRESSION_BYTES_MAX = 1024,
    /* Length times repetitions such as {1,1000}: they multiply the memory a compiled expression
       takes. */
    METRIC_WRITTEN_OUT_BYTES_MAX = 8192,
    /* A longer line is refused by `re:`; matching takes time and memory in proportion. */
    METRIC_LINE_BYTES_MAX = 64 * 1024,
};

struct metric_pattern {
    const char *name;
    const char *unit; /* "1" when not said */
    enum model_better better;
    bool is_exact;
    bool is_json;
    const char *expression; /* regular expression or JSON pointer */
};

/* TARE_ERROR_USAGE on every mistake. */
tare_status metric_pattern_parse(struct arena *arena, const char *text,
                                 struct metric_pattern *pattern, struct tare_error *error);

/* The value in `length` bytes of output (with a NUL behind them), finite; else TARE_ERROR_MEASURE.
 * `arena` is for messages.
 */
tare_status metric_pattern_extract(struct arena *arena, const struct metric_pattern *pattern,
                                   const char *output, ptrdiff_t length, double *value,
                                   struct tare_error *error);

#endif
