/* model.h: the plain records every layer shares. The words of the documentation are the names here.
 *
 * A run holds benchmarks; a benchmark holds metrics and launches; a metric holds every sample with
 * the launch it came from. All memory belongs to an arena; nothing here owns, opens or prints
 * anything. */
#ifndef TARE_MODEL_MODEL_H
#define TARE_MODEL_MODEL_H

#include "base/arena.h"
#include "base/error.h"
#include "model/limits.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum model_better { MODEL_LOWER_IS_BETTER, MODEL_HIGHER_IS_BETTER };

/* A metric of one run in a few numbers, so that comparing runs and drawing histories need not read
 * every sample. The launch is the unit. Logarithms are natural; detect/figures.h makes them. */
struct model_figures {
    bool is_known; /* false: not made; the samples have to be read */
    ptrdiff_t launches;
    ptrdiff_t count; /* samples */
    double median;   /* of all samples, as are these two */
    double min;
    double max;
    bool has_logs;          /* every launch has a positive median: the rest holds */
    double centre_log;      /* 20 % trimmed mean of the logs of the launches' medians */
    double centre_variance; /* of that centre, by how launches differ (Yuen); 0 for one launch */
    double mean_log;        /* mean of the logs of the launches' means */
    bool has_tail;          /* every launch has samples enough to speak of a worst tenth */
    double tail_log; /* trimmed mean of the logs of the launches' worst tenths (type-8 quantile) */
};

/* One quantity of a benchmark. */
struct model_metric {
    const char *name; /* "time", "throughput", "memory", "p99", the user's own */
    const char *unit; /* "ns", "B", "B/s", "1", … never empty: a plain number has unit "1" */
    enum model_better better;
    bool is_exact;     /* a count that must repeat bit for bit */
    double *values;    /* every sample */
    int32_t *launches; /* values[i] came from launch number launches[i] of the benchmark */
    ptrdiff_t count;
    ptrdiff_t capacity;
    const char *invalid_reason; /* NULL, or why this metric has no trustworthy value */
    struct model_figures figures;
};

enum model_launch_kind { MODEL_LAUNCH_TIMED, MODEL_LAUNCH_ALLOCATIONS, MODEL_LAUNCH_COUNTERS };

/* One process. What was varied on purpose is recorded, so that it can be repeated. */
struct model_launch {
    enum model_launch_kind kind;
    int64_t started_unix_ns;
    int32_t environment_padding_bytes; /* moves the stack */
    bool is_aslr_on;
    int32_t exit_status; /* as wait(2) tells it */
    double steal_ratio;  /* share of CPU time the hypervisor took meanwhile; NaN where unknown */
    double duration_ns;
};

struct model_parameter {
    const char *name;
    const char *value;
};

/* Log-linear histogram of one slice in latency mode, sparse. Bucket i covers: for i < 2^(bits+1)
 * the single value i; above, 2^bits buckets to each power of two (docs/protocol.md). Values are ns.
 */
struct model_histogram {
    int32_t launch;
    int32_t bits;
    ptrdiff_t bucket_count;
    int32_t *buckets;
    int64_t *counts;
    double max_ns;
    double min_ns;
};

enum model_state {
    MODEL_STATE_OK,
    MODEL_STATE_INVALID, /* measured, but not to be believed: a failed check, a deleted loop, NaN */
    MODEL_STATE_FAILED,  /* the program crashed, hung, or spoke nonsense */
    MODEL_STATE_SKIPPED, /* the program itself declined to run it */
};

enum model_check { MODEL_CHECK_NONE, MODEL_CHECK_PASSED, MODEL_CHECK_FAILED };

struct model_benchmark {
    const char *suite; /* program or command group; "" when there is only one */
    const char *name;
    struct model_parameter *parameters; /* sorted by name */
    ptrdiff_t parameter_count;
    const char *variant;        /* "" or which implementation of the benchmark */
    bool is_reference;          /* the variant the others are held against */
    const char *size_parameter; /* NULL, or the parameter to fit cost over */
    enum model_state state;
    const char *reason; /* NULL when state is OK */
    enum model_check check;
    const char *check_detail;     /* NULL, or what the check said */
    double iterations;            /* per slice; 1 for commands */
    double overhead_ns;           /* subtracted per iteration for loop and timer; 0 for commands */
    double timer_floor_ns;        /* latency mode: what an empty call reads; 0 elsewhere */
    struct model_metric *metrics; /* the first is the primary one */
    ptrdiff_t metric_count;
    ptrdiff_t metric_capacity;
    struct model_launch *launches;
    ptrdiff_t launch_count;
    ptrdiff_t launch_capacity;
    struct model_histogram *histograms;
    ptrdiff_t histogram_count;
    ptrdiff_t histogram_capacity;
    const char **warnings;
    ptrdiff_t warning_count;
    ptrdiff_t warning_capacity;
};

/* A fact with a name. Lists of them are sorted by key. */
struct model_field {
    const char *key;
    const char *value;
};

struct model_fields {
    struct model_field *items;
    ptrdiff_t count;
    ptrdiff_t capacity;
};

struct model_machine {
    char id[33]; /* 32 hex digits over the identity */
    struct model_fields
        identity; /* CPU model, cores, memory, GPU: another one cannot be compared */
    struct model_fields conditions; /* kernel, governor, microcode, virtualisation, compiler, … */
};

struct model_commit {
    bool is_known;
    const char *hash;
    const char *branch; /* "" when detached */
    const char *subject;
    bool is_dirty;
};

enum model_run_state {
    MODEL_RUN_RUNNING, /* still being measured, or the tool was killed meanwhile */
    MODEL_RUN_COMPLETE,
    MODEL_RUN_INTERRUPTED,
    MODEL_RUN_FAILED,
};

struct model_run {
    char id[27]; /* 26 characters, sortable by time (model_run_id_new) */
    int64_t started_unix_ns;
    int64_t finished_unix_ns; /* 0 while running */
    enum model_run_state state;
    const char *project;
    const char *command; /* how it was called, in shell words */
    const char *tare_version;
    uint64_t seed;
    double confidence; /* of the intervals shown, 0.99 */
    struct model_machine machine;
    struct model_fields environment; /* variables and settings that may matter */
    struct model_commit commit;
    struct model_benchmark *benchmarks;
    ptrdiff_t benchmark_count;
    ptrdiff_t benchmark_capacity;
    const char **warnings;
    ptrdiff_t warning_count;
    ptrdiff_t warning_capacity;
};

/* Building records. Strings are copied into the arena. Adding to a list may move it: a pointer to
 * an item is good until the next one is added. */
struct model_benchmark *model_run_add_benchmark(struct arena *arena, struct model_run *run);
/* The metric of that name, added when it is not there yet. */
struct model_metric *model_metric_get(struct arena *arena, struct model_benchmark *benchmark,
                                      const char *name, const char *unit, enum model_better better,
                                      bool is_exact);
const struct model_metric *model_metric_find(const struct model_benchmark *benchmark,
                                             const char *name);
void model_metric_add(struct arena *arena, struct model_metric *metric, double value,
                      int32_t launch);
/* Returns the new launch's number. */
int32_t model_launch_add(struct arena *arena, struct model_benchmark *benchmark,
                         struct model_launch launch);
struct model_histogram *model_histogram_add(struct arena *arena, struct model_benchmark *benchmark);
__attribute__((format(printf, 3, 4))) void model_benchmark_warn(struct arena *arena,
                                                                struct model_benchmark *benchmark,
                                                                const char *format, ...);
__attribute__((format(printf, 3, 4))) void model_run_warn(struct arena *arena,
                                                          struct model_run *run, const char *format,
                                                          ...);
void model_parameter_add(struct arena *arena, struct model_benchmark *benchmark, const char *name,
                         const char *value);
void model_field_set(struct arena *arena, struct model_fields *fields, const char *key,
                     const char *value);
const char *model_field_get(const struct model_fields *fields,
                            const char *key); /* NULL: not there */

/* "suite:name/variant n=64 size=1k": unique in a run, stable, for people and for patterns. */
char *model_benchmark_label(struct arena *arena, const struct model_benchmark *benchmark);

/* 26 characters of Crockford's base 32: 48 bits of milliseconds, then 80 random bits. */
void model_run_id_new(char id[27], int64_t unix_ns, uint64_t random_high, uint64_t random_low);

/* Fills machine->id from the identity fields (xxHash of "key=value\n" in order of keys). */
void model_machine_identify(struct model_machine *machine);

/* Names for people and for JSON; the parsers return false on an unknown name. */
const char *model_better_name(enum model_better better);
bool model_better_parse(const char *name, enum model_better *better);
const char *model_state_name(enum model_state state);
const char *model_run_state_name(enum model_run_state state);
const char *model_check_name(enum model_check check);

/* Value of a bucket's lower edge, its width, and the bucket a value falls into. */
int64_t model_histogram_bucket_low(int32_t bits, int32_t bucket);
int64_t model_histogram_bucket_width(int32_t bits, int32_t bucket);
int32_t model_histogram_bucket_of(int32_t bits, int64_t value);

/* Is this name acceptable: not empty, within the limit, valid UTF-8, no control characters. */
bool model_name_is_valid(const char *name);

#endif
