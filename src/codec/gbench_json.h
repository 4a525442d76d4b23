/* gbench_json.h: what a program of Google Benchmark says: its list of names, and its results as
 * `--benchmark_out_format=json` writes them (versions 1.5 to 1.9 were looked at).
 *
 * A row is one repetition: time and CPU time of one iteration, turned into nanoseconds, and the few
 * counters whose direction the format fixes. Rows of aggregates (mean, median, BigO) are passed
 * over but counted: what they sum up is there, or should be. Other counters are passed over too:
 * nothing says whether more is better. Members that are not known are ignored; members that are
 * needed and missing, of another type, negative or not finite are an error that names the row.
 *
 * The library writes NaN and Infinity as bare words, which JSON does not have; they are read as
 * null. Cost: linear in the text. */
#ifndef TARE_CODEC_GBENCH_JSON_H
#define TARE_CODEC_GBENCH_JSON_H

#include "base/arena.h"
#include "base/error.h"

#include <stdbool.h>
#include <stddef.h>

/* Counters of a row that become metrics; the same order as gbench_counters. */
enum gbench_counter {
    GBENCH_BYTES_PER_SECOND,
    GBENCH_ITEMS_PER_SECOND,
    GBENCH_COUNTERS,
};

/* Their names in the format. */
extern const char *const gbench_counters[GBENCH_COUNTERS];

/* One repetition. */
struct gbench_row {
    const char *name;  /* of the benchmark, with its arguments */
    double iterations; /* ≥ 1, unless it failed */
    double time_ns;    /* of one iteration: wall, or what the benchmark sets itself */
    double cpu_ns;     /* of one iteration */
    double counters[GBENCH_COUNTERS]; /* NaN: not there */
    const char *failure;              /* NULL, or what it said to SkipWithError */
    const char *skip_reason;          /* NULL, or what it said to SkipWithMessage */
};

struct gbench_result {
    struct gbench_row *rows;
    ptrdiff_t count;
    ptrdiff_t aggregate_count; /* rows passed over */
    bool is_debug_library;     /* the library itself was built without NDEBUG, or says so */
};

/* The whole of a result file. Empty or cut off is an error. */
tare_status gbench_read_result(struct arena *arena, const char *text, ptrdiff_t length,
                               struct gbench_result *result, struct tare_error *error);

struct gbench_list {
    const char **names;
    ptrdiff_t count;
};

/* What `--benchmark_list_tests` prints: a name a line. `noise` is what the program prints when no
 * benchmark is selected; those lines are taken off. Output of a program that ran its benchmarks
 * instead is an error. */
tare_status gbench_read_list(struct arena *arena, const char *text, const char *noise,
                             struct gbench_list *list, struct tare_error *error);

/* A filter that selects this name and no other: POSIX extended, anchored, special characters
 * escaped. */
char *gbench_filter(struct arena *arena, const char *name);

#endif
