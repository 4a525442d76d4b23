/* fuzz_import.h: any bytes as a result file of one format. A fuzz_import_NAME.c defines FUZZ_FORMAT
 * and includes this. What is accepted is within the model's limits and finite, an error has a
 * message that names the file, and bytes in pieces of any size give the same answer as in one. */
#ifndef TARE_TESTS_FUZZ_IMPORT_H
#define TARE_TESTS_FUZZ_IMPORT_H

#include "base/assert.h"
#include "base/text.h"
#include "codec/import_formats.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

struct tally {
    int64_t benchmarks;
    int64_t values;
    int64_t runs;
    double sum;
};

static void check_metric(const struct model_benchmark *benchmark, const struct model_metric *metric,
                         struct tally *tally)
{
    TARE_ASSERT(model_name_is_valid(metric->name) && model_name_is_valid(metric->unit));
    for (ptrdiff_t i = 0; i < metric->count; i++) {
        TARE_ASSERT(isfinite(metric->values[i]));
        TARE_ASSERT(metric->launches[i] >= 0);
        TARE_ASSERT(benchmark->launch_count == 0 || metric->launches[i] < benchmark->launch_count);
        tally->sum += metric->values[i] / 1e300;
    }
    TARE_ASSERT(benchmark->launch_count > 0 || metric->count <= 1);
    tally->values += metric->count;
}

static tare_status tally_benchmark(void *context, struct model_benchmark *benchmark, bool is_again,
                                   struct tare_error *error)
{
    (void)is_again;
    (void)error;
    struct tally *tally = context;
    TARE_ASSERT(model_name_is_valid(benchmark->name));
    TARE_ASSERT(benchmark->launch_count <= MODEL_LAUNCHES_MAX);
    TARE_ASSERT((benchmark->state == MODEL_STATE_OK) == (benchmark->reason == NULL));
    TARE_ASSERT(isfinite(benchmark->iterations));
    for (ptrdiff_t i = 0; i < benchmark->parameter_count; i++) {
        TARE_ASSERT(model_name_is_valid(benchmark->parameters[i].name));
        TARE_ASSERT(i == 0 ||
                    strcmp(benchmark->parameters[i - 1].name, benchmark->parameters[i].name) < 0);
    }
    for (ptrdiff_t i = 0; i < benchmark->metric_count; i++) {
        check_metric(benchmark, &benchmark->metrics[i], tally);
    }
    tally->benchmarks++;
    return TARE_OK;
}

static tare_status tally_run(void *context, struct model_run *run, struct tare_error *error)
{
    (void)error;
    struct tally *tally = context;
    TARE_ASSERT(run->machine.identity.count <= MODEL_FIELDS_MAX);
    TARE_ASSERT(run->started_unix_ns >= 0);
    TARE_ASSERT(!run->commit.is_known || run->commit.hash != NULL);
    tally->runs++;
    return TARE_OK;
}

#ifdef FUZZ_BESIDE
/* The bytes are those of every file beside a fixed one. */
static struct import_memory beside_memory;
static struct import_source beside_source;

static tare_status open_fuzzed(struct import_source *source, const char *path,
                               struct import_source **other, struct tare_error *error)
{
    (void)source;
    (void)error;
    bool is_there = strcmp(path, "sample.json") != 0 || beside_memory.length % 2 == 0;
    beside_memory.at = 0;
    *other = is_there ? &beside_source : NULL;
    return TARE_OK;
}
#endif

static tare_status read_once(const uint8_t *data, size_t size, ptrdiff_t step, struct tally *tally)
{
    struct tare_error error = {0};
    struct import_memory memory = {
        .bytes = size > 0 ? (const char *)data : "", .length = (ptrdiff_t)size, .step = step};
    struct import_source source = import_source_memory(&memory, "input");
#ifdef FUZZ_BESIDE
    beside_memory = memory;
    beside_source = import_source_memory(&beside_memory, "beside");
    memory = (struct import_memory){.bytes = FUZZ_BESIDE, .length = sizeof FUZZ_BESIDE - 1};
    source.open_beside = open_fuzzed;
#endif
    const struct import_options options = {
        .output = {.context = tally, .save = tally_benchmark, .end = tally_run}};
    struct import_sink *sink = import_sink_new(&options);
    tare_status status = FUZZ_FORMAT.read(&source, sink, &error);
    if (status == TARE_OK) {
        status = import_run_end(sink, &error);
    }
    TARE_ASSERT((status == TARE_OK) == (error.status == TARE_OK));
    TARE_ASSERT(status == TARE_OK || error.message[0] != '\0');
    TARE_ASSERT(status != TARE_OK || tally->runs > 0);
    import_sink_free(sink);
    return status;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct tally whole = {0};
    struct tally pieces = {0};
    tare_status status = read_once(data, size, 0, &whole);
    TARE_ASSERT(read_once(data, size, 7, &pieces) == status);
    TARE_ASSERT(pieces.benchmarks == whole.benchmarks && pieces.values == whole.values);
    TARE_ASSERT(pieces.sum == whole.sum);
    struct arena arena = {0};
    size_t head = size < IMPORT_HEAD_BYTES ? size : IMPORT_HEAD_BYTES;
    const char *text = arena_strndup(&arena, size > 0 ? (const char *)data : "", (ptrdiff_t)head);
    FUZZ_FORMAT.recognise(text, (ptrdiff_t)head, "input");
    arena_free(&arena);
    return 0;
}

#endif
