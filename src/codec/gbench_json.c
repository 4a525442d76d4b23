#include "codec/gbench_json.h"

#include "base/buffer.h"
#include "base/text.h"
#include "codec/json_read.h"
#include "model/model.h"

#include <math.h>
#include <string.h>

enum {
    ROWS_MAX = 1000000,  /* repetitions in one file */
    NAME_COLUMNS = 100,  /* of a name in a message */
    TABLE_RULE_MIN = 20, /* dashes above and below the head of the table on a terminal */
};
/* 100 years: a larger number is a broken clock. */
static const double TIME_NS_MAX = 3.2e18;

const char *const gbench_counters[GBENCH_COUNTERS] = {
    [GBENCH_BYTES_PER_SECOND] = "bytes_per_second",
    [GBENCH_ITEMS_PER_SECOND] = "items_per_second",
};

static const struct {
    const char *name;
    double ns;
} time_units[] = {{"ns", 1}, {"us", 1e3}, {"ms", 1e6}, {"s", 1e9}};

static char *replace_bare_words(struct arena *arena, const char *text, ptrdiff_t length);
static tare_status read_rows(struct arena *arena, const json_t *rows, struct gbench_result *result,
                             struct tare_error *error);

tare_status gbench_read_result(struct arena *arena, const char *text, ptrdiff_t length,
                               struct gbench_result *result, struct tare_error *error)
{
    *result = (struct gbench_result){0};
    if (length == 0) {
        return error_set(error, TARE_ERROR_MEASURE, "the result file is empty");
    }
    json_t *document = NULL;
    const char *plain = replace_bare_words(arena, text, length);
    tare_status status =
        memchr(text, '\0', (size_t)length) != NULL
            ? error_set(error, TARE_ERROR_MEASURE, "the result file has a NUL byte in it")
            : json_read_object(arena, plain, "the result file", &document, error);
    if (status != TARE_OK) {
        return status;
    }
    const json_t *rows = json_object_get(document, "benchmarks");
    const json_t *context = json_object_get(document, "context");
    const char *build = json_string_value(json_object_get(context, "library_build_type"));
    result->is_debug_library = build != NULL && strcmp(build, "debug") == 0;
    status = json_is_array(rows) ? read_rows(arena, rows, result, error)
                                 : error_set(error, TARE_ERROR_MEASURE,
                                             "the result file has no list \"benchmarks\"");
    json_decref(document);
    return status;
}

/* The bare word at the start of the text that stands for no number, or NULL. */
static const char *bare_word(const char *text, ptrdiff_t length)
{
    static const char *const words[] = {"-Infinity", "Infinity", "-NaN", "NaN"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        size_t word_length = strlen(words[i]);
        if (length >= (ptrdiff_t)word_length && memcmp(text, words[i], word_length) == 0) {
            return words[i];
        }
    }
    return NULL;
}

/* NaN and Infinity outside of strings become null. */
static char *replace_bare_words(struct arena *arena, const char *text, ptrdiff_t length)
{
    /* "NaN" grows by one byte, so twice the length is always enough. */
    struct buffer out = buffer_new(arena, 2 * length + 1);
    bool is_string = false;
    for (ptrdiff_t i = 0; i < length; i++) {
        const char *word = is_string ? NULL : bare_word(text + i, length - i);
        if (word != NULL) {
            buffer_text(&out, "null");
            i += (ptrdiff_t)strlen(word) - 1;
            continue;
        }
        if (is_string && text[i] == '\\' && i + 1 < length) {
            buffer_char(&out, text[i++]);
        } else if (text[i] == '"') {
            is_string = !is_string;
        }
        buffer_char(&out, text[i]);
    }
    return arena_strndup(arena, buffer_string(&out), out.length);
}

static tare_status row_error(struct arena *arena, const struct gbench_row *row, const char *what,
                             struct tare_error *error)
{
    return error_set(error, TARE_ERROR_MEASURE, "the result of '%s' %s",
                     text_printable(arena, row->name, NAME_COLUMNS), what);
}

/* A time of the row, in nanoseconds. */
static tare_status read_time(struct arena *arena, const json_t *object,
                             const struct gbench_row *row, const char *member, double *time_ns,
                             struct tare_error *error)
{
    const char *unit = json_string_value(json_object_get(object, "time_unit"));
    double factor = 0;
    for (size_t i = 0; unit != NULL && i < sizeof time_units / sizeof *time_units; i++) {
        factor = strcmp(unit, time_units[i].name) == 0 ? time_units[i].ns : factor;
    }
    if (factor == 0) {
        return row_error(arena, row, "has no time unit that is known (ns, us, ms, s)", error);
    }
    const json_t *value = json_object_get(object, member);
    *time_ns = json_number_value(value) * factor;
    if (!json_is_number(value) || !(*time_ns >= 0 && *time_ns < TIME_NS_MAX)) {
        return row_error(arena, row, arena_printf(arena, "has no usable %s", member), error);
    }
    return TARE_OK;
}

/* What a failed or skipped benchmark said; NULL when the flag is not set. */
static const char *read_message(struct arena *arena, const json_t *object, const char *flag,
                                const char *member)
{
    return json_is_true(json_object_get(object, flag))
               ? json_read_text(arena, object, member, "no reason given")
               : NULL;
}

static tare_status read_row(struct arena *arena, const json_t *object, struct gbench_row *row,
                            struct tare_error *error)
{
    row->failure = read_message(arena, object, "error_occurred", "error_message");
    row->skip_reason = read_message(arena, object, "skipped", "skip_message");
    for (int i = 0; i < GBENCH_COUNTERS; i++) {
        const json_t *value = json_object_get(object, gbench_counters[i]);
        double number = json_is_number(value) ? json_number_value(value) : NAN;
        row->counters[i] = isfinite(number) && number >= 0 ? number : NAN;
    }
    if (row->failure != NULL || row->skip_reason != NULL) {
        return TARE_OK; /* its times are zeros that mean nothing */
    }
    row->iterations = json_number_value(json_object_get(object, "iterations"));
    if (!(row->iterations >= 1)) {
        return row_error(arena, row, "has no usable count of iterations", error);
    }
    tare_status status = read_time(arena, object, row, "real_time", &row->time_ns, error);
    return status == TARE_OK ? read_time(arena, object, row, "cpu_time", &row->cpu_ns, error)
                             : status;
}

static bool is_aggregate(const json_t *object)
{
    const char *type = json_string_value(json_object_get(object, "run_type"));
    return (type != NULL && strcmp(type, "aggregate") == 0) ||
           json_object_get(object, "aggregate_name") != NULL;
}

static tare_status read_rows(struct arena *arena, const json_t *rows, struct gbench_result *result,
                             struct tare_error *error)
{
    if (json_array_size(rows) > ROWS_MAX) {
        return error_set(error, TARE_ERROR_MEASURE, "the result file has more than %d rows",
                         ROWS_MAX);
    }
    result->rows = ARENA_ARRAY(arena, struct gbench_row, (ptrdiff_t)json_array_size(rows) + 1);
    size_t i = 0;
    const json_t *object = NULL;
    json_array_foreach(rows, i, object)
    {
        if (is_aggregate(object)) {
            result->aggregate_count++;
            continue;
        }
        struct gbench_row *row = &result->rows[result->count];
        /* Before 1.5 there was no run_name; repetitions then had the benchmark's own. */
        row->name =
            json_read_text(arena, object, "run_name", json_read_text(arena, object, "name", NULL));
        tare_status status = row->name != NULL && model_name_is_valid(row->name)
                                 ? read_row(arena, object, row, error)
                                 : error_set(error, TARE_ERROR_MEASURE,
                                             "row %zu of the result file has no usable name", i);
        if (status != TARE_OK) {
            return status;
        }
        result->count++;
    }
    return TARE_OK;
}

static bool is_table_rule(const char *line)
{
    size_t dashes = strspn(line, "-");
    return dashes >= TABLE_RULE_MIN && line[dashes] == '\0';
}

/* Is this one of the lines of the text? */
static bool has_line(const char *text, const char *line)
{
    size_t length = strlen(line);
    for (const char *at = text; *at != '\0';) {
        size_t here = strcspn(at, "\n");
        if (here == length && memcmp(at, line, length) == 0) {
            return true;
        }
        at += here + (at[here] == '\n');
    }
    return false;
}

static tare_status add_name(struct arena *arena, const char *name, struct gbench_list *list,
                            ptrdiff_t *capacity, struct tare_error *error)
{
    if (is_table_rule(name)) {
        return error_set(error, TARE_ERROR_MEASURE,
                         "it ran its benchmarks when asked to list them: its main() does not hand "
                         "the flags to benchmark::Initialize");
    }
    if (!model_name_is_valid(name)) {
        return error_set(error, TARE_ERROR_MEASURE, "it lists a bad benchmark name: %s",
                         text_printable(arena, name, NAME_COLUMNS));
    }
    if (list->count >= MODEL_BENCHMARKS_MAX) {
        return error_set(error, TARE_ERROR_MEASURE, "it lists more than %d benchmarks",
                         MODEL_BENCHMARKS_MAX);
    }
    list->names =
        arena_grow(arena, list->names, capacity, list->count + 1, (ptrdiff_t)sizeof *list->names);
    list->names[list->count++] = name;
    return TARE_OK;
}

tare_status gbench_read_list(struct arena *arena, const char *text, const char *noise,
                             struct gbench_list *list, struct tare_error *error)
{
    *list = (struct gbench_list){0};
    ptrdiff_t capacity = 0;
    tare_status status = TARE_OK;
    for (const char *at = text; *at != '\0' && status == TARE_OK;) {
        size_t length = strcspn(at, "\n");
        const char *line = arena_strndup(arena, at, (ptrdiff_t)length);
        at += length + (at[length] == '\n');
        /* A table is told by its rule even where every line of it is noise. */
        if (length > 0 && (is_table_rule(line) || !has_line(noise, line))) {
            status = add_name(arena, line, list, &capacity, error);
        }
    }
    return status;
}

char *gbench_filter(struct arena *arena, const char *name)
{
    struct buffer out = buffer_new(arena, BUFFER_LENGTH_MAX);
    buffer_char(&out, '^');
    for (const char *at = name; *at != '\0'; at++) {
        /* "]" and "}" alone are ordinary, and a backslash before them is an error to some. */
        if (strchr(".[\\()*+?{|^$", *at) != NULL) {
            buffer_char(&out, '\\');
        }
        buffer_char(&out, *at);
    }
    buffer_char(&out, '$');
    return arena_strdup(arena, buffer_string(&out));
}
