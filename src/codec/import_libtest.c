/* import_libtest.c: what Rust's libtest prints for benchmarks, and Criterion with `--output-format
 * bencher`.
 *
 *   test sums::fold ... bench:       1,234.56 ns/iter (+/- 56) = 8000 MB/s
 *
 * One value each, the median: a point value. The spread in parentheses is no sample either. A line
 * "Running benches/x.rs (…)" of cargo names the suite. */
#include "codec/import_formats.h"

#include "base/text.h"
#include "base/unit.h"

#include <string.h>

static const char BENCH[] = " ... bench:";
static const double BYTES_PER_MB = 1e6; /* as libtest computes them */

struct reading {
    struct import_source *source;
    struct import_sink *sink;
    struct arena *arena; /* of one line */
    struct arena *lasting;
    const char *suite;
};

static tare_status read_line(struct reading *reading, const char *line, struct tare_error *error);

static bool recognise(const char *head, ptrdiff_t length, const char *path)
{
    (void)length;
    (void)path;
    const char *found = strstr(head, BENCH);
    while (found > head && found[-1] != '\n') {
        found--;
    }
    return found != NULL && strncmp(found + strspn(found, " \t"), "test ", 5) == 0;
}

static tare_status read_file(struct import_source *source, struct import_sink *sink,
                             struct tare_error *error)
{
    struct arena lasting = {0};
    struct arena line_arena = {0};
    struct reading reading = {
        .source = source, .sink = sink, .arena = &line_arena, .lasting = &lasting, .suite = ""};
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

const struct import_format import_libtest = {
    .name = "libtest",
    .description = "Rust: the output of cargo bench (test NAME ... bench:)",
    .looked_for = "a line \"test NAME ... bench:\" (libtest)",
    .recognise = recognise,
    .read = read_file,
};

/* A number with commas between its digits, and what stands behind it. */
static bool read_number(struct arena *arena, const char *text, double *number, const char **rest)
{
    size_t length = strspn(text, "0123456789,.");
    char *plain = arena_alloc(arena, (ptrdiff_t)length + 1, 1);
    char *end = plain;
    for (size_t i = 0; i < length; i++) {
        if (text[i] != ',') {
            *end++ = text[i];
        }
    }
    *rest = text + length + strspn(text + length, " \t");
    return unit_parse_double(plain, number);
}

static tare_status keep_failure(struct reading *reading, const char *name, struct tare_error *error)
{
    struct model_benchmark *benchmark = NULL;
    const struct import_name identity = {.suite = reading->suite, .name = name};
    tare_status status = import_benchmark(reading->sink, &identity, &benchmark, error);
    if (status == TARE_OK) {
        benchmark->state = MODEL_STATE_FAILED;
        benchmark->reason = "libtest says that it failed";
    }
    return status;
}

static tare_status keep_bench(struct reading *reading, const char *name, const char *text,
                              struct tare_error *error)
{
    double time = 0;
    const char *rest = NULL;
    const char *slash = NULL;
    if (!read_number(reading->arena, text + strspn(text, " \t"), &time, &rest) ||
        (slash = strchr(rest, '/')) == NULL || strncmp(slash, "/iter", 5) != 0) {
        return import_fail(reading->source, error,
                           "no \"N ns/iter\" behind \"bench:\": was it cut off?");
    }
    const char *unit = arena_strndup(reading->arena, rest, slash - rest);
    double factor = import_time_factor(unit);
    if (factor == 0) {
        return import_fail(reading->source, error, "unknown unit '%s/iter' (ns, us, ms, s)",
                           text_printable(reading->arena, unit, 40));
    }
    struct model_benchmark *benchmark = NULL;
    const struct import_name identity = {.suite = reading->suite, .name = name};
    tare_status status = import_benchmark(reading->sink, &identity, &benchmark, error);
    if (status == TARE_OK) {
        const struct import_value value = {.metric = "time",
                                           .unit = "ns",
                                           .written_unit = unit,
                                           .better = MODEL_LOWER_IS_BETTER,
                                           .value = time * factor,
                                           .process = IMPORT_POINT};
        status = import_add(reading->sink, &value, error);
    }
    const char *rate = strstr(rest, " = ");
    double number = 0;
    if (status == TARE_OK && rate != NULL &&
        read_number(reading->arena, rate + 3, &number, &rest) && strncmp(rest, "MB/s", 4) == 0) {
        const struct import_value value = {.metric = "throughput",
                                           .unit = "B/s",
                                           .written_unit = "MB/s",
                                           .better = MODEL_HIGHER_IS_BETTER,
                                           .value = number * BYTES_PER_MB,
                                           .process = IMPORT_POINT};
        status = import_add(reading->sink, &value, error);
    }
    return status;
}

static tare_status read_line(struct reading *reading, const char *line, struct tare_error *error)
{
    line += strspn(line, " \t");
    if (strncmp(line, "Running ", 8) == 0) {
        const char *name = line + 8;
        const char *end = strchr(name, ' ');
        reading->suite = arena_strndup(reading->lasting, name,
                                       end != NULL ? end - name : (ptrdiff_t)strlen(name));
        return TARE_OK;
    }
    const char *dots = strncmp(line, "test ", 5) == 0 ? strstr(line, " ... ") : NULL;
    if (dots == NULL || dots < line + 5) {
        return TARE_OK;
    }
    const char *name = arena_strndup(reading->arena, line + 5, dots - line - 5);
    if (strncmp(dots, BENCH, sizeof BENCH - 1) == 0) {
        return keep_bench(reading, name, dots + sizeof BENCH - 1, error);
    }
    return strcmp(dots, " ... FAILED") == 0 ? keep_failure(reading, name, error) : TARE_OK;
}
