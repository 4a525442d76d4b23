#include "detect/conclude.h"

#include "base/unit.h"

void detect_conclude(struct model_comparison *c, enum model_verdict verdict, const char *code,
                     const char *reason)
{
    c->verdict = verdict;
    c->reason_code = code;
    c->reason = reason;
}

void detect_exact(struct arena *arena, struct model_comparison *c, double old_value,
                  double new_value)
{
    c->basis = MODEL_BASIS_EXACT;
    c->has_ratio = old_value != 0;
    c->ratio = c->has_ratio ? new_value / old_value : 0;
    c->has_interval = c->has_ratio;
    c->low = c->high = c->ratio;
    c->method = "exact";
    if (old_value == new_value) {
        detect_conclude(c, MODEL_EQUIVALENT, "same-count", "counted, exactly the same");
        return;
    }
    bool is_worse = (new_value > old_value) == (c->better == MODEL_LOWER_IS_BETTER);
    detect_conclude(c, is_worse ? MODEL_REGRESSED : MODEL_IMPROVED, "other-count",
                    arena_printf(arena, "counted: %s instead of %s",
                                 unit_format_digits(arena, new_value, 6),
                                 unit_format_digits(arena, old_value, 6)));
}

const char *detect_full_name(struct arena *arena, const struct model_benchmark *benchmark)
{
    if (benchmark->suite[0] == '\0' && benchmark->variant[0] == '\0') {
        return benchmark->name; /* most are like this, and there may be ten thousand */
    }
    struct model_benchmark bare = *benchmark;
    bare.parameter_count = 0;
    return model_benchmark_label(arena, &bare);
}
