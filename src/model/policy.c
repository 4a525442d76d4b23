#include "model/policy.h"

struct model_policy model_policy_default(void)
{
    return (struct model_policy){
        .is_empty = true,
        .against = "merge-base",
        .budget_ns = 60e9,
        .confidence = 0.99,
        .min_effect = 0.01,
        .fail_at = MODEL_LEVEL_WARNING,
        .inconclusive = MODEL_OUTCOME_FAIL,
        .missing = MODEL_OUTCOME_FAIL,
    };
}
