#include "model/comparison.h"

#include "base/assert.h"

#include <math.h>
#include <stdlib.h>

const char *model_comparison_label(struct arena *arena, const struct model_comparison *comparison)
{
    if (comparison->parameter_count == 0) {
        return comparison->benchmark;
    }
    const struct model_benchmark named = {
        .suite = "",
        .name = comparison->benchmark,
        .variant = "",
        .parameters = comparison->parameters,
        .parameter_count = comparison->parameter_count,
    };
    return model_benchmark_label(arena, &named);
}

struct model_comparison *model_decision_add(struct arena *arena, struct model_decision *decision)
{
    decision->items = arena_grow(arena, decision->items, &decision->capacity, decision->count + 1,
                                 (ptrdiff_t)sizeof *decision->items);
    struct model_comparison *item = &decision->items[decision->count++];
    *item = (struct model_comparison){0};
    return item;
}

void model_decision_warn(struct arena *arena, struct model_decision *decision, const char *format,
                         ...)
{
    va_list arguments;
    va_start(arguments, format);
    const char *text = arena_vprintf(arena, format, arguments);
    va_end(arguments);
    decision->warnings =
        arena_grow(arena, decision->warnings, &decision->warning_capacity,
                   decision->warning_count + 1, (ptrdiff_t)sizeof *decision->warnings);
    decision->warnings[decision->warning_count++] = text;
}

static double change_of(const struct model_comparison *item)
{
    return item->has_ratio && item->ratio > 0 ? fabs(log(item->ratio)) : 0;
}

static int compare_items(const void *left, const void *right)
{
    const struct model_comparison *a = left;
    const struct model_comparison *b = right;
    if (a->is_gated != b->is_gated) {
        return a->is_gated ? -1 : 1;
    }
    if (a->verdict != b->verdict) {
        return a->verdict < b->verdict ? -1 : 1;
    }
    double difference = change_of(b) - change_of(a);
    return difference > 0 ? 1 : difference < 0 ? -1 : 0;
}

void model_decision_sort(struct model_decision *decision)
{
    if (decision->count > 0) {
        qsort(decision->items, (size_t)decision->count, sizeof *decision->items, compare_items);
    }
}

enum model_verdict model_decision_verdict(const struct model_decision *decision)
{
    enum model_verdict worst = MODEL_VERDICT_COUNT;
    for (ptrdiff_t i = 0; i < decision->count; i++) {
        const struct model_comparison *item = &decision->items[i];
        if (item->is_gated && item->verdict < worst) {
            worst = item->verdict;
        }
    }
    /* Nothing compared, or something that is no longer there, is never a success. */
    bool has_gap = decision->missing_count > 0 && worst > MODEL_INVALID;
    return worst == MODEL_VERDICT_COUNT || has_gap ? MODEL_INVALID : worst;
}

const char *model_verdict_name(enum model_verdict verdict)
{
    static const char *const names[] = {"regressed", "invalid", "inconclusive", "improved",
                                        "equivalent"};
    TARE_ASSERT((size_t)verdict < sizeof names / sizeof *names);
    return names[verdict];
}

const char *model_level_name(enum model_level level)
{
    static const char *const names[] = {NULL, "minor", "warning", "critical"};
    TARE_ASSERT((size_t)level < sizeof names / sizeof *names);
    return names[level];
}

const char *model_basis_name(enum model_basis basis)
{
    static const char *const names[] = {"paired", "runs", "exact", "point"};
    TARE_ASSERT((size_t)basis < sizeof names / sizeof *names);
    return names[basis];
}

const char *model_gate_name(enum model_gate gate)
{
    static const char *const names[] = {NULL, "pass", "waived", "inconclusive", "fail"};
    TARE_ASSERT((size_t)gate < sizeof names / sizeof *names);
    return names[gate];
}
