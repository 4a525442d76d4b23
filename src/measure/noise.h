/* noise.h: how steady is this machine right now, measured with fixed work.
 *
 * Three kernels of about 1 ms each (arithmetic in registers, a walk through memory beyond the
 * second-level cache, system calls) and a short nap take turns for the whole duration. The work of
 * a slice never changes, so every difference between its times is the machine's.
 *
 * From neighbouring slices of one kernel (identical work, so the true ratio is 1) it works out what
 * an A/B comparison would see: the median log-ratio of a block of pairs stands for one launch of
 * each side, Yuen's 99 % interval over blocks gives their spread, and from that follows how long an
 * A/B takes until its interval is narrower than half of an effect on either side. Each block walks
 * through fresh memory, so that the luck of page placement is in the figure; layout of code and the
 * user's own program are not: take the seconds as the least an A/B will need. */
#ifndef TARE_MEASURE_NOISE_H
#define TARE_MEASURE_NOISE_H

#include "base/arena.h"
#include "base/error.h"

#include <stdbool.h>
#include <stdint.h>

enum noise_kernel { NOISE_ARITHMETIC, NOISE_MEMORY, NOISE_SYSTEM_CALLS, NOISE_KERNEL_COUNT };

/* Effects that the verdict is about, smallest first: 1, 2, 5, 10, 20 %. */
enum { NOISE_EFFECT_COUNT = 5 };
extern const double noise_effects[NOISE_EFFECT_COUNT];

enum {
    NOISE_BLOCKS_MIN = 8, /* below this Yuen's interval has too few values left after trimming */
    NOISE_SLICES_MAX = 1 << 20,
};

struct noise_options {
    double duration_ns;
    /* Called after every block; may be NULL. */
    void (*progress)(void *context, double done_ratio, double left_ns);
    void *context;
};

/* What was measured, in order. */
struct noise_samples {
    double *slices_ns[NOISE_KERNEL_COUNT];
    ptrdiff_t slice_count; /* of each kernel; a multiple of the slices of a block */
    ptrdiff_t slice_capacity;
    ptrdiff_t slices_per_block; /* even */
    double *wake_ups_ns;        /* how late each nap ended */
    ptrdiff_t wake_up_count;
    ptrdiff_t wake_up_capacity;
};

struct noise_spread {
    const char *name; /* "arithmetic", "memory walk", "system calls" */
    double median_ns;
    double cv;                          /* standard deviation over mean */
    double worst_ratio;                 /* slowest slice over the median */
    double disturbed_ratio;             /* share of slices more than 10 % above the median */
    double drift_ratio;                 /* median of the last third over that of the first */
    double pair_deviation;              /* σ of a block's log-ratio of identical work */
    double seconds[NOISE_EFFECT_COUNT]; /* an A/B takes until it sees that effect */
};

enum noise_verdict { NOISE_FIT, NOISE_NOISY, NOISE_NOT_FIT };

struct noise_result {
    struct noise_spread kernels[NOISE_KERNEL_COUNT];
    ptrdiff_t slice_count;
    ptrdiff_t block_count;
    double wake_up_median_ns;
    double wake_up_p99_ns;
    double wake_up_worst_ns;
    double duration_ns;
    double steal_ratio;       /* NaN: unknown */
    double busy_ratio;        /* of all CPUs, this measurement included; NaN: unknown */
    double preemptions_per_s; /* of this process, unasked */
    double clock_cost_ns;
    double clock_step_ns; /* smallest step seen */
    enum noise_verdict verdict;
    double effect;                  /* the smallest effect that is within reach; 0 when none is */
    double effect_seconds;          /* what it takes with the worst kernel */
    enum noise_kernel worst_kernel; /* that one */
    const char *sentence;           /* the verdict for people */
};

/* TARE_INTERRUPTED on Ctrl-C, TARE_ERROR_MEASURE when the machine gave too little time. */
tare_status noise_measure(struct arena *arena, const struct noise_options *options,
                          struct noise_result *result, struct tare_error *error);

/* The arithmetic behind it, without a clock: fills kernels, wake-ups and the verdict. */
void noise_analyse(struct arena *arena, const struct noise_samples *samples,
                   struct noise_result *result);

const char *noise_verdict_name(enum noise_verdict verdict); /* "fit", "noisy", "not fit" */

#endif
