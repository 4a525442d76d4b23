/* ab_plan.c: from the words of `tare ab` to pairs of benchmarks. */
#include "cli/ab_checks.h"
#include "cli/ab_revisions.h"
#include "cli/ab_session.h"
#include "cli/contest_entry.h"

#include "base/text.h"
#include "os/file.h"

#include <string.h>

/* The first look at the builds is at 8; more than 40 are not kept. */
enum { LAYOUTS_MIN = 8, LAYOUTS_MAX = 20 };

/* A program is compared with a program, a command with a command. A path that is not there looks
 * like a command. */
static tare_status check_kind(struct ab_session *session, int side, struct tare_error *error)
{
    bool is_command = session->plans[side].tasks[0].command != NULL;
    if (is_command == (session->plans[0].tasks[0].command != NULL)) {
        return TARE_OK;
    }
    struct arena *arena = session->cli->arena;
    const char *name = session->names[is_command ? side : 0];
    const char *shown = text_printable(arena, name, 100);
    return file_find_program(arena, name) == NULL
               ? error_set(error, TARE_ERROR_MEASURE, "'%s' is not a program that can be run",
                           shown)
               : error_set(
                     error, TARE_ERROR_USAGE,
                     "'%s' has no note of libtare's, the other side is a benchmark program: they "
                     "cannot be compared",
                     shown);
}

/* OLD and NEW as words: programs or command lines. */
static tare_status plan_words(struct ab_session *session, const struct option_result *words,
                              struct tare_error *error)
{
    if (words->operands.count < 2 || words->operands.count > PAIR_SIDES_MAX || words->has_rest) {
        return error_set(
            error, TARE_ERROR_USAGE,
            "two builds are wanted, OLD and NEW (up to %d in all; a command line in quotes is "
            "one word), or --rev OLD -- PROGRAM",
            PAIR_SIDES_MAX);
    }
    session->side_count = (int)words->operands.count;
    for (int i = 0; i < session->side_count; i++) {
        const struct option_result word = {
            .operands = {.items = &words->operands.items[i], .count = 1}};
        session->names[i] = words->operands.items[i];
        tare_status status = run_plan_make(session->cli->arena, &session->options->run, &word,
                                           &session->plans[i], error);
        if (status != TARE_OK) {
            return status;
        }
    }
    return TARE_OK;
}

/* --rev OLD [NEW…] -- PROGRAM: NEW is the working tree unless named. */
static tare_status plan_revisions(struct ab_session *session, const struct option_result *words,
                                  struct tare_error *error)
{
    const struct ab_options *options = session->options;
    const char *build = options->build != NULL ? options->build : session->config.policy.build;
    if (words->rest.count == 0 || words->operands.count >= PAIR_SIDES_MAX) {
        return error_set(
            error, TARE_ERROR_USAGE,
            "--rev wants the program behind --: tare ab --rev main --build 'make bench' -- "
            "./bench");
    }
    if (options->layouts != 0 &&
        !(options->layouts >= LAYOUTS_MIN && options->layouts <= LAYOUTS_MAX)) {
        return error_set(error, TARE_ERROR_USAGE,
                         "--layouts must be %d to %d: with fewer builds there is no verdict",
                         LAYOUTS_MIN, LAYOUTS_MAX);
    }
    struct ab_revisions request = {
        .revisions = {options->revision},
        .side_count = words->operands.count > 0 ? (int)words->operands.count + 1 : 2,
        .build = build,
        .layouts = (int)options->layouts,
        .words = &words->rest,
        .is_quiet = options->run.common.quiet,
    };
    for (ptrdiff_t i = 0; i < words->operands.count; i++) {
        request.revisions[i + 1] = words->operands.items[i];
    }
    session->side_count = request.side_count;
    session->contest.launches_max = (ptrdiff_t)options->layouts;
    return ab_revisions_plan(session->cli->arena, &request, &options->run, session->plans,
                             session->names, &session->decision, error);
}

tare_status ab_plan_sides(struct ab_session *session, const struct option_result *words,
                          struct tare_error *error)
{
    const struct ab_options *options = session->options;
    if (options->revision == NULL && (options->build != NULL || options->layouts != 0)) {
        return error_set(error, TARE_ERROR_USAGE, "--build and --layouts go with --rev");
    }
    /* Shorter slices are mostly the timer's, longer ones outlast the scheduler's patience and the
     * budget. */
    if (options->slice_ns != 0 && !(options->slice_ns >= 10e3 && options->slice_ns <= 1e9)) {
        return error_set(error, TARE_ERROR_USAGE, "--slice must be 10us to 1s");
    }
    if (options->rounds != UNSET_ROUNDS && !(options->rounds >= 1 && options->rounds <= 10000)) {
        return error_set(error, TARE_ERROR_USAGE, "--rounds must be 1 to 10000");
    }
    if (options->run.cpu >= 0 && options->is_not_pinned) {
        return error_set(error, TARE_ERROR_USAGE, "--cpu and --no-pin exclude each other");
    }
    if (options->min_effect >= 1) {
        return error_set(error, TARE_ERROR_USAGE, "--min-effect must be below 100%%");
    }
    tare_status status = options->revision != NULL ? plan_revisions(session, words, error)
                                                   : plan_words(session, words, error);
    for (int i = 1; i < session->side_count && status == TARE_OK; i++) {
        run_plan_share_calibration(&session->plans[0], &session->plans[i]);
        status = check_kind(session, i, error);
    }
    return status;
}

static struct run_task *find_label(struct arena *arena, struct run_plan *plan, const char *label)
{
    for (ptrdiff_t i = 0; i < plan->task_count; i++) {
        if (strcmp(model_benchmark_label(arena, &plan->tasks[i].benchmark), label) == 0) {
            return &plan->tasks[i];
        }
    }
    return NULL;
}

/* The counterpart of old's task number `place`: by its label, by its new name, or, since commands
 * have other words on each side, by its place. */
static struct run_task *find_new(const struct ab_session *session, struct run_plan *plan,
                                 ptrdiff_t place)
{
    struct arena *arena = session->cli->arena;
    const struct run_task *wanted = &session->plans[0].tasks[place];
    const char *label = model_benchmark_label(arena, &wanted->benchmark);
    const char *renamed = model_policy_renamed(&session->config.policy, label);
    struct run_task *found = find_label(arena, plan, label);
    if (found == NULL && renamed != NULL) {
        found = find_label(arena, plan, renamed);
    }
    bool has_place = wanted->command != NULL && plan->tasks != NULL &&
                     plan->task_count == session->plans[0].task_count &&
                     plan->tasks[place].command != NULL;
    return found == NULL && has_place ? &plan->tasks[place] : found;
}

static void add_label(struct arena *arena, const char ***labels, ptrdiff_t *count,
                      const char *label)
{
    const char **grown = ARENA_ARRAY(arena, const char *, *count + 1);
    if (*count > 0) {
        memcpy(grown, *labels, (size_t)*count * sizeof *grown);
    }
    grown[(*count)++] = label;
    *labels = grown;
}

static bool has_metric(const struct contest_entry *entry, const char *name)
{
    for (ptrdiff_t m = 0; m < entry->metric_count; m++) {
        if (strcmp(entry->metrics[m], name) == 0) {
            return true;
        }
    }
    return ab_is_counted(name) && entry->pair.sides[0].target.can_count_allocations;
}

/* What is counted besides, and with what, before anything is measured. */
static tare_status open_counting(struct ab_session *session, struct tare_error *error)
{
    struct arena *arena = session->cli->arena;
    tare_status status =
        counting_open(arena, &session->options->run.counts, &session->options->gate,
                      session->config.policy.count, &session->counting, error);
    if (status == TARE_OK && session->counting.path_note != NULL) {
        model_decision_warn(arena, &session->decision, "%s", session->counting.path_note);
    }
    return status;
}

/* A metric that no benchmark has is a typing error. */
static tare_status check_gate(struct ab_session *session, struct tare_error *error)
{
    struct arena *arena = session->cli->arena;
    const struct text_list *gate = &session->options->gate;
    for (ptrdiff_t g = 0; g < gate->count; g++) {
        bool is_known = false;
        for (ptrdiff_t i = 0; i < session->contest.count; i++) {
            is_known = is_known || has_metric(&session->contest.entries[i], gate->items[g]) ||
                       counting_has_metric(&session->counting, gate->items[g]);
        }
        if (is_known) {
            continue;
        }
        struct buffer known = buffer_new(arena, ERROR_MESSAGE_MAX / 2);
        const struct contest_entry *first = &session->contest.entries[0];
        for (ptrdiff_t m = 0; m < first->metric_count; m++) {
            buffer_printf(&known, "%s%s", m > 0 ? ", " : "", first->metrics[m]);
        }
        return error_set(error, TARE_ERROR_USAGE,
                         "--gate %s: no benchmark has that metric; there are: %s",
                         text_printable(arena, gate->items[g], 60), buffer_string(&known));
    }
    return TARE_OK;
}

/* A benchmark without any of the metrics that decide is not measured, and that is said. */
static void leave_out_ungated(struct ab_session *session)
{
    struct contest *contest = &session->contest;
    ptrdiff_t kept = 0;
    for (ptrdiff_t i = 0; i < contest->count; i++) {
        bool is_gated = contest->entries[i].gated_count > 0;
        for (ptrdiff_t g = 0; g < session->options->gate.count; g++) {
            const char *metric = session->options->gate.items[g];
            is_gated = is_gated || has_metric(&contest->entries[i], metric) ||
                       counting_has_metric(&session->counting, metric);
        }
        if (is_gated) {
            contest->entries[kept++] = contest->entries[i];
        } else {
            model_decision_warn(session->cli->arena, &session->decision,
                                "%s has none of the metrics of --gate and was not compared",
                                contest->entries[i].label);
        }
    }
    contest->count = kept;
}

tare_status ab_plan_pairs(struct ab_session *session, struct tare_error *error)
{
    struct arena *arena = session->cli->arena;
    struct run_plan *old_plan = &session->plans[0];
    struct contest *contest = &session->contest;
    contest->entries = ARENA_ARRAY(arena, struct contest_entry, old_plan->task_count);
    for (ptrdiff_t i = 0; i < old_plan->task_count; i++) {
        struct run_task *tasks[PAIR_SIDES_MAX] = {&old_plan->tasks[i]};
        bool is_everywhere = true;
        for (int side = 1; side < session->side_count; side++) {
            tasks[side] = find_new(session, &session->plans[side], i);
            is_everywhere = is_everywhere && tasks[side] != NULL;
            if (tasks[side] != NULL) {
                tasks[side]->is_paired = true;
            }
        }
        if (is_everywhere) {
            contest_entry_fill(arena, &contest->entries[contest->count++], tasks,
                               session->side_count, &session->options->gate);
        } else {
            add_label(arena, &session->decision.missing, &session->decision.missing_count,
                      model_benchmark_label(arena, &tasks[0]->benchmark));
        }
    }
    for (int side = 1; side < session->side_count; side++) {
        for (ptrdiff_t i = 0; i < session->plans[side].task_count; i++) {
            const struct run_task *task = &session->plans[side].tasks[i];
            if (!task->is_paired) {
                add_label(arena, &session->decision.added, &session->decision.added_count,
                          model_benchmark_label(arena, &task->benchmark));
            }
        }
    }
    if (contest->count == 0) {
        return error_set(error, TARE_ERROR_MEASURE,
                         "the two sides have no benchmark in common: nothing can be compared");
    }
    tare_status status = open_counting(session, error);
    if (status == TARE_OK) {
        status = check_gate(session, error);
    }
    if (status == TARE_OK) {
        leave_out_ungated(session);
    }
    return status;
}
