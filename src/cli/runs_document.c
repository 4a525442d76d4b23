#include "cli/runs_document.h"

#include "cli/store_command.h"
#include "codec/decision_read.h"
#include "os/clock.h"
#include "os/terminal.h"
#include "report/comparison_text.h"
#include "report/json_write.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

static int print_text(struct cli *cli, const struct command *command,
                      const struct common_options *common, const struct store_document *document)
{
    struct tare_error error = {0};
    struct decision_document read;
    struct buffer out = buffer_new(cli->arena, BUFFER_LENGTH_MAX);
    const char *what = arena_printf(cli->arena, "kept result %s", document->id);
    if (decision_read(cli->arena, document->text, what, &read, &error) != TARE_OK) {
        return command_fail(command, &error);
    }
    const struct report_style style = {
        .columns = terminal_columns(STDOUT_FILENO),
        .has_color = !common->no_color && terminal_has_color(STDOUT_FILENO),
        .is_verbose = common->verbose,
    };
    report_comparison_text(&out, &read.decision, &read.machine, &style);
    int code = command_print(command, &out, EXIT_CODE_OK);
    if (!common->quiet) {
        fprintf(stderr, "decided %s ago: %s (exit %d then)\n",
                store_command_age(cli->arena, clock_unix_ns(), document->created_unix_ns),
                model_verdict_name(model_decision_verdict(&read.decision)), read.exit_code);
    }
    return code;
}

int runs_document_show(struct cli *cli, const struct command *command, struct store *store,
                       const struct common_options *common, const char *selector, bool *is_found)
{
    struct tare_error error = {0};
    struct store_document document;
    tare_status status =
        store_document_load(store, cli->arena, selector, &document, is_found, &error);
    if (status != TARE_OK) {
        *is_found = true;
        return command_fail(command, &error);
    }
    if (!*is_found) {
        return EXIT_CODE_OK;
    }
    if (!common->json && strcmp(document.kind, "comparison") == 0) {
        return print_text(cli, command, common, &document);
    }
    struct buffer out = buffer_new(cli->arena, BUFFER_LENGTH_MAX);
    buffer_text(&out, document.text);
    return command_print(command, &out, EXIT_CODE_OK);
}

static int list_json(struct cli *cli, const struct command *command, const struct store *store,
                     const struct store_document_rows *rows)
{
    json_t *answer = store_command_answer(cli->arena, "results", store);
    json_t *items = json_array();
    for (ptrdiff_t i = 0; i < rows->count; i++) {
        const struct store_document_row *row = &rows->items[i];
        json_t *item = json_object();
        json_object_set_new(item, "id", json_string(row->id));
        json_object_set_new(item, "kind", json_write_text(cli->arena, row->kind));
        json_object_set_new(item, "created", json_integer(row->created_unix_ns));
        json_object_set_new(item, "machine", json_string(row->machine_id));
        json_array_append_new(items, item);
    }
    json_object_set_new(answer, "results", items);
    return store_command_print_json(command, answer, EXIT_CODE_OK);
}

int runs_document_list(struct cli *cli, const struct command *command, struct store *store,
                       const struct common_options *common, int64_t limit)
{
    struct tare_error error = {0};
    struct store_document_rows rows;
    tare_status status = store_documents_list(store, cli->arena, NULL, limit, &rows, &error);
    if (status != TARE_OK) {
        return command_fail(command, &error);
    }
    if (common->json) {
        return list_json(cli, command, store, &rows);
    }
    int64_t now = clock_unix_ns();
    for (ptrdiff_t i = 0; i < rows.count; i++) {
        const struct store_document_row *row = &rows.items[i];
        printf("%s  %-10s  %s\n", row->id, row->kind,
               store_command_age(cli->arena, now, row->created_unix_ns));
    }
    if (rows.count == 0) {
        fprintf(stderr, "%s: no kept results in '%s'\n", command->name, store_path(store));
    }
    return command_end(command, EXIT_CODE_OK);
}
