/* progress.h: what is shown on standard error while measuring.
 *
 * On a terminal one line that is rewritten: which benchmark, done of total, the current estimate
 * and how sure, time left. Elsewhere one line per finished benchmark. With --quiet nothing. */
#ifndef TARE_CLI_PROGRESS_H
#define TARE_CLI_PROGRESS_H

#include "cli/options.h"
#include "measure/sampler.h"
#include "os/clock.h"

struct progress {
    bool is_live;
    bool is_quiet;
    int columns;
    ptrdiff_t total;
    ptrdiff_t done;
    const char *label; /* of the benchmark being measured */
    mono_time shown;   /* when the line was last rewritten */
    bool is_drawn;
};

struct progress progress_new(const struct common_options *common, ptrdiff_t total);
void progress_begin(struct progress *progress, const char *label);
/* An observer for the sampler. */
void progress_update(void *context, const struct measure_progress *status);
/* One benchmark is finished; `line` is printed where progress is not live. */
void progress_finish(struct progress *progress, const char *line);
/* Takes the live line away. */
void progress_clear(struct progress *progress);

#endif
