/* alloc_count.h: the arithmetic of the allocation counters, shared by the preloaded shim and by the
 * wrapped functions of a static link. Relaxed atomics: totals are read when the threads have met,
 * and a lock in malloc would change what is measured. Costs three to five atomic additions per
 * call. */
#ifndef TARE_CLIENT_ALLOC_COUNT_H
#define TARE_CLIENT_ALLOC_COUNT_H

#include "client/alloc.h"

#include <malloc.h>
#include <stdatomic.h>
#include <stddef.h>

static _Atomic uint64_t heap_allocations;
static _Atomic uint64_t heap_allocated_bytes;
static _Atomic int64_t heap_live_bytes;
static _Atomic int64_t heap_peak_live_bytes;

static inline void heap_live_add(int64_t bytes)
{
    int64_t live = atomic_fetch_add_explicit(&heap_live_bytes, bytes, memory_order_relaxed) + bytes;
    int64_t peak = atomic_load_explicit(&heap_peak_live_bytes, memory_order_relaxed);
    while (live > peak &&
           !atomic_compare_exchange_weak_explicit(&heap_peak_live_bytes, &peak, live,
                                                  memory_order_relaxed, memory_order_relaxed)) {
    }
}

/* A new block; NULL (the allocator refused) counts nothing. */
static inline void *heap_took(void *block, size_t asked_bytes)
{
    if (block != NULL) {
        atomic_fetch_add_explicit(&heap_allocations, 1, memory_order_relaxed);
        atomic_fetch_add_explicit(&heap_allocated_bytes, asked_bytes, memory_order_relaxed);
        heap_live_add((int64_t)malloc_usable_size(block));
    }
    return block;
}

/* Before a block is given back: afterwards its size is not known any more. */
static inline void heap_gives(void *block)
{
    if (block != NULL) {
        heap_live_add(-(int64_t)malloc_usable_size(block));
    }
}

__attribute__((visibility("default"))) void tare_heap_counts(struct tare_heap_totals *totals,
                                                             int restart_peak);
void tare_heap_counts(struct tare_heap_totals *totals, int restart_peak)
{
    int64_t live = atomic_load(&heap_live_bytes);
    if (restart_peak) {
        atomic_store(&heap_peak_live_bytes, live);
    }
    *totals = (struct tare_heap_totals){.allocations = atomic_load(&heap_allocations),
                                        .allocated_bytes = atomic_load(&heap_allocated_bytes),
                                        .live_bytes = live,
                                        .peak_live_bytes = atomic_load(&heap_peak_live_bytes)};
}

#endif
