#include "report/comparison_json.h"

#include "base/text.h"
#include "report/gate_text.h"
#include "report/json_write.h"

static json_t *side_json(const struct model_side *side)
{
    json_t *object = json_object();
    json_object_set_new(object, "median",
                        side->count > 0 ? json_write_number(side->median) : json_null());
    json_object_set_new(object, "launches", json_integer(side->launches));
    json_object_set_new(object, "n", json_integer(side->count));
    return object;
}

static json_t *item_json(struct arena *arena, const struct model_comparison *c)
{
    json_t *params = json_object();
    for (ptrdiff_t i = 0; i < c->parameter_count; i++) {
        json_object_set_new(params, text_printable(arena, c->parameters[i].name, 0),
                            json_write_text(arena, c->parameters[i].value));
    }
    json_t *object = json_object();
    json_object_set_new(object, "benchmark", json_write_text(arena, c->benchmark));
    json_object_set_new(object, "params", params);
    json_object_set_new(object, "new_name", json_write_text(arena, c->new_name));
    json_object_set_new(object, "metric", json_write_text(arena, c->metric));
    json_object_set_new(object, "unit", json_write_text(arena, c->unit));
    json_object_set_new(object, "better", json_string(model_better_name(c->better)));
    json_object_set_new(object, "basis", json_string(model_basis_name(c->basis)));
    json_object_set_new(object, "gated", json_boolean(c->is_gated));
    json_object_set_new(object, "old", side_json(&c->old_side));
    json_object_set_new(object, "new", side_json(&c->new_side));
    json_object_set_new(object, "ratio", c->has_ratio ? json_write_number(c->ratio) : json_null());
    json_object_set_new(object, "ci", json_write_pair(c->has_interval, c->low, c->high));
    json_object_set_new(object, "ci_method", json_write_text(arena, c->method));
    json_object_set_new(object, "tail_ratio",
                        c->tail_ratio > 0 ? json_write_number(c->tail_ratio) : json_null());
    json_object_set_new(object, "tail_ci",
                        json_write_pair(c->tail_ratio > 0, c->tail_low, c->tail_high));
    json_object_set_new(object, "band", json_write_number(c->band));
    json_object_set_new(object, "noise_floor",
                        c->floor > 0 ? json_write_number(c->floor) : json_null());
    json_object_set_new(object, "verdict", json_string(model_verdict_name(c->verdict)));
    json_object_set_new(object, "level", json_write_text(arena, model_level_name(c->level)));
    json_object_set_new(object, "reason", json_write_text(arena, c->reason));
    json_object_set_new(object, "reason_code", json_write_text(arena, c->reason_code));
    json_object_set_new(object, "seconds", json_write_number(c->seconds));
    json_object_set_new(object, "seconds_more", json_write_number(c->seconds_more));
    json_object_set_new(object, "witness", json_write_text(arena, c->witness));
    json_object_set_new(object, "gate", json_write_text(arena, model_gate_name(c->gate)));
    json_object_set_new(object, "gate_reason", json_write_text(arena, c->gate_reason));
    bool has_limit = c->gate != MODEL_GATE_NONE && c->limit >= 0;
    json_object_set_new(object, "limit", has_limit ? json_write_number(c->limit) : json_null());
    json_object_set_new(object, "limit_absolute", json_boolean(has_limit && c->is_limit_absolute));
    json_object_set_new(object, "confirmed", json_boolean(c->is_confirmed));
    json_object_set_new(object, "waiver", json_write_text(arena, c->waiver));
    return object;
}

static json_t *requirement_json(struct arena *arena, const struct model_requirement *requirement)
{
    json_t *object = json_object();
    json_object_set_new(object, "benchmark", json_write_text(arena, requirement->benchmark));
    json_object_set_new(object, "metric", json_write_text(arena, requirement->metric));
    json_object_set_new(object, "bound", json_write_text(arena, requirement->bound));
    json_object_set_new(object, "found", json_write_text(arena, requirement->found));
    json_object_set_new(object, "gate", json_write_text(arena, model_gate_name(requirement->gate)));
    json_object_set_new(object, "checked", json_boolean(!requirement->is_invalid));
    json_object_set_new(object, "reason", json_write_text(arena, requirement->reason));
    return object;
}

static json_t *route_json(struct arena *arena, const struct model_route *route)
{
    json_t *object = json_object();
    json_object_set_new(object, "kind", json_write_text(arena, route->kind));
    json_object_set_new(object, "name", json_write_text(arena, route->name));
    json_object_set_new(object, "reason", json_write_text(arena, route->reason));
    json_object_set_new(object, "evidence",
                        json_write_texts(arena, route->evidence, route->evidence_count));
    return object;
}

/* null where nobody asked for a judgement. */
static json_t *judgement_json(struct arena *arena, const struct model_judgement *judgement)
{
    if (judgement == NULL) {
        return json_null();
    }
    json_t *requirements = json_array();
    for (ptrdiff_t i = 0; i < judgement->requirement_count; i++) {
        json_array_append_new(requirements, requirement_json(arena, &judgement->requirements[i]));
    }
    json_t *object = json_object();
    json_object_set_new(object, "outcome", json_write_text(arena, report_gate_outcome(judgement)));
    json_object_set_new(object, "level",
                        json_write_text(arena, model_level_name(judgement->level)));
    json_object_set_new(object, "fail_at",
                        json_write_text(arena, model_level_name(judgement->fail_at)));
    json_object_set_new(object, "reason", json_write_text(arena, judgement->reason));
    json_object_set_new(object, "spread", json_write_text(arena, judgement->spread));
    json_object_set_new(object, "correction", json_write_text(arena, judgement->correction));
    json_object_set_new(object, "route", route_json(arena, &judgement->route));
    json_object_set_new(object, "requirements", requirements);
    json_object_set_new(object, "waivers",
                        json_write_texts(arena, judgement->waivers, judgement->waiver_count));
    json_object_set_new(object, "notes",
                        json_write_texts(arena, judgement->notes, judgement->note_count));
    return object;
}

void report_comparison_json(struct buffer *out, const struct model_decision *decision,
                            const struct model_machine *machine, int exit_code)
{
    struct arena arena = {0};
    int counts[MODEL_VERDICT_COUNT] = {0};
    enum model_level level = MODEL_LEVEL_NONE;
    json_t *items = json_array();
    for (ptrdiff_t i = 0; i < decision->count; i++) {
        const struct model_comparison *item = &decision->items[i];
        json_array_append_new(items, item_json(&arena, item));
        counts[item->verdict]++;
        level = item->is_gated && item->level > level ? item->level : level;
    }
    json_t *by_verdict = json_object();
    for (int v = 0; v < MODEL_VERDICT_COUNT; v++) {
        json_object_set_new(by_verdict, model_verdict_name((enum model_verdict)v),
                            json_integer(counts[v]));
    }
    json_t *root =
        json_pack("{s:i,s:s,s:s,s:s}", "tare", 1, "kind", "comparison", "id", decision->id,
                  "verdict", model_verdict_name(model_decision_verdict(decision)));
    json_object_set_new(root, "level", json_write_text(&arena, model_level_name(level)));
    json_object_set_new(root, "exit", json_integer(exit_code));
    json_object_set_new(root, "old", json_write_text(&arena, decision->old_name));
    json_object_set_new(root, "new", json_write_text(&arena, decision->new_name));
    json_object_set_new(root, "confidence", json_write_number(decision->confidence));
    json_object_set_new(root, "gated_comparisons", json_integer(decision->gated_count));
    json_object_set_new(root, "gate", judgement_json(&arena, decision->judgement));
    json_object_set_new(root, "comparisons", items);
    json_object_set_new(root, "counts", by_verdict);
    json_object_set_new(root, "missing",
                        json_write_texts(&arena, decision->missing, decision->missing_count));
    json_object_set_new(root, "added",
                        json_write_texts(&arena, decision->added, decision->added_count));
    json_object_set_new(
        root, "policy_changes",
        json_write_texts(&arena, decision->policy_changes, decision->policy_change_count));
    json_object_set_new(root, "machine", json_write_machine(&arena, machine));
    json_object_set_new(root, "warnings",
                        json_write_texts(&arena, decision->warnings, decision->warning_count));
    json_object_set_new(root, "next", json_write_text(&arena, decision->next));
    json_object_set_new(root, "seconds", json_write_number(decision->seconds));
    json_write_dump(out, root);
    arena_free(&arena);
}
