/* noise.c: takes the samples. What they mean is in noise_verdict.c. */
#include "measure/noise.h"

#include "base/random.h"
#include "os/clock.h"
#include "os/cpu_times.h"
#include "os/interrupt.h"
#include "os/probe.h"

#include <math.h>
#include <string.h>

/* 1 ms: long enough for the clock's 20 to 50 ns to vanish, short enough that most slices of an
 * undisturbed machine are not preempted. */
static const double SLICE_NS = 1e6;
static const int64_t NAP_NS = 1000000;
/* 4 MiB does not fit the second-level cache of today's cores and fits their shared third-level one,
 * which is where neighbours are felt. */
enum { WALK_BYTES = 4 * 1024 * 1024, LINE_BYTES = 64, WALK_LINES = WALK_BYTES / LINE_BYTES };
/* A block is a launch's worth of pairs: 20 is where more no longer narrows the interval of a memory
 * walk (docs/doctor.md); short measurements take fewer, so that there are blocks enough.
 */
enum { SLICES_PER_BLOCK_MAX = 40, SLICES_PER_BLOCK_MIN = 6, BLOCKS_WANTED = 16 };
/* On a crowded machine slices take longer than planned: time over, but no longer than this. */
static const double OVERTIME_RATIO = 3;

struct walk_line {
    struct walk_line *next;
    char rest[LINE_BYTES - sizeof(struct walk_line *)];
};

struct noise_work {
    struct walk_line *lines;
    struct walk_line *place; /* where the walk goes on */
    struct random random;
    double iterations[NOISE_KERNEL_COUNT];
    uint64_t sink;
};

static bool walk_renew(struct noise_work *work);
static void calibrate(struct noise_work *work);
static double slice_ns(struct noise_work *work, enum noise_kernel kernel);
static void measure_clock(struct noise_result *result);
static tare_status collect(struct arena *arena, const struct noise_options *options,
                           struct noise_work *work, struct noise_samples *samples,
                           struct tare_error *error);

tare_status noise_measure(struct arena *arena, const struct noise_options *options,
                          struct noise_result *result, struct tare_error *error)
{
    *result = (struct noise_result){0};
    struct noise_samples samples = {0};
    struct noise_work work = {.random = random_seeded(1)};
    if (!walk_renew(&work)) {
        return error_set(error, TARE_ERROR_MEMORY, "no memory for the noise measurement");
    }
    calibrate(&work);
    measure_clock(result);
    struct cpu_times times = cpu_times_read("");
    struct cpu_switches switches = cpu_switches_read();
    mono_time start = clock_now();
    tare_status status = collect(arena, options, &work, &samples, error);
    probe_pages_free(work.lines, WALK_BYTES);
    if (status != TARE_OK) {
        return status;
    }
    result->duration_ns = (double)clock_since_ns(start);
    struct cpu_times times_after = cpu_times_read("");
    result->steal_ratio = cpu_times_steal_ratio(times, times_after);
    result->busy_ratio = cpu_times_busy_ratio(times, times_after);
    result->preemptions_per_s = (double)(cpu_switches_read().involuntary - switches.involuntary) /
                                result->duration_ns * 1e9;
    noise_analyse(arena, &samples, result);
    return TARE_OK;
}

static void add_sample(struct arena *arena, struct noise_samples *samples, struct noise_work *work)
{
    ptrdiff_t capacity = samples->slice_capacity;
    for (int kernel = 0; kernel < NOISE_KERNEL_COUNT; kernel++) {
        capacity = samples->slice_capacity;
        samples->slices_ns[kernel] = arena_grow(arena, samples->slices_ns[kernel], &capacity,
                                                samples->slice_count + 1, sizeof(double));
        samples->slices_ns[kernel][samples->slice_count] =
            slice_ns(work, (enum noise_kernel)kernel);
    }
    samples->slice_capacity = capacity;
    samples->slice_count++;
    samples->wake_ups_ns = arena_grow(arena, samples->wake_ups_ns, &samples->wake_up_capacity,
                                      samples->wake_up_count + 1, sizeof(double));
    samples->wake_ups_ns[samples->wake_up_count++] = (double)probe_wake_up_late_ns(NAP_NS);
}

static ptrdiff_t slices_per_block(double duration_ns)
{
    double round_ns = SLICE_NS * NOISE_KERNEL_COUNT + (double)NAP_NS;
    double wanted = duration_ns / BLOCKS_WANTED / round_ns;
    wanted = fmin(fmax(wanted, SLICES_PER_BLOCK_MIN), SLICES_PER_BLOCK_MAX);
    return (ptrdiff_t)(wanted / 2) * 2;
}

static tare_status collect(struct arena *arena, const struct noise_options *options,
                           struct noise_work *work, struct noise_samples *samples,
                           struct tare_error *error)
{
    samples->slices_per_block = slices_per_block(options->duration_ns);
    mono_time start = clock_now();
    double passed_ns = 0;
    ptrdiff_t blocks = 0;
    while (passed_ns < options->duration_ns ||
           (blocks < NOISE_BLOCKS_MIN && passed_ns < options->duration_ns * OVERTIME_RATIO)) {
        if (!walk_renew(work)) {
            return error_set(error, TARE_ERROR_MEMORY, "no memory for the noise measurement");
        }
        for (ptrdiff_t i = 0; i < samples->slices_per_block; i++) {
            if (interrupt_is_requested()) {
                return error_set(error, TARE_INTERRUPTED, "interrupted while measuring the noise");
            }
            add_sample(arena, samples, work);
        }
        blocks++;
        passed_ns = (double)clock_since_ns(start);
        if (options->progress != NULL) {
            options->progress(options->context, fmin(passed_ns / options->duration_ns, 1),
                              fmax(options->duration_ns - passed_ns, 0));
        }
        if (samples->slice_count + samples->slices_per_block > NOISE_SLICES_MAX) {
            break;
        }
    }
    if (blocks < NOISE_BLOCKS_MIN) {
        return error_set(
            error, TARE_ERROR_MEASURE,
            "the machine is too busy to measure its noise: %td of %d blocks in %.1f s; "
            "stop other work or give it more time with --duration",
            blocks, NOISE_BLOCKS_MIN, passed_ns / 1e9);
    }
    return TARE_OK;
}

/* Fresh pages, and one closed walk over all their lines in random order (Sattolo's shuffle), so
 * that no prefetcher can follow. */
static bool walk_renew(struct noise_work *work)
{
    probe_pages_free(work->lines, WALK_BYTES);
    work->lines = probe_pages_new(WALK_BYTES);
    if (work->lines == NULL) {
        return false;
    }
    for (uint32_t i = 0; i < WALK_LINES; i++) {
        work->lines[i].next = &work->lines[i];
    }
    for (uint32_t i = WALK_LINES - 1; i > 0; i--) {
        uint32_t other = (uint32_t)random_below(&work->random, i);
        struct walk_line *swapped = work->lines[i].next;
        work->lines[i].next = work->lines[other].next;
        work->lines[other].next = swapped;
    }
    work->place = work->lines;
    /* Once around, so that the first slice of the block finds the cache as the others do. */
    for (uint32_t i = 0; i < WALK_LINES; i++) {
        work->place = work->place->next;
    }
    return true;
}

static void do_arithmetic(struct noise_work *work, int64_t iterations)
{
    uint64_t value = work->sink;
    for (int64_t i = 0; i < iterations; i++) {
        value = (value ^ (value >> 29)) * 0x9E3779B97F4A7C15u + 1;
        __asm__ volatile("" : "+r"(value));
    }
    work->sink = value;
}

static void do_memory(struct noise_work *work, int64_t iterations)
{
    struct walk_line *place = work->place;
    for (int64_t i = 0; i < iterations; i++) {
        place = place->next;
        __asm__ volatile("" : "+r"(place));
    }
    work->place = place;
}

static void do_system_calls(struct noise_work *work, int64_t iterations)
{
    (void)work;
    probe_system_calls(iterations);
}

static double slice_ns(struct noise_work *work, enum noise_kernel kernel)
{
    static void (*const kernels[NOISE_KERNEL_COUNT])(struct noise_work *, int64_t) = {
        do_arithmetic, do_memory, do_system_calls};
    int64_t iterations = (int64_t)work->iterations[kernel];
    mono_time start = clock_now();
    kernels[kernel](work, iterations);
    return (double)clock_since_ns(start);
}

/* Doubles the work until a slice takes a quarter of its time, then scales by the fastest of five.
 */
static void calibrate(struct noise_work *work)
{
    for (int kernel = 0; kernel < NOISE_KERNEL_COUNT; kernel++) {
        work->iterations[kernel] = 64;
        while (slice_ns(work, (enum noise_kernel)kernel) < SLICE_NS / 4) {
            work->iterations[kernel] *= 2;
        }
        double best_ns = INFINITY;
        for (int i = 0; i < 5; i++) {
            best_ns = fmin(best_ns, slice_ns(work, (enum noise_kernel)kernel));
        }
        work->iterations[kernel] = ceil(work->iterations[kernel] * SLICE_NS / fmax(best_ns, 1));
    }
}

/* Cost: the fastest of ten batches, undisturbed. Step: the smallest difference between two readings
 * that differ at all. */
static void measure_clock(struct noise_result *result)
{
    enum { BATCHES = 10, READINGS = 1000 };
    result->clock_cost_ns = INFINITY;
    result->clock_step_ns = INFINITY;
    for (int batch = 0; batch < BATCHES; batch++) {
        mono_time start = clock_now();
        int64_t last_ns = start.ns;
        for (int i = 0; i < READINGS; i++) {
            int64_t now_ns = clock_now().ns;
            if (now_ns > last_ns) {
                result->clock_step_ns = fmin(result->clock_step_ns, (double)(now_ns - last_ns));
            }
            last_ns = now_ns;
        }
        result->clock_cost_ns =
            fmin(result->clock_cost_ns, (double)clock_since_ns(start) / READINGS);
    }
}
