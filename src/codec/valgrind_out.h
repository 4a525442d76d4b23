/* valgrind_out.h: the total of a file that Cachegrind or Callgrind has written.
 *
 * Both are lines of text; of all that is in them only the last line is of interest here, "totals:
 * N" (Callgrind) or "summary: N" (Cachegrind), N being the instructions when nothing else is
 * simulated. */
#ifndef TARE_CODEC_VALGRIND_OUT_H
#define TARE_CODEC_VALGRIND_OUT_H

#include <stdbool.h>
#include <stddef.h>

/* Beyond it a double is no exact count. */
#define VALGRIND_TOTAL_MAX 9007199254740992.0

/* False: there is no such line, it holds something else than one whole number, or one beyond the
 * limit. `bytes` need not end with a NUL. */
bool valgrind_out_total(const char *bytes, ptrdiff_t length, double *total);

#endif
