/* fuzz_gbench.c: any bytes as a result file and as a list of names. What is accepted has finite
 * figures and usable names, a failure has a message, and a filter is anchored. */
#include "base/assert.h"
#include "codec/gbench_json.h"
#include "model/model.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_rows(const struct gbench_result *result)
{
    for (ptrdiff_t i = 0; i < result->count; i++) {
        const struct gbench_row *row = &result->rows[i];
        TARE_ASSERT(model_name_is_valid(row->name));
        TARE_ASSERT(isfinite(row->time_ns) && row->time_ns >= 0);
        TARE_ASSERT(isfinite(row->cpu_ns) && row->cpu_ns >= 0);
        TARE_ASSERT(row->iterations >= 1 || row->failure != NULL || row->skip_reason != NULL);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct arena arena = {0};
    struct tare_error error = {0};
    struct gbench_result result;
    const char *bytes = size > 0 ? (const char *)data : "";
    if (gbench_read_result(&arena, bytes, (ptrdiff_t)size, &result, &error) == TARE_OK) {
        check_rows(&result);
    } else {
        TARE_ASSERT(error.status == TARE_ERROR_MEASURE && error.message[0] != '\0');
    }
    error_clear(&error);
    struct gbench_list list;
    const char *text = arena_strndup(&arena, bytes, (ptrdiff_t)size);
    if (gbench_read_list(&arena, text, "noise\n", &list, &error) == TARE_OK) {
        for (ptrdiff_t i = 0; i < list.count; i++) {
            TARE_ASSERT(model_name_is_valid(list.names[i]));
            const char *filter = gbench_filter(&arena, list.names[i]);
            TARE_ASSERT(filter[0] == '^' && filter[strlen(filter) - 1] == '$');
        }
    } else {
        TARE_ASSERT(error.message[0] != '\0');
    }
    arena_free(&arena);
    return 0;
}
