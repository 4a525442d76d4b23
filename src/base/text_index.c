/* text_index.c: open addressing with linear probing, at most half full. */
#include "base/text_index.h"

#include "base/assert.h"

#include <string.h>

enum { SLOTS_MIN = 16 };

/* FNV-1a, 64 bits (Fowler, Noll, Vo): labels are short, and not chosen by an enemy who could gain
 * more than a slow comparison of his own benchmarks. */
static uint64_t hash_of(const char *text)
{
    uint64_t hash = UINT64_C(14695981039346656037);
    for (; *text != '\0'; text++) {
        hash = (hash ^ (unsigned char)*text) * UINT64_C(1099511628211);
    }
    return hash;
}

/* The slot that holds the text, or the free one where it would go. */
static struct text_index_slot *find_slot(const struct text_index *index, const char *text,
                                         uint64_t hash)
{
    ptrdiff_t at = (ptrdiff_t)(hash & (uint64_t)(index->slot_count - 1));
    while (index->slots[at].text != NULL &&
           (index->slots[at].hash != hash || strcmp(index->slots[at].text, text) != 0)) {
        at = (at + 1) & (index->slot_count - 1);
    }
    return &index->slots[at];
}

struct text_index text_index_new(struct arena *arena, ptrdiff_t count_expected)
{
    TARE_ASSERT(count_expected >= 0);
    struct text_index index = {.arena = arena, .slot_count = SLOTS_MIN};
    while (index.slot_count < 2 * count_expected) {
        index.slot_count *= 2;
    }
    index.slots = ARENA_ARRAY(arena, struct text_index_slot, index.slot_count);
    return index;
}

static void grow(struct text_index *index)
{
    struct text_index larger = text_index_new(index->arena, index->slot_count);
    for (ptrdiff_t i = 0; i < index->slot_count; i++) {
        const struct text_index_slot *slot = &index->slots[i];
        if (slot->text != NULL) {
            *find_slot(&larger, slot->text, slot->hash) = *slot;
        }
    }
    larger.count = index->count;
    *index = larger;
}

bool text_index_put(struct text_index *index, const char *text, ptrdiff_t value)
{
    TARE_ASSERT(value >= 0);
    if (2 * (index->count + 1) > index->slot_count) {
        grow(index);
    }
    uint64_t hash = hash_of(text);
    struct text_index_slot *slot = find_slot(index, text, hash);
    if (slot->text != NULL) {
        return false;
    }
    *slot = (struct text_index_slot){.text = text, .hash = hash, .value = value};
    index->count++;
    return true;
}

ptrdiff_t text_index_get(const struct text_index *index, const char *text)
{
    const struct text_index_slot *slot = find_slot(index, text, hash_of(text));
    return slot->text != NULL ? slot->value : -1;
}
