/* row.c: filling and reading one statement. Failures and damaged columns stick in the row, so that
 * callers read as a list of columns and check once, in row_close. */
#include "store/internal.h"

#include "base/assert.h"

#include <math.h>
#include <string.h>

struct row row_open(struct store *store, enum store_query query, struct tare_error *error)
{
    struct row row = {.store = store, .error = error, .status = TARE_OK, .parameter = 1};
    sqlite3_stmt **cached = &store->statements[query];
    if (*cached == NULL) {
        int code = sqlite3_prepare_v3(store->database, store_query_texts[query], -1,
                                      SQLITE_PREPARE_PERSISTENT, cached, NULL);
        if (code != SQLITE_OK) {
            row.status = store_failed(store, code, error);
        }
    }
    row.statement = *cached;
    return row;
}

static void check_bind(struct row *row, int code)
{
    row->parameter++;
    if (code != SQLITE_OK && row->status == TARE_OK) {
        row->status = store_failed(row->store, code, row->error);
    }
}

/* What is bound outlives the step: callers keep it until row_close, so SQLite need not copy it. */
void row_bind_text(struct row *row, const char *text)
{
    if (row->status == TARE_OK) {
        check_bind(row, sqlite3_bind_text(row->statement, row->parameter, text, -1, SQLITE_STATIC));
    }
}

void row_bind_int(struct row *row, int64_t value)
{
    if (row->status == TARE_OK) {
        check_bind(row, sqlite3_bind_int64(row->statement, row->parameter, value));
    }
}

void row_bind_double(struct row *row, double value)
{
    if (row->status == TARE_OK) {
        check_bind(row, sqlite3_bind_double(row->statement, row->parameter, value));
    }
}

void row_bind_blob(struct row *row, struct samples_blob blob)
{
    TARE_ASSERT(blob.bytes != NULL && blob.length <= SAMPLES_BLOB_BYTES_MAX);
    if (row->status == TARE_OK) {
        check_bind(row, sqlite3_bind_blob(row->statement, row->parameter, blob.bytes,
                                          (int)blob.length, SQLITE_STATIC));
    }
}

bool row_next(struct row *row)
{
    if (row->status != TARE_OK) {
        return false;
    }
    row->column = 0;
    int code = sqlite3_step(row->statement);
    if (code != SQLITE_ROW && code != SQLITE_DONE) {
        row->status = store_failed(row->store, code, row->error);
    }
    return code == SQLITE_ROW;
}

tare_status row_close(struct row *row)
{
    if (row->statement != NULL) {
        sqlite3_reset(row->statement);
        sqlite3_clear_bindings(row->statement);
    }
    return row->status;
}

tare_status row_run(struct row *row)
{
    row_next(row);
    return row_close(row);
}

/* ---- columns ---- */

static void damage(struct row *row, const char *what)
{
    if (row->status == TARE_OK) {
        row->status = store_damaged(row->store, row->error, what);
    }
}

const char *row_text(struct row *row, struct arena *arena)
{
    int column = row->column++;
    const char *text = (const char *)sqlite3_column_text(row->statement, column);
    if (text == NULL && sqlite3_column_type(row->statement, column) != SQLITE_NULL &&
        row->status == TARE_OK) {
        row->status = store_failed(row->store, SQLITE_NOMEM, row->error);
    }
    return text != NULL ? arena_strdup(arena, text) : NULL;
}

const char *row_peek(struct row *row)
{
    return (const char *)sqlite3_column_text(row->statement, row->column);
}

const char *row_word(struct row *row, struct arena *arena)
{
    const char *text = row_text(row, arena);
    if (text == NULL) {
        damage(row, "a text is missing");
        return "";
    }
    return text;
}

void row_id(struct row *row, char *id, int size)
{
    const char *text = (const char *)sqlite3_column_text(row->statement, row->column++);
    if (text == NULL || strlen(text) != (size_t)size - 1) {
        damage(row, "an id has the wrong length");
        id[0] = '\0';
        return;
    }
    memcpy(id, text, (size_t)size);
}

int64_t row_int(struct row *row)
{
    return sqlite3_column_int64(row->statement, row->column++);
}

int64_t row_int_between(struct row *row, int64_t low, int64_t high)
{
    int64_t value = row_int(row);
    if (value < low || value > high) {
        damage(row, "a number is out of range");
        return low;
    }
    return value;
}

double row_double(struct row *row)
{
    int column = row->column++;
    if (sqlite3_column_type(row->statement, column) == SQLITE_NULL) {
        return NAN;
    }
    return sqlite3_column_double(row->statement, column);
}

double row_finite(struct row *row)
{
    double value = row_double(row);
    if (!isfinite(value)) {
        damage(row, "a number is not finite");
        return 0;
    }
    return value;
}

bool row_bool(struct row *row)
{
    return row_int_between(row, 0, 1) == 1;
}

struct samples_blob row_blob(struct row *row)
{
    int column = row->column++;
    const void *bytes = sqlite3_column_blob(row->statement, column);
    if (bytes == NULL) {
        damage(row, "samples are missing");
        return (struct samples_blob){.bytes = (const uint8_t *)"", .length = 0};
    }
    return (struct samples_blob){.bytes = bytes,
                                 .length = sqlite3_column_bytes(row->statement, column)};
}

int row_word_index(struct row *row, const char *const *words, int count)
{
    const char *text = (const char *)sqlite3_column_text(row->statement, row->column++);
    for (int i = 0; i < count && text != NULL; i++) {
        if (strcmp(words[i], text) == 0) {
            return i;
        }
    }
    damage(row, "a word is unknown");
    return 0;
}
