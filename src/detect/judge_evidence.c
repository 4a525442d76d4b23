/* judge_evidence.c: evidence lines for ledgers, check runs and routes: one line each, parts set
 * apart by ';'. */
#include "detect/judge_parts.h"

#include "base/unit.h"

#include <math.h>

/* As many decimals as the interval supports. */
static int decimals_of(const struct model_comparison *c)
{
    double width = c->has_interval ? (c->high - c->low) / 2 * 100 : 1;
    return width < 0.05 ? 2 : width < 10 ? 1 : 0;
}

static const char *delta_words(struct arena *arena, const struct model_comparison *c)
{
    if (c->verdict == MODEL_INVALID) {
        return arena_printf(arena, "not known: %s", c->reason);
    }
    if (!c->has_ratio) {
        return c->basis == MODEL_BASIS_EXACT
                   ? arena_printf(arena, "%s → %s", judge_bound(arena, c->old_side.median, c->unit),
                                  judge_bound(arena, c->new_side.median, c->unit))
                   : arena_printf(arena, "not known: %s", c->reason);
    }
    int decimals = decimals_of(c);
    const char *change = unit_format_change(arena, c->ratio, decimals);
    if (!c->has_interval || c->basis == MODEL_BASIS_EXACT) {
        return change;
    }
    return arena_printf(arena, "%s (%s … %s)", change, unit_format_change(arena, c->low, decimals),
                        unit_format_change(arena, c->high, decimals));
}

char *judge_evidence(struct arena *arena, const struct model_comparison *comparison)
{
    const struct model_comparison *c = comparison;
    const char *subject = judge_subject(arena, model_comparison_label(arena, c), c->metric);
    const char *value =
        c->new_side.count > 0 ? unit_format(arena, c->new_side.median, c->unit, 3) : "not measured";
    const char *limit = c->limit >= 0
                            ? arena_printf(arena, "; limit: %s",
                                           judge_amount(arena, c, c->is_limit_absolute, c->limit))
                            : "";
    const char *waiver = c->waiver != NULL ? arena_printf(arena, "; waived: %s", c->waiver) : "";
    return arena_printf(arena, "perf: %s: %s; Δ vs baseline: %s%s%s", subject, value,
                        delta_words(arena, c), limit, waiver);
}

char *judge_evidence_requirement(struct arena *arena, const struct model_requirement *requirement)
{
    return arena_printf(arena, "perf: %s: %s; required: %s; %s",
                        judge_subject(arena, requirement->benchmark, requirement->metric),
                        requirement->found != NULL ? requirement->found : "not measured",
                        requirement->bound, requirement->reason);
}

/* The gated comparison that changed most for the worse; NULL: none has a ratio. */
static const struct model_comparison *worst_of(const struct model_decision *decision)
{
    const struct model_comparison *worst = NULL;
    double worst_log = -INFINITY;
    for (ptrdiff_t i = 0; i < decision->count; i++) {
        const struct model_comparison *c = &decision->items[i];
        if (!c->is_gated || !c->has_ratio || !(c->ratio > 0) || c->verdict == MODEL_INVALID) {
            continue;
        }
        double cost_log = c->better == MODEL_LOWER_IS_BETTER ? log(c->ratio) : -log(c->ratio);
        if (cost_log > worst_log) {
            worst = c;
            worst_log = cost_log;
        }
    }
    return worst;
}

char *judge_evidence_summary(struct arena *arena, const struct model_decision *decision)
{
    ptrdiff_t gates[MODEL_GATE_FAIL + 1] = {0};
    ptrdiff_t gated = 0;
    for (ptrdiff_t i = 0; i < decision->count; i++) {
        gates[decision->items[i].gate]++;
        gated += decision->items[i].is_gated;
    }
    if (gated == 0) {
        return arena_strdup(arena, "perf: nothing was compared; Δ vs baseline: not known");
    }
    static const char *const words[] = {
        [MODEL_GATE_PASS] = "within limits",
        [MODEL_GATE_WAIVED] = "waived",
        [MODEL_GATE_OPEN] = "not decided",
        [MODEL_GATE_FAIL] = "beyond limits",
    };
    char *text = arena_printf(arena, "perf: %s: ", judge_count(arena, gated, "comparison"));
    const char *comma = "";
    for (int gate = MODEL_GATE_PASS; gate <= MODEL_GATE_FAIL; gate++) {
        if (gates[gate] > 0) {
            text = arena_printf(arena, "%s%s%td %s", text, comma, gates[gate], words[gate]);
            comma = ", ";
        }
    }
    const struct model_comparison *worst = worst_of(decision);
    if (worst == NULL) {
        return arena_printf(arena, "%s; Δ vs baseline: not known", text);
    }
    return arena_printf(arena, "%s; Δ vs baseline: %s (worst: %s)", text,
                        unit_format_change(arena, worst->ratio, decimals_of(worst)),
                        judge_subject(arena, model_comparison_label(arena, worst), worst->metric));
}
