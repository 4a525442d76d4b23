/* text_index.h: from a text to a number in constant time: which benchmark has this label?
 *
 *     struct text_index index = text_index_new(arena, count_expected);
 *     text_index_put(&index, label, i);
 *     ptrdiff_t i = text_index_get(&index, label);    −1: not there
 *
 * Texts are not copied: they must live as long as the index. */
#ifndef TARE_BASE_TEXT_INDEX_H
#define TARE_BASE_TEXT_INDEX_H

#include "base/arena.h"

#include <stdbool.h>
#include <stdint.h>

struct text_index_slot {
    const char *text; /* NULL: free */
    uint64_t hash;
    ptrdiff_t value;
};

struct text_index {
    struct arena *arena;
    struct text_index_slot *slots;
    ptrdiff_t slot_count; /* a power of two */
    ptrdiff_t count;
};

struct text_index text_index_new(struct arena *arena, ptrdiff_t count_expected);
/* False, and nothing is changed, when the text is there already. */
bool text_index_put(struct text_index *index, const char *text, ptrdiff_t value);
ptrdiff_t text_index_get(const struct text_index *index, const char *text);

#endif
