/* test_counting.c: the pure parts of exact counting: what the instructions testify about the time,
 * which files of Valgrind's are believed, what is said about instruction sets, and that what a
 * counted program can see is the same everywhere. */
#include "cli/counting.h"
#include "codec/elf_note.h"
#include "codec/valgrind_out.h"
#include "detect/witness.h"
#include "measure/exact.h"
#include "measure/valgrind.h"
#include "os/environment.h"
#include "os/file.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static struct model_comparison compared(enum model_verdict verdict, double ratio)
{
    return (struct model_comparison){.verdict = verdict, .has_ratio = true, .ratio = ratio};
}

struct testimony {
    enum model_verdict time;
    double time_ratio;
    double instructions_ratio;
    const char *code;
    const char *text; /* somewhere in the sentence */
};

static void test_witness_says_what_changed(void **state)
{
    (void)state;
    static const struct testimony all[] = {
        {MODEL_REGRESSED, 1.10, 1.09, "more-work", "more work: +9.0 % instructions"},
        {MODEL_REGRESSED, 1.10, 1.01, "part-more-work", "more work in part: +1.0 % instructions"},
        {MODEL_REGRESSED, 1.10, 1.00, "same-work", "same instructions: memory, layout or machine"},
        {MODEL_REGRESSED, 1.10, 1.000001, "same-work",
         "same instructions but for +0.000100 %: memory, layout or machine"},
        {MODEL_REGRESSED, 1.10, 0.90, "slower-with-less-work", "fewer instructions (−10.0 %)"},
        {MODEL_IMPROVED, 0.90, 0.88, "less-work", "less work: −12.0 % instructions"},
        {MODEL_IMPROVED, 0.90, 1.00, "same-work", "same instructions: memory"},
        {MODEL_IMPROVED, 0.90, 1.20, "faster-with-more-work", "more instructions (+20.0 %)"},
        {MODEL_EQUIVALENT, 1.00, 1.00, "same", "same instructions"},
        {MODEL_EQUIVALENT, 1.00, 1.05, "more-work-unseen", "+5.0 % instructions, which the time"},
        {MODEL_EQUIVALENT, 1.00, 0.95, "less-work-unseen", "−5.0 % instructions, which the time"},
        {MODEL_INCONCLUSIVE, 1.02, 1.05, "more-work", "more work: +5.0 % instructions, whatever"},
        {MODEL_INCONCLUSIVE, 1.02, 1.00, "same-work", "a change of time would be"},
    };
    struct arena arena = {0};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        struct model_comparison time = compared(all[i].time, all[i].time_ratio);
        enum model_verdict verdict =
            all[i].instructions_ratio == 1 ? MODEL_EQUIVALENT : MODEL_REGRESSED;
        struct model_comparison instructions = compared(verdict, all[i].instructions_ratio);
        struct detect_witness witness = detect_witness(&arena, &time, &instructions);
        assert_string_equal(witness.code, all[i].code);
        assert_non_null(strstr(witness.text, all[i].text));
    }
    arena_free(&arena);
}

static void test_witness_is_silent_without_evidence(void **state)
{
    (void)state;
    struct arena arena = {0};
    struct model_comparison good = compared(MODEL_REGRESSED, 1.1);
    struct model_comparison invalid = compared(MODEL_INVALID, 1.1);
    struct model_comparison no_ratio = {.verdict = MODEL_REGRESSED};
    assert_null(detect_witness(&arena, &invalid, &good).text);
    assert_null(detect_witness(&arena, &good, &invalid).text);
    assert_null(detect_witness(&arena, &good, &no_ratio).text);
    arena_free(&arena);
}

static bool total_of(const char *text, double *total)
{
    return valgrind_out_total(text, (ptrdiff_t)strlen(text), total);
}

static void test_totals_are_read_from_the_last_line_only(void **state)
{
    (void)state;
    double total = 0;
    assert_true(total_of("version: 1\nsummary: 3\n\n+6 8\n\ntotals: 442972\n", &total));
    assert_true(total == 442972);
    assert_true(total_of("fn=main\n0 11616853\nsummary: 11745262\n", &total));
    assert_true(total == 11745262);
    assert_true(total_of("totals: 0", &total));
    assert_true(total == 0);
    /* A file that was cut, is empty, or counts something else besides. */
    assert_false(total_of("", &total));
    assert_false(total_of("\n\n", &total));
    assert_false(total_of("totals: 44\nfn=(1)\n", &total));
    assert_false(total_of("totals: ", &total));
    assert_false(total_of("totals: 4 5\n", &total));
    assert_false(total_of("totals: -4\n", &total));
    assert_false(total_of("totals: 1e9\n", &total));
    assert_false(total_of("totals: 99999999999999999999\n", &total));
}

static void test_paths_get_the_same_length(void **state)
{
    (void)state;
    struct arena arena = {0};
    char *one = valgrind_stretch_path(&arena, "./bench");
    char *other = valgrind_stretch_path(&arena, "/opt/some/longer/project/build/bench");
    assert_int_equal(strlen(one), 256);
    assert_int_equal(strlen(other), 256);
    assert_memory_equal(one, ".//", 3);
    assert_string_equal(one + 250, "/bench");
    assert_memory_equal(other, "/opt/some/longer/project/build//", 32);
    /* Without a slash it is looked up in PATH: nothing may be put in. */
    assert_string_equal(valgrind_stretch_path(&arena, "bench"), "bench");
    arena_free(&arena);
}

static const char *note_for(struct arena *arena, const char *flags)
{
    const struct valgrind valgrind = {.version = "3.19.0"};
    return valgrind_path_note(
        arena, &valgrind,
        arena_printf(arena, "processor\t: 0\nflags\t\t: %s\nbugs\t: vaes\n", flags));
}

static void test_hidden_instruction_sets_are_told(void **state)
{
    (void)state;
    struct arena arena = {0};
    assert_null(note_for(&arena, "fpu sse2 avx2 fma"));
    assert_null(note_for(&arena, "fpu avx2 notavx512f avx512fake"));
    const char *note = note_for(&arena, "fpu avx2 avx512f avx512bw");
    assert_non_null(strstr(note, "counted the AVX2 path"));
    assert_non_null(strstr(note, "would take AVX-512"));
    assert_non_null(strstr(note, "3.19.0"));
    note = note_for(&arena, "avx2 vaes sha_ni");
    assert_non_null(strstr(note, "without SHA, VAES"));
    const struct valgrind valgrind = {.version = "3.22.0"};
    note = valgrind_path_note(&arena, &valgrind, "processor\t: 0\nFeatures\t: fp asimd sve\n");
    assert_non_null(strstr(note, "counted the NEON path"));
    assert_null(valgrind_path_note(&arena, &valgrind, ""));
    arena_free(&arena);
}

struct measures {
    ptrdiff_t count, name_bytes, bytes;
};

static struct measures settle(struct arena *arena)
{
    struct environment environment = environment_copy(arena);
    environment_settle(&environment);
    struct measures measures = {.count = environment.count};
    for (ptrdiff_t i = 0; i < environment.count; i++) {
        measures.name_bytes += (ptrdiff_t)strcspn(environment.variables[i], "=");
        measures.bytes += (ptrdiff_t)strlen(environment.variables[i]) + 1;
        assert_true(strncmp(environment.variables[i], "SSH_", 4) != 0);
        assert_true(strncmp(environment.variables[i], "SHLVL=", 6) != 0);
    }
    return measures;
}

static void test_a_settled_environment_measures_the_same(void **state)
{
    (void)state;
    struct arena arena = {0};
    struct measures before = settle(&arena);
    assert_int_equal(before.count % 64, 0);
    assert_int_equal(before.bytes % 4096, 0);
    setenv("SSH_CLIENT", "192.0.2.1", 1);
    setenv("TARE_TEST_EXTRA_VARIABLE", "some value or other", 1);
    struct measures after = settle(&arena);
    unsetenv("SSH_CLIENT");
    unsetenv("TARE_TEST_EXTRA_VARIABLE");
    assert_int_equal(after.count, before.count);
    assert_int_equal(after.name_bytes, before.name_bytes);
    assert_int_equal(after.bytes, before.bytes);
    arena_free(&arena);
}

static unsigned kinds_of(const char *word, tare_status expected)
{
    struct arena arena = {0};
    struct text_list words = {0};
    text_list_add(&arena, &words, word);
    struct counting counting;
    struct tare_error error = {0};
    assert_int_equal(counting_open(&arena, &words, NULL, 0, &counting, &error), expected);
    arena_free(&arena);
    return counting.kinds;
}

static void test_words_of_count(void **state)
{
    (void)state;
    assert_int_equal(kinds_of("size", TARE_OK), MODEL_COUNT_SIZE);
    assert_int_equal(kinds_of("size,allocations", TARE_OK),
                     MODEL_COUNT_SIZE | MODEL_COUNT_ALLOCATIONS);
    kinds_of("", TARE_ERROR_USAGE);
    kinds_of("size,", TARE_ERROR_USAGE);
    kinds_of(",size", TARE_ERROR_USAGE);
    kinds_of("sizes", TARE_ERROR_USAGE);
    kinds_of("instruction", TARE_ERROR_USAGE);
}

static void test_a_gated_metric_is_counted_unasked(void **state)
{
    (void)state;
    struct arena arena = {0};
    struct text_list none = {0};
    struct text_list gate = {0};
    text_list_add(&arena, &gate, "time");
    text_list_add(&arena, &gate, "text_size");
    struct counting counting;
    struct tare_error error = {0};
    assert_int_equal(counting_open(&arena, &none, &gate, 0, &counting, &error), TARE_OK);
    assert_int_equal(counting.kinds, MODEL_COUNT_SIZE);
    assert_true(counting_has_metric(&counting, "text_size"));
    assert_true(counting_has_metric(&counting, "binary_size"));
    assert_false(counting_has_metric(&counting, "instructions"));
    assert_false(counting_has_metric(&counting, "time"));
    arena_free(&arena);
}

/* A target whose counts are given. */
struct fake {
    double counts[2];
    double chosen; /* iterations it was asked for last */
    int calls;
    tare_status status;
};

static tare_status fake_count(void *context, struct arena *arena, const struct valgrind *valgrind,
                              double *iterations, double *count, struct tare_error *error)
{
    (void)arena;
    (void)valgrind;
    struct fake *fake = context;
    *iterations = *iterations > 0 ? *iterations : 10;
    fake->chosen = *iterations;
    *count = fake->counts[fake->calls++ % 2];
    return fake->status == TARE_OK ? TARE_OK : error_set(error, fake->status, "it broke");
}

static const struct model_metric *count_fake(struct arena *arena, struct fake *fake,
                                             double *iterations, struct model_benchmark *benchmark,
                                             tare_status expected)
{
    struct measure_target target = {.context = fake, .count_instructions = fake_count};
    const struct valgrind valgrind = {.version = "3.19.0"};
    struct measure_clock clock = measure_clock_real(arena);
    struct tare_error error = {0};
    assert_int_equal(
        measure_instructions(arena, &target, &valgrind, iterations, &clock, benchmark, &error),
        expected);
    return model_metric_find(benchmark, "instructions");
}

static void test_counts_are_kept_when_they_repeat(void **state)
{
    (void)state;
    struct arena arena = {0};
    struct fake fake = {.counts = {1107, 1107}};
    struct model_benchmark benchmark = {0};
    double iterations = 0;
    const struct model_metric *metric = count_fake(&arena, &fake, &iterations, &benchmark, TARE_OK);
    assert_true(metric->is_exact && metric->invalid_reason == NULL && metric->count == 2);
    assert_true(metric->values[0] == 1107 && metric->values[1] == 1107);
    assert_int_equal(benchmark.launch_count, 2);
    assert_int_equal(benchmark.launches[1].kind, MODEL_LAUNCH_COUNTERS);
    /* What the first build chose holds for the second. */
    assert_true(iterations == 10);
    iterations = 7;
    struct model_benchmark second = {0};
    count_fake(&arena, &fake, &iterations, &second, TARE_OK);
    assert_true(fake.chosen == 7);
    arena_free(&arena);
}

static void test_counts_that_differ_are_invalid_with_both_numbers(void **state)
{
    (void)state;
    struct arena arena = {0};
    struct fake fake = {.counts = {371745163, 371745167}};
    struct model_benchmark benchmark = {0};
    double iterations = 0;
    const struct model_metric *metric = count_fake(&arena, &fake, &iterations, &benchmark, TARE_OK);
    assert_non_null(metric->invalid_reason);
    assert_non_null(strstr(metric->invalid_reason, "371745163 and 371745167"));
    assert_int_equal(metric->count, 2);
    arena_free(&arena);
}

static void test_a_failure_is_the_metrics_an_interrupt_everybodys(void **state)
{
    (void)state;
    struct arena arena = {0};
    struct fake fake = {.status = TARE_ERROR_MEASURE};
    struct model_benchmark benchmark = {0};
    double iterations = 0;
    const struct model_metric *metric = count_fake(&arena, &fake, &iterations, &benchmark, TARE_OK);
    assert_string_equal(metric->invalid_reason, "could not be counted: it broke");
    assert_int_equal(metric->count, 0);
    assert_int_equal(fake.calls, 1);
    assert_int_equal(benchmark.state, MODEL_STATE_OK);
    fake.status = TARE_INTERRUPTED;
    count_fake(&arena, &fake, &iterations, &benchmark, TARE_INTERRUPTED);
    arena_free(&arena);
}

static void test_counters_of_the_cpu_step_aside(void **state)
{
    (void)state;
    struct arena arena = {0};
    struct fake fake = {.counts = {5, 5}};
    struct model_benchmark benchmark = {0};
    double iterations = 0;
    model_metric_add(
        &arena,
        model_metric_get(&arena, &benchmark, "instructions", "1", MODEL_LOWER_IS_BETTER, false),
        5.3, 0);
    const struct model_metric *metric = count_fake(&arena, &fake, &iterations, &benchmark, TARE_OK);
    assert_true(metric->is_exact && metric->count == 2 && metric->values[0] == 5);
    metric = model_metric_find(&benchmark, "cpu_instructions");
    assert_true(metric != NULL && !metric->is_exact && metric->values[0] == 5.3);
    arena_free(&arena);
}

/* This program itself: its parts are there and smaller than the whole. */
static void test_parts_of_a_program(void **state)
{
    (void)state;
    const void *bytes = NULL;
    ptrdiff_t length = 0;
    assert_true(file_map("/proc/self/exe", &bytes, &length));
    struct elf_sizes sizes = elf_sizes_read(bytes, length);
    assert_true(sizes.is_known);
    assert_true(sizes.code_bytes > 1000 && sizes.constant_bytes > 100 && sizes.data_bytes > 0);
    assert_true((ptrdiff_t)(sizes.code_bytes + sizes.constant_bytes + sizes.data_bytes) < length);
    /* Cut short, the section headers are gone, and with them the figures. */
    assert_false(elf_sizes_read(bytes, length / 2).is_known);
    assert_false(elf_sizes_read("#!/bin/sh\nexit\n", 15).is_known);
    file_unmap(bytes, length);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_witness_says_what_changed),
        cmocka_unit_test(test_witness_is_silent_without_evidence),
        cmocka_unit_test(test_totals_are_read_from_the_last_line_only),
        cmocka_unit_test(test_paths_get_the_same_length),
        cmocka_unit_test(test_hidden_instruction_sets_are_told),
        cmocka_unit_test(test_a_settled_environment_measures_the_same),
        cmocka_unit_test(test_words_of_count),
        cmocka_unit_test(test_a_gated_metric_is_counted_unasked),
        cmocka_unit_test(test_counts_are_kept_when_they_repeat),
        cmocka_unit_test(test_counts_that_differ_are_invalid_with_both_numbers),
        cmocka_unit_test(test_a_failure_is_the_metrics_an_interrupt_everybodys),
        cmocka_unit_test(test_counters_of_the_cpu_step_aside),
        cmocka_unit_test(test_parts_of_a_program),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
