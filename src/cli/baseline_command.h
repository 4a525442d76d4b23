/* baseline_command.h: what the words of `tare baseline` share. */
#ifndef TARE_CLI_BASELINE_COMMAND_H
#define TARE_CLI_BASELINE_COMMAND_H

#include "cli/store_command.h"

extern const struct command command_baseline_export;
extern const struct command command_baseline_import;

/* Opens an existing store; without one there is no baseline either (TARE_ERROR_NO_BASELINE). */
tare_status baseline_open_existing(struct cli *cli, const struct common_options *common,
                                   enum store_mode mode, struct store **store,
                                   struct tare_error *error);

/* Are there as many operands as the command takes? Else complains and says what to return. */
bool baseline_operands(const struct command *command, const struct option_result *arguments,
                       ptrdiff_t low, ptrdiff_t high, int *exit_code);

/* Turns the beginning of a machine's id into the machine in use; NULL leaves this machine. */
tare_status baseline_choose_machine(struct arena *arena, struct store *store, const char *prefix,
                                    struct tare_error *error);

#endif
