/* latency.h: percentiles of latency mode. A launch's histograms are merged, and each percentile of
 * the merged one becomes one sample of the metric p50, p90, p99, p99.9, p99.99 or max. */
#ifndef TARE_MEASURE_LATENCY_H
#define TARE_MEASURE_LATENCY_H

#include "model/model.h"

/* Adds the percentile metrics; does nothing without histograms. */
void measure_latency_metrics(struct arena *arena, struct model_benchmark *benchmark);

#endif
