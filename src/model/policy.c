/* policy.c: presets, and what a policy says about one benchmark or metric. All of it is looked up
 * by exact name or by pattern; nothing is ever concluded from a part of a metric's name. */
#include "model/policy.h"

#include "base/assert.h"
#include "base/text.h"

#include <stddef.h>
#include <string.h>

#define RELATIVE(share)                                                                            \
    {                                                                                              \
        .is_set = true, .value = (share), .unit = ""                                               \
    }
#define ABSOLUTE(amount)                                                                           \
    {                                                                                              \
        .is_set = true, .is_absolute = true, .value = (amount), .unit = ""                         \
    }
#define ROW(name, warn, crit)                                                                      \
    {                                                                                              \
        .metric = (name), .warning = RELATIVE(warn), .critical = RELATIVE(crit)                    \
    }
#define LIST(rows)                                                                                 \
    {                                                                                              \
        .items = (rows), .count = sizeof(rows) / sizeof *(rows)                                    \
    }

static const struct model_metric_thresholds default_thresholds[] = {
    ROW("time", 0.03, 0.10),      ROW("memory", 0.10, 0.30), ROW("allocated", 0.10, 0.30),
    ROW("peak_live", 0.10, 0.30), ROW("*", 0.03, 0.10),
};

static const struct model_metric_thresholds strict_thresholds[] = {
    ROW("time", 0.01, 0.03),      ROW("memory", 0.03, 0.10), ROW("allocated", 0.03, 0.10),
    ROW("peak_live", 0.03, 0.10), ROW("*", 0.01, 0.03),
};

/* One budget for all, in two steps: core paths fail at the first (5 %), the others at the second.
 */
static const struct model_metric_thresholds copybook_thresholds[] = {
    ROW("*", 0.05, 0.10),
};

/* The classes throughput, latency and memory as lists of names: Tare's own, and those of the
 * baselines.json files this preset comes from. What is in no class gets the tightest one. */
static const struct model_metric_thresholds bitnet_thresholds[] = {
    ROW("throughput", 0.08, 0.15),
    ROW("item_rate", 0.08, 0.15),
    ROW("flop_rate", 0.08, 0.15),
    ROW("tokens_per_second", 0.08, 0.15),
    ROW("throughput_tokens_per_second", 0.08, 0.15),
    ROW("time", 0.15, 0.25),
    ROW("latency", 0.15, 0.25),
    ROW("p50", 0.15, 0.25),
    ROW("p90", 0.15, 0.25),
    ROW("p95", 0.15, 0.25),
    ROW("p99", 0.15, 0.25),
    ROW("p99.9", 0.15, 0.25),
    ROW("p99.99", 0.15, 0.25),
    ROW("max", 0.15, 0.25),
    ROW("first_token", 0.15, 0.25),
    ROW("load_time", 0.15, 0.25),
    ROW("latency_p50_ms", 0.15, 0.25),
    ROW("latency_p95_ms", 0.15, 0.25),
    ROW("latency_p99_ms", 0.15, 0.25),
    ROW("first_token_latency_ms", 0.15, 0.25),
    ROW("model_load_time_ms", 0.15, 0.25),
    ROW("memory", 0.20, 0.30),
    ROW("allocated", 0.20, 0.30),
    ROW("peak_live", 0.20, 0.30),
    ROW("gpu_memory", 0.20, 0.30),
    ROW("memory_usage_mb", 0.20, 0.30),
    {.metric = "accuracy", .warning = ABSOLUTE(0.002), .critical = ABSOLUTE(0.005)},
    {.metric = "accuracy_score", .warning = ABSOLUTE(0.002), .critical = ABSOLUTE(0.005)},
    ROW("*", 0.08, 0.15),
};

static const struct model_threshold_list preset_thresholds[] = {
    [MODEL_PRESET_DEFAULT] = LIST(default_thresholds),
    [MODEL_PRESET_STRICT] = LIST(strict_thresholds),
    [MODEL_PRESET_COPYBOOK] = LIST(copybook_thresholds),
    [MODEL_PRESET_BITNET] = LIST(bitnet_thresholds),
};

static const double DAY_NS = 86400e9;

struct model_policy model_policy_default(void)
{
    return (struct model_policy){
        .is_empty = true,
        .preset = MODEL_PRESET_DEFAULT,
        .build_timeout_ns = 600e9,
        .against = "merge-base",
        .default_branch = "main",
        .bench_from = MODEL_BENCH_FROM_OWN,
        .budget_ns = 60e9,
        .confidence = 0.99,
        .min_effect = 0.01,
        .noise_floor_max = 0.05,
        .retries = 2,
        .fail_at = MODEL_LEVEL_WARNING,
        .fail_at_core = MODEL_LEVEL_NONE,
        .inconclusive = MODEL_OUTCOME_FAIL,
        .missing = MODEL_OUTCOME_FAIL,
        .added = MODEL_OUTCOME_PASS,
        .conditions = MODEL_CONDITIONS_WARN,
        .max_baseline_age_ns = 90 * DAY_NS,
        .thresholds = preset_thresholds[MODEL_PRESET_DEFAULT],
        .routes =
            {
                [MODEL_ROUTE_FIX] = "perf-fixer",
                [MODEL_ROUTE_DOCUMENT] = "document",
                [MODEL_ROUTE_FINALIZE] = "test-finalizer",
                [MODEL_ROUTE_PROMOTE] = "promotion-validator",
                [MODEL_ROUTE_SUMMARIZE] = "review-summarizer",
                [MODEL_ROUTE_GPU] = "gpu-optimizer",
                [MODEL_ROUTE_ACCURACY] = "accuracy-reviewer",
                [MODEL_ROUTE_RETRY] = "retry",
            },
    };
}

struct model_policy model_policy_preset(enum model_preset preset)
{
    TARE_ASSERT(preset < MODEL_PRESET_COUNT);
    struct model_policy policy = model_policy_default();
    policy.preset = preset;
    policy.thresholds = preset_thresholds[preset];
    if (preset == MODEL_PRESET_STRICT) {
        policy.added = MODEL_OUTCOME_FAIL;
        policy.conditions = MODEL_CONDITIONS_INCONCLUSIVE;
    }
    if (preset == MODEL_PRESET_COPYBOOK) {
        policy.fail_at = MODEL_LEVEL_CRITICAL;
        policy.fail_at_core = MODEL_LEVEL_WARNING;
    }
    return policy;
}

/* The pattern against the label, and against the label without its parameters ("name n=4"). */
static bool matches_with_or_without_parameters(const char *pattern, const char *label)
{
    if (text_glob(pattern, label)) {
        return true;
    }
    /* The first word like n=4 begins the parameters: names may hold blanks and --options, too. */
    for (const char *blank = strchr(label, ' '); blank != NULL; blank = strchr(blank + 1, ' ')) {
        size_t word = strcspn(blank + 1, " =");
        if (word > 0 && blank[1] != '-' && blank[1 + word] == '=') {
            return text_glob_part(pattern, label, blank - label);
        }
    }
    return false;
}

/* Where the label goes on after "suite:"; NULL: it has none. A suite is the name of a file. */
static const char *after_suite(const char *label)
{
    size_t length = strcspn(label, ": /");
    return length > 0 && label[length] == ':' && label[length + 1] != '\0' ? label + length + 1
                                                                           : NULL;
}

bool model_policy_match(const char *pattern, const char *label)
{
    const char *rest = after_suite(label);
    return matches_with_or_without_parameters(pattern, label) ||
           (rest != NULL && matches_with_or_without_parameters(pattern, rest));
}

/* The list's own row of the metric, else its "*", else NULL. */
static const struct model_metric_thresholds *find_thresholds(
    const struct model_threshold_list *list, const char *metric)
{
    const struct model_metric_thresholds *any = NULL;
    for (ptrdiff_t i = 0; i < list->count; i++) {
        if (strcmp(list->items[i].metric, metric) == 0) {
            return &list->items[i];
        }
        any = strcmp(list->items[i].metric, "*") == 0 ? &list->items[i] : any;
    }
    return any;
}

const struct model_metric_thresholds *model_policy_thresholds(const struct model_policy *policy,
                                                              const char *label, const char *metric)
{
    for (ptrdiff_t i = policy->override_count - 1; i >= 0; i--) {
        const struct model_policy_override *override = &policy->overrides[i];
        const struct model_metric_thresholds *found =
            find_thresholds(&override->thresholds, metric);
        if (found != NULL && model_policy_match(override->match, label)) {
            return found;
        }
    }
    return find_thresholds(&policy->thresholds, metric);
}

bool model_policy_is_quality(const struct model_policy *policy, const char *label,
                             const char *metric)
{
    const struct model_metric_thresholds *found = model_policy_thresholds(policy, label, metric);
    return found != NULL && (found->warning.is_absolute || found->critical.is_absolute);
}

bool model_policy_is_core(const struct model_policy *policy, const char *label)
{
    for (ptrdiff_t i = policy->override_count - 1; i >= 0; i--) {
        const struct model_policy_override *override = &policy->overrides[i];
        if (override->has_core && model_policy_match(override->match, label)) {
            return override->is_core;
        }
    }
    return false;
}

enum model_level model_policy_fail_at(const struct model_policy *policy, const char *label)
{
    bool is_stricter =
        policy->fail_at_core != MODEL_LEVEL_NONE && policy->fail_at_core < policy->fail_at;
    return is_stricter && model_policy_is_core(policy, label) ? policy->fail_at_core
                                                              : policy->fail_at;
}

static bool is_among(const char *const *names, ptrdiff_t count, const char *name)
{
    for (ptrdiff_t i = 0; i < count; i++) {
        if (strcmp(names[i], name) == 0) {
            return true;
        }
    }
    return false;
}

bool model_policy_is_gated(const struct model_policy *policy, const char *metric)
{
    /* What Tare reports besides time, whatever the benchmark: of interest, but not what people gate
     * on unasked. Rates are the reciprocal of the time and would be judged twice. */
    static const char *const added[] = {
        "throughput",
        "item_rate",
        "flop_rate",
        "user",
        "system",
        "cpu",
        "memory",
        "minor_faults",
        "major_faults",
        "voluntary_switches",
        "involuntary_switches",
        "allocations",
        "allocated",
        "peak_live",
        "p50",
        "p90",
        "p99",
        "p99.9",
        "p99.99",
        "max",
        "instructions",
        "cpu_instructions",
        "cycles",
        "branches",
        "branch_misses",
        "cache_misses",
        "binary_size",
        "text_size",
        "rodata_size",
        "data_size",
    };
    if (policy->gate.count > 0) {
        return is_among(policy->gate.items, policy->gate.count, metric);
    }
    return !is_among(added, sizeof added / sizeof *added, metric);
}

/* Of the waivers that match and whose last day is (or is not) yet to come: the one that ends last.
 */
static const struct model_policy_waiver *latest_waiver(const struct model_policy *policy,
                                                       const char *label, const char *metric,
                                                       int32_t today, bool is_expired)
{
    const struct model_policy_waiver *latest = NULL;
    for (ptrdiff_t i = 0; i < policy->waiver_count; i++) {
        const struct model_policy_waiver *waiver = &policy->waivers[i];
        bool is_over = waiver->until_date < today;
        bool is_later = latest == NULL || waiver->until_date > latest->until_date;
        bool is_metric = waiver->metric == NULL || strcmp(waiver->metric, metric) == 0;
        if (is_over == is_expired && is_later && is_metric &&
            model_policy_match(waiver->match, label)) {
            latest = waiver;
        }
    }
    return latest;
}

const struct model_policy_waiver *model_policy_waiver(const struct model_policy *policy,
                                                      const char *label, const char *metric,
                                                      int32_t today)
{
    return latest_waiver(policy, label, metric, today, false);
}

const struct model_policy_waiver *model_policy_waiver_expired(const struct model_policy *policy,
                                                              const char *label, const char *metric,
                                                              int32_t today)
{
    return latest_waiver(policy, label, metric, today, true);
}

const char *model_policy_renamed(const struct model_policy *policy, const char *old_label)
{
    for (ptrdiff_t i = 0; i < policy->rename_count; i++) {
        if (strcmp(policy->renames[i].old_name, old_label) == 0) {
            return policy->renames[i].new_name;
        }
    }
    return NULL;
}

static bool matches_any(const struct model_text_list *patterns, const char *label)
{
    for (ptrdiff_t i = 0; i < patterns->count; i++) {
        if (model_policy_match(patterns->items[i], label)) {
            return true;
        }
    }
    return false;
}

enum model_group model_policy_group(const struct model_policy *policy, const char *label)
{
    bool is_synthetic = matches_any(&policy->synthetic, label);
    bool is_realistic = matches_any(&policy->realistic, label);
    if (is_synthetic == is_realistic) {
        return MODEL_GROUP_NONE;
    }
    return is_synthetic ? MODEL_GROUP_SYNTHETIC : MODEL_GROUP_REALISTIC;
}

const char *model_preset_name(enum model_preset preset)
{
    static const char *const names[] = {"default", "strict", "copybook", "bitnet"};
    TARE_ASSERT((size_t)preset < sizeof names / sizeof *names);
    return names[preset];
}

const char *model_outcome_name(enum model_outcome outcome)
{
    static const char *const names[] = {"fail", "pass", "neutral"};
    TARE_ASSERT((size_t)outcome < sizeof names / sizeof *names);
    return names[outcome];
}

const char *model_conditions_name(enum model_conditions conditions)
{
    static const char *const names[] = {"warn", "inconclusive"};
    TARE_ASSERT((size_t)conditions < sizeof names / sizeof *names);
    return names[conditions];
}

const char *model_bench_from_name(enum model_bench_from from)
{
    static const char *const names[] = {"own", "base", "head"};
    TARE_ASSERT((size_t)from < sizeof names / sizeof *names);
    return names[from];
}

const char *model_route_key(enum model_route_kind route)
{
    static const char *const names[] = {"fix",       "document", "finalize", "promote",
                                        "summarize", "gpu",      "accuracy", "retry"};
    TARE_ASSERT((size_t)route < sizeof names / sizeof *names);
    return names[route];
}
