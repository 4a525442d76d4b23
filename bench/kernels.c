/* kernels.c: five kinds of work, 1 to 2 µs an iteration each, for proofs of how good verdicts are.
 *
 * What they stress differs on purpose: arithmetic and branches are steady; walks through memory
 * depend on where their pages lie, which changes with every launch; streaming depends on what the
 * neighbours do. */
#include <tare/tare.h>

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { ALU_STEPS = 1000, BRANCH_STEPS = 400, WALK_STEPS_SMALL = 200, WALK_STEPS_LARGE = 20 };

static uint64_t seed = 88172645463325252u;

#ifdef SLOW_FIFTH /* one slice in five does 30 % more work, chosen at random */
static int alu_steps(void)
{
    static uint64_t x = 88172645463325252u;
    x = x * 6364136223846793005u + 1442695040888963407u;
    return (x >> 33) % 5 == 0 ? ALU_STEPS * 13 / 10 : ALU_STEPS;
}
#else
static int alu_steps(void)
{
    return ALU_STEPS;
}
#endif

#ifdef SHIFTED /* 40 bytes of code in front of the next function, and nothing else */
__attribute__((used, noinline)) static void shift(void)
{
    __asm__ volatile(".skip 40, 0x90");
}
#endif

TARE_BENCHMARK(alu)
{
    int steps = alu_steps();
    TARE_LOOP(t)
    {
        uint64_t x = seed;
        for (int i = 0; i < steps; i++) {
            x ^= x << 13;
            x ^= x >> 7;
            x ^= x << 17;
        }
        tare_keep(x);
    }
}

TARE_BENCHMARK(branch)
{
    uint64_t x = seed;
    TARE_LOOP(t)
    {
        uint64_t sum = 0;
        for (int i = 0; i < BRANCH_STEPS; i++) {
            x = x * 6364136223846793005u + 1442695040888963407u;
            if ((x >> 62) == 1) {
                sum += x >> 33;
                tare_keep(sum);
            } else {
                sum ^= x;
            }
        }
        tare_keep(sum);
    }
}

/* A ring through all cache lines of a buffer in scattered order: every step waits for the one
 * before. The order is a full-period linear congruential sequence (Hull and Dobell 1962: odd
 * increment, multiplier 1 mod 4, a power of two as modulus), so that it is written in one pass. */
struct ring {
    uint32_t *next;
    uint32_t at;
};

static struct ring ring_new(size_t bytes)
{
    enum { LINE_BYTES = 64, LINE_WORDS = 16 };
    uint32_t lines = (uint32_t)(bytes / LINE_BYTES);
    uint32_t *next = aligned_alloc(4096, bytes);
    for (uint32_t i = 0; i < lines; i++) {
        next[i * LINE_WORDS] = ((i * 1664525u + 1013904223u) & (lines - 1)) * LINE_WORDS;
    }
    return (struct ring){.next = next};
}

static void walk(struct tare_state *t, int steps)
{
    struct ring *ring = tare_data(t);
    uint32_t at = ring->at;
    TARE_LOOP(t)
    {
        for (int i = 0; i < steps; i++) {
            at = ring->next[at];
        }
        tare_keep(at);
    }
    ring->at = at;
}

static void ring_open(struct tare_state *t, size_t bytes)
{
    struct ring *ring = malloc(sizeof *ring);
    *ring = ring_new(bytes);
    tare_set_data(t, ring);
}

static void ring_close(struct tare_state *t)
{
    struct ring *ring = tare_data(t);
    free(ring->next);
    free(ring);
}

static void ring_open_1m(struct tare_state *t)
{
    ring_open(t, 1u << 20);
}

static void ring_open_64m(struct tare_state *t)
{
    ring_open(t, 64u << 20);
}

TARE_BENCHMARK(walk_1m)
{
    walk(t, WALK_STEPS_SMALL);
}

TARE_DESCRIBE(walk_1m)
{
    tare_setup(d, ring_open_1m, ring_close);
}

TARE_BENCHMARK(walk_64m)
{
    walk(t, WALK_STEPS_LARGE);
}

TARE_DESCRIBE(walk_64m)
{
    tare_setup(d, ring_open_64m, ring_close);
}

enum { STREAM_BYTES = 32u << 20, STREAM_CHUNK = 32u << 10 };

struct stream {
    char *data;
    size_t at;
};

static void stream_open(struct tare_state *t)
{
    struct stream *stream = malloc(sizeof *stream);
    *stream = (struct stream){.data = aligned_alloc(4096, STREAM_BYTES)};
    memset(stream->data, 1, STREAM_BYTES);
    tare_set_data(t, stream);
}

static void stream_close(struct tare_state *t)
{
    struct stream *stream = tare_data(t);
    free(stream->data);
    free(stream);
}

TARE_BENCHMARK(stream)
{
    struct stream *stream = tare_data(t);
    size_t at = stream->at;
    TARE_LOOP(t)
    {
        const uint64_t *words = (const uint64_t *)(stream->data + at);
        uint64_t sum = 0;
        for (size_t i = 0; i < STREAM_CHUNK / sizeof *words; i++) {
            sum += words[i];
        }
        tare_keep(sum);
        at = at + STREAM_CHUNK < STREAM_BYTES ? at + STREAM_CHUNK : 0;
    }
    stream->at = at;
}

TARE_DESCRIBE(stream)
{
    tare_setup(d, stream_open, stream_close);
}

TARE_MAIN()
