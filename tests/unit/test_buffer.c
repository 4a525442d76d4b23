/* The buffer: grows, stays terminated, and stops at its limit without writing past it. */
#include "base/buffer.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

/* A fresh buffer is the empty text, not NULL. */
static void test_empty(void **state)
{
    (void)state;
    struct arena arena = {0};
    struct buffer buffer = buffer_new(&arena, 100);
    assert_string_equal(buffer_string(&buffer), "");
    buffer_append(&buffer, NULL, 0);
    assert_string_equal(buffer_string(&buffer), "");
    arena_free(&arena);
}

/* Each way to append adds exactly its text, and the end is always terminated. */
static void test_append(void **state)
{
    (void)state;
    struct arena arena = {0};
    struct buffer buffer = buffer_new(&arena, BUFFER_LENGTH_MAX);
    buffer_text(&buffer, "a");
    buffer_char(&buffer, 'b');
    buffer_append(&buffer, "cdXX", 2);
    buffer_printf(&buffer, "%d-%s", 42, "x");
    buffer_repeat(&buffer, "=", 3);
    buffer_repeat(&buffer, "never", 0);
    assert_string_equal(buffer_string(&buffer), "abcd42-x===");
    assert_int_equal(buffer.length, 11);
    assert_false(buffer.is_full);
    arena_free(&arena);
}

/* Formatted text around and beyond the internal 512 bytes arrives whole. */
static void test_long_printf(void **state)
{
    (void)state;
    struct arena arena = {0};
    for (int width = 510; width <= 514; width++) {
        struct buffer buffer = buffer_new(&arena, BUFFER_LENGTH_MAX);
        buffer_printf(&buffer, "%*s", width, "z");
        assert_int_equal(buffer.length, width);
        assert_int_equal(buffer.data[width - 1], 'z');
        assert_int_equal(buffer.data[width], '\0');
    }
    arena_free(&arena);
}

/* Exactly the limit is not full; one more byte is dropped and noted; later writes change nothing.
 */
static void test_limit(void **state)
{
    (void)state;
    struct arena arena = {0};
    struct buffer buffer = buffer_new(&arena, 4);
    buffer_text(&buffer, "abcd");
    assert_false(buffer.is_full);
    buffer_char(&buffer, 'e');
    assert_true(buffer.is_full);
    buffer_text(&buffer, "fgh");
    assert_string_equal(buffer_string(&buffer), "abcd");
    buffer_clear(&buffer);
    assert_false(buffer.is_full);
    assert_string_equal(buffer_string(&buffer), "");
    buffer_text(&buffer, "123456");
    assert_true(buffer.is_full);
    assert_string_equal(buffer_string(&buffer), "1234");
    arena_free(&arena);
}

/* Bytes of any value pass, NUL among them. */
static void test_binary(void **state)
{
    (void)state;
    struct arena arena = {0};
    struct buffer buffer = buffer_new(&arena, 1000);
    for (int i = 0; i < 256; i++) {
        buffer_char(&buffer, (char)i);
    }
    assert_int_equal(buffer.length, 256);
    for (int i = 0; i < 256; i++) {
        assert_int_equal((unsigned char)buffer.data[i], i);
    }
    arena_free(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_empty),       cmocka_unit_test(test_append),
        cmocka_unit_test(test_long_printf), cmocka_unit_test(test_limit),
        cmocka_unit_test(test_binary),
    };
    return cmocka_run_group_tests_name("buffer", tests, NULL, NULL);
}
