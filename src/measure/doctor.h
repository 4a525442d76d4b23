/* doctor.h: is this machine fit to measure? Facts in, findings out.
 *
 * A table of checks, one small function each: it looks at the facts and gives a level, what it saw,
 * and what can be done about it, as a command line where there is one. Pure: the facts are read
 * beforehand, so that recorded machines can be examined too. docs/doctor.md explains each finding.
 */
#ifndef TARE_MEASURE_DOCTOR_H
#define TARE_MEASURE_DOCTOR_H

#include "measure/noise.h"
#include "os/counters.h"
#include "os/cpu_times.h"
#include "os/machine.h"

enum doctor_level {
    DOCTOR_OK,
    DOCTOR_NOTE, /* worth knowing; measuring is all right with it */
    DOCTOR_WARN, /* adds noise or bias that can be avoided, or that must be reckoned with */
};

struct doctor_finding {
    const char *name; /* stable, for JSON: "governor" */
    enum doctor_level level;
    const char *value;  /* what was found */
    const char *advice; /* what it means and what to do; NULL when there is nothing to do */
};

/* What the checks look at. Pointers may be NULL: then what they would tell is not known. */
struct doctor_facts {
    const struct machine *machine;
    const struct machine_process *process;
    const struct counters_probe *counters;
    const struct noise_result *noise;
    struct cpu_times times_since_boot;
    int64_t throttled_meanwhile; /* periods throttled during the noise measurement; −1 unknown */
    int64_t store_free_bytes;    /* −1 unknown */
};

struct doctor_findings {
    struct doctor_finding *items;
    ptrdiff_t count;
    ptrdiff_t capacity;
};

void doctor_examine(struct arena *arena, const struct doctor_facts *facts,
                    struct doctor_findings *findings);

ptrdiff_t doctor_count(const struct doctor_findings *findings, enum doctor_level level);
const char *doctor_level_name(enum doctor_level level); /* "ok", "note", "warn" */

#endif
