/* check.c: is everything in the store whole? The database's own full check, its references, then
 * every sample decoded. */
#include "store/internal.h"

#include "base/text.h"

#include <string.h>

static void add_problem(struct arena *arena, struct store_check *check, const char *text)
{
    if (check->problem_count >= STORE_PROBLEMS_MAX) {
        return;
    }
    check->problems = arena_grow(arena, check->problems, &check->problem_capacity,
                                 check->problem_count + 1, sizeof *check->problems);
    check->problems[check->problem_count++] = text_printable(arena, text, 0);
}

/* Lines of a PRAGMA that lists problems; a failing check is a problem too, not a failure to check.
 */
static void check_pragma(struct store *store, struct arena *arena, struct store_check *check,
                         const char *sql, const char *prefix)
{
    sqlite3_stmt *statement = NULL;
    int code = sqlite3_prepare_v2(store->database, sql, -1, &statement, NULL);
    while (code == SQLITE_OK || code == SQLITE_ROW) {
        code = sqlite3_step(statement);
        const char *text =
            code == SQLITE_ROW ? (const char *)sqlite3_column_text(statement, 0) : NULL;
        if (text != NULL && strcmp(text, "ok") != 0) {
            add_problem(arena, check, arena_printf(arena, "%s%s", prefix, text));
        }
    }
    if (code != SQLITE_DONE) {
        add_problem(arena, check,
                    arena_printf(arena, "%s%s", prefix, sqlite3_errmsg(store->database)));
    }
    sqlite3_finalize(statement);
}

static void check_run(struct store *store, struct arena *arena, struct store_check *check,
                      const char *id)
{
    struct arena scratch = {0};
    struct model_run run;
    struct tare_error error = {0};
    if (store_run_load(store, &scratch, id, true, &run, &error) != TARE_OK) {
        add_problem(arena, check, error.message);
    }
    check->run_count++;
    check->benchmark_count += run.benchmark_count;
    for (ptrdiff_t i = 0; i < run.benchmark_count; i++) {
        for (ptrdiff_t j = 0; j < run.benchmarks[i].metric_count; j++) {
            check->sample_count += run.benchmarks[i].metrics[j].count;
        }
    }
    arena_free(&scratch);
}

tare_status store_check(struct store *store, struct arena *arena, struct store_check *check,
                        struct tare_error *error)
{
    *check = (struct store_check){0};
    check_pragma(store, arena, check, "PRAGMA integrity_check(50)", "");
    check_pragma(store, arena, check, "PRAGMA foreign_key_check",
                 "a row refers to one that is not there, in table ");
    struct store_run_rows ids = {0};
    struct tare_error cause = {0};
    struct row row = row_open(store, QUERY_RUN_IDS, &cause);
    while (row_next(&row)) {
        row_id(&row, store_rows_add(arena, &ids)->id, sizeof ids.items->id);
    }
    if (row_close(&row) != TARE_OK) {
        add_problem(arena, check, cause.message);
        if (cause.status == TARE_ERROR_MEMORY) {
            return error_set(error, cause.status, "%s", cause.message);
        }
    }
    for (ptrdiff_t i = 0; i < ids.count; i++) {
        check_run(store, arena, check, ids.items[i].id);
    }
    return TARE_OK;
}
