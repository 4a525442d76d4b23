#include "cli/contest_entry.h"

#include <string.h>

static bool is_in(const char *const *names, size_t count, const char *name)
{
    for (size_t i = 0; i < count; i++) {
        if (strcmp(names[i], name) == 0) {
            return true;
        }
    }
    return false;
}

bool contest_metric_is_derived(const char *name)
{
    static const char *const derived[] = {"throughput", "item_rate", "flop_rate"};
    return is_in(derived, sizeof derived / sizeof *derived, name);
}

bool contest_metric_is_gated(const struct text_list *gate, const char *name)
{
    static const struct model_policy unsaid = {0};
    return gate == NULL || gate->count == 0 ? model_policy_is_gated(&unsaid, name)
                                            : is_in(gate->items, (size_t)gate->count, name);
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
            bool is_of_pass = contest_metric_is_gated(gate, name) == (pass == 0);
            if (is_of_pass && (pass == 0 || !contest_metric_is_derived(name))) {
                entry->metrics[entry->metric_count++] = name;
            }
        }
        entry->gated_count = pass == 0 ? entry->metric_count : entry->gated_count;
    }
}

/* For what will be found about every metric of every new side. */
static void make_room(struct arena *arena, struct contest_entry *entry)
{
    int new_count = entry->pair.side_count - 1;
    entry->comparisons = ARENA_ARRAY(arena, struct model_comparison *, new_count);
    for (int i = 0; i < new_count; i++) {
        entry->comparisons[i] = ARENA_ARRAY(arena, struct model_comparison, entry->metric_count);
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
    make_room(arena, entry);
}

void contest_entry_fresh(struct arena *arena, const struct contest_entry *entry,
                         struct contest_entry *fresh)
{
    *fresh = *entry;
    fresh->is_settled = false;
    fresh->pair.launches = 0;
    fresh->pair.spent_ns = 0;
    for (int i = 0; i < entry->pair.side_count; i++) {
        const struct model_benchmark *known = entry->pair.sides[i].benchmark;
        struct model_benchmark *benchmark = ARENA_NEW(arena, struct model_benchmark);
        *benchmark = (struct model_benchmark){
            .suite = known->suite,
            .name = known->name,
            .parameters = known->parameters,
            .parameter_count = known->parameter_count,
            .variant = known->variant,
            .is_reference = known->is_reference,
            .size_parameter = known->size_parameter,
            .iterations = known->iterations,
        };
        fresh->pair.sides[i].benchmark = benchmark;
    }
    make_room(arena, fresh);
}
