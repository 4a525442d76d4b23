/* cmd_verify.c: `tare verify`: is a receipt what it was when it was written? */
#include "base/text.h"
#include "cli/receipt_file.h"
#include "cli/store_command.h"
#include "report/json_write.h"

#include <stdio.h>

struct verify_options {
    struct common_options common;
};

static const struct option verify_table[] = {{NULL, 0, OPTION_FLAG, 0, NULL, NULL}};

static void print_verified(struct arena *arena, const char *path, const struct receipt *receipt)
{
    const struct model_run *run = &receipt->run;
    const char *cpu = model_field_get(&run->machine.identity, "cpu");
    printf("%s: unchanged since it was written\n", text_printable(arena, path, 0));
    printf("  sha256   %s\n", receipt->sha256);
    if (receipt->baseline != NULL) {
        printf("  baseline %s, moved %td time%s\n", text_printable(arena, receipt->baseline, 0),
               receipt->history_count, receipt->history_count == 1 ? "" : "s");
    }
    printf("  run      %s  %s, %td benchmarks, %lld samples, started %s\n", run->id,
           store_command_state(run->state), run->benchmark_count,
           (long long)receipt_file_samples(run), store_command_time(arena, run->started_unix_ns));
    printf("  commit   %s %s\n", store_command_commit(arena, &run->commit),
           run->commit.is_known && run->commit.subject != NULL
               ? text_printable(arena, run->commit.subject, 60)
               : "not known");
    printf("  machine  %s  %s\n", run->machine.id,
           cpu != NULL ? text_printable(arena, cpu, 60) : "");
}

static json_t *verified_json(struct arena *arena, const char *path, const struct receipt *receipt)
{
    json_t *object = json_object();
    json_object_set_new(object, "file", json_write_text(arena, path));
    json_object_set_new(object, "error", json_null());
    json_object_set_new(object, "kind", json_string(RECEIPT_KIND_RUN));
    json_object_set_new(object, "sha256", json_write_text(arena, receipt->sha256));
    json_object_set_new(object, "baseline", json_write_text(arena, receipt->baseline));
    json_object_set_new(object, "run", json_write_text(arena, receipt->run.id));
    json_object_set_new(object, "state", json_string(model_run_state_name(receipt->run.state)));
    json_object_set_new(object, "benchmarks", json_integer(receipt->run.benchmark_count));
    json_object_set_new(object, "samples", json_integer(receipt_file_samples(&receipt->run)));
    json_object_set_new(object, "machine", json_write_text(arena, receipt->run.machine.id));
    json_object_set_new(object, "commit", json_write_text(arena, receipt->run.commit.hash));
    return object;
}

static int verify_file(const char *path, json_t *files)
{
    struct arena scratch = {0};
    struct tare_error error = {0};
    struct receipt receipt;
    int exit_code = EXIT_CODE_OK;
    if (receipt_file_read(&scratch, path, &receipt, &error) != TARE_OK) {
        exit_code = command_say(&command_verify, &error);
        if (files != NULL) {
            json_array_append_new(files,
                                  json_pack("{s:o,s:o}", "file", json_write_text(&scratch, path),
                                            "error", json_write_text(&scratch, error.message)));
        }
    } else if (files != NULL) {
        json_array_append_new(files, verified_json(&scratch, path, &receipt));
    } else {
        print_verified(&scratch, path, &receipt);
    }
    arena_free(&scratch);
    return exit_code;
}

static int run_verify(struct cli *cli, int argc, char **argv)
{
    struct verify_options options = {0};
    struct option_result arguments;
    int exit_code;
    if (!command_parse(cli, &command_verify, argc, argv, false, &options, &arguments, &exit_code)) {
        return exit_code;
    }
    if (arguments.operands.count == 0 || arguments.has_rest) {
        struct tare_error error = {0};
        error_set(&error, TARE_ERROR_USAGE, "which file? usage is 'tare verify %s'",
                  command_verify.usage);
        return command_fail(&command_verify, &error);
    }
    json_t *files = options.common.json ? json_array() : NULL;
    exit_code = EXIT_CODE_OK;
    for (ptrdiff_t i = 0; i < arguments.operands.count; i++) {
        int code = verify_file(arguments.operands.items[i], files);
        exit_code = exit_code == EXIT_CODE_OK ? code : exit_code;
    }
    if (files == NULL) {
        return command_end(&command_verify, exit_code);
    }
    json_t *answer = json_pack("{s:i,s:s,s:o}", "tare", 1, "kind", "verify", "files", files);
    return store_command_print_json(&command_verify, answer, exit_code);
}

const struct command command_verify = {
    .name = "verify",
    .run = run_verify,
    .summary = "Check that a file of measurements is what it was when it was written",
    .usage = "FILE… [OPTIONS]",
    .examples = "  tare verify baselines/main.3f2c1a9b.json\n"
                "  tare verify --json baselines/*.json",
    .details =
        "Computes the SHA-256 over the content anew (docs/receipt.md says how) and says what is in "
        "the file.\nExit 0: unchanged; 3: changed, damaged, or not such a file.",
    .options = verify_table,
};
