/* import_go.c: Go's benchmark text (golang.org/design/14313), as `go test -bench` prints it.
 *
 *   goos: linux                                         configuration: pkg is the suite
 *   Unit adds/op better=lower assume=exact              what a unit means
 *   BenchmarkSum/n=100-8   2000   85.1 ns/op   3 B/op   one result
 *
 * A process prints its configuration before its results, so configuration behind results begins
 * another process: files that were appended to (the way benchstat wants them) become launches, and
 * the results of one -count are samples of one launch. Parts "key=value" of a name are parameters,
 * "-8" at its end is the parameter gomaxprocs. ns/op, B/op, allocs/op and MB/s are the testing
 * package's own; another unit needs a Unit line or the user's word. All other lines are ignored, as
 * the format demands, but for failed and skipped benchmarks. */
#include "codec/import_formats.h"

#include "base/text.h"
#include "base/unit.h"

#include <math.h>
#include <string.h>

enum { UNITS_MAX = 64, FIELDS_MAX = 128 };

/* What is known of a unit. */
struct unit_rule {
    const char *written;
    const char *metric;
    const char *unit;
    double factor;
    enum model_better better;
    bool has_better;
    bool is_exact;
};

static const struct unit_rule own_units[] = {
    {"ns/op", "time", "ns", 1, MODEL_LOWER_IS_BETTER, true, false},
    {"B/op", "allocated", "B", 1, MODEL_LOWER_IS_BETTER, true, false},
    {"allocs/op", "allocations", "1", 1, MODEL_LOWER_IS_BETTER, true, false},
    {"MB/s", "throughput", "B/s", 1e6, MODEL_HIGHER_IS_BETTER, true, false},
};
enum { OWN_UNITS = sizeof own_units / sizeof *own_units };

struct reading {
    struct import_source *source;
    struct import_sink *sink;
    struct arena *lasting;
    struct arena *arena; /* of one line */
    const char *suite;
    int64_t process;
    bool has_results; /* of this process */
    struct unit_rule units[UNITS_MAX];
    ptrdiff_t unit_count;
};

struct fields {
    char *items[FIELDS_MAX];
    ptrdiff_t count;
    bool has_more;
};

static tare_status read_line(struct reading *reading, char *line, struct tare_error *error);

/* Words of a line, in place. */
static struct fields split(char *line)
{
    struct fields fields; /* not all of it is cleared: files have many short lines */
    fields.count = 0;
    fields.has_more = false;
    char *save = NULL;
    for (char *word = strtok_r(line, " \t", &save); word != NULL;
         word = strtok_r(NULL, " \t", &save)) {
        if (fields.count == FIELDS_MAX) {
            fields.has_more = true;
            break;
        }
        fields.items[fields.count++] = word;
    }
    return fields;
}

static bool is_benchmark_name(const char *word)
{
    static const char prefix[] = "Benchmark";
    if (strncmp(word, prefix, sizeof prefix - 1) != 0) {
        return false;
    }
    char next = word[sizeof prefix - 1];
    return next == '\0' || !(next >= 'a' && next <= 'z');
}

static bool is_count(const char *word)
{
    return word[0] != '\0' && strspn(word, "0123456789") == strlen(word);
}

/* Is there a line "BenchmarkName N value unit" among the first ones? */
static bool recognise(const char *head, ptrdiff_t length, const char *path)
{
    (void)path;
    struct arena scratch = {0};
    char *text = arena_strndup(&scratch, head, length);
    bool is_found = false;
    char *save = NULL;
    for (char *line = strtok_r(text, "\r\n", &save); line != NULL && !is_found;
         line = strtok_r(NULL, "\r\n", &save)) {
        double value = 0;
        struct fields fields = split(line);
        is_found = fields.count >= 4 && is_benchmark_name(fields.items[0]) &&
                   is_count(fields.items[1]) && unit_parse_double(fields.items[2], &value) &&
                   strpbrk(fields.items[3], "/%") != NULL;
    }
    arena_free(&scratch);
    return is_found;
}

static tare_status read_file(struct import_source *source, struct import_sink *sink,
                             struct tare_error *error)
{
    struct arena lasting = {0};
    struct arena line_arena = {0};
    struct reading reading = {
        .source = source, .sink = sink, .lasting = &lasting, .arena = &line_arena, .suite = ""};
    struct import_lines lines = import_lines_new(&lasting, source);
    import_sink_read(sink, source);
    tare_status status = TARE_OK;
    while (import_lines_next(&lines, &status, error)) {
        status = read_line(&reading, lines.text, error);
        arena_reset(&line_arena, (struct arena_mark){0});
        if (status != TARE_OK) {
            break;
        }
    }
    arena_free(&line_arena);
    arena_free(&lasting);
    return status;
}

const struct import_format import_go = {
    .name = "go",
    .description = "Go: the output of go test -bench",
    .looked_for = "a line \"BenchmarkName N value unit\" (Go)",
    .recognise = recognise,
    .read = read_file,
};

/* ---- lines ---- */

/* "key: value": the key begins with a lower-case letter and has neither blanks nor capitals. */
static bool is_configuration(const char *line, const char **value)
{
    const char *colon = strchr(line, ':');
    if (colon == NULL || !(line[0] >= 'a' && line[0] <= 'z')) {
        return false;
    }
    for (const char *at = line; at < colon; at++) {
        if (*at == ' ' || *at == '\t' || (*at >= 'A' && *at <= 'Z')) {
            return false;
        }
    }
    *value = colon + 1 + strspn(colon + 1, " \t");
    return colon[1] == ' ' || colon[1] == '\t' || colon[1] == '\0';
}

static void keep_configuration(struct reading *reading, const char *line, const char *value)
{
    struct model_run *run = import_run(reading->sink);
    const char *key = arena_strndup(reading->arena, line, strchr(line, ':') - line);
    if (reading->has_results) {
        reading->process++;
        reading->has_results = false;
    }
    if (strcmp(key, "pkg") == 0) {
        reading->suite = arena_strdup(reading->lasting, value);
    } else if (strcmp(key, "cpu") == 0 || strcmp(key, "goos") == 0 || strcmp(key, "goarch") == 0) {
        import_field(reading->sink, &run->machine.identity, key, value);
    } else {
        import_field(reading->sink, &run->machine.conditions, key, value);
    }
}

static tare_status keep_unit(struct reading *reading, struct fields *fields,
                             struct tare_error *error)
{
    const char *written = fields->items[1];
    struct unit_rule *rule = NULL;
    for (ptrdiff_t i = 0; i < reading->unit_count; i++) {
        rule = strcmp(reading->units[i].written, written) == 0 ? &reading->units[i] : rule;
    }
    if (rule == NULL) {
        if (reading->unit_count == UNITS_MAX) {
            return import_fail(reading->source, error, "more than %d units", UNITS_MAX);
        }
        rule = &reading->units[reading->unit_count++];
        const char *kept = arena_strdup(reading->lasting, written);
        *rule = (struct unit_rule){.written = kept, .metric = kept, .unit = kept, .factor = 1};
        for (int i = 0; i < OWN_UNITS; i++) {
            *rule = strcmp(own_units[i].written, written) == 0 ? own_units[i] : *rule;
        }
    }
    for (ptrdiff_t i = 2; i < fields->count; i++) {
        const char *word = fields->items[i];
        if (strcmp(word, "better=higher") == 0 || strcmp(word, "better=lower") == 0) {
            rule->has_better = true;
            rule->better =
                strcmp(word, "better=higher") == 0 ? MODEL_HIGHER_IS_BETTER : MODEL_LOWER_IS_BETTER;
        } else if (strcmp(word, "assume=exact") == 0) {
            rule->is_exact = true;
        }
    }
    return TARE_OK;
}

/* ---- names ---- */

struct parsed_name {
    struct import_name name;
    struct model_parameter parameters[MODEL_PARAMETERS_MAX];
};

static void add_parameter(struct parsed_name *parsed, const char *name, const char *value)
{
    parsed->parameters[parsed->name.parameter_count++] =
        (struct model_parameter){.name = name, .value = value};
}

static bool has_parameter(const struct parsed_name *parsed, const char *name)
{
    for (ptrdiff_t i = 0; i < parsed->name.parameter_count; i++) {
        if (strcmp(parsed->parameters[i].name, name) == 0) {
            return true;
        }
    }
    return false;
}

/* "BenchmarkSum/n=100/fast-8" → Sum/fast, n=100, gomaxprocs=8. */
static void parse_name(struct reading *reading, const char *word, struct parsed_name *parsed)
{
    char *text = arena_strdup(reading->arena, word + strlen("Benchmark"));
    *parsed = (struct parsed_name){.name = {.suite = reading->suite}};
    char *dash = strrchr(text, '-');
    if (dash != NULL && is_count(dash + 1)) {
        *dash = '\0';
        add_parameter(parsed, "gomaxprocs", dash + 1);
    }
    char *kept = arena_alloc(reading->arena, (ptrdiff_t)strlen(text) + 1, 1);
    char *end = kept;
    char *save = NULL;
    for (char *part = strtok_r(text, "/", &save); part != NULL; part = strtok_r(NULL, "/", &save)) {
        char *equals = strchr(part, '=');
        bool is_parameter = end > kept && equals != NULL && equals > part;
        if (is_parameter) {
            *equals = '\0';
            is_parameter =
                parsed->name.parameter_count < MODEL_PARAMETERS_MAX && !has_parameter(parsed, part);
            *equals = is_parameter ? '\0' : '=';
        }
        if (is_parameter) {
            add_parameter(parsed, part, equals + 1);
        } else {
            *end = '/';
            end = stpcpy(end + (end > kept), part);
        }
    }
    parsed->name.name = end > kept ? kept : "Benchmark";
    parsed->name.parameters = parsed->parameters;
}

/* ---- results ---- */

static tare_status keep_value(struct reading *reading, double number, const char *written,
                              struct tare_error *error)
{
    const struct unit_rule *rule = NULL;
    for (int i = 0; i < OWN_UNITS; i++) {
        rule = strcmp(own_units[i].written, written) == 0 ? &own_units[i] : rule;
    }
    for (ptrdiff_t i = 0; i < reading->unit_count; i++) {
        rule = strcmp(reading->units[i].written, written) == 0 ? &reading->units[i] : rule;
    }
    if (rule == NULL || !rule->has_better) {
        const struct import_value value = {
            .metric = written, .unit = written, .value = number, .process = reading->process};
        return import_add_open(reading->sink, &value, error);
    }
    const struct import_value value = {.metric = rule->metric,
                                       .unit = rule->unit,
                                       .written_unit = rule->written,
                                       .better = rule->better,
                                       .is_exact = rule->is_exact,
                                       .value = number * rule->factor,
                                       .process = reading->process};
    return import_add(reading->sink, &value, error);
}

static tare_status keep_result(struct reading *reading, const struct fields *fields,
                               struct tare_error *error)
{
    struct parsed_name parsed;
    struct model_benchmark *benchmark = NULL;
    double iterations = 0;
    if (fields->count < 4 || fields->count % 2 != 0 || fields->has_more ||
        !unit_parse_double(fields->items[1], &iterations)) {
        return import_fail(reading->source, error,
                           "a result of %td words: it has a name, a count, and pairs of value and "
                           "unit; was it cut off?",
                           fields->count);
    }
    parse_name(reading, fields->items[0], &parsed);
    tare_status status = import_benchmark(reading->sink, &parsed.name, &benchmark, error);
    if (status == TARE_OK) {
        benchmark->iterations = iterations >= 1 ? iterations : 1;
    }
    reading->has_results = true;
    for (ptrdiff_t i = 2; status == TARE_OK && i < fields->count; i += 2) {
        double value = NAN;
        bool is_number = unit_parse_double(fields->items[i], &value);
        if (!is_number && strcmp(fields->items[i], "NaN") != 0 &&
            strstr(fields->items[i], "Inf") == NULL) {
            return import_fail(reading->source, error, "'%s' is no number",
                               text_printable(reading->arena, fields->items[i], 40));
        }
        status = keep_value(reading, value, fields->items[i + 1], error);
    }
    return status;
}

/* "--- FAIL: BenchmarkX": it printed no result, or none to be believed. */
static tare_status keep_end(struct reading *reading, const char *word, enum model_state state,
                            struct tare_error *error)
{
    struct parsed_name parsed;
    struct model_benchmark *benchmark = NULL;
    if (!is_benchmark_name(word)) {
        return TARE_OK; /* a test */
    }
    parse_name(reading, word, &parsed);
    tare_status status = import_benchmark(reading->sink, &parsed.name, &benchmark, error);
    if (status == TARE_OK) {
        benchmark->state = state;
        benchmark->reason = state == MODEL_STATE_FAILED ? "go test says that it failed"
                                                        : "go test says that it was skipped";
    }
    return status;
}

static tare_status read_line(struct reading *reading, char *line, struct tare_error *error)
{
    const char *value = NULL;
    if (is_configuration(line, &value)) {
        keep_configuration(reading, line, value);
        return TARE_OK;
    }
    bool is_indented = line[0] == ' ' || line[0] == '\t';
    struct fields fields = split(line);
    if (fields.count >= 3 && strcmp(fields.items[0], "---") == 0) {
        return strcmp(fields.items[1], "FAIL:") == 0
                   ? keep_end(reading, fields.items[2], MODEL_STATE_FAILED, error)
               : strcmp(fields.items[1], "SKIP:") == 0
                   ? keep_end(reading, fields.items[2], MODEL_STATE_SKIPPED, error)
                   : TARE_OK;
    }
    if (is_indented) {
        return TARE_OK;
    }
    if (fields.count >= 2 && strcmp(fields.items[0], "Unit") == 0) {
        return keep_unit(reading, &fields, error);
    }
    bool is_result =
        fields.count >= 2 && is_benchmark_name(fields.items[0]) && is_count(fields.items[1]);
    return is_result ? keep_result(reading, &fields, error) : TARE_OK;
}
