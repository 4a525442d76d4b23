/* dip_table.c: prints src/stats/dip_table.h, the quantiles of √n × dip for uniform data.
 *
 *     dip_table [SAMPLES]      100,000 samples per size take about a minute; the seed is fixed
 *
 * The uniform is the distribution with one mode that looks most like two (Hartigan and Hartigan
 * 1985), so a p-value from this table is never too small. Independent check: R's diptest
 * (tests/oracle). */
#include "base/random.h"
#include "stats/modes.h"
#include "stats/order.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static const int sizes[] = {4,  5,  6,  7,  8,  9,  10,  12,  14,  17,
                            20, 25, 30, 40, 50, 75, 100, 200, 500, 1000};
static const double levels[] = {0.5, 0.7, 0.8, 0.9, 0.95, 0.98, 0.99, 0.995, 0.999};
enum {
    SIZES = sizeof sizes / sizeof sizes[0],
    LEVELS = sizeof levels / sizeof levels[0],
    SEED = 20,
};

static void print_row(int size, double *scaled, ptrdiff_t samples)
{
    stats_sort(scaled, samples);
    printf("    {%d, {", size);
    for (int level = 0; level < LEVELS; level++) {
        printf("%s%.4f", level > 0 ? ", " : "",
               stats_quantile_sorted(scaled, samples, levels[level], STATS_QUANTILE_TYPE7));
    }
    printf("}},\n");
}

int main(int argument_count, char **arguments)
{
    ptrdiff_t samples = argument_count > 1 ? atol(arguments[1]) : 100000;
    if (samples < 1000) {
        fprintf(stderr, "usage: dip_table [SAMPLES]   (at least 1000)\n");
        return 2;
    }
    struct arena arena = {0};
    double *scaled = ARENA_ARRAY(&arena, double, samples);
    double values[1000];
    printf("/* dip_table.h: quantiles of sqrt(n) x dip for uniform data, simulated.\n"
           " * Made by tests/simulate/dip_table.c with %td samples per size; do not edit. */\n"
           "#ifndef TARE_STATS_DIP_TABLE_H\n#define TARE_STATS_DIP_TABLE_H\n\n"
           "enum { DIP_SIZES = %d, DIP_LEVELS = %d };\n\n"
           "static const double dip_levels[DIP_LEVELS] = {",
           samples, SIZES, LEVELS);
    for (int level = 0; level < LEVELS; level++) {
        printf("%s%g", level > 0 ? ", " : "", levels[level]);
    }
    printf("};\n\nstatic const struct dip_row {\n    int size;\n"
           "    double scaled[DIP_LEVELS];\n} dip_rows[DIP_SIZES] = {\n");
    for (int s = 0; s < SIZES; s++) {
        struct random random = random_seeded(SEED + (uint64_t)sizes[s]);
        for (ptrdiff_t i = 0; i < samples; i++) {
            for (int v = 0; v < sizes[s]; v++) {
                values[v] = random_unit(&random);
            }
            scaled[i] = stats_dip(values, sizes[s], &arena).dip * sqrt((double)sizes[s]);
        }
        print_row(sizes[s], scaled, samples);
    }
    printf("};\n\n#endif\n");
    arena_free(&arena);
    return 0;
}
