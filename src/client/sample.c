/* sample.c: one case, measured alone: slices of equal length until the time is used.
 *
 * The number of iterations grows until a slice takes a twentieth of the time (so that there are
 * some twenty slices), then slices follow until the time is over. Only the time in loops counts;
 * preparation may take several times as long before it ends the sampling. One process gives one
 * memory layout, so the figures say nothing about other launches: `tare run` does. */
#include "client/alone.h"

#include "os/clock.h"

#include <stdlib.h>
#include <string.h>

enum {
    SLICES_WANTED = 20,
    SLICES_MIN = 3,       /* of a benchmark slower than the whole time */
    GROWTH_MAX = 10,      /* the first slices are too short to extrapolate from */
    ELAPSED_TIMES_MAX = 5 /* preparation included, this many times the time asked for */
};

static const char DELETED_TEXT[] =
    "costs no more than an empty loop: the compiler removed the work, or it hides behind the loop; "
    "give inputs to tare_opaque() and results to tare_keep()";

/* A process that takes the CPU away keeps it for a few milliseconds; a slice that long may have
 * held almost no work, so it is believed when three have been that long. */
static const double PREEMPTED_NS_MAX = 50e6;
enum { DOUBTS_MAX = 2 };

struct sampling {
    struct client *client;
    struct tare_state *state;
    struct alone_result *result;
    double *times;         /* [ALONE_SLICES_MAX] per iteration */
    double *metric_values; /* [CLIENT_SLICE_METRICS_MAX][ALONE_SLICES_MAX] */
    bool is_deleted;       /* by the newest slice: the verdict of most tries */
    double total_ns;
};

static bool find_iterations(struct sampling *sampling, double slice_ns);
static bool take_slices(struct sampling *sampling, double min_time_ns);
static void summarize(struct sampling *sampling);
static void set_failed(struct alone_result *result, const struct tare_state *state,
                       struct arena *arena);

void alone_measure(struct client *client, ptrdiff_t index, double min_time_ns,
                   struct alone_result *result)
{
    struct client_opened opened = client_open(client, index);
    struct tare_state *state = client->states[index];
    result->check = opened.check;
    if (opened.outcome != CLIENT_OUTCOME_OK && state == NULL) {
        result->state = ALONE_FAILED;
        result->text = opened.text;
        return;
    }
    if (opened.outcome != CLIENT_OUTCOME_OK) {
        set_failed(result, state, client->arena);
    } else if (opened.check == CLIENT_CHECK_FAILED) {
        result->state = ALONE_INVALID;
        result->text = arena_strdup(client->arena, opened.text);
    } else {
        struct arena scratch = {0};
        struct sampling sampling = {
            .client = client,
            .state = state,
            .result = result,
            .times = ARENA_ARRAY(&scratch, double, ALONE_SLICES_MAX),
            .metric_values =
                ARENA_ARRAY(&scratch, double, CLIENT_SLICE_METRICS_MAX *ALONE_SLICES_MAX)};
        if (find_iterations(&sampling, min_time_ns / SLICES_WANTED) &&
            take_slices(&sampling, min_time_ns)) {
            summarize(&sampling);
        } else {
            set_failed(result, state, client->arena);
        }
        arena_free(&scratch);
    }
    client_close(client, index);
}

static void set_failed(struct alone_result *result, const struct tare_state *state,
                       struct arena *arena)
{
    result->state = state->is_check_failed                     ? ALONE_INVALID
                    : state->outcome == CLIENT_OUTCOME_SKIPPED ? ALONE_SKIPPED
                                                               : ALONE_FAILED;
    result->check = state->is_check_failed ? CLIENT_CHECK_FAILED : result->check;
    result->text = arena_strdup(arena, state->reason);
}

static bool find_iterations(struct sampling *sampling, double slice_ns)
{
    double iterations = 1;
    int doubts = 0;
    for (;;) {
        struct client_slice slice;
        if (!client_slice_run(sampling->state, (uint64_t)iterations, CLIENT_COUNT_TIME, &slice)) {
            return false;
        }
        double time_ns = slice.time_ns + slice.overhead_ns;
        /* Half the length wanted is near enough: the next step can be computed from it. */
        double growth = time_ns > 0 ? slice_ns / time_ns : GROWTH_MAX;
        bool is_last = growth <= 2;
        /* Was it the loop that took so long, or another process? */
        if (is_last && time_ns < PREEMPTED_NS_MAX && doubts < DOUBTS_MAX) {
            doubts++;
            continue;
        }
        doubts = 0;
        growth = growth > GROWTH_MAX ? GROWTH_MAX : growth;
        iterations = iterations * growth < 1 ? 1 : (double)(uint64_t)(iterations * growth);
        /* 2^53: beyond it a double cannot count. */
        if (is_last || iterations > 9e15) {
            sampling->result->iterations = (uint64_t)iterations;
            return true;
        }
    }
}

/* Where in the result this slice's metric is kept; appended when it is new. */
static ptrdiff_t metric_place(struct sampling *sampling, const char *name)
{
    struct alone_result *result = sampling->result;
    for (ptrdiff_t i = 0; i < result->metric_count; i++) {
        if (strcmp(result->metrics[i].metric.name, name) == 0) {
            return i;
        }
    }
    struct client_metric metric = {.name = name, .unit = "1"};
    for (int i = 0; i < CLIENT_RATES; i++) {
        metric = strcmp(client_rates[i].name, name) == 0 ? client_rates[i] : metric;
    }
    const struct client_benchmark *benchmark = result->subject->benchmark;
    for (ptrdiff_t i = 0; i < benchmark->metric_count; i++) {
        metric = strcmp(benchmark->metrics[i].name, name) == 0 ? benchmark->metrics[i] : metric;
    }
    result->metrics[result->metric_count].metric = metric;
    return result->metric_count++;
}

static void keep_slice(struct sampling *sampling, const struct client_slice *slice)
{
    struct alone_result *result = sampling->result;
    ptrdiff_t number = result->slice_count++;
    double iterations = (double)slice->iterations;
    sampling->times[number] = slice->time_ns / iterations;
    sampling->total_ns += slice->time_ns + slice->overhead_ns;
    sampling->is_deleted = slice->is_deleted;
    result->overhead_ns = slice->overhead_ns / iterations;
    for (ptrdiff_t i = 0; i < slice->metric_count; i++) {
        ptrdiff_t place = metric_place(sampling, slice->metrics[i].name);
        /* A metric missing in an earlier slice would shift; the newest value stands for those. */
        sampling->metric_values[place * ALONE_SLICES_MAX + number] = slice->metrics[i].value;
    }
    if (slice->histogram != NULL) {
        if (result->histogram == NULL) {
            result->histogram = ARENA_NEW(sampling->client->arena, struct client_histogram);
            client_histogram_clear(result->histogram);
        }
        client_histogram_merge(result->histogram, slice->histogram);
    }
}

static bool take_slices(struct sampling *sampling, double min_time_ns)
{
    struct alone_result *result = sampling->result;
    mono_time start = clock_now();
    for (;;) {
        struct client_slice slice;
        if (!client_slice_run(sampling->state, result->iterations, CLIENT_COUNT_TIME, &slice)) {
            return false;
        }
        keep_slice(sampling, &slice);
        bool is_enough = sampling->total_ns >= min_time_ns ||
                         (double)clock_since_ns(start) >= ELAPSED_TIMES_MAX * min_time_ns;
        if ((is_enough && result->slice_count >= SLICES_MIN) ||
            result->slice_count >= ALONE_SLICES_MAX) {
            return true;
        }
    }
}

static void summarize(struct sampling *sampling)
{
    struct alone_result *result = sampling->result;
    bool is_deleted = sampling->is_deleted;
    result->state = is_deleted ? ALONE_DELETED : ALONE_MEASURED;
    result->text = is_deleted ? DELETED_TEXT : NULL;
    result->time_ns = alone_summarize(sampling->times, result->slice_count);
    for (ptrdiff_t i = 0; i < result->metric_count; i++) {
        result->metrics[i].summary =
            alone_summarize(sampling->metric_values + i * ALONE_SLICES_MAX, result->slice_count);
    }
}

static int compare_doubles(const void *a, const void *b)
{
    double left = *(const double *)a;
    double right = *(const double *)b;
    return (left > right) - (left < right);
}

/* Linear interpolation between order statistics (Hyndman and Fan 1996, type 7). */
static double quantile(const double *sorted, ptrdiff_t count, double share)
{
    double position = share * (double)(count - 1);
    ptrdiff_t below = (ptrdiff_t)position;
    ptrdiff_t above = below + 1 < count ? below + 1 : below;
    return sorted[below] + (position - (double)below) * (sorted[above] - sorted[below]);
}

struct alone_summary alone_summarize(double *values, ptrdiff_t count)
{
    qsort(values, (size_t)count, sizeof *values, compare_doubles);
    double sum = 0;
    for (ptrdiff_t i = 0; i < count; i++) {
        sum += values[i];
    }
    return (struct alone_summary){.median = quantile(values, count, 0.5),
                                  .mean = sum / (double)count,
                                  .low = quantile(values, count, 0.25),
                                  .high = quantile(values, count, 0.75),
                                  .min = values[0],
                                  .max = values[count - 1]};
}
