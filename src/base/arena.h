/* arena.h: memory for one command.
 *
 * Everything a command keeps lives in one arena and is freed at once; temporary work takes a mark
 * and goes back to it. `struct arena *` in a signature means "the result lives in here".
 *
 * Allocation never returns NULL: when the system has no memory left the arena calls its failure
 * hook, which by default prints a message and exits with code 3. The fault tests install a hook of
 * their own. Memory is zeroed, aligned for any type, taken from the system in blocks that double up
 * to 1 MiB. */
#ifndef TARE_BASE_ARENA_H
#define TARE_BASE_ARENA_H

#include <stdarg.h>
#include <stddef.h>

struct arena_block;

struct arena {
    struct arena_block *block;  /* newest block, linked to the older ones */
    ptrdiff_t next_block_bytes; /* size of the next block to take */
};

struct arena_mark {
    struct arena_block *block;
    ptrdiff_t used_bytes;
};

/* Zero-initialised `struct arena arena = {0};` is an empty arena. */
void arena_free(struct arena *arena);

/* count × size_bytes zeroed bytes; a product that overflows counts as out of memory. */
void *arena_alloc(struct arena *arena, ptrdiff_t count, ptrdiff_t size_bytes);

#define ARENA_NEW(arena, type) ((type *)arena_alloc((arena), 1, (ptrdiff_t)sizeof(type)))
#define ARENA_ARRAY(arena, type, count)                                                            \
    ((type *)arena_alloc((arena), (count), (ptrdiff_t)sizeof(type)))

/* A larger copy of an array: grows `*capacity` (doubling, at least to `needed`) and returns the new
 * place; the old one stays until the arena goes. */
void *arena_grow(struct arena *arena, void *old, ptrdiff_t *capacity, ptrdiff_t needed,
                 ptrdiff_t size_bytes);

char *arena_strdup(struct arena *arena, const char *text);
char *arena_strndup(struct arena *arena, const char *text, ptrdiff_t length);
__attribute__((format(printf, 2, 3))) char *arena_printf(struct arena *arena, const char *format,
                                                         ...);
char *arena_vprintf(struct arena *arena, const char *format, va_list arguments);

struct arena_mark arena_mark(const struct arena *arena);
void arena_reset(struct arena *arena, struct arena_mark mark);

/* What is called when memory runs out; it must not return. NULL puts the default back. */
void arena_set_failure_hook(void (*hook)(void));

/* Fault tests: the n-th block request from now on fails (0: none does). */
void arena_fail_nth_block(ptrdiff_t nth);

#endif
