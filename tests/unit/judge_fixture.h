/* judge_fixture.h: comparisons, benchmarks and policies for tests of the judge and its reports. */
#ifndef TARE_TESTS_JUDGE_FIXTURE_H
#define TARE_TESTS_JUDGE_FIXTURE_H

#include "detect/judge.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

enum { TODAY = 20270131 };

struct fixture {
    struct arena arena;
    struct model_policy policy;
    struct model_decision decision;
    struct judge_context context;
    const struct model_benchmark **benchmarks;
    ptrdiff_t capacity;
};

/* The default policy: time warning 3 %, critical 10 %, fail_at warning, band 1 %. */
static inline struct fixture *fixture_new(void)
{
    struct arena arena = {0};
    struct fixture *f = ARENA_NEW(&arena, struct fixture);
    f->arena = arena;
    f->policy = model_policy_default();
    f->decision = (struct model_decision){
        .id = "01", .old_name = "main@1", .new_name = "working tree", .confidence = 0.99};
    f->context = (struct judge_context){.policy = &f->policy, .today = TODAY, .has_baseline = true};
    return f;
}

static inline void fixture_free(struct fixture *f)
{
    struct arena arena = f->arena; /* the fixture itself lives in it */
    arena_free(&arena);
}

/* What the detector would say of such an interval of a time. */
static inline enum model_verdict verdict_of(double low, double high)
{
    return low > 1.01                        ? MODEL_REGRESSED
           : high < 1 / 1.01                 ? MODEL_IMPROVED
           : low >= 1 / 1.01 && high <= 1.01 ? MODEL_EQUIVALENT
                                             : MODEL_INCONCLUSIVE;
}

/* A gated time, 100 ns before, with this interval of its ratio; confirmed. */
static inline struct model_comparison *add_time(struct fixture *f, const char *name, double low,
                                                double high)
{
    struct model_comparison *c = model_decision_add(&f->arena, &f->decision);
    double ratio = sqrt(low * high);
    *c = (struct model_comparison){
        .benchmark = name,
        .metric = "time",
        .unit = "ns",
        .better = MODEL_LOWER_IS_BETTER,
        .basis = MODEL_BASIS_PAIRED,
        .is_gated = true,
        .old_side = {.median = 100, .launches = 12, .count = 120},
        .new_side = {.median = 100 * ratio, .launches = 12, .count = 120},
        .has_ratio = true,
        .ratio = ratio,
        .has_interval = true,
        .low = low,
        .high = high,
        .method = "t",
        .mean_ratio = ratio,
        .band = 0.01,
        .verdict = verdict_of(low, high),
        .reason = "the interval is what it is",
        .reason_code = "beyond-band",
        .limit = -1,
        .is_confirmed = true,
    };
    f->decision.gated_count++;
    return c;
}

/* A count that repeats bit for bit. */
static inline struct model_comparison *add_count(struct fixture *f, const char *name,
                                                 const char *metric, double old_value,
                                                 double new_value)
{
    struct model_comparison *c = add_time(f, name, 1, 1);
    c->metric = metric;
    c->unit = "1";
    c->basis = MODEL_BASIS_EXACT;
    c->old_side.median = old_value;
    c->new_side.median = new_value;
    c->has_ratio = c->has_interval = old_value != 0;
    c->ratio = c->low = c->high = old_value != 0 ? new_value / old_value : 0;
    c->verdict = new_value > old_value   ? MODEL_REGRESSED
                 : new_value < old_value ? MODEL_IMPROVED
                                         : MODEL_EQUIVALENT;
    c->reason = "counted";
    c->is_confirmed = false;
    return c;
}

static inline struct model_comparison *add_invalid(struct fixture *f, const char *name)
{
    struct model_comparison *c = add_time(f, name, 1, 1);
    c->verdict = MODEL_INVALID;
    c->has_ratio = c->has_interval = false;
    c->reason = "new crashed";
    return c;
}

/* A benchmark of new with one metric: the same value in each launch, give or take 0.1 %. */
static inline struct model_benchmark *add_benchmark(struct fixture *f, const char *name,
                                                    const char *metric, const char *unit,
                                                    double value, int launches)
{
    struct model_benchmark *benchmark = ARENA_NEW(&f->arena, struct model_benchmark);
    *benchmark = (struct model_benchmark){.suite = "", .name = name, .variant = ""};
    struct model_metric *m =
        model_metric_get(&f->arena, benchmark, metric, unit, MODEL_HIGHER_IS_BETTER, false);
    for (int launch = 0; launch < launches; launch++) {
        model_metric_add(&f->arena, m, value * (1 + 0.001 * (launch % 3 - 1)), launch);
    }
    f->benchmarks = arena_grow(&f->arena, f->benchmarks, &f->capacity,
                               f->context.benchmark_count + 1, (ptrdiff_t)sizeof *f->benchmarks);
    f->benchmarks[f->context.benchmark_count++] = benchmark;
    f->context.benchmarks = f->benchmarks;
    return benchmark;
}

static inline struct model_policy_requirement *add_requirement(struct fixture *f, const char *match,
                                                               const char *metric)
{
    ptrdiff_t count = f->policy.requirement_count;
    struct model_policy_requirement *list =
        ARENA_ARRAY(&f->arena, struct model_policy_requirement, count + 1);
    if (count > 0) {
        memcpy(list, f->policy.requirements, (size_t)count * sizeof *list);
    }
    list[count] = (struct model_policy_requirement){.match = match, .metric = metric};
    f->policy.requirements = list;
    f->policy.requirement_count = count + 1;
    return &list[count];
}

static inline struct model_quantity quantity(double value, const char *unit)
{
    return (struct model_quantity){.is_set = true, .value = value, .unit = unit};
}

static inline void set_waivers(struct fixture *f, struct model_policy_waiver *waivers,
                               ptrdiff_t count)
{
    f->policy.waivers = waivers;
    f->policy.waiver_count = count;
}

static inline const struct model_judgement *judge(struct fixture *f)
{
    judge_decision(&f->arena, &f->decision, &f->context);
    return f->decision.judgement;
}

/* Is there a sentence with this part among them? */
static inline bool says(const char *const *texts, ptrdiff_t count, const char *part)
{
    for (ptrdiff_t i = 0; i < count; i++) {
        if (strstr(texts[i], part) != NULL) {
            return true;
        }
    }
    return false;
}

#endif
