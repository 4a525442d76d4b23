// gbench.cc: the kernels `alu` and `walk_1m` of bench/kernels.c for Google Benchmark.
// ALU_STEPS and WALK_STEPS come from the compiler's command line: more steps are more work.
#include <benchmark/benchmark.h>

#include <cstdint>
#include <cstdlib>

static uint64_t seed = 88172645463325252u;

static void alu(benchmark::State &state)
{
    for (auto _ : state) {
        uint64_t x = seed;
        for (int i = 0; i < ALU_STEPS; i++) {
            x ^= x << 13;
            x ^= x >> 7;
            x ^= x << 17;
        }
        benchmark::DoNotOptimize(x);
    }
}
BENCHMARK(alu);

// A ring through all cache lines of 1 MiB in scattered order, as in bench/kernels.c.
static void walk_1m(benchmark::State &state)
{
    constexpr uint32_t bytes = 1u << 20, lines = bytes / 64, line_words = 16;
    auto *next = static_cast<uint32_t *>(std::aligned_alloc(4096, bytes));
    for (uint32_t i = 0; i < lines; i++) {
        next[i * line_words] = ((i * 1664525u + 1013904223u) & (lines - 1)) * line_words;
    }
    uint32_t at = 0;
    for (auto _ : state) {
        for (int i = 0; i < WALK_STEPS; i++) {
            at = next[at];
        }
        benchmark::DoNotOptimize(at);
    }
    std::free(next);
}
BENCHMARK(walk_1m);

BENCHMARK_MAIN();
