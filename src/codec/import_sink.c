/* import_sink.c: values of a result file, gathered by benchmark.
 *
 * Idea: benchmarks live in an arena until they are many or hold many samples; then all are saved
 * and the arena is emptied. Whoever saves adds later pieces to earlier ones, so the order of rows
 * in a file does not matter, and memory is bounded by the two limits below and by the samples of
 * the largest benchmark between two of them. */
#include "codec/import.h"

#include "base/assert.h"
#include "base/buffer.h"
#include "base/text.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

#include <math.h>
#include <string.h>

enum {
    BATCH_SAMPLES_MAX = 1 << 19,    /* 12 bytes each, twice that while lists grow: about 12 MiB */
    BATCH_BENCHMARKS_MAX = 1 << 12, /* some 2 KiB each */
    SLOT_COUNT = 1 << 14,           /* of the table of names: a quarter full at most */
    NAME_COLUMNS = 60,              /* of a name in a message */
};
/* 100 years: a larger number is a broken clock. */
static const double TIME_NS_MAX = 3.2e18;

struct gathered {
    uint64_t hash;
    struct model_benchmark model;
    const char **written_units; /* one per metric */
    ptrdiff_t written_capacity;
    ptrdiff_t next_metric; /* where to look first */
};

struct import_sink {
    struct import_options options;
    struct import_source *source; /* whose position errors have; NULL: none yet */
    struct arena batch;
    struct gathered *items;
    ptrdiff_t count;
    ptrdiff_t capacity;
    ptrdiff_t sample_count;
    ptrdiff_t current;         /* what import_benchmark gave last */
    int32_t slots[SLOT_COUNT]; /* number of the item + 1; 0: free */
    struct arena facts;
    struct arena_mark facts_start;
    struct model_run run;
    int64_t value_count; /* of the run */
    int64_t benchmark_count;
    int64_t excused_count; /* benchmarks without values that say why */
    bool has_points;
    bool has_samples;
    uint64_t *saved; /* hashes of this run's benchmarks that have been saved; 0: a free place */
    ptrdiff_t saved_count;
    ptrdiff_t saved_capacity; /* a power of two */
    const char *left_out[IMPORT_LEFT_OUT_MAX];
    ptrdiff_t left_out_count;
    bool has_more_left_out;
};

struct import_sink *import_sink_new(const struct import_options *options)
{
    struct arena own = {0};
    struct import_sink *sink = ARENA_NEW(&own, struct import_sink);
    sink->options = *options;
    sink->facts = own; /* the sink itself lives in front of the facts; import_sink_free knows */
    sink->facts_start = arena_mark(&sink->facts);
    sink->current = -1;
    return sink;
}

void import_sink_free(struct import_sink *sink)
{
    if (sink != NULL) {
        struct arena facts = sink->facts;
        arena_free(&sink->batch);
        arena_free(&facts);
    }
}

void import_sink_read(struct import_sink *sink, struct import_source *source)
{
    sink->source = source;
}

struct model_run *import_run(struct import_sink *sink)
{
    return &sink->run;
}

struct arena *import_arena(struct import_sink *sink)
{
    return &sink->facts;
}

static tare_status fail(struct import_sink *sink, struct tare_error *error, const char *message)
{
    static const struct import_source nowhere = {.name = "the file"};
    return import_fail(sink->source != NULL ? sink->source : &nowhere, error, "%s", message);
}

/* ---- saving ---- */

static bool has_values(const struct model_benchmark *benchmark)
{
    for (ptrdiff_t i = 0; i < benchmark->metric_count; i++) {
        if (benchmark->metrics[i].count > 0) {
            return true;
        }
    }
    return false;
}

/* A benchmark of which nothing could be kept is not one that was measured. */
static void excuse(struct import_sink *sink, struct model_benchmark *benchmark)
{
    if (has_values(benchmark)) {
        bool is_point = benchmark->launch_count == 0;
        sink->has_points = sink->has_points || is_point;
        sink->has_samples = sink->has_samples || !is_point;
        return;
    }
    if (benchmark->state == MODEL_STATE_OK) {
        benchmark->state = MODEL_STATE_INVALID;
        benchmark->reason = "the file has no usable value of it";
    } else {
        sink->excused_count++;
    }
}

/* The place of a hash in a table that has room, or of the free place for it. */
static ptrdiff_t find_place(const uint64_t *table, ptrdiff_t capacity, uint64_t hash)
{
    ptrdiff_t at = (ptrdiff_t)(hash & (uint64_t)(capacity - 1));
    while (table[at] != 0 && table[at] != hash) {
        at = (at + 1) & (capacity - 1);
    }
    return at;
}

/* Remembers that the benchmark has been saved; was it before? */
static bool note_saved(struct import_sink *sink, uint64_t hash)
{
    enum { CAPACITY_FIRST = 1 << 10 };
    hash += hash == 0;
    if (2 * sink->saved_count >= sink->saved_capacity) {
        ptrdiff_t larger = sink->saved_capacity > 0 ? 2 * sink->saved_capacity : CAPACITY_FIRST;
        uint64_t *table = ARENA_ARRAY(&sink->facts, uint64_t, larger);
        for (ptrdiff_t i = 0; i < sink->saved_capacity; i++) {
            if (sink->saved[i] != 0) {
                table[find_place(table, larger, sink->saved[i])] = sink->saved[i];
            }
        }
        sink->saved = table;
        sink->saved_capacity = larger;
    }
    ptrdiff_t at = find_place(sink->saved, sink->saved_capacity, hash);
    bool is_again = sink->saved[at] == hash;
    sink->saved_count += !is_again;
    sink->saved[at] = hash;
    return is_again;
}

static tare_status flush(struct import_sink *sink, struct tare_error *error)
{
    tare_status status = TARE_OK;
    for (ptrdiff_t i = 0; status == TARE_OK && i < sink->count; i++) {
        excuse(sink, &sink->items[i].model);
        bool is_again = note_saved(sink, sink->items[i].hash);
        status = sink->options.output.save(sink->options.output.context, &sink->items[i].model,
                                           is_again, error);
    }
    arena_free(&sink->batch);
    memset(sink->slots, 0, sizeof sink->slots);
    sink->items = NULL;
    sink->count = sink->capacity = sink->sample_count = 0;
    sink->current = -1;
    return status;
}

static void say_left_out(struct import_sink *sink)
{
    if (sink->left_out_count == 0) {
        return;
    }
    struct buffer names = buffer_new(&sink->facts, MODEL_VALUE_BYTES_MAX);
    for (ptrdiff_t i = 0; i < sink->left_out_count; i++) {
        buffer_printf(&names, "%s%s", i > 0 ? ", " : "", sink->left_out[i]);
    }
    model_run_warn(&sink->facts, &sink->run,
                   "left out: %s%s: the file does not say whether more is better; "
                   "--metric '%s:higher' or ':lower' takes it",
                   buffer_string(&names), sink->has_more_left_out ? " and more" : "",
                   sink->left_out[0]);
}

static void start_run(struct import_sink *sink)
{
    arena_reset(&sink->facts, sink->facts_start);
    sink->run = (struct model_run){0};
    sink->value_count = sink->benchmark_count = sink->excused_count = 0;
    sink->left_out_count = 0;
    sink->has_points = sink->has_samples = sink->has_more_left_out = false;
    sink->saved = NULL;
    sink->saved_count = sink->saved_capacity = 0;
}

tare_status import_run_end(struct import_sink *sink, struct tare_error *error)
{
    tare_status status = flush(sink, error);
    if (status == TARE_OK && sink->benchmark_count == 0) {
        status = fail(sink, error, "no benchmark in it: nothing was measured");
    }
    if (status == TARE_OK && sink->value_count == 0 && sink->excused_count == 0) {
        say_left_out(sink);
        const char *why = sink->run.warning_count > 0
                              ? sink->run.warnings[sink->run.warning_count - 1]
                              : "every value is missing, NaN or infinite";
        status = fail(sink, error,
                      arena_printf(&sink->facts, "no value in it that can be kept: %s", why));
    }
    if (status == TARE_OK) {
        say_left_out(sink);
        if (sink->has_points) {
            model_field_set(&sink->facts, &sink->run.environment, "basis",
                            sink->has_samples ? "mixed" : "point");
        }
        status = sink->options.output.end(sink->options.output.context, &sink->run, error);
    }
    start_run(sink);
    return status;
}

/* ---- benchmarks ---- */

static uint64_t hash_text(uint64_t hash, const char *text)
{
    /* With its NUL, so that "a" "bc" is not "ab" "c". */
    return XXH3_64bits_withSeed(text, strlen(text) + 1, hash);
}

static bool has_parameter(const struct model_benchmark *benchmark,
                          const struct model_parameter *parameter)
{
    for (ptrdiff_t i = 0; i < benchmark->parameter_count; i++) {
        if (strcmp(benchmark->parameters[i].name, parameter->name) == 0 &&
            strcmp(benchmark->parameters[i].value, parameter->value) == 0) {
            return true;
        }
    }
    return false;
}

static bool is_same(const struct gathered *item, uint64_t hash, const struct import_name *name)
{
    const struct model_benchmark *model = &item->model;
    if (item->hash != hash || strcmp(model->name, name->name) != 0 ||
        strcmp(model->suite, name->suite) != 0 || strcmp(model->variant, name->variant) != 0 ||
        model->parameter_count != name->parameter_count) {
        return false;
    }
    for (ptrdiff_t i = 0; i < name->parameter_count; i++) {
        if (!has_parameter(model, &name->parameters[i])) {
            return false;
        }
    }
    return true;
}

/* Equal names have equal hashes whatever the order of their parameters. */
static uint64_t hash_name(const struct import_name *name)
{
    uint64_t hash = hash_text(hash_text(hash_text(0, name->name), name->suite), name->variant);
    uint64_t parameters = 0;
    for (ptrdiff_t i = 0; i < name->parameter_count; i++) {
        parameters += hash_text(hash_text(1, name->parameters[i].name), name->parameters[i].value);
    }
    return hash ^ parameters;
}

/* A name that can be kept: what a terminal must not see is written as \xNN. */
static const char *clean(struct import_sink *sink, const char *text)
{
    return text == NULL || text[0] == '\0' ? ""
           : model_name_is_valid(text)     ? text
                                           : text_printable(&sink->batch, text, 0);
}

static tare_status clean_name(struct import_sink *sink, const struct import_name *name,
                              struct import_name *cleaned, struct tare_error *error)
{
    *cleaned = (struct import_name){.suite = clean(sink, name->suite),
                                    .name = clean(sink, name->name),
                                    .variant = clean(sink, name->variant),
                                    .parameter_count = name->parameter_count};
    if (cleaned->name[0] == '\0') {
        return fail(sink, error, "a benchmark without a name");
    }
    if (!model_name_is_valid(cleaned->name) ||
        (cleaned->suite[0] != '\0' && !model_name_is_valid(cleaned->suite))) {
        return fail(sink, error, "a benchmark's name is longer than 1,024 bytes");
    }
    if (name->parameter_count > MODEL_PARAMETERS_MAX) {
        return fail(sink, error, "a benchmark with more than 32 parameters");
    }
    struct model_parameter *parameters =
        name->parameter_count > 0
            ? ARENA_ARRAY(&sink->batch, struct model_parameter, name->parameter_count)
            : NULL;
    for (ptrdiff_t i = 0; i < name->parameter_count; i++) {
        const char *value = name->parameters[i].value;
        parameters[i].name = clean(sink, name->parameters[i].name);
        parameters[i].value = text_is_utf8(value, (ptrdiff_t)strlen(value))
                                  ? value
                                  : text_printable(&sink->batch, value, 0);
        if (!model_name_is_valid(parameters[i].name) ||
            strlen(parameters[i].value) > MODEL_VALUE_BYTES_MAX) {
            return fail(sink, error, "a parameter without a name, or too long to be kept");
        }
        for (ptrdiff_t k = 0; k < i; k++) {
            if (strcmp(parameters[k].name, parameters[i].name) == 0) {
                return fail(sink, error, "a benchmark has the same parameter twice");
            }
        }
    }
    cleaned->parameters = parameters;
    return TARE_OK;
}

static void add_item(struct import_sink *sink, uint64_t hash, const struct import_name *name)
{
    sink->items = arena_grow(&sink->batch, sink->items, &sink->capacity, sink->count + 1,
                             (ptrdiff_t)sizeof *sink->items);
    struct gathered *item = &sink->items[sink->count];
    *item = (struct gathered){
        .hash = hash,
        .model = {.suite = arena_strdup(&sink->batch, name->suite),
                  .name = arena_strdup(&sink->batch, name->name),
                  .variant = arena_strdup(&sink->batch, name->variant),
                  .iterations = 1},
    };
    for (ptrdiff_t i = 0; i < name->parameter_count; i++) {
        model_parameter_add(&sink->batch, &item->model, name->parameters[i].name,
                            name->parameters[i].value);
    }
    sink->current = sink->count++;
    sink->benchmark_count++;
}

/* Rows of one benchmark mostly follow each other. */
static bool is_current(const struct import_sink *sink, const struct import_name *name)
{
    if (sink->current < 0 || name->name == NULL || name->parameter_count > 0) {
        return false;
    }
    const struct model_benchmark *model = &sink->items[sink->current].model;
    return model->parameter_count == 0 && strcmp(model->name, name->name) == 0 &&
           strcmp(model->suite, name->suite != NULL ? name->suite : "") == 0 &&
           strcmp(model->variant, name->variant != NULL ? name->variant : "") == 0;
}

tare_status import_benchmark(struct import_sink *sink, const struct import_name *name,
                             struct model_benchmark **benchmark, struct tare_error *error)
{
    if (is_current(sink, name)) {
        *benchmark = &sink->items[sink->current].model;
        return TARE_OK;
    }
    tare_status status = TARE_OK;
    if (sink->sample_count >= BATCH_SAMPLES_MAX || sink->count >= BATCH_BENCHMARKS_MAX) {
        status = flush(sink, error);
    }
    struct import_name cleaned = {0};
    if (status == TARE_OK) {
        status = clean_name(sink, name, &cleaned, error);
    }
    if (status != TARE_OK) {
        return status;
    }
    uint64_t hash = hash_name(&cleaned);
    uint64_t slot = hash % SLOT_COUNT;
    sink->current = -1;
    for (; sink->slots[slot] != 0 && sink->current < 0; slot = (slot + 1) % SLOT_COUNT) {
        ptrdiff_t at = sink->slots[slot] - 1;
        sink->current = is_same(&sink->items[at], hash, &cleaned) ? at : -1;
    }
    if (sink->current < 0) {
        add_item(sink, hash, &cleaned);
        sink->slots[slot] = (int32_t)sink->count;
    }
    *benchmark = &sink->items[sink->current].model;
    return TARE_OK;
}

/* ---- values ---- */

static const struct import_rule *find_rule(const struct import_sink *sink, const char *metric)
{
    for (ptrdiff_t i = 0; i < sink->options.rule_count; i++) {
        if (strcmp(sink->options.rules[i].name, metric) == 0) {
            return &sink->options.rules[i];
        }
    }
    return NULL;
}

static const char *shown(struct import_sink *sink, const char *text)
{
    return text_printable(&sink->facts, text, NAME_COLUMNS);
}

static const char *written(const struct import_value *value)
{
    return value->written_unit != NULL ? value->written_unit : value->unit;
}

/* The metric of the value in the current benchmark. */
static tare_status find_metric(struct import_sink *sink, const struct import_value *value,
                               struct model_metric **metric, struct tare_error *error)
{
    struct gathered *item = &sink->items[sink->current];
    ptrdiff_t count = item->model.metric_count;
    for (ptrdiff_t tried = 0; tried < count; tried++) {
        /* Metrics mostly come in the same order, row after row. */
        ptrdiff_t i = (item->next_metric + tried) % count;
        *metric = &item->model.metrics[i];
        if (strcmp((*metric)->name, value->metric) != 0) {
            continue;
        }
        item->next_metric = i + 1;
        if (strcmp(item->written_units[i], written(value)) != 0 ||
            (*metric)->better != value->better) {
            return fail(sink, error,
                        arena_printf(&sink->facts,
                                     "'%s' of benchmark '%s' is in %s (%s is better) here, and in "
                                     "%s (%s) before: one metric has one unit",
                                     shown(sink, value->metric), shown(sink, item->model.name),
                                     shown(sink, written(value)), model_better_name(value->better),
                                     shown(sink, item->written_units[i]),
                                     model_better_name((*metric)->better)));
        }
        return TARE_OK;
    }
    if (!model_name_is_valid(value->metric) || !model_name_is_valid(value->unit)) {
        return fail(sink, error, "a metric's name or unit is empty, too long or no text");
    }
    if (item->model.metric_count >= MODEL_METRICS_MAX) {
        return fail(sink, error, "a benchmark with more than 256 metrics");
    }
    *metric = model_metric_get(&sink->batch, &item->model, value->metric, value->unit,
                               value->better, value->is_exact);
    item->written_units =
        arena_grow(&sink->batch, item->written_units, &item->written_capacity,
                   item->model.metric_count, (ptrdiff_t)sizeof *item->written_units);
    item->written_units[item->model.metric_count - 1] = arena_strdup(&sink->batch, written(value));
    return TARE_OK;
}

static void invalidate(struct import_sink *sink, struct model_metric *metric, double value)
{
    if (metric->invalid_reason == NULL) {
        const char *what = isnan(value)   ? "NaN (not a number)"
                           : isinf(value) ? "an infinite number"
                           : value < 0    ? "a negative time"
                                          : "a time of more than a hundred years";
        long long line = sink->source != NULL ? (long long)sink->source->line : 0;
        metric->invalid_reason =
            arena_printf(&sink->batch, "the file has %s for it (line %lld)", what, line);
    }
}

static tare_status add_launches(struct import_sink *sink, int64_t process, struct tare_error *error)
{
    struct model_benchmark *model = &sink->items[sink->current].model;
    if (process >= MODEL_LAUNCHES_MAX) {
        return fail(sink, error, "more than 100,000 processes of one benchmark");
    }
    while (model->launch_count <= process) {
        model_launch_add(&sink->batch, model,
                         (struct model_launch){.is_aslr_on = true, .steal_ratio = NAN});
    }
    return TARE_OK;
}

tare_status import_add(struct import_sink *sink, const struct import_value *value,
                       struct tare_error *error)
{
    TARE_ASSERT(sink->current >= 0 && sink->current < sink->count);
    struct import_value ruled = *value;
    const struct import_rule *rule =
        sink->options.rule_count > 0 ? find_rule(sink, value->metric) : NULL;
    if (rule != NULL) {
        ruled.better = rule->better;
        ruled.is_exact = rule->is_exact;
        ruled.unit = rule->unit != NULL ? rule->unit : value->unit;
    }
    struct model_metric *metric = NULL;
    tare_status status = find_metric(sink, &ruled, &metric, error);
    if (status == TARE_OK && value->process >= 0) {
        status = add_launches(sink, value->process, error);
    }
    if (status != TARE_OK) {
        return status;
    }
    bool is_time = strcmp(ruled.unit, "ns") == 0;
    if (!isfinite(value->value) ||
        (is_time && !(value->value >= 0 && value->value < TIME_NS_MAX))) {
        invalidate(sink, metric, value->value);
        sink->value_count++; /* it was there, and is answered for */
        return TARE_OK;
    }
    if (value->process < 0 && metric->count > 0) {
        return fail(sink, error,
                    arena_printf(&sink->facts, "'%s' of benchmark '%s' has two single values",
                                 shown(sink, value->metric),
                                 shown(sink, sink->items[sink->current].model.name)));
    }
    if (metric->count >= MODEL_SAMPLES_MAX) {
        return fail(sink, error, "more than 100,000,000 samples of one metric");
    }
    model_metric_add(&sink->batch, metric, value->value,
                     value->process >= 0 ? (int32_t)value->process : 0);
    sink->sample_count++;
    sink->value_count++;
    return TARE_OK;
}

static void leave_out(struct import_sink *sink, const char *name)
{
    for (ptrdiff_t i = 0; i < sink->left_out_count; i++) {
        if (strcmp(sink->left_out[i], name) == 0) {
            return;
        }
    }
    if (sink->left_out_count < IMPORT_LEFT_OUT_MAX) {
        sink->left_out[sink->left_out_count++] = arena_strdup(&sink->facts, shown(sink, name));
    } else {
        sink->has_more_left_out = true;
    }
}

tare_status import_add_open(struct import_sink *sink, const struct import_value *value,
                            struct tare_error *error)
{
    const struct import_rule *rule = find_rule(sink, value->metric);
    if (rule == NULL) {
        leave_out(sink, value->metric);
        return TARE_OK;
    }
    struct import_value ruled = *value;
    ruled.unit = value->unit != NULL ? value->unit : rule->unit != NULL ? rule->unit : "1";
    return import_add(sink, &ruled, error);
}

/* ---- pieces of one benchmark ---- */

static void add_samples(struct arena *arena, struct model_metric *metric,
                        const struct model_metric *later)
{
    for (ptrdiff_t i = 0; i < later->count; i++) {
        model_metric_add(arena, metric, later->values[i], later->launches[i]);
    }
    if (metric->invalid_reason == NULL && later->invalid_reason != NULL) {
        metric->invalid_reason = arena_strdup(arena, later->invalid_reason);
    }
}

tare_status import_merge(struct arena *arena, struct model_benchmark *earlier,
                         const struct model_benchmark *later, struct tare_error *error)
{
    for (ptrdiff_t i = 0; i < later->metric_count; i++) {
        const struct model_metric *from = &later->metrics[i];
        struct model_metric *metric =
            model_metric_get(arena, earlier, from->name, from->unit, from->better, from->is_exact);
        bool is_point = earlier->launch_count == 0 || later->launch_count == 0;
        if (strcmp(metric->unit, from->unit) != 0 || metric->better != from->better ||
            (is_point && metric->count > 0 && from->count > 0)) {
            return error_set(error, TARE_ERROR_MEASURE,
                             "benchmark '%s' is there again with '%s' in another unit, or with a "
                             "second single value",
                             text_printable(arena, later->name, NAME_COLUMNS),
                             text_printable(arena, from->name, NAME_COLUMNS));
        }
        add_samples(arena, metric, from);
    }
    for (ptrdiff_t i = earlier->launch_count; i < later->launch_count; i++) {
        model_launch_add(arena, earlier, later->launches[i]);
    }
    bool is_worse = later->state == MODEL_STATE_FAILED ||
                    (later->state == MODEL_STATE_SKIPPED && earlier->state == MODEL_STATE_OK);
    if (is_worse) {
        earlier->state = later->state;
        earlier->reason = arena_strdup(arena, later->reason != NULL ? later->reason : "");
    }
    for (ptrdiff_t i = 0; i < later->warning_count; i++) {
        model_benchmark_warn(arena, earlier, "%s", later->warnings[i]);
    }
    return TARE_OK;
}

void import_field(struct import_sink *sink, struct model_fields *fields, const char *key,
                  const char *value)
{
    if (value == NULL || value[0] == '\0' || fields->count >= MODEL_FIELDS_MAX ||
        !model_name_is_valid(key)) {
        return;
    }
    /* A column is at most four bytes of UTF-8. */
    model_field_set(&sink->facts, fields, key,
                    text_printable(&sink->facts, value, MODEL_VALUE_BYTES_MAX / 4));
}
