#include "codec/protocol.h"

#include "base/assert.h"
#include "base/text.h"
#include "codec/json_read.h"

#include <math.h>
#include <string.h>

/* 100 years: no slice takes longer; a larger number is a broken clock or a unit mixed up. */
static const double TIME_NS_MAX = 3.2e18;

void protocol_write_hello(struct buffer *out)
{
    buffer_printf(out, "{\"op\":\"hello\",\"protocol\":%d}\n", PROTOCOL_VERSION);
}

void protocol_write_simple(struct buffer *out, const char *operation)
{
    buffer_printf(out, "{\"op\":\"%s\"}\n", operation);
}

void protocol_write_benchmark(struct buffer *out, const char *operation, ptrdiff_t benchmark)
{
    buffer_printf(out, "{\"op\":\"%s\",\"benchmark\":%td}\n", operation, benchmark);
}

void protocol_write_run(struct buffer *out, ptrdiff_t benchmark, double iterations,
                        enum protocol_count count)
{
    static const char *const names[] = {NULL, "allocations", "counters", "instructions"};
    buffer_printf(out, "{\"op\":\"run\",\"benchmark\":%td,\"iterations\":%.0f", benchmark,
                  iterations);
    if (count != PROTOCOL_COUNT_NONE) {
        buffer_printf(out, ",\"count\":\"%s\"", names[count]);
    }
    buffer_text(out, "}\n");
}

/* Parses a line into an object, and turns {"error": …} into an error of its own. */
static tare_status read_object(struct arena *arena, const char *line, json_t **object,
                               struct tare_error *error)
{
    tare_status status = json_read_object(arena, line, "the program's reply", object, error);
    if (status != TARE_OK) {
        return status;
    }
    json_t *said = json_object_get(*object, "error");
    if (said == NULL) {
        return TARE_OK;
    }
    const char *text = json_is_string(said) ? json_string_value(said) : "an error without text";
    status = error_set(error, TARE_ERROR_MEASURE, "the program says: %s",
                       text_printable(arena, text, 400));
    json_decref(*object);
    *object = NULL;
    return status;
}

/* The object must answer the operation that was asked. */
static tare_status expect_operation(struct arena *arena, json_t *object, const char *operation,
                                    struct tare_error *error)
{
    const char *ok = json_string_value(json_object_get(object, "ok"));
    if (ok != NULL && strcmp(ok, operation) == 0) {
        return TARE_OK;
    }
    return error_set(error, TARE_ERROR_MEASURE, "the program answered '%s' to the request '%s'",
                     ok != NULL ? text_printable(arena, ok, 60) : "(no \"ok\" member)", operation);
}

/* A cost the program tells of itself; 0 when it does not, or not sensibly. */
static double cost_ns(const json_t *object, const char *name)
{
    double value = json_number_value(json_object_get(object, name));
    return value >= 0 && value < TIME_NS_MAX ? value : 0;
}

static tare_status fill_hello(struct arena *arena, json_t *object, struct protocol_hello *hello,
                              struct tare_error *error)
{
    tare_status status = expect_operation(arena, object, "hello", error);
    if (status != TARE_OK) {
        return status;
    }
    json_int_t version = json_integer_value(json_object_get(object, "protocol"));
    if (version != PROTOCOL_VERSION) {
        return error_set(
            error, TARE_ERROR_MEASURE,
            "the program speaks protocol %lld, this tare speaks %d: rebuild the program "
            "with this version's libtare",
            (long long)version, PROTOCOL_VERSION);
    }
    hello->harness = json_read_text(arena, object, "harness", "");
    hello->compiler = json_read_text(arena, object, "compiler", "");
    hello->counters_missing = json_read_text(arena, object, "counters_missing", NULL);
    hello->timer_ns = cost_ns(object, "timer_ns");
    hello->loop_ns = cost_ns(object, "loop_ns");
    hello->timer_floor_ns = cost_ns(object, "timer_floor_ns");
    hello->is_unoptimized = json_is_false(json_object_get(object, "optimized"));
    size_t i = 0;
    json_t *item = NULL;
    json_array_foreach(json_object_get(object, "can_count"), i, item)
    {
        const char *name = json_is_string(item) ? json_string_value(item) : "";
        hello->can_count_allocations |= strcmp(name, "allocations") == 0;
        hello->can_count_counters |= strcmp(name, "counters") == 0;
        hello->can_count_instructions |= strcmp(name, "instructions") == 0;
    }
    return TARE_OK;
}

tare_status protocol_read_hello(struct arena *arena, const char *line, struct protocol_hello *hello,
                                struct tare_error *error)
{
    *hello = (struct protocol_hello){.harness = "", .compiler = ""};
    json_t *object = NULL;
    tare_status status = read_object(arena, line, &object, error);
    if (status == TARE_OK) {
        status = fill_hello(arena, object, hello, error);
    }
    json_decref(object);
    return status;
}

/* A name from the program; says which member was bad. */
static tare_status checked_name(struct arena *arena, const char *what, const char *name,
                                const char **copy, struct tare_error *error)
{
    if (name == NULL || !model_name_is_valid(name)) {
        return error_set(error, TARE_ERROR_MEASURE,
                         "the program gave a bad %s '%s': 1 to %d bytes of UTF-8 without control "
                         "characters are wanted",
                         what, name != NULL ? text_printable(arena, name, 60) : "(none)",
                         MODEL_NAME_BYTES_MAX);
    }
    *copy = arena_strdup(arena, name);
    return TARE_OK;
}

static tare_status fill_parameters(struct arena *arena, json_t *params,
                                   struct protocol_listed *listed, struct tare_error *error)
{
    if (params == NULL) {
        return TARE_OK;
    }
    size_t count = json_object_size(params);
    if (!json_is_object(params) || count > MODEL_PARAMETERS_MAX) {
        return error_set(error, TARE_ERROR_MEASURE,
                         "the params of benchmark '%s' are not an object of at most %d members",
                         listed->name, MODEL_PARAMETERS_MAX);
    }
    listed->parameters = ARENA_ARRAY(arena, struct model_parameter, (ptrdiff_t)count);
    const char *key = NULL;
    json_t *value = NULL;
    json_object_foreach(params, key, value)
    {
        struct model_parameter *parameter = &listed->parameters[listed->parameter_count++];
        tare_status status = checked_name(arena, "parameter name", key, &parameter->name, error);
        if (status != TARE_OK) {
            return status;
        }
        const char *text = json_is_string(value) ? json_string_value(value)
                           : json_is_integer(value)
                               ? arena_printf(arena, "%lld", (long long)json_integer_value(value))
                               : NULL;
        status = checked_name(arena, "parameter value", text, &parameter->value, error);
        if (status != TARE_OK) {
            return status;
        }
    }
    return TARE_OK;
}

static tare_status fill_metric(struct arena *arena, const char *name, json_t *description,
                               struct protocol_metric *metric, struct tare_error *error)
{
    tare_status status = checked_name(arena, "metric name", name, &metric->name, error);
    if (status != TARE_OK) {
        return status;
    }
    const char *unit = json_string_value(json_object_get(description, "unit"));
    status = checked_name(arena, "metric unit", unit, &metric->unit, error);
    if (status != TARE_OK) {
        return status;
    }
    const char *better = json_string_value(json_object_get(description, "better"));
    if (better == NULL || !model_better_parse(better, &metric->better)) {
        return error_set(error, TARE_ERROR_MEASURE,
                         "metric '%s' does not say \"better\":\"lower\" or \"higher\": a direction "
                         "is never guessed",
                         metric->name);
    }
    metric->is_exact = json_is_true(json_object_get(description, "exact"));
    return TARE_OK;
}

static tare_status fill_metrics(struct arena *arena, json_t *metrics,
                                struct protocol_listed *listed, struct tare_error *error)
{
    if (metrics == NULL) {
        return TARE_OK;
    }
    size_t count = json_object_size(metrics);
    /* A few places are kept for what Tare itself adds: time, percentiles, counts. */
    if (!json_is_object(metrics) || count > MODEL_METRICS_MAX - 32) {
        return error_set(error, TARE_ERROR_MEASURE,
                         "the metrics of benchmark '%s' are not an object of at most %d members",
                         listed->name, MODEL_METRICS_MAX - 32);
    }
    listed->metrics = ARENA_ARRAY(arena, struct protocol_metric, (ptrdiff_t)count);
    const char *name = NULL;
    json_t *description = NULL;
    json_object_foreach(metrics, name, description)
    {
        struct protocol_metric *metric = &listed->metrics[listed->metric_count++];
        tare_status status = fill_metric(arena, name, description, metric, error);
        if (status != TARE_OK) {
            return status;
        }
        if (strcmp(metric->name, "time") == 0) {
            return error_set(error, TARE_ERROR_MEASURE,
                             "benchmark '%s' declares a metric called 'time', which is Tare's own",
                             listed->name);
        }
    }
    return TARE_OK;
}

static tare_status fill_listed(struct arena *arena, json_t *object, ptrdiff_t count,
                               struct protocol_listed *listed, struct tare_error *error)
{
    json_t *number = json_object_get(object, "benchmark");
    if (!json_is_integer(number) || json_integer_value(number) != count) {
        return error_set(error, TARE_ERROR_MEASURE,
                         "the program's list is out of order: benchmark number %td was expected",
                         count);
    }
    const char *name = json_string_value(json_object_get(object, "name"));
    tare_status status = checked_name(arena, "benchmark name", name, &listed->name, error);
    if (status == TARE_OK) {
        status = fill_parameters(arena, json_object_get(object, "params"), listed, error);
    }
    if (status == TARE_OK) {
        status = fill_metrics(arena, json_object_get(object, "metrics"), listed, error);
    }
    listed->variant = json_read_text(arena, object, "variant", "");
    if (status == TARE_OK && listed->variant[0] != '\0') {
        status = checked_name(arena, "variant", listed->variant, &listed->variant, error);
    }
    listed->is_reference = json_is_true(json_object_get(object, "reference"));
    listed->skip_reason = json_read_text(arena, object, "skip", NULL);
    listed->size_parameter = json_read_text(arena, object, "size", NULL);
    return status;
}

tare_status protocol_read_listed(struct arena *arena, const char *line, ptrdiff_t count,
                                 struct protocol_listed *listed, bool *is_end,
                                 struct tare_error *error)
{
    *listed = (struct protocol_listed){.variant = ""};
    *is_end = false;
    json_t *object = NULL;
    tare_status status = read_object(arena, line, &object, error);
    if (status == TARE_OK && json_object_get(object, "ok") != NULL) {
        *is_end = true;
        status = expect_operation(arena, object, "list", error);
        json_t *said = json_object_get(object, "count");
        if (status == TARE_OK && (!json_is_integer(said) || json_integer_value(said) != count)) {
            status = error_set(error, TARE_ERROR_MEASURE,
                               "the program listed %td benchmarks but says it has %lld", count,
                               (long long)json_integer_value(said));
        }
    } else if (status == TARE_OK) {
        status = fill_listed(arena, object, count, listed, error);
    }
    json_decref(object);
    return status;
}

static tare_status fill_opened(struct arena *arena, json_t *object, struct protocol_opened *opened,
                               struct tare_error *error)
{
    opened->skip_reason = json_read_text(arena, object, "skip", NULL);
    if (opened->skip_reason != NULL) {
        return TARE_OK;
    }
    tare_status status = expect_operation(arena, object, "open", error);
    if (status != TARE_OK) {
        return status;
    }
    const char *check = json_read_text(arena, object, "check", NULL);
    opened->check_detail = json_read_text(arena, object, "detail", NULL);
    if (check == NULL) {
        return TARE_OK;
    }
    if (strcmp(check, "passed") == 0) {
        opened->check = MODEL_CHECK_PASSED;
    } else if (strcmp(check, "failed") == 0) {
        opened->check = MODEL_CHECK_FAILED;
    } else {
        return error_set(error, TARE_ERROR_MEASURE,
                         "the program's check says '%s' instead of 'passed' or 'failed'",
                         text_printable(arena, check, 60));
    }
    return TARE_OK;
}

tare_status protocol_read_opened(struct arena *arena, const char *line,
                                 struct protocol_opened *opened, struct tare_error *error)
{
    *opened = (struct protocol_opened){0};
    json_t *object = NULL;
    tare_status status = read_object(arena, line, &object, error);
    if (status == TARE_OK) {
        status = fill_opened(arena, object, opened, error);
    }
    json_decref(object);
    return status;
}

static tare_status read_time(struct arena *arena, json_t *object, const char *name, double *time_ns,
                             struct tare_error *error)
{
    json_t *value = json_object_get(object, name);
    double number = json_number_value(value);
    if (!json_is_number(value) || !isfinite(number) || number < 0 || number > TIME_NS_MAX) {
        const char *shown = value != NULL ? json_read_dump(arena, value) : "nothing";
        return error_set(error, TARE_ERROR_MEASURE,
                         "the program reported %s = %s: a time in nanoseconds, zero or more, is "
                         "wanted",
                         name, text_printable(arena, shown, 60));
    }
    *time_ns = number;
    return TARE_OK;
}

static tare_status fill_values(struct arena *arena, json_t *metrics, struct protocol_slice *slice,
                               struct tare_error *error)
{
    if (metrics == NULL) {
        return TARE_OK;
    }
    size_t count = json_object_size(metrics);
    if (!json_is_object(metrics) || count > MODEL_METRICS_MAX) {
        return error_set(error, TARE_ERROR_MEASURE,
                         "the program's metrics are not an object of at most %d members",
                         MODEL_METRICS_MAX);
    }
    slice->values = ARENA_ARRAY(arena, struct protocol_value, (ptrdiff_t)count);
    const char *name = NULL;
    json_t *value = NULL;
    json_object_foreach(metrics, name, value)
    {
        double number = json_number_value(value);
        if (!json_is_number(value) || !isfinite(number)) {
            return error_set(error, TARE_ERROR_MEASURE,
                             "the program reported no finite number for metric '%s'",
                             text_printable(arena, name, 60));
        }
        slice->values[slice->value_count++] =
            (struct protocol_value){.name = arena_strdup(arena, name), .value = number};
    }
    return TARE_OK;
}

static tare_status bad_histogram(struct tare_error *error, const char *what)
{
    return error_set(error, TARE_ERROR_MEASURE, "the program's histogram is wrong: %s", what);
}

static tare_status fill_buckets(json_t *buckets, struct model_histogram *histogram,
                                double iterations, struct tare_error *error)
{
    int64_t last = -1;
    double total = 0;
    size_t i = 0;
    json_t *pair = NULL;
    json_array_foreach(buckets, i, pair)
    {
        json_int_t bucket = json_integer_value(json_array_get(pair, 0));
        json_int_t count = json_integer_value(json_array_get(pair, 1));
        if (json_array_size(pair) != 2 || bucket <= last || count <= 0 ||
            bucket >= (json_int_t)(63 - histogram->bits) << histogram->bits) {
            return bad_histogram(error, "buckets must be pairs [number, count], ascending, with "
                                        "positive counts");
        }
        last = bucket;
        total += (double)count;
        histogram->buckets[histogram->bucket_count] = (int32_t)bucket;
        histogram->counts[histogram->bucket_count++] = count;
    }
    return total == iterations
               ? TARE_OK
               : bad_histogram(error, "its counts do not add up to the iterations asked for");
}

static tare_status fill_histogram(struct arena *arena, json_t *object, double iterations,
                                  struct protocol_slice *slice, struct tare_error *error)
{
    if (object == NULL) {
        return TARE_OK;
    }
    struct model_histogram *histogram = &slice->histogram;
    json_int_t bits = json_integer_value(json_object_get(object, "bits"));
    if (bits < 1 || bits > 12) {
        return bad_histogram(error, "bits must be 1 to 12");
    }
    histogram->bits = (int32_t)bits;
    json_t *buckets = json_object_get(object, "buckets");
    size_t count = json_array_size(buckets);
    if (count == 0 || count > MODEL_HISTOGRAM_BUCKETS_MAX) {
        return bad_histogram(error, "it has no buckets, or too many");
    }
    histogram->buckets = ARENA_ARRAY(arena, int32_t, (ptrdiff_t)count);
    histogram->counts = ARENA_ARRAY(arena, int64_t, (ptrdiff_t)count);
    slice->has_histogram = true;
    tare_status status = fill_buckets(buckets, histogram, iterations, error);
    if (status == TARE_OK) {
        status = read_time(arena, object, "min_ns", &histogram->min_ns, error);
    }
    if (status == TARE_OK) {
        status = read_time(arena, object, "max_ns", &histogram->max_ns, error);
    }
    return status;
}

static tare_status fill_slice(struct arena *arena, json_t *object, double iterations,
                              struct protocol_slice *slice, struct tare_error *error)
{
    slice->skip_reason = json_read_text(arena, object, "skip", NULL);
    const char *check = json_read_text(arena, object, "check", "");
    if (slice->skip_reason != NULL || strcmp(check, "failed") == 0) {
        slice->is_check_failed = slice->skip_reason == NULL;
        slice->check_detail = json_read_text(arena, object, "detail", NULL);
        return TARE_OK;
    }
    tare_status status = expect_operation(arena, object, "run", error);
    if (status != TARE_OK) {
        return status;
    }
    json_t *done = json_object_get(object, "iterations");
    if (!json_is_integer(done) || (double)json_integer_value(done) != iterations) {
        return error_set(error, TARE_ERROR_MEASURE,
                         "the program did %lld iterations where %.0f were asked for",
                         (long long)json_integer_value(done), iterations);
    }
    status = read_time(arena, object, "time_ns", &slice->time_ns, error);
    if (status == TARE_OK && json_object_get(object, "overhead_ns") != NULL) {
        status = read_time(arena, object, "overhead_ns", &slice->overhead_ns, error);
    }
    if (status == TARE_OK) {
        status = fill_values(arena, json_object_get(object, "metrics"), slice, error);
    }
    if (status == TARE_OK) {
        status =
            fill_histogram(arena, json_object_get(object, "histogram"), iterations, slice, error);
    }
    slice->is_deleted = json_is_true(json_object_get(object, "deleted"));
    double scaled = json_number_value(json_object_get(object, "scaled"));
    slice->scaled = scaled > 0 && scaled <= 1 ? scaled : 1;
    return status;
}

tare_status protocol_read_slice(struct arena *arena, const char *line, double iterations,
                                struct protocol_slice *slice, struct tare_error *error)
{
    *slice = (struct protocol_slice){.scaled = 1};
    json_t *object = NULL;
    tare_status status = read_object(arena, line, &object, error);
    if (status == TARE_OK) {
        status = fill_slice(arena, object, iterations, slice, error);
    }
    json_decref(object);
    return status;
}

tare_status protocol_read_done(struct arena *arena, const char *line, const char *operation,
                               struct tare_error *error)
{
    json_t *object = NULL;
    tare_status status = read_object(arena, line, &object, error);
    if (status == TARE_OK) {
        status = expect_operation(arena, object, operation, error);
    }
    json_decref(object);
    return status;
}
