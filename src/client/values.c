/* values.c: the values of a parameter, as people write them.
 *
 *     list  := item ("," item)*          item := integer ".." integer ("*" | "+") integer
 *                                              | integer ".." integer        (steps of 1)
 *                                              | text
 *
 * Integers take k, M, G (powers of 1000) and Ki, Mi, Gi (powers of 1024). When every item is an
 * integer the parameter is one and its values print as plain digits; else all are kept as texts. */
#include "client/client.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* An item of a list is a short word or number; a longer one is a mistake. */
enum { ITEM_BYTES_MAX = 200 };

static tare_status item_add(struct arena *arena, char *item, struct client_parameter *parameter,
                            ptrdiff_t *capacity, struct tare_error *error);
static tare_status range_add(struct arena *arena, char *item, char *dots,
                             struct client_parameter *parameter, ptrdiff_t *capacity,
                             struct tare_error *error);
static tare_status value_add(struct arena *arena, const char *text,
                             struct client_parameter *parameter, ptrdiff_t *capacity,
                             struct tare_error *error);
static void make_integers(struct arena *arena, struct client_parameter *parameter);
static tare_status check_unique(const struct client_parameter *parameter, struct tare_error *error);

tare_status client_values_parse(struct arena *arena, const char *text,
                                struct client_parameter *parameter, struct tare_error *error)
{
    ptrdiff_t capacity = 0;
    parameter->count = 0;
    parameter->texts = NULL;
    parameter->values = NULL;
    const char *rest = text;
    for (bool is_last = false; !is_last;) {
        size_t length = strcspn(rest, ",");
        is_last = rest[length] == '\0';
        if (length == 0 || length > ITEM_BYTES_MAX) {
            return error_set(
                error, TARE_ERROR_USAGE,
                "parameter '%s': '%s' has an item that is empty or over %d bytes; write "
                "\"1,2,4\", \"4..64*2\" or \"1..10+1\"",
                parameter->name, text, ITEM_BYTES_MAX);
        }
        char *item = arena_strndup(arena, rest, (ptrdiff_t)length);
        tare_status status = item_add(arena, item, parameter, &capacity, error);
        if (status != TARE_OK) {
            return status;
        }
        rest += length + 1;
    }
    make_integers(arena, parameter);
    return check_unique(parameter, error);
}

static tare_status item_add(struct arena *arena, char *item, struct client_parameter *parameter,
                            ptrdiff_t *capacity, struct tare_error *error)
{
    char *dots = strstr(item, "..");
    if (dots != NULL) {
        return range_add(arena, item, dots, parameter, capacity, error);
    }
    return value_add(arena, item, parameter, capacity, error);
}

/* An integer with its suffix; the whole text or nothing. */
static bool integer_parse(const char *text, int64_t *value)
{
    static const struct {
        const char *suffix;
        int64_t factor;
    } suffixes[] = {{"", 1},           {"k", 1000},     {"K", 1000},     {"M", 1000000},
                    {"G", 1000000000}, {"Ki", 1 << 10}, {"Mi", 1 << 20}, {"Gi", 1 << 30}};
    const char *digits = *text == '-' ? text + 1 : text;
    if (*digits < '0' || *digits > '9') {
        return false;
    }
    char *end = NULL;
    errno = 0;
    long long number = strtoll(text, &end, 10);
    if (errno != 0) {
        return false;
    }
    for (size_t i = 0; i < sizeof suffixes / sizeof *suffixes; i++) {
        if (strcmp(end, suffixes[i].suffix) == 0) {
            return !__builtin_mul_overflow((int64_t)number, suffixes[i].factor, value);
        }
    }
    return false;
}

static tare_status range_add(struct arena *arena, char *item, char *dots,
                             struct client_parameter *parameter, ptrdiff_t *capacity,
                             struct tare_error *error)
{
    const char *written = arena_strdup(arena, item);
    *dots = '\0';
    char *last_text = dots + 2;
    char *sign = strpbrk(last_text, "*+");
    bool is_power = sign != NULL && *sign == '*';
    int64_t first = 0;
    int64_t last = 0;
    int64_t step = 1;
    if (sign != NULL) {
        char *step_text = sign + 1;
        *sign = '\0';
        if (!integer_parse(step_text, &step)) {
            step = 0;
        }
    }
    if (!integer_parse(item, &first) || !integer_parse(last_text, &last) || last < first ||
        step < 1 || (is_power && (step < 2 || first < 1))) {
        return error_set(
            error, TARE_ERROR_USAGE,
            "parameter '%s': cannot read the range '%s'; write \"4..64*2\" (powers, from 1 "
            "on) or \"10..50+10\" (steps), rising",
            parameter->name, written);
    }
    for (int64_t value = first; value <= last;) {
        tare_status status = value_add(arena, arena_printf(arena, "%lld", (long long)value),
                                       parameter, capacity, error);
        if (status != TARE_OK) {
            return status;
        }
        bool is_over = is_power ? __builtin_mul_overflow(value, step, &value)
                                : __builtin_add_overflow(value, step, &value);
        if (is_over) {
            break;
        }
    }
    return TARE_OK;
}

static tare_status value_add(struct arena *arena, const char *text,
                             struct client_parameter *parameter, ptrdiff_t *capacity,
                             struct tare_error *error)
{
    if (parameter->count >= CLIENT_VALUES_MAX) {
        return error_set(error, TARE_ERROR_USAGE, "parameter '%s' has more than %d values",
                         parameter->name, CLIENT_VALUES_MAX);
    }
    if (!client_name_is_valid(text)) {
        return error_set(error, TARE_ERROR_USAGE,
                         "parameter '%s' has a value with control characters or invalid UTF-8",
                         parameter->name);
    }
    parameter->texts = arena_grow(arena, parameter->texts, capacity, parameter->count + 1,
                                  (ptrdiff_t)sizeof *parameter->texts);
    parameter->texts[parameter->count++] = text;
    return TARE_OK;
}

static void make_integers(struct arena *arena, struct client_parameter *parameter)
{
    int64_t *values = ARENA_ARRAY(arena, int64_t, parameter->count);
    for (ptrdiff_t i = 0; i < parameter->count; i++) {
        if (!integer_parse(parameter->texts[i], &values[i])) {
            return;
        }
    }
    for (ptrdiff_t i = 0; i < parameter->count; i++) {
        parameter->texts[i] = arena_printf(arena, "%lld", (long long)values[i]);
    }
    parameter->values = values;
}

/* Two equal values would be two cases of the same name. Quadratic, over at most 4096 short texts.
 */
static tare_status check_unique(const struct client_parameter *parameter, struct tare_error *error)
{
    for (ptrdiff_t i = 1; i < parameter->count; i++) {
        for (ptrdiff_t j = 0; j < i; j++) {
            if (strcmp(parameter->texts[i], parameter->texts[j]) == 0) {
                return error_set(error, TARE_ERROR_USAGE, "parameter '%s' has the value '%s' twice",
                                 parameter->name, parameter->texts[i]);
            }
        }
    }
    return TARE_OK;
}
