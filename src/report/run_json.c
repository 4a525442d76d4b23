#include "report/run_json.h"

#include "base/text.h"
#include "report/json_write.h"
#include "stats/summary.h"

static json_t *samples_json(const struct model_metric *metric)
{
    json_t *samples = json_array();
    for (ptrdiff_t i = 0; i < metric->count; i++) {
        json_array_append_new(samples, json_pack("[i,o]", (int)metric->launches[i],
                                                 json_write_number(metric->values[i])));
    }
    return samples;
}

static void add_summary(json_t *object, const struct model_metric *metric, double confidence)
{
    struct arena scratch = {0};
    struct stats_summary summary =
        stats_summarise(metric->values, metric->launches, metric->count, confidence, &scratch);
    json_object_set_new(object, "n", json_integer(summary.count));
    json_object_set_new(object, "launches", json_integer(summary.launches));
    json_object_set_new(object, "median", json_write_number(summary.median));
    json_object_set_new(object, "mean", json_write_number(summary.mean));
    json_object_set_new(object, "estimate", json_write_number(summary.interval.estimate));
    json_object_set_new(
        object, "ci",
        json_write_pair(summary.interval.is_defined, summary.interval.low, summary.interval.high));
    json_object_set_new(object, "ci_method",
                        json_string(stats_interval_method_name(summary.interval.method)));
    json_object_set_new(object, "p50", json_write_number(summary.median));
    json_object_set_new(object, "p95", json_write_number(summary.p95));
    json_object_set_new(object, "p99", json_write_number(summary.p99));
    json_object_set_new(object, "min", json_write_number(summary.min));
    json_object_set_new(object, "max", json_write_number(summary.max));
    json_object_set_new(object, "cv",
                        summary.cv.is_defined ? json_write_number(summary.cv.value) : json_null());
    arena_free(&scratch);
}

static json_t *metric_json(struct arena *arena, const struct model_benchmark *benchmark,
                           const struct model_metric *metric, double confidence, bool with_samples)
{
    json_t *object = json_object();
    json_object_set_new(object, "name", json_write_text(arena, metric->name));
    json_object_set_new(object, "unit", json_write_text(arena, metric->unit));
    json_object_set_new(object, "better", json_string(model_better_name(metric->better)));
    json_object_set_new(object, "exact", json_boolean(metric->is_exact));
    if (metric->invalid_reason != NULL) {
        json_object_set_new(object, "invalid", json_write_text(arena, metric->invalid_reason));
    }
    /* A figure that must not be believed is not printed; its samples still can be. */
    bool has_figures =
        metric->count > 0 && metric->invalid_reason == NULL && benchmark->state == MODEL_STATE_OK;
    if (has_figures) {
        add_summary(object, metric, confidence);
    } else {
        json_object_set_new(object, "n", json_integer(metric->count));
    }
    if (with_samples) {
        json_object_set_new(object, "samples", samples_json(metric));
    }
    return object;
}

static json_t *launches_json(const struct model_benchmark *benchmark)
{
    static const char *const kinds[] = {"timed", "allocations", "counters"};
    json_t *array = json_array();
    for (ptrdiff_t i = 0; i < benchmark->launch_count; i++) {
        const struct model_launch *launch = &benchmark->launches[i];
        json_array_append_new(
            array,
            json_pack("{s:s,s:I,s:i,s:b,s:i,s:o,s:o}", "kind", kinds[launch->kind],
                      "started_unix_ns", (json_int_t)launch->started_unix_ns,
                      "environment_padding_bytes", (int)launch->environment_padding_bytes, "aslr",
                      (int)launch->is_aslr_on, "exit_status", (int)launch->exit_status, "steal",
                      json_write_number(launch->steal_ratio), "duration_ns",
                      json_write_number(launch->duration_ns)));
    }
    return array;
}

static json_t *benchmark_json(struct arena *arena, const struct model_benchmark *benchmark,
                              double confidence, bool with_samples)
{
    json_t *params = json_object();
    for (ptrdiff_t i = 0; i < benchmark->parameter_count; i++) {
        json_object_set_new(params, text_printable(arena, benchmark->parameters[i].name, 0),
                            json_write_text(arena, benchmark->parameters[i].value));
    }
    json_t *metrics = json_array();
    for (ptrdiff_t i = 0; i < benchmark->metric_count; i++) {
        json_array_append_new(metrics, metric_json(arena, benchmark, &benchmark->metrics[i],
                                                   confidence, with_samples));
    }
    json_t *object = json_object();
    json_object_set_new(object, "name", json_write_text(arena, benchmark->name));
    json_object_set_new(object, "suite", json_write_text(arena, benchmark->suite));
    json_object_set_new(object, "params", params);
    json_object_set_new(object, "variant", json_write_text(arena, benchmark->variant));
    json_object_set_new(object, "reference", json_boolean(benchmark->is_reference));
    json_object_set_new(object, "state", json_string(model_state_name(benchmark->state)));
    json_object_set_new(object, "reason", json_write_text(arena, benchmark->reason));
    json_object_set_new(object, "check", json_string(model_check_name(benchmark->check)));
    json_object_set_new(object, "check_detail", json_write_text(arena, benchmark->check_detail));
    json_object_set_new(object, "iterations", json_write_number(benchmark->iterations));
    json_object_set_new(object, "overhead_ns", json_write_number(benchmark->overhead_ns));
    json_object_set_new(object, "timer_floor_ns", json_write_number(benchmark->timer_floor_ns));
    json_object_set_new(object, "metrics", metrics);
    json_object_set_new(object, "warnings",
                        json_write_texts(arena, benchmark->warnings, benchmark->warning_count));
    if (with_samples) {
        json_object_set_new(object, "launches", launches_json(benchmark));
    }
    return object;
}

static json_t *commit_json(struct arena *arena, const struct model_commit *commit)
{
    if (!commit->is_known) {
        return json_null();
    }
    json_t *object = json_object();
    json_object_set_new(object, "hash", json_write_text(arena, commit->hash));
    json_object_set_new(object, "branch", json_write_text(arena, commit->branch));
    json_object_set_new(object, "subject", json_write_text(arena, commit->subject));
    json_object_set_new(object, "dirty", json_boolean(commit->is_dirty));
    return object;
}

void report_run_json(struct buffer *out, const struct model_run *run, bool with_samples,
                     int exit_code)
{
    struct arena arena = {0};
    json_t *benchmarks = json_array();
    for (ptrdiff_t i = 0; i < run->benchmark_count; i++) {
        json_array_append_new(
            benchmarks, benchmark_json(&arena, &run->benchmarks[i], run->confidence, with_samples));
    }
    json_t *root = json_pack("{s:i,s:s,s:s,s:s}", "tare", 1, "kind", "run", "id", run->id, "state",
                             model_run_state_name(run->state));
    json_object_set_new(root, "started_unix_ns", json_integer(run->started_unix_ns));
    json_object_set_new(root, "finished_unix_ns", json_integer(run->finished_unix_ns));
    json_object_set_new(root, "project", json_write_text(&arena, run->project));
    json_object_set_new(root, "command", json_write_text(&arena, run->command));
    json_object_set_new(root, "version", json_write_text(&arena, run->tare_version));
    /* As text: a 64-bit number would lose digits in other languages. */
    json_object_set_new(root, "seed",
                        json_string(arena_printf(&arena, "%llu", (unsigned long long)run->seed)));
    json_object_set_new(root, "confidence", json_write_number(run->confidence));
    json_object_set_new(root, "benchmarks", benchmarks);
    json_object_set_new(root, "machine", json_write_machine(&arena, &run->machine));
    json_object_set_new(root, "environment", json_write_fields(&arena, &run->environment));
    json_object_set_new(root, "commit", commit_json(&arena, &run->commit));
    json_object_set_new(root, "warnings",
                        json_write_texts(&arena, run->warnings, run->warning_count));
    json_object_set_new(root, "exit", json_integer(exit_code));
    json_write_dump(out, root);
    arena_free(&arena);
}
