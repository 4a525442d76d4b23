/* client.h: what the files of libtare share. Nothing here is visible outside the library.
 *
 * A program that links libtare registers benchmarks before main (registry.c). tare_main describes
 * them and expands parameters and variants into cases (a benchmark, one of its variants, one value
 * per parameter), then either answers requests (protocol.c) or measures by itself (alone.c). Both
 * open a case (session.c), run slices of it (slice.c), and close it. */
#ifndef TARE_CLIENT_CLIENT_H
#define TARE_CLIENT_CLIENT_H

#include "base/arena.h"
#include "base/buffer.h"
#include "base/error.h"
#include "tare/tare.h"

#include <stdbool.h>
#include <stdint.h>

enum {
    CLIENT_PARAMETERS_MAX = 8, /* of one benchmark: a product of more has too many cases to run */
    CLIENT_VALUES_MAX = 4096,  /* of one parameter */
    CLIENT_METRICS_MAX = 24,   /* of one's own, per benchmark; their values live in the state */
    CLIENT_CASES_MAX = 100000, /* as many as `tare` takes */
    CLIENT_THREADS_MAX = 1024, /* of one case */
    CLIENT_NAME_BYTES_MAX = 1024, /* docs/protocol.md */
    CLIENT_TEXT_BYTES_MAX = 240,  /* a reason or a check's detail, kept in the state */
    CLIENT_STATE_BYTES_MAX = 2048 /* of one state, buffers aside */
};

struct client_parameter {
    const char *name;
    const char **texts;
    int64_t *values; /* NULL when some value is not an integer */
    ptrdiff_t count;
    bool is_threads; /* declared with tare_threads */
};

struct client_metric {
    const char *name;
    const char *unit;
    enum tare_better better;
    bool is_exact;
};

struct client_variant {
    const char *name; /* "" when the benchmark has only one */
    tare_function *body;
    bool is_reference;
};

struct client_benchmark {
    const struct tare_registration *registration;
    const char *name;
    struct client_variant *variants; /* the first is the reference */
    ptrdiff_t variant_count;
    ptrdiff_t variant_capacity;
    struct client_parameter parameters[CLIENT_PARAMETERS_MAX];
    ptrdiff_t parameter_count;
    struct client_metric metrics[CLIENT_METRICS_MAX];
    ptrdiff_t metric_count;
    const char *reference_name;
    const char *size_parameter; /* or NULL */
    uint64_t batch_max;         /* 0: no limit */
    tare_function *setup, *teardown, *check;
    void (*launch_setup)(void);
    void (*launch_teardown)(void);
};

/* One row of the table: numbers into the benchmark's variants and parameter values. */
struct client_case {
    const struct client_benchmark *benchmark;
    const struct client_variant *variant;
    int32_t choices[CLIENT_PARAMETERS_MAX];
};

/* What an empty measurement costs here; see calibrate.c. */
struct client_calibration {
    double timer_ns;       /* one timed region around nothing */
    double loop_ns;        /* one pass of an empty TARE_LOOP */
    double timer_floor_ns; /* what an empty pass of TARE_LOOP_LATENCY reads */
    double latency_ns;     /* what such a pass costs in all */
};

struct client {
    struct arena *arena;
    struct client_benchmark *benchmarks;
    ptrdiff_t benchmark_count;
    ptrdiff_t benchmark_capacity;
    struct client_case *cases;
    ptrdiff_t case_count;
    ptrdiff_t case_capacity;
    struct tare_state **states;               /* by case: open, or NULL */
    const struct client_benchmark **launched; /* whose launch set-up has run, oldest first */
    ptrdiff_t launched_count;
    ptrdiff_t launched_capacity;
    struct client_calibration calibration;
    /* An empty loop of so many passes, timed now; NULL (in tests): the calibration's figure serves.
     */
    double (*empty_loop_ns)(struct client *client, uint64_t passes);
    struct tare_error error; /* a wrong description; the first one */
};

/* The description handed to TARE_DESCRIBE. */
struct tare_description {
    struct client *client;
    struct client_benchmark *benchmark;
};

enum client_phase {
    CLIENT_PHASE_IDLE,   /* not in a body */
    CLIENT_PHASE_BEFORE, /* in a body, loop not reached */
    CLIENT_PHASE_LOOP,
    CLIENT_PHASE_AFTER,
};

enum client_count {
    CLIENT_COUNT_TIME,
    CLIENT_COUNT_ALLOCATIONS,
    CLIENT_COUNT_COUNTERS,
    CLIENT_COUNT_INSTRUCTIONS, /* by Valgrind, from outside */
};

/* The body against an empty loop, when there is doubt whether it holds any work (slice.c). */
struct client_probe {
    int32_t count;
    double body_ns, empty_ns; /* smallest of all tries */
};

enum client_outcome { CLIENT_OUTCOME_OK, CLIENT_OUTCOME_SKIPPED, CLIENT_OUTCOME_FAILED };

/* Log-linear histogram of latencies, 7 bits (docs/protocol.md). 7296 buckets reach every int64. */
enum { CLIENT_HISTOGRAM_BITS = 7, CLIENT_HISTOGRAM_BUCKETS = 57 << 7 };
struct client_histogram {
    uint64_t total;
    int64_t min_ns, max_ns;
    double sum_ns;
    uint64_t counts[CLIENT_HISTOGRAM_BUCKETS];
};

/* A result handed over by a body, copied while checking. */
struct client_result {
    void *bytes; /* from malloc, or NULL */
    size_t size_bytes;
    bool is_near; /* doubles, within `tolerance`; else bit for bit */
    double tolerance;
    bool is_given;
};

/* Heap use, as counted by the shim or the wrapped functions (alloc.h). */
struct client_heap {
    uint64_t allocations;
    uint64_t allocated_bytes;
    int64_t live_bytes;
    int64_t peak_live_bytes; /* over live_bytes when the region began */
};

/* CPU counters of one region; names in counters.c. */
enum { CLIENT_COUNTERS = 5 };
struct client_counter_values {
    double values[CLIENT_COUNTERS];
    bool is_there[CLIENT_COUNTERS];
    double scaled; /* smallest share of the time that was counted; 1 when all of it */
};

struct client_team;
struct client_counter_set;

struct tare_state {
    struct client *client;
    const struct client_case *subject;
    struct client_team *team; /* NULL: one thread */
    struct client_histogram *histogram;
    struct client_counter_set *counter_set; /* only while counting */
    void *data;
    uint64_t iterations;
    int64_t start_ns, end_ns; /* of the newest call's loop; in latency mode first of each pass */
    int64_t region_start_ns;  /* latency mode: the loop's start while start_ns follows the passes */
    int32_t thread_index, thread_count;
    enum client_phase phase;
    enum client_count count;
    enum client_outcome outcome;
    struct client_probe probe;
    bool is_checking;     /* results are copied, nothing is timed */
    bool is_check_failed; /* some expectation did not hold */
    bool is_check_made;   /* some expectation was looked at */
    bool is_latency;
    bool is_arrived; /* met the other threads in this call */
    bool is_setup_done;
    double work_bytes, work_items, work_flops; /* per iteration */
    double reported[CLIENT_METRICS_MAX];
    uint32_t reported_mask;
    struct client_heap heap_before, heap;
    struct client_counter_values counters;
    struct client_result result;
    char reason[CLIENT_TEXT_BYTES_MAX]; /* why skipped or failed */
    char detail[CLIENT_TEXT_BYTES_MAX]; /* the first expectation that did not hold */
};
_Static_assert(sizeof(struct tare_state) <= CLIENT_STATE_BYTES_MAX,
               "libtare promises a small state");

/* ---- registry.c: what was registered before main → benchmarks and cases */
void client_registry_load(struct client *client);
void client_case_name(const struct client_case *subject, struct buffer *out); /* name/variant */
/* "name/variant n=64 size=1k": for people and for --filter. */
void client_case_label(const struct client_case *subject, struct buffer *out);
bool client_name_is_valid(const char *name);

/* ---- values.c: "1,2,4", "4..64*2", "1..10+1" */
tare_status client_values_parse(struct arena *arena, const char *text,
                                struct client_parameter *parameter, struct tare_error *error);

/* ---- check.c: expectations; compares a variant's result with the reference's */
void client_result_compare(struct tare_state *state, const struct client_result *want);

/* ---- session.c: open, check, close */
enum client_check { CLIENT_CHECK_NONE, CLIENT_CHECK_PASSED, CLIENT_CHECK_FAILED };
struct client_opened {
    enum client_outcome outcome;
    enum client_check check;
    const char *text; /* reason or detail; lives until the case is closed */
};
struct client_opened client_open(struct client *client, ptrdiff_t index);
void client_close(struct client *client, ptrdiff_t index);
void client_end(struct client *client); /* closes all, tears launches down */
struct tare_state *client_state_new(struct client *client, const struct client_case *subject);
void client_state_free(struct tare_state *state);

/* ---- slice.c: run N iterations */
/* What tare_bytes, tare_items and tare_flops become. */
enum { CLIENT_RATES = 3 };
extern const struct client_metric client_rates[CLIENT_RATES];
enum { CLIENT_SLICE_METRICS_MAX = CLIENT_METRICS_MAX + CLIENT_COUNTERS + CLIENT_RATES };
struct client_slice {
    uint64_t iterations;
    double time_ns;     /* net, of all iterations */
    double overhead_ns; /* what was subtracted */
    bool is_deleted;
    double scaled; /* counters: share of the time counted; 0 when it does not apply */
    const struct client_histogram *histogram; /* latency mode, else NULL */
    struct client_slice_metric {
        const char *name;
        double value;
    } metrics[CLIENT_SLICE_METRICS_MAX];
    ptrdiff_t metric_count;
};
/* False: the case failed or was skipped meanwhile; state->outcome and state->reason say how. */
bool client_slice_run(struct tare_state *state, uint64_t iterations, enum client_count count,
                      struct client_slice *slice);
/* One call of the body with this many iterations in every thread; false when it failed. */
bool client_body_call(struct tare_state *state, uint64_t iterations);
/* The same in the calling thread alone, for one member of a team. */
void client_body_call_here(struct tare_state *state, uint64_t iterations);

/* ---- team.c: threads of one case, released together */
struct client_team *client_team_new(struct tare_state *leader, int thread_count);
void client_team_free(struct client_team *team);
void client_team_call(struct client_team *team, uint64_t iterations);
void client_team_arrive(struct client_team *team); /* returns when all have arrived */
void client_team_leave(struct client_team *team);  /* a thread's loop has ended; does not wait */
struct tare_state *client_team_member(struct client_team *team, int index);

/* ---- calibrate.c */
struct client_calibration client_calibrate(struct client *client);
double client_empty_loop_ns(struct client *client, uint64_t passes);

/* ---- valgrind.c: requests that do nothing outside of it */
bool client_valgrind_is_there(void);
void client_valgrind_slice_begin(void); /* a counted slice */
void client_valgrind_slice_end(void);
void client_valgrind_toggle(void); /* at both ends of a loop, in each thread */

/* ---- histogram.c */
void client_histogram_clear(struct client_histogram *histogram);
void client_histogram_add(struct client_histogram *histogram, int64_t value_ns);
void client_histogram_merge(struct client_histogram *into, const struct client_histogram *from);
int64_t client_histogram_bucket_low(int32_t bucket);
int64_t client_histogram_bucket_width(int32_t bucket);
int32_t client_histogram_bucket_of(int64_t value_ns);
/* The value below or at which the share of all lies: upper edge of its bucket, at most the maximum.
 */
double client_histogram_quantile(const struct client_histogram *histogram, double share);

/* ---- counters.c */
const char *client_counter_name(int index);
/* NULL when counters work here, else why not, in a few words; asked once. */
const char *client_counters_missing(void);
struct client_counter_set *client_counters_open(void);
void client_counters_start(struct client_counter_set *set);
void client_counters_stop(struct client_counter_set *set, struct client_counter_values *values);
void client_counters_close(struct client_counter_set *set);
/* What read(2) of one counter gives; TIME_ENABLED and TIME_RUNNING. */
struct client_counter_reading {
    uint64_t value;
    uint64_t enabled_ns;
    uint64_t running_ns;
};
/* The arithmetic and the words, apart from the kernel so that they can be tested without counters.
 */
void client_counters_add(struct client_counter_values *values, int index,
                         const struct client_counter_reading *reading);
const char *client_counters_missing_for(int errno_value);

/* ---- heap.c: the counters of the allocation shim, where it is there */
bool client_heap_is_there(void);
void client_heap_begin(struct client_heap *before);
void client_heap_end(const struct client_heap *before, struct client_heap *region);

/* ---- protocol.c */
int client_protocol_serve(struct client *client, int read_fd, int write_fd);
/* One request; the reply, with its newline, is appended. False after quit. */
bool client_protocol_answer(struct client *client, const char *line, size_t length,
                            struct buffer *reply);

/* ---- main.c */
bool client_is_optimized(const struct client *client); /* every file with benchmarks was */

/* ---- alone.c */
int client_alone_main(struct client *client, int argc, char **argv);

#endif
