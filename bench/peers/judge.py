"""judge.py: what a statistical test says about two samples, for tools that leave the test to others.

judge.py mannwhitney OLD.json NEW.json   Google Benchmark's --benchmark_out of both sides; prints a verdict on
                                         real time and one on CPU time (as its compare.py: two-sided, exact or
                                         normal as SciPy chooses, below 0.05)
judge.py welch BOTH.json                 hyperfine's --export-json of two commands (as its welch_ttest.py)

A verdict is slower, faster or same, by the sign of the medians (Mann-Whitney) or means (Welch).
"""

import json
import statistics
import sys

from scipy import stats

ALPHA = 0.05


def main(test, *paths):
    documents = [json.load(open(path)) for path in paths]
    if test == "mannwhitney":
        print(*(mannwhitney(*(times(d, field) for d in documents)) for field in ("real_time", "cpu_time")))
    elif test == "welch":
        print(welch(*(result["times"] for result in documents[0]["results"])))
    else:
        sys.exit(__doc__)


def times(document, field):
    return [b[field] for b in document["benchmarks"] if b["run_type"] == "iteration"]


def mannwhitney(old, new):
    p = stats.mannwhitneyu(old, new, alternative="two-sided").pvalue
    return verdict(p, statistics.median(old), statistics.median(new))


def welch(old, new):
    p = stats.ttest_ind(old, new, equal_var=False).pvalue
    return verdict(p, statistics.fmean(old), statistics.fmean(new))


def verdict(p, old, new):
    if not p < ALPHA or old == new:
        return "same"
    return "slower" if new > old else "faster"


main(*sys.argv[1:])
