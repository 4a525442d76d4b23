/* Goal: a file from outside is read in pieces and again, a change meanwhile is found, a pipe is
 * read to its end first, and a folder's files are listed. Method: files in a temporary folder. */
#include "os/file.h"
#include "os/folder.h"
#include "os/input.h"

#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

static struct arena arena;
static struct tare_error error;
static char *folder;

static int set_up(void **state)
{
    (void)state;
    error = (struct tare_error){0};
    return file_temporary_directory(&arena, "tare-input", &folder, &error) == TARE_OK ? 0 : -1;
}

static int tear_down(void **state)
{
    (void)state;
    folder_remove(folder, NULL);
    arena_free(&arena);
    return 0;
}

static const char *make_file(const char *name, const char *text)
{
    const char *path = arena_printf(&arena, "%s/%s", folder, name);
    assert_int_equal(file_write(path, text, (ptrdiff_t)strlen(text), &error), TARE_OK);
    return path;
}

static void assert_content(struct input *input, const char *expected)
{
    char bytes[64] = "";
    ptrdiff_t total = 0;
    ptrdiff_t length = 1;
    while (length > 0) {
        assert_int_equal(input_read(input, bytes + total, 3, &length, &error), TARE_OK);
        total += length;
    }
    assert_string_equal(bytes, expected);
}

static void test_read_again(void **state)
{
    (void)state;
    struct input input;
    assert_int_equal(input_open(make_file("a", "content"), &input, &error), TARE_OK);
    assert_content(&input, "content");
    assert_int_equal(input_rewind(&input, &error), TARE_OK);
    assert_content(&input, "content");
    assert_int_equal(input_check_unchanged(&input, &error), TARE_OK);
    input_close(&input);
}

static void test_change_is_found(void **state)
{
    (void)state;
    struct input input;
    const char *path = make_file("a", "content");
    assert_int_equal(input_open(path, &input, &error), TARE_OK);
    int fd = open(path, O_WRONLY | O_APPEND);
    assert_int_equal(write(fd, "more", 4), 4);
    close(fd);
    assert_int_equal(input_check_unchanged(&input, &error), TARE_ERROR_MEASURE);
    assert_non_null(strstr(error.message, "changed while it was read"));
    input_close(&input);
    /* The same size, another time. */
    error = (struct tare_error){0};
    assert_int_equal(input_open(path, &input, &error), TARE_OK);
    const struct timespec times[2] = {{.tv_sec = 1}, {.tv_sec = 1}};
    assert_int_equal(utimensat(AT_FDCWD, path, times, 0), 0);
    assert_int_equal(input_check_unchanged(&input, &error), TARE_ERROR_MEASURE);
    input_close(&input);
}

static void test_pipe_is_copied(void **state)
{
    (void)state;
    struct input input;
    int ends[2];
    assert_int_equal(pipe(ends), 0);
    assert_int_equal(write(ends[1], "piped", 5), 5);
    close(ends[1]);
    const char *path = arena_printf(&arena, "/proc/self/fd/%d", ends[0]);
    assert_int_equal(input_open(path, &input, &error), TARE_OK);
    close(ends[0]);
    assert_content(&input, "piped");
    assert_int_equal(input_rewind(&input, &error), TARE_OK);
    assert_content(&input, "piped");
    assert_int_equal(input_check_unchanged(&input, &error), TARE_OK);
    input_close(&input);
}

static void test_what_cannot_be_read(void **state)
{
    (void)state;
    struct input input;
    assert_int_equal(input_open(folder, &input, &error), TARE_ERROR_IO);
    assert_non_null(strstr(error.message, "is a directory"));
    error = (struct tare_error){0};
    assert_int_equal(input_open(arena_printf(&arena, "%s/none", folder), &input, &error),
                     TARE_ERROR_IO);
    assert_non_null(strstr(error.message, "/none"));
}

static void test_list(void **state)
{
    (void)state;
    assert_int_equal(mkdir(arena_printf(&arena, "%s/sub", folder), 0777), 0);
    make_file("sub/b", "");
    make_file("a", "");
    make_file(".hidden", "");
    assert_int_equal(symlink("..", arena_printf(&arena, "%s/sub/loop", folder)), 0);
    struct input_files files;
    assert_int_equal(input_list(&arena, arena_printf(&arena, "%s/", folder), &files, &error),
                     TARE_OK);
    assert_int_equal(files.count, 2);
    assert_string_equal(files.paths[0], arena_printf(&arena, "%s/a", folder));
    assert_string_equal(files.paths[1], arena_printf(&arena, "%s/sub/b", folder));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_read_again, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_change_is_found, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_pipe_is_copied, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_what_cannot_be_read, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_list, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
