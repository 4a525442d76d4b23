#include "report/comparison_text.h"

#include "base/text.h"
#include "base/unit.h"
#include "report/table.h"
#include "report/wrap.h"

#include <math.h>
#include <string.h>

enum { STRIP_WIDTH = 17 };

static const char *const verdict_colors[MODEL_VERDICT_COUNT] = {
    [MODEL_REGRESSED] = "\033[31m", [MODEL_INVALID] = "\033[35m", [MODEL_INCONCLUSIVE] = "\033[33m",
    [MODEL_IMPROVED] = "\033[32m",  [MODEL_EQUIVALENT] = NULL,
};

/* columns_max 0: all of it, for a table that cuts it itself. */
static char *comparison_label(struct arena *arena, const struct model_comparison *c,
                              ptrdiff_t columns_max)
{
    const char *label = model_comparison_label(arena, c);
    if (strcmp(c->metric, "time") != 0) {
        label = arena_printf(arena, "%s %s", label, c->metric);
    }
    if (c->new_name != NULL) {
        label = arena_printf(arena, "%s (%s)", label, c->new_name);
    }
    return text_printable(arena, label, columns_max);
}

/* Cell of the strip that a log ratio falls into. */
static int cell_of(double log_ratio, double range, int width)
{
    double place = (log_ratio / log1p(range) + 1) / 2 * (width - 1);
    return (int)fmin(fmax(round(place), 0), width - 1);
}

char *report_interval_strip(struct arena *arena, const struct model_comparison *comparison,
                            double range, int width)
{
    const char *cells[64];
    int middle = width / 2;
    for (int i = 0; i < width; i++) {
        cells[i] = " ";
    }
    double edge = log1p(comparison->band);
    cells[0] = cells[width - 1] = "|";
    cells[middle] = "·";
    if (comparison->band > 0 && comparison->band < range) {
        cells[cell_of(-edge, range, width)] = "[";
        cells[cell_of(edge, range, width)] = "]";
    }
    if (comparison->has_interval) {
        int low = cell_of(log(comparison->low), range, width);
        int high = cell_of(log(comparison->high), range, width);
        for (int i = low; i <= high; i++) {
            cells[i] = "━";
        }
        if (log(comparison->low) < -log1p(range)) {
            cells[0] = "◀";
        }
        if (log(comparison->high) > log1p(range)) {
            cells[width - 1] = "▶";
        }
    }
    struct buffer strip = buffer_new(arena, 1024);
    for (int i = 0; i < width; i++) {
        buffer_text(&strip, cells[i]);
    }
    return arena_strdup(arena, buffer_string(&strip));
}

/* As many decimals as the interval's width supports, at least one. */
static int change_decimals(const struct model_comparison *c)
{
    if (c->basis == MODEL_BASIS_EXACT && c->ratio != 1) {
        /* It is known to the last digit: as many as it takes to be no zero. */
        return fabs(c->ratio - 1) >= 1e-4 ? 2 : 6;
    }
    double width = c->has_interval ? (c->high - c->low) / 2 * 100 : 1;
    return width < 0.05 ? 2 : width < 10 ? 1 : 0;
}

static const char *interval_cell(struct arena *arena, const struct model_comparison *c)
{
    if (!c->has_interval) {
        return "?";
    }
    if (c->basis == MODEL_BASIS_EXACT) {
        return "exact";
    }
    int decimals = change_decimals(c);
    char *low = unit_format_change(arena, c->low, decimals);
    char *high = unit_format_change(arena, c->high, decimals);
    low[strlen(low) - 1] = '\0'; /* the column's title has the unit */
    high[strlen(high) - 1] = '\0';
    return arena_printf(arena, "%s…%s", low, high);
}

static const char *value_cell(struct arena *arena, const struct model_comparison *c,
                              const struct model_side *side)
{
    if (side->count > 0 && c->basis == MODEL_BASIS_EXACT && strcmp(c->unit, "1") == 0) {
        return arena_printf(arena, "%.15g", side->median);
    }
    return side->count > 0 ? unit_format(arena, side->median, c->unit, 3) : NULL;
}

static double strip_range(const struct model_decision *decision)
{
    static const double ranges[] = {0.05, 0.2, 1};
    double largest = 0;
    for (ptrdiff_t i = 0; i < decision->count; i++) {
        const struct model_comparison *c = &decision->items[i];
        if (c->has_ratio && c->ratio > 0) {
            largest = fmax(largest, fabs(log(c->ratio)));
        }
    }
    for (size_t i = 0; i < sizeof ranges / sizeof *ranges; i++) {
        if (largest < log1p(ranges[i]) * 0.95) {
            return ranges[i];
        }
    }
    return 4;
}

/* NULL: nobody asked for a gate, or this metric does not decide; the column goes when all are. */
static const char *gate_cell(const struct model_comparison *c)
{
    static const char *const words[] = {
        [MODEL_GATE_PASS] = "pass",
        [MODEL_GATE_WAIVED] = "waived",
        [MODEL_GATE_OPEN] = "open",
        [MODEL_GATE_FAIL] = "FAIL",
    };
    return words[c->gate];
}

static void print_table(struct buffer *out, const struct model_decision *decision,
                        const struct report_style *style)
{
    struct arena *arena = out->arena;
    struct table table = table_new(arena);
    double range = strip_range(decision);
    table_add_column(&table, "benchmark", TABLE_LEFT, 0);
    table_add_column(&table, "old", TABLE_RIGHT, 3);
    table_add_column(&table, "new", TABLE_RIGHT, 2);
    table_add_column(&table, "change", TABLE_RIGHT, 0);
    table_add_column(&table, arena_printf(arena, "%g %% CI", decision->confidence * 100),
                     TABLE_RIGHT, 1);
    table_add_column(
        &table, arena_printf(arena, "−%-*.0f+%.0f %%", STRIP_WIDTH - 6, range * 100, range * 100),
        TABLE_LEFT, 5);
    table_add_column(&table, "verdict", TABLE_LEFT, 0);
    table_add_column(&table, "gate", TABLE_LEFT, 0);
    for (ptrdiff_t i = 0; i < decision->count; i++) {
        const struct model_comparison *c = &decision->items[i];
        /* What does not decide is shown when it moved, or when everything is asked for. */
        bool has_moved = c->verdict == MODEL_REGRESSED || c->verdict == MODEL_IMPROVED;
        /* A count that was asked for and could not be made is told. */
        bool is_uncounted = c->verdict == MODEL_INVALID && c->basis == MODEL_BASIS_EXACT;
        if (!c->is_gated && !has_moved && !is_uncounted && !style->is_verbose) {
            continue;
        }
        struct table_row *row = table_add_row(&table);
        row->color = verdict_colors[c->verdict];
        row->cells[0] = comparison_label(arena, c, 0);
        row->cells[7] = gate_cell(c);
        if (c->verdict == MODEL_INVALID) {
            row->line = arena_printf(arena, "invalid: %s", text_printable(arena, c->reason, 400));
            continue;
        }
        row->cells[1] = value_cell(arena, c, &c->old_side);
        row->cells[2] = value_cell(arena, c, &c->new_side);
        row->cells[3] =
            c->has_ratio ? unit_format_change(arena, c->ratio, change_decimals(c)) : NULL;
        row->cells[4] = interval_cell(arena, c);
        row->cells[5] = report_interval_strip(arena, c, range, STRIP_WIDTH);
        row->cells[6] = c->is_gated ? model_verdict_name(c->verdict)
                                    : arena_printf(arena, "(%s)", model_verdict_name(c->verdict));
    }
    if (decision->count > 0) {
        table_print(&table, out, style->columns, style->has_color);
    }
}

char *report_comparison_sentence(struct arena *arena, const struct model_comparison *c,
                                 double confidence)
{
    const char *label = comparison_label(arena, c, 60);
    bool is_time = strcmp(c->unit, "ns") == 0;
    bool is_up = c->ratio > 1;
    const char *word = is_time ? (is_up ? "slower" : "faster") : (is_up ? "higher" : "lower");
    double near = fabs((is_up ? c->low : c->high) - 1) * 100;
    double far = fabs((is_up ? c->high : c->low) - 1) * 100;
    int decimals = change_decimals(c);
    switch (c->verdict) {
    case MODEL_REGRESSED:
    case MODEL_IMPROVED:
        if (strcmp(c->reason_code, "beyond-band") == 0) {
            return arena_printf(arena, "%s is %.*f %% %s (%.*f to %.*f %%, %g %% sure).", label,
                                decimals, fabs(c->ratio - 1) * 100, word, decimals, near, decimals,
                                far, confidence * 100);
        }
        return arena_printf(arena, "%s: %s.", label, text_printable(arena, c->reason, 300));
    case MODEL_EQUIVALENT:
        if (c->basis == MODEL_BASIS_EXACT) {
            return arena_printf(arena, "%s is exactly the same.", label);
        }
        return arena_printf(arena, "%s is the same within %g %%.", label, c->band * 100);
    case MODEL_INCONCLUSIVE:
        if (c->seconds_more > 0) {
            return arena_printf(arena, "%s: about %.0f s more would decide; %s.", label,
                                ceil(c->seconds_more), text_printable(arena, c->reason, 300));
        }
        return arena_printf(arena, "%s: undecided: %s.", label,
                            text_printable(arena, c->reason, 300));
    default:
        return arena_printf(arena, "%s: %s.", label, text_printable(arena, c->reason, 300));
    }
}

static void print_sentences(struct buffer *out, const struct model_decision *decision,
                            const struct report_style *style)
{
    ptrdiff_t same = 0;
    ptrdiff_t gated = 0;
    for (ptrdiff_t i = 0; i < decision->count; i++) {
        gated += decision->items[i].is_gated;
    }
    for (ptrdiff_t i = 0; i < decision->count; i++) {
        const struct model_comparison *c = &decision->items[i];
        if (c->verdict == MODEL_EQUIVALENT && gated > 1) {
            same += c->is_gated;
        } else if (c->verdict != MODEL_INVALID && c->is_gated) {
            wrap_line(out, report_comparison_sentence(out->arena, c, decision->confidence),
                      style->columns);
        }
        if (c->witness != NULL && (c->is_gated || style->is_verbose)) {
            wrap_line(out,
                      arena_printf(out->arena, "%s: %s.", comparison_label(out->arena, c, 60),
                                   text_printable(out->arena, c->witness, 300)),
                      style->columns);
        }
    }
    if (same > 0) {
        buffer_printf(out, "%td %s the same within %g %%.\n", same, same == 1 ? "is" : "are",
                      decision->items[decision->count - 1].band * 100);
    }
}

static void print_labels(struct buffer *out, const char *what, const char *const *labels,
                         ptrdiff_t count, const struct report_style *style)
{
    for (ptrdiff_t i = 0; i < count; i++) {
        wrap_line(
            out,
            arena_printf(out->arena, "%s: %s", what, text_printable(out->arena, labels[i], 100)),
            style->columns);
    }
}

void report_comparison_table(struct buffer *out, const struct model_decision *decision,
                             const struct model_machine *machine, const struct report_style *style)
{
    struct arena *arena = out->arena;
    ptrdiff_t launches = 0;
    for (ptrdiff_t i = 0; i < decision->count; i++) {
        ptrdiff_t of_item = decision->items[i].old_side.launches;
        launches = of_item > launches ? of_item : launches;
    }
    wrap_line(out,
              arena_printf(arena, "%s → %s    %s    up to %td launches a side",
                           text_printable(arena, decision->old_name, 60),
                           text_printable(arena, decision->new_name, 60),
                           report_machine_line(arena, machine), launches),
              style->columns);
    print_table(out, decision, style);
}

void report_comparison_text(struct buffer *out, const struct model_decision *decision,
                            const struct model_machine *machine, const struct report_style *style)
{
    struct arena *arena = out->arena;
    report_comparison_table(out, decision, machine, style);
    print_sentences(out, decision, style);
    print_labels(out, "only old has", decision->missing, decision->missing_count, style);
    print_labels(out, "only new has", decision->added, decision->added_count, style);
    for (ptrdiff_t i = 0; i < decision->warning_count; i++) {
        wrap_line(out,
                  arena_printf(arena, "note: %s", text_printable(arena, decision->warnings[i], 0)),
                  style->columns);
    }
    /* Not wrapped: it is there to be copied. */
    if (decision->next != NULL) {
        buffer_printf(out, "next: %s\n", decision->next);
    }
}
