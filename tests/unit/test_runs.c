/* Goal: two stored runs get the verdict that their figures and the reruns give them, and never more
 * than `inconclusive` without reruns; what has no ratio is invalid; conditions that differ are told
 * and can cap.
 * Method: figures made by hand or from samples with fixed seeds; the interval against SciPy's. */
#include "base/random.h"
#include "detect/figures.h"
#include "detect/runs.h"

#include "../oracle/oracle.h"

#include <setjmp.h>
#include <stdint.h>

#include <cmocka.h>

static struct arena arena;

static int tear_down(void **state)
{
    (void)state;
    arena_free(&arena);
    return 0;
}

/* One value a launch. */
static struct model_figures figures_of(const double *values, ptrdiff_t count, double factor)
{
    struct model_metric metric = {.name = "time", .unit = "ns"};
    for (ptrdiff_t i = 0; i < count; i++) {
        model_metric_add(&arena, &metric, values[i] * factor, (int32_t)i);
    }
    return detect_figures(&metric, &arena);
}

static struct model_benchmark *benchmark_of(struct model_figures figures)
{
    struct model_benchmark *benchmark = ARENA_NEW(&arena, struct model_benchmark);
    *benchmark = (struct model_benchmark){.suite = "", .name = "b", .variant = ""};
    struct model_metric *metric =
        model_metric_get(&arena, benchmark, "time", "ns", MODEL_LOWER_IS_BETTER, false);
    metric->figures = figures;
    return benchmark;
}

/* A run of 12 launches whose centre is exp(log). */
static struct model_figures run_at(double log)
{
    return (struct model_figures){.is_known = true,
                                  .launches = 12,
                                  .count = 120,
                                  .median = exp(log),
                                  .min = exp(log) * 0.9,
                                  .max = exp(log) * 1.1,
                                  .has_logs = true,
                                  .centre_log = log,
                                  .centre_variance = 1e-6,
                                  .mean_log = log,
                                  .has_tail = true,
                                  .tail_log = log + 0.05};
}

/* Reruns of one commit that differ by ± deviation. */
static struct detect_reruns reruns_of(int count, double deviation)
{
    struct model_figures *figures = ARENA_ARRAY(&arena, struct model_figures, count);
    struct detect_rerun *reruns = ARENA_ARRAY(&arena, struct detect_rerun, count);
    for (int i = 0; i < count; i++) {
        figures[i] = run_at(i % 2 == 0 ? deviation : -deviation);
        reruns[i] = (struct detect_rerun){.group = 7, .figures = &figures[i]};
    }
    return detect_reruns_pool(reruns, count, &arena);
}

static const struct detect_runs_rule plain = {.verdict = {.alpha = 0.01, .band = 0.01}};

static struct model_comparison judge(struct model_figures old_figures,
                                     struct model_figures new_figures,
                                     const struct detect_reruns *reruns,
                                     const struct detect_runs_rule *rule)
{
    struct model_comparison c;
    detect_runs(&arena, benchmark_of(old_figures), benchmark_of(new_figures), "time", reruns, rule,
                &c);
    return c;
}

static void assert_verdict(const struct model_comparison *c, enum model_verdict verdict,
                           const char *code)
{
    if (c->verdict != verdict || strcmp(c->reason_code, code) != 0) {
        print_error("%s, %s: %s\n", model_verdict_name(c->verdict), c->reason_code, c->reason);
    }
    assert_int_equal(c->verdict, verdict);
    assert_string_equal(c->reason_code, code);
}

static void test_interval_equals_scipy(void **state)
{
    (void)state;
    struct model_figures figures[] = {
        figures_of(data_normal, ORACLE_COUNT(data_normal), 1),
        figures_of(data_other, ORACLE_COUNT(data_other), 1),
        figures_of(data_normal, ORACLE_COUNT(data_normal), 1.02),
        figures_of(data_large, ORACLE_COUNT(data_large), 1),
        figures_of(data_large2, ORACLE_COUNT(data_large2), 1),
        figures_of(data_skewed, ORACLE_COUNT(data_skewed), 1),
    };
    struct detect_rerun reruns[6];
    for (int i = 0; i < 6; i++) {
        reruns[i] = (struct detect_rerun){.group = i / 3, .figures = &figures[i]};
    }
    struct detect_reruns pool = detect_reruns_pool(reruns, 6, &arena);
    assert_int_equal(pool.runs, 6);
    assert_int_equal(pool.groups, 2);
    assert_true(oracle_is_close(pool.variance, SCIPY_VALUE("runs/variance"), 1e-10, "variance"));
    assert_true(oracle_is_close(pool.launch_variance, SCIPY_VALUE("runs/launch-variance"), 1e-10,
                                "launch variance"));
    static const double alphas[] = {0.01, 0.0001};
    for (int i = 0; i < 2; i++) {
        struct detect_runs_rule rule = {.verdict = {.alpha = alphas[i]}};
        struct model_comparison c = judge(figures[0], figures[5], &pool, &rule);
        char key[64];
        oracle_key(key, sizeof key, "runs/%g/low", alphas[i]);
        assert_true(oracle_is_close(c.low, SCIPY_VALUE(key), 1e-8, key));
        oracle_key(key, sizeof key, "runs/%g/high", alphas[i]);
        assert_true(oracle_is_close(c.high, SCIPY_VALUE(key), 1e-8, key));
    }
}

/* Ten reruns within ± 0.1 %: half-width about 0.8 %. */
static void test_verdicts(void **state)
{
    (void)state;
    struct detect_reruns reruns = reruns_of(10, 0.001);
    struct model_comparison c = judge(run_at(0), run_at(0.04), &reruns, &plain);
    assert_verdict(&c, MODEL_REGRESSED, "beyond-band");
    assert_int_equal(c.basis, MODEL_BASIS_RUNS);
    assert_true(c.low < exp(0.04) && exp(0.04) < c.high && c.low > 1.01);
    assert_true(fabs(c.ratio - exp(0.04)) < 1e-12);
    c = judge(run_at(0.04), run_at(0), &reruns, &plain);
    assert_verdict(&c, MODEL_IMPROVED, "beyond-band");
    c = judge(run_at(0), run_at(0.0001), &reruns, &plain);
    assert_verdict(&c, MODEL_EQUIVALENT, "within-band");
    c = judge(run_at(0), run_at(0.008), &reruns, &plain);
    assert_verdict(&c, MODEL_INCONCLUSIVE, "interval-across-band");
    /* Without a band nothing is equivalent. */
    struct detect_runs_rule no_band = plain;
    no_band.verdict.band = 0;
    c = judge(run_at(0), run_at(0.0001), &reruns, &no_band);
    assert_verdict(&c, MODEL_INCONCLUSIVE, "interval-across-band");
}

/* A learnt floor holds back changes, never helps `equivalent`. */
static void test_floor(void **state)
{
    (void)state;
    struct detect_reruns reruns = reruns_of(10, 0.001);
    struct detect_runs_rule floored = plain;
    floored.verdict.floor = 0.05;
    struct model_comparison c = judge(run_at(0), run_at(0.04), &reruns, &floored);
    assert_verdict(&c, MODEL_INCONCLUSIVE, "interval-across-band");
    c = judge(run_at(0), run_at(0.02), &reruns, &floored);
    assert_verdict(&c, MODEL_INCONCLUSIVE, "interval-across-band");
    c = judge(run_at(0), run_at(0.08), &reruns, &floored);
    assert_verdict(&c, MODEL_REGRESSED, "beyond-band");
}

/* Throughput: the same numbers turned over get the same verdict. */
static void test_direction(void **state)
{
    (void)state;
    struct detect_reruns reruns = reruns_of(10, 0.001);
    struct model_benchmark *sides[2] = {benchmark_of(run_at(0)), benchmark_of(run_at(-0.04))};
    sides[0]->metrics[0].better = sides[1]->metrics[0].better = MODEL_HIGHER_IS_BETTER;
    struct model_comparison c;
    detect_runs(&arena, sides[0], sides[1], "time", &reruns, &plain, &c);
    assert_verdict(&c, MODEL_REGRESSED, "beyond-band");
    assert_true(c.low < exp(-0.04) && exp(-0.04) < c.high && c.high < 1 / 1.01);
}

static void test_without_reruns(void **state)
{
    (void)state;
    struct model_comparison c = judge(run_at(0), run_at(0.5), NULL, &plain);
    assert_verdict(&c, MODEL_INCONCLUSIVE, "no-reruns");
    assert_true(c.has_ratio);
    /* The interval of launches alone is in the words only: nothing downstream may decide by it. */
    assert_false(c.has_interval);
    assert_non_null(strstr(c.reason, "by launches alone +"));
    assert_non_null(strstr(c.reason, "tare run"));
    struct detect_reruns few = reruns_of(3, 0.001);
    c = judge(run_at(0), run_at(0.5), &few, &plain);
    assert_verdict(&c, MODEL_INCONCLUSIVE, "too-few-reruns");
    assert_false(c.has_interval);
    struct detect_reruns enough = reruns_of(4, 0.001);
    c = judge(run_at(0), run_at(0.5), &enough, &plain);
    assert_verdict(&c, MODEL_REGRESSED, "beyond-band");
}

static void test_few_launches(void **state)
{
    (void)state;
    struct detect_reruns reruns = reruns_of(10, 0.001);
    struct model_figures few = run_at(0.5);
    few.launches = 7;
    struct model_comparison c = judge(run_at(0), few, &reruns, &plain);
    assert_verdict(&c, MODEL_INCONCLUSIVE, "too-few-launches");
    assert_true(c.has_ratio);
    assert_false(c.has_interval);
}

/* Runs that do not vary at all need as many as a sign test would. */
static void test_constant_runs(void **state)
{
    (void)state;
    struct model_figures same = run_at(0);
    same.centre_variance = 0;
    same.has_tail = false;
    struct model_figures items[8];
    struct detect_rerun reruns[8];
    for (int i = 0; i < 8; i++) {
        items[i] = same;
        reruns[i] = (struct detect_rerun){.group = 0, .figures = &items[i]};
    }
    struct detect_reruns seven = detect_reruns_pool(reruns, 7, &arena);
    struct model_comparison c = judge(same, same, &seven, &plain);
    assert_verdict(&c, MODEL_INCONCLUSIVE, "too-few-reruns");
    struct detect_reruns eight = detect_reruns_pool(reruns, 8, &arena);
    c = judge(same, same, &eight, &plain);
    assert_verdict(&c, MODEL_EQUIVALENT, "within-band");
}

/* A median hides that some calls became slower; the worst tenth and the mean do not. */
static void test_tail_and_mean(void **state)
{
    (void)state;
    struct detect_reruns reruns = reruns_of(10, 0.001);
    struct model_figures slow = run_at(0);
    slow.tail_log = 0.05 + 0.2;
    struct model_comparison c = judge(run_at(0), slow, &reruns, &plain);
    assert_verdict(&c, MODEL_REGRESSED, "tail-beyond-band");
    struct model_figures fast = run_at(0);
    fast.tail_log = 0.05 - 0.2;
    c = judge(run_at(0), fast, &reruns, &plain);
    assert_verdict(&c, MODEL_INCONCLUSIVE, "tail-differs");
    /* Where the typical launch is in doubt, or better, the worst tenth still counts. */
    struct model_figures doubtful = run_at(0.008);
    doubtful.tail_log = 0.05 + 0.2;
    c = judge(run_at(0), doubtful, &reruns, &plain);
    assert_verdict(&c, MODEL_REGRESSED, "tail-beyond-band");
    struct model_figures mixed = run_at(-0.05);
    mixed.tail_log = 0.05 + 0.2;
    c = judge(run_at(0), mixed, &reruns, &plain);
    assert_verdict(&c, MODEL_INCONCLUSIVE, "mixed");
    struct detect_reruns no_tails = reruns;
    no_tails.has_tail = false;
    c = judge(run_at(0), run_at(0), &no_tails, &plain);
    assert_verdict(&c, MODEL_INCONCLUSIVE, "tail-unknown");
    struct model_figures old_figures = run_at(0);
    struct model_figures mean = run_at(0);
    old_figures.has_tail = mean.has_tail = false;
    mean.mean_log = 0.1;
    c = judge(old_figures, mean, &reruns, &plain);
    assert_verdict(&c, MODEL_INCONCLUSIVE, "mean-differs");
}

/* More variation between launches than the reruns had makes the interval wider, never narrower. */
static void test_wilder_launches(void **state)
{
    (void)state;
    struct detect_reruns reruns = reruns_of(10, 0.001);
    struct model_comparison usual = judge(run_at(0), run_at(0.04), &reruns, &plain);
    struct model_figures wild = run_at(0.04);
    wild.centre_variance = 1e-3;
    struct model_comparison wider = judge(run_at(0), wild, &reruns, &plain);
    assert_verdict(&wider, MODEL_INCONCLUSIVE, "interval-across-band");
    assert_true(wider.high / wider.low > usual.high / usual.low);
    struct model_figures calm = run_at(0.04);
    calm.centre_variance = 0;
    struct model_comparison same = judge(run_at(0), calm, &reruns, &plain);
    assert_true(same.high == usual.high && same.low == usual.low);
}

/* Groups of one, runs of few launches and runs without logs teach nothing. */
static void test_pool_leaves_out(void **state)
{
    (void)state;
    struct model_figures figures[] = {run_at(0), run_at(0.01), run_at(0.5), run_at(9), run_at(9)};
    figures[3].launches = 3;
    figures[4].has_logs = false;
    const struct detect_rerun reruns[] = {
        {1, &figures[0]}, {1, &figures[1]}, {1, &figures[3]}, {1, &figures[4]}, {2, &figures[2]}};
    struct detect_reruns pool = detect_reruns_pool(reruns, 5, &arena);
    assert_int_equal(pool.runs, 2);
    assert_int_equal(pool.groups, 1);
    assert_true(fabs(pool.variance - 0.01 * 0.01 / 2) < 1e-15);
    pool = detect_reruns_pool(NULL, 0, &arena);
    assert_int_equal(pool.runs, 0);
    assert_true(pool.freedom == 0);
}

static struct model_comparison judge_counts(double old_count, double new_count)
{
    struct model_benchmark *sides[2];
    double counts[2] = {old_count, new_count};
    for (int i = 0; i < 2; i++) {
        sides[i] = benchmark_of((struct model_figures){.is_known = true,
                                                       .launches = 2,
                                                       .count = 2,
                                                       .median = counts[i],
                                                       .min = counts[i],
                                                       .max = counts[i]});
        sides[i]->metrics[0].is_exact = true;
    }
    struct model_comparison c;
    detect_runs(&arena, sides[0], sides[1], "time", NULL, &plain, &c);
    return c;
}

static void test_exact(void **state)
{
    (void)state;
    struct model_comparison c = judge_counts(0, 0);
    assert_verdict(&c, MODEL_EQUIVALENT, "same-count");
    assert_int_equal(c.basis, MODEL_BASIS_EXACT);
    c = judge_counts(0, 3);
    assert_verdict(&c, MODEL_REGRESSED, "other-count");
    assert_false(c.has_ratio);
    c = judge_counts(1000, 999);
    assert_verdict(&c, MODEL_IMPROVED, "other-count");
    struct model_benchmark *unsure = benchmark_of((struct model_figures){
        .is_known = true, .launches = 2, .count = 2, .median = 5, .min = 5, .max = 6});
    unsure->metrics[0].is_exact = true;
    detect_runs(&arena, unsure, unsure, "time", NULL, &plain, &c);
    assert_verdict(&c, MODEL_INVALID, "no-ratio");
}

/* Each of these changes one of two equal benchmarks so that no ratio is left. */
static void spoil(int how, struct model_benchmark *benchmark)
{
    struct model_metric *metric = &benchmark->metrics[0];
    switch (how) {
    case 0:
        benchmark->state = MODEL_STATE_FAILED;
        break;
    case 1:
        benchmark->state = MODEL_STATE_SKIPPED;
        break;
    case 2:
        benchmark->check = MODEL_CHECK_FAILED;
        break;
    case 3:
        metric->unit = "us";
        break;
    case 4:
        metric->better = MODEL_HIGHER_IS_BETTER;
        break;
    case 5:
        metric->invalid_reason = "not to be believed";
        break;
    case 6:
        metric->figures.is_known = false;
        break;
    case 7:
        metric->figures.has_logs = false;
        break;
    case 8:
        metric->is_exact = true;
        metric->figures.min = metric->figures.max;
        break;
    default:
        benchmark->metric_count = 0;
    }
}

static void test_invalid(void **state)
{
    (void)state;
    struct detect_reruns reruns = reruns_of(10, 0.001);
    for (int how = 0; how < 10; how++) {
        for (int side = 0; side < 2; side++) {
            struct model_benchmark *sides[2] = {benchmark_of(run_at(0)), benchmark_of(run_at(0))};
            spoil(how, sides[side]);
            struct model_comparison c;
            detect_runs(&arena, sides[0], sides[1], "time", &reruns, &plain, &c);
            if (c.verdict != MODEL_INVALID) {
                print_error("spoilt %d, side %d: %s\n", how, side, model_verdict_name(c.verdict));
            }
            assert_int_equal(c.verdict, MODEL_INVALID);
            assert_non_null(c.reason);
        }
    }
}

static struct model_run run_on(const char *cpu, const char *kernel)
{
    struct model_run run = {.id = "01hf7yat00d200000000000000", .state = MODEL_RUN_COMPLETE};
    model_field_set(&arena, &run.machine.identity, "cpu", cpu);
    model_field_set(&arena, &run.machine.conditions, "kernel", kernel);
    model_field_set(&arena, &run.machine.conditions, "load_1min", kernel);
    model_field_set(&arena, &run.environment, "directory", kernel);
    model_machine_identify(&run.machine);
    return run;
}

static void test_obstacles_of_runs(void **state)
{
    (void)state;
    struct model_run a = run_on("A", "6.1");
    struct model_run b = run_on("B", "6.1");
    struct model_run same = run_on("A", "6.1");
    assert_null(detect_runs_obstacle(&arena, &a, &same));
    assert_non_null(strstr(detect_runs_obstacle(&arena, &a, &b), "cpu A → B"));
    static const enum model_run_state states[] = {MODEL_RUN_RUNNING, MODEL_RUN_INTERRUPTED,
                                                  MODEL_RUN_FAILED};
    for (int i = 0; i < 3; i++) {
        same.state = states[i];
        assert_non_null(strstr(detect_runs_obstacle(&arena, &a, &same), "was not finished"));
        assert_non_null(strstr(detect_runs_obstacle(&arena, &same, &a), "was not finished"));
    }
    struct detect_reruns reruns = reruns_of(10, 0.001);
    struct detect_runs_rule rule = plain;
    rule.obstacle = "another machine";
    struct model_comparison c = judge(run_at(0), run_at(0), &reruns, &rule);
    assert_verdict(&c, MODEL_INVALID, "no-ratio");
}

static void test_conditions(void **state)
{
    (void)state;
    struct model_run a = run_on("A", "6.1");
    struct model_run b = run_on("A", "6.5");
    model_field_set(&arena, &b.machine.conditions, "governor", "powersave");
    model_field_set(&arena, &a.environment, "OMP_NUM_THREADS", "4");
    struct detect_differences none = detect_conditions_differ(&arena, &a, &a);
    assert_int_equal(none.condition_count + none.environment_count, 0);
    struct detect_differences found = detect_conditions_differ(&arena, &a, &b);
    assert_int_equal(found.condition_count, 2);
    assert_string_equal(found.conditions[0], "governor not there → powersave");
    assert_string_equal(found.conditions[1], "kernel 6.1 → 6.5");
    assert_int_equal(found.environment_count, 1);
    assert_string_equal(found.environment[0], "OMP_NUM_THREADS 4 → not there");
    struct detect_reruns reruns = reruns_of(10, 0.001);
    struct detect_runs_rule rule = plain;
    rule.is_conditions_changed = true;
    struct model_comparison c = judge(run_at(0), run_at(0.2), &reruns, &rule);
    assert_verdict(&c, MODEL_REGRESSED, "beyond-band");
    rule.conditions = MODEL_CONDITIONS_INCONCLUSIVE;
    c = judge(run_at(0), run_at(0.2), &reruns, &rule);
    assert_verdict(&c, MODEL_INCONCLUSIVE, "conditions-differ");
    rule.is_conditions_changed = false;
    c = judge(run_at(0), run_at(0.2), &reruns, &rule);
    assert_verdict(&c, MODEL_REGRESSED, "beyond-band");
}

/* Figures by hand: three launches of ten samples. */
static void test_figures(void **state)
{
    (void)state;
    struct model_metric metric = {.name = "time", .unit = "ns"};
    for (int launch = 0; launch < 3; launch++) {
        for (int i = 1; i <= 10; i++) {
            model_metric_add(&arena, &metric, (double)i * (launch + 1), launch);
        }
    }
    struct model_figures figures = detect_figures(&metric, &arena);
    double logs[] = {log(5.5), log(11), log(16.5)};
    double mean = (logs[0] + logs[1] + logs[2]) / 3;
    double squares = 0;
    for (int i = 0; i < 3; i++) {
        squares += (logs[i] - mean) * (logs[i] - mean);
    }
    assert_true(figures.is_known && figures.has_logs && figures.has_tail);
    assert_int_equal(figures.launches, 3);
    assert_int_equal(figures.count, 30);
    assert_true(figures.min == 1 && figures.max == 30);
    assert_true(fabs(figures.centre_log - mean) < 1e-14);
    assert_true(fabs(figures.centre_variance - squares / 2 / 3) < 1e-14);
    assert_true(fabs(figures.mean_log - mean) < 1e-14);
    assert_true(figures.tail_log > figures.centre_log);
    metric.better = MODEL_HIGHER_IS_BETTER; /* then the worst tenth is the lowest */
    assert_true(detect_figures(&metric, &arena).tail_log < figures.centre_log);
    metric.count = 29;
    assert_false(detect_figures(&metric, &arena).has_tail);
    metric.values[3] = NAN;
    assert_false(detect_figures(&metric, &arena).is_known);
    metric.count = 0;
    assert_false(detect_figures(&metric, &arena).is_known);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_teardown(name, tear_down)
    const struct CMUnitTest tests[] = {
        TEST(test_interval_equals_scipy),
        TEST(test_verdicts),
        TEST(test_floor),
        TEST(test_direction),
        TEST(test_without_reruns),
        TEST(test_few_launches),
        TEST(test_constant_runs),
        TEST(test_tail_and_mean),
        TEST(test_wilder_launches),
        TEST(test_pool_leaves_out),
        TEST(test_exact),
        TEST(test_invalid),
        TEST(test_obstacles_of_runs),
        TEST(test_conditions),
        TEST(test_figures),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
