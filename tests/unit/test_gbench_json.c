/* Goal: what Google Benchmark writes is read exactly, whichever version wrote it; what it cannot
 * have written is an error that says so, never a figure. Method: recorded files, literal texts. */
#include "codec/gbench_json.h"
#include "os/file.h"

#include <math.h>
#include <regex.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static struct arena arena;
static struct tare_error error;
static struct gbench_result result;
static struct gbench_list list;

static const char *const versions[] = {"1.7.1", "1.9.1"};
enum { VERSIONS = sizeof versions / sizeof *versions };

static int set_up(void **state)
{
    (void)state;
    error = (struct tare_error){0};
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    arena_free(&arena);
    return 0;
}

static char *recorded(const char *name, const char *version, const char *extension)
{
    size_t length = strlen(__FILE__) - strlen("unit/test_gbench_json.c");
    const char *path = arena_printf(&arena, "%.*sfuzz/corpus/gbench/%s-%s.%s", (int)length,
                                    __FILE__, name, version, extension);
    char *text = NULL;
    ptrdiff_t bytes = 0;
    assert_int_equal(file_read(&arena, path, 1 << 20, &text, &bytes, &error), TARE_OK);
    return text;
}

static tare_status read_text(const char *text)
{
    return gbench_read_result(&arena, text, (ptrdiff_t)strlen(text), &result, &error);
}

static void assert_refused(const char *text, const char *part)
{
    error_clear(&error);
    assert_int_equal(read_text(text), TARE_ERROR_MEASURE);
    if (strstr(error.message, part) == NULL) {
        fail_msg("'%s' is not in '%s'", part, error.message);
    }
}

/* One row with these members besides its name. */
static char *row_text(const char *members)
{
    return arena_printf(&arena, "{\"benchmarks\":[{\"name\":\"b\",%s}]}", members);
}

static void test_repetitions(void **state)
{
    (void)state;
    for (int i = 0; i < VERSIONS; i++) {
        assert_int_equal(read_text(recorded("sum", versions[i], "json")), TARE_OK);
        assert_int_equal(result.count, 3);
        assert_int_equal(result.aggregate_count, 4); /* mean, median, stddev, cv */
        for (ptrdiff_t row = 0; row < result.count; row++) {
            assert_string_equal(result.rows[row].name, "sum/64");
            assert_true(result.rows[row].time_ns > 0 && result.rows[row].cpu_ns > 0);
            assert_true(result.rows[row].counters[GBENCH_BYTES_PER_SECOND] > 0);
            assert_true(result.rows[row].counters[GBENCH_ITEMS_PER_SECOND] > 0);
        }
        assert_true(result.rows[0].iterations == result.rows[2].iterations);
    }
}

static void test_odd_names_and_nan(void **state)
{
    (void)state;
    for (int i = 0; i < VERSIONS; i++) {
        const char *text = recorded("odd", versions[i], "json");
        assert_non_null(strstr(text, ": NaN")); /* or this test says nothing */
        assert_int_equal(read_text(text), TARE_OK);
        assert_int_equal(result.count, 2);
        assert_string_equal(result.rows[0].name, "odd (name) [x]+*?.|^$\\ {2}/0");
        assert_true(isnan(result.rows[0].counters[GBENCH_BYTES_PER_SECOND]));
        assert_true(result.rows[1].iterations == 100);
    }
}

static void test_failed_benchmark(void **state)
{
    (void)state;
    for (int i = 0; i < VERSIONS; i++) {
        assert_int_equal(read_text(recorded("error", versions[i], "json")), TARE_OK);
        assert_int_equal(result.count, 1);
        assert_string_equal(result.rows[0].failure, "no data");
        assert_null(result.rows[0].skip_reason);
    }
    assert_int_equal(read_text(row_text("\"skipped\":true,\"skip_message\":\"no GPU\"")), TARE_OK);
    assert_string_equal(result.rows[0].skip_reason, "no GPU");
    assert_int_equal(read_text(row_text("\"error_occurred\":true")), TARE_OK);
    assert_string_equal(result.rows[0].failure, "no reason given");
}

static void test_units(void **state)
{
    (void)state;
    static const struct {
        const char *unit;
        double ns;
    } units[] = {{"ns", 2.5}, {"us", 2.5e3}, {"ms", 2.5e6}, {"s", 2.5e9}};
    for (size_t i = 0; i < sizeof units / sizeof *units; i++) {
        const char *text = row_text(arena_printf(
            &arena, "\"iterations\":7,\"real_time\":2.5,\"cpu_time\":5,\"time_unit\":\"%s\"",
            units[i].unit));
        assert_int_equal(read_text(text), TARE_OK);
        assert_true(fabs(result.rows[0].time_ns / units[i].ns - 1) < 1e-12);
        assert_true(fabs(result.rows[0].cpu_ns / units[i].ns - 2) < 1e-12);
    }
}

static void test_members_missing_or_wrong(void **state)
{
    (void)state;
    const char *times = "\"real_time\":1,\"cpu_time\":1,\"time_unit\":\"ns\"";
    assert_refused(row_text(times), "count of iterations");
    assert_refused(row_text(arena_printf(&arena, "\"iterations\":0,%s", times)), "iterations");
    assert_refused(row_text("\"iterations\":1,\"real_time\":1,\"cpu_time\":1"), "time unit");
    assert_refused(
        row_text("\"iterations\":1,\"real_time\":1,\"cpu_time\":1,\"time_unit\":\"min\""),
        "time unit");
    assert_refused(row_text("\"iterations\":1,\"real_time\":1,\"time_unit\":\"ns\""), "cpu_time");
    assert_refused(
        row_text("\"iterations\":1,\"real_time\":-1,\"cpu_time\":1,\"time_unit\":\"ns\""),
        "real_time");
    assert_refused(
        row_text("\"iterations\":1,\"real_time\":NaN,\"cpu_time\":1,\"time_unit\":\"ns\""),
        "real_time");
    assert_refused(
        row_text("\"iterations\":1,\"real_time\":\"1\",\"cpu_time\":1,\"time_unit\":\"ns\""),
        "real_time");
    assert_refused("{\"benchmarks\":[{\"iterations\":1}]}", "no usable name");
    assert_refused("{\"benchmarks\":[7]}", "no usable name");
    assert_refused("{\"context\":{}}", "no list \"benchmarks\"");
    assert_refused("[]", "not a JSON object");
    assert_refused("", "empty");
    char *cut = recorded("sum", versions[0], "json");
    cut[strlen(cut) / 2] = '\0';
    assert_refused(cut, "not JSON");
    error_clear(&error);
    assert_int_equal(gbench_read_result(&arena, "{\0}", 3, &result, &error), TARE_ERROR_MEASURE);
    assert_non_null(strstr(error.message, "NUL"));
}

/* A word that only looks like NaN stays as it is inside of a string. */
static void test_words_in_strings(void **state)
{
    (void)state;
    const char *text = "{\"benchmarks\":[{\"name\":\"a\\\"NaN\",\"error_occurred\":true,"
                       "\"error_message\":\"-Infinity\",\"x\":-Infinity,\"y\":-NaN}]}";
    assert_int_equal(read_text(text), TARE_OK);
    assert_string_equal(result.rows[0].name, "a\"NaN");
    assert_string_equal(result.rows[0].failure, "-Infinity");
}

static void test_list(void **state)
{
    (void)state;
    for (int i = 0; i < VERSIONS; i++) {
        const char *text = recorded("list", versions[i], "txt");
        assert_int_equal(gbench_read_list(&arena, text, "", &list, &error), TARE_OK);
        assert_int_equal(list.count, 4);
        assert_string_equal(list.names[0], "sum/64");
        assert_string_equal(list.names[3], "odd/0/iterations:100");
    }
    assert_int_equal(gbench_read_list(&arena, "hello\na\n\nbye\nb", "hello\nbye\n", &list, &error),
                     TARE_OK);
    assert_int_equal(list.count, 2);
    assert_string_equal(list.names[1], "b");
    assert_int_equal(gbench_read_list(&arena, "", "", &list, &error), TARE_OK);
    assert_int_equal(list.count, 0);
}

static void test_list_refused(void **state)
{
    (void)state;
    const char *table = "--------------------------------\nBenchmark   Time   CPU   Iterations\n";
    assert_int_equal(gbench_read_list(&arena, table, "", &list, &error), TARE_ERROR_MEASURE);
    assert_non_null(strstr(error.message, "benchmark::Initialize"));
    error_clear(&error);
    assert_int_equal(gbench_read_list(&arena, "a\ab\n", "", &list, &error), TARE_ERROR_MEASURE);
    assert_non_null(strstr(error.message, "a\\x07b"));
}

/* As POSIX reads the filter, it matches the name and nothing near it. */
static void test_filter(void **state)
{
    (void)state;
    static const char *const names[] = {"sum/64", "odd (name) [x]+*?.|^$\\ {2}/0", "a.b", "x}]"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        regex_t regex;
        assert_int_equal(regcomp(&regex, gbench_filter(&arena, names[i]), REG_EXTENDED | REG_NOSUB),
                         0);
        assert_int_equal(regexec(&regex, names[i], 0, NULL, 0), 0);
        const char *longer = arena_printf(&arena, "%s0", names[i]);
        assert_int_equal(regexec(&regex, longer, 0, NULL, 0), REG_NOMATCH);
        const char *prefixed = arena_printf(&arena, "p%s", names[i]);
        assert_int_equal(regexec(&regex, prefixed, 0, NULL, 0), REG_NOMATCH);
        assert_int_equal(regexec(&regex, "axb", 0, NULL, 0), REG_NOMATCH);
        regfree(&regex);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_repetitions, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_odd_names_and_nan, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_failed_benchmark, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_units, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_members_missing_or_wrong, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_words_in_strings, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_list, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_list_refused, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_filter, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
