#include "cli/options.h"

#include "base/assert.h"
#include "base/text.h"
#include "base/unit.h"

#include <string.h>

const struct option common_option_table[] = {
    {"store", 0, OPTION_TEXT, offsetof(struct common_options, store), "FILE",
     "store to use ($TARE_STORE, tare.yaml's store:, .tare/ of the project)"},
    {"json", 0, OPTION_FLAG, offsetof(struct common_options, json), NULL,
     "print the result as JSON on standard output"},
    {"quiet", 'q', OPTION_FLAG, offsetof(struct common_options, quiet), NULL,
     "no progress, results only"},
    {"verbose", 'v', OPTION_FLAG, offsetof(struct common_options, verbose), NULL,
     "say more about what is done"},
    {"no-color", 0, OPTION_FLAG, offsetof(struct common_options, no_color), NULL,
     "no colours (NO_COLOR does the same)"},
    {"help", 'h', OPTION_FLAG, offsetof(struct common_options, help), NULL, "show this help"},
    {NULL, 0, OPTION_FLAG, 0, NULL, NULL},
};

void text_list_add(struct arena *arena, struct text_list *list, const char *text)
{
    list->items =
        arena_grow(arena, list->items, &list->capacity, list->count + 1, sizeof *list->items);
    list->items[list->count++] = text;
}

static const struct option *find_in(const struct option *table, const char *name, size_t length,
                                    char letter)
{
    for (const struct option *option = table; option != NULL && option->name != NULL; option++) {
        bool is_named = name != NULL && strlen(option->name) == length &&
                        strncmp(option->name, name, length) == 0;
        if (is_named || (letter != 0 && option->letter == letter)) {
            return option;
        }
    }
    return NULL;
}

static const struct option *find_option(const struct option_request *request, const char *name,
                                        size_t length, char letter)
{
    const struct option *option = find_in(request->table, name, length, letter);
    return option != NULL ? option : find_in(common_option_table, name, length, letter);
}

static tare_status unknown_option(struct arena *arena, const struct option_request *request,
                                  const char *given, size_t name_length, struct tare_error *error)
{
    const char *names[256];
    size_t count = 0;
    const struct option *const tables[] = {request->table, common_option_table};
    for (size_t t = 0; t < 2; t++) {
        for (const struct option *o = tables[t]; o != NULL && o->name != NULL && count < 255; o++) {
            names[count++] = o->name;
        }
    }
    names[count] = NULL;
    const char *word = arena_strndup(arena, given, (ptrdiff_t)name_length);
    const char *nearest = text_nearest(text_starts_with(word, "--") ? word + 2 : word, names);
    const char *shown = text_printable(arena, word, 60);
    if (nearest != NULL && text_starts_with(word, "--")) {
        return error_set(error, TARE_ERROR_USAGE, "unknown option '%s': did you mean --%s?", shown,
                         nearest);
    }
    return error_set(error, TARE_ERROR_USAGE, "unknown option '%s': --help lists them", shown);
}

static const char *expected_form(enum option_kind kind)
{
    switch (kind) {
    case OPTION_COUNT:
        return "a number such as 10 or 10k";
    case OPTION_TIME:
        return "a time such as 500ms, 10s or 2min";
    case OPTION_SIZE:
        return "a size such as 64k or 1GiB";
    case OPTION_RATIO:
        return "a share such as 1% or 0.01";
    default:
        return "a value";
    }
}

static tare_status set_value(struct arena *arena, const struct option_request *request,
                             const struct option *option, const char *value,
                             struct tare_error *error)
{
    void *target = (char *)request->options + option->offset;
    bool is_read = true;
    switch (option->kind) {
    case OPTION_FLAG:
        *(bool *)target = true;
        break;
    case OPTION_TEXT:
        *(const char **)target = value;
        break;
    case OPTION_LIST:
        text_list_add(arena, (struct text_list *)target, value);
        break;
    case OPTION_COUNT:
        is_read = unit_parse_count(value, (double *)target);
        break;
    case OPTION_TIME:
        is_read = unit_parse_time_ns(value, (double *)target);
        break;
    case OPTION_SIZE:
        is_read = unit_parse_size_bytes(value, (double *)target);
        break;
    case OPTION_RATIO:
        is_read = unit_parse_ratio(value, (double *)target);
        break;
    }
    if (is_read) {
        return TARE_OK;
    }
    return error_set(error, TARE_ERROR_USAGE, "--%s wants %s, not '%s'", option->name,
                     expected_form(option->kind), text_printable(arena, value, 60));
}

/* Handles one long option at argv[*at]; moves *at past a separate value. */
static tare_status parse_long(struct arena *arena, const struct option_request *request, int *at,
                              struct tare_error *error)
{
    const char *given = request->argv[*at];
    const char *equals = strchr(given, '=');
    size_t length = equals != NULL ? (size_t)(equals - given) : strlen(given);
    const struct option *option = find_option(request, given + 2, length - 2, 0);
    if (option == NULL) {
        return unknown_option(arena, request, given, length, error);
    }
    if (option->kind == OPTION_FLAG) {
        if (equals != NULL) {
            return error_set(error, TARE_ERROR_USAGE, "--%s takes no value", option->name);
        }
        return set_value(arena, request, option, NULL, error);
    }
    if (equals != NULL) {
        return set_value(arena, request, option, equals + 1, error);
    }
    if (*at + 1 >= request->argc) {
        return error_set(error, TARE_ERROR_USAGE, "--%s wants %s behind it", option->name,
                         expected_form(option->kind));
    }
    return set_value(arena, request, option, request->argv[++*at], error);
}

/* Handles a cluster of short options at argv[*at], such as -qn NAME or -r10. */
static tare_status parse_short(struct arena *arena, const struct option_request *request, int *at,
                               struct tare_error *error)
{
    const char *given = request->argv[*at];
    for (const char *letter = given + 1; *letter != '\0'; letter++) {
        const struct option *option = find_option(request, NULL, 0, *letter);
        if (option == NULL) {
            return unknown_option(arena, request, given, strlen(given), error);
        }
        if (option->kind == OPTION_FLAG) {
            set_value(arena, request, option, NULL, error);
            continue;
        }
        const char *value = letter[1] != '\0' ? letter + 1 : NULL;
        if (value == NULL && *at + 1 < request->argc) {
            value = request->argv[++*at];
        }
        if (value == NULL) {
            return error_set(error, TARE_ERROR_USAGE, "-%c wants %s behind it", option->letter,
                             expected_form(option->kind));
        }
        return set_value(arena, request, option, value, error);
    }
    return TARE_OK;
}

tare_status options_parse(struct arena *arena, const struct option_request *request,
                          struct option_result *result, struct tare_error *error)
{
    *result = (struct option_result){0};
    bool is_over = false;
    for (int at = 1; at < request->argc; at++) {
        const char *given = request->argv[at];
        tare_status status = TARE_OK;
        if (result->has_rest) {
            text_list_add(arena, &result->rest, given);
        } else if (strcmp(given, "--") == 0) {
            result->has_rest = true;
        } else if (is_over || given[0] != '-' || given[1] == '\0') {
            text_list_add(arena, &result->operands, given);
            is_over = request->stop_at_operand;
        } else if (given[1] == '-') {
            status = parse_long(arena, request, &at, error);
        } else {
            status = parse_short(arena, request, &at, error);
        }
        if (status != TARE_OK) {
            return status;
        }
    }
    return TARE_OK;
}
