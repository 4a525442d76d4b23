/* fit.h: how the cost of a benchmark grows with its size: one line per group that names a size
 * parameter. */
#ifndef TARE_REPORT_FIT_H
#define TARE_REPORT_FIT_H

#include "base/buffer.h"
#include "model/model.h"

/* "sort grows as O(n log n) in n: 3.1 ns × n log n, residual 2 %" */
void report_fits(struct buffer *out, const struct model_run *run, ptrdiff_t columns);

#endif
