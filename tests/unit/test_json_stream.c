/* Goal: JSON of any size gives its tokens one by one, with positions; what is no JSON but is found
 * in result files (NaN, noise around it) is taken, and everything else is refused where it stands.
 * Method: literal texts, each read whole and byte by byte. */
#include "codec/json_stream.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static struct arena arena;
static struct tare_error error;
static struct import_memory memory;
static struct import_source source;
static struct json_stream *stream;

static int tear_down(void **state)
{
    (void)state;
    arena_free(&arena);
    return 0;
}

static void open_bytes(const char *text, ptrdiff_t length, ptrdiff_t step)
{
    error = (struct tare_error){0};
    memory = (struct import_memory){.bytes = text, .length = length, .step = step};
    source = import_source_memory(&memory, "file.json");
    stream = json_stream_new(&arena, &source);
}

static void open_text(const char *text, ptrdiff_t step)
{
    open_bytes(text, (ptrdiff_t)strlen(text), step);
}

/* Tokens as letters: { } [ ] k"text" "text" number t f n. */
static const char *tokens_of(const char *text, ptrdiff_t step)
{
    char *out = arena_strdup(&arena, "");
    open_text(text, step);
    tare_status status = json_stream_next(stream, &error);
    while (status == TARE_OK && stream->event != JSON_EVENT_NONE) {
        static const char *const names[] = {"", "{", "}", "[", "]", "", "", "", "t", "f", "n"};
        switch (stream->event) {
        case JSON_EVENT_KEY:
            out = arena_printf(&arena, "%sk\"%s\" ", out, stream->text);
            break;
        case JSON_EVENT_TEXT:
            out = arena_printf(&arena, "%s\"%s\" ", out, stream->text);
            break;
        case JSON_EVENT_NUMBER:
            out = arena_printf(&arena, "%s%.17g ", out, stream->number);
            break;
        default:
            out = arena_printf(&arena, "%s%s ", out, names[stream->event]);
            break;
        }
        status = json_stream_next(stream, &error);
    }
    return status == TARE_OK ? out : arena_printf(&arena, "%s! %s", out, error.message);
}

static void assert_tokens(const char *text, const char *expected)
{
    assert_string_equal(tokens_of(text, 0), expected);
    assert_string_equal(tokens_of(text, 1), expected);
}

/* The error holds this, whatever stands before it. */
static void assert_refused(const char *text, const char *part)
{
    for (ptrdiff_t step = 0; step < 2; step++) {
        const char *tokens = tokens_of(text, step);
        if (strstr(tokens, part) == NULL) {
            fail_msg("'%s' is not in '%s'", part, tokens);
        }
    }
}

static void test_tokens(void **state)
{
    (void)state;
    assert_tokens("{\"a\": [1, -2.5e3, true, false, null], \"b\": {}}",
                  "{ k\"a\" [ 1 -2500 t f n ] k\"b\" { } } ");
    assert_tokens("  [ ]\n", "[ ] ");
    assert_tokens("\"alone\"", "\"alone\" ");
    assert_tokens("[[[]],[{}]]", "[ [ [ ] ] [ { } ] ] ");
}

static void test_not_finite(void **state)
{
    (void)state;
    assert_tokens("[NaN, -NaN, nan, Infinity, -Infinity, inf, 1e999, -1e999]",
                  "[ nan nan nan inf -inf inf inf -inf ] ");
}

static void test_numbers_are_exact(void **state)
{
    (void)state;
    assert_tokens("[0.1, 2.1498980114547953e+02, 5e-324, 9007199254740993]",
                  "[ 0.10000000000000001 214.98980114547953 4.9406564584124654e-324 "
                  "9007199254740992 ] ");
}

static void test_escapes(void **state)
{
    (void)state;
    assert_tokens("[\"a\\\"\\\\\\/\\n\\u00e9\\ud83d\\ude00\"]",
                  "[ \"a\"\\/\n\xc3\xa9\xf0\x9f\x98\x80\" ] ");
    /* Half a pair and NUL become U+FFFD, and take nothing with them. */
    assert_tokens("[\"\\ud800x\", \"\\ud800\\n\", \"\\ud800\\ud800\\udc00\", \"\\u0000\"]",
                  "[ \"\xef\xbf\xbdx\" \"\xef\xbf\xbd\n\" \"\xef\xbf\xbd\xf0\x90\x80\x80\" "
                  "\"\xef\xbf\xbd\" ] ");
    assert_refused("[\"\\q\"]", "file.json:1:4 (byte 3): 'q' where an escape");
    assert_refused("[\"\\u12x4\"]", "'x' where a hexadecimal digit");
}

static void test_positions(void **state)
{
    (void)state;
    assert_refused("{\"a\": 1,\n  \"b\" 2}", "file.json:2:7 (byte 15): '2' where ':' should stand");
    assert_refused("[1 2]", "file.json:1:4 (byte 3): '2' where ',' or ']' should stand");
    assert_refused("[1,]", "']' where a value should stand");
    assert_refused("{\"a\":1,}", "'}' where a key in quotes should stand");
    assert_refused("[1]]", "']' where the end of the file should stand");
    assert_refused("[\n\n\nnil]", "file.json:4:1 (byte 4): 'nil' is no value");
    assert_refused("{\"a\\u0001\": \x01}", "byte 0x01 where a value should stand");
}

static void test_cut_off(void **state)
{
    (void)state;
    static const char whole[] = "{\"a\": [1, \"two\", {\"b\": null}]}";
    for (size_t length = 1; length < sizeof whole - 1; length++) {
        const char *text = arena_strndup(&arena, whole, (ptrdiff_t)length);
        assert_refused(text, "file.json:1:");
        if (text[length - 1] != '1' && text[length - 1] != 'l' && text[length - 1] != 'u' &&
            text[length - 1] != 'n') { /* else a word that is cut is no word */
            assert_refused(text, "it was cut off");
        }
    }
}

static void test_bad_numbers(void **state)
{
    (void)state;
    static const char *const bad[] = {"1.",   "1e",    "1e+", "-", "1.2.3",
                                      "0x10", "1_000", "--1", "-x"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        assert_refused(arena_printf(&arena, "[%s]", bad[i]), "is no value of JSON");
    }
    assert_refused("[+1]", "'+' where a value");
    assert_refused("[.5]", "'.' where a value");
}

static void test_keys_twice(void **state)
{
    (void)state;
    assert_refused("{\"a\": 1, \"b\": {\"a\": 2}, \"a\": 3}", "key \"a\" is there twice");
    assert_tokens("[{\"a\": 1}, {\"a\": 2}]", "[ { k\"a\" 1 } { k\"a\" 2 } ] ");
}

static void test_limits(void **state)
{
    (void)state;
    char *deep = ARENA_ARRAY(&arena, char, JSON_STREAM_DEPTH_MAX + 2);
    memset(deep, '[', JSON_STREAM_DEPTH_MAX + 1);
    assert_refused(deep, "nested deeper than 64 levels");
    ptrdiff_t length = JSON_STREAM_TEXT_BYTES_MAX + 100;
    char *text = ARENA_ARRAY(&arena, char, length + 3);
    memset(text, 'x', (size_t)length);
    text[0] = '"';
    open_bytes(text, length, 0);
    assert_int_equal(json_stream_next(stream, &error), TARE_ERROR_MEASURE);
    assert_non_null(strstr(error.message, "a text longer than"));
    memset(text, '1', (size_t)length);
    open_bytes(text, length, 0);
    assert_int_equal(json_stream_next(stream, &error), TARE_ERROR_MEASURE);
    assert_non_null(strstr(error.message, "a number longer than"));
}

static void test_line_ends_text(void **state)
{
    (void)state;
    assert_refused("[\"a\nb\"]", "byte 0x0a where the end of the text");
    assert_tokens("[\"a\tb\"]", "[ \"a\tb\" ] ");
}

static void test_noise(void **state)
{
    (void)state;
    static const char text[] = "\xef\xbb\xbfRunning ./bench\n[INFO] {ready}\n{not json}\n  {\n"
                               "\"a\": 1}\ntrailing ]\n[2]\nbye";
    for (ptrdiff_t step = 0; step < 2; step++) {
        open_text(text, step);
        bool is_found = false;
        assert_int_equal(json_stream_find(stream, &is_found, &error), TARE_OK);
        assert_true(is_found);
        assert_int_equal(source.line, 4);
        assert_int_equal(source.column, 3);
        for (int i = 0; i < 4; i++) {
            assert_int_equal(json_stream_next(stream, &error), TARE_OK);
        }
        assert_int_equal(stream->event, JSON_EVENT_OBJECT_END);
        assert_int_equal(json_stream_find(stream, &is_found, &error), TARE_OK);
        assert_true(is_found);
        assert_int_equal(json_stream_next(stream, &error), TARE_OK);
        assert_int_equal(stream->event, JSON_EVENT_ARRAY);
        assert_int_equal(json_stream_next(stream, &error), TARE_OK);
        assert_true(stream->number == 2);
        assert_int_equal(json_stream_next(stream, &error), TARE_OK);
        assert_int_equal(json_stream_find(stream, &is_found, &error), TARE_OK);
        assert_false(is_found);
    }
}

static void test_mark_on_first_line(void **state)
{
    (void)state;
    open_text("\xef\xbb\xbf{}", 0);
    bool is_found = false;
    assert_int_equal(json_stream_find(stream, &is_found, &error), TARE_OK);
    assert_true(is_found);
}

static void test_steps(void **state)
{
    (void)state;
    open_text("{\"skip\": {\"x\": [1, {}]}, \"text\": \"t\", \"none\": null, \"wrong\": 5}", 0);
    tare_status status = json_stream_next(stream, &error);
    const char *text = "before";
    assert_true(json_stream_key(stream, &status, &error));
    assert_int_equal(json_stream_skip(stream, &error), TARE_OK);
    assert_true(json_stream_key(stream, &status, &error));
    assert_true(json_stream_is_key(stream, "text"));
    assert_int_equal(json_stream_text(stream, &arena, &text, &error), TARE_OK);
    assert_string_equal(text, "t");
    assert_true(json_stream_key(stream, &status, &error));
    assert_int_equal(json_stream_text(stream, &arena, &text, &error), TARE_OK);
    assert_string_equal(text, "t");
    assert_true(json_stream_key(stream, &status, &error));
    assert_int_equal(json_stream_text(stream, &arena, &text, &error), TARE_ERROR_MEASURE);
    assert_non_null(strstr(error.message, "the number '5' of \"wrong\", where a text"));
}

static tare_status failing_read(struct import_source *from, char *bytes, ptrdiff_t capacity,
                                ptrdiff_t *length, struct tare_error *problem)
{
    (void)from;
    (void)bytes;
    (void)capacity;
    (void)length;
    return error_set(problem, TARE_ERROR_IO, "disk gone");
}

static void test_failed_read(void **state)
{
    (void)state;
    open_text("{\"a\"", 0);
    assert_int_equal(json_stream_next(stream, &error), TARE_OK);
    source.read = failing_read;
    assert_int_equal(json_stream_next(stream, &error), TARE_ERROR_IO);
    assert_string_equal(error.message, "disk gone");
}

static void test_lines(void **state)
{
    (void)state;
    for (ptrdiff_t step = 0; step < 2; step++) {
        open_text("\xef\xbb\xbf"
                  "a\r\n\nlast",
                  step);
        struct import_lines lines = import_lines_new(&arena, &source);
        static const char *const expected[] = {"a", "", "last"};
        tare_status status = TARE_OK;
        for (int i = 0; i < 3; i++) {
            assert_true(import_lines_next(&lines, &status, &error));
            assert_string_equal(lines.text, expected[i]);
            assert_int_equal(source.line, i + 1);
        }
        assert_false(import_lines_next(&lines, &status, &error));
        assert_int_equal(status, TARE_OK);
    }
    open_bytes("a\0b\n", 4, 0);
    struct import_lines lines = import_lines_new(&arena, &source);
    tare_status status = TARE_OK;
    assert_false(import_lines_next(&lines, &status, &error));
    assert_int_equal(status, TARE_ERROR_MEASURE);
    char *text = ARENA_ARRAY(&arena, char, IMPORT_LINE_BYTES_MAX + 2);
    memset(text, 'x', IMPORT_LINE_BYTES_MAX + 1);
    open_bytes(text, IMPORT_LINE_BYTES_MAX + 1, 0);
    lines = import_lines_new(&arena, &source);
    assert_false(import_lines_next(&lines, &status, &error));
    assert_non_null(strstr(error.message, "a line longer than"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(test_tokens, tear_down),
        cmocka_unit_test_teardown(test_not_finite, tear_down),
        cmocka_unit_test_teardown(test_numbers_are_exact, tear_down),
        cmocka_unit_test_teardown(test_escapes, tear_down),
        cmocka_unit_test_teardown(test_positions, tear_down),
        cmocka_unit_test_teardown(test_cut_off, tear_down),
        cmocka_unit_test_teardown(test_bad_numbers, tear_down),
        cmocka_unit_test_teardown(test_keys_twice, tear_down),
        cmocka_unit_test_teardown(test_limits, tear_down),
        cmocka_unit_test_teardown(test_line_ends_text, tear_down),
        cmocka_unit_test_teardown(test_noise, tear_down),
        cmocka_unit_test_teardown(test_mark_on_first_line, tear_down),
        cmocka_unit_test_teardown(test_steps, tear_down),
        cmocka_unit_test_teardown(test_failed_read, tear_down),
        cmocka_unit_test_teardown(test_lines, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
