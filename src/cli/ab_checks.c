#include "cli/ab_checks.h"

#include "base/assert.h"
#include "base/text.h"
#include "base/unit.h"
#include "detect/witness.h"
#include "measure/exact.h"
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

/* Where the metric stands in the entry, behind the last one when it is not there. */
static ptrdiff_t find_metric(const struct contest_entry *entry, const char *metric)
{
    ptrdiff_t m = 0;
    while (m < entry->metric_count && strcmp(entry->metrics[m], metric) != 0) {
        m++;
    }
    return m;
}

/* Room for one metric more in everything that has one item per metric. */
static void grow_entry(struct arena *arena, const struct contest *contest,
                       struct contest_entry *entry, const char *metric)
{
    ptrdiff_t count = entry->metric_count;
    const char **metrics = ARENA_ARRAY(arena, const char *, count + 1);
    memcpy(metrics, entry->metrics, (size_t)count * sizeof *metrics);
    metrics[count] = metric;
    entry->metrics = metrics;
    for (int side = 1; side < entry->pair.side_count; side++) {
        struct model_comparison *grown = ARENA_ARRAY(arena, struct model_comparison, count + 1);
        memcpy(grown, entry->comparisons[side - 1], (size_t)count * sizeof *grown);
        entry->comparisons[side - 1] = grown;
    }
    if (entry->rules != NULL) {
        struct detect_rule *rules = ARENA_ARRAY(arena, struct detect_rule, count + 1);
        memcpy(rules, entry->rules, (size_t)count * sizeof *rules);
        rules[count] = contest->rule;
        entry->rules = rules;
    }
    entry->metric_count = count + 1;
    entry->counted_count++;
}

/* What is said of two counts: all digits, since one more matters; or why there is none. */
static void explain_count(struct arena *arena, const struct contest_entry *entry, int side,
                          struct model_comparison *c)
{
    const struct model_metric *metrics[] = {
        model_metric_find(entry->pair.sides[0].benchmark, c->metric),
        model_metric_find(entry->pair.sides[side].benchmark, c->metric),
    };
    for (int i = 0; i < 2 && pair_is_sound(&entry->pair); i++) {
        if (metrics[i] != NULL && metrics[i]->invalid_reason != NULL) {
            c->verdict = MODEL_INVALID;
            c->reason_code = "not-counted";
            c->reason =
                arena_printf(arena, "%s: %s", i == 0 ? "old" : "new", metrics[i]->invalid_reason);
            return;
        }
    }
    if (c->verdict == MODEL_REGRESSED || c->verdict == MODEL_IMPROVED) {
        TARE_ASSERT(metrics[0] != NULL && metrics[1] != NULL);
        double old_value = metrics[0]->values[0];
        double new_value = metrics[1]->values[0];
        c->reason =
            arena_printf(arena, "counted: %.15g instead of %.15g (%s%.15g)", new_value, old_value,
                         new_value > old_value ? "+" : "−", fabs(new_value - old_value));
    }
}

/* May be called again, when an entry was taken up again after its counts were made. */
static void add_count_comparison(struct arena *arena, const struct contest *contest,
                                 struct contest_entry *entry, const char *metric, bool is_gated,
                                 bool is_asked)
{
    ptrdiff_t m = find_metric(entry, metric);
    if (m == entry->metric_count) {
        grow_entry(arena, contest, entry, metric);
    }
    const struct detect_rule *rule = entry->rules != NULL ? &entry->rules[m] : &contest->rule;
    for (int side = 1; side < entry->pair.side_count; side++) {
        struct model_comparison *c = &entry->comparisons[side - 1][m];
        detect_paired(arena, entry->pair.sides[0].benchmark, entry->pair.sides[side].benchmark,
                      metric, rule, c);
        /* An invalid count that nobody asked for is not worth a line. */
        c->basis = is_asked ? MODEL_BASIS_EXACT : c->basis;
        c->is_gated = is_gated;
        explain_count(arena, entry, side, c);
    }
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
        if (model_metric_find(one->benchmark, counted[0]) != NULL) {
            continue; /* counted when it was settled before */
        }
        status = measure_counts(arena, &one->target, entry->pair.iterations, contest->clock,
                                contest->random, one->benchmark, error);
    }
    if (can_count && status == TARE_OK) {
        for (size_t i = 0; i < sizeof counted / sizeof *counted; i++) {
            add_count_comparison(arena, contest, entry, counted[i], is_in(gate, counted[i]), false);
        }
    }
    return status;
}

/* What the instructions say about the time, for every new side. */
static void hear_witness(struct arena *arena, struct contest_entry *entry)
{
    ptrdiff_t time = find_metric(entry, "time");
    ptrdiff_t instructions = find_metric(entry, measure_instructions_name);
    if (time == entry->metric_count || instructions == entry->metric_count) {
        return;
    }
    for (int side = 1; side < entry->pair.side_count; side++) {
        struct model_comparison *found = entry->comparisons[side - 1];
        found[time].witness = detect_witness(arena, &found[time], &found[instructions]).text;
    }
}

/* The file is weighed once per program, with the first of its benchmarks. */
static bool is_first_of_program(const struct contest *contest, const struct contest_entry *entry)
{
    const char *path = entry->pair.sides[0].target.program_path;
    for (ptrdiff_t i = 0; i < contest->count && &contest->entries[i] != entry; i++) {
        const char *other = contest->entries[i].pair.sides[0].target.program_path;
        if (path != NULL && other != NULL && strcmp(path, other) == 0) {
            return false;
        }
    }
    return true;
}

static bool has_exact(const struct model_benchmark *benchmark, const char *metric)
{
    const struct model_metric *found = model_metric_find(benchmark, metric);
    return found != NULL && found->is_exact;
}

static tare_status count_all(struct arena *arena, const struct contest *contest,
                             struct contest_entry *entry, const struct counting *counting,
                             struct tare_error *error)
{
    tare_status status = TARE_OK;
    double iterations = 0; /* chosen on the first side, the same on all */
    for (int side = 0; side < entry->pair.side_count && status == TARE_OK; side++) {
        struct pair_side *one = &entry->pair.sides[side];
        bool is_counted = has_exact(one->benchmark, measure_instructions_name) ||
                          has_exact(one->benchmark, measure_size_name);
        if (!is_counted) {
            status = counting_benchmark(arena, counting, &one->target, &iterations, contest->clock,
                                        contest->random, one->benchmark, error);
        }
    }
    return status;
}

static bool is_on_a_side(const struct contest_entry *entry, const char *metric)
{
    for (int side = 0; side < entry->pair.side_count; side++) {
        if (has_exact(entry->pair.sides[side].benchmark, metric)) {
            return true;
        }
    }
    return false;
}

tare_status ab_count_exactly(struct arena *arena, const struct contest *contest,
                             struct contest_entry *entry, const struct counting *counting,
                             const struct text_list *gate, struct tare_error *error)
{
    struct counting here = *counting;
    if (!is_first_of_program(contest, entry)) {
        here.kinds &= ~(unsigned)MODEL_COUNT_SIZE;
    }
    if (here.kinds == 0) {
        return TARE_OK;
    }
    tare_status status =
        pair_is_sound(&entry->pair) ? count_all(arena, contest, entry, &here, error) : TARE_OK;
    const char *const *metrics = counting_metrics();
    for (ptrdiff_t m = 0; metrics[m] != NULL && status == TARE_OK; m++) {
        bool is_asked = counting_has_metric(&here, metrics[m]) ||
                        ((here.kinds & MODEL_COUNT_ALLOCATIONS) != 0 && ab_is_counted(metrics[m]));
        bool is_gated = is_in(gate, metrics[m]);
        if (is_asked && (is_gated || is_on_a_side(entry, metrics[m]))) {
            add_count_comparison(arena, contest, entry, metrics[m], is_gated, true);
        }
    }
    hear_witness(arena, entry);
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
