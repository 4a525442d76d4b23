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
    double tail_ratio;  /* of the slowest tenth of the rounds; 0: not known */
    double band;
    enum model_verdict verdict;
    enum model_level level;
    const char *reason;
    const char *reason_code;
    double seconds;      /* spent on it */
    double seconds_more; /* expected to decide it; 0: decided, negative: no time would */
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
    const char *next; /* command to try next; NULL: none */
    double seconds;
};

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

#endif
