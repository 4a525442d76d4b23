/* histogram.c: latencies in log-linear buckets, 7 bits: every bucket is at most 0.8 % of its value
 * wide.
 *
 * A value below 256 ns has a bucket of its own; above, each power of two has 128 buckets. Adding
 * costs a count of leading zeros and one increment; 57 KiB hold every 63-bit value. The layout is
 * that of docs/protocol.md ("Latency histograms"). */
#include "client/client.h"

#include <string.h>

void client_histogram_clear(struct client_histogram *histogram)
{
    memset(histogram, 0, sizeof *histogram);
    histogram->min_ns = INT64_MAX;
}

int32_t client_histogram_bucket_of(int64_t value_ns)
{
    if (value_ns < 0) {
        return 0;
    }
    if (value_ns < (int64_t)1 << (CLIENT_HISTOGRAM_BITS + 1)) {
        return (int32_t)value_ns;
    }
    int32_t power = 63 - __builtin_clzll((unsigned long long)value_ns);
    int32_t shift = power - CLIENT_HISTOGRAM_BITS;
    return (shift << CLIENT_HISTOGRAM_BITS) + (int32_t)(value_ns >> shift);
}

int64_t client_histogram_bucket_width(int32_t bucket)
{
    int32_t shift = (bucket >> CLIENT_HISTOGRAM_BITS) - 1;
    return shift <= 0 ? 1 : (int64_t)1 << shift;
}

int64_t client_histogram_bucket_low(int32_t bucket)
{
    int32_t shift = (bucket >> CLIENT_HISTOGRAM_BITS) - 1;
    if (shift <= 0) {
        return bucket;
    }
    return (int64_t)(bucket - (shift << CLIENT_HISTOGRAM_BITS)) << shift;
}

void client_histogram_add(struct client_histogram *histogram, int64_t value_ns)
{
    value_ns = value_ns < 0 ? 0 : value_ns;
    histogram->counts[client_histogram_bucket_of(value_ns)]++;
    histogram->total++;
    histogram->sum_ns += (double)value_ns;
    histogram->min_ns = value_ns < histogram->min_ns ? value_ns : histogram->min_ns;
    histogram->max_ns = value_ns > histogram->max_ns ? value_ns : histogram->max_ns;
}

void client_histogram_merge(struct client_histogram *into, const struct client_histogram *from)
{
    for (int32_t i = 0; i < CLIENT_HISTOGRAM_BUCKETS; i++) {
        into->counts[i] += from->counts[i];
    }
    into->total += from->total;
    into->sum_ns += from->sum_ns;
    into->min_ns = from->min_ns < into->min_ns ? from->min_ns : into->min_ns;
    into->max_ns = from->max_ns > into->max_ns ? from->max_ns : into->max_ns;
}

double client_histogram_quantile(const struct client_histogram *histogram, double share)
{
    /* The smallest value with at least share · total values at or below it. */
    double wanted = share * (double)histogram->total;
    uint64_t seen = 0;
    for (int32_t i = 0; i < CLIENT_HISTOGRAM_BUCKETS; i++) {
        seen += histogram->counts[i];
        if (histogram->counts[i] > 0 && (double)seen >= wanted) {
            int64_t high = client_histogram_bucket_low(i) + client_histogram_bucket_width(i) - 1;
            return (double)(high < histogram->max_ns ? high : histogram->max_ns);
        }
    }
    return (double)histogram->max_ns;
}
