/* Receipts: a run written and read back is the same bit for bit, the same run gives the same bytes,
 * any changed digit is caught, and what is not a receipt is refused with a word about where. */
#include "base/text.h"
#include "codec/receipt_hash.h"
#include "codec/receipt_read.h"
#include "codec/receipt_write.h"
#include "store_fixture.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

static const char *const RUN_A = "01hf2k3m0000000000000000aa";
static const char *const RUN_B = "01hf2k3m0000000000000000bb";

static void add_histograms(struct arena *arena, struct model_benchmark *benchmark)
{
    struct model_histogram *full = model_histogram_add(arena, benchmark);
    full->launch = 1;
    full->bits = 5;
    full->bucket_count = 3;
    full->buckets = ARENA_ARRAY(arena, int32_t, 3);
    full->counts = ARENA_ARRAY(arena, int64_t, 3);
    for (int i = 0; i < 3; i++) {
        full->buckets[i] = 7 + 100 * i;
        full->counts[i] = INT64_C(1) << (20 * i + 2);
    }
    full->min_ns = 0.1;
    full->max_ns = 1e9 / 3;
    struct model_histogram *empty = model_histogram_add(arena, benchmark);
    empty->launch = 0;
    empty->bits = 1;
}

/* Two benchmarks with everything in them, one with nothing; odd texts and odd numbers. */
static struct receipt example(struct arena *arena)
{
    struct receipt receipt = {.baseline = "main", .run = fixture_run(arena, 3)};
    struct model_run *run = &receipt.run;
    run->state = MODEL_RUN_COMPLETE;
    run->finished_unix_ns = run->started_unix_ns + 999999999;
    run->command = "tare run 'a\xff\xfe b'";
    fixture_benchmark(arena, run, 0, 8, 5);
    fixture_benchmark(arena, run, 1, 2, 1);
    struct model_benchmark *bare = model_run_add_benchmark(arena, run);
    bare->name = "größe/\"quoted\"\\漢字";
    bare->state = MODEL_STATE_FAILED;
    bare->reason = "line one\nline two\t\x01\x7f";
    struct model_benchmark *first = &run->benchmarks[0];
    add_histograms(arena, first);
    struct model_metric *odd =
        model_metric_get(arena, first, "odd", "1", MODEL_HIGHER_IS_BETTER, false);
    static const double values[] = {
        0.1,         1.0 / 3,      -0.0,    5e-324, 1.7976931348623157e308,
        1e15,        1e16,         1e17,    1e22,   9007199254740993.0,
        -123456.789, 812.40000001, 0x1p-44, -1,     0};
    for (size_t i = 0; i < sizeof values / sizeof *values; i++) {
        model_metric_add(arena, odd, values[i], (int32_t)(i % 3));
    }
    model_metric_get(arena, first, "empty", "ns", MODEL_LOWER_IS_BETTER, true)->invalid_reason =
        "no value";
    model_run_warn(arena, run, "noisy: %d %%", 7);
    receipt.history = ARENA_ARRAY(arena, struct receipt_promotion, 2);
    receipt.history_count = 2;
    receipt.history[0] = (struct receipt_promotion){"save", RUN_A, "", 1, "a@b", ""};
    receipt.history[1] =
        (struct receipt_promotion){"promote", RUN_B, RUN_A, 2, "a@b", "it's \"ok\""};
    return receipt;
}

static const char *written(struct arena *arena, struct receipt *receipt)
{
    struct buffer out = buffer_new(arena, RECEIPT_BYTES_MAX);
    struct tare_error error = {0};
    tare_status status = receipt_write(receipt, &out, &error);
    if (status != TARE_OK) {
        fail_msg("%s", error.message);
    }
    return buffer_string(&out);
}

static tare_status read_text(struct arena *arena, const char *text, struct receipt *receipt,
                             struct tare_error *error)
{
    error_clear(error);
    return receipt_read(arena, text, (ptrdiff_t)strlen(text), "'x.json'", receipt, error);
}

static void test_round_trip(void **state)
{
    (void)state;
    struct arena arena = {0};
    struct tare_error error = {0};
    struct receipt receipt = example(&arena);
    const char *text = written(&arena, &receipt);
    struct receipt read;
    tare_status status = read_text(&arena, text, &read, &error);
    assert_string_equal(error.message, "");
    assert_int_equal(status, TARE_OK);
    assert_true(fixture_same_run(&receipt.run, &read.run));
    assert_true(fixture_same_text(receipt.run.benchmarks[0].size_parameter,
                                  read.run.benchmarks[0].size_parameter));
    assert_string_equal(read.baseline, "main");
    assert_int_equal(read.history_count, 2);
    assert_string_equal(read.history[1].reason, "it's \"ok\"");
    assert_string_equal(read.history[1].previous_run_id, RUN_A);
    assert_string_equal(read.sha256, receipt.sha256);
    assert_string_equal(read.run_sha256, receipt.run_sha256);
    assert_string_equal(written(&arena, &read), text);
    arena_free(&arena);
}

static void test_empty_lists(void **state)
{
    (void)state;
    struct arena arena = {0};
    struct tare_error error = {0};
    struct receipt receipt = {0};
    model_run_id_new(receipt.run.id, 0, 0, 0);
    model_machine_identify(&receipt.run.machine);
    struct receipt read;
    assert_int_equal(read_text(&arena, written(&arena, &receipt), &read, &error), TARE_OK);
    assert_null(read.baseline);
    assert_true(fixture_same_run(&receipt.run, &read.run));
    arena_free(&arena);
}

static void test_history_is_not_part_of_the_run(void **state)
{
    (void)state;
    struct arena arena = {0};
    struct receipt receipt = example(&arena);
    written(&arena, &receipt);
    struct receipt other = example(&arena);
    other.baseline = "other";
    other.history_count = 1;
    written(&arena, &other);
    assert_string_equal(receipt.run_sha256, other.run_sha256);
    assert_string_not_equal(receipt.sha256, other.sha256);
    arena_free(&arena);
}

/* NaN and infinity have no place in a receipt, whatever they are of; unknown steal time does. */
static void test_not_finite_is_refused(void **state)
{
    (void)state;
    struct arena arena = {0};
    for (int which = 0; which < 6; which++) {
        struct receipt receipt = example(&arena);
        struct model_benchmark *benchmark = &receipt.run.benchmarks[0];
        double *places[] = {&benchmark->metrics[0].values[3],
                            &benchmark->iterations,
                            &benchmark->launches[1].duration_ns,
                            &benchmark->histograms[0].max_ns,
                            &receipt.run.confidence,
                            &benchmark->launches[1].steal_ratio};
        *places[which] = which % 2 == 0 ? (double)NAN : -(double)INFINITY;
        struct buffer out = buffer_new(&arena, RECEIPT_BYTES_MAX);
        struct tare_error error = {0};
        assert_int_equal(receipt_write(&receipt, &out, &error), TARE_ERROR_MEASURE);
        assert_non_null(strstr(error.message, "finite"));
        assert_int_equal(out.length, 0);
    }
    arena_free(&arena);
}

static void test_too_large_is_refused(void **state)
{
    (void)state;
    struct arena arena = {0};
    struct tare_error error = {0};
    struct receipt receipt = example(&arena);
    struct buffer out = buffer_new(&arena, 1000);
    assert_int_equal(receipt_write(&receipt, &out, &error), TARE_ERROR_MEASURE);
    assert_non_null(strstr(error.message, "larger than"));
    arena_free(&arena);
}

/* Every digit of the document in turn: one higher, and it is no longer accepted. Digits that do not
 * change a double's value are among them. */
static void test_any_changed_digit_is_caught(void **state)
{
    (void)state;
    struct arena arena = {0};
    struct receipt receipt = example(&arena);
    receipt.run.benchmarks[0].metrics[0].count = 2;
    receipt.run.benchmark_count = 1;
    receipt.run.benchmarks[0].launch_count = 3;
    receipt.run.benchmarks[0].metric_count = 3;
    receipt.run.benchmarks[0].metrics[1].count = 2;
    char *text = arena_strdup(&arena, written(&arena, &receipt));
    ptrdiff_t tried = 0;
    for (char *at = text; *at != '\0'; at++) {
        char kept = *at;
        if (kept < '0' || kept > '9') {
            continue;
        }
        *at = kept == '9' ? '0' : (char)(kept + 1);
        struct arena scratch = {0};
        struct tare_error error = {0};
        struct receipt read;
        if (read_text(&scratch, text, &read, &error) == TARE_OK) {
            fail_msg("digit %td changed from %c to %c and nobody noticed: %.60s", at - text, kept,
                     *at, at - 20);
        }
        arena_free(&scratch);
        *at = kept;
        tried++;
    }
    assert_true(tried > 500);
    arena_free(&arena);
}

/* Blanks, line ends and the order of members are not content: git or an editor may change them. */
static void test_layout_is_not_content(void **state)
{
    (void)state;
    struct arena arena = {0};
    struct tare_error error = {0};
    struct receipt receipt = example(&arena);
    const char *text = written(&arena, &receipt);
    struct buffer other = buffer_new(&arena, RECEIPT_BYTES_MAX);
    for (const char *at = text; *at != '\0'; at++) {
        buffer_text(&other, *at == '\n' ? "\r\n\t" : "");
        buffer_char(&other, *at);
    }
    struct receipt read;
    assert_int_equal(read_text(&arena, buffer_string(&other), &read, &error), TARE_OK);
    assert_true(fixture_same_run(&receipt.run, &read.run));
    arena_free(&arena);
}

/* Cut anywhere, it is refused. */
static void test_cut_short(void **state)
{
    (void)state;
    struct arena arena = {0};
    struct receipt receipt = example(&arena);
    const char *text = written(&arena, &receipt);
    ptrdiff_t length = (ptrdiff_t)strlen(text);
    for (ptrdiff_t cut = 0; cut < length - 1; cut += 17) {
        struct arena scratch = {0};
        struct tare_error error = {0};
        struct receipt read;
        assert_int_equal(receipt_read(&scratch, text, cut, "'x.json'", &read, &error),
                         TARE_ERROR_MEASURE);
        assert_non_null(strstr(error.message, "line "));
        arena_free(&scratch);
    }
    arena_free(&arena);
}

static const char *replaced(struct arena *arena, const char *text, const char *old, const char *new)
{
    const char *at = strstr(text, old);
    assert_non_null(at);
    return arena_printf(arena, "%.*s%s%s", (int)(at - text), text, new, at + strlen(old));
}

/* What is wrong behind a hash that is right is refused by the member's name: read without the hash.
 */
static void test_wrong_members_are_named(void **state)
{
    (void)state;
    static const struct {
        const char *old;
        const char *new;
        const char *message;
    } cases[] = {
        {"\"iterations\": 1234", "\"iterations\": \"x\"",
         "run.benchmarks[0].iterations is not a number"},
        {"\"iterations\": 1234", "\"iterations\": null",
         "run.benchmarks[0].iterations is not a number"},
        {"\"iterations\": 1234", "\"iteration\": 1234", "run.benchmarks[0].iterations is missing"},
        {"\"iterations\": 1234", "\"iterations\": 1234, \"more\": 1",
         "run.benchmarks[0].more is not known"},
        {"\"iterations\": 1234", "\"iterations\": 1234, \"iterations\": 1", "duplicate object key"},
        {"\"iterations\": 1234", "\"iterations\": 9007199254740993", "kept exactly"},
        {"\"better\": \"lower\"", "\"better\": \"faster\"",
         "run.benchmarks[0].metrics[0].better is not one of the known words"},
        {"\"name\": \"time\"", "\"name\": \"\"", "run.benchmarks[0].metrics[0].name is empty"},
        {"\"name\": \"memory\"", "\"name\": \"time\"",
         "metrics[1] has the name of a metric before it"},
        {"[[0, 5]", "[[0, 6]", "metrics[0].launches"},
        {"[[0, 5]", "[[99, 5]", "metrics[0].launches[0] is of a launch"},
        {"[[0, 5]", "[[0, 2], [0, 3]", "goes on with the launch before"},
        {"{\"tare\": 1", "{\"tare\": 2", "not a receipt"},
        {"[[0, 5]", "[[0, -5]", "metrics[0].launches[0] is out of range"},
        {"[7, 4]", "[700000, 4]", "histograms[0].buckets[1]"},
        {"\"bits\": 5", "\"bits\": 16", "histograms[0].bits is out of range"},
        {"\"cores\": \"2\"", "\"cores\": \"3\"", "run.machine.id is not that of its identity"},
        {"\"state\": \"complete\"", "\"state\": \"running\"", "run.state says running"},
        {"{\"id\": \"", "{\"id\": \"!", "run.id is not the id of a run"},
        {"\"seed\": \"1", "\"seed\": \"-1", "run.seed"},
        {"\"action\": \"save\"", "\"action\": \"steal\"", "baseline.history[0].action"},
        {"\"name\": \"main\"", "\"name\": \"a\\nb\"", "baseline.name"},
        {"\"version\": 1", "\"version\": 2", "use a newer tare"},
        {"\"version\": 1", "\"version\": \"1\"", "not a positive number"},
        {"\"format\": \"tare-receipt\"", "\"format\": \"other\"", "not a receipt"},
        {"\"kind\": \"run\"", "\"kind\": \"comparison\"", "kind"},
        {"\"run\": {", "\"runs\": {", "has no member \"run\""},
        {"\"aslr\": [true, ", "\"aslr\": [", "launches.aslr has not as many items"},
        {"{\"hex\": \"", "{\"hex\": \"0", "run.command is not a text"},
        {"812.4", "NaN", "not JSON: line"},
        {"\"iterations\": 1234", "\"iterations\": 1e999", "not JSON: line"},
    };
    struct arena arena = {0};
    struct receipt receipt = example(&arena);
    const char *text = written(&arena, &receipt);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const char *wrong = strcmp(cases[i].old, "812.4") == 0
                                ? replaced(&arena, text, "\"values\": [", "\"values\": [NaN, ")
                                : replaced(&arena, text, cases[i].old, cases[i].new);
        struct tare_error error = {0};
        struct receipt read;
        assert_int_equal(receipt_read_unverified(&arena, wrong, (ptrdiff_t)strlen(wrong),
                                                 "'x.json'", &read, &error),
                         TARE_ERROR_MEASURE);
        if (strstr(error.message, cases[i].message) == NULL) {
            fail_msg("%s -> %s: expected \"%s\", got \"%s\"", cases[i].old, cases[i].new,
                     cases[i].message, error.message);
        }
    }
    arena_free(&arena);
}

static void test_not_a_receipt(void **state)
{
    (void)state;
    static const char *const texts[] = {"",
                                        " ",
                                        "[]",
                                        "{}",
                                        "1",
                                        "null",
                                        "\xff\xfe",
                                        "{\"format\": 1}",
                                        "{\"tare\": 1, \"kind\": \"run\"}",
                                        "{\"a\": \"\\u0000\"}"};
    struct arena arena = {0};
    struct receipt read;
    struct tare_error error = {0};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        assert_int_equal(read_text(&arena, texts[i], &read, &error), TARE_ERROR_MEASURE);
        assert_true(text_starts_with(error.message, "'x.json'"));
    }
    /* 100,000 levels deep: refused by depth, not by the stack's end. */
    struct buffer deep = buffer_new(&arena, RECEIPT_BYTES_MAX);
    buffer_text(&deep, "{\"format\": ");
    buffer_repeat(&deep, "[", 100000);
    assert_int_equal(read_text(&arena, buffer_string(&deep), &read, &error), TARE_ERROR_MEASURE);
    assert_non_null(strstr(error.message, "depth"));
    arena_free(&arena);
}

/* The hash is SHA-256 of the canonical text, as another implementation gives it:
 * printf '{"a":[1,0.5,"x\\n"],"b":null,"run":{"y":1,"z":2}}' | sha256sum. */
static void test_hash(void **state)
{
    (void)state;
    char hash[RECEIPT_HASH_BYTES];
    char run_hash[RECEIPT_HASH_BYTES];
    json_t *value = json_loads("{ \"b\": null, \"sha256\": 1, \"run\": {\"z\": 2, \"y\": 1},\n"
                               "\"a\": [1, 0.5, \"x\\u000a\"] }",
                               0, NULL);
    receipt_hash(value, hash, run_hash);
    json_decref(value);
    assert_string_equal(hash, "a72e07e4a49ed9b283c6932ad0f44670b8ba055ecb266aa4e36edba4ed86d643");
    assert_string_equal(run_hash,
                        "2df226b17232732942faca8ae82ef6f35196175a07f275dc3c7f5385f9449c60");
}

static void test_numbers(void **state)
{
    (void)state;
    static const struct {
        double value;
        const char *text;
    } cases[] = {{0, "0"},
                 {-0.0, "-0.0"},
                 {0.1, "0.1"},
                 {1e15, "1000000000000000"},
                 {1e17, "1e+17"},
                 {1.0 / 3, "0.3333333333333333"},
                 {5e-324, "4.94065645841247e-324"},
                 {812.4, "812.4"},
                 {1e-5, "1e-05"},
                 {-2.5, "-2.5"}};
    char text[RECEIPT_NUMBER_BYTES];
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        receipt_number(cases[i].value, text);
        assert_string_equal(text, cases[i].text);
    }
    struct random random = random_seeded(7);
    for (int i = 0; i < 100000; i++) {
        uint64_t bits = random_u64(&random);
        double value;
        memcpy(&value, &bits, sizeof value);
        if (isfinite(value)) {
            receipt_number(value, text);
            double back = strtod(text, NULL);
            assert_memory_equal(&back, &value, sizeof value);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_round_trip),
        cmocka_unit_test(test_empty_lists),
        cmocka_unit_test(test_history_is_not_part_of_the_run),
        cmocka_unit_test(test_not_finite_is_refused),
        cmocka_unit_test(test_too_large_is_refused),
        cmocka_unit_test(test_any_changed_digit_is_caught),
        cmocka_unit_test(test_layout_is_not_content),
        cmocka_unit_test(test_cut_short),
        cmocka_unit_test(test_wrong_members_are_named),
        cmocka_unit_test(test_not_a_receipt),
        cmocka_unit_test(test_hash),
        cmocka_unit_test(test_numbers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
