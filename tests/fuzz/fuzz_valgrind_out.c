/* fuzz_valgrind_out.c: any bytes as a file of Valgrind's. A total is a whole number within the
 * limit. */
#include "base/assert.h"
#include "codec/valgrind_out.h"

#include <math.h>
#include <stdint.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    double total = -1;
    if (valgrind_out_total((const char *)data, (ptrdiff_t)size, &total)) {
        TARE_ASSERT(total >= 0 && total <= VALGRIND_TOTAL_MAX && total == floor(total));
    } else {
        TARE_ASSERT(total == -1);
    }
    return 0;
}
