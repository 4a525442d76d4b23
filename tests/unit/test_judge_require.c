/* The judge: floors and ceilings held against what new measured. */
#include "judge_fixture.h"

static const double GIB = 1073741824;

/* A fixture with one comparison that passes, so that only requirements decide. */
static struct fixture *passing(void)
{
    struct fixture *f = fixture_new();
    add_time(f, "decode", 0.999, 1.001);
    return f;
}

/* Goal: a floor is met by the whole interval, missed by the whole interval, or not known. */
static void test_floor(void **state)
{
    (void)state;
    struct fixture *f = passing();
    add_benchmark(f, "decode", "throughput", "B/s", 4 * GIB, 12);
    struct model_policy_requirement *rule = add_requirement(f, "decode", "throughput");
    rule->at_least = quantity(3.9 * GIB, "B/s");
    const struct model_judgement *j = judge(f);
    assert_int_equal(j->exit_code, 0);
    assert_int_equal(j->requirement_count, 1);
    assert_int_equal(j->requirements[0].gate, MODEL_GATE_PASS);
    assert_string_equal(j->requirements[0].benchmark, "decode");
    assert_string_equal(j->requirements[0].bound, "at least 3.9 GiB/s");
    assert_non_null(strstr(j->requirements[0].found, "4.00 GiB/s ("));
    assert_non_null(strstr(j->reason, "1 of 1 requirements met"));

    rule->at_least.value = 4.1 * GIB;
    j = judge(f);
    assert_int_equal(j->exit_code, 1);
    assert_int_equal(j->outcome, MODEL_GATE_FAIL);
    assert_int_equal(j->requirements[0].gate, MODEL_GATE_FAIL);
    assert_string_equal(j->reason, "a requirement is not met");
    assert_string_equal(j->route.kind, "fix");
    assert_true(says(j->route.evidence, j->route.evidence_count, "required: at least 4.1 GiB/s"));

    /* The estimate is there, the interval reaches across. */
    rule->at_least.value = 0.9998 * 4 * GIB;
    assert_int_equal(judge(f)->requirements[0].gate, MODEL_GATE_OPEN);
    rule->at_least.value = 4 * GIB;
    j = judge(f);
    assert_int_equal(j->requirements[0].gate, MODEL_GATE_OPEN);
    assert_false(j->requirements[0].is_invalid);
    assert_int_equal(j->exit_code, 4);
    assert_string_equal(j->route.kind, "retry");
    f->policy.inconclusive = MODEL_OUTCOME_PASS;
    assert_int_equal(judge(f)->exit_code, 0);
    fixture_free(f);
}

/* Goal: the same for ceilings, and for both at once. */
static void test_ceiling(void **state)
{
    (void)state;
    struct fixture *f = passing();
    add_benchmark(f, "decode", "time", "ns", 9e6, 12);
    struct model_policy_requirement *rule = add_requirement(f, "decode", "time");
    rule->at_most = quantity(10e6, "ns");
    assert_int_equal(judge(f)->exit_code, 0);
    rule->at_most.value = 8e6;
    assert_int_equal(judge(f)->exit_code, 1);
    rule->at_most.value = 1.0002 * 9e6; /* the estimate is below, the interval reaches across */
    assert_int_equal(judge(f)->exit_code, 4);
    rule->at_least = quantity(8e6, "ns");
    rule->at_most.value = 10e6;
    assert_int_equal(judge(f)->exit_code, 0);
    assert_string_equal(f->decision.judgement->requirements[0].bound,
                        "at least 8 ms, at most 10 ms");
    rule->at_least.value = 9.5e6;
    assert_int_equal(judge(f)->exit_code, 1);
    fixture_free(f);
}

/* Goal: few launches never prove anything, however alike they are. */
static void test_too_few_launches(void **state)
{
    (void)state;
    struct fixture *f = passing();
    add_benchmark(f, "decode", "throughput", "B/s", 4 * GIB, 5);
    struct model_policy_requirement *rule = add_requirement(f, "decode", "throughput");
    rule->at_least = quantity(1, "B/s");
    const struct model_judgement *j = judge(f);
    assert_int_equal(j->exit_code, 4);
    assert_non_null(strstr(j->requirements[0].reason, "5 launches are too few"));
    rule->at_least.value = 100 * GIB;
    assert_int_equal(judge(f)->exit_code, 4);
    fixture_free(f);
}

/* Goal: exact counts are held against a bound by their value, at the bound is met; two different
 * counts are none. */
static void test_exact(void **state)
{
    (void)state;
    struct fixture *f = passing();
    struct model_benchmark *benchmark = add_benchmark(f, "decode", "allocations", "1", 0, 1);
    benchmark->metrics[0].is_exact = true;
    struct model_policy_requirement *rule = add_requirement(f, "*", "allocations");
    rule->at_most = quantity(0, "");
    assert_int_equal(judge(f)->exit_code, 0);
    benchmark->metrics[0].values[0] = 1;
    assert_int_equal(judge(f)->exit_code, 1);
    rule->at_most.value = 1;
    assert_int_equal(judge(f)->exit_code, 0);
    model_metric_add(&f->arena, &benchmark->metrics[0], 2, 1);
    const struct model_judgement *j = judge(f);
    assert_int_equal(j->exit_code, 3);
    assert_true(j->requirements[0].is_invalid);
    fixture_free(f);
}

/* Goal: a bound exactly at what was counted is met, whatever binary fractions make of it. */
static void test_exactly_at_the_bound(void **state)
{
    (void)state;
    struct fixture *f = passing();
    struct model_benchmark *benchmark = add_benchmark(f, "decode", "share", "1", 0.1 + 0.2, 1);
    benchmark->metrics[0].is_exact = true;
    benchmark->metrics[0].values[0] = 0.1 + 0.2;
    add_requirement(f, "decode", "share")->at_most = quantity(0.3, "");
    assert_true(0.1 + 0.2 > 0.3);
    assert_int_equal(judge(f)->exit_code, 0);
    fixture_free(f);
}

/* Goal: a requirement that finds no benchmark or no metric is exit 3 with its reason. */
static void test_finds_nothing(void **state)
{
    (void)state;
    struct fixture *f = passing();
    add_benchmark(f, "decode", "throughput", "B/s", 4 * GIB, 12);
    struct model_policy_requirement *rule = add_requirement(f, "decoed", "throughput");
    rule->at_least = quantity(1, "B/s");
    const struct model_judgement *j = judge(f);
    assert_int_equal(j->exit_code, 3);
    assert_string_equal(j->requirements[0].benchmark, "decoed");
    assert_true(j->requirements[0].is_invalid);
    assert_non_null(strstr(j->requirements[0].reason, "no benchmark of new"));
    assert_non_null(strstr(j->reason, "1 requirement could not be checked"));

    rule->match = "decode";
    rule->metric = "througput";
    j = judge(f);
    assert_int_equal(j->exit_code, 3);
    assert_non_null(strstr(j->requirements[0].reason, "no benchmark that this means has"));

    rule->metric = "throughput";
    assert_int_equal(judge(f)->exit_code, 0);
    /* Where one of several has the metric, the others are said. */
    add_benchmark(f, "encode", "time", "ns", 5, 12);
    f->policy.requirements[0].match = "*code";
    j = judge(f);
    assert_int_equal(j->exit_code, 0);
    assert_true(says(j->notes, j->note_count, "not checked where it is not reported: encode"));
    fixture_free(f);
}

/* Goal: units of one kind are converted, of another kind are no comparison. */
static void test_units(void **state)
{
    (void)state;
    struct fixture *f = passing();
    add_benchmark(f, "decode", "wait", "ms", 5, 12);
    struct model_policy_requirement *rule = add_requirement(f, "decode", "wait");
    rule->at_most = quantity(6e6, "ns");
    assert_int_equal(judge(f)->exit_code, 0);
    rule->at_most.value = 4e6;
    assert_int_equal(judge(f)->exit_code, 1);
    rule->at_most = quantity(6, ""); /* the metric's own */
    assert_int_equal(judge(f)->exit_code, 0);
    rule->at_most = quantity(6e9, "B/s");
    const struct model_judgement *j = judge(f);
    assert_int_equal(j->exit_code, 3);
    assert_non_null(strstr(j->requirements[0].reason, "in ms"));
    rule->at_most = quantity(NAN, "ns");
    assert_int_equal(judge(f)->exit_code, 3);
    rule->at_most.is_set = false; /* no bound at all */
    assert_int_equal(judge(f)->exit_code, 3);
    fixture_free(f);
}

/* Goal: what is not to be believed meets nothing: broken benchmark, invalid metric, NaN, nothing.
 */
static void test_not_to_be_believed(void **state)
{
    (void)state;
    struct fixture *f = passing();
    struct model_benchmark *benchmark = add_benchmark(f, "decode", "rate", "1/s", 100, 12);
    add_requirement(f, "decode", "rate")->at_least = quantity(1, "");
    assert_int_equal(judge(f)->exit_code, 0);
    benchmark->metrics[0].invalid_reason = "deleted loop";
    const struct model_judgement *j = judge(f);
    assert_int_equal(j->exit_code, 3);
    assert_string_equal(j->requirements[0].reason, "deleted loop");
    benchmark->metrics[0].invalid_reason = NULL;
    benchmark->metrics[0].values[3] = NAN;
    assert_int_equal(judge(f)->exit_code, 3);
    benchmark->metrics[0].values[3] = 100;
    benchmark->state = MODEL_STATE_SKIPPED;
    assert_int_equal(judge(f)->exit_code, 3);
    benchmark->state = MODEL_STATE_OK;
    benchmark->metrics[0].count = 0;
    assert_int_equal(judge(f)->exit_code, 4);
    benchmark->metric_count = 0; /* its turn never came */
    assert_int_equal(judge(f)->exit_code, 4);
    fixture_free(f);
}

/* Goal: without a baseline a floor that is missed is still 1; one that is met is no comparison. */
static void test_without_baseline(void **state)
{
    (void)state;
    struct fixture *f = fixture_new();
    f->context.has_baseline = false;
    const struct model_judgement *j = judge(f);
    assert_int_equal(j->exit_code, 5);
    assert_string_equal(j->route.kind, "summarize");
    add_benchmark(f, "decode", "rate", "1/s", 100, 12);
    struct model_policy_requirement *rule = add_requirement(f, "decode", "rate");
    rule->at_least = quantity(200, "");
    assert_int_equal(judge(f)->exit_code, 1);
    rule->at_least.value = 50;
    j = judge(f);
    assert_int_equal(j->exit_code, 5);
    assert_non_null(strstr(j->reason, "1 of 1 requirements met"));
    fixture_free(f);
}

/* Goal: where old has nothing in common with new, requirements decide alone, and that is said. */
static void test_requirements_alone(void **state)
{
    (void)state;
    struct fixture *f = fixture_new();
    add_benchmark(f, "decode", "rate", "1/s", 100, 12);
    add_requirement(f, "decode", "rate")->at_least = quantity(50, "");
    const struct model_judgement *j = judge(f);
    assert_int_equal(j->exit_code, 0);
    assert_non_null(strstr(j->reason, "nothing was compared with old; 1 of 1 requirements met"));
    f->policy.requirements[0].match = "other";
    assert_int_equal(judge(f)->exit_code, 3);
    fixture_free(f);
}

/* Goal: a waiver is about a change; it does not lift a floor. */
static void test_waiver_lifts_no_floor(void **state)
{
    (void)state;
    struct fixture *f = passing();
    struct model_policy_waiver waiver = {
        .match = "*", .reason = "r", .by = "b", .until_date = TODAY};
    set_waivers(f, &waiver, 1);
    add_benchmark(f, "decode", "rate", "1/s", 100, 12);
    add_requirement(f, "decode", "rate")->at_least = quantity(200, "");
    assert_int_equal(judge(f)->exit_code, 1);
    fixture_free(f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_floor),
        cmocka_unit_test(test_ceiling),
        cmocka_unit_test(test_too_few_launches),
        cmocka_unit_test(test_exact),
        cmocka_unit_test(test_exactly_at_the_bound),
        cmocka_unit_test(test_finds_nothing),
        cmocka_unit_test(test_units),
        cmocka_unit_test(test_not_to_be_believed),
        cmocka_unit_test(test_without_baseline),
        cmocka_unit_test(test_requirements_alone),
        cmocka_unit_test(test_waiver_lifts_no_floor),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
