/* Goal: a launch gets the rounds that pay: more where rounds scatter, fewer where launches do or
 * where a launch costs little around them, within limits, and never by which side is ahead. Method:
 * simulated launches of known spreads and costs. */
#include "base/random.h"
#include "measure/pace.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

enum { ROUNDS = 40, LAUNCHES = 60 };

struct world {
    double within; /* sd of a round's log ratio */
    double between;
    double effect;
    double around_ns;
    double round_ns;
};

static struct pace simulate(const struct world *world, ptrdiff_t launches, struct arena *scratch)
{
    struct random random = random_seeded(7);
    struct pace pace = {0};
    for (ptrdiff_t i = 0; i < launches; i++) {
        double luck = world->effect + world->between * random_normal(&random);
        double old_ns[ROUNDS];
        double new_ns[ROUNDS];
        for (int r = 0; r < ROUNDS; r++) {
            old_ns[r] = 1000;
            new_ns[r] = 1000 * exp(luck + world->within * random_normal(&random));
        }
        pace_add(&pace, old_ns, new_ns, ROUNDS, world->round_ns * ROUNDS, world->around_ns,
                 scratch);
    }
    return pace;
}

static ptrdiff_t rounds_of(const struct world *world, const struct pace_limits *limits)
{
    struct arena scratch = {0};
    struct pace pace = simulate(world, LAUNCHES, &scratch);
    ptrdiff_t rounds = pace_rounds(&pace, limits, &scratch);
    arena_free(&scratch);
    return rounds;
}

static const struct pace_limits WIDE = {.rounds_min = 10};

/* √(40 / 1 · π/2 · (5 % / 1 %)²) = 39.6 */
static void test_the_formula(void **state)
{
    (void)state;
    const struct world world = {
        .within = 0.05, .between = 0.01, .around_ns = 40e6, .round_ns = 1e6};
    ptrdiff_t rounds = rounds_of(&world, &WIDE);
    assert_in_range(rounds, 28, 56); /* spreads are estimates from 60 launches */
}

static void test_what_pays(void **state)
{
    (void)state;
    const struct world plain = {
        .within = 0.05, .between = 0.01, .around_ns = 40e6, .round_ns = 1e6};
    struct world steady = plain;
    steady.within = 0.001;
    struct world lucky = plain;
    lucky.between = 0.05;
    struct world dear = plain;
    dear.around_ns = 400e6;
    assert_int_equal(rounds_of(&steady, &WIDE), 10); /* not ever more to make nothing of little */
    assert_true(rounds_of(&lucky, &WIDE) < rounds_of(&plain, &WIDE));
    assert_true(rounds_of(&dear, &WIDE) > rounds_of(&plain, &WIDE));
}

static void test_limits(void **state)
{
    (void)state;
    const struct world noisy = {.within = 0.3, .between = 0.001, .around_ns = 1e9, .round_ns = 1e6};
    const struct pace_limits short_launches = {.rounds_min = 10, .launch_ns_max = 1.05e9};
    const struct pace_limits none_left = {.rounds_min = 10, .launch_ns_max = 0.5e9};
    assert_int_equal(rounds_of(&noisy, &WIDE), PACE_ROUNDS_MAX);
    assert_in_range(rounds_of(&noisy, &short_launches), 45, 50);
    assert_int_equal(rounds_of(&noisy, &none_left), 10);
}

/* An effect shifts every ratio and must not change the rounds. */
static void test_effect_does_not_matter(void **state)
{
    (void)state;
    struct world world = {.within = 0.05, .between = 0.01, .around_ns = 40e6, .round_ns = 1e6};
    ptrdiff_t without = rounds_of(&world, &WIDE);
    world.effect = 0.3;
    assert_int_equal(rounds_of(&world, &WIDE), without);
    world.effect = -0.3;
    assert_int_equal(rounds_of(&world, &WIDE), without);
}

static void test_too_little_is_known(void **state)
{
    (void)state;
    struct arena scratch = {0};
    const struct world noisy = {.within = 0.3, .between = 0.001, .around_ns = 1e9, .round_ns = 1e6};
    struct pace pace = simulate(&noisy, PACE_LAUNCHES_MIN - 1, &scratch);
    assert_int_equal(pace_rounds(&pace, &WIDE, &scratch), 10);
    const double zero[] = {0, 0};
    const double one[] = {1, 1};
    pace_add(&pace, zero, one, 2, 1e6, 1e6, &scratch); /* no ratio: passed over */
    assert_int_equal(pace.launches, PACE_LAUNCHES_MIN - 1);
    arena_free(&scratch);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_the_formula),
        cmocka_unit_test(test_what_pays),
        cmocka_unit_test(test_limits),
        cmocka_unit_test(test_effect_does_not_matter),
        cmocka_unit_test(test_too_little_is_known),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
