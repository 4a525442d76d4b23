/* alloc_shim.c: libtare-alloc.so, to be preloaded: counts what the program allocates and passes it
 * on.
 *
 *     LD_PRELOAD=libtare-alloc.so ./bench
 *
 * The next allocator is found with dlsym, which may itself allocate before it has answered; such
 * calls are served from a small static store, whose blocks are never given back. No thread-local
 * storage and no locks: safe before constructors ran, in any thread, and wherever malloc itself is.
 */
#include "client/alloc_count.h"

#include <dlfcn.h>
#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define EXPORT __attribute__((visibility("default")))

static struct {
    void *(*malloc)(size_t);
    void *(*calloc)(size_t, size_t);
    void *(*realloc)(void *, size_t);
    void (*free)(void *);
    void *(*memalign)(size_t, size_t);
} next;

/* dlsym asks for a few hundred bytes at most; the rest is for other libraries' constructors. */
enum { EARLY_BYTES = 64 * 1024, EARLY_ALIGNMENT = 16 };
static _Alignas(EARLY_ALIGNMENT) char early_store[EARLY_BYTES];
static _Atomic size_t early_used;

static bool is_early(const void *block)
{
    return (uintptr_t)block >= (uintptr_t)early_store &&
           (uintptr_t)block < (uintptr_t)early_store + sizeof early_store;
}

/* Zeroed, each block behind its size, so that realloc can copy it. */
static void *early_alloc(size_t bytes)
{
    size_t rounded = (bytes + 2 * EARLY_ALIGNMENT - 1) / EARLY_ALIGNMENT * EARLY_ALIGNMENT;
    if (bytes > EARLY_BYTES) {
        return NULL;
    }
    size_t start = atomic_fetch_add(&early_used, rounded);
    if (start + rounded > EARLY_BYTES) {
        return NULL;
    }
    memcpy(early_store + start, &bytes, sizeof bytes);
    return early_store + start + EARLY_ALIGNMENT;
}

static size_t early_size(const void *block)
{
    size_t bytes = 0;
    memcpy(&bytes, (const char *)block - EARLY_ALIGNMENT, sizeof bytes);
    return bytes;
}

/* True once the next allocator is known. While dlsym runs, calls from within it find is_finding
 * set. */
static bool is_ready(void)
{
    static _Atomic int stage; /* 0: nobody asked, 1: being found, 2: found */
    if (__builtin_expect(atomic_load_explicit(&stage, memory_order_acquire) == 2, 1)) {
        return true;
    }
    int expected = 0;
    if (!atomic_compare_exchange_strong(&stage, &expected, 1)) {
        return expected == 2;
    }
    *(void **)&next.malloc = dlsym(RTLD_NEXT, "malloc");
    *(void **)&next.calloc = dlsym(RTLD_NEXT, "calloc");
    *(void **)&next.realloc = dlsym(RTLD_NEXT, "realloc");
    *(void **)&next.free = dlsym(RTLD_NEXT, "free");
    *(void **)&next.memalign = dlsym(RTLD_NEXT, "aligned_alloc");
    void *memalign_there = dlsym(RTLD_NEXT, "memalign");
    if (memalign_there != NULL) { /* takes sizes that are no multiple of the alignment */
        *(void **)&next.memalign = memalign_there;
    }
    atomic_store_explicit(&stage, 2, memory_order_release);
    return true;
}

/* glibc's own headers declare these with attributes; the names below are the program's view of
 * them. */
EXPORT void *malloc(size_t bytes)
{
    return is_ready() ? heap_took(next.malloc(bytes), bytes) : early_alloc(bytes);
}

EXPORT void *calloc(size_t count, size_t bytes)
{
    if (is_ready()) {
        return heap_took(next.calloc(count, bytes), count * bytes);
    }
    size_t total = 0;
    return __builtin_mul_overflow(count, bytes, &total) ? NULL : early_alloc(total);
}

EXPORT void free(void *block)
{
    if (block == NULL || is_early(block) || !is_ready()) {
        return;
    }
    int errno_before = errno;
    heap_gives(block);
    next.free(block);
    errno = errno_before;
}

EXPORT void *realloc(void *block, size_t bytes)
{
    if (block == NULL) {
        return malloc(bytes);
    }
    if (is_early(block)) {
        void *copy = malloc(bytes);
        if (copy != NULL) {
            size_t old_bytes = early_size(block);
            memcpy(copy, block, old_bytes < bytes ? old_bytes : bytes);
        }
        return copy;
    }
    if (!is_ready()) {
        return NULL;
    }
    int64_t old_bytes = (int64_t)malloc_usable_size(block);
    void *moved = next.realloc(block, bytes);
    if (moved != NULL || bytes == 0) {
        heap_live_add(-old_bytes);
    }
    return heap_took(moved, bytes);
}

EXPORT void *reallocarray(void *block, size_t count, size_t bytes)
{
    size_t total = 0;
    if (__builtin_mul_overflow(count, bytes, &total)) {
        errno = ENOMEM;
        return NULL;
    }
    return realloc(block, total);
}

EXPORT void *memalign(size_t alignment, size_t bytes)
{
    if (!is_ready()) {
        return alignment <= EARLY_ALIGNMENT ? early_alloc(bytes) : NULL;
    }
    return heap_took(next.memalign(alignment, bytes), bytes);
}

EXPORT void *aligned_alloc(size_t alignment, size_t bytes)
{
    return memalign(alignment, bytes);
}

EXPORT int posix_memalign(void **block, size_t alignment, size_t bytes)
{
    if (alignment < sizeof(void *) || (alignment & (alignment - 1)) != 0) {
        return EINVAL;
    }
    int errno_before = errno;
    void *taken = memalign(alignment, bytes);
    errno = errno_before;
    if (taken == NULL) {
        return ENOMEM;
    }
    *block = taken;
    return 0;
}

EXPORT void *valloc(size_t bytes)
{
    return memalign((size_t)getpagesize(), bytes);
}

EXPORT void *pvalloc(size_t bytes)
{
    size_t page = (size_t)getpagesize();
    return memalign(page, (bytes + page - 1) / page * page);
}
