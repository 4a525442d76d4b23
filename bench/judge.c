/* judge.c (bench): what judging two stored runs costs. Prints figures; asserts nothing.
 *
 *     bench_judge [FOLDER] [RERUNS]      folder for the store, default $TMPDIR or /tmp; 6 reruns
 *
 * Runs of 10,000 benchmarks of 5 metrics, 8 launches of 3 samples each, are written; then the
 * newest two are compared three times, all of them being reruns of one commit to learn from. */
#include "cli/compare_runs.h"
#include "detect/figures.h"
#include "os/clock.h"

#include "../tests/unit/store_fixture.h"

#include <time.h>

enum { BENCHMARKS = 10000, METRICS = 5, LAUNCHES = 8, SAMPLES = 3, REPEATS = 3 };

static void must(tare_status status, const struct tare_error *error)
{
    if (status != TARE_OK) {
        fprintf(stderr, "bench_judge: %s\n", error->message);
        exit(1);
    }
}

static void fill_benchmark(struct arena *arena, struct model_benchmark *benchmark, int number,
                           struct random *random)
{
    *benchmark = (struct model_benchmark){
        .suite = "",
        .name = arena_printf(arena, "group%d/benchmark-%d", number % 100, number),
        .variant = "",
        .iterations = 1};
    for (int i = 0; i < LAUNCHES; i++) {
        model_launch_add(arena, benchmark, (struct model_launch){.is_aslr_on = true});
    }
    for (int m = 0; m < METRICS; m++) {
        static const char *const names[] = {"time", "latency", "wait", "queue", "setup"};
        struct model_metric *metric =
            model_metric_get(arena, benchmark, names[m], "ns", MODEL_LOWER_IS_BETTER, false);
        double run = 1 + 0.002 * random_normal(random);
        for (int i = 0; i < LAUNCHES * SAMPLES; i++) {
            double value = 1000.0 * (m + 1) * run * (1 + 0.003 * random_normal(random));
            model_metric_add(arena, metric, value, i / SAMPLES);
        }
    }
}

static void write_run(const char *path, int number)
{
    struct arena arena = {0};
    struct tare_error error = {0};
    struct store *store;
    struct random random = random_seeded((uint64_t)number);
    struct model_run run = fixture_run(&arena, number);
    run.commit.is_dirty = false;
    must(store_open(&arena, path, STORE_WRITE, &store, &error), &error);
    must(store_run_begin(store, &run, &error), &error);
    for (int i = 0; i < BENCHMARKS; i++) {
        struct arena scratch = {0};
        struct model_benchmark benchmark;
        fill_benchmark(&scratch, &benchmark, i, &random);
        detect_figures_fill(&benchmark);
        must(store_benchmark_save(store, run.id, &benchmark, &error), &error);
        arena_free(&scratch);
    }
    run.state = MODEL_RUN_COMPLETE;
    must(store_run_finish(store, &run, &error), &error);
    store_close(store);
    arena_free(&arena);
}

static void judge(const char *path)
{
    struct arena arena = {0};
    struct tare_error error = {0};
    struct store *store;
    struct compare_runs runs;
    struct model_decision decision = {0};
    struct model_policy policy = model_policy_default();
    struct text_list gate = {0};
    const struct compare_request request = {.old_selector = "latest~1",
                                            .new_selector = "latest",
                                            .confidence = 0.99,
                                            .min_effect = 0.01,
                                            .gate = &gate,
                                            .policy = &policy};
    clock_t cpu = clock();
    mono_time start = clock_now();
    must(store_open(&arena, path, STORE_READ, &store, &error), &error);
    must(compare_runs_load(&arena, store, &request, &runs, &error), &error);
    store_close(store);
    double load_ms = (double)clock_since_ns(start) / 1e6;
    mono_time judging = clock_now();
    must(compare_runs_judge(&arena, &request, &runs, &decision, &error), &error);
    double judge_ms = (double)clock_since_ns(judging) / 1e6;
    double cpu_ms = (double)(clock() - cpu) * 1e3 / CLOCKS_PER_SEC;
    printf("%td comparisons, %td reruns: %.0f ms = read %.0f + judge %.0f; of the CPU %.0f ms\n",
           decision.count, runs.rerun_count, load_ms + judge_ms, load_ms, judge_ms, cpu_ms);
    arena_free(&arena);
}

int main(int argc, char **argv)
{
    const char *base = argc > 1 ? argv[1] : getenv("TMPDIR") != NULL ? getenv("TMPDIR") : "/tmp";
    int reruns = argc > 2 ? atoi(argv[2]) : 6;
    struct arena arena = {0};
    setenv("TMPDIR", base, 1);
    char *folder = fixture_folder(&arena);
    char *path = arena_printf(&arena, "%s/store.db", folder);
    printf("%d benchmarks x %d metrics; goal: < 2000 ms\n", BENCHMARKS, METRICS);
    for (int i = 0; i < reruns; i++) {
        write_run(path, i);
    }
    for (int i = 0; i < REPEATS; i++) {
        judge(path);
    }
    fixture_remove(folder);
    arena_free(&arena);
    return 0;
}
