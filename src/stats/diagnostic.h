/* diagnostic.h: what is odd about a sample: autocorrelation, drift, skew, outliers, a slow start.
 *
 * The values are in the order in which they were measured. None of these decides a verdict by
 * itself; they choose a wider interval or become a warning. Multimodality is in modes.h. */
#ifndef TARE_STATS_DIAGNOSTIC_H
#define TARE_STATS_DIAGNOSTIC_H

#include "base/arena.h"
#include "stats/order.h"

/* Correlation of values `lag` apart, as R's acf() has it; undefined when count <= lag + 1 or
 * without variance. Biased towards −1/n on independent data. */
struct stats_value stats_autocorrelation(const double *values, ptrdiff_t count, ptrdiff_t lag);

/* Independent values worth as much as these count ones, if they follow an AR(1): n (1 − r) / (1 +
 * r), in [1, n]; negative r is taken as 0. Undefined where the autocorrelation is. */
struct stats_value stats_effective_count(const double *values, ptrdiff_t count);

/* A trend over the order of measuring (Mann–Kendall) and its size (Theil–Sen). */
struct stats_drift {
    bool is_defined; /* from 4 values, not all equal */
    double tau;      /* Kendall's S / (n (n−1) / 2): −1 falling … 1 rising */
    double p;        /* two-sided, normal with tie and continuity correction */
    double slope;    /* median change per step */
    double change;   /* slope × (n − 1): over the whole sample, in the values' unit */
    ptrdiff_t
        count; /* values used: at most STATS_DRIFT_COUNT_MAX, evenly spread medians of blocks */
};

/* All pairs are looked at: 2,000 values are 2 million pairs, a few milliseconds. More are first
 * gathered into that many blocks, each replaced by its median. */
enum { STATS_DRIFT_COUNT_MAX = 2000 };
struct stats_drift stats_drift(const double *values, ptrdiff_t count, struct arena *scratch);

/* D'Agostino's test of skewness: z is standard normal for symmetric normal data; from 8 values. */
struct stats_skew_test {
    bool is_defined;
    double skewness; /* of the sample, unadjusted (g1) */
    double z;
    double p; /* two-sided */
};
struct stats_skew_test stats_skew_test(const double *values, ptrdiff_t count);

/* Values far from the rest. Tukey: beyond 1.5 (mild) or 3 (far) interquartile ranges from the
 * nearer quartile. Modified z: |x − median| > 3.5 MAD (Iglewicz and Hoaglin 1993). Below 4 values:
 * all 0. */
struct stats_outliers {
    ptrdiff_t mild_low;
    ptrdiff_t mild_high;
    ptrdiff_t far_low;
    ptrdiff_t far_high;
    ptrdiff_t modified_z; /* 0 when the MAD is 0: more than half the values are equal */
    double share;         /* mild and far together over count */
};
struct stats_outliers stats_outliers(const double *values, ptrdiff_t count, struct arena *scratch);

/* Is the first value slow: above all the others and beyond Tukey's far fence of them? From 5
 * values. */
struct stats_first {
    bool is_defined;
    bool is_slow;
    double ratio; /* first over median of the others; 0 when that median is 0 */
};
struct stats_first stats_first_slow(const double *values, ptrdiff_t count, struct arena *scratch);

#endif
