/* pair.h: old and new side by side, in lock-step.
 *
 * A paired launch starts a fresh process for every side, opens the same benchmark in each, and
 * hands out short slices in rounds: one slice to every side, next to each other in time, in
 * balanced random order, with the same count of iterations. Whatever the machine does meanwhile (a
 * neighbour, a lower clock, heat) hits both sides of a round alike and cancels in their ratio. What
 * does not cancel is where each process lies in memory; so after some rounds the processes are
 * replaced, and the launch is the unit of replication.
 *
 * The sides share one CPU, chosen anew for every launch: on shared machines cores differ, and a
 * side that wanders between them brings that difference into the ratio. */
#ifndef TARE_MEASURE_PAIR_H
#define TARE_MEASURE_PAIR_H

#include "base/random.h"
#include "measure/pace.h"
#include "measure/target.h"

enum { PAIR_SIDES_MAX = 8, PAIR_CPUS_MAX = 1024, PAIR_COLD_MAX = 400 };

struct pair_plan {
    ptrdiff_t rounds;        /* of a launch; of the first ones, when paced */
    bool is_paced;           /* later launches have the rounds that pay (pace.h) */
    double launch_ns_max;    /* that pacing may make a launch take; 0: no limit */
    double slice_ns;         /* length of a slice to aim for */
    double warmup_ns;        /* of every side of every launch */
    double limit_ns;         /* for calibration */
    double left_ns;          /* of the budget when the launch begins; 0: no limit */
    int cpus[PAIR_CPUS_MAX]; /* to choose from; none: not pinned */
    int cpu_count;
    bool is_aslr_off;
    bool wants_huge_pages;
};

struct pair_plan pair_plan_default(bool is_command);

struct pair_side {
    struct measure_target target;
    struct model_benchmark
        *benchmark; /* samples go here; launch i of one side belongs to launch i of the others */
};

/* One benchmark under comparison; sides[0] is old. */
struct pair {
    struct pair_side sides[PAIR_SIDES_MAX];
    int side_count;
    double iterations;               /* per slice, the same on all sides; 0: not calibrated yet */
    ptrdiff_t rounds;                /* per launch; fewer than the plan's when a slice is slow */
    ptrdiff_t rounds_min;            /* of paced launches */
    bool has_lead_in;                /* a slice that is not timed goes before every one that is */
    double cold_logs[PAIR_COLD_MAX]; /* lead-ins over what followed them, of the first launches */
    ptrdiff_t cold_count;
    struct pace pace;
    ptrdiff_t launches;
    double spent_ns;
    double slice_cost_ns; /* of the slowest side's slice when last seen */
    bool is_out_of_time;  /* the last launch had no time for even one round */
};

/* One paired launch. Its samples are kept when all sides came through it; otherwise none are. A
 * side that fails has its benchmark marked as failed, with the reason, and the status is TARE_OK.
 */
tare_status pair_launch(struct arena *arena, struct pair *pair, const struct pair_plan *plan,
                        const struct measure_clock *clock, struct random *random,
                        struct tare_error *error);

/* Is every side still in order? */
bool pair_is_sound(const struct pair *pair);

#endif
