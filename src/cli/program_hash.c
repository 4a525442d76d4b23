#include "cli/program_hash.h"

#include "os/file.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

#include <string.h>

static const char *path_of(struct arena *arena, const struct run_task *task)
{
    bool is_elsewhere = task->program != NULL && task->program->directory != NULL &&
                        task->source[0] != '/' && strchr(task->source, '/') != NULL;
    return is_elsewhere ? arena_printf(arena, "%s/%s", task->program->directory, task->source)
                        : file_find_program(arena, task->source);
}

static bool hash_file(const char *path, uint64_t *hash)
{
    const void *bytes;
    ptrdiff_t length;
    if (path == NULL || !file_map(path, &bytes, &length)) {
        return false;
    }
    *hash = XXH3_64bits_withSeed(bytes, (size_t)length, *hash);
    file_unmap(bytes, length);
    return true;
}

static const char *hash_plan(struct arena *arena, const struct run_plan *plan, bool skips_commands)
{
    uint64_t hash = 0;
    const char *last = NULL;
    for (ptrdiff_t i = 0; i < plan->task_count; i++) {
        const struct run_task *task = &plan->tasks[i];
        if (task->command != NULL && skips_commands) {
            continue;
        }
        if (task->command != NULL) {
            return "";
        }
        /* Benchmarks of one program stand together. */
        if (last != NULL && strcmp(last, task->source) == 0) {
            continue;
        }
        last = task->source;
        if (!hash_file(path_of(arena, task), &hash)) {
            return "";
        }
    }
    return last != NULL ? arena_printf(arena, "%016llx", (unsigned long long)hash) : "";
}

const char *program_hash(struct arena *arena, const struct run_plan *plan)
{
    return hash_plan(arena, plan, false);
}

const char *program_hash_built(struct arena *arena, const struct run_plan *plan)
{
    return hash_plan(arena, plan, true);
}
