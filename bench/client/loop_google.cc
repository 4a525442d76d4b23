/* loop_google.cc: the empty loop of Google Benchmark beside the same bare loop as in loop.c, in
 * turns. Prints one ratio per repetition; bench/loop.sh takes the median. */
#include <benchmark/benchmark.h>
#include <chrono>
#include <cstdint>
#include <cstdio>

static void bare_loop(uint64_t passes)
{
    while (passes != 0) {
        __asm__ volatile("" : "+r"(passes));
        passes--;
    }
}

static double now_ns()
{
    return static_cast<double>(std::chrono::duration_cast<std::chrono::nanoseconds>(
                                   std::chrono::steady_clock::now().time_since_epoch())
                                   .count());
}

static void empty_loop(benchmark::State &state)
{
    double start_ns = now_ns();
    bare_loop(static_cast<uint64_t>(state.max_iterations));
    double middle_ns = now_ns();
    for (auto _ : state) {
        benchmark::ClobberMemory();
    }
    double end_ns = now_ns();
    double bare_ns = middle_ns - start_ns;
    std::fprintf(stderr, "%.4f\n", (end_ns - middle_ns - bare_ns) / bare_ns);
}
BENCHMARK(empty_loop)->Iterations(1000000)->Repetitions(301);
BENCHMARK_MAIN();
