/* noise_verdict.c: from slices to a verdict; pure numbers.
 *
 * Verdict, on the worst of the three kernels, where T(x) is the time until the interval of an A/B
 * is within ± x/2: fit       T(1 %) is at most 10 s noisy     some x of 1, 2, 5, 10, 20 % has T(x)
 * of at most 60 s, Tare's usual budget not fit   none has */
#include "measure/noise.h"

#include "base/assert.h"
#include "base/unit.h"
#include "stats/distribution.h"
#include "stats/interval.h"
#include "stats/order.h"

#include <math.h>

const double noise_effects[NOISE_EFFECT_COUNT] = {0.01, 0.02, 0.05, 0.10, 0.20};

static const char *const kernel_names[NOISE_KERNEL_COUNT] = {"arithmetic", "memory walk",
                                                             "system calls"};
static const double FIT_SECONDS_MAX = 10;
static const double NOISY_SECONDS_MAX = 60;
/* 1 − 99 %: the confidence Tare uses unless told otherwise. */
static const double ALPHA = 0.01;
/* 10 %: well above what caches and clocks do to a slice of 1 ms, well below a lost time slice. */
static const double DISTURBED_RATIO = 1.1;
/* Two processes have to be started for a launch of each side: about 0.5 ms each (posix_spawn of a
 * small program on a 2-CPU virtual machine). */
static const double LAUNCH_NS = 1e6;
/* Beyond a million launches nobody waits; the search for a number of them ends there. */
static const ptrdiff_t LAUNCHES_MAX = 1000000;

static void describe(struct arena *arena, const struct noise_samples *samples,
                     enum noise_kernel kernel, struct noise_spread *spread);
static void judge(struct arena *arena, struct noise_result *result);

void noise_analyse(struct arena *arena, const struct noise_samples *samples,
                   struct noise_result *result)
{
    TARE_ASSERT(samples->slices_per_block >= 2 && samples->slices_per_block % 2 == 0);
    TARE_ASSERT(samples->slice_count >= samples->slices_per_block * NOISE_BLOCKS_MIN);
    TARE_ASSERT(samples->slice_count % samples->slices_per_block == 0);
    result->slice_count = samples->slice_count;
    result->block_count = samples->slice_count / samples->slices_per_block;
    for (int kernel = 0; kernel < NOISE_KERNEL_COUNT; kernel++) {
        describe(arena, samples, (enum noise_kernel)kernel, &result->kernels[kernel]);
    }
    if (samples->wake_up_count > 0) {
        double *late = stats_sort_copy(arena, samples->wake_ups_ns, samples->wake_up_count);
        ptrdiff_t count = samples->wake_up_count;
        result->wake_up_median_ns = stats_median_sorted(late, count);
        result->wake_up_p99_ns = stats_quantile_sorted(late, count, 0.99, STATS_QUANTILE_TYPE7);
        result->wake_up_worst_ns = late[count - 1];
    }
    judge(arena, result);
}

/* The median log-ratio of each block's pairs of neighbouring slices. */
static double *block_log_ratios(struct arena *arena, const double *slices, ptrdiff_t block_count,
                                ptrdiff_t slices_per_block)
{
    double *medians = ARENA_ARRAY(arena, double, block_count);
    ptrdiff_t pair_count = slices_per_block / 2;
    double *pairs = ARENA_ARRAY(arena, double, pair_count);
    for (ptrdiff_t block = 0; block < block_count; block++) {
        for (ptrdiff_t pair = 0; pair < pair_count; pair++) {
            const double *first = &slices[block * slices_per_block + 2 * pair];
            /* Sides swap from pair to pair, as they do in an A/B: drift within a pair cancels. */
            double log_ratio = log(first[1] / first[0]);
            pairs[pair] = pair % 2 == 0 ? log_ratio : -log_ratio;
        }
        medians[block] = stats_median(pairs, pair_count, arena);
    }
    return medians;
}

static double yuen_degrees(ptrdiff_t count)
{
    return (double)(count - 2 * stats_trim_count(count, STATS_TRIM_SHARE) - 1);
}

/* Yuen's half-width shrinks with the square root of n and with Student's quantile: turned back into
 * the deviation of one block, so that it can be asked for any n. */
static double one_block_deviation(struct arena *arena, const double *log_ratios, ptrdiff_t count)
{
    struct stats_interval interval =
        stats_interval_yuen(log_ratios, count, STATS_TRIM_SHARE, ALPHA, arena);
    TARE_ASSERT(interval.is_defined);
    double half_width = (interval.high - interval.low) / 2;
    return half_width * sqrt((double)count) /
           stats_t_quantile_upper(ALPHA / 2, yuen_degrees(count));
}

/* The fewest launches whose interval is within ± effect/2; doubled, then halved in between. */
static ptrdiff_t launches_needed(double deviation, double effect)
{
    ptrdiff_t low = NOISE_BLOCKS_MIN - 1; /* not enough by definition */
    ptrdiff_t high = NOISE_BLOCKS_MIN;
    while (high < LAUNCHES_MAX &&
           deviation * stats_t_quantile_upper(ALPHA / 2, yuen_degrees(high)) / sqrt((double)high) >
               effect / 2) {
        low = high;
        high *= 2;
    }
    while (high - low > 1) {
        ptrdiff_t middle = low + (high - low) / 2;
        double half_width = deviation * stats_t_quantile_upper(ALPHA / 2, yuen_degrees(middle)) /
                            sqrt((double)middle);
        if (half_width > effect / 2) {
            low = middle;
        } else {
            high = middle;
        }
    }
    return high;
}

static void describe(struct arena *arena, const struct noise_samples *samples,
                     enum noise_kernel kernel, struct noise_spread *spread)
{
    const double *slices = samples->slices_ns[kernel];
    ptrdiff_t count = samples->slice_count;
    ptrdiff_t third = count / 3;
    spread->name = kernel_names[kernel];
    spread->median_ns = stats_median(slices, count, arena);
    struct stats_value cv = stats_cv(slices, count);
    spread->cv = cv.is_defined ? cv.value : 0;
    spread->worst_ratio = stats_max(slices, count) / spread->median_ns;
    ptrdiff_t disturbed = 0;
    for (ptrdiff_t i = 0; i < count; i++) {
        disturbed += slices[i] > spread->median_ns * DISTURBED_RATIO;
    }
    spread->disturbed_ratio = (double)disturbed / (double)count;
    spread->drift_ratio =
        stats_median(slices + count - third, third, arena) / stats_median(slices, third, arena);
    ptrdiff_t block_count = count / samples->slices_per_block;
    const double *log_ratios =
        block_log_ratios(arena, slices, block_count, samples->slices_per_block);
    spread->pair_deviation = one_block_deviation(arena, log_ratios, block_count);
    /* Mean, not median: what a disturbance costs in time is part of the wait. */
    double launch_ns = stats_mean(slices, count) * (double)samples->slices_per_block + LAUNCH_NS;
    for (int i = 0; i < NOISE_EFFECT_COUNT; i++) {
        double effect = log1p(noise_effects[i]);
        spread->seconds[i] =
            (double)launches_needed(spread->pair_deviation, effect) * launch_ns / 1e9;
    }
}

static enum noise_kernel worst_kernel(const struct noise_result *result, int effect)
{
    int worst = 0;
    for (int kernel = 1; kernel < NOISE_KERNEL_COUNT; kernel++) {
        if (result->kernels[kernel].seconds[effect] > result->kernels[worst].seconds[effect]) {
            worst = kernel;
        }
    }
    return (enum noise_kernel)worst;
}

static const char *seconds_text(struct arena *arena, double seconds)
{
    return unit_format(arena, seconds * 1e9, "ns", 2);
}

static void judge(struct arena *arena, struct noise_result *result)
{
    for (int i = 0; i < NOISE_EFFECT_COUNT; i++) {
        enum noise_kernel kernel = worst_kernel(result, i);
        double seconds = result->kernels[kernel].seconds[i];
        if (seconds > NOISY_SECONDS_MAX) {
            continue;
        }
        bool is_fit = i == 0 && seconds <= FIT_SECONDS_MAX;
        result->verdict = is_fit ? NOISE_FIT : NOISE_NOISY;
        result->effect = noise_effects[i];
        result->effect_seconds = seconds;
        result->worst_kernel = kernel;
        result->sentence =
            arena_printf(arena, "%s: an A/B of %g %% differences takes about %s here (worst: %s)",
                         noise_verdict_name(result->verdict), noise_effects[i] * 100,
                         seconds_text(arena, seconds), kernel_names[kernel]);
        return;
    }
    int last = NOISE_EFFECT_COUNT - 1;
    result->verdict = NOISE_NOT_FIT;
    result->worst_kernel = worst_kernel(result, last);
    result->sentence = arena_printf(
        arena, "not fit: even a difference of %g %% would take about %s to see (worst: %s)",
        noise_effects[last] * 100,
        seconds_text(arena, result->kernels[result->worst_kernel].seconds[last]),
        kernel_names[result->worst_kernel]);
}

const char *noise_verdict_name(enum noise_verdict verdict)
{
    static const char *const names[] = {"fit", "noisy", "not fit"};
    TARE_ASSERT((size_t)verdict < sizeof names / sizeof *names);
    return names[verdict];
}
