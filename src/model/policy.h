/* policy.h: what tare.yaml says, as plain records, and the questions that are asked of it.
 *
 * codec/policy_yaml.h reads it; commands and detect only look. Every key is optional: what the file
 * does not say is as its preset has it; the comments here give the preset `default`. Texts that are
 * not said are NULL, lists empty. `line` is where in the file an item began, so that a later
 * complaint about it can point there; 0: it came with the preset. docs/policy.md is the manual. */
#ifndef TARE_MODEL_POLICY_H
#define TARE_MODEL_POLICY_H

#include "model/comparison.h"
#include "model/model.h"

enum {
    POLICY_FILE_BYTES_MAX = 1024 * 1024, /* a policy is written by hand */
    POLICY_NODES_MAX = 100000,           /* values looked at, repeated aliases counted each time */
    POLICY_LIST_MAX = 10000,             /* items of one list or mapping */
    POLICY_RETRIES_MAX = 10,             /* of an inconclusive comparison */
};

/* A set of values to start from; the file's own keys win. */
enum model_preset {
    MODEL_PRESET_DEFAULT,
    MODEL_PRESET_STRICT,
    MODEL_PRESET_COPYBOOK,
    MODEL_PRESET_BITNET,
    MODEL_PRESET_COUNT,
};

/* What a gate makes of a verdict that is neither good nor bad. */
enum model_outcome { MODEL_OUTCOME_FAIL, MODEL_OUTCOME_PASS, MODEL_OUTCOME_NEUTRAL };

/* What other conditions of one machine (kernel, governor, …) do to a comparison of stored runs. */
enum model_conditions { MODEL_CONDITIONS_WARN, MODEL_CONDITIONS_INCONCLUSIVE };

/* Whose benchmark sources both sides are built with; own: each side's. */
enum model_bench_from { MODEL_BENCH_FROM_OWN, MODEL_BENCH_FROM_BASE, MODEL_BENCH_FROM_HEAD };

/* What is counted exactly beside the measurement, as a set of bits. */
enum model_count {
    MODEL_COUNT_INSTRUCTIONS = 1 << 0,
    MODEL_COUNT_SIZE = 1 << 1, /* of the program's file */
    MODEL_COUNT_ALLOCATIONS = 1 << 2,
};

/* Where a decision is sent next; the policy may call each by another name. */
enum model_route_kind {
    MODEL_ROUTE_FIX,
    MODEL_ROUTE_DOCUMENT,
    MODEL_ROUTE_FINALIZE,
    MODEL_ROUTE_PROMOTE,
    MODEL_ROUTE_SUMMARIZE,
    MODEL_ROUTE_GPU,
    MODEL_ROUTE_ACCURACY,
    MODEL_ROUTE_RETRY,
    MODEL_ROUTE_COUNT,
};

/* Kinds of benchmark whose findings are held against each other. */
enum model_group { MODEL_GROUP_NONE, MODEL_GROUP_SYNTHETIC, MODEL_GROUP_REALISTIC };

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

/* A metric with an absolute threshold is a quality metric (accuracy): losing some of it has a route
 * of its own. */
struct model_metric_thresholds {
    const char *metric; /* "*": every metric that has none of its own */
    struct model_threshold warning;
    struct model_threshold critical; /* never below warning */
    int line;
};

struct model_threshold_list {
    const struct model_metric_thresholds *items;
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
    bool has_core;     /* said, true or false */
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
    const char *by;
    int32_t until_date; /* last day it holds, as 20270131 */
    int line;
};

/* How much of the store is kept; 0: no limit. What a baseline points at is always kept. */
struct model_policy_retention {
    int64_t keep; /* newest runs */
    int64_t days;
};

struct model_policy {
    bool is_empty; /* the file says nothing at all */
    enum model_preset preset;
    const char *project;
    const char *store;
    const char *build;
    double build_timeout_ns;            /* 10 min */
    const char *against;                /* "merge-base" */
    const char *default_branch;         /* "main" */
    enum model_bench_from bench_from;   /* own */
    struct model_text_list bench_paths; /* files and folders that bench_from takes over */
    double budget_ns;                   /* 60 s */
    double confidence;                  /* 0.99 */
    double min_effect;                  /* 0.01 */
    double precision;                   /* 0: not said, the command has its own default */
    double noise_floor_max;             /* 0.05: a learnt floor never widens the band beyond this */
    int retries;                        /* 2: of what stayed inconclusive */
    enum model_level fail_at;           /* warning; never none */
    enum model_level fail_at_core;      /* none: as fail_at. Ask model_policy_fail_at */
    enum model_outcome inconclusive;    /* fail */
    enum model_outcome missing;         /* fail */
    enum model_outcome added;           /* pass */
    enum model_conditions conditions;   /* warn */
    unsigned count;                     /* of enum model_count */
    double max_baseline_age_ns;         /* 90 days: older ones are warned about */
    struct model_policy_retention retention;
    struct model_text_list gate;            /* ask model_policy_is_gated; empty: not said */
    struct model_threshold_list thresholds; /* ask model_policy_thresholds */
    struct model_text_list synthetic;       /* patterns; ask model_policy_group */
    struct model_text_list realistic;
    struct model_text_list gpu;            /* patterns: benchmarks that run on a GPU */
    const char *routes[MODEL_ROUTE_COUNT]; /* names, never NULL */
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
    /* Said by the file, not the default: an option or a command may have its own. */
    bool has_budget;
    bool has_confidence;
    bool has_min_effect;
    bool has_default_branch;
};

/* The policy of a project without tare.yaml. */
struct model_policy model_policy_default(void);

/* What a file that only names this preset would give. */
struct model_policy model_policy_preset(enum model_preset preset);

/* Does a pattern mean this benchmark? `label` is model_benchmark_label's, with or without suite and
 * parameters. The pattern (* and ?, across '/') must cover the label as a whole, or the label
 * without its parameters, each with or without the suite: "parse/json" means
 * "bench:parse/json n=4". */
bool model_policy_match(const char *pattern, const char *label);

/* The thresholds of one metric of one benchmark: from the last override that matches and names the
 * metric or "*", else the general ones of the metric, else the general "*", else NULL. */
const struct model_metric_thresholds *model_policy_thresholds(const struct model_policy *policy,
                                                              const char *label,
                                                              const char *metric);

/* Has the metric an absolute threshold here: is it about quality, not speed? */
bool model_policy_is_quality(const struct model_policy *policy, const char *label,
                             const char *metric);

/* As the last override that matches and says so; false when none does. */
bool model_policy_is_core(const struct model_policy *policy, const char *label);

/* The level from which a regression of this benchmark fails the gate: fail_at, and for core
 * benchmarks fail_at_core where that is stricter. */
enum model_level model_policy_fail_at(const struct model_policy *policy, const char *label);

/* Does the metric decide? Without `gate:` time does, and whatever the benchmark reports of its own;
 * what Tare adds to every benchmark does not. */
bool model_policy_is_gated(const struct model_policy *policy, const char *metric);

/* The waiver that holds today (as 20270131) for this metric of this benchmark: the one that holds
 * longest; NULL: none. */
const struct model_policy_waiver *model_policy_waiver(const struct model_policy *policy,
                                                      const char *label, const char *metric,
                                                      int32_t today);

/* The same among those that ended before today, the latest: for a warning where nothing holds any
 * more. */
const struct model_policy_waiver *model_policy_waiver_expired(const struct model_policy *policy,
                                                              const char *label, const char *metric,
                                                              int32_t today);

/* What a benchmark of this name is called now; NULL: not renamed. Labels as `renamed:` has them. */
const char *model_policy_renamed(const struct model_policy *policy, const char *old_label);

/* Of a benchmark that both groups match, or neither: none. */
enum model_group model_policy_group(const struct model_policy *policy, const char *label);

/* Every difference between two policies in words people understand, such as
 * "threshold time.warning: 3% → 50%" or "waiver removed: parse/json time …"; empty: they mean the
 * same. The order of lists counts where it matters (overrides). */
struct model_text_list model_policy_diff(struct arena *arena, const struct model_policy *base,
                                         const struct model_policy *head);

const char *model_preset_name(enum model_preset preset);
const char *model_outcome_name(enum model_outcome outcome);
const char *model_conditions_name(enum model_conditions conditions);
const char *model_bench_from_name(enum model_bench_from from);
const char *model_route_key(enum model_route_kind route); /* as `routes:` spells it: "fix" */

#endif
