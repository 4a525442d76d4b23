/* store.c: the connection: opening, waiting for other writers, transactions, errors in words.
 *
 * Workload assumed: a run writes some hundred times a second at most, one benchmark a transaction;
 * several processes may do so at once; readers come at any time. Write-ahead logging lets readers
 * and one writer work side by side and makes a commit one append without a sync (synchronous =
 * NORMAL): a killed process loses nothing committed, a power cut may cost the last second but never
 * the file.
 *
 * Files come from outside too (a colleague's store, a damaged disk), so the connection trusts
 * nothing in them: no triggers, no views, no functions from the schema, cell sizes checked. */
#include "store/internal.h"

#include "base/assert.h"
#include "base/buffer.h"
#include "base/text.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

/* Waiting for another writer: short first, then 10 ms at a time, so that 16 writers take turns
 * fairly; 30 s in all. */
static const int BUSY_WAIT_MS[] = {1, 1, 2, 2, 5, 5, 10};
enum { BUSY_WAIT_COUNT = sizeof BUSY_WAIT_MS / sizeof *BUSY_WAIT_MS, BUSY_WAITS_MAX = 3000 };

static bool exists(const char *file);
static tare_status connect(struct store *store, struct tare_error *error);
static tare_status upgrade_to_read(struct store *store, const char *path, int64_t *version,
                                   struct tare_error *refusal);
static tare_status connect_read_only_disk(struct store *store, struct tare_error *error);
static tare_status prepare_to_write(struct store *store, int64_t version, struct tare_error *error);

tare_status store_open(struct arena *arena, const char *path, enum store_mode mode,
                       struct store **store, struct tare_error *error)
{
    struct store *opened = ARENA_NEW(arena, struct store);
    *opened = (struct store){.arena = arena, .path = text_printable(arena, path, 0), .mode = mode};
    /* A leading "./" keeps names that SQLite treats specially (":memory:", "file:…") plain files.
     */
    opened->file = path[0] == '/' ? arena_strdup(arena, path) : arena_printf(arena, "./%s", path);
    *store = NULL;
    tare_status status = TARE_OK;
    opened->codec = samples_codec_new();
    if (opened->codec == NULL) {
        status = error_set(error, TARE_ERROR_MEMORY, "out of memory while opening store '%s'",
                           opened->path);
    }
    int64_t version = 0;
    if (status == TARE_OK) {
        status = connect(opened, error);
    }
    if (status == TARE_OK) {
        struct tare_error refusal = {0};
        status = store_version_check(opened, STORE_VERSION, &version, &refusal);
        if (status != TARE_OK && mode == STORE_READ && version > 0 && version < STORE_VERSION) {
            status = upgrade_to_read(opened, path, &version, &refusal);
        }
        if (status != TARE_OK) {
            error_set(error, status, "%s", refusal.message);
        }
    }
    if (status == TARE_OK && mode == STORE_WRITE) {
        status = prepare_to_write(opened, version, error);
    }
    if (status != TARE_OK) {
        store_close(opened);
        return status;
    }
    *store = opened;
    return TARE_OK;
}

/* An older file is brought up to date by a moment of writing, then read. Where it cannot be written
 * (another's file, a read-only disk), the refusal that is there already stands. */
static tare_status upgrade_to_read(struct store *store, const char *path, int64_t *version,
                                   struct tare_error *refusal)
{
    struct store *writer = NULL;
    sqlite3_close(store->database);
    store->database = NULL;
    if (store_open(store->arena, path, STORE_WRITE, &writer, NULL) != TARE_OK) {
        return refusal->status;
    }
    store_close(writer);
    error_clear(refusal);
    tare_status status = connect(store, refusal);
    return status == TARE_OK ? store_version_check(store, STORE_VERSION, version, refusal) : status;
}

void store_close(struct store *store)
{
    if (store == NULL) {
        return;
    }
    for (int i = 0; i < QUERY_COUNT; i++) {
        sqlite3_finalize(store->statements[i]);
        store->statements[i] = NULL;
    }
    sqlite3_close(store->database);
    store->database = NULL;
    samples_codec_free(store->codec);
    store->codec = NULL;
}

const char *store_path(const struct store *store)
{
    return store->path;
}

void store_use_machine(struct store *store, const char *machine_id)
{
    snprintf(store->machine_id, sizeof store->machine_id, "%s", machine_id);
}

const char *store_machine(const struct store *store)
{
    return store->machine_id;
}

/* ---- connecting ---- */

static int wait_for_turn(void *unused, int waited)
{
    (void)unused;
    if (waited >= BUSY_WAITS_MAX) {
        return 0;
    }
    sqlite3_sleep(BUSY_WAIT_MS[waited < BUSY_WAIT_COUNT ? waited : BUSY_WAIT_COUNT - 1]);
    return 1;
}

static int execute(struct store *store, const char *sql)
{
    return sqlite3_exec(store->database, sql, NULL, NULL, NULL);
}

static int configure(struct store *store)
{
    static const struct {
        int option;
        int value;
    } settings[] = {
        {SQLITE_DBCONFIG_DEFENSIVE, 1},      {SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0},
        {SQLITE_DBCONFIG_ENABLE_TRIGGER, 0}, {SQLITE_DBCONFIG_ENABLE_VIEW, 0},
        {SQLITE_DBCONFIG_DQS_DML, 0},        {SQLITE_DBCONFIG_DQS_DDL, 0},
        {SQLITE_DBCONFIG_ENABLE_FKEY, 1},
    };
    for (size_t i = 0; i < sizeof settings / sizeof *settings; i++) {
        sqlite3_db_config(store->database, settings[i].option, settings[i].value, (int *)NULL);
    }
    sqlite3_limit(store->database, SQLITE_LIMIT_ATTACHED, 0);
    sqlite3_busy_handler(store->database, wait_for_turn, NULL);
    int code = execute(store, "PRAGMA cell_size_check = ON; PRAGMA synchronous = NORMAL");
    if (code == SQLITE_OK && store->mode == STORE_READ) {
        code = execute(store, "PRAGMA query_only = ON");
    }
    return code;
}

/* Readers ask for write access too, where they can get it: only such a connection can fold a killed
 * writer's log into the file and tidy up behind itself. query_only keeps them from changing
 * anything else. */
static tare_status connect(struct store *store, struct tare_error *error)
{
    int flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_PRIVATECACHE |
                SQLITE_OPEN_EXRESCODE;
    if (store->mode == STORE_WRITE) {
        flags |= SQLITE_OPEN_CREATE;
    }
    int code = sqlite3_open_v2(store->file, &store->database, flags, NULL);
    if (code == SQLITE_OK) {
        code = configure(store);
    }
    if (code == SQLITE_OK) {
        code = execute(store, "SELECT count(*) FROM sqlite_schema");
    }
    bool is_maybe_read_only = (code & 0xFF) == SQLITE_CANTOPEN || (code & 0xFF) == SQLITE_READONLY;
    if (store->mode == STORE_READ && is_maybe_read_only && exists(store->file)) {
        return connect_read_only_disk(store, error);
    }
    return code == SQLITE_OK ? TARE_OK : store_failed(store, code, error);
}

static bool exists(const char *file)
{
    sqlite3_vfs *vfs = sqlite3_vfs_find(NULL);
    int found = 0;
    return vfs->xAccess(vfs, file, SQLITE_ACCESS_EXISTS, &found) == SQLITE_OK && found != 0;
}

/* On a disk that cannot be written, SQLite cannot make its shared-memory file; without a log left
 * by someone, the main file alone is the whole truth and may be read as it is ("immutable"). */
static tare_status connect_read_only_disk(struct store *store, struct tare_error *error)
{
    const char *log = arena_printf(store->arena, "%s-wal", store->file);
    if (!exists(store->file) || exists(log)) {
        return store_failed(store, sqlite3_extended_errcode(store->database), error);
    }
    sqlite3_close(store->database);
    store->database = NULL;
    struct buffer uri = buffer_new(store->arena, BUFFER_LENGTH_MAX);
    buffer_text(&uri, "file:");
    for (const char *at = store->file; *at != '\0'; at++) {
        if (strchr("%?#", *at) != NULL) {
            buffer_printf(&uri, "%%%02x", (unsigned)(unsigned char)*at);
        } else {
            buffer_char(&uri, *at);
        }
    }
    buffer_text(&uri, "?immutable=1");
    int flags =
        SQLITE_OPEN_READONLY | SQLITE_OPEN_URI | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE;
    int code = sqlite3_open_v2(buffer_string(&uri), &store->database, flags, NULL);
    if (code == SQLITE_OK) {
        code = configure(store);
    }
    if (code == SQLITE_OK) {
        code = execute(store, "SELECT count(*) FROM sqlite_schema");
    }
    return code == SQLITE_OK ? TARE_OK : store_failed(store, code, error);
}

/* Turning on write-ahead logging needs the file for oneself for a moment, and SQLite does not wait
 * for that by itself. */
static tare_status prepare_to_write(struct store *store, int64_t version, struct tare_error *error)
{
    int code = SQLITE_OK;
    if (version == 0) {
        code = execute(store, "PRAGMA auto_vacuum = INCREMENTAL");
    }
    for (int waited = 0; code == SQLITE_OK; waited++) {
        code = execute(store, "PRAGMA journal_mode = WAL");
        if ((code & 0xFF) != SQLITE_BUSY || !wait_for_turn(NULL, waited)) {
            break;
        }
        code = SQLITE_OK;
    }
    if (code != SQLITE_OK) {
        return store_failed(store, code, error);
    }
    return store_migrate(store, store_migrations, version, STORE_VERSION, error);
}

/* ---- transactions ---- */

static tare_status begin(struct store *store, enum store_query query, struct tare_error *error)
{
    tare_status status = TARE_OK;
    if (store->depth == 0) {
        struct row row = row_open(store, query, error);
        status = row_run(&row);
    }
    store->depth += status == TARE_OK;
    return status;
}

tare_status store_begin(struct store *store, struct tare_error *error)
{
    return begin(store, QUERY_BEGIN, error);
}

tare_status store_begin_read(struct store *store, struct tare_error *error)
{
    return begin(store, QUERY_BEGIN_READ, error);
}

tare_status store_end(struct store *store, tare_status status, struct tare_error *error)
{
    TARE_ASSERT(store->depth > 0);
    if (--store->depth > 0) {
        return status;
    }
    if (status == TARE_OK) {
        struct row commit = row_open(store, QUERY_COMMIT, error);
        status = row_run(&commit);
    }
    /* After some failures (a full disk) SQLite has rolled back already. */
    if (status != TARE_OK && sqlite3_get_autocommit(store->database) == 0) {
        struct row rollback = row_open(store, QUERY_ROLLBACK, NULL);
        row_run(&rollback);
    }
    return status;
}

/* ---- errors in words ---- */

static tare_status failed_open(struct store *store, struct tare_error *error)
{
    int cause = sqlite3_system_errno(store->database);
    bool is_there = exists(store->file);
    if (cause == ENOENT && !is_there && store->mode == STORE_READ) {
        return error_set(error, TARE_ERROR_IO,
                         "no store at '%s' yet: 'tare run' makes one, --store names another",
                         store->path);
    }
    /* SQLite's last try was to read, so its reason is not the one for which writing failed. */
    if (cause == ENOENT && is_there) {
        return error_set(
            error, TARE_ERROR_IO,
            "store '%s' cannot be written: is its disk or folder read-only? --store names another",
            store->path);
    }
    if (cause == 0) {
        return error_set(
            error, TARE_ERROR_IO,
            "store '%s' cannot be opened: is it a file, in a folder that can be written?",
            store->path);
    }
    return error_set_errno(error, TARE_ERROR_IO, cause,
                           "store '%s' cannot be opened (--store names another)", store->path);
}

/* The first line of the database's own check, or NULL when it finds nothing. */
static const char *first_problem(struct store *store)
{
    sqlite3_stmt *statement = NULL;
    const char *problem = NULL;
    if (sqlite3_prepare_v2(store->database, "PRAGMA quick_check(1)", -1, &statement, NULL) ==
            SQLITE_OK &&
        sqlite3_step(statement) == SQLITE_ROW) {
        const char *text = (const char *)sqlite3_column_text(statement, 0);
        if (text != NULL && strcmp(text, "ok") != 0) {
            problem = text_printable(store->arena, text, 200);
        }
    }
    sqlite3_finalize(statement);
    return problem;
}

tare_status store_damaged(struct store *store, struct tare_error *error, const char *what)
{
    return error_set(
        error, TARE_ERROR_IO,
        "store '%s' is damaged (%s): where 'tare runs check' cannot tell more, put a copy "
        "of it back, save what can be saved (sqlite3 OLD .recover | sqlite3 NEW), or "
        "move it away to start a new one",
        store->path, what);
}

static tare_status failed_io(struct store *store, struct tare_error *error)
{
    int cause = sqlite3_system_errno(store->database);
    if (cause == ENOSPC || cause == EDQUOT || cause == EFBIG) {
        return error_set_errno(error, TARE_ERROR_IO, cause,
                               "store '%s' could not be written; free some space and run again, "
                               "what was finished before is "
                               "kept",
                               store->path);
    }
    const char *what = sqlite3_errmsg(store->database);
    if (cause == 0) {
        return error_set(error, TARE_ERROR_IO, "store '%s' could not be read or written: %s",
                         store->path, what);
    }
    return error_set_errno(error, TARE_ERROR_IO, cause,
                           "store '%s' could not be read or written (%s)", store->path, what);
}

tare_status store_failed(struct store *store, int code, struct tare_error *error)
{
    if (store->database == NULL) {
        return error_set(error, TARE_ERROR_MEMORY, "out of memory while opening store '%s'",
                         store->path);
    }
    const char *what = sqlite3_errmsg(store->database);
    switch (code & 0xFF) {
    case SQLITE_FULL:
        return error_set(error, TARE_ERROR_IO,
                         "no space left for store '%s': free some and run again, what was finished "
                         "before is kept",
                         store->path);
    case SQLITE_READONLY:
    case SQLITE_PERM:
        return error_set(error, TARE_ERROR_IO,
                         "store '%s' is read-only here: name another with --store", store->path);
    case SQLITE_CANTOPEN:
        return failed_open(store, error);
    case SQLITE_IOERR:
        return failed_io(store, error);
    case SQLITE_NOTADB:
        return error_set(error, TARE_ERROR_IO,
                         "'%s' is not a Tare store: name another with --store, or move it away",
                         store->path);
    case SQLITE_CORRUPT: {
        /* A copy: the check below replaces SQLite's own message. */
        const char *reported = text_printable(store->arena, what, 200);
        const char *problem = first_problem(store);
        return store_damaged(store, error, problem != NULL ? problem : reported);
    }
    case SQLITE_ERROR:
    case SQLITE_MISMATCH:
        return store_damaged(store, error, what);
    case SQLITE_NOMEM:
        return error_set(error, TARE_ERROR_MEMORY, "out of memory while using store '%s'",
                         store->path);
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
        return error_set(error, TARE_ERROR_IO,
                         "store '%s' was held by another process for half a minute: see who has it "
                         "open ('fuser %s'), then "
                         "run again",
                         store->path, store->path);
    default:
        return error_set(error, TARE_ERROR_IO, "store '%s': %s", store->path, what);
    }
}
