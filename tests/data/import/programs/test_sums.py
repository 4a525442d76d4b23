"""Small pytest-benchmark benchmarks; WORK says how often the work is done."""
import os

import pytest

WORK = int(os.environ.get("WORK", "1"))


def work(n):
    total = 0
    for _ in range(WORK):
        for i in range(n):
            total += i
    return total


@pytest.mark.parametrize("n", [100, 1000])
def test_sum(benchmark, n):
    benchmark.extra_info["kind"] = "loop"
    benchmark(work, n)


@pytest.mark.benchmark(group="other")
def test_alone(benchmark):
    benchmark(work, 50)
