/* alloc.h: what the allocation counters tell libtare: totals of the process since it started. */
#ifndef TARE_CLIENT_ALLOC_H
#define TARE_CLIENT_ALLOC_H

#include <stdint.h>

struct tare_heap_totals {
    uint64_t allocations;     /* successful malloc, calloc, realloc, aligned_alloc … */
    uint64_t allocated_bytes; /* as asked for */
    int64_t live_bytes;       /* as the allocator rounded them up, not yet freed */
    int64_t peak_live_bytes;  /* largest live_bytes since the peak was restarted */
};

#endif
