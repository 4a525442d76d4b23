/* alone.c: a benchmark program run by itself: options, the list, and the walk over all cases. */
#include "client/alone.h"

#include "base/text.h"
#include "os/terminal.h"

#include <errno.h>
#include <regex.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { EXIT_MEASURED = 0, EXIT_USAGE = 2, EXIT_NOT_MEASURED = 3 };
/* Longer labels are cut in the table, so that its figures still stand side by side. */
enum { LABEL_COLUMNS_MAX = 48 };

struct settings {
    bool is_list, is_json, is_help, is_version, has_no_color;
    const char *filter;
    double min_time_ns;
};

static int alone_run(struct client *client, int argc, char **argv);
static int parse_arguments(int argc, char **argv, struct settings *settings);
static void print_help(const char *program);
static int select_cases(const struct client *client, const char *filter, bool *is_selected);
static void print_list(const struct client *client, const bool *is_selected, bool is_json);
static int measure_all(struct client *client, const struct settings *settings,
                       const bool *is_selected);

int client_alone_main(struct client *client, int argc, char **argv)
{
    int code = alone_run(client, argc, argv);
    /* Figures that nobody can read were not measured. */
    if (fflush(stdout) != 0 || ferror(stdout)) {
        fprintf(stderr, "%s: cannot write the results to standard output: %s\n", argv[0],
                strerror(errno));
        return EXIT_NOT_MEASURED;
    }
    return code;
}

static int alone_run(struct client *client, int argc, char **argv)
{
    /* 0.2 s a benchmark: twenty slices of 10 ms, each well above the clock's and the scheduler's
     * grain. */
    struct settings settings = {.min_time_ns = 200e6};
    int code = parse_arguments(argc, argv, &settings);
    if (code != 0) {
        return code;
    }
    if (settings.is_help) {
        print_help(argv[0]);
        return EXIT_MEASURED;
    }
    if (settings.is_version) {
        printf("libtare %s\n", TARE_VERSION);
        return EXIT_MEASURED;
    }
    if (client->error.status != TARE_OK) {
        fprintf(stderr, "%s\n", client->error.message);
        return EXIT_USAGE;
    }
    bool *is_selected = ARENA_ARRAY(client->arena, bool, client->case_count);
    code = select_cases(client, settings.filter, is_selected);
    if (code != 0) {
        return code;
    }
    if (settings.is_list) {
        print_list(client, is_selected, settings.is_json);
        return EXIT_MEASURED;
    }
    return measure_all(client, &settings, is_selected);
}

enum argument_kind { ARGUMENT_FLAG, ARGUMENT_TEXT, ARGUMENT_TIME };

static const struct argument {
    const char *name;
    enum argument_kind kind;
    size_t offset;
    const char *value;
    const char *help;
} arguments[] = {
    {"--list", ARGUMENT_FLAG, offsetof(struct settings, is_list), "",
     "say what there is, run nothing"},
    {"--filter", ARGUMENT_TEXT, offsetof(struct settings, filter), "REGEX",
     "only benchmarks whose name with parameters matches (POSIX extended)"},
    {"--min-time", ARGUMENT_TIME, offsetof(struct settings, min_time_ns), "TIME",
     "time per benchmark (200ms)"},
    {"--json", ARGUMENT_FLAG, offsetof(struct settings, is_json), "", "results as JSON"},
    {"--no-color", ARGUMENT_FLAG, offsetof(struct settings, has_no_color), "", "no colours"},
    {"--help", ARGUMENT_FLAG, offsetof(struct settings, is_help), "", "this text"},
    {"--version", ARGUMENT_FLAG, offsetof(struct settings, is_version), "", "libtare's version"},
};
enum { ARGUMENT_COUNT = sizeof arguments / sizeof *arguments };

static int usage_error(const char *program, const char *what, const char *word)
{
    struct arena arena = {0};
    fprintf(stderr, "%s: %s '%s'; --help lists the options\n", program, what,
            text_printable(&arena, word, 80));
    arena_free(&arena);
    return EXIT_USAGE;
}

static int parse_arguments(int argc, char **argv, struct settings *settings)
{
    for (int i = 1; i < argc; i++) {
        size_t length = strcspn(argv[i], "=");
        const struct argument *argument = NULL;
        for (int k = 0; k < ARGUMENT_COUNT; k++) {
            if (strlen(arguments[k].name) == length &&
                strncmp(arguments[k].name, argv[i], length) == 0) {
                argument = &arguments[k];
            }
        }
        bool has_value = argv[i][length] == '=';
        if (argument == NULL || (argument->kind == ARGUMENT_FLAG && has_value)) {
            return usage_error(argv[0], "unknown argument", argv[i]);
        }
        void *place = (char *)settings + argument->offset;
        if (argument->kind == ARGUMENT_FLAG) {
            *(bool *)place = true;
            continue;
        }
        const char *value = has_value ? argv[i] + length + 1 : i + 1 < argc ? argv[++i] : NULL;
        if (value == NULL) {
            return usage_error(argv[0], "a value is missing behind", argv[i]);
        }
        if (argument->kind == ARGUMENT_TEXT) {
            *(const char **)place = value;
        } else if (!format_parse_time_ns(value, place)) {
            return usage_error(argv[0], "not a time like 200ms or 1s:", value);
        }
    }
    return 0;
}

static void print_help(const char *program)
{
    const char *slash = strrchr(program, '/');
    const char *name = slash != NULL ? slash + 1 : program;
    printf("Examples:\n"
           "  ./%s                      measure all benchmarks, print a table\n"
           "  ./%s --filter '^sort'     only some\n"
           "  tare run ./%s             several launches, intervals, kept in a store\n\n"
           "Options:\n",
           name, name, name);
    for (int i = 0; i < ARGUMENT_COUNT; i++) {
        printf("  %-10s %-6s  %s\n", arguments[i].name, arguments[i].value, arguments[i].help);
    }
    printf("\nExit codes: 0 measured, 2 wrong arguments, 3 nothing measured, failed or invalid.\n");
}

static const char *label_of(struct arena *arena, const struct client_case *subject)
{
    struct buffer label = buffer_new(arena, BUFFER_LENGTH_MAX);
    client_case_label(subject, &label);
    return buffer_string(&label);
}

static int select_cases(const struct client *client, const char *filter, bool *is_selected)
{
    if (client->case_count == 0) {
        fprintf(stderr, "this program has no benchmarks: TARE_BENCHMARK(name) defines one\n");
        return EXIT_NOT_MEASURED;
    }
    regex_t regex;
    if (filter != NULL) {
        int error = regcomp(&regex, filter, REG_EXTENDED | REG_NOSUB);
        if (error != 0) {
            char text[200];
            regerror(error, &regex, text, sizeof text);
            fprintf(stderr, "--filter: not a regular expression: %s\n", text);
            return EXIT_USAGE;
        }
    }
    ptrdiff_t count = 0;
    for (ptrdiff_t i = 0; i < client->case_count; i++) {
        struct arena scratch = {0};
        is_selected[i] = filter == NULL ||
                         regexec(&regex, label_of(&scratch, &client->cases[i]), 0, NULL, 0) == 0;
        count += is_selected[i];
        arena_free(&scratch);
    }
    if (filter != NULL) {
        regfree(&regex);
    }
    if (count == 0) {
        fprintf(stderr, "no benchmark matches the filter; --list shows all %td\n",
                client->case_count);
        return EXIT_NOT_MEASURED;
    }
    return 0;
}

static void print_list(const struct client *client, const bool *is_selected, bool is_json)
{
    if (is_json) {
        alone_json_list(client, is_selected);
        return;
    }
    for (ptrdiff_t i = 0; i < client->case_count; i++) {
        struct arena scratch = {0};
        if (is_selected[i]) {
            printf("%s\n", text_printable(&scratch, label_of(&scratch, &client->cases[i]), 0));
        }
        arena_free(&scratch);
    }
}

static struct table table_for(const struct client *client, const bool *is_selected,
                              bool has_no_color)
{
    struct table table = {.label_columns = (int)strlen("benchmark"),
                          .has_color = !has_no_color && terminal_has_color(1)};
    for (ptrdiff_t i = 0; i < client->case_count; i++) {
        if (!is_selected[i]) {
            continue;
        }
        struct arena scratch = {0};
        ptrdiff_t columns =
            text_columns(text_printable(&scratch, label_of(&scratch, &client->cases[i]), 0));
        arena_free(&scratch);
        columns = columns > LABEL_COLUMNS_MAX ? LABEL_COLUMNS_MAX : columns;
        table.label_columns = columns > table.label_columns ? (int)columns : table.label_columns;
        const struct client_benchmark *benchmark = client->cases[i].benchmark;
        table.has_speedup |= benchmark->variant_count > 1;
        table.has_check |= benchmark->variant_count > 1 || benchmark->check != NULL;
    }
    return table;
}

/* The reference with the same parameters; variants of one combination lie next to each other, the
 * reference first. */
static const struct alone_result *reference_of(const struct alone_result *results, ptrdiff_t index)
{
    ptrdiff_t variant =
        results[index].subject->variant - results[index].subject->benchmark->variants;
    return variant > 0 ? &results[index - variant] : NULL;
}

static void print_fits(const struct client *client, const struct alone_result *results)
{
    for (ptrdiff_t b = 0; b < client->benchmark_count; b++) {
        const struct client_benchmark *benchmark = &client->benchmarks[b];
        for (ptrdiff_t v = 0; v < benchmark->variant_count && benchmark->size_parameter; v++) {
            table_fit(benchmark, benchmark->variants[v].name, results, client->case_count);
        }
    }
}

static int exit_code_of(const struct alone_result *results, ptrdiff_t count)
{
    bool is_measured = false;
    bool is_wrong = false;
    for (ptrdiff_t i = 0; i < count; i++) {
        is_measured |= results[i].state == ALONE_MEASURED;
        is_wrong |= results[i].state == ALONE_DELETED || results[i].state == ALONE_INVALID ||
                    results[i].state == ALONE_FAILED;
    }
    return is_measured && !is_wrong ? EXIT_MEASURED : EXIT_NOT_MEASURED;
}

/* What is being measured, by which process; all that is not const in this library, because a
 * function called at exit has no arguments. */
static struct {
    const char *label; /* NULL: nothing */
    pid_t process;     /* a child that a benchmark forks may exit as it likes */
} guarded;

/* A benchmark that calls exit() would end the program as if all had been measured. */
static void guard_exit(void)
{
    if (guarded.label == NULL || guarded.process != getpid()) {
        return;
    }
    fflush(stdout);
    fprintf(stderr,
            "%s ended the program (exit, or an exception that left it): it and what follows "
            "were not measured\n",
            guarded.label);
    _exit(EXIT_NOT_MEASURED);
}

static void guard_set(struct arena *arena, const char *label)
{
    bool is_first = guarded.process == 0;
    guarded.label = label != NULL ? text_printable(arena, label, 0) : NULL;
    guarded.process = getpid();
    if (is_first) {
        atexit(guard_exit);
    }
}

static int measure_all(struct client *client, const struct settings *settings,
                       const bool *is_selected)
{
    if (!client_is_optimized(client)) {
        fprintf(stderr,
                "warning: compiled without optimisation; add -O2, or the figures are those of "
                "code nobody ships\n");
    }
    client->calibration = client_calibrate(client);
    struct alone_result *results =
        ARENA_ARRAY(client->arena, struct alone_result, client->case_count);
    struct table table = table_for(client, is_selected, settings->has_no_color);
    if (!settings->is_json) {
        table_header(&table, client, settings->min_time_ns);
    }
    for (ptrdiff_t i = 0; i < client->case_count; i++) {
        results[i].subject = &client->cases[i];
        if (!is_selected[i]) {
            continue;
        }
        results[i].reference = reference_of(results, i);
        guard_set(client->arena, label_of(client->arena, results[i].subject));
        alone_measure(client, i, settings->min_time_ns, &results[i]);
        if (!settings->is_json) {
            table_row(&table, &results[i], &client->calibration);
        }
    }
    guard_set(client->arena, "a launch teardown");
    client_end(client);
    guard_set(client->arena, NULL);
    int code = exit_code_of(results, client->case_count);
    if (settings->is_json) {
        alone_json(client, results, client->case_count, code);
    } else {
        print_fits(client, results);
    }
    return code;
}
