// Small Catch2 benchmarks; WORK says how often the work is done.
#define CATCH_CONFIG_MAIN
#define CATCH_CONFIG_ENABLE_BENCHMARKING
#include <catch2/catch.hpp>

#include <cstdlib>

static unsigned work(unsigned n)
{
    const int times = std::atoi(std::getenv("WORK"));
    volatile unsigned total = 0;
    for (int t = 0; t < times; t++) {
        for (unsigned i = 0; i < n; i++) {
            total = total + i;
        }
    }
    return total;
}

TEST_CASE("sums")
{
    BENCHMARK("sum 100") { return work(100); };
    BENCHMARK("sum 1000") { return work(1000); };
}

TEST_CASE("fails")
{
    BENCHMARK("throws") -> unsigned { throw std::runtime_error("no data"); };
}
