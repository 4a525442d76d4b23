#include "measure/environment.h"

#include "base/text.h"
#include "base/unit.h"
#include "os/file.h"
#include "os/git.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Variables that change how a program runs: loader, allocator, thread pools, locale, runtimes.
 * Shell patterns. Nothing here holds a secret by its meaning; a new row must not either. */
static const char *const variable_patterns[] = {
    "ASAN_OPTIONS",
    "CUDA_VISIBLE_DEVICES",
    "GLIBC_TUNABLES",
    "GOGC",
    "GOMAXPROCS",
    "GOMEMLIMIT",
    "GOMP_*",
    "KMP_*",
    "LANG",
    "LC_*",
    "LD_BIND_NOW",
    "LD_LIBRARY_PATH",
    "LD_PRELOAD",
    "MALLOC_*",
    "MKL_NUM_THREADS",
    "NODE_OPTIONS",
    "OMP_*",
    "OPENBLAS_*",
    "PYTHONHASHSEED",
    "TZ",
    "UBSAN_OPTIONS",
    "TSAN_OPTIONS",
    "ROCR_VISIBLE_DEVICES",
};

static void set_limited(struct arena *arena, struct model_fields *fields, const char *key,
                        const char *value);

void measure_machine_read(struct arena *arena, struct model_machine *machine)
{
    struct machine facts;
    machine_read(arena, (struct machine_source){.root = ""}, &facts);
    measure_machine_fill(arena, &facts, machine);
}

static void copy_facts(struct arena *arena, const struct machine_facts *facts,
                       struct model_fields *fields)
{
    for (ptrdiff_t i = 0; i < facts->count; i++) {
        model_field_set(arena, fields, facts->items[i].key, facts->items[i].value);
    }
}

void measure_machine_fill(struct arena *arena, const struct machine *facts,
                          struct model_machine *machine)
{
    struct machine_facts identity = {0};
    struct machine_facts conditions = {0};
    machine_identity(arena, facts, &identity);
    machine_conditions(arena, facts, &conditions);
    *machine = (struct model_machine){0};
    copy_facts(arena, &identity, &machine->identity);
    copy_facts(arena, &conditions, &machine->conditions);
    model_machine_identify(machine);
}

static bool is_listed(const char *name)
{
    for (size_t i = 0; i < sizeof variable_patterns / sizeof *variable_patterns; i++) {
        if (text_glob(variable_patterns[i], name)) {
            return true;
        }
    }
    return false;
}

static void read_variables(struct arena *arena, struct model_fields *environment)
{
    /* Half the model's limit, so that the settings behind always fit. */
    for (char **variable = environ;
         variable != NULL && *variable != NULL && environment->count < MODEL_FIELDS_MAX / 2;
         variable++) {
        const char *equals = strchr(*variable, '=');
        if (equals == NULL || equals - *variable >= MODEL_NAME_BYTES_MAX) {
            continue;
        }
        const char *name = arena_strndup(arena, *variable, equals - *variable);
        if (is_listed(name) && model_name_is_valid(name)) {
            set_limited(arena, environment, name, equals + 1);
        }
    }
}

/* Two runs found different programs when their PATHs differ; the PATH itself is private. */
static void read_path_hash(struct arena *arena, struct model_fields *environment)
{
    const char *path = getenv("PATH");
    if (path != NULL) {
        XXH64_hash_t hash = XXH3_64bits(path, strlen(path));
        model_field_set(arena, environment, "path_hash",
                        arena_printf(arena, "%016llx", (unsigned long long)hash));
    }
}

static void read_process(struct arena *arena, struct model_fields *environment)
{
    struct machine_process process;
    machine_process_read(arena, &process);
    set_limited(arena, environment, "cpu_affinity", process.affinity);
    set_limited(arena, environment, "scheduler", process.scheduler);
    model_field_set(arena, environment, "environment_bytes",
                    arena_printf(arena, "%lld", (long long)process.environment_bytes));
    model_field_set(arena, environment, "environment_count",
                    arena_printf(arena, "%lld", (long long)process.environment_count));
    model_field_set(arena, environment, "nice",
                    arena_printf(arena, "%lld", (long long)process.nice));
    if (process.stack_limit_bytes == INT64_MAX) {
        model_field_set(arena, environment, "stack_limit", "unlimited");
    } else if (process.stack_limit_bytes >= 0) {
        model_field_set(arena, environment, "stack_limit",
                        unit_format(arena, (double)process.stack_limit_bytes, "B", 3));
    }
}

void measure_environment_read(struct arena *arena, struct model_fields *environment)
{
    *environment = (struct model_fields){0};
    read_variables(arena, environment);
    read_path_hash(arena, environment);
    read_process(arena, environment);
    const char *directory = file_current_directory(arena);
    if (directory != NULL) {
        set_limited(arena, environment, "directory", directory);
    }
}

static void set_limited(struct arena *arena, struct model_fields *fields, const char *key,
                        const char *value)
{
    if (value[0] != '\0') {
        /* A column is at most four bytes of UTF-8. */
        model_field_set(arena, fields, key,
                        text_printable(arena, value, MODEL_VALUE_BYTES_MAX / 4));
    }
}

void measure_commit_read(struct arena *arena, const char *directory, struct model_commit *commit,
                         const char **reason)
{
    struct git_state state;
    git_read(arena, directory, &state);
    *commit = (struct model_commit){
        .is_known = state.is_known,
        .hash = state.hash,
        .branch = state.branch,
        .subject = state.subject,
        .is_dirty = state.is_dirty,
    };
    if (reason != NULL) {
        *reason = state.reason;
    }
}
