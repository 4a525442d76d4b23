#include "codec/valgrind_out.h"

#include "base/assert.h"

#include <string.h>

/* Where the last line begins; trailing newlines do not make one. */
static const char *last_line(const char *bytes, ptrdiff_t *length)
{
    while (*length > 0 && bytes[*length - 1] == '\n') {
        (*length)--;
    }
    ptrdiff_t start = *length;
    while (start > 0 && bytes[start - 1] != '\n') {
        start--;
    }
    *length -= start;
    return bytes + start;
}

bool valgrind_out_total(const char *bytes, ptrdiff_t length, double *total)
{
    TARE_ASSERT(length >= 0);
    static const char *const words[] = {"totals: ", "summary: "};
    const char *line = last_line(bytes, &length);
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        ptrdiff_t skipped = (ptrdiff_t)strlen(words[i]);
        if (length <= skipped || memcmp(line, words[i], (size_t)skipped) != 0) {
            continue;
        }
        double value = 0;
        for (ptrdiff_t k = skipped; k < length; k++) {
            if (line[k] < '0' || line[k] > '9') {
                return false;
            }
            value = value * 10 + (line[k] - '0');
            if (value > VALGRIND_TOTAL_MAX) {
                return false;
            }
        }
        *total = value;
        return true;
    }
    return false;
}
