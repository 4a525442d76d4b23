/* fuzz_param_range.c: any --param. What is read has values, all within the limits, and can be
 * chosen and put into a text. */
#include "base/assert.h"
#include "codec/param_range.h"

#include <stdint.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct arena arena = {0};
    struct tare_error error = {0};
    const char *text = arena_strndup(&arena, (const char *)data, (ptrdiff_t)size);
    struct param_range range;
    if (param_range_parse(&arena, text, &range, &error) != TARE_OK) {
        TARE_ASSERT(error.status == TARE_ERROR_USAGE && error.message[0] != '\0');
        arena_free(&arena);
        return 0;
    }
    ptrdiff_t combinations = 0;
    TARE_ASSERT(range.count > 0 && range.count <= PARAM_VALUES_MAX);
    TARE_ASSERT(param_range_combinations(&range, 1, &combinations, &error) == TARE_OK);
    TARE_ASSERT(combinations == range.count);
    struct model_parameter chosen;
    param_range_choose(&range, 1, combinations - 1, &chosen);
    const char *used = arena_printf(&arena, "<{%s}>", range.name);
    TARE_ASSERT(param_range_is_used(used, range.name));
    const char *filled = param_range_substitute(&arena, used, &chosen, 1);
    TARE_ASSERT(strlen(filled) == strlen(chosen.value) + 2);
    arena_free(&arena);
    return 0;
}
