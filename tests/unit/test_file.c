/* test_file.c: files are read within their limit and replaced as a whole; programs are found as a
 * shell finds them. */
#include "os/file.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

static struct arena arena;
static struct tare_error error;
static char folder[] = "/tmp/tare-test-file-XXXXXX";

static const char *in_folder(const char *name)
{
    return arena_printf(&arena, "%s/%s", folder, name);
}

static void put(const char *path, const char *text)
{
    error_clear(&error);
    assert_int_equal(file_write(path, text, (ptrdiff_t)strlen(text), &error), TARE_OK);
}

/* Goal: what was written is read, exactly. Method: bytes with NUL, an empty file, a replaced one.
 */
static void round_trip(void **state)
{
    (void)state;
    char *content = NULL;
    ptrdiff_t length = -1;
    const char *path = in_folder("round");
    assert_int_equal(file_write(path, "a\0b", 3, &error), TARE_OK);
    assert_int_equal(file_read(&arena, path, 100, &content, &length, &error), TARE_OK);
    assert_int_equal(length, 3);
    assert_memory_equal(content, "a\0b\0", 4);
    put(path, "");
    assert_int_equal(file_read(&arena, path, 100, &content, &length, &error), TARE_OK);
    assert_int_equal(length, 0);
    assert_string_equal(content, "");
}

/* Goal: the limit is exact and its breach an error. Method: a file of the limit and one byte more.
 */
static void limit_is_exact(void **state)
{
    (void)state;
    char *content = NULL;
    ptrdiff_t length = -1;
    put(in_folder("limit"), "12345");
    error_clear(&error);
    assert_int_equal(file_read(&arena, in_folder("limit"), 5, &content, &length, &error), TARE_OK);
    assert_int_equal(file_read(&arena, in_folder("limit"), 4, &content, &length, &error),
                     TARE_ERROR_IO);
    assert_non_null(strstr(error.message, "larger than the limit of 4 bytes"));
}

/* Goal: reading fails with the name and the reason. Method: nothing there, and a folder. */
static void read_failures_are_named(void **state)
{
    (void)state;
    char *content = NULL;
    ptrdiff_t length = -1;
    error_clear(&error);
    assert_int_equal(file_read(&arena, "/no/such/file", 4, &content, &length, &error),
                     TARE_ERROR_IO);
    assert_string_equal(error.message, "cannot open /no/such/file: No such file or directory");
    error_clear(&error);
    assert_int_equal(file_read(&arena, folder, 4, &content, &length, &error), TARE_ERROR_IO);
    assert_non_null(strstr(error.message, "Is a directory"));
    assert_null(file_read_line(&arena, "/no/such/file"));
}

/* Goal: a failed write leaves the old file and no temporary one; a link and a mode survive. */
static void write_replaces_or_leaves(void **state)
{
    (void)state;
    struct stat status;
    put(in_folder("target"), "old");
    assert_int_equal(chmod(in_folder("target"), 0640), 0);
    assert_int_equal(symlink(in_folder("target"), in_folder("link")), 0);
    put(in_folder("link"), "new");
    assert_string_equal(file_read_line(&arena, in_folder("target")), "new");
    assert_int_equal(lstat(in_folder("link"), &status), 0);
    assert_true(S_ISLNK(status.st_mode));
    assert_int_equal(stat(in_folder("target"), &status), 0);
    assert_int_equal(status.st_mode & 07777, 0640);
    error_clear(&error);
    assert_int_equal(file_write(in_folder("none/x"), "x", 1, &error), TARE_ERROR_IO);
    assert_non_null(strstr(error.message, "none/x: No such file"));
    error_clear(&error);
    assert_int_equal(file_write(folder, "x", 1, &error), TARE_ERROR_IO);
    assert_non_null(strstr(error.message, "is a directory"));
    error_clear(&error);
    assert_int_equal(file_write("/dev/full", "x", 1, &error), TARE_ERROR_IO);
    assert_non_null(strstr(error.message, "No space left"));
}

/* Goal: folders are made with their parents, existing ones are fine, a file in the way is an error.
 */
static void directories_are_made(void **state)
{
    (void)state;
    error_clear(&error);
    assert_int_equal(file_make_directories(in_folder("a/b/c"), &error), TARE_OK);
    assert_int_equal(file_make_directories(in_folder("a/b/c/"), &error), TARE_OK);
    assert_true(file_is_directory(in_folder("a/b/c")));
    put(in_folder("a/file"), "");
    assert_int_equal(file_make_directories(in_folder("a/file/d"), &error), TARE_ERROR_IO);
    assert_true(file_exists(in_folder("a/file")));
    assert_false(file_is_directory(in_folder("a/file")));
    assert_false(file_exists(in_folder("a/none")));
}

/* Goal: programs are found in PATH order, only executable regular files. Method: a PATH of our own.
 */
static void programs_are_found(void **state)
{
    (void)state;
    char *saved = arena_strdup(&arena, getenv("PATH"));
    error_clear(&error);
    assert_int_equal(file_make_directories(in_folder("bin1/tool"), &error), TARE_OK);
    assert_int_equal(file_make_directories(in_folder("bin2"), &error), TARE_OK);
    put(in_folder("bin1/plain"), "x");
    put(in_folder("bin2/tool"), "x");
    assert_int_equal(chmod(in_folder("bin2/tool"), 0755), 0);
    setenv("PATH", arena_printf(&arena, "%s:%s", in_folder("bin1"), in_folder("bin2")), 1);
    assert_string_equal(file_find_program(&arena, "tool"), in_folder("bin2/tool"));
    assert_null(file_find_program(&arena, "plain"));
    assert_null(file_find_program(&arena, "none"));
    assert_null(file_find_program(&arena, ""));
    assert_string_equal(file_find_program(&arena, in_folder("bin2/tool")), in_folder("bin2/tool"));
    setenv("PATH", saved, 1);
}

/* Goal: this program's own folder holds this program. */
static void own_directory(void **state)
{
    (void)state;
    assert_true(file_is_directory(file_own_directory(&arena)));
    assert_int_equal(file_current_directory(&arena)[0], '/');
    assert_true(file_exists(arena_printf(&arena, "%s/test_file", file_own_directory(&arena))));
}

static int set_up(void **state)
{
    (void)state;
    return mkdtemp(folder) != NULL ? 0 : -1;
}

static int tear_down(void **state)
{
    (void)state;
    int result = system(arena_printf(&arena, "rm -rf '%s'", folder));
    arena_free(&arena);
    return result;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(round_trip),
        cmocka_unit_test(limit_is_exact),
        cmocka_unit_test(read_failures_are_named),
        cmocka_unit_test(write_replaces_or_leaves),
        cmocka_unit_test(directories_are_made),
        cmocka_unit_test(programs_are_found),
        cmocka_unit_test(own_directory),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
