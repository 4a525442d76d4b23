/* heap.c: asks the allocation counters, where they are there.
 *
 * They come from libtare-alloc.so (preloaded) or from the wrapped functions of a static link; both
 * define tare_heap_counts. Here it is a weak symbol: absent, its address is NULL. */
#include "client/client.h"

#include "client/alloc.h"

__attribute__((weak)) extern void tare_heap_counts(struct tare_heap_totals *totals,
                                                   int restart_peak);

bool client_heap_is_there(void)
{
    return tare_heap_counts != NULL;
}

void client_heap_begin(struct client_heap *before)
{
    struct tare_heap_totals totals = {0};
    if (client_heap_is_there()) {
        tare_heap_counts(&totals, 1);
    }
    *before = (struct client_heap){.allocations = totals.allocations,
                                   .allocated_bytes = totals.allocated_bytes,
                                   .live_bytes = totals.live_bytes};
}

void client_heap_end(const struct client_heap *before, struct client_heap *region)
{
    struct tare_heap_totals totals = {0};
    if (client_heap_is_there()) {
        tare_heap_counts(&totals, 0);
    }
    region->allocations += totals.allocations - before->allocations;
    region->allocated_bytes += totals.allocated_bytes - before->allocated_bytes;
    int64_t peak_bytes = totals.peak_live_bytes - before->live_bytes;
    if (peak_bytes > region->peak_live_bytes) {
        region->peak_live_bytes = peak_bytes;
    }
}
