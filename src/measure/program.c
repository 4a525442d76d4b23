#include "measure/program.h"

#include "base/assert.h"
#include "base/text.h"
#include "base/unit.h"
#include "measure/command.h"
#include "os/environment.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Greeting, listing and leaving are quick in any language; a program that is slower hangs. */
static const double GREETING_TIMEOUT_NS = 30e9;

static tare_status program_start(struct measure_program *program, enum model_launch_kind kind,
                                 const struct measure_variation *variation,
                                 struct tare_error *error);
static tare_status program_stop(struct measure_program *program, int *exit_status,
                                struct tare_error *error);
static tare_status read_list(struct arena *arena, struct measure_program *program,
                             struct measure_program_list *list, struct tare_error *error);

/* One start: the greeting and the list. */
static tare_status list_once(struct arena *arena, struct measure_program *program,
                             struct measure_program_list *list, struct protocol_hello *hello,
                             struct tare_error *error)
{
    const struct measure_variation plain = {.cpu = -1};
    /* With the shim, if there is one, so that the greeting tells whether allocations can be
     * counted. */
    tare_status status = program_start(program, MODEL_LAUNCH_ALLOCATIONS, &plain, error);
    if (status == TARE_OK) {
        *hello = program->hello;
        if (hello->timer_ns > 0) {
            snprintf(program->calibration, sizeof program->calibration, "%.9g,%.9g,%.9g",
                     hello->timer_ns, hello->loop_ns, hello->timer_floor_ns);
        }
        hello->harness = arena_strdup(arena, hello->harness);
        hello->compiler = arena_strdup(arena, hello->compiler);
        hello->counters_missing =
            hello->counters_missing != NULL ? arena_strdup(arena, hello->counters_missing) : NULL;
        status = read_list(arena, program, list, error);
    }
    int exit_status = 0;
    tare_status stopped = program_stop(program, &exit_status, error);
    return status != TARE_OK ? status : stopped;
}

tare_status measure_program_list(struct arena *arena, struct measure_program *program,
                                 struct measure_program_list *list, struct protocol_hello *hello,
                                 struct tare_error *error)
{
    tare_status status = list_once(arena, program, list, hello, error);
    if (status != TARE_ERROR_MEASURE || program->allocation_shim == NULL ||
        program->has_timed_out) {
        return status;
    }
    /* Some programs do not start with a preloaded library (sanitizers, static ones with odd
     * loaders): then without, and allocations are not counted. If that fails too, the first reason
     * was not the shim. */
    program->allocation_shim = NULL;
    error_clear(error);
    return list_once(arena, program, list, hello, error);
}

/* --timeout holds here too, when it is shorter. */
static double greeting_timeout_ns(const struct measure_program *program)
{
    bool is_shorter = program->timeout_ns > 0 && program->timeout_ns < GREETING_TIMEOUT_NS;
    return is_shorter ? program->timeout_ns : GREETING_TIMEOUT_NS;
}

/* How the program is called in messages. */
static const char *program_name(struct measure_program *program)
{
    const char *name = program->name != NULL ? program->name : program->argv[0];
    return text_printable(&program->arena, name, 100);
}

/* The end of the program's own output, ready to append to a message, or "". */
static const char *output_tail(struct measure_program *program)
{
    channel_tail_drain(&program->tail);
    char *text = arena_strndup(&program->arena, program->tail.text, program->tail.length);
    const char *words = measure_last_words(&program->arena, text, 400);
    return words[0] != '\0' ? arena_printf(&program->arena, "; its last output: %s", words) : "";
}

/* Says what became of a program that no longer answers: reaps it and tells how it ended. */
static tare_status program_gone(struct measure_program *program, const char *asked,
                                struct tare_error *error)
{
    struct process_usage usage = {0};
    struct tare_error ignored = {0};
    /* It has closed its pipe; give it a moment to end by itself, so that its own status is told. */
    process_wait(&program->process, 1e9 + (double)clock_since_ns(program->process.started), &usage,
                 &ignored);
    char status_text[128];
    const char *ended = usage.is_timed_out ? "closed its side of the protocol and went on running"
                                           : process_status_text(usage.status, false, status_text,
                                                                 sizeof status_text);
    return error_set(error, TARE_ERROR_MEASURE, "%s %s while it was asked to %s%s",
                     program_name(program), ended, asked, output_tail(program));
}

static tare_status channel_failed(struct measure_program *program, enum channel_result result,
                                  const char *asked, double timeout_ns, struct tare_error *error)
{
    switch (result) {
    case CHANNEL_INTERRUPTED:
        return error_set(error, TARE_INTERRUPTED, "interrupted");
    case CHANNEL_CLOSED:
        return program_gone(program, asked, error);
    case CHANNEL_TIMEOUT:
        program->has_timed_out = true;
        process_kill(&program->process);
        return error_set(error, TARE_ERROR_MEASURE,
                         "%s did not answer within %.3g s when asked to %s, and was killed%s "
                         "(--timeout allows more)",
                         program_name(program), timeout_ns / 1e9, asked, output_tail(program));
    case CHANNEL_TOO_LONG:
        return error_set(error, TARE_ERROR_MEASURE,
                         "%s sent a line of more than %d bytes when asked to %s",
                         program_name(program), MODEL_PROTOCOL_LINE_BYTES_MAX, asked);
    default:
        return error_set(error, TARE_ERROR_IO, "cannot read from %s", program_name(program));
    }
}

/* Reads one line, whole and without NUL. */
static tare_status read_reply(struct measure_program *program, const char *asked, double timeout_ns,
                              const char **line, struct tare_error *error)
{
    enum channel_result result = channel_read_line(&program->channel, timeout_ns, line);
    if (result != CHANNEL_LINE) {
        return channel_failed(program, result, asked, timeout_ns, error);
    }
    if ((ptrdiff_t)strlen(*line) != program->channel.line_length) {
        return error_set(error, TARE_ERROR_MEASURE, "%s sent a line with a NUL byte in it",
                         program_name(program));
    }
    return TARE_OK;
}

static tare_status ask(struct measure_program *program, const char *request, const char *asked,
                       double timeout_ns, const char **line, struct tare_error *error)
{
    enum channel_result result = channel_write(&program->channel, request, timeout_ns);
    if (result != CHANNEL_LINE) {
        return channel_failed(program, result, asked, timeout_ns, error);
    }
    return read_reply(program, asked, timeout_ns, line, error);
}

/* Puts the program's name in front of an error of the codec, which does not know it. */
static tare_status name_error(struct measure_program *program, tare_status status,
                              struct tare_error *error)
{
    if (status != TARE_OK && error != NULL && error->status == TARE_ERROR_MEASURE) {
        struct tare_error plain = *error;
        error_clear(error);
        error_set(error, plain.status, "%s: %s%s", program_name(program), plain.message,
                  output_tail(program));
    }
    return status;
}

/* This process's environment, with the protocol's descriptors, the padding, and perhaps the shim.
 */
static const char *const *program_environment(struct measure_program *program,
                                              enum model_launch_kind kind,
                                              const struct measure_variation *variation,
                                              int request_fd, int reply_fd)
{
    struct environment environment = environment_copy(&program->arena);
    environment_set(&environment, "TARE_PROTOCOL_FDS",
                    arena_printf(&program->arena, "%d,%d", request_fd, reply_fd));
    environment_pad(&environment, variation->environment_padding_bytes);
    environment_unset(&environment, "TARE_CALIBRATION"); /* ours, or the program's own */
    if (variation->wants_huge_pages) {
        environment_tune(&environment, "glibc.malloc.hugetlb", "1");
    }
    if (program->calibration[0] != '\0') {
        environment_set(&environment, "TARE_CALIBRATION", program->calibration);
    }
    if (kind == MODEL_LAUNCH_ALLOCATIONS && program->allocation_shim != NULL) {
        environment_preload(&environment, program->allocation_shim);
    }
    if (program->has_settled_environment) {
        environment_settle(&environment);
    }
    return environment.variables;
}

static tare_status open_pipes(int request[2], int reply[2], int output[2], struct tare_error *error)
{
    tare_status status = process_pipe(request, error);
    if (status == TARE_OK) {
        status = process_pipe(reply, error);
    }
    if (status == TARE_OK) {
        status = process_pipe(output, error);
    }
    return status;
}

/* Starts the process with its three pipes; on success ours are in program->channel and ->tail. */
static tare_status program_spawn(struct measure_program *program, enum model_launch_kind kind,
                                 const struct measure_variation *variation,
                                 struct tare_error *error)
{
    int request[2] = {-1, -1};
    int reply[2] = {-1, -1};
    int output[2] = {-1, -1};
    tare_status status = open_pipes(request, reply, output, error);
    if (status == TARE_OK) {
        const struct process_spec spec = {
            .argv = program->argv,
            .environment = program_environment(program, kind, variation, request[0], reply[1]),
            .directory = program->directory,
            .stdin_fd = -1,
            .stdout_fd = output[1],
            .stderr_fd = output[1],
            .kept_fds = {request[0], reply[1]},
            .kept_fd_count = 2,
            .cpu = variation->cpu,
            .is_aslr_off = variation->is_aslr_off,
        };
        status = process_start(&spec, &program->process, error);
    }
    if (status != TARE_OK) {
        process_close(request, 2);
        process_close(reply, 2);
        process_close(output, 2);
        return status;
    }
    process_close((int[]){request[0], reply[1], output[1]}, 3);
    program->has_started = true;
    program->channel =
        channel_new(&program->arena, reply[0], request[1], MODEL_PROTOCOL_LINE_BYTES_MAX);
    program->channel.pidfd = program->process.pidfd;
    program->tail = (struct channel_tail){.fd = output[0]};
    program->channel.tail = &program->tail;
    return TARE_OK;
}

static tare_status program_start(struct measure_program *program, enum model_launch_kind kind,
                                 const struct measure_variation *variation,
                                 struct tare_error *error)
{
    TARE_ASSERT(!program->has_started);
    tare_status status = program_spawn(program, kind, variation, error);
    if (status != TARE_OK) {
        return status;
    }
    struct buffer request = buffer_new(&program->arena, BUFFER_LENGTH_MAX);
    protocol_write_hello(&request);
    const char *line = NULL;
    status = ask(program, buffer_string(&request), "say hello", greeting_timeout_ns(program), &line,
                 error);
    if (status == TARE_OK) {
        status = protocol_read_hello(&program->arena, line, &program->hello, error);
        status = name_error(program, status, error);
    }
    return status;
}

/* Tells the program to quit and waits for its end; after an error it is killed. */
static tare_status program_stop(struct measure_program *program, int *exit_status,
                                struct tare_error *error)
{
    if (!program->has_started) {
        arena_free(&program->arena);
        return TARE_OK;
    }
    tare_status status = error != NULL ? error->status : TARE_OK;
    if (status == TARE_OK && program->process.pid > 0) {
        struct buffer request = buffer_new(&program->arena, BUFFER_LENGTH_MAX);
        protocol_write_simple(&request, "quit");
        const char *line = NULL;
        status = ask(program, buffer_string(&request), "quit", greeting_timeout_ns(program), &line,
                     error);
        if (status == TARE_OK) {
            status = protocol_read_done(&program->arena, line, "quit", error);
            status = name_error(program, status, error);
        }
    }
    if (status != TARE_OK) {
        process_kill(&program->process);
    }
    struct process_usage usage = {0};
    if (program->process.pid > 0) {
        double timeout_ns = GREETING_TIMEOUT_NS + (double)clock_since_ns(program->process.started);
        tare_status waited = process_wait(&program->process, timeout_ns, &usage, error);
        status = status != TARE_OK ? status : waited;
    }
    *exit_status = usage.status;
    if (status == TARE_OK && (usage.is_timed_out || usage.status != 0)) {
        char text[128];
        status = error_set(error, TARE_ERROR_MEASURE, "%s %s after it was told to quit%s",
                           program_name(program),
                           process_status_text(usage.status, usage.is_timed_out, text, sizeof text),
                           output_tail(program));
    }
    channel_close(&program->channel);
    process_close(&program->tail.fd, 1);
    program->has_started = false;
    arena_free(&program->arena);
    return status;
}

/* Name, variant and parameters in sorted order, as one text. */
static const char *listed_label(struct arena *arena, const struct protocol_listed *listed)
{
    struct model_benchmark named = {.suite = "", .name = listed->name, .variant = listed->variant};
    for (ptrdiff_t i = 0; i < listed->parameter_count; i++) {
        model_parameter_add(arena, &named, listed->parameters[i].name, listed->parameters[i].value);
    }
    return model_benchmark_label(arena, &named);
}

static int compare_labels(const void *left, const void *right)
{
    return strcmp(*(const char *const *)left, *(const char *const *)right);
}

static tare_status refuse_duplicates(struct measure_program *program,
                                     const struct measure_program_list *list,
                                     struct tare_error *error)
{
    const char **labels = ARENA_ARRAY(&program->arena, const char *, list->count);
    for (ptrdiff_t i = 0; i < list->count; i++) {
        labels[i] = listed_label(&program->arena, &list->items[i]);
    }
    qsort(labels, (size_t)list->count, sizeof *labels, compare_labels);
    for (ptrdiff_t i = 1; i < list->count; i++) {
        if (strcmp(labels[i - 1], labels[i]) == 0) {
            return error_set(error, TARE_ERROR_MEASURE,
                             "%s lists two benchmarks called '%s': names and parameters together "
                             "must be unique",
                             program_name(program),
                             text_printable(&program->arena, labels[i], 100));
        }
    }
    return TARE_OK;
}

static tare_status read_list(struct arena *arena, struct measure_program *program,
                             struct measure_program_list *list, struct tare_error *error)
{
    *list = (struct measure_program_list){0};
    ptrdiff_t capacity = 0;
    struct buffer request = buffer_new(&program->arena, BUFFER_LENGTH_MAX);
    protocol_write_simple(&request, "list");
    const char *line = NULL;
    tare_status status = ask(program, buffer_string(&request), "list its benchmarks",
                             greeting_timeout_ns(program), &line, error);
    for (bool is_end = false; status == TARE_OK;) {
        struct protocol_listed listed;
        status = protocol_read_listed(arena, line, list->count, &listed, &is_end, error);
        status = name_error(program, status, error);
        if (status != TARE_OK || is_end) {
            break;
        }
        if (list->count >= MODEL_BENCHMARKS_MAX) {
            return error_set(error, TARE_ERROR_MEASURE, "%s lists more than %d benchmarks",
                             program_name(program), MODEL_BENCHMARKS_MAX);
        }
        list->items =
            arena_grow(arena, list->items, &capacity, list->count + 1, sizeof *list->items);
        list->items[list->count++] = listed;
        status =
            read_reply(program, "list its benchmarks", greeting_timeout_ns(program), &line, error);
    }
    if (status == TARE_OK && list->count == 0) {
        status =
            error_set(error, TARE_ERROR_MEASURE, "%s has no benchmarks: nothing would be measured",
                      program_name(program));
    }
    return status == TARE_OK ? refuse_duplicates(program, list, error) : status;
}

static void take_opened(struct arena *arena, const struct protocol_opened *opened,
                        struct model_benchmark *benchmark)
{
    if (opened->skip_reason != NULL) {
        benchmark->state = MODEL_STATE_SKIPPED;
        benchmark->reason = arena_strdup(arena, opened->skip_reason);
        return;
    }
    benchmark->check = opened->check;
    if (opened->check_detail != NULL) {
        benchmark->check_detail = arena_strdup(arena, opened->check_detail);
    }
    if (opened->check == MODEL_CHECK_FAILED) {
        benchmark->state = MODEL_STATE_INVALID;
        benchmark->reason =
            arena_printf(arena, "its correctness check failed: %s",
                         opened->check_detail != NULL ? opened->check_detail : "no detail given");
    }
}

static tare_status target_begin(void *context, struct arena *arena, enum model_launch_kind kind,
                                const struct measure_variation *variation,
                                struct model_benchmark *benchmark, struct tare_error *error)
{
    struct measure_program_target *target = context;
    struct measure_program *program = target->program;
    tare_status status = program_start(program, kind, variation, error);
    if (status != TARE_OK) {
        return status;
    }
    benchmark->timer_floor_ns = program->hello.timer_floor_ns;
    struct buffer request = buffer_new(&program->arena, BUFFER_LENGTH_MAX);
    protocol_write_benchmark(&request, "open", target->benchmark);
    const char *line = NULL;
    status = ask(program, buffer_string(&request), "open the benchmark", program->timeout_ns, &line,
                 error);
    struct protocol_opened opened;
    if (status == TARE_OK) {
        status = protocol_read_opened(&program->arena, line, &opened, error);
        status = name_error(program, status, error);
    }
    if (status == TARE_OK) {
        take_opened(arena, &opened, benchmark);
    }
    return status;
}

/* A slice cannot have taken longer inside the program than it took as seen from here. The allowance
 * is for a clock that runs a little fast and ticks coarsely. */
static tare_status check_clock(double said_ns, double took_ns, struct tare_error *error)
{
    const double factor = 1.5;
    const double tick_ns = 5e6;
    if (said_ns <= took_ns * factor + tick_ns) {
        return TARE_OK;
    }
    return error_set(
        error, TARE_ERROR_MEASURE,
        "it says that a slice took %.3g s, which took %.3g s from request to reply: its clock "
        "or its unit is wrong (time_ns is in nanoseconds)",
        said_ns / 1e9, took_ns / 1e9);
}

static tare_status target_slice(void *context, struct arena *arena, double iterations,
                                enum protocol_count count, struct protocol_slice *slice,
                                struct tare_error *error)
{
    struct measure_program_target *target = context;
    struct measure_program *program = target->program;
    /* Slices are many: what a request and its messages need is given back at once. */
    struct arena_mark mark = arena_mark(arena);
    struct buffer request = buffer_new(arena, BUFFER_LENGTH_MAX);
    protocol_write_run(&request, target->benchmark, iterations, count);
    const char *line = NULL;
    mono_time asked = clock_now();
    tare_status status =
        ask(program, buffer_string(&request), "run a slice", program->timeout_ns, &line, error);
    double took_ns = (double)clock_since_ns(asked);
    arena_reset(arena, mark);
    if (status != TARE_OK) {
        return status;
    }
    status = protocol_read_slice(arena, line, iterations, slice, error);
    if (status == TARE_OK) {
        status = check_clock(slice->time_ns, took_ns * fmax(target->threads, 1), error);
    }
    return name_error(program, status, error);
}

static tare_status target_end(void *context, int *exit_status, struct tare_error *error)
{
    struct measure_program_target *target = context;
    return program_stop(target->program, exit_status, error);
}

struct measure_target measure_target_program(struct measure_program_target *context,
                                             const struct protocol_listed *listed,
                                             const struct protocol_hello *hello)
{
    context->threads = 1;
    for (ptrdiff_t i = 0; i < listed->parameter_count; i++) {
        double threads = 0;
        if (strcmp(listed->parameters[i].name, "threads") == 0 &&
            unit_parse_count(listed->parameters[i].value, &threads)) {
            context->threads = threads;
        }
    }
    return (struct measure_target){
        .context = context,
        .begin = target_begin,
        .slice = target_slice,
        .end = target_end,
        .can_count_allocations = hello->can_count_allocations,
        .can_count_counters = hello->can_count_counters,
        .count_instructions = measure_program_instructions,
        .metrics = listed->metrics,
        .metric_count = listed->metric_count,
    };
}
