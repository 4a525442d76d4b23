/* runs_document.h: kept comparisons and proofs, listed and shown again. */
#ifndef TARE_CLI_RUNS_DOCUMENT_H
#define TARE_CLI_RUNS_DOCUMENT_H

#include "cli/command.h"
#include "store/store.h"

/* The kept result whose id begins like that: a comparison as the table it was, with --json word for
 * word. *is_found false, and nothing printed: there is none. Returns the exit code. */
int runs_document_show(struct cli *cli, const struct command *command, struct store *store,
                       const struct common_options *common, const char *selector, bool *is_found);

/* Newest first; limit 0: all. */
int runs_document_list(struct cli *cli, const struct command *command, struct store *store,
                       const struct common_options *common, int64_t limit);

#endif
