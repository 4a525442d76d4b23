/* slice.c: run N iterations of an open case and say what they cost.
 *
 * A slice is one call of the body, or several when tare_batch limits the iterations of a call;
 * their times are summed. What an empty measurement costs (calibrate.c) is subtracted, never below
 * zero:
 *
 *     net = Σ (last end − first start) − calls · timer − N · loop
 *
 * In latency mode: net = Σ passes − N · floor. A loop that cost no more than an empty one holds no
 * work. */
#include "client/client.h"

#include <string.h>

/* A loop up to 25 % dearer than an empty one is taken for empty: one more cycle a pass would be
 * +100 %, and repeated measurements of the empty loop scatter by a few percent. */
static const double DELETED_RATIO = 1.25;
/* A busy sibling CPU slows an empty loop down to about a half, and the slice with it. So in doubt
 * an empty loop is timed again right behind the slice, and decides; more than this many times the
 * calibrated cost is something else (another process on this CPU), and not believed. */
static const double SLOWED_RATIO_MAX = 2.2;
/* The loop must outweigh the clock's own scatter for that comparison: 20 timed regions' worth. */
static const double DELETED_TIMERS_MIN = 20;
/* 0.1 ms of empty loop at most, so that a long slice is not made much longer by the doubt about it.
 */
enum { DELETED_PASSES_MAX = 300000 };

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
static void slice_time(const struct tare_state *state, const struct totals *totals,
                       struct client_slice *slice);
static void slice_metrics(const struct tare_state *state, struct client_slice *slice);

bool client_slice_run(struct tare_state *state, uint64_t iterations, enum client_count count,
                      struct client_slice *slice)
{
    *slice = (struct client_slice){.iterations = iterations};
    struct totals totals = {0};
    bool is_done = slice_prepare(state, count) && slice_calls(state, iterations, &totals);
    slice_finish(state);
    if (!is_done) {
        return false;
    }
    slice_time(state, &totals, slice);
    slice_metrics(state, slice);
    return true;
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

/* Does the loop cost no more than an empty one? `work_ns`: the loop without the clock. */
static bool is_deleted(const struct tare_state *state, double work_ns, double iterations)
{
    struct client *client = state->client;
    double loop_ns = client->calibration.loop_ns;
    if (state->thread_count > 1 ||
        work_ns > DELETED_RATIO * SLOWED_RATIO_MAX * iterations * loop_ns ||
        iterations * loop_ns < DELETED_TIMERS_MIN * client->calibration.timer_ns) {
        return false;
    }
    if (client->empty_loop_ns != NULL) {
        double passes = iterations < DELETED_PASSES_MAX ? iterations : DELETED_PASSES_MAX;
        double now_ns = client->empty_loop_ns(client, (uint64_t)passes) / passes;
        loop_ns = now_ns < SLOWED_RATIO_MAX * loop_ns ? now_ns : loop_ns;
    }
    return work_ns <= DELETED_RATIO * iterations * loop_ns;
}

static void slice_time(const struct tare_state *state, const struct totals *totals,
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
