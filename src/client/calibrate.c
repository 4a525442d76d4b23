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

/* A state that runs `body` with nothing around it. */
struct empty_case {
    struct client_benchmark benchmark;
    struct client_variant variant;
    struct client_case subject;
    struct tare_state state;
};

static void empty_case_init(struct empty_case *empty, struct client *client, tare_function *body,
                            struct client_histogram *histogram)
{
    *empty = (struct empty_case){.benchmark = {.name = "calibration"}, .variant = {.body = body}};
    empty->subject =
        (struct client_case){.benchmark = &empty->benchmark, .variant = &empty->variant};
    empty->state = (struct tare_state){
        .client = client, .subject = &empty->subject, .histogram = histogram, .thread_count = 1};
}

struct client_calibration client_calibrate(struct client *client)
{
    static struct client_histogram histogram; /* 57 KiB: too much for a small stack */
    struct empty_case plain;
    struct empty_case latency;
    empty_case_init(&plain, client, empty_body, NULL);
    empty_case_init(&latency, client, empty_latency_body, &histogram);

    struct client_calibration result = {0};
    result.timer_ns = smallest_ns(&plain.state, 0, TIMER_TRIES);
    double loop_ns = smallest_ns(&plain.state, LOOP_PASSES, LOOP_TRIES) - result.timer_ns;
    result.loop_ns = loop_ns > 0 ? loop_ns / LOOP_PASSES : 0;
    client_histogram_clear(&histogram);
    result.latency_ns = smallest_ns(&latency.state, LATENCY_PASSES, LATENCY_TRIES) / LATENCY_PASSES;
    /* The median: the smallest may be a lucky overlap that no real pass has. */
    result.timer_floor_ns = client_histogram_quantile(&histogram, 0.5);
    return result;
}

double client_empty_loop_ns(struct client *client, uint64_t passes)
{
    struct empty_case plain;
    empty_case_init(&plain, client, empty_body, NULL);
    client_body_call_here(&plain.state, passes);
    double time_ns =
        (double)(plain.state.end_ns - plain.state.start_ns) - client->calibration.timer_ns;
    return time_ns > 0 ? time_ns : 0;
}
