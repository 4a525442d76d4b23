#include "model/model.h"

#include "base/assert.h"
#include "base/buffer.h"
#include "base/text.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

#include <stdlib.h>
#include <string.h>

struct model_benchmark *model_run_add_benchmark(struct arena *arena, struct model_run *run)
{
    TARE_ASSERT(run->benchmark_count < MODEL_BENCHMARKS_MAX);
    run->benchmarks = arena_grow(arena, run->benchmarks, &run->benchmark_capacity,
                                 run->benchmark_count + 1, sizeof *run->benchmarks);
    struct model_benchmark *benchmark = &run->benchmarks[run->benchmark_count++];
    *benchmark = (struct model_benchmark){.suite = "", .name = "", .variant = "", .iterations = 1};
    return benchmark;
}

struct model_metric *model_metric_get(struct arena *arena, struct model_benchmark *benchmark,
                                      const char *name, const char *unit, enum model_better better,
                                      bool is_exact)
{
    for (ptrdiff_t i = 0; i < benchmark->metric_count; i++) {
        if (strcmp(benchmark->metrics[i].name, name) == 0) {
            return &benchmark->metrics[i];
        }
    }
    TARE_ASSERT(benchmark->metric_count < MODEL_METRICS_MAX);
    benchmark->metrics = arena_grow(arena, benchmark->metrics, &benchmark->metric_capacity,
                                    benchmark->metric_count + 1, sizeof *benchmark->metrics);
    struct model_metric *metric = &benchmark->metrics[benchmark->metric_count++];
    *metric = (struct model_metric){
        .name = arena_strdup(arena, name),
        .unit = arena_strdup(arena, unit),
        .better = better,
        .is_exact = is_exact,
    };
    return metric;
}

const struct model_metric *model_metric_find(const struct model_benchmark *benchmark,
                                             const char *name)
{
    for (ptrdiff_t i = 0; i < benchmark->metric_count; i++) {
        if (strcmp(benchmark->metrics[i].name, name) == 0) {
            return &benchmark->metrics[i];
        }
    }
    return NULL;
}

void model_metric_add(struct arena *arena, struct model_metric *metric, double value,
                      int32_t launch)
{
    TARE_ASSERT(metric->count < MODEL_SAMPLES_MAX);
    ptrdiff_t capacity = metric->capacity;
    metric->launches =
        arena_grow(arena, metric->launches, &capacity, metric->count + 1, sizeof(int32_t));
    metric->values = arena_grow(arena, metric->values, &metric->capacity, metric->count + 1,
                                sizeof *metric->values);
    TARE_ASSERT(capacity == metric->capacity);
    metric->values[metric->count] = value;
    metric->launches[metric->count] = launch;
    metric->count++;
}

int32_t model_launch_add(struct arena *arena, struct model_benchmark *benchmark,
                         struct model_launch launch)
{
    TARE_ASSERT(benchmark->launch_count < MODEL_LAUNCHES_MAX);
    benchmark->launches = arena_grow(arena, benchmark->launches, &benchmark->launch_capacity,
                                     benchmark->launch_count + 1, sizeof *benchmark->launches);
    benchmark->launches[benchmark->launch_count] = launch;
    return (int32_t)benchmark->launch_count++;
}

struct model_histogram *model_histogram_add(struct arena *arena, struct model_benchmark *benchmark)
{
    benchmark->histograms =
        arena_grow(arena, benchmark->histograms, &benchmark->histogram_capacity,
                   benchmark->histogram_count + 1, sizeof *benchmark->histograms);
    struct model_histogram *histogram = &benchmark->histograms[benchmark->histogram_count++];
    *histogram = (struct model_histogram){0};
    return histogram;
}

void model_benchmark_warn(struct arena *arena, struct model_benchmark *benchmark,
                          const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    const char *text = arena_vprintf(arena, format, arguments);
    va_end(arguments);
    benchmark->warnings = arena_grow(arena, benchmark->warnings, &benchmark->warning_capacity,
                                     benchmark->warning_count + 1, sizeof *benchmark->warnings);
    benchmark->warnings[benchmark->warning_count++] = text;
}

void model_run_warn(struct arena *arena, struct model_run *run, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    const char *text = arena_vprintf(arena, format, arguments);
    va_end(arguments);
    run->warnings = arena_grow(arena, run->warnings, &run->warning_capacity, run->warning_count + 1,
                               sizeof *run->warnings);
    run->warnings[run->warning_count++] = text;
}

static int compare_parameters(const void *left, const void *right)
{
    const struct model_parameter *a = left;
    const struct model_parameter *b = right;
    return strcmp(a->name, b->name);
}

void model_parameter_add(struct arena *arena, struct model_benchmark *benchmark, const char *name,
                         const char *value)
{
    TARE_ASSERT(benchmark->parameter_count < MODEL_PARAMETERS_MAX);
    struct model_parameter *grown =
        ARENA_ARRAY(arena, struct model_parameter, benchmark->parameter_count + 1);
    if (benchmark->parameter_count > 0) {
        memcpy(grown, benchmark->parameters,
               (size_t)benchmark->parameter_count * sizeof *benchmark->parameters);
    }
    grown[benchmark->parameter_count++] = (struct model_parameter){
        .name = arena_strdup(arena, name), .value = arena_strdup(arena, value)};
    qsort(grown, (size_t)benchmark->parameter_count, sizeof *grown, compare_parameters);
    benchmark->parameters = grown;
}

void model_field_set(struct arena *arena, struct model_fields *fields, const char *key,
                     const char *value)
{
    ptrdiff_t at = 0;
    while (at < fields->count && strcmp(fields->items[at].key, key) < 0) {
        at++;
    }
    if (at < fields->count && strcmp(fields->items[at].key, key) == 0) {
        fields->items[at].value = arena_strdup(arena, value);
        return;
    }
    TARE_ASSERT(fields->count < MODEL_FIELDS_MAX);
    fields->items = arena_grow(arena, fields->items, &fields->capacity, fields->count + 1,
                               sizeof *fields->items);
    memmove(&fields->items[at + 1], &fields->items[at],
            (size_t)(fields->count - at) * sizeof *fields->items);
    fields->items[at] =
        (struct model_field){.key = arena_strdup(arena, key), .value = arena_strdup(arena, value)};
    fields->count++;
}

const char *model_field_get(const struct model_fields *fields, const char *key)
{
    for (ptrdiff_t i = 0; i < fields->count; i++) {
        if (strcmp(fields->items[i].key, key) == 0) {
            return fields->items[i].value;
        }
    }
    return NULL;
}

char *model_benchmark_label(struct arena *arena, const struct model_benchmark *benchmark)
{
    struct buffer label = buffer_new(arena, BUFFER_LENGTH_MAX);
    if (benchmark->suite[0] != '\0') {
        buffer_printf(&label, "%s:", benchmark->suite);
    }
    buffer_text(&label, benchmark->name);
    if (benchmark->variant[0] != '\0') {
        buffer_printf(&label, "/%s", benchmark->variant);
    }
    for (ptrdiff_t i = 0; i < benchmark->parameter_count; i++) {
        buffer_printf(&label, " %s=%s", benchmark->parameters[i].name,
                      benchmark->parameters[i].value);
    }
    return arena_strdup(arena, buffer_string(&label));
}

void model_run_id_new(char id[27], int64_t unix_ns, uint64_t random_high, uint64_t random_low)
{
    static const char digits[] = "0123456789abcdefghjkmnpqrstvwxyz";
    uint64_t milliseconds = (uint64_t)(unix_ns / 1000000) & 0xFFFFFFFFFFFFu;
    for (int i = 9; i >= 0; i--) {
        id[i] = digits[milliseconds & 31];
        milliseconds >>= 5;
    }
    for (int i = 10; i < 18; i++) {
        id[i] = digits[random_high & 31];
        random_high >>= 5;
    }
    for (int i = 18; i < 26; i++) {
        id[i] = digits[random_low & 31];
        random_low >>= 5;
    }
    id[26] = '\0';
}

void model_machine_identify(struct model_machine *machine)
{
    static const char hex[] = "0123456789abcdef";
    XXH3_state_t state;
    XXH3_128bits_reset(&state);
    for (ptrdiff_t i = 0; i < machine->identity.count; i++) {
        const struct model_field *field = &machine->identity.items[i];
        XXH3_128bits_update(&state, field->key, strlen(field->key));
        XXH3_128bits_update(&state, "=", 1);
        XXH3_128bits_update(&state, field->value, strlen(field->value));
        XXH3_128bits_update(&state, "\n", 1);
    }
    XXH128_canonical_t canonical;
    XXH128_canonicalFromHash(&canonical, XXH3_128bits_digest(&state));
    for (int i = 0; i < 16; i++) {
        machine->id[2 * i] = hex[canonical.digest[i] >> 4];
        machine->id[2 * i + 1] = hex[canonical.digest[i] & 15];
    }
    machine->id[32] = '\0';
}

const char *model_better_name(enum model_better better)
{
    return better == MODEL_LOWER_IS_BETTER ? "lower" : "higher";
}

bool model_better_parse(const char *name, enum model_better *better)
{
    if (strcmp(name, "lower") == 0) {
        *better = MODEL_LOWER_IS_BETTER;
        return true;
    }
    if (strcmp(name, "higher") == 0) {
        *better = MODEL_HIGHER_IS_BETTER;
        return true;
    }
    return false;
}

const char *model_state_name(enum model_state state)
{
    static const char *const names[] = {"ok", "invalid", "failed", "skipped"};
    TARE_ASSERT((size_t)state < sizeof names / sizeof *names);
    return names[state];
}

const char *model_run_state_name(enum model_run_state state)
{
    static const char *const names[] = {"running", "complete", "interrupted", "failed"};
    TARE_ASSERT((size_t)state < sizeof names / sizeof *names);
    return names[state];
}

const char *model_check_name(enum model_check check)
{
    static const char *const names[] = {"none", "passed", "failed"};
    TARE_ASSERT((size_t)check < sizeof names / sizeof *names);
    return names[check];
}

int32_t model_histogram_bucket_of(int32_t bits, int64_t value)
{
    TARE_ASSERT(bits > 0 && bits < 16);
    if (value < 0) {
        value = 0;
    }
    if (value < (int64_t)1 << (bits + 1)) {
        return (int32_t)value;
    }
    int32_t power = 63 - __builtin_clzll((unsigned long long)value);
    int32_t shift = power - bits;
    return (shift << bits) + (int32_t)(value >> shift);
}

int64_t model_histogram_bucket_width(int32_t bits, int32_t bucket)
{
    int32_t shift = (bucket >> bits) - 1;
    return shift <= 0 ? 1 : (int64_t)1 << shift;
}

int64_t model_histogram_bucket_low(int32_t bits, int32_t bucket)
{
    int32_t shift = (bucket >> bits) - 1;
    if (shift <= 0) {
        return bucket;
    }
    return (int64_t)(bucket - (shift << bits)) << shift;
}

bool model_name_is_valid(const char *name)
{
    size_t length = strnlen(name, MODEL_NAME_BYTES_MAX + 1);
    if (length == 0 || length > MODEL_NAME_BYTES_MAX || !text_is_utf8(name, (ptrdiff_t)length)) {
        return false;
    }
    for (const char *c = name; *c != '\0'; c++) {
        /* C2 80 … C2 9F are the control characters U+0080 … U+009F. */
        bool is_c1 = (unsigned char)c[0] == 0xC2 && (unsigned char)c[1] < 0xA0;
        if ((unsigned char)*c < 0x20 || *c == 0x7F || is_c1) {
            return false;
        }
    }
    return true;
}
