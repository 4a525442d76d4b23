#include "cli/run_record.h"

#include "base/text.h"
#include "base/version.h"
#include "cli/program_hash.h"
#include "codec/shell_words.h"
#include "detect/advice.h"
#include "measure/environment.h"
#include "os/clock.h"
#include "os/file.h"

#include <string.h>

const char *run_record_project(struct arena *arena, const struct run_options *options)
{
    if (options->project != NULL) {
        return options->project;
    }
    char *directory = file_current_directory(arena);
    const char *slash = directory != NULL ? strrchr(directory, '/') : NULL;
    return slash != NULL && slash[1] != '\0' ? slash + 1 : "unnamed";
}

void run_record_fill(struct arena *arena, const struct run_options *options,
                     const struct run_plan *plan, char **argv, struct model_run *run)
{
    run->started_unix_ns = clock_unix_ns();
    model_run_id_new(run->id, run->started_unix_ns, clock_entropy(), clock_entropy());
    run->state = MODEL_RUN_RUNNING;
    run->project = text_printable(arena, run_record_project(arena, options), 0);
    run->command =
        arena_printf(arena, "tare %s",
                     text_printable(arena, shell_words_join(arena, (const char *const *)argv), 0));
    run->tare_version = TARE_VERSION_STRING;
    run->confidence = options->confidence;
    /* 53 bits, so that the seed can be given back on the command line exactly. */
    run->seed = options->seed >= 0 ? (uint64_t)options->seed : clock_entropy() >> 11;
    measure_machine_read(arena, &run->machine);
    measure_environment_read(arena, &run->environment);
    const char *unknown_reason = NULL;
    measure_commit_read(arena, NULL, &run->commit, &unknown_reason);
    if (plan->commit.is_known) {
        run->commit = plan->commit;
    }
    for (ptrdiff_t i = 0; i < plan->task_count; i++) {
        if (plan->tasks[i].compiler[0] != '\0') {
            model_field_set(arena, &run->machine.conditions, "compiler",
                            text_printable(arena, plan->tasks[i].compiler, 200));
        }
    }
    const char *programs = program_hash(arena, plan);
    if (programs[0] != '\0') {
        model_field_set(arena, &run->environment, "program_hash", programs);
    }
    advice_run(arena, run);
    if (plan->unoptimized != NULL) {
        model_run_warn(arena, run, "%s was built without optimisation: compile it with -O2",
                       text_printable(arena, plan->unoptimized, 100));
    }
    if (plan->counters_missing != NULL) {
        model_run_warn(arena, run, "no CPU counters here (%s): times only",
                       text_printable(arena, plan->counters_missing, 200));
    }
}
