/* fuzz_metric_pattern.c: the first line is a --metric, the rest a program's output. A value is
 * finite, a failure has a message. */
#include "base/assert.h"
#include "codec/metric_pattern.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct arena arena = {0};
    struct tare_error error = {0};
    const uint8_t *newline = size > 0 ? memchr(data, '\n', size) : NULL;
    size_t head = newline != NULL ? (size_t)(newline - data) : size;
    const char *text = arena_strndup(&arena, (const char *)data, (ptrdiff_t)head);
    ptrdiff_t length = newline != NULL ? (ptrdiff_t)(size - head - 1) : 0;
    char *output = arena_alloc(&arena, length + 1, 1);
    if (length > 0) {
        memcpy(output, newline + 1, (size_t)length);
    }
    struct metric_pattern pattern;
    if (metric_pattern_parse(&arena, text, &pattern, &error) != TARE_OK) {
        TARE_ASSERT(error.status == TARE_ERROR_USAGE && error.message[0] != '\0');
    } else {
        double value = 0;
        tare_status status =
            metric_pattern_extract(&arena, &pattern, output, length, &value, &error);
        TARE_ASSERT(isfinite(value) == (status == TARE_OK));
        TARE_ASSERT(status == TARE_OK || error.message[0] != '\0');
    }
    arena_free(&arena);
    return 0;
}
