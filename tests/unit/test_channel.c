/* test_channel.c: lines come whole or not at all, and no wait is endless. */
#include "os/channel.h"
#include "os/interrupt.h"
#include "os/process.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

enum { LINE_MAX_BYTES = 1000 };

/* A channel whose other ends stay in the test's hands. */
struct pair {
    struct arena arena;
    struct channel channel;
    int their_write;
    int their_read;
};

static struct pair pair_open(void)
{
    struct pair pair = {0};
    int towards_us[2];
    int towards_them[2];
    struct tare_error error = {0};
    assert_int_equal(process_pipe(towards_us, &error), TARE_OK);
    assert_int_equal(process_pipe(towards_them, &error), TARE_OK);
    pair.channel = channel_new(NULL, towards_us[0], towards_them[1], LINE_MAX_BYTES);
    pair.their_write = towards_us[1];
    pair.their_read = towards_them[0];
    return pair;
}

/* The arena's address is known only where the pair lives. */
static void pair_use(struct pair *pair)
{
    pair->channel.pending.arena = &pair->arena;
}

static void pair_close(struct pair *pair)
{
    channel_close(&pair->channel);
    if (pair->their_write >= 0) {
        close(pair->their_write);
    }
    if (pair->their_read >= 0) {
        close(pair->their_read);
    }
    arena_free(&pair->arena);
}

static void put(struct pair *pair, const char *text)
{
    assert_int_equal(write(pair->their_write, text, strlen(text)), strlen(text));
}

/* Goal: lines are split at newlines wherever the writes were. Method: halves and several in one
 * write. */
static void lines_are_put_together(void **state)
{
    (void)state;
    struct pair pair = pair_open();
    pair_use(&pair);
    const char *line = NULL;
    put(&pair, "one\ntwo\n\nthr");
    assert_int_equal(channel_read_line(&pair.channel, 1e9, &line), CHANNEL_LINE);
    assert_string_equal(line, "one");
    assert_int_equal(channel_read_line(&pair.channel, 1e9, &line), CHANNEL_LINE);
    assert_string_equal(line, "two");
    assert_int_equal(channel_read_line(&pair.channel, 1e9, &line), CHANNEL_LINE);
    assert_string_equal(line, "");
    assert_int_equal(channel_read_line(&pair.channel, 1e6, &line), CHANNEL_TIMEOUT);
    put(&pair, "ee\n");
    assert_int_equal(channel_read_line(&pair.channel, 1e9, &line), CHANNEL_LINE);
    assert_string_equal(line, "three");
    pair_close(&pair);
}

/* Goal: half a line at the end is no line. Method: close after half of it. */
static void half_a_line_is_not_handed_out(void **state)
{
    (void)state;
    struct pair pair = pair_open();
    pair_use(&pair);
    const char *line = NULL;
    put(&pair, "whole\nhalf");
    close(pair.their_write);
    pair.their_write = -1;
    assert_int_equal(channel_read_line(&pair.channel, 1e9, &line), CHANNEL_LINE);
    assert_int_equal(channel_read_line(&pair.channel, 1e9, &line), CHANNEL_CLOSED);
    assert_int_equal(channel_read_line(&pair.channel, 1e9, &line), CHANNEL_CLOSED);
    pair_close(&pair);
}

/* Goal: a line of the limit passes, one byte more does not, with or without its newline, and many
 * short lines never reach the limit. Method: lines of those lengths. */
static void long_lines_are_refused(void **state)
{
    (void)state;
    char text[LINE_MAX_BYTES + 3];
    memset(text, 'x', sizeof text);
    struct pair pair = pair_open();
    pair_use(&pair);
    const char *line = NULL;
    text[LINE_MAX_BYTES] = '\n';
    text[LINE_MAX_BYTES + 1] = '\0';
    for (int i = 0; i < 500; i++) {
        put(&pair, text);
        assert_int_equal(channel_read_line(&pair.channel, 1e9, &line), CHANNEL_LINE);
        assert_int_equal(strlen(line), LINE_MAX_BYTES);
    }
    text[LINE_MAX_BYTES] = 'x';
    text[LINE_MAX_BYTES + 1] = '\n';
    text[LINE_MAX_BYTES + 2] = '\0';
    put(&pair, text);
    assert_int_equal(channel_read_line(&pair.channel, 1e9, &line), CHANNEL_TOO_LONG);
    text[LINE_MAX_BYTES + 1] = '\0';
    put(&pair, text);
    assert_int_equal(channel_read_line(&pair.channel, 1e9, &line), CHANNEL_TOO_LONG);
    pair_close(&pair);
}

/* Goal: a NUL inside a line cannot hide the rest. Method: its length is told. */
static void a_nul_is_visible_in_the_length(void **state)
{
    (void)state;
    struct pair pair = pair_open();
    pair_use(&pair);
    const char *line = NULL;
    assert_int_equal(write(pair.their_write, "a\0b\n", 4), 4);
    assert_int_equal(channel_read_line(&pair.channel, 1e9, &line), CHANNEL_LINE);
    assert_int_equal(pair.channel.line_length, 3);
    pair_close(&pair);
}

/* Goal: a reader that is gone or does not read cannot hang or kill us. Method: fill the pipe; close
 * it. */
static void writes_end(void **state)
{
    (void)state;
    struct pair pair = pair_open();
    pair_use(&pair);
    char *text = arena_alloc(&pair.arena, 300001, 1);
    memset(text, 'y', 300000);
    assert_int_equal(channel_write(&pair.channel, "short\n", 1e9), CHANNEL_LINE);
    assert_int_equal(channel_write(&pair.channel, text, 5e6), CHANNEL_TIMEOUT);
    close(pair.their_read);
    assert_int_equal(channel_write(&pair.channel, "x\n", 1e9), CHANNEL_CLOSED);
    pair.their_read = -1;
    pair_close(&pair);
}

/* Goal: a dead child ends a read although its own child keeps the pipe open. Method: just that. */
static void the_end_of_the_child_ends_a_read(void **state)
{
    (void)state;
    struct pair pair = pair_open();
    pair_use(&pair);
    const char *const argv[] = {"sh", "-c", "echo last; sleep 1000 & exit 0", NULL};
    struct process_spec spec = {
        .argv = argv, .stdin_fd = -1, .stdout_fd = pair.their_write, .stderr_fd = -1, .cpu = -1};
    struct process process;
    struct process_usage usage;
    struct tare_error error = {0};
    assert_int_equal(process_start(&spec, &process, &error), TARE_OK);
    pair.channel.pidfd = process.pidfd;
    const char *line = NULL;
    assert_int_equal(channel_read_line(&pair.channel, 0, &line), CHANNEL_LINE);
    assert_string_equal(line, "last");
    assert_int_equal(channel_read_line(&pair.channel, 0, &line), CHANNEL_CLOSED);
    assert_int_equal(process_wait(&process, 0, &usage, &error), TARE_OK);
    pair_close(&pair);
}

/* Goal: Ctrl-C ends a read. Method: the flag is set. */
static void an_interrupt_ends_a_read(void **state)
{
    (void)state;
    struct pair pair = pair_open();
    pair_use(&pair);
    const char *line = NULL;
    interrupt_set(true);
    assert_int_equal(channel_read_line(&pair.channel, 0, &line), CHANNEL_INTERRUPTED);
    interrupt_set(false);
    pair_close(&pair);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lines_are_put_together),
        cmocka_unit_test(half_a_line_is_not_handed_out),
        cmocka_unit_test(long_lines_are_refused),
        cmocka_unit_test(a_nul_is_visible_in_the_length),
        cmocka_unit_test(writes_end),
        cmocka_unit_test(the_end_of_the_child_ends_a_read),
        cmocka_unit_test(an_interrupt_ends_a_read),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
