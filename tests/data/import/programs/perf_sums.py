"""Small pyperf benchmarks; WORK says how often the work is done."""
import os

import pyperf

WORK = int(os.environ.get("WORK", "1"))


def work(n):
    total = 0
    for _ in range(WORK):
        for i in range(n):
            total += i
    return total


runner = pyperf.Runner()
runner.bench_func("sum_100", work, 100)
runner.bench_func("sum_1000", work, 1000)
