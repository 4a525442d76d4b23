/* loop.c: what libtare costs: the empty loop beside a bare one, and the making of a benchmark's
 * state.
 *
 * "loop" times, one after the other and in turns, a hand-written loop of one decrement and one
 * branch, and an empty TARE_LOOP of as many passes; the ratio of neighbours is free of what slows
 * both. "open" is libtare measured by itself: opening and closing a case. Built by bench/loop.sh
 * with the library's sources, because the second needs its internals. */
#include "client/client.h"

#include "os/clock.h"

static void bare_loop(uint64_t passes)
{
    while (passes != 0) {
        __asm__ volatile("" : "+r"(passes));
        passes--;
    }
}

TARE_BENCHMARK(loop)
{
    uint64_t passes = tare_iterations(t);
    int64_t start_ns = clock_now().ns;
    bare_loop(passes);
    int64_t middle_ns = clock_now().ns;
    TARE_LOOP(t)
    {
        tare_clobber();
    }
    int64_t end_ns = clock_now().ns;
    double bare_ns = (double)(middle_ns - start_ns) / (double)passes;
    double tare_ns = (double)(end_ns - middle_ns) / (double)passes;
    tare_report(t, "bare_ns", bare_ns);
    tare_report(t, "tare_ns", tare_ns);
    /* The bare loop runs at one pass a cycle, so this is in cycles. */
    tare_report(t, "extra_cycles", (tare_ns - bare_ns) / bare_ns);
}

TARE_DESCRIBE(loop)
{
    tare_metric(d, "bare_ns", "ns", TARE_LOWER);
    tare_metric(d, "tare_ns", "ns", TARE_LOWER);
    tare_metric(d, "extra_cycles", "1", TARE_LOWER);
}

/* A client of its own, with the case "loop" in it; made once. */
static struct arena arena;
static struct client inner;

static void make_inner(void)
{
    inner = (struct client){.arena = &arena};
    client_registry_load(&inner);
}

static void free_inner(void)
{
    arena_free(&arena);
}

TARE_BENCHMARK(open)
{
    TARE_LOOP(t)
    {
        client_open(&inner, 0);
        client_close(&inner, 0);
    }
    tare_report(t, "state_bytes", (double)sizeof(struct tare_state));
}

TARE_DESCRIBE(open)
{
    tare_launch_setup(d, make_inner, free_inner);
    tare_metric_exact(d, "state_bytes", "B", TARE_LOWER);
}

/* For the count of allocations: the loops themselves, with nothing in them. */
TARE_BENCHMARK(count_loop)
{
    TARE_LOOP(t)
    {
        tare_clobber();
    }
}

TARE_BENCHMARK(count_latency)
{
    TARE_LOOP_LATENCY(t)
    {
        tare_clobber();
    }
}

TARE_BENCHMARK(count_threads)
{
    TARE_LOOP(t)
    {
        tare_clobber();
    }
}

TARE_DESCRIBE(count_threads)
{
    tare_threads(d, "2");
}

TARE_MAIN()
