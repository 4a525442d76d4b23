/* resolve.c: which run a word means: a full id, a baseline's name, "latest", "latest~2", the
 * beginning of an id. */
#include "store/internal.h"

#include "base/text.h"
#include "base/unit.h"

#include <string.h>

enum { RUN_ID_LENGTH = 26 };

/* One id from a query with one parameter bound; false when there is none. */
static bool first_id(struct row *row, char id[27])
{
    bool is_found = row_next(row);
    if (is_found) {
        row_id(row, id, RUN_ID_LENGTH + 1);
    }
    return is_found;
}

/* "latest" is 0, "latest~3" is 3; −1 when the word is neither. */
static int64_t latest_offset(const char *selector)
{
    int64_t offset = 0;
    if (!text_starts_with(selector, "latest")) {
        return -1;
    }
    const char *rest = selector + strlen("latest");
    if (rest[0] == '\0') {
        return 0;
    }
    return rest[0] == '~' && unit_parse_int64(rest + 1, &offset) && offset >= 0 ? offset : -1;
}

static tare_status resolve_latest(struct store *store, int64_t offset, char id[27],
                                  struct tare_error *error)
{
    struct row row = row_open(store, QUERY_RUN_LATEST, error);
    row_bind_int(&row, offset);
    bool is_found = first_id(&row, id);
    tare_status status = row_close(&row);
    if (status == TARE_OK && !is_found) {
        status = error_set(error, TARE_ERROR_USAGE,
                           offset == 0
                               ? "store '%s' has no runs yet: 'tare run' makes one"
                               : "store '%s' has not that many runs: 'tare runs list' shows them",
                           store->path);
    }
    return status;
}

static tare_status resolve_prefix(struct store *store, const char *selector, char id[27],
                                  struct tare_error *error)
{
    struct arena scratch = {0};
    const char *shown = text_printable(&scratch, selector, 60);
    size_t length = strlen(selector);
    int found = 0;
    struct row row = row_open(store, QUERY_RUN_PREFIX, error);
    row_bind_text(&row, selector);
    char other[27];
    while (length >= STORE_PREFIX_MIN && length <= RUN_ID_LENGTH && found < 2 &&
           first_id(&row, found == 0 ? id : other)) {
        found++;
    }
    tare_status status = row_close(&row);
    if (status == TARE_OK && found == 0) {
        status = error_set(error, TARE_ERROR_USAGE,
                           "no run or baseline '%s' in store '%s': 'tare runs list' and 'tare "
                           "baseline list' show them",
                           shown, store->path);
    } else if (status == TARE_OK && found > 1) {
        status =
            error_set(error, TARE_ERROR_USAGE,
                      "'%s' is the beginning of several runs, such as %s and %s: give more of it",
                      shown, id, other);
    }
    arena_free(&scratch);
    return status;
}

tare_status store_run_resolve(struct store *store, const char *selector, char id[27],
                              struct tare_error *error)
{
    int64_t offset = latest_offset(selector);
    if (offset >= 0) {
        return resolve_latest(store, offset, id, error);
    }
    struct row row = row_open(store, QUERY_RUN_EXISTS, error);
    row_bind_text(&row, selector);
    bool is_found = first_id(&row, id);
    tare_status status = row_close(&row);
    if (status != TARE_OK || is_found) {
        return status;
    }
    status = store_baseline_run(store, selector, id, &is_found, error);
    if (status != TARE_OK || is_found) {
        return status;
    }
    return resolve_prefix(store, selector, id, error);
}
