/* store_command.h: what `tare runs` and `tare baseline` share: subcommands, opening the store for
 * this machine, ages, JSON. */
#ifndef TARE_CLI_STORE_COMMAND_H
#define TARE_CLI_STORE_COMMAND_H

#include "cli/command.h"
#include "cli/store_path.h"

#include <jansson.h>

/* Runs the subcommand that argv[1] names; without one, the first of the list. The children's names
 * are "PARENT WORD". */
int store_command_dispatch(struct cli *cli, const struct command *parent,
                           const struct command *const *children, int argc, char **argv);

/* Opens the store the options mean; baselines are then this machine's. `common` is the command's
 * options struct. */
tare_status store_command_open(struct cli *cli, const struct common_options *common,
                               enum store_mode mode, struct store **store,
                               struct tare_error *error);

/* "3 min", "2 days": since then. */
char *store_command_age(struct arena *arena, int64_t now_unix_ns, int64_t then_unix_ns);
/* "2026-01-31 12:30:00Z" */
char *store_command_time(struct arena *arena, int64_t unix_ns);
/* user@host */
char *store_command_who(struct arena *arena);
/* "running or killed" for the state that cannot be told apart. */
const char *store_command_state(enum model_run_state state);
/* "3f2c1a9b2+", the + for uncommitted changes; "" when not known. */
char *store_command_commit(struct arena *arena, const struct model_commit *commit);

json_t *store_command_run(struct arena *arena, const struct store_run_row *run);
json_t *store_command_runs(struct arena *arena, const struct store_run_rows *rows);
/* {"tare": 1, "kind": kind, "store": path} */
json_t *store_command_answer(struct arena *arena, const char *kind, const struct store *store);
/* Adds "exit", prints on standard output, frees. Returns the exit code. */
int store_command_print_json(const struct command *command, json_t *answer, int exit_code);

#endif
