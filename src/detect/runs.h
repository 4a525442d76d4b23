/* runs.h: two stored runs → one of five verdicts for one metric of one benchmark, basis `runs`.
 * Pure: the same figures give the same verdict anywhere.
 *
 * Launches of one run agree better than runs do: one binary measured twice reads "different" in
 * 18 to 51 % of cases when only launches are asked. How much runs differ is learnt from reruns:
 * runs of one commit on this machine. The centre of a run (model_figures) varies with
 *
 *     σ_run² + (its launches' variance) / (its launches)
 *
 * and the pooled variance S² of the centres of reruns estimates exactly that sum. So the variance
 * of log(new/old) is 2 S², and more where the compared runs have fewer or wilder launches than the
 * reruns had:
 *
 *     V  = 2 g² S² + max(0, v_old − L) + max(0, v_new − L)      L: mean v of the reruns
 *     df = V² / ((2 g² S²)²/ν + Σ (extra²/(kept − 1)))          Welch and Satterthwaite
 *     log(new/old) ± t(1 − α/2, df) √V                          ν = reruns − groups
 *
 * What is asked is where a single run may lie, not where a mean is, and runs are skewed and
 * heavy-tailed, which neither averages out nor shows in a few reruns. So the part between runs is
 * widened by g = (1.45 + 1/ν)(1 + 0.2 log10(0.01/α)), with which runs that are only ever slower
 * (exponential) are covered at every α, and normal ones more than that. S² is not made robust on
 * purpose: a rerun that was far off says that the next run may be, too. Wrong exclusions by kind of
 * data, and what all this assumes, are in docs/statistics.md ("Between runs"). */
#ifndef TARE_DETECT_RUNS_H
#define TARE_DETECT_RUNS_H

#include "detect/verdict.h"
#include "model/comparison.h"
#include "model/policy.h"

enum {
    DETECT_RUN_LAUNCHES_MIN = 8, /* of each run, as in verdicts side by side */
    DETECT_RERUN_FREEDOM_MIN =
        3, /* 4 runs of one commit: below, t is so wide that nothing is said */
};

/* One run of a commit that has several; those of one commit share a group. */
struct detect_rerun {
    ptrdiff_t group;
    const struct model_figures *figures;
};

/* What they say about one metric of one benchmark. */
struct detect_reruns {
    ptrdiff_t runs;
    ptrdiff_t groups;
    double freedom;         /* runs − groups */
    double variance;        /* of the centres, pooled over groups */
    double launch_variance; /* mean of what launches alone explain of it */
    bool has_tail;          /* all of them have a worst tenth */
    double tail_variance;
};

/* Reruns in order of their groups. Those without logs or with too few launches are left out, and so
 * are groups of one. */
struct detect_reruns detect_reruns_pool(const struct detect_rerun *reruns, ptrdiff_t count,
                                        struct arena *scratch);

/* The standard deviation between runs that launches do not explain; 0 when they explain all. */
double detect_reruns_deviation(const struct detect_reruns *reruns);

struct detect_runs_rule {
    struct detect_rule verdict; /* alpha, band, floor; its limit is not looked at */
    const char *obstacle;       /* NULL, or why nothing of the two runs can be compared */
    bool is_conditions_changed; /* detect_conditions_differ found something */
    enum model_conditions conditions;
};

/* Compares by the metrics' figures; samples are not looked at. Fills everything but is_gated and
 * level. `reruns` NULL: there are none. */
void detect_runs(struct arena *arena, const struct model_benchmark *old_benchmark,
                 const struct model_benchmark *new_benchmark, const char *metric,
                 const struct detect_reruns *reruns, const struct detect_runs_rule *rule,
                 struct model_comparison *comparison);

/* Why no benchmark of these runs can be compared: another machine, a run that was not finished;
 * NULL: nothing is in the way. */
const char *detect_runs_obstacle(struct arena *arena, const struct model_run *old_run,
                                 const struct model_run *new_run);

/* "kernel 6.1 → 6.5" for every condition that changed, and for every variable of the environment
 * that may matter. What changes all the time (load, folder) is left out. */
struct detect_differences {
    const char **conditions;
    ptrdiff_t condition_count;
    const char **environment;
    ptrdiff_t environment_count;
};
struct detect_differences detect_conditions_differ(struct arena *arena,
                                                   const struct model_run *old_run,
                                                   const struct model_run *new_run);

#endif
