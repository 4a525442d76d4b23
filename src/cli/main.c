/* main.c: the table of commands. The rest of the story is in cmd_NAME.c. */
#include "base/text.h"
#include "base/version.h"
#include "cli/command.h"
#include "os/file.h"
#include "os/interrupt.h"

#include <stdio.h>
#include <string.h>

static const struct command *const commands[] = {
    &command_run,      &command_ab,     &command_gate,  &command_compare, &command_runs,
    &command_baseline, &command_doctor, &command_prove, &command_verify,  &command_import,
};

enum { COMMAND_COUNT = sizeof commands / sizeof *commands };

static void print_overview(FILE *out)
{
    fprintf(out,
            "Tare measures code, keeps what it measured, and says what it does not know.\n\n"
            "  tare run ./bench                 a benchmark program linked with libtare\n"
            "  tare run -- ./tool --flag file   any command\n"
            "  tare ab ./bench-old ./bench-new  is the new build slower? Side by side, in seconds\n"
            "  tare runs show                   the newest run again\n"
            "  tare doctor                      is this machine fit to measure?\n\n"
            "Commands:\n");
    for (int i = 0; i < COMMAND_COUNT; i++) {
        fprintf(out, "  %-10s %s\n", commands[i]->name, commands[i]->summary);
    }
    fprintf(out,
            "\n'tare COMMAND --help' shows examples and options; 'tare --version' the version.\n");
}

static int unknown_command(const char *word)
{
    const char *names[COMMAND_COUNT + 1] = {NULL};
    for (int i = 0; i < COMMAND_COUNT; i++) {
        names[i] = commands[i]->name;
    }
    struct arena arena = {0};
    const char *nearest = text_nearest(word, names);
    fprintf(stderr, "tare: unknown command '%s'", text_printable(&arena, word, 60));
    if (nearest != NULL) {
        fprintf(stderr, ": did you mean 'tare %s'?\n", nearest);
    } else {
        fprintf(stderr, ": 'tare --help' lists them\n");
    }
    arena_free(&arena);
    return EXIT_CODE_USAGE;
}

int main(int argc, char **argv)
{
    file_fill_standard();
    interrupt_ignore_size_limit();
    if (argc < 2) {
        print_overview(stderr);
        return EXIT_CODE_USAGE;
    }
    const char *word = argv[1];
    if (strcmp(word, "--version") == 0 || strcmp(word, "-V") == 0) {
        printf("tare %s\n", TARE_VERSION_STRING);
        return EXIT_CODE_OK;
    }
    if (strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0 ||
        (strcmp(word, "help") == 0 && argc == 2)) {
        print_overview(stdout);
        return EXIT_CODE_OK;
    }
    bool is_help = strcmp(word, "help") == 0;
    for (int i = 0; i < COMMAND_COUNT; i++) {
        if (strcmp(argv[is_help ? 2 : 1], commands[i]->name) != 0) {
            continue;
        }
        if (is_help) {
            command_print_help(commands[i]);
            return EXIT_CODE_OK;
        }
        struct arena arena = {0};
        struct cli cli = {.arena = &arena};
        int code = commands[i]->run(&cli, argc - 1, argv + 1);
        arena_free(&arena);
        return code;
    }
    return unknown_command(argv[is_help ? 2 : 1]);
}
