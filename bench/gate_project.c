/* gate_project.c: twenty benchmarks of mixed kind, the project that bench/gate judges.
 *
 * Built with -DSLOWER, one of them (checksum) does 5 % more work and nothing else changes. */
#include <tare/tare.h>

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#ifdef SLOWER
enum { CHECKSUM_BYTES = 2100 };
#else
enum { CHECKSUM_BYTES = 2000 };
#endif

static uint64_t next_random(uint64_t *x)
{
    *x ^= *x << 13;
    *x ^= *x >> 7;
    *x ^= *x << 17;
    return *x;
}

/* Dependent arithmetic. */
static void chain(struct tare_state *t, int steps)
{
    TARE_LOOP(t)
    {
        uint64_t x = 88172645463325252u;
        for (int i = 0; i < steps; i++) {
            next_random(&x);
        }
        tare_keep(x);
    }
}

TARE_BENCHMARK(chain_short)
{
    chain(t, 60);
}

TARE_BENCHMARK(chain_medium)
{
    chain(t, 600);
}

TARE_BENCHMARK(chain_long)
{
    chain(t, 20000);
}

TARE_BENCHMARK(divide)
{
    TARE_LOOP(t)
    {
        uint64_t sum = 0;
        for (uint64_t i = 1; i < 200; i++) {
            uint64_t divisor = i;
            tare_keep(divisor);
            sum += 0x123456789abcdefu / divisor;
        }
        tare_keep(sum);
    }
}

TARE_BENCHMARK(multiply_add)
{
    TARE_LOOP(t)
    {
        double sum = 1;
        for (int i = 0; i < 400; i++) {
            sum = sum * 1.0000001 + 0.5;
        }
        tare_keep(sum);
    }
}

/* Branches that cannot be predicted, and some that can. */
static void branches(struct tare_state *t, unsigned mask)
{
    uint64_t x = 42;
    TARE_LOOP(t)
    {
        uint64_t sum = 0;
        for (int i = 0; i < 300; i++) {
            if ((next_random(&x) & mask) == 0) {
                sum += x >> 33;
                tare_keep(sum);
            } else {
                sum ^= x;
            }
        }
        tare_keep(sum);
    }
}

TARE_BENCHMARK(branch_random)
{
    branches(t, 1);
}

TARE_BENCHMARK(branch_rare)
{
    branches(t, 63);
}

/* Bytes. */
static unsigned char text[4096];

static void fill_text(void)
{
    uint64_t x = 7;
    for (size_t i = 0; i < sizeof text; i++) {
        text[i] = (unsigned char)('a' + next_random(&x) % 26);
    }
}

TARE_BENCHMARK(checksum)
{
    fill_text();
    TARE_LOOP(t)
    {
        uint64_t hash = 0xcbf29ce484222325u;
        for (int i = 0; i < CHECKSUM_BYTES; i++) {
            hash = (hash ^ text[i]) * 0x100000001b3u;
        }
        tare_keep(hash);
    }
}

TARE_BENCHMARK(count_letters)
{
    fill_text();
    TARE_LOOP(t)
    {
        int counts[32] = {0};
        for (int i = 0; i < 1500; i++) {
            counts[text[i] & 31]++;
        }
        tare_keep(counts);
    }
}

TARE_BENCHMARK(find_byte)
{
    fill_text();
    TARE_LOOP(t)
    {
        const void *found = memchr(text, '!', sizeof text);
        tare_keep(found);
    }
}

TARE_BENCHMARK(compare_text)
{
    fill_text();
    static unsigned char copy[sizeof text];
    memcpy(copy, text, sizeof text);
    TARE_LOOP(t)
    {
        int difference = memcmp(text, copy, sizeof text);
        tare_keep(difference);
    }
}

TARE_BENCHMARK(parse_numbers)
{
    static const char numbers[] = "17 42 99999 123456 7 8 9 1000000 31415 27182 161803 14142 ";
    TARE_LOOP(t)
    {
        uint64_t sum = 0;
        uint64_t value = 0;
        for (const char *c = numbers; *c != '\0'; c++) {
            if (*c == ' ') {
                sum += value;
                value = 0;
            } else {
                value = value * 10 + (uint64_t)(*c - '0');
            }
        }
        tare_keep(sum);
    }
}

/* Sorting and searching. */
static void insertion_sort(int *values, int count)
{
    for (int i = 1; i < count; i++) {
        int value = values[i];
        int k = i;
        for (; k > 0 && values[k - 1] > value; k--) {
            values[k] = values[k - 1];
        }
        values[k] = value;
    }
}

static void sort_some(struct tare_state *t, int count)
{
    int source[128];
    uint64_t x = 99;
    for (int i = 0; i < count; i++) {
        source[i] = (int)(next_random(&x) % 1000);
    }
    TARE_LOOP(t)
    {
        int values[128];
        memcpy(values, source, sizeof(int) * (size_t)count);
        insertion_sort(values, count);
        tare_keep(values);
    }
}

TARE_BENCHMARK(sort_16)
{
    sort_some(t, 16);
}

TARE_BENCHMARK(sort_64)
{
    sort_some(t, 64);
}

TARE_BENCHMARK(search_sorted)
{
    static int values[1024];
    for (int i = 0; i < 1024; i++) {
        values[i] = i * 3;
    }
    uint64_t x = 5;
    TARE_LOOP(t)
    {
        int wanted = (int)(next_random(&x) % 3072);
        int low = 0;
        int high = 1024;
        while (low < high) {
            int middle = (low + high) / 2;
            if (values[middle] < wanted) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        tare_keep(low);
    }
}

/* Memory of several sizes. */
static void sum_words(struct tare_state *t, size_t count)
{
    uint64_t *words = malloc(count * sizeof *words);
    for (size_t i = 0; i < count; i++) {
        words[i] = i;
    }
    TARE_LOOP(t)
    {
        uint64_t sum = 0;
        for (size_t i = 0; i < count; i++) {
            sum += words[i];
        }
        tare_keep(sum);
    }
    free(words);
}

TARE_BENCHMARK(sum_16k)
{
    sum_words(t, 2048);
}

TARE_BENCHMARK(sum_256k)
{
    sum_words(t, 32768);
}

TARE_BENCHMARK(copy_64k)
{
    char *from = malloc(65536);
    char *to = malloc(65536);
    memset(from, 1, 65536);
    TARE_LOOP(t)
    {
        memcpy(to, from, 65536);
        tare_keep(to);
    }
    free(from);
    free(to);
}

TARE_BENCHMARK(small_blocks)
{
    TARE_LOOP(t)
    {
        void *blocks[16];
        for (int i = 0; i < 16; i++) {
            blocks[i] = malloc((size_t)(16 + i * 24));
            tare_keep(blocks[i]);
        }
        for (int i = 0; i < 16; i++) {
            free(blocks[i]);
        }
    }
}

TARE_BENCHMARK(walk_256k)
{
    enum { NODES = 4096 };
    static uint32_t ring[NODES * 16];
    for (uint32_t i = 0; i < NODES; i++) {
        ring[i * 16] = ((i * 1664525u + 1013904223u) & (NODES - 1)) * 16;
    }
    uint32_t at = 0;
    TARE_LOOP(t)
    {
        for (int i = 0; i < 200; i++) {
            at = ring[at];
        }
        tare_keep(at);
    }
}

TARE_MAIN()
