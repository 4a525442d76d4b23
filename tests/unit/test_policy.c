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
    "preset: default\n"
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
    "added: neutral\n"
    "conditions: inconclusive\n"
    "build_timeout: 3min\n"
    "bench_from: base\n"
    "bench_paths: [bench/, test/data]\n"
    "default_branch: trunk\n"
    "noise_floor_max: 4%\n"
    "retries: 3\n"
    "count: [allocations, instructions]\n"
    "fail_at_core: minor\n"
    "groups: {synthetic: [\"micro/*\"], realistic: [\"replay/*\", day]}\n"
    "routes: {fix: perf-team, retry: again}\n"
    "max_baseline_age: 30d\n"
    "retention: {keep: 500, days: 365}\n"
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

/* So do the values that only a gate uses. */
static void test_example_gate(void **state)
{
    (void)state;
    assert_int_equal(read_text(example), TARE_OK);
    assert_int_equal(policy.added, MODEL_OUTCOME_NEUTRAL);
    assert_int_equal(policy.conditions, MODEL_CONDITIONS_INCONCLUSIVE);
    assert_true(policy.build_timeout_ns == 180e9);
    assert_int_equal(policy.bench_from, MODEL_BENCH_FROM_BASE);
    assert_int_equal(policy.bench_paths.count, 2);
    assert_string_equal(policy.bench_paths.items[1], "test/data");
    assert_string_equal(policy.default_branch, "trunk");
    assert_true(policy.has_default_branch);
    assert_true(policy.noise_floor_max == 0.04);
    assert_int_equal(policy.retries, 3);
    assert_int_equal(policy.count, MODEL_COUNT_ALLOCATIONS | MODEL_COUNT_INSTRUCTIONS);
    assert_int_equal(policy.fail_at_core, MODEL_LEVEL_MINOR);
    assert_int_equal(policy.synthetic.count, 1);
    assert_int_equal(policy.realistic.count, 2);
    assert_string_equal(policy.realistic.items[1], "day");
    assert_string_equal(policy.routes[MODEL_ROUTE_FIX], "perf-team");
    assert_string_equal(policy.routes[MODEL_ROUTE_RETRY], "again");
    assert_string_equal(policy.routes[MODEL_ROUTE_GPU], "gpu-optimizer");
    assert_true(policy.max_baseline_age_ns == 30 * 86400e9);
    assert_int_equal(policy.retention.keep, 500);
    assert_int_equal(policy.retention.days, 365);
    assert_true(policy.overrides[0].has_core);
}

/* Without a word about it, everything a gate uses has the default that the manual gives. */
static void test_defaults(void **state)
{
    (void)state;
    assert_int_equal(read_text("project: x\n"), TARE_OK);
    assert_int_equal(policy.preset, MODEL_PRESET_DEFAULT);
    assert_int_equal(policy.added, MODEL_OUTCOME_PASS);
    assert_int_equal(policy.conditions, MODEL_CONDITIONS_WARN);
    assert_true(policy.build_timeout_ns == 600e9);
    assert_int_equal(policy.bench_from, MODEL_BENCH_FROM_OWN);
    assert_string_equal(policy.default_branch, "main");
    assert_false(policy.has_default_branch);
    assert_true(policy.noise_floor_max == 0.05);
    assert_int_equal(policy.retries, 2);
    assert_int_equal(policy.count, 0);
    assert_int_equal(policy.fail_at_core, MODEL_LEVEL_NONE);
    assert_true(policy.max_baseline_age_ns == 90 * 86400e9);
    assert_int_equal(policy.retention.keep, 0);
    static const char *const routes[] = {
        "perf-fixer",        "document",      "test-finalizer",    "promotion-validator",
        "review-summarizer", "gpu-optimizer", "accuracy-reviewer", "retry"};
    for (int i = 0; i < MODEL_ROUTE_COUNT; i++) {
        assert_string_equal(policy.routes[i], routes[i]);
    }
}

/* A preset comes first wherever it stands in the file; the file's own keys win. */
static void test_presets(void **state)
{
    (void)state;
    assert_int_equal(read_text("preset: strict\n"), TARE_OK);
    assert_false(policy.is_empty);
    assert_int_equal(policy.preset, MODEL_PRESET_STRICT);
    assert_int_equal(policy.added, MODEL_OUTCOME_FAIL);
    assert_int_equal(policy.conditions, MODEL_CONDITIONS_INCONCLUSIVE);
    assert_int_equal(read_text("added: neutral\npreset: strict\n"), TARE_OK);
    assert_int_equal(policy.added, MODEL_OUTCOME_NEUTRAL);
    assert_int_equal(policy.conditions, MODEL_CONDITIONS_INCONCLUSIVE);
    assert_int_equal(read_text("preset: copybook\n"), TARE_OK);
    assert_int_equal(policy.fail_at, MODEL_LEVEL_CRITICAL);
    assert_int_equal(policy.fail_at_core, MODEL_LEVEL_WARNING);
    assert_int_equal(read_text("fail_at: warning\npreset: copybook\n"), TARE_OK);
    assert_int_equal(policy.fail_at, MODEL_LEVEL_WARNING);
    assert_int_equal(read_text("preset: bitnet\n"), TARE_OK);
    assert_int_equal(policy.preset, MODEL_PRESET_BITNET);
}

/* The warning and critical threshold of a metric, in thousandths. */
static void assert_thresholds(const char *label, const char *metric, int warning, int critical)
{
    const struct model_metric_thresholds *found = model_policy_thresholds(&policy, label, metric);
    assert_non_null(found);
    int found_warning = found->warning.is_set ? (int)(found->warning.value * 1000 + 0.5) : -1;
    int found_critical = found->critical.is_set ? (int)(found->critical.value * 1000 + 0.5) : -1;
    if (found_warning != warning || found_critical != critical) {
        fail_msg("%s %s: wanted %d/%d, got %d/%d", label, metric, warning, critical, found_warning,
                 found_critical);
    }
}

/* Thresholds of the file go before those of the preset, one metric at a time; a level that is not
 * said is filled in from below, where that makes sense; "*" stands for all. */
static void test_thresholds_merge(void **state)
{
    (void)state;
    assert_int_equal(read_text("overrides: [{match: a, thresholds: {time: {critical: 50%}}},\n"
                               "            {match: b, thresholds: {\"*\": {warning: 9%}}}]\n"
                               "thresholds: {time: {warning: 7%}, speed: {critical: 20%},\n"
                               "             loss: {critical: 0.5 absolute}}\n"
                               "preset: bitnet\n"),
                     TARE_OK);
    assert_thresholds("x", "time", 70, 250);
    assert_thresholds("x", "speed", 80, 200);
    assert_thresholds("x", "loss", -1, 500);
    assert_thresholds("x", "memory", 200, 300);
    assert_thresholds("x", "accuracy", 2, 5);
    assert_thresholds("x", "unheard-of", 80, 150);
    assert_thresholds("a", "time", 70, 500);
    assert_thresholds("b", "time", 90, 150);
    assert_int_equal(read_text("thresholds: {\"*\": {warning: 6%}}\n"), TARE_OK);
    assert_thresholds("x", "time", 60, 100);
    assert_thresholds("x", "memory", 60, 100);
}

/* The list of benchmarks keeps programs, commands, parameters, metrics and lines apart. */
static void test_example_benchmarks(void **state)
{
    (void)state;
    assert_int_equal(read_text(example), TARE_OK);
    assert_int_equal(policy.benchmark_count, 3);
    assert_string_equal(policy.benchmarks[0].program, "./build/bench");
    assert_null(policy.benchmarks[0].command);
    assert_int_equal(policy.benchmarks[0].line, 6);
    assert_true(policy.benchmarks[1].is_protocol);
    assert_true(policy.benchmarks[1].timeout_ns == 30e9);
    const struct model_policy_benchmark *command = &policy.benchmarks[2];
    assert_string_equal(command->name, "end-to-end");
    assert_string_equal(command->command, "./build/tool < corpus.txt");
    assert_true(command->is_shell);
    assert_int_equal(command->line, 8);
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
    assert_int_equal(policy.thresholds.count, 3 + 3); /* the preset's other ones follow */
    assert_int_equal(policy.thresholds.items[3].line, 0);
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
    static const char *const nothing[] = {"",      "\n\n",       "# only a comment\n",
                                          "---\n", "---\n...\n", "{}\n"};
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
    {"waivers: [{match: x, by: z, until: 2027-01-31}]\n",
     "tare.yaml:1:11: a waiver needs match, reason, by and until (what, why, who, until when): "
     "this "
     "one has no reason"},
    {"waivers: [{match: x, reason: y, until: 2027-01-31}]\n",
     "tare.yaml:1:11: a waiver needs match, reason, by and until (what, why, who, until when): "
     "this "
     "one has no by"},
    {"waivers: [{match: x, reason: y, by: z}]\n", "tare.yaml:1:11: a waiver needs match, reason, "
                                                  "by and until (what, why, who, until when): this "
                                                  "one has no until"},
    {"waivers: [{reason: y, by: z, until: 2027-01-31}]\n", "tare.yaml:1:11: a waiver needs match"},
    {"waivers: [{match: x, reason: \"\", by: z, until: 2027-01-31}]\n",
     "tare.yaml:1:30: reason has no value"},
    {"waivers:\n- {match: x, reason: a, by: z, until: 2027-01-31}\n"
     "- {match: x, metric: time, reason: a, by: z, until: 2027-01-31}\n"
     "- {match: x, reason: b, by: z, until: 2028-01-31}\n",
     "tare.yaml:4:3: 'x' is there before: change that waiver instead of adding one"},
    {"waivers: [{match: x, resaon: y}]\n",
     "tare.yaml:1:22: unknown key 'resaon': did you mean 'reason'?"},
    {"waivers: [{match: x, reason: y, until: 0000-00-00}]\n", "tare.yaml:1:40: until wants a day"},
    {"waivers: [{match: x, reason: y, until: 0000-01-01}]\n", "tare.yaml:1:40: until wants a day"},
    {"waivers: [{match: x, reason: y, until: 2027-02-29}]\n",
     "tare.yaml:1:40: until wants a day such as 2027-01-31, not '2027-02-29'"},
    {"waivers: [{match: x, reason: y, until: 2027-13-01}]\n", "tare.yaml:1:40: until wants a day"},
    {"waivers: [{match: x, reason: y, until: soon}]\n", "tare.yaml:1:40: until wants a day"},
    {"waivers: [{match: x, reason: y, until: 2027-01-31x}]\n", "tare.yaml:1:40: until wants"},
    {"perset: strict\n", "tare.yaml:1:1: unknown key 'perset': did you mean 'preset'?"},
    {"preset: sloppy\n",
     "tare.yaml:1:9: preset wants default, strict, copybook or bitnet, not 'sloppy'"},
    {"preset: strict\npreset: strict\n", "tare.yaml:2:1: 'preset' is given twice"},
    {"aded: fail\n", "tare.yaml:1:1: unknown key 'aded': did you mean 'added'?"},
    {"added: maybe\n", "tare.yaml:1:8: added wants fail, pass or neutral, not 'maybe'"},
    {"condition: warn\n", "tare.yaml:1:1: unknown key 'condition': did you mean 'conditions'?"},
    {"conditions: ignore\n", "tare.yaml:1:13: conditions wants warn or inconclusive, not 'ignore'"},
    {"build_timout: 1s\n",
     "tare.yaml:1:1: unknown key 'build_timout': did you mean 'build_timeout'"},
    {"build_timeout: never\n", "tare.yaml:1:16: build_timeout wants a time such as 10min"},
    {"bench_form: base\n", "tare.yaml:1:1: unknown key 'bench_form': did you mean 'bench_from'?"},
    {"bench_from: theirs\n", "tare.yaml:1:13: bench_from wants own, base or head, not 'theirs'"},
    {"bench_from: base\n",
     "tare.yaml:1:13: bench_from: base needs bench_paths: which files are the benchmarks'"},
    {"bench_path: [a]\n", "tare.yaml:1:1: unknown key 'bench_path': did you mean 'bench_paths'?"},
    {"bench_paths: []\n", "tare.yaml:1:14: bench_paths is an empty list: it wants a list of files"},
    {"bench_paths: [a, /etc]\n",
     "tare.yaml:1:18: '/etc' must be a path inside the project, such as bench/"},
    {"bench_paths: [a/../../b]\n", "tare.yaml:1:15: 'a/../../b' must be a path inside"},
    {"bench_paths: [..]\n", "tare.yaml:1:15: '..' must be a path inside"},
    {"bench_paths: [--all]\n", "tare.yaml:1:15: '--all' must be a path inside"},
    {"bench_paths: [\":(top)\"]\n", "tare.yaml:1:15: ':(top)' must be a path inside"},
    {"default_branche: x\n",
     "tare.yaml:1:1: unknown key 'default_branche': did you mean 'default_branch'?"},
    {"default_branch: --exec=x\n",
     "tare.yaml:1:17: default_branch wants a branch such as main, not '--exec=x'"},
    {"against: -x\n", "tare.yaml:1:10: against wants merge-base, a revision or a baseline's name"},
    {"noise_flor_max: 5%\n",
     "tare.yaml:1:1: unknown key 'noise_flor_max': did you mean 'noise_floor_max'?"},
    {"noise_floor_max: 5\n", "tare.yaml:1:18: noise_floor_max: 5 would be 500%: write 5%"},
    {"noise_floor_max: inf\n", "tare.yaml:1:18: noise_floor_max wants a share such as 5%"},
    {"noise_floor_max: 120%\n", "tare.yaml:1:18: noise_floor_max must be below 100%"},
    {"retrys: 2\n", "tare.yaml:1:1: unknown key 'retrys': did you mean 'retries'?"},
    {"retries: 11\n", "tare.yaml:1:10: retries wants a whole number from 0 to 10, not '11'"},
    {"retries: -1\n", "tare.yaml:1:10: retries wants a whole number from 0 to 10, not '-1'"},
    {"retries: 1.5\n", "tare.yaml:1:10: retries wants a whole number from 0 to 10, not '1.5'"},
    {"retries: 99999999999999999999\n", "tare.yaml:1:10: retries wants a whole number"},
    {"counts: [size]\n", "tare.yaml:1:1: unknown key 'counts': did you mean 'count'?"},
    {"count: [size, cycles]\n",
     "tare.yaml:1:15: count wants a list of instructions, size and allocations, not 'cycles'"},
    {"count: [size, size]\n", "tare.yaml:1:15: 'size' is given twice"},
    {"count: []\n", "tare.yaml:1:8: count is an empty list"},
    {"gate: []\n",
     "tare.yaml:1:7: gate is an empty list: it wants a list of metrics such as [time, memory] (or "
     "remove the key)"},
    {"gate: [time, time]\n", "tare.yaml:1:14: 'time' is given twice"},
    {"gate: [\"a\\nb\"]\n", "tare.yaml:1:8: 'a\\nb' is no name"},
    {"fail_at_cor: minor\n",
     "tare.yaml:1:1: unknown key 'fail_at_cor': did you mean 'fail_at_core'"},
    {"fail_at_core: none\n", "tare.yaml:1:15: fail_at_core wants minor, warning or critical"},
    {"fail_at_core: critical\n", "tare.yaml:1:15: fail_at_core: critical is later than fail_at: "
                                 "warning: what is core must not"},
    {"groups: {synthetik: [a]}\n",
     "tare.yaml:1:10: unknown key 'synthetik': did you mean 'synthetic'?"},
    {"groups: {synthetic: []}\n", "tare.yaml:1:21: synthetic is an empty list"},
    {"groups: {synthetic: [a, b], realistic: [b]}\n",
     "tare.yaml:1:9: 'b' is in both groups: it can only be in one"},
    {"groups: [a]\n", "tare.yaml:1:9: groups must be a mapping such as {synthetic: …}, not a list"},
    {"routes: {fixx: a}\n", "tare.yaml:1:10: unknown key 'fixx': did you mean 'fix'?"},
    {"routes: {fix: }\n", "tare.yaml:1:15: fix has no value"},
    {"routes: {fix: a, fix: b}\n", "tare.yaml:1:18: 'fix' is given twice"},
    {"max_baseline_age: 90\n",
     "tare.yaml:1:19: max_baseline_age: 90 would be 90 seconds: write 90d for days"},
    {"max_baseline_age: 3 months\n", "tare.yaml:1:19: max_baseline_age wants an age such as 90d"},
    {"max_baselin_age: 9d\n",
     "tare.yaml:1:1: unknown key 'max_baselin_age': did you mean 'max_baseline_age'?"},
    {"retention: {keep: 0}\n",
     "tare.yaml:1:19: keep wants a whole number from 1 to 1000000000, not '0'"},
    {"retention: {days: 1y}\n", "tare.yaml:1:19: days wants a whole number from 1 to 36500"},
    {"retention: {dayz: 1}\n", "tare.yaml:1:13: unknown key 'dayz': did you mean 'days'?"},
    {"retention: 5\n", "tare.yaml:1:12: retention must be a mapping such as {keep: …}"},
    {"thresholds: {time: {}}\n",
     "tare.yaml:1:20: thresholds of time: say warning, critical or both"},
    {"thresholds: {time: {warning: 20%}}\n",
     "tare.yaml:1:20: thresholds of time: critical is not said here and stays 10%, which does not "
     "fit: say both"},
    {"thresholds: {time: {critical: 2%}}\n",
     "tare.yaml:1:20: thresholds of time: warning is not said here and stays 3%"},
    {"thresholds: {time: {warning: 3% absolute}}\n",
     "tare.yaml:1:30: warning: '3% absolute' is both a share and a difference"},
    {"thresholds: {time: {warning: 1 ms absolute, critical: 2 MB absolute}}\n",
     "tare.yaml:1:20: thresholds of time: warning and critical must both be relative"},
    {"thresholds: {time: {warning: inf}}\n", "tare.yaml:1:30: warning wants a change"},
    {"thresholds: {time: {warning: -inf%}}\n", "tare.yaml:1:30: warning wants a change"},
    {"thresholds: {time: {warning: .nan}}\n", "tare.yaml:1:30: warning wants a change"},
    {"thresholds: {time: {warning: 3 percent}}\n", "tare.yaml:1:30: warning wants a change"},
    {"thresholds: {time: {warning: 1e999%}}\n", "tare.yaml:1:30: warning wants a change"},
    {"thresholds: {time: {warning: nan absolute}}\n", "tare.yaml:1:30: warning wants a change"},
    {"thresholds: {time: {warn: 3%}}\n",
     "tare.yaml:1:21: unknown key 'warn': a metric's thresholds has warning, critical"},
    {"thresholds: {time: {warning: 3%, warning: 30%}}\n",
     "tare.yaml:1:34: 'warning' is given twice"},
    {"overrides: [{match: a, core: true}, {match: b, core: true}, {match: a, core: false}]\n",
     "tare.yaml:1:61: 'a' is there before: write both as one override"},
    {"overrides: [{match: a}]\n",
     "tare.yaml:1:13: an override of 'a' needs core or thresholds: it changes nothing"},
    {"overrides: [{match: a, thresholds: {time: {warning: 30%}}}]\n",
     "tare.yaml:1:43: thresholds of time: critical is not said here and stays 10%"},
    {"require: [{metric: t, at_least: 5 ms, at_most: 2 ms}]\n",
     "tare.yaml:1:11: at_least is above at_most: nothing can satisfy both"},
    {"require: [{metric: t, at_least: 5 ms, at_most: 2 MB}]\n",
     "tare.yaml:1:11: at_least and at_most must be in one unit, not 'ns' and 'B'"},
    {"require: [{metric: t, at_least: 1}, {metric: t, at_most: 2}]\n",
     "tare.yaml:1:37: '* t' is there before: write at_least and at_most as one requirement"},
    {"require: [{metric: t, at_least: nan}]\n", "tare.yaml:1:33: at_least wants a number"},
    {"renamed: {a: a}\n", "tare.yaml:1:14: 'a' is renamed to itself"},
    {"renamed: {a: c, b: c}\n", "tare.yaml:1:20: two benchmarks are renamed to 'c'"},
    {"renamed: {a: b, a: c}\n", "tare.yaml:1:17: 'a' is given twice"},
    {"benchmarks: [{name: x, command: a}, {name: x, command: b}]\n",
     "tare.yaml:1:37: there are two benchmarks called 'x': give each a name"},
    {"benchmarks: [{program: x}, {program: x}]\n", "tare.yaml:1:28: there are two benchmarks"},
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
        used += (size_t)sprintf(bomb + used, "m%d,", i);
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
        cmocka_unit_test_teardown(test_example_gate, teardown),
        cmocka_unit_test_teardown(test_defaults, teardown),
        cmocka_unit_test_teardown(test_presets, teardown),
        cmocka_unit_test_teardown(test_thresholds_merge, teardown),
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
