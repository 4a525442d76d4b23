/* samples.c: the blobs samples are kept in.
 *
 * Idea: neighbouring samples share sign, exponent and the first bits of the mantissa. Laying all
 * first bytes of the doubles side by side, then all second bytes and so on (a byte shuffle) puts
 * what is alike together, and zstd takes it away; the low bytes are noise and stay. Times that are
 * a whole number of nanoseconds over the same count repeat byte patterns, which zstd finds better
 * unshuffled, so both are tried and the smaller is kept. Whole numbers (bytes, counts, a command's
 * time in nanoseconds) are kept as differences to the one before in as few bytes as they need.
 * Launch numbers are runs: "12 samples of launch 3".
 *
 * Bytes a sample at level 3, of times 1 % apart, floor(time) / 1234 (shuffled, plain): n =
 * 100: 6.5, 7.5; n = 1,000: 6.2, 4.9; n = 10,000: 6.2, 3.4. Differences or exclusive-ors before the
 * shuffle were larger in all of these.
 *
 *     blob     = format (1 byte) · packing (1 byte) · checksum (8) · count (varint) · content
 * length (varint) · data samples  = number of runs · runs of (launch difference, length) · kind (1
 * byte) · values histograms = per histogram: launch · bits · min, max (8 bytes each) · buckets ·
 * pairs of (bucket difference, count)
 *
 *     launches = columns: kind and ASLR (1 byte) · start differences · paddings · exit statuses ·
 * steal · durations (shuffled)
 *
 * Integers are LEB128 varints, signed ones in zigzag; fixed-size numbers are little-endian. The
 * checksum is XXH3 of the unpacked content with the count as its seed.
 *
 * Limits: MODEL_SAMPLES_MAX samples, SAMPLES_BLOB_BYTES_MAX bytes. Cost, measured by bench/store.c:
 * see docs there. */
#include "codec/samples.h"

#include "base/assert.h"

#define XXH_INLINE_ALL
#include <xxhash.h>
#include <zstd.h>

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

struct samples_codec {
    ZSTD_CCtx *compressor;
    ZSTD_DCtx *decompressor;
};

enum { FORMAT_VERSION = 1 };
enum packing { PACKING_NONE, PACKING_ZSTD };
enum value_kind { VALUES_WHOLE, VALUES_SHUFFLED, VALUES_PLAIN };

enum {
    HEADER_BYTES_MAX = 1 + 1 + 8 + 10 + 10,
    VARINT_BYTES_MAX = 10,
    /* A whole number's difference has at most 55 bits in zigzag: never more than the 8 bytes of a
       double. */
    VALUE_BYTES_MAX = 8,
    /* Level 3 is zstd's default; higher ones gain under 1 % on samples and cost several times more.
     */
    COMPRESSION_LEVEL = 3,
    /* Fewer samples than this pack better shuffled (see above), so the other way is not tried; and
       fewer bytes than this do not get smaller by more than zstd's own header. */
    PLAIN_SAMPLES_MIN = 100,
    PACKED_BYTES_MIN = 64,
    /* The densest thing zstd can say is "128 KiB of one byte" in 4 bytes; a blob that promises more
       lies. */
    EXPANSION_MAX = 128 * 1024 / 4,
};

/* 2^53: up to here every whole number is a double. */
static const double WHOLE_MAX = 9007199254740992.0;

/* ---- bytes out and in ---- */

/* The caller has made room for all that is written. */
struct writer {
    uint8_t *bytes;
    ptrdiff_t length;
    ptrdiff_t capacity;
};

/* Reading past the end gives zeros and sets is_bad, which is looked at once at the end of every
 * loop. */
struct reader {
    const uint8_t *bytes;
    ptrdiff_t length;
    ptrdiff_t at;
    bool is_bad;
};

static void write_byte(struct writer *writer, uint8_t byte)
{
    TARE_ASSERT(writer->length < writer->capacity);
    writer->bytes[writer->length++] = byte;
}

static void write_varint(struct writer *writer, uint64_t value)
{
    while (value >= 0x80) {
        write_byte(writer, (uint8_t)(value | 0x80));
        value >>= 7;
    }
    write_byte(writer, (uint8_t)value);
}

static void write_signed(struct writer *writer, int64_t value)
{
    write_varint(writer, ((uint64_t)value << 1) ^ (value < 0 ? UINT64_MAX : 0));
}

static void write_u64(struct writer *writer, uint64_t value)
{
    for (int i = 0; i < 8; i++) {
        write_byte(writer, (uint8_t)(value >> (8 * i)));
    }
}

static uint64_t double_bits(double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

static double double_of(uint64_t bits)
{
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

static uint8_t read_byte(struct reader *reader)
{
    if (reader->at >= reader->length) {
        reader->is_bad = true;
        return 0;
    }
    return reader->bytes[reader->at++];
}

static uint64_t read_varint(struct reader *reader)
{
    uint64_t value = 0;
    for (int shift = 0; shift < 64; shift += 7) {
        uint8_t byte = read_byte(reader);
        if (shift == 63 && byte > 1) {
            break;
        }
        value |= (uint64_t)(byte & 0x7F) << shift;
        if (byte < 0x80) {
            return value;
        }
    }
    reader->is_bad = true;
    return 0;
}

static int64_t read_signed(struct reader *reader)
{
    uint64_t zigzag = read_varint(reader);
    return (int64_t)(zigzag >> 1) ^ -(int64_t)(zigzag & 1);
}

/* A count of things that take at least one byte each. */
static ptrdiff_t read_count(struct reader *reader, uint64_t count_max)
{
    uint64_t count = read_varint(reader);
    if (count > count_max) {
        reader->is_bad = true;
        return 0;
    }
    return (ptrdiff_t)count;
}

static uint64_t read_u64(struct reader *reader)
{
    uint64_t value = 0;
    for (int i = 0; i < 8; i++) {
        value |= (uint64_t)read_byte(reader) << (8 * i);
    }
    return value;
}

/* ---- the wrapping: header, checksum, compression ---- */

struct samples_codec *samples_codec_new(void)
{
    struct samples_codec *codec = calloc(1, sizeof *codec);
    if (codec == NULL) {
        return NULL;
    }
    codec->compressor = ZSTD_createCCtx();
    codec->decompressor = ZSTD_createDCtx();
    if (codec->compressor == NULL || codec->decompressor == NULL) {
        samples_codec_free(codec);
        return NULL;
    }
    return codec;
}

void samples_codec_free(struct samples_codec *codec)
{
    if (codec == NULL) {
        return;
    }
    ZSTD_freeCCtx(codec->compressor);
    ZSTD_freeDCtx(codec->decompressor);
    free(codec);
}

static tare_status wrap(struct samples_codec *codec, struct arena *arena,
                        const struct writer *content, ptrdiff_t count, struct samples_blob *blob,
                        struct tare_error *error)
{
    size_t bound = ZSTD_compressBound((size_t)content->length);
    ptrdiff_t capacity = HEADER_BYTES_MAX + (ptrdiff_t)bound;
    struct writer out = {.bytes = arena_alloc(arena, capacity, 1), .capacity = capacity};
    write_byte(&out, FORMAT_VERSION);
    write_byte(&out, PACKING_ZSTD);
    write_u64(&out, XXH3_64bits_withSeed(content->bytes, (size_t)content->length, (uint64_t)count));
    write_varint(&out, (uint64_t)count);
    write_varint(&out, (uint64_t)content->length);
    size_t packed = (size_t)content->length;
    if (content->length >= PACKED_BYTES_MIN) {
        packed = ZSTD_compressCCtx(codec->compressor, out.bytes + out.length,
                                   (size_t)(out.capacity - out.length), content->bytes,
                                   (size_t)content->length, COMPRESSION_LEVEL);
    }
    if (ZSTD_isError(packed)) {
        return error_set(error, TARE_ERROR_MEMORY, "samples could not be compressed: %s",
                         ZSTD_getErrorName(packed));
    }
    if (packed >= (size_t)content->length) {
        out.bytes[1] = PACKING_NONE;
        memcpy(out.bytes + out.length, content->bytes, (size_t)content->length);
        packed = (size_t)content->length;
    }
    *blob = (struct samples_blob){.bytes = out.bytes, .length = out.length + (ptrdiff_t)packed};
    if (blob->length > SAMPLES_BLOB_BYTES_MAX) {
        return error_set(error, TARE_ERROR_MEASURE,
                         "%td samples take %td bytes packed, more than the %d that can be kept",
                         count, blob->length, SAMPLES_BLOB_BYTES_MAX);
    }
    return TARE_OK;
}

static tare_status damaged(struct tare_error *error, const char *how)
{
    return error_set(error, TARE_ERROR_IO, "damaged data: %s", how);
}

struct content {
    struct reader reader;
    ptrdiff_t count; /* samples or histograms */
};

static tare_status unpack(struct samples_codec *codec, struct arena *arena, struct reader *in,
                          enum packing packing, ptrdiff_t length, const uint8_t **bytes,
                          struct tare_error *error)
{
    ptrdiff_t packed = in->length - in->at;
    if (packing == PACKING_NONE) {
        *bytes = in->bytes + in->at;
        return packed == length ? TARE_OK : damaged(error, "its length is not what it says");
    }
    if (length > SAMPLES_BLOB_BYTES_MAX || length / EXPANSION_MAX > packed) {
        return damaged(error, "it promises more than it can hold");
    }
    uint8_t *unpacked = arena_alloc(arena, length + 1, 1);
    size_t got = ZSTD_decompressDCtx(codec->decompressor, unpacked, (size_t)length,
                                     in->bytes + in->at, (size_t)packed);
    if (ZSTD_isError(got) || got != (size_t)length) {
        return damaged(error, "it cannot be unpacked");
    }
    *bytes = unpacked;
    return TARE_OK;
}

static tare_status unwrap(struct samples_codec *codec, struct arena *arena,
                          struct samples_blob blob, struct content *content,
                          struct tare_error *error)
{
    struct reader in = {.bytes = blob.bytes, .length = blob.length};
    uint8_t version = read_byte(&in);
    uint8_t packing = read_byte(&in);
    uint64_t checksum = read_u64(&in);
    ptrdiff_t count = read_count(&in, MODEL_SAMPLES_MAX);
    ptrdiff_t length = read_count(&in, SAMPLES_BLOB_BYTES_MAX);
    if (in.is_bad) {
        return damaged(error, "its header is cut short or beyond the limits");
    }
    if (version != FORMAT_VERSION || packing > PACKING_ZSTD) {
        return damaged(error, "its format is unknown");
    }
    const uint8_t *bytes = NULL;
    tare_status status = unpack(codec, arena, &in, packing, length, &bytes, error);
    if (status != TARE_OK) {
        return status;
    }
    if (XXH3_64bits_withSeed(bytes, (size_t)length, (uint64_t)count) != checksum) {
        return damaged(error, "its checksum differs");
    }
    if (count > length) {
        return damaged(error, "it is too short for its count");
    }
    *content = (struct content){.reader = {.bytes = bytes, .length = length}, .count = count};
    return TARE_OK;
}

/* ---- samples ---- */

static bool is_whole(double value)
{
    return fabs(value) <= WHOLE_MAX && double_bits((double)(int64_t)value) == double_bits(value);
}

static tare_status check_metric(const struct model_metric *metric, bool *is_all_whole,
                                ptrdiff_t *run_count, struct tare_error *error)
{
    *is_all_whole = true;
    *run_count = 0;
    for (ptrdiff_t i = 0; i < metric->count; i++) {
        if (!isfinite(metric->values[i])) {
            return error_set(error, TARE_ERROR_MEASURE,
                             "sample %td is not a finite number, which is never kept", i);
        }
        if (metric->launches[i] < 0 || metric->launches[i] >= MODEL_LAUNCHES_MAX) {
            return error_set(error, TARE_ERROR_MEASURE,
                             "sample %td has launch number %d, which is out of range", i,
                             (int)metric->launches[i]);
        }
        *is_all_whole = *is_all_whole && is_whole(metric->values[i]);
        *run_count += i == 0 || metric->launches[i] != metric->launches[i - 1];
    }
    return TARE_OK;
}

static void write_launches(struct writer *out, const struct model_metric *metric,
                           ptrdiff_t run_count)
{
    write_varint(out, (uint64_t)run_count);
    int32_t previous = 0;
    for (ptrdiff_t start = 0; start < metric->count;) {
        ptrdiff_t end = start + 1;
        while (end < metric->count && metric->launches[end] == metric->launches[start]) {
            end++;
        }
        write_signed(out, (int64_t)metric->launches[start] - previous);
        write_varint(out, (uint64_t)(end - start));
        previous = metric->launches[start];
        start = end;
    }
}

static void write_whole(struct writer *out, const double *values, ptrdiff_t count)
{
    int64_t previous = 0;
    for (ptrdiff_t i = 0; i < count; i++) {
        int64_t value = (int64_t)values[i];
        write_signed(out, value - previous);
        previous = value;
    }
}

static void write_shuffled(struct writer *out, const double *values, ptrdiff_t count)
{
    TARE_ASSERT(out->capacity - out->length >= count * 8);
    uint8_t *planes = out->bytes + out->length;
    for (ptrdiff_t i = 0; i < count; i++) {
        uint64_t bits = double_bits(values[i]);
        for (int plane = 0; plane < 8; plane++) {
            planes[plane * count + i] = (uint8_t)(bits >> (8 * plane));
        }
    }
    out->length += count * 8;
}

static void write_plain(struct writer *out, const double *values, ptrdiff_t count)
{
    for (ptrdiff_t i = 0; i < count; i++) {
        write_u64(out, double_bits(values[i]));
    }
}

static tare_status encode_as(struct samples_codec *codec, struct arena *arena,
                             const struct model_metric *metric, ptrdiff_t run_count,
                             enum value_kind kind, struct samples_blob *blob,
                             struct tare_error *error)
{
    static void (*const write_values[])(struct writer * out, const double *values,
                                        ptrdiff_t count) = {
        [VALUES_WHOLE] = write_whole,
        [VALUES_SHUFFLED] = write_shuffled,
        [VALUES_PLAIN] = write_plain,
    };
    ptrdiff_t capacity =
        VARINT_BYTES_MAX + run_count * 2 * VARINT_BYTES_MAX + 1 + metric->count * VALUE_BYTES_MAX;
    struct writer content = {.bytes = arena_alloc(arena, capacity, 1), .capacity = capacity};
    write_launches(&content, metric, run_count);
    write_byte(&content, (uint8_t)kind);
    write_values[kind](&content, metric->values, metric->count);
    return wrap(codec, arena, &content, metric->count, blob, error);
}

tare_status samples_encode(struct samples_codec *codec, struct arena *arena,
                           const struct model_metric *metric, struct samples_blob *blob,
                           struct tare_error *error)
{
    TARE_ASSERT(metric->count >= 0 && metric->count <= MODEL_SAMPLES_MAX);
    bool is_all_whole;
    ptrdiff_t run_count;
    tare_status status = check_metric(metric, &is_all_whole, &run_count, error);
    if (status != TARE_OK) {
        return status;
    }
    if (is_all_whole) {
        return encode_as(codec, arena, metric, run_count, VALUES_WHOLE, blob, error);
    }
    struct samples_blob plain = {0};
    status = encode_as(codec, arena, metric, run_count, VALUES_SHUFFLED, blob, error);
    bool is_tried = metric->count >= PLAIN_SAMPLES_MIN;
    if (status == TARE_OK && is_tried) {
        status = encode_as(codec, arena, metric, run_count, VALUES_PLAIN, &plain, error);
    }
    if (status == TARE_OK && is_tried && plain.length < blob->length) {
        *blob = plain;
    }
    return status;
}

static bool read_launches(struct reader *in, int32_t *launches, ptrdiff_t count)
{
    ptrdiff_t run_count = read_count(in, (uint64_t)count);
    int64_t launch = 0;
    ptrdiff_t filled = 0;
    for (ptrdiff_t run = 0; run < run_count && !in->is_bad; run++) {
        int64_t difference = read_signed(in);
        ptrdiff_t length = read_count(in, (uint64_t)(count - filled));
        if (difference < -MODEL_LAUNCHES_MAX || difference > MODEL_LAUNCHES_MAX) {
            return false;
        }
        launch += difference;
        if (launch < 0 || launch >= MODEL_LAUNCHES_MAX) {
            return false;
        }
        for (ptrdiff_t i = 0; i < length; i++) {
            launches[filled++] = (int32_t)launch;
        }
    }
    return !in->is_bad && filled == count;
}

static bool read_whole(struct reader *in, double *values, ptrdiff_t count)
{
    int64_t value = 0;
    const int64_t limit = (int64_t)WHOLE_MAX;
    for (ptrdiff_t i = 0; i < count; i++) {
        int64_t difference = read_signed(in);
        if (in->is_bad || difference < -2 * limit || difference > 2 * limit) {
            return false;
        }
        value += difference;
        if (value < -limit || value > limit) {
            return false;
        }
        values[i] = (double)value;
    }
    return true;
}

static bool read_shuffled(struct reader *in, double *values, ptrdiff_t count)
{
    if ((in->length - in->at) / 8 < count) {
        return false;
    }
    const uint8_t *planes = in->bytes + in->at;
    in->at += count * 8;
    for (ptrdiff_t i = 0; i < count; i++) {
        uint64_t bits = 0;
        for (int plane = 0; plane < 8; plane++) {
            bits |= (uint64_t)planes[plane * count + i] << (8 * plane);
        }
        values[i] = double_of(bits);
    }
    return true;
}

static bool read_plain(struct reader *in, double *values, ptrdiff_t count)
{
    for (ptrdiff_t i = 0; i < count; i++) {
        values[i] = double_of(read_u64(in));
    }
    return !in->is_bad;
}

static bool is_all_finite(const double *values, ptrdiff_t count)
{
    for (ptrdiff_t i = 0; i < count; i++) {
        if (!isfinite(values[i])) {
            return false;
        }
    }
    return true;
}

static bool read_samples(struct reader *in, struct model_metric *metric)
{
    if (!read_launches(in, metric->launches, metric->count)) {
        return false;
    }
    static bool (*const read_values[])(struct reader * in, double *values, ptrdiff_t count) = {
        [VALUES_WHOLE] = read_whole,
        [VALUES_SHUFFLED] = read_shuffled,
        [VALUES_PLAIN] = read_plain,
    };
    uint8_t kind = read_byte(in);
    bool is_good = kind <= VALUES_PLAIN && read_values[kind](in, metric->values, metric->count);
    return is_good && is_all_finite(metric->values, metric->count) && !in->is_bad &&
           in->at == in->length;
}

tare_status samples_decode(struct samples_codec *codec, struct arena *arena,
                           struct samples_blob blob, struct model_metric *metric,
                           struct tare_error *error)
{
    struct arena scratch = {0};
    struct content content;
    tare_status status = unwrap(codec, &scratch, blob, &content, error);
    if (status == TARE_OK) {
        metric->count = content.count;
        metric->capacity = content.count;
        metric->values = ARENA_ARRAY(arena, double, content.count);
        metric->launches = ARENA_ARRAY(arena, int32_t, content.count);
        if (!read_samples(&content.reader, metric)) {
            metric->count = 0;
            status = damaged(error, "its samples do not add up");
        }
    }
    arena_free(&scratch);
    return status;
}

/* ---- histograms ---- */

/* launch, bits, bucket count, and two fixed numbers. */
enum { HISTOGRAM_FIXED_BYTES_MAX = 3 * VARINT_BYTES_MAX + 16 };

/* What model_histogram_bucket_of works with. */
enum { HISTOGRAM_BITS_MIN = 1, HISTOGRAM_BITS_MAX = 15 };

/* The bucket of the largest 63-bit value. */
static int64_t histogram_bucket_max(int32_t bits)
{
    return ((int64_t)(64 - bits) << bits) - 1;
}

static const char *histogram_flaw(const struct model_histogram *histogram)
{
    if (histogram->launch < 0 || histogram->launch >= MODEL_LAUNCHES_MAX) {
        return "a launch number out of range";
    }
    if (histogram->bits < HISTOGRAM_BITS_MIN || histogram->bits > HISTOGRAM_BITS_MAX) {
        return "bits out of range";
    }
    if (!isfinite(histogram->min_ns) || !isfinite(histogram->max_ns)) {
        return "a limit that is not a finite number";
    }
    if (histogram->bucket_count < 0 || histogram->bucket_count > MODEL_HISTOGRAM_BUCKETS_MAX) {
        return "too many buckets";
    }
    for (ptrdiff_t i = 0; i < histogram->bucket_count; i++) {
        int32_t previous = i > 0 ? histogram->buckets[i - 1] : -1;
        if (histogram->buckets[i] <= previous || histogram->counts[i] <= 0) {
            return "buckets that do not ascend or are empty";
        }
        if (histogram->buckets[i] > histogram_bucket_max(histogram->bits)) {
            return "a bucket out of range";
        }
    }
    return NULL;
}

static void write_histogram(struct writer *out, const struct model_histogram *histogram)
{
    write_varint(out, (uint64_t)histogram->launch);
    write_varint(out, (uint64_t)histogram->bits);
    write_u64(out, double_bits(histogram->min_ns));
    write_u64(out, double_bits(histogram->max_ns));
    write_varint(out, (uint64_t)histogram->bucket_count);
    int32_t previous = 0;
    for (ptrdiff_t i = 0; i < histogram->bucket_count; i++) {
        write_varint(out, (uint64_t)(histogram->buckets[i] - previous));
        write_varint(out, (uint64_t)histogram->counts[i]);
        previous = histogram->buckets[i];
    }
}

tare_status samples_histograms_encode(struct samples_codec *codec, struct arena *arena,
                                      const struct model_benchmark *benchmark,
                                      struct samples_blob *blob, struct tare_error *error)
{
    ptrdiff_t capacity = 0;
    for (ptrdiff_t i = 0; i < benchmark->histogram_count; i++) {
        const char *flaw = histogram_flaw(&benchmark->histograms[i]);
        if (flaw != NULL) {
            return error_set(error, TARE_ERROR_MEASURE, "histogram %td has %s, which is never kept",
                             i, flaw);
        }
        capacity += HISTOGRAM_FIXED_BYTES_MAX +
                    benchmark->histograms[i].bucket_count * 2 * VARINT_BYTES_MAX;
    }
    struct writer content = {.bytes = arena_alloc(arena, capacity + 1, 1), .capacity = capacity};
    for (ptrdiff_t i = 0; i < benchmark->histogram_count; i++) {
        write_histogram(&content, &benchmark->histograms[i]);
    }
    return wrap(codec, arena, &content, benchmark->histogram_count, blob, error);
}

static bool read_histogram(struct reader *in, struct arena *arena,
                           struct model_histogram *histogram)
{
    histogram->launch = (int32_t)read_count(in, MODEL_LAUNCHES_MAX);
    histogram->bits = (int32_t)read_count(in, HISTOGRAM_BITS_MAX);
    histogram->min_ns = double_of(read_u64(in));
    histogram->max_ns = double_of(read_u64(in));
    histogram->bucket_count = read_count(in, MODEL_HISTOGRAM_BUCKETS_MAX);
    if (in->is_bad || histogram->bucket_count > in->length - in->at) {
        return false;
    }
    histogram->buckets = ARENA_ARRAY(arena, int32_t, histogram->bucket_count);
    histogram->counts = ARENA_ARRAY(arena, int64_t, histogram->bucket_count);
    uint64_t bucket = 0;
    for (ptrdiff_t i = 0; i < histogram->bucket_count; i++) {
        bucket += (uint64_t)read_count(in, INT32_MAX);
        uint64_t count = read_varint(in);
        if (in->is_bad || bucket > INT32_MAX || count > INT64_MAX) {
            return false;
        }
        histogram->buckets[i] = (int32_t)bucket;
        histogram->counts[i] = (int64_t)count;
    }
    return histogram_flaw(histogram) == NULL;
}

tare_status samples_histograms_decode(struct samples_codec *codec, struct arena *arena,
                                      struct samples_blob blob, struct model_benchmark *benchmark,
                                      struct tare_error *error)
{
    struct arena scratch = {0};
    struct content content;
    tare_status status = unwrap(codec, &scratch, blob, &content, error);
    if (status == TARE_OK) {
        struct reader *in = &content.reader;
        benchmark->histograms = ARENA_ARRAY(arena, struct model_histogram, content.count);
        benchmark->histogram_count = content.count;
        benchmark->histogram_capacity = content.count;
        bool is_good = true;
        for (ptrdiff_t i = 0; i < content.count && is_good; i++) {
            is_good = read_histogram(in, arena, &benchmark->histograms[i]);
        }
        if (!is_good || in->at != in->length) {
            benchmark->histogram_count = 0;
            status = damaged(error, "its histograms do not add up");
        }
    }
    arena_free(&scratch);
    return status;
}

/* ---- launches ---- */

/* One byte says kind and address-space randomisation; steal_ratio is the one number that may be
 * NaN: unknown. */
enum { LAUNCH_ASLR_BIT = 4, LAUNCH_KIND_MAX = MODEL_LAUNCH_COUNTERS };
enum { LAUNCH_BYTES_MAX = 1 + 3 * VARINT_BYTES_MAX + 2 * 8 };

static const char *launch_flaw(const struct model_launch *launch)
{
    if (!isfinite(launch->duration_ns) || isinf(launch->steal_ratio)) {
        return "a duration or steal time that is not a finite number";
    }
    return (unsigned)launch->kind > LAUNCH_KIND_MAX ? "an unknown kind" : NULL;
}

/* Column by column: like stands beside like. */
static void write_launch_columns(struct writer *out, struct arena *arena,
                                 const struct model_launch *launches, ptrdiff_t count)
{
    double *steal = ARENA_ARRAY(arena, double, count);
    double *duration = ARENA_ARRAY(arena, double, count);
    int64_t previous = 0;
    for (ptrdiff_t i = 0; i < count; i++) {
        write_byte(out,
                   (uint8_t)(launches[i].kind | (launches[i].is_aslr_on ? LAUNCH_ASLR_BIT : 0)));
        steal[i] = launches[i].steal_ratio;
        duration[i] = launches[i].duration_ns;
    }
    for (ptrdiff_t i = 0; i < count; i++) {
        /* Unsigned, because times from outside may be anything and the difference may wrap; so does
         * the sum. */
        write_signed(out, (int64_t)((uint64_t)launches[i].started_unix_ns - (uint64_t)previous));
        previous = launches[i].started_unix_ns;
    }
    for (ptrdiff_t i = 0; i < count; i++) {
        write_signed(out, launches[i].environment_padding_bytes);
    }
    for (ptrdiff_t i = 0; i < count; i++) {
        write_signed(out, launches[i].exit_status);
    }
    write_shuffled(out, steal, count);
    write_shuffled(out, duration, count);
}

tare_status samples_launches_encode(struct samples_codec *codec, struct arena *arena,
                                    const struct model_benchmark *benchmark,
                                    struct samples_blob *blob, struct tare_error *error)
{
    for (ptrdiff_t i = 0; i < benchmark->launch_count; i++) {
        const char *flaw = launch_flaw(&benchmark->launches[i]);
        if (flaw != NULL) {
            return error_set(error, TARE_ERROR_MEASURE, "launch %td has %s, which is never kept", i,
                             flaw);
        }
    }
    ptrdiff_t capacity = benchmark->launch_count * LAUNCH_BYTES_MAX;
    struct writer content = {.bytes = arena_alloc(arena, capacity + 1, 1), .capacity = capacity};
    write_launch_columns(&content, arena, benchmark->launches, benchmark->launch_count);
    return wrap(codec, arena, &content, benchmark->launch_count, blob, error);
}

static int32_t read_int32(struct reader *in)
{
    int64_t value = read_signed(in);
    if (value < INT32_MIN || value > INT32_MAX) {
        in->is_bad = true;
        return 0;
    }
    return (int32_t)value;
}

static bool read_launch_columns(struct reader *in, struct arena *arena,
                                struct model_launch *launches, ptrdiff_t count)
{
    double *steal = ARENA_ARRAY(arena, double, count);
    double *duration = ARENA_ARRAY(arena, double, count);
    uint64_t started = 0;
    for (ptrdiff_t i = 0; i < count; i++) {
        uint8_t byte = read_byte(in);
        launches[i].is_aslr_on = (byte & LAUNCH_ASLR_BIT) != 0;
        launches[i].kind = (enum model_launch_kind)(byte & ~LAUNCH_ASLR_BIT);
    }
    for (ptrdiff_t i = 0; i < count; i++) {
        started += (uint64_t)read_signed(in);
        launches[i].started_unix_ns = (int64_t)started;
    }
    for (ptrdiff_t i = 0; i < count; i++) {
        launches[i].environment_padding_bytes = read_int32(in);
    }
    for (ptrdiff_t i = 0; i < count; i++) {
        launches[i].exit_status = read_int32(in);
    }
    if (in->is_bad || !read_shuffled(in, steal, count) || !read_shuffled(in, duration, count)) {
        return false;
    }
    for (ptrdiff_t i = 0; i < count; i++) {
        launches[i].steal_ratio = steal[i];
        launches[i].duration_ns = duration[i];
        if (launch_flaw(&launches[i]) != NULL) {
            return false;
        }
    }
    return in->at == in->length;
}

tare_status samples_launches_decode(struct samples_codec *codec, struct arena *arena,
                                    struct samples_blob blob, struct model_benchmark *benchmark,
                                    struct tare_error *error)
{
    struct arena scratch = {0};
    struct content content;
    tare_status status = unwrap(codec, &scratch, blob, &content, error);
    if (status == TARE_OK && content.count > MODEL_LAUNCHES_MAX) {
        status = damaged(error, "it has too many launches");
    }
    if (status == TARE_OK) {
        benchmark->launches = ARENA_ARRAY(arena, struct model_launch, content.count);
        benchmark->launch_count = content.count;
        benchmark->launch_capacity = content.count;
        if (!read_launch_columns(&content.reader, &scratch, benchmark->launches, content.count)) {
            benchmark->launch_count = 0;
            status = damaged(error, "its launches do not add up");
        }
    }
    arena_free(&scratch);
    return status;
}
