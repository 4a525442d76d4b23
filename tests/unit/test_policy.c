/* Reading tare.yaml: the full example gives every field; every kind of mistake gives an error that
 * names line and column and says what to do. */
#include "codec/policy_yaml.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static struct arena arena;
static struct tare_error error;
static struct model_policy policy;

static tare_status read_text(const char *text)
{
    error_clear(&error);
    return policy_read(&arena, text, (ptrdiff_t)strlen(text), "tare.yaml", &policy, &error);
}

static const char example[] =
    "project: parser\n"
    "store: results/.tare\n"
    "build: make -j2 bench              # how a revision is built\n"
    "benchmarks:\n"
    "  - program: ./build/bench\n"
    "  - {program: ./bench.py, protocol: true, timeout: 30s}\n"
    "  - {name: end-to-end, command: \"./build/tool < corpus.txt\", shell: true,\n"
    "     params: {n: [1, 2, 4], size: 4..64*2}, metrics: ['speed[tok/s]:higher=re:(.*)']}\n"
    "against: main\n"
    "budget: 90s\n"
    "confidence: 95%\n"
    "min_effect: 0.5%\n"
    "precision: 2%\n"
    "gate: [time, memory]\n"
    "thresholds:\n"
    "  time: {warning: 3%, critical: 10%}\n"
    "  memory: {warning: 10%, critical: 300%}\n"
    "  accuracy: {warning: 0.002 absolute, critical: 0.005 absolute}\n"
    "fail_at: critical\n"
    "overrides:\n"
    "  - {match: \"parse/*\", core: true, thresholds: {time: {warning: 2%, critical: 5%}}}\n"
    "require:\n"
    "  - {match: \"decode/display\", metric: throughput, at_least: 4.1 GiB/s}\n"
    "  - {metric: allocations, at_most: 0}\n"
    "inconclusive: neutral\n"
    "missing: pass\n"
    "renamed: {\"parse/old\": \"parse/new\"}\n"
    "waivers:\n"
    "  - {match: \"io/*\", metric: time, reason: \"new fsync, agreed\", by: \"A. Person\", until: "
    "2027-01-31}\n";

/* Every scalar of the example arrives, scaled to the unit its name says. */
static void test_example_scalars(void **state)
{
    (void)state;
    assert_int_equal(read_text(example), TARE_OK);
    assert_false(policy.is_empty);
    assert_string_equal(policy.project, "parser");
    assert_string_equal(policy.store, "results/.tare");
    assert_string_equal(policy.build, "make -j2 bench");
    assert_string_equal(policy.against, "main");
    assert_true(policy.budget_ns == 90e9 && policy.has_budget);
    assert_true(policy.confidence == 0.95 && policy.has_confidence);
    assert_true(policy.min_effect == 0.005 && policy.has_min_effect);
    assert_true(policy.precision == 0.02);
    assert_int_equal(policy.fail_at, MODEL_LEVEL_CRITICAL);
    assert_int_equal(policy.inconclusive, MODEL_OUTCOME_NEUTRAL);
    assert_int_equal(policy.missing, MODEL_OUTCOME_PASS);
    assert_int_equal(policy.gate.count, 2);
    assert_string_equal(policy.gate.items[1], "memory");
}

/* The list of benchmarks keeps programs, commands, parameters, metrics and lines apart. */
static void test_example_benchmarks(void **state)
{
    (void)state;
    assert_int_equal(read_text(example), TARE_OK);
    assert_int_equal(policy.benchmark_count, 3);
    assert_string_equal(policy.benchmarks[0].program, "./build/bench");
    assert_null(policy.benchmarks[0].command);
    assert_int_equal(policy.benchmarks[0].line, 5);
    assert_true(policy.benchmarks[1].is_protocol);
    assert_true(policy.benchmarks[1].timeout_ns == 30e9);
    const struct model_policy_benchmark *command = &policy.benchmarks[2];
    assert_string_equal(command->name, "end-to-end");
    assert_string_equal(command->command, "./build/tool < corpus.txt");
    assert_true(command->is_shell);
    assert_int_equal(command->line, 7);
    assert_int_equal(command->parameter_count, 2);
    assert_string_equal(command->parameters[0].name, "n");
    assert_int_equal(command->parameters[0].values.count, 3);
    assert_string_equal(command->parameters[0].values.items[2], "4");
    assert_string_equal(command->parameters[1].values.items[0], "4..64*2");
    assert_int_equal(command->metrics.count, 1);
}

/* Thresholds, overrides, requirements, renames and waivers arrive with units and defaults. */
static void test_example_rules(void **state)
{
    (void)state;
    assert_int_equal(read_text(example), TARE_OK);
    assert_int_equal(policy.thresholds.count, 3);
    assert_string_equal(policy.thresholds.items[0].metric, "time");
    assert_true(policy.thresholds.items[0].warning.value == 0.03);
    assert_false(policy.thresholds.items[0].warning.is_absolute);
    assert_true(policy.thresholds.items[1].critical.value == 3);
    assert_true(policy.thresholds.items[2].critical.is_absolute);
    assert_true(policy.thresholds.items[2].critical.value == 0.005);
    assert_int_equal(policy.override_count, 1);
    assert_true(policy.overrides[0].is_core);
    assert_string_equal(policy.overrides[0].match, "parse/*");
    assert_true(policy.overrides[0].thresholds.items[0].critical.value == 0.05);
    assert_int_equal(policy.requirement_count, 2);
    assert_string_equal(policy.requirements[0].at_least.unit, "B/s");
    assert_true(policy.requirements[0].at_least.value == 4.1 * 1073741824);
    assert_false(policy.requirements[0].at_most.is_set);
    assert_string_equal(policy.requirements[1].match, "*");
    assert_true(policy.requirements[1].at_most.is_set && policy.requirements[1].at_most.value == 0);
    assert_int_equal(policy.rename_count, 1);
    assert_string_equal(policy.renames[0].new_name, "parse/new");
    assert_int_equal(policy.waiver_count, 1);
    assert_int_equal(policy.waivers[0].until_date, 20270131);
    assert_string_equal(policy.waivers[0].by, "A. Person");
}

/* An empty file, and one with comments only, are the defaults and say so; a file with one key is
 * not. */
static void test_empty(void **state)
{
    (void)state;
    static const char *const nothing[] = {"", "\n\n", "# only a comment\n", "---\n", "---\n...\n"};
    for (size_t i = 0; i < sizeof nothing / sizeof *nothing; i++) {
        assert_int_equal(read_text(nothing[i]), TARE_OK);
        assert_true(policy.is_empty);
        assert_true(policy.confidence == 0.99 && policy.budget_ns == 60e9);
        assert_true(policy.min_effect == 0.01 && policy.precision == 0);
        assert_false(policy.has_budget);
        assert_string_equal(policy.against, "merge-base");
        assert_int_equal(policy.fail_at, MODEL_LEVEL_WARNING);
        assert_int_equal(policy.missing, MODEL_OUTCOME_FAIL);
    }
    assert_int_equal(read_text("fail_at: minor\n"), TARE_OK);
    assert_false(policy.is_empty);
    assert_int_equal(policy.fail_at, MODEL_LEVEL_MINOR);
}

struct mistake {
    const char *text;
    const char *message; /* begins with file, line and column */
};

/* What people get wrong, and the whole message or its beginning. */
static const struct mistake mistakes[] = {
    {"bugdet: 60s\n", "tare.yaml:1:1: unknown key 'bugdet': did you mean 'budget'?"},
    {"project: x\nzzzzzzzz: 1\n", "tare.yaml:2:1: unknown key 'zzzzzzzz': a policy has project, "},
    {"benchmarks:\n  - {progam: ./x}\n",
     "tare.yaml:2:6: unknown key 'progam': did you mean 'program'?"},
    {"project: a\nproject: b\n", "tare.yaml:2:1: 'project' is given twice"},
    {"thresholds: {time: {warning: 1%}, time: {warning: 2%}}\n",
     "tare.yaml:1:35: 'time' is given twice"},
    {"budget: 60 parsecs\n", "tare.yaml:1:9: budget wants a time such as 60s, not '60 parsecs'"},
    {"budget: -5s\n", "tare.yaml:1:9: budget wants a time such as 60s, not '-5s'"},
    {"budget: 0\n", "tare.yaml:1:9: budget wants a time"},
    {"budget: [1]\n", "tare.yaml:1:9: budget wants a time such as 60s, not a list"},
    {"budget:\n", "tare.yaml:1:8: budget has no value: it wants a time such as 60s"},
    {"budget: ~\n", "tare.yaml:1:9: budget has no value"},
    {"confidence: 99\n", "tare.yaml:1:13: confidence: 99 would be 9900%: write 99%"},
    {"confidence: 100%\n", "tare.yaml:1:13: confidence must be below 100%"},
    {"confidence: 5%\n", "tare.yaml:1:13: confidence must be at least 50%"},
    {"confidence: nan\n", "tare.yaml:1:13: confidence wants a share such as 99%, not 'nan'"},
    {"min_effect: -1%\n", "tare.yaml:1:13: min_effect wants a share such as 1%, not '-1%'"},
    {"gate: time\n",
     "tare.yaml:1:7: gate wants a list of metrics such as [time, memory], not a single"},
    {"fail_at: never\n", "tare.yaml:1:10: fail_at wants minor, warning or critical, not 'never'"},
    {"missing: ignore\n", "tare.yaml:1:10: missing wants fail, pass or neutral, not 'ignore'"},
    {"benchmarks: [{command: x, shell: maybe}]\n",
     "tare.yaml:1:34: shell wants true or false, not 'maybe'"},
    {"benchmarks: [./x]\n", "tare.yaml:1:14: a benchmark must be a mapping such as {name: …}"},
    {"benchmarks: [{name: x}]\n",
     "tare.yaml:1:14: a benchmark has either a program or a command, and this one has neither"},
    {"benchmarks: [{program: x, command: y}]\n", "tare.yaml:1:14: a benchmark has either"},
    {"benchmarks: [{program: x, shell: true}]\n",
     "tare.yaml:1:14: shell: true goes with a command"},
    {"benchmarks: [{command: x, protocol: true}]\n", "tare.yaml:1:14: protocol: true goes with"},
    {"thresholds: {time: {warning: 3}}\n", "tare.yaml:1:30: warning: 3 would be 300%: write 3%"},
    {"thresholds: {time: {warning: -3%}}\n", "tare.yaml:1:30: warning wants a change such as 3%"},
    {"thresholds: {time: {warning: nan}}\n", "tare.yaml:1:30: warning wants a change"},
    {"thresholds: {time: {warning: -1 absolute}}\n", "tare.yaml:1:30: warning wants a change"},
    {"thresholds: {time: {warning: inf absolute}}\n", "tare.yaml:1:30: warning wants a change"},
    {"thresholds: {time: {warning: 5%, critical: 3%}}\n",
     "tare.yaml:1:20: thresholds of time: critical must not be below warning"},
    {"thresholds: {time: {warning: 5%, critical: 6 absolute}}\n",
     "tare.yaml:1:20: thresholds of time: warning and critical must both be relative"},
    {"thresholds: {time: 3%}\n",
     "tare.yaml:1:20: a metric's thresholds must be a mapping such as {warning: …}"},
    {"overrides: [{core: true}]\n", "tare.yaml:1:13: an override needs match"},
    {"require: [{match: x, metric: time}]\n",
     "tare.yaml:1:11: a requirement needs metric, and at_least or at_most"},
    {"require: [{metric: t, at_least: fast}]\n",
     "tare.yaml:1:33: at_least wants a number such as 4.1 GiB/s, not 'fast'"},
    {"waivers: [{match: x}]\n", "tare.yaml:1:11: a waiver needs match and reason"},
    {"waivers: [{match: x, reason: y, until: 2027-02-29}]\n",
     "tare.yaml:1:40: until wants a day such as 2027-01-31, not '2027-02-29'"},
    {"waivers: [{match: x, reason: y, until: 2027-13-01}]\n", "tare.yaml:1:40: until wants a day"},
    {"waivers: [{match: x, reason: y, until: soon}]\n", "tare.yaml:1:40: until wants a day"},
    {"waivers: [{match: x, reason: y, until: 2027-01-31x}]\n", "tare.yaml:1:40: until wants"},
    {"project: \"a\\nb\"\n", "tare.yaml:1:10: project 'a\\nb' is no name"},
    {"project: \"a\\0b\"\n", "tare.yaml:1:10: project holds a NUL character"},
    {"project: \"\"\n", "tare.yaml:1:10: project has no value"},
    {"project: !ruby x\n", "tare.yaml:1:10: the tag '!ruby' has no meaning here"},
    {"[1, 2]\n", "tare.yaml:1:1: a policy must be a mapping such as {project: …}, not a list"},
    {"just words\n", "tare.yaml:1:1: a policy must be a mapping"},
    {"{[a]: b}\n", "tare.yaml:1:2: a key wants a name, not a list"},
    {"project: a\n---\nproject: b\n", "tare.yaml:3:1: a second document starts here"},
    {"project: [a\n", "tare.yaml:2:1: not valid YAML: "},
    {"project: 'a\n", "tare.yaml:2:1: not valid YAML: "},
    {"\tproject: a\n", "tare.yaml:1:1: not valid YAML: "},
    {"a: &x [*y]\n", "tare.yaml:1:8: not valid YAML: found undefined alias"},
    {"project: \xff\n", "tare.yaml: invalid"},
};

/* Each mistake is a usage error with exactly that beginning, and leaves the default policy. */
static void test_mistakes(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof mistakes / sizeof *mistakes; i++) {
        tare_status status = read_text(mistakes[i].text);
        if (status != TARE_ERROR_USAGE ||
            strncmp(error.message, mistakes[i].message, strlen(mistakes[i].message)) != 0) {
            fail_msg("%s\n  wanted: %s\n  got:    %d %s", mistakes[i].text, mistakes[i].message,
                     (int)status, error.message);
        }
        assert_true(policy.is_empty);
        assert_null(policy.project);
    }
}

/* Anchors and aliases work as YAML says. */
static void test_aliases(void **state)
{
    (void)state;
    assert_int_equal(read_text("thresholds:\n"
                               "  time: &usual {warning: 3%, critical: 10%}\n"
                               "  memory: *usual\n"),
                     TARE_OK);
    assert_true(policy.thresholds.items[1].critical.value == 0.1);
}

/* A file that refers to itself or multiplies itself is refused, quickly and without much memory. */
static void test_alias_bombs(void **state)
{
    (void)state;
    assert_int_equal(read_text("benchmarks: &a [*a, *a]\n"), TARE_ERROR_USAGE);
    assert_int_equal(read_text("thresholds: &a {time: *a}\n"), TARE_ERROR_USAGE);

    /* 400 benchmarks, each with one shared list of 400 metrics: 160,000 values from 4 KB. */
    char *bomb = malloc(65536);
    size_t used = (size_t)sprintf(bomb, "gate: &m [");
    for (int i = 0; i < 400; i++) {
        used += (size_t)sprintf(bomb + used, "m,");
    }
    used += (size_t)sprintf(bomb + used, "]\nbenchmarks:\n- &b {program: x, metrics: *m}\n");
    for (int i = 0; i < 400; i++) {
        used += (size_t)sprintf(bomb + used, "- *b\n");
    }
    assert_int_equal(read_text(bomb), TARE_ERROR_USAGE);
    assert_non_null(strstr(error.message, "more than 100000 values"));
    free(bomb);
}

/* Ten thousand opening brackets are an error, not a stack overflow. */
static void test_depth(void **state)
{
    (void)state;
    enum { DEPTH = 10000 };
    char *deep = malloc(DEPTH + 16);
    memset(deep, '[', DEPTH);
    deep[DEPTH] = '\0';
    assert_int_equal(read_text(deep), TARE_ERROR_USAGE);
    memcpy(deep, "gate: ", 6);
    assert_int_equal(read_text(deep), TARE_ERROR_USAGE);
    free(deep);
}

/* A file beyond the limit is refused before it is parsed; so are long values and long lists. */
static void test_sizes(void **state)
{
    (void)state;
    ptrdiff_t size = POLICY_FILE_BYTES_MAX + 1;
    char *large = malloc((size_t)size + 1);
    memset(large, '#', (size_t)size);
    large[size] = '\0';
    assert_int_equal(read_text(large), TARE_ERROR_USAGE);
    assert_non_null(strstr(error.message, "too large for a policy"));
    large[size - 1] = '\0';
    assert_int_equal(read_text(large), TARE_OK);

    size_t used = (size_t)sprintf(large, "build: ");
    memset(large + used, 'x', MODEL_VALUE_BYTES_MAX + 1);
    large[used + MODEL_VALUE_BYTES_MAX + 1] = '\0';
    assert_int_equal(read_text(large), TARE_ERROR_USAGE);
    assert_non_null(strstr(error.message, "build is 4097 bytes long"));
    large[used + MODEL_VALUE_BYTES_MAX] = '\0';
    assert_int_equal(read_text(large), TARE_OK);

    used = (size_t)sprintf(large, "gate: [");
    for (int i = 0; i <= POLICY_LIST_MAX; i++) {
        used += (size_t)sprintf(large + used, "m,");
    }
    sprintf(large + used, "]");
    assert_int_equal(read_text(large), TARE_ERROR_USAGE);
    assert_non_null(strstr(error.message, "gate has 10001 items (at most 10000)"));
    free(large);
}

/* A caller that wants no message may pass NULL; the status is the same. */
static void test_no_error_struct(void **state)
{
    (void)state;
    assert_int_equal(policy_read(&arena, "x: 1", 4, "tare.yaml", &policy, NULL), TARE_ERROR_USAGE);
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
        cmocka_unit_test_teardown(test_example_scalars, teardown),
        cmocka_unit_test_teardown(test_example_benchmarks, teardown),
        cmocka_unit_test_teardown(test_example_rules, teardown),
        cmocka_unit_test_teardown(test_empty, teardown),
        cmocka_unit_test_teardown(test_mistakes, teardown),
        cmocka_unit_test_teardown(test_aliases, teardown),
        cmocka_unit_test_teardown(test_alias_bombs, teardown),
        cmocka_unit_test_teardown(test_depth, teardown),
        cmocka_unit_test_teardown(test_sizes, teardown),
        cmocka_unit_test_teardown(test_no_error_struct, teardown),
    };
    return cmocka_run_group_tests_name("policy", tests, NULL, NULL);
}
