/* libtare's life of a case: set-up, slices, batches, threads, checks, variants, and every way a
 * body can go wrong. Benchmarks are defined here with the public macros and run through the
 * internal functions. */
#include "client/client.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* What the bodies below were seen doing. */
static struct {
    int setups, teardowns, launches, landings, calls;
    uint64_t passes, largest_call;
    _Atomic int threads_in_loop;
    _Atomic uint64_t thread_passes;
    _Atomic unsigned thread_mask;
} seen;

static void count_setup(struct tare_state *t)
{
    seen.setups++;
    tare_set_data(t, &seen);
}

static void count_teardown(struct tare_state *t)
{
    assert_ptr_equal(tare_data(t), &seen);
    seen.teardowns++;
}

static void launch(void)
{
    seen.launches++;
}

static void landing(void)
{
    seen.landings++;
}

TARE_BENCHMARK(batched)
{
    seen.calls++;
    if (tare_iterations(t) > seen.largest_call) {
        seen.largest_call = tare_iterations(t);
    }
    TARE_LOOP(t)
    {
        seen.passes++;
        tare_clobber();
    }
    tare_bytes(t, 100);
}

TARE_DESCRIBE(batched)
{
    tare_batch(d, 10);
    tare_setup(d, count_setup, count_teardown);
    tare_launch_setup(d, launch, landing);
}

TARE_BENCHMARK(no_loop)
{
    (void)t;
}

TARE_BENCHMARK(two_loops)
{
    TARE_LOOP(t)
    {
    }
    TARE_LOOP(t)
    {
    }
}

TARE_BENCHMARK(returns)
{
    TARE_LOOP(t)
    {
        return;
    }
}

TARE_BENCHMARK(skips)
{
    tare_skip(t, "needs %s", "a GPU");
}

static void failing_setup(struct tare_state *t)
{
    seen.setups++;
    tare_fail(t, "no corpus");
}

static void any_teardown(struct tare_state *t)
{
    (void)t;
    seen.teardowns++;
}

TARE_BENCHMARK(bad_setup)
{
    seen.calls++;
    TARE_LOOP(t)
    {
    }
}

TARE_DESCRIBE(bad_setup)
{
    tare_setup(d, failing_setup, any_teardown);
    tare_launch_setup(d, launch, landing);
}

TARE_BENCHMARK(wrong_parameter)
{
    tare_keep(tare_param(t, "nowhere"));
    TARE_LOOP(t)
    {
    }
}

TARE_BENCHMARK(wrong_metric)
{
    TARE_LOOP(t)
    {
    }
    tare_report(t, "undeclared", 1);
}

TARE_BENCHMARK(nan_metric)
{
    TARE_LOOP(t)
    {
    }
    tare_report(t, "level", NAN);
}

TARE_DESCRIBE(nan_metric)
{
    tare_metric(d, "level", "1", TARE_LOWER);
}

TARE_BENCHMARK(late_check)
{
    TARE_LOOP(t)
    {
    }
    tare_expect(t, 0, "wrong in slice %d", 3);
}

/* Variants: the second agrees, the third does not, the fourth gives another amount. */
TARE_BENCHMARK(vary)
{
    double sum = 1;
    TARE_LOOP(t)
    {
    }
    tare_result_near(t, &sum, 1, 1e-9);
}

TARE_VARIANT(vary, agrees)
{
    double sum = 1 + 1e-12;
    TARE_LOOP(t)
    {
    }
    tare_result_near(t, &sum, 1, 1e-9);
}

TARE_VARIANT(vary, differs)
{
    double sum = 1.5;
    TARE_LOOP(t)
    {
    }
    tare_result_near(t, &sum, 1, 1e-9);
}

TARE_VARIANT(vary, shorter)
{
    TARE_LOOP(t)
    {
    }
    tare_result_near(t, NULL, 0, 1e-9);
}

TARE_DESCRIBE(vary)
{
    tare_reference(d, "plain");
}

TARE_BENCHMARK(team)
{
    TARE_LOOP(t)
    {
        atomic_fetch_add(&seen.thread_passes, 1);
    }
    atomic_fetch_or(&seen.thread_mask, 1u << tare_thread_index(t));
    tare_items(t, 1);
    assert_int_equal(tare_thread_count(t), 3);
}

TARE_DESCRIBE(team)
{
    tare_threads(d, "3");
}

/* The second thread does not reach the loop: the others must not wait for it for ever. */
TARE_BENCHMARK(deserter)
{
    if (tare_thread_index(t) == 1) {
        return;
    }
    TARE_LOOP(t)
    {
        tare_clobber();
    }
}

TARE_DESCRIBE(deserter)
{
    tare_threads(d, "3");
}

static struct arena arena;
static struct client client;

static int group_setup(void **unused)
{
    (void)unused;
    client = (struct client){.arena = &arena};
    client_registry_load(&client);
    return client.error.status == TARE_OK ? 0 : -1;
}

static int group_teardown(void **unused)
{
    (void)unused;
    arena_free(&arena);
    return 0;
}

static int each_setup(void **unused)
{
    (void)unused;
    memset(&seen, 0, sizeof seen);
    client.calibration = (struct client_calibration){0};
    return 0;
}

static ptrdiff_t case_of(const char *label)
{
    for (ptrdiff_t i = 0; i < client.case_count; i++) {
        struct buffer text = buffer_new(&arena, 1000);
        client_case_label(&client.cases[i], &text);
        if (strcmp(buffer_string(&text), label) == 0) {
            return i;
        }
    }
    fail_msg("there is no case '%s'", label);
    return 0;
}

/* Opens, runs one slice, and returns why it failed ("" when it did not). */
static const char *reason_of(const char *label)
{
    ptrdiff_t index = case_of(label);
    struct client_opened opened = client_open(&client, index);
    struct client_slice slice;
    if (opened.outcome == CLIENT_OUTCOME_OK) {
        client_slice_run(client.states[index], 7, CLIENT_COUNT_TIME, &slice);
    }
    const char *reason = arena_strdup(&arena, client.states[index]->reason);
    client_close(&client, index);
    return reason;
}

/* Goal: 25 iterations in batches of at most 10 are three calls; set-up and teardown run once each.
 */
static void test_batches(void **unused)
{
    (void)unused;
    ptrdiff_t index = case_of("batched");
    assert_int_equal(client_open(&client, index).outcome, CLIENT_OUTCOME_OK);
    assert_int_equal(seen.launches, 1);
    struct client_slice slice;
    assert_true(client_slice_run(client.states[index], 25, CLIENT_COUNT_TIME, &slice));
    assert_true(client_slice_run(client.states[index], 25, CLIENT_COUNT_TIME, &slice));
    assert_int_equal(seen.calls, 6);
    assert_int_equal(seen.passes, 50);
    assert_int_equal(seen.largest_call, 10);
    assert_int_equal(seen.setups, 1);
    assert_int_equal(seen.teardowns, 0);
    client_close(&client, index);
    assert_int_equal(seen.teardowns, 1);
    assert_int_equal(seen.landings, 0);
    client_end(&client);
    assert_int_equal(seen.landings, 1);
}

/* Goal: the same launch set-up named by two benchmarks runs once in the process. */
static void test_launch_once(void **unused)
{
    (void)unused;
    client_open(&client, case_of("batched"));
    client_open(&client, case_of("bad_setup"));
    assert_int_equal(seen.launches, 1);
    client_end(&client);
    assert_int_equal(seen.landings, 1);
}

/* Goal: every wrong body is named for what it did. */
static void test_wrong_bodies(void **unused)
{
    (void)unused;
    assert_non_null(strstr(reason_of("no_loop"), "without reaching a TARE_LOOP"));
    assert_non_null(strstr(reason_of("two_loops"), "second loop"));
    assert_non_null(strstr(reason_of("returns"), "left before its end"));
    assert_string_equal(reason_of("skips"), "needs a GPU");
    assert_non_null(strstr(reason_of("wrong_parameter"), "'nowhere' is not declared"));
    assert_non_null(strstr(reason_of("wrong_metric"), "'undeclared' is not declared"));
    assert_non_null(strstr(reason_of("nan_metric"), "'level' was reported as"));
    assert_non_null(strstr(reason_of("late_check"), "check failed: wrong in slice 3"));
}

static void test_skip_is_no_failure(void **unused)
{
    (void)unused;
    ptrdiff_t index = case_of("skips");
    client_open(&client, index);
    struct client_slice slice;
    assert_false(client_slice_run(client.states[index], 1, CLIENT_COUNT_TIME, &slice));
    assert_int_equal(client.states[index]->outcome, CLIENT_OUTCOME_SKIPPED);
    client_close(&client, index);
}

/* Goal: after a failed set-up the body is never called, the teardown is. */
static void test_bad_setup(void **unused)
{
    (void)unused;
    ptrdiff_t index = case_of("bad_setup");
    struct client_opened opened = client_open(&client, index);
    assert_int_equal(opened.outcome, CLIENT_OUTCOME_FAILED);
    assert_string_equal(opened.text, "no corpus");
    struct client_slice slice;
    assert_false(client_slice_run(client.states[index], 1, CLIENT_COUNT_TIME, &slice));
    client_close(&client, index);
    assert_int_equal(seen.calls, 0);
    assert_int_equal(seen.setups, 1);
    assert_int_equal(seen.teardowns, 1);
}

static void test_variants(void **unused)
{
    (void)unused;
    static const struct {
        const char *label;
        enum client_check check;
        const char *detail;
    } cases[] = {
        {"vary/plain", CLIENT_CHECK_NONE, ""},
        {"vary/agrees", CLIENT_CHECK_PASSED, ""},
        {"vary/differs", CLIENT_CHECK_FAILED, "result[0]: got 1.5, want 1"},
        {"vary/shorter", CLIENT_CHECK_FAILED, "result of 0 bytes, the reference's has 8"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct client_opened opened = client_open(&client, case_of(cases[i].label));
        assert_int_equal(opened.outcome, CLIENT_OUTCOME_OK);
        assert_int_equal(opened.check, cases[i].check);
        assert_non_null(strstr(opened.text, cases[i].detail));
    }
    client_end(&client);
}

/* Goal: each of three threads makes all passes, in several slices, and the work of all is added up.
 */
static void test_team(void **unused)
{
    (void)unused;
    ptrdiff_t index = case_of("team threads=3");
    assert_int_equal(client_open(&client, index).outcome, CLIENT_OUTCOME_OK);
    for (int i = 0; i < 20; i++) {
        struct client_slice slice;
        atomic_store(&seen.thread_passes, 0);
        assert_true(client_slice_run(client.states[index], 100, CLIENT_COUNT_TIME, &slice));
        assert_int_equal(atomic_load(&seen.thread_passes), 300);
        assert_true(slice.time_ns > 0);
        assert_string_equal(slice.metrics[0].name, "item_rate");
        double rate = 300 / slice.time_ns * 1e9;
        assert_true(fabs(slice.metrics[0].value / rate - 1) < 1e-9);
    }
    assert_int_equal(atomic_load(&seen.thread_mask), 7);
    client_close(&client, index);
}

static void test_deserter(void **unused)
{
    (void)unused;
    assert_string_equal(reason_of("deserter threads=3"),
                        "thread 1: the body returned without reaching a TARE_LOOP");
}

/* Goal: what is subtracted is never more than was measured; a loop no dearer than an empty one is
 * flagged, a dearer one is not. Method: calibrations that make either true for the same body. */
static void test_overhead(void **unused)
{
    (void)unused;
    ptrdiff_t index = case_of("batched");
    client_open(&client, index);
    struct client_slice slice;
    client.calibration = (struct client_calibration){.timer_ns = 1, .loop_ns = 1e9};
    assert_true(client_slice_run(client.states[index], 100, CLIENT_COUNT_TIME, &slice));
    assert_true(slice.time_ns == 0);
    assert_true(slice.overhead_ns > 0);
    assert_true(slice.is_deleted);
    assert_int_equal(slice.metric_count, 0); /* no rate of work done in no time */
    client.calibration = (struct client_calibration){.timer_ns = 0, .loop_ns = 1e-9};
    assert_true(client_slice_run(client.states[index], 100, CLIENT_COUNT_TIME, &slice));
    assert_true(slice.time_ns > 0);
    assert_false(slice.is_deleted);
    assert_string_equal(slice.metrics[0].name, "throughput");
    client_end(&client);
}

static double faked_empty_ns(struct client *unused, uint64_t passes)
{
    (void)unused;
    return (double)passes * 1e9; /* no real loop is as slow */
}

static double faked_quick_ns(struct client *unused, uint64_t passes)
{
    (void)unused;
    return (double)passes * 1e-9; /* nor as quick */
}

/* Goal: in doubt the body is held against an empty loop timed beside it, whatever the
 * calibration said; what it reports meanwhile is forgotten. Method: faked empty loops, and a
 * calibration under which every loop is in doubt. */
static void test_doubt(void **unused)
{
    (void)unused;
    static const struct {
        double (*empty_loop_ns)(struct client *, uint64_t);
        bool is_deleted;
    } cases[] = {{faked_empty_ns, true}, {faked_quick_ns, false}};
    ptrdiff_t index = case_of("batched");
    client.calibration = (struct client_calibration){.timer_ns = 1, .loop_ns = 1e9};
    for (int i = 0; i < 2; i++) {
        client_open(&client, index);
        client.empty_loop_ns = cases[i].empty_loop_ns;
        struct client_slice slice;
        assert_true(client_slice_run(client.states[index], 100, CLIENT_COUNT_TIME, &slice));
        assert_int_equal(slice.is_deleted, cases[i].is_deleted);
        assert_int_equal(slice.iterations, 100);
        client.empty_loop_ns = cases[1 - i].empty_loop_ns; /* the smaller of the two counts */
        assert_true(client_slice_run(client.states[index], 100, CLIENT_COUNT_TIME, &slice));
        assert_false(slice.is_deleted);
    }
    client.empty_loop_ns = NULL;
    client_end(&client);
}

/* Goal: the calibration finds a timer and a loop that cost something, and a floor. */
static void test_calibration(void **unused)
{
    (void)unused;
    struct client_calibration calibration = client_calibrate(&client);
    assert_true(calibration.timer_ns > 0);
    assert_true(calibration.loop_ns > 0 && calibration.loop_ns < calibration.timer_ns);
    assert_true(calibration.timer_floor_ns > 0);
}

/* ---- descriptions ---- */

static void describe_nothing(struct tare_description *d)
{
    (void)d;
}

static void describe_range(struct tare_description *d)
{
    tare_params(d, "n", "9..1");
}

static void describe_twice(struct tare_description *d)
{
    tare_params(d, "n", "1");
    tare_params(d, "n", "2");
}

static void describe_many(struct tare_description *d)
{
    static const char *const names[] = {"a", "b", "c", "d", "e", "f", "g", "h", "i"};
    for (int i = 0; i < 9; i++) {
        tare_params(d, names[i], "1");
    }
}

static void describe_threads(struct tare_description *d)
{
    tare_threads(d, "0");
}

static void describe_thread_words(struct tare_description *d)
{
    tare_threads(d, "many");
}

static void describe_batch(struct tare_description *d)
{
    tare_batch(d, 0);
}

static void describe_reserved(struct tare_description *d)
{
    tare_metric(d, "time", "ns", TARE_LOWER);
}

static void describe_counter(struct tare_description *d)
{
    tare_metric(d, "cycles", "1", TARE_LOWER);
}

static void describe_unit(struct tare_description *d)
{
    tare_metric(d, "level", "", TARE_LOWER);
}

static void describe_metric_twice(struct tare_description *d)
{
    tare_metric(d, "level", "1", TARE_LOWER);
    tare_metric(d, "level", "1", TARE_LOWER);
}

/* Goal: each wrong description is refused with file and line, and the first one is kept. */
static void test_descriptions(void **unused)
{
    (void)unused;
    static const struct {
        void (*describe)(struct tare_description *d);
        const char *message; /* NULL: fine */
    } cases[] = {
        {describe_nothing, NULL},
        {describe_range, "cannot read the range '9..1'"},
        {describe_twice, "parameter 'n' is given twice"},
        {describe_many, "more than 8 parameters"},
        {describe_threads, "counts of 1 to 1024, not '0'"},
        {describe_thread_words, "not 'many'"},
        {describe_batch, "at least one iteration"},
        {describe_reserved, "cannot be called 'time'"},
        {describe_counter, "cannot be called 'cycles'"},
        {describe_unit, "needs a unit"},
        {describe_metric_twice, "declared twice"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct client mine = {.arena = &arena};
        struct tare_registration registration = {.file = "bench.c", .line = 12};
        struct client_benchmark benchmark = {.registration = &registration, .name = "mine"};
        struct tare_description description = {.client = &mine, .benchmark = &benchmark};
        cases[i].describe(&description);
        if (cases[i].message == NULL) {
            assert_int_equal(mine.error.status, TARE_OK);
        } else {
            assert_int_equal(mine.error.status, TARE_ERROR_USAGE);
            assert_non_null(strstr(mine.error.message, "bench.c:12: benchmark 'mine': "));
            assert_non_null(strstr(mine.error.message, cases[i].message));
        }
    }
}

/* ---- expectations ---- */

static void test_expectations(void **unused)
{
    (void)unused;
    struct tare_state state = {0};
    double a[] = {1, 2, NAN};
    double b[] = {1, 2.0000001, 3};
    float f[] = {1, 2};
    float g[] = {1, 3};
    assert_int_equal(tare_expect_near(&state, "x", 1e6, 1e6 + 1, 1e-5), 1);
    assert_int_equal(tare_expect_near(&state, "x", HUGE_VAL, HUGE_VAL, 0), 1);
    assert_int_equal(tare_expect_near_array(&state, "a", a, b, 2, 1e-6), 1);
    assert_int_equal(tare_expect_near_floats(&state, "f", f, g, 1, 0), 1);
    assert_int_equal(tare_expect_equal_bytes(&state, "bytes", "abc", "abd", 2), 1);
    assert_int_equal(tare_expect(&state, 1, "fine"), 1);
    assert_false(state.is_check_failed);
    assert_int_equal(tare_expect_near_array(&state, "a", a, b, 3, 1e-6), 0);
    assert_string_equal(state.detail, "a[2]: got nan, want 3 (tolerance 1e-06)");
    /* The first one stays. */
    assert_int_equal(tare_expect_near(&state, "x", NAN, NAN, 1), 0);
    assert_int_equal(tare_expect_near_floats(&state, "f", f, g, 2, 0.1), 0);
    assert_int_equal(tare_expect_equal_bytes(&state, "bytes", "abc", "abd", 3), 0);
    assert_int_equal(tare_expect(&state, 0, "wrong %d", 1), 0);
    assert_non_null(strstr(state.detail, "a[2]"));
}

/* Goal: a state is small. (The limit itself is a static assertion.) */
static void test_state_size(void **unused)
{
    (void)unused;
    assert_true(sizeof(struct tare_state) <= 2048);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(test_batches, each_setup),
        cmocka_unit_test_setup(test_launch_once, each_setup),
        cmocka_unit_test_setup(test_wrong_bodies, each_setup),
        cmocka_unit_test_setup(test_skip_is_no_failure, each_setup),
        cmocka_unit_test_setup(test_bad_setup, each_setup),
        cmocka_unit_test_setup(test_variants, each_setup),
        cmocka_unit_test_setup(test_team, each_setup),
        cmocka_unit_test_setup(test_deserter, each_setup),
        cmocka_unit_test_setup(test_overhead, each_setup),
        cmocka_unit_test_setup(test_doubt, each_setup),
        cmocka_unit_test_setup(test_calibration, each_setup),
        cmocka_unit_test_setup(test_descriptions, each_setup),
        cmocka_unit_test_setup(test_expectations, each_setup),
        cmocka_unit_test_setup(test_state_size, each_setup),
    };
    return cmocka_run_group_tests(tests, group_setup, group_teardown);
}
