#include "cli/contest_entry.h"

#include <string.h>

/* What every command reports besides time; of interest, but not what people gate on unasked. */
static bool is_builtin(const char *name)
{
    for (ptrdiff_t i = 0; i < measure_command_metric_count; i++) {
        if (strcmp(measure_command_metrics[i].name, name) == 0) {
            return true;
        }
    }
    static const char *const derived[] = {"throughput", "item_rate", "flop_rate"};
    for (size_t i = 0; i < sizeof derived / sizeof *derived; i++) {
        if (strcmp(derived[i], name) == 0) {
            return true; /* the reciprocal of the time: it would be judged twice */
        }
    }
    return false;
}

static bool is_gated(const struct text_list *gate, const char *name)
{
    if (gate == NULL || gate->count == 0) {
        return strcmp(name, "time") == 0 || !is_builtin(name);
    }
    for (ptrdiff_t i = 0; i < gate->count; i++) {
        if (strcmp(gate->items[i], name) == 0) {
            return true;
        }
    }
    return false;
}

/* The metrics that decide come first. */
static void choose_metrics(struct arena *arena, const struct run_task *task,
                           const struct text_list *gate, struct contest_entry *entry)
{
    ptrdiff_t count = task->target.metric_count + 1;
    entry->metrics = ARENA_ARRAY(arena, const char *, count);
    for (int pass = 0; pass < 2; pass++) {
        for (ptrdiff_t i = 0; i < count; i++) {
            const char *name = i == 0 ? "time" : task->target.metrics[i - 1].name;
            if (is_gated(gate, name) == (pass == 0)) {
                entry->metrics[entry->metric_count++] = name;
            }
        }
        entry->gated_count = pass == 0 ? entry->metric_count : entry->gated_count;
    }
}

void contest_entry_fill(struct arena *arena, struct contest_entry *entry, struct run_task **tasks,
                        int side_count, const struct text_list *gate)
{
    entry->label = model_benchmark_label(arena, &tasks[0]->benchmark);
    entry->pair.side_count = side_count;
    for (int i = 0; i < side_count; i++) {
        struct model_benchmark *benchmark = ARENA_NEW(arena, struct model_benchmark);
        *benchmark = tasks[i]->benchmark;
        if (tasks[i]->skip_reason != NULL) {
            benchmark->state = MODEL_STATE_SKIPPED;
            benchmark->reason = tasks[i]->skip_reason;
        }
        entry->pair.sides[i] =
            (struct pair_side){.target = tasks[i]->target, .benchmark = benchmark};
    }
    choose_metrics(arena, tasks[0], gate, entry);
    entry->comparisons = ARENA_ARRAY(arena, struct model_comparison *, side_count - 1);
    for (int i = 0; i < side_count - 1; i++) {
        entry->comparisons[i] = ARENA_ARRAY(arena, struct model_comparison, entry->metric_count);
    }
}
