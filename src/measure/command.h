/* command.h: any command as a benchmark: one run, timed and accounted, with what people need around
 * it.
 *
 * Order of things: open (checks, --setup) · for each run: --prepare, the run, --conclude · close
 * (--cleanup). Only the run itself is timed. Output that nobody wants goes to /dev/null, as
 * hyperfine does it, and the run is then started, awaited and timed by the launcher alone
 * (os/launcher.c). */
#ifndef TARE_MEASURE_COMMAND_H
#define TARE_MEASURE_COMMAND_H

#include "codec/metric_pattern.h"
#include "measure/target.h"
#include "os/process.h"

enum {
    COMMAND_EXIT_CODES_MAX = 16,
    COMMAND_METRICS_MAX = MODEL_METRICS_MAX - 16, /* leaves room for the ones every command has */
};

enum measure_output {
    MEASURE_OUTPUT_DISCARD, /* to /dev/null, standard error too */
    MEASURE_OUTPUT_INHERIT, /* the tool's own standard output and error */
    MEASURE_OUTPUT_FILE,    /* standard output to output_path, written anew by every run */
    MEASURE_OUTPUT_CHECK,   /* must be the bytes of expected_path */
};

struct measure_command {
    /* Set by the caller; zero is the usual. */
    const char *const *argv; /* words, NULL-terminated; or */
    const char *shell_line;  /* a line for /bin/sh -c, whose start is part of the time */
    const char *prepare;     /* shell lines, untimed; NULL: none */
    const char *conclude;    /* runs after failed runs too */
    const char *setup;       /* once, by measure_command_open */
    const char *cleanup;     /* once, by measure_command_close */
    const char *input_path;  /* NULL: /dev/null */
    const char *directory;   /* NULL: stay */
    int expected_exit_codes[COMMAND_EXIT_CODES_MAX]; /* 0 alone when none is given */
    ptrdiff_t expected_exit_code_count;
    bool ignores_failure; /* any exit status and signal will do; a time-out will not */
    enum measure_output output;
    const char *output_path;
    const char *expected_path;
    struct metric_pattern *patterns;
    ptrdiff_t pattern_count;
    double timeout_ns;            /* 0: none */
    bool has_settled_environment; /* one that repeats exactly (os/environment.h) */

    /* Filled in by measure_command_open. */
    const char *label; /* the command in shell words, safe to print */
    const char *program_path;
    const char *const *words;
    const char *expected;
    ptrdiff_t expected_length;
    bool is_open;
};

struct measure_command_result {
    struct process_usage usage;
    double cpu_ns;   /* user + system */
    double *metrics; /* one per pattern */
    const char
        *error_tail; /* "" or the end of standard error, safe to print; only of watched runs */
};

/* Looks once for everything that would make every run fail (program, files, settings that exclude
 * each other), then runs --setup. */
tare_status measure_command_open(struct arena *arena, struct measure_command *command,
                                 struct tare_error *error);

/* One run. `is_watched` keeps the end of its standard error for the message should it fail, at the
 * price of a pipe: for the first run, where most failures are. A failed run is TARE_ERROR_MEASURE
 * with a message that says what was run, how it ended, and what to do. */
tare_status measure_command_run_once(struct arena *arena, const struct measure_command *command,
                                     const struct measure_variation *variation, bool is_watched,
                                     struct measure_command_result *result,
                                     struct tare_error *error);

/* The last lines of a text in one line for a message, "a | b", safe to print: as many whole lines
 * as fit, and of a single longer one its beginning; "" when there is nothing but space. */
char *measure_last_words(struct arena *arena, const char *text, ptrdiff_t columns_max);

/* --cleanup; harmless when it was not opened. */
tare_status measure_command_close(struct measure_command *command, struct tare_error *error);

/* The metrics beyond time that every command has, in the order of measure_command_value. */
extern const struct protocol_metric measure_command_metrics[];
extern const ptrdiff_t measure_command_metric_count;
double measure_command_value(const struct measure_command_result *result, ptrdiff_t metric);

/* A command as a target for the sampler: a launch is one run. */
struct measure_command_target {
    struct measure_command *command;
    struct measure_variation variation; /* of the launch begun last */
    int exit_status;
    ptrdiff_t run_count;
    double
        memory_bound_bytes; /* > 0: the last run's peak is at most this, the launcher's own size */
    struct protocol_metric *metrics; /* set by measure_target_command */
    ptrdiff_t metric_count;
};

/* Instructions of one whole run under Valgrind: count_instructions of a command's target. */
tare_status measure_command_instructions(void *context, struct arena *arena,
                                         const struct valgrind *valgrind, double *iterations,
                                         double *count, struct tare_error *error);

/* The command must be open when its first launch begins. */
struct measure_target measure_target_command(struct arena *arena,
                                             struct measure_command_target *context);

#endif
