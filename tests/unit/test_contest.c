/* Goal: a contest stops what is decided, spends its budget on what is not, keeps both sides' work
 * equal and orders balanced, and survives sides that fail or a machine that sleeps. Method: fake
 * programs on a fake clock. */
#include "cli/contest.h"
#include "os/interrupt.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

enum { ENTRIES_MAX = 4 };

struct world {
    int64_t now_ns;
    int64_t suspended_ns;
    struct random random;
    char last[ENTRIES_MAX][4096]; /* which side ran each slice, 'o' or 'n' */
    ptrdiff_t slices[ENTRIES_MAX];
    char latest[ENTRIES_MAX];
};

struct side {
    struct world *world;
    int entry;
    char letter;
    double per_iteration_ns;
    double launch_sd;
    double noise;          /* sd of a slice; 0: little */
    double cold_ns;        /* more when the other side ran before */
    ptrdiff_t slow_slices; /* so many first ones are preempted */
    double factor;
    double iterations;
    ptrdiff_t launches;
    ptrdiff_t crash_at_launch;
    bool is_deleted;
    ptrdiff_t decline_at_launch; /* SKIPPED or a failed check */
    const char *skip_reason;
    ptrdiff_t sleep_at_launch;
    bool is_open;
};

static mono_time now(void *context)
{
    return (mono_time){((struct world *)context)->now_ns};
}

static int64_t suspended(void *context)
{
    return ((struct world *)context)->suspended_ns;
}

static double steal(void *context)
{
    (void)context;
    return NAN;
}

static tare_status side_begin(void *context, struct arena *arena, enum model_launch_kind kind,
                              const struct measure_variation *variation,
                              struct model_benchmark *benchmark, struct tare_error *error)
{
    struct side *side = context;
    (void)arena;
    (void)kind;
    (void)variation;
    (void)benchmark;
    assert_false(side->is_open);
    side->is_open = true;
    side->launches++;
    side->world->now_ns += 1000000;
    side->factor = exp(side->launch_sd * random_normal(&side->world->random));
    if (side->launches == side->sleep_at_launch) {
        side->world->suspended_ns += 1000000000;
    }
    if (side->launches == side->crash_at_launch) {
        return error_set(error, TARE_ERROR_MEASURE, "killed by signal 11");
    }
    return TARE_OK;
}

static tare_status side_slice(void *context, struct arena *arena, double iterations,
                              enum protocol_count count, struct protocol_slice *slice,
                              struct tare_error *error)
{
    struct side *side = context;
    struct world *world = side->world;
    (void)arena;
    (void)count;
    (void)error;
    assert_true(side->is_open);
    side->iterations = iterations;
    double sd = side->noise > 0 ? side->noise : 0.002;
    double noise = exp(sd * random_normal(&world->random));
    bool is_cold = world->latest[side->entry] != side->letter;
    world->latest[side->entry] = side->letter;
    if (side->slow_slices > 0) {
        side->slow_slices--;
        noise *= 50;
    }
    if (side->launches == side->decline_at_launch) {
        *slice = (struct protocol_slice){.skip_reason = side->skip_reason,
                                         .is_check_failed = side->skip_reason == NULL,
                                         .check_detail = "3, want 4"};
        return TARE_OK;
    }
    *slice = (struct protocol_slice){.time_ns = iterations * side->per_iteration_ns * side->factor *
                                                    noise +
                                                (is_cold ? side->cold_ns : 0),
                                     .is_deleted = side->is_deleted,
                                     .scaled = 1};
    world->now_ns += (int64_t)slice->time_ns;
    if (world->slices[side->entry] < 4095) {
        world->last[side->entry][world->slices[side->entry]] = side->letter;
    }
    world->slices[side->entry]++;
    return TARE_OK;
}

static tare_status side_end(void *context, int *exit_status, struct tare_error *error)
{
    struct side *side = context;
    (void)error;
    side->is_open = false;
    *exit_status = 0;
    return TARE_OK;
}

struct fixture {
    struct arena arena;
    struct world world;
    struct side sides[ENTRIES_MAX][2];
    struct contest_entry entries[ENTRIES_MAX];
    struct contest contest;
    struct measure_clock clock;
    struct random random;
    struct tare_error error;
};

static void add_entry(struct fixture *f, double ratio, double launch_sd)
{
    static const char *metrics[] = {"time"};
    int i = (int)f->contest.count++;
    struct contest_entry *entry = &f->entries[i];
    *entry = (struct contest_entry){
        .label = "e", .metrics = metrics, .metric_count = 1, .gated_count = 1};
    entry->pair.side_count = 2;
    for (int k = 0; k < 2; k++) {
        f->sides[i][k] = (struct side){.world = &f->world,
                                       .entry = i,
                                       .letter = k == 0 ? 'o' : 'n',
                                       .per_iteration_ns = k == 0 ? 100 : 100 * ratio,
                                       .launch_sd = launch_sd};
        struct model_benchmark *benchmark = ARENA_NEW(&f->arena, struct model_benchmark);
        *benchmark = (struct model_benchmark){.suite = "", .name = "e", .variant = ""};
        entry->pair.sides[k] = (struct pair_side){
            .target = {.context = &f->sides[i][k],
                       .begin = side_begin,
                       .slice = side_slice,
                       .end = side_end},
            .benchmark = benchmark,
        };
    }
    entry->comparisons = ARENA_ARRAY(&f->arena, struct model_comparison *, 1);
    entry->comparisons[0] = ARENA_NEW(&f->arena, struct model_comparison);
}

static int set_up(void **state)
{
    static struct fixture f;
    f = (struct fixture){.world = {.random = random_seeded(5)}, .random = random_seeded(6)};
    f.clock = (struct measure_clock){
        .context = &f.world, .now = now, .suspended_ns = suspended, .steal_ratio = steal};
    f.contest = (struct contest){
        .entries = f.entries,
        .rule = {.alpha = 0.01, .band = 0.01},
        .plan = pair_plan_default(false),
        .budget_ns = 60e9,
        .clock = &f.clock,
        .random = &f.random,
    };
    interrupt_set(false);
    *state = &f;
    return 0;
}

static int tear_down(void **state)
{
    struct fixture *f = *state;
    for (ptrdiff_t i = 0; i < f->contest.count; i++) {
        assert_false(f->sides[i][0].is_open || f->sides[i][1].is_open); /* no process is left */
    }
    arena_free(&f->arena);
    return 0;
}

static enum model_verdict verdict(struct fixture *f, int entry)
{
    return f->entries[entry].comparisons[0][0].verdict;
}

static void test_decided_ones_stop_early(void **state)
{
    struct fixture *f = *state;
    add_entry(f, 1, 0.001);
    add_entry(f, 1.1, 0.001);
    add_entry(f, 1, 0.05);
    f->contest.budget_ns = 12e9;
    assert_int_equal(contest_run(&f->arena, &f->contest, &f->error), TARE_OK);
    assert_int_equal(verdict(f, 0), MODEL_EQUIVALENT);
    assert_int_equal(verdict(f, 1), MODEL_REGRESSED);
    assert_int_equal(verdict(f, 2), MODEL_INCONCLUSIVE);
    /* Time went where the doubt was. */
    assert_true(f->entries[0].pair.launches < 20 && f->entries[1].pair.launches < 20);
    assert_true(f->entries[2].pair.launches > 200);
    assert_true(f->entries[2].comparisons[0][0].seconds_more > 0);
}

/* Goal: launches become longer where rounds scatter and launches are dear, unless the user says how
 * many rounds; the budget still holds many of them. */
static void test_launches_are_paced(void **state)
{
    struct fixture *f = *state;
    add_entry(f, 1, 0);
    f->sides[0][0].noise = f->sides[0][1].noise = 0.2;
    f->contest.budget_ns = 10e9;
    assert_int_equal(contest_run(&f->arena, &f->contest, &f->error), TARE_OK);
    assert_true(f->entries[0].pair.rounds > 2 * f->contest.plan.rounds);
    assert_true(f->entries[0].pair.launches >= 27);
}

static void test_rounds_that_were_asked_for_stay(void **state)
{
    struct fixture *f = *state;
    add_entry(f, 1, 0);
    f->sides[0][0].noise = f->sides[0][1].noise = 0.2;
    f->contest.plan.is_paced = false;
    f->contest.budget_ns = 5e9;
    assert_int_equal(contest_run(&f->arena, &f->contest, &f->error), TARE_OK);
    assert_int_equal(f->entries[0].pair.rounds, f->contest.plan.rounds);
}

/* Goal: slices have the length that was asked for, though the CPU was taken away while iterations
 * were counted. */
static void test_disturbed_calibration(void **state)
{
    struct fixture *f = *state;
    add_entry(f, 1.1, 0.001);
    f->sides[0][0].slow_slices = 4;
    assert_int_equal(contest_run(&f->arena, &f->contest, &f->error), TARE_OK);
    double slice_ns = f->sides[0][0].iterations * 100;
    assert_true(slice_ns > 0.8 * f->contest.plan.slice_ns);
    assert_true(slice_ns < 1.25 * f->contest.plan.slice_ns);
}

/* Goal: what it costs to fill the caches again does not thin an effect out. */
static void test_cold_starts_are_not_timed(void **state)
{
    struct fixture *f = *state;
    add_entry(f, 1.1, 0.001);
    add_entry(f, 1.1, 0.001);
    f->sides[0][0].cold_ns = f->sides[0][1].cold_ns = 100e3;
    assert_int_equal(contest_run(&f->arena, &f->contest, &f->error), TARE_OK);
    assert_true(f->entries[0].pair.has_lead_in);
    assert_false(f->entries[1].pair.has_lead_in); /* others pay nothing for it */
    for (int i = 0; i < 2; i++) {
        double ratio = f->entries[i].comparisons[0][0].ratio;
        assert_true(ratio > 1.09 && ratio < 1.11);
    }
}

static void test_budget_is_kept(void **state)
{
    struct fixture *f = *state;
    add_entry(f, 1, 0.05);
    f->contest.budget_ns = 5e9;
    assert_int_equal(contest_run(&f->arena, &f->contest, &f->error), TARE_OK);
    assert_true(f->world.now_ns <= 5200000000);
    assert_int_equal(verdict(f, 0), MODEL_INCONCLUSIVE);
}

static void test_tiny_budget_gives_no_verdict(void **state)
{
    struct fixture *f = *state;
    add_entry(f, 2, 0.001);
    f->contest.budget_ns = 100e6; /* one or two launches */
    assert_int_equal(contest_run(&f->arena, &f->contest, &f->error), TARE_OK);
    assert_int_equal(verdict(f, 0), MODEL_INCONCLUSIVE);
    assert_string_equal(f->entries[0].comparisons[0][0].reason_code, "too-few-launches");
}

static void test_same_work_in_balanced_order(void **state)
{
    struct fixture *f = *state;
    add_entry(f, 1.5, 0.001);
    assert_int_equal(contest_run(&f->arena, &f->contest, &f->error), TARE_OK);
    assert_true(f->sides[0][0].iterations == f->sides[0][1].iterations);
    const struct model_metric *old_time =
        model_metric_find(f->entries[0].pair.sides[0].benchmark, "time");
    const struct model_metric *new_time =
        model_metric_find(f->entries[0].pair.sides[1].benchmark, "time");
    assert_int_equal(old_time->count, new_time->count);
    /* Both orders occur, and neither side is always first. */
    assert_non_null(strstr(f->world.last[0], "onno"));
    assert_non_null(strstr(f->world.last[0], "noon"));
}

static void test_crash_makes_its_comparison_invalid(void **state)
{
    struct fixture *f = *state;
    add_entry(f, 1, 0.001);
    add_entry(f, 1, 0.001);
    f->sides[0][1].crash_at_launch = 5;
    assert_int_equal(contest_run(&f->arena, &f->contest, &f->error), TARE_OK);
    assert_int_equal(verdict(f, 0), MODEL_INVALID);
    assert_non_null(strstr(f->entries[0].comparisons[0][0].reason, "signal 11"));
    assert_int_equal(verdict(f, 1), MODEL_EQUIVALENT); /* the other goes on */
}

/* Goal: a side whose slice fails its check, declines, or holds no work ends its comparison, and is
 * called what it is. */
static void test_declining_sides(void **state)
{
    struct fixture *f = *state;
    add_entry(f, 1, 0.001);
    add_entry(f, 1, 0.001);
    add_entry(f, 1, 0.001);
    f->sides[0][1].decline_at_launch = 3;
    f->sides[1][0].decline_at_launch = 1;
    f->sides[1][0].skip_reason = "no GPU";
    f->sides[2][1].is_deleted = true;
    assert_int_equal(contest_run(&f->arena, &f->contest, &f->error), TARE_OK);
    const struct model_benchmark *failed = f->entries[0].pair.sides[1].benchmark;
    assert_int_equal(failed->state, MODEL_STATE_INVALID);
    assert_int_equal(failed->check, MODEL_CHECK_FAILED);
    assert_string_equal(failed->reason, "its correctness check failed: 3, want 4");
    assert_int_equal(verdict(f, 0), MODEL_INVALID);
    const struct model_benchmark *skipped = f->entries[1].pair.sides[0].benchmark;
    assert_int_equal(skipped->state, MODEL_STATE_SKIPPED);
    assert_string_equal(skipped->reason, "no GPU");
    const struct model_benchmark *deleted = f->entries[2].pair.sides[1].benchmark;
    assert_int_equal(deleted->state, MODEL_STATE_INVALID);
    assert_non_null(strstr(deleted->reason, "costs no more than an empty loop"));
    assert_int_equal(verdict(f, 2), MODEL_INVALID);
}

static void test_sleeping_launch_is_thrown_away(void **state)
{
    struct fixture *f = *state;
    add_entry(f, 1, 0.001);
    f->sides[0][1].sleep_at_launch = 3;
    assert_int_equal(contest_run(&f->arena, &f->contest, &f->error), TARE_OK);
    assert_int_equal(verdict(f, 0), MODEL_EQUIVALENT);
    assert_int_equal(f->sides[0][1].launches, f->entries[0].pair.launches + 1);
}

static void test_interrupt_keeps_what_was_decided(void **state)
{
    struct fixture *f = *state;
    add_entry(f, 1, 0.001);
    interrupt_set(true);
    assert_int_equal(contest_run(&f->arena, &f->contest, &f->error), TARE_INTERRUPTED);
    interrupt_set(false);
}

static void test_one_slow_call(void **state)
{
    struct fixture *f = *state;
    add_entry(f, 1, 0.001);
    f->sides[0][0].per_iteration_ns = f->sides[0][1].per_iteration_ns = 30e9;
    assert_int_equal(contest_run(&f->arena, &f->contest, &f->error), TARE_OK);
    assert_int_equal(verdict(f, 0), MODEL_INCONCLUSIVE); /* 60 s are not enough, and it says so */
    assert_string_equal(f->entries[0].comparisons[0][0].reason_code, "slower-than-budget");
    assert_true(f->entries[0].comparisons[0][0].seconds_more > 400);
    assert_true(f->world.now_ns <= 61000000000); /* the budget holds all the same */
}

/* Goal: what stayed in doubt goes on where it stopped; what is decided or closed is left alone. */
static void test_reopened_entries_go_on(void **state)
{
    struct fixture *f = *state;
    add_entry(f, 1, 0.05);
    add_entry(f, 1, 0.001);
    add_entry(f, 1, 0.05);
    f->contest.budget_ns = 6e9;
    assert_int_equal(contest_run(&f->arena, &f->contest, &f->error), TARE_OK);
    ptrdiff_t before[3];
    for (int i = 0; i < 3; i++) {
        before[i] = f->entries[i].pair.launches;
    }
    f->entries[2].is_closed = true;
    assert_int_equal(contest_reopen(&f->contest, 4e9), 1);
    assert_int_equal(contest_run(&f->arena, &f->contest, &f->error), TARE_OK);
    assert_true(f->entries[0].pair.launches > before[0]);
    assert_int_equal(f->entries[0].pair.launches,
                     f->entries[0].comparisons[0][0].old_side.launches);
    assert_int_equal(f->entries[1].pair.launches, before[1]);
    assert_int_equal(f->entries[2].pair.launches, before[2]);
}

/* Goal: with a limit, measuring ends when the limit is decided, though the verdict is not. */
static void test_a_limit_is_enough(void **state)
{
    struct fixture *f = *state;
    struct detect_rule rules[2];
    for (int i = 0; i < 2; i++) {
        add_entry(f, i == 0 ? 1.005 : 1.3, 0.02);
        rules[i] = f->contest.rule;
        rules[i].limit = (struct detect_limit){.is_set = true, .value = 0.05};
        f->entries[i].rules = &rules[i];
    }
    assert_int_equal(contest_run(&f->arena, &f->contest, &f->error), TARE_OK);
    assert_int_equal(detect_gate(&f->entries[0].comparisons[0][0], &rules[0].limit),
                     MODEL_GATE_PASS);
    assert_int_equal(verdict(f, 0), MODEL_INCONCLUSIVE);
    assert_int_equal(detect_gate(&f->entries[1].comparisons[0][0], &rules[1].limit),
                     MODEL_GATE_FAIL);
    assert_true(f->world.now_ns < 30000000000);
}

/* Goal: an entry that was never looked at says so, instead of nothing. */
static void test_interrupt_before_the_first_look(void **state)
{
    struct fixture *f = *state;
    add_entry(f, 1, 0.001);
    add_entry(f, 1, 0.001);
    contest_open(&f->arena, &f->contest);
    interrupt_set(true);
    assert_int_equal(contest_run(&f->arena, &f->contest, &f->error), TARE_INTERRUPTED);
    interrupt_set(false);
    for (int i = 0; i < 2; i++) {
        assert_int_equal(verdict(f, i), MODEL_INCONCLUSIVE);
        assert_non_null(f->entries[i].comparisons[0][0].benchmark);
    }
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_decided_ones_stop_early),
        TEST(test_launches_are_paced),
        TEST(test_rounds_that_were_asked_for_stay),
        TEST(test_disturbed_calibration),
        TEST(test_cold_starts_are_not_timed),
        TEST(test_budget_is_kept),
        TEST(test_tiny_budget_gives_no_verdict),
        TEST(test_same_work_in_balanced_order),
        TEST(test_crash_makes_its_comparison_invalid),
        TEST(test_declining_sides),
        TEST(test_sleeping_launch_is_thrown_away),
        TEST(test_interrupt_keeps_what_was_decided),
        TEST(test_one_slow_call),
        TEST(test_reopened_entries_go_on),
        TEST(test_a_limit_is_enough),
        TEST(test_interrupt_before_the_first_look),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
