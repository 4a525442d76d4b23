/* import.h: other harnesses' result files become runs. Adding a format is a file import_NAME.c and
 * a row in import.c.
 *
 * A reader streams: it takes rows from an import_source and hands every value to an import_sink,
 * which gathers values by benchmark and passes benchmarks on when there are enough of them or the
 * run ends. So rows of one benchmark may stand anywhere in a file, and memory depends on neither
 * its size nor their order.
 *
 * What a value needs is said by the format, never guessed from a name: its unit, whether more is
 * better, and which process it came from. A metric whose direction the format leaves open is taken
 * only where the user says it (import_rule, `--metric`); else it is left out, with a warning that
 * names it.
 *
 * Point values: a benchmark without launches holds another tool's summaries (a mean, a median), not
 * samples. Nothing can be proven from them (model_benchmark_is_point). */
#ifndef TARE_CODEC_IMPORT_H
#define TARE_CODEC_IMPORT_H

#include "codec/import_source.h"
#include "model/model.h"

enum {
    IMPORT_HEAD_BYTES = 64 * 1024, /* what a format is recognised from */
    IMPORT_LEFT_OUT_MAX = 16,      /* names of metrics left out that are remembered */
};

/* What the user says about a metric whose direction the format leaves open, or instead of what the
 * format says. */
struct import_rule {
    const char *name;
    const char *unit; /* NULL: as the file says, or "1" */
    enum model_better better;
    bool is_exact;
};
/* "hits:higher", "loss[1]:lower", "nodes:lower:exact": NAME[UNIT]:DIRECTION. */
tare_status import_rule_parse(struct arena *arena, const char *text, struct import_rule *rule,
                              struct tare_error *error);

/* Which benchmark. Strings need to live until the call is over only. */
struct import_name {
    const char *suite; /* NULL and "" are the same */
    const char *name;
    const char *variant;
    const struct model_parameter *parameters; /* in any order */
    ptrdiff_t parameter_count;
};

/* One value of one metric. */
struct import_value {
    const char *metric;
    const char *unit;         /* as it is kept: "ns" for every time */
    const char *written_unit; /* as the file has it, when that is another; two in one metric are an
                                 error */
    enum model_better better;
    bool is_exact;
    double value;    /* in `unit`; not finite or negative: the metric becomes invalid */
    int64_t process; /* number of the process in the file, from 0; IMPORT_POINT: a summary */
};
enum { IMPORT_POINT = -1 };

struct import_sink;

/* The benchmark of this name, made when it is not there yet. The pointer is good until the next
 * call. State, reason, check and warnings may be set through it. */
tare_status import_benchmark(struct import_sink *sink, const struct import_name *name,
                             struct model_benchmark **benchmark, struct tare_error *error);
/* A value of the benchmark that import_benchmark gave last. */
tare_status import_add(struct import_sink *sink, const struct import_value *value,
                       struct tare_error *error);
/* The same for a metric whose direction the format leaves open. `unit` NULL: not said. */
tare_status import_add_open(struct import_sink *sink, const struct import_value *value,
                            struct tare_error *error);
/* The run's facts, to be filled at any time before its end. `started_unix_ns` stays 0 when the file
 * does not say. Machine facts that tell one machine from another go to machine.identity. */
struct model_run *import_run(struct import_sink *sink);
/* Ends the run; values after it belong to another. Not needed behind the last one. A run without
 * benchmarks is an error. */
tare_status import_run_end(struct import_sink *sink, struct tare_error *error);
/* For facts and texts that last as long as the run. */
struct arena *import_arena(struct import_sink *sink);
/* The position of a value, for messages: the source that is being read. */
void import_sink_read(struct import_sink *sink, struct import_source *source);

/* Where benchmarks and runs go. The records are gone when the call returns. */
struct import_output {
    void *context;
    /* A benchmark. `is_again`: perhaps more of one that was saved before (import_merge joins them).
     */
    tare_status (*save)(void *context, struct model_benchmark *benchmark, bool is_again,
                        struct tare_error *error);
    /* The run is over; its benchmarks have all been saved, and its facts are whole. */
    tare_status (*end)(void *context, struct model_run *run, struct tare_error *error);
};

/* Adds a later piece of a benchmark to an earlier one: launches keep their numbers, samples add up.
 * Other units or directions are TARE_ERROR_MEASURE. */
tare_status import_merge(struct arena *arena, struct model_benchmark *earlier,
                         const struct model_benchmark *later, struct tare_error *error);

struct import_options {
    struct import_output output;
    const struct import_rule *rules;
    ptrdiff_t rule_count;
};
struct import_sink *import_sink_new(const struct import_options *options);
void import_sink_free(struct import_sink *sink);

struct import_format {
    const char *name;        /* for --format */
    const char *description; /* one line for --help */
    const char *looked_for; /* what tells it: ends "… nor" in the message about an unknown file */
    /* From the first IMPORT_HEAD_BYTES bytes (a NUL stands behind them). */
    bool (*recognise)(const char *head, ptrdiff_t length, const char *path);
    tare_status (*read)(struct import_source *source, struct import_sink *sink,
                        struct tare_error *error);
    bool is_folder; /* the files of this format in one folder make one run together */
};

extern const struct import_format *const import_formats[]; /* ends in NULL */

/* By name; TARE_ERROR_USAGE with the nearest one. */
tare_status import_format_find(const char *name, const struct import_format **format,
                               struct tare_error *error);
/* By content: exactly one must fit. */
tare_status import_format_recognise(struct import_source *source,
                                    const struct import_format **format, struct tare_error *error);

/* ---- helpers of readers ---- */

/* Nanoseconds of a unit of time ("ns", "us", "µs", "ms", "s"); 0 when it is none. */
double import_time_factor(const char *unit);
/* Is there "key" as a key of JSON in the head, before any value could be confused with it? */
bool import_head_has_key(const char *head, const char *key);
/* The first byte of a JSON document in the head, behind blanks and noise: '{', '[' or 0. */
char import_head_bracket(const char *head);
/* Unix time of "2026-01-31T12:30:00.5+01:00" and the like; a time without a zone is taken as UTC.
 * 0 when it is no time. */
int64_t import_time_parse(const char *text);
/* Sets a fact that comes from a file: cut at the model's limits, made printable; "" is left out. */
void import_field(struct import_sink *sink, struct model_fields *fields, const char *key,
                  const char *value);

#endif
