/* counting.h: --count: what is counted exactly beside the measurement.
 *
 *   instructions   under Valgrind, per iteration of a program or per run of a command
 *   size           of the program's file and of its parts
 *   allocations    of programs linked with libtare, which count them unasked where they can
 *
 * A metric that decides (--gate) is counted without being asked for. */
#ifndef TARE_CLI_COUNTING_H
#define TARE_CLI_COUNTING_H

#include "base/random.h"
#include "cli/options.h"
#include "measure/target.h"
#include "model/policy.h"

struct counting {
    unsigned kinds; /* of enum model_count */
    struct valgrind valgrind;
    const char *path_note; /* NULL, or what Valgrind counts otherwise than the CPU runs it */
};

/* `words` are those of --count, each perhaps several with commas; `gate` the metrics that decide;
 * `configured` the kinds that tare.yaml names. An unknown word is TARE_ERROR_USAGE, instructions
 * without Valgrind TARE_ERROR_MEASURE. */
tare_status counting_open(struct arena *arena, const struct text_list *words,
                          const struct text_list *gate, unsigned configured,
                          struct counting *counting, struct tare_error *error);

/* All metrics that can be counted, NULL-terminated. */
const char *const *counting_metrics(void);

/* Will this metric be counted, other than the allocations, which come with the measurement? */
bool counting_has_metric(const struct counting *counting, const char *metric);

/* Counts what was asked for and adds it to the benchmark's metrics; what cannot be counted is an
 * invalid metric that says why. `iterations` is 0 for the first of several builds to be compared.
 * The command must be open. */
tare_status counting_benchmark(struct arena *arena, const struct counting *counting,
                               struct measure_target *target, double *iterations,
                               const struct measure_clock *clock, struct random *random,
                               struct model_benchmark *benchmark, struct tare_error *error);

/* Is a metric that was asked for invalid? */
bool counting_has_failed(const struct counting *counting, const struct model_benchmark *benchmark);

#endif
