/* command_count.c: instructions of a whole command, all processes it starts with exec included. */
#include "measure/command.h"

#include "base/assert.h"
#include "os/file.h"
#include "os/folder.h"

static tare_status run_counted(struct arena *arena, const struct measure_command *command,
                               const struct valgrind *valgrind, const char *folder, double *count,
                               struct tare_error *error)
{
    struct measure_command counted = *command;
    counted.words = valgrind_words(arena, valgrind, VALGRIND_WHOLE, folder, command->words,
                                   command->program_path);
    counted.program_path = valgrind->path;
    counted.has_settled_environment = true;
    counted.pattern_count = 0; /* speeds that it prints under Valgrind are nobody's */
    const struct measure_variation fixed = {.cpu = -1,
                                            .is_aslr_off = !valgrind->keeps_randomisation};
    struct measure_command_result result;
    struct tare_error plain = {0};
    tare_status status = measure_command_run_once(arena, &counted, &fixed, true, &result, &plain);
    if (status != TARE_OK) {
        return error_set(error, status, "%s%s", plain.message,
                         status == TARE_ERROR_MEASURE ? valgrind_last_words(arena, valgrind, folder)
                                                      : "");
    }
    return valgrind_read_whole(folder, count, error);
}

tare_status measure_command_instructions(void *context, struct arena *arena,
                                         const struct valgrind *valgrind, double *iterations,
                                         double *count, struct tare_error *error)
{
    struct measure_command_target *target = context;
    TARE_ASSERT(target->command->is_open);
    *iterations = 1;
    char *folder = NULL;
    tare_status status = file_temporary_directory(arena, "tare-count", &folder, error);
    if (status == TARE_OK) {
        status = run_counted(arena, target->command, valgrind, folder, count, error);
    }
    if (folder != NULL) {
        (void)folder_remove(folder, NULL);
    }
    return status;
}
