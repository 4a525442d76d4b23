/* shell_words.c: one pass over the line with a state per quote; the rules are those of
 * POSIX.1-2017, Shell Command Language, 2.2 (quoting) and 2.3 (token recognition). Linear in the
 * line's length. */
#include "codec/shell_words.h"

#include "base/buffer.h"

#include <stdbool.h>
#include <string.h>

struct splitter {
    const char *line;
    ptrdiff_t at;
    struct buffer word;
    bool is_in_word; /* an empty pair of quotes is a word too */
    bool has_quoted; /* the word so far had quotes: no assignment, no reserved word */
    struct shell_words *words;
    ptrdiff_t capacity;
    struct arena *arena;
    struct tare_error *error;
};

static tare_status splitter_step(struct splitter *splitter);
static tare_status splitter_end_word(struct splitter *splitter);

tare_status shell_words_split(struct arena *arena, const char *line, struct shell_words *words,
                              struct tare_error *error)
{
    *words = (struct shell_words){0};
    if (strlen(line) > SHELL_LINE_BYTES_MAX) {
        return error_set(error, TARE_ERROR_USAGE, "the command is longer than %d bytes",
                         SHELL_LINE_BYTES_MAX);
    }
    struct splitter splitter = {
        .line = line,
        .word = buffer_new(arena, SHELL_LINE_BYTES_MAX + 1),
        .words = words,
        .arena = arena,
        .error = error,
    };
    tare_status status = TARE_OK;
    while (status == TARE_OK && line[splitter.at] != '\0') {
        status = splitter_step(&splitter);
    }
    if (status == TARE_OK && splitter.is_in_word) {
        status = splitter_end_word(&splitter);
    }
    if (status == TARE_OK && words->count == 0) {
        status = error_set(error, TARE_ERROR_USAGE, "the command is empty");
    }
    if (status != TARE_OK) {
        *words = (struct shell_words){0};
    }
    return status;
}

static tare_status splitter_refuse(struct splitter *splitter, const char *what, const char *why)
{
    return error_set(
        splitter->error, TARE_ERROR_USAGE,
        "the command has an unquoted %s at character %td: %s. Quote it to pass it on as it "
        "is, or give --shell to run the line by /bin/sh",
        what, splitter->at + 1, why);
}

/* Characters with a meaning for a shell wherever they stand unquoted. */
static const struct {
    char character;
    const char *name;
    const char *meaning;
} special_characters[] = {
    {'|', "'|'", "a pipe needs a shell"},
    {'&', "'&'", "running in the background needs a shell"},
    {';', "';'", "several commands need a shell"},
    {'<', "'<'", "redirection needs a shell (or --input FILE)"},
    {'>', "'>'", "redirection needs a shell"},
    {'(', "'('", "a subshell needs a shell"},
    {')', "')'", "a subshell needs a shell"},
    {'$', "'$'", "variables are expanded by a shell"},
    {'`', "'`'", "commands are substituted by a shell"},
    {'*', "'*'", "file patterns are expanded by a shell"},
    {'?', "'?'", "file patterns are expanded by a shell"},
    {'[', "'['", "file patterns are expanded by a shell"},
    {'\n', "line break", "several commands need a shell"},
};

static tare_status splitter_check(struct splitter *splitter, char character)
{
    for (size_t i = 0; i < sizeof special_characters / sizeof special_characters[0]; i++) {
        /* A lone "[" is a program, not a pattern. */
        bool is_test = character == '[' && !splitter->is_in_word &&
                       strchr(" \t", splitter->line[splitter->at + 1]) != NULL;
        if (character == special_characters[i].character && !is_test) {
            return splitter_refuse(splitter, special_characters[i].name,
                                   special_characters[i].meaning);
        }
    }
    if (splitter->is_in_word) {
        return TARE_OK;
    }
    if (character == '#') {
        return splitter_refuse(splitter, "'#'", "a shell takes the rest as a comment");
    }
    if (character == '~') {
        return splitter_refuse(splitter, "'~'", "the home folder is expanded by a shell");
    }
    return TARE_OK;
}

static tare_status splitter_single_quotes(struct splitter *splitter);
static tare_status splitter_double_quotes(struct splitter *splitter);

static tare_status splitter_step(struct splitter *splitter)
{
    char character = splitter->line[splitter->at];
    if (character == ' ' || character == '\t') {
        splitter->at++;
        return splitter->is_in_word ? splitter_end_word(splitter) : TARE_OK;
    }
    if (character == '\'') {
        return splitter_single_quotes(splitter);
    }
    if (character == '"') {
        return splitter_double_quotes(splitter);
    }
    if (character == '\\') {
        char next = splitter->line[splitter->at + 1];
        if (next == '\0') {
            return error_set(splitter->error, TARE_ERROR_USAGE,
                             "the command ends in a lone backslash");
        }
        splitter->at += 2;
        if (next != '\n') { /* a backslash before a line break joins the lines */
            buffer_char(&splitter->word, next);
            splitter->is_in_word = true;
            splitter->has_quoted = true;
        }
        return TARE_OK;
    }
    tare_status status = splitter_check(splitter, character);
    if (status == TARE_OK) {
        buffer_char(&splitter->word, character);
        splitter->is_in_word = true;
        splitter->at++;
    }
    return status;
}

static tare_status splitter_single_quotes(struct splitter *splitter)
{
    const char *begin = splitter->line + splitter->at + 1;
    const char *end = strchr(begin, '\'');
    if (end == NULL) {
        return error_set(splitter->error, TARE_ERROR_USAGE,
                         "the command's single quote at character %td is not closed",
                         splitter->at + 1);
    }
    buffer_append(&splitter->word, begin, end - begin);
    splitter->is_in_word = true;
    splitter->has_quoted = true;
    splitter->at = end - splitter->line + 1;
    return TARE_OK;
}

static tare_status splitter_double_quotes(struct splitter *splitter)
{
    ptrdiff_t opened = splitter->at++;
    splitter->is_in_word = true;
    splitter->has_quoted = true;
    for (;; splitter->at++) {
        char character = splitter->line[splitter->at];
        if (character == '"') {
            splitter->at++;
            return TARE_OK;
        }
        if (character == '\0') {
            return error_set(splitter->error, TARE_ERROR_USAGE,
                             "the command's double quote at character %td is not closed",
                             opened + 1);
        }
        if (character == '$' || character == '`') {
            return splitter_refuse(splitter, character == '$' ? "'$'" : "'`'",
                                   "a shell expands it even in double quotes");
        }
        if (character == '\\') {
            char next = splitter->line[splitter->at + 1];
            if (next == '\n') {
                splitter->at++;
                continue;
            }
            if (next != '\0' && strchr("$`\"\\", next) != NULL) {
                splitter->at++;
                character = next;
            }
        }
        buffer_char(&splitter->word, character);
    }
}

/* NAME=value before the command sets a variable in a shell. */
static bool word_is_assignment(const char *word)
{
    const char *letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789";
    size_t length = strspn(word, letters);
    return length > 0 && word[length] == '=' && !(word[0] >= '0' && word[0] <= '9');
}

static tare_status splitter_end_word(struct splitter *splitter)
{
    struct shell_words *words = splitter->words;
    char *word =
        arena_strndup(splitter->arena, buffer_string(&splitter->word), splitter->word.length);
    if (words->count == 0 && !splitter->has_quoted) {
        if (word_is_assignment(word)) {
            return error_set(
                splitter->error, TARE_ERROR_USAGE,
                "'%s' before the command sets a variable, which needs a shell: put 'env' "
                "before it, or give --shell",
                word);
        }
        if (strcmp(word, "!") == 0 || strcmp(word, "{") == 0) {
            return error_set(splitter->error, TARE_ERROR_USAGE,
                             "'%s' as a command needs a shell: give --shell", word);
        }
    }
    if (words->count >= SHELL_WORDS_MAX) {
        return error_set(splitter->error, TARE_ERROR_USAGE, "the command has more than %d words",
                         SHELL_WORDS_MAX);
    }
    words->items = arena_grow(splitter->arena, words->items, &splitter->capacity, words->count + 2,
                              (ptrdiff_t)sizeof *words->items);
    words->items[words->count++] = word;
    words->items[words->count] = NULL;
    buffer_clear(&splitter->word);
    splitter->is_in_word = false;
    splitter->has_quoted = false;
    return TARE_OK;
}

char *shell_words_join(struct arena *arena, const char *const *words)
{
    struct buffer line = buffer_new(arena, BUFFER_LENGTH_MAX);
    const char *plain =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./:,+@%^={}";
    for (ptrdiff_t i = 0; words[i] != NULL; i++) {
        const char *word = words[i];
        buffer_text(&line, i > 0 ? " " : "");
        bool is_plain = word[0] != '\0' && word[strspn(word, plain)] == '\0';
        bool is_special_first = i == 0 && (word_is_assignment(word) || strcmp(word, "{") == 0);
        if (is_plain && !is_special_first) {
            buffer_text(&line, word);
            continue;
        }
        buffer_char(&line, '\'');
        for (const char *cursor = word; *cursor != '\0'; cursor++) {
            if (*cursor == '\'') {
                buffer_text(&line, "'\\''");
            } else {
                buffer_char(&line, *cursor);
            }
        }
        buffer_char(&line, '\'');
    }
    return arena_strdup(arena, buffer_string(&line));
}
