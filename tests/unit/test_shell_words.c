/* test_shell_words.c: lines split as sh splits them; what needs a shell is refused by name and
 * place. */
#include "codec/shell_words.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

static struct arena arena;
static struct tare_error error;

static tare_status split(const char *line, struct shell_words *words)
{
    error_clear(&error);
    return shell_words_split(&arena, line, words, &error);
}

/* The words joined by '|', which no word here holds. */
static const char *joined(const char *line)
{
    struct shell_words words;
    if (split(line, &words) != TARE_OK) {
        return error.message;
    }
    char *text = arena_strdup(&arena, words.items[0]);
    for (ptrdiff_t i = 1; i < words.count; i++) {
        text = arena_printf(&arena, "%s|%s", text, words.items[i]);
    }
    assert_null(words.items[words.count]);
    return text;
}

/* Goal: quoting as in POSIX sh. Method: expected words checked against dash -c 'printf "%s|" …'. */
static void words_are_split(void **state)
{
    (void)state;
    assert_string_equal(joined("sort -k 2 file"), "sort|-k|2|file");
    assert_string_equal(joined("  a \t b  "), "a|b");
    assert_string_equal(joined("'a b'\"c d\"e\\ f"), "a bc de f");
    assert_string_equal(joined("x '' \"\""), "x||");
    assert_string_equal(joined("\"a\\\"b\\\\c\\n\""), "a\"b\\c\\n");
    assert_string_equal(joined("'a\\b$c`d*'"), "a\\b$c`d*");
    assert_string_equal(joined("\"\\$x\""), "$x");
    assert_string_equal(joined("a\\\nb \"c\\\nd\""), "ab|cd");
    assert_string_equal(joined("a'\n'b"), "a\nb");
    assert_string_equal(joined("\\$x \\* \\|"), "$x|*||");
    assert_string_equal(joined("grep -c a#b x=y a~"), "grep|-c|a#b|x=y|a~");
    assert_string_equal(joined("./x {n} --size={size}"), "./x|{n}|--size={size}");
    assert_string_equal(joined("[ -f x ]"), "[|-f|x|]");
    assert_string_equal(joined("'A=b' c"), "A=b|c");
}

/* Goal: each character only a shell understands is refused with its place and a word about --shell.
 */
static void shell_characters_are_refused(void **state)
{
    (void)state;
    static const char *const lines[] = {
        "a | b", "a & b", "a ; b", "a < b", "a > b",  "(a)  ", "a $x ",
        "a `b`", "a *  ", "a ?  ", "a [b]", "a \n b", "a #b ", "a ~/b",
    };
    for (size_t i = 0; i < sizeof lines / sizeof lines[0]; i++) {
        struct shell_words words;
        assert_int_equal(split(lines[i], &words), TARE_ERROR_USAGE);
        assert_int_equal(words.count, 0);
        assert_non_null(strstr(error.message, "--shell"));
        assert_non_null(strstr(error.message, i == 5 ? "character 1:" : "character 3:"));
    }
    assert_non_null(strstr(joined("echo \"$HOME\""), "even in double quotes"));
    assert_non_null(strstr(joined("A=b c"), "'A=b' before the command"));
    assert_non_null(strstr(joined("! a"), "needs a shell"));
    assert_non_null(strstr(joined("{ a"), "needs a shell"));
}

/* Goal: broken quoting is told with its place. */
static void broken_quotes_are_refused(void **state)
{
    (void)state;
    assert_non_null(strstr(joined("a 'b"), "single quote at character 3 is not closed"));
    assert_non_null(strstr(joined("a \"b\\"), "double quote at character 3 is not closed"));
    assert_non_null(strstr(joined("a\\"), "lone backslash"));
    assert_string_equal(joined(""), "the command is empty");
    assert_string_equal(joined(" \t "), "the command is empty");
}

/* Goal: the limits are errors. Method: one word and one byte too many. */
static void limits_are_errors(void **state)
{
    (void)state;
    size_t size = 2 * (SHELL_WORDS_MAX + 1);
    char *line = arena_alloc(&arena, (ptrdiff_t)size + 1, 1);
    for (size_t i = 0; i < size; i++) {
        line[i] = i % 2 == 0 ? 'a' : ' ';
    }
    assert_non_null(strstr(joined(line), "more than 4096 words"));
    char *long_line = arena_alloc(&arena, SHELL_LINE_BYTES_MAX + 2, 1);
    memset(long_line, 'x', SHELL_LINE_BYTES_MAX + 1);
    assert_non_null(strstr(joined(long_line), "longer than"));
    long_line[SHELL_LINE_BYTES_MAX] = '\0';
    assert_int_equal(strlen(joined(long_line)), SHELL_LINE_BYTES_MAX);
}

/* Goal: join gives a line that splits into the same words. */
static void join_is_the_inverse(void **state)
{
    (void)state;
    const char *const words[] = {"A=b",       "it's",      "",   "a b", "$x",
                                 "plain-1.5", "new\nline", "\\", NULL};
    struct shell_words again;
    assert_int_equal(split(shell_words_join(&arena, words), &again), TARE_OK);
    assert_int_equal(again.count, 8);
    for (int i = 0; i < 8; i++) {
        assert_string_equal(again.items[i], words[i]);
    }
    const char *const plain[] = {"sort", "-k", "2", NULL};
    assert_string_equal(shell_words_join(&arena, plain), "sort -k 2");
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
        cmocka_unit_test(words_are_split),           cmocka_unit_test(shell_characters_are_refused),
        cmocka_unit_test(broken_quotes_are_refused), cmocka_unit_test(limits_are_errors),
        cmocka_unit_test(join_is_the_inverse),
    };
    return cmocka_run_group_tests(tests, NULL, tear_down);
}
