/* store_fixture.h: runs made from a seed for the tests of the store, and a comparison of two runs
 * field by field. */
#ifndef TARE_TESTS_STORE_FIXTURE_H
#define TARE_TESTS_STORE_FIXTURE_H

#include "base/random.h"
#include "model/model.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* A folder of its own for one test; fixture_remove takes it away. */
static inline char *fixture_folder(struct arena *arena)
{
    /* Memory, where there is a disk of it: these tests are not about the disk's speed. */
    const char *base = getenv("TMPDIR");
    base = base != NULL ? base : access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp";
    char *folder = arena_printf(arena, "%s/tare-store-XXXXXX", base);
    if (mkdtemp(folder) == NULL) {
        perror("mkdtemp");
        exit(1);
    }
    return folder;
}

static inline void fixture_remove(const char *folder)
{
    static const char *const names[] = {"store.db", "store.db-wal", "store.db-shm",
                                        "store.db-journal", "copy.db"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        char path[4096];
        snprintf(path, sizeof path, "%s/%s", folder, names[i]);
        unlink(path);
    }
    rmdir(folder);
}

static inline void fixture_machine(struct arena *arena, struct model_machine *machine,
                                   const char *cpu)
{
    model_field_set(arena, &machine->identity, "cpu", cpu);
    model_field_set(arena, &machine->identity, "cores", "2");
    model_field_set(arena, &machine->conditions, "kernel", "6.1.0");
    model_field_set(arena, &machine->conditions, "governor", "");
    model_machine_identify(machine);
}

/* Run number `number`, without benchmarks: ids ascend with the number. */
static inline struct model_run fixture_run(struct arena *arena, int number)
{
    struct model_run run = {
        .started_unix_ns = 1700000000000000000 + (int64_t)number * 60000000000,
        .project = "fixture",
        .command = "./bench --filter 'a b'",
        .tare_version = "0.1.0",
        .seed = 0xFFFFFFFFFFFFFFF0u + (uint64_t)number,
        .confidence = 0.99,
        .commit = {.is_known = true,
                   .hash = "3f2c1a9",
                   .branch = "main",
                   .subject = "It's \"so\"",
                   .is_dirty = true},
    };
    model_run_id_new(run.id, run.started_unix_ns, 77, (uint64_t)number);
    fixture_machine(arena, &run.machine, "Example CPU");
    model_field_set(arena, &run.environment, "LANG", "C.UTF-8");
    return run;
}

/* A benchmark with everything in it; `launches` × `slices` samples. */
static inline void fixture_benchmark(struct arena *arena, struct model_run *run, int number,
                                     int launches, int slices)
{
    struct random random = random_seeded((uint64_t)number + 1);
    struct model_benchmark *benchmark = model_run_add_benchmark(arena, run);
    benchmark->suite = "suite";
    benchmark->name = arena_printf(arena, "group/benchmark-%d", number);
    benchmark->variant = "fast";
    benchmark->is_reference = number % 2 == 0;
    benchmark->check = MODEL_CHECK_PASSED;
    benchmark->check_detail = "max difference 1e-7";
    benchmark->iterations = 1234;
    benchmark->overhead_ns = 0.25;
    benchmark->timer_floor_ns = 18.5;
    model_parameter_add(arena, benchmark, "size", "1k");
    model_parameter_add(arena, benchmark, "n", "64");
    model_benchmark_warn(arena, benchmark, "first run is %d %% slower", number);
    struct model_metric *time =
        model_metric_get(arena, benchmark, "time", "ns", MODEL_LOWER_IS_BETTER, false);
    for (int i = 0; i < launches; i++) {
        int32_t launch =
            model_launch_add(arena, benchmark,
                             (struct model_launch){.kind = MODEL_LAUNCH_TIMED,
                                                   .started_unix_ns = run->started_unix_ns + i,
                                                   .environment_padding_bytes = 16 * i,
                                                   .is_aslr_on = true,
                                                   .steal_ratio = i % 2 == 0 ? NAN : 0.03,
                                                   .duration_ns = 1e8 + i});
        for (int j = 0; j < slices; j++) {
            double slice_ns =
                floor(812.4 * benchmark->iterations * (1 + 0.01 * random_normal(&random)));
            model_metric_add(arena, time, slice_ns / benchmark->iterations, launch);
        }
    }
    struct model_metric *memory =
        model_metric_get(arena, benchmark, "memory", "B", MODEL_HIGHER_IS_BETTER, true);
    for (int i = 0; i < launches; i++) {
        model_metric_add(arena, memory, 4096.0 * (1000 + i % 3), i);
    }
}

static inline bool fixture_same_text(const char *a, const char *b)
{
    return (a == NULL && b == NULL) || (a != NULL && b != NULL && strcmp(a, b) == 0);
}

static inline bool fixture_same_number(double a, double b)
{
    return (isnan(a) && isnan(b)) || memcmp(&a, &b, sizeof a) == 0;
}

static inline bool fixture_same_fields(const struct model_fields *a, const struct model_fields *b)
{
    bool is_same = a->count == b->count;
    for (ptrdiff_t i = 0; is_same && i < a->count; i++) {
        is_same = fixture_same_text(a->items[i].key, b->items[i].key) &&
                  fixture_same_text(a->items[i].value, b->items[i].value);
    }
    return is_same;
}

static inline bool fixture_same_texts(const char **a, ptrdiff_t a_count, const char **b,
                                      ptrdiff_t b_count)
{
    bool is_same = a_count == b_count;
    for (ptrdiff_t i = 0; is_same && i < a_count; i++) {
        is_same = fixture_same_text(a[i], b[i]);
    }
    return is_same;
}

static inline bool fixture_same_metric(const struct model_metric *a, const struct model_metric *b)
{
    bool is_same = fixture_same_text(a->name, b->name) && fixture_same_text(a->unit, b->unit) &&
                   a->better == b->better && a->is_exact == b->is_exact && a->count == b->count &&
                   fixture_same_text(a->invalid_reason, b->invalid_reason);
    for (ptrdiff_t i = 0; is_same && i < a->count; i++) {
        is_same =
            fixture_same_number(a->values[i], b->values[i]) && a->launches[i] == b->launches[i];
    }
    return is_same;
}

static inline bool fixture_same_histogram(const struct model_histogram *a,
                                          const struct model_histogram *b)
{
    bool is_same =
        a->launch == b->launch && a->bits == b->bits && a->bucket_count == b->bucket_count &&
        fixture_same_number(a->min_ns, b->min_ns) && fixture_same_number(a->max_ns, b->max_ns);
    for (ptrdiff_t i = 0; is_same && i < a->bucket_count; i++) {
        is_same = a->buckets[i] == b->buckets[i] && a->counts[i] == b->counts[i];
    }
    return is_same;
}

static inline bool fixture_same_launch(const struct model_launch *a, const struct model_launch *b)
{
    return a->kind == b->kind && a->started_unix_ns == b->started_unix_ns &&
           a->environment_padding_bytes == b->environment_padding_bytes &&
           a->is_aslr_on == b->is_aslr_on && a->exit_status == b->exit_status &&
           fixture_same_number(a->steal_ratio, b->steal_ratio) &&
           fixture_same_number(a->duration_ns, b->duration_ns);
}

static inline bool fixture_same_parts(const struct model_benchmark *a,
                                      const struct model_benchmark *b)
{
    bool is_same = a->parameter_count == b->parameter_count && a->metric_count == b->metric_count &&
                   a->launch_count == b->launch_count && a->histogram_count == b->histogram_count;
    for (ptrdiff_t i = 0; is_same && i < a->parameter_count; i++) {
        is_same = fixture_same_text(a->parameters[i].name, b->parameters[i].name) &&
                  fixture_same_text(a->parameters[i].value, b->parameters[i].value);
    }
    for (ptrdiff_t i = 0; is_same && i < a->metric_count; i++) {
        is_same = fixture_same_metric(&a->metrics[i], &b->metrics[i]);
    }
    for (ptrdiff_t i = 0; is_same && i < a->launch_count; i++) {
        is_same = fixture_same_launch(&a->launches[i], &b->launches[i]);
    }
    for (ptrdiff_t i = 0; is_same && i < a->histogram_count; i++) {
        is_same = fixture_same_histogram(&a->histograms[i], &b->histograms[i]);
    }
    return is_same;
}

static inline bool fixture_same_benchmark(const struct model_benchmark *a,
                                          const struct model_benchmark *b)
{
    return fixture_same_text(a->suite, b->suite) && fixture_same_text(a->name, b->name) &&
           fixture_same_text(a->variant, b->variant) && a->is_reference == b->is_reference &&
           a->state == b->state && fixture_same_text(a->reason, b->reason) &&
           a->check == b->check && fixture_same_text(a->check_detail, b->check_detail) &&
           fixture_same_number(a->iterations, b->iterations) &&
           fixture_same_number(a->overhead_ns, b->overhead_ns) &&
           fixture_same_number(a->timer_floor_ns, b->timer_floor_ns) &&
           fixture_same_texts(a->warnings, a->warning_count, b->warnings, b->warning_count) &&
           fixture_same_parts(a, b);
}

static inline bool fixture_same_head(const struct model_run *a, const struct model_run *b)
{
    return strcmp(a->id, b->id) == 0 && a->started_unix_ns == b->started_unix_ns &&
           a->finished_unix_ns == b->finished_unix_ns && a->state == b->state &&
           fixture_same_text(a->project, b->project) && fixture_same_text(a->command, b->command) &&
           fixture_same_text(a->tare_version, b->tare_version) && a->seed == b->seed &&
           fixture_same_number(a->confidence, b->confidence) &&
           strcmp(a->machine.id, b->machine.id) == 0 &&
           fixture_same_fields(&a->machine.identity, &b->machine.identity) &&
           fixture_same_fields(&a->machine.conditions, &b->machine.conditions) &&
           fixture_same_fields(&a->environment, &b->environment) &&
           a->commit.is_known == b->commit.is_known &&
           fixture_same_text(a->commit.hash, b->commit.hash) &&
           fixture_same_text(a->commit.branch, b->commit.branch) &&
           fixture_same_text(a->commit.subject, b->commit.subject) &&
           a->commit.is_dirty == b->commit.is_dirty &&
           fixture_same_texts(a->warnings, a->warning_count, b->warnings, b->warning_count);
}

static inline bool fixture_same_run(const struct model_run *a, const struct model_run *b)
{
    bool is_same = fixture_same_head(a, b) && a->benchmark_count == b->benchmark_count;
    for (ptrdiff_t i = 0; is_same && i < a->benchmark_count; i++) {
        is_same = fixture_same_benchmark(&a->benchmarks[i], &b->benchmarks[i]);
    }
    return is_same;
}

#endif
