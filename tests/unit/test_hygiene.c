/* What speaks against a baseline: each finding alone, and none for a good one. */
#include "detect/hygiene.h"
#include "store_fixture.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

/* A run with nothing wrong: clean commit, eight steady launches. */
static struct model_run good_run(struct arena *arena)
{
    struct model_run run = fixture_run(arena, 0);
    run.state = MODEL_RUN_COMPLETE;
    run.commit.is_dirty = false;
    fixture_benchmark(arena, &run, 0, 8, 5);
    fixture_benchmark(arena, &run, 1, 8, 5);
    return run;
}

/* The codes of all findings, with commas; the texts in *texts. */
static const char *codes(struct arena *arena, const struct hygiene_input *input, const char **texts)
{
    struct hygiene_findings findings;
    hygiene_check(arena, input, &findings);
    const char *all = "";
    *texts = "";
    for (ptrdiff_t i = 0; i < findings.count; i++) {
        all = arena_printf(arena, "%s%s%s", all, i > 0 ? "," : "", findings.items[i].code);
        *texts = arena_printf(arena, "%s%s\n", *texts, findings.items[i].text);
    }
    return all;
}

static void test_good(void **state)
{
    (void)state;
    struct arena arena = {0};
    struct model_run run = good_run(&arena);
    struct model_run now = fixture_run(&arena, 1);
    const char *texts;
    const struct hygiene_input input = {
        .run = &run, .now = &now, .tare_version = "0.1.0", .rerun_count = 3};
    assert_string_equal(codes(&arena, &input, &texts), "");
    arena_free(&arena);
}

static void spoil_dirty(struct arena *arena, struct model_run *run)
{
    (void)arena;
    run->commit.is_dirty = true;
}

static void spoil_commit(struct arena *arena, struct model_run *run)
{
    (void)arena;
    run->commit.is_known = false;
}

static void spoil_state(struct arena *arena, struct model_run *run)
{
    (void)arena;
    run->state = MODEL_RUN_RUNNING;
}

static void spoil_benchmark(struct arena *arena, struct model_run *run)
{
    (void)arena;
    run->benchmarks[1].state = MODEL_STATE_FAILED;
}

static void spoil_launches(struct arena *arena, struct model_run *run)
{
    fixture_benchmark(arena, run, 2, 7, 5);
}

static void spoil_interval(struct arena *arena, struct model_run *run)
{
    (void)arena;
    struct model_metric *time = &run->benchmarks[0].metrics[0];
    for (ptrdiff_t i = 0; i < time->count; i++) {
        time->values[i] *= time->launches[i] % 2 == 0 ? 1.0 : 1.3;
    }
}

static void spoil_steal(struct arena *arena, struct model_run *run)
{
    (void)arena;
    for (ptrdiff_t i = 0; i < 2; i++) {
        for (ptrdiff_t j = 0; j < run->benchmarks[i].launch_count; j++) {
            run->benchmarks[i].launches[j].steal_ratio = 0.07;
        }
    }
}

static void spoil_conditions(struct arena *arena, struct model_run *run)
{
    model_field_set(arena, &run->machine.conditions, "kernel", "5.4.\x1b[0m");
    model_field_set(arena, &run->machine.conditions, "compiler", "gcc 12"); /* not known of now */
    model_field_set(arena, &run->machine.conditions, "load_1min", "9.0");   /* changes always */
}

static void spoil_version(struct arena *arena, struct model_run *run)
{
    (void)arena;
    run->tare_version = "0.0.9";
}

static void test_each_finding(void **state)
{
    (void)state;
    static const struct {
        void (*spoil)(struct arena *arena, struct model_run *run);
        const char *code;
        const char *text;
    } cases[] = {
        {spoil_dirty, "dirty", "uncommitted changes"},
        {spoil_commit, "no-commit", "its commit is not known"},
        {spoil_state, "incomplete", "running or was killed"},
        {spoil_benchmark, "failed-benchmarks", "1 of its 2 benchmarks"},
        {spoil_launches, "few-launches", "1 of 3 benchmarks have fewer than 8 launches"},
        {spoil_interval, "wide-intervals", "1 of 2 benchmarks are known to no better than ±3 %"},
        {spoil_steal, "steal", "took 7 % of the CPU time"},
        {spoil_conditions, "conditions", "(kernel 5.4.\\x1b[0m → 6.1.0)"},
        {spoil_version, "other-version", "measured by tare 0.0.9, and this is 0.1.0"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct arena arena = {0};
        struct model_run run = good_run(&arena);
        struct model_run now = fixture_run(&arena, 1);
        const struct hygiene_input input = {
            .run = &run, .now = &now, .tare_version = "0.1.0", .rerun_count = 3};
        cases[i].spoil(&arena, &run);
        const char *texts;
        assert_string_equal(codes(&arena, &input, &texts), cases[i].code);
        if (strstr(texts, cases[i].text) == NULL) {
            fail_msg("expected \"%s\" in \"%s\"", cases[i].text, texts);
        }
        arena_free(&arena);
    }
}

/* Of another machine's baseline, today's conditions say nothing; reruns are said when few are
 * known. */
static void test_other_machine_and_reruns(void **state)
{
    (void)state;
    struct arena arena = {0};
    struct model_run run = good_run(&arena);
    spoil_conditions(&arena, &run);
    const char *texts;
    struct hygiene_input input = {.run = &run, .tare_version = "0.1.0", .rerun_count = -1};
    assert_string_equal(codes(&arena, &input, &texts), "");
    input.rerun_count = 1;
    assert_string_equal(codes(&arena, &input, &texts), "no-reruns");
    assert_non_null(strstr(texts, "1 run of its commit is in the store"));
    input.rerun_count = 2;
    assert_string_equal(codes(&arena, &input, &texts), "no-reruns");
    assert_non_null(strstr(texts, "2 runs of its commit are in the store"));
    arena_free(&arena);
}

/* An interval of thousands of percent is said to be beyond 100, not to the digit. */
static void test_absurd_interval(void **state)
{
    (void)state;
    struct arena arena = {0};
    struct model_run run = good_run(&arena);
    struct model_metric *time = &run.benchmarks[0].metrics[0];
    for (ptrdiff_t i = 0; i < time->count; i++) {
        time->values[i] *= time->launches[i] % 2 == 0 ? 1.0 : 1000.0;
    }
    const char *texts;
    const struct hygiene_input input = {.run = &run, .tare_version = "0.1.0", .rerun_count = 3};
    assert_string_equal(codes(&arena, &input, &texts), "wide-intervals");
    assert_non_null(strstr(texts, "(the worst to ±100 % or worse)"));
    arena_free(&arena);
}

static void test_age_text(void **state)
{
    (void)state;
    struct arena arena = {0};
    assert_string_equal(hygiene_age_text(&arena, 94, 312, NULL),
                        "this baseline is 94 days and 312 commits old");
    assert_string_equal(hygiene_age_text(&arena, 1, 1, NULL),
                        "this baseline is 1 day and 1 commit old");
    assert_string_equal(hygiene_age_text(&arena, 0, -1, "its commit is not in this repository"),
                        "this baseline is 0 days old; its commit is not in this repository");
    assert_string_equal(hygiene_age_text(&arena, 2, -1, NULL), "this baseline is 2 days old");
    arena_free(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_good),
        cmocka_unit_test(test_each_finding),
        cmocka_unit_test(test_other_machine_and_reruns),
        cmocka_unit_test(test_absurd_interval),
        cmocka_unit_test(test_age_text),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
