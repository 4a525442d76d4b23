/* spawn.c (bench): what one run of a command costs, against a bare posix_spawn and wait4. Prints
 * figures; asserts nothing. bench/spawn.sh adds hyperfine.
 *
 *     bench_spawn PROGRAM [RUNS]           both loops, interleaved run by run
 *     bench_spawn --wall PROGRAM [RUNS]    only ours: the median time it measures, in ns
 *
 * "Loop" is the time from one run to the next, bookkeeping included; "time" is what is recorded. */
#include "measure/command.h"
#include "os/clock.h"

#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>

enum { RUNS_DEFAULT = 2000, RUNS_MAX = 100000, WARMUP_RUNS = 50 };

extern char **environ;

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

static void run_bare(const char *program)
{
    char *const argv[] = {(char *)program, NULL};
    pid_t pid = 0;
    int status = 0;
    struct rusage usage;
    if (posix_spawn(&pid, program, NULL, NULL, argv, environ) != 0 ||
        wait4(pid, &status, 0, &usage) != pid || status != 0) {
        fprintf(stderr, "bench_spawn: '%s' does not run\n", program);
        exit(1);
    }
}

static double run_ours(struct arena *arena, struct measure_command *command, double *memory_bytes)
{
    static const struct measure_variation variation = {.environment_padding_bytes = 1000,
                                                       .cpu = -1};
    struct measure_command_result result;
    struct tare_error error = {0};
    if (measure_command_run_once(arena, command, &variation, false, &result, &error) != TARE_OK) {
        fprintf(stderr, "bench_spawn: %s\n", error.message);
        exit(1);
    }
    *memory_bytes = result.usage.peak_memory_bytes;
    return result.usage.wall_ns;
}

int main(int argument_count, char **arguments)
{
    bool is_wall_only = argument_count > 1 && strcmp(arguments[1], "--wall") == 0;
    arguments += is_wall_only ? 2 : 1;
    if (argument_count < (is_wall_only ? 3 : 2)) {
        fprintf(stderr, "usage: bench_spawn [--wall] PROGRAM [RUNS]\n");
        return 2;
    }
    int runs = arguments[1] != NULL ? atoi(arguments[1]) : RUNS_DEFAULT;
    runs = runs > 0 && runs <= RUNS_MAX ? runs : RUNS_DEFAULT;
    struct arena arena = {0};
    struct tare_error error = {0};
    const char *const argv[] = {arguments[0], NULL};
    struct measure_command command = {.argv = argv};
    if (measure_command_open(&arena, &command, &error) != TARE_OK) {
        fprintf(stderr, "bench_spawn: %s\n", error.message);
        return 1;
    }
    double *bare_ns = ARENA_ARRAY(&arena, double, runs);
    double *loop_ns = ARENA_ARRAY(&arena, double, runs);
    double *wall_ns = ARENA_ARRAY(&arena, double, runs);
    double memory_bytes = 0;
    for (int i = -WARMUP_RUNS; i < runs; i++) {
        int slot = i < 0 ? 0 : i;
        mono_time start = clock_now();
        if (!is_wall_only) {
            run_bare(arguments[0]);
            bare_ns[slot] = (double)clock_since_ns(start);
            start = clock_now();
        }
        wall_ns[slot] = run_ours(&arena, &command, &memory_bytes);
        loop_ns[slot] = (double)clock_since_ns(start);
    }
    double loop = median(loop_ns, runs);
    double wall = median(wall_ns, runs);
    if (is_wall_only) {
        printf("%.0f\n", wall);
    } else {
        double bare = median(bare_ns, runs);
        printf("bare posix_spawn + wait4   loop %7.1f us\n", bare / 1e3);
        printf("tare                       loop %7.1f us   time %7.1f us   memory %.0f KiB\n",
               loop / 1e3, wall / 1e3, memory_bytes / 1024);
        printf("ratio of loops             %.3f   (bound 1.10)\n", loop / bare);
    }
    arena_free(&arena);
    return 0;
}
