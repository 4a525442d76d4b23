/* policy_value.c: the single values of tare.yaml: texts, names, times, shares, thresholds, days.
 *
 * Each refuses what cannot be meant and says what it wants, with the example of its row in the
 * tables. */
#include "codec/policy_value.h"

#include "base/text.h"
#include "base/unit.h"
#include "model/policy.h"

#include <string.h>

const char *policy_shown(struct policy_reader *reader, const char *text)
{
    return text_printable(reader->arena, text, 60);
}

const char *policy_node_kind(const yaml_node_t *node)
{
    return node->type == YAML_SEQUENCE_NODE  ? "a list"
           : node->type == YAML_MAPPING_NODE ? "a mapping"
                                             : "a single value";
}

tare_status(policy_complain)(struct policy_reader *reader, const yaml_mark_t *mark,
                             const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    const char *message = arena_vprintf(reader->arena, format, arguments);
    va_end(arguments);
    return error_set(reader->error, TARE_ERROR_USAGE, "%s:%zu:%zu: %s", reader->file_name,
                     mark->line + 1, mark->column + 1, message);
}

/* The text of a scalar. Refused: other kinds of node, nothing at all, NUL bytes, too much. */
tare_status policy_scalar(struct policy_reader *reader, const yaml_node_t *node,
                          const struct policy_key *key, const char **text)
{
    if (node->type != YAML_SCALAR_NODE) {
        return policy_complain(reader, &node->start_mark, "%s wants %s, not %s", key->name,
                               key->expected, policy_node_kind(node));
    }
    const char *value = (const char *)node->data.scalar.value;
    size_t length = node->data.scalar.length;
    bool is_plain = node->data.scalar.style == YAML_PLAIN_SCALAR_STYLE;
    if (length == 0 || (is_plain && (strcmp(value, "~") == 0 || strcmp(value, "null") == 0))) {
        return policy_complain(reader, &node->start_mark,
                               "%s has no value: it wants %s (or remove the key)", key->name,
                               key->expected);
    }
    if (strlen(value) != length) {
        return policy_complain(reader, &node->start_mark, "%s holds a NUL character", key->name);
    }
    if (length > MODEL_VALUE_BYTES_MAX) {
        return policy_complain(reader, &node->start_mark, "%s is %zu bytes long (at most %d)",
                               key->name, length, MODEL_VALUE_BYTES_MAX);
    }
    *text = arena_strndup(reader->arena, value, (ptrdiff_t)length);
    return TARE_OK;
}

tare_status policy_read_text(struct policy_reader *reader, yaml_node_t *node,
                             const struct policy_key *key, void *target)
{
    const char *text = NULL;
    tare_status status = policy_scalar(reader, node, key, &text);
    if (status == TARE_OK) {
        memcpy(target, &text, sizeof text);
    }
    return status;
}

tare_status policy_read_name(struct policy_reader *reader, yaml_node_t *node,
                             const struct policy_key *key, void *target)
{
    const char *text = NULL;
    tare_status status = policy_scalar(reader, node, key, &text);
    if (status != TARE_OK) {
        return status;
    }
    if (!model_name_is_valid(text)) {
        return policy_complain(reader, &node->start_mark,
                               "%s '%s' is no name: at most %d bytes, without control characters",
                               key->name, policy_shown(reader, text), MODEL_NAME_BYTES_MAX);
    }
    memcpy(target, &text, sizeof text);
    return TARE_OK;
}

/* "KEY wants EXPECTED, not 'text'". */
static tare_status not_expected(struct policy_reader *reader, const yaml_node_t *node,
                                const struct policy_key *key, const char *text)
{
    return policy_complain(reader, &node->start_mark, "%s wants %s, not '%s'", key->name,
                           key->expected, policy_shown(reader, text));
}

tare_status policy_read_choice(struct policy_reader *reader, yaml_node_t *node,
                               const struct policy_key *key, const char *const *words, int *choice)
{
    const char *text = NULL;
    tare_status status = policy_scalar(reader, node, key, &text);
    if (status != TARE_OK) {
        return status;
    }
    for (int i = 0; words[i] != NULL; i++) {
        if (strcmp(words[i], text) == 0) {
            *choice = i;
            return TARE_OK;
        }
    }
    return not_expected(reader, node, key, text);
}

tare_status policy_read_bool(struct policy_reader *reader, yaml_node_t *node,
                             const struct policy_key *key, void *target)
{
    static const char *const words[] = {"false", "true", NULL};
    int choice = 0;
    tare_status status = policy_read_choice(reader, node, key, words, &choice);
    *(bool *)target = choice == 1;
    return status;
}

tare_status policy_read_level(struct policy_reader *reader, yaml_node_t *node,
                              const struct policy_key *key, void *target)
{
    static const char *const words[] = {"minor", "warning", "critical", NULL};
    static const enum model_level levels[] = {MODEL_LEVEL_MINOR, MODEL_LEVEL_WARNING,
                                              MODEL_LEVEL_CRITICAL};
    int choice = 0;
    tare_status status = policy_read_choice(reader, node, key, words, &choice);
    *(enum model_level *)target = levels[choice];
    return status;
}

tare_status policy_read_preset(struct policy_reader *reader, yaml_node_t *node,
                               const struct policy_key *key, void *target)
{
    const char *words[MODEL_PRESET_COUNT + 1] = {NULL};
    for (int i = 0; i < MODEL_PRESET_COUNT; i++) {
        words[i] = model_preset_name((enum model_preset)i);
    }
    int choice = 0;
    tare_status status = policy_read_choice(reader, node, key, words, &choice);
    *(enum model_preset *)target = (enum model_preset)choice;
    return status;
}

tare_status policy_read_conditions(struct policy_reader *reader, yaml_node_t *node,
                                   const struct policy_key *key, void *target)
{
    static const char *const words[] = {"warn", "inconclusive", NULL};
    int choice = 0;
    tare_status status = policy_read_choice(reader, node, key, words, &choice);
    *(enum model_conditions *)target = (enum model_conditions)choice;
    return status;
}

tare_status policy_read_bench_from(struct policy_reader *reader, yaml_node_t *node,
                                   const struct policy_key *key, void *target)
{
    static const char *const words[] = {"own", "base", "head", NULL};
    int choice = 0;
    tare_status status = policy_read_choice(reader, node, key, words, &choice);
    *(enum model_bench_from *)target = (enum model_bench_from)choice;
    return status;
}

tare_status policy_read_outcome(struct policy_reader *reader, yaml_node_t *node,
                                const struct policy_key *key, void *target)
{
    static const char *const words[] = {"fail", "pass", "neutral", NULL};
    int choice = 0;
    tare_status status = policy_read_choice(reader, node, key, words, &choice);
    *(enum model_outcome *)target = (enum model_outcome)choice;
    return status;
}

tare_status policy_read_time(struct policy_reader *reader, yaml_node_t *node,
                             const struct policy_key *key, void *target)
{
    const char *text = NULL;
    tare_status status = policy_scalar(reader, node, key, &text);
    if (status != TARE_OK) {
        return status;
    }
    double time_ns = 0;
    if (!unit_parse_time_ns(text, &time_ns) || time_ns <= 0) {
        return not_expected(reader, node, key, text);
    }
    *(double *)target = time_ns;
    return TARE_OK;
}

/* An age: like a time, but a bare 90 would be 90 seconds, which nobody means. */
tare_status policy_read_age(struct policy_reader *reader, yaml_node_t *node,
                            const struct policy_key *key, void *target)
{
    const char *text = NULL;
    tare_status status = policy_scalar(reader, node, key, &text);
    double number = 0;
    if (status == TARE_OK && unit_parse_double(text, &number)) {
        status = policy_complain(
            reader, &node->start_mark, "%s: %s would be %s seconds: write %sd for days", key->name,
            policy_shown(reader, text), policy_shown(reader, text), policy_shown(reader, text));
    }
    return status == TARE_OK ? policy_read_time(reader, node, key, target) : status;
}

/* A whole number between two others. */
static tare_status read_integer(struct policy_reader *reader, yaml_node_t *node,
                                const struct policy_key *key, int64_t least, int64_t most,
                                int64_t *number)
{
    const char *text = NULL;
    tare_status status = policy_scalar(reader, node, key, &text);
    if (status != TARE_OK) {
        return status;
    }
    int64_t value = 0;
    if (!unit_parse_int64(text, &value) || value < least || value > most) {
        return policy_complain(reader, &node->start_mark,
                               "%s wants a whole number from %lld to %lld, not '%s'", key->name,
                               (long long)least, (long long)most, policy_shown(reader, text));
    }
    *number = value;
    return TARE_OK;
}

tare_status policy_read_retries(struct policy_reader *reader, yaml_node_t *node,
                                const struct policy_key *key, void *target)
{
    int64_t number = 0;
    tare_status status = read_integer(reader, node, key, 0, POLICY_RETRIES_MAX, &number);
    *(int *)target = (int)number;
    return status;
}

tare_status policy_read_keep(struct policy_reader *reader, yaml_node_t *node,
                             const struct policy_key *key, void *target)
{
    return read_integer(reader, node, key, 1, 1000000000, target);
}

/* A hundred years is for ever. */
tare_status policy_read_days(struct policy_reader *reader, yaml_node_t *node,
                             const struct policy_key *key, void *target)
{
    return read_integer(reader, node, key, 1, 36500, target);
}

/* The name of a revision, branch or baseline: nothing that git could take for an option. */
tare_status policy_read_revision(struct policy_reader *reader, yaml_node_t *node,
                                 const struct policy_key *key, void *target)
{
    const char *text = NULL;
    tare_status status = policy_read_name(reader, node, key, &text);
    if (status != TARE_OK) {
        return status;
    }
    if (text[0] == '-') {
        return not_expected(reader, node, key, text);
    }
    memcpy(target, &text, sizeof text);
    return TARE_OK;
}

/* A share. A bare 3 would be 300 %, which nobody means. */
static tare_status read_ratio(struct policy_reader *reader, yaml_node_t *node,
                              const struct policy_key *key, bool is_below_one, double *ratio)
{
    const char *text = NULL;
    tare_status status = policy_scalar(reader, node, key, &text);
    if (status != TARE_OK) {
        return status;
    }
    if (!unit_parse_ratio(text, ratio)) {
        return not_expected(reader, node, key, text);
    }
    if (*ratio >= 1 && strchr(text, '%') == NULL) {
        return policy_complain(reader, &node->start_mark, "%s: %s would be %.0f%%: write %s%%",
                               key->name, policy_shown(reader, text), *ratio * 100,
                               policy_shown(reader, text));
    }
    if (*ratio >= 1 && is_below_one) {
        return policy_complain(reader, &node->start_mark, "%s must be below 100%%, not %s",
                               key->name, policy_shown(reader, text));
    }
    return TARE_OK;
}

tare_status policy_read_share(struct policy_reader *reader, yaml_node_t *node,
                              const struct policy_key *key, void *target)
{
    return read_ratio(reader, node, key, true, target);
}

tare_status policy_read_confidence(struct policy_reader *reader, yaml_node_t *node,
                                   const struct policy_key *key, void *target)
{
    double confidence = 0;
    tare_status status = read_ratio(reader, node, key, true, &confidence);
    if (status != TARE_OK) {
        return status;
    }
    /* Below a coin toss no interval says anything. */
    if (confidence < 0.5) {
        return policy_complain(reader, &node->start_mark, "%s must be at least 50%%, as in 99%%",
                               key->name);
    }
    *(double *)target = confidence;
    return TARE_OK;
}

tare_status policy_read_date(struct policy_reader *reader, yaml_node_t *node,
                             const struct policy_key *key, void *target)
{
    static const int days_of[] = {31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
    const char *text = NULL;
    tare_status status = policy_scalar(reader, node, key, &text);
    if (status != TARE_OK) {
        return status;
    }
    static const char form[] = "dddd-dd-dd";
    int32_t number = 0;
    bool is_date = strlen(text) == sizeof form - 1;
    for (size_t i = 0; is_date && i < sizeof form - 1; i++) {
        bool is_digit = text[i] >= '0' && text[i] <= '9';
        is_date = form[i] == 'd' ? is_digit : text[i] == form[i];
        number = is_digit ? number * 10 + (text[i] - '0') : number;
    }
    int year = number / 10000;
    int month = number / 100 % 100;
    int day = number % 100;
    bool is_leap = (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;
    /* Before 2000 nobody can have meant it. */
    if (!is_date || year < 2000 || month < 1 || month > 12 || day < 1 || day > days_of[month - 1] ||
        (month == 2 && day == 29 && !is_leap)) {
        return not_expected(reader, node, key, text);
    }
    *(int32_t *)target = number;
    return TARE_OK;
}

tare_status policy_read_quantity(struct policy_reader *reader, yaml_node_t *node,
                                 const struct policy_key *key, void *target)
{
    struct model_quantity *quantity = target;
    const char *text = NULL;
    tare_status status = policy_scalar(reader, node, key, &text);
    if (status != TARE_OK) {
        return status;
    }
    quantity->is_set = unit_parse_quantity(reader->arena, text, &quantity->value, &quantity->unit);
    return quantity->is_set ? TARE_OK : not_expected(reader, node, key, text);
}

tare_status policy_read_threshold(struct policy_reader *reader, yaml_node_t *node,
                                  const struct policy_key *key, void *target)
{
    static const char suffix[] = " absolute";
    struct model_threshold *threshold = target;
    const char *text = NULL;
    tare_status status = policy_scalar(reader, node, key, &text);
    if (status != TARE_OK) {
        return status;
    }
    threshold->is_set = true;
    threshold->unit = "";
    ptrdiff_t number_length = (ptrdiff_t)strlen(text) - (ptrdiff_t)strlen(suffix);
    if (number_length <= 0 || strcmp(text + number_length, suffix) != 0) {
        return read_ratio(reader, node, key, false, &threshold->value);
    }
    threshold->is_absolute = true;
    const char *number = arena_strndup(reader->arena, text, number_length);
    if (!unit_parse_quantity(reader->arena, number, &threshold->value, &threshold->unit) ||
        threshold->value < 0) {
        return not_expected(reader, node, key, text);
    }
    if (strchr(threshold->unit, '%') != NULL) {
        return policy_complain(reader, &node->start_mark,
                               "%s: '%s' is both a share and a difference: write 3%% for a share, "
                               "or 0.002 absolute in the metric's own unit",
                               key->name, policy_shown(reader, text));
    }
    return TARE_OK;
}
