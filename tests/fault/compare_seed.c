/* compare_seed: fills a store with runs whose differences are known, for the tests of comparisons.
 *
 *     compare_seed STORE FIRST COUNT [KEY=VALUE…]
 *
 * Run number n started at second 1,700,000,000 + 60 n. Every benchmark has time, 8 launches of 12
 * samples, and an exact count; runs differ by `spread` (standard deviation, log). Keys, with their
 * defaults: factor=1 (of all times) spread=0.0002 launches=8 commit=3f2c1a9 program= dirty=0
 * machine=here kernel= unit=ns better=lower state=complete benchmark-state=ok
 * benchmarks=parse,write count=1000 project=fixture figures=1. Prints the ids. */
#include "detect/figures.h"
#include "measure/environment.h"
#include "store/store.h"
#include "store_fixture.h"

struct wish {
    const char *key;
    const char *value;
};

static struct wish wishes[] = {
    {"factor", "1"},
    {"spread", "0.0002"},
    {"launches", "8"},
    {"commit", "3f2c1a9"},
    {"program", ""},
    {"dirty", "0"},
    {"machine", "here"},
    {"kernel", ""},
    {"unit", "ns"},
    {"better", "lower"},
    {"state", "complete"},
    {"benchmark-state", "ok"},
    {"count", "1000"},
    {"project", "fixture"},
    {"figures", "1"},
    {"compared_as", ""},
    {"benchmarks", "parse,write"},
};
enum { WISH_COUNT = sizeof wishes / sizeof *wishes };

static const char *wish(const char *key)
{
    for (int i = 0; i < WISH_COUNT; i++) {
        if (strcmp(wishes[i].key, key) == 0) {
            return wishes[i].value;
        }
    }
    abort();
}

static void read_wish(char *word)
{
    char *equals = strchr(word, '=');
    for (int i = 0; equals != NULL && i < WISH_COUNT; i++) {
        if (strncmp(wishes[i].key, word, (size_t)(equals - word)) == 0 &&
            wishes[i].key[equals - word] == '\0') {
            wishes[i].value = equals + 1;
            return;
        }
    }
    fprintf(stderr, "compare_seed: unknown wish %s\n", word);
    exit(2);
}

static void must(tare_status status, const struct tare_error *error)
{
    if (status != TARE_OK) {
        fprintf(stderr, "compare_seed: %s\n", error->message);
        exit(1);
    }
}

static enum model_run_state run_state(void)
{
    int state = MODEL_RUN_RUNNING;
    while (strcmp(model_run_state_name((enum model_run_state)state), wish("state")) != 0) {
        state++;
    }
    return (enum model_run_state)state;
}

static void add_benchmark(struct arena *arena, struct model_run *run, const char *name,
                          struct random *random)
{
    struct model_benchmark *benchmark = model_run_add_benchmark(arena, run);
    benchmark->suite = "";
    benchmark->variant = "";
    benchmark->name = arena_strdup(arena, name);
    benchmark->iterations = 1;
    if (strcmp(wish("benchmark-state"), "ok") != 0) {
        benchmark->state = MODEL_STATE_FAILED;
        benchmark->reason = "it crashed";
    }
    enum model_better better =
        strcmp(wish("better"), "lower") == 0 ? MODEL_LOWER_IS_BETTER : MODEL_HIGHER_IS_BETTER;
    model_metric_get(arena, benchmark, "time", wish("unit"), better, false);
    model_metric_get(arena, benchmark, "steps", "1", MODEL_LOWER_IS_BETTER, true);
    double centre = 1000 * atof(wish("factor")) * exp(atof(wish("spread")) * random_normal(random));
    for (int i = 0; i < atoi(wish("launches")); i++) {
        model_launch_add(arena, benchmark, (struct model_launch){.is_aslr_on = true});
        double launch = centre * exp(0.0002 * random_normal(random));
        for (int k = 0; k < 12; k++) {
            model_metric_add(arena, &benchmark->metrics[0],
                             launch * exp(0.0003 * random_normal(random)), i);
        }
        if (i < 2) {
            model_metric_add(arena, &benchmark->metrics[1], atof(wish("count")), i);
        }
    }
    if (atoi(wish("figures")) == 1) {
        detect_figures_fill(benchmark);
    }
}

static struct model_run make_run(struct arena *arena, int number)
{
    struct model_run run = fixture_run(arena, number);
    run.project = wish("project");
    run.command = "tare run ./bench";
    run.commit.hash = wish("commit");
    run.commit.is_dirty = atoi(wish("dirty")) == 1;
    run.machine = (struct model_machine){0};
    if (strcmp(wish("machine"), "here") == 0) {
        measure_machine_read(arena, &run.machine);
    } else {
        fixture_machine(arena, &run.machine, wish("machine"));
    }
    if (wish("kernel")[0] != '\0') {
        model_field_set(arena, &run.machine.conditions, "kernel", wish("kernel"));
    }
    if (wish("program")[0] != '\0') {
        model_field_set(arena, &run.environment, "program_hash", wish("program"));
    }
    if (wish("compared_as")[0] != '\0') {
        model_field_set(arena, &run.environment, "compared_as", wish("compared_as"));
    }
    struct random random = random_seeded((uint64_t)number + 77);
    char *names = arena_strdup(arena, wish("benchmarks"));
    for (char *rest = NULL, *name = strtok_r(names, ",", &rest); name != NULL;
         name = strtok_r(NULL, ",", &rest)) {
        add_benchmark(arena, &run, name, &random);
    }
    return run;
}

int main(int argc, char **argv)
{
    if (argc < 4) {
        fprintf(stderr, "usage: compare_seed STORE FIRST COUNT [KEY=VALUE…]\n");
        return 2;
    }
    for (int i = 4; i < argc; i++) {
        read_wish(argv[i]);
    }
    struct arena arena = {0};
    struct tare_error error = {0};
    struct store *store = NULL;
    must(store_open(&arena, argv[1], STORE_WRITE, &store, &error), &error);
    int first = atoi(argv[2]);
    for (int i = first; i < first + atoi(argv[3]); i++) {
        struct model_run run = make_run(&arena, i);
        must(store_run_begin(store, &run, &error), &error);
        for (ptrdiff_t b = 0; b < run.benchmark_count; b++) {
            must(store_benchmark_save(store, run.id, &run.benchmarks[b], &error), &error);
        }
        run.state = run_state();
        if (run.state != MODEL_RUN_RUNNING) {
            run.finished_unix_ns = run.started_unix_ns + 1000000000;
            must(store_run_finish(store, &run, &error), &error);
        }
        printf("%s\n", run.id);
    }
    store_close(store);
    arena_free(&arena);
    return 0;
}
