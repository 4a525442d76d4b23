/* verdict.h: from paired samples of old and new to one of five verdicts. Pure: the same samples
 * give the same verdict anywhere.
 *
 * The ratio new/old is judged on the log scale, so that a time and its reciprocal throughput get
 * the same answer. The error alpha is split: four fifths for the typical round, one fifth for the
 * slowest tenth of the rounds, because a median does not see that one call in five became slower.
 * Each part is spent over the looks of stats/sequential.h. */
#ifndef TARE_DETECT_VERDICT_H
#define TARE_DETECT_VERDICT_H

#include "detect/gate.h"
#include "model/comparison.h"
#include "stats/sequential.h"

struct detect_rule {
    double alpha; /* total two-sided error for this comparison, corrected for how many are gated */
    double
        band; /* min_effect: 0.01 is 1 %; 0: any proven difference counts, nothing is equivalent */
    double floor; /* learnt noise: only a change beyond it is a change; 0: none */
    /* Of a gate: measuring ends when the change is proven to be beyond this or within it. */
    struct detect_limit limit;
};

/* Launches at the next look after these. */
ptrdiff_t detect_next_look(const struct detect_rule *rule, ptrdiff_t launches);

/* Compares one metric of the same benchmark of old and new, whose launches and rounds belong
 * together by number. Uses as many launches as the latest look allows. Fills everything but
 * is_gated, level and seconds. */
void detect_paired(struct arena *arena, const struct model_benchmark *old_benchmark,
                   const struct model_benchmark *new_benchmark, const char *metric,
                   const struct detect_rule *rule, struct model_comparison *comparison);

/* Is there nothing left to measure for it? */
bool detect_is_decided(const struct detect_rule *rule, const struct model_comparison *comparison);

/* More launches expected to decide an inconclusive comparison: 0 when decided, −1 when none would
 * within launches_max. */
ptrdiff_t detect_launches_more(const struct detect_rule *rule,
                               const struct model_comparison *comparison, ptrdiff_t launches,
                               ptrdiff_t launches_max);

#endif
