/* random.h: a small reproducible generator, passed as an argument so that tests can replace it.
 *
 * xoshiro256** (Blackman and Vigna, "Scrambled linear pseudorandom number generators", 2021),
 * seeded through splitmix64. Not for secrets. The same seed gives the same numbers on every
 * machine. */
#ifndef TARE_BASE_RANDOM_H
#define TARE_BASE_RANDOM_H

#include <stdint.h>

struct random {
    uint64_t state[4];
};

struct random random_seeded(uint64_t seed);
uint64_t random_u64(struct random *random);
/* Uniform in [0, bound), without modulo bias; bound > 0. */
uint64_t random_below(struct random *random, uint64_t bound);
/* Uniform in [0, 1) with 53 bits. */
double random_unit(struct random *random);
/* Standard normal (Marsaglia's polar method). */
double random_normal(struct random *random);

#endif
