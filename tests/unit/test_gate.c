/* detect/gate.c: a change against a limit, decided by the interval. */
#include "detect/gate.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

/* A paired comparison of a time, old 100 ns, with this interval; nothing odd about its rest. */
static struct model_comparison paired(double low, double high)
{
    return (struct model_comparison){
        .benchmark = "b",
        .metric = "time",
        .unit = "ns",
        .better = MODEL_LOWER_IS_BETTER,
        .basis = MODEL_BASIS_PAIRED,
        .is_gated = true,
        .old_side = {.median = 100, .launches = 12, .count = 120},
        .new_side = {.median = 100 * sqrt(low * high), .launches = 12, .count = 120},
        .has_ratio = true,
        .ratio = sqrt(low * high),
        .has_interval = true,
        .low = low,
        .high = high,
        .mean_ratio = sqrt(low * high),
        .band = 0.01,
        .verdict = MODEL_INCONCLUSIVE,
        .reason = "test",
        .reason_code = "test",
    };
}

static struct model_comparison higher_is_better(double low, double high)
{
    struct model_comparison c = paired(low, high);
    c.better = MODEL_HIGHER_IS_BETTER;
    return c;
}

static struct model_comparison exact(double old_value, double new_value)
{
    struct model_comparison c = paired(1, 1);
    c.basis = MODEL_BASIS_EXACT;
    c.old_side.median = old_value;
    c.new_side.median = new_value;
    c.has_ratio = c.has_interval = old_value != 0;
    c.ratio = c.low = c.high = old_value != 0 ? new_value / old_value : 0;
    return c;
}

static enum model_gate relative(struct model_comparison c, double limit)
{
    return detect_gate(&c, &(struct detect_limit){.is_set = true, .value = limit});
}

static enum model_gate absolute(struct model_comparison c, double limit)
{
    return detect_gate(&c,
                       &(struct detect_limit){.is_set = true, .is_absolute = true, .value = limit});
}

/* Goal: fail when the near end is beyond, pass when the far end is within, else open. */
static void test_by_interval(void **state)
{
    (void)state;
    assert_int_equal(relative(paired(1.035, 1.049), 0.03), MODEL_GATE_FAIL);
    assert_int_equal(relative(paired(0.99, 1.02), 0.03), MODEL_GATE_PASS);
    assert_int_equal(relative(paired(0.99, 1.04), 0.03), MODEL_GATE_OPEN);
    /* The estimate alone, far beyond the limit, proves nothing. */
    assert_int_equal(relative(paired(1.01, 1.4), 0.03), MODEL_GATE_OPEN);
    assert_int_equal(relative(paired(0.5, 0.6), 0.03), MODEL_GATE_PASS);
}

/* Goal: exactly at the limit is within it, whatever binary fractions make of 10 %. */
static void test_exactly_at_the_limit(void **state)
{
    (void)state;
    double ratio = 2.097 / 2.33;
    assert_true(1 - ratio > 0.1); /* the trap: 0.10000000000000009 */
    assert_int_equal(relative(higher_is_better(ratio, ratio), 0.1), MODEL_GATE_PASS);
    assert_int_equal(relative(higher_is_better(ratio - 1e-6, ratio - 1e-6), 0.1), MODEL_GATE_FAIL);
    assert_int_equal(relative(paired(1.1, 1.1), 0.1), MODEL_GATE_PASS);
    assert_int_equal(relative(paired(1.100001, 1.100001), 0.1), MODEL_GATE_FAIL);
    struct model_comparison counted = exact(2.33, 2.097);
    counted.better = MODEL_HIGHER_IS_BETTER;
    assert_int_equal(relative(counted, 0.1), MODEL_GATE_PASS);
    assert_false(detect_is_beyond(0.1, 0.1));
    assert_true(detect_is_beyond(0.1001, 0.1));
}

/* Goal: a throughput that falls is worse, one that rises is not. */
static void test_direction(void **state)
{
    (void)state;
    assert_int_equal(relative(higher_is_better(0.90, 0.95), 0.03), MODEL_GATE_FAIL);
    assert_int_equal(relative(higher_is_better(1.04, 1.10), 0.03), MODEL_GATE_PASS);
    assert_int_equal(relative(higher_is_better(0.96, 1.01), 0.03), MODEL_GATE_OPEN);
    assert_int_equal(relative(paired(0.90, 0.95), 0.03), MODEL_GATE_PASS);
}

/* Goal: an absolute limit is in the metric's unit: accuracy 0.990 may lose 0.002. */
static void test_absolute(void **state)
{
    (void)state;
    struct model_comparison c = higher_is_better(0.996, 0.997);
    c.old_side.median = 0.99;
    assert_int_equal(absolute(c, 0.002), MODEL_GATE_FAIL); /* loses 0.00297 at least */
    assert_int_equal(absolute(c, 0.004), MODEL_GATE_PASS);
    assert_int_equal(absolute(c, 0.0035), MODEL_GATE_OPEN);
    /* The same ratio of a value a hundred times larger is another amount. */
    c.old_side.median = 99;
    assert_int_equal(absolute(c, 0.004), MODEL_GATE_FAIL);
    /* The band, a ratio, does not loosen an absolute limit. */
    c.old_side.median = 0.99;
    c.band = 0.5;
    assert_int_equal(absolute(c, 0.002), MODEL_GATE_FAIL);
}

/* Goal: counts compare by difference: nothing to something is beyond every relative limit. */
static void test_exact_counts(void **state)
{
    (void)state;
    assert_int_equal(relative(exact(0, 0), 0.03), MODEL_GATE_PASS);
    assert_int_equal(relative(exact(0, 1), 0.03), MODEL_GATE_FAIL);
    assert_int_equal(relative(exact(0, 1), 1e6), MODEL_GATE_FAIL);
    assert_int_equal(relative(exact(3, 0), 0.03), MODEL_GATE_PASS);
    assert_int_equal(relative(exact(100, 103), 0.03), MODEL_GATE_PASS);
    assert_int_equal(relative(exact(100, 104), 0.03), MODEL_GATE_FAIL);
    assert_int_equal(absolute(exact(0, 5), 5), MODEL_GATE_PASS);
    assert_int_equal(absolute(exact(0, 6), 5), MODEL_GATE_FAIL);
    /* A count is not a sample: no slowest tenth is missing. */
    struct model_comparison c = exact(100, 100);
    c.has_tail = true;
    assert_int_equal(relative(c, 0.03), MODEL_GATE_PASS);
}

/* Goal: a limit below the band or the learnt noise is raised to it, and the noise only then. */
static void test_effective_limit(void **state)
{
    (void)state;
    struct model_comparison c = paired(1.03, 1.04);
    assert_int_equal(relative(c, 0.02), MODEL_GATE_FAIL);
    c.floor = 0.05;
    assert_int_equal(relative(c, 0.02), MODEL_GATE_PASS);
    c.floor = 0;
    c.band = 0.035;
    assert_int_equal(relative(c, 0.02), MODEL_GATE_OPEN);
    struct detect_limit limit = {.is_set = true, .value = 0.1};
    assert_true(detect_limit_effective(&c, &limit) == 0.1);
}

/* Goal: what is invalid, has no interval, or is not a number is never within a limit. */
static void test_nothing_passes_unknown(void **state)
{
    (void)state;
    struct model_comparison good = paired(0.999, 1.001);
    assert_int_equal(relative(good, 0.03), MODEL_GATE_PASS);

    struct model_comparison c = good;
    c.verdict = MODEL_INVALID;
    assert_int_equal(relative(c, 0.03), MODEL_GATE_OPEN);
    c = good;
    c.has_interval = false;
    assert_int_equal(relative(c, 0.03), MODEL_GATE_OPEN);
    c = good;
    c.low = NAN;
    assert_int_equal(relative(c, 0.03), MODEL_GATE_OPEN);
    c = good;
    c.high = NAN;
    assert_int_equal(relative(c, 0.03), MODEL_GATE_OPEN);
    c = good;
    c.mean_ratio = NAN;
    assert_int_equal(relative(c, 0.03), MODEL_GATE_OPEN);
    c = good;
    c.old_side.median = NAN;
    assert_int_equal(absolute(c, 5), MODEL_GATE_OPEN);
    assert_int_equal(relative(exact(NAN, 5), 0.03), MODEL_GATE_OPEN);
    assert_int_equal(relative(exact(5, NAN), 0.03), MODEL_GATE_OPEN);

    assert_int_equal(relative(good, NAN), MODEL_GATE_OPEN);
    assert_int_equal(relative(good, INFINITY), MODEL_GATE_OPEN);
    assert_int_equal(relative(good, -0.1), MODEL_GATE_OPEN);
    assert_int_equal(absolute(good, NAN), MODEL_GATE_OPEN);
}

/* Goal: the slowest tenth can fail a gate, hold it up, or be near enough. */
static void test_tail(void **state)
{
    (void)state;
    struct model_comparison c = paired(0.998, 1.002);
    c.has_tail = true; /* but not known yet */
    assert_int_equal(relative(c, 0.03), MODEL_GATE_OPEN);
    c.tail_ratio = 1.01;
    c.tail_low = 0.98;
    c.tail_high = 1.06;
    assert_int_equal(relative(c, 0.03), MODEL_GATE_PASS);
    c.tail_ratio = 1.05; /* its centre is beyond the limit, its interval is not */
    assert_int_equal(relative(c, 0.03), MODEL_GATE_OPEN);
    c.tail_low = 1.04;
    assert_int_equal(relative(c, 0.03), MODEL_GATE_FAIL);
    /* Three bands are near enough where the limit is tighter. */
    c.tail_ratio = 1.025;
    c.tail_low = 1.005;
    assert_int_equal(relative(c, 0.01), MODEL_GATE_PASS);
    c.tail_high = NAN;
    assert_int_equal(relative(c, 0.03), MODEL_GATE_OPEN);
    c.tail_high = 1.06;
    c.tail_ratio = NAN;
    assert_int_equal(relative(c, 0.03), MODEL_GATE_OPEN);
}

/* Goal: where a launch is one run, the mean over the launches must be near. */
static void test_mean(void **state)
{
    (void)state;
    struct model_comparison c = paired(0.998, 1.002);
    c.mean_ratio = 1.2;
    assert_int_equal(relative(c, 0.03), MODEL_GATE_OPEN);
    c.mean_ratio = 0.8; /* better: no doubt about worse */
    assert_int_equal(relative(c, 0.03), MODEL_GATE_PASS);
    c.mean_ratio = 0; /* not known */
    assert_int_equal(relative(c, 0.03), MODEL_GATE_PASS);
}

/* Goal: single values can be beyond a limit, and never prove to be within it. */
static void test_point(void **state)
{
    (void)state;
    struct model_comparison c = paired(1, 1);
    c.basis = MODEL_BASIS_POINT;
    c.has_interval = false;
    assert_int_equal(relative(c, 0.03), MODEL_GATE_OPEN);
    c.ratio = 1.2;
    assert_int_equal(relative(c, 0.03), MODEL_GATE_FAIL);
    c.better = MODEL_HIGHER_IS_BETTER;
    assert_int_equal(relative(c, 0.03), MODEL_GATE_OPEN);
    c.ratio = 2.097 / 2.33;
    assert_int_equal(relative(c, 0.1), MODEL_GATE_OPEN);
    c.has_ratio = false;
    c.ratio = 0.1;
    assert_int_equal(relative(c, 0.03), MODEL_GATE_OPEN);
    c.has_ratio = true;
    c.ratio = NAN;
    assert_int_equal(relative(c, 0.03), MODEL_GATE_OPEN);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_by_interval),
        cmocka_unit_test(test_exactly_at_the_limit),
        cmocka_unit_test(test_direction),
        cmocka_unit_test(test_absolute),
        cmocka_unit_test(test_exact_counts),
        cmocka_unit_test(test_effective_limit),
        cmocka_unit_test(test_nothing_passes_unknown),
        cmocka_unit_test(test_tail),
        cmocka_unit_test(test_mean),
        cmocka_unit_test(test_point),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
