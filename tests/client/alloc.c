/* alloc.c: benchmarks with a known number of allocations; alloc.bats compares what is counted. */
#include <stdlib.h>
#include <string.h>
#include <tare/tare.h>

/* Three allocations of 100 + 200 + 4 bytes a pass; none is live for longer than the pass. */
TARE_BENCHMARK(three)
{
    free(malloc(5000)); /* not in the loop: not counted */
    TARE_LOOP(t)
    {
        char *first = malloc(100);
        tare_keep(first);
        char *second = realloc(first, 200);
        tare_keep(second);
        char *third = strdup("abc");
        tare_keep(third);
        free(third);
        free(second);
    }
    free(malloc(5000));
}

TARE_BENCHMARK(none)
{
    TARE_LOOP(t)
    {
        tare_clobber();
    }
}

/* Every way to ask for memory, once a pass: 6 allocations. */
TARE_BENCHMARK(ways)
{
    TARE_LOOP(t)
    {
        void *blocks[6] = {malloc(10), calloc(5, 2), aligned_alloc(64, 64), NULL, NULL, NULL};
        if (posix_memalign(&blocks[3], 64, 10) != 0) {
            blocks[3] = NULL;
        }
        blocks[4] = reallocarray(NULL, 5, 2);
        blocks[5] = realloc(NULL, 10);
        for (int i = 0; i < 6; i++) {
            tare_keep(blocks[i]);
            free(blocks[i]);
        }
    }
}

/* Each of two threads allocates once a pass. */
TARE_BENCHMARK(both)
{
    TARE_LOOP(t)
    {
        void *block = malloc(50);
        tare_keep(block);
        free(block);
    }
}

TARE_DESCRIBE(both)
{
    tare_threads(d, "2");
}

/* Keeps 8 blocks of 1000 bytes alive until the end of the pass. */
TARE_BENCHMARK(peak)
{
    TARE_LOOP(t)
    {
        void *blocks[8];
        for (int i = 0; i < 8; i++) {
            blocks[i] = malloc(1000);
            tare_keep(blocks[i]);
        }
        for (int i = 0; i < 8; i++) {
            free(blocks[i]);
        }
    }
}

TARE_MAIN()
