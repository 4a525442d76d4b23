/* The generator: the numbers its authors publish, the same on every machine, and fair. */
#include "base/random.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

/* xoshiro256** from state {1, 2, 3, 4}: the first ten outputs of the reference implementation. */
static void test_reference_sequence(void **state)
{
    (void)state;
    static const uint64_t expected[] = {
        11520,
        0,
        1509978240,
        1215971899390074240,
        1216172134540287360,
        607988272756665600,
        16172922978634559625u,
        8476171486693032832,
        10595114339597558777u,
        2904607092377533576,
    };
    struct random random = {{1, 2, 3, 4}};
    for (size_t i = 0; i < sizeof expected / sizeof *expected; i++) {
        assert_true(random_u64(&random) == expected[i]);
    }
}

/* splitmix64 from 0 fills the state: its first four outputs. */
static void test_seeding(void **state)
{
    (void)state;
    struct random random = random_seeded(0);
    assert_true(random.state[0] == 0xE220A8397B1DCDAFu);
    assert_true(random.state[1] == 0x6E789E6AA1B965F4u);
    assert_true(random.state[2] == 0x06C45D188009454Fu);
    assert_true(random.state[3] == 0xF88BB8A8724C81ECu);
    struct random other = random_seeded(1);
    assert_true(random_u64(&random) != random_u64(&other));
}

/* Every value below the bound comes, none at or above it, each about as often (chi-squared, 12
 * degrees of freedom: 40 has p < 1e-4, and the seed is fixed). */
static void test_below(void **state)
{
    (void)state;
    enum { BOUND = 13, DRAWS = 130000 };
    struct random random = random_seeded(7);
    int counts[BOUND] = {0};
    for (int i = 0; i < DRAWS; i++) {
        uint64_t value = random_below(&random, BOUND);
        assert_true(value < BOUND);
        counts[value]++;
    }
    double chi_squared = 0;
    for (int i = 0; i < BOUND; i++) {
        double difference = counts[i] - DRAWS / (double)BOUND;
        chi_squared += difference * difference / (DRAWS / (double)BOUND);
    }
    assert_true(chi_squared < 40);
    assert_true(random_below(&random, 1) == 0);
    for (int i = 0; i < 1000; i++) {
        assert_true(random_below(&random, UINT64_MAX) < UINT64_MAX);
    }
}

/* Unit values stay in [0, 1) and have the mean and variance of a uniform (1/2, 1/12), within 5
 * sigma. */
static void test_unit(void **state)
{
    (void)state;
    enum { DRAWS = 100000 };
    struct random random = random_seeded(11);
    double sum = 0;
    double squares = 0;
    for (int i = 0; i < DRAWS; i++) {
        double value = random_unit(&random);
        assert_true(value >= 0 && value < 1);
        sum += value;
        squares += value * value;
    }
    double mean = sum / DRAWS;
    assert_true(fabs(mean - 0.5) < 5 * sqrt(1.0 / 12 / DRAWS));
    assert_true(fabs(squares / DRAWS - mean * mean - 1.0 / 12) < 0.002);
}

/* Normal values have mean 0, variance 1, and 4.55 % beyond two sigma. */
static void test_normal(void **state)
{
    (void)state;
    enum { DRAWS = 100000 };
    struct random random = random_seeded(13);
    double sum = 0;
    double squares = 0;
    int beyond = 0;
    for (int i = 0; i < DRAWS; i++) {
        double value = random_normal(&random);
        assert_true(isfinite(value));
        sum += value;
        squares += value * value;
        beyond += fabs(value) > 2;
    }
    assert_true(fabs(sum / DRAWS) < 5 / sqrt(DRAWS));
    assert_true(fabs(squares / DRAWS - 1) < 5 * sqrt(2.0 / DRAWS));
    assert_true(fabs(beyond / (double)DRAWS - 0.0455) < 5 * sqrt(0.0455 * 0.9545 / DRAWS));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_reference_sequence),
        cmocka_unit_test(test_seeding),
        cmocka_unit_test(test_below),
        cmocka_unit_test(test_unit),
        cmocka_unit_test(test_normal),
    };
    return cmocka_run_group_tests_name("random", tests, NULL, NULL);
}
