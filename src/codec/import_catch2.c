/* import_catch2.c: Catch2's XML (`-r xml`), versions 2 and 3. Nanoseconds.
 *
 *   <TestCase name="sums">
 *     <BenchmarkResults name="sum 100" samples="100" iterations="20">
 *       <mean value="85.1" lowerBound="…"/> … or <failed message="…"/>
 *     </BenchmarkResults>
 *     <OverallResult success="true"/>
 *
 * Catch2 keeps its samples to itself: the mean is a point value. The test case is the suite; what
 * is measured in one that failed is invalid. Catch2 writes one tag a line, so lines are enough:
 * this is no reader of XML at large. */
#include "codec/import_formats.h"

#include "base/text.h"
#include "base/unit.h"

#include <stdlib.h>
#include <string.h>

enum { CASE_BENCHMARKS_MAX = 10000 };

struct reading {
    struct import_source *source;
    struct import_sink *sink;
    struct arena *arena;      /* of one line */
    struct arena *case_arena; /* of one test case */
    const char *suite;
    const char *name; /* of the open benchmark; NULL: none */
    bool has_result;
    bool is_whole; /* the last tag was there */
    const char **names;
    ptrdiff_t name_count;
    ptrdiff_t name_capacity;
};

static tare_status read_tag(struct reading *reading, const char *tag, struct tare_error *error);

static bool recognise(const char *head, ptrdiff_t length, const char *path)
{
    (void)length;
    (void)path;
    return strstr(head, "<Catch name=") != NULL || strstr(head, "<Catch2TestRun ") != NULL ||
           (strstr(head, "<TestCase ") != NULL && strstr(head, "<BenchmarkResults ") != NULL);
}

static tare_status read_file(struct import_source *source, struct import_sink *sink,
                             struct tare_error *error)
{
    struct arena lasting = {0};
    struct arena line_arena = {0};
    struct arena case_arena = {0};
    struct reading reading = {.source = source,
                              .sink = sink,
                              .arena = &line_arena,
                              .case_arena = &case_arena,
                              .suite = ""};
    struct import_lines lines = import_lines_new(&lasting, source);
    import_sink_read(sink, source);
    tare_status status = TARE_OK;
    while (import_lines_next(&lines, &status, error)) {
        const char *tag = lines.text + strspn(lines.text, " \t");
        status = tag[0] == '<' ? read_tag(&reading, tag, error) : TARE_OK;
        arena_free(&line_arena);
        if (status != TARE_OK) {
            break;
        }
    }
    if (status == TARE_OK && !reading.is_whole) {
        status = import_fail(source, error,
                             "the file ends before the closing tag of Catch2: it was cut off");
    }
    arena_free(&case_arena);
    arena_free(&line_arena);
    arena_free(&lasting);
    return status;
}

const struct import_format import_catch2 = {
    .name = "catch2",
    .description = "Catch2: -r xml",
    .looked_for = "<Catch name=…> or <Catch2TestRun> (Catch2)",
    .recognise = recognise,
    .read = read_file,
};

/* ---- tags ---- */

static bool is_tag(const char *tag, const char *name)
{
    size_t length = strlen(name);
    return strncmp(tag + 1, name, length) == 0 && strchr(" \t/>", tag[1 + length]) != NULL;
}

/* "&lt;" and the like; what is not known stays as it is. */
static const char *decode(struct arena *arena, const char *text, ptrdiff_t length)
{
    static const struct {
        const char *name;
        char character;
    } entities[] = {
        {"&lt;", '<'}, {"&gt;", '>'}, {"&amp;", '&'}, {"&quot;", '"'}, {"&apos;", '\''}};
    char *decoded = arena_alloc(arena, length + 1, 1);
    char *end = decoded;
    for (ptrdiff_t i = 0; i < length;) {
        ptrdiff_t used = 1;
        char character = text[i];
        for (size_t k = 0; character == '&' && k < sizeof entities / sizeof *entities; k++) {
            ptrdiff_t size = (ptrdiff_t)strlen(entities[k].name);
            if (size <= length - i && memcmp(text + i, entities[k].name, (size_t)size) == 0) {
                character = entities[k].character;
                used = size;
                break;
            }
        }
        *end++ = character;
        i += used;
    }
    return decoded;
}

/* The value of an attribute; NULL when it is not there. */
static const char *attribute(struct arena *arena, const char *tag, const char *name)
{
    size_t length = strlen(name);
    for (const char *at = strchr(tag, ' '); at != NULL;) {
        at += strspn(at, " \t");
        const char *equals = strchr(at, '=');
        const char *start = equals != NULL && equals[1] == '"' ? equals + 2 : NULL;
        const char *end = start != NULL ? strchr(start, '"') : NULL;
        if (end == NULL) {
            return NULL;
        }
        if ((size_t)(equals - at) == length && strncmp(at, name, length) == 0) {
            return decode(arena, start, end - start);
        }
        at = end + 1;
    }
    return NULL;
}

static tare_status find_benchmark(struct reading *reading, const char *name,
                                  struct model_benchmark **benchmark, struct tare_error *error)
{
    return import_benchmark(reading->sink,
                            &(struct import_name){.suite = reading->suite, .name = name}, benchmark,
                            error);
}

static tare_status begin_benchmark(struct reading *reading, const char *tag,
                                   struct tare_error *error)
{
    struct model_benchmark *benchmark = NULL;
    const char *name = attribute(reading->case_arena, tag, "name");
    const char *iterations = attribute(reading->arena, tag, "iterations");
    double count = 1;
    if (name == NULL || reading->name_count == CASE_BENCHMARKS_MAX) {
        return import_fail(reading->source, error, "a benchmark without a name, or too many");
    }
    reading->name = name;
    reading->has_result = false;
    reading->names = arena_grow(reading->case_arena, reading->names, &reading->name_capacity,
                                reading->name_count + 1, (ptrdiff_t)sizeof *reading->names);
    reading->names[reading->name_count++] = name;
    tare_status status = find_benchmark(reading, name, &benchmark, error);
    if (status == TARE_OK && iterations != NULL && unit_parse_double(iterations, &count) &&
        count >= 1) {
        benchmark->iterations = count;
    }
    return status;
}

static tare_status keep_mean(struct reading *reading, const char *tag, struct tare_error *error)
{
    const char *text = attribute(reading->arena, tag, "value");
    double mean = 0;
    struct model_benchmark *benchmark = NULL;
    if (text == NULL || !unit_parse_double(text, &mean)) {
        return import_fail(reading->source, error, "<mean> without a value that is a number");
    }
    tare_status status = find_benchmark(reading, reading->name, &benchmark, error);
    reading->has_result = true;
    const struct import_value value = {.metric = "time",
                                       .unit = "ns",
                                       .better = MODEL_LOWER_IS_BETTER,
                                       .value = mean,
                                       .process = IMPORT_POINT};
    return status == TARE_OK ? import_add(reading->sink, &value, error) : status;
}

static tare_status keep_failure(struct reading *reading, const char *name, enum model_state state,
                                const char *reason, struct tare_error *error)
{
    struct model_benchmark *benchmark = NULL;
    tare_status status = find_benchmark(reading, name, &benchmark, error);
    if (status == TARE_OK && benchmark->state == MODEL_STATE_OK) {
        benchmark->state = state;
        benchmark->reason =
            text_printable(import_arena(reading->sink), reason != NULL ? reason : "failed", 1000);
    }
    return status;
}

static tare_status end_benchmark(struct reading *reading, struct tare_error *error)
{
    if (reading->name != NULL && !reading->has_result) {
        return import_fail(reading->source, error, "benchmark '%s' has neither <mean> nor <failed>",
                           text_printable(reading->arena, reading->name, 60));
    }
    reading->name = NULL;
    return TARE_OK;
}

static void begin_case(struct reading *reading, const char *tag)
{
    arena_free(reading->case_arena);
    const char *name = attribute(reading->case_arena, tag, "name");
    reading->suite = name != NULL ? name : "";
    reading->name = NULL;
    reading->names = NULL;
    reading->name_count = reading->name_capacity = 0;
}

static tare_status end_case(struct reading *reading, const char *tag, struct tare_error *error)
{
    const char *success = attribute(reading->arena, tag, "success");
    tare_status status = TARE_OK;
    if (success != NULL && strcmp(success, "true") != 0) {
        for (ptrdiff_t i = 0; status == TARE_OK && i < reading->name_count; i++) {
            status = keep_failure(reading, reading->names[i], MODEL_STATE_INVALID,
                                  "its test case failed", error);
        }
    }
    return status;
}

static tare_status read_tag(struct reading *reading, const char *tag, struct tare_error *error)
{
    if (is_tag(tag, "TestCase")) {
        begin_case(reading, tag);
    } else if (is_tag(tag, "BenchmarkResults")) {
        return begin_benchmark(reading, tag, error);
    } else if (is_tag(tag, "mean") && reading->name != NULL) {
        return keep_mean(reading, tag, error);
    } else if (is_tag(tag, "failed") && reading->name != NULL) {
        reading->has_result = true;
        return keep_failure(reading, reading->name, MODEL_STATE_FAILED,
                            attribute(reading->arena, tag, "message"), error);
    } else if (is_tag(tag, "/BenchmarkResults")) {
        return end_benchmark(reading, error);
    } else if (is_tag(tag, "OverallResult")) {
        return end_case(reading, tag, error);
    } else if (is_tag(tag, "/Catch") || is_tag(tag, "/Catch2TestRun")) {
        reading->is_whole = true;
    }
    return TARE_OK;
}
