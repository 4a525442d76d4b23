#include "cli/shell_quote.h"

#include "base/buffer.h"
#include "base/text.h"

#include <string.h>

static void quote(struct buffer *out, const char *word)
{
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
                                "@%+=:,./-_^";
    if (word[0] != '\0' && word[strspn(word, plain)] == '\0') {
        buffer_text(out, word);
        return;
    }
    buffer_char(out, '\'');
    for (const char *c = word; *c != '\0'; c++) {
        if (*c == '\'') {
            buffer_text(out, "'\\''");
        } else {
            buffer_char(out, *c);
        }
    }
    buffer_char(out, '\'');
}

char *shell_quote_words(struct arena *arena, const char *first, int count, char **words)
{
    struct buffer out = buffer_new(arena, BUFFER_LENGTH_MAX);
    buffer_text(&out, first);
    for (int i = 0; i < count; i++) {
        buffer_char(&out, ' ');
        quote(&out, words[i]);
    }
    return text_printable(arena, buffer_string(&out), 0);
}
