#include "base/random.h"

#include "base/assert.h"

#include <math.h>

static uint64_t rotate_left(uint64_t value, int bits)
{
    return (value << bits) | (value >> (64 - bits));
}

static uint64_t splitmix64(uint64_t *state)
{
    uint64_t z = (*state += 0x9E3779B97F4A7C15u);
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
    return z ^ (z >> 31);
}

struct random random_seeded(uint64_t seed)
{
    struct random random;
    for (int i = 0; i < 4; i++) {
        random.state[i] = splitmix64(&seed);
    }
    return random;
}

uint64_t random_u64(struct random *random)
{
    uint64_t *s = random->state;
    uint64_t result = rotate_left(s[1] * 5, 7) * 9;
    uint64_t t = s[1] << 17;
    s[2] ^= s[0];
    s[3] ^= s[1];
    s[1] ^= s[2];
    s[0] ^= s[3];
    s[2] ^= t;
    s[3] = rotate_left(s[3], 45);
    return result;
}

uint64_t random_below(struct random *random, uint64_t bound)
{
    TARE_ASSERT(bound > 0);
    uint64_t reject_below = (0 - bound) % bound; /* 2^64 mod bound */
    uint64_t value = random_u64(random);
    while (value < reject_below) {
        value = random_u64(random);
    }
    return value % bound;
}

double random_unit(struct random *random)
{
    return (double)(random_u64(random) >> 11) * 0x1.0p-53;
}

double random_normal(struct random *random)
{
    double u = 0;
    double s = 0;
    do {
        u = 2 * random_unit(random) - 1;
        double v = 2 * random_unit(random) - 1;
        s = u * u + v * v;
    } while (s >= 1 || s == 0);
    return u * sqrt(-2 * log(s) / s);
}
