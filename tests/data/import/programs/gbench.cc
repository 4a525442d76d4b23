// A small Google Benchmark program; WORK says how often the work is done.
#include <benchmark/benchmark.h>

#include <cstdlib>
#include <vector>

static int work()
{
    const char *value = std::getenv("WORK");
    return value != nullptr ? std::atoi(value) : 1;
}

static void sum(benchmark::State &state)
{
    std::vector<unsigned> numbers(static_cast<size_t>(state.range(0)), 1);
    const int times = work();
    for (auto _ : state) {
        unsigned total = 0;
        for (int i = 0; i < times; i++) {
            for (unsigned number : numbers) {
                benchmark::DoNotOptimize(total += number);
            }
        }
    }
    state.SetBytesProcessed(state.iterations() * state.range(0) * 4);
    state.SetItemsProcessed(state.iterations() * state.range(0));
}
BENCHMARK(sum)->Arg(64)->Arg(1024);
BENCHMARK(sum)->Name("sum_us")->Arg(4096)->Unit(benchmark::kMicrosecond);

static void counted(benchmark::State &state)
{
    for (auto _ : state) {
        int one = 1;
        benchmark::DoNotOptimize(one);
    }
    state.counters["hits"] = 5;
    state.counters["ratio"] = 0.0 / static_cast<double>(state.range(0)); // NaN
}
BENCHMARK(counted)->Arg(0);

static void broken(benchmark::State &state)
{
    state.SkipWithError("no data");
    for (auto _ : state) {
    }
}
BENCHMARK(broken);
