#include "cli/ab_checks.h"

#include "base/text.h"
#include "base/unit.h"
#include "measure/sampler.h"
#include "os/file.h"
#include "os/folder.h"

#include <math.h>
#include <string.h>

/* Output is compared up to this size; more is refused, not cut. */
enum { OUTPUT_BYTES_MAX = MODEL_OUTPUT_BYTES_MAX };

/* Runs the command once with its output in a file, and reads it. */
static tare_status capture(struct arena *arena, const struct measure_command *command,
                           const char *path, char **text, ptrdiff_t *length,
                           struct tare_error *error)
{
    struct measure_command copy = *command;
    copy.output = MEASURE_OUTPUT_FILE;
    copy.output_path = path;
    copy.setup = copy.cleanup = NULL; /* the command is open already */
    const struct measure_variation plain = {.cpu = -1};
    struct measure_command_result result;
    tare_status status = measure_command_run_once(arena, &copy, &plain, true, &result, error);
    return status == TARE_OK ? file_read(arena, path, OUTPUT_BYTES_MAX, text, length, error)
                             : status;
}

/* "line 3: old prints 'a', new 'b'": where two outputs part. */
static const char *first_difference(struct arena *arena, const char *old_text, const char *new_text)
{
    int line = 1;
    const char *old_line = old_text;
    const char *new_line = new_text;
    while (*old_text != '\0' && *old_text == *new_text) {
        if (*old_text == '\n') {
            line++;
            old_line = old_text + 1;
            new_line = new_text + 1;
        }
        old_text++;
        new_text++;
    }
    const char *shown[2] = {old_line, new_line};
    for (int i = 0; i < 2; i++) {
        ptrdiff_t length = (ptrdiff_t)strcspn(shown[i], "\n");
        shown[i] = text_printable(arena, arena_strndup(arena, shown[i], length), 60);
    }
    return arena_printf(arena, "line %d: old prints '%s', new '%s'", line, shown[0], shown[1]);
}

static tare_status check_entry(struct arena *arena, const char *folder, struct run_plan *plans,
                               int side_count, ptrdiff_t task, struct contest_entry *entry,
                               struct tare_error *error)
{
    char *old_text = NULL;
    ptrdiff_t old_length = 0;
    const char *path = arena_printf(arena, "%s/output", folder);
    tare_status status =
        capture(arena, plans[0].tasks[task].command, path, &old_text, &old_length, error);
    for (int side = 1; side < side_count && status == TARE_OK; side++) {
        char *new_text = NULL;
        ptrdiff_t new_length = 0;
        status =
            capture(arena, plans[side].tasks[task].command, path, &new_text, &new_length, error);
        if (status == TARE_OK &&
            (old_length != new_length || memcmp(old_text, new_text, (size_t)old_length) != 0)) {
            struct model_benchmark *benchmark = entry->pair.sides[side].benchmark;
            benchmark->state = MODEL_STATE_INVALID;
            benchmark->check = MODEL_CHECK_FAILED;
            benchmark->reason = arena_printf(arena, "it prints something else than old: %s",
                                             first_difference(arena, old_text, new_text));
        }
    }
    return status;
}

tare_status ab_check_output(struct arena *arena, struct run_plan *plans, int side_count,
                            struct contest *contest, struct tare_error *error)
{
    char *folder = NULL;
    tare_status status = file_temporary_directory(arena, "tare-output", &folder, error);
    for (ptrdiff_t i = 0; i < contest->count && status == TARE_OK; i++) {
        /* Entries of commands stand in the order of their tasks. */
        if (plans[0].tasks[i].command != NULL) {
            status = check_entry(arena, folder, plans, side_count, i, &contest->entries[i], error);
        }
    }
    if (folder != NULL) {
        (void)folder_remove(folder, NULL);
    }
    return status;
}

static void add_count_comparison(struct arena *arena, const struct contest *contest,
                                 struct contest_entry *entry, const char *metric, bool is_gated)
{
    ptrdiff_t count = entry->metric_count;
    const char **metrics = ARENA_ARRAY(arena, const char *, count + 1);
    memcpy(metrics, entry->metrics, (size_t)count * sizeof *metrics);
    metrics[count] = metric;
    for (int side = 1; side < entry->pair.side_count; side++) {
        struct model_comparison *grown = ARENA_ARRAY(arena, struct model_comparison, count + 1);
        memcpy(grown, entry->comparisons[side - 1], (size_t)count * sizeof *grown);
        detect_paired(arena, entry->pair.sides[0].benchmark, entry->pair.sides[side].benchmark,
                      metric, &contest->rule, &grown[count]);
        grown[count].is_gated = is_gated;
        entry->comparisons[side - 1] = grown;
    }
    entry->metrics = metrics;
    entry->metric_count = count + 1;
}

static const char *const counted[] = {"allocations", "allocated"};

bool ab_is_counted(const char *metric)
{
    for (size_t i = 0; i < sizeof counted / sizeof *counted; i++) {
        if (strcmp(counted[i], metric) == 0) {
            return true;
        }
    }
    return false;
}

static bool is_in(const struct text_list *list, const char *text)
{
    for (ptrdiff_t i = 0; i < list->count; i++) {
        if (strcmp(list->items[i], text) == 0) {
            return true;
        }
    }
    return false;
}

tare_status ab_count_sides(struct arena *arena, const struct contest *contest,
                           struct contest_entry *entry, const struct text_list *gate,
                           struct tare_error *error)
{
    bool can_count = pair_is_sound(&entry->pair) && entry->pair.iterations > 0;
    for (int side = 0; side < entry->pair.side_count; side++) {
        can_count = can_count && entry->pair.sides[side].target.can_count_allocations;
    }
    tare_status status = TARE_OK;
    for (int side = 0; side < entry->pair.side_count && can_count && status == TARE_OK; side++) {
        struct pair_side *one = &entry->pair.sides[side];
        status = measure_counts(arena, &one->target, entry->pair.iterations, contest->clock,
                                contest->random, one->benchmark, error);
    }
    if (can_count && status == TARE_OK) {
        for (size_t i = 0; i < sizeof counted / sizeof *counted; i++) {
            add_count_comparison(arena, contest, entry, counted[i], is_in(gate, counted[i]));
        }
    }
    return status;
}

void ab_doubt_memory(struct arena *arena, struct contest_entry *entry)
{
    double bound_bytes = 0;
    for (int side = 0; side < entry->pair.side_count; side++) {
        if (entry->pair.sides[side].target.is_command) {
            const struct measure_command_target *command = entry->pair.sides[side].target.context;
            bound_bytes = fmax(bound_bytes, command->memory_bound_bytes);
        }
    }
    for (int side = 1; side < entry->pair.side_count && bound_bytes > 0; side++) {
        for (ptrdiff_t m = 0; m < entry->metric_count; m++) {
            struct model_comparison *c = &entry->comparisons[side - 1][m];
            if (strcmp(entry->metrics[m], "memory") == 0 && c->verdict == MODEL_EQUIVALENT) {
                c->verdict = MODEL_INCONCLUSIVE;
                c->reason_code = "below-floor";
                c->reason = arena_printf(arena, "peaks of at most %s cannot be told apart",
                                         unit_format(arena, bound_bytes, "B", 3));
                c->seconds_more = -1;
            }
        }
    }
}

static const struct model_comparison *find_comparison(const struct contest_entry *entry,
                                                      const char *metric)
{
    for (ptrdiff_t m = 0; m < entry->metric_count; m++) {
        if (strcmp(entry->metrics[m], metric) == 0 && entry->comparisons[0][m].has_interval) {
            return &entry->comparisons[0][m];
        }
    }
    return NULL;
}

void ab_note_steadier(struct arena *arena, const struct contest *contest,
                      struct model_decision *decision)
{
    for (ptrdiff_t i = 0; i < contest->count; i++) {
        const struct contest_entry *entry = &contest->entries[i];
        const struct model_comparison *wall = find_comparison(entry, "time");
        const struct model_comparison *cpu = find_comparison(entry, "cpu");
        if (wall == NULL || cpu == NULL) {
            continue;
        }
        double wall_half = log(wall->high / wall->low) / 2;
        double cpu_half = log(cpu->high / cpu->low) / 2;
        /* A factor of two is worth a word; less changes nothing. */
        if (cpu_half * 2 < wall_half) {
            model_decision_warn(
                arena, decision,
                "%s: processor time is steadier here, ± %.2g %% against ± %.2g %% of wall "
                "time: --gate cpu decides by it",
                text_printable(arena, entry->label, 60), cpu_half * 100, wall_half * 100);
        }
    }
}
