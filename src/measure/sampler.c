#include "measure/sampler.h"

#include "base/assert.h"
#include "measure/latency.h"
#include "measure/slice.h"
#include "stats/summary.h"

#include <math.h>
#include <string.h>

/* Ten launches give a 99 % interval of about one standard deviation either side; fewer would be
 * mostly a statement about Student's t. */
enum { LAUNCHES_MIN_DEFAULT = 10 };
/* A program that is still not precise after 200 processes will not be after 400 either. */
enum { LAUNCHES_MAX_PROGRAM = 200 };
/* Between two looks the number of launches grows by this factor, so that there are few looks and
 * stopping at the first narrow interval costs little coverage. */
static const double LOOK_GROWTH = 1.35;
/* A launch during which the machine slept is thrown away and done again, at most this often. */
enum { RETRIES_MAX = 3 };
/* Shorter pauses of the two kernel clocks against each other are reading jitter. */
static const int64_t SUSPENDED_NS_MIN = 1000000;
/* Slices that count instead of time: enough to average amortised growth, few enough to be quick. */
static const double COUNTED_ITERATIONS_MAX = 10000;
enum { COUNTED_SLICES = 5 };
/* A quarter of a second more is not noticed; beyond it the budget decides whether counting happens.
 */
static const double COUNTING_NS_FREE = 250e6;

struct sampling {
    struct arena *arena;
    struct measure_target *target;
    const struct measure_plan *plan;
    const struct measure_clock *clock;
    struct random *random;
    const struct measure_observer *observer;
    struct model_benchmark *benchmark;
    mono_time started;
    double iterations; /* per slice; 0: not calibrated yet */
    ptrdiff_t slices;  /* per launch */
    ptrdiff_t next_look;
    ptrdiff_t retries;
    ptrdiff_t deleted_slices;
    double launches_ns; /* spent in finished launches */
    struct measure_progress progress;
};

/* What one launch gave, before it is known to be good. */
struct launch_record {
    struct model_launch launch;
    struct protocol_slice *slices;
    ptrdiff_t count;
};

static tare_status sample_launches(struct sampling *s, struct tare_error *error);
static tare_status count_apart(struct sampling *s, struct tare_error *error);
static void judge_deleted(struct sampling *s);

struct measure_plan measure_plan_default(bool is_command)
{
    return (struct measure_plan){
        .budget_ns = 60e9,
        .precision = 0.01,
        .confidence = 0.99,
        .launches_min = LAUNCHES_MIN_DEFAULT,
        .launches_max = is_command ? MODEL_LAUNCHES_MAX : LAUNCHES_MAX_PROGRAM,
        .slices_per_launch = is_command ? 1 : 20,
        /* A millisecond is short against the scheduler's tick and long against the timer. */
        .slice_ns = 1e6,
        .warmup_ns = 5e6,
        .warmup_runs = 0,
        .cpu = -1,
    };
}

/* Marks the benchmark as failed (or skipped, or invalid) and forgets the error: the run goes on
 * with the next benchmark. */
static tare_status fail_benchmark(struct sampling *s, tare_status status, struct tare_error *error)
{
    if (status != TARE_ERROR_MEASURE) {
        return status;
    }
    measure_slice_fail(s->arena, s->target, s->benchmark, error);
    return TARE_OK;
}

tare_status measure_benchmark(struct arena *arena, struct measure_target *target,
                              const struct measure_plan *plan, const struct measure_clock *clock,
                              struct random *random, const struct measure_observer *observer,
                              struct model_benchmark *benchmark, struct tare_error *error)
{
    TARE_ASSERT(plan->launches_min >= 1 && plan->launches_max >= plan->launches_min);
    TARE_ASSERT(plan->slices_per_launch >= 1 && plan->slice_ns > 0);
    struct sampling s = {
        .arena = arena,
        .target = target,
        .plan = plan,
        .clock = clock,
        .random = random,
        .observer = observer,
        .benchmark = benchmark,
        .started = clock->now(clock->context),
        .iterations = target->is_command || target->is_self_paced ? 1 : 0,
        .slices = plan->slices_per_launch,
        .next_look = plan->launches_min,
        .progress = {.budget_ns = plan->budget_ns, .estimate = NAN, .relative_half_width = NAN},
    };
    tare_status status = sample_launches(&s, error);
    status = fail_benchmark(&s, status, error);
    if (status == TARE_OK && benchmark->state == MODEL_STATE_OK) {
        status = fail_benchmark(&s, count_apart(&s, error), error);
    }
    judge_deleted(&s);
    measure_latency_metrics(arena, benchmark);
    return status;
}

tare_status measure_counts(struct arena *arena, struct measure_target *target, double iterations,
                           const struct measure_clock *clock, struct random *random,
                           struct model_benchmark *benchmark, struct tare_error *error)
{
    const struct measure_plan plan = measure_plan_default(target->is_command);
    struct sampling s = {
        .arena = arena,
        .target = target,
        .plan = &plan,
        .clock = clock,
        .random = random,
        .benchmark = benchmark,
        .started = clock->now(clock->context),
        .iterations = iterations,
    };
    return fail_benchmark(&s, count_apart(&s, error), error);
}

static double elapsed_ns(const struct sampling *s)
{
    return (double)(s->clock->now(s->clock->context).ns - s->started.ns);
}

static void tell(struct sampling *s, const char *phase)
{
    s->progress.phase = phase;
    s->progress.elapsed_ns = elapsed_ns(s);
    if (s->observer != NULL) {
        s->observer->update(s->observer->context, &s->progress);
    }
}

static struct measure_variation choose_variation(struct sampling *s)
{
    return (struct measure_variation){
        .environment_padding_bytes = (int32_t)random_below(s->random, MEASURE_PADDING_BYTES_MAX),
        .is_aslr_off = s->plan->is_aslr_off,
        .cpu = s->plan->cpu,
    };
}

/* Calibrates, and decides how many slices of that size a launch can have. */
static tare_status calibrate(struct sampling *s, struct arena *scratch, struct protocol_slice *last,
                             struct tare_error *error)
{
    tell(s, "calibrating");
    const struct measure_calibration calibration = {
        .slice_ns = s->target->slice_ns > 0 ? s->target->slice_ns : s->plan->slice_ns,
        .limit_ns = s->plan->budget_ns,
        .clock = s->clock};
    tare_status status =
        measure_calibrate(s->target, scratch, &calibration, &s->iterations, last, error);
    if (status != TARE_OK) {
        return status;
    }
    /* A slow benchmark gets fewer slices a launch, so that several launches fit into the budget. */
    double slice_ns = fmax(last->time_ns, s->plan->slice_ns);
    double affordable = 0.8 * s->plan->budget_ns / (double)s->plan->launches_min / slice_ns;
    s->slices = (ptrdiff_t)fmin(fmax(affordable, 1), (double)s->plan->slices_per_launch);
    s->benchmark->iterations = s->iterations;
    return TARE_OK;
}

static tare_status warm_up(struct sampling *s, struct arena *scratch, struct tare_error *error)
{
    double done_ns = 0;
    tare_status status = TARE_OK;
    mono_time started = s->clock->now(s->clock->context);
    /* By the tool's own clock too: a program that reports next to nothing must not warm up forever.
     */
    while (status == TARE_OK && done_ns < s->plan->warmup_ns &&
           (double)(s->clock->now(s->clock->context).ns - started.ns) < 2 * s->plan->warmup_ns) {
        tell(s, "warming up");
        struct protocol_slice slice = {0};
        status = measure_slice_run(s->target, scratch, s->iterations, PROTOCOL_COUNT_NONE, &slice,
                                   error);
        done_ns += fmax(slice.time_ns, 1);
    }
    return status;
}

static bool is_out_of_time(const struct sampling *s)
{
    return !s->plan->is_fixed && elapsed_ns(s) >= s->plan->budget_ns;
}

static tare_status sample_slices(struct sampling *s, struct arena *scratch,
                                 struct launch_record *record, struct tare_error *error)
{
    while (record->count < s->slices) {
        struct protocol_slice *slice = &record->slices[record->count];
        tare_status status =
            measure_slice_run(s->target, scratch, s->iterations, PROTOCOL_COUNT_NONE, slice, error);
        if (status != TARE_OK) {
            return status;
        }
        record->count++;
        s->progress.samples++;
        tell(s, "measuring");
        bool is_used_up =
            s->target->slices_left != NULL && s->target->slices_left(s->target->context) == 0;
        if (is_used_up || is_out_of_time(s)) {
            break;
        }
    }
    return TARE_OK;
}

/* Calibrates or warms up, then samples. */
static tare_status fill_launch(struct sampling *s, struct arena *scratch,
                               struct launch_record *record, struct tare_error *error)
{
    tare_status status = TARE_OK;
    struct protocol_slice first = {0};
    bool is_first_kept = false;
    if (s->iterations == 0) {
        status = calibrate(s, scratch, &first, error);
        /* A call that alone outlasts the warm-up is too dear to throw away. */
        is_first_kept = s->iterations == 1 && first.time_ns >= s->plan->warmup_ns;
    } else if (!s->target->is_command && s->target->slices_left == NULL) {
        /* One slow call is its own warm-up. */
        bool is_slow = s->iterations == 1 && s->slices < s->plan->slices_per_launch;
        status = is_slow ? TARE_OK : warm_up(s, scratch, error);
    }
    if (status != TARE_OK) {
        return status;
    }
    record->slices = ARENA_ARRAY(scratch, struct protocol_slice, s->slices);
    if (is_first_kept) {
        record->slices[record->count++] = first;
    }
    return sample_slices(s, scratch, record, error);
}

static tare_status keep_launch(struct sampling *s, const struct launch_record *record,
                               struct tare_error *error)
{
    int32_t launch = model_launch_add(s->arena, s->benchmark, record->launch);
    for (ptrdiff_t i = 0; i < record->count; i++) {
        const struct protocol_slice *slice = &record->slices[i];
        tare_status status = measure_slice_keep(s->arena, s->target, s->benchmark, s->iterations,
                                                slice, launch, error);
        if (status != TARE_OK) {
            return status;
        }
        s->deleted_slices += slice->is_deleted;
    }
    s->progress.launches++;
    return TARE_OK;
}

/* Begins a launch, lets `fill` work in it, ends it. The first error wins, the process is ended
 * anyway. */
static tare_status with_launch(struct sampling *s, enum model_launch_kind kind,
                               struct arena *scratch, struct launch_record *record,
                               tare_status (*fill)(struct sampling *, struct arena *,
                                                   struct launch_record *, struct tare_error *),
                               struct tare_error *error)
{
    struct measure_variation variation = choose_variation(s);
    mono_time started = s->clock->now(s->clock->context);
    s->clock->steal_ratio(s->clock->context);
    record->launch = (struct model_launch){
        .kind = kind,
        .started_unix_ns = clock_unix_ns(),
        .environment_padding_bytes = variation.environment_padding_bytes,
        .is_aslr_on = !variation.is_aslr_off,
    };
    tare_status status =
        s->target->begin(s->target->context, s->arena, kind, &variation, s->benchmark, error);
    if (status == TARE_OK && s->benchmark->state == MODEL_STATE_OK) {
        status = fill(s, scratch, record, error);
    }
    int exit_status = 0;
    tare_status ended = s->target->end(s->target->context, &exit_status, error);
    record->launch.exit_status = exit_status;
    record->launch.steal_ratio = s->clock->steal_ratio(s->clock->context);
    record->launch.duration_ns = (double)(s->clock->now(s->clock->context).ns - started.ns);
    return status != TARE_OK ? status : ended;
}

/* One timed launch; a launch the machine slept through is thrown away and tried again. */
static tare_status timed_launch(struct sampling *s, struct tare_error *error)
{
    struct arena scratch = {0};
    struct launch_record record = {0};
    int64_t suspended_ns = s->clock->suspended_ns(s->clock->context);
    tare_status status = with_launch(s, MODEL_LAUNCH_TIMED, &scratch, &record, fill_launch, error);
    bool has_slept = s->clock->suspended_ns(s->clock->context) - suspended_ns > SUSPENDED_NS_MIN;
    s->launches_ns += record.launch.duration_ns;
    if (status == TARE_OK && has_slept && ++s->retries > RETRIES_MAX) {
        status = error_set(error, TARE_ERROR_MEASURE,
                           "the machine went to sleep during %d launches: keep it awake "
                           "(systemd-inhibit) and measure again",
                           RETRIES_MAX + 1);
    } else if (status == TARE_OK && has_slept) {
        s->progress.samples -= record.count;
        model_benchmark_warn(
            s->arena, s->benchmark,
            "the machine slept during a launch, which was thrown away and repeated");
    } else if (status == TARE_OK && record.count > 0) {
        status = keep_launch(s, &record, error);
    }
    arena_free(&scratch);
    return status;
}

/* Looks at the interval; true when it is narrow enough. */
static bool is_precise(struct sampling *s)
{
    const struct model_metric *metric = &s->benchmark->metrics[0];
    struct arena scratch = {0};
    struct stats_summary summary = stats_summarise(metric->values, metric->launches, metric->count,
                                                   s->plan->confidence, &scratch);
    arena_free(&scratch);
    s->progress.estimate = summary.median;
    const struct stats_interval *interval = &summary.interval;
    if (!interval->is_defined || !(interval->estimate > 0)) {
        return false;
    }
    double half_width = (interval->high - interval->low) / 2 / interval->estimate;
    s->progress.relative_half_width = half_width;
    return half_width <= s->plan->precision;
}

/* Half-widths shrink with the square root of the launches, which tells about how many more it
 * takes. */
static void predict_left(struct sampling *s, double launch_ns)
{
    double launches = (double)s->progress.launches;
    double needed = fmax((double)s->plan->launches_min, launches);
    if (s->progress.relative_half_width > 0) {
        double ratio = s->progress.relative_half_width / s->plan->precision;
        needed = fmax(launches * ratio * ratio, (double)s->plan->launches_min);
    }
    needed = fmin(needed, (double)s->plan->launches_max);
    double left_ns = (needed - launches) * launch_ns;
    s->progress.left_ns = fmin(left_ns, fmax(0, s->plan->budget_ns - elapsed_ns(s)));
}

static bool is_finished(struct sampling *s)
{
    ptrdiff_t launches = s->progress.launches;
    if (launches == 0) {
        return false;
    }
    bool is_narrow = false;
    if (launches >= s->next_look) {
        is_narrow = is_precise(s);
        s->next_look = (ptrdiff_t)ceil((double)launches * LOOK_GROWTH);
    } else if (launches == 1 || launches < s->plan->launches_min) {
        (void)is_precise(s); /* for the progress line only */
    }
    double launch_ns = s->launches_ns / (double)(launches + s->retries);
    predict_left(s, launch_ns);
    if (s->plan->is_fixed) {
        return launches >= s->plan->launches_max;
    }
    return is_narrow || launches >= s->plan->launches_max ||
           elapsed_ns(s) + launch_ns > s->plan->budget_ns;
}

static tare_status discard_runs(struct sampling *s, struct tare_error *error)
{
    for (ptrdiff_t i = 0; i < s->plan->warmup_runs; i++) {
        struct arena scratch = {0};
        struct launch_record record = {0};
        tell(s, "warming up");
        tare_status status =
            with_launch(s, MODEL_LAUNCH_TIMED, &scratch, &record, fill_launch, error);
        s->progress.samples = 0;
        arena_free(&scratch);
        if (status != TARE_OK || s->benchmark->state != MODEL_STATE_OK) {
            return status;
        }
    }
    return TARE_OK;
}

static tare_status sample_launches(struct sampling *s, struct tare_error *error)
{
    tare_status status = discard_runs(s, error);
    while (status == TARE_OK && s->benchmark->state == MODEL_STATE_OK && !is_finished(s)) {
        status = timed_launch(s, error);
    }
    return status;
}

/* What a counted slice may report, with what Tare knows about each. */
static const struct protocol_metric counted_metrics[] = {
    {"allocations", "1", MODEL_LOWER_IS_BETTER, true},
    {"allocated", "B", MODEL_LOWER_IS_BETTER, true},
    {"peak_live", "B", MODEL_LOWER_IS_BETTER, true},
    {"instructions", "1", MODEL_LOWER_IS_BETTER, false},
    {"cycles", "1", MODEL_LOWER_IS_BETTER, false},
    {"branches", "1", MODEL_LOWER_IS_BETTER, false},
    {"branch_misses", "1", MODEL_LOWER_IS_BETTER, false},
    {"cache_misses", "1", MODEL_LOWER_IS_BETTER, false},
};

static void keep_counts(struct sampling *s, const struct protocol_slice *slice, int32_t launch)
{
    for (ptrdiff_t i = 0; i < slice->value_count; i++) {
        for (size_t m = 0; m < sizeof counted_metrics / sizeof *counted_metrics; m++) {
            const struct protocol_metric *known = &counted_metrics[m];
            if (strcmp(known->name, slice->values[i].name) == 0) {
                struct model_metric *metric =
                    model_metric_get(s->arena, s->benchmark, known->name, known->unit,
                                     known->better, known->is_exact);
                model_metric_add(s->arena, metric, slice->values[i].value, launch);
            }
        }
    }
}

/* One uncounted slice settles what happens only the first time; then the counted ones. */
static tare_status fill_counted(struct sampling *s, struct arena *scratch,
                                struct launch_record *record, struct tare_error *error)
{
    tell(s, "counting");
    enum model_launch_kind kind = record->launch.kind;
    enum protocol_count count =
        kind == MODEL_LAUNCH_ALLOCATIONS ? PROTOCOL_COUNT_ALLOCATIONS : PROTOCOL_COUNT_COUNTERS;
    double iterations = fmin(s->iterations, COUNTED_ITERATIONS_MAX);
    ptrdiff_t slices = kind == MODEL_LAUNCH_ALLOCATIONS ? 1 : COUNTED_SLICES;
    record->slices = ARENA_ARRAY(scratch, struct protocol_slice, slices);
    struct protocol_slice first = {0};
    tare_status status =
        measure_slice_run(s->target, scratch, iterations, PROTOCOL_COUNT_NONE, &first, error);
    for (ptrdiff_t i = 0; i < slices && status == TARE_OK; i++) {
        status =
            measure_slice_run(s->target, scratch, iterations, count, &record->slices[i], error);
        record->count += status == TARE_OK;
    }
    return status;
}

static tare_status counted_launch(struct sampling *s, enum model_launch_kind kind,
                                  struct tare_error *error)
{
    struct arena scratch = {0};
    struct launch_record record = {0};
    tare_status status = with_launch(s, kind, &scratch, &record, fill_counted, error);
    if (status == TARE_OK && record.count > 0) {
        int32_t launch = model_launch_add(s->arena, s->benchmark, record.launch);
        for (ptrdiff_t i = 0; i < record.count; i++) {
            keep_counts(s, &record.slices[i], launch);
        }
    }
    arena_free(&scratch);
    return status;
}

/* An exact metric that did not repeat is no metric. */
static void judge_exact(struct sampling *s)
{
    for (ptrdiff_t i = 0; i < s->benchmark->metric_count; i++) {
        struct model_metric *metric = &s->benchmark->metrics[i];
        for (ptrdiff_t k = 1; metric->is_exact && k < metric->count; k++) {
            if (metric->values[k] != metric->values[0] && metric->invalid_reason == NULL) {
                metric->invalid_reason =
                    arena_printf(s->arena, "counted more than once and did not repeat: %g and %g",
                                 metric->values[0], metric->values[k]);
            }
        }
    }
}

/* Counting runs a few slices more; those of a slow call would break the budget. */
static bool can_afford_counting(struct sampling *s)
{
    const struct model_metric *time = model_metric_find(s->benchmark, "time");
    if (time == NULL || time->count == 0) {
        return false;
    }
    double slice_ns = time->values[0] * fmin(s->iterations, COUNTED_ITERATIONS_MAX);
    double cost_ns = slice_ns * 4; /* two launches, one slice to settle and one to count */
    return cost_ns < COUNTING_NS_FREE || elapsed_ns(s) + cost_ns < s->plan->budget_ns;
}

static tare_status count_apart(struct sampling *s, struct tare_error *error)
{
    tare_status status = TARE_OK;
    if (!can_afford_counting(s)) {
        return TARE_OK;
    }
    /* Twice, because an exact count must repeat. */
    for (int i = 0; i < 2 && s->target->can_count_allocations && status == TARE_OK; i++) {
        status = counted_launch(s, MODEL_LAUNCH_ALLOCATIONS, error);
    }
    if (status == TARE_OK && s->target->can_count_counters) {
        status = counted_launch(s, MODEL_LAUNCH_COUNTERS, error);
    }
    judge_exact(s);
    return status;
}

/* When most slices cost no more than an empty loop, there is nothing to report. */
static void judge_deleted(struct sampling *s)
{
    if (s->benchmark->state != MODEL_STATE_OK || s->progress.samples == 0 ||
        s->deleted_slices * 2 <= s->progress.samples) {
        return;
    }
    s->benchmark->state = MODEL_STATE_INVALID;
    s->benchmark->reason = measure_deleted_reason;
}
