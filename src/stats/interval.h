/* interval.h: confidence intervals of one sample's centre.
 *
 * All take alpha, the two-sided error (0.01 for 99 %), in (0, 1). What each one assumes, and when
 * it fails, is in docs/statistics.md. An interval that cannot be had (too few values) has
 * is_defined false; its estimate is still right when there was at least one value. */
#ifndef TARE_STATS_INTERVAL_H
#define TARE_STATS_INTERVAL_H

#include "base/arena.h"

#include <stdbool.h>
#include <stddef.h>

enum stats_interval_method {
    STATS_INTERVAL_NONE,
    STATS_INTERVAL_T,
    STATS_INTERVAL_YUEN,
    STATS_INTERVAL_SIGN,
    STATS_INTERVAL_WIDER, /* the hull of Yuen's and the sign interval */
    STATS_INTERVAL_BOOTSTRAP_PERCENTILE,
    STATS_INTERVAL_BOOTSTRAP_BCA,
    STATS_INTERVAL_WELCH,
    STATS_INTERVAL_HODGES_LEHMANN,
    STATS_INTERVAL_MIXTURE, /* t-mixture confidence sequence */
};

struct stats_interval {
    bool is_defined;
    enum stats_interval_method method;
    double estimate;
    double low;
    double high;
    double confidence; /* 1 − alpha, or the exact coverage where the method knows it */
};

/* "t", "yuen", "sign", …; for JSON and reports. */
const char *stats_interval_method_name(enum stats_interval_method method);

/* 20 % from each end: the trim that keeps most of the efficiency at the normal and still survives a
 * fifth of bad launches on either side (Wilcox, "Introduction to robust estimation", 2012). */
#define STATS_TRIM_SHARE 0.2

/* Student's interval of the mean; from 2 values. Without variance it has no width: callers who need
 * a guarantee there use the sign interval. */
struct stats_interval stats_interval_t(const double *values, ptrdiff_t count, double alpha);

/* Yuen's interval of the trimmed mean, share of each end in [0, 0.5); from 2 kept values. */
struct stats_interval stats_interval_yuen(const double *values, ptrdiff_t count, double share,
                                          double alpha, struct arena *scratch);

/* Order-statistic interval of the median: exact for any continuous distribution, at least as wide
 * as promised with ties. Defined from stats_sign_count_min(alpha) values; confidence is the exact
 * one. */
struct stats_interval stats_interval_sign(const double *values, ptrdiff_t count, double alpha,
                                          struct arena *scratch);

/* The smallest n with 2^(1−n) <= alpha: below it no distribution-free interval of a median exists.
 */
ptrdiff_t stats_sign_count_min(double alpha);

/* The largest k >= 0 with 2 P(Binomial(n, ½) < k) <= alpha: the interval is the k-th smallest to
 * the k-th largest value; 0 when there is none. */
ptrdiff_t stats_sign_rank(ptrdiff_t count, double alpha);

/* The smallest interval that holds both; undefined when either is. The estimate and confidence are
 * those of `first`, the method STATS_INTERVAL_WIDER. */
struct stats_interval stats_interval_hull(struct stats_interval first,
                                          struct stats_interval second);

/* Share of successes with an interval: Wald's (for comparison only: fails near 0 and 1), Wilson's
 * score interval, and Clopper and Pearson's, which never covers less than promised. 0 trials:
 * undefined. */
struct stats_interval stats_proportion_wald(ptrdiff_t successes, ptrdiff_t trials, double alpha);
struct stats_interval stats_proportion_wilson(ptrdiff_t successes, ptrdiff_t trials, double alpha);
struct stats_interval stats_proportion_exact(ptrdiff_t successes, ptrdiff_t trials, double alpha);

#endif
