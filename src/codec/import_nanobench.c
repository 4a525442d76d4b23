/* import_nanobench.c: nanobench's JSON (templates::json, templates::pyperf is pyperf's).
 *
 *   results[]   title, name, unit, batch, "median(elapsed)", measurements[{iterations, elapsed, …}]
 *
 * Seconds for one iteration; nanobench divides by batch only when it prints, so that is done here.
 * Epochs are samples of one process. The title is the suite. Counters of a measurement
 * (instructions, cpucycles, branchmisses, pagefaults, contextswitches) are costs: fewer are better;
 * nanobench writes zeros where it could not count, so a counter that is zero throughout is left
 * out. */
#include "codec/import_json.h"

#include "base/text.h"

#include <math.h>
#include <string.h>

static const double NS_PER_S = 1e9;

static const char *const counters[] = {"instructions", "cpucycles",       "branchinstructions",
                                       "branchmisses", "contextswitches", "pagefaults"};
enum { COUNTERS = sizeof counters / sizeof *counters };

struct result {
    const char *title;
    const char *name;
    double batch;
    double median;
    struct import_numbers times;
    struct import_numbers counts[COUNTERS];
    bool is_counted[COUNTERS];
};

static tare_status read_result(struct import_json *json, struct result *result,
                               struct tare_error *error);
static tare_status keep_result(struct import_json *json, const struct result *result,
                               struct tare_error *error);

static bool recognise(const char *head, ptrdiff_t length, const char *path)
{
    (void)length;
    (void)path;
    return import_head_bracket(head) == '{' && import_head_has_key(head, "median(elapsed)");
}

static tare_status read_file(struct import_source *source, struct import_sink *sink,
                             struct tare_error *error)
{
    struct import_json json;
    bool has_results = false;
    tare_status status = import_json_open(&json, source, sink, '{', error);
    while (status == TARE_OK && json_stream_key(json.stream, &status, error)) {
        if (!json_stream_is_key(json.stream, "results")) {
            status = json_stream_skip(json.stream, error);
            continue;
        }
        status = json_stream_array(json.stream, &has_results, error);
        while (has_results && json_stream_item(json.stream, &status, error)) {
            struct result result = {.batch = 1, .median = NAN};
            status = read_result(&json, &result, error);
            if (status == TARE_OK) {
                status = keep_result(&json, &result, error);
            }
            import_json_forget(&json);
        }
    }
    if (status == TARE_OK && !has_results) {
        status = import_fail(source, error, "no list \"results\" in it");
    }
    import_json_close(&json);
    return status;
}

const struct import_format import_nanobench = {
    .name = "nanobench",
    .description = "nanobench: templates::json()",
    .looked_for = "\"median(elapsed)\" (nanobench)",
    .recognise = recognise,
    .read = read_file,
};

static tare_status read_measurement(struct import_json *json, struct result *result,
                                    struct tare_error *error)
{
    double elapsed = NAN;
    double counts[COUNTERS];
    struct import_member members[COUNTERS + 2] = {{"elapsed", NULL, &elapsed, NULL}};
    for (int i = 0; i < COUNTERS; i++) {
        counts[i] = NAN;
        members[i + 1] = (struct import_member){counters[i], NULL, &counts[i], NULL};
    }
    tare_status status = import_json_expect(json, "a measurement", error);
    while (json_stream_key(json->stream, &status, error)) {
        bool is_known = false;
        status = import_json_member(json, members, &is_known, error);
        if (status == TARE_OK && !is_known) {
            status = json_stream_skip(json->stream, error);
        }
    }
    import_numbers_add(json->arena, &result->times, elapsed);
    for (int i = 0; i < COUNTERS; i++) {
        import_numbers_add(json->arena, &result->counts[i], counts[i]);
        result->is_counted[i] = result->is_counted[i] || counts[i] > 0;
    }
    return status;
}

static tare_status read_result(struct import_json *json, struct result *result,
                               struct tare_error *error)
{
    const struct import_member members[] = {
        {"title", &result->title, NULL, NULL},
        {"name", &result->name, NULL, NULL},
        {"batch", NULL, &result->batch, NULL},
        {"median(elapsed)", NULL, &result->median, NULL},
        {NULL, NULL, NULL, NULL},
    };
    tare_status status = import_json_expect(json, "a result", error);
    while (json_stream_key(json->stream, &status, error)) {
        bool is_known = true;
        if (json_stream_is_key(json->stream, "measurements")) {
            bool is_there = false;
            status = json_stream_array(json->stream, &is_there, error);
            while (is_there && json_stream_item(json->stream, &status, error)) {
                status = read_measurement(json, result, error);
            }
        } else {
            status = import_json_member(json, members, &is_known, error);
        }
        if (status == TARE_OK && !is_known) {
            status = json_stream_skip(json->stream, error);
        }
    }
    return status;
}

static tare_status keep_result(struct import_json *json, const struct result *result,
                               struct tare_error *error)
{
    if (result->name == NULL || !(result->batch > 0)) {
        return import_fail(json->source, error,
                           "the result that ends here has no \"name\", or a batch that is no "
                           "positive number");
    }
    struct model_benchmark *benchmark = NULL;
    const struct import_name name = {.suite = result->title, .name = result->name};
    tare_status status = import_benchmark(json->sink, &name, &benchmark, error);
    if (status == TARE_OK && benchmark->metric_count > 0) {
        return import_fail(json->source, error, "benchmark '%s' is there twice",
                           text_printable(json->arena, result->name, 60));
    }
    struct import_value value = {
        .metric = "time", .unit = "ns", .written_unit = "s", .better = MODEL_LOWER_IS_BETTER};
    ptrdiff_t count = result->times.count > 0 ? result->times.count : 1;
    for (ptrdiff_t i = 0; status == TARE_OK && i < count; i++) {
        bool is_point = result->times.count == 0;
        value.process = is_point ? IMPORT_POINT : 0;
        value.value =
            (is_point ? result->median : result->times.items[i]) * NS_PER_S / result->batch;
        status = import_add(json->sink, &value, error);
    }
    for (int k = 0; status == TARE_OK && k < COUNTERS; k++) {
        for (ptrdiff_t i = 0;
             status == TARE_OK && result->is_counted[k] && i < result->counts[k].count; i++) {
            const struct import_value counted = {.metric = counters[k],
                                                 .unit = "1",
                                                 .better = MODEL_LOWER_IS_BETTER,
                                                 .value =
                                                     result->counts[k].items[i] / result->batch};
            status = import_add(json->sink, &counted, error);
        }
    }
    return status;
}
