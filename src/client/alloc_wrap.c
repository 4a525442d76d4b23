/* alloc_wrap.c: the allocation counters of a static link. The linker's --wrap option sends every
 * call of malloc here and makes the original known as __real_malloc:
 *
 *     cc -static bench.c $(pkg-config --libs --static tare) $(pkg-config --variable=wrap_alloc
 * tare)
 *
 * A member of libtare.a of its own, so that a program linked without these options never sees it.
 * The counters cost a few nanoseconds per call and so belong in a build of their own, not in the
 * timed one. */
#include "client/alloc_count.h"

#include <errno.h>

void *__real_malloc(size_t bytes);
void *__real_calloc(size_t count, size_t bytes);
void *__real_realloc(void *block, size_t bytes);
void __real_free(void *block);
void *__real_aligned_alloc(size_t alignment, size_t bytes);
int __real_posix_memalign(void **block, size_t alignment, size_t bytes);

#define EXPORT __attribute__((visibility("default")))
EXPORT void *__wrap_malloc(size_t bytes);
EXPORT void *__wrap_calloc(size_t count, size_t bytes);
EXPORT void *__wrap_realloc(void *block, size_t bytes);
EXPORT void *__wrap_reallocarray(void *block, size_t count, size_t bytes);
EXPORT void __wrap_free(void *block);
EXPORT void *__wrap_aligned_alloc(size_t alignment, size_t bytes);
EXPORT int __wrap_posix_memalign(void **block, size_t alignment, size_t bytes);

void *__wrap_malloc(size_t bytes)
{
    return heap_took(__real_malloc(bytes), bytes);
}

void *__wrap_calloc(size_t count, size_t bytes)
{
    return heap_took(__real_calloc(count, bytes), count * bytes);
}

void *__wrap_realloc(void *block, size_t bytes)
{
    int64_t old_bytes = block != NULL ? (int64_t)malloc_usable_size(block) : 0;
    void *moved = __real_realloc(block, bytes);
    if (block != NULL && (moved != NULL || bytes == 0)) {
        heap_live_add(-old_bytes);
    }
    return heap_took(moved, bytes);
}

void *__wrap_reallocarray(void *block, size_t count, size_t bytes)
{
    size_t total = 0;
    if (__builtin_mul_overflow(count, bytes, &total)) {
        errno = ENOMEM;
        return NULL;
    }
    return __wrap_realloc(block, total);
}

void __wrap_free(void *block)
{
    heap_gives(block);
    __real_free(block);
}

void *__wrap_aligned_alloc(size_t alignment, size_t bytes)
{
    return heap_took(__real_aligned_alloc(alignment, bytes), bytes);
}

int __wrap_posix_memalign(void **block, size_t alignment, size_t bytes)
{
    int error = __real_posix_memalign(block, alignment, bytes);
    if (error == 0) {
        heap_took(*block, bytes);
    }
    return error;
}
