/* import_csv.c: tables with a head line.
 *
 *   benchmark,param:n,launch,time[ms]:lower,speed[tok/s]:higher      our own
 *   parse,1000,0,1.25,80
 *
 * `benchmark` (or `name`) is needed. `suite`, `launch` (number of the process; without it all rows
 * are of one) and `param:NAME` are optional. A metric's head says its unit and direction; times
 * become ns. A column without them is left out unless --metric explains it. Every row is one sample
 * of each metric; an empty cell is none.
 *
 * Two tools' tables are known by their heads: hyperfine's `--export-csv` (point values: the median,
 * user and system) and Criterion's raw.csv (samples). Separated by commas; cells may stand in
 * double quotes, with doubled ones inside, on one line. */
#include "codec/import_formats.h"

#include "base/text.h"
#include "base/unit.h"
#include "codec/import_json.h"

#include <math.h>
#include <string.h>

enum { COLUMNS_MAX = 512 };

enum column_kind {
    COLUMN_IGNORED,
    COLUMN_NAME,
    COLUMN_SUITE,
    COLUMN_LAUNCH,
    COLUMN_PARAMETER,  /* metric: its name */
    COLUMN_VALUE,      /* a metric that is explained */
    COLUMN_OPEN,       /* one that is not */
    COLUMN_TOTAL,      /* of all iterations, in the row's unit */
    COLUMN_UNIT,       /* of the row's totals */
    COLUMN_ITERATIONS, /* of the row's totals */
};

struct column {
    const char *head;
    enum column_kind kind;
    const char *metric;
    const char *unit;
    const char *written_unit;
    double factor;
    enum model_better better;
    bool is_exact;
};

/* Heads of known tools; the first column tells which. */
static const struct column hyperfine_columns[] = {
    {.head = "command", .kind = COLUMN_NAME},
    {"median", COLUMN_VALUE, "time", "ns", "s", 1e9, MODEL_LOWER_IS_BETTER, false},
    {"user", COLUMN_VALUE, "user", "ns", "s", 1e9, MODEL_LOWER_IS_BETTER, false},
    {"system", COLUMN_VALUE, "system", "ns", "s", 1e9, MODEL_LOWER_IS_BETTER, false},
    {.head = NULL},
};
static const struct column criterion_columns[] = {
    {.head = "group", .kind = COLUMN_SUITE},
    {.head = "function", .kind = COLUMN_NAME},
    {.head = "value", .kind = COLUMN_PARAMETER, .metric = "value"},
    {.head = "sample_measured_value", .kind = COLUMN_TOTAL, .metric = "time"},
    {.head = "unit", .kind = COLUMN_UNIT},
    {.head = "iteration_count", .kind = COLUMN_ITERATIONS},
    {.head = NULL},
};
static const struct {
    const char *start;
    const struct column *columns;
    const char *parameter_prefix;
    bool is_point;
} dialects[] = {
    {"command,mean,stddev,median,user,system,min,max", hyperfine_columns, "parameter_", true},
    {"group,function,value,throughput_num,", criterion_columns, NULL, false},
};

struct reading {
    struct import_source *source;
    struct import_sink *sink;
    struct arena *lasting;
    struct arena *arena; /* of one line */
    struct column columns[COLUMNS_MAX];
    ptrdiff_t column_count;
    bool is_point;
};

struct cells {
    const char *items[COLUMNS_MAX];
    ptrdiff_t count;
};

static tare_status read_head(struct reading *reading, const char *line, struct tare_error *error);
static tare_status read_row(struct reading *reading, const char *line, struct tare_error *error);

/* Does the line begin with this cell? */
static bool begins_with(const char *line, const char *cell)
{
    size_t length = strlen(cell);
    return strncmp(line, cell, length) == 0 && line[length] == ',';
}

static bool recognise(const char *head, ptrdiff_t length, const char *path)
{
    (void)length;
    (void)path;
    if (strncmp(head, "\xef\xbb\xbf", 3) == 0) {
        head += 3;
    }
    for (size_t i = 0; i < sizeof dialects / sizeof *dialects; i++) {
        if (strncmp(head, dialects[i].start, strlen(dialects[i].start)) == 0) {
            return true;
        }
    }
    return begins_with(head, "benchmark") || begins_with(head, "name") ||
           begins_with(head, "suite");
}

static tare_status read_file(struct import_source *source, struct import_sink *sink,
                             struct tare_error *error)
{
    struct arena lasting = {0};
    struct arena line_arena = {0};
    struct reading *reading = ARENA_NEW(&lasting, struct reading);
    *reading =
        (struct reading){.source = source, .sink = sink, .lasting = &lasting, .arena = &line_arena};
    struct import_lines lines = import_lines_new(&lasting, source);
    import_sink_read(sink, source);
    tare_status status = TARE_OK;
    while (import_lines_next(&lines, &status, error)) {
        if (lines.length > 0) {
            status = reading->column_count == 0 ? read_head(reading, lines.text, error)
                                                : read_row(reading, lines.text, error);
        }
        arena_free(&line_arena);
        if (status != TARE_OK) {
            break;
        }
    }
    arena_free(&lasting);
    return status;
}

const struct import_format import_csv = {
    .name = "csv",
    .description = "CSV: benchmark,time[ms]:lower; hyperfine --export-csv; Criterion's raw.csv",
    .looked_for = "a head \"benchmark,…\" (CSV)",
    .recognise = recognise,
    .read = read_file,
};

/* ---- cells ---- */

static tare_status split(struct reading *reading, const char *line, struct cells *cells,
                         struct tare_error *error)
{
    cells->count = 0;
    for (const char *at = line;; at++) {
        char *text = arena_alloc(reading->arena, (ptrdiff_t)strlen(at) + 1, 1);
        char *end = text;
        bool is_quoted = *at == '"';
        at += is_quoted;
        while (*at != '\0' && (is_quoted || *at != ',')) {
            if (is_quoted && *at == '"') {
                if (at[1] != '"') {
                    is_quoted = false;
                    at++;
                    continue;
                }
                at++;
            }
            *end++ = *at++;
        }
        if (is_quoted) {
            return import_fail(reading->source, error, "a quote that does not end on its line");
        }
        if (cells->count == COLUMNS_MAX) {
            return import_fail(reading->source, error, "more than %d columns", COLUMNS_MAX);
        }
        cells->items[cells->count++] = text;
        if (*at == '\0') {
            return TARE_OK;
        }
    }
}

/* ---- the head ---- */

/* "time[ms]:lower:exact", already known to hold a direction. */
static tare_status read_metric_head(struct reading *reading, struct column *column,
                                    struct tare_error *error)
{
    struct import_rule rule;
    struct tare_error cause = {0};
    if (import_rule_parse(reading->lasting, column->head, &rule, &cause) != TARE_OK) {
        return import_fail(reading->source, error,
                           "column '%s': a metric is NAME[UNIT]:lower or NAME[UNIT]:higher",
                           text_printable(reading->arena, column->head, 60));
    }
    double time = import_time_factor(rule.unit);
    column->kind = COLUMN_VALUE;
    column->metric = rule.name;
    column->written_unit = rule.unit != NULL ? rule.unit : "1";
    column->unit = time > 0 ? "ns" : column->written_unit;
    column->factor = time > 0 ? time : 1;
    column->better = rule.better;
    column->is_exact = rule.is_exact;
    return TARE_OK;
}

static tare_status read_own_head(struct reading *reading, struct column *column,
                                 struct tare_error *error)
{
    static const struct {
        const char *head;
        enum column_kind kind;
    } fixed[] = {{"benchmark", COLUMN_NAME},
                 {"name", COLUMN_NAME},
                 {"suite", COLUMN_SUITE},
                 {"launch", COLUMN_LAUNCH}};
    for (size_t i = 0; i < sizeof fixed / sizeof *fixed; i++) {
        if (strcmp(fixed[i].head, column->head) == 0) {
            column->kind = fixed[i].kind;
            return TARE_OK;
        }
    }
    if (text_starts_with(column->head, "param:")) {
        column->kind = COLUMN_PARAMETER;
        column->metric = column->head + strlen("param:");
        return TARE_OK;
    }
    if (strstr(column->head, ":lower") != NULL || strstr(column->head, ":higher") != NULL) {
        return read_metric_head(reading, column, error);
    }
    column->kind = COLUMN_OPEN;
    column->metric = column->head;
    return TARE_OK;
}

static void take_known(struct column *column, const struct column *known, const char *prefix)
{
    const char *head = column->head;
    *column = (struct column){.head = head};
    for (; known->head != NULL; known++) {
        if (strcmp(known->head, head) == 0) {
            *column = *known;
            return;
        }
    }
    if (prefix != NULL && text_starts_with(head, prefix)) {
        column->kind = COLUMN_PARAMETER;
        column->metric = head + strlen(prefix);
    }
}

static tare_status read_head(struct reading *reading, const char *line, struct tare_error *error)
{
    struct cells *cells = ARENA_NEW(reading->arena, struct cells);
    tare_status status = split(reading, line, cells, error);
    bool has_name = false;
    for (ptrdiff_t i = 0; status == TARE_OK && i < cells->count; i++) {
        struct column *column = &reading->columns[i];
        column->head = arena_strdup(reading->lasting, cells->items[i]);
        const struct column *known = NULL;
        for (size_t k = 0; k < sizeof dialects / sizeof *dialects; k++) {
            if (text_starts_with(line, dialects[k].start)) {
                known = dialects[k].columns;
                reading->is_point = dialects[k].is_point;
                take_known(column, known, dialects[k].parameter_prefix);
            }
        }
        status = known == NULL ? read_own_head(reading, column, error) : TARE_OK;
        has_name = has_name || column->kind == COLUMN_NAME;
        reading->column_count = i + 1;
    }
    if (status == TARE_OK && !has_name) {
        status =
            import_fail(reading->source, error, "no column 'benchmark' in the head of the table");
    }
    return status;
}

/* ---- rows ---- */

struct row {
    struct import_name name;
    struct model_parameter parameters[MODEL_PARAMETERS_MAX];
    int64_t process;
    double iterations;
    const char *unit;
};

static tare_status bad_cell(struct reading *reading, ptrdiff_t column, const char *cell,
                            const char *wanted, struct tare_error *error)
{
    return import_fail(reading->source, error, "column '%s': '%s' is no %s",
                       text_printable(reading->arena, reading->columns[column].head, 60),
                       text_printable(reading->arena, cell, 60), wanted);
}

static tare_status read_fact(struct reading *reading, ptrdiff_t i, const char *cell,
                             struct row *row, struct tare_error *error)
{
    int64_t number = 0;
    switch (reading->columns[i].kind) {
    case COLUMN_NAME:
        row->name.name = cell;
        break;
    case COLUMN_SUITE:
        row->name.suite = cell;
        break;
    case COLUMN_UNIT:
        row->unit = cell;
        break;
    case COLUMN_LAUNCH:
        if (!unit_parse_int64(cell, &number) || number < 0) {
            return bad_cell(reading, i, cell, "number of a process, from 0", error);
        }
        row->process = number;
        break;
    case COLUMN_ITERATIONS:
        if (!unit_parse_double(cell, &row->iterations)) {
            return bad_cell(reading, i, cell, "number", error);
        }
        break;
    case COLUMN_PARAMETER:
        if (cell[0] != '\0' && row->name.parameter_count < MODEL_PARAMETERS_MAX) {
            row->parameters[row->name.parameter_count++] =
                (struct model_parameter){.name = reading->columns[i].metric, .value = cell};
        }
        break;
    default:
        break;
    }
    return TARE_OK;
}

static tare_status keep_cell(struct reading *reading, ptrdiff_t i, const char *cell,
                             const struct row *row, struct tare_error *error)
{
    const struct column *column = &reading->columns[i];
    struct import_value value = {.metric = column->metric,
                                 .unit = column->unit,
                                 .written_unit = column->written_unit,
                                 .better = column->better,
                                 .is_exact = column->is_exact,
                                 .process = reading->is_point ? IMPORT_POINT : row->process};
    bool is_value = column->kind == COLUMN_VALUE || column->kind == COLUMN_TOTAL;
    bool is_number = import_number_parse(cell, &value.value);
    if (cell[0] == '\0' || (!is_value && !is_number)) {
        return TARE_OK;
    }
    if (!is_number) {
        return bad_cell(reading, i, cell, "number", error);
    }
    if (column->kind == COLUMN_OPEN) {
        return import_add_open(reading->sink, &value, error);
    }
    double factor = column->factor;
    if (column->kind == COLUMN_TOTAL) {
        factor = import_time_factor(row->unit) / row->iterations;
        value.unit = "ns";
        value.written_unit = row->unit;
        if (!(factor > 0) || isinf(factor)) {
            return import_fail(reading->source, error,
                               "a row without a unit of time, or without "
                               "iterations");
        }
    }
    value.value *= factor;
    return import_add(reading->sink, &value, error);
}

static tare_status read_row(struct reading *reading, const char *line, struct tare_error *error)
{
    struct cells *cells = ARENA_NEW(reading->arena, struct cells);
    struct row row = {.iterations = NAN, .name = {.name = ""}};
    row.name.parameters = row.parameters;
    tare_status status = split(reading, line, cells, error);
    if (status == TARE_OK && cells->count != reading->column_count) {
        return import_fail(reading->source, error,
                           "%td cells, and the head has %td: was the line cut off?", cells->count,
                           reading->column_count);
    }
    for (ptrdiff_t i = 0; status == TARE_OK && i < cells->count; i++) {
        status = read_fact(reading, i, cells->items[i], &row, error);
    }
    struct model_benchmark *benchmark = NULL;
    if (status == TARE_OK) {
        /* Criterion's functions may be without a name; then the group is one. */
        bool is_nameless = row.name.name[0] == '\0' && row.name.suite != NULL;
        row.name.name = is_nameless ? row.name.suite : row.name.name;
        row.name.suite = is_nameless ? "" : row.name.suite;
        status = import_benchmark(reading->sink, &row.name, &benchmark, error);
    }
    for (ptrdiff_t i = 0; status == TARE_OK && i < cells->count; i++) {
        enum column_kind kind = reading->columns[i].kind;
        if (kind == COLUMN_VALUE || kind == COLUMN_OPEN || kind == COLUMN_TOTAL) {
            status = keep_cell(reading, i, cells->items[i], &row, error);
        }
    }
    return status;
}
