#include "measure/latency.h"

#include "base/assert.h"

#include <math.h>
#include <string.h>

struct percentile {
    const char *name;
    double share;
};

static const struct percentile percentiles[] = {
    {"p50", 0.50}, {"p90", 0.90}, {"p99", 0.99}, {"p99.9", 0.999}, {"p99.99", 0.9999}, {"max", 1},
};

enum { PERCENTILE_COUNT = sizeof percentiles / sizeof *percentiles };

/* Counts by bucket of all slices of one launch. */
struct merged {
    int64_t *counts;
    int64_t total;
    double max_ns;
    int32_t bits;
    int32_t bucket_last;
};

static void merge(struct merged *into, const struct model_histogram *histogram)
{
    for (ptrdiff_t i = 0; i < histogram->bucket_count; i++) {
        into->counts[histogram->buckets[i]] += histogram->counts[i];
        into->total += histogram->counts[i];
        if (histogram->buckets[i] > into->bucket_last) {
            into->bucket_last = histogram->buckets[i];
        }
    }
    into->max_ns = fmax(into->max_ns, histogram->max_ns);
    into->bits = histogram->bits;
}

/* The middle of the bucket that holds the value of that rank (nearest-rank definition), never above
 * the largest value seen. */
static double merged_quantile(const struct merged *merged, double share)
{
    int64_t rank = (int64_t)ceil(share * (double)merged->total);
    int64_t seen = 0;
    for (int32_t bucket = 0; bucket <= merged->bucket_last; bucket++) {
        seen += merged->counts[bucket];
        if (seen >= rank && seen > 0) {
            double low = (double)model_histogram_bucket_low(merged->bits, bucket);
            double width = (double)model_histogram_bucket_width(merged->bits, bucket);
            return fmin(low + (width - 1) / 2, merged->max_ns);
        }
    }
    return merged->max_ns;
}

void measure_latency_metrics(struct arena *arena, struct model_benchmark *benchmark)
{
    struct arena scratch = {0};
    ptrdiff_t at = 0;
    while (at < benchmark->histogram_count) {
        int32_t launch = benchmark->histograms[at].launch;
        int32_t bits = benchmark->histograms[at].bits;
        TARE_ASSERT(bits >= 1 && bits <= 12);
        struct merged merged = {.counts = ARENA_ARRAY(&scratch, int64_t, (ptrdiff_t)64 << bits)};
        while (at < benchmark->histogram_count && benchmark->histograms[at].launch == launch &&
               benchmark->histograms[at].bits == bits) {
            merge(&merged, &benchmark->histograms[at++]);
        }
        for (int i = 0; i < PERCENTILE_COUNT; i++) {
            struct model_metric *metric = model_metric_get(arena, benchmark, percentiles[i].name,
                                                           "ns", MODEL_LOWER_IS_BETTER, false);
            double value = percentiles[i].share == 1
                               ? merged.max_ns
                               : merged_quantile(&merged, percentiles[i].share);
            model_metric_add(arena, metric, value, launch);
        }
        arena_reset(&scratch, (struct arena_mark){0});
    }
    arena_free(&scratch);
}
