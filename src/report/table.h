/* table.h: columns of text for a terminal, aligned by what people see, not by bytes. */
#ifndef TARE_REPORT_TABLE_H
#define TARE_REPORT_TABLE_H

#include "base/buffer.h"

#include <stdbool.h>

enum table_align { TABLE_LEFT, TABLE_RIGHT };

enum { TABLE_COLUMNS_MAX = 16 };

struct table_column {
    const char *title;
    enum table_align align;
    /* When the table is too wide, columns go in this order, highest first; 0 stays. */
    int drop_order;
};

struct table_row {
    const char *cells[TABLE_COLUMNS_MAX]; /* NULL is empty */
    const char *line;  /* non-NULL: only the first cell, then this text over the rest of the row */
    const char *color; /* NULL, or an escape sequence for the row */
};

struct table {
    struct arena *arena;
    struct table_column columns[TABLE_COLUMNS_MAX];
    int column_count;
    struct table_row *rows;
    ptrdiff_t row_count;
    ptrdiff_t row_capacity;
};

struct table table_new(struct arena *arena);
/* Returns the column's number. */
int table_add_column(struct table *table, const char *title, enum table_align align,
                     int drop_order);
struct table_row *table_add_row(struct table *table);
/* Columns without a single filled cell are left out. width_max 0: as wide as it gets. */
void table_print(struct table *table, struct buffer *out, ptrdiff_t width_max, bool has_color);

#endif
