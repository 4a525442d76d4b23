/* A program of Google Benchmark for the tests: sound benchmarks, and with GBENCH_MODE one that goes
 * wrong. Also what the recordings in tests/fuzz/corpus/gbench come from. */
#include <benchmark/benchmark.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

static void sum(benchmark::State &state)
{
    std::vector<unsigned char> bytes(static_cast<size_t>(state.range(0)), 1);
    for (auto _ : state) {
        unsigned total = 0;
        for (unsigned char byte : bytes) {
            total += byte;
        }
        benchmark::DoNotOptimize(total);
    }
    state.SetBytesProcessed(state.iterations() * state.range(0));
    state.SetItemsProcessed(state.iterations());
}
BENCHMARK(sum)->Arg(64)->Arg(4096);

static void count(benchmark::State &state)
{
    for (auto _ : state) {
        int one = 1;
        benchmark::DoNotOptimize(one);
    }
    state.counters["hits"] = 5;
    state.counters["ratio"] = 0.0 / static_cast<double>(state.range(0)); /* NaN */
    state.SetLabel("a \"label\"");
}
BENCHMARK(count)->Name("odd (name) [x]+*?.|^$\\ {2}")->Unit(benchmark::kMillisecond)->Arg(0);
BENCHMARK(count)->Name("odd")->Arg(0)->Iterations(100);

static void go_wrong(benchmark::State &state)
{
    const std::string mode = std::getenv("GBENCH_MODE");
    if (mode == "error") {
        state.SkipWithError("no data");
    } else if (mode == "crash") {
        std::abort();
    } else if (mode == "exit") {
        std::fputs("no licence\n", stderr);
        std::exit(7);
    } else if (mode == "hang") {
        for (volatile bool forever = true; forever;) {
        }
    }
    for (auto _ : state) {
    }
}

int main(int argc, char **argv)
{
    const char *value = std::getenv("GBENCH_MODE");
    const std::string mode = value != nullptr ? value : "";
    if (mode == "chatty") {
        std::puts("this program talks: {\"benchmarks\": 1}");
    }
    if (mode == "none") {
        benchmark::ClearRegisteredBenchmarks();
    }
    for (const char *wrong : {"error", "crash", "exit", "hang", "twins"}) {
        if (mode == wrong) {
            benchmark::RegisterBenchmark("wrong", go_wrong);
        }
    }
    if (mode == "twins") {
        benchmark::RegisterBenchmark("wrong", go_wrong);
    }
    if (mode == "aggregates") {
        benchmark::RegisterBenchmark("summed", go_wrong)
            ->Repetitions(3)
            ->ReportAggregatesOnly(true);
    }
    if (mode == "deaf") { /* quick, since it is run instead of listed */
        benchmark::ClearRegisteredBenchmarks();
        benchmark::RegisterBenchmark("unheard", go_wrong)->Iterations(1);
    }
    int none = 1;
    benchmark::Initialize(mode == "deaf" ? &none : &argc, argv);
    benchmark::RunSpecifiedBenchmarks();
    if (mode == "chatty") {
        std::puts("and says goodbye");
    }
    return mode == "status" ? 9 : 0;
}
