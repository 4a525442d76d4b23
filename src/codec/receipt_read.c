/* receipt_read.c: from the outside in: the text, the envelope, the hash, then the content.
 *
 * jansson parses: 2,048 levels at most, no duplicate names, 64-bit integers. The reading itself
 * walks the tree with a `place` on the C stack for every level, so that a message can say where;
 * the first error sticks, and what is read after it is thrown away. */
#include "codec/receipt_read.h"

#include "base/text.h"
#include "codec/json_member.h"
#include "codec/receipt_hash.h"

#include <jansson.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static tare_status read_document(struct json_reading *reading, const char *text, ptrdiff_t length,
                                 bool is_verified, struct receipt *receipt);

tare_status receipt_read(struct arena *arena, const char *text, ptrdiff_t length, const char *what,
                         struct receipt *receipt, struct tare_error *error)
{
    struct json_reading reading = {.arena = arena, .what = what, .error = error};
    return read_document(&reading, text, length, true, receipt);
}

tare_status receipt_read_unverified(struct arena *arena, const char *text, ptrdiff_t length,
                                    const char *what, struct receipt *receipt,
                                    struct tare_error *error)
{
    struct json_reading reading = {.arena = arena, .what = what, .error = error};
    return read_document(&reading, text, length, false, receipt);
}

static json_t *parse(struct json_reading *reading, const char *text, ptrdiff_t length);
static tare_status check_envelope(struct json_reading *reading, const json_t *root);
static tare_status check_digits(struct json_reading *reading, const char *text, ptrdiff_t length);
static tare_status check_hash(struct json_reading *reading, const json_t *root,
                              const struct receipt *receipt);
static void read_baseline(struct json_reading *reading, const json_t *value,
                          struct receipt *receipt);
static void read_run(struct json_reading *reading, const json_t *object, struct model_run *run);

static tare_status read_document(struct json_reading *reading, const char *text, ptrdiff_t length,
                                 bool is_verified, struct receipt *receipt)
{
    *receipt = (struct receipt){0};
    json_t *root = parse(reading, text, length);
    if (root == NULL) {
        return reading->status;
    }
    tare_status status = check_envelope(reading, root);
    if (status == TARE_OK) {
        receipt_hash(root, receipt->sha256, receipt->run_sha256);
    }
    if (status == TARE_OK && is_verified) {
        status = check_hash(reading, root, receipt);
    }
    if (status == TARE_OK && is_verified) {
        status = check_digits(reading, text, length);
    }
    if (status == TARE_OK) {
        read_baseline(reading, json_object_get(root, "baseline"), receipt);
        read_run(reading, json_object_get(root, "run"), &receipt->run);
        status = reading->status;
    }
    json_decref(root);
    return status;
}

/* ---- the text and the envelope ---- */

static json_t *parse(struct json_reading *reading, const char *text, ptrdiff_t length)
{
    json_error_t at = {0};
    json_t *root = NULL;
    if (length > RECEIPT_BYTES_MAX) {
        reading->status = error_set(reading->error, TARE_ERROR_MEASURE,
                                    "%s is larger than the %d bytes a receipt may have",
                                    reading->what, RECEIPT_BYTES_MAX);
        return NULL;
    }
    root = json_loadb(text, (size_t)length, JSON_REJECT_DUPLICATES, &at);
    if (root == NULL) {
        reading->status = error_set(
            reading->error, TARE_ERROR_MEASURE, "%s is not JSON: line %d, column %d: %s%s",
            reading->what, at.line, at.column, text_printable(reading->arena, at.text, 120),
            json_error_code(&at) == json_error_premature_end_of_input ? "; is it cut short?" : "");
    } else if (!json_is_object(root)) {
        reading->status = error_set(reading->error, TARE_ERROR_MEASURE,
                                    "%s is not a receipt: it is not a JSON object", reading->what);
        json_decref(root);
        root = NULL;
    }
    return root;
}

static tare_status not_a_receipt(struct json_reading *reading, const char *why)
{
    return error_set(reading->error, TARE_ERROR_MEASURE,
                     "%s is not a receipt this tare can read: %s", reading->what, why);
}

static tare_status check_version(struct json_reading *reading, const json_t *root)
{
    const char *format = json_string_value(json_object_get(root, "format"));
    const char *kind = json_string_value(json_object_get(root, "kind"));
    json_int_t version = json_integer_value(json_object_get(root, "version"));
    if (format == NULL || strcmp(format, RECEIPT_FORMAT) != 0) {
        return not_a_receipt(reading, "\"format\" is not \"" RECEIPT_FORMAT
                                      "\"; 'tare baseline export' writes such files");
    }
    if (version > RECEIPT_VERSION) {
        return error_set(reading->error, TARE_ERROR_MEASURE,
                         "%s has version %lld of the format, and this tare reads up to %d: use a "
                         "newer tare",
                         reading->what, (long long)version, RECEIPT_VERSION);
    }
    if (version < 1 || json_integer_value(json_object_get(root, "tare")) != 1) {
        return not_a_receipt(reading, "\"version\" or \"tare\" is not a positive number");
    }
    if (kind == NULL || strcmp(kind, RECEIPT_KIND_RUN) != 0) {
        return not_a_receipt(reading, "its \"kind\" is not \"" RECEIPT_KIND_RUN "\"");
    }
    return TARE_OK;
}

static tare_status check_envelope(struct json_reading *reading, const json_t *root)
{
    static const char *const members[] = {"tare",   "kind",     "format", "version",
                                          "sha256", "baseline", "run"};
    enum { MEMBER_COUNT = sizeof members / sizeof *members };
    tare_status status = check_version(reading, root);
    if (status != TARE_OK) {
        return status;
    }
    for (int i = 0; i < MEMBER_COUNT; i++) {
        if (json_object_get(root, members[i]) == NULL) {
            return error_set(reading->error, TARE_ERROR_MEASURE, "%s has no member \"%s\"",
                             reading->what, members[i]);
        }
    }
    if (json_object_size(root) != MEMBER_COUNT) {
        return not_a_receipt(reading, "it has a member that version 1 does not know");
    }
    return TARE_OK;
}

static tare_status check_hash(struct json_reading *reading, const json_t *root,
                              const struct receipt *receipt)
{
    const char *stated = json_string_value(json_object_get(root, "sha256"));
    if (stated != NULL && strcmp(stated, receipt->sha256) == 0) {
        return TARE_OK;
    }
    return error_set(
        reading->error, TARE_ERROR_MEASURE,
        "%s was changed after it was written: its SHA-256 should be %s, but the content "
        "gives %s; take the file from version control again, or export it anew",
        reading->what, stated != NULL ? text_printable(reading->arena, stated, 70) : "a text",
        receipt->sha256);
}

/* ---- digits ---- */

/* Is this token how the number is written? Two texts may mean the same double: then a changed digit
 * would pass. Integers are hashed digit by digit. */
static bool is_number_as_written(const char *token, ptrdiff_t length)
{
    char copy[RECEIPT_NUMBER_BYTES];
    char written[RECEIPT_NUMBER_BYTES];
    if (length >= RECEIPT_NUMBER_BYTES) {
        return false;
    }
    memcpy(copy, token, (size_t)length);
    copy[length] = '\0';
    if (strpbrk(copy, ".eE") == NULL) {
        return strcmp(copy, "-0") != 0;
    }
    receipt_number(strtod(copy, NULL), written);
    return strcmp(copy, written) == 0;
}

static tare_status digits_differ(struct json_reading *reading, const char *text, ptrdiff_t at,
                                 ptrdiff_t length)
{
    ptrdiff_t line = 1;
    ptrdiff_t line_start = 0;
    for (ptrdiff_t i = 0; i < at; i++) {
        if (text[i] == '\n') {
            line++;
            line_start = i + 1;
        }
    }
    const char *token = arena_strndup(reading->arena, text + at, length);
    return error_set(reading->error, TARE_ERROR_MEASURE,
                     "%s: line %td, column %td: the number %s is not written as Tare writes it: a "
                     "digit was changed, or another program rewrote the file; take it from version "
                     "control again, or export it anew",
                     reading->what, line, at - line_start + 1,
                     text_printable(reading->arena, token, 50));
}

/* The text is JSON, so a digit or a minus outside a string begins a number. */
static tare_status check_digits(struct json_reading *reading, const char *text, ptrdiff_t length)
{
    bool is_in_string = false;
    for (ptrdiff_t at = 0; at < length; at++) {
        char character = text[at];
        if (is_in_string) {
            at += character == '\\';
            is_in_string = character != '"';
            continue;
        }
        is_in_string = character == '"';
        if (character != '-' && (character < '0' || character > '9')) {
            continue;
        }
        ptrdiff_t end = at + 1;
        while (end < length && strchr("0123456789+-.eE", text[end]) != NULL && text[end] != '\0') {
            end++;
        }
        if (!is_number_as_written(text + at, end - at)) {
            return digits_differ(reading, text, at, end - at);
        }
        at = end - 1;
    }
    return TARE_OK;
}

/* ---- the baseline ---- */

static bool is_run_id(const char *text)
{
    return strlen(text) == 26 && strspn(text, "0123456789abcdefghjkmnpqrstvwxyz") == 26;
}

static const char *read_run_id(struct json_reading *reading, const struct json_place *parent,
                               const json_t *object, const char *name)
{
    const char *text = json_member_word(reading, parent, object, name);
    if (text[0] != '\0' && !is_run_id(text)) {
        json_place_fail(reading, &(struct json_place){.parent = parent, .name = name},
                        "is not the id of a run");
    }
    return text;
}

static void read_promotion(struct json_reading *reading, const struct json_place *at,
                           const json_t *object, struct receipt_promotion *promotion)
{
    static const char *const members[] = {"action", "run", "previous_run", "at_unix_ns", "by",
                                          "reason", NULL};
    static const char *const actions[] = {"save", "promote", "remove", "import", NULL};
    if (!json_place_object(reading, at, object, members)) {
        return;
    }
    promotion->action = actions[json_member_choice(reading, at, object, "action", actions)];
    promotion->run_id = read_run_id(reading, at, object, "run");
    promotion->previous_run_id = read_run_id(reading, at, object, "previous_run");
    promotion->at_unix_ns =
        json_member_integer(reading, at, object, "at_unix_ns", INT64_MIN, INT64_MAX);
    promotion->by = json_member_word(reading, at, object, "by");
    promotion->reason = json_member_word(reading, at, object, "reason");
}

static void read_baseline(struct json_reading *reading, const json_t *value,
                          struct receipt *receipt)
{
    static const char *const members[] = {"name", "history", NULL};
    const struct json_place at = {.name = "baseline"};
    if (json_is_null(value) || !json_place_object(reading, &at, value, members)) {
        return;
    }
    receipt->baseline = json_member_name(reading, &at, value, "name", false);
    const struct json_place list = {.parent = &at, .name = "history"};
    const json_t *history = json_object_get(value, "history");
    ptrdiff_t count = json_place_array(reading, &list, history, RECEIPT_HISTORY_MAX);
    if (count <= 0) {
        return;
    }
    receipt->history = ARENA_ARRAY(reading->arena, struct receipt_promotion, count);
    receipt->history_count = count;
    for (ptrdiff_t i = 0; i < count && reading->status == TARE_OK; i++) {
        read_promotion(reading, &(struct json_place){.parent = &list, .index = i},
                       json_array_get(history, (size_t)i), &receipt->history[i]);
    }
}

/* ---- benchmarks ---- */

/* One column of the launches; all have the same number of items. */
static const json_t *launch_column(struct json_reading *reading, const struct json_place *parent,
                                   const json_t *launches, const char *name, ptrdiff_t count)
{
    const struct json_place at = {.parent = parent, .name = name};
    const json_t *column = json_object_get(launches, name);
    if (json_place_array(reading, &at, column, MODEL_LAUNCHES_MAX) != count) {
        json_place_fail(reading, &at, "has not as many items as \"kind\"");
    }
    return column;
}

static void read_launch(struct json_reading *reading, const struct json_place *parent,
                        ptrdiff_t index, const json_t *const columns[7],
                        struct model_launch *launch)
{
    static const char *const kinds[] = {"timed", "allocations", "counters", NULL};
    const struct json_place at = {.parent = parent, .index = index};
    const json_t *cells[7];
    for (int i = 0; i < 7; i++) {
        cells[i] = json_array_get(columns[i], (size_t)index);
    }
    launch->kind = (enum model_launch_kind)json_place_choice(reading, &at, cells[0], kinds);
    launch->started_unix_ns = json_place_integer(reading, &at, cells[1], INT64_MIN, INT64_MAX);
    launch->environment_padding_bytes =
        (int32_t)json_place_integer(reading, &at, cells[2], INT32_MIN, INT32_MAX);
    launch->is_aslr_on = json_place_bool(reading, &at, cells[3]);
    launch->exit_status = (int32_t)json_place_integer(reading, &at, cells[4], INT32_MIN, INT32_MAX);
    launch->steal_ratio = json_is_null(cells[5]) ? NAN : json_place_number(reading, &at, cells[5]);
    launch->duration_ns = json_place_number(reading, &at, cells[6]);
}

static void read_launches(struct json_reading *reading, const struct json_place *parent,
                          const json_t *object, struct model_benchmark *benchmark)
{
    static const char *const members[] = {"kind",
                                          "started_unix_ns",
                                          "environment_padding_bytes",
                                          "aslr",
                                          "exit_status",
                                          "steal",
                                          "duration_ns",
                                          NULL};
    const struct json_place at = {.parent = parent, .name = "launches"};
    const json_t *launches = json_object_get(object, "launches");
    if (!json_place_object(reading, &at, launches, members)) {
        return;
    }
    const struct json_place first = {.parent = &at, .name = members[0]};
    ptrdiff_t count = json_place_array(reading, &first, json_object_get(launches, members[0]),
                                       MODEL_LAUNCHES_MAX);
    const json_t *columns[7];
    for (int i = 0; i < 7; i++) {
        columns[i] = launch_column(reading, &at, launches, members[i], count);
    }
    if (count <= 0 || reading->status != TARE_OK) {
        return;
    }
    benchmark->launches = ARENA_ARRAY(reading->arena, struct model_launch, count);
    benchmark->launch_count = benchmark->launch_capacity = count;
    for (ptrdiff_t i = 0; i < count && reading->status == TARE_OK; i++) {
        read_launch(reading, &at, i, columns, &benchmark->launches[i]);
    }
}

/* [a, b], two whole numbers from 0 on. */
static void read_pair(struct json_reading *reading, const struct json_place *at, const json_t *pair,
                      int64_t *first, int64_t *second)
{
    *first = *second = 0;
    if (json_place_array(reading, at, pair, 2) != 2) {
        json_place_fail(reading, at, "is not a pair of numbers");
        return;
    }
    *first = json_place_integer(reading, at, json_array_get(pair, 0), 0, INT64_MAX);
    *second = json_place_integer(reading, at, json_array_get(pair, 1), 0, INT64_MAX);
}

/* Fills the launch of every sample from runs of (launch, length). */
static void read_sample_launches(struct json_reading *reading, const struct json_place *parent,
                                 const json_t *object, const struct model_benchmark *benchmark,
                                 struct model_metric *metric)
{
    const struct json_place at = {.parent = parent, .name = "launches"};
    const json_t *runs = json_object_get(object, "launches");
    ptrdiff_t count = json_place_array(reading, &at, runs, metric->count);
    ptrdiff_t launch_end =
        benchmark->launch_count > 0 ? benchmark->launch_count : MODEL_LAUNCHES_MAX;
    ptrdiff_t filled = 0;
    for (ptrdiff_t i = 0; i < count && reading->status == TARE_OK; i++) {
        const struct json_place item = {.parent = &at, .index = i};
        int64_t launch;
        int64_t length;
        read_pair(reading, &item, json_array_get(runs, (size_t)i), &launch, &length);
        bool is_longer = filled > 0 && launch == metric->launches[filled - 1];
        if (is_longer || launch >= launch_end || length < 1 || length > metric->count - filled) {
            json_place_fail(reading, &item,
                            "is of a launch or of samples that are not there, or goes on with the "
                            "launch before");
            return;
        }
        for (int64_t j = 0; j < length; j++) {
            metric->launches[filled++] = (int32_t)launch;
        }
    }
    if (filled != metric->count) {
        json_place_fail(reading, &at, "do not add up to the number of values");
    }
}

static void read_metric(struct json_reading *reading, const struct json_place *at,
                        const json_t *object, const struct model_benchmark *benchmark,
                        struct model_metric *metric)
{
    static const char *const members[] = {"name",    "unit",     "better", "exact",
                                          "invalid", "launches", "values", NULL};
    static const char *const directions[] = {"lower", "higher", NULL};
    if (!json_place_object(reading, at, object, members)) {
        return;
    }
    metric->name = json_member_name(reading, at, object, "name", false);
    metric->unit = json_member_name(reading, at, object, "unit", false);
    metric->better =
        (enum model_better)json_member_choice(reading, at, object, "better", directions);
    metric->is_exact = json_member_bool(reading, at, object, "exact");
    metric->invalid_reason = json_member_text(reading, at, object, "invalid");
    const struct json_place values = {.parent = at, .name = "values"};
    const json_t *array = json_object_get(object, "values");
    ptrdiff_t count = json_place_array(reading, &values, array, MODEL_SAMPLES_MAX);
    if (count < 0) {
        return;
    }
    metric->values = ARENA_ARRAY(reading->arena, double, count);
    metric->launches = ARENA_ARRAY(reading->arena, int32_t, count);
    metric->count = metric->capacity = count;
    for (ptrdiff_t i = 0; i < count && reading->status == TARE_OK; i++) {
        const struct json_place item = {.parent = &values, .index = i};
        metric->values[i] = json_place_number(reading, &item, json_array_get(array, (size_t)i));
    }
    read_sample_launches(reading, at, object, benchmark, metric);
}

static bool has_metric(const struct model_benchmark *benchmark, const char *name)
{
    return model_metric_find(benchmark, name) != NULL;
}

static void read_metrics(struct json_reading *reading, const struct json_place *parent,
                         const json_t *object, struct model_benchmark *benchmark)
{
    const struct json_place at = {.parent = parent, .name = "metrics"};
    const json_t *array = json_object_get(object, "metrics");
    ptrdiff_t count = json_place_array(reading, &at, array, MODEL_METRICS_MAX);
    if (count <= 0) {
        return;
    }
    benchmark->metrics = ARENA_ARRAY(reading->arena, struct model_metric, count);
    benchmark->metric_capacity = count;
    for (ptrdiff_t i = 0; i < count && reading->status == TARE_OK; i++) {
        const struct json_place item = {.parent = &at, .index = i};
        struct model_metric *metric = &benchmark->metrics[i];
        read_metric(reading, &item, json_array_get(array, (size_t)i), benchmark, metric);
        if (reading->status == TARE_OK && has_metric(benchmark, metric->name)) {
            json_place_fail(reading, &item, "has the name of a metric before it");
        }
        benchmark->metric_count = i + 1;
    }
}

static void read_buckets(struct json_reading *reading, const struct json_place *parent,
                         const json_t *object, struct model_histogram *histogram)
{
    const struct json_place at = {.parent = parent, .name = "buckets"};
    const json_t *array = json_object_get(object, "buckets");
    ptrdiff_t count = json_place_array(reading, &at, array, MODEL_HISTOGRAM_BUCKETS_MAX);
    if (count < 0) {
        return;
    }
    histogram->buckets = ARENA_ARRAY(reading->arena, int32_t, count);
    histogram->counts = ARENA_ARRAY(reading->arena, int64_t, count);
    histogram->bucket_count = count;
    int64_t previous = -1;
    for (ptrdiff_t i = 0; i < count && reading->status == TARE_OK; i++) {
        const struct json_place item = {.parent = &at, .index = i};
        int64_t bucket;
        read_pair(reading, &item, json_array_get(array, (size_t)i), &bucket, &histogram->counts[i]);
        if (bucket <= previous || bucket > INT32_MAX || histogram->counts[i] < 1) {
            json_place_fail(reading, &item, "does not ascend, is empty or out of range");
        }
        histogram->buckets[i] = (int32_t)bucket;
        previous = bucket;
    }
}

static void read_histograms(struct json_reading *reading, const struct json_place *parent,
                            const json_t *object, struct model_benchmark *benchmark)
{
    static const char *const members[] = {"launch", "bits", "min_ns", "max_ns", "buckets", NULL};
    const struct json_place at = {.parent = parent, .name = "histograms"};
    const json_t *array = json_object_get(object, "histograms");
    ptrdiff_t count = json_place_array(reading, &at, array, PTRDIFF_MAX);
    if (count <= 0) {
        return;
    }
    benchmark->histograms = ARENA_ARRAY(reading->arena, struct model_histogram, count);
    benchmark->histogram_count = benchmark->histogram_capacity = count;
    for (ptrdiff_t i = 0; i < count && reading->status == TARE_OK; i++) {
        const struct json_place item = {.parent = &at, .index = i};
        const json_t *value = json_array_get(array, (size_t)i);
        struct model_histogram *histogram = &benchmark->histograms[i];
        if (!json_place_object(reading, &item, value, members)) {
            return;
        }
        histogram->launch = (int32_t)json_member_integer(reading, &item, value, "launch", 0,
                                                         MODEL_LAUNCHES_MAX - 1);
        /* What model_histogram_bucket_of works with. */
        histogram->bits = (int32_t)json_member_integer(reading, &item, value, "bits", 1, 15);
        histogram->min_ns = json_member_number(reading, &item, value, "min_ns");
        histogram->max_ns = json_member_number(reading, &item, value, "max_ns");
        read_buckets(reading, &item, value, histogram);
    }
}

static void read_parameters(struct json_reading *reading, const struct json_place *parent,
                            const json_t *object, struct model_benchmark *benchmark)
{
    const struct json_place at = {.parent = parent, .name = "params"};
    json_t *params = json_object_get(object, "params");
    if (!json_is_object(params) || json_object_size(params) > MODEL_PARAMETERS_MAX) {
        json_place_fail(reading, &at, "is not an object, or has more members than allowed");
        return;
    }
    const char *key;
    json_t *value;
    json_object_foreach(params, key, value)
    {
        const char *text = json_string_value(value);
        if (text == NULL || strlen(text) > MODEL_VALUE_BYTES_MAX || !model_name_is_valid(key)) {
            json_place_fail(reading, &(struct json_place){.parent = &at, .name = key},
                            "is not a text within the limits");
            return;
        }
        model_parameter_add(reading->arena, benchmark, key, text);
    }
}

static void read_benchmark(struct json_reading *reading, const struct json_place *at,
                           const json_t *object, struct model_benchmark *benchmark)
{
    static const char *const members[] = {
        "suite",          "name",     "variant",  "params",       "reference",  "size_parameter",
        "state",          "reason",   "check",    "check_detail", "iterations", "overhead_ns",
        "timer_floor_ns", "warnings", "launches", "metrics",      "histograms", NULL};
    static const char *const states[] = {"ok", "invalid", "failed", "skipped", NULL};
    static const char *const checks[] = {"none", "passed", "failed", NULL};
    if (!json_place_object(reading, at, object, members)) {
        return;
    }
    benchmark->suite = json_member_name(reading, at, object, "suite", true);
    benchmark->name = json_member_name(reading, at, object, "name", false);
    benchmark->variant = json_member_name(reading, at, object, "variant", true);
    read_parameters(reading, at, object, benchmark);
    benchmark->is_reference = json_member_bool(reading, at, object, "reference");
    benchmark->size_parameter = json_member_text(reading, at, object, "size_parameter");
    benchmark->state = (enum model_state)json_member_choice(reading, at, object, "state", states);
    benchmark->reason = json_member_text(reading, at, object, "reason");
    benchmark->check = (enum model_check)json_member_choice(reading, at, object, "check", checks);
    benchmark->check_detail = json_member_text(reading, at, object, "check_detail");
    benchmark->iterations = json_member_number(reading, at, object, "iterations");
    benchmark->overhead_ns = json_member_number(reading, at, object, "overhead_ns");
    benchmark->timer_floor_ns = json_member_number(reading, at, object, "timer_floor_ns");
    json_member_texts(reading, at, object, "warnings", &benchmark->warnings,
                      &benchmark->warning_count);
    benchmark->warning_capacity = benchmark->warning_count;
    read_launches(reading, at, object, benchmark);
    read_metrics(reading, at, object, benchmark);
    read_histograms(reading, at, object, benchmark);
}

static void read_benchmarks(struct json_reading *reading, const struct json_place *parent,
                            const json_t *object, struct model_run *run)
{
    const struct json_place at = {.parent = parent, .name = "benchmarks"};
    const json_t *array = json_object_get(object, "benchmarks");
    ptrdiff_t count = json_place_array(reading, &at, array, MODEL_BENCHMARKS_MAX);
    for (ptrdiff_t i = 0; i < count && reading->status == TARE_OK; i++) {
        read_benchmark(reading, &(struct json_place){.parent = &at, .index = i},
                       json_array_get(array, (size_t)i),
                       model_run_add_benchmark(reading->arena, run));
    }
}

/* ---- the run ---- */

static void read_commit(struct json_reading *reading, const struct json_place *parent,
                        const json_t *object, struct model_commit *commit)
{
    static const char *const members[] = {"known", "hash", "branch", "subject", "dirty", NULL};
    const struct json_place at = {.parent = parent, .name = "commit"};
    const json_t *value = json_object_get(object, "commit");
    if (!json_place_object(reading, &at, value, members)) {
        return;
    }
    commit->is_known = json_member_bool(reading, &at, value, "known");
    commit->hash = json_member_text(reading, &at, value, "hash");
    commit->branch = json_member_text(reading, &at, value, "branch");
    commit->subject = json_member_text(reading, &at, value, "subject");
    commit->is_dirty = json_member_bool(reading, &at, value, "dirty");
}

static void read_machine(struct json_reading *reading, const struct json_place *parent,
                         const json_t *object, struct model_machine *machine)
{
    static const char *const members[] = {"id", "identity", "conditions", NULL};
    const struct json_place at = {.parent = parent, .name = "machine"};
    const json_t *value = json_object_get(object, "machine");
    if (!json_place_object(reading, &at, value, members)) {
        return;
    }
    const char *id = json_member_word(reading, &at, value, "id");
    json_member_fields(reading, &at, value, "identity", &machine->identity);
    json_member_fields(reading, &at, value, "conditions", &machine->conditions);
    model_machine_identify(machine);
    if (strcmp(id, machine->id) != 0) {
        json_place_fail(reading, &(struct json_place){.parent = &at, .name = "id"},
                        "is not that of its identity");
    }
}

/* The seed is 64 bits in decimal, without a sign or zeros in front. */
static uint64_t read_seed(struct json_reading *reading, const struct json_place *parent,
                          const json_t *object)
{
    const char *text = json_member_word(reading, parent, object, "seed");
    char written[24];
    unsigned long long seed = strtoull(text, NULL, 10);
    snprintf(written, sizeof written, "%llu", seed);
    if (strcmp(text, written) != 0) {
        json_place_fail(reading, &(struct json_place){.parent = parent, .name = "seed"},
                        "is not a 64-bit number in a text");
    }
    return (uint64_t)seed;
}

static void read_state(struct json_reading *reading, const struct json_place *at,
                       const json_t *object, struct model_run *run)
{
    static const char *const states[] = {"running", "complete", "interrupted", "failed", NULL};
    run->state = (enum model_run_state)json_member_choice(reading, at, object, "state", states);
    run->started_unix_ns =
        json_member_integer(reading, at, object, "started_unix_ns", 0, INT64_MAX);
    run->finished_unix_ns =
        json_member_integer(reading, at, object, "finished_unix_ns", 0, INT64_MAX);
    /* Warnings and the end come when a run is finished. */
    bool is_open = run->state == MODEL_RUN_RUNNING;
    if (is_open && (run->finished_unix_ns != 0 || run->warning_count != 0)) {
        json_place_fail(reading, &(struct json_place){.parent = at, .name = "state"},
                        "says running, but the run has an end");
    }
}

static void read_run(struct json_reading *reading, const json_t *object, struct model_run *run)
{
    static const char *const members[] = {
        "id",      "state",       "started_unix_ns", "finished_unix_ns", "project",
        "seed",    "confidence",  "tare_version",    "command",          "commit",
        "machine", "environment", "warnings",        "benchmarks",       NULL};
    const struct json_place at = {.name = "run"};
    if (reading->status != TARE_OK || !json_place_object(reading, &at, object, members)) {
        return;
    }
    const char *id = json_member_word(reading, &at, object, "id");
    if (!is_run_id(id)) {
        json_place_fail(reading, &(struct json_place){.parent = &at, .name = "id"},
                        "is not the id of a run");
    }
    snprintf(run->id, sizeof run->id, "%s", id);
    json_member_texts(reading, &at, object, "warnings", &run->warnings, &run->warning_count);
    run->warning_capacity = run->warning_count;
    read_state(reading, &at, object, run);
    run->project = json_member_text(reading, &at, object, "project");
    run->tare_version = json_member_text(reading, &at, object, "tare_version");
    run->seed = read_seed(reading, &at, object);
    run->confidence = json_member_number(reading, &at, object, "confidence");
    run->command = json_member_text(reading, &at, object, "command");
    read_commit(reading, &at, object, &run->commit);
    read_machine(reading, &at, object, &run->machine);
    json_member_fields(reading, &at, object, "environment", &run->environment);
    read_benchmarks(reading, &at, object, run);
}
