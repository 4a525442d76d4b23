/* demo.c: small real benchmarks that show what libtare can do; `make run` measures them.
 *
 *     sort     two implementations held against each other, fresh input for every pass, growth with
 * n find     a byte pattern in a text: throughput, a naive reference and the C library's search
 *     hash     throughput over the size of the input
 *     copy     memory bandwidth over the caches
 *     dot      floating-point operations, equal within a tolerance
 *     insert   latency of single requests: a table that grows now and then
 *     counter  two threads on one atomic */
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <tare/tare.h>

/* A small generator (Marsaglia's xorshift), so that every run has the same input. */
static uint64_t next_random(uint64_t *state)
{
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    return *state;
}

static const uint64_t SEED = 88172645463325252;

/* Zeroed bytes for a benchmark's input; without memory it has nothing to measure and says so. */
static void *take(struct tare_state *t, size_t bytes)
{
    void *memory = calloc(1, bytes);
    if (memory == NULL) {
        tare_fail(t, "out of memory for %zu bytes", bytes);
    }
    return memory;
}

/* ---- sort ---- */

static int compare_u32(const void *a, const void *b)
{
    uint32_t left = *(const uint32_t *)a;
    uint32_t right = *(const uint32_t *)b;
    return (left > right) - (left < right);
}

/* Four passes over the bytes, least significant first, back and forth between two arrays. */
static void radix_sort(uint32_t *numbers, uint32_t *spare, size_t count)
{
    for (int shift = 0; shift < 32; shift += 8) {
        size_t starts[257] = {0};
        for (size_t i = 0; i < count; i++) {
            starts[(numbers[i] >> shift & 0xFF) + 1]++;
        }
        for (int b = 0; b < 256; b++) {
            starts[b + 1] += starts[b];
        }
        for (size_t i = 0; i < count; i++) {
            spare[starts[numbers[i] >> shift & 0xFF]++] = numbers[i];
        }
        uint32_t *other = numbers;
        numbers = spare;
        spare = other;
    }
}

/* Every pass of the loop sorts an array of its own: they are made here, outside of the timed
 * region. */
static uint32_t *unsorted_arrays(struct tare_state *t, size_t n)
{
    size_t total = n * (size_t)tare_iterations(t);
    uint32_t *numbers = take(t, (total + n) * sizeof *numbers); /* n more: radix_sort's spare */
    uint64_t state = SEED;
    for (size_t i = 0; numbers != NULL && i < total; i++) {
        numbers[i] = (uint32_t)next_random(&state);
    }
    return numbers;
}

TARE_BENCHMARK(sort)
{
    size_t n = (size_t)tare_param(t, "n");
    uint32_t *numbers = unsorted_arrays(t, n);
    uint32_t *next = numbers;
    if (numbers == NULL) {
        return;
    }
    TARE_LOOP(t)
    {
        qsort(next, n, sizeof *next, compare_u32);
        next += n;
    }
    tare_items(t, (double)n);
    tare_result(t, numbers, n * sizeof *numbers);
    free(numbers);
}

TARE_VARIANT(sort, radix)
{
    size_t n = (size_t)tare_param(t, "n");
    uint32_t *numbers = unsorted_arrays(t, n);
    if (numbers == NULL) {
        return;
    }
    uint32_t *spare = numbers + n * (size_t)tare_iterations(t);
    uint32_t *next = numbers;
    TARE_LOOP(t)
    {
        radix_sort(next, spare, n);
        next += n;
    }
    tare_items(t, (double)n);
    tare_result(t, numbers, n * sizeof *numbers);
    free(numbers);
}

TARE_DESCRIBE(sort)
{
    tare_reference(d, "qsort");
    tare_params(d, "n", "100..100k*10");
    tare_fit_size(d, "n");
    tare_batch(d, 16);
}

/* ---- find ---- */

enum { TEXT_BYTES = 64 * 1024 };
static const char NEEDLE[] = "needle";

static void text_setup(struct tare_state *t)
{
    char *text = take(t, TEXT_BYTES);
    uint64_t state = SEED;
    for (int i = 0; text != NULL && i < TEXT_BYTES; i++) {
        text[i] = (char)('a' + next_random(&state) % 26);
    }
    if (text != NULL) {
        memcpy(text + TEXT_BYTES - sizeof NEEDLE, NEEDLE, sizeof NEEDLE);
    }
    tare_set_data(t, text);
}

static void data_teardown(struct tare_state *t)
{
    free(tare_data(t));
}

static const char *find_naive(const char *text, const char *needle)
{
    size_t length = strlen(needle);
    for (; *text != '\0'; text++) {
        if (strncmp(text, needle, length) == 0) {
            return text;
        }
    }
    return NULL;
}

TARE_BENCHMARK(find)
{
    const char *text = tare_data(t);
    ptrdiff_t place = 0;
    TARE_LOOP(t)
    {
        place = find_naive(tare_opaque(text), NEEDLE) - text;
        tare_keep(place);
    }
    tare_bytes(t, TEXT_BYTES);
    tare_result(t, &place, sizeof place);
}

TARE_VARIANT(find, strstr)
{
    const char *text = tare_data(t);
    ptrdiff_t place = 0;
    TARE_LOOP(t)
    {
        place = strstr(tare_opaque(text), NEEDLE) - text;
        tare_keep(place);
    }
    tare_bytes(t, TEXT_BYTES);
    tare_result(t, &place, sizeof place);
}

TARE_DESCRIBE(find)
{
    tare_reference(d, "naive");
    tare_setup(d, text_setup, data_teardown);
}

/* ---- hash ---- */

/* FNV-1a, 64 bits: one multiplication a byte. */
static uint64_t hash_fnv(const unsigned char *bytes, size_t count)
{
    uint64_t hash = 14695981039346656037u;
    for (size_t i = 0; i < count; i++) {
        hash = (hash ^ bytes[i]) * 1099511628211u;
    }
    return hash;
}

TARE_BENCHMARK_NAMED(hash, "hash/fnv1a")
{
    size_t size = (size_t)tare_param(t, "size");
    unsigned char *bytes = take(t, size);
    if (bytes == NULL) {
        return;
    }
    memset(bytes, 'x', size);
    TARE_LOOP(t)
    {
        tare_keep(hash_fnv(tare_opaque(bytes), size));
#ifdef DEMO_SLOWER /* a sixteenth more work, for a comparison that has something to find */
        tare_keep(hash_fnv(tare_opaque(bytes), size / 16));
#endif
    }
    tare_bytes(t, (double)size);
    free(bytes);
}

/* The hash of one letter, from the published test vectors. */
static void hash_check(struct tare_state *t)
{
    tare_expect(t, hash_fnv((const unsigned char *)"a", 1) == 0xaf63dc4c8601ec8c,
                "FNV-1a of \"a\" is wrong");
}

TARE_DESCRIBE(hash)
{
    tare_params(d, "size", "16..64Ki*16");
    tare_fit_size(d, "size");
    tare_check(d, hash_check);
}

/* ---- copy ---- */

TARE_BENCHMARK(copy)
{
    size_t size = (size_t)tare_param(t, "size");
    /* Half a page apart: at equal offsets in their pages some CPUs take a load for a copy of an
     * earlier store and wait, and the figure would be that of an accident of malloc. */
    char *from = take(t, 2 * size + 2048);
    if (from == NULL) {
        return;
    }
    char *to = from + size + 2048;
    memset(from, 1, 2 * size + 2048);
    TARE_LOOP(t)
    {
        memcpy(to, from, size);
        tare_keep(to);
    }
    tare_bytes(t, (double)size);
    free(from);
}

TARE_DESCRIBE(copy)
{
    tare_params(d, "size", "16Ki,1Mi,64Mi");
}

/* ---- dot ---- */

enum { DOT_COUNT = 4096 };

static void dot_setup(struct tare_state *t)
{
    double *values = take(t, 2 * DOT_COUNT * sizeof *values);
    uint64_t state = SEED;
    for (int i = 0; values != NULL && i < 2 * DOT_COUNT; i++) {
        values[i] = (double)(next_random(&state) >> 11) / 9007199254740992.0 - 0.5;
    }
    tare_set_data(t, values);
}

TARE_BENCHMARK(dot)
{
    const double *a = tare_data(t);
    const double *b = a + DOT_COUNT;
    double sum = 0;
    TARE_LOOP(t)
    {
        tare_clobber();
        sum = 0;
        for (int i = 0; i < DOT_COUNT; i++) {
            sum += a[i] * b[i];
        }
        tare_keep(sum);
    }
    tare_flops(t, 2.0 * DOT_COUNT);
    tare_result_near(t, &sum, 1, 1e-12);
}

/* Four sums at once: an addition need not wait for the one before. */
TARE_VARIANT(dot, unrolled)
{
    const double *a = tare_data(t);
    const double *b = a + DOT_COUNT;
    double sum = 0;
    TARE_LOOP(t)
    {
        tare_clobber();
        double sums[4] = {0};
        for (int i = 0; i < DOT_COUNT; i += 4) {
            for (int k = 0; k < 4; k++) {
                sums[k] += a[i + k] * b[i + k];
            }
        }
        sum = (sums[0] + sums[1]) + (sums[2] + sums[3]);
        tare_keep(sum);
    }
    tare_flops(t, 2.0 * DOT_COUNT);
    tare_result_near(t, &sum, 1, 1e-12);
}

TARE_DESCRIBE(dot)
{
    tare_reference(d, "plain");
    tare_setup(d, dot_setup, data_teardown);
}

/* ---- insert ---- */

/* Open addressing, doubled when half full: most calls are quick, the one that grows is not. */
struct table {
    uint64_t *keys; /* 0: free */
    size_t size, used;
};

static void table_put(struct table *table, uint64_t key)
{
    size_t place = (size_t)(key * 0x9E3779B97F4A7C15u) & (table->size - 1);
    while (table->keys[place] != 0 && table->keys[place] != key) {
        place = (place + 1) & (table->size - 1);
    }
    table->used += table->keys[place] == 0;
    table->keys[place] = key;
}

static int table_insert(struct table *table, uint64_t key)
{
    if (table->used * 2 >= table->size) {
        struct table larger = {.size = table->size * 2};
        larger.keys = calloc(larger.size, sizeof *larger.keys);
        if (larger.keys == NULL) {
            return 0;
        }
        for (size_t i = 0; i < table->size; i++) {
            if (table->keys[i] != 0) {
                table_put(&larger, table->keys[i]);
            }
        }
        free(table->keys);
        *table = larger;
    }
    table_put(table, key);
    return 1;
}

/* Some keys at a time: a single one takes hardly longer than reading the clock. */
enum { KEYS_PER_REQUEST = 32 };

TARE_BENCHMARK(insert)
{
    uint64_t state = SEED;
    struct table table = {.size = 16};
    table.keys = calloc(table.size, sizeof *table.keys);
    int is_done = table.keys != NULL;
    if (!is_done) {
        tare_fail(t, "out of memory");
        return;
    }
    TARE_LOOP_LATENCY(t)
    {
        for (int i = 0; i < KEYS_PER_REQUEST; i++) {
            is_done &= table_insert(&table, next_random(&state) | 1);
        }
    }
    tare_expect(t, is_done, "out of memory while inserting");
    free(table.keys);
}

TARE_DESCRIBE(insert)
{
    tare_batch(d, 10000);
}

/* ---- counter ---- */

static _Atomic uint64_t counter;

TARE_BENCHMARK(counter)
{
    TARE_LOOP(t)
    {
        atomic_fetch_add(&counter, 1);
    }
    tare_items(t, 1);
}

TARE_DESCRIBE(counter)
{
    tare_threads(d, "1,2");
}

TARE_MAIN()
