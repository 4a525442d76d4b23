/* What a policy says about one benchmark or metric: patterns, thresholds, core, waivers, renames,
 * groups, and what the presets mean. */
#include "model/policy.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define RELATIVE(share)                                                                            \
    {                                                                                              \
        .is_set = true, .value = (share), .unit = ""                                               \
    }

/* A pattern means a benchmark with or without suite and parameters, and nothing else. */
static void test_match(void **state)
{
    (void)state;
    static const struct {
        const char *pattern;
        const char *label;
        bool is_match;
    } cases[] = {
        {"*", "anything n=4", true},
        {"parse/*", "parse/json", true},
        {"parse/*", "parse/json n=64 size=1k", true},
        {"parse/*", "bench:parse/json n=64", true},
        {"parse/json", "parse/json", true},
        {"parse/json", "parse/json n=64", true},
        {"parse/json", "bench:parse/json n=64", true},
        {"bench:*", "bench:parse/json n=64", true},
        {"bench:parse/json", "bench:parse/json n=64", true},
        {"bench", "bench:parse/json", false},
        {"other:*", "bench:parse/json", false},
        {"parse", "parse/json", false},
        {"parse/json", "parse/json5", false},
        {"parse/json", "parse/json/fast n=4", false},
        {"json", "parse/json", false},
        {"parse/json n=64", "bench:parse/json n=64", true},
        {"parse/json n=6", "bench:parse/json n=64", false},
        {"*n=64*", "bench:parse/json n=64 size=1k", true},
        {"*n=6?", "parse/json n=64", true},
        {"tool", "tool corpus.txt", false}, /* a command line, no parameters */
        {"tool corpus.txt", "tool corpus.txt n=4", true},
        {"tool", "tool --jobs=4", false},
        {"io/fast", "tool mode:io/fast", false}, /* no suite: it has a blank */
        {"x", "http://host:x", false},
        {"", "a", false},
        {"a", "", false},
        {"*", "", true},
        {"b", "a:b", true},
        {"", "a:", false},
        {"b", ":b", false},
        {"a", "a =4", false}, /* a parameter has a name */
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        if (model_policy_match(cases[i].pattern, cases[i].label) != cases[i].is_match) {
            fail_msg("'%s' against '%s'", cases[i].pattern, cases[i].label);
        }
    }
}

/* The worst pattern there can be costs its length times the label's, not two to the power of it:
 * with 500 stars anything worse would never end. */
static void test_match_hostile(void **state)
{
    (void)state;
    enum { STARS = 500, LABEL = 4000 };
    char *pattern = malloc(2 * STARS + 2);
    char *label = malloc(LABEL + 1);
    for (int i = 0; i < STARS; i++) {
        memcpy(pattern + (ptrdiff_t)2 * i, "*a", 2);
    }
    memcpy(pattern + (ptrdiff_t)2 * STARS, "b", 2);
    memset(label, 'a', LABEL);
    label[LABEL] = '\0';
    label[10] = ':';
    label[100] = ' ';
    label[102] = '=';
    assert_false(model_policy_match(pattern, label));
    label[LABEL - 1] = 'b';
    assert_true(model_policy_match(pattern, label));
    free(pattern);
    free(label);
}

static const struct model_metric_thresholds general[] = {
    {.metric = "time", .warning = RELATIVE(0.03), .critical = RELATIVE(0.10)},
    {.metric = "*", .warning = RELATIVE(0.20)},
    {.metric = "accuracy", .warning = {.is_set = true, .is_absolute = true, .unit = ""}},
};
static const struct model_metric_thresholds first[] = {
    {.metric = "time", .warning = RELATIVE(0.01)},
    {.metric = "memory", .warning = RELATIVE(0.02)},
};
static const struct model_metric_thresholds second[] = {
    {.metric = "time", .warning = RELATIVE(0.05)},
};
static const struct model_metric_thresholds third[] = {
    {.metric = "*", .warning = RELATIVE(0.06)},
};

static struct model_policy_override overrides[] = {
    {.match = "parse/*",
     .has_core = true,
     .is_core = true,
     .thresholds = {.items = first, .count = 2}},
    {.match = "parse/json", .thresholds = {.items = second, .count = 1}},
    {.match = "*/slow", .has_core = true, .thresholds = {.items = third, .count = 1}},
};

static double warning_of(const struct model_policy *policy, const char *label, const char *metric)
{
    const struct model_metric_thresholds *found = model_policy_thresholds(policy, label, metric);
    assert_non_null(found);
    return found->warning.value;
}

/* The last override that matches and speaks of the metric wins; then the general row; then "*". */
static void test_thresholds(void **state)
{
    (void)state;
    struct model_policy policy = model_policy_default();
    policy.thresholds = (struct model_threshold_list){.items = general, .count = 3};
    policy.overrides = overrides;
    policy.override_count = 3;
    assert_true(warning_of(&policy, "write", "time") == 0.03);
    assert_true(warning_of(&policy, "write", "memory") == 0.20);
    assert_true(warning_of(&policy, "parse/xml", "time") == 0.01);
    assert_true(warning_of(&policy, "parse/json", "time") == 0.05);
    assert_true(warning_of(&policy, "parse/json", "memory") == 0.02);
    assert_true(warning_of(&policy, "parse/json n=3", "p99") == 0.20);
    assert_true(warning_of(&policy, "parse/slow", "time") == 0.06);
    assert_true(warning_of(&policy, "parse/slow", "accuracy") == 0.06);
    assert_true(model_policy_is_quality(&policy, "parse/json", "accuracy"));
    assert_false(model_policy_is_quality(&policy, "parse/json", "time"));
    policy.thresholds.count = 1;
    assert_null(model_policy_thresholds(&policy, "write", "memory"));
    assert_false(model_policy_is_quality(&policy, "write", "memory"));
}

/* Core is what the last override that says so says; core benchmarks fail earlier, never later. */
static void test_core(void **state)
{
    (void)state;
    struct model_policy policy = model_policy_default();
    policy.overrides = overrides;
    policy.override_count = 3;
    assert_true(model_policy_is_core(&policy, "parse/json"));
    assert_true(model_policy_is_core(&policy, "bench:parse/json n=1"));
    assert_false(model_policy_is_core(&policy, "write"));
    assert_false(model_policy_is_core(&policy, "parse/slow"));
    assert_int_equal(model_policy_fail_at(&policy, "parse/json"), MODEL_LEVEL_WARNING);
    policy.fail_at = MODEL_LEVEL_CRITICAL;
    assert_int_equal(model_policy_fail_at(&policy, "parse/json"), MODEL_LEVEL_CRITICAL);
    policy.fail_at_core = MODEL_LEVEL_WARNING;
    assert_int_equal(model_policy_fail_at(&policy, "parse/json"), MODEL_LEVEL_WARNING);
    assert_int_equal(model_policy_fail_at(&policy, "write"), MODEL_LEVEL_CRITICAL);
    policy.fail_at = MODEL_LEVEL_MINOR;
    assert_int_equal(model_policy_fail_at(&policy, "parse/json"), MODEL_LEVEL_MINOR);
}

/* `gate:` decides alone; without it, time and the benchmark's own metrics do. */
static void test_gated(void **state)
{
    (void)state;
    struct model_policy policy = model_policy_default();
    assert_true(model_policy_is_gated(&policy, "time"));
    assert_true(model_policy_is_gated(&policy, "accuracy"));
    assert_true(model_policy_is_gated(&policy, "items"));
    assert_false(model_policy_is_gated(&policy, "throughput"));
    assert_false(model_policy_is_gated(&policy, "memory"));
    assert_false(model_policy_is_gated(&policy, "instructions"));
    assert_false(model_policy_is_gated(&policy, "p99"));
    const char *names[] = {"memory", "p99"};
    policy.gate = (struct model_text_list){.items = names, .count = 2};
    assert_false(model_policy_is_gated(&policy, "time"));
    assert_true(model_policy_is_gated(&policy, "memory"));
    assert_false(model_policy_is_gated(&policy, "p99.9"));
}

/* A waiver holds on its last day and not on the next; the one that holds longest is told; those
 * that are over are told apart. */
static void test_waivers(void **state)
{
    (void)state;
    struct model_policy_waiver waivers[] = {
        {.match = "io/*", .metric = "time", .reason = "a", .by = "x", .until_date = 20270131},
        {.match = "io/*", .reason = "b", .by = "x", .until_date = 20261231},
        {.match = "*", .metric = "memory", .reason = "c", .by = "x", .until_date = 20250101},
    };
    struct model_policy policy = model_policy_default();
    policy.waivers = waivers;
    policy.waiver_count = 3;
    assert_ptr_equal(model_policy_waiver(&policy, "io/read", "time", 20260101), &waivers[0]);
    assert_ptr_equal(model_policy_waiver(&policy, "s:io/read n=1", "p99", 20260101), &waivers[1]);
    assert_ptr_equal(model_policy_waiver(&policy, "io/read", "time", 20270131), &waivers[0]);
    assert_null(model_policy_waiver(&policy, "io/read", "time", 20270201));
    assert_null(model_policy_waiver(&policy, "parse", "time", 20260101));
    assert_null(model_policy_waiver(&policy, "parse", "memory", 20250102));
    assert_ptr_equal(model_policy_waiver(&policy, "parse", "memory", 20250101), &waivers[2]);
    assert_ptr_equal(model_policy_waiver_expired(&policy, "parse", "memory", 20250102),
                     &waivers[2]);
    assert_null(model_policy_waiver_expired(&policy, "parse", "memory", 20250101));
    assert_null(model_policy_waiver_expired(&policy, "io/read", "time", 20260101));
    assert_ptr_equal(model_policy_waiver_expired(&policy, "io/read", "time", 20270201),
                     &waivers[0]);
    assert_null(model_policy_waiver_expired(&policy, "parse", "time", 20300101));
}

static void test_renames_and_groups(void **state)
{
    (void)state;
    struct model_policy_rename renames[] = {{"parse/old", "parse/new"}};
    const char *synthetic[] = {"micro/*", "both"};
    const char *realistic[] = {"replay/*", "both"};
    struct model_policy policy = model_policy_default();
    policy.renames = renames;
    policy.rename_count = 1;
    policy.synthetic = (struct model_text_list){.items = synthetic, .count = 2};
    policy.realistic = (struct model_text_list){.items = realistic, .count = 2};
    assert_string_equal(model_policy_renamed(&policy, "parse/old"), "parse/new");
    assert_null(model_policy_renamed(&policy, "parse/new"));
    assert_int_equal(model_policy_group(&policy, "micro/a n=1"), MODEL_GROUP_SYNTHETIC);
    assert_int_equal(model_policy_group(&policy, "x:replay/a"), MODEL_GROUP_REALISTIC);
    assert_int_equal(model_policy_group(&policy, "both"), MODEL_GROUP_NONE);
    assert_int_equal(model_policy_group(&policy, "other"), MODEL_GROUP_NONE);
}

/* The figures of the presets, as the manual gives them; and no metric is ever without a threshold.
 */
static void test_presets(void **state)
{
    (void)state;
    static const struct {
        enum model_preset preset;
        const char *metric;
        double warning;
        double critical;
        bool is_absolute;
    } rows[] = {
        {MODEL_PRESET_DEFAULT, "time", 0.03, 0.10, false},
        {MODEL_PRESET_DEFAULT, "memory", 0.10, 0.30, false},
        {MODEL_PRESET_DEFAULT, "own", 0.03, 0.10, false},
        {MODEL_PRESET_STRICT, "time", 0.01, 0.03, false},
        {MODEL_PRESET_STRICT, "memory", 0.03, 0.10, false},
        {MODEL_PRESET_STRICT, "own", 0.01, 0.03, false},
        {MODEL_PRESET_COPYBOOK, "time", 0.05, 0.10, false},
        {MODEL_PRESET_COPYBOOK, "memory", 0.05, 0.10, false},
        {MODEL_PRESET_BITNET, "throughput", 0.08, 0.15, false},
        {MODEL_PRESET_BITNET, "item_rate", 0.08, 0.15, false},
        {MODEL_PRESET_BITNET, "throughput_tokens_per_second", 0.08, 0.15, false},
        {MODEL_PRESET_BITNET, "time", 0.15, 0.25, false},
        {MODEL_PRESET_BITNET, "p50", 0.15, 0.25, false},
        {MODEL_PRESET_BITNET, "p99.99", 0.15, 0.25, false},
        {MODEL_PRESET_BITNET, "first_token_latency_ms", 0.15, 0.25, false},
        {MODEL_PRESET_BITNET, "memory", 0.20, 0.30, false},
        {MODEL_PRESET_BITNET, "memory_usage_mb", 0.20, 0.30, false},
        {MODEL_PRESET_BITNET, "accuracy", 0.002, 0.005, true},
        {MODEL_PRESET_BITNET, "accuracy_score", 0.002, 0.005, true},
        /* Never by a part of the name: "items" holds "ms", "slow_throughput" a known word. */
        {MODEL_PRESET_BITNET, "items", 0.08, 0.15, false},
        {MODEL_PRESET_BITNET, "memory_accuracy_latency", 0.08, 0.15, false},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct model_policy policy = model_policy_preset(rows[i].preset);
        const struct model_metric_thresholds *found =
            model_policy_thresholds(&policy, "any", rows[i].metric);
        assert_non_null(found);
        if (found->warning.value != rows[i].warning || found->critical.value != rows[i].critical ||
            found->warning.is_absolute != rows[i].is_absolute ||
            found->critical.is_absolute != rows[i].is_absolute) {
            fail_msg("%s of %s", rows[i].metric, model_preset_name(rows[i].preset));
        }
    }
    for (int i = 0; i < MODEL_PRESET_COUNT; i++) {
        struct model_policy policy = model_policy_preset((enum model_preset)i);
        assert_int_equal(policy.preset, i);
        assert_int_equal(policy.inconclusive, MODEL_OUTCOME_FAIL);
        assert_int_equal(policy.missing, MODEL_OUTCOME_FAIL);
    }
    struct model_policy copybook = model_policy_preset(MODEL_PRESET_COPYBOOK);
    copybook.overrides = overrides;
    copybook.override_count = 1;
    assert_int_equal(model_policy_fail_at(&copybook, "parse/x"), MODEL_LEVEL_WARNING);
    assert_int_equal(model_policy_fail_at(&copybook, "write"), MODEL_LEVEL_CRITICAL);
}

/* The whole manual. */
static char *read_manual(struct arena *arena)
{
    static const char own_name[] = "tests/unit/test_policy_rules.c";
    const char *path = arena_printf(arena, "%.*sdocs/policy.md",
                                    (int)(strlen(__FILE__) - strlen(own_name)), __FILE__);
    FILE *file = fopen(path, "r");
    if (file == NULL) {
        fail_msg("no %s", path);
    }
    enum { BYTES_MAX = 100000 };
    char *text = arena_alloc(arena, BYTES_MAX + 1, 1);
    assert_true(fread(text, 1, BYTES_MAX, file) > 0);
    fclose(file);
    return text;
}

static void assert_in_manual(const char *manual, const char *line)
{
    if (strstr(manual, line) == NULL) {
        fail_msg("not in docs/policy.md: %s", line);
    }
}

/* "15 / 25 %" */
static const char *shown(struct arena *arena, enum model_preset preset, const char *metric)
{
    struct model_policy policy = model_policy_preset(preset);
    const struct model_metric_thresholds *row = model_policy_thresholds(&policy, "x", metric);
    return row->warning.is_absolute
               ? arena_printf(arena, "%g / %g absolute", row->warning.value, row->critical.value)
               : arena_printf(arena, "%g / %g %%", row->warning.value * 100,
                              row->critical.value * 100);
}

/* The manual's table of presets has the figures that judge, and names every metric of a class. */
static void test_manual(void **state)
{
    (void)state;
    static const char *const rows[][2] = {
        {"time and other latencies", "time"},
        {"rates", "throughput"},
        {"memory", "memory"},
        {"accuracy", "accuracy"},
        {"anything else", "own"},
    };
    struct arena arena = {0};
    const char *manual = read_manual(&arena);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const char *line = arena_printf(&arena, "| %s |", rows[i][0]);
        for (int p = 0; p < MODEL_PRESET_COUNT; p++) {
            line = arena_printf(&arena, "%s %s |", line,
                                shown(&arena, (enum model_preset)p, rows[i][1]));
        }
        assert_in_manual(manual, line);
    }
    const char *fail_at = "| `fail_at` |";
    const char *core = "| `fail_at_core` |";
    const char *added = "| `added` |";
    const char *conditions = "| `conditions` |";
    for (int p = 0; p < MODEL_PRESET_COUNT; p++) {
        struct model_policy policy = model_policy_preset((enum model_preset)p);
        const char *level = model_level_name(policy.fail_at_core);
        fail_at = arena_printf(&arena, "%s `%s` |", fail_at, model_level_name(policy.fail_at));
        core = level == NULL ? arena_printf(&arena, "%s |", core)
                             : arena_printf(&arena, "%s `%s` |", core, level);
        added = arena_printf(&arena, "%s `%s` |", added, model_outcome_name(policy.added));
        conditions =
            arena_printf(&arena, "%s `%s` |", conditions, model_conditions_name(policy.conditions));
        for (ptrdiff_t i = 0; i < policy.thresholds.count; i++) {
            const char *name = policy.thresholds.items[i].metric;
            assert_in_manual(
                manual, arena_printf(&arena, strcmp(name, "*") == 0 ? "`\"%s\"`" : "`%s`", name));
        }
    }
    assert_in_manual(manual, fail_at);
    assert_in_manual(manual, core);
    assert_in_manual(manual, added);
    assert_in_manual(manual, conditions);
    arena_free(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_match),
        cmocka_unit_test(test_match_hostile),
        cmocka_unit_test(test_thresholds),
        cmocka_unit_test(test_core),
        cmocka_unit_test(test_gated),
        cmocka_unit_test(test_waivers),
        cmocka_unit_test(test_manual),
        cmocka_unit_test(test_presets),
        cmocka_unit_test(test_renames_and_groups),
    };
    return cmocka_run_group_tests_name("policy_rules", tests, NULL, NULL);
}
