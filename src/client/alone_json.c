/* alone_json.c: `./bench --json`: the same members as `tare run --json`, from one launch, in one
 * object on standard output. A benchmark that failed, was skipped or is invalid has a reason and no
 * metrics. */
#include "client/alone.h"

#include "client/json.h"

#include <stdio.h>

static const char *const state_names[] = {[ALONE_MEASURED] = "ok",
                                          [ALONE_DELETED] = "invalid",
                                          [ALONE_INVALID] = "invalid",
                                          [ALONE_SKIPPED] = "skipped",
                                          [ALONE_FAILED] = "failed"};

static void write_member(struct buffer *out, const char *name, double value)
{
    buffer_printf(out, ",\"%s\":", name);
    json_number(out, value);
}

static void write_metric(struct buffer *out, const struct alone_metric *metric, ptrdiff_t count)
{
    const struct alone_summary *summary = &metric->summary;
    buffer_text(out, "{\"name\":");
    json_text(out, metric->metric.name);
    buffer_text(out, ",\"unit\":");
    json_text(out, metric->metric.unit);
    buffer_printf(out, ",\"better\":\"%s\",\"exact\":%s,\"n\":%td,\"launches\":1",
                  metric->metric.better == TARE_HIGHER ? "higher" : "lower",
                  metric->metric.is_exact ? "true" : "false", count);
    write_member(out, "median", summary->median);
    write_member(out, "mean", summary->mean);
    write_member(out, "p25", summary->low);
    write_member(out, "p75", summary->high);
    write_member(out, "min", summary->min);
    write_member(out, "max", summary->max);
    buffer_char(out, '}');
}

static void write_latency(struct buffer *out, const struct client_histogram *histogram)
{
    buffer_printf(out, ",\"latency\":{\"calls\":%llu", (unsigned long long)histogram->total);
    write_member(out, "p50", client_histogram_quantile(histogram, 0.5));
    write_member(out, "p90", client_histogram_quantile(histogram, 0.9));
    write_member(out, "p99", client_histogram_quantile(histogram, 0.99));
    write_member(out, "p99.9", client_histogram_quantile(histogram, 0.999));
    write_member(out, "p99.99", client_histogram_quantile(histogram, 0.9999));
    write_member(out, "min", (double)histogram->min_ns);
    write_member(out, "max", (double)histogram->max_ns);
    buffer_char(out, '}');
}

static void write_case(struct buffer *out, const struct client_case *subject)
{
    const struct client_benchmark *benchmark = subject->benchmark;
    buffer_text(out, "{\"name\":");
    json_text(out, benchmark->name);
    if (subject->variant->name[0] != '\0') {
        buffer_text(out, ",\"variant\":");
        json_text(out, subject->variant->name);
        buffer_printf(out, ",\"reference\":%s", subject->variant->is_reference ? "true" : "false");
    }
    buffer_text(out, ",\"params\":{");
    for (ptrdiff_t i = 0; i < benchmark->parameter_count; i++) {
        buffer_text(out, i > 0 ? "," : "");
        json_text(out, benchmark->parameters[i].name);
        buffer_char(out, ':');
        json_text(out, benchmark->parameters[i].texts[subject->choices[i]]);
    }
    buffer_char(out, '}');
}

static void write_result(struct buffer *out, const struct alone_result *result)
{
    write_case(out, result->subject);
    buffer_printf(out, ",\"state\":\"%s\"", state_names[result->state]);
    if (result->check != CLIENT_CHECK_NONE) {
        buffer_printf(out, ",\"check\":\"%s\"",
                      result->check == CLIENT_CHECK_PASSED ? "passed" : "failed");
    }
    if (result->state != ALONE_MEASURED) {
        buffer_text(out, ",\"reason\":");
        json_text(out, result->text);
        buffer_text(out, ",\"metrics\":[]}");
        return;
    }
    buffer_printf(out, ",\"iterations\":%llu", (unsigned long long)result->iterations);
    write_member(out, "overhead_ns", result->overhead_ns);
    const struct alone_result *reference = result->reference;
    if (reference != NULL && reference->state == ALONE_MEASURED && result->time_ns.median > 0) {
        write_member(out, "speedup", reference->time_ns.median / result->time_ns.median);
    }
    if (result->histogram != NULL) {
        write_latency(out, result->histogram);
    }
    struct alone_metric time = {.metric = {.name = "time", .unit = "ns", .better = TARE_LOWER},
                                .summary = result->time_ns};
    buffer_text(out, ",\"metrics\":[");
    write_metric(out, &time, result->slice_count);
    for (ptrdiff_t i = 0; i < result->metric_count; i++) {
        buffer_char(out, ',');
        write_metric(out, &result->metrics[i], result->slice_count);
    }
    buffer_text(out, "]}");
}

static void write_fits(struct buffer *out, const struct client *client,
                       const struct alone_result *results, ptrdiff_t count)
{
    bool is_first = true;
    buffer_text(out, "],\"fits\":[");
    for (ptrdiff_t b = 0; b < client->benchmark_count; b++) {
        const struct client_benchmark *benchmark = &client->benchmarks[b];
        for (ptrdiff_t v = 0; v < benchmark->variant_count; v++) {
            struct arena scratch = {0};
            struct fit_points points =
                fit_points_of(&scratch, benchmark, benchmark->variants[v].name, results, count);
            struct fit fit = fit_growth(points.sizes, points.costs_ns, points.count);
            arena_free(&scratch);
            if (fit.name == NULL) {
                continue;
            }
            buffer_text(out, is_first ? "{\"name\":" : ",{\"name\":");
            is_first = false;
            json_text(out, benchmark->name);
            buffer_text(out, ",\"variant\":");
            json_text(out, benchmark->variants[v].name);
            buffer_text(out, ",\"size\":");
            json_text(out, benchmark->size_parameter);
            buffer_printf(out, ",\"growth\":\"%s\"", fit.name);
            write_member(out, "factor_ns", fit.factor_ns);
            write_member(out, "residual", fit.residual);
            buffer_char(out, '}');
        }
    }
}

void alone_json(const struct client *client, const struct alone_result *results, ptrdiff_t count,
                int exit_code)
{
    struct arena arena = {0};
    struct buffer out = buffer_new(&arena, BUFFER_LENGTH_MAX);
    buffer_text(&out, "{\"tare\":1,\"kind\":\"run\",\"harness\":\"libtare " TARE_VERSION "\"");
    write_member(&out, "timer_ns", client->calibration.timer_ns);
    write_member(&out, "loop_ns", client->calibration.loop_ns);
    write_member(&out, "timer_floor_ns", client->calibration.timer_floor_ns);
    buffer_text(&out, ",\"benchmarks\":[");
    bool is_first = true;
    for (ptrdiff_t i = 0; i < count; i++) {
        if (results[i].state == ALONE_NOT_RUN) {
            continue;
        }
        buffer_text(&out, is_first ? "" : ",");
        is_first = false;
        write_result(&out, &results[i]);
    }
    write_fits(&out, client, results, count);
    buffer_printf(&out, "],\"exit\":%d}\n", exit_code);
    fwrite(out.data, 1, (size_t)out.length, stdout);
    arena_free(&arena);
}

void alone_json_list(const struct client *client, const bool *is_selected)
{
    struct arena arena = {0};
    struct buffer out = buffer_new(&arena, BUFFER_LENGTH_MAX);
    buffer_text(&out, "{\"tare\":1,\"kind\":\"list\",\"benchmarks\":[");
    bool is_first = true;
    for (ptrdiff_t i = 0; i < client->case_count; i++) {
        if (is_selected[i]) {
            buffer_text(&out, is_first ? "" : ",");
            is_first = false;
            write_case(&out, &client->cases[i]);
            buffer_char(&out, '}');
        }
    }
    buffer_text(&out, "],\"exit\":0}\n");
    fwrite(out.data, 1, (size_t)out.length, stdout);
    arena_free(&arena);
}
