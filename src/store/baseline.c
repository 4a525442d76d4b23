/* baseline.c: names that point at runs, per machine, and the history of who moved them when and
 * why.
 *
 * A name may exist once per machine identity, because figures of two machines cannot be compared.
 * The history is only ever added to; it names runs by id, so it survives their pruning. */
#include "store/internal.h"

#include "base/assert.h"
#include "base/buffer.h"
#include "base/text.h"

#include <stdio.h>
#include <string.h>

/* Who has a baseline of one name. */
struct holders {
    char machine_id[33]; /* the one that counts for the machine in use; "" when none */
    char run_id[27];
    int64_t other_count;
    char others[3][33]; /* the first of the others, for the message */
};

static tare_status find_holders(struct store *store, const char *name, struct holders *holders,
                                struct tare_error *error)
{
    *holders = (struct holders){0};
    struct row row = row_open(store, QUERY_BASELINE_SELECT, error);
    row_bind_text(&row, name);
    int64_t count = 0;
    char machine[33];
    char run[27];
    while (row_next(&row)) {
        row_id(&row, machine, sizeof machine);
        row_id(&row, run, sizeof run);
        count++;
        if (store->machine_id[0] == '\0' || strcmp(machine, store->machine_id) == 0) {
            memcpy(holders->machine_id, machine, sizeof machine);
            memcpy(holders->run_id, run, sizeof run);
        } else if (holders->other_count < 3) {
            memcpy(holders->others[holders->other_count++], machine, sizeof machine);
        } else {
            holders->other_count++;
        }
    }
    if (row.status == TARE_OK && store->machine_id[0] == '\0' && count > 1) {
        row.status = error_set(
            error, TARE_ERROR_USAGE,
            "%lld machines have a baseline '%s': which machine's is meant is not known here",
            (long long)count, name);
    }
    return row_close(&row);
}

/* The identity in words: "cpu=…, cores=2". */
static const char *machine_words(struct store *store, struct arena *arena, const char *machine_id)
{
    struct buffer words = buffer_new(arena, BUFFER_LENGTH_MAX);
    struct row row = row_open(store, QUERY_MACHINE_FIELDS, NULL);
    row_bind_text(&row, machine_id);
    while (row_next(&row)) {
        const char *key = text_printable(arena, row_word(&row, arena), 40);
        const char *value = text_printable(arena, row_word(&row, arena), 60);
        buffer_printf(&words, "%s%s=%s", words.length > 0 ? ", " : "", key, value);
    }
    row_close(&row);
    return buffer_string(&words);
}

static tare_status only_elsewhere(struct store *store, const char *name,
                                  const struct holders *holders, struct tare_error *error)
{
    struct arena scratch = {0};
    struct buffer machines = buffer_new(&scratch, BUFFER_LENGTH_MAX);
    ptrdiff_t shown = holders->other_count < 3 ? (ptrdiff_t)holders->other_count : 3;
    for (ptrdiff_t i = 0; i < shown; i++) {
        buffer_printf(
            &machines, "%s%.8s (%s)", i > 0 ? "; " : "", holders->others[i],
            text_printable(&scratch, machine_words(store, &scratch, holders->others[i]), 160));
    }
    if (holders->other_count > shown) {
        buffer_printf(&machines, "; and %lld more", (long long)(holders->other_count - shown));
    }
    tare_status status = error_set(
        error, TARE_ERROR_NO_BASELINE,
        "no baseline '%s' for this machine (%.8s), only for %s: measure here and save one with "
        "'tare baseline save'",
        text_printable(&scratch, name, 60), store->machine_id, buffer_string(&machines));
    arena_free(&scratch);
    return status;
}

tare_status store_baseline_run(struct store *store, const char *name, char run_id[27],
                               bool *is_found, struct tare_error *error)
{
    struct holders holders;
    *is_found = false;
    tare_status status = find_holders(store, name, &holders, error);
    if (status != TARE_OK) {
        return status;
    }
    if (holders.machine_id[0] != '\0') {
        memcpy(run_id, holders.run_id, sizeof holders.run_id);
        *is_found = true;
        return TARE_OK;
    }
    return holders.other_count > 0 ? only_elsewhere(store, name, &holders, error) : TARE_OK;
}

/* ---- changing ---- */

static tare_status change_baseline(struct store *store, const struct store_change *change,
                                   const char *action, struct tare_error *error);
static tare_status move_to_run(struct store *store, const struct store_change *change,
                               const char *action, struct tare_error *error);
static tare_status take_away(struct store *store, const struct store_change *change,
                             struct tare_error *error);

tare_status store_baseline_save(struct store *store, const struct store_change *change,
                                struct tare_error *error)
{
    return change_baseline(store, change, "save", error);
}

tare_status store_baseline_promote(struct store *store, const struct store_change *change,
                                   struct tare_error *error)
{
    return change_baseline(store, change, "promote", error);
}

tare_status store_baseline_remove(struct store *store, const struct store_change *change,
                                  struct tare_error *error)
{
    return change_baseline(store, change, "remove", error);
}

/* Names that a selector would read as something else are refused. */
static tare_status check_change(const struct store_change *change, bool is_new,
                                struct tare_error *error)
{
    struct arena scratch = {0};
    const char *shown = text_printable(&scratch, change->name, 60);
    tare_status status = TARE_OK;
    size_t length = strlen(change->reason);
    if (!model_name_is_valid(change->name)) {
        status = error_set(
            error, TARE_ERROR_USAGE,
            "baseline name '%s' will not do: 1 to %d bytes of UTF-8 without control characters",
            shown, MODEL_NAME_BYTES_MAX);
    } else if (is_new && (change->name[0] == '-' || text_starts_with(change->name, "latest"))) {
        status = error_set(error, TARE_ERROR_USAGE,
                           "a baseline cannot be called '%s': it would be taken for something "
                           "else; choose a name such as "
                           "main",
                           shown);
    } else if (length > MODEL_VALUE_BYTES_MAX || !text_is_utf8(change->reason, (ptrdiff_t)length)) {
        status = error_set(error, TARE_ERROR_USAGE, "the reason must be UTF-8 of at most %d bytes",
                           MODEL_VALUE_BYTES_MAX);
    }
    arena_free(&scratch);
    return status;
}

static tare_status change_baseline(struct store *store, const struct store_change *change,
                                   const char *action, struct tare_error *error)
{
    TARE_ASSERT(store->mode == STORE_WRITE);
    tare_status status = check_change(change, strcmp(action, "save") == 0, error);
    if (status != TARE_OK) {
        return status;
    }
    status = store_begin(store, error);
    if (status != TARE_OK) {
        return status;
    }
    status = change->selector == NULL ? take_away(store, change, error)
                                      : move_to_run(store, change, action, error);
    return store_end(store, status, error);
}

static tare_status record(struct store *store, const struct store_change *change,
                          const char *action, const struct holders *from, const char *machine_id,
                          const char *run_id, struct tare_error *error)
{
    struct row row = row_open(store, QUERY_PROMOTION_INSERT, error);
    row_bind_text(&row, change->name);
    row_bind_text(&row, machine_id);
    row_bind_text(&row, action);
    row_bind_text(&row, run_id);
    row_bind_text(&row, from->run_id);
    row_bind_int(&row, change->at_unix_ns);
    row_bind_text(&row, change->by);
    row_bind_text(&row, change->reason);
    return row_run(&row);
}

/* The run a change is about, and what its machine has under the name so far. */
static tare_status find_target(struct store *store, struct arena *arena,
                               const struct store_change *change, struct store_run_row *run,
                               struct holders *holders, struct tare_error *error)
{
    char id[27];
    tare_status status = store_run_resolve(store, change->selector, id, error);
    if (status == TARE_OK) {
        struct row row = row_open(store, QUERY_RUN_ROW, error);
        row_bind_text(&row, id);
        if (row_next(&row)) {
            store_row_read(&row, arena, run);
        }
        status = row_close(&row);
    }
    if (status == TARE_OK) {
        char in_use[33];
        memcpy(in_use, store->machine_id, sizeof in_use);
        memcpy(store->machine_id, run->machine_id, sizeof in_use);
        status = find_holders(store, change->name, holders, error);
        memcpy(store->machine_id, in_use, sizeof in_use);
    }
    return status;
}

static tare_status check_target(const struct store_change *change, const char *action,
                                const struct store_run_row *run, const struct holders *holders,
                                struct tare_error *error)
{
    bool has_one = holders->machine_id[0] != '\0';
    if (strcmp(action, "save") == 0 && has_one) {
        return error_set(error, TARE_ERROR_USAGE,
                         "baseline '%s' exists for this machine and points at run %s: 'tare "
                         "baseline promote' moves it",
                         change->name, holders->run_id);
    }
    if (strcmp(action, "promote") == 0 && !has_one) {
        return error_set(
            error, TARE_ERROR_NO_BASELINE,
            "no baseline '%s' for the machine of run %s (%.8s): 'tare baseline save' makes one",
            change->name, run->id, run->machine_id);
    }
    if (run->benchmark_count == 0) {
        return error_set(error, TARE_ERROR_USAGE,
                         "run %s has no benchmarks, so it cannot be a baseline", run->id);
    }
    if (run->bad_count == run->benchmark_count) {
        return error_set(error, TARE_ERROR_MEASURE,
                         "no benchmark of run %s could be measured, so it cannot be a baseline",
                         run->id);
    }
    if (run->state != MODEL_RUN_COMPLETE && !change->is_forced) {
        return error_set(
            error, TARE_ERROR_USAGE,
            "run %s is %s, not complete: choose another, or take it as it is with --force", run->id,
            run->state == MODEL_RUN_RUNNING ? "running or killed"
                                            : store_run_state_words[run->state]);
    }
    return TARE_OK;
}

static tare_status move_to_run(struct store *store, const struct store_change *change,
                               const char *action, struct tare_error *error)
{
    struct arena scratch = {0};
    struct store_run_row run = {0};
    struct holders holders = {0};
    tare_status status = find_target(store, &scratch, change, &run, &holders, error);
    if (status == TARE_OK) {
        status = check_target(change, action, &run, &holders, error);
    }
    if (status == TARE_OK) {
        struct row row = row_open(store, QUERY_BASELINE_WRITE, error);
        row_bind_text(&row, change->name);
        row_bind_text(&row, run.machine_id);
        row_bind_text(&row, run.id);
        status = row_run(&row);
    }
    if (status == TARE_OK) {
        status = record(store, change, action, &holders, run.machine_id, run.id, error);
    }
    arena_free(&scratch);
    return status;
}

static tare_status not_there(struct store *store, const char *name, const struct holders *holders,
                             struct tare_error *error)
{
    if (holders->other_count > 0) {
        return only_elsewhere(store, name, holders, error);
    }
    struct arena scratch = {0};
    tare_status status =
        error_set(error, TARE_ERROR_NO_BASELINE,
                  "no baseline '%s' in store '%s': 'tare baseline save NAME' makes one",
                  text_printable(&scratch, name, 60), store->path);
    arena_free(&scratch);
    return status;
}

static tare_status take_away(struct store *store, const struct store_change *change,
                             struct tare_error *error)
{
    struct holders holders;
    tare_status status = find_holders(store, change->name, &holders, error);
    if (status == TARE_OK && holders.machine_id[0] == '\0') {
        status = not_there(store, change->name, &holders, error);
    }
    if (status == TARE_OK) {
        struct row row = row_open(store, QUERY_BASELINE_DELETE, error);
        row_bind_text(&row, change->name);
        row_bind_text(&row, holders.machine_id);
        status = row_run(&row);
    }
    if (status == TARE_OK) {
        status = record(store, change, "remove", &holders, holders.machine_id, "", error);
    }
    return status;
}

/* ---- reading ---- */

static void read_promotion(struct row *row, struct arena *arena, struct store_promotion *promotion)
{
    promotion->name = row_word(row, arena);
    row_id(row, promotion->machine_id, sizeof promotion->machine_id);
    promotion->action = row_word(row, arena);
    promotion->run_id = row_word(row, arena);
    promotion->previous_run_id = row_word(row, arena);
    promotion->at_unix_ns = row_int(row);
    promotion->by = row_word(row, arena);
    promotion->reason = row_word(row, arena);
}

tare_status store_baseline_history(struct store *store, struct arena *arena, const char *name,
                                   const char *machine_id, struct store_promotions *promotions,
                                   struct tare_error *error)
{
    *promotions = (struct store_promotions){0};
    struct row row = row_open(store, QUERY_PROMOTIONS, error);
    row_bind_text(&row, name);
    row_bind_text(&row, machine_id);
    while (row_next(&row)) {
        promotions->items = arena_grow(arena, promotions->items, &promotions->capacity,
                                       promotions->count + 1, sizeof *promotions->items);
        read_promotion(&row, arena, &promotions->items[promotions->count++]);
    }
    return row_close(&row);
}

static tare_status add_last_promotion(struct store *store, struct arena *arena,
                                      struct store_baseline *baseline, struct tare_error *error)
{
    baseline->last = (struct store_promotion){.name = baseline->name,
                                              .action = "",
                                              .run_id = "",
                                              .previous_run_id = "",
                                              .by = "",
                                              .reason = ""};
    struct row row = row_open(store, QUERY_PROMOTIONS, error);
    row_bind_text(&row, baseline->name);
    row_bind_text(&row, baseline->machine_id);
    if (row_next(&row)) {
        read_promotion(&row, arena, &baseline->last);
    }
    return row_close(&row);
}

tare_status store_baselines_list(struct store *store, struct arena *arena, const char *machine_id,
                                 struct store_baselines *baselines, struct tare_error *error)
{
    *baselines = (struct store_baselines){0};
    struct row row = row_open(store, QUERY_BASELINES_LIST, error);
    row_bind_text(&row, machine_id);
    while (row_next(&row)) {
        baselines->items = arena_grow(arena, baselines->items, &baselines->capacity,
                                      baselines->count + 1, sizeof *baselines->items);
        struct store_baseline *baseline = &baselines->items[baselines->count++];
        baseline->name = row_word(&row, arena);
        row_id(&row, baseline->machine_id, sizeof baseline->machine_id);
        store_row_read(&row, arena, &baseline->run);
    }
    tare_status status = row_close(&row);
    for (ptrdiff_t i = 0; status == TARE_OK && i < baselines->count; i++) {
        struct store_baseline *baseline = &baselines->items[i];
        baseline->machine = machine_words(store, arena, baseline->machine_id);
        status = add_last_promotion(store, arena, baseline, error);
    }
    return status;
}

tare_status store_baseline_find(struct store *store, struct arena *arena, const char *name,
                                struct store_baseline *baseline, struct tare_error *error)
{
    struct holders holders;
    tare_status status = find_holders(store, name, &holders, error);
    if (status != TARE_OK) {
        return status;
    }
    if (holders.machine_id[0] == '\0') {
        return not_there(store, name, &holders, error);
    }
    struct store_baselines all;
    status = store_baselines_list(store, arena, holders.machine_id, &all, error);
    for (ptrdiff_t i = 0; status == TARE_OK && i < all.count; i++) {
        if (strcmp(all.items[i].name, name) == 0) {
            *baseline = all.items[i];
            return TARE_OK;
        }
    }
    return status != TARE_OK ? status : not_there(store, name, &holders, error);
}
