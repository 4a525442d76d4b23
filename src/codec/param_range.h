/* param_range.h: parameters of a command line, their products, and {name} in the command's words.
 *
 *   --param n=1,2,4         1, 2, 4                 any texts; "\," is a comma within one
 *   --param n=4..64*2       4, 8, 16, 32, 64        by factors, while not beyond the end
 *   --param n=1..10+3       1, 4, 7, 10             by steps; without either, by 1
 *   --param n=1k..4k*2,10k  1000, 2000, 4000, 10k   numbers of a range may end in k, M, G (powers
 * of 1000)
 *
 * Every mistake is TARE_ERROR_USAGE with the parameter's name in it. */
#ifndef TARE_CODEC_PARAM_RANGE_H
#define TARE_CODEC_PARAM_RANGE_H

#include "base/arena.h"
#include "base/error.h"
#include "model/model.h"

#include <stdbool.h>

enum {
    PARAM_VALUES_MAX = 10000,       /* of one parameter */
    PARAM_COMBINATIONS_MAX = 10000, /* of all: each is a benchmark of its own */
    PARAM_TEXT_BYTES_MAX = 64 * 1024,
};

struct param_range {
    const char *name;
    const char **values; /* at least one, all different */
    ptrdiff_t count;
};

tare_status param_range_parse(struct arena *arena, const char *text, struct param_range *range,
                              struct tare_error *error);

/* How many combinations the ranges have (1 for none); names given twice and too many are errors. */
tare_status param_range_combinations(const struct param_range *ranges, ptrdiff_t count,
                                     ptrdiff_t *combinations, struct tare_error *error);
/* The i-th combination, one parameter per range in their order; the last range runs fastest. */
void param_range_choose(const struct param_range *ranges, ptrdiff_t count, ptrdiff_t combination,
                        struct model_parameter *chosen);

/* The text with every {name} of a parameter replaced by its value; other braces stay as they are. A
 * value is not looked at again. */
char *param_range_substitute(struct arena *arena, const char *text,
                             const struct model_parameter *parameters, ptrdiff_t count);
/* Does the text hold {name}? */
bool param_range_is_used(const char *text, const char *name);

#endif
