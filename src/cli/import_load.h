/* import_load.h: a result file of another harness as a run in memory, for commands that take a file
 * where they take a run. Nothing is stored. */
#ifndef TARE_CLI_IMPORT_LOAD_H
#define TARE_CLI_IMPORT_LOAD_H

#include "codec/import.h"

struct import_request {
    const char *path;                   /* "-": standard input */
    const struct import_format *format; /* NULL: told from content */
    const char *machine;                /* as `tare import --machine`; NULL: what the file says */
    const struct import_rule *rules;
    ptrdiff_t rule_count;
};

/* With all samples and figures; id is "". A file that holds several runs (a history) is
 * TARE_ERROR_USAGE: `tare import` takes it. */
tare_status import_load(struct arena *arena, const struct import_request *request,
                        struct model_run *run, struct tare_error *error);

/* Which machine measured a run from a file: what the user says ("here": this one), else what the
 * file says, else one that is known to nobody, with a warning. `here` is this machine. */
void import_identify(struct arena *arena, const char *machine, const struct model_machine *here,
                     struct model_run *run);

#endif
