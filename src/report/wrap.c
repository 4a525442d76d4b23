/* wrap.c: one pass, greedy: a word goes on the line when it fits. Cost: linear. */
#include "report/wrap.h"

#include "base/text.h"

#include <string.h>

/* Bytes of the color that starts here; 0 when none does. */
static ptrdiff_t color_length(const char *text, ptrdiff_t length)
{
    if (length < 2 || text[0] != '\033' || text[1] != '[') {
        return 0;
    }
    const char *end = memchr(text, 'm', (size_t)length);
    return end != NULL ? end - text + 1 : 0;
}

static ptrdiff_t word_columns(struct arena *arena, const char *word, ptrdiff_t length)
{
    struct buffer shown = buffer_new(arena, length + 1);
    for (ptrdiff_t i = 0; i < length;) {
        ptrdiff_t skipped = color_length(word + i, length - i);
        if (skipped == 0) {
            buffer_char(&shown, word[i]);
        }
        i += skipped > 0 ? skipped : 1;
    }
    return text_columns(buffer_string(&shown));
}

void wrap_text(struct buffer *out, const char *text, const struct wrap *wrap)
{
    if (wrap->width <= 0) {
        buffer_text(out, text);
        return;
    }
    struct arena scratch = {0};
    ptrdiff_t column = wrap->start;
    bool is_first = true; /* of its line */
    while (*text != '\0') {
        ptrdiff_t gap = (ptrdiff_t)strspn(text, " ");
        ptrdiff_t length = (ptrdiff_t)strcspn(text + gap, " ");
        if (length == 0) {
            break;
        }
        ptrdiff_t columns = word_columns(&scratch, text + gap, length);
        if (!is_first && column + gap + columns > wrap->width) {
            buffer_char(out, '\n');
            buffer_repeat(out, " ", wrap->indent);
            column = wrap->indent;
        } else {
            buffer_repeat(out, " ", gap);
            column += gap;
        }
        buffer_append(out, text + gap, length);
        column += columns;
        text += gap + length;
        is_first = false;
    }
    arena_free(&scratch);
}

void wrap_line(struct buffer *out, const char *text, ptrdiff_t width)
{
    wrap_text(out, text, &(struct wrap){.width = width, .indent = WRAP_INDENT});
    buffer_char(out, '\n');
}
