/* Text helpers: UTF-8 at its edges, names made safe to print, columns, patterns, nearest words. */
#include "base/text.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* First and last character of each length, and what lies just outside. */
static void test_utf8(void **state)
{
    (void)state;
    static const char *const good[] = {
        "",
        "plain",
        "\xC2\x80",         /* U+0080 */
        "\xDF\xBF",         /* U+07FF */
        "\xE0\xA0\x80",     /* U+0800 */
        "\xED\x9F\xBF",     /* U+D7FF, last before the surrogates */
        "\xEE\x80\x80",     /* U+E000, first behind them */
        "\xEF\xBF\xBF",     /* U+FFFF */
        "\xF0\x90\x80\x80", /* U+10000 */
        "\xF4\x8F\xBF\xBF", /* U+10FFFF */
    };
    static const char *const bad[] = {
        "\x80", /* a continuation alone */
        "\xBF",
        "\xC0\x80",         /* overlong NUL */
        "\xC1\xBF",         /* overlong U+007F */
        "\xE0\x9F\xBF",     /* overlong U+07FF */
        "\xF0\x8F\xBF\xBF", /* overlong U+FFFF */
        "\xED\xA0\x80",     /* first surrogate */
        "\xED\xBF\xBF",     /* last surrogate */
        "\xF4\x90\x80\x80", /* beyond U+10FFFF */
        "\xF5\x80\x80\x80", /* never valid */
        "\xFF",
        "\xC2", /* cut */
        "\xE2\x82",
        "\xF0\x9F\x98",
        "\xE2\x28\xA1", /* second byte wrong */
        "\xE2\x82\x28", /* third byte wrong */
        "ok\xFFok",
    };
    for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
        assert_true(text_is_utf8(good[i], (ptrdiff_t)strlen(good[i])));
    }
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        assert_false(text_is_utf8(bad[i], (ptrdiff_t)strlen(bad[i])));
    }
    assert_true(text_is_utf8("a\0b", 3));
    assert_false(text_is_utf8("€", 2));
}

/* Nothing a terminal would act on gets through; the rest stays as it is. */
static void test_printable(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        const char *shown;
    } cases[] = {
        {"plain/ünïcode 漢字", "plain/ünïcode 漢字"},
        {"a\nb\tc\rd", "a\\nb\\tc\\rd"},
        {"\x1b[31mred", "\\x1b[31mred"},
        {"\x7f", "\\x7f"},
        {"bell\a", "bell\\x07"},
        {"\xFF\xFE", "\\xff\\xfe"},
        {"cut\xE2\x82", "cut\\xe2\\x82"},
        {"\xC2\x9B"
         "31m",
         "\\xc2\\x9b31m"}, /* C1 control sequence introducer */
        {"a\xE2\x80\xAE"
         "b",
         "a\\xe2\\x80\\xaeb"}, /* right-to-left override */
        {"\xEF\xBB\xBF"
         "x",
         "\\xef\\xbb\\xbfx"}, /* byte-order mark */
        {"", ""},
    };
    struct arena arena = {0};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        assert_string_equal(text_printable(&arena, cases[i].text, 0), cases[i].shown);
    }
    arena_free(&arena);
}

/* Cut texts fill at most the columns asked for, end in "…", and split no character or escape. */
static void test_printable_cut(void **state)
{
    (void)state;
    struct arena arena = {0};
    assert_string_equal(text_printable(&arena, "abcdef", 6), "abcdef");
    assert_string_equal(text_printable(&arena, "abcdefg", 6), "abcde…");
    assert_string_equal(text_printable(&arena, "漢字漢字", 5), "漢字…");
    assert_string_equal(text_printable(&arena, "漢字漢字", 6), "漢字…");
    assert_string_equal(text_printable(&arena, "漢字漢字", 8), "漢字漢字");
    assert_string_equal(text_printable(&arena, "ab\x1b\x1b", 5), "ab…");
    assert_string_equal(text_printable(&arena, "abc", 1), "…");
    for (ptrdiff_t columns = 1; columns < 40; columns++) {
        const char *cut =
            text_printable(&arena, "é漢\x01x\xFFyz😀😀 and so on, and so forth", columns);
        assert_true(text_columns(cut) <= columns);
        assert_true(text_is_utf8(cut, (ptrdiff_t)strlen(cut)));
    }
    arena_free(&arena);
}

/* A name of ten thousand characters is handled like any other. */
static void test_printable_long(void **state)
{
    (void)state;
    struct arena arena = {0};
    char *name = arena_alloc(&arena, 10001, 1);
    memset(name, '\x01', 10000);
    assert_int_equal(strlen(text_printable(&arena, name, 0)), 40000);
    assert_int_equal(text_columns(text_printable(&arena, name, 60)), 57);
    arena_free(&arena);
}

/* One column a character, two for wide ones, none for combining marks. */
static void test_columns(void **state)
{
    (void)state;
    assert_int_equal(text_columns(""), 0);
    assert_int_equal(text_columns("abc"), 3);
    assert_int_equal(text_columns("µs"), 2);
    assert_int_equal(text_columns("漢字"), 4);
    assert_int_equal(text_columns("e\xCC\x81"), 1);
    assert_int_equal(text_columns("😀🚀"), 4);
    assert_int_equal(text_columns("\xFF\xFF"), 2);
}

/* Patterns cover the whole text; ? is one character; many stars stay fast. */
static void test_glob(void **state)
{
    (void)state;
    static const struct {
        const char *pattern;
        const char *text;
        bool is_match;
    } cases[] = {
        {"", "", true},
        {"", "a", false},
        {"*", "", true},
        {"*", "a/b", true},
        {"parse/*", "parse/json", true},
        {"parse/*", "xparse/json", false},
        {"*json", "parse/json", true},
        {"*json", "json5", false},
        {"a?c", "abc", true},
        {"a?c", "ac", false},
        {"a?c", "a€c", true},
        {"?", "漢", true},
        {"??", "漢", false},
        {"a*b*c", "aXbYbZc", true},
        {"a*b*c", "aXbYbZ", false},
        {"**", "x", true},
        {"*?", "", false},
        {"*?", "x", true},
        {"a", "A", false},
        {"*é?", "caféx", true},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        if (text_glob(cases[i].pattern, cases[i].text) != cases[i].is_match) {
            fail_msg("'%s' against '%s'", cases[i].pattern, cases[i].text);
        }
    }
    char text[5001];
    memset(text, 'a', 5000);
    text[5000] = '\0';
    assert_false(text_glob("*a*a*a*a*a*a*a*a*b", text));
}

/* A part of a text is matched as if nothing followed, even when it ends inside a character. */
static void test_glob_part(void **state)
{
    (void)state;
    assert_true(text_glob_part("parse/json", "parse/json n=4", 10));
    assert_false(text_glob_part("parse/json", "parse/json n=4", 9));
    assert_false(text_glob_part("parse/json n=4", "parse/json n=4", 10));
    assert_true(text_glob_part("*json", "parse/json n=4", 10));
    assert_true(text_glob_part("", "x", 0));
    assert_true(text_glob_part("*", "x", 0));
    assert_true(text_glob_part("?", "€", 3));
    assert_true(text_glob_part("??", "€", 2));
    assert_true(text_glob_part("*?", "a€", 2));
}

/* Typing errors find their word; other words find none. */
static void test_nearest(void **state)
{
    (void)state;
    static const char *const words[] = {"run", "runs", "baseline", "doctor", "json", NULL};
    assert_string_equal(text_nearest("rnu", words), "run");
    assert_string_equal(text_nearest("run", words), "run");
    assert_string_equal(text_nearest("baselnie", words), "baseline");
    assert_string_equal(text_nearest("basline", words), "baseline");
    assert_string_equal(text_nearest("docter", words), "doctor");
    assert_null(text_nearest("completely", words));
    assert_null(text_nearest("x", words));
    assert_null(text_nearest("", words));
    assert_null(text_nearest("abc", words));
    static const char *const none[] = {NULL};
    assert_null(text_nearest("run", none));
    char longest[64];
    memset(longest, 'r', 63);
    longest[63] = '\0';
    assert_null(text_nearest(longest, words));
    const char *const long_words[] = {longest, "rub", NULL};
    assert_string_equal(text_nearest("run", long_words), "rub");
}

static void test_starts_with(void **state)
{
    (void)state;
    assert_true(text_starts_with("abc", "ab"));
    assert_true(text_starts_with("abc", ""));
    assert_false(text_starts_with("ab", "abc"));
    assert_false(text_starts_with("", "a"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_utf8),          cmocka_unit_test(test_printable),
        cmocka_unit_test(test_printable_cut), cmocka_unit_test(test_printable_long),
        cmocka_unit_test(test_columns),       cmocka_unit_test(test_glob),
        cmocka_unit_test(test_glob_part),     cmocka_unit_test(test_nearest),
        cmocka_unit_test(test_starts_with),
    };
    return cmocka_run_group_tests_name("text", tests, NULL, NULL);
}
