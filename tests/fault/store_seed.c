/* store_seed: fills a store with runs made from numbers, for the command-line tests.
 *
 *     store_seed STORE FIRST COUNT [here|CPU] [complete|running|interrupted|failed]
 *
 * Run number n started at second 1,700,000,000 + 60 n and has two benchmarks. The machine is this
 * one (here), or one whose CPU has the given name. Prints the ids. */
#include "measure/environment.h"
#include "store/store.h"
#include "store_fixture.h"

static void must(tare_status status, const struct tare_error *error)
{
    if (status != TARE_OK) {
        fprintf(stderr, "store_seed: %s\n", error->message);
        exit(1);
    }
}

static enum model_run_state state_named(const char *name)
{
    for (int state = MODEL_RUN_RUNNING; state <= MODEL_RUN_FAILED; state++) {
        if (strcmp(model_run_state_name((enum model_run_state)state), name) == 0) {
            return (enum model_run_state)state;
        }
    }
    fprintf(stderr, "store_seed: unknown state %s\n", name);
    exit(2);
}

static void seed_run(struct arena *arena, struct store *store, int number, const char *machine,
                     enum model_run_state state)
{
    struct tare_error error = {0};
    struct model_run run = fixture_run(arena, number);
    run.machine = (struct model_machine){0};
    if (strcmp(machine, "here") == 0) {
        measure_machine_read(arena, &run.machine);
    } else {
        fixture_machine(arena, &run.machine, machine);
    }
    fixture_benchmark(arena, &run, 0, 8, 5);
    fixture_benchmark(arena, &run, 1, 8, 5);
    must(store_run_begin(store, &run, &error), &error);
    for (ptrdiff_t i = 0; i < run.benchmark_count; i++) {
        must(store_benchmark_save(store, run.id, &run.benchmarks[i], &error), &error);
    }
    if (state != MODEL_RUN_RUNNING) {
        run.state = state;
        run.finished_unix_ns = run.started_unix_ns + 1000000000;
        must(store_run_finish(store, &run, &error), &error);
    }
    printf("%s\n", run.id);
}

int main(int argc, char **argv)
{
    if (argc < 4) {
        fprintf(stderr, "usage: store_seed STORE FIRST COUNT [here|CPU] [STATE]\n");
        return 2;
    }
    struct arena arena = {0};
    struct tare_error error = {0};
    struct store *store = NULL;
    int first = atoi(argv[2]);
    must(store_open(&arena, argv[1], STORE_WRITE, &store, &error), &error);
    for (int i = first; i < first + atoi(argv[3]); i++) {
        seed_run(&arena, store, i, argc > 4 ? argv[4] : "here",
                 state_named(argc > 5 ? argv[5] : "complete"));
    }
    store_close(store);
    arena_free(&arena);
    return 0;
}
