#include "report/gate_text.h"

#include "base/assert.h"
#include "base/text.h"
#include "report/comparison_text.h"
#include "report/table.h"
#include "report/wrap.h"

#include <math.h>
#include <string.h>

/* Lines of one kind, unless everything is asked for; the rest is a number. */
enum { LINES_MAX = 10 };

const char *report_gate_outcome(const struct model_judgement *judgement)
{
    switch (judgement->exit_code) {
    case 0:
        return judgement->outcome == MODEL_GATE_PASS ? "pass" : "neutral";
    case 1:
        return "fail";
    case 4:
        return "inconclusive";
    case 5:
        return "no-baseline";
    case 130:
        return "interrupted";
    default:
        return "invalid";
    }
}

/* One list, shortened. */
struct lines {
    struct buffer *out;
    const struct report_style *style;
    ptrdiff_t count;
};

static bool has_room(struct lines *lines)
{
    return lines->count++ < LINES_MAX || lines->style->is_verbose;
}

static void print_line(struct lines *lines, const char *title, const char *text)
{
    if (has_room(lines)) {
        struct arena *arena = lines->out->arena;
        wrap_line(lines->out, arena_printf(arena, "%s%s", title, text_printable(arena, text, 0)),
                  lines->style->columns);
    }
}

static void print_rest(struct lines *lines, const char *title)
{
    if (lines->count > LINES_MAX && !lines->style->is_verbose) {
        buffer_printf(lines->out, "%s%td more (-v shows them)\n", title, lines->count - LINES_MAX);
    }
}

static const char *item_name(struct arena *arena, const struct model_comparison *c)
{
    return arena_printf(arena, "%s %s", model_comparison_label(arena, c), c->metric);
}

static const char *item_line(struct arena *arena, const struct model_comparison *c)
{
    const char *text = arena_printf(arena, "%s: %s", item_name(arena, c),
                                    c->gate_reason != NULL ? c->gate_reason : "");
    if (c->gate == MODEL_GATE_OPEN && c->seconds_more > 0) {
        text =
            arena_printf(arena, "%s; about %.0f s more would decide", text, ceil(c->seconds_more));
    }
    if (c->witness != NULL) {
        text = arena_printf(arena, "%s; %s", text, c->witness);
    }
    return c->waiver != NULL ? arena_printf(arena, "%s; waived: %s", text, c->waiver) : text;
}

/* What did not pass, and why. What is invalid has its reason in the table already. */
static void print_items(struct buffer *out, const struct model_decision *decision,
                        const struct report_style *style, enum model_gate gate, const char *title)
{
    struct lines lines = {.out = out, .style = style};
    for (ptrdiff_t i = 0; i < decision->count; i++) {
        const struct model_comparison *c = &decision->items[i];
        if (c->gate == gate && c->verdict != MODEL_INVALID) {
            print_line(&lines, title, item_line(out->arena, c));
        }
    }
    print_rest(&lines, title);
}

/* Texts of the judgement, each a line. */
static void print_texts(struct buffer *out, const struct report_style *style, const char *title,
                        const char *const *texts, ptrdiff_t count)
{
    struct lines lines = {.out = out, .style = style};
    for (ptrdiff_t i = 0; i < count; i++) {
        print_line(&lines, title, texts[i]);
    }
    print_rest(&lines, title);
}

/* The reason or a note names the first ones already. */
static void print_absent(struct buffer *out, const struct report_style *style, const char *title,
                         const char *const *names, ptrdiff_t count)
{
    enum { NAMED_MAX = 3 };
    if (count > NAMED_MAX) {
        print_texts(out, style, title, names, count);
    }
}

static const char *requirement_word(const struct model_requirement *requirement)
{
    return requirement->is_invalid                ? "NOT CHECKED"
           : requirement->gate == MODEL_GATE_PASS ? "met"
           : requirement->gate == MODEL_GATE_FAIL ? "NOT MET"
                                                  : "open";
}

static void add_requirement(struct table *table, const struct model_requirement *requirement)
{
    struct arena *arena = table->arena;
    struct table_row *row = table_add_row(table);
    row->cells[0] = text_printable(
        arena, arena_printf(arena, "%s %s", requirement->benchmark, requirement->metric), 0);
    row->cells[1] = text_printable(arena, requirement->bound, 0);
    row->cells[2] =
        requirement->found != NULL ? text_printable(arena, requirement->found, 0) : NULL;
    row->cells[3] = requirement_word(requirement);
    if (requirement->is_invalid) {
        row->line = arena_printf(arena, "NOT CHECKED: %s (%s)",
                                 text_printable(arena, requirement->reason, 0), row->cells[1]);
    }
}

/* Those that are met come last, and only a few of them. */
static void print_requirements(struct buffer *out, const struct model_judgement *judgement,
                               const struct report_style *style)
{
    if (judgement->requirement_count == 0) {
        return;
    }
    struct table table = table_new(out->arena);
    struct lines lines = {.out = out, .style = style};
    table_add_column(&table, "required", TABLE_LEFT, 0);
    table_add_column(&table, "bound", TABLE_LEFT, 0);
    table_add_column(&table, "found", TABLE_LEFT, 0);
    table_add_column(&table, "result", TABLE_LEFT, 0);
    for (int is_met = 0; is_met <= 1; is_met++) {
        for (ptrdiff_t i = 0; i < judgement->requirement_count; i++) {
            const struct model_requirement *requirement = &judgement->requirements[i];
            if ((requirement->gate == MODEL_GATE_PASS) == (is_met == 1) && has_room(&lines)) {
                add_requirement(&table, requirement);
            }
        }
    }
    table_print(&table, out, style->columns, false);
    print_rest(&lines, "requirements: ");
}

static void print_policy_changes(struct buffer *out, const struct model_decision *decision,
                                 const struct report_style *style)
{
    if (decision->policy_change_count > 0) {
        wrap_line(out, "judged by the base's policy; this change edits it:", style->columns);
        print_texts(out, style, "  ", decision->policy_changes, decision->policy_change_count);
    }
}

/* "gate: FAIL (critical): …", the sentence a person can repeat. */
static const char *verdict_line(struct arena *arena, const struct model_judgement *judgement)
{
    const char *word =
        judgement->outcome == MODEL_GATE_FAIL ? "FAIL" : report_gate_outcome(judgement);
    const char *level = model_level_name(judgement->level);
    bool has_level = judgement->outcome == MODEL_GATE_FAIL && level != NULL;
    return arena_printf(arena, "gate: %s%s%s%s: %s.", word, has_level ? " (" : "",
                        has_level ? level : "", has_level ? ")" : "",
                        text_printable(arena, judgement->reason, 0));
}

static void print_route(struct buffer *out, const struct model_judgement *judgement,
                        const struct report_style *style)
{
    struct arena *arena = out->arena;
    const struct model_route *route = &judgement->route;
    wrap_line(out,
              arena_printf(arena, "route: %s%s%s%s: %s", route->kind,
                           strcmp(route->kind, route->name) != 0 ? " (" : "",
                           strcmp(route->kind, route->name) != 0
                               ? text_printable(arena, route->name, 60)
                               : "",
                           strcmp(route->kind, route->name) != 0 ? ")" : "",
                           text_printable(arena, route->reason, 0)),
              style->columns);
    if (style->is_verbose) {
        print_texts(out, style, "  ", route->evidence, route->evidence_count);
    }
}

void report_gate_text(struct buffer *out, const struct model_decision *decision,
                      const struct model_machine *machine, const struct report_style *style)
{
    const struct model_judgement *judgement = decision->judgement;
    TARE_ASSERT(judgement != NULL);
    report_comparison_table(out, decision, machine, style);
    print_items(out, decision, style, MODEL_GATE_FAIL, "FAIL ");
    print_items(out, decision, style, MODEL_GATE_OPEN, "open ");
    print_items(out, decision, style, MODEL_GATE_WAIVED, "waived ");
    wrap_line(out, verdict_line(out->arena, judgement), style->columns);
    print_requirements(out, judgement, style);
    print_texts(out, style, "waiver: ", judgement->waivers, judgement->waiver_count);
    print_policy_changes(out, decision, style);
    print_absent(out, style, "only old has: ", decision->missing, decision->missing_count);
    print_absent(out, style, "only new has: ", decision->added, decision->added_count);
    print_texts(out, style, "note: ", judgement->notes, judgement->note_count);
    print_texts(out, style, "note: ", decision->warnings, decision->warning_count);
    wrap_line(out, arena_printf(out->arena, "certainty: %s", judgement->correction),
              style->columns);
    print_route(out, judgement, style);
    /* Not wrapped: it is there to be copied. */
    if (decision->next != NULL) {
        buffer_printf(out, "next: %s\n", decision->next);
    }
}
