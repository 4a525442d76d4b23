#include "cli/run_plan.h"

#include "base/assert.h"
#include "base/text.h"
#include "cli/run_commands.h"
#include "codec/elf_note.h"
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

static tare_status add_subject(struct arena *arena, const struct run_options *options,
                               const struct subject *subject, struct run_commands *commands,
                               struct run_plan *plan, struct tare_error *error);
static tare_status apply_filter(struct arena *arena, const char *filter, struct run_plan *plan,
                                struct tare_error *error);

tare_status run_plan_make(struct arena *arena, const struct run_options *options,
                          const struct option_result *words, struct run_plan *plan,
                          struct tare_error *error)
{
    *plan = (struct run_plan){0};
    if (words->operands.count == 0 && words->rest.count == 0) {
        return error_set(
            error, TARE_ERROR_USAGE,
            "nothing to measure: give a benchmark program, a command line in quotes, or "
            "a command behind --");
    }
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
    if (status == TARE_OK) {
        status = run_commands_check_used(&commands, error);
    }
    return status == TARE_OK && options->filter != NULL
               ? apply_filter(arena, options->filter, plan, error)
               : status;
}

struct run_task *run_plan_add(struct arena *arena, struct run_plan *plan)
{
    plan->tasks = arena_grow(arena, plan->tasks, &plan->task_capacity, plan->task_count + 1,
                             (ptrdiff_t)sizeof *plan->tasks);
    struct run_task *task = &plan->tasks[plan->task_count++];
    *task = (struct run_task){.compiler = ""};
    return task;
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
        .iterations = 1,
    };
    for (ptrdiff_t i = 0; i < listed->parameter_count; i++) {
        model_parameter_add(arena, &task->benchmark, listed->parameters[i].name,
                            listed->parameters[i].value);
    }
    task->skip_reason = listed->skip_reason;
    task->compiler = hello->compiler;
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
    for (ptrdiff_t i = 0; i < list.count; i++) {
        add_program_task(arena, program, &list, i, &hello, plan);
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
    if (options->is_protocol || kind == ELF_TARE) {
        return add_program(arena, options, subject->argv, plan, error);
    }
    if (kind == ELF_GOOGLE_BENCHMARK && subject->is_line) {
        return error_set(
            error, TARE_ERROR_USAGE,
            "'%s' is a Google Benchmark program, which fixes its time, not its work: timed as "
            "a whole it says nothing. To time it so all the same: tare run -- %s",
            text_printable(arena, subject->argv[0], 100),
            text_printable(arena, subject->argv[0], 100));
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
    return error_set(
        error, TARE_ERROR_USAGE,
        "--filter '%s' matches none of the %td benchmarks (the first is '%s'; --list shows "
        "all)",
        text_printable(arena, filter, 60), total, text_printable(arena, first, 60));
}
