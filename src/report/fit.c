#include "report/fit.h"

#include "base/text.h"
#include "base/unit.h"
#include "report/wrap.h"
#include "stats/complexity.h"
#include "stats/order.h"

#include <stdlib.h>
#include <string.h>

static const char *size_text(const struct model_benchmark *benchmark)
{
    for (ptrdiff_t i = 0; i < benchmark->parameter_count; i++) {
        if (strcmp(benchmark->parameters[i].name, benchmark->size_parameter) == 0) {
            return benchmark->parameters[i].value;
        }
    }
    return NULL;
}

/* The label without the size: what benchmarks of one group share. */
static const char *group_label(struct arena *arena, const struct model_benchmark *benchmark)
{
    struct model_benchmark rest = *benchmark;
    rest.parameters = ARENA_ARRAY(arena, struct model_parameter, benchmark->parameter_count);
    rest.parameter_count = 0;
    for (ptrdiff_t i = 0; i < benchmark->parameter_count; i++) {
        if (strcmp(benchmark->parameters[i].name, benchmark->size_parameter) != 0) {
            rest.parameters[rest.parameter_count++] = benchmark->parameters[i];
        }
    }
    return model_benchmark_label(arena, &rest);
}

/* Has the benchmark a size and a time? */
static bool read_point(struct arena *arena, const struct model_benchmark *benchmark, double *size,
                       double *time_ns)
{
    if (benchmark->size_parameter == NULL || benchmark->state != MODEL_STATE_OK ||
        benchmark->metric_count == 0 || benchmark->metrics[0].count == 0) {
        return false;
    }
    const char *text = size_text(benchmark);
    if (text == NULL || !unit_parse_count(text, size)) {
        return false;
    }
    *time_ns = stats_median(benchmark->metrics[0].values, benchmark->metrics[0].count, arena);
    return *size > 0 && *time_ns > 0;
}

static void print_fit(struct buffer *out, const char *label, const char *parameter,
                      const struct stats_complexity_result *fit, ptrdiff_t columns)
{
    struct arena *arena = out->arena;
    wrap_line(out,
              arena_printf(arena, "%s grows as %s in %s (residual %.0f %%)%s",
                           text_printable(arena, label, 60), stats_complexity_name(fit->best.kind),
                           text_printable(arena, parameter, 40), fit->best.residual * 100,
                           fit->is_clear ? "" : "; others fit nearly as well"),
              columns);
}

void report_fits(struct buffer *out, const struct model_run *run, ptrdiff_t columns)
{
    struct arena *arena = out->arena;
    bool *is_done = ARENA_ARRAY(arena, bool, run->benchmark_count);
    for (ptrdiff_t i = 0; i < run->benchmark_count; i++) {
        const struct model_benchmark *first = &run->benchmarks[i];
        if (first->size_parameter == NULL || is_done[i]) {
            continue;
        }
        const char *label = group_label(arena, first);
        double *sizes = ARENA_ARRAY(arena, double, run->benchmark_count - i);
        double *times_ns = ARENA_ARRAY(arena, double, run->benchmark_count - i);
        ptrdiff_t count = 0;
        for (ptrdiff_t k = i; k < run->benchmark_count; k++) {
            const struct model_benchmark *other = &run->benchmarks[k];
            if (other->size_parameter != NULL && !is_done[k] &&
                strcmp(group_label(arena, other), label) == 0) {
                is_done[k] = true;
                count += read_point(arena, other, &sizes[count], &times_ns[count]);
            }
        }
        struct stats_complexity_result fit = stats_complexity_fit(sizes, times_ns, count);
        if (fit.is_defined) {
            print_fit(out, label, first->size_parameter, &fit, columns);
        }
    }
}
