/* The judge: how far a regression spreads, groups, routes, evidence. */
#include "judge_fixture.h"

/* Goal: one benchmark that got worse is localised; most of at least three is system-wide; several
 * metrics of one benchmark count once. */
static void test_spread(void **state)
{
    (void)state;
    static const char *const names[] = {"a", "b", "c", "d", "e", "f"};
    struct fixture *f = fixture_new();
    for (int i = 0; i < 6; i++) {
        add_time(f, names[i], 0.999, 1.001);
    }
    assert_string_equal(judge(f)->spread, "none");
    static const char *const expected[] = {"localised", "localised", "localised", "system-wide"};
    for (int i = 0; i < 4; i++) { /* three of six are not more than half */
        f->decision.items[i].low = 1.05;
        f->decision.items[i].high = 1.06;
        f->decision.items[i].ratio = 1.055;
        f->decision.items[i].verdict = MODEL_REGRESSED;
        assert_string_equal(judge(f)->spread, expected[i]);
    }
    fixture_free(f);

    f = fixture_new();
    add_time(f, "a", 1.05, 1.06);
    add_time(f, "b", 1.05, 1.06);
    assert_string_equal(judge(f)->spread, "localised"); /* all of two says nothing */
    static const char *const metrics[] = {"p50", "p99", "max"};
    for (int i = 0; i < 3; i++) {
        add_time(f, "a", 1.05, 1.06)->metric = metrics[i];
    }
    assert_string_equal(judge(f)->spread, "localised");
    add_time(f, "c", 1.05, 1.06)->is_gated = false;
    assert_string_equal(judge(f)->spread, "localised");
    f->decision.items[5].is_gated = true;
    assert_string_equal(judge(f)->spread, "system-wide");
    /* The other direction is no regression. */
    f->decision.items[5].verdict = MODEL_IMPROVED;
    assert_string_equal(judge(f)->spread, "localised");
    fixture_free(f);
}

/* Goal: each outcome has its route, by the policy's name for it. */
static void test_routes(void **state)
{
    (void)state;
    struct fixture *f = fixture_new();
    add_time(f, "a", 0.999, 1.001);
    const struct model_judgement *j = judge(f);
    assert_string_equal(j->route.kind, "finalize");
    assert_string_equal(j->route.name, "test-finalizer");
    f->policy.routes[MODEL_ROUTE_FINALIZE] = "ship-it";
    assert_string_equal(judge(f)->route.name, "ship-it");

    add_time(f, "b", 1.02, 1.025); /* minor: within the threshold */
    j = judge(f);
    assert_int_equal(j->exit_code, 0);
    assert_string_equal(j->route.kind, "promote");
    assert_true(says(j->route.evidence, j->route.evidence_count, "perf: b time"));

    f->policy.fail_at = MODEL_LEVEL_CRITICAL;
    add_time(f, "c", 1.05, 1.06); /* a warning, within the budget */
    j = judge(f);
    assert_int_equal(j->exit_code, 0);
    assert_string_equal(j->route.kind, "document");

    f->policy.fail_at = MODEL_LEVEL_WARNING;
    j = judge(f);
    assert_string_equal(j->route.kind, "fix");
    assert_non_null(strstr(j->route.reason, "localised: 2 of 3 benchmarks got worse"));
    assert_true(says(j->route.evidence, j->route.evidence_count, "perf: c time"));
    assert_false(says(j->route.evidence, j->route.evidence_count, "perf: b time"));

    add_time(f, "d", 1.05, 1.06);
    j = judge(f);
    assert_string_equal(j->route.kind, "fix");
    assert_non_null(strstr(j->route.reason, "system-wide: 3 of 4"));
    fixture_free(f);
}

/* Goal: quality lost goes its own way, before speed. */
static void test_accuracy(void **state)
{
    (void)state;
    struct fixture *f = fixture_new();
    f->policy.thresholds = model_policy_preset(MODEL_PRESET_BITNET).thresholds;
    add_time(f, "infer", 1.5, 1.6);
    assert_string_equal(judge(f)->route.kind, "fix");
    struct model_comparison *c = add_time(f, "infer", 0.99, 0.995);
    c->metric = "accuracy";
    c->unit = "1";
    c->better = MODEL_HIGHER_IS_BETTER;
    c->old_side.median = 0.99;
    c->verdict = MODEL_INCONCLUSIVE; /* about 1 %, but not about 0.002 */
    const struct model_judgement *j = judge(f);
    assert_int_equal(f->decision.items[1].gate, MODEL_GATE_FAIL);
    assert_true(f->decision.items[1].is_limit_absolute);
    assert_string_equal(j->route.kind, "accuracy");
    assert_non_null(strstr(j->route.reason, "1 of 2 failures"));
    fixture_free(f);
}

/* Goal: a GPU's route is taken when a benchmark says so, whole word for whole word, and nothing
 * else failed. */
static void test_gpu(void **state)
{
    (void)state;
    static const struct {
        const char *name, *parameter, *value, *kind;
    } cases[] = {
        {"gpu:matmul", NULL, NULL, "gpu"},     {"matmul", "device", "cuda", "gpu"},
        {"matmul", "device", "cuda:1", "gpu"}, {"matmul", "backend", "gpu", "gpu"},
        {"kernels/rope", NULL, NULL, "gpu"}, /* by the policy's group */
        {"gpu_matmul", NULL, NULL, "fix"},     {"bench:gpu", NULL, NULL, "fix"},
        {"matmul", "device", "cudax", "fix"},  {"matmul", "device", "cpu", "fix"},
        {"matmul", "nodevice", "gpu", "fix"},  {"matmul", "size", "gpu", "fix"},
    };
    const char *patterns[] = {"kernels/*"};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct fixture *f = fixture_new();
        f->policy.gpu = (struct model_text_list){patterns, 1};
        struct model_parameter parameter = {cases[i].parameter, cases[i].value};
        struct model_comparison *c = add_time(f, cases[i].name, 1.2, 1.3);
        c->parameters = &parameter;
        c->parameter_count = cases[i].parameter != NULL;
        assert_string_equal(judge(f)->route.kind, cases[i].kind);
        add_time(f, "plain", 1.2, 1.3);
        assert_string_equal(judge(f)->route.kind, "fix");
        fixture_free(f);
    }
}

/* Goal: groups are averaged on the log scale, each metric for itself, and disagreement is said. */
static void test_groups(void **state)
{
    (void)state;
    const char *synthetic[] = {"micro/*"};
    const char *realistic[] = {"replay/*"};
    struct fixture *f = fixture_new();
    f->policy.synthetic = (struct model_text_list){synthetic, 1};
    f->policy.realistic = (struct model_text_list){realistic, 1};
    add_time(f, "micro/a", 1.21, 1.21);
    add_time(f, "micro/b", 1, 1);
    add_time(f, "replay/a", 0.999, 1.001);
    add_time(f, "neither", 5, 6);
    add_time(f, "replay/a", 3, 3)->metric = "memory";
    const struct model_judgement *j = judge(f);
    /* √(1.21 × 1) = 1.1 */
    assert_true(says(j->notes, j->note_count,
                     "time, geometric mean: synthetic benchmarks +10.0% (+10.0% … +10.0%, 1 of 2 "
                     "regressed), realistic +0.0% (−0.1% … +0.1%, 0 of 1 regressed)"));
    assert_true(says(j->notes, j->note_count,
                     "the groups disagree: synthetic benchmarks regressed in time, realistic ones "
                     "did not"));
    assert_false(says(j->notes, j->note_count, "memory"));

    f->decision.items[2].verdict = MODEL_REGRESSED;
    j = judge(f);
    assert_false(says(j->notes, j->note_count, "disagree"));

    f->decision.items[0].verdict = f->decision.items[1].verdict = MODEL_IMPROVED;
    f->decision.items[2].verdict = MODEL_EQUIVALENT;
    j = judge(f);
    assert_true(says(j->notes, j->note_count, "synthetic benchmarks improved in time"));
    fixture_free(f);
}

/* Goal: evidence lines have the grammar other tools read. */
static void test_evidence(void **state)
{
    (void)state;
    struct fixture *f = fixture_new();
    struct model_parameter parameter = {"n", "4"};
    struct model_comparison *c = add_time(f, "parse", 1.035, 1.049);
    c->parameters = &parameter;
    c->parameter_count = 1;
    add_count(f, "load", "steps", 0, 5);
    add_time(f, "same", 0.999, 1.001);
    judge(f);
    struct model_comparison *items = f->decision.items;
    assert_string_equal(judge_evidence(&f->arena, &items[0]),
                        "perf: parse n=4 time: 104 ns; Δ vs baseline: +4.2% (+3.5% … +4.9%); "
                        "limit: 3 %");
    assert_string_equal(judge_evidence(&f->arena, &items[1]),
                        "perf: load steps: 5.00; Δ vs baseline: 0 → 5; limit: 3 %");
    assert_string_equal(judge_evidence_summary(&f->arena, &f->decision),
                        "perf: 3 comparisons: 1 within limits, 2 beyond limits; Δ vs baseline: "
                        "+4.2% (worst: parse n=4 time)");
    items[0].verdict = MODEL_INVALID;
    items[0].new_side.count = 0;
    items[0].limit = -1;
    assert_string_equal(judge_evidence(&f->arena, &items[0]),
                        "perf: parse n=4 time: not measured; Δ vs baseline: not known: the "
                        "interval is what it is");
    f->decision.count = 0;
    assert_string_equal(judge_evidence_summary(&f->arena, &f->decision),
                        "perf: nothing was compared; Δ vs baseline: not known");
    fixture_free(f);
}

/* Goal: a route does not carry thousands of lines. */
static void test_evidence_is_bounded(void **state)
{
    (void)state;
    struct fixture *f = fixture_new();
    for (int i = 0; i < 50; i++) {
        add_time(f, arena_printf(&f->arena, "b%d", i), 1.2, 1.3);
    }
    add_time(f, "worst", 1.4, 1.5);
    const struct model_judgement *j = judge(f);
    assert_int_equal(j->route.evidence_count, 12);
    assert_non_null(strstr(j->route.evidence[1], "perf: worst time"));
    assert_string_equal(j->route.evidence[11], "perf: 41 more of the kind");
    fixture_free(f);
}

/* Goal: fifty thousand comparisons are judged without a look at every pair of them (the test would
 * not end). */
static void test_many(void **state)
{
    (void)state;
    struct fixture *f = fixture_new();
    static const char *const metrics[] = {"time", "memory", "p50", "p99", "max"};
    struct model_policy_waiver waiver = {
        .match = "none/*", .reason = "r", .by = "b", .until_date = TODAY};
    set_waivers(f, &waiver, 1);
    for (int i = 0; i < 10000; i++) {
        const char *name = arena_printf(&f->arena, "suite:bench/%d", i);
        for (int m = 0; m < 5; m++) {
            add_time(f, name, i % 100 == 0 ? 1.2 : 0.999, i % 100 == 0 ? 1.3 : 1.001)->metric =
                metrics[m];
        }
        add_benchmark(f, name, "rate", "1/s", 100, 8);
    }
    add_requirement(f, "*", "rate")->at_least = quantity(50, "");
    const struct model_judgement *j = judge(f);
    assert_int_equal(j->exit_code, 1);
    assert_string_equal(j->spread, "localised");
    assert_int_equal(j->requirement_count, 10000);
    assert_non_null(strstr(j->reason, "500 of 50000"));
    assert_non_null(strstr(j->route.reason, "100 of 10000 benchmarks"));
    fixture_free(f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_spread),
        cmocka_unit_test(test_routes),
        cmocka_unit_test(test_accuracy),
        cmocka_unit_test(test_gpu),
        cmocka_unit_test(test_groups),
        cmocka_unit_test(test_evidence),
        cmocka_unit_test(test_evidence_is_bounded),
        cmocka_unit_test(test_many),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
