/* Goal: the sampler calibrates, warms up, stops, retries and fails as documented, without any time
 * passing. Method: a fake target whose slices move a fake clock by a scripted amount. */
#include "base/random.h"
#include "measure/sampler.h"
#include "os/interrupt.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

struct fake {
    int64_t now_ns;
    int64_t suspended_ns;
    double per_iteration_ns;
    double noise;         /* relative, uniform, per launch */
    double launch_factor; /* of the current launch */
    struct random random;
    ptrdiff_t launches;
    ptrdiff_t slices;
    ptrdiff_t slices_in_launch;
    ptrdiff_t crash_at_slice;  /* 0: never */
    ptrdiff_t sleep_at_launch; /* 0: never; negative: at every one */
    ptrdiff_t interrupt_at_slice;
    double last_iterations;
    bool is_open;
    bool fails_check;
    bool is_deleted;
    ptrdiff_t decline_at_slice; /* with what follows */
    const char *skip_reason;
    const char *check_detail;
    double allocations[2]; /* of the first and the second counted launch */
    ptrdiff_t counted;
    const char *undeclared;
};

static mono_time fake_now(void *context)
{
    return (mono_time){((struct fake *)context)->now_ns};
}

static int64_t fake_suspended(void *context)
{
    return ((struct fake *)context)->suspended_ns;
}

static double fake_steal(void *context)
{
    (void)context;
    return NAN;
}

static tare_status fake_begin(void *context, struct arena *arena, enum model_launch_kind kind,
                              const struct measure_variation *variation,
                              struct model_benchmark *benchmark, struct tare_error *error)
{
    struct fake *fake = context;
    (void)arena;
    (void)kind;
    (void)variation;
    (void)error;
    assert_false(fake->is_open);
    fake->is_open = true;
    fake->launches++;
    fake->slices_in_launch = 0;
    fake->now_ns += 1000000; /* starting a process takes a millisecond */
    fake->launch_factor = 1 + fake->noise * (2 * random_unit(&fake->random) - 1);
    if (fake->sleep_at_launch < 0 || fake->launches == fake->sleep_at_launch) {
        fake->suspended_ns += 5000000000;
    }
    if (fake->fails_check) {
        benchmark->state = MODEL_STATE_INVALID;
        benchmark->reason = "its correctness check failed";
    }
    return TARE_OK;
}

static tare_status fake_slice(void *context, struct arena *arena, double iterations,
                              enum protocol_count count, struct protocol_slice *slice,
                              struct tare_error *error)
{
    struct fake *fake = context;
    assert_true(fake->is_open);
    fake->slices++;
    fake->slices_in_launch++;
    fake->last_iterations = iterations;
    if (fake->slices == fake->crash_at_slice) {
        return error_set(error, TARE_ERROR_MEASURE, "killed by signal 11");
    }
    if (fake->slices == fake->interrupt_at_slice) {
        return error_set(error, TARE_INTERRUPTED, "interrupted");
    }
    if (fake->slices == fake->decline_at_slice) {
        *slice = (struct protocol_slice){.skip_reason = fake->skip_reason,
                                         .is_check_failed = fake->skip_reason == NULL,
                                         .check_detail = fake->check_detail};
        return TARE_OK;
    }
    *slice = (struct protocol_slice){
        .time_ns = iterations * fake->per_iteration_ns * fake->launch_factor,
        .is_deleted = fake->is_deleted,
        .scaled = 1,
    };
    if (count == PROTOCOL_COUNT_ALLOCATIONS || fake->undeclared != NULL) {
        slice->values = ARENA_ARRAY(arena, struct protocol_value, 1);
        slice->values[0].name = fake->undeclared != NULL ? fake->undeclared : "allocations";
        slice->values[0].value = fake->allocations[fake->counted++ % 2];
        slice->value_count = 1;
    }
    fake->now_ns += (int64_t)slice->time_ns + 1000;
    return TARE_OK;
}

static tare_status fake_end(void *context, int *exit_status, struct tare_error *error)
{
    struct fake *fake = context;
    (void)error;
    fake->is_open = false;
    *exit_status = 0;
    return TARE_OK;
}

struct fixture {
    struct arena arena;
    struct fake fake;
    struct measure_target target;
    struct measure_clock clock;
    struct measure_plan plan;
    struct model_benchmark benchmark;
    struct tare_error error;
};

static int set_up(void **state)
{
    static struct fixture fixture;
    fixture = (struct fixture){
        .fake = {.per_iteration_ns = 100,
                 .noise = 0.001,
                 .launch_factor = 1,
                 .random = random_seeded(7)},
        .plan = measure_plan_default(false),
        .benchmark = {.suite = "", .name = "fake", .variant = "", .iterations = 1},
    };
    fixture.target = (struct measure_target){
        .context = &fixture.fake, .begin = fake_begin, .slice = fake_slice, .end = fake_end};
    fixture.clock = (struct measure_clock){.context = &fixture.fake,
                                           .now = fake_now,
                                           .suspended_ns = fake_suspended,
                                           .steal_ratio = fake_steal};
    interrupt_set(false);
    *state = &fixture;
    return 0;
}

static int tear_down(void **state)
{
    struct fixture *f = *state;
    arena_free(&f->arena);
    return 0;
}

static tare_status measure(struct fixture *f)
{
    struct random random = random_seeded(1);
    tare_status status = measure_benchmark(&f->arena, &f->target, &f->plan, &f->clock, &random,
                                           NULL, &f->benchmark, &f->error);
    assert_false(f->fake.is_open); /* no process is ever left behind */
    return status;
}

static void test_calibrates_to_a_millisecond(void **state)
{
    struct fixture *f = *state;
    assert_int_equal(measure(f), TARE_OK);
    assert_true(f->benchmark.iterations >= 10000 && f->benchmark.iterations <= 11000);
}

static void test_stops_when_precise(void **state)
{
    struct fixture *f = *state;
    assert_int_equal(measure(f), TARE_OK);
    assert_int_equal(f->benchmark.state, MODEL_STATE_OK);
    assert_int_equal(f->benchmark.launch_count, f->plan.launches_min);
    assert_int_equal(f->benchmark.metrics[0].count,
                     f->plan.launches_min * f->plan.slices_per_launch);
}

static void test_goes_on_while_imprecise(void **state)
{
    struct fixture *f = *state;
    f->fake.noise = 0.03;
    assert_int_equal(measure(f), TARE_OK);
    assert_true(f->benchmark.launch_count > f->plan.launches_min);
    assert_true(f->benchmark.launch_count <= f->plan.launches_max);
}

static void test_stops_at_the_budget(void **state)
{
    struct fixture *f = *state;
    f->fake.noise = 0.5;
    f->plan.budget_ns = 2e9;
    assert_int_equal(measure(f), TARE_OK);
    assert_true(f->fake.now_ns <= 2200000000);
    assert_true(f->benchmark.launch_count > 20);
}

static void test_warms_up_every_launch(void **state)
{
    struct fixture *f = *state;
    assert_int_equal(measure(f), TARE_OK);
    /* 5 ms of warm-up are at least 5 slices of a millisecond before the 20 that are kept. */
    assert_true(f->fake.slices_in_launch >= f->plan.slices_per_launch + 5);
}

static void test_slow_call_is_not_thrown_away(void **state)
{
    struct fixture *f = *state;
    f->fake.per_iteration_ns = 30e9;
    f->plan.budget_ns = 60e9;
    assert_int_equal(measure(f), TARE_OK);
    assert_true(f->benchmark.metrics[0].count >= 1);
    assert_true(f->fake.slices <= 2);
}

static void test_sleeping_machine_is_retried(void **state)
{
    struct fixture *f = *state;
    f->fake.sleep_at_launch = 3;
    assert_int_equal(measure(f), TARE_OK);
    assert_int_equal(f->benchmark.state, MODEL_STATE_OK);
    assert_int_equal(f->fake.launches, f->plan.launches_min + 1);
    assert_int_equal(f->benchmark.launch_count, f->plan.launches_min);
    assert_non_null(strstr(f->benchmark.warnings[0], "slept"));
}

static void test_endless_sleep_gives_up(void **state)
{
    struct fixture *f = *state;
    f->fake.sleep_at_launch = -1;
    assert_int_equal(measure(f), TARE_OK);
    assert_int_equal(f->benchmark.state, MODEL_STATE_FAILED);
    assert_int_equal(f->fake.launches, 4);
}

static void test_crash_fails_the_benchmark_only(void **state)
{
    struct fixture *f = *state;
    f->fake.crash_at_slice = 100;
    assert_int_equal(measure(f), TARE_OK);
    assert_int_equal(f->benchmark.state, MODEL_STATE_FAILED);
    assert_string_equal(f->benchmark.reason, "killed by signal 11");
    assert_int_equal(f->error.status, TARE_OK);
}

static void test_interrupt_is_passed_on(void **state)
{
    struct fixture *f = *state;
    f->fake.interrupt_at_slice = 50;
    assert_int_equal(measure(f), TARE_INTERRUPTED);
}

static void test_interrupt_flag_stops_between_slices(void **state)
{
    struct fixture *f = *state;
    interrupt_set(true);
    assert_int_equal(measure(f), TARE_INTERRUPTED);
    assert_int_equal(f->fake.slices, 0);
    interrupt_set(false);
}

static void test_failed_check_gives_no_figures(void **state)
{
    struct fixture *f = *state;
    f->fake.fails_check = true;
    assert_int_equal(measure(f), TARE_OK);
    assert_int_equal(f->benchmark.state, MODEL_STATE_INVALID);
    assert_int_equal(f->benchmark.metric_count, 0);
    assert_int_equal(f->fake.launches, 1);
}

static void test_zero_time_is_a_failure(void **state)
{
    struct fixture *f = *state;
    f->fake.per_iteration_ns = 0;
    assert_int_equal(measure(f), TARE_OK);
    assert_int_equal(f->benchmark.state, MODEL_STATE_FAILED);
    assert_non_null(strstr(f->benchmark.reason, "no time passes"));
}

static void test_deleted_loop_is_invalid(void **state)
{
    struct fixture *f = *state;
    f->fake.is_deleted = true;
    assert_int_equal(measure(f), TARE_OK);
    assert_int_equal(f->benchmark.state, MODEL_STATE_INVALID);
    assert_non_null(strstr(f->benchmark.reason, "tare_keep"));
}

/* Goal: no net time passes in a deleted loop, however long; it is called deleted, not failed, and
 * soon. */
static void test_deleted_loop_without_time(void **state)
{
    struct fixture *f = *state;
    f->fake.is_deleted = true;
    f->fake.per_iteration_ns = 0;
    assert_int_equal(measure(f), TARE_OK);
    assert_int_equal(f->benchmark.state, MODEL_STATE_INVALID);
    assert_non_null(strstr(f->benchmark.reason, "costs no more than an empty loop"));
}

/* Goal: an expectation that fails in a timed slice makes the benchmark invalid, a skip in the body
 * skips it; in the first slice and in a later launch alike. */
static void test_slice_fails_its_check(void **state)
{
    struct fixture *f = *state;
    f->fake.decline_at_slice = 60;
    f->fake.check_detail = "3, want 4";
    assert_int_equal(measure(f), TARE_OK);
    assert_int_equal(f->error.status, TARE_OK);
    assert_int_equal(f->benchmark.state, MODEL_STATE_INVALID);
    assert_int_equal(f->benchmark.check, MODEL_CHECK_FAILED);
    assert_string_equal(f->benchmark.reason, "its correctness check failed: 3, want 4");
    assert_string_equal(f->benchmark.check_detail, "3, want 4");
    assert_int_equal(f->fake.slices, 60); /* nothing is asked of it afterwards */
}

static void test_slice_is_skipped(void **state)
{
    struct fixture *f = *state;
    f->fake.decline_at_slice = 1;
    f->fake.skip_reason = "no GPU";
    assert_int_equal(measure(f), TARE_OK);
    assert_int_equal(f->benchmark.state, MODEL_STATE_SKIPPED);
    assert_string_equal(f->benchmark.reason, "no GPU");
    assert_int_equal(f->benchmark.check, MODEL_CHECK_NONE);
}

static void test_counts_must_repeat(void **state)
{
    struct fixture *f = *state;
    f->target.can_count_allocations = true;
    f->fake.allocations[0] = 3;
    f->fake.allocations[1] = 4;
    assert_int_equal(measure(f), TARE_OK);
    const struct model_metric *metric = model_metric_find(&f->benchmark, "allocations");
    assert_non_null(metric);
    assert_non_null(metric->invalid_reason);
    assert_int_equal(f->benchmark.state, MODEL_STATE_OK); /* the times are still good */
}

static void test_counts_that_repeat_are_exact(void **state)
{
    struct fixture *f = *state;
    f->target.can_count_allocations = true;
    f->fake.allocations[0] = f->fake.allocations[1] = 3;
    assert_int_equal(measure(f), TARE_OK);
    const struct model_metric *metric = model_metric_find(&f->benchmark, "allocations");
    assert_non_null(metric);
    assert_null(metric->invalid_reason);
    assert_true(metric->is_exact && metric->count == 2 && metric->values[1] == 3);
    /* Counting launches are marked as such and give no times. */
    const struct model_launch *last = &f->benchmark.launches[f->benchmark.launch_count - 1];
    assert_int_equal(last->kind, MODEL_LAUNCH_ALLOCATIONS);
}

static void test_undeclared_metric_is_a_failure(void **state)
{
    struct fixture *f = *state;
    f->fake.undeclared = "surprise";
    assert_int_equal(measure(f), TARE_OK);
    assert_int_equal(f->benchmark.state, MODEL_STATE_FAILED);
    assert_non_null(strstr(f->benchmark.reason, "surprise"));
}

static void test_commands_take_one_run_a_launch(void **state)
{
    struct fixture *f = *state;
    f->plan = measure_plan_default(true);
    f->plan.warmup_runs = 3;
    f->target.is_command = true;
    f->fake.per_iteration_ns = 10e6;
    assert_int_equal(measure(f), TARE_OK);
    assert_int_equal(f->benchmark.launch_count, 10);
    assert_int_equal(f->benchmark.metrics[0].count, 10);
    assert_int_equal(f->fake.slices, 13);
}

static ptrdiff_t fake_slices_left(void *context)
{
    return 3 - ((struct fake *)context)->slices_in_launch;
}

/* A process that makes three slices in one go gives three samples a launch, with neither
 * calibration nor warm-up, and is asked for single iterations when it sets its own pace. */
static void test_slices_made_in_one_go(void **state)
{
    struct fixture *f = *state;
    f->target.slices_left = fake_slices_left;
    f->target.is_self_paced = true;
    assert_int_equal(measure(f), TARE_OK);
    assert_int_equal(f->benchmark.launch_count, 10);
    assert_int_equal(f->benchmark.metrics[0].count, 30);
    assert_int_equal(f->fake.slices, 30);
    assert_true(f->fake.last_iterations == 1);
}

/* Where its iterations can be fixed they are calibrated, to the target's own length of a slice. */
static void test_own_length_of_a_slice(void **state)
{
    struct fixture *f = *state;
    f->fake.noise = 0;
    f->target.slice_ns = 1e5;
    assert_int_equal(measure(f), TARE_OK);
    assert_true(f->fake.last_iterations == 1000); /* of 100 ns */
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_calibrates_to_a_millisecond),
        TEST(test_stops_when_precise),
        TEST(test_goes_on_while_imprecise),
        TEST(test_stops_at_the_budget),
        TEST(test_warms_up_every_launch),
        TEST(test_slow_call_is_not_thrown_away),
        TEST(test_sleeping_machine_is_retried),
        TEST(test_endless_sleep_gives_up),
        TEST(test_crash_fails_the_benchmark_only),
        TEST(test_interrupt_is_passed_on),
        TEST(test_interrupt_flag_stops_between_slices),
        TEST(test_failed_check_gives_no_figures),
        TEST(test_zero_time_is_a_failure),
        TEST(test_deleted_loop_is_invalid),
        TEST(test_deleted_loop_without_time),
        TEST(test_slice_fails_its_check),
        TEST(test_slice_is_skipped),
        TEST(test_counts_must_repeat),
        TEST(test_counts_that_repeat_are_exact),
        TEST(test_undeclared_metric_is_a_failure),
        TEST(test_commands_take_one_run_a_launch),
        TEST(test_slices_made_in_one_go),
        TEST(test_own_length_of_a_slice),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
