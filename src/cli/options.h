/* options.h: one table of options per command; parsing, help, completions and manual pages all read
 * it.
 *
 * A table row says where in the command's own options struct the value goes and how it is read, so
 * that a command's file starts with its struct and its table and never touches argv. */
#ifndef TARE_CLI_OPTIONS_H
#define TARE_CLI_OPTIONS_H

#include "base/arena.h"
#include "base/error.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum option_kind {
    OPTION_FLAG,  /* bool */
    OPTION_TEXT,  /* const char * */
    OPTION_LIST,  /* struct text_list: may be given several times */
    OPTION_COUNT, /* double, "10", "10k" */
    OPTION_TIME,  /* double, nanoseconds, "10s" */
    OPTION_SIZE,  /* double, bytes, "64k" */
    OPTION_RATIO, /* double, "1%" or "0.01" */
};

struct option {
    const char *name; /* without the dashes; NULL ends the table */
    char letter;      /* or 0 */
    enum option_kind kind;
    size_t offset;
    const char *argument; /* what help calls it: "TIME", "FILE"; NULL for flags */
    const char *help;     /* one line; the default in parentheses at the end */
};

struct text_list {
    const char **items;
    ptrdiff_t count;
    ptrdiff_t capacity;
};

/* What every command has; must be the first member of a command's options struct. */
struct common_options {
    const char *store;
    bool json;
    bool quiet;
    bool verbose;
    bool no_color;
    bool help;
};

extern const struct option common_option_table[];

/* Reads argv[1…] into `options`. Operands go to `operands`, in order; everything behind "--" goes
 * to `rest` (has_rest says whether "--" was there at all). Options may stand before or behind
 * operands. `stop_at_operand`: the first operand ends the options, for commands that take a command
 * line. */
struct option_request {
    const struct option *table;
    void *options;
    int argc;
    char **argv;
    bool stop_at_operand;
};

struct option_result {
    struct text_list operands;
    struct text_list rest;
    bool has_rest;
};

tare_status options_parse(struct arena *arena, const struct option_request *request,
                          struct option_result *result, struct tare_error *error);

void text_list_add(struct arena *arena, struct text_list *list, const char *text);

#endif
