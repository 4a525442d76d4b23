#include "cli/run_commands.h"

#include "base/assert.h"
#include "base/text.h"
#include "base/unit.h"
#include "codec/shell_words.h"
#include "os/file.h"

#include <string.h>

static tare_status read_ranges(struct arena *arena, struct run_commands *commands,
                               struct tare_error *error)
{
    const struct text_list *given = &commands->options->params;
    if (given->count > MODEL_PARAMETERS_MAX) {
        return error_set(error, TARE_ERROR_USAGE, "at most %d parameters", MODEL_PARAMETERS_MAX);
    }
    commands->ranges = ARENA_ARRAY(arena, struct param_range, given->count);
    commands->ranges_used = ARENA_ARRAY(arena, bool, given->count);
    for (ptrdiff_t i = 0; i < given->count; i++) {
        tare_status status = param_range_parse(arena, given->items[i], &commands->ranges[i], error);
        if (status != TARE_OK) {
            return status;
        }
        commands->range_count++;
    }
    return param_range_combinations(commands->ranges, commands->range_count,
                                    &commands->combinations, error);
}

static tare_status read_patterns(struct arena *arena, struct run_commands *commands,
                                 struct tare_error *error)
{
    const struct text_list *given = &commands->options->metrics;
    if (given->count > COMMAND_METRICS_MAX) {
        return error_set(error, TARE_ERROR_USAGE, "at most %d metrics", COMMAND_METRICS_MAX);
    }
    commands->patterns = ARENA_ARRAY(arena, struct metric_pattern, given->count);
    for (ptrdiff_t i = 0; i < given->count; i++) {
        struct metric_pattern *pattern = &commands->patterns[i];
        tare_status status = metric_pattern_parse(arena, given->items[i], pattern, error);
        if (status != TARE_OK) {
            return status;
        }
        bool is_taken = strcmp(pattern->name, "time") == 0;
        for (ptrdiff_t k = 0; k < measure_command_metric_count; k++) {
            is_taken = is_taken || strcmp(pattern->name, measure_command_metrics[k].name) == 0;
        }
        for (ptrdiff_t k = 0; k < i; k++) {
            is_taken = is_taken || strcmp(pattern->name, commands->patterns[k].name) == 0;
        }
        if (is_taken) {
            return error_set(error, TARE_ERROR_USAGE,
                             "--metric '%s': every command has a metric of that name already",
                             text_printable(arena, pattern->name, 60));
        }
        commands->pattern_count++;
    }
    return TARE_OK;
}

static tare_status read_exit_codes(struct arena *arena, struct run_commands *commands,
                                   struct tare_error *error)
{
    const struct text_list *given = &commands->options->exit_codes;
    if (given->count > COMMAND_EXIT_CODES_MAX) {
        return error_set(error, TARE_ERROR_USAGE, "at most %d --exit-code", COMMAND_EXIT_CODES_MAX);
    }
    for (ptrdiff_t i = 0; i < given->count; i++) {
        int64_t code = 0;
        if (!unit_parse_int64(given->items[i], &code) || code < 0 || code > 255) {
            return error_set(error, TARE_ERROR_USAGE, "--exit-code wants 0 to 255, not '%s'",
                             text_printable(arena, given->items[i], 60));
        }
        commands->model.expected_exit_codes[commands->model.expected_exit_code_count++] = (int)code;
    }
    return TARE_OK;
}

tare_status run_commands_prepare(struct arena *arena, const struct run_options *options,
                                 struct run_commands *commands, struct tare_error *error)
{
    *commands = (struct run_commands){
        .options = options,
        .model =
            {
                .prepare = options->prepare,
                .conclude = options->conclude,
                .setup = options->setup,
                .cleanup = options->cleanup,
                .input_path = options->input,
                .ignores_failure = options->ignores_failure,
                .output = options->expect_output != NULL ? MEASURE_OUTPUT_CHECK
                          : options->output != NULL      ? MEASURE_OUTPUT_FILE
                                                         : MEASURE_OUTPUT_DISCARD,
                .output_path = options->output,
                .expected_path = options->expect_output,
                .timeout_ns = options->timeout_ns,
                .directory = options->directory,
            },
    };
    if (options->expect_output != NULL && options->output != NULL) {
        return error_set(error, TARE_ERROR_USAGE,
                         "--output and --expect-output exclude each other");
    }
    tare_status status = read_ranges(arena, commands, error);
    if (status == TARE_OK) {
        status = read_patterns(arena, commands, error);
    }
    if (status == TARE_OK) {
        status = read_exit_codes(arena, commands, error);
    }
    commands->model.patterns = commands->patterns;
    commands->model.pattern_count = commands->pattern_count;
    return status;
}

/* Which parameters stand in the text; the others do not belong to this command. */
static ptrdiff_t used_parameters(struct run_commands *commands, const char *text,
                                 const struct model_parameter *all, struct model_parameter *used)
{
    ptrdiff_t count = 0;
    for (ptrdiff_t i = 0; i < commands->range_count; i++) {
        if (param_range_is_used(text, commands->ranges[i].name)) {
            commands->ranges_used[i] = true;
            used[count++] = all[i];
        }
    }
    return count;
}

/* True when an earlier combination gives the same values for the parameters this command uses. */
static bool is_repeat(const struct run_plan *plan, ptrdiff_t first_task,
                      const struct model_benchmark *benchmark)
{
    for (ptrdiff_t t = first_task; t < plan->task_count; t++) {
        const struct model_benchmark *other = &plan->tasks[t].benchmark;
        bool is_same = other->parameter_count == benchmark->parameter_count;
        for (ptrdiff_t i = 0; is_same && i < benchmark->parameter_count; i++) {
            is_same = strcmp(other->parameters[i].value, benchmark->parameters[i].value) == 0;
        }
        if (is_same) {
            return true;
        }
    }
    return false;
}

static const char *substitute(struct arena *arena, const char *text,
                              const struct model_benchmark *benchmark)
{
    return text == NULL ? NULL
                        : param_range_substitute(arena, text, benchmark->parameters,
                                                 benchmark->parameter_count);
}

/* The command itself, with the values of its parameters put in. */
static tare_status fill_command(struct arena *arena, const struct run_commands *commands,
                                const char *line, const char *const *argv,
                                const struct model_benchmark *benchmark,
                                struct measure_command *command, struct tare_error *error)
{
    *command = commands->model;
    command->prepare = substitute(arena, command->prepare, benchmark);
    command->conclude = substitute(arena, command->conclude, benchmark);
    command->setup = substitute(arena, command->setup, benchmark);
    command->cleanup = substitute(arena, command->cleanup, benchmark);
    command->input_path = substitute(arena, command->input_path, benchmark);
    if (commands->options->is_shell) {
        const char *text = line != NULL ? line : shell_words_join(arena, argv);
        command->shell_line = substitute(arena, text, benchmark);
        return TARE_OK;
    }
    struct shell_words words = {0};
    if (line != NULL) {
        /* Split before values are put in, so that a value with a blank stays one word. */
        tare_status status = shell_words_split(arena, line, &words, error);
        if (status != TARE_OK) {
            return status;
        }
        argv = words.items;
    }
    ptrdiff_t count = 0;
    while (argv[count] != NULL) {
        count++;
    }
    const char **filled = ARENA_ARRAY(arena, const char *, count + 1);
    for (ptrdiff_t i = 0; i < count; i++) {
        filled[i] = substitute(arena, argv[i], benchmark);
    }
    command->argv = filled;
    return TARE_OK;
}

/* Everything in which {name} may stand, to see which parameters the command uses. */
static const char *all_text(struct arena *arena, const struct run_options *options,
                            const char *text)
{
    const char *const parts[] = {options->prepare, options->conclude, options->setup,
                                 options->cleanup, options->input};
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        text = parts[i] != NULL ? arena_printf(arena, "%s\n%s", text, parts[i]) : text;
    }
    return text;
}

static const char *command_name(struct arena *arena, struct run_commands *commands,
                                const char *text)
{
    const struct text_list *names = &commands->options->names;
    const char *name =
        commands->command_count < names->count ? names->items[commands->command_count] : NULL;
    commands->names_used += name != NULL;
    /* A command's own text may hold anything; as a name it is made printable and cut. */
    return text_printable(arena, name != NULL ? name : text, 200);
}

/* The file that the command runs; NULL when a shell does, or it is not there yet. */
static const char *program_path(struct arena *arena, const struct measure_command *command)
{
    if (command->argv == NULL) {
        return NULL;
    }
    const char *name = command->argv[0];
    bool is_relative = strchr(name, '/') != NULL && name[0] != '/';
    return file_find_program(arena, is_relative && command->directory != NULL
                                        ? arena_printf(arena, "%s/%s", command->directory, name)
                                        : name);
}

tare_status run_commands_add(struct arena *arena, struct run_commands *commands, const char *line,
                             const char *const *argv, struct run_plan *plan,
                             struct tare_error *error)
{
    const char *text = line != NULL ? line : shell_words_join(arena, argv);
    const char *name = command_name(arena, commands, text);
    if (!model_name_is_valid(name)) {
        return error_set(error, TARE_ERROR_USAGE, "a command needs a name of 1 to %d bytes: --name",
                         MODEL_NAME_BYTES_MAX);
    }
    ptrdiff_t first_task = plan->task_count;
    commands->command_count++;
    for (ptrdiff_t i = 0; i < commands->combinations; i++) {
        struct model_parameter all[MODEL_PARAMETERS_MAX];
        struct model_parameter used[MODEL_PARAMETERS_MAX];
        param_range_choose(commands->ranges, commands->range_count, i, all);
        struct model_benchmark benchmark = {
            .suite = "", .name = name, .variant = "", .iterations = 1};
        const char *places = all_text(arena, commands->options, text);
        ptrdiff_t count = used_parameters(commands, places, all, used);
        for (ptrdiff_t k = 0; k < count; k++) {
            model_parameter_add(arena, &benchmark, used[k].name, used[k].value);
        }
        if (is_repeat(plan, first_task, &benchmark)) {
            continue;
        }
        struct measure_command *command = ARENA_NEW(arena, struct measure_command);
        tare_status status = fill_command(arena, commands, line, argv, &benchmark, command, error);
        if (status != TARE_OK) {
            return status;
        }
        struct measure_command_target *context = ARENA_NEW(arena, struct measure_command_target);
        context->command = command;
        struct run_task *task = run_plan_add(arena, plan);
        task->benchmark = benchmark;
        task->command = command;
        task->target = measure_target_command(arena, context);
        task->target.program_path = program_path(arena, command);
    }
    return TARE_OK;
}

tare_status run_commands_check_used(const struct run_commands *commands, struct tare_error *error)
{
    for (ptrdiff_t i = 0; i < commands->range_count; i++) {
        if (!commands->ranges_used[i]) {
            return error_set(error, TARE_ERROR_USAGE,
                             "--param %s stands in no command: write {%s} where its values go",
                             commands->ranges[i].name, commands->ranges[i].name);
        }
    }
    if (commands->names_used < commands->options->names.count) {
        return error_set(error, TARE_ERROR_USAGE, "%td --name for %td command%s",
                         commands->options->names.count, commands->command_count,
                         commands->command_count == 1 ? "" : "s");
    }
    return TARE_OK;
}

tare_status run_commands_check_needed(const struct run_options *options,
                                      const struct run_plan *plan, struct tare_error *error)
{
    for (ptrdiff_t i = 0; i < plan->task_count; i++) {
        if (plan->tasks[i].command != NULL) {
            return TARE_OK;
        }
    }
    const struct {
        bool is_given;
        const char *name;
    } given[] = {
        {options->prepare != NULL, "prepare"},
        {options->conclude != NULL, "conclude"},
        {options->setup != NULL, "setup"},
        {options->cleanup != NULL, "cleanup"},
        {options->input != NULL, "input"},
        {options->output != NULL, "output"},
        {options->expect_output != NULL, "expect-output"},
        {options->exit_codes.count > 0, "exit-code"},
        {options->ignores_failure, "ignore-failure"},
        {options->metrics.count > 0, "metric"},
        {options->warmup > 0, "warmup"},
        {options->is_shell, "shell"},
    };
    for (size_t i = 0; i < sizeof given / sizeof *given; i++) {
        if (given[i].is_given) {
            return error_set(
                error, TARE_ERROR_USAGE,
                "--%s is for commands, and there is none: a benchmark program knows by "
                "itself what to prepare and check",
                given[i].name);
        }
    }
    return TARE_OK;
}
