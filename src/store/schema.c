/* schema.c: the tables, and how an older file becomes a newer one.
 *
 * Versions only go forward. Step i is the SQL that turns version i into i + 1 and runs in a
 * transaction of its own together with the new version number, so a process killed in between
 * leaves the old version whole. A file that is newer than this program is refused and not touched.
 * A step that has been released is never edited: a change is a new step.
 *
 * Words, not numbers, stand for states, so that the file reads by itself in any SQLite tool. Times
 * are nanoseconds since 1970. */
#include "store/internal.h"

#include <stdio.h>

const struct store_migration store_migrations[STORE_VERSION] = {
    {"CREATE TABLE machine ("
     "  id TEXT NOT NULL PRIMARY KEY"
     ") STRICT, WITHOUT ROWID;"
     "CREATE TABLE machine_field ("
     "  machine TEXT NOT NULL REFERENCES machine(id) ON DELETE CASCADE,"
     "  key TEXT NOT NULL,"
     "  value TEXT NOT NULL,"
     "  PRIMARY KEY (machine, key)"
     ") STRICT, WITHOUT ROWID;"
     "CREATE TABLE run ("
     "  key INTEGER PRIMARY KEY,"
     "  id TEXT NOT NULL UNIQUE,"
     "  started_unix_ns INTEGER NOT NULL,"
     "  finished_unix_ns INTEGER NOT NULL,"
     "  state TEXT NOT NULL CHECK (state IN ('running', 'complete', 'interrupted', 'failed')),"
     "  project TEXT,"
     "  command TEXT,"
     "  tare_version TEXT,"
     "  seed INTEGER NOT NULL," /* the 64 bits, read as signed */
     "  confidence REAL NOT NULL,"
     "  machine TEXT NOT NULL REFERENCES machine(id),"
     "  commit_is_known INTEGER NOT NULL CHECK (commit_is_known IN (0, 1)),"
     "  commit_hash TEXT,"
     "  commit_branch TEXT,"
     "  commit_subject TEXT,"
     "  commit_is_dirty INTEGER NOT NULL CHECK (commit_is_dirty IN (0, 1))"
     ") STRICT;"
     "CREATE INDEX run_machine ON run (machine);"
     "CREATE TABLE run_field ("
     "  run INTEGER NOT NULL REFERENCES run(key) ON DELETE CASCADE,"
     "  kind TEXT NOT NULL CHECK (kind IN ('condition', 'environment')),"
     "  key TEXT NOT NULL,"
     "  value TEXT NOT NULL,"
     "  PRIMARY KEY (run, kind, key)"
     ") STRICT, WITHOUT ROWID;"
     "CREATE TABLE run_warning ("
     "  run INTEGER NOT NULL REFERENCES run(key) ON DELETE CASCADE,"
     "  number INTEGER NOT NULL,"
     "  text TEXT NOT NULL,"
     "  PRIMARY KEY (run, number)"
     ") STRICT, WITHOUT ROWID;"
     "CREATE TABLE benchmark ("
     "  key INTEGER PRIMARY KEY,"
     "  run INTEGER NOT NULL REFERENCES run(key) ON DELETE CASCADE,"
     "  suite TEXT NOT NULL,"
     "  name TEXT NOT NULL,"
     "  variant TEXT NOT NULL,"
     "  parameters TEXT NOT NULL," /* a JSON object, sorted by name */
     "  is_reference INTEGER NOT NULL CHECK (is_reference IN (0, 1)),"
     "  size_parameter TEXT,"
     "  state TEXT NOT NULL CHECK (state IN ('ok', 'invalid', 'failed', 'skipped')),"
     "  reason TEXT,"
     "  \"check\" TEXT NOT NULL CHECK (\"check\" IN ('none', 'passed', 'failed')),"
     "  check_detail TEXT,"
     "  iterations REAL NOT NULL,"
     "  overhead_ns REAL NOT NULL,"
     "  timer_floor_ns REAL NOT NULL,"
     "  launch_count INTEGER NOT NULL,"
     "  launches BLOB NOT NULL," /* codec/samples.c */
     "  UNIQUE (run, name, suite, variant, parameters)"
     ") STRICT;"
     "CREATE TABLE benchmark_warning ("
     "  benchmark INTEGER NOT NULL REFERENCES benchmark(key) ON DELETE CASCADE,"
     "  number INTEGER NOT NULL,"
     "  text TEXT NOT NULL,"
     "  PRIMARY KEY (benchmark, number)"
     ") STRICT, WITHOUT ROWID;"
     "CREATE INDEX benchmark_run ON benchmark (run);" /* its entries end in the key: the order of
                                                         saving */
     "CREATE TABLE metric ("
     "  key INTEGER PRIMARY KEY,"
     "  benchmark INTEGER NOT NULL REFERENCES benchmark(key) ON DELETE CASCADE,"
     "  name TEXT NOT NULL,"
     "  unit TEXT NOT NULL,"
     "  better TEXT NOT NULL CHECK (better IN ('lower', 'higher')),"
     "  is_exact INTEGER NOT NULL CHECK (is_exact IN (0, 1)),"
     "  invalid_reason TEXT,"
     "  sample_count INTEGER NOT NULL,"
     "  samples BLOB NOT NULL" /* codec/samples.c */
     ") STRICT;"
     "CREATE INDEX metric_benchmark ON metric (benchmark);"
     "CREATE TABLE histograms ("
     "  benchmark INTEGER NOT NULL PRIMARY KEY REFERENCES benchmark(key) ON DELETE CASCADE,"
     "  histogram_count INTEGER NOT NULL,"
     "  histograms BLOB NOT NULL" /* codec/samples.c */
     ") STRICT;"
     "CREATE TABLE baseline ("
     "  name TEXT NOT NULL,"
     "  machine TEXT NOT NULL REFERENCES machine(id),"
     "  run INTEGER NOT NULL REFERENCES run(key)," /* no cascade: a baseline's run cannot be deleted
                                                    */
     "  PRIMARY KEY (name, machine)"
     ") STRICT, WITHOUT ROWID;"
     "CREATE INDEX baseline_run ON baseline (run);"
     "CREATE TABLE promotion (" /* history: outlives runs and baselines, so it refers to them by
                                   name */
     "  key INTEGER PRIMARY KEY,"
     "  name TEXT NOT NULL,"
     "  machine TEXT NOT NULL,"
     "  action TEXT NOT NULL CHECK (action IN ('save', 'promote', 'remove')),"
     "  run_id TEXT NOT NULL,"
     "  previous_run_id TEXT NOT NULL,"
     "  at_unix_ns INTEGER NOT NULL,"
     "  by TEXT NOT NULL,"
     "  reason TEXT NOT NULL"
     ") STRICT;"
     "CREATE INDEX promotion_name ON promotion (name, machine);"
     "CREATE TABLE document (" /* decisions and proofs, as the JSON that was printed */
     "  id TEXT NOT NULL PRIMARY KEY,"
     "  kind TEXT NOT NULL,"
     "  created_unix_ns INTEGER NOT NULL,"
     "  machine TEXT NOT NULL,"
     "  text TEXT NOT NULL"
     ") STRICT, WITHOUT ROWID;"},
    {/* A table of its own, not columns of metric: those would stand behind the samples, and reading
        them would mean reading the samples. Rows may be missing (runs kept by version 1). */
     "CREATE TABLE figures ("
     "  metric INTEGER NOT NULL PRIMARY KEY REFERENCES metric(key) ON DELETE CASCADE,"
     "  launch_count INTEGER NOT NULL,"
     "  median REAL NOT NULL,"
     "  min REAL NOT NULL,"
     "  max REAL NOT NULL,"
     "  centre_log REAL," /* this and the next two: NULL where a value is not positive */
     "  centre_variance REAL,"
     "  mean_log REAL,"
     "  tail_log REAL" /* NULL where launches have too few samples */
     ") STRICT;"
     "CREATE INDEX run_history ON run (machine, project, id);"
     "CREATE TABLE noise (" /* what comparisons of identical programs found */
     "  key INTEGER PRIMARY KEY,"
     "  machine TEXT NOT NULL,"
     "  project TEXT NOT NULL,"
     "  benchmark TEXT NOT NULL," /* its label */
     "  metric TEXT NOT NULL,"
     "  at_unix_ns INTEGER NOT NULL,"
     "  kind TEXT NOT NULL," /* the command: 'ab', 'gate', 'prove' */
     "  log_ratio REAL NOT NULL,"
     "  half_width REAL NOT NULL,"
     "  launches INTEGER NOT NULL"
     ") STRICT;"
     "CREATE INDEX noise_of ON noise (machine, project, benchmark, metric, at_unix_ns);"},
};

/* A number that a PRAGMA or a count gives. */
static tare_status read_number(struct store *store, const char *sql, int64_t *number,
                               struct tare_error *error)
{
    sqlite3_stmt *statement = NULL;
    int code = sqlite3_prepare_v2(store->database, sql, -1, &statement, NULL);
    if (code == SQLITE_OK) {
        code = sqlite3_step(statement);
    }
    *number = code == SQLITE_ROW ? sqlite3_column_int64(statement, 0) : 0;
    sqlite3_finalize(statement);
    return code == SQLITE_ROW || code == SQLITE_DONE ? TARE_OK : store_failed(store, code, error);
}

static tare_status check_owner(struct store *store, int64_t version, struct tare_error *error)
{
    int64_t application_id = 0;
    int64_t table_count = 0;
    tare_status status = read_number(store, "PRAGMA application_id", &application_id, error);
    if (status == TARE_OK) {
        status = read_number(store, "SELECT count(*) FROM sqlite_schema", &table_count, error);
    }
    if (status != TARE_OK) {
        return status;
    }
    bool is_empty = application_id == 0 && version == 0 && table_count == 0;
    if (application_id == STORE_APPLICATION_ID || (is_empty && store->mode == STORE_WRITE)) {
        return TARE_OK;
    }
    return error_set(error, TARE_ERROR_IO,
                     "'%s' is %s, not a Tare store: name another with --store", store->path,
                     is_empty ? "an empty database" : "a database of another program");
}

static tare_status migrate_step(struct store *store, const struct store_migration *migration,
                                int64_t from, struct tare_error *error)
{
    tare_status status = store_begin(store, error);
    if (status != TARE_OK) {
        return status;
    }
    int64_t version = 0;
    status = read_number(store, "PRAGMA user_version", &version, error);
    if (status == TARE_OK && version == from) {
        char stamp[96]; /* numbers only: a PRAGMA takes no parameters */
        snprintf(stamp, sizeof stamp, "PRAGMA user_version = %d; PRAGMA application_id = %d",
                 (int)from + 1, (int)STORE_APPLICATION_ID);
        int code = sqlite3_exec(store->database, migration->sql, NULL, NULL, NULL);
        if (code == SQLITE_OK) {
            code = sqlite3_exec(store->database, stamp, NULL, NULL, NULL);
        }
        status = code == SQLITE_OK ? TARE_OK : store_failed(store, code, error);
    }
    return store_end(store, status, error);
}

tare_status store_version_check(struct store *store, int version, int64_t *found,
                                struct tare_error *error)
{
    /* One look at all of it: another process may be making this store right now. */
    int code = sqlite3_exec(store->database, "BEGIN", NULL, NULL, NULL);
    if (code != SQLITE_OK) {
        return store_failed(store, code, error);
    }
    tare_status status = read_number(store, "PRAGMA user_version", found, error);
    if (status == TARE_OK) {
        status = check_owner(store, *found, error);
    }
    (void)sqlite3_exec(store->database, "ROLLBACK", NULL, NULL, NULL); /* nothing was written */
    if (status == TARE_OK && *found > version) {
        return error_set(error, TARE_ERROR_IO,
                         "store '%s' has version %lld, and this tare knows versions up to %d: use "
                         "a newer tare; the "
                         "store was left as it is",
                         store->path, (long long)*found, version);
    }
    if (status == TARE_OK && *found < version && store->mode == STORE_READ) {
        return error_set(error, TARE_ERROR_IO,
                         "store '%s' has version %lld, and this tare reads version %d: any command "
                         "that writes, such "
                         "as 'tare run', brings it up to date",
                         store->path, (long long)*found, version);
    }
    if (status == TARE_OK && *found < 0) {
        return store_damaged(store, error, "its version is negative");
    }
    return status;
}

tare_status store_migrate(struct store *store, const struct store_migration *migrations,
                          int64_t from, int version, struct tare_error *error)
{
    tare_status status = TARE_OK;
    for (; status == TARE_OK && from < version; from++) {
        status = migrate_step(store, &migrations[from], from, error);
    }
    return status;
}
