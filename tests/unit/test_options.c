/* Options: each kind in each way it can be written, where options end, and messages that help. */
#include "cli/command.h"
#include "cli/options.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

struct test_options {
    struct common_options common;
    const char *name;
    struct text_list params;
    double runs;
    double budget_ns;
    double size_bytes;
    double precision;
    bool shell;
};

static const struct option table[] = {
    {"name", 'n', OPTION_TEXT, offsetof(struct test_options, name), "NAME", "name"},
    {"param", 'P', OPTION_LIST, offsetof(struct test_options, params), "P", "parameter"},
    {"runs", 'r', OPTION_COUNT, offsetof(struct test_options, runs), "N", "runs"},
    {"budget", 0, OPTION_TIME, offsetof(struct test_options, budget_ns), "TIME", "budget"},
    {"size", 0, OPTION_SIZE, offsetof(struct test_options, size_bytes), "SIZE", "size"},
    {"precision", 0, OPTION_RATIO, offsetof(struct test_options, precision), "SHARE", "precision"},
    {"shell", 0, OPTION_FLAG, offsetof(struct test_options, shell), NULL, "shell"},
    {NULL, 0, OPTION_FLAG, 0, NULL, NULL},
};

static struct arena arena;
static struct tare_error error;
static struct test_options options;
static struct option_result result;

/* Words separated by blanks; the first stands for the command's name. */
static tare_status parse(const char *line, bool stop_at_operand)
{
    char *words[64] = {NULL};
    int count = 0;
    char *copy = arena_strdup(&arena, line);
    for (char *word = strtok(copy, " "); word != NULL; word = strtok(NULL, " ")) {
        words[count++] = word;
    }
    options = (struct test_options){0};
    error_clear(&error);
    const struct option_request request = {.table = table,
                                           .options = &options,
                                           .argc = count,
                                           .argv = words,
                                           .stop_at_operand = stop_at_operand};
    return options_parse(&arena, &request, &result, &error);
}

/* Long options with "=", and with the value behind; every kind; the last one wins; lists collect.
 */
static void test_long(void **state)
{
    (void)state;
    assert_int_equal(
        parse("run --name=a=b --runs 10k --budget=1.5s --size 64k --precision 2% --shell "
              "--json --param n=1 --param=m=2 --store s --runs=20",
              false),
        TARE_OK);
    assert_string_equal(options.name, "a=b");
    assert_true(options.runs == 20 && options.budget_ns == 1.5e9 && options.size_bytes == 65536);
    assert_true(options.precision == 0.02 && options.shell && options.common.json);
    assert_int_equal(options.params.count, 2);
    assert_string_equal(options.params.items[0], "n=1");
    assert_string_equal(options.params.items[1], "m=2");
    assert_string_equal(options.common.store, "s");
}

/* Short options alone, glued to a value, and in a cluster. */
static void test_short(void **state)
{
    (void)state;
    assert_int_equal(parse("run -r10 -n x -qv", false), TARE_OK);
    assert_true(options.runs == 10 && options.common.quiet && options.common.verbose);
    assert_string_equal(options.name, "x");
    assert_int_equal(parse("run -qnname", false), TARE_OK);
    assert_true(options.common.quiet);
    assert_string_equal(options.name, "name");
    assert_int_equal(parse("run -qn name", false), TARE_OK);
    assert_string_equal(options.name, "name");
}

/* Operands may stand anywhere; "-" is one; what follows "--" is left alone. */
static void test_operands(void **state)
{
    (void)state;
    assert_int_equal(parse("run one --json - two -- --shell three --", false), TARE_OK);
    assert_int_equal(result.operands.count, 3);
    assert_string_equal(result.operands.items[1], "-");
    assert_true(result.has_rest && options.common.json && !options.shell);
    assert_int_equal(result.rest.count, 3);
    assert_string_equal(result.rest.items[0], "--shell");
    assert_string_equal(result.rest.items[2], "--");
    assert_int_equal(parse("run", false), TARE_OK);
    assert_false(result.has_rest);
    assert_int_equal(parse("run --", false), TARE_OK);
    assert_true(result.has_rest && result.rest.count == 0);
}

/* With stop_at_operand, the first operand ends the options. */
static void test_stop_at_operand(void **state)
{
    (void)state;
    assert_int_equal(parse("run --json ls --shell -l", true), TARE_OK);
    assert_int_equal(result.operands.count, 3);
    assert_string_equal(result.operands.items[1], "--shell");
    assert_true(options.common.json && !options.shell);
}

/* A value may look like an option when it stands where a value is wanted. */
static void test_value_like_option(void **state)
{
    (void)state;
    assert_int_equal(parse("run --name --shell", false), TARE_OK);
    assert_string_equal(options.name, "--shell");
    assert_false(options.shell);
}

/* Each mistake is a usage error with exactly this message. */
static void test_mistakes(void **state)
{
    (void)state;
    static const struct {
        const char *line;
        const char *message;
    } cases[] = {
        {"run --bugdet 5s", "unknown option '--bugdet': did you mean --budget?"},
        {"run --jsno", "unknown option '--jsno': did you mean --json?"},
        {"run --bugdet=5s", "unknown option '--bugdet': did you mean --budget?"},
        {"run --zzzzzz", "unknown option '--zzzzzz': --help lists them"},
        {"run -x", "unknown option '-x': --help lists them"},
        {"run -qx", "unknown option '-qx': --help lists them"},
        {"run --=5", "unknown option '--': --help lists them"},
        {"run --shell=yes", "--shell takes no value"},
        {"run --name", "--name wants a value behind it"},
        {"run -n", "-n wants a value behind it"},
        {"run --runs ten", "--runs wants a number such as 10 or 10k, not 'ten'"},
        {"run --runs=-1", "--runs wants a number such as 10 or 10k, not '-1'"},
        {"run --runs=", "--runs wants a number such as 10 or 10k, not ''"},
        {"run --budget 5parsecs",
         "--budget wants a time such as 500ms, 10s or 2min, not '5parsecs'"},
        {"run --size 5s", "--size wants a size such as 64k or 1GiB, not '5s'"},
        {"run --precision nan", "--precision wants a share such as 1% or 0.01, not 'nan'"},
        {"run --runs \x1b[31m", "--runs wants a number such as 10 or 10k, not '\\x1b[31m'"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        assert_int_equal(parse(cases[i].line, false), TARE_ERROR_USAGE);
        assert_string_equal(error.message, cases[i].message);
    }
}

/* An unknown option of ten thousand characters gives a short message. */
static void test_long_name(void **state)
{
    (void)state;
    char *line = arena_alloc(&arena, 10020, 1);
    memset(line, 'x', 10010);
    memcpy(line, "run --", 6);
    assert_int_equal(parse(line, false), TARE_ERROR_USAGE);
    assert_true(strlen(error.message) < 200);
}

/* Statuses map to the exit codes that are documented. */
static void test_exit_codes(void **state)
{
    (void)state;
    assert_int_equal(command_exit_code(TARE_OK), 0);
    assert_int_equal(command_exit_code(TARE_ERROR_USAGE), 2);
    assert_int_equal(command_exit_code(TARE_ERROR_MEASURE), 3);
    assert_int_equal(command_exit_code(TARE_ERROR_MEMORY), 3);
    assert_int_equal(command_exit_code(TARE_ERROR_IO), 3);
    assert_int_equal(command_exit_code(TARE_ERROR_NO_BASELINE), 5);
    assert_int_equal(command_exit_code(TARE_INTERRUPTED), 130);
}

/* A result that outgrew its buffer is not printed in part: that is a failure, and a worse outcome
 * stays what it was. */
static void test_cut_result(void **state)
{
    (void)state;
    const struct command command = {.name = "test"};
    struct buffer text = buffer_new(&arena, 3);
    buffer_text(&text, "{\n}");
    assert_int_equal(command_print(&command, &text, EXIT_CODE_OK), EXIT_CODE_OK);
    buffer_text(&text, "\n");
    assert_int_equal(command_print(&command, &text, EXIT_CODE_OK), EXIT_CODE_FAILED);
    assert_int_equal(command_print(&command, &text, EXIT_CODE_REGRESSED), EXIT_CODE_REGRESSED);
}

static int teardown(void **state)
{
    (void)state;
    arena_free(&arena);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(test_long, teardown),
        cmocka_unit_test_teardown(test_short, teardown),
        cmocka_unit_test_teardown(test_operands, teardown),
        cmocka_unit_test_teardown(test_stop_at_operand, teardown),
        cmocka_unit_test_teardown(test_value_like_option, teardown),
        cmocka_unit_test_teardown(test_mistakes, teardown),
        cmocka_unit_test_teardown(test_long_name, teardown),
        cmocka_unit_test_teardown(test_exit_codes, teardown),
        cmocka_unit_test_teardown(test_cut_result, teardown),
    };
    return cmocka_run_group_tests_name("options", tests, NULL, NULL);
}
