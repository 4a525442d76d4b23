/* Goal: what the store learns by the way comes back as it went in: figures of metrics, reruns of
 * one commit, comparisons of identical programs, kept documents; and what is not there is said so.
 * Method: small runs made from numbers, in a store of their own. */
#include "detect/figures.h"
#include "store/internal.h"
#include "store_fixture.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

struct state {
    struct arena arena;
    char *folder;
    char *path;
    struct store *store;
    struct tare_error error;
};

static int set_up(void **state)
{
    struct state *s = calloc(1, sizeof *s);
    s->folder = fixture_folder(&s->arena);
    s->path = arena_printf(&s->arena, "%s/store.db", s->folder);
    *state = s;
    return store_open(&s->arena, s->path, STORE_WRITE, &s->store, &s->error) != TARE_OK;
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

static void must(struct state *s, tare_status status)
{
    if (status != TARE_OK) {
        print_error("%s\n", s->error.message);
    }
    assert_int_equal(status, TARE_OK);
}

static void save_run(struct state *s, struct model_run *run, enum model_run_state end)
{
    must(s, store_run_begin(s->store, run, &s->error));
    for (ptrdiff_t i = 0; i < run->benchmark_count; i++) {
        must(s, store_benchmark_save(s->store, run->id, &run->benchmarks[i], &s->error));
    }
    run->state = end;
    if (end != MODEL_RUN_RUNNING) {
        must(s, store_run_finish(s->store, run, &s->error));
    }
}

static void execute(struct state *s, const char *sql)
{
    assert_int_equal(sqlite3_exec(s->store->database, sql, NULL, NULL, NULL), SQLITE_OK);
}

static void assert_same_figures(const struct model_figures *a, const struct model_figures *b)
{
    assert_int_equal(a->is_known, b->is_known);
    assert_int_equal(a->launches, b->launches);
    assert_int_equal(a->count, b->count);
    assert_int_equal(a->has_logs, b->has_logs);
    assert_int_equal(a->has_tail, b->has_tail);
    assert_true(fixture_same_number(a->median, b->median));
    assert_true(fixture_same_number(a->min, b->min));
    assert_true(fixture_same_number(a->max, b->max));
    assert_true(fixture_same_number(a->centre_log, b->centre_log));
    assert_true(fixture_same_number(a->centre_variance, b->centre_variance));
    assert_true(fixture_same_number(a->mean_log, b->mean_log));
    assert_true(fixture_same_number(a->tail_log, b->tail_log));
}

/* Figures come back with samples and without; a metric with a zero has none of the logs. */
static void figures_come_back(void **state)
{
    struct state *s = *state;
    struct model_run run = fixture_run(&s->arena, 0);
    fixture_benchmark(&s->arena, &run, 0, 8, 12);
    fixture_benchmark(&s->arena, &run, 1, 8, 3);
    run.benchmarks[1].metrics[0].values[4] = 0;
    run.benchmarks[1].metrics[0].values[5] = 0;
    detect_figures_fill(&run.benchmarks[0]);
    detect_figures_fill(&run.benchmarks[1]);
    assert_true(run.benchmarks[0].metrics[0].figures.has_tail);
    assert_false(run.benchmarks[1].metrics[0].figures.has_logs);
    save_run(s, &run, MODEL_RUN_COMPLETE);
    struct model_run loaded;
    struct model_run figures;
    must(s, store_run_load(s->store, &s->arena, run.id, true, &loaded, &s->error));
    must(s, store_run_figures(s->store, &s->arena, run.id, &figures, &s->error));
    assert_int_equal(figures.benchmark_count, 2);
    for (int b = 0; b < 2; b++) {
        assert_int_equal(figures.benchmarks[b].metric_count, 2);
        assert_int_equal(figures.benchmarks[b].parameter_count, 2);
        assert_string_equal(figures.benchmarks[b].metrics[1].unit, "B");
        for (int m = 0; m < 2; m++) {
            const struct model_figures *made = &run.benchmarks[b].metrics[m].figures;
            assert_same_figures(made, &loaded.benchmarks[b].metrics[m].figures);
            assert_same_figures(made, &figures.benchmarks[b].metrics[m].figures);
        }
    }
}

/* Without figures, and with figures that cannot be, a metric says that they are not known. */
static void missing_figures_are_not_known(void **state)
{
    struct state *s = *state;
    struct model_run run = fixture_run(&s->arena, 0);
    fixture_benchmark(&s->arena, &run, 0, 8, 3);
    save_run(s, &run, MODEL_RUN_COMPLETE);
    struct model_run other = fixture_run(&s->arena, 1);
    fixture_benchmark(&s->arena, &other, 0, 8, 3);
    detect_figures_fill(&other.benchmarks[0]);
    save_run(s, &other, MODEL_RUN_COMPLETE);
    struct model_run figures;
    must(s, store_run_figures(s->store, &s->arena, run.id, &figures, &s->error));
    assert_false(figures.benchmarks[0].metrics[0].figures.is_known);
    must(s, store_run_figures(s->store, &s->arena, other.id, &figures, &s->error));
    assert_true(figures.benchmarks[0].metrics[0].figures.is_known);
    execute(s, "UPDATE figures SET launch_count = 1000000");
    must(s, store_run_figures(s->store, &s->arena, other.id, &figures, &s->error));
    assert_false(figures.benchmarks[0].metrics[0].figures.is_known);
}

/* Pruning a run takes its figures along. */
static void figures_go_with_their_run(void **state)
{
    struct state *s = *state;
    struct model_run run = fixture_run(&s->arena, 0);
    fixture_benchmark(&s->arena, &run, 0, 8, 3);
    detect_figures_fill(&run.benchmarks[0]);
    save_run(s, &run, MODEL_RUN_COMPLETE);
    struct store_prune_result result;
    const struct store_prune prune = {.keep = 0};
    must(s, store_runs_prune(s->store, &s->arena, &prune, &result, &s->error));
    sqlite3_stmt *statement;
    assert_int_equal(sqlite3_prepare_v2(s->store->database, "SELECT count(*) FROM figures", -1,
                                        &statement, NULL),
                     SQLITE_OK);
    assert_int_equal(sqlite3_step(statement), SQLITE_ROW);
    assert_int_equal(sqlite3_column_int(statement, 0), 0);
    sqlite3_finalize(statement);
}

static void add_rerun(struct state *s, int number, const char *project, bool is_dirty,
                      const char *program, const char *compared_as, enum model_run_state end)
{
    struct model_run run = fixture_run(&s->arena, number);
    run.project = project;
    run.commit.is_dirty = is_dirty;
    if (program != NULL) {
        model_field_set(&s->arena, &run.environment, "program_hash", program);
    }
    if (compared_as != NULL) {
        model_field_set(&s->arena, &run.environment, "compared_as", compared_as);
    }
    save_run(s, &run, end);
}

/* Only complete runs of the project that were measured by themselves, newest first; a commit with
 * changes is no commit. */
static void reruns_are_chosen(void **state)
{
    struct state *s = *state;
    add_rerun(s, 0, "p", false, "aa", NULL, MODEL_RUN_COMPLETE);
    add_rerun(s, 1, "p", true, "bb", NULL, MODEL_RUN_COMPLETE);
    add_rerun(s, 2, "p", false, NULL, NULL, MODEL_RUN_COMPLETE);
    add_rerun(s, 3, "p", false, "aa", "old: ./a", MODEL_RUN_COMPLETE);
    add_rerun(s, 4, "p", false, "aa", NULL, MODEL_RUN_INTERRUPTED);
    add_rerun(s, 5, "p", false, "aa", NULL, MODEL_RUN_RUNNING);
    add_rerun(s, 6, "q", false, "aa", NULL, MODEL_RUN_COMPLETE);
    struct model_run run = fixture_run(&s->arena, 0);
    struct store_reruns reruns;
    must(s, store_reruns_list(s->store, &s->arena, run.machine.id, "p", 100, &reruns, &s->error));
    assert_int_equal(reruns.count, 3);
    assert_string_equal(reruns.items[0].program_hash, "");
    assert_string_equal(reruns.items[0].commit_hash, "3f2c1a9");
    assert_string_equal(reruns.items[1].program_hash, "bb");
    assert_string_equal(reruns.items[1].commit_hash, "");
    assert_string_equal(reruns.items[2].program_hash, "aa");
    must(s, store_reruns_list(s->store, &s->arena, run.machine.id, "p", 1, &reruns, &s->error));
    assert_int_equal(reruns.count, 1);
    must(s, store_reruns_list(s->store, &s->arena, "other", "p", 100, &reruns, &s->error));
    assert_int_equal(reruns.count, 0);
}

static struct store_noise noise_of(const char *benchmark, int64_t at, double log_ratio)
{
    struct store_noise noise = {.project = "p",
                                .benchmark = benchmark,
                                .metric = "time",
                                .at_unix_ns = at,
                                .kind = "prove",
                                .log_ratio = log_ratio,
                                .half_width = 0.01,
                                .launches = 20};
    memset(noise.machine_id, 'a', 32);
    return noise;
}

static void noise_comes_back(void **state)
{
    struct state *s = *state;
    const struct store_noise items[] = {noise_of("b", 10, 0.001), noise_of("a", 30, -0.002),
                                        noise_of("a", 20, 0.003)};
    must(s, store_noise_add(s->store, items, 3, &s->error));
    struct store_noises noises;
    const char *machine = items[0].machine_id;
    must(s, store_noise_list(s->store, &s->arena, machine, "p", NULL, NULL, 0, &noises, &s->error));
    assert_int_equal(noises.count, 3);
    assert_string_equal(noises.items[0].benchmark, "a");
    assert_int_equal(noises.items[0].at_unix_ns, 30);
    assert_true(noises.items[0].log_ratio == -0.002);
    assert_true(noises.items[0].half_width == 0.01);
    assert_int_equal(noises.items[0].launches, 20);
    assert_string_equal(noises.items[0].kind, "prove");
    must(s,
         store_noise_list(s->store, &s->arena, machine, "p", "a", "time", 25, &noises, &s->error));
    assert_int_equal(noises.count, 1);
    must(s, store_noise_list(s->store, &s->arena, machine, "q", NULL, NULL, 0, &noises, &s->error));
    assert_int_equal(noises.count, 0);
}

/* The newest STORE_NOISE_KEPT of each benchmark and metric stay. */
static void noise_is_thinned(void **state)
{
    struct state *s = *state;
    struct store_noise other = noise_of("other", 1, 0);
    must(s, store_noise_add(s->store, &other, 1, &s->error));
    for (int i = 0; i < STORE_NOISE_KEPT + 5; i++) {
        struct store_noise noise = noise_of("a", i, 0);
        must(s, store_noise_add(s->store, &noise, 1, &s->error));
    }
    struct store_noises noises;
    must(s, store_noise_list(s->store, &s->arena, other.machine_id, "p", NULL, NULL, 0, &noises,
                             &s->error));
    assert_int_equal(noises.count, STORE_NOISE_KEPT + 1);
    assert_int_equal(noises.items[0].at_unix_ns, STORE_NOISE_KEPT + 4);
    assert_int_equal(noises.items[STORE_NOISE_KEPT - 1].at_unix_ns, 5);
}

static void documents_come_back(void **state)
{
    struct state *s = *state;
    const char *machine = "0123456789abcdef0123456789abcdef";
    const struct store_document documents[] = {
        {"01hf7yez00d200000030000000", "comparison", machine, 5, "{\"a\": 1}"},
        {"01hf7yez00d200000040000000", "prove", machine, 6, "{\"b\": \"ü\"}"},
        {"01hg000000d200000050000000", "comparison", machine, 7, "{}"},
    };
    for (int i = 0; i < 3; i++) {
        must(s, store_document_save(s->store, &documents[i], &s->error));
    }
    struct store_document loaded;
    bool is_found;
    must(s, store_document_load(s->store, &s->arena, "01hf7yez00d20000004", &loaded, &is_found,
                                &s->error));
    assert_true(is_found);
    assert_string_equal(loaded.text, documents[1].text);
    assert_string_equal(loaded.kind, "prove");
    assert_string_equal(loaded.machine_id, machine);
    assert_int_equal(loaded.created_unix_ns, 6);
    for (int i = 0; i < 3; i++) {
        static const char *const nothing[] = {"01hz", "01h", "01hg000000d2000000500000000000"};
        must(s,
             store_document_load(s->store, &s->arena, nothing[i], &loaded, &is_found, &s->error));
        assert_false(is_found);
    }
    assert_int_equal(
        store_document_load(s->store, &s->arena, "01hf7yez", &loaded, &is_found, &s->error),
        TARE_ERROR_USAGE);
    error_clear(&s->error);
    struct store_document_rows rows;
    must(s, store_documents_list(s->store, &s->arena, NULL, 0, &rows, &s->error));
    assert_int_equal(rows.count, 3);
    assert_string_equal(rows.items[0].id, documents[2].id);
    assert_int_equal(rows.items[2].text_bytes, 8);
    must(s, store_documents_list(s->store, &s->arena, "comparison", 1, &rows, &s->error));
    assert_int_equal(rows.count, 1);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        TEST(figures_come_back),         TEST(missing_figures_are_not_known),
        TEST(figures_go_with_their_run), TEST(reruns_are_chosen),
        TEST(noise_comes_back),          TEST(noise_is_thinned),
        TEST(documents_come_back),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
