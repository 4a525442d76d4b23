/* command_target.c: a command as the sampler sees it. A launch is one process, and so one slice:
 * begin only remembers what is varied, the slice runs, end tells how it ended. */
#include "measure/command.h"

#include "base/assert.h"

#include <stddef.h>
#include <string.h>

const struct protocol_metric measure_command_metrics[] = {
    {.name = "user", .unit = "ns", .better = MODEL_LOWER_IS_BETTER},
    {.name = "system", .unit = "ns", .better = MODEL_LOWER_IS_BETTER},
    {.name = "cpu", .unit = "ns", .better = MODEL_LOWER_IS_BETTER},
    {.name = "memory", .unit = "B", .better = MODEL_LOWER_IS_BETTER},
    {.name = "minor_faults", .unit = "1", .better = MODEL_LOWER_IS_BETTER},
    {.name = "major_faults", .unit = "1", .better = MODEL_LOWER_IS_BETTER},
    {.name = "voluntary_switches", .unit = "1", .better = MODEL_LOWER_IS_BETTER},
    {.name = "involuntary_switches", .unit = "1", .better = MODEL_LOWER_IS_BETTER},
};
const ptrdiff_t measure_command_metric_count =
    sizeof measure_command_metrics / sizeof measure_command_metrics[0];

/* Where in a result each of them stands, in the same order. */
static const size_t metric_offsets[] = {
    offsetof(struct measure_command_result, usage.user_ns),
    offsetof(struct measure_command_result, usage.system_ns),
    offsetof(struct measure_command_result, cpu_ns),
    offsetof(struct measure_command_result, usage.peak_memory_bytes),
    offsetof(struct measure_command_result, usage.minor_faults),
    offsetof(struct measure_command_result, usage.major_faults),
    offsetof(struct measure_command_result, usage.voluntary_switches),
    offsetof(struct measure_command_result, usage.involuntary_switches),
};
_Static_assert(sizeof metric_offsets / sizeof metric_offsets[0] ==
                   sizeof measure_command_metrics / sizeof measure_command_metrics[0],
               "one place per metric");

double measure_command_value(const struct measure_command_result *result, ptrdiff_t metric)
{
    TARE_ASSERT(metric >= 0 && metric < measure_command_metric_count);
    double value;
    memcpy(&value, (const char *)result + metric_offsets[metric], sizeof value);
    return value;
}

static tare_status command_begin(void *context, struct arena *arena, enum model_launch_kind kind,
                                 const struct measure_variation *variation,
                                 struct model_benchmark *benchmark, struct tare_error *error)
{
    (void)arena;
    (void)error;
    TARE_ASSERT(kind == MODEL_LAUNCH_TIMED); /* it says that it cannot count */
    struct measure_command_target *target = context;
    TARE_ASSERT(target->command->is_open);
    target->variation = *variation;
    if (target->command->output == MEASURE_OUTPUT_CHECK) {
        benchmark->check = MODEL_CHECK_PASSED; /* a run that differs fails */
    }
    return TARE_OK;
}

static tare_status command_slice(void *context, struct arena *arena, double iterations,
                                 enum protocol_count count, struct protocol_slice *slice,
                                 struct tare_error *error)
{
    struct measure_command_target *target = context;
    const struct measure_command *command = target->command;
    TARE_ASSERT(iterations == 1 && count == PROTOCOL_COUNT_NONE);
    struct measure_command_result result;
    tare_status status = measure_command_run_once(arena, command, &target->variation,
                                                  target->run_count == 0, &result, error);
    target->run_count++;
    target->exit_status = result.usage.status;
    bool is_at_floor = result.usage.peak_memory_bytes <= result.usage.memory_floor_bytes;
    target->memory_bound_bytes = is_at_floor ? result.usage.memory_floor_bytes : 0;
    if (status != TARE_OK) {
        return status;
    }
    *slice = (struct protocol_slice){
        .time_ns = result.usage.wall_ns,
        .scaled = 1,
        .values = ARENA_ARRAY(arena, struct protocol_value, target->metric_count),
        .value_count = target->metric_count,
    };
    for (ptrdiff_t i = 0; i < target->metric_count; i++) {
        ptrdiff_t own = i - measure_command_metric_count;
        slice->values[i] = (struct protocol_value){
            .name = target->metrics[i].name,
            .value = own < 0 ? measure_command_value(&result, i) : result.metrics[own],
        };
    }
    return TARE_OK;
}

static tare_status command_end(void *context, int *exit_status, struct tare_error *error)
{
    (void)error;
    struct measure_command_target *target = context;
    *exit_status = target->exit_status;
    return TARE_OK;
}

struct measure_target measure_target_command(struct arena *arena,
                                             struct measure_command_target *context)
{
    const struct measure_command *command = context->command;
    context->metric_count = measure_command_metric_count + command->pattern_count;
    context->metrics = ARENA_ARRAY(arena, struct protocol_metric, context->metric_count);
    for (ptrdiff_t i = 0; i < context->metric_count; i++) {
        ptrdiff_t own = i - measure_command_metric_count;
        if (own < 0) {
            context->metrics[i] = measure_command_metrics[i];
            continue;
        }
        const struct metric_pattern *pattern = &command->patterns[own];
        context->metrics[i] = (struct protocol_metric){.name = pattern->name,
                                                       .unit = pattern->unit,
                                                       .better = pattern->better,
                                                       .is_exact = pattern->is_exact};
    }
    return (struct measure_target){
        .context = context,
        .begin = command_begin,
        .slice = command_slice,
        .end = command_end,
        .is_command = true,
        .count_instructions = measure_command_instructions,
        .metrics = context->metrics,
        .metric_count = context->metric_count,
    };
}
