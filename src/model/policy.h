/* policy.h: what tare.yaml says, as plain records.
 *
 * codec/policy_yaml.h reads it; commands and detect only look. Every key is optional: what the file
 * does not say has the default written here, or is NULL, 0 or an empty list. `line` is where in the
 * file an item began, so that a later complaint about it can point there. */
#ifndef TARE_MODEL_POLICY_H
#define TARE_MODEL_POLICY_H

#include "model/comparison.h"
#include "model/model.h"

enum {
    POLICY_FILE_BYTES_MAX = 1024 * 1024, /* a policy is written by hand */
    POLICY_NODES_MAX = 100000,           /* values looked at, repeated aliases counted each time */
    POLICY_LIST_MAX = 10000,             /* items of one list or mapping */
};

/* What a gate makes of a verdict that is neither good nor bad. */
enum model_outcome { MODEL_OUTCOME_FAIL, MODEL_OUTCOME_PASS, MODEL_OUTCOME_NEUTRAL };

/* A number with its unit, times in ns and sizes in bytes ("4.1 GiB/s" is 4402341478.4 "B/s"). Unit
 * "" is the metric's own. */
struct model_quantity {
    bool is_set;
    double value;
    const char *unit;
};

/* A change that matters: relative ("3%" is 0.03), or absolute in the metric's unit ("0.002
 * absolute"). */
struct model_threshold {
    bool is_set;
    bool is_absolute;
    double value;     /* ≥ 0 */
    const char *unit; /* absolute only; "" is the metric's own */
};

struct model_metric_thresholds {
    const char *metric;
    struct model_threshold warning;
    struct model_threshold critical; /* never below warning */
    int line;
};

struct model_threshold_list {
    struct model_metric_thresholds *items;
    ptrdiff_t count;
};

struct model_text_list {
    const char **items;
    ptrdiff_t count;
};

/* One parameter with its values: `n: [1, 2, 4]`, or a range as --param takes it: `n: 4..64*2`. */
struct model_policy_parameter {
    const char *name;
    struct model_text_list values;
};

/* One entry of `benchmarks:`; exactly one of program and command is set. */
struct model_policy_benchmark {
    const char *name; /* NULL: the program's own names, or the command line */
    const char *program;
    const char *command;
    bool is_shell;     /* the command needs a shell */
    bool is_protocol;  /* the program speaks Tare's protocol although it has no ELF note */
    double timeout_ns; /* 0: the default */
    struct model_text_list metrics; /* patterns as --metric takes them */
    struct model_policy_parameter *parameters;
    ptrdiff_t parameter_count;
    int line;
};

struct model_policy_override {
    const char *match; /* pattern over benchmark labels */
    bool is_core;
    struct model_threshold_list thresholds;
    int line;
};

/* A floor or a ceiling, whatever the baseline says. At least one of the two is set. */
struct model_policy_requirement {
    const char *match; /* "*" by default */
    const char *metric;
    struct model_quantity at_least;
    struct model_quantity at_most;
    int line;
};

struct model_policy_rename {
    const char *old_name;
    const char *new_name;
};

struct model_policy_waiver {
    const char *match;
    const char *metric; /* NULL: every metric */
    const char *reason;
    const char *by;     /* NULL: not said */
    int32_t until_date; /* last day it holds, as 20270131; 0: without end */
    int line;
};

struct model_policy {
    bool is_empty; /* the file says nothing at all */
    const char *project;
    const char *store;
    const char *build;
    const char *against;             /* "merge-base" */
    double budget_ns;                /* 60 s */
    double confidence;               /* 0.99 */
    double min_effect;               /* 0.01 */
    double precision;                /* 0: not said, the command has its own default */
    enum model_level fail_at;        /* warning; never none */
    enum model_outcome inconclusive; /* fail */
    enum model_outcome missing;      /* fail */
    struct model_text_list gate;     /* metrics that decide; empty: not said */
    struct model_threshold_list thresholds;
    struct model_policy_benchmark *benchmarks;
    ptrdiff_t benchmark_count;
    struct model_policy_override *overrides;
    ptrdiff_t override_count;
    struct model_policy_requirement *requirements;
    ptrdiff_t requirement_count;
    struct model_policy_rename *renames;
    ptrdiff_t rename_count;
    struct model_policy_waiver *waivers;
    ptrdiff_t waiver_count;
    bool
        has_budget; /* said by the file, not the default: an option or a command may have its own */
    bool has_confidence;
    bool has_min_effect;
};

/* The policy of a project without tare.yaml. */
struct model_policy model_policy_default(void);

#endif
