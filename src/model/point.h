/* point.h: values that are summaries by another tool, not samples. */
#ifndef TARE_MODEL_POINT_H
#define TARE_MODEL_POINT_H

#include "model/model.h"

/* Every measured sample comes from a launch. A benchmark with values and without launches holds
 * what another tool made of its samples (a mean, a median): one value a metric, of which nothing
 * can be proven. Comparisons of such have the basis `point`. */
bool model_benchmark_is_point(const struct model_benchmark *benchmark);

#endif
