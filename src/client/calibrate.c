/* calibrate.c: what measuring nothing costs, on this machine, now.
 *
 * Three empty cases run through the same code as the user's: a loop of no pass (the timer), a long
 * empty loop (a pass), and an empty latency loop (the floor). The smallest of many tries is taken:
 * noise only ever adds, and what is subtracted from a measurement must not be more than it
 * contains. Costs under 2 ms at start-up. */
#include "client/client.h"

/* 5000 passes take 1.6 µs at one cycle a pass: long enough for a clock that ticks every 10 ns,
 * short enough to fall between two disturbances. A CPU shared with a busy sibling thread slows an
 * empty loop to a half for milliseconds, with short gaps; the many short tries find a gap. */
enum {
    TIMER_TRIES = 50,
    LOOP_TRIES = 500,
    LOOP_PASSES = 5000,
    LATENCY_TRIES = 3,
    LATENCY_PASSES = 1000
};

static void empty_body(struct tare_state *t)
{
    TARE_LOOP(t)
    {
    }
}

static void empty_latency_body(struct tare_state *t)
{
    TARE_LOOP_LATENCY(t)
    {
    }
}

static double smallest_ns(struct tare_state *state, uint64_t passes, int tries)
{
    double best_ns = 0;
    for (int i = 0; i < tries; i++) {
        client_body_call_here(state, passes);
        double time_ns = (double)(state->end_ns - state->start_ns);
        best_ns = i == 0 || time_ns < best_ns ? time_ns : best_ns;
    }
    return best_ns;
}

struct client_calibration client_calibrate(struct client *client)
{
    static struct client_histogram histogram; /* 57 KiB: too much for a small stack */
    struct client_benchmark benchmark = {.name = "calibration"};
    struct client_variant plain = {.name = "", .body = empty_body};
    struct client_variant latency = {.name = "", .body = empty_latency_body};
    struct client_case subject = {.benchmark = &benchmark, .variant = &plain};
    struct tare_state state = {
        .client = client, .subject = &subject, .histogram = &histogram, .thread_count = 1};

    struct client_calibration result = {0};
    result.timer_ns = smallest_ns(&state, 0, TIMER_TRIES);
    double loop_ns = smallest_ns(&state, LOOP_PASSES, LOOP_TRIES) - result.timer_ns;
    result.loop_ns = loop_ns > 0 ? loop_ns / LOOP_PASSES : 0;

    subject.variant = &latency;
    client_histogram_clear(&histogram);
    result.latency_ns = smallest_ns(&state, LATENCY_PASSES, LATENCY_TRIES) / LATENCY_PASSES;
    /* The median: the smallest may be a lucky overlap that no real pass has. */
    result.timer_floor_ns = client_histogram_quantile(&histogram, 0.5);
    return result;
}
