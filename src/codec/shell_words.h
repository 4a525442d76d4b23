/* shell_words.h: a command line split into words as a shell would, without a shell.
 *
 *   'sort -k 2 "my file"'  →  sort, -k, 2, my file
 *
 * Quotes and backslashes work as in POSIX sh. Nothing is expanded; a command that needs expansion,
 * redirection or a pipe is refused with a word about --shell, because run without one it would
 * do something else than it says. */
#ifndef TARE_CODEC_SHELL_WORDS_H
#define TARE_CODEC_SHELL_WORDS_H

#include "base/arena.h"
#include "base/error.h"

enum {
    SHELL_LINE_BYTES_MAX = 128 * 1024, /* what Linux allows for one argument */
    SHELL_WORDS_MAX = 4096,
};

struct shell_words {
    const char **items; /* NULL-terminated */
    ptrdiff_t count;
};

/* TARE_ERROR_USAGE with the place of the first mistake. At least one word on success. */
tare_status shell_words_split(struct arena *arena, const char *line, struct shell_words *words,
                              struct tare_error *error);

/* The words as a line that splits into them again; for display and records. */
char *shell_words_join(struct arena *arena, const char *const *words);

#endif
