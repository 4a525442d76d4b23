/* test_metric_pattern.c: --metric is read strictly, and finds the number or says why not. */
#include "codec/metric_pattern.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static struct arena arena;
static struct tare_error error;

static const char *mistake(const char *text)
{
    struct metric_pattern pattern;
    error_clear(&error);
    assert_int_equal(metric_pattern_parse(&arena, text, &pattern, &error), TARE_ERROR_USAGE);
    return error.message;
}

/* The value found, or NaN with the message in `error`. */
static double found_in(const char *text, const char *output, ptrdiff_t length)
{
    struct metric_pattern pattern;
    double value = 0;
    error_clear(&error);
    assert_int_equal(metric_pattern_parse(&arena, text, &pattern, &error), TARE_OK);
    tare_status status = metric_pattern_extract(&arena, &pattern, output, length, &value, &error);
    assert_int_equal(status == TARE_OK, isfinite(value));
    assert_true(status == TARE_OK || status == TARE_ERROR_MEASURE);
    return value;
}

static double found(const char *text, const char *output)
{
    return found_in(text, output, (ptrdiff_t)strlen(output));
}

static const char *failure(const char *text, const char *output)
{
    assert_true(isnan(found(text, output)));
    return error.message;
}

static void parts_are_read(void **state)
{
    (void)state;
    struct metric_pattern pattern;
    error_clear(&error);
    assert_int_equal(
        metric_pattern_parse(&arena, "speed[tok/s]:higher=re:([0-9.]+) tok/s", &pattern, &error),
        TARE_OK);
    assert_string_equal(pattern.name, "speed");
    assert_string_equal(pattern.unit, "tok/s");
    assert_int_equal(pattern.better, MODEL_HIGHER_IS_BETTER);
    assert_false(pattern.is_exact);
    assert_false(pattern.is_json);
    assert_int_equal(metric_pattern_parse(&arena, "nodes:lower:exact=json:/a/b", &pattern, &error),
                     TARE_OK);
    assert_string_equal(pattern.unit, "1");
    assert_true(pattern.is_exact && pattern.is_json);
    assert_string_equal(pattern.expression, "/a/b");
    assert_int_equal(
        metric_pattern_parse(&arena, "x[a=b:c]:exact:lower=re:=(.*):", &pattern, &error), TARE_OK);
    assert_string_equal(pattern.unit, "a=b:c");
    assert_string_equal(pattern.expression, "=(.*):");
}

static void mistakes_are_named(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        const char *words;
    } cases[] = {
        {"speed", "where the number stands"},
        {"", "where the number stands"},
        {"speed=re:(x)", "lower or higher is better"},
        {"=re:(x)", "name is empty"},
        {"[s]:lower=re:(x)", "name is empty"},
        {"a[]:lower=re:(x)", "unit is empty"},
        {"a[s:lower=re:(x)", "does not end in ']'"},
        {"a[s]lower=re:(x)", "does not end in ']'"},
        {"a:faster=re:(x)", "lower, higher and exact"},
        {"a:=re:(x)", "lower, higher and exact"},
        {"a:lower:higher=re:(x)", "said twice"},
        {"a:lower:exact:exact=re:(x)", "said twice"},
        {"a:lower=(x)", "re: or json:"},
        {"a:lower=xml:/x", "re: or json:"},
        {"a:lower=re:", "is empty"},
        {"a:lower=re:x", "one group"},
        {"a:lower=re:(x)(y)", "one group"},
        {"a:lower=re:(x", "'(x'"},
        {"a:lower=re:[(x)", "'[(x)'"},
        {"a:lower=re:(x)\\1", "back references"},
        {"a:lower=re:((x))", "one group"},
        {"a:lower=re:(x{1,200}){1,200}", "repetitions"},
        {"a:lower=re:(x+)y++", "right on another"},
        {"a:lower=re:(x)*{2}", "right on another"},
        {"a:lower=re:(x{nan})", "Invalid content"},
        {"a:lower=json:a/b", "begins with '/'"},
        {"a:lower=json:/a~2", "'~' is written ~0"},
        {"time:lower=re:(x)", "of this name itself"},
        {"a\nb:lower=re:(x)", "not printable"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const char *message = mistake(cases[i].text);
        if (strstr(message, cases[i].words) == NULL) {
            fail_msg("'%s' gave '%s'", cases[i].text, message);
        }
    }
}

static void expressions_find_the_last_match(void **state)
{
    (void)state;
    const char *speed = "speed:higher=re:([0-9.]+) tok/s";
    assert_true(found(speed, "1 tok/s\n2.5 tok/s\nbye\n") == 2.5);
    assert_true(found(speed, "1 tok/s 3 tok/s") == 3);
    assert_true(found("a:lower=re:^x=(-?[0-9.e]+)$", "y=1\nx=-2e3\nz x=4\n") == -2000);
    assert_true(found("a:lower=re:([0-9]*)$", "a\n7") == 7);
    assert_true(found("a:lower=re:[](+*]\\((-?[0-9]+)[[:space:]{]", "*(-5 ") == -5);
    assert_true(found_in("a:lower=re:b(.)", "\0\0b7\0", 5) == 7);
}

static void expressions_fail_in_words(void **state)
{
    (void)state;
    assert_non_null(strstr(failure("a:lower=re:x(.)", ""), "nothing in the output matches 'x(.)'"));
    assert_non_null(strstr(failure("a:lower=re:x(.*)", "1 x2\nx abc\n"), "' abc' in the output"));
    assert_non_null(strstr(failure("a:lower=re:x(.*)", "xnan"), "not a finite number"));
    assert_non_null(strstr(failure("a:lower=re:x(.*)", "x-inf"), "not a finite number"));
    assert_non_null(strstr(failure("a:lower=re:x(.*)", "x1e999"), "not a finite number"));
    assert_non_null(strstr(failure("a:lower=re:x(.*)", "x"), "not a finite number"));
    assert_true(isnan(found_in("a:lower=re:x([^z]*)", "x1\0002", 4)));
    assert_non_null(
        strstr(failure("a:lower=re:([0-9.]+)", "t -5 s"), "'5' in the output is a part of '-5'"));
    assert_non_null(strstr(failure("a:lower=re:([0-9]+) s", "12.5 s"), "a part of '12.5'"));
    assert_non_null(strstr(failure("a:lower=re:([0-9.]+)", "1e999"), "a part of '1e999'"));
    assert_true(found("a:lower=re:-([0-9]+) s", "3-5 s") == 5);
    assert_true(found("a:lower=re:([0-9]+)$", "v1.2.3") == 3);
    char *line = arena_alloc(&arena, METRIC_LINE_BYTES_MAX + 2, 1);
    memset(line, 'y', METRIC_LINE_BYTES_MAX + 1);
    assert_non_null(strstr(failure("a:lower=re:x(.*)", line), "line longer than"));
}

static void pointers_are_followed(void **state)
{
    (void)state;
    assert_true(found("a:lower=json:/a/b", "{\"a\":{\"b\":1.5}}") == 1.5);
    assert_true(found("a:lower=json:/0/x~1y/~0", "[{\"x/y\":{\"~\":-3}}]") == -3);
    assert_true(found("a:lower=json:", "42\n") == 42);
    assert_true(found("a:lower=json:/n", "log\n{\"n\":1}\n{\"n\":2}\nbye {\n") == 2);
    assert_true(found("a:lower=json:/", "{\"\":5}") == 5);
}

static void pointers_fail_in_words(void **state)
{
    (void)state;
    assert_non_null(strstr(failure("a:lower=json:/n", "no json"), "neither the output nor"));
    assert_non_null(strstr(failure("a:lower=json:/n", ""), "neither the output nor"));
    assert_non_null(strstr(failure("a:lower=json:/n", "{\"m\":1}"), "has no '/n'"));
    assert_non_null(strstr(failure("a:lower=json:/n/x", "{\"n\":1}"), "has no '/n/x'"));
    assert_non_null(strstr(failure("a:lower=json:/01", "[1,2]"), "has no '/01'"));
    assert_non_null(strstr(failure("a:lower=json:/n", "{\"n\":\"1\"}"), "is a text, not a number"));
    assert_non_null(strstr(failure("a:lower=json:/n", "{\"n\":null}"), "is null"));
    assert_non_null(strstr(failure("a:lower=json:/n", "{\"n\":NaN}"), "neither the output nor"));
    assert_non_null(strstr(failure("a:lower=json:/n", "{\"n\":1e999}"), "neither the output nor"));
}

static int tear_down(void **state)
{
    (void)state;
    arena_free(&arena);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(parts_are_read),
        cmocka_unit_test(mistakes_are_named),
        cmocka_unit_test(expressions_find_the_last_match),
        cmocka_unit_test(expressions_fail_in_words),
        cmocka_unit_test(pointers_are_followed),
        cmocka_unit_test(pointers_fail_in_words),
    };
    return cmocka_run_group_tests(tests, NULL, tear_down);
}
