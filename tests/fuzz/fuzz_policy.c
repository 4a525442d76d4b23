/* fuzz_policy.c: any bytes as tare.yaml. Beyond not crashing: an error leaves a message and the
 * default policy; a policy that was read keeps its promises, answers every question, and does not
 * differ from itself. */
#include "base/assert.h"
#include "codec/policy_yaml.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_thresholds(const struct model_threshold_list *list)
{
    for (ptrdiff_t i = 0; i < list->count; i++) {
        const struct model_threshold *warning = &list->items[i].warning;
        const struct model_threshold *critical = &list->items[i].critical;
        TARE_ASSERT(warning->is_set || critical->is_set);
        TARE_ASSERT(warning->value >= 0 && isfinite(warning->value));
        TARE_ASSERT(critical->value >= 0 && isfinite(critical->value));
        if (warning->is_set && critical->is_set) {
            TARE_ASSERT(warning->value <= critical->value);
            TARE_ASSERT(warning->is_absolute == critical->is_absolute);
            TARE_ASSERT(strcmp(warning->unit, critical->unit) == 0);
        }
    }
}

static void check_values(const struct model_policy *policy)
{
    TARE_ASSERT(policy->confidence >= 0.5 && policy->confidence < 1);
    TARE_ASSERT(policy->budget_ns > 0 && isfinite(policy->budget_ns));
    TARE_ASSERT(policy->build_timeout_ns > 0 && policy->max_baseline_age_ns > 0);
    TARE_ASSERT(policy->min_effect >= 0 && policy->min_effect < 1);
    TARE_ASSERT(policy->noise_floor_max >= 0 && policy->noise_floor_max < 1);
    TARE_ASSERT(policy->retries >= 0 && policy->retries <= POLICY_RETRIES_MAX);
    TARE_ASSERT(policy->fail_at != MODEL_LEVEL_NONE);
    TARE_ASSERT(policy->bench_from == MODEL_BENCH_FROM_OWN || policy->bench_paths.count > 0);
    for (int i = 0; i < MODEL_ROUTE_COUNT; i++) {
        TARE_ASSERT(model_name_is_valid(policy->routes[i]));
    }
    for (ptrdiff_t i = 0; i < policy->benchmark_count; i++) {
        const struct model_policy_benchmark *benchmark = &policy->benchmarks[i];
        TARE_ASSERT((benchmark->program == NULL) != (benchmark->command == NULL));
    }
    for (ptrdiff_t i = 0; i < policy->waiver_count; i++) {
        const struct model_policy_waiver *waiver = &policy->waivers[i];
        TARE_ASSERT(waiver->match != NULL && waiver->reason != NULL && waiver->by != NULL);
        TARE_ASSERT(waiver->until_date >= 20000101 && waiver->until_date <= 99991231);
    }
    for (ptrdiff_t i = 0; i < policy->requirement_count; i++) {
        TARE_ASSERT(policy->requirements[i].at_least.is_set ||
                    policy->requirements[i].at_most.is_set);
    }
    check_thresholds(&policy->thresholds);
    for (ptrdiff_t i = 0; i < policy->override_count; i++) {
        check_thresholds(&policy->overrides[i].thresholds);
    }
}

static void ask(const struct model_policy *policy, const char *label, const char *metric)
{
    TARE_ASSERT(model_policy_thresholds(policy, label, metric) != NULL);
    TARE_ASSERT(model_policy_fail_at(policy, label) <= policy->fail_at);
    const struct model_policy_waiver *waiver = model_policy_waiver(policy, label, metric, 20270131);
    TARE_ASSERT(waiver == NULL || waiver->until_date >= 20270131);
    waiver = model_policy_waiver_expired(policy, label, metric, 20270131);
    TARE_ASSERT(waiver == NULL || waiver->until_date < 20270131);
    model_policy_is_quality(policy, label, metric);
    model_policy_is_gated(policy, metric);
    model_policy_renamed(policy, label);
    model_policy_group(policy, label);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct arena arena = {0};
    struct tare_error error = {0};
    struct model_policy policy;
    tare_status status =
        policy_read(&arena, (const char *)data, (ptrdiff_t)size, "fuzz.yaml", &policy, &error);
    if (status != TARE_OK) {
        TARE_ASSERT(error.status == status && error.message[0] != '\0');
        TARE_ASSERT(policy.is_empty && policy.benchmark_count == 0);
    }
    check_values(&policy);
    ask(&policy, "parse/json", "time");
    ask(&policy, "bench:parse/json n=4 size=1k", "accuracy");
    TARE_ASSERT(model_policy_diff(&arena, &policy, &policy).count == 0);
    struct model_policy usual = model_policy_default();
    bool is_same = model_policy_diff(&arena, &usual, &policy).count == 0;
    TARE_ASSERT(is_same == (model_policy_diff(&arena, &policy, &usual).count == 0));
    arena_free(&arena);
    return 0;
}
