/* tune.h: puts kernel settings into a state good for measuring, and back exactly as they were.
 *
 * What was found is written to a state file, atomically and to disk, before the first setting is
 * changed: killed at any point, `restore` can put everything back. A second `tune` keeps the first
 * one's originals. `restore` writes the bytes that were found, also where somebody else has changed
 * the setting meanwhile (it says so), since "as before tune" is what it promises, and removes the
 * state file when all went well.
 *
 * A state file is trusted only as far as the table of settings here goes: a path that no row
 * matches is refused. One tuner works at a time (a lock on the state file's folder). */
#ifndef TARE_MEASURE_TUNE_H
#define TARE_MEASURE_TUNE_H

#include "base/arena.h"
#include "base/error.h"

#include <stdbool.h>

enum { TUNE_SETTINGS_MAX = 20000 }; /* two for each of 8192 CPUs, and some */

struct tune_options {
    const char *root;       /* "" for this machine */
    const char *state_path; /* NULL: root + /var/lib/tare/tune.json */
    bool is_dry_run;        /* change nothing, write nothing; say what would be done */
};

enum tune_outcome {
    TUNE_CHANGED,   /* written */
    TUNE_UNCHANGED, /* had that value already */
    TUNE_FAILED,    /* `reason` says why */
};

struct tune_setting {
    const char *path;  /* without the root */
    const char *found; /* the bytes before the first tune */
    const char *set;   /* what tune makes of it */
    const char *now;   /* the bytes there were when this command came, NULL when unreadable */
    enum tune_outcome outcome;
    const char *reason;        /* NULL, or why it failed */
    bool is_changed_meanwhile; /* restore: it was neither what tune set nor what tune had found */
};

struct tune_report {
    const char *state_path;
    struct tune_setting *settings;
    ptrdiff_t count;
    ptrdiff_t capacity;
    bool had_state; /* a state file was there before */
};

/* TARE_OK also when single settings failed (see the report); errors are: no setting can be written
 * at all (not root), the state file cannot be written or understood. */
tare_status tune_apply(struct arena *arena, const struct tune_options *options,
                       struct tune_report *report, struct tare_error *error);
/* Without a state file: TARE_OK, and a report without settings. */
tare_status tune_restore(struct arena *arena, const struct tune_options *options,
                         struct tune_report *report, struct tare_error *error);

ptrdiff_t tune_count(const struct tune_report *report, enum tune_outcome outcome);
const char *tune_outcome_name(enum tune_outcome outcome); /* "changed", "unchanged", "failed" */

#endif
