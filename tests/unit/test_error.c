/* Errors: the first one wins, long messages are cut between characters, reasons of the system
 * survive. */
#include "base/error.h"
#include "base/text.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

/* The first message stays; every call returns its own status. */
static void test_first_wins(void **state)
{
    (void)state;
    struct tare_error error = {0};
    assert_int_equal(error_set(&error, TARE_ERROR_IO, "disk %d", 1), TARE_ERROR_IO);
    assert_int_equal(error_set(&error, TARE_ERROR_USAGE, "later"), TARE_ERROR_USAGE);
    assert_int_equal(error_set_errno(&error, TARE_ERROR_USAGE, ENOENT, "later"), TARE_ERROR_USAGE);
    assert_int_equal(error.status, TARE_ERROR_IO);
    assert_string_equal(error.message, "disk 1");
    error_clear(&error);
    assert_int_equal(error.status, TARE_OK);
    error_set(&error, TARE_ERROR_USAGE, "fresh");
    assert_string_equal(error.message, "fresh");
}

/* NULL is allowed everywhere. */
static void test_null(void **state)
{
    (void)state;
    assert_int_equal(error_set(NULL, TARE_ERROR_IO, "x"), TARE_ERROR_IO);
    assert_int_equal(error_set_errno(NULL, TARE_ERROR_IO, EIO, "x"), TARE_ERROR_IO);
    error_clear(NULL);
}

/* At every alignment of a text of three-byte characters, a cut message is whole UTF-8 that ends in
 * "…". */
static void test_cut_between_characters(void **state)
{
    (void)state;
    for (int shift = 0; shift < 6; shift++) {
        char text[4096] = "";
        memset(text, 'a', (size_t)shift);
        for (int i = 0; i < 600; i++) {
            strcat(text, i % 2 == 0 ? "€" : "😀");
        }
        struct tare_error error = {0};
        error_set(&error, TARE_ERROR_IO, "%s", text);
        size_t length = strlen(error.message);
        assert_true(length < ERROR_MESSAGE_MAX && length > ERROR_MESSAGE_MAX - 10);
        assert_true(text_is_utf8(error.message, (ptrdiff_t)length));
        assert_string_equal(error.message + length - strlen("…"), "…");
    }
}

/* A message that just fits is not cut; one byte more is. */
static void test_cut_edge(void **state)
{
    (void)state;
    struct tare_error error = {0};
    error_set(&error, TARE_ERROR_IO, "%*s", ERROR_MESSAGE_MAX - 1, "x");
    assert_int_equal(strlen(error.message), ERROR_MESSAGE_MAX - 1);
    assert_int_equal(error.message[ERROR_MESSAGE_MAX - 2], 'x');
    error_clear(&error);
    error_set(&error, TARE_ERROR_IO, "%*s", ERROR_MESSAGE_MAX, "x");
    assert_non_null(strstr(error.message, "…"));
}

/* The system's reason is there in full, behind short and behind overlong messages. */
static void test_errno(void **state)
{
    (void)state;
    struct tare_error error = {0};
    error_set_errno(&error, TARE_ERROR_IO, ENOSPC, "cannot write %s", "f");
    assert_string_equal(error.message, "cannot write f: No space left on device");
    error_clear(&error);
    error_set_errno(&error, TARE_ERROR_IO, ENOSPC, "%*s", 5000, "x");
    size_t length = strlen(error.message);
    static const char tail[] = "…: No space left on device";
    assert_true(length < ERROR_MESSAGE_MAX);
    assert_string_equal(error.message + length - strlen(tail), tail);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_first_wins),
        cmocka_unit_test(test_null),
        cmocka_unit_test(test_cut_between_characters),
        cmocka_unit_test(test_cut_edge),
        cmocka_unit_test(test_errno),
    };
    return cmocka_run_group_tests_name("error", tests, NULL, NULL);
}
