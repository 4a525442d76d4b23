/* program_count.c: instructions of one iteration of a benchmark in a program that marks its loops.
 *
 * The slices of one launch, each counted between the ends of its loop:
 *
 *     1 iteration    settles what happens only the first time, and tells how dear an iteration is
 *     n iterations   a
 *     2n iterations  b; the count is (b − a) / n
 *
 * The difference is free of what every slice costs once: the clock, the ends of the loop. n is
 * chosen by a count, not by time, so that it repeats too. */
#include "measure/program.h"

#include "os/file.h"
#include "os/folder.h"

#include <string.h>

/* Up to so many instructions in the first slice there are so many iterations. Callgrind does some
 * 350 million instructions a second here, so that the slices together take about a second at most,
 * unless a single iteration takes longer. */
static const struct {
    double count_max;
    double iterations;
} steps[] = {{1e6, 100}, {1e7, 10}};

/* Parts as the program writes them: one per counted slice. */
enum { PART_FIRST = 1, PART_ONCE = 2, PART_TWICE = 3 };

struct counted_launch {
    struct measure_program program; /* the same, under Valgrind */
    struct measure_program_target context;
    struct measure_target target;
    const char *folder;
};

static tare_status run_slice(struct counted_launch *launch, struct arena *arena, double iterations,
                             int part, double *count, struct tare_error *error)
{
    struct protocol_slice slice = {0};
    tare_status status = launch->target.slice(&launch->context, arena, iterations,
                                              PROTOCOL_COUNT_INSTRUCTIONS, &slice, error);
    if (status != TARE_OK) {
        return status;
    }
    if (slice.skip_reason != NULL || slice.is_check_failed) {
        return error_set(error, TARE_ERROR_MEASURE, "under Valgrind it %s: %s",
                         slice.is_check_failed ? "fails its check" : "declines to run",
                         slice.skip_reason != NULL    ? slice.skip_reason
                         : slice.check_detail != NULL ? slice.check_detail
                                                      : "no detail given");
    }
    return valgrind_read_part(launch->folder, launch->program.process.pid, part, count, error);
}

static double choose_iterations(double first_count)
{
    for (size_t i = 0; i < sizeof steps / sizeof *steps; i++) {
        if (first_count <= steps[i].count_max) {
            return steps[i].iterations;
        }
    }
    return 1;
}

static tare_status run_slices(struct counted_launch *launch, struct arena *arena,
                              double *iterations, double *count, struct tare_error *error)
{
    double first = 0;
    double once = 0;
    double twice = 0;
    if (!launch->program.hello.can_count_instructions) {
        return error_set(error, TARE_ERROR_MEASURE,
                         "it does not mark its loops for Valgrind: link it with libtare of this "
                         "version");
    }
    tare_status status = run_slice(launch, arena, 1, PART_FIRST, &first, error);
    if (status == TARE_OK) {
        *iterations = *iterations > 0 ? *iterations : choose_iterations(first);
        status = run_slice(launch, arena, *iterations, PART_ONCE, &once, error);
    }
    if (status == TARE_OK) {
        status = run_slice(launch, arena, 2 * *iterations, PART_TWICE, &twice, error);
    }
    if (status == TARE_OK && !(twice > once)) {
        return error_set(error, TARE_ERROR_MEASURE,
                         "%.0f iterations took %.0f instructions and twice as many %.0f: what an "
                         "iteration does depends on those before it",
                         *iterations, once, twice);
    }
    *count = (twice - once) / *iterations;
    return status;
}

/* Begins, runs, ends. */
static tare_status run_launch(struct counted_launch *launch, const struct valgrind *valgrind,
                              struct arena *arena, double *iterations, double *count,
                              struct tare_error *error)
{
    const struct measure_variation fixed = {.cpu = -1,
                                            .is_aslr_off = !valgrind->keeps_randomisation};
    struct model_benchmark opened = {.state = MODEL_STATE_OK};
    struct tare_error plain = {0};
    tare_status status = launch->target.begin(&launch->context, arena, MODEL_LAUNCH_COUNTERS,
                                              &fixed, &opened, &plain);
    if (status == TARE_OK && opened.state != MODEL_STATE_OK) {
        status = error_set(&plain, TARE_ERROR_MEASURE, "under Valgrind it is %s: %s",
                           model_state_name(opened.state), opened.reason);
    }
    if (status == TARE_OK) {
        status = run_slices(launch, arena, iterations, count, &plain);
    }
    int exit_status = 0;
    tare_status ended = launch->target.end(&launch->context, &exit_status, &plain);
    status = status != TARE_OK ? status : ended;
    if (status == TARE_OK) {
        return status;
    }
    const char *more =
        status == TARE_ERROR_MEASURE ? valgrind_last_words(arena, valgrind, launch->folder) : "";
    return error_set(error, status, "%s%s", plain.message, more);
}

tare_status measure_program_instructions(void *context, struct arena *arena,
                                         const struct valgrind *valgrind, double *iterations,
                                         double *count, struct tare_error *error)
{
    const struct measure_program_target *target = context;
    const struct measure_program *program = target->program;
    char *folder = NULL;
    tare_status status = file_temporary_directory(arena, "tare-count", &folder, error);
    if (status == TARE_OK) {
        struct counted_launch launch = {
            .program =
                {
                    .argv = valgrind_words(arena, valgrind, VALGRIND_MARKED, folder, program->argv,
                                           file_find_program(arena, program->argv[0])),
                    .name = program->argv[0],
                    .timeout_ns = program->timeout_ns,
                    .directory = program->directory,
                    .has_settled_environment = true,
                },
            .context = {.benchmark = target->benchmark},
            .folder = folder,
        };
        memcpy(launch.program.calibration, program->calibration, sizeof program->calibration);
        launch.context.program = &launch.program;
        launch.target = measure_target_program(&launch.context, &(struct protocol_listed){0},
                                               &(struct protocol_hello){0});
        status = run_launch(&launch, valgrind, arena, iterations, count, error);
    }
    if (folder != NULL) {
        (void)folder_remove(folder, NULL);
    }
    return status;
}
