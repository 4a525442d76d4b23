/* Arbitrary bytes as a blob of samples, launches and histograms: refused or decoded, never a crash.
 * The checksum would keep a fuzzer out, so the bytes are also wrapped in a header with the right
 * one, which opens the way to the decoders proper. What decodes must encode and decode again to the
 * same. */
#include "codec/samples.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void decode_all(struct samples_codec *codec, struct samples_blob blob)
{
    struct arena arena = {0};
    struct tare_error error = {0};
    struct model_metric metric = {.name = "m", .unit = "1"};
    struct model_benchmark benchmark = {.name = "b"};
    if (samples_decode(codec, &arena, blob, &metric, &error) == TARE_OK) {
        struct samples_blob again;
        struct model_metric back = {.name = "m", .unit = "1"};
        if (samples_encode(codec, &arena, &metric, &again, &error) != TARE_OK ||
            samples_decode(codec, &arena, again, &back, &error) != TARE_OK ||
            back.count != metric.count ||
            memcmp(back.values, metric.values, (size_t)back.count * sizeof *back.values) != 0 ||
            memcmp(back.launches, metric.launches, (size_t)back.count * sizeof *back.launches) !=
                0) {
            abort();
        }
    }
    error_clear(&error);
    if (samples_histograms_decode(codec, &arena, blob, &benchmark, &error) == TARE_OK) {
        struct samples_blob again;
        if (samples_histograms_encode(codec, &arena, &benchmark, &again, &error) != TARE_OK) {
            abort();
        }
    }
    error_clear(&error);
    if (samples_launches_decode(codec, &arena, blob, &benchmark, &error) == TARE_OK) {
        struct samples_blob again;
        if (samples_launches_encode(codec, &arena, &benchmark, &again, &error) != TARE_OK) {
            abort();
        }
    }
    arena_free(&arena);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    enum { HEADER_BYTES = 2 + 8 + 1 + 3, CONTENT_BYTES_MAX = (1 << 21) - 1 };
    struct samples_codec *codec = samples_codec_new();
    if (codec == NULL || size > CONTENT_BYTES_MAX) {
        samples_codec_free(codec);
        return 0;
    }
    decode_all(codec, (struct samples_blob){.bytes = data, .length = (ptrdiff_t)size});
    if (size > 0) {
        /* The first byte is the count, the rest is content, unpacked. */
        uint8_t *blob = malloc(HEADER_BYTES + size);
        uint8_t count = data[0] & 0x7F;
        size_t length = size - 1;
        XXH64_hash_t checksum = XXH3_64bits_withSeed(data + 1, length, count);
        blob[0] = 1;
        blob[1] = 0;
        for (int i = 0; i < 8; i++) {
            blob[2 + i] = (uint8_t)(checksum >> (8 * i));
        }
        blob[10] = count;
        blob[11] = (uint8_t)(length | 0x80);
        blob[12] = (uint8_t)(length >> 7 | 0x80);
        blob[13] = (uint8_t)(length >> 14);
        memcpy(blob + HEADER_BYTES, data + 1, length);
        decode_all(codec, (struct samples_blob){.bytes = blob,
                                                .length = (ptrdiff_t)(HEADER_BYTES + length)});
        free(blob);
    }
    samples_codec_free(codec);
    return 0;
}
