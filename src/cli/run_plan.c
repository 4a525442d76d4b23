#include "cli/run_plan.h"

#include "base/buffer.h"
#include "base/text.h"
#include "cli/run_commands.h"
#include "codec/elf_note.h"
#include "measure/gbench.h"
#include "os/file.h"

#include <regex.h>
#include <stdlib.h>
#include <string.h>

/* A program file larger than this is not looked into; none with benchmarks in it is. */
enum { PROGRAM_BYTES_MAX = 1024 * 1024 * 1024 };

/* A subject is one program or command with its words. */
struct subject {
    const char *const *argv; /* NULL-terminated */
    const char *line;        /* as it was given, for names and messages */
    bool is_line;            /* a command line in one word, to be split or given to a shell */
};

static tare_status add_words(struct arena *arena, const struct run_options *options,
                             const struct option_result *words, struct run_plan *plan,
                             struct tare_error *error);
static tare_status add_subject(struct arena *arena, const struct run_options *options,
                               const struct subject *subject, struct run_commands *commands,
                               struct run_plan *plan, struct tare_error *error);
static tare_status name_apart(struct arena *arena, struct run_plan *plan, struct tare_error *error);
static tare_status apply_filter(struct arena *arena, const char *filter, struct run_plan *plan,
                                struct tare_error *error);

static tare_status finish_plan(struct arena *arena, const struct run_options *options,
                               struct run_plan *plan, struct tare_error *error)
{
    tare_status status = run_commands_check_needed(options, plan, error);
    if (status == TARE_OK) {
        status = name_apart(arena, plan, error);
    }
    return status == TARE_OK && options->filter != NULL
               ? apply_filter(arena, options->filter, plan, error)
               : status;
}

tare_status run_plan_make(struct arena *arena, const struct run_options *options,
                          const struct option_result *words, struct run_plan *plan,
                          struct tare_error *error)
{
    *plan = (struct run_plan){0};
    if (words->operands.count == 0 && words->rest.count == 0) {
        return error_set(
            error, TARE_ERROR_USAGE,
            "nothing to measure: give a benchmark program, a command line in quotes, a "
            "command behind --, or list benchmarks in tare.yaml");
    }
    tare_status status = add_words(arena, options, words, plan, error);
    return status == TARE_OK ? finish_plan(arena, options, plan, error) : status;
}

static tare_status add_words(struct arena *arena, const struct run_options *options,
                             const struct option_result *words, struct run_plan *plan,
                             struct tare_error *error)
{
    struct run_commands commands;
    tare_status status = run_commands_prepare(arena, options, &commands, error);
    for (ptrdiff_t i = 0; i < words->operands.count && status == TARE_OK; i++) {
        const char **argv = ARENA_ARRAY(arena, const char *, 2);
        argv[0] = words->operands.items[i];
        const struct subject subject = {.argv = argv, .line = argv[0], .is_line = true};
        status = add_subject(arena, options, &subject, &commands, plan, error);
    }
    if (status == TARE_OK && words->rest.count > 0) {
        const char **argv = ARENA_ARRAY(arena, const char *, words->rest.count + 1);
        memcpy(argv, words->rest.items, (size_t)words->rest.count * sizeof *argv);
        const struct subject subject = {.argv = argv, .line = NULL, .is_line = false};
        status = add_subject(arena, options, &subject, &commands, plan, error);
    }
    return status == TARE_OK ? run_commands_check_used(&commands, error) : status;
}

/* "n=1,2,4": one parameter of tare.yaml as --param takes it. */
static const char *parameter_text(struct arena *arena,
                                  const struct model_policy_parameter *parameter)
{
    struct buffer text = buffer_new(arena, BUFFER_LENGTH_MAX);
    buffer_printf(&text, "%s=", parameter->name);
    for (ptrdiff_t i = 0; i < parameter->values.count; i++) {
        buffer_printf(&text, "%s%s", i > 0 ? "," : "", parameter->values.items[i]);
    }
    return arena_strdup(arena, buffer_string(&text));
}

/* One entry of tare.yaml as if it had been typed. */
static tare_status add_configured(struct arena *arena, const struct run_options *options,
                                  const struct config *config,
                                  const struct model_policy_benchmark *entry, struct run_plan *plan,
                                  struct tare_error *error)
{
    struct run_options own = *options;
    own.is_shell = entry->is_shell;
    own.is_protocol = entry->is_protocol;
    own.names = own.params = own.metrics = (struct text_list){0};
    own.directory = config->directory;
    own.timeout_ns = entry->timeout_ns > 0 ? entry->timeout_ns : options->timeout_ns;
    if (entry->name != NULL && entry->command != NULL) {
        text_list_add(arena, &own.names, entry->name);
    }
    for (ptrdiff_t i = 0; i < entry->parameter_count; i++) {
        text_list_add(arena, &own.params, parameter_text(arena, &entry->parameters[i]));
    }
    for (ptrdiff_t i = 0; i < entry->metrics.count; i++) {
        text_list_add(arena, &own.metrics, entry->metrics.items[i]);
    }
    struct option_result words = {0};
    bool is_path = entry->program != NULL && strchr(entry->program, '/') != NULL;
    text_list_add(arena, &words.operands,
                  is_path                  ? config_path(arena, config, entry->program)
                  : entry->program != NULL ? entry->program
                                           : entry->command);
    ptrdiff_t before = plan->task_count;
    tare_status status = add_words(arena, &own, &words, plan, error);
    if (status == TARE_OK && entry->program != NULL && plan->tasks[before].command != NULL) {
        return error_set(error, TARE_ERROR_USAGE,
                         "%s:%d: '%s' is no benchmark program (it has no note of libtare's): say "
                         "`command:`, or `protocol: true` if it speaks Tare's protocol",
                         config->path, entry->line, text_printable(arena, entry->program, 100));
    }
    return status;
}

tare_status run_plan_configured(struct arena *arena, const struct run_options *options,
                                const struct config *config, struct run_plan *plan,
                                struct tare_error *error)
{
    *plan = (struct run_plan){0};
    tare_status status = TARE_OK;
    for (ptrdiff_t i = 0; i < config->policy.benchmark_count && status == TARE_OK; i++) {
        status = add_configured(arena, options, config, &config->policy.benchmarks[i], plan, error);
    }
    return status == TARE_OK ? finish_plan(arena, options, plan, error) : status;
}

static int compare_texts(const void *left, const void *right)
{
    return strcmp(*(const char *const *)left, *(const char *const *)right);
}

/* A label that two tasks have, or NULL. */
static const char *find_clash(struct arena *arena, const struct run_plan *plan)
{
    const char **labels = ARENA_ARRAY(arena, const char *, plan->task_count);
    for (ptrdiff_t i = 0; i < plan->task_count; i++) {
        labels[i] = model_benchmark_label(arena, &plan->tasks[i].benchmark);
    }
    qsort(labels, (size_t)plan->task_count, sizeof *labels, compare_texts);
    for (ptrdiff_t i = 1; i < plan->task_count; i++) {
        if (strcmp(labels[i - 1], labels[i]) == 0) {
            return labels[i];
        }
    }
    return NULL;
}

/* Benchmarks of several programs may have one name; then the program's file name tells them apart.
 */
static tare_status name_apart(struct arena *arena, struct run_plan *plan, struct tare_error *error)
{
    if (find_clash(arena, plan) == NULL) {
        return TARE_OK;
    }
    for (ptrdiff_t i = 0; i < plan->task_count; i++) {
        struct run_task *task = &plan->tasks[i];
        const char *slash = strrchr(task->source, '/');
        task->benchmark.suite = slash != NULL ? slash + 1 : task->source;
    }
    const char *clash = find_clash(arena, plan);
    return clash == NULL ? TARE_OK
                         : error_set(error, TARE_ERROR_USAGE,
                                     "'%s' is there twice: give each a name of its own with --name",
                                     text_printable(arena, clash, 100));
}

struct run_task *run_plan_add(struct arena *arena, struct run_plan *plan)
{
    plan->tasks = arena_grow(arena, plan->tasks, &plan->task_capacity, plan->task_count + 1,
                             (ptrdiff_t)sizeof *plan->tasks);
    struct run_task *task = &plan->tasks[plan->task_count++];
    *task = (struct run_task){.compiler = "", .source = ""};
    return task;
}

void run_plan_share_calibration(const struct run_plan *plan, struct run_plan *other)
{
    const struct measure_program *known = plan->tasks[0].program;
    for (ptrdiff_t i = 0; known != NULL && i < other->task_count; i++) {
        struct measure_program *program = other->tasks[i].program;
        if (program != NULL) {
            memcpy(program->calibration, known->calibration, sizeof program->calibration);
        }
    }
}

/* The library that counts allocations stands beside this program, or where it was installed. */
static const char *find_allocation_shim(struct arena *arena)
{
    const char *directory = file_own_directory(arena);
    static const char *const places[] = {"%s/libtare-alloc.so", "%s/../lib/tare/libtare-alloc.so",
                                         "%s/../lib/libtare-alloc.so"};
    for (size_t i = 0; directory != NULL && i < sizeof places / sizeof *places; i++) {
        const char *path = arena_printf(arena, places[i], directory);
        if (file_exists(path)) {
            return path;
        }
    }
    return NULL;
}

static void add_program_task(struct arena *arena, struct measure_program *program,
                             const struct measure_program_list *list, ptrdiff_t index,
                             const struct protocol_hello *hello, struct run_plan *plan)
{
    const struct protocol_listed *listed = &list->items[index];
    struct measure_program_target *context = ARENA_NEW(arena, struct measure_program_target);
    *context = (struct measure_program_target){.program = program, .benchmark = index};
    struct run_task *task = run_plan_add(arena, plan);
    task->target = measure_target_program(context, listed, hello);
    task->benchmark = (struct model_benchmark){
        .suite = "",
        .name = listed->name,
        .variant = listed->variant,
        .is_reference = listed->is_reference,
        .size_parameter = listed->size_parameter,
        .iterations = 1,
    };
    for (ptrdiff_t i = 0; i < listed->parameter_count; i++) {
        model_parameter_add(arena, &task->benchmark, listed->parameters[i].name,
                            listed->parameters[i].value);
    }
    task->skip_reason = listed->skip_reason;
    task->compiler = hello->compiler;
    task->source = program->argv[0];
    task->program = program;
}

static tare_status add_program(struct arena *arena, const struct run_options *options,
                               const char *const *argv, struct run_plan *plan,
                               struct tare_error *error)
{
    struct measure_program *program = ARENA_NEW(arena, struct measure_program);
    *program = (struct measure_program){
        .argv = argv,
        .allocation_shim = find_allocation_shim(arena),
        .timeout_ns = options->timeout_ns,
        .directory = options->directory,
    };
    struct measure_program_list list;
    struct protocol_hello hello;
    tare_status status = measure_program_list(arena, program, &list, &hello, error);
    if (status != TARE_OK) {
        return status;
    }
    if (hello.counters_missing != NULL) {
        plan->counters_missing = hello.counters_missing;
    }
    if (hello.is_unoptimized) {
        plan->unoptimized = argv[0];
    }
    for (ptrdiff_t i = 0; i < list.count; i++) {
        add_program_task(arena, program, &list, i, &hello, plan);
    }
    return TARE_OK;
}

/* The benchmarks of a program of Google Benchmark, each a task. */
static tare_status add_gbench(struct arena *arena, const struct run_options *options,
                              const char *const *argv, struct run_plan *plan,
                              struct tare_error *error)
{
    struct measure_gbench *program = ARENA_NEW(arena, struct measure_gbench);
    *program = (struct measure_gbench){
        .argv = argv, .timeout_ns = options->timeout_ns, .directory = options->directory};
    struct gbench_list list;
    tare_status status = measure_gbench_list(arena, program, &list, error);
    if (status != TARE_OK) {
        return status;
    }
    for (ptrdiff_t i = 0; i < list.count; i++) {
        struct measure_gbench_target *context = ARENA_NEW(arena, struct measure_gbench_target);
        *context = (struct measure_gbench_target){.program = program, .name = list.names[i]};
        struct run_task *task = run_plan_add(arena, plan);
        task->target = measure_target_gbench(context);
        task->benchmark = (struct model_benchmark){
            .suite = "", .name = list.names[i], .variant = "", .iterations = 1};
        task->source = argv[0];
    }
    return TARE_OK;
}

/* What the file at that path is; one that cannot be read is left for the start to complain about.
 */
static enum elf_kind program_kind(const char *path)
{
    struct arena scratch = {0};
    struct tare_error ignored = {0};
    char *bytes = NULL;
    ptrdiff_t length = 0;
    enum elf_kind kind = ELF_OTHER;
    if (file_read(&scratch, path, PROGRAM_BYTES_MAX, &bytes, &length, &ignored) == TARE_OK) {
        kind = elf_note_read(bytes, length).kind;
    }
    arena_free(&scratch);
    return kind;
}

static tare_status add_subject(struct arena *arena, const struct run_options *options,
                               const struct subject *subject, struct run_commands *commands,
                               struct run_plan *plan, struct tare_error *error)
{
    const char *path = file_find_program(arena, subject->argv[0]);
    enum elf_kind kind = path != NULL ? program_kind(path) : ELF_OTHER;
    ptrdiff_t before = plan->task_count;
    bool is_program = options->is_protocol || kind == ELF_TARE;
    if (is_program || kind == ELF_GOOGLE_BENCHMARK) {
        tare_status status = is_program ? add_program(arena, options, subject->argv, plan, error)
                                        : add_gbench(arena, options, subject->argv, plan, error);
        for (ptrdiff_t i = before; i < plan->task_count; i++) {
            plan->tasks[i].target.program_path = path;
        }
        return status;
    }
    return run_commands_add(arena, commands, subject->is_line ? subject->line : NULL, subject->argv,
                            plan, error);
}

static bool matches(regex_t *regex, const char *label)
{
    return regexec(regex, label, 0, NULL, 0) == 0;
}

static tare_status apply_filter(struct arena *arena, const char *filter, struct run_plan *plan,
                                struct tare_error *error)
{
    regex_t regex;
    int code = regcomp(&regex, filter, REG_EXTENDED | REG_NOSUB);
    if (code != 0) {
        char reason[128];
        regerror(code, &regex, reason, sizeof reason);
        return error_set(error, TARE_ERROR_USAGE, "--filter '%s' is no regular expression: %s",
                         text_printable(arena, filter, 60), reason);
    }
    ptrdiff_t kept = 0;
    const char *first =
        plan->task_count > 0 ? model_benchmark_label(arena, &plan->tasks[0].benchmark) : "";
    for (ptrdiff_t i = 0; i < plan->task_count; i++) {
        if (matches(&regex, model_benchmark_label(arena, &plan->tasks[i].benchmark))) {
            plan->tasks[kept++] = plan->tasks[i];
        }
    }
    regfree(&regex);
    ptrdiff_t total = plan->task_count;
    plan->task_count = kept;
    if (kept > 0) {
        return TARE_OK;
    }
    return error_set(error, TARE_ERROR_USAGE,
                     "--filter '%s' matches none of the %td benchmarks (the first is '%s'; 'tare "
                     "run --list' shows "
                     "all)",
                     text_printable(arena, filter, 60), total, text_printable(arena, first, 60));
}
