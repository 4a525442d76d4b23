/* receipt_write.c: the document is written as text, top-down, then read once by the JSON library to
 * hash what is really there. */
#include "codec/receipt_write.h"

#include "base/text.h"
#include "codec/receipt_hash.h"

#include <jansson.h>

#include <math.h>
#include <stdio.h>
#include <string.h>

static tare_status check_run(const struct model_run *run, struct tare_error *error);
static void put_baseline(struct buffer *out, const struct receipt *receipt);
static void put_run(struct buffer *out, const struct model_run *run);
static tare_status hash_content(struct receipt *receipt, const char *text,
                                struct tare_error *error);

tare_status receipt_write(struct receipt *receipt, struct buffer *out, struct tare_error *error)
{
    tare_status status = check_run(&receipt->run, error);
    if (status != TARE_OK) {
        return status;
    }
    if (receipt->history_count > RECEIPT_HISTORY_MAX) {
        return error_set(error, TARE_ERROR_MEASURE,
                         "a history of %td entries, more than the %d that a file holds",
                         receipt->history_count, RECEIPT_HISTORY_MAX);
    }
    struct arena scratch = {0};
    struct buffer content = buffer_new(&scratch, RECEIPT_BYTES_MAX);
    put_baseline(&content, receipt);
    buffer_text(&content, ",\n \"run\": ");
    put_run(&content, &receipt->run);
    buffer_text(&content, "}\n");
    struct buffer head = buffer_new(&scratch, RECEIPT_BYTES_MAX);
    buffer_printf(&head, "{\"tare\": 1, \"kind\": \"%s\", \"format\": \"%s\", \"version\": %d,\n",
                  RECEIPT_KIND_RUN, RECEIPT_FORMAT, RECEIPT_VERSION);
    if (!content.is_full) {
        const char *whole =
            arena_printf(&scratch, "%s%s", buffer_string(&head), buffer_string(&content));
        status = hash_content(receipt, whole, error);
    }
    if (status == TARE_OK) {
        buffer_text(out, buffer_string(&head));
        buffer_printf(out, " \"sha256\": \"%s\",\n", receipt->sha256);
        buffer_text(out, buffer_string(&content));
    }
    if (status == TARE_OK && (content.is_full || out->is_full)) {
        status = error_set(error, TARE_ERROR_MEASURE,
                           "run %s is larger than the %td bytes a file may have", receipt->run.id,
                           out->length_max);
    }
    arena_free(&scratch);
    return status;
}

static tare_status hash_content(struct receipt *receipt, const char *text, struct tare_error *error)
{
    json_error_t at = {0};
    json_t *root = json_loads(text, JSON_REJECT_DUPLICATES, &at);
    if (root == NULL) {
        return error_set(error, TARE_ERROR_MEASURE, "run %s cannot be written: %s (line %d)",
                         receipt->run.id, at.text, at.line);
    }
    receipt_hash(root, receipt->sha256, receipt->run_sha256);
    json_decref(root);
    return TARE_OK;
}

/* ---- what cannot be written ---- */

static tare_status refuse(const struct model_benchmark *benchmark, const char *part,
                          ptrdiff_t number, struct tare_error *error)
{
    struct arena scratch = {0};
    const char *label = text_printable(&scratch, model_benchmark_label(&scratch, benchmark), 80);
    tare_status status = error_set(
        error, TARE_ERROR_MEASURE,
        "benchmark '%s': %s %td has a number that is not finite, which no file can hold exactly",
        label, text_printable(&scratch, part, 60), number);
    arena_free(&scratch);
    return status;
}

static tare_status check_benchmark(const struct model_benchmark *benchmark,
                                   struct tare_error *error)
{
    if (!isfinite(benchmark->iterations) || !isfinite(benchmark->overhead_ns) ||
        !isfinite(benchmark->timer_floor_ns)) {
        return refuse(benchmark, "head", 0, error);
    }
    for (ptrdiff_t i = 0; i < benchmark->metric_count; i++) {
        const struct model_metric *metric = &benchmark->metrics[i];
        for (ptrdiff_t j = 0; j < metric->count; j++) {
            if (!isfinite(metric->values[j])) {
                return refuse(benchmark, metric->name, j, error);
            }
        }
    }
    for (ptrdiff_t i = 0; i < benchmark->launch_count; i++) {
        if (!isfinite(benchmark->launches[i].duration_ns) ||
            isinf(benchmark->launches[i].steal_ratio)) {
            return refuse(benchmark, "launch", i, error);
        }
    }
    for (ptrdiff_t i = 0; i < benchmark->histogram_count; i++) {
        if (!isfinite(benchmark->histograms[i].min_ns) ||
            !isfinite(benchmark->histograms[i].max_ns)) {
            return refuse(benchmark, "histogram", i, error);
        }
    }
    return TARE_OK;
}

static tare_status check_run(const struct model_run *run, struct tare_error *error)
{
    if (!isfinite(run->confidence)) {
        return error_set(error, TARE_ERROR_MEASURE, "run %s: its confidence is not a finite number",
                         run->id);
    }
    tare_status status = TARE_OK;
    for (ptrdiff_t i = 0; status == TARE_OK && i < run->benchmark_count; i++) {
        status = check_benchmark(&run->benchmarks[i], error);
    }
    return status;
}

/* ---- values ---- */

/* Text from outside may hold any bytes; what is not UTF-8 becomes {"hex": "…"}. */
static void put_text(struct buffer *out, const char *text)
{
    if (text == NULL) {
        buffer_text(out, "null");
    } else if (text_is_utf8(text, (ptrdiff_t)strlen(text))) {
        receipt_quote(out, text);
    } else {
        buffer_text(out, "{\"hex\": \"");
        for (const char *at = text; *at != '\0'; at++) {
            buffer_printf(out, "%02x", (unsigned)(unsigned char)*at);
        }
        buffer_text(out, "\"}");
    }
}

/* ", " and the name, for every member but an object's first. */
static void put_key(struct buffer *out, const char *name)
{
    buffer_printf(out, ", \"%s\": ", name);
}

static void put_member(struct buffer *out, const char *name, const char *text)
{
    put_key(out, name);
    put_text(out, text);
}

static void put_number(struct buffer *out, double value)
{
    char text[RECEIPT_NUMBER_BYTES];
    receipt_number(value, text);
    buffer_text(out, text);
}

static void put_integer(struct buffer *out, int64_t value)
{
    buffer_printf(out, "%lld", (long long)value);
}

static void put_bool(struct buffer *out, bool value)
{
    buffer_text(out, value ? "true" : "false");
}

static void put_fields(struct buffer *out, const struct model_fields *fields, const char *indent)
{
    buffer_char(out, '{');
    for (ptrdiff_t i = 0; i < fields->count; i++) {
        buffer_printf(out, "%s\n%s", i > 0 ? "," : "", indent);
        receipt_quote(out, fields->items[i].key);
        buffer_text(out, ": ");
        put_text(out, fields->items[i].value);
    }
    buffer_char(out, '}');
}

static void put_texts(struct buffer *out, const char *const *texts, ptrdiff_t count,
                      const char *indent)
{
    buffer_char(out, '[');
    for (ptrdiff_t i = 0; i < count; i++) {
        buffer_printf(out, "%s\n%s", i > 0 ? "," : "", indent);
        put_text(out, texts[i]);
    }
    buffer_char(out, ']');
}

/* ---- the baseline ---- */

static void put_promotion(struct buffer *out, const struct receipt_promotion *promotion)
{
    buffer_text(out, "{\"action\": ");
    put_text(out, promotion->action);
    put_member(out, "run", promotion->run_id);
    put_member(out, "previous_run", promotion->previous_run_id);
    put_key(out, "at_unix_ns");
    put_integer(out, promotion->at_unix_ns);
    put_member(out, "by", promotion->by);
    put_member(out, "reason", promotion->reason);
    buffer_char(out, '}');
}

static void put_baseline(struct buffer *out, const struct receipt *receipt)
{
    buffer_text(out, " \"baseline\": ");
    if (receipt->baseline == NULL) {
        buffer_text(out, "null");
        return;
    }
    buffer_text(out, "{\"name\": ");
    put_text(out, receipt->baseline);
    buffer_text(out, ", \"history\": [");
    for (ptrdiff_t i = 0; i < receipt->history_count; i++) {
        buffer_text(out, i > 0 ? ",\n  " : "\n  ");
        put_promotion(out, &receipt->history[i]);
    }
    buffer_text(out, "]}");
}

/* ---- benchmarks ---- */

enum launch_column {
    LAUNCH_KIND,
    LAUNCH_STARTED,
    LAUNCH_PADDING,
    LAUNCH_ASLR,
    LAUNCH_EXIT_STATUS,
    LAUNCH_STEAL,
    LAUNCH_DURATION,
    LAUNCH_COLUMN_COUNT,
};

static void put_launch_cell(struct buffer *out, const struct model_launch *launch,
                            enum launch_column column)
{
    static const char *const kinds[] = {"timed", "allocations", "counters"};
    switch (column) {
    case LAUNCH_KIND:
        put_text(out, kinds[launch->kind]);
        return;
    case LAUNCH_STARTED:
        put_integer(out, launch->started_unix_ns);
        return;
    case LAUNCH_PADDING:
        put_integer(out, launch->environment_padding_bytes);
        return;
    case LAUNCH_ASLR:
        put_bool(out, launch->is_aslr_on);
        return;
    case LAUNCH_EXIT_STATUS:
        put_integer(out, launch->exit_status);
        return;
    case LAUNCH_STEAL:
        if (isnan(launch->steal_ratio)) {
            buffer_text(out, "null");
        } else {
            put_number(out, launch->steal_ratio);
        }
        return;
    case LAUNCH_DURATION:
        put_number(out, launch->duration_ns);
        return;
    case LAUNCH_COLUMN_COUNT:
        break;
    }
}

/* Launches as columns: like stands beside like, and what differs is easy to see. */
static void put_launches(struct buffer *out, const struct model_benchmark *benchmark)
{
    static const char *const names[LAUNCH_COLUMN_COUNT] = {
        "kind",  "started_unix_ns", "environment_padding_bytes", "aslr", "exit_status",
        "steal", "duration_ns"};
    buffer_char(out, '{');
    for (int column = 0; column < LAUNCH_COLUMN_COUNT; column++) {
        buffer_printf(out, "%s\n     \"%s\": [", column > 0 ? "," : "", names[column]);
        for (ptrdiff_t i = 0; i < benchmark->launch_count; i++) {
            buffer_text(out, i > 0 ? ", " : "");
            put_launch_cell(out, &benchmark->launches[i], (enum launch_column)column);
        }
        buffer_char(out, ']');
    }
    buffer_char(out, '}');
}

/* [[0, 5], [1, 5]]: five samples of launch 0, then five of launch 1. */
static void put_sample_launches(struct buffer *out, const struct model_metric *metric)
{
    buffer_char(out, '[');
    for (ptrdiff_t start = 0; start < metric->count;) {
        ptrdiff_t end = start + 1;
        while (end < metric->count && metric->launches[end] == metric->launches[start]) {
            end++;
        }
        buffer_printf(out, "%s[%d, %td]", start > 0 ? ", " : "", (int)metric->launches[start],
                      end - start);
        start = end;
    }
    buffer_char(out, ']');
}

static void put_metric(struct buffer *out, const struct model_metric *metric)
{
    buffer_text(out, "\n     {\"name\": ");
    put_text(out, metric->name);
    put_member(out, "unit", metric->unit);
    put_member(out, "better", model_better_name(metric->better));
    put_key(out, "exact");
    put_bool(out, metric->is_exact);
    put_member(out, "invalid", metric->invalid_reason);
    buffer_text(out, ",\n      \"launches\": ");
    put_sample_launches(out, metric);
    buffer_text(out, ",\n      \"values\": [");
    for (ptrdiff_t i = 0; i < metric->count; i++) {
        buffer_text(out, i > 0 ? ", " : "");
        put_number(out, metric->values[i]);
    }
    buffer_text(out, "]}");
}

static void put_histogram(struct buffer *out, const struct model_histogram *histogram)
{
    buffer_printf(out, "\n     {\"launch\": %d, \"bits\": %d, \"min_ns\": ", (int)histogram->launch,
                  (int)histogram->bits);
    put_number(out, histogram->min_ns);
    put_key(out, "max_ns");
    put_number(out, histogram->max_ns);
    put_key(out, "buckets");
    for (ptrdiff_t i = 0; i < histogram->bucket_count; i++) {
        buffer_printf(out, "%s[%d, %lld]", i > 0 ? ", " : "[", (int)histogram->buckets[i],
                      (long long)histogram->counts[i]);
    }
    buffer_text(out, histogram->bucket_count > 0 ? "]}" : "[]}");
}

static void put_parameters(struct buffer *out, const struct model_benchmark *benchmark)
{
    buffer_char(out, '{');
    for (ptrdiff_t i = 0; i < benchmark->parameter_count; i++) {
        buffer_text(out, i > 0 ? ", " : "");
        receipt_quote(out, benchmark->parameters[i].name);
        buffer_text(out, ": ");
        put_text(out, benchmark->parameters[i].value);
    }
    buffer_char(out, '}');
}

static void put_benchmark(struct buffer *out, const struct model_benchmark *benchmark)
{
    buffer_text(out, "\n   {\"suite\": ");
    put_text(out, benchmark->suite);
    put_member(out, "name", benchmark->name);
    put_member(out, "variant", benchmark->variant);
    put_key(out, "params");
    put_parameters(out, benchmark);
    buffer_text(out, ",\n    \"reference\": ");
    put_bool(out, benchmark->is_reference);
    put_member(out, "size_parameter", benchmark->size_parameter);
    put_member(out, "state", model_state_name(benchmark->state));
    put_member(out, "reason", benchmark->reason);
    put_member(out, "check", model_check_name(benchmark->check));
    put_member(out, "check_detail", benchmark->check_detail);
    buffer_text(out, ",\n    \"iterations\": ");
    put_number(out, benchmark->iterations);
    put_key(out, "overhead_ns");
    put_number(out, benchmark->overhead_ns);
    put_key(out, "timer_floor_ns");
    put_number(out, benchmark->timer_floor_ns);
    buffer_text(out, ",\n    \"warnings\": ");
    put_texts(out, benchmark->warnings, benchmark->warning_count, "     ");
    buffer_text(out, ",\n    \"launches\": ");
    put_launches(out, benchmark);
    buffer_text(out, ",\n    \"metrics\": [");
    for (ptrdiff_t i = 0; i < benchmark->metric_count; i++) {
        buffer_text(out, i > 0 ? "," : "");
        put_metric(out, &benchmark->metrics[i]);
    }
    buffer_text(out, "],\n    \"histograms\": [");
    for (ptrdiff_t i = 0; i < benchmark->histogram_count; i++) {
        buffer_text(out, i > 0 ? "," : "");
        put_histogram(out, &benchmark->histograms[i]);
    }
    buffer_text(out, "]}");
}

/* ---- the run ---- */

static void put_commit(struct buffer *out, const struct model_commit *commit)
{
    buffer_text(out, "{\"known\": ");
    put_bool(out, commit->is_known);
    put_member(out, "hash", commit->hash);
    put_member(out, "branch", commit->branch);
    put_member(out, "subject", commit->subject);
    put_key(out, "dirty");
    put_bool(out, commit->is_dirty);
    buffer_char(out, '}');
}

static void put_run_head(struct buffer *out, const struct model_run *run)
{
    buffer_text(out, "{\"id\": ");
    put_text(out, run->id);
    put_member(out, "state", model_run_state_name(run->state));
    put_key(out, "started_unix_ns");
    put_integer(out, run->started_unix_ns);
    put_key(out, "finished_unix_ns");
    put_integer(out, run->finished_unix_ns);
    buffer_text(out, ",\n  \"project\": ");
    put_text(out, run->project);
    put_member(out, "tare_version", run->tare_version);
    /* As text: a 64-bit number would lose digits in other languages. */
    buffer_printf(out, ", \"seed\": \"%llu\"", (unsigned long long)run->seed);
    put_key(out, "confidence");
    put_number(out, run->confidence);
    buffer_text(out, ",\n  \"command\": ");
    put_text(out, run->command);
    buffer_text(out, ",\n  \"commit\": ");
    put_commit(out, &run->commit);
}

static void put_run(struct buffer *out, const struct model_run *run)
{
    put_run_head(out, run);
    buffer_text(out, ",\n  \"machine\": {\"id\": ");
    put_text(out, run->machine.id);
    buffer_text(out, ",\n   \"identity\": ");
    put_fields(out, &run->machine.identity, "    ");
    buffer_text(out, ",\n   \"conditions\": ");
    put_fields(out, &run->machine.conditions, "    ");
    buffer_text(out, "},\n  \"environment\": ");
    put_fields(out, &run->environment, "   ");
    buffer_text(out, ",\n  \"warnings\": ");
    put_texts(out, run->warnings, run->warning_count, "   ");
    buffer_text(out, ",\n  \"benchmarks\": [");
    for (ptrdiff_t i = 0; i < run->benchmark_count; i++) {
        buffer_text(out, i > 0 ? "," : "");
        put_benchmark(out, &run->benchmarks[i]);
    }
    buffer_text(out, "]}");
}
