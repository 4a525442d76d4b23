/* The judge: levels, gate per comparison, waivers, absent benchmarks, exit codes. */
#include "judge_fixture.h"

/* Goal: the level is what the near end of the interval proves; none for other verdicts. */
static void test_level(void **state)
{
    (void)state;
    static const struct {
        double low, high;
        enum model_level level;
    } cases[] = {
        {1.11, 1.20, MODEL_LEVEL_CRITICAL},
        {1.10, 1.20, MODEL_LEVEL_WARNING}, /* exactly at the threshold is not beyond it */
        {1.04, 1.50, MODEL_LEVEL_WARNING}, /* the estimate is critical, the proof is not */
        {1.03, 1.50, MODEL_LEVEL_MINOR},
        {1.011, 1.02, MODEL_LEVEL_MINOR},
        {0.999, 1.001, MODEL_LEVEL_NONE},
        {0.5, 0.6, MODEL_LEVEL_NONE},
        {0.9, 1.5, MODEL_LEVEL_NONE},
    };
    struct fixture *f = fixture_new();
    ptrdiff_t count = (ptrdiff_t)(sizeof cases / sizeof *cases);
    for (ptrdiff_t i = 0; i < count; i++) {
        add_time(f, "b", cases[i].low, cases[i].high);
    }
    judge(f);
    for (ptrdiff_t i = 0; i < count; i++) {
        assert_int_equal(f->decision.items[i].level, cases[i].level);
    }
    assert_int_equal(f->decision.judgement->level, MODEL_LEVEL_CRITICAL);
    fixture_free(f);
}

/* Goal: a slowest tenth that is proven slower gives its level, too. */
static void test_level_of_tail(void **state)
{
    (void)state;
    struct fixture *f = fixture_new();
    struct model_comparison *c = add_time(f, "b", 0.999, 1.001);
    c->verdict = MODEL_REGRESSED;
    c->has_tail = true;
    c->tail_ratio = 1.2;
    c->tail_low = 1.15;
    c->tail_high = 1.3;
    const struct model_judgement *j = judge(f);
    assert_int_equal(f->decision.items[0].level, MODEL_LEVEL_CRITICAL);
    assert_int_equal(f->decision.items[0].gate, MODEL_GATE_FAIL);
    assert_non_null(strstr(f->decision.items[0].gate_reason, "slowest tenth"));
    assert_int_equal(j->exit_code, 1);
    fixture_free(f);
}

/* Goal: overrides and core benchmarks have their own limits. */
static void test_overrides_and_core(void **state)
{
    (void)state;
    struct fixture *f = fixture_new();
    struct model_metric_thresholds own = {
        .metric = "time",
        .warning = {.is_set = true, .value = 0.30, .unit = ""},
        .critical = {.is_set = true, .value = 0.50, .unit = ""},
    };
    struct model_policy_override overrides[] = {
        {.match = "slow/*", .thresholds = {&own, 1}},
        {.match = "core/*", .has_core = true, .is_core = true},
    };
    f->policy.overrides = overrides;
    f->policy.override_count = 2;
    f->policy.fail_at = MODEL_LEVEL_CRITICAL;
    f->policy.fail_at_core = MODEL_LEVEL_WARNING;
    add_time(f, "slow/x", 1.2, 1.21);
    add_time(f, "core/x", 1.05, 1.06);
    add_time(f, "other/x", 1.05, 1.06);
    judge(f);
    const struct model_comparison *items = f->decision.items;
    assert_int_equal(items[0].level, MODEL_LEVEL_MINOR);
    assert_int_equal(items[0].gate, MODEL_GATE_PASS);
    assert_true(items[0].limit == 0.50);
    assert_int_equal(items[1].gate, MODEL_GATE_FAIL);
    assert_true(items[1].limit == 0.03);
    assert_int_equal(items[2].level, MODEL_LEVEL_WARNING);
    assert_int_equal(items[2].gate, MODEL_GATE_PASS);
    assert_int_equal(f->decision.judgement->exit_code, 1);

    assert_true(judge_limit(&f->arena, &f->policy, "core/x", "time", "ns").value == 0.03);
    assert_true(judge_limit(&f->arena, &f->policy, "other/x", "time", "ns").value == 0.10);
    assert_true(judge_limit(&f->arena, &f->policy, "slow/x n=4", "time", "ns").value == 0.50);
    f->policy.fail_at = MODEL_LEVEL_MINOR;
    assert_true(judge_limit(&f->arena, &f->policy, "other/x", "time", "ns").value == 0.01);
    assert_false(judge_limit(&f->arena, &f->policy, "other/x", "minor_faults", "ns").is_set);
    fixture_free(f);
}

/* Goal: a metric with only one threshold is decided by that one, one without any by the band. */
static void test_limit_of_what_is_said(void **state)
{
    (void)state;
    struct arena arena = {0};
    struct model_policy policy = model_policy_default();
    struct model_metric_thresholds rows[] = {
        {.metric = "a", .warning = {.is_set = true, .value = 0.2, .unit = ""}},
        {.metric = "b", .critical = {.is_set = true, .is_absolute = true, .value = 3, .unit = ""}},
    };
    policy.thresholds = (struct model_threshold_list){rows, 2};
    policy.fail_at = MODEL_LEVEL_CRITICAL;
    assert_true(judge_limit(&arena, &policy, "x", "a", "1").value == 0.2);
    policy.fail_at = MODEL_LEVEL_WARNING;
    struct detect_limit b = judge_limit(&arena, &policy, "x", "b", "1");
    assert_true(b.is_set && b.is_absolute && b.value == 3);
    struct detect_limit other = judge_limit(&arena, &policy, "x", "c", "1");
    assert_true(other.is_set && !other.is_absolute && other.value == policy.min_effect);
    /* "2 ms absolute" is 2,000,000 ns, and 2 for a metric in milliseconds; bytes are no time. */
    rows[1].critical.value = 2e6;
    rows[1].critical.unit = "ns";
    assert_true(judge_limit(&arena, &policy, "x", "b", "ns").value == 2e6);
    assert_true(fabs(judge_limit(&arena, &policy, "x", "b", "ms").value - 2) < 1e-12);
    assert_false(judge_limit(&arena, &policy, "x", "b", "B").is_set);
    arena_free(&arena);
}

/* Goal: at the lowest level every proven regression fails, also that of a throughput, whose band
 * ends at 1/(1 + δ). */
static void test_minor(void **state)
{
    (void)state;
    struct fixture *f = fixture_new();
    f->policy.fail_at = MODEL_LEVEL_MINOR;
    struct model_comparison *c = add_time(f, "b", 0.985, 0.99005);
    c->better = MODEL_HIGHER_IS_BETTER;
    c->verdict = MODEL_REGRESSED;
    assert_int_equal(judge(f)->exit_code, 1);
    fixture_free(f);
}

/* Goal: what was not seen again on fresh launches is open; exact counts need no confirmation. */
static void test_confirmation(void **state)
{
    (void)state;
    struct fixture *f = fixture_new();
    add_time(f, "a", 1.05, 1.06)->is_confirmed = false;
    const struct model_judgement *j = judge(f);
    assert_int_equal(f->decision.items[0].gate, MODEL_GATE_OPEN);
    assert_non_null(strstr(f->decision.items[0].gate_reason, "not confirmed"));
    assert_int_equal(j->exit_code, 4);
    assert_int_equal(j->outcome, MODEL_GATE_OPEN);
    assert_string_equal(j->route.kind, "retry");

    add_count(f, "b", "time", 100, 120);
    j = judge(f);
    assert_int_equal(f->decision.items[1].gate, MODEL_GATE_FAIL);
    assert_int_equal(j->exit_code, 1);
    assert_string_equal(j->reason, "b time: counted (limit 3 %)");
    assert_true(says(j->notes, j->note_count, "not confirmed"));
    fixture_free(f);
}

/* Goal: what failed at first and not again is open, even where the second time looks fine. */
static void test_refuted(void **state)
{
    (void)state;
    struct fixture *f = fixture_new();
    struct model_comparison *c = add_time(f, "a", 0.999, 1.001);
    c->verdict = MODEL_INCONCLUSIVE;
    c->reason_code = "not-confirmed";
    c->reason = "first +5 %, then +0 %";
    c->is_confirmed = false;
    const struct model_judgement *j = judge(f);
    assert_int_equal(f->decision.items[0].gate, MODEL_GATE_OPEN);
    assert_string_equal(f->decision.items[0].gate_reason, "first +5 %, then +0 %");
    assert_int_equal(j->exit_code, 4);
    assert_non_null(strstr(j->route.reason, "not confirmed"));
    fixture_free(f);
}

/* Goal: a jump for the better passes, but not without a word. */
static void test_wild_improvement(void **state)
{
    (void)state;
    struct fixture *f = fixture_new();
    add_time(f, "a", 0.51, 0.52);
    const struct model_judgement *j = judge(f);
    assert_int_equal(j->exit_code, 0);
    assert_false(says(j->notes, j->note_count, "same work"));
    add_time(f, "b", 0.05, 0.06);
    j = judge(f);
    assert_int_equal(j->exit_code, 0);
    assert_true(says(j->notes, j->note_count, "b time is better by more than a factor of two"));
    f->decision.items[1].better = MODEL_HIGHER_IS_BETTER;
    f->decision.items[1].low = 17;
    f->decision.items[1].high = 18;
    j = judge(f);
    assert_true(says(j->notes, j->note_count, "b time is better by more than a factor of two"));
    fixture_free(f);
}

/* Goal: everything within its limit passes, with the number of comparisons in the reason. */
static void test_pass(void **state)
{
    (void)state;
    struct fixture *f = fixture_new();
    add_time(f, "a", 0.999, 1.001);
    add_time(f, "b", 0.98, 1.02); /* inconclusive about 1 %, but within 3 % */
    const struct model_judgement *j = judge(f);
    assert_int_equal(j->exit_code, 0);
    assert_int_equal(j->outcome, MODEL_GATE_PASS);
    assert_int_equal(j->level, MODEL_LEVEL_NONE);
    assert_string_equal(j->reason, "all 2 comparisons are within their limit");
    assert_string_equal(j->spread, "none");
    fixture_free(f);
}

/* Goal: what does not decide is shown, with its level, and never changes the outcome. */
static void test_not_gated(void **state)
{
    (void)state;
    struct fixture *f = fixture_new();
    add_time(f, "a", 0.999, 1.001);
    add_time(f, "b", 1.5, 1.6)->is_gated = false;
    add_invalid(f, "c")->is_gated = false;
    const struct model_judgement *j = judge(f);
    assert_int_equal(j->exit_code, 0);
    assert_int_equal(j->level, MODEL_LEVEL_NONE);
    assert_int_equal(f->decision.items[1].gate, MODEL_GATE_NONE);
    assert_int_equal(f->decision.items[1].level, MODEL_LEVEL_CRITICAL);
    assert_true(f->decision.items[1].limit < 0);
    assert_string_equal(j->spread, "none");
    fixture_free(f);
}

/* Goal: nothing compared is never green: no items, no gated ones, no metric of the gate. */
static void test_nothing_compared(void **state)
{
    (void)state;
    struct fixture *f = fixture_new();
    const struct model_judgement *j = judge(f);
    assert_int_equal(j->exit_code, 3);
    assert_int_equal(j->outcome, MODEL_GATE_OPEN);
    assert_non_null(strstr(j->reason, "nothing was compared"));

    add_time(f, "a", 0.999, 1.001)->is_gated = false;
    assert_int_equal(judge(f)->exit_code, 3);

    /* A requirement that is met does not make up for a gate that decides nothing. */
    add_benchmark(f, "a", "rate", "B/s", 5e9, 12);
    add_requirement(f, "a", "rate")->at_least = quantity(4e9, "B/s");
    assert_int_equal(judge(f)->exit_code, 3);
    fixture_free(f);
}

/* Goal: a metric that `gate:` names and nobody reports is not silently fine. */
static void test_gate_names_unknown_metric(void **state)
{
    (void)state;
    struct fixture *f = fixture_new();
    const char *names[] = {"time", "memroy"};
    f->policy.gate = (struct model_text_list){names, 2};
    add_time(f, "a", 0.999, 1.001);
    const struct model_judgement *j = judge(f);
    assert_int_equal(j->exit_code, 3);
    assert_non_null(strstr(j->reason, "memroy"));
    f->policy.gate.count = 1;
    assert_int_equal(judge(f)->exit_code, 0);
    fixture_free(f);
}

/* Goal: an invalid comparison, or NaN anywhere, is exit 3 or 4, never 0. */
static void test_invalid(void **state)
{
    (void)state;
    struct fixture *f = fixture_new();
    add_time(f, "a", 0.999, 1.001);
    add_invalid(f, "b");
    const struct model_judgement *j = judge(f);
    assert_int_equal(j->exit_code, 3);
    assert_int_equal(f->decision.items[1].gate, MODEL_GATE_OPEN);
    assert_non_null(strstr(j->reason, "b time: new crashed"));
    assert_string_equal(j->route.kind, "retry");

    f->decision.items[1] = f->decision.items[0];
    f->decision.items[1].low = NAN;
    assert_int_equal(judge(f)->exit_code, 4);

    struct model_metric_thresholds row = {.metric = "time",
                                          .warning = {.is_set = true, .value = NAN, .unit = ""}};
    f->decision.items[1] = f->decision.items[0];
    f->policy.thresholds = (struct model_threshold_list){&row, 1};
    assert_int_equal(judge(f)->exit_code, 4);
    fixture_free(f);
}

/* Goal: an absolute threshold in another unit of the same kind is converted, one of another kind is
 * no comparison. */
static void test_threshold_units(void **state)
{
    (void)state;
    struct fixture *f = fixture_new();
    struct model_metric_thresholds row = {
        .metric = "wait",
        .warning = {.is_set = true, .is_absolute = true, .value = 2e6, .unit = "ns"}};
    f->policy.thresholds = (struct model_threshold_list){&row, 1};
    struct model_comparison *c = add_time(f, "a", 1.05, 1.06);
    c->metric = "wait";
    c->unit = "ms"; /* 100 ms: 5 ms more at least, 2 ms allowed */
    judge(f);
    assert_int_equal(f->decision.items[0].gate, MODEL_GATE_FAIL);
    assert_true(fabs(f->decision.items[0].limit - 2) < 1e-9);
    assert_int_equal(f->decision.items[0].level, MODEL_LEVEL_WARNING);
    row.warning.value = 10e6;
    assert_int_equal(judge(f)->exit_code, 0);
    row.warning.unit = "B/s";
    const struct model_judgement *j = judge(f);
    assert_int_equal(j->exit_code, 3);
    assert_non_null(strstr(j->reason, "B/s"));
    assert_int_equal(f->decision.items[0].level, MODEL_LEVEL_NONE);
    fixture_free(f);
}

/* Goal: a waiver lets a failure pass until its last day, and is printed; then it is said. */
static void test_waiver(void **state)
{
    (void)state;
    struct fixture *f = fixture_new();
    struct model_policy_waiver waiver = {.match = "io/*",
                                         .metric = "time",
                                         .reason = "new fsync",
                                         .by = "A. Person",
                                         .until_date = TODAY};
    set_waivers(f, &waiver, 1);
    add_time(f, "io/write", 1.2, 1.3);
    add_time(f, "io/read", 1.2, 1.3);
    add_time(f, "parse", 0.999, 1.001);
    const struct model_judgement *j = judge(f);
    assert_int_equal(j->exit_code, 0);
    assert_int_equal(j->outcome, MODEL_GATE_PASS);
    assert_int_equal(j->level, MODEL_LEVEL_NONE); /* not waived: nothing */
    assert_int_equal(f->decision.items[0].gate, MODEL_GATE_WAIVED);
    assert_int_equal(f->decision.items[0].level, MODEL_LEVEL_CRITICAL);
    assert_string_equal(f->decision.items[0].waiver, "new fsync (A. Person, until 2027-01-31)");
    assert_null(f->decision.items[2].waiver);
    assert_int_equal(j->waiver_count, 1);
    assert_string_equal(j->waivers[0],
                        "io/write time and 1 more waived: new fsync (A. Person, until 2027-01-31)");
    assert_string_equal(j->reason, "1 of 3 comparisons are within their limit, 2 waived");
    assert_string_equal(j->route.kind, "document");

    waiver.until_date = TODAY - 1;
    j = judge(f);
    assert_int_equal(j->exit_code, 1);
    assert_int_equal(f->decision.items[0].gate, MODEL_GATE_FAIL);
    assert_non_null(strstr(f->decision.items[0].gate_reason, "its waiver ended on 2027-01-30"));
    assert_int_equal(j->waiver_count, 1);
    assert_non_null(strstr(j->waivers[0], "ended on 2027-01-30"));
    fixture_free(f);
}

/* Goal: a waiver is for its benchmark and metric only, never for what could not be compared; it
 * covers what is not decided, because that would pass either way. */
static void test_waiver_scope(void **state)
{
    (void)state;
    struct fixture *f = fixture_new();
    struct model_policy_waiver waiver = {
        .match = "io/*", .metric = "memory", .reason = "r", .by = "b", .until_date = TODAY};
    set_waivers(f, &waiver, 1);
    add_time(f, "io/x", 1.2, 1.3);
    assert_int_equal(judge(f)->exit_code, 1);
    waiver.metric = NULL;
    assert_int_equal(judge(f)->exit_code, 0);
    waiver.match = "io/y";
    assert_int_equal(judge(f)->exit_code, 1);
    waiver.match = "*";
    f->decision.items[0].low = 0.9;
    f->decision.items[0].verdict = MODEL_INCONCLUSIVE;
    assert_int_equal(judge(f)->exit_code, 0);
    assert_int_equal(f->decision.items[0].gate, MODEL_GATE_WAIVED);
    f->decision.items[0].verdict = MODEL_INVALID;
    assert_int_equal(judge(f)->exit_code, 3);
    fixture_free(f);
}

/* Goal: a benchmark that vanished is exit 3 by default; let through, it is said aloud. */
static void test_missing(void **state)
{
    (void)state;
    struct fixture *f = fixture_new();
    const char *missing[] = {"gone/a", "gone/b", "gone/c", "gone/d"};
    f->decision.missing = missing;
    f->decision.missing_count = 4;
    add_time(f, "a", 0.999, 1.001);
    const struct model_judgement *j = judge(f);
    assert_int_equal(j->exit_code, 3);
    assert_non_null(strstr(j->reason, "gone/a, gone/b, gone/c and 1 more"));

    f->policy.missing = MODEL_OUTCOME_PASS;
    j = judge(f);
    assert_int_equal(j->exit_code, 0);
    assert_int_equal(j->outcome, MODEL_GATE_PASS);
    assert_true(says(j->notes, j->note_count, "gone/a"));

    f->policy.missing = MODEL_OUTCOME_NEUTRAL;
    j = judge(f);
    assert_int_equal(j->exit_code, 0);
    assert_int_equal(j->outcome, MODEL_GATE_OPEN);
    assert_true(says(j->notes, j->note_count, "missing: neutral"));
    fixture_free(f);
}

/* Goal: the same for benchmarks that only new has; without a baseline all are, and that is 5. */
static void test_added(void **state)
{
    (void)state;
    struct fixture *f = fixture_new();
    const char *added[] = {"fresh"};
    f->decision.added = added;
    f->decision.added_count = 1;
    add_time(f, "a", 0.999, 1.001);
    const struct model_judgement *j = judge(f);
    assert_int_equal(j->exit_code, 0);
    assert_true(says(j->notes, j->note_count, "only new has fresh"));
    f->policy.added = MODEL_OUTCOME_FAIL;
    assert_int_equal(judge(f)->exit_code, 3);
    f->policy.added = MODEL_OUTCOME_NEUTRAL;
    assert_int_equal(judge(f)->outcome, MODEL_GATE_OPEN);
    fixture_free(f);
}

/* Goal: what is not decided is 4, or 0 where the policy lets it pass, and never without a word. */
static void test_inconclusive(void **state)
{
    (void)state;
    struct fixture *f = fixture_new();
    add_time(f, "a", 0.9, 1.2);
    const struct model_judgement *j = judge(f);
    assert_int_equal(j->exit_code, 4);
    assert_non_null(strstr(j->reason, "a time: could be 20 % worse (limit 3 %)"));

    f->policy.inconclusive = MODEL_OUTCOME_PASS;
    j = judge(f);
    assert_int_equal(j->exit_code, 0);
    assert_int_equal(j->outcome, MODEL_GATE_PASS);
    assert_non_null(strstr(j->reason, "inconclusive: pass"));
    assert_string_equal(j->route.kind, "document");

    f->policy.inconclusive = MODEL_OUTCOME_NEUTRAL;
    j = judge(f);
    assert_int_equal(j->exit_code, 0);
    assert_int_equal(j->outcome, MODEL_GATE_OPEN);
    assert_string_equal(j->route.kind, "retry");
    fixture_free(f);
}

/* Goal: a benchmark of new that crashed or failed its check is exit 3, compared or not. */
static void test_broken(void **state)
{
    (void)state;
    struct fixture *f = fixture_new();
    add_time(f, "a", 0.999, 1.001);
    struct model_benchmark *broken = add_benchmark(f, "b", "time", "ns", 5, 1);
    broken->state = MODEL_STATE_FAILED;
    broken->reason = "signal 11";
    const struct model_judgement *j = judge(f);
    assert_int_equal(j->exit_code, 3);
    assert_non_null(strstr(j->reason, "signal 11"));
    broken->state = MODEL_STATE_INVALID;
    assert_int_equal(judge(f)->exit_code, 3);
    broken->state = MODEL_STATE_SKIPPED;
    j = judge(f);
    assert_int_equal(j->exit_code, 0);
    assert_true(says(j->notes, j->note_count, "declined to run"));
    fixture_free(f);
}

/* Goal: the first code that applies wins, in the order 1, 3, 5, 4, 0; the others become notes. */
static void test_order_of_exit_codes(void **state)
{
    (void)state;
    struct fixture *f = fixture_new();
    add_time(f, "fails", 1.2, 1.3);
    add_invalid(f, "invalid");
    add_time(f, "open", 0.9, 1.2);
    add_time(f, "passes", 0.999, 1.001);
    f->context.has_baseline = false;
    const struct model_judgement *j = judge(f);
    assert_int_equal(j->exit_code, 1);
    assert_true(says(j->notes, j->note_count, "invalid time: new crashed"));
    f->decision.items[0].is_gated = false;
    assert_int_equal(judge(f)->exit_code, 3);
    f->decision.items[1].is_gated = false;
    assert_int_equal(judge(f)->exit_code, 5);
    f->context.has_baseline = true;
    assert_int_equal(judge(f)->exit_code, 4);
    f->decision.items[2].is_gated = false;
    assert_int_equal(judge(f)->exit_code, 0);
    fixture_free(f);
}

/* Goal: the reason names the worst failure and how many there are. */
static void test_reason(void **state)
{
    (void)state;
    struct fixture *f = fixture_new();
    add_time(f, "mild", 1.05, 1.06);
    add_time(f, "worst", 1.2, 1.3);
    add_time(f, "bad", 1.15, 1.3);
    const struct model_judgement *j = judge(f);
    assert_string_equal(j->reason,
                        "3 of 3 comparisons are beyond their limit; worst time is at least 20 % "
                        "worse (limit 3 %), confirmed on fresh launches");
    f->decision.count = 1;
    assert_string_equal(judge(f)->reason, "mild time is at least 5 % worse (limit 3 %), confirmed "
                                          "on fresh launches");
    fixture_free(f);
}

/* Goal: how many comparisons decide and what that costs is said, counted before the first look. */
static void test_correction(void **state)
{
    (void)state;
    struct fixture *f = fixture_new();
    add_time(f, "a", 0.999, 1.001);
    assert_string_equal(judge(f)->correction, "1 comparison decides, at 99 %");
    f->decision.gated_count = 20;
    assert_string_equal(judge(f)->correction,
                        "20 comparisons decide: screened at 99 % each, failures confirmed at "
                        "99.95 %, so that all of them together hold at 99 %");
    fixture_free(f);
}

/* Goal: learnt noise that raises a limit is said where it did. */
static void test_raised_limit(void **state)
{
    (void)state;
    struct fixture *f = fixture_new();
    struct model_comparison *c = add_time(f, "a", 1.035, 1.045);
    c->floor = 0.05;
    c->verdict = MODEL_INCONCLUSIVE;
    assert_int_equal(judge(f)->exit_code, 0);
    assert_non_null(
        strstr(f->decision.items[0].gate_reason, "raised to 5 % by the noise learnt here"));
    fixture_free(f);
}

/* Goal: judging twice gives the same: nothing is left over from the first time. */
static void test_again(void **state)
{
    (void)state;
    struct fixture *f = fixture_new();
    struct model_policy_waiver waiver = {
        .match = "*", .reason = "r", .by = "b", .until_date = TODAY};
    set_waivers(f, &waiver, 1);
    add_time(f, "a", 1.2, 1.3);
    assert_int_equal(judge(f)->exit_code, 0);
    f->policy.waiver_count = 0;
    assert_int_equal(judge(f)->exit_code, 1);
    assert_null(f->decision.items[0].waiver);
    fixture_free(f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_level),
        cmocka_unit_test(test_level_of_tail),
        cmocka_unit_test(test_overrides_and_core),
        cmocka_unit_test(test_limit_of_what_is_said),
        cmocka_unit_test(test_minor),
        cmocka_unit_test(test_confirmation),
        cmocka_unit_test(test_refuted),
        cmocka_unit_test(test_wild_improvement),
        cmocka_unit_test(test_pass),
        cmocka_unit_test(test_not_gated),
        cmocka_unit_test(test_nothing_compared),
        cmocka_unit_test(test_gate_names_unknown_metric),
        cmocka_unit_test(test_invalid),
        cmocka_unit_test(test_threshold_units),
        cmocka_unit_test(test_waiver),
        cmocka_unit_test(test_waiver_scope),
        cmocka_unit_test(test_missing),
        cmocka_unit_test(test_added),
        cmocka_unit_test(test_inconclusive),
        cmocka_unit_test(test_broken),
        cmocka_unit_test(test_order_of_exit_codes),
        cmocka_unit_test(test_reason),
        cmocka_unit_test(test_correction),
        cmocka_unit_test(test_raised_limit),
        cmocka_unit_test(test_again),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
