/* run_commands.h: commands as tasks: parameters, names, metrics, and the options that go with them.
 */
#ifndef TARE_CLI_RUN_COMMANDS_H
#define TARE_CLI_RUN_COMMANDS_H

#include "cli/run_plan.h"
#include "codec/param_range.h"

struct run_commands {
    const struct run_options *options;
    struct param_range *ranges;
    ptrdiff_t range_count;
    ptrdiff_t combinations;
    struct metric_pattern *patterns;
    ptrdiff_t pattern_count;
    struct measure_command model; /* what all commands share */
    bool *ranges_used;
    ptrdiff_t names_used;
    ptrdiff_t command_count;
};

/* Reads --param, --metric, --exit-code and the rest once for all commands. */
tare_status run_commands_prepare(struct arena *arena, const struct run_options *options,
                                 struct run_commands *commands, struct tare_error *error);

/* Adds one task per combination of parameters. `line` is a command line in one word, or NULL and
 * `argv` holds the words. */
tare_status run_commands_add(struct arena *arena, struct run_commands *commands, const char *line,
                             const char *const *argv, struct run_plan *plan,
                             struct tare_error *error);

/* An option that had no effect is a mistake: a name or a parameter that no command took. */
tare_status run_commands_check_used(const struct run_commands *commands, struct tare_error *error);

/* Options that only commands heed are a mistake when there is no command. */
tare_status run_commands_check_needed(const struct run_options *options,
                                      const struct run_plan *plan, struct tare_error *error);

#endif
