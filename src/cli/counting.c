#include "cli/counting.h"

#include "base/text.h"
#include "measure/exact.h"
#include "measure/sampler.h"
#include "os/machine.h"

#include <string.h>

static const struct {
    const char *word;
    enum model_count kind;
} kinds[] = {
    {"instructions", MODEL_COUNT_INSTRUCTIONS},
    {"size", MODEL_COUNT_SIZE},
    {"allocations", MODEL_COUNT_ALLOCATIONS},
};
enum { KINDS = sizeof kinds / sizeof *kinds };

static const char *const metric_names[] = {
    "instructions", "binary_size", "text_size", "rodata_size", "data_size",
    "allocations",  "allocated",   "peak_live", NULL,
};
/* Which kind counts each of them. */
static const enum model_count metric_kinds[] = {
    MODEL_COUNT_INSTRUCTIONS, MODEL_COUNT_SIZE,        MODEL_COUNT_SIZE,
    MODEL_COUNT_SIZE,         MODEL_COUNT_SIZE,        MODEL_COUNT_ALLOCATIONS,
    MODEL_COUNT_ALLOCATIONS,  MODEL_COUNT_ALLOCATIONS,
};
_Static_assert(sizeof metric_names / sizeof *metric_names ==
                   sizeof metric_kinds / sizeof *metric_kinds + 1,
               "one kind per metric");

const char *const *counting_metrics(void)
{
    return metric_names;
}

/* One word between commas. */
static tare_status add_word(struct arena *arena, const char *word, ptrdiff_t length,
                            struct counting *counting, struct tare_error *error)
{
    for (int i = 0; i < KINDS; i++) {
        if ((ptrdiff_t)strlen(kinds[i].word) == length &&
            strncmp(kinds[i].word, word, (size_t)length) == 0) {
            counting->kinds |= kinds[i].kind;
            return TARE_OK;
        }
    }
    return error_set(error, TARE_ERROR_USAGE,
                     "--count '%s': instructions, size and allocations can be counted",
                     text_printable(arena, arena_strndup(arena, word, length), 60));
}

static tare_status add_words(struct arena *arena, const char *words, struct counting *counting,
                             struct tare_error *error)
{
    tare_status status = TARE_OK;
    for (const char *at = words; status == TARE_OK; at++) {
        ptrdiff_t length = (ptrdiff_t)strcspn(at, ",");
        status = add_word(arena, at, length, counting, error);
        at += length;
        if (*at == '\0') {
            break;
        }
    }
    return status;
}

/* The kind that counts this metric, 0: none. */
static unsigned kind_of(const char *metric)
{
    for (int i = 0; metric_names[i] != NULL; i++) {
        if (strcmp(metric_names[i], metric) == 0) {
            return metric_kinds[i];
        }
    }
    return 0;
}

tare_status counting_open(struct arena *arena, const struct text_list *words,
                          const struct text_list *gate, unsigned configured,
                          struct counting *counting, struct tare_error *error)
{
    *counting = (struct counting){.kinds = configured};
    tare_status status = TARE_OK;
    for (ptrdiff_t i = 0; i < words->count && status == TARE_OK; i++) {
        status = add_words(arena, words->items[i], counting, error);
    }
    for (ptrdiff_t i = 0; gate != NULL && i < gate->count; i++) {
        counting->kinds |= kind_of(gate->items[i]);
    }
    if (status != TARE_OK || (counting->kinds & MODEL_COUNT_INSTRUCTIONS) == 0) {
        return status;
    }
    status = valgrind_find(arena, &counting->valgrind, error);
    if (status == TARE_OK) {
        const char *cpuinfo =
            machine_file(arena, (struct machine_source){.root = ""}, "/proc/cpuinfo");
        counting->path_note =
            cpuinfo != NULL ? valgrind_path_note(arena, &counting->valgrind, cpuinfo) : NULL;
    }
    return status;
}

bool counting_has_metric(const struct counting *counting, const char *metric)
{
    unsigned kind = kind_of(metric);
    return kind != MODEL_COUNT_ALLOCATIONS && (counting->kinds & kind) != 0;
}

/* Allocations were asked for: where they are not there, it is said why. */
static tare_status require_allocations(struct arena *arena, struct measure_target *target,
                                       const struct measure_clock *clock, struct random *random,
                                       struct model_benchmark *benchmark, struct tare_error *error)
{
    static const char name[] = "allocations";
    tare_status status = TARE_OK;
    if (model_metric_find(benchmark, name) == NULL && target->can_count_allocations) {
        status =
            measure_counts(arena, target, benchmark->iterations, clock, random, benchmark, error);
    }
    if (status == TARE_OK && model_metric_find(benchmark, name) == NULL) {
        struct model_metric *metric =
            model_metric_get(arena, benchmark, name, "1", MODEL_LOWER_IS_BETTER, true);
        metric->invalid_reason =
            target->is_command
                ? "allocations are counted in programs linked with libtare, not in commands"
            : target->can_count_allocations
                ? "there was no time left to count them: --budget"
                : "its allocations cannot be counted: it does not work with libtare-alloc.so";
    }
    return status;
}

tare_status counting_benchmark(struct arena *arena, const struct counting *counting,
                               struct measure_target *target, double *iterations,
                               const struct measure_clock *clock, struct random *random,
                               struct model_benchmark *benchmark, struct tare_error *error)
{
    tare_status status = TARE_OK;
    if ((counting->kinds & MODEL_COUNT_ALLOCATIONS) != 0) {
        status = require_allocations(arena, target, clock, random, benchmark, error);
    }
    if (status == TARE_OK && (counting->kinds & MODEL_COUNT_SIZE) != 0) {
        measure_size(arena, target, benchmark);
    }
    if (status == TARE_OK && (counting->kinds & MODEL_COUNT_INSTRUCTIONS) != 0) {
        status = measure_instructions(arena, target, &counting->valgrind, iterations, clock,
                                      benchmark, error);
    }
    return status;
}

bool counting_has_failed(const struct counting *counting, const struct model_benchmark *benchmark)
{
    for (ptrdiff_t i = 0; i < benchmark->metric_count; i++) {
        const struct model_metric *metric = &benchmark->metrics[i];
        if (metric->invalid_reason != NULL && (counting->kinds & kind_of(metric->name)) != 0) {
            return true;
        }
    }
    return false;
}
