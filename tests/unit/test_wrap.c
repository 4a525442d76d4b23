/* Wrapping: lines within their width, words never broken, nothing lost. */
#include "report/wrap.h"

#include "base/text.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

static void check_line(const char *text, ptrdiff_t width, const char *expected)
{
    struct arena arena = {0};
    struct buffer out = buffer_new(&arena, BUFFER_LENGTH_MAX);
    wrap_line(&out, text, width);
    assert_string_equal(buffer_string(&out), expected);
    arena_free(&arena);
}

/* Goal: lines break at spaces, exactly at the width and one beyond it, and go on indented. */
static void test_breaks(void **state)
{
    (void)state;
    check_line("one two three", 13, "one two three\n");
    check_line("one two three", 12, "one two\n  three\n");
    check_line("one two three", 8, "one two\n  three\n");
    check_line("aa bb cc dd", 5, "aa bb\n  cc\n  dd\n"); /* the indent counts */
    check_line("", 10, "\n");
    check_line("one", 1, "one\n");
}

/* Goal: without a limit nothing is changed, not even spaces at the end. */
static void test_no_limit(void **state)
{
    (void)state;
    check_line("one two  three ", 0, "one two  three \n");
}

/* Goal: wide gaps stay within a line and go where it is broken. */
static void test_gaps(void **state)
{
    (void)state;
    check_line("machine    commit", 17, "machine    commit\n");
    check_line("machine    commit", 16, "machine\n  commit\n");
}

/* Goal: a word longer than the line stands alone and whole, wherever it is. */
static void test_long_words(void **state)
{
    (void)state;
    check_line("see /a/very/long/path now", 8, "see\n  /a/very/long/path\n  now\n");
    check_line("/a/very/long/path now", 8, "/a/very/long/path\n  now\n");
}

/* Goal: what counts is columns: letters of two bytes take one, wide characters two, combining marks
 * and colors none. */
static void test_columns(void **state)
{
    (void)state;
    check_line("äöü äöü", 7, "äöü äöü\n");
    check_line("äöü äöü", 6, "äöü\n  äöü\n");
    check_line("日本 日本", 9, "日本 日本\n");
    check_line("日本 日本", 8, "日本\n  日本\n");
    check_line("e\xCC\x81 e\xCC\x81", 3, "e\xCC\x81 e\xCC\x81\n");
    check_line("\033[33mnote:\033[0m ab", 8, "\033[33mnote:\033[0m ab\n");
    check_line("\033[33mnote:\033[0m abc", 8, "\033[33mnote:\033[0m\n  abc\n");
}

/* Goal: a text that goes on behind another counts what is there already. */
static void test_start(void **state)
{
    (void)state;
    struct arena arena = {0};
    struct buffer out = buffer_new(&arena, BUFFER_LENGTH_MAX);
    wrap_text(&out, "failed: it said no", &(struct wrap){.width = 20, .start = 6, .indent = 6});
    assert_string_equal(buffer_string(&out), "failed: it\n      said no");
    arena_free(&arena);
}

/* Goal: no line is wider than asked for, and no word is lost. Method: every width of a text whose
 * longest word has 10 columns. */
static void test_every_width(void **state)
{
    (void)state;
    static const char text[] = "other programs are keeping this machine busy: expect intervals 12";
    for (ptrdiff_t width = 12; width < 80; width++) {
        struct arena arena = {0};
        struct buffer out = buffer_new(&arena, BUFFER_LENGTH_MAX);
        wrap_line(&out, text, width);
        char *rest = arena_strdup(&arena, buffer_string(&out));
        struct buffer joined = buffer_new(&arena, BUFFER_LENGTH_MAX);
        for (char *line = strtok(rest, "\n"); line != NULL; line = strtok(NULL, "\n")) {
            assert_true(text_columns(line) <= width);
            buffer_printf(&joined, "%s%s", joined.length > 0 ? " " : "", line + strspn(line, " "));
        }
        assert_string_equal(buffer_string(&joined), text);
        arena_free(&arena);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_breaks),      cmocka_unit_test(test_no_limit),
        cmocka_unit_test(test_gaps),        cmocka_unit_test(test_long_words),
        cmocka_unit_test(test_columns),     cmocka_unit_test(test_start),
        cmocka_unit_test(test_every_width),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
