/* describe.c: the functions a TARE_DESCRIBE calls. Each notes one fact; a wrong one is the
 * program's error, said with file and line before anything is measured. */
#include "client/client.h"

#include <string.h>

__attribute__((format(printf, 2, 3))) static void wrong(struct tare_description *d,
                                                        const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    const char *text = arena_vprintf(d->client->arena, format, arguments);
    va_end(arguments);
    const struct tare_registration *r = d->benchmark->registration;
    error_set(&d->client->error, TARE_ERROR_USAGE, "%s:%d: benchmark '%s': %s", r->file, r->line,
              d->benchmark->name, text);
}

void tare_params(struct tare_description *d, const char *name, const char *values)
{
    struct client_benchmark *benchmark = d->benchmark;
    if (benchmark->parameter_count >= CLIENT_PARAMETERS_MAX) {
        wrong(d, "more than %d parameters", CLIENT_PARAMETERS_MAX);
        return;
    }
    if (!client_name_is_valid(name)) {
        wrong(d, "a parameter's name is empty, too long, or has control characters");
        return;
    }
    for (ptrdiff_t i = 0; i < benchmark->parameter_count; i++) {
        if (strcmp(benchmark->parameters[i].name, name) == 0) {
            wrong(d, "parameter '%s' is given twice", name);
            return;
        }
    }
    struct client_parameter *parameter = &benchmark->parameters[benchmark->parameter_count];
    parameter->name = name;
    struct tare_error error = {0};
    if (client_values_parse(d->client->arena, values, parameter, &error) != TARE_OK) {
        wrong(d, "%s", error.message);
        return;
    }
    benchmark->parameter_count++;
}

void tare_threads(struct tare_description *d, const char *counts)
{
    ptrdiff_t before = d->benchmark->parameter_count;
    tare_params(d, "threads", counts);
    if (d->benchmark->parameter_count == before) {
        return;
    }
    struct client_parameter *parameter = &d->benchmark->parameters[before];
    parameter->is_threads = true;
    for (ptrdiff_t i = 0; i < parameter->count; i++) {
        if (parameter->values == NULL || parameter->values[i] < 1 ||
            parameter->values[i] > CLIENT_THREADS_MAX) {
            wrong(d, "tare_threads takes counts of 1 to %d, not '%s'", CLIENT_THREADS_MAX,
                  parameter->texts[i]);
            return;
        }
    }
}

void tare_fit_size(struct tare_description *d, const char *parameter)
{
    d->benchmark->size_parameter = parameter;
}

void tare_batch(struct tare_description *d, uint64_t iterations_max)
{
    if (iterations_max == 0) {
        wrong(d, "tare_batch needs at least one iteration");
    }
    d->benchmark->batch_max = iterations_max;
}

void tare_setup(struct tare_description *d, tare_function *setup, tare_function *teardown)
{
    d->benchmark->setup = setup;
    d->benchmark->teardown = teardown;
}

void tare_launch_setup(struct tare_description *d, void (*setup)(void), void (*teardown)(void))
{
    d->benchmark->launch_setup = setup;
    d->benchmark->launch_teardown = teardown;
}

void tare_check(struct tare_description *d, tare_function *check)
{
    d->benchmark->check = check;
}

void tare_reference(struct tare_description *d, const char *name)
{
    if (!client_name_is_valid(name)) {
        wrong(d, "the reference's name is empty, too long, or has control characters");
        return;
    }
    d->benchmark->reference_name = name;
}

/* Names the library itself reports: a metric of one's own must not be taken for them. */
static bool is_reserved(const char *name)
{
    static const char *const names[] = {"time", "allocations", "allocated", "peak_live"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        if (strcmp(name, names[i]) == 0) {
            return true;
        }
    }
    for (int i = 0; i < CLIENT_RATES; i++) {
        if (strcmp(name, client_rates[i].name) == 0) {
            return true;
        }
    }
    for (int i = 0; i < CLIENT_COUNTERS; i++) {
        if (strcmp(name, client_counter_name(i)) == 0) {
            return true;
        }
    }
    return false;
}

static void add_metric(struct tare_description *d, struct client_metric metric)
{
    struct client_benchmark *benchmark = d->benchmark;
    if (benchmark->metric_count >= CLIENT_METRICS_MAX) {
        wrong(d, "more than %d metrics", CLIENT_METRICS_MAX);
        return;
    }
    if (!client_name_is_valid(metric.name) || is_reserved(metric.name)) {
        wrong(d, "a metric cannot be called '%s'", metric.name);
        return;
    }
    for (ptrdiff_t i = 0; i < benchmark->metric_count; i++) {
        if (strcmp(benchmark->metrics[i].name, metric.name) == 0) {
            wrong(d, "metric '%s' is declared twice", metric.name);
            return;
        }
    }
    if (!client_name_is_valid(metric.unit)) {
        wrong(d, "metric '%s' needs a unit; a plain number's is \"1\"", metric.name);
        return;
    }
    benchmark->metrics[benchmark->metric_count++] = metric;
}

void tare_metric(struct tare_description *d, const char *name, const char *unit,
                 enum tare_better better)
{
    add_metric(d, (struct client_metric){.name = name, .unit = unit, .better = better});
}

void tare_metric_exact(struct tare_description *d, const char *name, const char *unit,
                       enum tare_better better)
{
    add_metric(
        d, (struct client_metric){.name = name, .unit = unit, .better = better, .is_exact = true});
}
