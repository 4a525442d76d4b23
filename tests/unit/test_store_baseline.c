/* Baselines: names per machine, history, lookup by machine identity, and pruning that respects
 * them. */
#include "store/store.h"
#include "store_fixture.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

struct state {
    struct arena arena;
    char *folder;
    struct store *store;
    struct tare_error error;
    struct model_run runs[3]; /* the last is of another machine */
};

static struct model_run save_run(struct state *s, int number, const char *cpu,
                                 enum model_run_state end, int benchmarks)
{
    struct model_run run = fixture_run(&s->arena, number);
    run.machine = (struct model_machine){0};
    fixture_machine(&s->arena, &run.machine, cpu);
    assert_int_equal(store_run_begin(s->store, &run, &s->error), TARE_OK);
    for (int i = 0; i < benchmarks; i++) {
        fixture_benchmark(&s->arena, &run, i, 2, 3);
        assert_int_equal(store_benchmark_save(s->store, run.id, &run.benchmarks[i], &s->error),
                         TARE_OK);
    }
    run.state = end;
    if (end != MODEL_RUN_RUNNING) {
        assert_int_equal(store_run_finish(s->store, &run, &s->error), TARE_OK);
    }
    return run;
}

static int set_up(void **state)
{
    struct state *s = calloc(1, sizeof *s);
    s->folder = fixture_folder(&s->arena);
    *state = s;
    char *path = arena_printf(&s->arena, "%s/store.db", s->folder);
    if (store_open(&s->arena, path, STORE_WRITE, &s->store, &s->error) != TARE_OK) {
        return 1;
    }
    s->runs[0] = save_run(s, 0, "This CPU", MODEL_RUN_COMPLETE, 1);
    s->runs[1] = save_run(s, 1, "This CPU", MODEL_RUN_COMPLETE, 1);
    s->runs[2] = save_run(s, 2, "Other CPU", MODEL_RUN_COMPLETE, 1);
    store_use_machine(s->store, s->runs[0].machine.id);
    return 0;
}

static int tear_down(void **state)
{
    struct state *s = *state;
    store_close(s->store);
    fixture_remove(s->folder);
    arena_free(&s->arena);
    free(s);
    return 0;
}

static struct store_change change_to(const char *name, const char *selector, int64_t at)
{
    return (struct store_change){
        .name = name, .selector = selector, .at_unix_ns = at, .by = "me@here", .reason = "why"};
}

static void must(struct state *s, tare_status status)
{
    if (status != TARE_OK) {
        print_error("%s\n", s->error.message);
    }
    assert_int_equal(status, TARE_OK);
}

static void must_fail(struct state *s, tare_status status, tare_status expected, const char *part)
{
    if (status != expected || strstr(s->error.message, part) == NULL) {
        print_error("status %d, message: %s\n", (int)status, s->error.message);
    }
    assert_int_equal(status, expected);
    assert_non_null(strstr(s->error.message, part));
    error_clear(&s->error);
}

/* Goal: save, promote and remove leave a complete history: what, from, to, when, who, why. */
static void history_is_complete(void **state)
{
    struct state *s = *state;
    struct store_change save = change_to("main", s->runs[0].id, 10);
    struct store_change promote = change_to("main", s->runs[1].id, 20);
    struct store_change removal = change_to("main", NULL, 30);
    must(s, store_baseline_save(s->store, &save, &s->error));
    must(s, store_baseline_promote(s->store, &promote, &s->error));
    struct store_baseline baseline;
    must(s, store_baseline_find(s->store, &s->arena, "main", &baseline, &s->error));
    assert_string_equal(baseline.run.id, s->runs[1].id);
    assert_string_equal(baseline.last.action, "promote");
    assert_non_null(strstr(baseline.machine, "This CPU"));
    must(s, store_baseline_remove(s->store, &removal, &s->error));
    struct store_promotions history;
    must(s, store_baseline_history(s->store, &s->arena, "main", NULL, &history, &s->error));
    const struct {
        const char *action;
        const char *from;
        const char *to;
        int64_t at;
    } expected[] = {{"remove", s->runs[1].id, "", 30},
                    {"promote", s->runs[0].id, s->runs[1].id, 20},
                    {"save", "", s->runs[0].id, 10}};
    assert_int_equal(history.count, 3);
    for (int i = 0; i < 3; i++) {
        assert_string_equal(history.items[i].action, expected[i].action);
        assert_string_equal(history.items[i].previous_run_id, expected[i].from);
        assert_string_equal(history.items[i].run_id, expected[i].to);
        assert_int_equal(history.items[i].at_unix_ns, expected[i].at);
        assert_string_equal(history.items[i].by, "me@here");
        assert_string_equal(history.items[i].reason, "why");
        assert_string_equal(history.items[i].machine_id, s->runs[0].machine.id);
    }
    must_fail(s, store_baseline_find(s->store, &s->arena, "main", &baseline, &s->error),
              TARE_ERROR_NO_BASELINE, "no baseline");
}

/* Goal: a name that only another machine has is "no baseline", and the message says which machine
 * has it. */
static void other_machines_baseline_is_none(void **state)
{
    struct state *s = *state;
    struct store_change save = change_to("main", s->runs[2].id, 10);
    must(s, store_baseline_save(s->store, &save, &s->error));
    struct store_baseline baseline;
    struct model_run run;
    must_fail(s, store_baseline_find(s->store, &s->arena, "main", &baseline, &s->error),
              TARE_ERROR_NO_BASELINE, "Other CPU");
    must_fail(s, store_run_load(s->store, &s->arena, "main", true, &run, &s->error),
              TARE_ERROR_NO_BASELINE, "Other CPU");
    store_use_machine(s->store, s->runs[2].machine.id);
    must(s, store_run_load(s->store, &s->arena, "main", true, &run, &s->error));
    assert_string_equal(run.id, s->runs[2].id);
}

/* Goal: two machines have one name each; each finds its own; without a machine in use the name is
 * not decided. */
static void each_machine_has_its_own(void **state)
{
    struct state *s = *state;
    struct store_change here = change_to("main", s->runs[0].id, 10);
    struct store_change there = change_to("main", s->runs[2].id, 20);
    must(s, store_baseline_save(s->store, &here, &s->error));
    must(s, store_baseline_save(s->store, &there, &s->error));
    char id[27];
    must(s, store_run_resolve(s->store, "main", id, &s->error));
    assert_string_equal(id, s->runs[0].id);
    store_use_machine(s->store, s->runs[2].machine.id);
    must(s, store_run_resolve(s->store, "main", id, &s->error));
    assert_string_equal(id, s->runs[2].id);
    store_use_machine(s->store, "");
    must_fail(s, store_run_resolve(s->store, "main", id, &s->error), TARE_ERROR_USAGE,
              "2 machines");
    struct store_baselines all;
    must(s, store_baselines_list(s->store, &s->arena, NULL, &all, &s->error));
    assert_int_equal(all.count, 2);
}

/* Goal: save does not overwrite, promote does not create, incomplete and empty runs need force or
 * are refused, bad names are refused. */
static void changes_are_checked(void **state)
{
    struct state *s = *state;
    struct store_change save = change_to("main", "latest~2", 10);
    must_fail(s, store_baseline_promote(s->store, &save, &s->error), TARE_ERROR_NO_BASELINE,
              "baseline save");
    must(s, store_baseline_save(s->store, &save, &s->error));
    must_fail(s, store_baseline_save(s->store, &save, &s->error), TARE_ERROR_USAGE, "promote");
    struct model_run running = save_run(s, 3, "This CPU", MODEL_RUN_RUNNING, 1);
    struct model_run empty = save_run(s, 4, "This CPU", MODEL_RUN_COMPLETE, 0);
    struct store_change to_running = change_to("main", running.id, 20);
    struct store_change to_empty = change_to("main", empty.id, 20);
    must_fail(s, store_baseline_promote(s->store, &to_running, &s->error), TARE_ERROR_USAGE,
              "running or killed");
    must_fail(s, store_baseline_promote(s->store, &to_empty, &s->error), TARE_ERROR_USAGE,
              "no benchmarks");
    to_running.is_forced = true;
    must(s, store_baseline_promote(s->store, &to_running, &s->error));
    char *long_name = arena_alloc(&s->arena, 10001, 1);
    memset(long_name, 'x', 10000);
    const char *const names[] = {"",     long_name, "a\nb",     "\x1b[31m",
                                 "\xff", "latest",  "latest~1", "-x"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        struct store_change bad = change_to(names[i], "latest~2", 30);
        must_fail(s, store_baseline_save(s->store, &bad, &s->error), TARE_ERROR_USAGE, "baseline");
    }
    struct store_promotions history;
    must(s, store_baseline_history(s->store, &s->arena, "main", NULL, &history, &s->error));
    assert_int_equal(history.count, 2);
}

/* Goal: quotes and SQL in a name are just a name. */
static void odd_names_are_names(void **state)
{
    struct state *s = *state;
    static const char name[] = "it's \"v1\"; DROP TABLE run; --";
    struct store_change save = change_to(name, s->runs[0].id, 10);
    must(s, store_baseline_save(s->store, &save, &s->error));
    char id[27];
    must(s, store_run_resolve(s->store, name, id, &s->error));
    assert_string_equal(id, s->runs[0].id);
}

/* Goal: pruning never removes a run that any machine's baseline points at, even when it is named.
 */
static void pruning_spares_baselines(void **state)
{
    struct state *s = *state;
    struct store_change here = change_to("main", s->runs[0].id, 10);
    struct store_change there = change_to("nightly", s->runs[2].id, 10);
    must(s, store_baseline_save(s->store, &here, &s->error));
    must(s, store_baseline_save(s->store, &there, &s->error));
    const char *const names[] = {s->runs[0].id};
    const struct store_prune by_name = {.keep = -1, .selectors = names, .selector_count = 1};
    struct store_prune_result result;
    must(s, store_runs_prune(s->store, &s->arena, &by_name, &result, &s->error));
    assert_int_equal(result.removed.count, 0);
    assert_int_equal(result.kept.count, 1);
    assert_string_equal(result.kept.items[0].baselines, "main");
    const struct store_prune all = {.keep = 0};
    must(s, store_runs_prune(s->store, &s->arena, &all, &result, &s->error));
    assert_int_equal(result.removed.count, 1);
    assert_int_equal(result.kept.count, 2);
    struct model_run run;
    must(s, store_run_load(s->store, &s->arena, "main", true, &run, &s->error));
    assert_true(fixture_same_benchmark(&run.benchmarks[0], &s->runs[0].benchmarks[0]));
    /* A history names runs that are gone: promoted away from, the old run may go. */
    struct model_run next = save_run(s, 5, "This CPU", MODEL_RUN_COMPLETE, 1);
    struct store_change promote = change_to("main", next.id, 40);
    must(s, store_baseline_promote(s->store, &promote, &s->error));
    must(s, store_runs_prune(s->store, &s->arena, &by_name, &result, &s->error));
    assert_int_equal(result.removed.count, 1);
    struct store_promotions history;
    must(s, store_baseline_history(s->store, &s->arena, "main", NULL, &history, &s->error));
    assert_string_equal(history.items[0].previous_run_id, s->runs[0].id);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        TEST(history_is_complete),      TEST(other_machines_baseline_is_none),
        TEST(each_machine_has_its_own), TEST(changes_are_checked),
        TEST(odd_names_are_names),      TEST(pruning_spares_baselines),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
