/* program.h: drives a benchmark program over protocol v1 (docs/protocol.md).
 *
 * A program is started anew for every launch, answers `hello`, opens one benchmark, runs slices,
 * and is told to quit. Whatever it does wrong (crash, hang, flood, close its pipes, speak garbage)
 * becomes one message that names the program, what was asked, what happened, and the end of its
 * output. */
#ifndef TARE_MEASURE_PROGRAM_H
#define TARE_MEASURE_PROGRAM_H

#include "measure/target.h"
#include "os/channel.h"
#include "os/process.h"

struct measure_program {
    /* Set by the caller. */
    const char *const *argv;      /* NULL-terminated */
    const char *name;             /* in messages; NULL: argv[0] */
    const char *allocation_shim;  /* NULL, or the library to preload when allocations are counted */
    double timeout_ns;            /* for one reply */
    const char *directory;        /* to run in; NULL: here */
    bool has_settled_environment; /* one that repeats exactly (os/environment.h) */
    /* What the program's own loop and timer cost, found at the first start and handed to later
     * ones: they start sooner, and all subtract the same. Sides of a comparison must share it. "":
     * not known. */
    char calibration[96];

    /* State of the current launch. */
    struct arena arena; /* what lasts as long as the process */
    struct process process;
    struct channel channel;
    struct channel_tail tail;
    struct protocol_hello hello;
    bool has_started;
    bool has_timed_out; /* it did not answer in time */
};

struct measure_program_list {
    struct protocol_listed *items;
    ptrdiff_t count;
};

/* Starts the program, greets it, asks for its list, and tells it to quit. No benchmark at all, or
 * two of the same name and parameters, is an error. `probe_allocations` starts it with the shim, so
 * that *hello says whether counting works. */
tare_status measure_program_list(struct arena *arena, struct measure_program *program,
                                 struct measure_program_list *list, struct protocol_hello *hello,
                                 struct tare_error *error);

/* A benchmark of the program as a target for the sampler. */
struct measure_program_target {
    struct measure_program *program;
    ptrdiff_t benchmark; /* its number in the list */
    double threads;      /* that run it; 1 when it does not say */
};

/* Instructions of one iteration, from one launch under Valgrind: count_instructions of a program's
 * target. */
tare_status measure_program_instructions(void *context, struct arena *arena,
                                         const struct valgrind *valgrind, double *iterations,
                                         double *count, struct tare_error *error);

struct measure_target measure_target_program(struct measure_program_target *context,
                                             const struct protocol_listed *listed,
                                             const struct protocol_hello *hello);

#endif
