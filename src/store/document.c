/* document.c: what was decided, kept word for word, so that it can be shown again by any later
 * version. */
#include "base/assert.h"
#include "store/internal.h"

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
