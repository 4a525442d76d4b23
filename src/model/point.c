#include "model/point.h"

bool model_benchmark_is_point(const struct model_benchmark *benchmark)
{
    bool has_values = false;
    for (ptrdiff_t i = 0; i < benchmark->metric_count; i++) {
        has_values = has_values || benchmark->metrics[i].count > 0;
    }
    return has_values && benchmark->launch_count == 0;
}
