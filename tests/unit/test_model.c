/* The records: building them, their labels and identities, and the histogram's arithmetic. */
#include "model/model.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

/* Benchmarks, metrics, launches and samples arrive in order, also when their lists have grown. */
static void test_building(void **state)
{
    (void)state;
    struct arena arena = {0};
    struct model_run run = {0};
    for (int b = 0; b < 50; b++) {
        struct model_benchmark *benchmark = model_run_add_benchmark(&arena, &run);
        assert_string_equal(benchmark->suite, "");
        assert_string_equal(benchmark->variant, "");
        assert_true(benchmark->iterations == 1);
        benchmark->name = arena_printf(&arena, "b%d", b);
        for (int l = 0; l < 20; l++) {
            struct model_launch launch = {.environment_padding_bytes = l};
            assert_int_equal(model_launch_add(&arena, benchmark, launch), l);
        }
        for (int s = 0; s < 100; s++) {
            struct model_metric *metric =
                model_metric_get(&arena, benchmark, "time", "ns", MODEL_LOWER_IS_BETTER, false);
            model_metric_add(&arena, metric, b * 1000.0 + s, s / 5);
        }
    }
    assert_int_equal(run.benchmark_count, 50);
    for (int b = 0; b < 50; b++) {
        const struct model_metric *metric = model_metric_find(&run.benchmarks[b], "time");
        assert_int_equal(metric->count, 100);
        for (int s = 0; s < 100; s++) {
            assert_true(metric->values[s] == b * 1000.0 + s);
            assert_int_equal(metric->launches[s], s / 5);
        }
        assert_int_equal(run.benchmarks[b].launches[19].environment_padding_bytes, 19);
    }
    arena_free(&arena);
}

/* A metric is made once and found again; its name is copied; an unknown one is NULL. */
static void test_metric_get(void **state)
{
    (void)state;
    struct arena arena = {0};
    struct model_run run = {0};
    struct model_benchmark *benchmark = model_run_add_benchmark(&arena, &run);
    char name[] = "speed";
    struct model_metric *metric =
        model_metric_get(&arena, benchmark, name, "tok/s", MODEL_HIGHER_IS_BETTER, true);
    name[0] = 'X';
    assert_string_equal(metric->name, "speed");
    assert_true(metric->is_exact);
    assert_ptr_equal(
        model_metric_get(&arena, benchmark, "speed", "other", MODEL_LOWER_IS_BETTER, false),
        metric);
    assert_string_equal(metric->unit, "tok/s");
    assert_int_equal(benchmark->metric_count, 1);
    assert_null(model_metric_find(benchmark, "Xpeed"));
    arena_free(&arena);
}

/* Parameters are sorted by name whatever their order; the label is the same for the same set. */
static void test_label(void **state)
{
    (void)state;
    struct arena arena = {0};
    struct model_run run = {0};
    struct model_benchmark *benchmark = model_run_add_benchmark(&arena, &run);
    benchmark->name = "sort";
    assert_string_equal(model_benchmark_label(&arena, benchmark), "sort");
    model_parameter_add(&arena, benchmark, "size", "1k");
    model_parameter_add(&arena, benchmark, "n", "64");
    model_parameter_add(&arena, benchmark, "alpha", "");
    benchmark->suite = "bench";
    benchmark->variant = "simd";
    assert_string_equal(model_benchmark_label(&arena, benchmark),
                        "bench:sort/simd alpha= n=64 size=1k");
    arena_free(&arena);
}

/* Facts are sorted by key, and a second value replaces the first. */
static void test_fields(void **state)
{
    (void)state;
    struct arena arena = {0};
    struct model_fields fields = {0};
    static const char *const keys[] = {"m", "a", "z", "b", "a"};
    for (int i = 0; i < 5; i++) {
        model_field_set(&arena, &fields, keys[i], i < 4 ? "first" : "second");
    }
    assert_int_equal(fields.count, 4);
    for (ptrdiff_t i = 1; i < fields.count; i++) {
        assert_true(strcmp(fields.items[i - 1].key, fields.items[i].key) < 0);
    }
    assert_string_equal(model_field_get(&fields, "a"), "second");
    assert_string_equal(model_field_get(&fields, "z"), "first");
    assert_null(model_field_get(&fields, "q"));
    arena_free(&arena);
}

static void identify(struct arena *arena, struct model_machine *machine, const char *cpu,
                     const char *memory, bool is_reversed)
{
    *machine = (struct model_machine){0};
    const char *const keys[] = {"cpu", "memory"};
    const char *const values[] = {cpu, memory};
    for (int i = 0; i < 2; i++) {
        int at = is_reversed ? 1 - i : i;
        model_field_set(arena, &machine->identity, keys[at], values[at]);
    }
    model_machine_identify(machine);
}

/* A machine's id depends on its identity only: not on the order of facts, not on conditions. */
static void test_machine_id(void **state)
{
    (void)state;
    struct arena arena = {0};
    struct model_machine one;
    struct model_machine same;
    struct model_machine other;
    identify(&arena, &one, "EPYC", "8 GiB", false);
    identify(&arena, &same, "EPYC", "8 GiB", true);
    identify(&arena, &other, "EPYC", "16 GiB", false);
    assert_int_equal(strlen(one.id), 32);
    assert_int_equal(strspn(one.id, "0123456789abcdef"), 32);
    assert_string_equal(one.id, same.id);
    assert_string_not_equal(one.id, other.id);
    model_field_set(&arena, &same.conditions, "kernel", "6.1");
    model_machine_identify(&same);
    assert_string_equal(one.id, same.id);
    arena_free(&arena);
}

/* Run ids sort by time, differ by their random part, and use 26 characters of the alphabet. */
static void test_run_id(void **state)
{
    (void)state;
    char early[27];
    char late[27];
    char twin[27];
    model_run_id_new(early, 1700000000000000000, UINT64_MAX, UINT64_MAX);
    model_run_id_new(late, 1700000000001000000, 0, 0);
    model_run_id_new(twin, 1700000000001000000, 0, 1);
    assert_true(strcmp(early, late) < 0);
    assert_string_not_equal(late, twin);
    assert_int_equal(strlen(early), 26);
    assert_int_equal(strspn(early, "0123456789abcdefghjkmnpqrstvwxyz"), 26);
    /* 1700000000000 ms is 01HF7YAT00 in Crockford's base 32. */
    assert_memory_equal(early, "01hf7yat00", 10);
    assert_memory_equal(late + 10, "0000000000000000", 16);
}

/* For every number of bits: values map to buckets in order, without gap, and back to a bucket that
 * holds them, no wider than 2^-bits of its value. */
static void test_histogram_round_trip(void **state)
{
    (void)state;
    for (int32_t bits = 1; bits < 16; bits++) {
        for (int power = 0; power < 63; power++) {
            for (int64_t offset = -2; offset <= 2; offset++) {
                int64_t value = ((int64_t)1 << power) + offset;
                if (value < 0) {
                    continue;
                }
                int32_t bucket = model_histogram_bucket_of(bits, value);
                int64_t low = model_histogram_bucket_low(bits, bucket);
                int64_t width = model_histogram_bucket_width(bits, bucket);
                assert_true(low <= value && value - low < width);
                assert_true(width == 1 || width <= low >> bits);
                assert_int_equal(model_histogram_bucket_of(bits, low), bucket);
                assert_int_equal(model_histogram_bucket_of(bits, low + width - 1), bucket);
            }
        }
        assert_true(model_histogram_bucket_of(bits, INT64_MAX) > 0);
        assert_int_equal(model_histogram_bucket_of(bits, -5), 0);
    }
}

/* Buckets follow each other without a gap, and the formula of docs/protocol.md gives the same
 * numbers. */
static void test_histogram_is_contiguous(void **state)
{
    (void)state;
    for (int32_t bucket = 0; bucket < 4000; bucket++) {
        int64_t next =
            model_histogram_bucket_low(7, bucket) + model_histogram_bucket_width(7, bucket);
        assert_true(next == model_histogram_bucket_low(7, bucket + 1));
    }
    assert_int_equal(model_histogram_bucket_of(7, 255), 255);
    assert_int_equal(model_histogram_bucket_of(7, 256), 1 * 128 + 256 / 2);
    assert_int_equal(model_histogram_bucket_of(7, 1000), 2 * 128 + 1000 / 4);
    assert_true(model_histogram_bucket_of(7, INT64_MAX) < MODEL_HISTOGRAM_BUCKETS_MAX);
}

/* Names: the limit to the byte, controls of both sets, broken UTF-8. */
static void test_names(void **state)
{
    (void)state;
    char name[MODEL_NAME_BYTES_MAX + 2];
    memset(name, 'n', sizeof name);
    name[MODEL_NAME_BYTES_MAX] = '\0';
    assert_true(model_name_is_valid(name));
    name[MODEL_NAME_BYTES_MAX] = 'n';
    name[MODEL_NAME_BYTES_MAX + 1] = '\0';
    assert_false(model_name_is_valid(name));
    assert_true(model_name_is_valid("parse/json \"quoted\" ünï"));
    static const char *const bad[] = {"", "a\nb", "\x1b[1m", "\x7f", "\xff", "a\xC2\x9B"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        assert_false(model_name_is_valid(bad[i]));
    }
}

/* Words for people and JSON, and back. */
static void test_words(void **state)
{
    (void)state;
    enum model_better better = MODEL_LOWER_IS_BETTER;
    assert_true(model_better_parse("higher", &better));
    assert_string_equal(model_better_name(better), "higher");
    assert_true(model_better_parse("lower", &better));
    assert_string_equal(model_better_name(better), "lower");
    assert_false(model_better_parse("Lower", &better));
    assert_string_equal(model_state_name(MODEL_STATE_SKIPPED), "skipped");
    assert_string_equal(model_run_state_name(MODEL_RUN_INTERRUPTED), "interrupted");
    assert_string_equal(model_check_name(MODEL_CHECK_FAILED), "failed");
}

/* Warnings pile up in order, with their figures. */
static void test_warnings(void **state)
{
    (void)state;
    struct arena arena = {0};
    struct model_run run = {0};
    struct model_benchmark *benchmark = model_run_add_benchmark(&arena, &run);
    for (int i = 0; i < 20; i++) {
        model_benchmark_warn(&arena, benchmark, "warning %d", i);
        model_run_warn(&arena, &run, "run %d", i);
    }
    assert_int_equal(benchmark->warning_count, 20);
    assert_string_equal(benchmark->warnings[19], "warning 19");
    assert_string_equal(run.warnings[0], "run 0");
    arena_free(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_building),
        cmocka_unit_test(test_metric_get),
        cmocka_unit_test(test_label),
        cmocka_unit_test(test_fields),
        cmocka_unit_test(test_machine_id),
        cmocka_unit_test(test_run_id),
        cmocka_unit_test(test_histogram_round_trip),
        cmocka_unit_test(test_histogram_is_contiguous),
        cmocka_unit_test(test_names),
        cmocka_unit_test(test_words),
        cmocka_unit_test(test_warnings),
    };
    return cmocka_run_group_tests_name("model", tests, NULL, NULL);
}
