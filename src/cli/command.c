#include "cli/command.h"

#include "report/failure_json.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

int command_exit_code(tare_status status)
{
    switch (status) {
    case TARE_OK:
        return EXIT_CODE_OK;
    case TARE_ERROR_USAGE:
        return EXIT_CODE_USAGE;
    case TARE_ERROR_NO_BASELINE:
        return EXIT_CODE_NO_BASELINE;
    case TARE_INTERRUPTED:
        return EXIT_CODE_INTERRUPTED;
    case TARE_ERROR_MEASURE:
    case TARE_ERROR_MEMORY:
    case TARE_ERROR_IO:
        break;
    }
    return EXIT_CODE_FAILED;
}

/* Was --json asked for? Known once the arguments are read; a failure may come from anywhere. */
static bool wants_json;

int command_say(const struct command *command, const struct tare_error *error)
{
    fprintf(stderr, "tare %s: %s\n", command->name, error->message);
    return command_exit_code(error->status);
}

int command_fail(const struct command *command, const struct tare_error *error)
{
    int code = command_say(command, error);
    if (wants_json) {
        struct arena arena = {0};
        struct buffer out = buffer_new(&arena, BUFFER_LENGTH_MAX);
        report_failure_json(&out, command->name, error->message, code);
        fputs(buffer_string(&out), stdout);
        fflush(stdout);
        arena_free(&arena);
    }
    return code;
}

static void print_options(const struct option *table)
{
    for (const struct option *option = table; option != NULL && option->name != NULL; option++) {
        char left[64];
        snprintf(left, sizeof left, "%s%c%s --%s%s%s", option->letter != 0 ? "-" : " ",
                 option->letter != 0 ? option->letter : ' ', option->letter != 0 ? "," : " ",
                 option->name, option->argument != NULL ? " " : "",
                 option->argument != NULL ? option->argument : "");
        /* Names too long for the column get a line of their own. */
        if (strlen(left) > 26) {
            printf("  %s\n  %-26s %s\n", left, "", option->help);
        } else {
            printf("  %-26s %s\n", left, option->help);
        }
    }
}

void command_print_help(const struct command *command)
{
    printf("%s\n\n%s\n\nUsage: tare %s %s\n", command->summary, command->examples, command->name,
           command->usage);
    if (command->options != NULL && command->options->name != NULL) {
        printf("\nOptions:\n");
        print_options(command->options);
    }
    printf("\nEverywhere:\n");
    print_options(common_option_table);
    if (command->details != NULL) {
        printf("\n%s\n", command->details);
    }
}

static int fail_unless_worse(const struct command *command, const struct tare_error *error,
                             int exit_code)
{
    wants_json = false; /* standard output has failed, or has the result already */
    int failure = command_fail(command, error);
    return exit_code == EXIT_CODE_OK ? failure : exit_code;
}

int command_print(const struct command *command, const struct buffer *result, int exit_code)
{
    if (result->is_full) {
        struct tare_error error = {0};
        error_set(&error, TARE_ERROR_IO,
                  "the result is larger than %td bytes and was not printed; ask for less, e.g. "
                  "without --samples",
                  result->length_max);
        return fail_unless_worse(command, &error, exit_code);
    }
    fputs(buffer_string(result), stdout);
    return command_end(command, exit_code);
}

int command_end(const struct command *command, int exit_code)
{
    if (fflush(stdout) == 0 && ferror(stdout) == 0) {
        return exit_code;
    }
    struct tare_error error = {0};
    error_set_errno(&error, TARE_ERROR_IO, errno,
                    "the result could not be written to standard output");
    return fail_unless_worse(command, &error, exit_code);
}

bool command_parse(struct cli *cli, const struct command *command, int argc, char **argv,
                   bool stop_at_operand, void *options, struct option_result *result,
                   int *exit_code)
{
    struct tare_error error = {0};
    const struct option_request request = {
        .table = command->options,
        .options = options,
        .argc = argc,
        .argv = argv,
        .stop_at_operand = stop_at_operand,
    };
    tare_status status = options_parse(cli->arena, &request, result, &error);
    wants_json = ((const struct common_options *)options)->json;
    if (status != TARE_OK) {
        *exit_code = command_fail(command, &error);
        return false;
    }
    if (((const struct common_options *)options)->help) {
        command_print_help(command);
        *exit_code = EXIT_CODE_OK;
        return false;
    }
    return true;
}
