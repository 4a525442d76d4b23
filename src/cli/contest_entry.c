#include "cli/contest_entry.h"

/* Which metrics of a benchmark decide: its time, and what it declares itself. */
static void choose_metrics(struct arena *arena, const struct run_task *task,
                           struct contest_entry *entry)
{
    entry->metrics = ARENA_ARRAY(arena, const char *, 1);
    entry->metrics[entry->metric_count++] = "time";
    (void)task;
}

void contest_entry_fill(struct arena *arena, struct contest_entry *entry, struct run_task **tasks,
                        int side_count)
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
    choose_metrics(arena, tasks[0], entry);
    entry->comparisons = ARENA_ARRAY(arena, struct model_comparison *, side_count - 1);
    for (int i = 0; i < side_count - 1; i++) {
        entry->comparisons[i] = ARENA_ARRAY(arena, struct model_comparison, entry->metric_count);
    }
}
