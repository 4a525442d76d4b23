#include "measure/exact.h"

#include "codec/elf_note.h"
#include "os/file.h"

#include <math.h>
#include <string.h>

const char measure_instructions_name[] = "instructions";
const char measure_size_name[] = "binary_size";

/* Instructions of the CPU's own counters have the same name, but do not repeat: they step aside. */
static void rename_counter(struct model_benchmark *benchmark)
{
    for (ptrdiff_t i = 0; i < benchmark->metric_count; i++) {
        struct model_metric *metric = &benchmark->metrics[i];
        if (!metric->is_exact && strcmp(metric->name, measure_instructions_name) == 0) {
            metric->name = "cpu_instructions";
        }
    }
}

static struct model_metric *count_metric(struct arena *arena, struct model_benchmark *benchmark,
                                         const char *name, const char *unit)
{
    return model_metric_get(arena, benchmark, name, unit, MODEL_LOWER_IS_BETTER, true);
}

static void judge_repeat(struct arena *arena, struct model_metric *metric)
{
    for (ptrdiff_t i = 1; i < metric->count && metric->invalid_reason == NULL; i++) {
        if (metric->values[i] != metric->values[0]) {
            metric->invalid_reason = arena_printf(
                arena,
                "counted twice in the same environment, it did not repeat: %.15g and %.15g (does "
                "it look at the clock, at process numbers, at other threads or at random?)",
                metric->values[0], metric->values[i]);
        }
    }
}

tare_status measure_instructions(struct arena *arena, struct measure_target *target,
                                 const struct valgrind *valgrind, double *iterations,
                                 const struct measure_clock *clock,
                                 struct model_benchmark *benchmark, struct tare_error *error)
{
    rename_counter(benchmark);
    struct model_metric *metric = count_metric(arena, benchmark, measure_instructions_name, "1");
    if (target->count_instructions == NULL) {
        metric->invalid_reason = target->uncountable_reason != NULL
                                     ? target->uncountable_reason
                                     : "its instructions cannot be counted";
        return TARE_OK;
    }
    for (int i = 0; i < 2; i++) {
        double count = 0;
        mono_time started = clock->now(clock->context);
        struct model_launch launch = {.kind = MODEL_LAUNCH_COUNTERS,
                                      .started_unix_ns = clock_unix_ns(),
                                      .is_aslr_on = valgrind->keeps_randomisation,
                                      .steal_ratio = NAN};
        struct tare_error plain = {0};
        tare_status status = target->count_instructions(target->context, arena, valgrind,
                                                        iterations, &count, &plain);
        if (status == TARE_ERROR_MEASURE) {
            metric->invalid_reason = arena_printf(arena, "could not be counted: %s", plain.message);
            return TARE_OK;
        }
        if (status != TARE_OK) {
            return error_set(error, status, "%s", plain.message);
        }
        launch.duration_ns = (double)(clock->now(clock->context).ns - started.ns);
        model_metric_add(arena, metric, count, model_launch_add(arena, benchmark, launch));
    }
    judge_repeat(arena, metric);
    return TARE_OK;
}

void measure_size(struct arena *arena, const struct measure_target *target,
                  struct model_benchmark *benchmark)
{
    struct model_metric *whole = count_metric(arena, benchmark, measure_size_name, "B");
    const void *bytes = NULL;
    ptrdiff_t length = 0;
    if (target->program_path == NULL || !file_map(target->program_path, &bytes, &length)) {
        whole->invalid_reason =
            target->program_path == NULL
                ? "it has no file to weigh: a shell runs it, or it is not there yet"
                : "its file cannot be read";
        return;
    }
    struct elf_sizes sizes = elf_sizes_read(bytes, length);
    file_unmap(bytes, length);
    int32_t launch = model_launch_add(arena, benchmark,
                                      (struct model_launch){.kind = MODEL_LAUNCH_COUNTERS,
                                                            .started_unix_ns = clock_unix_ns(),
                                                            .is_aslr_on = true,
                                                            .steal_ratio = NAN});
    const struct {
        const char *name;
        bool is_known;
        double bytes;
    } parts[] = {
        {measure_size_name, true, (double)length},
        {"text_size", sizes.is_known, (double)sizes.code_bytes},
        {"rodata_size", sizes.is_known, (double)sizes.constant_bytes},
        {"data_size", sizes.is_known, (double)sizes.data_bytes},
    };
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        if (parts[i].is_known) {
            model_metric_add(arena, count_metric(arena, benchmark, parts[i].name, "B"),
                             parts[i].bytes, launch);
        }
    }
}
