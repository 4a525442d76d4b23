/* import_fixture.h: what the tests of import formats share: a text or a recorded file goes in, runs
 * come out in memory. */
#ifndef TARE_TESTS_IMPORT_FIXTURE_H
#define TARE_TESTS_IMPORT_FIXTURE_H

#include "base/buffer.h"
#include "cli/import_file.h"
#include "codec/import_formats.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

enum { FIXTURE_RUNS_MAX = 8 };

static struct arena arena;
static struct tare_error error;
static struct model_run runs[FIXTURE_RUNS_MAX]; /* the last has no end while it is read */
static ptrdiff_t run_count;
static const struct import_rule *fixture_rules;
static ptrdiff_t fixture_rule_count;

static tare_status keep_benchmark(void *context, struct model_benchmark *piece, bool is_again,
                                  struct tare_error *problem)
{
    (void)context;
    struct model_run *run = &runs[run_count];
    struct model_benchmark *kept = NULL;
    for (ptrdiff_t i = 0; is_again && i < run->benchmark_count; i++) {
        if (strcmp(run->benchmarks[i].name, piece->name) == 0 &&
            strcmp(model_benchmark_label(&arena, &run->benchmarks[i]),
                   model_benchmark_label(&arena, piece)) == 0) {
            kept = &run->benchmarks[i];
        }
    }
    if (kept == NULL) {
        kept = model_run_add_benchmark(&arena, run);
        kept->suite = arena_strdup(&arena, piece->suite);
        kept->name = arena_strdup(&arena, piece->name);
        kept->variant = arena_strdup(&arena, piece->variant);
        kept->iterations = piece->iterations;
        kept->state = piece->state;
        kept->reason = piece->reason != NULL ? arena_strdup(&arena, piece->reason) : NULL;
        for (ptrdiff_t i = 0; i < piece->parameter_count; i++) {
            model_parameter_add(&arena, kept, piece->parameters[i].name,
                                piece->parameters[i].value);
        }
    }
    return import_merge(&arena, kept, piece, problem);
}

static void copy_fields(const struct model_fields *from, struct model_fields *to)
{
    for (ptrdiff_t i = 0; i < from->count; i++) {
        model_field_set(&arena, to, from->items[i].key, from->items[i].value);
    }
}

static tare_status keep_run(void *context, struct model_run *run, struct tare_error *problem)
{
    (void)context;
    (void)problem;
    struct model_run *kept = &runs[run_count++];
    kept->started_unix_ns = run->started_unix_ns;
    kept->commit = run->commit;
    if (run->commit.is_known) {
        kept->commit.hash = arena_strdup(&arena, run->commit.hash);
        kept->commit.branch = arena_strdup(&arena, run->commit.branch);
        kept->commit.subject = arena_strdup(&arena, run->commit.subject);
    }
    copy_fields(&run->machine.identity, &kept->machine.identity);
    copy_fields(&run->machine.conditions, &kept->machine.conditions);
    copy_fields(&run->environment, &kept->environment);
    for (ptrdiff_t i = 0; i < run->warning_count; i++) {
        model_run_warn(&arena, kept, "%s", run->warnings[i]);
    }
    assert_true(run_count < FIXTURE_RUNS_MAX);
    return TARE_OK;
}

static tare_status import_source_as(const struct import_format *format,
                                    struct import_source *source)
{
    error = (struct tare_error){0};
    memset(runs, 0, sizeof runs);
    run_count = 0;
    const struct import_options options = {
        .output = {.save = keep_benchmark, .end = keep_run},
        .rules = fixture_rules,
        .rule_count = fixture_rule_count,
    };
    struct import_sink *sink = import_sink_new(&options);
    tare_status status = format->read(source, sink, &error);
    if (status == TARE_OK) {
        status = import_run_end(sink, &error);
    }
    import_sink_free(sink);
    return status;
}

static tare_status import_bytes(const struct import_format *format, const char *bytes,
                                ptrdiff_t length)
{
    struct import_memory memory = {.bytes = bytes, .length = length};
    struct import_source source = import_source_memory(&memory, "file");
    return import_source_as(format, &source);
}

static tare_status import_text(const struct import_format *format, const char *text)
{
    return import_bytes(format, text, (ptrdiff_t)strlen(text));
}

/* A file of tests/data/import; its format must be told from its content. */
static void import_recorded(const struct import_format *format, const char *name)
{
    size_t length = strlen(__FILE__) - strlen("unit/import_fixture.h");
    const char *path = arena_printf(&arena, "%.*sdata/import/%s", (int)length, __FILE__, name);
    struct import_file file;
    const struct import_format *recognised = NULL;
    error = (struct tare_error){0};
    if (import_file_open(&file, path, &error) != TARE_OK ||
        import_format_recognise(file.source, &recognised, &error) != TARE_OK) {
        fail_msg("%s", error.message);
    }
    assert_string_equal(recognised->name, format->name);
    if (import_source_as(format, file.source) != TARE_OK) {
        fail_msg("%s", error.message);
    }
    import_file_close(&file);
}

static void assert_refused(const struct import_format *format, const char *text, const char *part)
{
    assert_int_equal(import_text(format, text), TARE_ERROR_MEASURE);
    if (strstr(error.message, part) == NULL) {
        fail_msg("'%s' is not in '%s'", part, error.message);
    }
}

static void assert_imported(const struct import_format *format, const char *text)
{
    if (import_text(format, text) != TARE_OK) {
        fail_msg("%s", error.message);
    }
}

static const struct model_benchmark *find_benchmark(const char *label)
{
    for (ptrdiff_t i = 0; i < runs[0].benchmark_count; i++) {
        if (strstr(label, runs[0].benchmarks[i].name) != NULL &&
            strcmp(model_benchmark_label(&arena, &runs[0].benchmarks[i]), label) == 0) {
            return &runs[0].benchmarks[i];
        }
    }
    fail_msg("no benchmark '%s'", label);
    return NULL;
}

static const struct model_metric *find_metric(const char *label, const char *name)
{
    const struct model_metric *metric = model_metric_find(find_benchmark(label), name);
    if (metric == NULL) {
        fail_msg("no metric '%s' of '%s'", name, label);
    }
    return metric;
}

static double mean_of(const char *label, const char *name)
{
    const struct model_metric *metric = find_metric(label, name);
    double sum = 0;
    for (ptrdiff_t i = 0; i < metric->count; i++) {
        sum += metric->values[i];
    }
    return sum / (double)metric->count;
}

static void assert_value(double actual, double expected)
{
    if (!(fabs(actual - expected) <= 1e-12 * fabs(expected))) {
        fail_msg("%.17g is not %.17g", actual, expected);
    }
}

/* base and slow of a recording: the slow one did twice the work, so its time is clearly more. */
static void assert_slow_is_slower(const struct import_format *format, const char *base,
                                  const char *slow, const char *label)
{
    import_recorded(format, base);
    double before = mean_of(label, "time");
    import_recorded(format, slow);
    double ratio = mean_of(label, "time") / before;
    if (!(ratio > 1.3 && ratio < 4)) { /* work doubled, measured once on a shared machine */
        fail_msg("%s: slow is %.3g times base", label, ratio);
    }
}

static int tear_down(void **state)
{
    (void)state;
    fixture_rules = NULL;
    fixture_rule_count = 0;
    arena_free(&arena);
    return 0;
}

#endif
