/* Blobs of samples, launches and histograms: what goes in comes out bit for bit, and damage is
 * always noticed. */
#include "base/random.h"
#include "codec/samples.h"
#include "store_fixture.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

struct state {
    struct arena arena;
    struct samples_codec *codec;
};

static int set_up(void **state)
{
    struct state *s = calloc(1, sizeof *s);
    s->codec = samples_codec_new();
    *state = s;
    return s->codec == NULL;
}

static int tear_down(void **state)
{
    struct state *s = *state;
    samples_codec_free(s->codec);
    arena_free(&s->arena);
    free(s);
    return 0;
}

static struct samples_blob encode(struct state *s, const struct model_metric *metric)
{
    struct tare_error error = {0};
    struct samples_blob blob = {0};
    assert_int_equal(samples_encode(s->codec, &s->arena, metric, &blob, &error), TARE_OK);
    return blob;
}

static void assert_round_trip(struct state *s, const struct model_metric *metric)
{
    struct tare_error error = {0};
    struct samples_blob blob = encode(s, metric);
    struct model_metric back = *metric;
    back.values = NULL;
    back.launches = NULL;
    back.count = -1;
    assert_int_equal(samples_decode(s->codec, &s->arena, blob, &back, &error), TARE_OK);
    assert_true(fixture_same_metric(metric, &back));
}

static struct model_metric metric_of(struct arena *arena, const double *values,
                                     const int32_t *launches, ptrdiff_t count)
{
    struct model_metric metric = {.name = "m", .unit = "1"};
    for (ptrdiff_t i = 0; i < count; i++) {
        model_metric_add(arena, &metric, values[i], launches != NULL ? launches[i] : 0);
    }
    return metric;
}

/* Goal: the odd values survive: none at all, one, zero with a sign, the smallest, the largest,
 * mixed magnitudes, whole numbers at the edge of what a double holds. */
static void odd_values_survive(void **state)
{
    struct state *s = *state;
    static const double odd[] = {0.0,     -0.0,
                                 1.0,     -1.0,
                                 0.1,     5e-324,
                                 -5e-324, 1.7976931348623157e308,
                                 1e-300,  9007199254740993.0};
    static const double whole[] = {9007199254740992.0, -9007199254740992.0, 0, 1, -1, 4096};
    static const double signed_zero[] = {1, -0.0, 2};
    struct model_metric metrics[] = {
        metric_of(&s->arena, odd, NULL, 0),
        metric_of(&s->arena, odd, NULL, 1),
        metric_of(&s->arena, odd, NULL, sizeof odd / sizeof *odd),
        metric_of(&s->arena, whole, NULL, sizeof whole / sizeof *whole),
        metric_of(&s->arena, signed_zero, NULL, 3),
    };
    for (size_t i = 0; i < sizeof metrics / sizeof *metrics; i++) {
        assert_round_trip(s, &metrics[i]);
    }
}

/* Goal: launch numbers survive in any order. Method: random ones, with and without long runs. */
static void launches_survive(void **state)
{
    struct state *s = *state;
    struct random random = random_seeded(3);
    for (int repeat = 0; repeat < 50; repeat++) {
        struct model_metric metric = {.name = "m", .unit = "1"};
        ptrdiff_t count = (ptrdiff_t)random_below(&random, 300);
        uint64_t bound = repeat % 2 == 0 ? 3 : MODEL_LAUNCHES_MAX;
        for (ptrdiff_t i = 0; i < count; i++) {
            model_metric_add(&s->arena, &metric, random_normal(&random),
                             (int32_t)random_below(&random, bound));
        }
        assert_round_trip(s, &metric);
    }
}

/* Goal: samples are small. Method: whole numbers of a command's time, and constant counts, against
 * 12 plain bytes a sample. */
static void whole_numbers_are_small(void **state)
{
    struct state *s = *state;
    struct random random = random_seeded(4);
    struct model_metric time = {.name = "time", .unit = "ns"};
    struct model_metric count = {.name = "instructions", .unit = "1"};
    for (int32_t i = 0; i < 1000; i++) {
        model_metric_add(&s->arena, &time, 1234567 + floor(10000 * random_unit(&random)), i);
        model_metric_add(&s->arena, &count, 987654321, i);
    }
    assert_true(encode(s, &time).length < 1000 * 12 / 4);
    assert_true(encode(s, &count).length < 100);
}

/* Goal: NaN and infinities are refused, not kept. */
static void not_finite_is_refused(void **state)
{
    struct state *s = *state;
    static const double bad[] = {NAN, INFINITY, -INFINITY};
    for (int i = 0; i < 3; i++) {
        const double values[] = {1, bad[i], 2};
        struct model_metric metric = metric_of(&s->arena, values, NULL, 3);
        struct tare_error error = {0};
        struct samples_blob blob;
        assert_int_equal(samples_encode(s->codec, &s->arena, &metric, &blob, &error),
                         TARE_ERROR_MEASURE);
        assert_non_null(strstr(error.message, "sample 1"));
    }
}

/* Goal: launch numbers out of range are refused. */
static void launch_out_of_range_is_refused(void **state)
{
    struct state *s = *state;
    static const int32_t bad[] = {-1, MODEL_LAUNCHES_MAX};
    for (int i = 0; i < 2; i++) {
        struct model_metric metric = metric_of(&s->arena, (const double[]){1}, &bad[i], 1);
        struct tare_error error = {0};
        struct samples_blob blob;
        assert_int_equal(samples_encode(s->codec, &s->arena, &metric, &blob, &error),
                         TARE_ERROR_MEASURE);
    }
}

/* Goal: no damage goes unnoticed. Method: every single bit of a blob flipped, and every cut; raw
 * and packed content. */
static void every_flipped_bit_is_noticed(void **state)
{
    struct state *s = *state;
    struct random random = random_seeded(5);
    struct model_metric noisy = {.name = "m", .unit = "1"};
    struct model_metric alike = {.name = "m", .unit = "1"};
    for (int32_t i = 0; i < 40; i++) {
        model_metric_add(&s->arena, &noisy, random_unit(&random), i % 4);
        model_metric_add(&s->arena, &alike, 0.1, i / 10);
    }
    const struct model_metric *metrics[] = {&noisy, &alike};
    for (int m = 0; m < 2; m++) {
        struct samples_blob blob = encode(s, metrics[m]);
        uint8_t *copy = arena_alloc(&s->arena, blob.length, 1);
        for (ptrdiff_t bit = 0; bit < blob.length * 8; bit++) {
            memcpy(copy, blob.bytes, (size_t)blob.length);
            copy[bit / 8] ^= (uint8_t)(1 << (bit % 8));
            struct tare_error error = {0};
            struct model_metric back = {0};
            struct samples_blob damaged = {.bytes = copy, .length = blob.length};
            tare_status status = samples_decode(s->codec, &s->arena, damaged, &back, &error);
            /* zstd has bits that mean nothing (e.g. reserved or unused ones): then the content is
             * the same. */
            assert_true(
                status == TARE_ERROR_IO ||
                fixture_same_metric(metrics[m], &(struct model_metric){.name = "m",
                                                                       .unit = "1",
                                                                       .values = back.values,
                                                                       .launches = back.launches,
                                                                       .count = back.count}));
        }
        for (ptrdiff_t length = 0; length < blob.length; length++) {
            struct tare_error error = {0};
            struct model_metric back = {0};
            struct samples_blob cut = {.bytes = blob.bytes, .length = length};
            assert_int_equal(samples_decode(s->codec, &s->arena, cut, &back, &error),
                             TARE_ERROR_IO);
            assert_non_null(strstr(error.message, "damaged"));
        }
    }
}

/* Goal: a small blob that promises gigabytes takes no memory. Method: a header that claims a
 * content of 999,999,999 bytes. */
static void promises_are_not_believed(void **state)
{
    struct state *s = *state;
    static const uint8_t bytes[] = {1, 1,    0,    0,    0,    0,    0,    0,    0,    0,
                                    5, 0xFF, 0x93, 0xEB, 0xDC, 0x03, 0x28, 0xB5, 0x2F, 0xFD};
    struct tare_error error = {0};
    struct model_metric metric = {0};
    struct samples_blob blob = {.bytes = bytes, .length = sizeof bytes};
    assert_int_equal(samples_decode(s->codec, &s->arena, blob, &metric, &error), TARE_ERROR_IO);
    assert_non_null(strstr(error.message, "promises"));
}

static void add_histogram(struct arena *arena, struct model_benchmark *benchmark, int32_t launch,
                          ptrdiff_t count)
{
    struct model_histogram *histogram = model_histogram_add(arena, benchmark);
    *histogram = (struct model_histogram){.launch = launch,
                                          .bits = 7,
                                          .bucket_count = count,
                                          .buckets = ARENA_ARRAY(arena, int32_t, count),
                                          .counts = ARENA_ARRAY(arena, int64_t, count),
                                          .min_ns = 41,
                                          .max_ns = 90112.5};
    for (ptrdiff_t i = 0; i < count; i++) {
        histogram->buckets[i] = (int32_t)(i * 3);
        histogram->counts[i] = INT64_MAX - i;
    }
}

/* Goal: histograms survive. Method: none, an empty one, a full one. */
static void histograms_survive(void **state)
{
    struct state *s = *state;
    struct model_benchmark benchmark = {.name = "b"};
    for (int round = 0; round < 3; round++) {
        struct samples_blob blob;
        struct tare_error error = {0};
        struct model_benchmark back = {0};
        assert_int_equal(samples_histograms_encode(s->codec, &s->arena, &benchmark, &blob, &error),
                         TARE_OK);
        assert_int_equal(samples_histograms_decode(s->codec, &s->arena, blob, &back, &error),
                         TARE_OK);
        assert_int_equal(back.histogram_count, benchmark.histogram_count);
        for (ptrdiff_t i = 0; i < back.histogram_count; i++) {
            assert_true(fixture_same_histogram(&benchmark.histograms[i], &back.histograms[i]));
        }
        add_histogram(&s->arena, &benchmark, round, round * 500);
    }
}

/* Goal: a histogram that breaks its rules is refused: buckets not ascending, a count of 0, a bucket
 * beyond 63 bits, NaN. */
static void broken_histograms_are_refused(void **state)
{
    struct state *s = *state;
    for (int flaw = 0; flaw < 5; flaw++) {
        struct model_benchmark benchmark = {.name = "b"};
        add_histogram(&s->arena, &benchmark, 0, 3);
        struct model_histogram *histogram = &benchmark.histograms[0];
        histogram->buckets[1] = flaw == 0 ? 0 : histogram->buckets[1];
        histogram->counts[1] = flaw == 1 ? 0 : histogram->counts[1];
        histogram->buckets[2] = flaw == 2 ? 57 << 7 : histogram->buckets[2];
        histogram->max_ns = flaw == 3 ? NAN : histogram->max_ns;
        histogram->bits = flaw == 4 ? 16 : histogram->bits;
        struct samples_blob blob;
        struct tare_error error = {0};
        assert_int_equal(samples_histograms_encode(s->codec, &s->arena, &benchmark, &blob, &error),
                         TARE_ERROR_MEASURE);
    }
}

/* Goal: launches survive with every field at its extremes; NaN steal is "unknown" and stays; other
 * non-numbers are refused. */
static void launch_records_survive(void **state)
{
    struct state *s = *state;
    struct model_benchmark benchmark = {.name = "b"};
    const struct model_launch extremes[] = {
        {.kind = MODEL_LAUNCH_COUNTERS,
         .started_unix_ns = INT64_MIN,
         .environment_padding_bytes = INT32_MAX,
         .is_aslr_on = true,
         .exit_status = INT32_MIN,
         .steal_ratio = NAN,
         .duration_ns = 1e300},
        {.kind = MODEL_LAUNCH_ALLOCATIONS,
         .started_unix_ns = INT64_MAX,
         .environment_padding_bytes = INT32_MIN,
         .exit_status = INT32_MAX,
         .steal_ratio = 0.5,
         .duration_ns = 0},
        {0},
    };
    for (int i = 0; i < 3; i++) {
        model_launch_add(&s->arena, &benchmark, extremes[i]);
    }
    struct samples_blob blob;
    struct tare_error error = {0};
    struct model_benchmark back = {0};
    assert_int_equal(samples_launches_encode(s->codec, &s->arena, &benchmark, &blob, &error),
                     TARE_OK);
    assert_int_equal(samples_launches_decode(s->codec, &s->arena, blob, &back, &error), TARE_OK);
    assert_int_equal(back.launch_count, 3);
    for (int i = 0; i < 3; i++) {
        assert_true(fixture_same_launch(&extremes[i], &back.launches[i]));
    }
    benchmark.launches[1].duration_ns = NAN;
    assert_int_equal(samples_launches_encode(s->codec, &s->arena, &benchmark, &blob, &error),
                     TARE_ERROR_MEASURE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(odd_values_survive, set_up, tear_down),
        cmocka_unit_test_setup_teardown(launches_survive, set_up, tear_down),
        cmocka_unit_test_setup_teardown(whole_numbers_are_small, set_up, tear_down),
        cmocka_unit_test_setup_teardown(not_finite_is_refused, set_up, tear_down),
        cmocka_unit_test_setup_teardown(launch_out_of_range_is_refused, set_up, tear_down),
        cmocka_unit_test_setup_teardown(every_flipped_bit_is_noticed, set_up, tear_down),
        cmocka_unit_test_setup_teardown(promises_are_not_believed, set_up, tear_down),
        cmocka_unit_test_setup_teardown(histograms_survive, set_up, tear_down),
        cmocka_unit_test_setup_teardown(broken_histograms_are_refused, set_up, tear_down),
        cmocka_unit_test_setup_teardown(launch_records_survive, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
