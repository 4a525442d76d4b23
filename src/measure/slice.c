#include "measure/slice.h"

#include "base/text.h"
#include "os/interrupt.h"

#include <math.h>
#include <string.h>

/* An iteration count beyond this means that the clock stands still or the loop is gone. */
static const double ITERATIONS_MAX = 1e12;

const char measure_deleted_reason[] =
    "costs no more than an empty loop: the compiler removed the work, or it hides behind the loop; "
    "give inputs to tare_opaque() and results to tare_keep()";

static const char CHECK_FAILED[] = "its correctness check failed: ";

tare_status measure_slice_run(struct measure_target *target, struct arena *scratch,
                              double iterations, enum protocol_count count,
                              struct protocol_slice *slice, struct tare_error *error)
{
    if (interrupt_is_requested()) {
        return error_set(error, TARE_INTERRUPTED, "interrupted");
    }
    tare_status status = target->slice(target->context, scratch, iterations, count, slice, error);
    if (status != TARE_OK) {
        return status;
    }
    if (slice->skip_reason != NULL) {
        target->declined = MODEL_STATE_SKIPPED;
        return error_set(error, TARE_ERROR_MEASURE, "%s", slice->skip_reason);
    }
    if (slice->is_check_failed) {
        target->declined = MODEL_STATE_INVALID;
        return error_set(error, TARE_ERROR_MEASURE, "%s%s", CHECK_FAILED,
                         slice->check_detail != NULL ? slice->check_detail : "no detail given");
    }
    return TARE_OK;
}

void measure_slice_fail(struct arena *arena, const struct measure_target *target,
                        struct model_benchmark *benchmark, struct tare_error *error)
{
    bool is_declined = target->declined != MODEL_STATE_OK;
    benchmark->state = is_declined ? target->declined : MODEL_STATE_FAILED;
    benchmark->reason = arena_strdup(arena, error->message);
    if (target->declined == MODEL_STATE_INVALID) {
        benchmark->check = MODEL_CHECK_FAILED;
        benchmark->check_detail = benchmark->reason + strlen(CHECK_FAILED);
    }
    error_clear(error);
}

/* Two significant digits are enough for a count of iterations, and easier to read. */
static double round_up_digits(double count)
{
    if (count < 10) {
        return ceil(count);
    }
    double unit = pow(10, floor(log10(count)) - 1);
    return ceil(count / unit) * unit;
}

tare_status measure_calibrate(struct measure_target *target, struct arena *scratch,
                              const struct measure_calibration *calibration, double *iterations,
                              struct protocol_slice *last, struct tare_error *error)
{
    const struct measure_clock *clock = calibration->clock;
    mono_time started = clock->now(clock->context);
    double tried = 1;
    for (;;) {
        tare_status status =
            measure_slice_run(target, scratch, tried, PROTOCOL_COUNT_NONE, last, error);
        if (status != TARE_OK) {
            return status;
        }
        if (last->is_deleted) {
            /* No net time passes, however many iterations: the whole time decides instead. */
            double whole_ns = fmax(last->time_ns + last->overhead_ns, 1);
            *iterations = fmax(1, round_up_digits(calibration->slice_ns / (whole_ns / tried)));
            return TARE_OK;
        }
        if (last->time_ns >= calibration->slice_ns / 2) {
            break;
        }
        double growth = last->time_ns > 0 ? calibration->slice_ns * 1.1 / last->time_ns : 10;
        double more = ceil(tried * fmin(fmax(growth, 2), 10));
        double elapsed_ns = (double)(clock->now(clock->context).ns - started.ns);
        if (more > ITERATIONS_MAX || elapsed_ns > calibration->limit_ns) {
            return error_set(
                error, TARE_ERROR_MEASURE,
                "%.0f iterations took %.0f ns by the program's clock: no time passes, so "
                "nothing can be measured (is the work optimised away?)",
                tried, last->time_ns);
        }
        tried = more;
    }
    double wanted = round_up_digits(calibration->slice_ns / (last->time_ns / tried));
    *iterations = fmax(1, wanted);
    return TARE_OK;
}

static const struct protocol_metric *find_metric(const struct measure_target *target,
                                                 const char *name)
{
    for (ptrdiff_t i = 0; i < target->metric_count; i++) {
        if (strcmp(target->metrics[i].name, name) == 0) {
            return &target->metrics[i];
        }
    }
    return NULL;
}

static tare_status keep_values(struct arena *arena, const struct measure_target *target,
                               struct model_benchmark *benchmark,
                               const struct protocol_slice *slice, int32_t launch,
                               struct tare_error *error)
{
    for (ptrdiff_t i = 0; i < slice->value_count; i++) {
        const struct protocol_metric *declared = find_metric(target, slice->values[i].name);
        if (declared == NULL) {
            return error_set(error, TARE_ERROR_MEASURE,
                             "the program reported a metric '%s' that its list did not declare, so "
                             "its unit and direction are unknown",
                             text_printable(arena, slice->values[i].name, 60));
        }
        struct model_metric *metric = model_metric_get(
            arena, benchmark, declared->name, declared->unit, declared->better, declared->is_exact);
        model_metric_add(arena, metric, slice->values[i].value, launch);
    }
    return TARE_OK;
}

static void keep_histogram(struct arena *arena, struct model_benchmark *benchmark,
                           const struct protocol_slice *slice, int32_t launch)
{
    if (!slice->has_histogram) {
        return;
    }
    const struct model_histogram *from = &slice->histogram;
    struct model_histogram *kept = model_histogram_add(arena, benchmark);
    *kept = *from;
    kept->launch = launch;
    kept->buckets = ARENA_ARRAY(arena, int32_t, from->bucket_count);
    kept->counts = ARENA_ARRAY(arena, int64_t, from->bucket_count);
    memcpy(kept->buckets, from->buckets, (size_t)from->bucket_count * sizeof *kept->buckets);
    memcpy(kept->counts, from->counts, (size_t)from->bucket_count * sizeof *kept->counts);
}

tare_status measure_slice_keep(struct arena *arena, const struct measure_target *target,
                               struct model_benchmark *benchmark, double iterations,
                               const struct protocol_slice *slice, int32_t launch,
                               struct tare_error *error)
{
    struct model_metric *time =
        model_metric_get(arena, benchmark, "time", "ns", MODEL_LOWER_IS_BETTER, false);
    model_metric_add(arena, time, slice->time_ns / iterations, launch);
    tare_status status = keep_values(arena, target, benchmark, slice, launch, error);
    if (status != TARE_OK) {
        return status;
    }
    keep_histogram(arena, benchmark, slice, launch);
    benchmark->overhead_ns = slice->overhead_ns / iterations;
    return TARE_OK;
}
