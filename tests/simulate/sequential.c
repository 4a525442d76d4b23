/* sequential.c: how often is the verdict's interval wrong, when it is looked at again and again?
 *
 *     sequential [TRIALS]      default 1,000; prints the table of docs/statistics.md; exit 1 on a
 * breach
 *
 * Goal: at nominal 1 %, at most 1.1 % of comparisons have any look, from 8 to 161 launches, whose
 * interval excludes the truth. Method: both sides' times are simulated (not their differences),
 * nine rounds a launch (paced rows: as many as measure/pace.h says), summed up by
 * stats_paired_launch and judged by stats_ratio_interval at every look. A row fails when its count
 * is too high for a true rate of 1.1 % (binomial, one in 1,000 by luck).
 *
 * The truth is 0 where the sides are exchangeable; elsewhere the median over many simulated
 * launches. Beside it: the same with the trimmed mean as truth, plain t at the same looks, the
 * t-mixture, and peeking at every launch with a fixed t interval. Seeds are fixed. */
#include "stats/sequential.h"
#include "base/random.h"
#include "measure/pace.h"
#include "stats/diagnostic.h"
#include "stats/distribution.h"
#include "stats/order.h"
#include "stats/ratio.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum {
    ROUNDS = 9,
    ROUNDS_MAX = PACE_ROUNDS_MAX,
    LOOKS = 11,
    LAUNCHES_MAX = 161,
    TRUTH_LAUNCHES = 200000
};

static const double ALPHA = 0.01;
static const double RATE_MAX = 0.011;
static const double ROUND_NOISE = 0.01;

/* What one side's launch has: a factor exp(effect) on all its rounds. */
struct side {
    struct random *random;
    double previous; /* of the AR(1) */
    bool is_new;
};

typedef double launch_effect(struct side *side, ptrdiff_t launch);

struct scenario {
    const char *name;
    launch_effect *effect;
    double added_work;    /* share of extra work in new, with noise of its own */
    double common_drift;  /* of both sides, over 100 launches */
    bool is_exchangeable; /* truth is 0 by symmetry */
    bool is_paced;        /* rounds follow from the launches before; they scatter by more */
};

static const double ROUND_NOISE_PACED = 0.08;

static double effect_normal(struct side *side, ptrdiff_t launch)
{
    (void)launch;
    return 0.01 * random_normal(side->random);
}

static double effect_skewed(struct side *side, ptrdiff_t launch)
{
    (void)launch;
    return 0.01 * exp(0.8 * random_normal(side->random));
}

static double effect_skewed_new(struct side *side, ptrdiff_t launch)
{
    return side->is_new ? effect_skewed(side, launch) : 0.003 * random_normal(side->random);
}

static double effect_exponential_new(struct side *side, ptrdiff_t launch)
{
    (void)launch;
    return side->is_new ? -0.01 * log1p(-random_unit(side->random))
                        : 0.003 * random_normal(side->random);
}

static double two_modes(struct side *side, double share)
{
    double upper = random_unit(side->random) < share ? 0.05 : 0;
    return upper + 0.003 * random_normal(side->random);
}

static double effect_modes(struct side *side, ptrdiff_t launch)
{
    (void)launch;
    return two_modes(side, 0.3);
}

static double effect_modes_new_10(struct side *side, ptrdiff_t launch)
{
    (void)launch;
    return two_modes(side, side->is_new ? 0.1 : 0);
}

static double effect_modes_new_30(struct side *side, ptrdiff_t launch)
{
    (void)launch;
    return two_modes(side, side->is_new ? 0.3 : 0);
}

static double effect_modes_new_50(struct side *side, ptrdiff_t launch)
{
    (void)launch;
    return two_modes(side, side->is_new ? 0.5 : 0);
}

static double effect_autoregressive(struct side *side, ptrdiff_t launch)
{
    double fresh = random_normal(side->random);
    side->previous = launch == 0 ? fresh : 0.3 * side->previous + sqrt(1 - 0.09) * fresh;
    return 0.01 * side->previous;
}

static double effect_layout(struct side *side, ptrdiff_t launch)
{
    (void)launch;
    return 0.04 * random_normal(side->random);
}

/* Student's t with three degrees of freedom. */
static double effect_heavy(struct side *side, ptrdiff_t launch)
{
    (void)launch;
    double squares = 0;
    for (int i = 0; i < 3; i++) {
        double z = random_normal(side->random);
        squares += z * z;
    }
    return 0.01 * random_normal(side->random) / sqrt(squares / 3);
}

static const struct scenario scenarios[] = {
    {.name = "normal", .effect = effect_normal, .is_exchangeable = true},
    {.name = "normal, +2 % work", .effect = effect_normal, .added_work = 0.02},
    {.name = "skewed", .effect = effect_skewed, .is_exchangeable = true},
    {.name = "skewed, +2 % work", .effect = effect_skewed, .added_work = 0.02},
    {.name = "skewed, new only", .effect = effect_skewed_new},
    {.name = "exponential, new only", .effect = effect_exponential_new},
    {.name = "heavy tails (t3)", .effect = effect_heavy, .is_exchangeable = true},
    {.name = "two modes 30 %", .effect = effect_modes, .is_exchangeable = true},
    {.name = "two modes, +2 % work", .effect = effect_modes, .added_work = 0.02},
    {.name = "10 % slow, new only", .effect = effect_modes_new_10},
    {.name = "30 % slow, new only", .effect = effect_modes_new_30},
    {.name = "50 % slow, new only", .effect = effect_modes_new_50},
    {.name = "AR(.3)", .effect = effect_autoregressive, .is_exchangeable = true},
    {.name = "drift 10 % of both",
     .effect = effect_normal,
     .common_drift = 0.1,
     .is_exchangeable = true},
    {.name = "layout-clustered", .effect = effect_layout, .is_exchangeable = true},
    {.name = "paced", .effect = effect_normal, .is_exchangeable = true, .is_paced = true},
    {.name = "paced, two modes", .effect = effect_modes, .is_exchangeable = true, .is_paced = true},
};

enum { SCENARIOS = sizeof scenarios / sizeof scenarios[0] };

struct pair_sides {
    struct side old_side;
    struct side new_side;
    struct pace pace;
};

/* A launch of 20 ms around its rounds of 1 ms. */
static ptrdiff_t next_rounds(const struct scenario *scenario, struct pair_sides *sides,
                             struct arena *scratch)
{
    const struct pace_limits limits = {.rounds_min = 20};
    return scenario->is_paced ? pace_rounds(&sides->pace, &limits, scratch) : ROUNDS;
}

static struct stats_paired simulate_launch(const struct scenario *scenario,
                                           struct pair_sides *sides, ptrdiff_t launch,
                                           struct arena *scratch)
{
    struct random *random = sides->old_side.random;
    double old_effect = scenario->effect(&sides->old_side, launch);
    double new_effect = scenario->effect(&sides->new_side, launch);
    double old_values[ROUNDS_MAX];
    double new_values[ROUNDS_MAX];
    double sd = scenario->is_paced ? ROUND_NOISE_PACED : ROUND_NOISE;
    ptrdiff_t rounds = next_rounds(scenario, sides, scratch);
    for (ptrdiff_t round = 0; round < rounds; round++) {
        double place = (double)round / (double)rounds;
        double state = scenario->common_drift * ((double)launch + place) / 100;
        old_values[round] = 1000 * exp(old_effect + state + sd * random_normal(random));
        new_values[round] = 1000 * exp(new_effect + state + sd * random_normal(random));
        if (scenario->added_work > 0) {
            double noise = sd * random_normal(random);
            new_values[round] += 1000 * scenario->added_work * exp(state + noise);
        }
    }
    if (scenario->is_paced) {
        pace_add(&sides->pace, old_values, new_values, rounds, 1e6 * (double)rounds, 20e6, scratch);
    }
    return stats_paired_launch(old_values, new_values, rounds, scratch);
}

struct truth {
    double median;
    double trimmed;
};

static struct truth find_truth(const struct scenario *scenario, struct random *random,
                               struct arena *scratch)
{
    if (scenario->is_exchangeable) {
        return (struct truth){0};
    }
    struct arena_mark mark = arena_mark(scratch);
    struct pair_sides sides = {{.random = random}, {.random = random, .is_new = true}};
    double *logs = ARENA_ARRAY(scratch, double, TRUTH_LAUNCHES);
    for (ptrdiff_t i = 0; i < TRUTH_LAUNCHES; i++) {
        logs[i] = simulate_launch(scenario, &sides, i, scratch).median_log;
    }
    stats_sort(logs, TRUTH_LAUNCHES);
    struct truth truth = {
        .median = stats_median_sorted(logs, TRUTH_LAUNCHES),
        .trimmed = stats_trimmed_mean_sorted(logs, TRUTH_LAUNCHES, STATS_TRIM_SHARE),
    };
    arena_reset(scratch, mark);
    return truth;
}

static bool is_excluded(const struct stats_interval *interval, double value)
{
    return interval->is_defined && (value < interval->low || value > interval->high);
}

/* Counts over the trials of one scenario. */
struct tally {
    ptrdiff_t rule;    /* trials with any look that excludes the median */
    ptrdiff_t trimmed; /* … the trimmed mean */
    ptrdiff_t split_t; /* plain t at the same looks */
    ptrdiff_t mixture; /* t-mixture at the same looks */
    ptrdiff_t peek;    /* fixed t interval at every launch from 8 on */
    ptrdiff_t flagged[LOOKS];
    ptrdiff_t defined[LOOKS];
    double half_width[LOOKS];
};

static bool peek_excludes(const double *logs, const double *reach_by_count, double truth)
{
    double mean = 0;
    double squares = 0;
    for (ptrdiff_t n = 1; n <= LAUNCHES_MAX; n++) {
        double distance = logs[n - 1] - mean;
        mean += distance / (double)n;
        squares += distance * (logs[n - 1] - mean);
        double error = n > 1 ? sqrt(squares / (double)(n - 1) / (double)n) : 0;
        if (n >= 8 && fabs(mean - truth) > reach_by_count[n] * error) {
            return true;
        }
    }
    return false;
}

static void judge(struct tally *tally, const double *logs, struct truth truth,
                  const double *reach_by_count, struct arena *scratch)
{
    struct stats_sequential sequential = stats_sequential_new(ALPHA);
    bool is_wrong = false;
    bool is_trimmed_wrong = false;
    bool is_t_wrong = false;
    bool is_mixture_wrong = false;
    for (ptrdiff_t look = 0; look < LOOKS; look++) {
        ptrdiff_t launches = stats_sequential_launches(&sequential, look);
        double alpha = stats_sequential_alpha(&sequential, look);
        struct stats_ratio ratio = stats_ratio_interval(logs, launches, alpha, scratch);
        struct stats_interval t = stats_interval_t(logs, launches, alpha);
        struct stats_interval mixture = stats_interval_mixture(logs, launches, ALPHA);
        is_wrong |= is_excluded(&ratio.log, truth.median);
        is_trimmed_wrong |= is_excluded(&ratio.log, truth.trimmed);
        is_t_wrong |= is_excluded(&t, truth.median);
        is_mixture_wrong |= is_excluded(&mixture, truth.median);
        tally->flagged[look] += ratio.is_skewed || ratio.is_multimodal;
        tally->defined[look] += ratio.log.is_defined;
        if (ratio.log.is_defined) {
            tally->half_width[look] += (ratio.log.high - ratio.log.low) / 2;
        }
    }
    tally->rule += is_wrong;
    tally->trimmed += is_trimmed_wrong;
    tally->split_t += is_t_wrong;
    tally->mixture += is_mixture_wrong;
    tally->peek += peek_excludes(logs, reach_by_count, truth.median);
}

static void print_row(const struct scenario *scenario, const struct tally *tally, ptrdiff_t trials)
{
    static const int shown[] = {0, 3, 7, 10}; /* 8, 20, 66 and 161 launches */
    double percent = 100 / (double)trials;
    printf("| %-21s | %5.2f | %5.2f | %5.2f | %5.2f | %5.2f |", scenario->name,
           percent * (double)tally->rule, percent * (double)tally->trimmed,
           percent * (double)tally->split_t, percent * (double)tally->mixture,
           percent * (double)tally->peek);
    for (int s = 0; s < 4; s++) {
        ptrdiff_t defined = tally->defined[shown[s]];
        printf(" %5.2f |", defined > 0 ? 100 * tally->half_width[shown[s]] / (double)defined : 0);
    }
    for (int s = 0; s < 4; s++) {
        printf(" %3.0f |", percent * (double)tally->flagged[shown[s]]);
    }
    printf("\n");
    fflush(stdout);
}

int main(int argument_count, char **arguments)
{
    ptrdiff_t trials = argument_count > 1 ? atol(arguments[1]) : 1000;
    if (trials < 100) {
        fprintf(stderr, "usage: sequential [TRIALS]   (at least 100)\n");
        return 2;
    }
    double reach_by_count[LAUNCHES_MAX + 1] = {0};
    for (int n = 2; n <= LAUNCHES_MAX; n++) {
        reach_by_count[n] = stats_t_quantile_upper(ALPHA / 2, n - 1);
    }
    printf(
        "%td trials a row; wrong exclusions in %%, half-width of the rule in %%, flagged in %%\n",
        trials);
    printf("| data | rule | rule, trimmed mean | t | t-mixture | peek | ± at 8 | 20 | 66 | 161 | "
           "flagged at 8 | 20 | 66 | 161 "
           "|\n|---|---|---|---|---|---|---|---|---|---|---|---|---|---|\n");
    struct arena arena = {0};
    int breaches = 0;
    for (int s = 0; s < SCENARIOS; s++) {
        struct random random = random_seeded(100 + (uint64_t)s);
        struct truth truth = find_truth(&scenarios[s], &random, &arena);
        struct tally tally = {0};
        for (ptrdiff_t trial = 0; trial < trials; trial++) {
            struct pair_sides sides = {{.random = &random}, {.random = &random, .is_new = true}};
            double logs[LAUNCHES_MAX];
            for (ptrdiff_t i = 0; i < LAUNCHES_MAX; i++) {
                logs[i] = simulate_launch(&scenarios[s], &sides, i, &arena).median_log;
            }
            judge(&tally, logs, truth, reach_by_count, &arena);
        }
        print_row(&scenarios[s], &tally, trials);
        if (stats_binomial_upper(tally.rule - 1, trials, RATE_MAX) < 0.001) {
            fprintf(stderr, "%s: %td of %td wrong exclusions, more than %.1f %% explains\n",
                    scenarios[s].name, tally.rule, trials, 100 * RATE_MAX);
            breaches++;
        }
    }
    arena_free(&arena);
    return breaches > 0;
}
