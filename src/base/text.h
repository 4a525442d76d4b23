/* text.h: small text helpers shared by all layers: safe display of names from outside, columns,
 * patterns, and the nearest known word for "did you mean". */
#ifndef TARE_BASE_TEXT_H
#define TARE_BASE_TEXT_H

#include "base/arena.h"

#include <stdbool.h>

/* A copy that is safe to print anywhere: valid UTF-8 is kept, control characters (escape sequences
 * among them) and invalid bytes become \xNN or \n, \t, \r. Longer than columns_max: cut, with "…"
 * at the end; 0 means no limit. */
char *text_printable(struct arena *arena, const char *text, ptrdiff_t columns_max);

/* True when the whole text is well-formed UTF-8 (no surrogates, no overlong forms). */
bool text_is_utf8(const char *text, ptrdiff_t length);

/* Columns a terminal gives the text: one per character, two for wide East Asian ones, none for
 * combining marks. */
ptrdiff_t text_columns(const char *text);

/* Shell pattern with * and ? (one character, not one byte), matching across '/'. */
bool text_glob(const char *pattern, const char *text);

/* The same over the first `length` bytes of a text without NUL. */
bool text_glob_part(const char *pattern, const char *text, ptrdiff_t length);

/* The candidate that takes the fewest edits, at most a third of the word's length and one more;
 * NULL when there is none. The list ends in NULL. */
const char *text_nearest(const char *word, const char *const *candidates);

bool text_starts_with(const char *text, const char *prefix);

#endif
