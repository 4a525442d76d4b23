/* Reports for people: the table of a run, and the table of proofs, within their width. */
#include "report/run_text.h"

#include "base/text.h"
#include "cli/prove_report.h"
#include "measure/command.h"
#include "report/table.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

static void assert_fits(const char *text, ptrdiff_t width)
{
    struct arena arena = {0};
    char *copy = arena_strdup(&arena, text);
    for (char *line = strtok(copy, "\n"); line != NULL; line = strtok(NULL, "\n")) {
        if (text_columns(line) > width) {
            print_error("%td columns: %s\n", text_columns(line), line);
        }
        assert_true(text_columns(line) <= width);
    }
    arena_free(&arena);
}

static int count_of(const char *text, const char *part)
{
    int count = 0;
    for (; (text = strstr(text, part)) != NULL; text += strlen(part)) {
        count++;
    }
    return count;
}

/* Goal: a long name is cut once, in its middle, and keeps its end. */
static void test_name_is_cut_once(void **state)
{
    (void)state;
    struct arena arena = {0};
    struct buffer out = buffer_new(&arena, BUFFER_LENGTH_MAX);
    char name[201];
    memset(name, 'x', sizeof name - 1);
    memcpy(name + 196, "=end", 5);
    struct model_metric metric = {.name = "time", .unit = "ns"};
    struct model_benchmark benchmark = {
        .suite = "", .name = name, .variant = "", .metrics = &metric, .metric_count = 1};
    struct model_run run = {.benchmarks = &benchmark, .benchmark_count = 1, .confidence = 0.99};
    report_run_text(&out, &run, &(struct report_style){.columns = 80});
    assert_int_equal(count_of(buffer_string(&out), "…"), 1);
    assert_non_null(strstr(buffer_string(&out), "=end"));
    assert_fits(buffer_string(&out), 80);
    arena_free(&arena);
}

/* Goal: a benchmark's own metric has a column beside the rate, with its name. */
static void test_own_metric(void **state)
{
    (void)state;
    struct arena arena = {0};
    struct buffer out = buffer_new(&arena, BUFFER_LENGTH_MAX);
    double values[] = {100, 101, 102};
    int32_t launches[] = {0, 1, 2};
    struct model_metric metrics[] = {
        {.name = "time", .unit = "ns", .values = values, .launches = launches, .count = 3},
        {.name = "throughput", .unit = "B/s", .values = values, .launches = launches, .count = 3},
        {.name = "misses", .unit = "1", .values = values, .launches = launches, .count = 3},
    };
    struct model_benchmark benchmark = {
        .suite = "", .name = "parse", .variant = "", .metrics = metrics, .metric_count = 3};
    struct model_run run = {.benchmarks = &benchmark, .benchmark_count = 1, .confidence = 0.99};
    report_run_text(&out, &run, &(struct report_style){.columns = 100});
    const char *text = buffer_string(&out);
    assert_non_null(strstr(text, "rate"));
    assert_non_null(strstr(text, "own metric"));
    assert_non_null(strstr(text, "misses 101"));
    assert_non_null(strstr(text, "B/s"));
    arena_free(&arena);
}

static void add_scenario(struct prove_scenario *scenario, struct prove_trial *trials,
                         ptrdiff_t count)
{
    *scenario = (struct prove_scenario){.trials = trials, .count = count, .capacity = count};
}

/* Goal: proofs fit 80 columns; what was not tried is no zero; a trial without an interval is none
 * without a false alarm. */
static void test_prove(void **state)
{
    (void)state;
    struct arena arena = {0};
    struct prove_trial trials[] = {
        {.verdict = MODEL_EQUIVALENT, .has_interval = true, .low = 0.99, .high = 1.01},
        {.verdict = MODEL_INCONCLUSIVE},
    };
    struct prove_scenario scenarios[2];
    add_scenario(&scenarios[0], trials, 2);
    add_scenario(&scenarios[1], NULL, 0);
    scenarios[1].effect = 0.5;
    struct prove_result result = {
        .scenarios = scenarios, .scenario_count = 2, .confidence = 0.99, .each_s = 10};
    struct model_machine machine = {0};
    struct buffer out = buffer_new(&arena, BUFFER_LENGTH_MAX);
    prove_report_text(&out, &result, &machine, 80);
    assert_fits(buffer_string(&out), 80);
    assert_non_null(strstr(buffer_string(&out), "False alarms: 0 of 1 comparisons"));
    assert_non_null(strstr(buffer_string(&out), "–"));

    add_scenario(&scenarios[0], trials + 1, 1);
    buffer_clear(&out);
    prove_report_text(&out, &result, &machine, 80);
    assert_non_null(strstr(buffer_string(&out), "False alarms: not known"));
    assert_non_null(strstr(buffer_string(&out), "?"));
    assert_null(strstr(buffer_string(&out), "0.00 %"));
    arena_free(&arena);
}

/* Goal: the last whole lines that fit, in one line; blank ones and spaces around go. */
static void test_last_words(void **state)
{
    (void)state;
    struct arena arena = {0};
    assert_string_equal(measure_last_words(&arena, "", 10), "");
    assert_string_equal(measure_last_words(&arena, " \n\n", 10), "");
    assert_string_equal(measure_last_words(&arena, "a\n\n  b \r\n", 10), "a | b");
    assert_string_equal(measure_last_words(&arena, "first\nsecond\nthird\n", 14), "second | third");
    assert_string_equal(measure_last_words(&arena, "first\nsecond\nthird\n", 13), "third");
    assert_string_equal(measure_last_words(&arena, "abcdefgh", 4), "abc…");
    assert_string_equal(measure_last_words(&arena, "\033[31mred", 20), "\\x1b[31mred");
    arena_free(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_name_is_cut_once),
        cmocka_unit_test(test_own_metric),
        cmocka_unit_test(test_prove),
        cmocka_unit_test(test_last_words),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
