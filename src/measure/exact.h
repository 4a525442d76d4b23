/* exact.h: what is counted bit for bit in a fixed environment: instructions, and bytes of a
 * program.
 *
 * Exact counts need no statistics, but must repeat: they are taken twice, and two counts that
 * differ make the metric invalid with both numbers. A program that fails while it is counted makes
 * the metric invalid, not the benchmark. */
#ifndef TARE_MEASURE_EXACT_H
#define TARE_MEASURE_EXACT_H

#include "measure/target.h"

/* Metrics counted here. */
extern const char measure_instructions_name[]; /* "instructions" */
extern const char measure_size_name[];         /* "binary_size", of the file */

/* Adds the metric "instructions". `iterations` as in target.h: 0 before the first side. */
tare_status measure_instructions(struct arena *arena, struct measure_target *target,
                                 const struct valgrind *valgrind, double *iterations,
                                 const struct measure_clock *clock,
                                 struct model_benchmark *benchmark, struct tare_error *error);

/* Adds the metric "binary_size", and for ELF files "text_size" (code), "rodata_size" (constants)
 * and "data_size" (initialised variables). */
void measure_size(struct arena *arena, const struct measure_target *target,
                  struct model_benchmark *benchmark);

#endif
