#include "report/table.h"

#include "base/assert.h"
#include "base/text.h"
#include "report/wrap.h"

#include <string.h>

enum { COLUMN_GAP = 2 };
/* A first column is cut to this much when the rest needs the room. */
enum { FIRST_COLUMN_MIN = 16 };
/* No more of a name, so that one long name does not push all figures out of sight. */
enum { FIRST_COLUMN_MAX = 60 };
/* A line over the rest of a row that has less room than this goes on below, at the left. */
enum { LINE_COLUMNS_MIN = 50 };

struct table table_new(struct arena *arena)
{
    return (struct table){.arena = arena};
}

int table_add_column(struct table *table, const char *title, enum table_align align, int drop_order)
{
    TARE_ASSERT(table->column_count < TABLE_COLUMNS_MAX);
    table->columns[table->column_count] =
        (struct table_column){.title = title, .align = align, .drop_order = drop_order};
    return table->column_count++;
}

struct table_row *table_add_row(struct table *table)
{
    table->rows = arena_grow(table->arena, table->rows, &table->row_capacity, table->row_count + 1,
                             (ptrdiff_t)sizeof *table->rows);
    struct table_row *row = &table->rows[table->row_count++];
    *row = (struct table_row){0};
    return row;
}

/* Width of a column, 0 when it has nothing to show. */
static ptrdiff_t column_width(const struct table *table, int column)
{
    ptrdiff_t width = 0;
    for (ptrdiff_t i = 0; i < table->row_count; i++) {
        const char *cell = table->rows[i].cells[column];
        if (cell != NULL && (column == 0 || table->rows[i].line == NULL)) {
            ptrdiff_t columns = text_columns(cell);
            width = columns > width ? columns : width;
        }
    }
    width = column == 0 && width > FIRST_COLUMN_MAX ? FIRST_COLUMN_MAX : width;
    ptrdiff_t title = text_columns(table->columns[column].title);
    return width > 0 && title > width ? title : width;
}

static ptrdiff_t total_width(const struct table *table, const ptrdiff_t *widths)
{
    ptrdiff_t total = 0;
    for (int c = 0; c < table->column_count; c++) {
        total += widths[c] > 0 ? widths[c] + (c > 0 ? COLUMN_GAP : 0) : 0;
    }
    return total;
}

/* Takes columns away, and shortens the first, until the table fits. */
static void fit_widths(const struct table *table, ptrdiff_t *widths, ptrdiff_t width_max)
{
    while (width_max > 0 && total_width(table, widths) > width_max) {
        int victim = -1;
        for (int c = 1; c < table->column_count; c++) {
            bool is_candidate = widths[c] > 0 && table->columns[c].drop_order > 0;
            if (is_candidate &&
                (victim < 0 || table->columns[c].drop_order > table->columns[victim].drop_order)) {
                victim = c;
            }
        }
        ptrdiff_t excess = total_width(table, widths) - width_max;
        if (widths[0] - excess >= FIRST_COLUMN_MIN + 8 || victim < 0) {
            ptrdiff_t least = widths[0] < FIRST_COLUMN_MIN ? widths[0] : FIRST_COLUMN_MIN;
            ptrdiff_t shorter = widths[0] - excess;
            widths[0] = shorter > least ? shorter : least;
            return;
        }
        widths[victim] = 0;
    }
}

/* Cuts a text in its middle: the end of a benchmark's name is where its parameters stand. */
static const char *cut_middle(struct arena *arena, const char *text, ptrdiff_t width)
{
    ptrdiff_t tail_columns = width / 2;
    const char *tail = text + strlen(text);
    while (tail > text && text_columns(tail) < tail_columns) {
        do {
            tail--;
        } while (tail > text && ((unsigned char)*tail & 0xC0) == 0x80);
    }
    return arena_printf(arena, "%s%s", text_printable(arena, text, width - text_columns(tail)),
                        tail);
}

static void print_cell(struct table *table, struct buffer *out, const char *text, ptrdiff_t width,
                       enum table_align align, bool is_last)
{
    const char *cell = text != NULL ? text : "";
    ptrdiff_t columns = text_columns(cell);
    if (columns > width) {
        cell = cut_middle(table->arena, cell, width);
        columns = text_columns(cell);
    }
    ptrdiff_t padding = width - columns;
    if (align == TABLE_RIGHT) {
        buffer_repeat(out, " ", padding);
    }
    buffer_text(out, cell);
    if (align == TABLE_LEFT && !is_last) {
        buffer_repeat(out, " ", padding);
    }
}

/* The text over the rest of the row, broken within the table's width. */
static void print_rest(struct buffer *out, const char *line, ptrdiff_t start, ptrdiff_t width_max)
{
    bool has_room = width_max - start >= LINE_COLUMNS_MIN;
    wrap_text(out, line,
              &(struct wrap){
                  .width = width_max, .start = start, .indent = has_room ? start : WRAP_INDENT});
}

struct row_style {
    const ptrdiff_t *widths;
    int last; /* column shown */
    ptrdiff_t width_max;
    bool has_color;
};

static void print_row(struct table *table, struct buffer *out, const struct table_row *row,
                      const struct row_style *style)
{
    const ptrdiff_t *widths = style->widths;
    int last = style->last;
    bool has_color = style->has_color;
    if (has_color && row->color != NULL) {
        buffer_text(out, row->color);
    }
    for (int c = 0; c <= last; c++) {
        if (widths[c] == 0) {
            continue;
        }
        if (c > 0) {
            buffer_repeat(out, " ", COLUMN_GAP);
        }
        if (c > 0 && row->line != NULL) {
            print_rest(out, row->line, widths[0] + COLUMN_GAP, style->width_max);
            break;
        }
        print_cell(table, out, row->cells[c], widths[c], table->columns[c].align,
                   c == last && row->line == NULL);
    }
    if (has_color && row->color != NULL) {
        buffer_text(out, "\033[0m");
    }
    buffer_char(out, '\n');
}

void table_print(struct table *table, struct buffer *out, ptrdiff_t width_max, bool has_color)
{
    ptrdiff_t widths[TABLE_COLUMNS_MAX] = {0};
    for (int c = 0; c < table->column_count; c++) {
        widths[c] = column_width(table, c);
    }
    fit_widths(table, widths, width_max);
    int last = 0;
    struct table_row titles = {.color = "\033[1m"};
    for (int c = 0; c < table->column_count; c++) {
        titles.cells[c] = table->columns[c].title;
        last = widths[c] > 0 ? c : last;
    }
    struct row_style style = {
        .widths = widths, .last = last, .width_max = width_max, .has_color = has_color};
    print_row(table, out, &titles, &style);
    for (ptrdiff_t i = 0; i < table->row_count; i++) {
        /* A row that is one long line needs a second column to stand in. */
        int row_last = table->rows[i].line != NULL && last == 0 ? 1 : last;
        ptrdiff_t row_widths[TABLE_COLUMNS_MAX];
        memcpy(row_widths, widths, sizeof widths);
        row_widths[1] = row_last == 1 && widths[1] == 0 ? 1 : widths[1];
        style.widths = row_widths;
        style.last = row_last;
        print_row(table, out, &table->rows[i], &style);
    }
}
