/* Goal: no reply of a program, however broken, crashes a reader or gives a figure that is not
 * finite. */
#include "base/assert.h"
#include "codec/protocol.h"

#include <math.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    struct arena arena = {0};
    const char *line = arena_strndup(&arena, (const char *)bytes, (ptrdiff_t)size);
    struct protocol_hello hello;
    struct protocol_listed listed;
    struct protocol_opened opened;
    struct protocol_slice slice;
    struct tare_error error = {0};
    bool is_end = false;
    protocol_read_hello(&arena, line, &hello, &error);
    protocol_read_listed(&arena, line, 0, &listed, &is_end, &error);
    protocol_read_opened(&arena, line, &opened, &error);
    error_clear(&error);
    if (protocol_read_slice(&arena, line, 5, &slice, &error) == TARE_OK) {
        TARE_ASSERT(isfinite(slice.time_ns) && slice.time_ns >= 0);
        for (ptrdiff_t i = 0; i < slice.value_count; i++) {
            TARE_ASSERT(isfinite(slice.values[i].value));
        }
    }
    protocol_read_done(&arena, line, "quit", &error);
    arena_free(&arena);
    return 0;
}
