/* document.c: what was decided, kept word for word, so that it can be shown again by any later
 * version. */
#include "base/assert.h"
#include "base/text.h"
#include "store/internal.h"

#include <string.h>

enum { DOCUMENT_ID_LENGTH = 26 };

tare_status store_document_save(struct store *store, const struct store_document *document,
                                struct tare_error *error)
{
    TARE_ASSERT(document->id != NULL && document->kind != NULL && document->text != NULL);
    tare_status status = store_begin(store, error);
    if (status != TARE_OK) {
        return status;
    }
    struct row row = row_open(store, QUERY_DOCUMENT_INSERT, error);
    row_bind_text(&row, document->id);
    row_bind_text(&row, document->kind);
    row_bind_int(&row, document->created_unix_ns);
    row_bind_text(&row, document->machine_id);
    row_bind_text(&row, document->text);
    return store_end(store, row_run(&row), error);
}

/* How many documents begin like this, two at most; the first one's id. */
static tare_status find_document(struct store *store, const char *selector, char id[27], int *found,
                                 struct tare_error *error)
{
    size_t length = strlen(selector);
    *found = 0;
    if (length < STORE_PREFIX_MIN || length > DOCUMENT_ID_LENGTH) {
        return TARE_OK;
    }
    struct row row = row_open(store, QUERY_DOCUMENT_PREFIX, error);
    row_bind_text(&row, selector);
    char other[DOCUMENT_ID_LENGTH + 1];
    while (*found < 2 && row_next(&row)) {
        row_id(&row, *found == 0 ? id : other, DOCUMENT_ID_LENGTH + 1);
        (*found)++;
    }
    return row_close(&row);
}

tare_status store_document_load(struct store *store, struct arena *arena, const char *selector,
                                struct store_document *document, bool *is_found,
                                struct tare_error *error)
{
    *document = (struct store_document){0};
    *is_found = false;
    char id[DOCUMENT_ID_LENGTH + 1] = "";
    int found = 0;
    tare_status status = find_document(store, selector, id, &found, error);
    if (status == TARE_OK && found > 1) {
        return error_set(error, TARE_ERROR_USAGE,
                         "'%s' is the beginning of several kept results: give more of it",
                         selector);
    }
    if (status != TARE_OK || found == 0) {
        return status;
    }
    struct row row = row_open(store, QUERY_DOCUMENT_SELECT, error);
    row_bind_text(&row, id);
    *is_found = row_next(&row);
    if (*is_found) {
        document->id = row_word(&row, arena);
        document->kind = row_word(&row, arena);
        document->created_unix_ns = row_int(&row);
        document->machine_id = row_word(&row, arena);
        document->text = row_word(&row, arena);
    }
    return row_close(&row);
}

tare_status store_documents_list(struct store *store, struct arena *arena, const char *kind,
                                 int64_t limit, struct store_document_rows *rows,
                                 struct tare_error *error)
{
    *rows = (struct store_document_rows){0};
    struct row row = row_open(store, QUERY_DOCUMENTS_LIST, error);
    row_bind_text(&row, kind);
    row_bind_int(&row, limit > 0 ? limit : -1);
    while (row_next(&row)) {
        rows->items = arena_grow(arena, rows->items, &rows->capacity, rows->count + 1,
                                 (ptrdiff_t)sizeof *rows->items);
        struct store_document_row *item = &rows->items[rows->count++];
        row_id(&row, item->id, sizeof item->id);
        item->kind = row_word(&row, arena);
        item->created_unix_ns = row_int(&row);
        row_id(&row, item->machine_id, sizeof item->machine_id);
        item->text_bytes = row_int(&row);
    }
    return row_close(&row);
}
