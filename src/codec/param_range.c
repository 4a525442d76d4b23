#include "codec/param_range.h"

#include "base/assert.h"
#include "base/buffer.h"
#include "base/text.h"
#include "base/unit.h"

#include <math.h>
#include <string.h>

/* Ends are compared with this relative slack, so that 0.1..0.5+0.1 reaches 0.5 in floating point.
 */
static const double END_SLACK = 1e-9;

struct parser {
    struct arena *arena;
    struct param_range *range;
    ptrdiff_t capacity;
    struct tare_error *error;
};

static tare_status parser_add_item(struct parser *parser, const char *item);
static tare_status parser_check_distinct(struct parser *parser);
static bool param_name_is_valid(const char *name);

tare_status param_range_parse(struct arena *arena, const char *text, struct param_range *range,
                              struct tare_error *error)
{
    *range = (struct param_range){0};
    const char *shown = text_printable(arena, text, 60);
    const char *equals = strchr(text, '=');
    if (equals == NULL || strlen(text) > PARAM_TEXT_BYTES_MAX) {
        return error_set(error, TARE_ERROR_USAGE,
                         equals == NULL
                             ? "parameter '%s' has no values: write NAME=1,2,4 or NAME=4..64*2"
                             : "parameter '%s' is too long",
                         shown);
    }
    range->name = arena_strndup(arena, text, equals - text);
    if (!param_name_is_valid(range->name)) {
        return error_set(error, TARE_ERROR_USAGE,
                         "parameter '%s': a name has letters, digits, '_', '-' and '.' only",
                         shown);
    }
    struct parser parser = {.arena = arena, .range = range, .error = error};
    struct buffer item = buffer_new(arena, PARAM_TEXT_BYTES_MAX + 1);
    for (const char *cursor = equals + 1;; cursor++) {
        if (cursor[0] == '\\' && cursor[1] == ',') {
            buffer_char(&item, *++cursor);
        } else if (*cursor != ',' && *cursor != '\0') {
            buffer_char(&item, *cursor);
        } else {
            tare_status status = parser_add_item(&parser, buffer_string(&item));
            if (status != TARE_OK || *cursor == '\0') {
                return status == TARE_OK ? parser_check_distinct(&parser) : status;
            }
            buffer_clear(&item);
        }
    }
}

static bool param_name_is_valid(const char *name)
{
    static const char letters[] =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-.";
    size_t length = strlen(name);
    return length > 0 && length <= MODEL_NAME_BYTES_MAX && strspn(name, letters) == length;
}

static tare_status parser_add_value(struct parser *parser, const char *value)
{
    struct param_range *range = parser->range;
    if (range->count >= PARAM_VALUES_MAX) {
        return error_set(parser->error, TARE_ERROR_USAGE, "parameter '%s' has more than %d values",
                         range->name, PARAM_VALUES_MAX);
    }
    if (strlen(value) > MODEL_VALUE_BYTES_MAX || !text_is_utf8(value, (ptrdiff_t)strlen(value))) {
        return error_set(parser->error, TARE_ERROR_USAGE,
                         "parameter '%s' has a value that is too long or not UTF-8", range->name);
    }
    range->values = arena_grow(parser->arena, range->values, &parser->capacity, range->count + 1,
                               (ptrdiff_t)sizeof *range->values);
    range->values[range->count++] = value;
    return TARE_OK;
}

/* A number with an optional sign and k, M, G behind it. */
static bool param_parse_number(const char *text, double *value)
{
    bool is_negative = text[0] == '-';
    if (!unit_parse_count(text + (is_negative ? 1 : 0), value)) {
        return false;
    }
    *value = is_negative ? -*value : *value;
    return true;
}

/* "4..64*2" taken apart. */
struct param_steps {
    double first;
    double last;
    char symbol; /* '+' or '*' */
    double step;
};

static tare_status parser_add_steps(struct parser *parser, const char *item,
                                    const struct param_steps *steps);

/* Text, or a range when a number stands before "..". */
static tare_status parser_add_item(struct parser *parser, const char *item)
{
    const char *name = parser->range->name;
    const char *shown = text_printable(parser->arena, item, 60);
    if (item[0] == '\0') {
        return error_set(parser->error, TARE_ERROR_USAGE,
                         "parameter '%s' has an empty value (a comma too many?)", name);
    }
    const char *dots = strstr(item, "..");
    struct param_steps steps = {.symbol = '+', .step = 1};
    if (dots == NULL ||
        !param_parse_number(arena_strndup(parser->arena, item, dots - item), &steps.first)) {
        return parser_add_value(parser, arena_strdup(parser->arena, item));
    }
    const char *end_text = dots + 2;
    /* The sign of an exponent, as in 1e+6, is no step: the symbol is the last of its kind, and what
     * stands before it must be a number by itself. */
    const char *symbol = strrchr(end_text, '*');
    symbol = symbol != NULL ? symbol : strrchr(end_text, '+');
    if (symbol != NULL && !(symbol > end_text && *symbol == '+' && symbol[-1] == 'e')) {
        steps.symbol = *symbol;
        if (!param_parse_number(symbol + 1, &steps.step)) {
            return error_set(parser->error, TARE_ERROR_USAGE,
                             "parameter '%s': '%s' has no number behind '%c'", name, shown,
                             *symbol);
        }
        end_text = arena_strndup(parser->arena, end_text, symbol - end_text);
    }
    if (!param_parse_number(end_text, &steps.last)) {
        return error_set(
            parser->error, TARE_ERROR_USAGE,
            "parameter '%s': '%s' has no number behind '..' (a range is 4..64*2 or 1..10+1)", name,
            shown);
    }
    return parser_add_steps(parser, shown, &steps);
}

static tare_status parser_add_steps(struct parser *parser, const char *shown,
                                    const struct param_steps *steps)
{
    const char *name = parser->range->name;
    bool is_factor = steps->symbol == '*';
    if (steps->last < steps->first) {
        return error_set(parser->error, TARE_ERROR_USAGE,
                         "parameter '%s': the range '%s' ends before it begins", name, shown);
    }
    if (is_factor ? !(steps->step > 1 && steps->first > 0) : !(steps->step > 0)) {
        return error_set(parser->error, TARE_ERROR_USAGE,
                         is_factor
                             ? "parameter '%s': '%s' must begin above 0 and have a factor above 1"
                             : "parameter '%s': '%s' must have a step above 0",
                         name, shown);
    }
    double end = steps->last + END_SLACK * fmax(fabs(steps->last), steps->step);
    double value = steps->first;
    tare_status status = TARE_OK;
    for (ptrdiff_t i = 0; value <= end && status == TARE_OK; i++) {
        /* 15 digits: as many as a double keeps of any decimal number, so 0.3 stays "0.3". */
        status = parser_add_value(parser, arena_printf(parser->arena, "%.15g", value));
        value = is_factor ? value * steps->step : steps->first + steps->step * (double)(i + 1);
    }
    return status;
}

static tare_status parser_check_distinct(struct parser *parser)
{
    const struct param_range *range = parser->range;
    ptrdiff_t slot_count = 2 * PARAM_VALUES_MAX;
    struct arena_mark mark = arena_mark(parser->arena);
    const char **slots = ARENA_ARRAY(parser->arena, const char *, slot_count);
    const char *twice = NULL;
    for (ptrdiff_t i = 0; i < range->count && twice == NULL; i++) {
        uint64_t hash = UINT64_C(14695981039346656037); /* FNV-1a */
        for (const char *cursor = range->values[i]; *cursor != '\0'; cursor++) {
            hash = (hash ^ (unsigned char)*cursor) * UINT64_C(1099511628211);
        }
        ptrdiff_t slot = (ptrdiff_t)(hash % (uint64_t)slot_count);
        while (slots[slot] != NULL && strcmp(slots[slot], range->values[i]) != 0) {
            slot = (slot + 1) % slot_count;
        }
        twice = slots[slot];
        slots[slot] = range->values[i];
    }
    arena_reset(parser->arena, mark);
    if (twice != NULL) {
        return error_set(parser->error, TARE_ERROR_USAGE, "parameter '%s' has the value '%s' twice",
                         range->name, text_printable(parser->arena, twice, 60));
    }
    return TARE_OK;
}

tare_status param_range_combinations(const struct param_range *ranges, ptrdiff_t count,
                                     ptrdiff_t *combinations, struct tare_error *error)
{
    *combinations = 1;
    if (count > MODEL_PARAMETERS_MAX) {
        return error_set(error, TARE_ERROR_USAGE, "more than %d parameters", MODEL_PARAMETERS_MAX);
    }
    for (ptrdiff_t i = 0; i < count; i++) {
        for (ptrdiff_t k = 0; k < i; k++) {
            if (strcmp(ranges[i].name, ranges[k].name) == 0) {
                return error_set(error, TARE_ERROR_USAGE,
                                 "parameter '%s' is given twice; list all its values in one",
                                 ranges[i].name);
            }
        }
        TARE_ASSERT(ranges[i].count > 0 && ranges[i].count <= PARAM_VALUES_MAX);
        *combinations *= ranges[i].count; /* both at most 10,000 before */
        if (*combinations > PARAM_COMBINATIONS_MAX) {
            return error_set(error, TARE_ERROR_USAGE,
                             "the parameters have more than %d combinations; give fewer values",
                             PARAM_COMBINATIONS_MAX);
        }
    }
    return TARE_OK;
}

void param_range_choose(const struct param_range *ranges, ptrdiff_t count, ptrdiff_t combination,
                        struct model_parameter *chosen)
{
    TARE_ASSERT(combination >= 0);
    for (ptrdiff_t i = count - 1; i >= 0; i--) {
        chosen[i] = (struct model_parameter){
            .name = ranges[i].name, .value = ranges[i].values[combination % ranges[i].count]};
        combination /= ranges[i].count;
    }
    TARE_ASSERT(combination == 0);
}

/* The length of "{name}" at the start of the text, 0 when it is not there. */
static ptrdiff_t param_placeholder_length(const char *text, const char *name)
{
    size_t length = strlen(name);
    bool is_here =
        text[0] == '{' && strncmp(text + 1, name, length) == 0 && text[length + 1] == '}';
    return is_here ? (ptrdiff_t)length + 2 : 0;
}

char *param_range_substitute(struct arena *arena, const char *text,
                             const struct model_parameter *parameters, ptrdiff_t count)
{
    struct buffer result = buffer_new(arena, BUFFER_LENGTH_MAX);
    while (*text != '\0') {
        ptrdiff_t skipped = 0;
        for (ptrdiff_t i = 0; i < count && skipped == 0; i++) {
            skipped = param_placeholder_length(text, parameters[i].name);
            if (skipped > 0) {
                buffer_text(&result, parameters[i].value);
            }
        }
        if (skipped == 0) {
            buffer_char(&result, *text);
            skipped = 1;
        }
        text += skipped;
    }
    return arena_strdup(arena, buffer_string(&result));
}

bool param_range_is_used(const char *text, const char *name)
{
    for (; *text != '\0'; text++) {
        if (param_placeholder_length(text, name) > 0) {
            return true;
        }
    }
    return false;
}
