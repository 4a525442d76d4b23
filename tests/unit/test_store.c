/* The store: what goes in comes out, selectors, refusals, pruning, bad files. */
#include "store/internal.h"
#include "store_fixture.h"

#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/stat.h>

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

/* The status of a call that must fail, with its message's part checked. */
static void must_fail(struct state *s, tare_status status, tare_status expected, const char *part)
{
    if (status != expected || strstr(s->error.message, part) == NULL) {
        print_error("status %d, message: %s\n", (int)status, s->error.message);
    }
    assert_int_equal(status, expected);
    assert_non_null(strstr(s->error.message, part));
    error_clear(&s->error);
}

static void save_run(struct state *s, struct model_run *run, enum model_run_state end)
{
    must(s, store_run_begin(s->store, run, &s->error));
    for (ptrdiff_t i = 0; i < run->benchmark_count; i++) {
        must(s, store_benchmark_save(s->store, run->id, &run->benchmarks[i], &s->error));
    }
    run->state = end;
    if (end != MODEL_RUN_RUNNING) {
        run->finished_unix_ns = run->started_unix_ns + 5;
        must(s, store_run_finish(s->store, run, &s->error));
    }
}

static struct model_run simple_run(struct state *s, int number)
{
    struct model_run run = fixture_run(&s->arena, number);
    fixture_benchmark(&s->arena, &run, 0, 2, 3);
    save_run(s, &run, MODEL_RUN_COMPLETE);
    return run;
}

/* ---- round trips ---- */

/* Goal: every field of a rich run comes back exactly, through a second connection too. */
static void run_comes_back_exactly(void **state)
{
    struct state *s = *state;
    struct model_run run = fixture_run(&s->arena, 0);
    for (int i = 0; i < 5; i++) {
        fixture_benchmark(&s->arena, &run, i, 4, 10);
    }
    struct model_benchmark *odd = &run.benchmarks[1];
    odd->suite = "";
    odd->variant = "";
    odd->name = "quotes ' \" ; DROP TABLE run; -- µ 漢";
    odd->parameters[0].value = "line\nbreak \x1b[31m \"";
    odd->state = MODEL_STATE_INVALID;
    odd->reason = "reason with invalid bytes \xff\xfe and \x1b";
    odd->check = MODEL_CHECK_FAILED;
    odd->metrics[0].invalid_reason = "";
    run.benchmarks[2] = (struct model_benchmark){
        .suite = "", .name = "bare", .variant = "", .state = MODEL_STATE_SKIPPED, .reason = ""};
    struct model_histogram *histogram = model_histogram_add(&s->arena, &run.benchmarks[3]);
    *histogram = (struct model_histogram){.launch = 1,
                                          .bits = 7,
                                          .bucket_count = 2,
                                          .min_ns = 41,
                                          .max_ns = 99,
                                          .buckets = (int32_t[]){41, 99},
                                          .counts = (int64_t[]){3, 4}};
    run.benchmarks[4].launches[0].kind = MODEL_LAUNCH_COUNTERS;
    run.benchmarks[4].launches[1].exit_status = 139;
    model_run_warn(&s->arena, &run, "steal was %d %%", 12);
    model_run_warn(&s->arena, &run, "%s", "");
    save_run(s, &run, MODEL_RUN_INTERRUPTED);
    struct store *second = NULL;
    struct model_run back;
    must(s, store_open(&s->arena, s->path, STORE_READ, &second, &s->error));
    must(s, store_run_load(second, &s->arena, run.id, true, &back, &s->error));
    assert_true(fixture_same_run(&run, &back));
    store_close(second);
}

/* Goal: missing texts stay missing: no commit, no project. */
static void missing_texts_stay_missing(void **state)
{
    struct state *s = *state;
    struct model_run run = fixture_run(&s->arena, 0);
    run.commit = (struct model_commit){0};
    run.project = NULL;
    save_run(s, &run, MODEL_RUN_FAILED);
    struct model_run back;
    must(s, store_run_load(s->store, &s->arena, "latest", true, &back, &s->error));
    assert_true(fixture_same_run(&run, &back));
}

/* Goal: without samples everything but values and histograms is there. */
static void load_without_samples(void **state)
{
    struct state *s = *state;
    simple_run(s, 0);
    struct model_run back;
    must(s, store_run_load(s->store, &s->arena, "latest", false, &back, &s->error));
    assert_int_equal(back.benchmark_count, 1);
    assert_int_equal(back.benchmarks[0].metric_count, 2);
    assert_int_equal(back.benchmarks[0].metrics[0].count, 0);
    assert_int_equal(back.benchmarks[0].launch_count, 2);
}

/* Goal: a run that was never finished shows as running with its benchmarks. */
static void unfinished_run_keeps_benchmarks(void **state)
{
    struct state *s = *state;
    struct model_run run = fixture_run(&s->arena, 0);
    fixture_benchmark(&s->arena, &run, 0, 2, 3);
    save_run(s, &run, MODEL_RUN_RUNNING);
    struct model_run back;
    must(s, store_run_load(s->store, &s->arena, "latest", true, &back, &s->error));
    assert_int_equal(back.state, MODEL_RUN_RUNNING);
    assert_true(fixture_same_benchmark(&run.benchmarks[0], &back.benchmarks[0]));
}

/* Goal: two interleaved runs do not mix. Method: benchmarks of two runs saved alternately. */
static void interleaved_runs_do_not_mix(void **state)
{
    struct state *s = *state;
    struct model_run runs[2] = {fixture_run(&s->arena, 0), fixture_run(&s->arena, 1)};
    for (int r = 0; r < 2; r++) {
        for (int i = 0; i < 10; i++) {
            fixture_benchmark(&s->arena, &runs[r], 10 * r + i, 2, 4);
        }
        must(s, store_run_begin(s->store, &runs[r], &s->error));
    }
    for (int i = 0; i < 10; i++) {
        for (int r = 0; r < 2; r++) {
            must(s, store_benchmark_save(s->store, runs[r].id, &runs[r].benchmarks[i], &s->error));
        }
    }
    for (int r = 0; r < 2; r++) {
        struct model_run back;
        must(s, store_run_load(s->store, &s->arena, runs[r].id, true, &back, &s->error));
        assert_true(fixture_same_run(&runs[r], &back));
    }
}

/* ---- refusals ---- */

/* Goal: what must never be stored is refused and leaves nothing behind. Method: one flaw at a time.
 */
static void flaws_are_refused(void **state)
{
    struct state *s = *state;
    struct model_run run = fixture_run(&s->arena, 0);
    must(s, store_run_begin(s->store, &run, &s->error));
    char *long_name = arena_alloc(&s->arena, 10001, 1);
    memset(long_name, 'x', 10000);
    const char *bad_names[] = {"", long_name, "a\nb", "a\x1b[31mb", "\xff\xfe"};
    for (size_t flaw = 0; flaw < 15; flaw++) {
        struct model_run scratch = fixture_run(&s->arena, 0);
        fixture_benchmark(&s->arena, &scratch, 0, 2, 3);
        struct model_benchmark *benchmark = &scratch.benchmarks[0];
        if (flaw < 5) {
            benchmark->name = bad_names[flaw];
        } else if (flaw < 10) {
            benchmark->metrics[0].unit = bad_names[flaw - 5];
        } else if (flaw == 10) {
            benchmark->metrics[1].values[1] = NAN;
        } else if (flaw == 11) {
            benchmark->iterations = INFINITY;
        } else if (flaw == 12) {
            benchmark->metrics[0].launches[0] = 2;
        } else if (flaw == 13) {
            benchmark->launches[0].duration_ns = NAN;
        } else {
            benchmark->parameters[1].value = "\xc3\x28";
        }
        must_fail(s, store_benchmark_save(s->store, run.id, benchmark, &s->error),
                  TARE_ERROR_MEASURE, "is not kept");
    }
    struct model_run back;
    must(s, store_run_load(s->store, &s->arena, run.id, true, &back, &s->error));
    assert_int_equal(back.benchmark_count, 0);
}

/* Goal: the same benchmark twice in a run is refused, the first one stays. */
static void same_benchmark_twice_is_refused(void **state)
{
    struct state *s = *state;
    struct model_run run = fixture_run(&s->arena, 0);
    fixture_benchmark(&s->arena, &run, 0, 2, 3);
    save_run(s, &run, MODEL_RUN_RUNNING);
    must_fail(s, store_benchmark_save(s->store, run.id, &run.benchmarks[0], &s->error),
              TARE_ERROR_MEASURE, "different names");
    struct model_run back;
    must(s, store_run_load(s->store, &s->arena, run.id, true, &back, &s->error));
    assert_true(fixture_same_run(&run, &back));
}

/* Goal: saving into a run that was pruned meanwhile is an error, not a silent loss. */
static void benchmark_of_missing_run_is_refused(void **state)
{
    struct state *s = *state;
    struct model_run run = fixture_run(&s->arena, 0);
    fixture_benchmark(&s->arena, &run, 0, 2, 3);
    must_fail(s, store_benchmark_save(s->store, run.id, &run.benchmarks[0], &s->error),
              TARE_ERROR_IO, "no longer");
    run.state = MODEL_RUN_COMPLETE;
    must_fail(s, store_run_finish(s->store, &run, &s->error), TARE_ERROR_IO, "no longer");
}

/* ---- selectors and lists ---- */

/* Goal: each form of a selector finds its run; what names nothing or several says so. */
static void selectors_find_runs(void **state)
{
    struct state *s = *state;
    char id[27];
    must_fail(s, store_run_resolve(s->store, "latest", id, &s->error), TARE_ERROR_USAGE,
              "no runs yet");
    struct model_run runs[3] = {simple_run(s, 0), simple_run(s, 1), simple_run(s, 2)};
    const struct {
        const char *selector;
        int run;
    } found[] = {{"latest", 2}, {"latest~0", 2}, {"latest~2", 0}, {runs[1].id, 1}};
    for (size_t i = 0; i < sizeof found / sizeof *found; i++) {
        must(s, store_run_resolve(s->store, found[i].selector, id, &s->error));
        assert_string_equal(id, runs[found[i].run].id);
    }
    int length = 0;
    must(s, store_id_length(s->store, &length, &s->error));
    assert_in_range(length, 8, 25);
    must(s,
         store_run_resolve(s->store, arena_strndup(&s->arena, runs[1].id, length), id, &s->error));
    assert_string_equal(id, runs[1].id);
    must_fail(s,
              store_run_resolve(s->store, arena_strndup(&s->arena, runs[1].id, 4), id, &s->error),
              TARE_ERROR_USAGE, "several runs");
    static const char *const nothing[] = {"",         "x",       "zzzz", "latest~", "latest~-1",
                                          "latest~x", "latestx", "%",    "____",    "' OR 1=1 --"};
    for (size_t i = 0; i < sizeof nothing / sizeof *nothing; i++) {
        must_fail(s, store_run_resolve(s->store, nothing[i], id, &s->error), TARE_ERROR_USAGE,
                  "no run or baseline");
    }
    must_fail(s, store_run_resolve(s->store, "latest~3", id, &s->error), TARE_ERROR_USAGE,
              "not that many");
}

/* Goal: filters restrict, newest first, counts are right. */
static void lists_are_filtered(void **state)
{
    struct state *s = *state;
    for (int i = 0; i < 4; i++) {
        struct model_run run = fixture_run(&s->arena, i);
        run.project = i % 2 == 0 ? "even" : "odd";
        run.commit.hash = i < 3 ? "aaaa1" : "bbbb2";
        fixture_benchmark(&s->arena, &run, 0, 2, 3);
        fixture_benchmark(&s->arena, &run, 1, 2, 3);
        run.benchmarks[1].state = MODEL_STATE_FAILED;
        save_run(s, &run, MODEL_RUN_COMPLETE);
    }
    const struct {
        struct store_filter filter;
        ptrdiff_t count;
    } cases[] = {
        {{0}, 4},
        {{.project = "even"}, 2},
        {{.commit = "aaaa"}, 3},
        {{.commit = "aaaa", .project = "odd"}, 1},
        {{.commit = "%"}, 0},
        {{.machine_id = "none"}, 0},
        {{.branch = "main", .limit = 3}, 3},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct store_run_rows rows;
        must(s, store_runs_list(s->store, &s->arena, &cases[i].filter, &rows, &s->error));
        assert_int_equal(rows.count, cases[i].count);
        for (ptrdiff_t j = 0; j < rows.count; j++) {
            assert_true(j == 0 || strcmp(rows.items[j - 1].id, rows.items[j].id) > 0);
            assert_int_equal(rows.items[j].benchmark_count, 2);
            assert_int_equal(rows.items[j].bad_count, 1);
        }
    }
}

/* ---- pruning ---- */

static ptrdiff_t count_runs(struct state *s)
{
    struct store_run_rows rows;
    must(s, store_runs_list(s->store, &s->arena, &(struct store_filter){0}, &rows, &s->error));
    return rows.count;
}

static int64_t count_rows(struct state *s, const char *sql)
{
    sqlite3_stmt *statement = NULL;
    assert_int_equal(sqlite3_prepare_v2(s->store->database, sql, -1, &statement, NULL), SQLITE_OK);
    assert_int_equal(sqlite3_step(statement), SQLITE_ROW);
    int64_t count = sqlite3_column_int64(statement, 0);
    sqlite3_finalize(statement);
    return count;
}

/* Goal: each way removes exactly what it says, all its rows go, a dry run removes nothing. */
static void pruning_removes_what_it_says(void **state)
{
    struct state *s = *state;
    struct model_run runs[5];
    for (int i = 0; i < 5; i++) {
        runs[i] = simple_run(s, i);
    }
    struct store_prune_result result;
    struct store_prune prune = {.keep = 3, .is_dry_run = true};
    must(s, store_runs_prune(s->store, &s->arena, &prune, &result, &s->error));
    assert_int_equal(result.removed.count, 2);
    assert_int_equal(count_runs(s), 5);
    prune.is_dry_run = false;
    must(s, store_runs_prune(s->store, &s->arena, &prune, &result, &s->error));
    assert_int_equal(result.removed.count, 2);
    assert_string_equal(result.removed.items[1].id, runs[0].id);
    assert_int_equal(count_runs(s), 3);
    prune = (struct store_prune){.keep = -1, .before_unix_ns = runs[3].started_unix_ns};
    must(s, store_runs_prune(s->store, &s->arena, &prune, &result, &s->error));
    assert_int_equal(result.removed.count, 1);
    assert_string_equal(result.removed.items[0].id, runs[2].id);
    const char *const names[] = {runs[4].id, "latest"};
    prune = (struct store_prune){.keep = -1, .selectors = names, .selector_count = 2};
    must(s, store_runs_prune(s->store, &s->arena, &prune, &result, &s->error));
    assert_int_equal(result.removed.count, 1);
    assert_int_equal(count_rows(s, "SELECT count(*) FROM metric"), 2);
    prune = (struct store_prune){.keep = 0};
    must(s, store_runs_prune(s->store, &s->arena, &prune, &result, &s->error));
    assert_int_equal(count_runs(s), 0);
    assert_int_equal(
        count_rows(s, "SELECT (SELECT count(*) FROM metric) + (SELECT count(*) FROM benchmark) + "
                      "(SELECT count(*) FROM run_field) + (SELECT count(*) FROM machine_field)"),
        0);
}

/* Goal: an unknown name in the list removes nothing at all. */
static void pruning_is_all_or_nothing(void **state)
{
    struct state *s = *state;
    struct model_run run = simple_run(s, 0);
    const char *const names[] = {run.id, "nonsense"};
    const struct store_prune prune = {.keep = -1, .selectors = names, .selector_count = 2};
    struct store_prune_result result;
    must_fail(s, store_runs_prune(s->store, &s->arena, &prune, &result, &s->error),
              TARE_ERROR_USAGE, "nonsense");
    assert_int_equal(count_runs(s), 1);
}

/* Goal: a young run that says it is running is spared unless named; an old one goes. */
static void running_runs_are_spared(void **state)
{
    struct state *s = *state;
    struct model_run run = fixture_run(&s->arena, 0);
    save_run(s, &run, MODEL_RUN_RUNNING);
    struct store_prune_result result;
    struct store_prune prune = {.keep = 0, .live_after_unix_ns = run.started_unix_ns - 1};
    must(s, store_runs_prune(s->store, &s->arena, &prune, &result, &s->error));
    assert_int_equal(result.kept.count, 1);
    prune.live_after_unix_ns = run.started_unix_ns;
    must(s, store_runs_prune(s->store, &s->arena, &prune, &result, &s->error));
    assert_int_equal(result.removed.count, 1);
}

/* ---- bad files ---- */

static void execute(struct state *s, const char *sql)
{
    sqlite3 *database = NULL;
    assert_int_equal(sqlite3_open(s->path, &database), SQLITE_OK);
    assert_int_equal(sqlite3_exec(database, sql, NULL, NULL, NULL), SQLITE_OK);
    sqlite3_close(database);
}

static void reopen_fails(struct state *s, const char *part)
{
    struct store *again = NULL;
    must_fail(s, store_open(&s->arena, s->path, STORE_READ, &again, &s->error), TARE_ERROR_IO,
              part);
    assert_null(again);
    must_fail(s, store_open(&s->arena, s->path, STORE_WRITE, &again, &s->error), TARE_ERROR_IO,
              part);
    assert_null(again);
}

static char *file_content(struct state *s, ptrdiff_t *length)
{
    int fd = open(s->path, O_RDONLY);
    struct stat status;
    assert_true(fd >= 0 && fstat(fd, &status) == 0);
    char *bytes = arena_alloc(&s->arena, status.st_size + 1, 1);
    *length = read(fd, bytes, (size_t)status.st_size);
    assert_int_equal(*length, status.st_size);
    close(fd);
    return bytes;
}

static void write_content(struct state *s, const char *bytes, ptrdiff_t length)
{
    int fd = open(s->path, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    assert_true(fd >= 0);
    assert_int_equal(write(fd, bytes, (size_t)length), length);
    close(fd);
}

/* Goal: a newer store is refused with both versions and not touched. */
static void newer_version_is_refused(void **state)
{
    struct state *s = *state;
    simple_run(s, 0);
    store_close(s->store);
    execute(s, "PRAGMA user_version = 99");
    ptrdiff_t before_length;
    ptrdiff_t after_length;
    const char *before = file_content(s, &before_length);
    reopen_fails(s, "version 99");
    reopen_fails(s, "up to 2");
    const char *after = file_content(s, &after_length);
    assert_int_equal(before_length, after_length);
    assert_memory_equal(before, after, (size_t)before_length);
}

/* Goal: other programs' databases and other files are refused and stay as they are. */
static void foreign_files_are_refused(void **state)
{
    struct state *s = *state;
    store_close(s->store);
    unlink(s->path);
    execute(s, "CREATE TABLE other (a); PRAGMA user_version = 3");
    reopen_fails(s, "another program");
    write_content(
        s, "This is a text file, not a database. It has some more text to be long enough.\n", 70);
    reopen_fails(s, "not a Tare store");
    ptrdiff_t length;
    assert_memory_equal(file_content(s, &length), "This is a text", 14);
    unlink(s->path);
    assert_int_equal(mkdir(s->path, 0700), 0);
    reopen_fails(s, "Is a directory");
    rmdir(s->path);
}

/* Goal: a missing store is an error for readers only; an empty file becomes a store for writers
 * only. */
static void missing_and_empty_files(void **state)
{
    struct state *s = *state;
    store_close(s->store);
    unlink(s->path);
    must_fail(s, store_open(&s->arena, s->path, STORE_READ, &s->store, &s->error), TARE_ERROR_IO,
              "no store at");
    assert_int_not_equal(access(s->path, F_OK), 0);
    write_content(s, "", 0);
    must_fail(s, store_open(&s->arena, s->path, STORE_READ, &s->store, &s->error), TARE_ERROR_IO,
              "empty");
    must(s, store_open(&s->arena, s->path, STORE_WRITE, &s->store, &s->error));
}

/* Everything a reader does; returns whether all of it worked. */
static bool read_everything(struct state *s)
{
    struct arena arena = {0};
    struct tare_error error = {0};
    struct store *store = NULL;
    struct model_run run;
    struct store_check check = {.problem_count = 1};
    struct store_baselines baselines;
    struct store_run_rows rows;
    tare_status status = store_open(&arena, s->path, STORE_READ, &store, &error);
    if (status == TARE_OK) {
        status = store_run_load(store, &arena, "latest", true, &run, &error);
        error_clear(&error);
        tare_status listed =
            store_runs_list(store, &arena, &(struct store_filter){0}, &rows, &error);
        error_clear(&error);
        tare_status named = store_baselines_list(store, &arena, NULL, &baselines, &error);
        error_clear(&error);
        tare_status checked = store_check(store, &arena, &check, &error);
        status = status != TARE_OK   ? status
                 : listed != TARE_OK ? listed
                 : named != TARE_OK  ? named
                                     : checked;
    }
    store_close(store);
    arena_free(&arena);
    return status == TARE_OK && check.problem_count == 0;
}

/* Goal: a store cut anywhere or with any page overwritten is read without a crash, and the check
 * notices what was cut. */
static void damaged_files_do_not_crash(void **state)
{
    struct state *s = *state;
    struct model_run run = fixture_run(&s->arena, 0);
    for (int i = 0; i < 20; i++) {
        fixture_benchmark(&s->arena, &run, i, 4, 30);
    }
    save_run(s, &run, MODEL_RUN_COMPLETE);
    store_close(s->store);
    s->store = NULL;
    ptrdiff_t length;
    char *whole = file_content(s, &length);
    assert_true(read_everything(s));
    for (ptrdiff_t cut = 0; cut < length; cut += 4096 + 512) {
        write_content(s, whole, cut);
        assert_false(read_everything(s));
    }
    struct random random = random_seeded(9);
    for (ptrdiff_t page = 0; page < length / 4096; page++) {
        char *copy = arena_alloc(&s->arena, length, 1);
        memcpy(copy, whole, (size_t)length);
        for (int i = 0; i < 64; i++) {
            copy[page * 4096 + (ptrdiff_t)random_below(&random, 4096)] = (char)random_u64(&random);
        }
        write_content(s, copy, length);
        read_everything(s);
    }
}

/* Goal: a damaged blob names run, benchmark and metric, and the other runs stay readable. */
static void damaged_samples_are_named(void **state)
{
    struct state *s = *state;
    simple_run(s, 0);
    struct model_run bad = simple_run(s, 1);
    store_close(s->store);
    execute(s, "UPDATE metric SET samples = CAST(substr(samples, 1, length(samples) - 1) || x'00' "
               "AS BLOB) WHERE key = "
               "(SELECT max(key) - 1 FROM metric)");
    must(s, store_open(&s->arena, s->path, STORE_WRITE, &s->store, &s->error));
    struct model_run back;
    must_fail(s, store_run_load(s->store, &s->arena, "latest", true, &back, &s->error),
              TARE_ERROR_IO, bad.id);
    must(s, store_run_load(s->store, &s->arena, "latest", false, &back, &s->error));
    must(s, store_run_load(s->store, &s->arena, "latest~1", true, &back, &s->error));
    struct store_check check;
    must(s, store_check(s->store, &s->arena, &check, &s->error));
    assert_int_equal(check.problem_count, 1);
    assert_non_null(strstr(check.problems[0], "time"));
}

/* Goal: hostile rows are errors, not crashes. Method: a well-formed file whose schema lost its
 * rules, then odd values. */
static void hostile_rows_are_errors(void **state)
{
    struct state *s = *state;
    simple_run(s, 0);
    store_close(s->store);
    s->store = NULL;
    ptrdiff_t length;
    char *whole = file_content(s, &length);
    static const char *const changes[] = {
        "UPDATE run SET state = 'odd'",
        "UPDATE run SET id = 'short'",
        "UPDATE run SET machine = ''",
        "UPDATE run SET confidence = 9e999",
        "UPDATE benchmark SET parameters = '{\"a\":1}'",
        "UPDATE benchmark SET parameters = '[]'",
        "UPDATE benchmark SET launches = x''",
        "UPDATE benchmark SET launch_count = 7",
        "UPDATE metric SET samples = zeroblob(100000)",
        "UPDATE metric SET sample_count = -1",
        "UPDATE metric SET is_exact = 5",
        "DROP TABLE metric",
    };
    for (size_t i = 0; i < sizeof changes / sizeof *changes; i++) {
        write_content(s, whole, length);
        sqlite3 *database = NULL;
        assert_int_equal(sqlite3_open(s->path, &database), SQLITE_OK);
        sqlite3_exec(database, "PRAGMA ignore_check_constraints = ON; PRAGMA foreign_keys = OFF",
                     NULL, NULL, NULL);
        assert_int_equal(sqlite3_exec(database, changes[i], NULL, NULL, NULL), SQLITE_OK);
        sqlite3_close(database);
        if (read_everything(s)) {
            print_error("not noticed: %s\n", changes[i]);
            fail();
        }
    }
}

/* Goal: a migration that fails half-way leaves the old version whole; done again, it succeeds.
 * Method: a made-up next step. */
static void failed_migration_leaves_old_version(void **state)
{
    struct state *s = *state;
    simple_run(s, 0);
    enum { NOW = STORE_VERSION, NEXT = NOW + 1 };
    struct store_migration bad[NEXT] = {0};
    struct store_migration good[NEXT] = {0};
    bad[NOW].sql = "CREATE TABLE extra (a); INSERT INTO missing VALUES (1)";
    good[NOW].sql = "CREATE TABLE extra (a)";
    must_fail(s, store_migrate(s->store, bad, NOW, NEXT, &s->error), TARE_ERROR_IO, "missing");
    assert_int_equal(count_rows(s, "PRAGMA user_version"), NOW);
    assert_int_equal(count_rows(s, "SELECT count(*) FROM sqlite_schema WHERE name = 'extra'"), 0);
    must(s, store_migrate(s->store, good, NOW, NEXT, &s->error));
    assert_int_equal(count_rows(s, "PRAGMA user_version"), NEXT);
    assert_int_equal(count_runs(s), 1);
    /* A second process that wanted the same step finds it done. */
    must(s, store_migrate(s->store, good, NOW, NEXT, &s->error));
    assert_int_equal(count_rows(s, "PRAGMA user_version"), NEXT);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        TEST(run_comes_back_exactly),
        TEST(missing_texts_stay_missing),
        TEST(load_without_samples),
        TEST(unfinished_run_keeps_benchmarks),
        TEST(interleaved_runs_do_not_mix),
        TEST(flaws_are_refused),
        TEST(same_benchmark_twice_is_refused),
        TEST(benchmark_of_missing_run_is_refused),
        TEST(selectors_find_runs),
        TEST(lists_are_filtered),
        TEST(pruning_removes_what_it_says),
        TEST(pruning_is_all_or_nothing),
        TEST(running_runs_are_spared),
        TEST(newer_version_is_refused),
        TEST(foreign_files_are_refused),
        TEST(missing_and_empty_files),
        TEST(damaged_files_do_not_crash),
        TEST(damaged_samples_are_named),
        TEST(hostile_rows_are_errors),
        TEST(failed_migration_leaves_old_version),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
