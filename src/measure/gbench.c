#include "measure/gbench.h"

#include "base/assert.h"
#include "base/text.h"
#include "os/capture.h"
#include "os/environment.h"
#include "os/file.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Listing is quick in any program; a slower one hangs or runs its benchmarks. */
static const double LIST_TIMEOUT_NS = 30e9;
/* Short against the time between two preemptions on a busy machine, long against the 0.3 µs that
 * the library's own clock adds (gbench.h has the figures). */
static const double SLICE_NS = 0.1e6;
/* As many as the rounds of a paired launch, and the slices of one in `tare run`. */
enum { SLICES = 20 };
/* A process with slow repetitions makes fewer of them, so that launches, which the interval lives
 * on, stay many. */
static const double LAUNCH_NS = 100e6;
/* A process that stopped early is made again. On a busy machine that is every second or third, so
 * five in a row do happen; twenty do not. */
enum { RETRIES_MAX = 20 };
enum {
    LIST_BYTES_MAX = 16 * 1024 * 1024,
    RESULT_BYTES_MAX = MODEL_OUTPUT_BYTES_MAX,
    OWN_ARGUMENTS_MAX = 8,
    STATUS_TEXT_BYTES = 128,
};

/* Matches no name: names have no control characters. */
static const char FILTER_NONE[] = "--benchmark_filter=^\001$";

static const struct protocol_metric gbench_metrics[] = {
    {.name = "cpu", .unit = "ns", .better = MODEL_LOWER_IS_BETTER},
    {.name = "throughput", .unit = "B/s", .better = MODEL_HIGHER_IS_BETTER},
    {.name = "item_rate", .unit = "1/s", .better = MODEL_HIGHER_IS_BETTER},
};
enum { METRIC_COUNT = sizeof gbench_metrics / sizeof *gbench_metrics };
_Static_assert(METRIC_COUNT == 1 + GBENCH_COUNTERS, "CPU time, then one metric per counter");

static tare_status list_once(struct arena *arena, const struct measure_gbench *program,
                             const char *const *extra, struct capture *capture,
                             struct process_usage *usage, struct tare_error *error);
static tare_status refuse_duplicates(struct arena *arena, const struct measure_gbench *program,
                                     const struct gbench_list *list, struct tare_error *error);
static const char *program_name(struct arena *arena, const struct measure_gbench *program);
static tare_status name_error(struct arena *arena, const struct measure_gbench *program,
                              tare_status status, struct tare_error *error);

tare_status measure_gbench_list(struct arena *arena, struct measure_gbench *program,
                                struct gbench_list *list, struct tare_error *error)
{
    struct buffer output = buffer_new(arena, LIST_BYTES_MAX);
    struct capture capture = {.output = &output, .has_errors = true};
    struct process_usage usage = {0};
    tare_status status =
        list_once(arena, program, (const char *const[]){NULL}, &capture, &usage, error);
    if (status != TARE_OK) {
        return status;
    }
    if (usage.is_timed_out || usage.status != 0) {
        char text[STATUS_TEXT_BYTES];
        return error_set(error, TARE_ERROR_MEASURE,
                         "%s %s when asked for its benchmarks (--benchmark_list_tests)",
                         program_name(arena, program),
                         process_status_text(usage.status, usage.is_timed_out, text, sizeof text));
    }
    /* With nothing selected only the program's own words are left; and a library that does not know
     * fixed iterations complains about them. */
    struct buffer noise = buffer_new(arena, LIST_BYTES_MAX);
    struct capture trial = {.output = &noise, .has_errors = true};
    status = list_once(arena, program,
                       (const char *const[]){FILTER_NONE, "--benchmark_min_time=1x", NULL}, &trial,
                       &usage, error);
    if (status != TARE_OK) {
        return status;
    }
    program->can_fix_iterations =
        usage.status == 0 && !usage.is_timed_out && strstr(trial.tail.text, "1x") == NULL;
    status = gbench_read_list(arena, buffer_string(&output), buffer_string(&noise), list, error);
    if (status == TARE_OK && list->count == 0) {
        status = error_set(error, TARE_ERROR_MEASURE,
                           "it has no benchmarks: nothing would be "
                           "measured");
    }
    status = name_error(arena, program, status, error);
    return status == TARE_OK ? refuse_duplicates(arena, program, list, error) : status;
}

/* How the program is called in messages. */
static const char *program_name(struct arena *arena, const struct measure_gbench *program)
{
    return text_printable(arena, program->argv[0], 100);
}

/* Puts the program's name in front of an error of the codec, which does not know it. */
static tare_status name_error(struct arena *arena, const struct measure_gbench *program,
                              tare_status status, struct tare_error *error)
{
    if (status == TARE_ERROR_MEASURE && error != NULL) {
        struct tare_error plain = *error;
        error_clear(error);
        error_set(error, plain.status, "%s: %s", program_name(arena, program), plain.message);
    }
    return status;
}

/* The program's words, then ours, which win over the user's of the same name. */
static const char *const *join_arguments(struct arena *arena, const char *const *words,
                                         const char *const *own)
{
    ptrdiff_t count = 0;
    while (words[count] != NULL) {
        count++;
    }
    const char **joined = ARENA_ARRAY(arena, const char *, count + OWN_ARGUMENTS_MAX + 1);
    memcpy(joined, words, (size_t)count * sizeof *joined);
    for (ptrdiff_t i = 0; own[i] != NULL; i++) {
        TARE_ASSERT(i < OWN_ARGUMENTS_MAX);
        joined[count++] = own[i];
    }
    return joined;
}

/* Flags may also stand in the environment, where nobody would see them. */
static struct environment plain_environment(struct arena *arena)
{
    struct environment environment = environment_copy(arena);
    environment_remove(&environment, "BENCHMARK_");
    return environment;
}

static tare_status list_once(struct arena *arena, const struct measure_gbench *program,
                             const char *const *extra, struct capture *capture,
                             struct process_usage *usage, struct tare_error *error)
{
    const char *own[OWN_ARGUMENTS_MAX] = {"--benchmark_list_tests=true"};
    for (ptrdiff_t i = 0; extra[i] != NULL; i++) {
        own[i + 1] = extra[i];
    }
    const struct process_spec spec = {
        .argv = join_arguments(arena, program->argv, own),
        .environment = plain_environment(arena).variables,
        .directory = program->directory,
        .stdin_fd = -1,
        .stdout_fd = -1,
        .stderr_fd = -1,
        .cpu = -1,
    };
    double timeout_ns =
        fmin(LIST_TIMEOUT_NS, program->timeout_ns > 0 ? program->timeout_ns : LIST_TIMEOUT_NS);
    return capture_run(&spec, timeout_ns, capture, usage, error);
}

static int compare_names(const void *left, const void *right)
{
    return strcmp(*(const char *const *)left, *(const char *const *)right);
}

static tare_status refuse_duplicates(struct arena *arena, const struct measure_gbench *program,
                                     const struct gbench_list *list, struct tare_error *error)
{
    const char **names = ARENA_ARRAY(arena, const char *, list->count);
    memcpy(names, list->names, (size_t)list->count * sizeof *names);
    qsort(names, (size_t)list->count, sizeof *names, compare_names);
    for (ptrdiff_t i = 1; i < list->count; i++) {
        if (strcmp(names[i - 1], names[i]) == 0) {
            return error_set(error, TARE_ERROR_MEASURE,
                             "%s lists two benchmarks called '%s', which its filter cannot tell "
                             "apart: name one of them with ->Name()",
                             program_name(arena, program), text_printable(arena, names[i], 100));
        }
    }
    return TARE_OK;
}

static tare_status make_first(struct measure_gbench_target *target, struct tare_error *error);
static tare_status make_rows(struct measure_gbench_target *target, double iterations,
                             struct tare_error *error);

static tare_status target_begin(void *context, struct arena *arena, enum model_launch_kind kind,
                                const struct measure_variation *variation,
                                struct model_benchmark *benchmark, struct tare_error *error)
{
    TARE_ASSERT(kind == MODEL_LAUNCH_TIMED); /* it says that it cannot count */
    struct measure_gbench_target *target = context;
    target->variation = *variation;
    target->benchmark = benchmark;
    target->row_count = target->row_next = 0;
    target->exit_status = 0;
    if (target->repetition_ns > 0) {
        return TARE_OK;
    }
    tare_status status = make_first(target, error);
    if (status == TARE_ERROR_MEASURE && target->skip_reason != NULL) {
        benchmark->state = MODEL_STATE_SKIPPED;
        benchmark->reason = arena_strdup(arena, target->skip_reason);
        error_clear(error);
        return TARE_OK;
    }
    return status;
}

static tare_status target_slice(void *context, struct arena *arena, double iterations,
                                enum protocol_count count, struct protocol_slice *slice,
                                struct tare_error *error)
{
    struct measure_gbench_target *target = context;
    TARE_ASSERT(count == PROTOCOL_COUNT_NONE);
    if (target->row_next == target->row_count || target->row_iterations != iterations) {
        tare_status status = make_rows(target, iterations, error);
        if (status != TARE_OK) {
            return status;
        }
    }
    const struct gbench_row *row = &target->rows[target->row_next++];
    *slice = (struct protocol_slice){
        .time_ns = row->time_ns * iterations,
        .scaled = 1,
        .values = ARENA_ARRAY(arena, struct protocol_value, METRIC_COUNT),
    };
    slice->values[slice->value_count++] =
        (struct protocol_value){.name = gbench_metrics[0].name, .value = row->cpu_ns};
    for (int i = 0; i < GBENCH_COUNTERS; i++) {
        if (!isnan(row->counters[i])) {
            slice->values[slice->value_count++] = (struct protocol_value){
                .name = gbench_metrics[1 + i].name, .value = row->counters[i]};
        }
    }
    return TARE_OK;
}

static ptrdiff_t target_slices_left(void *context)
{
    const struct measure_gbench_target *target = context;
    return target->row_count - target->row_next;
}

static tare_status target_end(void *context, int *exit_status, struct tare_error *error)
{
    (void)error;
    struct measure_gbench_target *target = context;
    *exit_status = target->exit_status;
    arena_free(&target->arena);
    target->row_count = target->row_next = 0;
    return TARE_OK;
}

struct measure_target measure_target_gbench(struct measure_gbench_target *context)
{
    return (struct measure_target){
        .context = context,
        .uncountable_reason = "Google Benchmark does not mark its loops, so that its start and "
                              "its own clockwork would be counted along",
        .begin = target_begin,
        .slice = target_slice,
        .end = target_end,
        .slices_left = target_slices_left,
        .is_self_paced = !context->program->can_fix_iterations,
        .slice_ns = SLICE_NS,
        .metrics = gbench_metrics,
        .metric_count = METRIC_COUNT,
    };
}

/* One process to make. */
struct order {
    double iterations; /* of a repetition; 1: as many as it likes */
    ptrdiff_t repetitions;
};

static tare_status run_process(struct measure_gbench_target *target, const struct order *order,
                               struct gbench_result *result, double *wall_ns,
                               struct tare_error *error);
static tare_status judge_result(struct measure_gbench_target *target,
                                const struct gbench_result *result, struct tare_error *error);

/* What one repetition costs, with the benchmark's own set-up. An older library calls the benchmark
 * with 1, 10, 100 … iterations until it has found its number, and each call pays the set-up. Other
 * programs make it look dearer, never cheaper, so the least of all processes is believed. */
static double repetition_cost_ns(const struct gbench_result *result, double wall_ns)
{
    double fastest_ns = INFINITY;
    for (ptrdiff_t i = 0; i < result->count; i++) {
        const struct gbench_row *row = &result->rows[i];
        fastest_ns = fmin(fastest_ns, row->time_ns * row->iterations);
    }
    double searching = 1 + ceil(log10(fmax(result->rows[0].iterations, 1)));
    return fmax(fmax(fastest_ns, SLICE_NS), wall_ns / ((double)result->count + searching));
}

static void take_rows(struct measure_gbench_target *target, const struct gbench_result *result,
                      double iterations)
{
    target->rows = result->rows;
    target->row_count = result->count;
    target->row_next = 0;
    target->row_iterations = iterations;
    target->benchmark->iterations = result->rows[0].iterations;
}

/* The first process of a benchmark makes one repetition, which tells what one costs: a benchmark of
 * half a minute is not run twenty times. A slow one is too dear to throw away. */
static tare_status make_first(struct measure_gbench_target *target, struct tare_error *error)
{
    const struct order order = {.iterations = 1, .repetitions = 1};
    struct gbench_result result = {0};
    double wall_ns = 0;
    tare_status status = run_process(target, &order, &result, &wall_ns, error);
    if (status != TARE_OK) {
        return status;
    }
    target->repetition_ns = repetition_cost_ns(&result, wall_ns);
    if (target->repetition_ns > LAUNCH_NS) {
        take_rows(target, &result, 1);
    }
    return TARE_OK;
}

/* A library that looks for its number of iterations stops as soon as five times the wanted time has
 * passed by the wall clock. Preempted early, it settles for a few iterations, even one, and all
 * repetitions of the process then measure next to nothing. */
static bool has_stopped_early(const struct gbench_result *result)
{
    double shortest_ns = INFINITY;
    for (ptrdiff_t i = 0; i < result->count; i++) {
        const struct gbench_row *row = &result->rows[i];
        shortest_ns = fmin(shortest_ns, fmax(row->time_ns, row->cpu_ns) * row->iterations);
    }
    return shortest_ns < SLICE_NS / 2;
}

/* Calibration believes the first slice, which must not be one that was preempted. */
static void put_fastest_first(struct measure_gbench_target *target)
{
    for (ptrdiff_t i = 1; i < target->row_count; i++) {
        if (target->rows[i].time_ns < target->rows[0].time_ns) {
            struct gbench_row swapped = target->rows[0];
            target->rows[0] = target->rows[i];
            target->rows[i] = swapped;
        }
    }
}

/* Runs a process and takes its repetitions. */
static tare_status make_rows(struct measure_gbench_target *target, double iterations,
                             struct tare_error *error)
{
    arena_free(&target->arena);
    target->row_count = target->row_next = 0;
    double affordable = floor(LAUNCH_NS / target->repetition_ns);
    struct order order = {
        .iterations = iterations,
        .repetitions = target->is_summed ? 1 : (ptrdiff_t)fmin(fmax(affordable, 1), SLICES),
    };
    struct gbench_result result = {0};
    double wall_ns = 0;
    tare_status status = run_process(target, &order, &result, &wall_ns, error);
    if (status == TARE_ERROR_MEASURE && target->is_summed && order.repetitions > 1) {
        error_clear(error);
        order.repetitions = 1; /* a single one is reported as it is */
        status = run_process(target, &order, &result, &wall_ns, error);
    }
    bool is_checked = order.iterations == 1 && order.repetitions > 1 && !target->is_short &&
                      strstr(target->name, "/iterations:") == NULL;
    for (int i = 0; is_checked && status == TARE_OK && has_stopped_early(&result); i++) {
        if (i == RETRIES_MAX) {
            target->is_short = true; /* by its own choice, such as a time that it sets itself */
            break;
        }
        status = run_process(target, &order, &result, &wall_ns, error);
    }
    if (status == TARE_OK) {
        target->repetition_ns = fmin(target->repetition_ns, repetition_cost_ns(&result, wall_ns));
        bool is_calibrating = target->row_iterations != iterations;
        take_rows(target, &result, iterations);
        if (is_calibrating) {
            put_fastest_first(target);
        }
    }
    return status;
}

static const char *minimum_time(struct arena *arena, const struct measure_gbench *program,
                                double iterations)
{
    if (program->can_fix_iterations && iterations > 1) {
        return arena_printf(arena, "--benchmark_min_time=%.0fx", iterations);
    }
    /* From 1.8 on a time wants its unit; before, it must not have one. */
    return arena_printf(arena, "--benchmark_min_time=%.6f%s", SLICE_NS / 1e9,
                        program->can_fix_iterations ? "s" : "");
}

static const char *const *process_arguments(struct measure_gbench_target *target,
                                            const struct order *order, int result_fd)
{
    struct arena *arena = &target->arena;
    bool is_fixed = target->program->can_fix_iterations && order->iterations > 1;
    ptrdiff_t warmups = is_fixed && order->repetitions > 1 ? 1 : 0;
    const char *const own[] = {
        arena_printf(arena, "--benchmark_filter=%s", gbench_filter(arena, target->name)),
        minimum_time(arena, target->program, order->iterations),
        arena_printf(arena, "--benchmark_repetitions=%td", order->repetitions + warmups),
        "--benchmark_report_aggregates_only=false",
        arena_printf(arena, "--benchmark_out=/proc/self/fd/%d", result_fd),
        "--benchmark_out_format=json",
        NULL,
    };
    return join_arguments(arena, target->program->argv, own);
}

/* The end of the program's messages, ready to append to ours, or "". */
static const char *output_tail(struct measure_gbench_target *target, const struct capture *capture)
{
    const char *text = capture->tail.text;
    ptrdiff_t length = capture->tail.length;
    while (length > 0 && strchr("\n ", text[length - 1]) != NULL) {
        length--;
    }
    ptrdiff_t start = length;
    while (start > 0 && text[start - 1] != '\n') {
        start--;
    }
    if (start == length) {
        return "";
    }
    char *line = arena_strndup(&target->arena, text + start, length - start);
    return arena_printf(&target->arena, "; its last words: %s",
                        text_printable(&target->arena, line, 300));
}

static tare_status check_end(struct measure_gbench_target *target, const struct capture *capture,
                             const struct process_usage *usage, struct tare_error *error)
{
    if (!usage->is_timed_out && usage->status == 0) {
        return TARE_OK;
    }
    char text[STATUS_TEXT_BYTES];
    return error_set(error, TARE_ERROR_MEASURE, "%s %s while it ran '%s'%s%s",
                     program_name(&target->arena, target->program),
                     process_status_text(usage->status, usage->is_timed_out, text, sizeof text),
                     text_printable(&target->arena, target->name, 100),
                     usage->is_timed_out ? " (--timeout allows more)" : "",
                     output_tail(target, capture));
}

/* What the program has written into the file in memory. */
static tare_status read_result(struct measure_gbench_target *target, int fd,
                               const struct capture *capture, struct gbench_result *result,
                               struct tare_error *error)
{
    struct arena *arena = &target->arena;
    char *text = NULL;
    ptrdiff_t length = 0;
    tare_status status = file_read(arena, arena_printf(arena, "/proc/self/fd/%d", fd),
                                   RESULT_BYTES_MAX, &text, &length, error);
    if (status != TARE_OK) {
        return status;
    }
    if (length == 0) {
        return error_set(error, TARE_ERROR_MEASURE, "%s wrote no result when asked to run '%s'%s",
                         program_name(arena, target->program),
                         text_printable(arena, target->name, 100), output_tail(target, capture));
    }
    status = gbench_read_result(arena, text, length, result, error);
    return name_error(arena, target->program, status, error);
}

static tare_status run_process(struct measure_gbench_target *target, const struct order *order,
                               struct gbench_result *result, double *wall_ns,
                               struct tare_error *error)
{
    struct arena *arena = &target->arena;
    int fd = file_open_memory(error);
    if (fd < 0) {
        return TARE_ERROR_IO;
    }
    struct environment environment = plain_environment(arena);
    environment_pad(&environment, target->variation.environment_padding_bytes);
    if (target->variation.wants_huge_pages) {
        environment_tune(&environment, "glibc.malloc.hugetlb", "1");
    }
    const struct process_spec spec = {
        .argv = process_arguments(target, order, fd),
        .environment = environment.variables,
        .directory = target->program->directory,
        .stdin_fd = -1,
        .stdout_fd = -1,
        .stderr_fd = -1,
        .kept_fds = {fd},
        .kept_fd_count = 1,
        .cpu = target->variation.cpu,
        .is_aslr_off = target->variation.is_aslr_off,
    };
    struct capture capture = {.has_errors = true};
    struct process_usage usage = {0};
    tare_status status = capture_run(&spec, target->program->timeout_ns, &capture, &usage, error);
    target->exit_status = usage.status;
    *wall_ns = usage.wall_ns;
    if (status == TARE_OK) {
        status = check_end(target, &capture, &usage, error);
    }
    if (status == TARE_OK) {
        status = read_result(target, fd, &capture, result, error);
    }
    process_close(&fd, 1);
    if (status == TARE_OK) {
        status = judge_result(target, result, error);
    }
    /* Without calibration before it, the first repetition is cold. */
    if (status == TARE_OK && result->count > 1 && result->count > order->repetitions) {
        result->rows++;
        result->count--;
    }
    return status;
}

/* The result must be of this benchmark, whole, and good. */
static tare_status judge_result(struct measure_gbench_target *target,
                                const struct gbench_result *result, struct tare_error *error)
{
    struct arena *arena = &target->arena;
    const char *name = text_printable(arena, target->name, 100);
    for (ptrdiff_t i = 0; i < result->count; i++) {
        const struct gbench_row *row = &result->rows[i];
        if (strcmp(row->name, target->name) != 0) {
            return error_set(error, TARE_ERROR_MEASURE,
                             "%s ran '%s' when asked for '%s' alone: it cannot be selected",
                             program_name(arena, target->program),
                             text_printable(arena, row->name, 100), name);
        }
        if (row->failure != NULL || row->skip_reason != NULL) {
            const char *said = row->failure != NULL ? row->failure : row->skip_reason;
            target->skip_reason = row->failure == NULL ? row->skip_reason : NULL;
            return error_set(error, TARE_ERROR_MEASURE, "the benchmark says: %s",
                             text_printable(arena, said, 300));
        }
    }
    if (result->count > 0) {
        return TARE_OK;
    }
    target->is_summed = result->aggregate_count > 0;
    return result->aggregate_count > 0
               ? error_set(error, TARE_ERROR_MEASURE,
                           "'%s' reports only aggregates of its own repetitions: take away "
                           "->ReportAggregatesOnly() or ->Repetitions()",
                           name)
               : error_set(error, TARE_ERROR_MEASURE, "%s ran nothing when asked to run '%s'",
                           program_name(arena, target->program), name);
}
