#include "base/assert.h"

#include <stdio.h>
#include <stdlib.h>

_Noreturn void base_assert_failed(const char *expression, const char *file, int line)
{
    fprintf(stderr, "tare: bug: assertion '%s' failed at %s:%d\n", expression, file, line);
    abort();
}
