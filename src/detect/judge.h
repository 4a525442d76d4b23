/* judge.h: a decision, held against the policy: levels, limits, waivers, requirements, route, exit
 * code. Pure: the same decision and policy give the same judgement anywhere.
 *
 * The exit code, the first that applies (a command's own 130 and 2 come before):
 *   1  a gated comparison is beyond its limit, confirmed and not waived; or a requirement is proven
 *      not to be met
 *   3  something could not be compared: a gated comparison is invalid; a benchmark vanished
 *      (`missing: fail`) or is new (`added: fail`); a benchmark of new failed; a requirement, or a
 *      metric that `gate:` names, is not there to be looked at; nothing was compared at all
 *   5  there is nothing to compare with
 *   4  something stayed open and the policy says `inconclusive: fail`
 *   0  everything else: at least one gated comparison, or one requirement, was decided */
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
struct detect_limit judge_limit(struct arena *arena, const struct model_policy *policy,
                                const char *label, const char *metric, const char *unit);

/* How much of a regression is proven: by the near end of its interval, or of that of the slowest
 * tenth. None for the other verdicts. `thresholds` may be NULL. */
enum model_level judge_level(const struct model_comparison *comparison,
                             const struct model_metric_thresholds *thresholds);

/* Sets level, gate, gate_reason, limit and waiver of every item, and makes decision->judgement. An
 * item that fails counts only when is_confirmed is set (exact counts need no confirmation, and
 * single values cannot have one). Cost: items × (overrides + waivers), requirements × benchmarks;
 * 50,000 items take a fraction of a second. */
void judge_decision(struct arena *arena, struct model_decision *decision,
                    const struct judge_context *context);

/* Evidence in one line, parts set apart by ';', as ledgers and check runs show it:
 * "perf: parse/json time: 846 ns; Δ vs baseline: +4.2% (+3.5% … +4.9%); limit: 3 %". */
char *judge_evidence(struct arena *arena, const struct model_comparison *comparison);
/* Of a requirement: "perf: decode/display throughput: 3.9 GiB/s; required: at least 4.1 GiB/s; not
 * met". */
char *judge_evidence_requirement(struct arena *arena, const struct model_requirement *requirement);
/* Of all: "perf: 20 comparisons: 19 within their limit, 1 beyond; Δ vs baseline: +4.2% (parse/json
 * time)". The decision must have been judged. */
char *judge_evidence_summary(struct arena *arena, const struct model_decision *decision);

#endif
