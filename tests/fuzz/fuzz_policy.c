/* fuzz_policy.c: any bytes as tare.yaml. Beyond not crashing: an error leaves a message and the
 * default policy; a policy that was read keeps its promises. */
#include "base/assert.h"
#include "codec/policy_yaml.h"

#include <math.h>
#include <stdint.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

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
    TARE_ASSERT(policy.confidence >= 0.5 && policy.confidence < 1);
    TARE_ASSERT(policy.budget_ns > 0 && isfinite(policy.budget_ns));
    for (ptrdiff_t i = 0; i < policy.benchmark_count; i++) {
        const struct model_policy_benchmark *benchmark = &policy.benchmarks[i];
        TARE_ASSERT((benchmark->program == NULL) != (benchmark->command == NULL));
    }
    for (ptrdiff_t i = 0; i < policy.thresholds.count; i++) {
        TARE_ASSERT(policy.thresholds.items[i].warning.value >= 0);
        TARE_ASSERT(isfinite(policy.thresholds.items[i].critical.value));
    }
    arena_free(&arena);
    return 0;
}
