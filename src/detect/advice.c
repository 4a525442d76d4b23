#include "detect/advice.h"

#include "base/unit.h"
#include "stats/diagnostic.h"
#include "stats/modes.h"
#include "stats/summary.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Process start-up varies by some 0.1 ms: below 2 ms it is a good part of what is timed. */
static const double COMMAND_SHORT_NS = 2e6;
/* Drift and modes are said only beyond this error of the test: there are many benchmarks in a run.
 */
static const double DIAGNOSTIC_P_MAX = 0.001;
/* A trend or a distance of modes below 2 % does not change what anyone would do. */
static const double EFFECT_MIN = 0.02;
/* More than one sample in ten far out is a neighbour at work, not a stray interrupt. */
static const double OUTLIER_SHARE_MIN = 0.1;
/* Beyond 5 % of stolen time the hypervisor is a part of the measurement. */
static const double STEAL_MIN = 0.05;

struct advice {
    struct arena *arena;
    struct arena *scratch;
    struct model_benchmark *benchmark;
    const struct model_metric *time;
    const struct advice_context *context;
    double *medians; /* of the launches, in order */
    ptrdiff_t median_count;
    struct stats_summary summary;
};

static void advise_timer_floor(struct advice *a)
{
    double floor_ns = a->benchmark->timer_floor_ns;
    const struct model_metric *p50 = model_metric_find(a->benchmark, "p50");
    if (p50 != NULL && p50->count > 0 && p50->values[0] < 2 * floor_ns) {
        model_benchmark_warn(
            a->arena, a->benchmark,
            "half the calls take less than twice the timer's own %s: their latencies are "
            "mostly the timer's; time several calls at once",
            unit_format(a->scratch, floor_ns, "ns", 2));
    }
}

static void advise_first_slow(struct advice *a)
{
    if (!a->context->is_command) {
        return;
    }
    struct stats_first first = stats_first_slow(a->time->values, a->time->count, a->scratch);
    if (first.is_defined && first.is_slow && first.ratio > 1 + EFFECT_MIN) {
        model_benchmark_warn(
            a->arena, a->benchmark,
            "the first run took %.1f times as long as the others: caches were cold; %s",
            first.ratio,
            a->context->has_warmup ? "use --prepare to put every run into the same state"
                                   : "use --warmup 3, or --prepare to measure every run cold");
    }
}

/* Two modes count when their centres are apart: the middle halves of the sample's lower and upper
 * half. */
static void advise_modes(struct advice *a)
{
    const double *values = a->medians;
    ptrdiff_t count = a->median_count;
    if (count < 20) {
        return;
    }
    struct stats_dip dip = stats_dip(values, count, a->scratch);
    double *sorted = stats_sort_copy(a->scratch, values, count);
    double low = stats_quantile_sorted(sorted, count, 0.25, STATS_QUANTILE_TYPE7);
    double high = stats_quantile_sorted(sorted, count, 0.75, STATS_QUANTILE_TYPE7);
    if (dip.is_defined && dip.p < DIAGNOSTIC_P_MAX && low > 0 && high / low > 1 + EFFECT_MIN) {
        model_benchmark_warn(
            a->arena, a->benchmark, "two modes, about %s and %s: %s",
            unit_format(a->scratch, low, a->time->unit, 3),
            unit_format(a->scratch, high, a->time->unit, 3),
            a->context->is_command
                ? "something differs between runs, e.g. which CPU or cache; try --cpu 0"
                : "memory layout or CPU differs between launches; try --cpu 0");
    }
}

static void advise_drift(struct advice *a)
{
    struct stats_drift drift = stats_drift(a->medians, a->median_count, a->scratch);
    if (!drift.is_defined || drift.p >= DIAGNOSTIC_P_MAX || !(a->summary.median > 0)) {
        return;
    }
    double change = drift.change / a->summary.median;
    if (fabs(change) > EFFECT_MIN) {
        model_benchmark_warn(
            a->arena, a->benchmark,
            "times %s by %.0f %% from the first launch to the last: the machine is %s; "
            "measure again later, or compare with 'tare ab', which is immune to drift",
            change > 0 ? "rose" : "fell", fabs(change) * 100,
            change > 0 ? "slowing down (heat, a neighbour, a filling disk)" : "still warming up");
    }
}

static void advise_outliers(struct advice *a)
{
    struct stats_outliers outliers = stats_outliers(a->time->values, a->time->count, a->scratch);
    double share = (double)(outliers.far_high + outliers.far_low) / (double)a->time->count;
    if (a->time->count >= 20 && share > OUTLIER_SHARE_MIN) {
        model_benchmark_warn(
            a->arena, a->benchmark,
            "%.0f %% of the samples are far off the rest: other work runs on this machine",
            share * 100);
    }
}

static void advise_steal(struct advice *a)
{
    double stolen = 0;
    double known_ns = 0;
    for (ptrdiff_t i = 0; i < a->benchmark->launch_count; i++) {
        const struct model_launch *launch = &a->benchmark->launches[i];
        if (isfinite(launch->steal_ratio)) {
            stolen += launch->steal_ratio * launch->duration_ns;
            known_ns += launch->duration_ns;
        }
    }
    if (known_ns > 0 && stolen / known_ns > STEAL_MIN) {
        model_benchmark_warn(
            a->arena, a->benchmark,
            "the hypervisor took %.0f %% of the CPU time meanwhile (steal): other guests "
            "share this machine",
            stolen / known_ns * 100);
    }
}

typedef void advice_rule(struct advice *advice);

static advice_rule *const rules[] = {
    advise_timer_floor, advise_first_slow, advise_modes,
    advise_drift,       advise_outliers,   advise_steal,
};

void advice_benchmark(struct arena *arena, struct model_benchmark *benchmark,
                      const struct advice_context *context)
{
    if (benchmark->state != MODEL_STATE_OK || benchmark->metric_count == 0 ||
        benchmark->metrics[0].count == 0) {
        return;
    }
    struct arena scratch = {0};
    struct advice advice = {
        .arena = arena,
        .scratch = &scratch,
        .benchmark = benchmark,
        .time = &benchmark->metrics[0],
        .context = context,
    };
    const struct model_metric *time = advice.time;
    advice.medians = stats_launch_medians(time->values, time->launches, time->count, &scratch,
                                          &advice.median_count);
    advice.summary =
        stats_summarise(time->values, time->launches, time->count, context->confidence, &scratch);
    for (size_t i = 0; i < sizeof rules / sizeof *rules; i++) {
        rules[i](&advice);
    }
    arena_free(&scratch);
}

/* Half the width of the interval as a share of the estimate; NaN when there is none. */
static double relative_half_width(const struct model_metric *metric, double confidence)
{
    struct arena scratch = {0};
    struct stats_interval interval =
        stats_summarise(metric->values, metric->launches, metric->count, confidence, &scratch)
            .interval;
    arena_free(&scratch);
    return interval.is_defined && interval.estimate > 0
               ? (interval.high - interval.low) / 2 / interval.estimate
               : NAN;
}

static bool has_figure(const struct model_benchmark *benchmark)
{
    return benchmark->state == MODEL_STATE_OK && benchmark->metric_count > 0 &&
           benchmark->metrics[0].count > 0;
}

static void advise_precision(struct arena *arena, struct model_run *run,
                             const struct advice_context *context)
{
    ptrdiff_t wide = 0;
    double worst = 0;
    for (ptrdiff_t i = 0; i < run->benchmark_count; i++) {
        if (!has_figure(&run->benchmarks[i])) {
            continue;
        }
        double half_width =
            relative_half_width(&run->benchmarks[i].metrics[0], context->confidence);
        /* Rounded figures would otherwise warn of 1.0 % where 1 % was asked for. */
        if (half_width > context->precision * 1.05) {
            wide++;
            worst = fmax(worst, half_width);
        }
    }
    if (wide > 0) {
        model_run_warn(
            arena, run,
            "%td of %td benchmarks are less precise than the ± %.2g %% asked for (worst ± %.2g "
            "%%): a longer --budget or a quieter machine helps; 'tare doctor' says which",
            wide, run->benchmark_count, context->precision * 100, worst * 100);
    }
}

static void advise_short_commands(struct arena *arena, struct model_run *run,
                                  const struct advice_context *context)
{
    struct arena scratch = {0};
    ptrdiff_t count = 0;
    for (ptrdiff_t i = 0; i < run->benchmark_count && context->is_command; i++) {
        const struct model_benchmark *benchmark = &run->benchmarks[i];
        count += has_figure(benchmark) && benchmark->iterations == 1 &&
                 stats_median(benchmark->metrics[0].values, benchmark->metrics[0].count, &scratch) <
                     COMMAND_SHORT_NS;
    }
    arena_free(&scratch);
    if (count > 0) {
        model_run_warn(arena, run, "runs of under 2 ms are to a good part the start of a process%s",
                       context->is_shell
                           ? " and of the shell: drop --shell if you can"
                           : "; to measure the work alone, put it into a loop with libtare");
    }
}

/* Below this many launches an interval is mostly a statement about Student's t. */
enum { LAUNCHES_ENOUGH = 8 };

static void advise_few_launches(struct arena *arena, struct model_run *run)
{
    ptrdiff_t few = 0;
    for (ptrdiff_t i = 0; i < run->benchmark_count; i++) {
        const struct model_benchmark *benchmark = &run->benchmarks[i];
        ptrdiff_t launches = 0;
        for (ptrdiff_t k = 0; k < benchmark->launch_count; k++) {
            launches += benchmark->launches[k].kind == MODEL_LAUNCH_TIMED;
        }
        few += has_figure(benchmark) && launches < LAUNCHES_ENOUGH;
    }
    if (few > 0) {
        model_run_warn(
            arena, run,
            "%td of %td benchmarks had fewer than %d launches: their intervals are wide or "
            "missing; give them time with --budget, or measure fewer with --filter",
            few, run->benchmark_count, LAUNCHES_ENOUGH);
    }
}

void advice_run_finished(struct arena *arena, struct model_run *run,
                         const struct advice_context *context)
{
    if (!context->has_fixed_runs) {
        advise_few_launches(arena, run);
        advise_precision(arena, run, context);
    }
    advise_short_commands(arena, run, context);
}

void advice_run(struct arena *arena, struct model_run *run)
{
    const char *governor = model_field_get(&run->machine.conditions, "governor");
    if (governor != NULL && strstr(governor, "performance") == NULL) {
        model_run_warn(arena, run,
                       "the CPU frequency governor is '%s': clock speed changes while measuring; "
                       "'tare doctor --tune' sets it to performance",
                       governor);
    }
    const char *load = model_field_get(&run->machine.conditions, "load_1min");
    const char *cpus = model_field_get(&run->machine.identity, "cpus");
    double load_value = load != NULL ? strtod(load, NULL) : 0;
    double cpu_count = cpus != NULL ? strtod(cpus, NULL) : 0;
    if (cpu_count > 0 && load_value > 0.7 * cpu_count) {
        model_run_warn(arena, run,
                       "other programs are keeping this machine busy (load %.1f on %.0f CPUs): "
                       "expect wide intervals",
                       load_value, cpu_count);
    }
}
