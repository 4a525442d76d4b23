/* judge.h: a decision, held against the policy: levels, limits, waivers, requirements, route, exit
 * code. Pure: the same decision and policy give the same judgement anywhere. */
#ifndef TARE_DETECT_JUDGE_H
#define TARE_DETECT_JUDGE_H

#include "detect/gate.h"
#include "model/policy.h"

struct judge_context {
    const struct model_policy *policy; /* of the base */
    int32_t today;                     /* 20270131: waivers run out */
    bool has_baseline; /* false: there is nothing to compare with, only requirements count */
    /* What new measured, for requirements and groups: every benchmark of its side, also those that
     * were not compared. */
    const struct model_benchmark *const *benchmarks;
    ptrdiff_t benchmark_count;
};

/* The change that may pass for this metric of this benchmark: the policy's threshold of its
 * fail_at level, else the band. Not set: the metric does not decide. */
struct detect_limit judge_limit(const struct model_policy *policy, const char *label,
                                const char *metric);

/* Sets level, gate, gate_reason and waiver of every item, and makes decision->judgement. An item
 * that fails counts only when is_confirmed is set (exact counts need no confirmation). */
void judge_decision(struct arena *arena, struct model_decision *decision,
                    const struct judge_context *context);

#endif
