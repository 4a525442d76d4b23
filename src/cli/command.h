/* command.h: what main.c knows of a command. Adding one is a file cmd_NAME.c and a row in main.c.
 */
#ifndef TARE_CLI_COMMAND_H
#define TARE_CLI_COMMAND_H

#include "base/buffer.h"
#include "cli/options.h"

/* Exit codes, the same from every command (README, "Exit codes"). */
enum {
    EXIT_CODE_OK = 0,
    EXIT_CODE_REGRESSED = 1,
    EXIT_CODE_USAGE = 2,
    EXIT_CODE_FAILED = 3,
    EXIT_CODE_INCONCLUSIVE = 4,
    EXIT_CODE_NO_BASELINE = 5,
    EXIT_CODE_INTERRUPTED = 130,
};

/* What a command is given: memory that lasts as long as it does. */
struct cli {
    struct arena *arena;
};

struct command {
    const char *name;
    /* argv[0] is the command's name. Returns an exit code; on an error, the code that
     * command_fail(command, error) returns after printing. */
    int (*run)(struct cli *cli, int argc, char **argv);
    const char *summary;          /* one line */
    const char *usage;            /* "[OPTIONS] [PROGRAM…] [-- COMMAND…]" */
    const char *examples;         /* several lines, first in the help */
    const char *details;          /* more text behind the options, or NULL */
    const struct option *options; /* without the common ones; NULL: none */
};

extern const struct command command_ab;
extern const struct command command_compare;
extern const struct command command_gate;
extern const struct command command_import;
extern const struct command command_prove;
extern const struct command command_run;
extern const struct command command_runs;
extern const struct command command_baseline;
extern const struct command command_doctor;
extern const struct command command_verify;

/* Prints "tare NAME: message" on standard error and returns the exit code that goes with it. */
int command_fail(const struct command *command, const struct tare_error *error);
/* The same without an answer in JSON, for a command that goes on and gives one. */
int command_say(const struct command *command, const struct tare_error *error);
int command_exit_code(tare_status status);

/* Parses with the command's table. Returns false when the command is over: help was shown or the
 * arguments are wrong; *exit_code says what to return. */
bool command_parse(struct cli *cli, const struct command *command, int argc, char **argv,
                   bool stop_at_operand, void *options, struct option_result *result,
                   int *exit_code);

void command_print_help(const struct command *command);

/* Prints a result on standard output and flushes it. A result that could not be written whole turns
 * success into a failure, with a message; the code of another outcome stays. One that did not fit
 * into its buffer is not printed at all. */
int command_print(const struct command *command, const struct buffer *result, int exit_code);
/* The same for what has been printed piece by piece. */
int command_end(const struct command *command, int exit_code);

#endif
