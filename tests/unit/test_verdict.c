/* Goal: paired samples get the verdict that the band and the interval give them, for times and for
 * throughputs, for exact counts, for partial slowdowns and for everything that has no ratio.
 * Method: simulated launches with fixed seeds. */
#include "base/random.h"
#include "detect/verdict.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

enum { ROUNDS = 20 };

struct world {
    double effect;    /* new is exp(effect) times old */
    double launch_sd; /* of each side's placement */
    double round_sd;
    double slow_share; /* of new's rounds that take longer */
    double slow_ratio; /* how many times as long; 0: 1.3 */
    ptrdiff_t launches;
    ptrdiff_t rounds;
    enum model_better better;
    bool is_inverted; /* a throughput: reciprocal of the time */
    const char *new_unit;
};

static struct arena arena;

static struct model_benchmark *benchmark_new(void)
{
    struct model_benchmark *benchmark = ARENA_NEW(&arena, struct model_benchmark);
    *benchmark = (struct model_benchmark){.suite = "", .name = "b", .variant = "", .iterations = 1};
    return benchmark;
}

static struct model_comparison compare(const struct world *w, double band)
{
    struct random random = random_seeded(42);
    struct model_benchmark *sides[2] = {benchmark_new(), benchmark_new()};
    const char *units[2] = {"x", w->new_unit != NULL ? w->new_unit : "x"};
    for (ptrdiff_t launch = 0; launch < w->launches; launch++) {
        double placement[2] = {w->launch_sd * random_normal(&random),
                               w->effect + w->launch_sd * random_normal(&random)};
        for (int side = 0; side < 2; side++) {
            model_launch_add(&arena, sides[side], (struct model_launch){0});
        }
        for (ptrdiff_t round = 0; round < (w->rounds > 0 ? w->rounds : ROUNDS); round++) {
            for (int side = 0; side < 2; side++) {
                double log_time = placement[side] + w->round_sd * random_normal(&random);
                bool is_slow = side == 1 && random_unit(&random) < w->slow_share;
                double value =
                    1000 *
                    exp(log_time + (is_slow ? log(w->slow_ratio > 0 ? w->slow_ratio : 1.3) : 0));
                struct model_metric *metric =
                    model_metric_get(&arena, sides[side], "m", units[side], w->better, false);
                model_metric_add(&arena, metric, w->is_inverted ? 1e9 / value : value,
                                 (int32_t)launch);
            }
        }
    }
    const struct detect_rule rule = {.alpha = 0.01, .band = band};
    struct model_comparison comparison;
    detect_paired(&arena, sides[0], sides[1], "m", &rule, &comparison);
    return comparison;
}

static const struct world steady = {.launch_sd = 0.002, .round_sd = 0.005, .launches = 27};

static int tear_down(void **state)
{
    (void)state;
    arena_free(&arena);
    return 0;
}

static void test_times(void **state)
{
    (void)state;
    struct world w = steady;
    assert_int_equal(compare(&w, 0.01).verdict, MODEL_EQUIVALENT);
    w.effect = 0.05;
    struct model_comparison slower = compare(&w, 0.01);
    assert_int_equal(slower.verdict, MODEL_REGRESSED);
    assert_string_equal(slower.reason_code, "beyond-band");
    assert_true(slower.low <= exp(0.05) && exp(0.05) <= slower.high);
    w.effect = -0.05;
    assert_int_equal(compare(&w, 0.01).verdict, MODEL_IMPROVED);
    w.effect = log(1.01); /* on the edge: never decided */
    assert_int_equal(compare(&w, 0.01).verdict, MODEL_INCONCLUSIVE);
}

static void test_throughput_mirrors_time(void **state)
{
    (void)state;
    const double effects[] = {0, 0.05, -0.05, 0.012};
    for (size_t i = 0; i < sizeof effects / sizeof *effects; i++) {
        struct world w = steady;
        w.effect = effects[i];
        struct model_comparison time = compare(&w, 0.01);
        w.is_inverted = true;
        w.better = MODEL_HIGHER_IS_BETTER;
        struct model_comparison rate = compare(&w, 0.01);
        assert_int_equal(time.verdict, rate.verdict);
        assert_true(fabs(time.ratio * rate.ratio - 1) < 1e-9);
        assert_true(fabs(time.low * rate.high - 1) < 1e-9);
    }
}

static void test_no_band_is_never_equivalent(void **state)
{
    (void)state;
    struct world w = steady;
    assert_int_equal(compare(&w, 0).verdict, MODEL_INCONCLUSIVE);
    w.effect = 0.01;
    assert_int_equal(compare(&w, 0).verdict, MODEL_REGRESSED);
}

static void test_too_few_launches(void **state)
{
    (void)state;
    struct world w = steady;
    w.effect = 0.5;
    w.launches = 7;
    w.rounds = 1000; /* however many samples */
    struct model_comparison c = compare(&w, 0.01);
    assert_int_equal(c.verdict, MODEL_INCONCLUSIVE);
    assert_string_equal(c.reason_code, "too-few-launches");
    assert_false(c.has_interval);
}

static void test_only_looks_count(void **state)
{
    (void)state;
    struct world w = steady;
    w.launches = 10; /* between the looks at 8 and 11 */
    struct model_comparison between = compare(&w, 0.01);
    w.launches = 8;
    struct model_comparison at = compare(&w, 0.01);
    assert_true(between.low == at.low && between.high == at.high);
    const struct detect_rule rule = {.alpha = 0.01, .band = 0.01};
    assert_int_equal(detect_next_look(&rule, 8), 11);
    assert_int_equal(detect_next_look(&rule, 0), 8);
}

static void test_partial_slowdown_is_never_equivalent(void **state)
{
    (void)state;
    for (ptrdiff_t launches = 8; launches <= 66; launches++) {
        struct world w = steady;
        w.slow_share = 0.2;
        w.launches = launches;
        struct model_comparison c = compare(&w, 0.01);
        assert_int_not_equal(c.verdict, MODEL_EQUIVALENT);
        assert_int_not_equal(c.verdict, MODEL_IMPROVED);
    }
}

static void test_partial_slowdown_is_found(void **state)
{
    (void)state;
    struct world w = steady;
    w.slow_share = 0.2;
    w.launches = 66;
    struct model_comparison c = compare(&w, 0.01);
    assert_int_equal(c.verdict, MODEL_REGRESSED);
    assert_string_equal(c.reason_code, "tail-beyond-band");
    assert_true(c.tail_ratio > 1.2);
}

/* One run in eight takes twice as long: a trimmed mean and a sign interval do not see it, the mean
 * does. */
static void test_partly_slower_runs_are_never_equivalent(void **state)
{
    (void)state;
    ptrdiff_t held_back = 0;
    for (ptrdiff_t launches = 8; launches <= 300; launches += 7) {
        struct world w = steady;
        w.slow_share = 0.125;
        w.slow_ratio = 2;
        w.rounds = 1; /* whole runs of a command */
        w.launches = launches;
        struct model_comparison c = compare(&w, 0.01);
        assert_int_not_equal(c.verdict, MODEL_EQUIVALENT);
        held_back += strcmp(c.reason_code, "mean-differs") == 0;
    }
    assert_true(held_back > 0); /* by this rule, not because the interval was too wide anyway */
}

static void test_faster_but_for_some_is_not_improved(void **state)
{
    (void)state;
    struct world w = steady;
    w.effect = -0.05;
    w.slow_share = 0.2;
    w.launches = 66;
    struct model_comparison c = compare(&w, 0.01);
    assert_int_equal(c.verdict, MODEL_INCONCLUSIVE);
    assert_string_equal(c.reason_code, "mixed");
}

static void test_other_unit_is_invalid(void **state)
{
    (void)state;
    struct world w = steady;
    w.new_unit = "ms";
    struct model_comparison c = compare(&w, 0.01);
    assert_int_equal(c.verdict, MODEL_INVALID);
    assert_false(c.has_ratio);
}

static struct model_comparison compare_exact(double old_value, double new_value,
                                             enum model_better better)
{
    struct model_benchmark *sides[2] = {benchmark_new(), benchmark_new()};
    const double values[2] = {old_value, new_value};
    for (int side = 0; side < 2; side++) {
        model_launch_add(&arena, sides[side], (struct model_launch){0});
        model_metric_add(&arena, model_metric_get(&arena, sides[side], "n", "1", better, true),
                         values[side], 0);
    }
    const struct detect_rule rule = {.alpha = 0.01, .band = 0.01};
    struct model_comparison c;
    detect_paired(&arena, sides[0], sides[1], "n", &rule, &c);
    return c;
}

static void test_exact_counts(void **state)
{
    (void)state;
    struct model_comparison none = compare_exact(0, 0, MODEL_LOWER_IS_BETTER);
    assert_int_equal(none.verdict, MODEL_EQUIVALENT);
    assert_false(none.has_ratio);
    assert_int_equal(none.basis, MODEL_BASIS_EXACT);
    struct model_comparison first = compare_exact(0, 3, MODEL_LOWER_IS_BETTER);
    assert_int_equal(first.verdict, MODEL_REGRESSED);
    assert_false(first.has_ratio);
    assert_int_equal(compare_exact(5, 4, MODEL_LOWER_IS_BETTER).verdict, MODEL_IMPROVED);
    assert_int_equal(compare_exact(5, 4, MODEL_HIGHER_IS_BETTER).verdict, MODEL_REGRESSED);
    /* One more of a thousand is within a band of 1 %, but a count is exact. */
    assert_int_equal(compare_exact(1000, 1001, MODEL_LOWER_IS_BETTER).verdict, MODEL_REGRESSED);
}

static void test_failed_side_is_invalid(void **state)
{
    (void)state;
    struct model_benchmark *good = benchmark_new();
    struct model_benchmark *bad = benchmark_new();
    bad->state = MODEL_STATE_INVALID;
    bad->reason = "its correctness check failed";
    const struct detect_rule rule = {.alpha = 0.01, .band = 0.01};
    struct model_comparison c;
    detect_paired(&arena, good, bad, "time", &rule, &c);
    assert_int_equal(c.verdict, MODEL_INVALID);
    assert_non_null(strstr(c.reason, "correctness check"));
}

static void test_not_measured_is_inconclusive(void **state)
{
    (void)state;
    const struct detect_rule rule = {.alpha = 0.01, .band = 0.01};
    struct model_comparison c;
    detect_paired(&arena, benchmark_new(), benchmark_new(), "time", &rule, &c);
    assert_int_equal(c.verdict, MODEL_INCONCLUSIVE);
    assert_string_equal(c.reason_code, "not-measured");
}

/* Goal: an inconclusive comparison always asks for launches up to a look, or says that none would
 * do. Method: comparisons written by hand, at 8 and 11 launches. */
static void test_launches_more(void **state)
{
    (void)state;
    const struct detect_rule rule = {.alpha = 0.01, .band = 0.01};
    struct model_comparison c = {.verdict = MODEL_EQUIVALENT, .reason_code = "within-band"};
    assert_int_equal(detect_launches_more(&rule, &c, 8, 1000), 0);
    /* Data too odd for an interval at the first looks. */
    c = (struct model_comparison){.verdict = MODEL_INCONCLUSIVE, .reason_code = "too-few-launches"};
    assert_int_equal(detect_launches_more(&rule, &c, 0, 1000), 8);
    assert_int_equal(detect_launches_more(&rule, &c, 8, 1000), 3);
    assert_int_equal(detect_launches_more(&rule, &c, 11, 1000), 4);
    /* A half-width of 2 % that must become 0.5 %: 16 times the launches. */
    c.has_interval = true;
    c.reason_code = "interval-across-band";
    c.ratio = 1.01 * exp(0.005);
    c.low = c.ratio * exp(-0.02);
    c.high = c.ratio * exp(0.02);
    assert_in_range(detect_launches_more(&rule, &c, 8, 1000), 16 * 8 - 8, 16 * 8 - 7);
    assert_int_equal(detect_launches_more(&rule, &c, 8, 100), -1);
    /* The typical round is clear: what is open is its slowest tenth. */
    c.ratio = 1;
    c.low = 0.995;
    c.high = 1.005;
    c.reason_code = "tail-unknown";
    assert_int_equal(detect_launches_more(&rule, &c, 8, 1000), 3);
    c.reason_code = "tail-differs";
    assert_int_equal(detect_launches_more(&rule, &c, 8, 1000), -1);
}

static void test_decision_takes_the_worst(void **state)
{
    (void)state;
    struct model_decision decision = {0};
    assert_int_equal(model_decision_verdict(&decision), MODEL_INVALID); /* nothing compared */
    struct model_comparison *item = model_decision_add(&arena, &decision);
    *item = (struct model_comparison){.verdict = MODEL_EQUIVALENT, .is_gated = true};
    assert_int_equal(model_decision_verdict(&decision), MODEL_EQUIVALENT);
    decision.missing_count = 1; /* a benchmark is gone */
    assert_int_equal(model_decision_verdict(&decision), MODEL_INVALID);
    item = model_decision_add(&arena, &decision);
    *item = (struct model_comparison){.verdict = MODEL_REGRESSED, .is_gated = true};
    model_decision_sort(&decision);
    assert_int_equal(decision.items[0].verdict, MODEL_REGRESSED);
    assert_int_equal(model_decision_verdict(&decision), MODEL_REGRESSED);
}

#define TEST(name) cmocka_unit_test_teardown(name, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_times),
        TEST(test_throughput_mirrors_time),
        TEST(test_no_band_is_never_equivalent),
        TEST(test_too_few_launches),
        TEST(test_only_looks_count),
        TEST(test_partial_slowdown_is_never_equivalent),
        TEST(test_partial_slowdown_is_found),
        TEST(test_partly_slower_runs_are_never_equivalent),
        TEST(test_faster_but_for_some_is_not_improved),
        TEST(test_other_unit_is_invalid),
        TEST(test_exact_counts),
        TEST(test_failed_side_is_invalid),
        TEST(test_not_measured_is_inconclusive),
        TEST(test_launches_more),
        TEST(test_decision_takes_the_worst),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
