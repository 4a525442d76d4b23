/* test_param_range.c: every form of --param gives the values it shows, every mistake a message. */
#include "codec/param_range.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static struct arena arena;
static struct tare_error error;

/* "name: v1 v2 v3", or the error. */
static const char *parsed(const char *text)
{
    struct param_range range;
    error_clear(&error);
    tare_status status = param_range_parse(&arena, text, &range, &error);
    if (status != TARE_OK) {
        assert_int_equal(status, TARE_ERROR_USAGE);
        return error.message;
    }
    char *shown = arena_printf(&arena, "%s:", range.name);
    for (ptrdiff_t i = 0; i < range.count; i++) {
        shown = arena_printf(&arena, "%s %s", shown, range.values[i]);
    }
    return shown;
}

static void lists_and_ranges(void **state)
{
    (void)state;
    assert_string_equal(parsed("n=1,2,4"), "n: 1 2 4");
    assert_string_equal(parsed("n=4..64*2"), "n: 4 8 16 32 64");
    assert_string_equal(parsed("n=4..63*2"), "n: 4 8 16 32");
    assert_string_equal(parsed("n=1..10+3"), "n: 1 4 7 10");
    assert_string_equal(parsed("n=1..4"), "n: 1 2 3 4");
    assert_string_equal(parsed("n=5..5"), "n: 5");
    assert_string_equal(parsed("n=1k..4k*2,10k"), "n: 1000 2000 4000 10k");
    assert_string_equal(parsed("n=0.1..0.5+0.1"), "n: 0.1 0.2 0.3 0.4 0.5");
    assert_string_equal(parsed("n=-2..2+2"), "n: -2 0 2");
    assert_string_equal(parsed("n=1..8*1.5"), "n: 1 1.5 2.25 3.375 5.0625 7.59375");
    assert_string_equal(parsed("impl=fast,slow one"), "impl: fast slow one");
    assert_string_equal(parsed("path=../a,a..b"), "path: ../a a..b");
    assert_string_equal(parsed("x=a\\,b,c\\d"), "x: a,b c\\d");
    assert_string_equal(parsed("n=a=b"), "n: a=b");
}

static void mistakes_are_named(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        const char *words;
    } cases[] = {
        {"n", "has no values"},
        {"=1", "a name has letters"},
        {"n m=1", "a name has letters"},
        {"n=", "empty value"},
        {"n=1,,2", "empty value"},
        {"n=1,2,1", "value '1' twice"},
        {"n=1..3,2", "value '2' twice"},
        {"n=64..4*2", "ends before it begins"},
        {"n=4..64*1", "factor above 1"},
        {"n=0..64*2", "begin above 0"},
        {"n=1..10+0", "step above 0"},
        {"n=1..10+", "no number behind '+'"},
        {"n=1..10*x", "no number behind '*'"},
        {"n=1..", "no number behind '..'"},
        {"n=1..x", "no number behind '..'"},
        {"n=1..1e9", "more than 10000 values"},
        {"n=1..1e300*1.0000000000000002", "more than 10000 values"},
        {"n=\xff", "not UTF-8"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        assert_non_null(strstr(parsed(cases[i].text), cases[i].words));
    }
}

/* Goal: all combinations come once, the last range fastest; too many and names twice are errors. */
static void combinations(void **state)
{
    (void)state;
    struct param_range ranges[3];
    ptrdiff_t count = 0;
    error_clear(&error);
    assert_int_equal(param_range_combinations(NULL, 0, &count, &error), TARE_OK);
    assert_int_equal(count, 1);
    assert_int_equal(param_range_parse(&arena, "a=1,2", &ranges[0], &error), TARE_OK);
    assert_int_equal(param_range_parse(&arena, "b=x,y,z", &ranges[1], &error), TARE_OK);
    assert_int_equal(param_range_combinations(ranges, 2, &count, &error), TARE_OK);
    assert_int_equal(count, 6);
    struct model_parameter chosen[2];
    param_range_choose(ranges, 2, 0, chosen);
    assert_string_equal(chosen[0].value, "1");
    assert_string_equal(chosen[1].value, "x");
    param_range_choose(ranges, 2, 4, chosen);
    assert_string_equal(chosen[0].value, "2");
    assert_string_equal(chosen[1].value, "y");
    assert_int_equal(param_range_parse(&arena, "c=1..2000", &ranges[2], &error), TARE_OK);
    assert_int_equal(param_range_combinations(ranges, 3, &count, &error), TARE_ERROR_USAGE);
    assert_non_null(strstr(error.message, "more than 10000 combinations"));
    error_clear(&error);
    ranges[2] = ranges[0];
    assert_int_equal(param_range_combinations(ranges, 3, &count, &error), TARE_ERROR_USAGE);
    assert_non_null(strstr(error.message, "'a' is given twice"));
}

/* Goal: {name} is replaced, once, and nothing else is. */
static void substitution(void **state)
{
    (void)state;
    const struct model_parameter parameters[] = {{"n", "8"}, {"m", "{n}"}};
    assert_string_equal(param_range_substitute(&arena, "-n={n}{n} {m} {x} {n {", parameters, 2),
                        "-n=88 {n} {x} {n {");
    assert_string_equal(param_range_substitute(&arena, "", parameters, 2), "");
    assert_true(param_range_is_used("a{n}", "n"));
    assert_false(param_range_is_used("a{nn} {n n}", "n"));
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
        cmocka_unit_test(lists_and_ranges),
        cmocka_unit_test(mistakes_are_named),
        cmocka_unit_test(combinations),
        cmocka_unit_test(substitution),
    };
    return cmocka_run_group_tests(tests, NULL, tear_down);
}
