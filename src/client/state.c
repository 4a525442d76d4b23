/* state.c: what a body calls: the ends of the loop, parameters, work, metrics, skip and fail.
 *
 * tare_loop_start reads the clock last and tare_loop_end reads it first, so that only the loop lies
 * between them. What they do besides (meeting the other threads, starting counters) happens
 * outside. */
#include "client/client.h"

#include "os/clock.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static void region_begin(struct tare_state *t)
{
    if (t->team != NULL) {
        t->is_arrived = true;
        client_team_arrive(t->team);
    } else if (t->count == CLIENT_COUNT_ALLOCATIONS) {
        client_heap_begin(&t->heap_before);
    }
    if (t->count == CLIENT_COUNT_COUNTERS) {
        client_counters_start(t->counter_set);
    } else if (t->count == CLIENT_COUNT_INSTRUCTIONS) {
        client_valgrind_toggle();
    }
}

static void region_end(struct tare_state *t)
{
    if (t->count == CLIENT_COUNT_COUNTERS) {
        client_counters_stop(t->counter_set, &t->counters);
    } else if (t->count == CLIENT_COUNT_INSTRUCTIONS) {
        client_valgrind_toggle();
    }
    if (t->team != NULL) {
        client_team_leave(t->team);
    } else if (t->count == CLIENT_COUNT_ALLOCATIONS) {
        client_heap_end(&t->heap_before, &t->heap);
    }
    t->phase = CLIENT_PHASE_AFTER;
}

/* Passes the loop will make; 0 when it must not run. */
static uint64_t loop_enter(struct tare_state *t)
{
    if (t->phase != CLIENT_PHASE_BEFORE) {
        tare_fail(t, "the body has a second loop: one benchmark is one TARE_LOOP");
        return 0;
    }
    t->phase = CLIENT_PHASE_LOOP;
    region_begin(t);
    return t->outcome == CLIENT_OUTCOME_OK ? t->iterations : 0;
}

uint64_t tare_loop_start(struct tare_state *t)
{
    uint64_t iterations = loop_enter(t);
    t->start_ns = clock_now().ns;
    return iterations;
}

void tare_loop_end(struct tare_state *t)
{
    int64_t now_ns = clock_now().ns;
    if (t->phase == CLIENT_PHASE_LOOP) {
        t->end_ns = now_ns;
        region_end(t);
    }
}

uint64_t tare_latency_start(struct tare_state *t)
{
    if (!t->is_latency) {
        t->is_latency = true; /* from now on slices clear it */
        client_histogram_clear(t->histogram);
    }
    uint64_t iterations = loop_enter(t);
    t->region_start_ns = clock_now().ns;
    t->start_ns = clock_now().ns;
    return iterations;
}

void tare_latency_pass(struct tare_state *t)
{
    int64_t now_ns = clock_now().ns;
    /* Which way an addition takes depends on the time, so that instructions would not repeat. */
    if (t->count != CLIENT_COUNT_INSTRUCTIONS) {
        client_histogram_add(t->histogram, now_ns - t->start_ns);
    }
    t->start_ns = clock_now().ns;
}

void tare_latency_end(struct tare_state *t)
{
    int64_t now_ns = clock_now().ns;
    if (t->phase == CLIENT_PHASE_LOOP) {
        t->start_ns = t->region_start_ns;
        t->end_ns = now_ns;
        region_end(t);
    }
}

static const struct client_parameter *find_parameter(const struct tare_state *t, const char *name,
                                                     int32_t *choice)
{
    const struct client_benchmark *benchmark = t->subject->benchmark;
    for (ptrdiff_t i = 0; i < benchmark->parameter_count; i++) {
        if (strcmp(benchmark->parameters[i].name, name) == 0) {
            *choice = t->subject->choices[i];
            return &benchmark->parameters[i];
        }
    }
    return NULL;
}

/* The state is const for the caller, who only asks; a wrong question still makes the benchmark
 * fail. */
static void wrong_question(const struct tare_state *t, const char *name, const char *what)
{
    tare_fail((struct tare_state *)(uintptr_t)t, "parameter '%s' %s", name, what);
}

int64_t tare_param(const struct tare_state *t, const char *name)
{
    int32_t choice = 0;
    const struct client_parameter *parameter = find_parameter(t, name, &choice);
    if (parameter == NULL) {
        wrong_question(t, name, "is not declared: add tare_params to its TARE_DESCRIBE");
        return 0;
    }
    if (parameter->values == NULL) {
        wrong_question(t, name, "is not an integer: ask for it with tare_param_text");
        return 0;
    }
    return parameter->values[choice];
}

const char *tare_param_text(const struct tare_state *t, const char *name)
{
    int32_t choice = 0;
    const struct client_parameter *parameter = find_parameter(t, name, &choice);
    if (parameter == NULL) {
        wrong_question(t, name, "is not declared: add tare_params to its TARE_DESCRIBE");
        return "";
    }
    return parameter->texts[choice];
}

uint64_t tare_iterations(const struct tare_state *t)
{
    return t->iterations;
}

int tare_thread_index(const struct tare_state *t)
{
    return t->thread_index;
}

int tare_thread_count(const struct tare_state *t)
{
    return t->thread_count;
}

void tare_set_data(struct tare_state *t, void *data)
{
    t->data = data;
}

void *tare_data(const struct tare_state *t)
{
    return t->data;
}

static void set_work(struct tare_state *t, double *work, double value, const char *what)
{
    if (!isfinite(value) || value < 0) {
        tare_fail(t, "%s per iteration must be a number of at least 0, not %g", what, value);
        return;
    }
    *work = value;
}

void tare_bytes(struct tare_state *t, double bytes_per_iteration)
{
    set_work(t, &t->work_bytes, bytes_per_iteration, "bytes");
}

void tare_items(struct tare_state *t, double items_per_iteration)
{
    set_work(t, &t->work_items, items_per_iteration, "items");
}

void tare_flops(struct tare_state *t, double flops_per_iteration)
{
    set_work(t, &t->work_flops, flops_per_iteration, "flops");
}

void tare_report(struct tare_state *t, const char *metric, double value)
{
    const struct client_benchmark *benchmark = t->subject->benchmark;
    for (ptrdiff_t i = 0; i < benchmark->metric_count; i++) {
        if (strcmp(benchmark->metrics[i].name, metric) != 0) {
            continue;
        }
        if (!isfinite(value)) {
            tare_fail(t, "metric '%s' was reported as %g", metric, value);
            return;
        }
        t->reported[i] = value;
        t->reported_mask |= UINT32_C(1) << i;
        return;
    }
    tare_fail(t, "metric '%s' is not declared: add tare_metric to its TARE_DESCRIBE", metric);
}

/* The first reason wins: what follows from it would only hide it. */
static void set_outcome(struct tare_state *t, enum client_outcome outcome, const char *format,
                        va_list arguments)
{
    if (t->outcome != CLIENT_OUTCOME_OK) {
        return;
    }
    t->outcome = outcome;
    vsnprintf(t->reason, sizeof t->reason, format, arguments);
}

void tare_skip(struct tare_state *t, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    set_outcome(t, CLIENT_OUTCOME_SKIPPED, format, arguments);
    va_end(arguments);
}

void tare_fail(struct tare_state *t, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    set_outcome(t, CLIENT_OUTCOME_FAILED, format, arguments);
    va_end(arguments);
}

const char *tare_version(void)
{
    return TARE_VERSION;
}
