/* samples.h: every sample of a metric, or every launch or histogram of a benchmark, as one compact
 * blob.
 *
 * Exact: what is decoded is bit for bit what was encoded, launch numbers included. Values must be
 * finite; a NaN or an infinity is refused, never kept. A damaged blob is refused with a reason,
 * never a crash and never a wrong number: a checksum covers the content, and every length is
 * checked before memory is taken for it.
 *
 *     struct samples_codec *codec = samples_codec_new();
 *     samples_encode(codec, arena, &metric, &blob, &error);
 *     samples_decode(codec, arena, blob, &metric, &error);   sets values, launches, count, capacity
 *     samples_codec_free(codec); */
#ifndef TARE_CODEC_SAMPLES_H
#define TARE_CODEC_SAMPLES_H

#include "base/arena.h"
#include "base/error.h"
#include "model/model.h"

#include <stddef.h>
#include <stdint.h>

struct samples_codec;

struct samples_blob {
    const uint8_t *bytes;
    ptrdiff_t length;
};

/* 1,000,000,000: the largest blob SQLite takes. */
enum { SAMPLES_BLOB_BYTES_MAX = 1000000000 };

/* NULL when there is no memory. Holds the compressor's working memory, about 1 MiB; not for two
 * threads at once. */
struct samples_codec *samples_codec_new(void);
void samples_codec_free(struct samples_codec *codec);

tare_status samples_encode(struct samples_codec *codec, struct arena *arena,
                           const struct model_metric *metric, struct samples_blob *blob,
                           struct tare_error *error);
tare_status samples_decode(struct samples_codec *codec, struct arena *arena,
                           struct samples_blob blob, struct model_metric *metric,
                           struct tare_error *error);

tare_status samples_histograms_encode(struct samples_codec *codec, struct arena *arena,
                                      const struct model_benchmark *benchmark,
                                      struct samples_blob *blob, struct tare_error *error);
/* Sets histograms, histogram_count and histogram_capacity. */
tare_status samples_histograms_decode(struct samples_codec *codec, struct arena *arena,
                                      struct samples_blob blob, struct model_benchmark *benchmark,
                                      struct tare_error *error);

tare_status samples_launches_encode(struct samples_codec *codec, struct arena *arena,
                                    const struct model_benchmark *benchmark,
                                    struct samples_blob *blob, struct tare_error *error);
/* Sets launches, launch_count and launch_capacity. */
tare_status samples_launches_decode(struct samples_codec *codec, struct arena *arena,
                                    struct samples_blob blob, struct model_benchmark *benchmark,
                                    struct tare_error *error);

#endif
