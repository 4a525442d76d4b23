/* shell_quote.h: words as a person would type them. */
#ifndef TARE_CLI_SHELL_QUOTE_H
#define TARE_CLI_SHELL_QUOTE_H

#include "base/arena.h"

/* "first word word …", quoted where a shell would need it, safe to print. */
char *shell_quote_words(struct arena *arena, const char *first, int count, char **words);

#endif
