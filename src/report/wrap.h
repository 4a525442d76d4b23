/* wrap.h: text broken at spaces, so that the terminal never breaks a word. */
#ifndef TARE_REPORT_WRAP_H
#define TARE_REPORT_WRAP_H

#include "base/buffer.h"

/* What lines after the first are indented by, so that a paragraph is seen as one. */
enum { WRAP_INDENT = 2 };

struct wrap {
    ptrdiff_t width;  /* columns of a line; 0: no limit */
    ptrdiff_t start;  /* columns the first line has taken already */
    ptrdiff_t indent; /* of the lines after the first */
};

/* Appends the text without a newline at its end. Spaces within a line stay as they are, those where
 * it is broken go. A word longer than a line has one of its own and is not cut: it is mostly a path
 * to be copied. Colors ("\033[…m") take no columns. */
void wrap_text(struct buffer *out, const char *text, const struct wrap *wrap);

/* The same as a whole line, indented by WRAP_INDENT, with its newline. */
void wrap_line(struct buffer *out, const char *text, ptrdiff_t width);

#endif
