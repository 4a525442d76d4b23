/* store.c (bench): what keeping a run costs. Prints figures; asserts nothing.
 *
 *     bench_store [FOLDER]       folder for the store, default $TMPDIR or /tmp
 *
 * One run of 1,000 benchmarks, each saved in its own commit, is written and read back; once as a
 * benchmark program makes it (100 samples of time in 8 launches, and memory) and once as a command
 * does (100 launches of one sample). */
#include "store/store.h"
#include "os/clock.h"

#include "../tests/unit/store_fixture.h"

#include <sys/stat.h>

enum { BENCHMARKS = 1000, REPEATS = 5 };

struct shape {
    const char *name;
    int launches;
    int slices;
};

static void must(tare_status status, const struct tare_error *error)
{
    if (status != TARE_OK) {
        fprintf(stderr, "bench_store: %s\n", error->message);
        exit(1);
    }
}

static int compare_doubles(const void *a, const void *b)
{
    double left = *(const double *)a;
    double right = *(const double *)b;
    return (left > right) - (left < right);
}

static double median(double *values, int count)
{
    qsort(values, (size_t)count, sizeof *values, compare_doubles);
    return values[count / 2];
}

static double write_ms(struct arena *arena, const char *path, const struct model_run *run)
{
    struct tare_error error = {0};
    struct store *store;
    mono_time start = clock_now();
    must(store_open(arena, path, STORE_WRITE, &store, &error), &error);
    must(store_run_begin(store, run, &error), &error);
    for (ptrdiff_t i = 0; i < run->benchmark_count; i++) {
        must(store_benchmark_save(store, run->id, &run->benchmarks[i], &error), &error);
    }
    struct model_run finished = *run;
    finished.state = MODEL_RUN_COMPLETE;
    must(store_run_finish(store, &finished, &error), &error);
    store_close(store);
    return (double)clock_since_ns(start) / 1e6;
}

static double read_ms(const char *path, bool with_samples, ptrdiff_t benchmarks_expected)
{
    struct arena arena = {0};
    struct tare_error error = {0};
    struct store *store;
    struct model_run run;
    mono_time start = clock_now();
    must(store_open(&arena, path, STORE_READ, &store, &error), &error);
    must(store_run_load(store, &arena, "latest", with_samples, &run, &error), &error);
    store_close(store);
    double elapsed_ms = (double)clock_since_ns(start) / 1e6;
    if (run.benchmark_count != benchmarks_expected) {
        fprintf(stderr, "bench_store: read %td benchmarks\n", run.benchmark_count);
        exit(1);
    }
    arena_free(&arena);
    return elapsed_ms;
}

static double file_kib(const char *path)
{
    struct stat status;
    return stat(path, &status) == 0 ? (double)status.st_size / 1024 : 0;
}

static void measure(const char *folder_base, struct shape shape)
{
    double write[REPEATS];
    double read[REPEATS];
    double read_bare[REPEATS];
    double read_one[REPEATS];
    double size_kib = 0;
    for (int repeat = 0; repeat < REPEATS; repeat++) {
        struct arena arena = {0};
        struct model_run run = fixture_run(&arena, 0);
        for (int i = 0; i < BENCHMARKS; i++) {
            fixture_benchmark(&arena, &run, i, shape.launches, shape.slices);
        }
        setenv("TMPDIR", folder_base, 1);
        char *folder = fixture_folder(&arena);
        char *path = arena_printf(&arena, "%s/store.db", folder);
        write[repeat] = write_ms(&arena, path, &run);
        read[repeat] = read_ms(path, true, BENCHMARKS);
        read_bare[repeat] = read_ms(path, false, BENCHMARKS);
        size_kib = file_kib(path);
        struct model_run small = fixture_run(&arena, 1);
        fixture_benchmark(&arena, &small, 0, shape.launches, shape.slices);
        write_ms(&arena, path, &small);
        read_one[repeat] = read_ms(path, true, 1);
        fixture_remove(folder);
        arena_free(&arena);
    }
    printf("%-44s write %7.1f ms  read %6.2f ms  without samples %6.2f ms  one benchmark %5.2f ms  "
           "file %.0f KiB\n",
           shape.name, median(write, REPEATS), median(read, REPEATS), median(read_bare, REPEATS),
           median(read_one, REPEATS), size_kib);
}

int main(int argc, char **argv)
{
    const char *folder = argc > 1 ? argv[1] : getenv("TMPDIR") != NULL ? getenv("TMPDIR") : "/tmp";
    printf("medians of %d; goals: write < 1000 ms, read < 50 ms\n", REPEATS);
    measure(folder, (struct shape){"1,000 benchmarks x 8 launches x 13 samples", 8, 13});
    measure(folder, (struct shape){"1,000 benchmarks x 100 launches x 1 sample", 100, 1});
    return 0;
}
