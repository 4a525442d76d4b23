#include "measure/pace.h"

#include "base/assert.h"
#include "stats/order.h"

#include <math.h>

/* Launches are taken to differ by 0.2 % at least: finer than any band in use, and a steady kernel
 * would otherwise ask for ever longer launches to make ever less noise still less. */
static const double BETWEEN_MIN = 0.002;

void pace_add(struct pace *pace, const double *old_ns, const double *new_ns, ptrdiff_t rounds,
              double rounds_ns, double around_ns, struct arena *scratch)
{
    if (rounds < 2) {
        return;
    }
    struct arena_mark mark = arena_mark(scratch);
    double *logs = ARENA_ARRAY(scratch, double, rounds);
    for (ptrdiff_t i = 0; i < rounds; i++) {
        if (!(old_ns[i] > 0) || !(new_ns[i] > 0)) {
            arena_reset(scratch, mark);
            return;
        }
        logs[i] = log(new_ns[i] / old_ns[i]);
    }
    ptrdiff_t half = rounds / 2;
    double gap =
        stats_median(logs, half, scratch) - stats_median(logs + half, rounds - half, scratch);
    pace->latest[pace->launches % PACE_LAUNCHES_KEPT] = (struct pace_launch){
        .median_log = stats_median(logs, rounds, scratch),
        .half_gap = gap * sqrt((double)rounds) / 2,
        .inverse_rounds = 1 / (double)rounds,
    };
    pace->launches++;
    pace->rounds += rounds;
    pace->rounds_ns += rounds_ns;
    pace->around_ns += around_ns;
    arena_reset(scratch, mark);
}

/* √(W/B) of the launches kept. Medians of absolute values, because single launches are far off. */
static double spread_ratio(const struct pace *pace, struct arena *scratch)
{
    const double mad_scale = 1.4826; /* to a standard deviation, for normal data */
    struct arena_mark mark = arena_mark(scratch);
    ptrdiff_t count = pace->launches < PACE_LAUNCHES_KEPT ? pace->launches : PACE_LAUNCHES_KEPT;
    double *medians = ARENA_ARRAY(scratch, double, count);
    double *gaps = ARENA_ARRAY(scratch, double, count);
    double inverse_rounds = 0;
    for (ptrdiff_t i = 0; i < count; i++) {
        medians[i] = pace->latest[i].median_log;
        gaps[i] = fabs(pace->latest[i].half_gap);
        inverse_rounds += pace->latest[i].inverse_rounds / (double)count;
    }
    double within = mad_scale * stats_median(gaps, count, scratch);
    double all = stats_mad(medians, count, scratch);
    double between = all * all - within * within * inverse_rounds;
    arena_reset(scratch, mark);
    return within / sqrt(fmax(between, BETWEEN_MIN * BETWEEN_MIN));
}

ptrdiff_t pace_rounds(const struct pace *pace, const struct pace_limits *limits,
                      struct arena *scratch)
{
    TARE_ASSERT(limits->rounds_min > 0);
    double rounds = 0;
    if (pace->launches >= PACE_LAUNCHES_MIN && pace->rounds_ns > 0) {
        double round_ns = pace->rounds_ns / (double)pace->rounds;
        double around_ns = pace->around_ns / (double)pace->launches;
        rounds = sqrt(around_ns / round_ns) * spread_ratio(pace, scratch);
        rounds = fmin(rounds, PACE_ROUNDS_MAX);
        if (limits->launch_ns_max > 0) {
            rounds = fmin(rounds, (limits->launch_ns_max - around_ns) / round_ns);
        }
    }
    return (ptrdiff_t)fmax(rounds, (double)limits->rounds_min);
}
