/* comparison.h: what a comparison of old and new found, for one metric of one benchmark and for
 * all. */
#ifndef TARE_MODEL_COMPARISON_H
#define TARE_MODEL_COMPARISON_H

#include "model/model.h"

/* In the order in which they are shown, worst first. */
enum model_verdict {
    MODEL_REGRESSED,
    MODEL_INVALID,
    MODEL_INCONCLUSIVE,
    MODEL_IMPROVED,
    MODEL_EQUIVALENT,
    MODEL_VERDICT_COUNT,
};

enum model_level { MODEL_LEVEL_NONE, MODEL_LEVEL_MINOR, MODEL_LEVEL_WARNING, MODEL_LEVEL_CRITICAL };

enum model_basis { MODEL_BASIS_PAIRED, MODEL_BASIS_RUNS, MODEL_BASIS_EXACT, MODEL_BASIS_POINT };

/* What a gate makes of one comparison, or of all. */
enum model_gate {
    MODEL_GATE_NONE,   /* no gate was asked, or this metric does not decide */
    MODEL_GATE_PASS,   /* proven to be within the limit */
    MODEL_GATE_WAIVED, /* beyond it, and somebody signed for that */
    MODEL_GATE_OPEN,   /* not known: measured too little, or it cannot be compared */
    MODEL_GATE_FAIL,   /* proven to be beyond it, twice */
};

struct model_side {
    double median;
    ptrdiff_t launches;
    ptrdiff_t count;
};

struct model_comparison {
    const char *benchmark; /* label without parameters */
    struct model_parameter *parameters;
    ptrdiff_t parameter_count;
    const char *new_name; /* which side is compared with old; NULL: there is only one */
    const char *metric;
    const char *unit;
    enum model_better better;
    enum model_basis basis;
    bool is_gated;
    struct model_side old_side;
    struct model_side new_side;
    bool has_ratio;
    double ratio; /* new / old */
    bool has_interval;
    double low;
    double high;
    const char *method; /* of the interval */
    double mean_ratio;  /* over the launches; 0: not known */
    bool has_tail;      /* launches have rounds enough to speak of a slowest tenth */
    double tail_ratio;  /* of the slowest tenth of the rounds; 0: not known yet */
    double tail_low;    /* its interval */
    double tail_high;
    double band;
    double floor; /* learnt noise: `regressed` and `improved` had to be beyond it; 0: none */
    enum model_verdict verdict;
    enum model_level level;
    const char *reason;
    const char *reason_code;
    double seconds;      /* spent on it */
    double seconds_more; /* expected to decide it; 0: decided, negative: no time would */
    const char *witness; /* what exact counts say about a change of time; NULL: nothing */
    /* Of a gate only. */
    enum model_gate gate;
    const char *gate_reason;
    double limit; /* the change for the worse that may pass; negative: none was set */
    bool is_limit_absolute;
    bool is_confirmed;  /* a failure seen again on fresh launches */
    const char *waiver; /* NULL, or why, who and until when */
};

/* A floor or ceiling of the policy, held against what new measured. */
struct model_requirement {
    const char *benchmark; /* label; the pattern when nothing matched */
    const char *metric;
    const char *bound; /* "at least 4.1 GiB/s" */
    const char *found; /* "3.9 GiB/s (3.8 … 4.0)" */
    enum model_gate gate;
    bool is_invalid; /* open, and no measuring would change that: nothing there to check */
    const char *reason;
};

/* Where a decision goes next, and why. */
struct model_route {
    const char *kind; /* "fix", "document", … */
    const char *name; /* the project's word for it */
    const char *reason;
    const char **evidence;
    ptrdiff_t evidence_count;
};

/* What a gate made of a decision. */
struct model_judgement {
    enum model_gate outcome; /* pass, open or fail */
    enum model_level level;  /* the worst that is proven and not waived */
    enum model_level fail_at;
    int exit_code;
    const char *reason;     /* one sentence: why this outcome */
    const char *spread;     /* "none", "localised", "system-wide" */
    const char *correction; /* how many comparisons were gated and what that cost */
    struct model_route route;
    struct model_requirement *requirements;
    ptrdiff_t requirement_count;
    const char **waivers; /* every waiver that was used, or has run out, in words */
    ptrdiff_t waiver_count;
    const char **notes; /* groups that disagree, an old baseline, … */
    ptrdiff_t note_count;
};

struct model_decision {
    char id[27];
    const char *old_name; /* "main@3f2c1a9", a path */
    const char *new_name;
    double confidence;
    ptrdiff_t gated_count;
    struct model_comparison *items; /* worst first */
    ptrdiff_t count;
    ptrdiff_t capacity;
    const char **missing; /* labels of benchmarks only old has */
    ptrdiff_t missing_count;
    const char **added;
    ptrdiff_t added_count;
    const char **warnings;
    ptrdiff_t warning_count;
    ptrdiff_t warning_capacity;
    const char **policy_changes; /* what new changes in the policy; judged by old's */
    ptrdiff_t policy_change_count;
    struct model_judgement *judgement; /* NULL: nobody asked for one */
    const char *next;                  /* command to try next; NULL: none */
    double seconds;
};

/* "parse/json n=64": the benchmark with its parameters, as patterns mean it. */
const char *model_comparison_label(struct arena *arena, const struct model_comparison *comparison);

struct model_comparison *model_decision_add(struct arena *arena, struct model_decision *decision);
__attribute__((format(printf, 3, 4))) void model_decision_warn(struct arena *arena,
                                                               struct model_decision *decision,
                                                               const char *format, ...);
/* Worst first; among equals, the larger change first. */
void model_decision_sort(struct model_decision *decision);
/* The verdict of the whole: the worst of its gated items; invalid when there are none. */
enum model_verdict model_decision_verdict(const struct model_decision *decision);

const char *model_verdict_name(enum model_verdict verdict);
const char *model_level_name(enum model_level level); /* NULL for none */
const char *model_basis_name(enum model_basis basis);
const char *model_gate_name(enum model_gate gate); /* NULL for none */

#endif
