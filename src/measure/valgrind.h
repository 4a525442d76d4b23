/* valgrind.h: starts programs under Valgrind so that their instructions can be counted.
 *
 * Whole runs are counted by Cachegrind without a cache to simulate, which costs some 8 times the
 * native time where Callgrind costs 16 (bench on one loop, Valgrind 3.19); marked parts, which only
 * Callgrind offers in the versions people have, by Callgrind. The two count start-up differently by
 * some thousand instructions, so one benchmark is never counted by both.
 *
 * A count repeats when all that a program can see repeats: addresses are not randomised, the path
 * of the program is stretched with slashes to a multiple of 256 bytes, the environment is settled
 * (os/environment.h). Each count has a folder of its own for Valgrind's files, which is gone
 * afterwards. */
#ifndef TARE_MEASURE_VALGRIND_H
#define TARE_MEASURE_VALGRIND_H

#include "base/arena.h"
#include "base/error.h"

#include <stdbool.h>
#include <stdint.h>

struct valgrind {
    const char *path;
    const char *version;      /* "3.19.0" */
    bool keeps_randomisation; /* this system does not let us switch it off */
};

/* Looks for it and asks its version. Without one: TARE_ERROR_MEASURE, and how to install it. */
tare_status valgrind_find(struct arena *arena, struct valgrind *valgrind, struct tare_error *error);

enum valgrind_extent {
    VALGRIND_WHOLE,  /* every process of the run, from start to end */
    VALGRIND_MARKED, /* what the program marks; a file per marked slice (client/valgrind.c) */
};

/* The words of the program with Valgrind's in front. `path` is the program itself when words[0] is
 * not a path. */
const char *const *valgrind_words(struct arena *arena, const struct valgrind *valgrind,
                                  enum valgrind_extent extent, const char *folder,
                                  const char *const *words, const char *path);

/* The path with slashes put in before its last part until its length is a multiple of 256. */
char *valgrind_stretch_path(struct arena *arena, const char *path);

/* The instructions of the slice marked as number `part` (from 1) by the process `pid`. */
tare_status valgrind_read_part(const char *folder, int64_t pid, int part, double *count,
                               struct tare_error *error);
/* The instructions of all processes of a whole run. */
tare_status valgrind_read_whole(const char *folder, double *count, struct tare_error *error);

/* "" or what Valgrind itself said about a failure, to be put behind a message. */
const char *valgrind_last_words(struct arena *arena, const struct valgrind *valgrind,
                                const char *folder);

/* NULL, or one sentence about instruction sets that this CPU has and Valgrind does not offer.
 * `cpuinfo` is the text of /proc/cpuinfo. */
const char *valgrind_path_note(struct arena *arena, const struct valgrind *valgrind,
                               const char *cpuinfo);

#endif
