/* command.c: one run of a command, from --prepare to --conclude.
 *
 * Everything that can be looked up once is looked up by open; between the launcher's answer and the
 * next request there is only the copy of the environment and the metrics' arithmetic
 * (bench/spawn.sh holds the whole loop against a bare posix_spawn and wait4). */
#include "measure/command.h"

#include "base/assert.h"
#include "base/text.h"
#include "codec/shell_words.h"
#include "os/capture.h"
#include "os/environment.h"
#include "os/file.h"

#include <stdlib.h>
#include <string.h>

enum {
    LABEL_COLUMNS_MAX = 80, /* of a command in a message */
    TAIL_COLUMNS_MAX = 400, /* of its last words in a message */
    LINE_COLUMNS_MAX = 60,  /* of a differing line in a message */
};

static const char *const shell_argv_head[] = {"/bin/sh", "-c"};

/* Opening and closing. */

static tare_status command_check(const struct measure_command *command, struct tare_error *error);
static tare_status command_find(struct arena *arena, struct measure_command *command,
                                struct tare_error *error);
static tare_status command_run_helper(const struct measure_command *command, const char *option,
                                      const char *line, struct tare_error *error);

tare_status measure_command_open(struct arena *arena, struct measure_command *command,
                                 struct tare_error *error)
{
    tare_status status = command_check(command, error);
    if (status == TARE_OK && command->output == MEASURE_OUTPUT_CHECK) {
        char *expected = NULL;
        status = file_read(arena, command->expected_path, MODEL_OUTPUT_BYTES_MAX, &expected,
                           &command->expected_length, error);
        command->expected = expected;
    }
    if (status == TARE_OK && command->shell_line != NULL) {
        const char **words = ARENA_ARRAY(arena, const char *, 4);
        words[0] = shell_argv_head[0];
        words[1] = shell_argv_head[1];
        words[2] = command->shell_line;
        command->words = words;
        command->label = text_printable(arena, command->shell_line, LABEL_COLUMNS_MAX);
    } else if (status == TARE_OK) {
        command->words = command->argv;
        command->label =
            text_printable(arena, shell_words_join(arena, command->argv), LABEL_COLUMNS_MAX);
    }
    if (status == TARE_OK) {
        status = command_run_helper(command, "--setup", command->setup, error);
    }
    if (status == TARE_OK) {
        command->is_open = true; /* from here on --cleanup is due */
        status = command_find(arena, command, error);
    }
    return status;
}

tare_status measure_command_close(struct measure_command *command, struct tare_error *error)
{
    if (!command->is_open) {
        return TARE_OK;
    }
    command->is_open = false;
    return command_run_helper(command, "--cleanup", command->cleanup, error);
}

static tare_status command_check(const struct measure_command *command, struct tare_error *error)
{
    TARE_ASSERT((command->argv == NULL) != (command->shell_line == NULL));
    TARE_ASSERT(command->output != MEASURE_OUTPUT_FILE || command->output_path != NULL);
    TARE_ASSERT(command->output != MEASURE_OUTPUT_CHECK || command->expected_path != NULL);
    TARE_ASSERT(command->expected_exit_code_count <= COMMAND_EXIT_CODES_MAX);
    if (command->pattern_count > COMMAND_METRICS_MAX) {
        return error_set(error, TARE_ERROR_USAGE, "more than %d metrics", COMMAND_METRICS_MAX);
    }
    if (command->output == MEASURE_OUTPUT_INHERIT && command->pattern_count > 0) {
        return error_set(
            error, TARE_ERROR_USAGE,
            "--metric reads the output, so it cannot be shown as well; keep it in a file");
    }
    for (ptrdiff_t i = 0; i < command->pattern_count; i++) {
        for (ptrdiff_t k = 0; k < i; k++) {
            if (strcmp(command->patterns[i].name, command->patterns[k].name) == 0) {
                return error_set(error, TARE_ERROR_USAGE, "metric '%s' is given twice",
                                 command->patterns[i].name);
            }
        }
    }
    return TARE_OK;
}

/* Looks the program up once, so that runs need not search PATH. What is not found here may still be
 * made by --prepare: the run says so itself. */
static tare_status command_find(struct arena *arena, struct measure_command *command,
                                struct tare_error *error)
{
    if (command->input_path != NULL) {
        int fd = file_open_read(command->input_path, error);
        if (fd < 0) {
            return error->status;
        }
        process_close(&fd, 1);
    }
    const char *name = command->words[0];
    bool is_relative = strchr(name, '/') != NULL && name[0] != '/';
    command->program_path =
        is_relative && command->directory != NULL ? NULL : file_find_program(arena, name);
    return TARE_OK;
}

/* A shell line of the user's around the runs; its failure names the option. */
static tare_status command_run_helper(const struct measure_command *command, const char *option,
                                      const char *line, struct tare_error *error)
{
    if (line == NULL) {
        return TARE_OK;
    }
    const char *argv[] = {shell_argv_head[0], shell_argv_head[1], line, NULL};
    const struct process_spec spec = {.argv = argv,
                                      .directory = command->directory,
                                      .stdin_fd = -1,
                                      .stdout_fd = -1,
                                      .stderr_fd = -1,
                                      .cpu = -1};
    struct capture capture = {.has_errors = true};
    struct process_usage usage = {0};
    tare_status status = capture_run(&spec, 0, &capture, &usage, error);
    if (status != TARE_OK || usage.status == 0) {
        return status;
    }
    struct arena scratch = {0};
    char text[64];
    const char *tail = measure_last_words(&scratch, capture.tail.text, TAIL_COLUMNS_MAX);
    status = error_set(error, TARE_ERROR_MEASURE, "%s '%s' %s%s%s", option,
                       text_printable(&scratch, line, LABEL_COLUMNS_MAX),
                       process_status_text(usage.status, false, text, sizeof text),
                       tail[0] != '\0' ? ": " : "", tail);
    arena_free(&scratch);
    return status;
}

/* One run. */

/* What lives as long as one run. */
struct command_run {
    struct arena *scratch;
    const struct measure_command *command;
    struct process_spec spec;
    struct buffer output;
    struct capture capture;
    bool is_captured;
};

static tare_status run_open_files(struct command_run *run, struct tare_error *error);
static tare_status run_execute(struct command_run *run, struct process_usage *usage,
                               struct tare_error *error);
static tare_status run_judge(struct command_run *run, const struct process_usage *usage,
                             struct tare_error *error);
static tare_status run_use_output(struct command_run *run, double *metrics,
                                  struct tare_error *error);

tare_status measure_command_run_once(struct arena *arena, const struct measure_command *command,
                                     const struct measure_variation *variation, bool is_watched,
                                     struct measure_command_result *result,
                                     struct tare_error *error)
{
    TARE_ASSERT(command->is_open);
    *result = (struct measure_command_result){.error_tail = ""};
    tare_status status = command_run_helper(command, "--prepare", command->prepare, error);
    if (status != TARE_OK) {
        return status;
    }
    struct arena scratch = {0};
    struct environment environment = environment_copy(&scratch);
    environment_pad(&environment, variation->environment_padding_bytes);
    if (command->has_settled_environment) {
        environment_settle(&environment);
    }
    bool has_output = command->pattern_count > 0 || command->output == MEASURE_OUTPUT_CHECK;
    bool has_errors = is_watched && command->output != MEASURE_OUTPUT_INHERIT;
    struct command_run run = {
        .scratch = &scratch,
        .command = command,
        .spec = {.argv = command->words,
                 .path = command->program_path,
                 .environment = environment.variables,
                 .directory = command->directory,
                 .stdin_fd = -1,
                 .stdout_fd = -1,
                 .stderr_fd = -1,
                 .cpu = variation->cpu,
                 .is_aslr_off = variation->is_aslr_off},
        .output = buffer_new(&scratch, MODEL_OUTPUT_BYTES_MAX),
        .is_captured = has_output || has_errors,
    };
    run.capture =
        (struct capture){.output = has_output ? &run.output : NULL, .has_errors = has_errors};
    status = run_execute(&run, &result->usage, error);
    if (status == TARE_OK) {
        status = run_judge(&run, &result->usage, error);
    }
    if (status == TARE_OK && has_output) {
        result->metrics = ARENA_ARRAY(arena, double, command->pattern_count);
        status = run_use_output(&run, result->metrics, error);
    }
    if (status == TARE_OK && has_errors) {
        result->error_tail = measure_last_words(arena, run.capture.tail.text, TAIL_COLUMNS_MAX);
    }
    result->cpu_ns = result->usage.user_ns + result->usage.system_ns;
    arena_free(&scratch);
    tare_status concluded =
        status == TARE_INTERRUPTED
            ? status
            : command_run_helper(command, "--conclude", command->conclude, error);
    return status != TARE_OK ? status : concluded;
}

static tare_status run_execute(struct command_run *run, struct process_usage *usage,
                               struct tare_error *error)
{
    const struct measure_command *command = run->command;
    tare_status status = run_open_files(run, error);
    if (status == TARE_OK) {
        struct tare_error plain = {0};
        status = run->is_captured
                     ? capture_run(&run->spec, command->timeout_ns, &run->capture, usage, &plain)
                     : process_run(&run->spec, command->timeout_ns, usage, &plain);
        if (status != TARE_OK && run->output.is_full) {
            error_set(error, status, "'%s' failed: %s", command->label, plain.message);
        } else if (status != TARE_OK) {
            error_set(error, status, "%s", plain.message); /* names the program itself */
        }
    }
    process_close(&run->spec.stdin_fd, 1);
    if (command->output != MEASURE_OUTPUT_INHERIT) {
        process_close(&run->spec.stdout_fd, 1);
    }
    return status;
}

static tare_status run_open_files(struct command_run *run, struct tare_error *error)
{
    const struct measure_command *command = run->command;
    if (command->input_path != NULL) {
        run->spec.stdin_fd = file_open_read(command->input_path, error);
        if (run->spec.stdin_fd < 0) {
            return error->status;
        }
    }
    if (command->output == MEASURE_OUTPUT_INHERIT) {
        run->spec.stdout_fd = 1;
        run->spec.stderr_fd = 2;
    }
    if (command->output == MEASURE_OUTPUT_FILE && run->capture.output == NULL) {
        run->spec.stdout_fd = file_open_write(command->output_path, error);
        if (run->spec.stdout_fd < 0) {
            return error->status;
        }
    }
    return TARE_OK;
}

static bool command_expects(const struct measure_command *command, int status)
{
    if (command->ignores_failure) {
        return true;
    }
    int exit_code = process_exit_code(status);
    for (ptrdiff_t i = 0; i < command->expected_exit_code_count; i++) {
        if (command->expected_exit_codes[i] == exit_code) {
            return true;
        }
    }
    return command->expected_exit_code_count == 0 && exit_code == 0;
}

char *measure_last_words(struct arena *arena, const char *text, ptrdiff_t columns_max)
{
    char *words = arena_strdup(arena, "");
    ptrdiff_t end = (ptrdiff_t)strlen(text);
    while (end > 0) {
        ptrdiff_t start = end;
        while (start > 0 && text[start - 1] != '\n') {
            start--;
        }
        ptrdiff_t first = start;
        while (first < end && strchr(" \t\r", text[first]) != NULL) {
            first++;
        }
        ptrdiff_t last = end;
        while (last > first && strchr(" \t\r", text[last - 1]) != NULL) {
            last--;
        }
        end = start - 1;
        if (last == first) {
            continue;
        }
        const char *line =
            text_printable(arena, arena_strndup(arena, text + first, last - first), columns_max);
        char *more = words[0] != '\0' ? arena_printf(arena, "%s | %s", line, words)
                                      : arena_strdup(arena, line);
        if (text_columns(more) > columns_max) {
            break;
        }
        words = more;
    }
    return words;
}

/* "; --exit-code expects 3 or 4"; without one, that there is such an option. */
static const char *expectation(struct arena *arena, const struct measure_command *command)
{
    if (command->expected_exit_code_count == 0) {
        return " (--exit-code names others that are fine, -i takes any)";
    }
    struct buffer text = buffer_new(arena, 1024);
    for (ptrdiff_t i = 0; i < command->expected_exit_code_count; i++) {
        buffer_printf(&text, "%s%d", i == 0 ? "; --exit-code expects " : " or ",
                      command->expected_exit_codes[i]);
    }
    return buffer_string(&text);
}

/* Did it end as it should? */
static tare_status run_judge(struct command_run *run, const struct process_usage *usage,
                             struct tare_error *error)
{
    const struct measure_command *command = run->command;
    const char *tail =
        run->capture.has_errors
            ? measure_last_words(run->scratch, run->capture.tail.text, TAIL_COLUMNS_MAX)
            : "";
    const char *lead = tail[0] != '\0' ? "; it said: " : "";
    if (usage->is_timed_out) {
        return error_set(
            error, TARE_ERROR_MEASURE,
            "'%s' did not end within %.3g s and was killed (--timeout allows more)%s%s",
            command->label, command->timeout_ns / 1e9, lead, tail);
    }
    if (command_expects(command, usage->status)) {
        return TARE_OK;
    }
    char text[64];
    return error_set(error, TARE_ERROR_MEASURE, "'%s' %s%s%s%s", command->label,
                     process_status_text(usage->status, false, text, sizeof text),
                     WIFEXITED(usage->status) ? expectation(run->scratch, command) : "", lead,
                     tail);
}

static tare_status run_compare(struct command_run *run, struct tare_error *error);

static tare_status run_use_output(struct command_run *run, double *metrics,
                                  struct tare_error *error)
{
    const struct measure_command *command = run->command;
    tare_status status = TARE_OK;
    if (command->output == MEASURE_OUTPUT_CHECK) {
        status = run_compare(run, error);
    }
    if (status == TARE_OK && command->output == MEASURE_OUTPUT_FILE) {
        status = file_write(command->output_path, buffer_string(&run->output), run->output.length,
                            error);
    }
    for (ptrdiff_t i = 0; i < command->pattern_count && status == TARE_OK; i++) {
        struct tare_error plain = {0};
        status =
            metric_pattern_extract(run->scratch, &command->patterns[i], buffer_string(&run->output),
                                   run->output.length, &metrics[i], &plain);
        if (status != TARE_OK) {
            error_set(error, status, "'%s': %s", command->label, plain.message);
        }
    }
    return status;
}

/* The line around an offset, safe to print. */
static const char *line_at(struct arena *arena, const char *text, ptrdiff_t length,
                           ptrdiff_t offset)
{
    if (offset >= length) {
        return "(end)";
    }
    ptrdiff_t start = offset;
    while (start > 0 && text[start - 1] != '\n' && offset - start < LINE_COLUMNS_MAX) {
        start--;
    }
    const char *newline = memchr(text + offset, '\n', (size_t)(length - offset));
    ptrdiff_t end = newline != NULL ? newline - text : length;
    return text_printable(arena, arena_strndup(arena, text + start, end - start), LINE_COLUMNS_MAX);
}

/* Byte for byte; a difference is told by line and byte, with both lines. */
static tare_status run_compare(struct command_run *run, struct tare_error *error)
{
    const struct measure_command *command = run->command;
    const char *got = buffer_string(&run->output);
    ptrdiff_t got_length = run->output.length;
    ptrdiff_t shorter =
        got_length < command->expected_length ? got_length : command->expected_length;
    if (got_length == command->expected_length &&
        memcmp(got, command->expected, (size_t)shorter) == 0) {
        return TARE_OK;
    }
    ptrdiff_t at = 0;
    ptrdiff_t line = 1;
    while (at < shorter && got[at] == command->expected[at]) {
        line += got[at++] == '\n';
    }
    return error_set(
        error, TARE_ERROR_MEASURE,
        "'%s' prints something else than %s: first at line %td (byte %td): '%s' instead "
        "of '%s'",
        command->label, command->expected_path, line, at + 1,
        line_at(run->scratch, got, got_length, at),
        line_at(run->scratch, command->expected, command->expected_length, at));
}
