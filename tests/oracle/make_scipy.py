#!/usr/bin/env python3
"""make_scipy.py: expected values from SciPy, as the C header scipy_values.h.

    python3 make_scipy.py > scipy_values.h

Independent of R's, for what R's base lacks and for a second opinion. Reads the data sets from r_values.h.
"""
import pathlib
import re

import numpy as np
import scipy
from scipy import stats

header = pathlib.Path(__file__).with_name("r_values.h").read_text()
data = {
    name: np.array([float(x) for x in body.split(",")])
    for name, body in re.findall(r"data_(\w+)\[\] = \{([^}]*)\}", header)
}


def row(key, value):
    print(f'    {{"{key}", {float(value):.17g}}},')


print(f"/* scipy_values.h: expected values, made by make_scipy.py with SciPy {scipy.__version__} */")
print("#ifndef TARE_TESTS_ORACLE_SCIPY_VALUES_H\n#define TARE_TESTS_ORACLE_SCIPY_VALUES_H\n")
print("static const struct oracle_row scipy_rows[] = {")
for name, x in data.items():
    if len(x) < 8:
        continue
    skew = stats.skewtest(x)
    row(f"skewtest/{name}/z", skew.statistic)
    row(f"skewtest/{name}/p", skew.pvalue)
    slope = stats.theilslopes(x)
    row(f"theil/{name}", slope[0])
    row(f"trimmed/{name}", stats.trim_mean(x, 0.2))
    row(f"winsorised/{name}", np.var(np.asarray(stats.mstats.winsorize(x, limits=(0.2, 0.2))), ddof=1))
    row(f"skewness/{name}", stats.skew(x, bias=False))
    row(f"kurtosis/{name}", stats.kurtosis(x, bias=False))
for first, second in [("normal", "other"), ("ties", "ties2"), ("large", "large2")]:
    a, b = data[first], data[second]
    ks = stats.ks_2samp(a, b, method="exact") if first != "ties" else None
    if ks is not None:
        row(f"smirnov/{first}-{second}/p", ks.pvalue)
    welch = stats.ttest_ind(b, a, equal_var=False)
    row(f"welch/{first}-{second}/p", welch.pvalue)
mw = stats.mannwhitneyu(data["normal"], data["other"], method="exact")
row("mann-whitney/normal-other/p", mw.pvalue)
# Monte Carlo: 200,000 resamples, so the ends are good to about 0.3 % of the interval's width.
for name, statistic in [("skewed", np.mean), ("large", np.mean), ("skewed", np.median)]:
    for method in ["percentile", "BCa"]:
        interval = stats.bootstrap(
            (data[name],), statistic, n_resamples=200000, batch=2000, confidence_level=0.95, method=method, random_state=1
        ).confidence_interval
        row(f"bootstrap/{method}/{statistic.__name__}/{name}/low", interval.low)
        row(f"bootstrap/{method}/{statistic.__name__}/{name}/high", interval.high)
for df in [1, 4.5, 60, 1e6]:
    for tail in [1e-12, 1e-4, 0.01, 0.4]:
        row(f"t.isf/{df:g}/{tail:g}", stats.t.isf(tail, df))
# Two stored runs, one value a launch: src/detect/runs.h has the formula. Reruns: two groups of three.


def figures(values):
    logs = np.log(values)
    kept = len(logs) - 2 * int(0.2 * len(logs))
    winsorised = np.asarray(stats.mstats.winsorize(logs, limits=(0.2, 0.2)))
    return stats.trim_mean(logs, 0.2), np.var(winsorised, ddof=1) * (len(logs) - 1) / (kept * (kept - 1)), kept - 1


groups = [[data["normal"], data["other"], data["normal"] * 1.02], [data["large"], data["large2"], data["skewed"]]]
summed = [[figures(run) for run in group] for group in groups]
freedom = sum(len(group) - 1 for group in summed)
pooled = sum(np.var([run[0] for run in group], ddof=1) * (len(group) - 1) for group in summed) / freedom
launches = np.mean([run[1] for group in summed for run in group])
old, new = figures(data["normal"]), figures(data["skewed"])
for alpha in [0.01, 0.0001]:
    guard = (1.45 + 1 / freedom) * (1 + 0.2 * max(0, np.log10(0.01 / alpha)))
    between = 2 * pooled * guard**2
    extras = [max(0, side[1] - launches) for side in (old, new)]
    variance = between + sum(extras)
    df = variance**2 / (between**2 / freedom + sum(e**2 / side[2] for e, side in zip(extras, (old, new))))
    reach = stats.t.isf(alpha / 2, df) * np.sqrt(variance)
    row(f"runs/{alpha:g}/low", np.exp(new[0] - old[0] - reach))
    row(f"runs/{alpha:g}/high", np.exp(new[0] - old[0] + reach))
row("runs/variance", pooled)
row("runs/launch-variance", launches)
print("};\n\n#endif")
