/* prove_report.h: what many comparisons with a known truth amount to. */
#ifndef TARE_CLI_PROVE_REPORT_H
#define TARE_CLI_PROVE_REPORT_H

#include "base/buffer.h"
#include "model/comparison.h"

struct prove_trial {
    ptrdiff_t benchmark; /* number in labels */
    enum model_verdict verdict;
    double seconds;
    double added; /* work really added */
    ptrdiff_t launches;
    double ratio;
    bool has_interval;
    double low;
    double high;
};

struct prove_scenario {
    double effect;
    double band;
    struct prove_trial *trials;
    ptrdiff_t count;
    ptrdiff_t capacity;
};

struct prove_result {
    struct prove_scenario *scenarios;
    ptrdiff_t scenario_count;
    ptrdiff_t scenario_capacity;
    const char **labels; /* of the benchmarks */
    double confidence;
    double each_s;
    double seconds;
};

void prove_trial_add(struct arena *arena, struct prove_scenario *scenario,
                     const struct prove_trial *trial);
/* columns: width to fit into; 0: no limit. */
void prove_report_text(struct buffer *out, const struct prove_result *result,
                       const struct model_machine *machine, ptrdiff_t columns);
void prove_report_json(struct buffer *out, const struct prove_result *result,
                       const struct model_machine *machine, int exit_code);

#endif
