/* internal.h: what the files of the store share: the connection, its prepared statements, and short
 * ways to bind, step and read with the errors already put in words. */
#ifndef TARE_STORE_INTERNAL_H
#define TARE_STORE_INTERNAL_H

#include "codec/samples.h"
#include "store/store.h"

#include <sqlite3.h>

/* The statements, prepared when first used (queries.c has their text). */
enum store_query {
    QUERY_BEGIN,
    QUERY_BEGIN_READ,
    QUERY_COMMIT,
    QUERY_ROLLBACK,
    QUERY_MACHINE_INSERT,
    QUERY_MACHINE_FIELD_INSERT,
    QUERY_RUN_INSERT,
    QUERY_RUN_FIELD_INSERT,
    QUERY_RUN_FIELDS_DELETE,
    QUERY_RUN_KEY,
    QUERY_RUN_FINISH,
    QUERY_RUN_WARNING_INSERT,
    QUERY_RUN_WARNINGS_DELETE,
    QUERY_BENCHMARK_INSERT,
    QUERY_BENCHMARK_WARNING_INSERT,
    QUERY_METRIC_INSERT,
    QUERY_FIGURES_INSERT,
    QUERY_HISTOGRAMS_INSERT,
    QUERY_RUN_SELECT,
    QUERY_MACHINE_FIELDS,
    QUERY_RUN_FIELDS,
    QUERY_RUN_WARNINGS,
    QUERY_BENCHMARKS,
    QUERY_BENCHMARK_WARNINGS,
    QUERY_METRICS,
    QUERY_METRICS_BARE,
    QUERY_HISTOGRAMS,
    QUERY_RUN_LATEST,
    QUERY_RUN_PREFIX,
    QUERY_RUN_EXISTS,
    QUERY_RUNS_LIST,
    QUERY_RUN_IDS,
    QUERY_RUNS_BEYOND,
    QUERY_RUNS_BEFORE,
    QUERY_RUN_ROW,
    QUERY_RUN_DELETE,
    QUERY_MACHINES_UNUSED_DELETE,
    QUERY_BASELINE_SELECT,
    QUERY_BASELINES_LIST,
    QUERY_BASELINE_WRITE,
    QUERY_BASELINE_DELETE,
    QUERY_PROMOTION_INSERT,
    QUERY_PROMOTIONS,
    QUERY_DOCUMENT_INSERT,
    QUERY_DOCUMENT_PREFIX,
    QUERY_DOCUMENT_SELECT,
    QUERY_DOCUMENTS_LIST,
    QUERY_RERUNS,
    QUERY_BENCHMARKS_BARE,
    QUERY_NOISE_INSERT,
    QUERY_NOISE_THIN,
    QUERY_NOISE_LIST,
    QUERY_COUNT,
};

struct store {
    struct arena *arena;
    const char *path; /* for messages */
    const char *file; /* for SQLite */
    enum store_mode mode;
    sqlite3 *database;
    struct samples_codec *codec;
    sqlite3_stmt *statements[QUERY_COUNT];
    char machine_id[33]; /* "" when none is in use */
    int depth;           /* transactions begun and not ended: only the outermost is SQLite's */
};

extern const char *const store_query_texts[QUERY_COUNT];

/* A statement being filled, stepped and read. The first failure sticks in `status`: binds and
 * columns after it do nothing, and row_close returns it. */
struct row {
    struct store *store;
    sqlite3_stmt *statement;
    struct tare_error *error;
    tare_status status;
    int parameter; /* of the next bind, from 1 */
    int column;    /* of the next read, from 0 */
};

struct row row_open(struct store *store, enum store_query query, struct tare_error *error);
void row_bind_text(struct row *row, const char *text); /* NULL is kept as NULL */
void row_bind_int(struct row *row, int64_t value);
void row_bind_double(struct row *row, double value); /* NaN is kept as NULL */
void row_bind_blob(struct row *row, struct samples_blob blob);
/* Is there another row? False at the end and on a failure. */
bool row_next(struct row *row);
/* Makes the statement ready for its next use. */
tare_status row_close(struct row *row);
/* For statements without rows: steps once and closes. */
tare_status row_run(struct row *row);

/* Columns, in order. Text lands in the arena. What must not be there is a damaged store. */
const char *row_text(struct row *row, struct arena *arena); /* NULL stays NULL */
const char *row_word(struct row *row, struct arena *arena); /* never NULL */
/* The next column without taking it; valid until the next row. */
const char *row_peek(struct row *row);
void row_id(struct row *row, char *id, int size);
int64_t row_int(struct row *row);
int64_t row_int_between(struct row *row, int64_t low, int64_t high);
double row_double(struct row *row); /* NULL gives NaN */
double row_finite(struct row *row);
bool row_bool(struct row *row);
struct samples_blob row_blob(struct row *row); /* valid until the next row */
/* The place of a column's word in a table of words. */
int row_word_index(struct row *row, const char *const *words, int count);

extern const char *const store_run_state_words[4];
extern const char *const store_state_words[4];
extern const char *const store_check_words[3];
extern const char *const store_better_words[2];

/* One write transaction. store_end commits on TARE_OK, else rolls back and keeps the first error.
 * They nest: inner ones are part of the outermost, which must not end in TARE_OK when one of them
 * failed. */
tare_status store_begin(struct store *store, struct tare_error *error);
tare_status store_begin_read(struct store *store, struct tare_error *error);
tare_status store_end(struct store *store, tare_status status, struct tare_error *error);

/* The failed call's code in words: full disk, read-only, damaged, busy… */
tare_status store_failed(struct store *store, int code, struct tare_error *error);
tare_status store_damaged(struct store *store, struct tare_error *error, const char *what);

/* The run that the machine in use has under this baseline's name. Not found is no error, unless
 * only other machines have it. */
tare_status store_baseline_run(struct store *store, const char *name, char run_id[27],
                               bool *is_found, struct tare_error *error);

/* Columns of a store_run_row, in the order queries.c selects them. */
void store_row_read(struct row *row, struct arena *arena, struct store_run_row *run);
struct store_run_row *store_rows_add(struct arena *arena, struct store_run_rows *rows);

/* schema.c */
enum { STORE_VERSION = 2 };
/* "Tare" in ASCII: application_id of the file, so that file(1) and a wrong --store are told apart.
 */
enum { STORE_APPLICATION_ID = 0x54617265 };

struct store_migration {
    const char *sql; /* brings version i to i + 1 */
};
/* Reads the file's version into *found; refuses a newer file, another program's, and for reading an
 * older one. Changes nothing. */
tare_status store_version_check(struct store *store, int version, int64_t *found,
                                struct tare_error *error);
/* Brings the file from version `from` to `version`. Each step is a transaction of its own, and is
 * skipped when another process has done it meanwhile. */
tare_status store_migrate(struct store *store, const struct store_migration *migrations,
                          int64_t from, int version, struct tare_error *error);
extern const struct store_migration store_migrations[STORE_VERSION];

#endif
