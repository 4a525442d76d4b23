/* slice.c: run N iterations of an open case and say what they cost.
 *
 * A slice is one call of the body, or several when tare_batch limits the iterations of a call;
 * their times are summed. What an empty measurement costs (calibrate.c) is subtracted, never below
 * zero:
 *
 *     net = Σ (last end − first start) − calls · timer − N · loop
 *
 * In latency mode: net = Σ passes − N · floor. A loop that costs no more than an empty one holds no
 * work, or work that hides behind the loop's own: either way its net time says nothing. */
#include "client/client.h"

#include "os/clock.h"

#include <string.h>

/* A loop up to 25 % dearer than an empty one holds no work that can be measured. Next to a busy
 * sibling thread, where this is hardest, the probe below finds 0.90 to 1.14 for empty loops
 * and 1.35 to 3 for a multiplication of three cycles (120 and 25 probes); undisturbed, one cycle
 * more is 2. */
static const double DELETED_RATIO = 1.25;
/* Up to this many empty passes (some 10 ns) there is doubt: a busy sibling thread halves the speed,
 * and each process that shares the CPU takes its part; a slice may meet them for its whole length.
 */
static const double DOUBT_RATIO = 32;
/* The loop must outweigh the clock's own scatter to be judged: 20 timed regions' worth. */
static const double DELETED_TIMERS_MIN = 20;
/* In doubt the body and an empty loop are timed in turns, in calls short enough to fall between two
 * disturbances (calibrate.c), behind several slices, because some disturbances last; the smallest
 * of all are compared. A body that prepares for long gets fewer tries. Costs a third of a
 * millisecond behind a slice, twice that for work of a few cycles. */
enum { PROBES_MAX = 10, PROBE_TRIES_MIN = 5, PROBE_TRIES_MAX = 100, PROBE_PASSES = 5000 };
static const int64_t PROBE_NS_MAX = 5000000;

const struct client_metric client_rates[CLIENT_RATES] = {
    {"throughput", "B/s", TARE_HIGHER, false},
    {"item_rate", "items/s", TARE_HIGHER, false},
    {"flop_rate", "flop/s", TARE_HIGHER, false},
};

struct totals {
    double raw_ns;
    uint64_t calls;
};

static bool slice_prepare(struct tare_state *state, enum client_count count);
static bool slice_calls(struct tare_state *state, uint64_t iterations, struct totals *totals);
static void slice_finish(struct tare_state *state);
static void slice_time(struct tare_state *state, const struct totals *totals,
                       struct client_slice *slice);
static void slice_metrics(const struct tare_state *state, struct client_slice *slice);

bool client_slice_run(struct tare_state *state, uint64_t iterations, enum client_count count,
                      struct client_slice *slice)
{
    *slice = (struct client_slice){.iterations = iterations};
    struct totals totals = {0};
    bool is_ready = slice_prepare(state, count);
    bool is_counted_outside = count == CLIENT_COUNT_INSTRUCTIONS;
    if (is_counted_outside) {
        client_valgrind_slice_begin();
    }
    bool is_done = is_ready && slice_calls(state, iterations, &totals);
    if (is_counted_outside) {
        client_valgrind_slice_end();
    }
    slice_finish(state);
    if (!is_done) {
        return false;
    }
    if (is_counted_outside) {
        return state->outcome ==
               CLIENT_OUTCOME_OK; /* no time, no rates: Valgrind's would be told */
    }
    slice_time(state, &totals, slice);
    slice_metrics(state, slice);
    return state->outcome == CLIENT_OUTCOME_OK;
}

static void member_prepare(struct tare_state *member, enum client_count count)
{
    member->count = count;
    member->heap = (struct client_heap){0};
    member->counters = (struct client_counter_values){.scaled = 1};
    member->reported_mask = 0;
    member->work_bytes = member->work_items = member->work_flops = 0;
    member->is_check_failed = false;
    if (member->is_latency) {
        client_histogram_clear(member->histogram);
    }
}

static bool slice_prepare(struct tare_state *state, enum client_count count)
{
    for (int i = 0; i < state->thread_count; i++) {
        member_prepare(state->team != NULL ? client_team_member(state->team, i) : state, count);
    }
    return state->outcome == CLIENT_OUTCOME_OK;
}

/* From the first start to the last end over all threads. */
static double call_time_ns(const struct tare_state *state)
{
    int64_t start_ns = state->start_ns;
    int64_t end_ns = state->end_ns;
    for (int i = 1; i < state->thread_count; i++) {
        const struct tare_state *member = client_team_member(state->team, i);
        start_ns = member->start_ns < start_ns ? member->start_ns : start_ns;
        end_ns = member->end_ns > end_ns ? member->end_ns : end_ns;
    }
    return (double)(end_ns - start_ns);
}

static bool slice_calls(struct tare_state *state, uint64_t iterations, struct totals *totals)
{
    uint64_t batch_max = state->subject->benchmark->batch_max;
    for (uint64_t left = iterations; left > 0;) {
        uint64_t now = batch_max != 0 && batch_max < left ? batch_max : left;
        if (!client_body_call(state, now)) {
            return false;
        }
        totals->raw_ns += call_time_ns(state);
        totals->calls++;
        left -= now;
    }
    return true;
}

bool client_body_call(struct tare_state *state, uint64_t iterations)
{
    if (state->team == NULL) {
        client_body_call_here(state, iterations);
    } else {
        client_team_call(state->team, iterations);
        for (int i = 1; i < state->thread_count; i++) {
            const struct tare_state *member = client_team_member(state->team, i);
            if (member->outcome == CLIENT_OUTCOME_SKIPPED) {
                tare_skip(state, "%s", member->reason);
            } else if (member->outcome == CLIENT_OUTCOME_FAILED) {
                tare_fail(state, "thread %d: %s", i, member->reason);
            }
            if (member->is_check_failed && !state->is_check_failed) {
                state->is_check_failed = true;
                memcpy(state->detail, member->detail, sizeof state->detail);
            }
            state->is_check_made |= member->is_check_made;
        }
    }
    if (state->is_check_failed && !state->is_checking) {
        tare_fail(state, "check failed: %s", state->detail);
    }
    return state->outcome == CLIENT_OUTCOME_OK;
}

void client_body_call_here(struct tare_state *state, uint64_t iterations)
{
    state->iterations = iterations;
    state->is_arrived = false;
    state->phase = CLIENT_PHASE_BEFORE;
    if (state->count == CLIENT_COUNT_COUNTERS && state->counter_set == NULL) {
        state->counter_set = client_counters_open();
    }
    state->subject->variant->body(state);
    if (state->phase == CLIENT_PHASE_BEFORE) {
        tare_fail(state, "the body returned without reaching a TARE_LOOP");
    } else if (state->phase == CLIENT_PHASE_LOOP) {
        tare_fail(state, "the loop was left before its end (break, return or goto): nothing can be "
                         "said about its time");
    }
    state->phase = CLIENT_PHASE_IDLE;
}

static void slice_finish(struct tare_state *state)
{
    for (int i = 0; i < state->thread_count; i++) {
        struct tare_state *member =
            state->team != NULL ? client_team_member(state->team, i) : state;
        client_counters_close(member->counter_set);
        member->counter_set = NULL;
        if (i > 0 && member->is_latency) {
            client_histogram_merge(state->histogram, member->histogram);
        }
        for (int c = 0; i > 0 && c < CLIENT_COUNTERS; c++) {
            state->counters.values[c] += member->counters.values[c];
            state->counters.is_there[c] &= member->counters.is_there[c];
        }
        if (member->counters.scaled < state->counters.scaled) {
            state->counters.scaled = member->counters.scaled;
        }
    }
}

static void probe(struct tare_state *state, uint64_t passes);

/* Does the loop cost no more than an empty one? `work_ns`: the loop without the clock. */
static bool is_deleted(struct tare_state *state, double work_ns, double iterations)
{
    struct client *client = state->client;
    const struct client_calibration *calibration = &client->calibration;
    double loops_ns = iterations * calibration->loop_ns;
    double judged_ns = DELETED_TIMERS_MIN * calibration->timer_ns;
    bool is_doubtful = work_ns <= DOUBT_RATIO * loops_ns && loops_ns >= judged_ns;
    if (state->thread_count > 1 || state->count != CLIENT_COUNT_TIME) {
        return false;
    }
    if (client->empty_loop_ns == NULL) {
        return is_doubtful && work_ns <= DELETED_RATIO * loops_ns;
    }
    uint64_t batch_max = state->subject->benchmark->batch_max;
    uint64_t passes = batch_max != 0 && batch_max < PROBE_PASSES ? batch_max : PROBE_PASSES;
    if (is_doubtful && state->probe.count < PROBES_MAX &&
        (double)passes * calibration->loop_ns >= judged_ns) {
        probe(state, passes);
    }
    return state->probe.count > 0 && state->probe.body_ns <= DELETED_RATIO * state->probe.empty_ns;
}

static void keep_smallest(double *smallest_ns, double tried_ns, bool is_first)
{
    *smallest_ns = is_first || tried_ns < *smallest_ns ? tried_ns : *smallest_ns;
}

/* Times the body against an empty loop. The calls are no part of the slice: what the body reports
 * in them is forgotten, unless it fails. */
static void probe(struct tare_state *state, uint64_t passes)
{
    struct client *client = state->client;
    struct tare_state before = *state;
    mono_time started = clock_now();
    for (int i = 0; i < PROBE_TRIES_MAX; i++) {
        if (i >= PROBE_TRIES_MIN && clock_since_ns(started) > PROBE_NS_MAX) {
            break;
        }
        if (!client_body_call(state, passes)) {
            return;
        }
        bool is_first = i == 0 && before.probe.count == 0;
        keep_smallest(&before.probe.body_ns, call_time_ns(state) - client->calibration.timer_ns,
                      is_first);
        keep_smallest(&before.probe.empty_ns, client->empty_loop_ns(client, passes), is_first);
    }
    before.probe.count++;
    before.data = state->data;
    *state = before;
}

static void slice_time(struct tare_state *state, const struct totals *totals,
                       struct client_slice *slice)
{
    const struct client_calibration *calibration = &state->client->calibration;
    double iterations = (double)slice->iterations;
    double raw_ns = totals->raw_ns;
    double overhead_ns =
        (double)totals->calls * calibration->timer_ns + iterations * calibration->loop_ns;
    if (state->is_latency) {
        /* Threads overlap: their passes' mean stands for the slice. */
        raw_ns = state->histogram->sum_ns / state->thread_count;
        overhead_ns = iterations * calibration->timer_floor_ns;
        slice->histogram = state->histogram;
    } else {
        double timers_ns = (double)totals->calls * calibration->timer_ns;
        slice->is_deleted = is_deleted(state, raw_ns - timers_ns, iterations);
    }
    slice->overhead_ns = overhead_ns < raw_ns ? overhead_ns : raw_ns;
    slice->time_ns = raw_ns - slice->overhead_ns;
}

static void add(struct client_slice *slice, const char *name, double value)
{
    slice->metrics[slice->metric_count++] =
        (struct client_slice_metric){.name = name, .value = value};
}

static void add_work(const struct tare_state *state, struct client_slice *slice)
{
    double work[CLIENT_RATES] = {0};
    for (int i = 0; i < state->thread_count; i++) {
        const struct tare_state *member =
            state->team != NULL ? client_team_member(state->team, i) : state;
        work[0] += member->work_bytes;
        work[1] += member->work_items;
        work[2] += member->work_flops;
    }
    /* Nothing is measured in no time: no rate then, rather than an infinite one. */
    for (int i = 0; i < CLIENT_RATES && slice->time_ns > 0; i++) {
        if (work[i] > 0) {
            add(slice, client_rates[i].name,
                work[i] * (double)slice->iterations / slice->time_ns * 1e9);
        }
    }
}

static void slice_metrics(const struct tare_state *state, struct client_slice *slice)
{
    double iterations = (double)slice->iterations;
    if (state->count == CLIENT_COUNT_ALLOCATIONS) {
        add(slice, "allocations", (double)state->heap.allocations / iterations);
        add(slice, "allocated", (double)state->heap.allocated_bytes / iterations);
        add(slice, "peak_live", (double)state->heap.peak_live_bytes);
        return;
    }
    if (state->count == CLIENT_COUNT_COUNTERS) {
        slice->scaled = state->counters.scaled;
        for (int i = 0; i < CLIENT_COUNTERS; i++) {
            if (state->counters.is_there[i]) {
                add(slice, client_counter_name(i), state->counters.values[i] / iterations);
            }
        }
        return;
    }
    add_work(state, slice);
    const struct client_benchmark *benchmark = state->subject->benchmark;
    for (ptrdiff_t i = 0; i < benchmark->metric_count; i++) {
        for (int m = state->thread_count - 1; m >= 0; m--) {
            const struct tare_state *member =
                state->team != NULL ? client_team_member(state->team, m) : state;
            if (member->reported_mask >> i & 1) {
                add(slice, benchmark->metrics[i].name, member->reported[i]);
                break;
            }
        }
    }
}
