/* store_command.c: the shared part of the commands about the store. */
#include "cli/store_command.h"

#include "base/text.h"
#include "cli/config.h"
#include "measure/environment.h"
#include "os/clock.h"
#include "os/file.h"
#include "report/json_write.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { SUBCOMMANDS_MAX = 15 };

/* The word behind the parent's name. */
static const char *word_of(const struct command *child)
{
    const char *space = strchr(child->name, ' ');
    return space != NULL ? space + 1 : child->name;
}

int store_command_dispatch(struct cli *cli, const struct command *parent,
                           const struct command *const *children, int argc, char **argv)
{
    const char *word = argc > 1 ? argv[1] : NULL;
    if (word != NULL && (strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0)) {
        command_print_help(parent);
        return EXIT_CODE_OK;
    }
    if (word == NULL || word[0] == '-') {
        return children[0]->run(cli, argc, argv);
    }
    const char *words[SUBCOMMANDS_MAX + 1] = {NULL};
    for (int i = 0; children[i] != NULL && i < SUBCOMMANDS_MAX; i++) {
        words[i] = word_of(children[i]);
        if (strcmp(word, words[i]) == 0) {
            return children[i]->run(cli, argc - 1, argv + 1);
        }
    }
    const char *nearest = text_nearest(word, words);
    struct tare_error error = {0};
    error_set(&error, TARE_ERROR_USAGE,
              nearest != NULL ? "unknown word '%s': did you mean 'tare %s %s'?"
                              : "unknown word '%s': 'tare %s --help' lists them",
              text_printable(cli->arena, word, 60), parent->name, nearest);
    return command_fail(parent, &error);
}

tare_status store_command_open(struct cli *cli, const struct common_options *common,
                               enum store_mode mode, struct store **store, struct tare_error *error)
{
    struct config config;
    tare_status status = config_load(cli->arena, &config, error);
    if (status != TARE_OK) {
        return status;
    }
    const struct store_request request = {
        .option = common->store, .configured = config.store, .mode = mode};
    status = store_path_open(cli->arena, &request, store, error);
    if (status == TARE_OK) {
        struct model_machine machine = {0};
        measure_machine_read(cli->arena, &machine);
        store_use_machine(*store, machine.id);
    }
    return status;
}

char *store_command_age(struct arena *arena, int64_t now_unix_ns, int64_t then_unix_ns)
{
    static const struct {
        const char *unit;
        int64_t seconds;
    } steps[] = {{"days", 86400}, {"h", 3600}, {"min", 60}, {"s", 1}};
    int64_t seconds = (now_unix_ns - then_unix_ns) / 1000000000;
    if (seconds < 0) {
        return arena_strdup(arena, "future");
    }
    for (size_t i = 0; i < sizeof steps / sizeof *steps; i++) {
        /* From two of a unit on, it is the one people count in. */
        if (seconds >= 2 * steps[i].seconds) {
            return arena_printf(arena, "%lld %s", (long long)(seconds / steps[i].seconds),
                                steps[i].unit);
        }
    }
    return arena_strdup(arena, "now");
}

char *store_command_time(struct arena *arena, int64_t unix_ns)
{
    time_t seconds = (time_t)(unix_ns / 1000000000);
    struct tm parts;
    char text[64];
    if (gmtime_r(&seconds, &parts) == NULL ||
        strftime(text, sizeof text, "%Y-%m-%d %H:%M:%SZ", &parts) == 0) {
        return arena_printf(arena, "%lld ns", (long long)unix_ns);
    }
    return arena_strdup(arena, text);
}

/* "uid 1000" where the environment has no name, as in containers. */
static const char *user_number(struct arena *arena)
{
    enum { STATUS_BYTES_MAX = 64 * 1024 };
    char *status = NULL;
    ptrdiff_t length = 0;
    int uid = -1;
    if (file_read(arena, "/proc/self/status", STATUS_BYTES_MAX, &status, &length, NULL) ==
        TARE_OK) {
        const char *line = strstr(status, "\nUid:");
        if (line != NULL && sscanf(line, "\nUid: %d", &uid) == 1) {
            return arena_printf(arena, "uid %d", uid);
        }
    }
    return "unknown";
}

char *store_command_who(struct arena *arena)
{
    static const char *const variables[] = {"USER", "LOGNAME"};
    const char *user = NULL;
    for (size_t i = 0; user == NULL && i < sizeof variables / sizeof *variables; i++) {
        const char *value = getenv(variables[i]);
        user = value != NULL && value[0] != '\0' ? value : NULL;
    }
    const char *host = file_read_line(arena, "/proc/sys/kernel/hostname");
    return text_printable(arena,
                          arena_printf(arena, "%s@%s", user != NULL ? user : user_number(arena),
                                       host != NULL ? host : "unknown"),
                          0);
}

const char *store_command_state(enum model_run_state state)
{
    return state == MODEL_RUN_RUNNING ? "running or killed" : model_run_state_name(state);
}

char *store_command_commit(struct arena *arena, const struct model_commit *commit)
{
    if (!commit->is_known || commit->hash == NULL) {
        return arena_strdup(arena, "");
    }
    return arena_printf(arena, "%s%s",
                        text_printable(arena, arena_printf(arena, "%.9s", commit->hash), 0),
                        commit->is_dirty ? "+" : "");
}

/* ---- JSON ---- */

static json_t *commit_json(struct arena *arena, const struct model_commit *commit)
{
    if (!commit->is_known) {
        return json_null();
    }
    json_t *object = json_object();
    json_object_set_new(object, "hash", json_write_text(arena, commit->hash));
    json_object_set_new(object, "branch", json_write_text(arena, commit->branch));
    json_object_set_new(object, "subject", json_write_text(arena, commit->subject));
    json_object_set_new(object, "dirty", json_boolean(commit->is_dirty));
    return object;
}

json_t *store_command_run(struct arena *arena, const struct store_run_row *run)
{
    json_t *object = json_object();
    json_object_set_new(object, "id", json_write_text(arena, run->id));
    json_object_set_new(object, "state", json_string(model_run_state_name(run->state)));
    json_object_set_new(object, "started_unix_ns", json_integer(run->started_unix_ns));
    json_object_set_new(object, "finished_unix_ns",
                        run->finished_unix_ns != 0 ? json_integer(run->finished_unix_ns)
                                                   : json_null());
    json_object_set_new(object, "project", json_write_text(arena, run->project));
    json_object_set_new(object, "command", json_write_text(arena, run->command));
    json_object_set_new(object, "version", json_write_text(arena, run->tare_version));
    json_object_set_new(object, "machine", json_write_text(arena, run->machine_id));
    json_object_set_new(object, "commit", commit_json(arena, &run->commit));
    json_object_set_new(object, "benchmarks", json_integer(run->benchmark_count));
    json_object_set_new(object, "failed_or_invalid", json_integer(run->bad_count));
    json_object_set_new(object, "baselines", json_write_text(arena, run->baselines));
    return object;
}

json_t *store_command_runs(struct arena *arena, const struct store_run_rows *rows)
{
    json_t *array = json_array();
    for (ptrdiff_t i = 0; i < rows->count; i++) {
        json_array_append_new(array, store_command_run(arena, &rows->items[i]));
    }
    return array;
}

json_t *store_command_answer(struct arena *arena, const char *kind, const struct store *store)
{
    json_t *answer = json_object();
    json_object_set_new(answer, "tare", json_integer(1));
    json_object_set_new(answer, "kind", json_string(kind));
    json_object_set_new(answer, "store", json_write_text(arena, store_path(store)));
    return answer;
}

int store_command_print_json(const struct command *command, json_t *answer, int exit_code)
{
    json_object_set_new(answer, "exit", json_integer(exit_code));
    json_dumpf(answer, stdout, JSON_INDENT(1));
    fputc('\n', stdout);
    json_decref(answer);
    return command_end(command, exit_code);
}
