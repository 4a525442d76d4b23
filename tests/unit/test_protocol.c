/* Goal: replies of well-behaved programs are read exactly; every kind of wrong reply is an error
 * that says what was wrong, never a figure. Method: literal lines. */
#include "codec/protocol.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static struct arena arena;
static struct tare_error error;

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

static void assert_message(const char *part)
{
    assert_int_equal(error.status, TARE_ERROR_MEASURE);
    if (strstr(error.message, part) == NULL) {
        fail_msg("'%s' is not in '%s'", part, error.message);
    }
}

static void test_requests(void **state)
{
    (void)state;
    struct buffer out = buffer_new(&arena, 1000);
    protocol_write_hello(&out);
    protocol_write_simple(&out, "list");
    protocol_write_benchmark(&out, "open", 3);
    protocol_write_run(&out, 3, 1e12, PROTOCOL_COUNT_NONE);
    protocol_write_run(&out, 3, 10, PROTOCOL_COUNT_ALLOCATIONS);
    protocol_write_run(&out, 3, 10, PROTOCOL_COUNT_INSTRUCTIONS);
    assert_string_equal(
        buffer_string(&out),
        "{\"op\":\"hello\",\"protocol\":1}\n{\"op\":\"list\"}\n"
        "{\"op\":\"open\",\"benchmark\":3}\n"
        "{\"op\":\"run\",\"benchmark\":3,\"iterations\":1000000000000}\n"
        "{\"op\":\"run\",\"benchmark\":3,\"iterations\":10,\"count\":\"allocations\"}\n"
        "{\"op\":\"run\",\"benchmark\":3,\"iterations\":10,\"count\":\"instructions\"}\n");
}

static void test_hello(void **state)
{
    (void)state;
    struct protocol_hello hello;
    const char *line = "{\"ok\":\"hello\",\"protocol\":1,\"harness\":\"h\",\"compiler\":\"gcc\","
                       "\"timer_floor_ns\":22.5,\"can_count\":[\"allocations\",7,\"x\"]}";
    assert_int_equal(protocol_read_hello(&arena, line, &hello, &error), TARE_OK);
    assert_string_equal(hello.harness, "h");
    assert_true(hello.can_count_allocations);
    assert_false(hello.can_count_counters);
    assert_false(hello.can_count_instructions);
    assert_true(hello.timer_floor_ns == 22.5);
}

static void test_hello_of_another_version(void **state)
{
    (void)state;
    struct protocol_hello hello;
    protocol_read_hello(&arena, "{\"ok\":\"hello\",\"protocol\":2}", &hello, &error);
    assert_message("speaks protocol 2");
}

static void test_listed(void **state)
{
    (void)state;
    struct protocol_listed listed;
    bool is_end = true;
    const char *line =
        "{\"benchmark\":0,\"name\":\"a/b\",\"params\":{\"n\":64,\"s\":\"x\"},\"variant\":\"v\","
        "\"reference\":true,\"metrics\":{\"speed\":{\"unit\":\"tok/s\",\"better\":\"higher\"}},"
        "\"size\":\"n\"}";
    assert_int_equal(protocol_read_listed(&arena, line, 0, &listed, &is_end, &error), TARE_OK);
    assert_false(is_end);
    assert_string_equal(listed.name, "a/b");
    assert_int_equal(listed.parameter_count, 2);
    assert_string_equal(listed.parameters[0].value, "64");
    assert_true(listed.is_reference);
    assert_int_equal(listed.metrics[0].better, MODEL_HIGHER_IS_BETTER);
    assert_string_equal(listed.size_parameter, "n");
    line = "{\"ok\":\"list\",\"count\":1}";
    assert_int_equal(protocol_read_listed(&arena, line, 1, &listed, &is_end, &error), TARE_OK);
    assert_true(is_end);
}

struct wrong {
    const char *line;
    const char *message;
};

static void test_wrong_lists(void **state)
{
    (void)state;
    static const struct wrong cases[] = {
        {"{\"benchmark\":1,\"name\":\"a\"}", "out of order"},
        {"{\"benchmark\":0}", "bad benchmark name '(none)'"},
        {"{\"benchmark\":0,\"name\":\"\"}", "bad benchmark name"},
        {"{\"benchmark\":0,\"name\":\"a\\u0007b\"}", "bad benchmark name 'a\\x07b'"},
        {"{\"benchmark\":0,\"name\":\"a\",\"params\":[1]}", "params"},
        {"{\"benchmark\":0,\"name\":\"a\",\"params\":{\"n\":1.5}}", "bad parameter value"},
        {"{\"benchmark\":0,\"name\":\"a\",\"metrics\":{\"items\":{\"unit\":\"1\"}}}",
         "never guessed"},
        {"{\"benchmark\":0,\"name\":\"a\",\"metrics\":{\"x\":{\"better\":\"lower\"}}}",
         "bad metric unit"},
        {"{\"benchmark\":0,\"name\":\"a\",\"metrics\":{\"time\":{\"unit\":\"s\",\"better\":"
         "\"lower\"}}}",
         "Tare's own"},
        {"{\"ok\":\"list\",\"count\":3}", "listed 0 benchmarks but says it has 3"},
        {"{\"ok\":\"hello\",\"count\":0}", "answered 'hello'"},
        {"{\"error\":\"no \\u001b[31mcolours\"}", "the program says: no \\x1b[31mcolours"},
        {"[1,2]", "not a JSON object"},
        {"{\"benchmark\":0,", "not JSON"},
        {"", "not JSON"},
        {"{\"name\":\"a\",\"name\":\"b\"}", "not JSON"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct protocol_listed listed;
        bool is_end = false;
        error = (struct tare_error){0};
        protocol_read_listed(&arena, cases[i].line, 0, &listed, &is_end, &error);
        assert_message(cases[i].message);
    }
}

static void test_opened(void **state)
{
    (void)state;
    struct protocol_opened opened;
    assert_int_equal(protocol_read_opened(&arena, "{\"ok\":\"open\"}", &opened, &error), TARE_OK);
    assert_int_equal(opened.check, MODEL_CHECK_NONE);
    protocol_read_opened(&arena, "{\"ok\":\"open\",\"check\":\"failed\",\"detail\":\"d\"}", &opened,
                         &error);
    assert_int_equal(opened.check, MODEL_CHECK_FAILED);
    assert_string_equal(opened.check_detail, "d");
    protocol_read_opened(&arena, "{\"skip\":\"no GPU\"}", &opened, &error);
    assert_string_equal(opened.skip_reason, "no GPU");
    protocol_read_opened(&arena, "{\"ok\":\"open\",\"check\":\"maybe\"}", &opened, &error);
    assert_message("'maybe'");
}

static void test_slice(void **state)
{
    (void)state;
    struct protocol_slice slice;
    const char *line =
        "{\"ok\":\"run\",\"iterations\":5,\"time_ns\":100.5,\"overhead_ns\":3,"
        "\"metrics\":{\"speed\":7},\"deleted\":true,"
        "\"histogram\":{\"bits\":7,\"min_ns\":1,\"max_ns\":9,\"buckets\":[[1,2],[9,3]]}}";
    assert_int_equal(protocol_read_slice(&arena, line, 5, &slice, &error), TARE_OK);
    assert_true(slice.time_ns == 100.5 && slice.overhead_ns == 3 && slice.is_deleted);
    assert_int_equal(slice.value_count, 1);
    assert_true(slice.has_histogram && slice.histogram.counts[1] == 3);
}

/* Goal: a slice may be declined, or say that its check failed; any other check must come with a
 * measured slice. */
static void test_declined_slices(void **state)
{
    (void)state;
    struct protocol_slice slice;
    assert_int_equal(protocol_read_slice(&arena, "{\"skip\":\"no GPU\"}", 5, &slice, &error),
                     TARE_OK);
    assert_string_equal(slice.skip_reason, "no GPU");
    assert_false(slice.is_check_failed);
    const char *line = "{\"check\":\"failed\",\"detail\":\"3, want 4\"}";
    assert_int_equal(protocol_read_slice(&arena, line, 5, &slice, &error), TARE_OK);
    assert_null(slice.skip_reason);
    assert_true(slice.is_check_failed);
    assert_string_equal(slice.check_detail, "3, want 4");
    assert_int_equal(protocol_read_slice(&arena, "{\"check\":\"failed\"}", 5, &slice, &error),
                     TARE_OK);
    assert_null(slice.check_detail);
    protocol_read_slice(&arena, "{\"check\":\"passed\"}", 5, &slice, &error);
    assert_message("no \"ok\" member");
}

static void test_wrong_slices(void **state)
{
    (void)state;
    static const struct wrong cases[] = {
        {"{\"ok\":\"run\",\"iterations\":4,\"time_ns\":1}", "did 4 iterations where 5"},
        {"{\"ok\":\"run\",\"time_ns\":1}", "iterations where 5"},
        {"{\"ok\":\"run\",\"iterations\":5}", "time_ns = nothing"},
        {"{\"ok\":\"run\",\"iterations\":5,\"time_ns\":-1}", "time_ns = -1"},
        {"{\"ok\":\"run\",\"iterations\":5,\"time_ns\":\"1\"}", "time_ns = \"1\""},
        {"{\"ok\":\"run\",\"iterations\":5,\"time_ns\":NaN}", "not JSON"},
        {"{\"ok\":\"run\",\"iterations\":5,\"time_ns\":1e300}", "time_ns"},
        {"{\"ok\":\"run\",\"iterations\":5,\"time_ns\":1e999}", "not JSON"},
        {"{\"ok\":\"run\",\"iterations\":5,\"time_ns\":1,\"metrics\":{\"a\":null}}", "metric 'a'"},
        {"{\"ok\":\"run\",\"iterations\":5,\"time_ns\":1,\"histogram\":{}}", "bits"},
        {"{\"ok\":\"run\",\"iterations\":5,\"time_ns\":1,\"histogram\":{\"bits\":7,\"buckets\":[[1,"
         "4]],"
         "\"min_ns\":1,\"max_ns\":1}}",
         "add up"},
        {"{\"ok\":\"run\",\"iterations\":5,\"time_ns\":1,\"histogram\":{\"bits\":7,\"buckets\":"
         "[[2,4],[1,1]],\"min_ns\":1,\"max_ns\":1}}",
         "ascending"},
        {"{\"ok\":\"run\",\"iterations\":5,\"time_ns\":1,\"histogram\":{\"bits\":7,\"buckets\":"
         "[[99999999,5]],\"min_ns\":1,\"max_ns\":1}}",
         "ascending"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct protocol_slice slice;
        error = (struct tare_error){0};
        protocol_read_slice(&arena, cases[i].line, 5, &slice, &error);
        assert_message(cases[i].message);
    }
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_requests), TEST(test_hello),        TEST(test_hello_of_another_version),
        TEST(test_listed),   TEST(test_wrong_lists),  TEST(test_opened),
        TEST(test_slice),    TEST(test_wrong_slices), TEST(test_declined_slices),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
