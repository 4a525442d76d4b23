/* metric_pattern.c: NAME[UNIT]:WORDS=KIND:EXPRESSION, taken apart from the left; then the search,
 * from the end of the output towards its beginning, so that usually only the last lines are looked
 * at. */
#include "codec/metric_pattern.h"

#include "base/text.h"
#include "base/unit.h"

#include <jansson.h>
#include <math.h>
#include <regex.h>
#include <stdlib.h>
#include <string.h>

/* Figures Tare takes of every command; a pattern must not shadow one. */
static const char *const reserved_names[] = {
    "time",
    "user",
    "system",
    "cpu",
    "memory",
    "minor_faults",
    "major_faults",
    "voluntary_switches",
    "involuntary_switches",
    NULL,
};

static const char ONE_GROUP[] =
    "it needs one group in parentheses, around the number, and no other";

static tare_status pattern_parse_head(struct arena *arena, const char *text, const char *equals,
                                      struct metric_pattern *pattern, struct tare_error *error);
static tare_status pattern_parse_body(struct arena *arena, const char *body,
                                      struct metric_pattern *pattern, struct tare_error *error);

/* All mistakes read alike: the pattern as given, what is wrong, and how it is meant. */
static tare_status pattern_refuse(struct arena *arena, const char *text, struct tare_error *error,
                                  const char *what)
{
    return error_set(error, TARE_ERROR_USAGE,
                     "metric '%s': %s (like 'speed[tok/s]:higher=re:([0-9.]+) tok/s' or "
                     "'loss:lower=json:/eval/loss')",
                     text_printable(arena, text, 80), what);
}

tare_status metric_pattern_parse(struct arena *arena, const char *text,
                                 struct metric_pattern *pattern, struct tare_error *error)
{
    *pattern = (struct metric_pattern){0};
    /* The unit may hold '=' or ':'; nothing before the first '=' behind it may. */
    const char *bracket = strchr(text, ']');
    const char *opening = strchr(text, '[');
    const char *equals = strchr(text, '=');
    bool has_unit = opening != NULL && bracket != NULL && (equals == NULL || opening < equals);
    if (has_unit && bracket > opening) {
        equals = strchr(bracket, '=');
    }
    if (equals == NULL) {
        return pattern_refuse(arena, text, error, "it does not say where the number stands");
    }
    tare_status status = pattern_parse_head(arena, text, equals, pattern, error);
    if (status != TARE_OK) {
        return status;
    }
    const char *body = equals + 1;
    if (strncmp(body, "re:", 3) != 0 && strncmp(body, "json:", 5) != 0) {
        return pattern_refuse(arena, text, error, "behind '=' must stand re: or json:");
    }
    return pattern_parse_body(arena, body, pattern, error);
}

/* The words behind the name: what they set is said once. */
struct pattern_words {
    bool has_better;
    bool has_exact;
};

static const char *pattern_apply_word(const char *word, struct metric_pattern *pattern,
                                      struct pattern_words *words)
{
    if (strcmp(word, "exact") == 0) {
        const char *mistake = words->has_exact ? "'exact' is said twice" : NULL;
        words->has_exact = true;
        pattern->is_exact = true;
        return mistake;
    }
    if (!model_better_parse(word, &pattern->better)) {
        return "behind ':' may stand lower, higher and exact";
    }
    const char *mistake = words->has_better ? "lower or higher is said twice" : NULL;
    words->has_better = true;
    return mistake;
}

/* "speed[tok/s]:higher:exact" */
static tare_status pattern_parse_head(struct arena *arena, const char *text, const char *equals,
                                      struct metric_pattern *pattern, struct tare_error *error)
{
    char *head = arena_strndup(arena, text, equals - text);
    char *opening = strchr(head, '[');
    char *rest = strchr(head, ':');
    pattern->unit = "1";
    if (opening != NULL && (rest == NULL || opening < rest)) {
        char *closing = strchr(opening, ']');
        if (closing == NULL || (closing[1] != '\0' && closing[1] != ':')) {
            return pattern_refuse(arena, text, error, "its unit does not end in ']'");
        }
        rest = closing[1] == ':' ? closing + 1 : NULL;
        *opening = '\0';
        *closing = '\0';
        pattern->unit = opening + 1;
        if (!model_name_is_valid(pattern->unit)) {
            return pattern_refuse(arena, text, error, "its unit is empty or not printable");
        }
    }
    struct pattern_words words = {0};
    while (rest != NULL) {
        char *word = rest + 1;
        *rest = '\0';
        rest = strchr(word, ':');
        if (rest != NULL) {
            *rest = '\0';
        }
        const char *mistake = pattern_apply_word(word, pattern, &words);
        if (mistake != NULL) {
            return pattern_refuse(arena, text, error, mistake);
        }
    }
    pattern->name = head;
    if (!model_name_is_valid(head)) {
        return pattern_refuse(arena, text, error, "its name is empty or not printable");
    }
    for (ptrdiff_t i = 0; reserved_names[i] != NULL; i++) {
        if (strcmp(head, reserved_names[i]) == 0) {
            return pattern_refuse(arena, text, error,
                                  "Tare takes a metric of this name itself; choose another");
        }
    }
    if (!words.has_better) {
        return pattern_refuse(arena, text, error, "say whether lower or higher is better");
    }
    return TARE_OK;
}

static const char *pattern_check_expression(const char *expression);
static const char *pattern_check_pointer(const char *pointer);

static tare_status pattern_parse_body(struct arena *arena, const char *body,
                                      struct metric_pattern *pattern, struct tare_error *error)
{
    bool is_json = body[0] == 'j';
    const char *expression = arena_strdup(arena, strchr(body, ':') + 1);
    const char *mistake =
        is_json ? pattern_check_pointer(expression) : pattern_check_expression(expression);
    char reason[256] = "";
    if (mistake == NULL && !is_json) {
        regex_t regex;
        int code = regcomp(&regex, expression, REG_EXTENDED);
        if (code != 0) {
            regerror(code, &regex, reason, sizeof reason);
            mistake = reason;
        } else {
            mistake = regex.re_nsub != 1 ? ONE_GROUP : NULL;
            regfree(&regex);
        }
    }
    if (mistake != NULL) {
        return error_set(error, TARE_ERROR_USAGE, "metric '%s': '%s': %s", pattern->name,
                         text_printable(arena, expression, 80), mistake);
    }
    pattern->is_json = is_json;
    pattern->expression = expression;
    return TARE_OK;
}

/* The last character of a bracket expression that begins at '[': []x], [^]x] and [[:digit:]]
 * included. */
static const char *skip_brackets(const char *cursor)
{
    cursor += cursor[1] == '^' ? 2 : 1;
    cursor += *cursor == ']' ? 1 : 0;
    while (*cursor != '\0' && *cursor != ']') {
        const char *class_end =
            *cursor == '[' && cursor[1] == ':' ? strstr(cursor + 2, ":]") : NULL;
        cursor = class_end != NULL ? class_end + 2 : cursor + 1;
    }
    return *cursor == ']' ? cursor : cursor - 1;
}

/* How often "{3,5}" may repeat what stands before it, 1 at least. */
static double repetitions_of(const char *brace)
{
    size_t length = strcspn(brace, "}");
    const char *comma = memchr(brace, ',', length);
    return fmax(1, fmax(strtod(brace + 1, NULL), comma != NULL ? strtod(comma + 1, NULL) : 0));
}

/* Keeps out what makes the C library's compiler and matcher take memory or time without bound:
 * groups within groups, repetitions of repetitions (each doubles the compiled form), back
 * references. */
static const char *pattern_check_expression(const char *expression)
{
    if (expression[0] == '\0') {
        return "the expression is empty";
    }
    if (strlen(expression) > METRIC_EXPRESSION_BYTES_MAX) {
        return "the expression is too long";
    }
    if (strstr(expression, "||") != NULL) {
        return "an alternative is empty";
    }
    double repetitions = 1;
    int group_count = 0;
    bool is_behind_repetition = false;
    for (const char *cursor = expression; *cursor != '\0'; cursor++) {
        bool is_repetition = strchr("*+?{", *cursor) != NULL;
        if (is_repetition && is_behind_repetition) {
            return "one repetition follows right on another";
        }
        if (*cursor == '\\' && cursor[1] >= '1' && cursor[1] <= '9') {
            return "back references are not supported";
        }
        group_count += *cursor == '(';
        repetitions *= *cursor == '{' ? repetitions_of(cursor) : 1;
        if (*cursor == '\\' && cursor[1] != '\0') {
            cursor++;
        } else if (*cursor == '[') {
            cursor = skip_brackets(cursor);
        } else if (*cursor == '{') {
            cursor += strcspn(cursor, "}");
            cursor -= *cursor == '\0' ? 1 : 0;
        }
        is_behind_repetition = is_repetition;
    }
    if (group_count != 1) {
        return ONE_GROUP;
    }
    /* The compiler writes repetitions out. */
    return repetitions * (double)strlen(expression) <= METRIC_WRITTEN_OUT_BYTES_MAX
               ? NULL
               : "too many repetitions in braces";
}

static const char *pattern_check_pointer(const char *pointer)
{
    if (pointer[0] != '/' && pointer[0] != '\0') {
        return "a JSON pointer begins with '/', like /eval/loss or /runs/0/time";
    }
    for (const char *tilde = strchr(pointer, '~'); tilde != NULL; tilde = strchr(tilde + 1, '~')) {
        if (tilde[1] != '0' && tilde[1] != '1') {
            return "in a JSON pointer '~' is written ~0, and '/' within a name ~1";
        }
    }
    return NULL;
}

static tare_status pattern_extract_regex(struct arena *arena, const struct metric_pattern *pattern,
                                         const char *output, ptrdiff_t length, double *value,
                                         struct tare_error *error);
static tare_status pattern_extract_json(struct arena *arena, const struct metric_pattern *pattern,
                                        const char *output, ptrdiff_t length, double *value,
                                        struct tare_error *error);

tare_status metric_pattern_extract(struct arena *arena, const struct metric_pattern *pattern,
                                   const char *output, ptrdiff_t length, double *value,
                                   struct tare_error *error)
{
    *value = NAN;
    return pattern->is_json ? pattern_extract_json(arena, pattern, output, length, value, error)
                            : pattern_extract_regex(arena, pattern, output, length, value, error);
}

/* The start of the line that ends at `end`. */
static const char *line_start(const char *output, const char *end)
{
    const char *newline = end > output ? memrchr(output, '\n', (size_t)(end - output)) : NULL;
    return newline != NULL ? newline + 1 : output;
}

/* The last match of the group in one line; false when there is none. */
static bool line_last_match(const regex_t *regex, const char *line, ptrdiff_t length,
                            regmatch_t *group)
{
    bool is_found = false;
    ptrdiff_t from = 0;
    while (from <= length) {
        regmatch_t matches[2] = {{.rm_so = (regoff_t)from, .rm_eo = (regoff_t)length}};
        if (regexec(regex, line, 2, matches, REG_STARTEND | (from > 0 ? REG_NOTBOL : 0)) != 0) {
            break;
        }
        /* Nothing right behind a match, as x* finds it, is no match of its own; and the group may
         * have no part in one: (x)|y. */
        bool is_remnant = is_found && matches[0].rm_so == from && matches[0].rm_eo == from;
        if (matches[1].rm_so >= 0 && !is_remnant) {
            *group = matches[1];
            is_found = true;
        }
        from = matches[0].rm_eo > from ? matches[0].rm_eo : from + 1;
    }
    return is_found;
}

/* The number that a group was cut out of: "5" of "-5", of "12.5", "999" of "1e999". NULL: it stands
 * for itself. */
static const char *longer_number(struct arena *arena, const char *line, ptrdiff_t length,
                                 const regmatch_t *group)
{
    static const char parts[] = "0123456789.eE+-";
    ptrdiff_t from = group->rm_so;
    ptrdiff_t to = group->rm_eo;
    while (from > 0 && line[from - 1] != '\0' && strchr(parts, line[from - 1]) != NULL) {
        from--;
    }
    while (to < length && line[to] != '\0' && strchr(parts, line[to]) != NULL) {
        to++;
    }
    if (from == group->rm_so && to == group->rm_eo) {
        return NULL;
    }
    const char *whole = arena_strndup(arena, line + from, to - from);
    char *end = NULL;
    (void)strtod(whole, &end);
    return end != whole && *end == '\0' ? whole : NULL;
}

/* The last match in the output, line by line from its end. */
static tare_status extract_compiled(struct arena *arena, const struct metric_pattern *pattern,
                                    const regex_t *regex, const char *output, ptrdiff_t length,
                                    double *value, struct tare_error *error)
{
    const char *end = output + length;
    while (end >= output) {
        const char *start = line_start(output, end);
        if (end - start > METRIC_LINE_BYTES_MAX) {
            return error_set(error, TARE_ERROR_MEASURE,
                             "metric '%s': the output has a line longer than %d bytes",
                             pattern->name, METRIC_LINE_BYTES_MAX);
        }
        regmatch_t group;
        if (line_last_match(regex, start, end - start, &group)) {
            const char *text = arena_strndup(arena, start + group.rm_so, group.rm_eo - group.rm_so);
            bool has_nul = (ptrdiff_t)strlen(text) != group.rm_eo - group.rm_so;
            if (has_nul || !unit_parse_double(text, value)) {
                *value = NAN;
                return error_set(error, TARE_ERROR_MEASURE,
                                 "metric '%s': '%s' in the output is not a finite number",
                                 pattern->name, text_printable(arena, text, 60));
            }
            const char *whole = longer_number(arena, start, end - start, &group);
            if (whole != NULL) {
                *value = NAN;
                return error_set(error, TARE_ERROR_MEASURE,
                                 "metric '%s': '%s' in the output is a part of '%s': let the "
                                 "pattern's group take the whole number",
                                 pattern->name, text_printable(arena, text, 60),
                                 text_printable(arena, whole, 60));
            }
            return TARE_OK;
        }
        if (start == output) {
            break;
        }
        end = start - 1;
    }
    return error_set(error, TARE_ERROR_MEASURE, "metric '%s': nothing in the output matches '%s'",
                     pattern->name, text_printable(arena, pattern->expression, 80));
}

/* Compiled anew for every output: tens of microseconds beside a whole process, and nothing to give
 * back later. */
static tare_status pattern_extract_regex(struct arena *arena, const struct metric_pattern *pattern,
                                         const char *output, ptrdiff_t length, double *value,
                                         struct tare_error *error)
{
    regex_t regex;
    if (regcomp(&regex, pattern->expression, REG_EXTENDED) != 0) {
        return error_set(error, TARE_ERROR_MEMORY, "metric '%s': out of memory", pattern->name);
    }
    tare_status status = extract_compiled(arena, pattern, &regex, output, length, value, error);
    regfree(&regex);
    return status;
}

/* The whole output as JSON, else its last line that is an object or array; NULL when there is none.
 */
static json_t *output_parse_json(const char *output, ptrdiff_t length)
{
    json_t *root = json_loadb(output, (size_t)length, JSON_DECODE_ANY, NULL);
    const char *end = output + length;
    while (root == NULL && end > output) {
        const char *start = line_start(output, end);
        if (start < end && (*start == '{' || *start == '[')) {
            root = json_loadb(start, (size_t)(end - start), 0, NULL);
        }
        end = start > output ? start - 1 : output;
    }
    return root;
}

/* One step of a pointer: a member's name with ~0 and ~1 undone, or an element's number. */
static const json_t *json_step(struct arena *arena, const json_t *value, const char *token,
                               ptrdiff_t length)
{
    char *name = arena_strndup(arena, token, length);
    if (json_is_array(value)) {
        bool is_number = length > 0 && length < 10 &&
                         strspn(name, "0123456789") == (size_t)length &&
                         (name[0] != '0' || length == 1);
        return is_number ? json_array_get(value, (size_t)strtoul(name, NULL, 10)) : NULL;
    }
    char *write = name;
    for (const char *read = name; *read != '\0'; read++) {
        if (*read == '~') {
            *write++ = *++read == '1' ? '/' : '~';
        } else {
            *write++ = *read;
        }
    }
    *write = '\0';
    return json_object_get(value, name);
}

static const char *json_kind(const json_t *value)
{
    static const char *const names[] = {
        [JSON_OBJECT] = "an object",   [JSON_ARRAY] = "an array", [JSON_STRING] = "a text",
        [JSON_INTEGER] = "an integer", [JSON_REAL] = "a number",  [JSON_TRUE] = "true",
        [JSON_FALSE] = "false",        [JSON_NULL] = "null",
    };
    return names[json_typeof(value)];
}

static tare_status pattern_extract_json(struct arena *arena, const struct metric_pattern *pattern,
                                        const char *output, ptrdiff_t length, double *value,
                                        struct tare_error *error)
{
    json_t *root = output_parse_json(output, length);
    const char *shown = text_printable(arena, pattern->expression, 80);
    if (root == NULL) {
        return error_set(error, TARE_ERROR_MEASURE,
                         "metric '%s': neither the output nor a line of it is JSON", pattern->name);
    }
    const json_t *found = root;
    for (const char *token = pattern->expression; *token != '\0' && found != NULL;) {
        token++;
        ptrdiff_t token_length = (ptrdiff_t)strcspn(token, "/");
        found = json_step(arena, found, token, token_length);
        token += token_length;
    }
    tare_status status = TARE_OK;
    if (found == NULL) {
        status = error_set(error, TARE_ERROR_MEASURE, "metric '%s': the output's JSON has no '%s'",
                           pattern->name, shown);
    } else if (!json_is_number(found) || !isfinite(json_number_value(found))) {
        status = error_set(error, TARE_ERROR_MEASURE,
                           "metric '%s': '%s' in the output's JSON is %s, not a number",
                           pattern->name, shown, json_kind(found));
    } else {
        *value = json_number_value(found);
    }
    json_decref(root);
    return status;
}
