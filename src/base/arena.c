#include "base/arena.h"

#include "base/assert.h"

#include <stdalign.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct arena_block {
    struct arena_block *older;
    ptrdiff_t used_bytes;
    ptrdiff_t size_bytes;
    alignas(max_align_t) char data[];
};

/* 16 KiB serves a small command with one block; 1 MiB keeps the waste of a large one below its
 * size. */
static const ptrdiff_t BLOCK_BYTES_FIRST = 16 * 1024;
static const ptrdiff_t BLOCK_BYTES_MAX = 1024 * 1024;

static void (*failure_hook)(void);
static ptrdiff_t blocks_until_failure; /* 0: no failure is planned */

static _Noreturn void arena_out_of_memory(void)
{
    if (failure_hook != NULL) {
        failure_hook();
    }
    fprintf(stderr, "tare: out of memory\n");
    exit(3);
}

static struct arena_block *arena_take_block(struct arena *arena, ptrdiff_t bytes_needed)
{
    ptrdiff_t size = arena->next_block_bytes > 0 ? arena->next_block_bytes : BLOCK_BYTES_FIRST;
    arena->next_block_bytes = size < BLOCK_BYTES_MAX ? size * 2 : size;
    if (size < bytes_needed) {
        size = bytes_needed;
    }
    if (blocks_until_failure > 0 && --blocks_until_failure == 0) {
        arena_out_of_memory();
    }
    struct arena_block *block = malloc(sizeof *block + (size_t)size);
    if (block == NULL) {
        arena_out_of_memory();
    }
    *block = (struct arena_block){.older = arena->block, .size_bytes = size};
    arena->block = block;
    return block;
}

void *arena_alloc(struct arena *arena, ptrdiff_t count, ptrdiff_t size_bytes)
{
    TARE_ASSERT(count >= 0 && size_bytes >= 0);
    const ptrdiff_t alignment = (ptrdiff_t)alignof(max_align_t);
    ptrdiff_t bytes = 0;
    if (__builtin_mul_overflow(count, size_bytes, &bytes) || bytes > PTRDIFF_MAX - 4096) {
        arena_out_of_memory();
    }
    bytes = (bytes + alignment - 1) / alignment * alignment;
    struct arena_block *block = arena->block;
    if (block == NULL || block->size_bytes - block->used_bytes < bytes) {
        block = arena_take_block(arena, bytes);
    }
    void *result = block->data + block->used_bytes;
    block->used_bytes += bytes;
    memset(result, 0, (size_t)bytes);
    return result;
}

void *arena_grow(struct arena *arena, void *old, ptrdiff_t *capacity, ptrdiff_t needed,
                 ptrdiff_t size_bytes)
{
    if (needed <= *capacity) {
        return old;
    }
    ptrdiff_t larger = *capacity < 8                 ? 8
                       : *capacity < PTRDIFF_MAX / 2 ? *capacity * 2
                                                     : PTRDIFF_MAX;
    if (larger < needed) {
        larger = needed;
    }
    void *grown = arena_alloc(arena, larger, size_bytes);
    if (old != NULL) {
        memcpy(grown, old, (size_t)(*capacity * size_bytes));
    }
    *capacity = larger;
    return grown;
}

char *arena_strndup(struct arena *arena, const char *text, ptrdiff_t length)
{
    char *copy = arena_alloc(arena, length + 1, 1);
    memcpy(copy, text, (size_t)length);
    return copy;
}

char *arena_strdup(struct arena *arena, const char *text)
{
    return arena_strndup(arena, text, (ptrdiff_t)strlen(text));
}

char *arena_vprintf(struct arena *arena, const char *format, va_list arguments)
{
    va_list copy;
    va_copy(copy, arguments);
    int length = vsnprintf(NULL, 0, format, copy);
    va_end(copy);
    TARE_ASSERT(length >= 0);
    char *text = arena_alloc(arena, (ptrdiff_t)length + 1, 1);
    vsnprintf(text, (size_t)length + 1, format, arguments);
    return text;
}

char *arena_printf(struct arena *arena, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    char *text = arena_vprintf(arena, format, arguments);
    va_end(arguments);
    return text;
}

struct arena_mark arena_mark(const struct arena *arena)
{
    return (struct arena_mark){
        .block = arena->block,
        .used_bytes = arena->block != NULL ? arena->block->used_bytes : 0,
    };
}

void arena_reset(struct arena *arena, struct arena_mark mark)
{
    while (arena->block != mark.block) {
        struct arena_block *older = arena->block->older;
        free(arena->block);
        arena->block = older;
    }
    if (arena->block != NULL) {
        arena->block->used_bytes = mark.used_bytes;
    }
}

void arena_free(struct arena *arena)
{
    arena_reset(arena, (struct arena_mark){0});
    *arena = (struct arena){0};
}

void arena_set_failure_hook(void (*hook)(void))
{
    failure_hook = hook;
}

void arena_fail_nth_block(ptrdiff_t nth)
{
    blocks_until_failure = nth;
}
