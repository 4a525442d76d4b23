/* ab_session.c: the stages that `tare ab` and `tare gate` share. */
#include "cli/ab_session.h"

#include "base/text.h"
#include "base/unit.h"
#include "cli/ab_checks.h"
#include "cli/affinity_plan.h"
#include "cli/noise_record.h"
#include "cli/revision.h"
#include "cli/run_record.h"
#include "cli/store_path.h"
#include "detect/figures.h"
#include "detect/judge.h"
#include "os/terminal.h"
#include "report/comparison_json.h"
#include "report/comparison_text.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* Commands are run as they are; programs are asked to lie in memory as steadily as they can. */
static bool asks_huge_pages(const struct ab_session *session, int side)
{
    const struct run_plan *plan = &session->plans[side];
    bool is_program = plan->task_count > 0 && plan->tasks[0].command == NULL;
    return is_program && !session->options->has_no_huge_pages;
}

tare_status ab_begin_runs(struct ab_session *session, char **argv, struct tare_error *error)
{
    struct arena *arena = session->cli->arena;
    const struct run_options *options = &session->options->run;
    tare_status status = TARE_OK;
    if (session->store == NULL) {
        const struct store_request request = {.option = options->common.store,
                                              .configured = session->config.store,
                                              .mode = STORE_WRITE};
        status = store_path_open(arena, &request, &session->store, error);
    }
    for (int side = 0; side < session->side_count && status == TARE_OK; side++) {
        struct model_run *run = &session->runs[side];
        run_record_fill(arena, options, &session->plans[side], argv, run);
        run->seed = session->runs[0].seed;
        const char *role = arena_printf(arena, "%s: %s", side == 0 ? "old" : "new",
                                        text_printable(arena, session->names[side], 200));
        model_field_set(arena, &run->environment, "compared_as", role);
        if (asks_huge_pages(session, side)) {
            model_field_set(arena, &run->environment, "malloc_huge_pages", "asked for");
        }
        status = store_run_begin(session->store, run, error);
    }
    return status;
}

tare_status ab_settle_entry(void *context, struct contest_entry *entry, struct tare_error *error)
{
    struct ab_session *session = context;
    tare_status status = ab_count_sides(session->cli->arena, &session->contest, entry,
                                        &session->options->gate, error);
    if (status == TARE_OK) {
        mono_time started = clock_now();
        status = ab_count_exactly(session->cli->arena, &session->contest, entry, &session->counting,
                                  &session->options->gate, error);
        /* The budget is for measuring; how long counting takes is known before it is asked for. */
        session->contest.budget_ns += (double)clock_since_ns(started);
    }
    ab_doubt_memory(session->cli->arena, entry);
    for (int side = 0; side < entry->pair.side_count && status == TARE_OK; side++) {
        detect_figures_fill(entry->pair.sides[side].benchmark);
        status = store_benchmark_save(session->store, session->runs[side].id,
                                      entry->pair.sides[side].benchmark, error);
    }
    return status;
}

/* "[2/5] sort n=1k  +1.2 % (−0.4 … +2.8)  20 launches  35 s left" */
void ab_show_progress(void *context, const struct contest_entry *entry, double left_ns)
{
    struct ab_session *session = context;
    /* Ten times a second is smooth for people and free for the machine that measures. */
    if (!session->is_live || clock_since_ns(session->shown) < 100000000) {
        return;
    }
    session->shown = clock_now();
    ptrdiff_t settled = 0;
    for (ptrdiff_t i = 0; i < session->contest.count; i++) {
        settled += session->contest.entries[i].is_settled;
    }
    struct arena arena = {0};
    struct buffer line = buffer_new(&arena, 4096);
    buffer_printf(&line, "[%td/%td decided] %s  ", settled, session->contest.count,
                  text_printable(&arena, entry->label, 30));
    const struct model_comparison *c = &entry->comparisons[0][0];
    if (c->has_interval) {
        buffer_printf(&line, "%s %s…%s  %s  ", unit_format_change(&arena, c->ratio, 1),
                      unit_format_change(&arena, c->low, 1), unit_format_change(&arena, c->high, 1),
                      report_interval_strip(&arena, c, 0.05, 17));
    }
    buffer_printf(&line, "%td launches  %.0f s left", entry->pair.launches,
                  fmax(0, ceil(left_ns / 1e9)));
    fprintf(stderr, "\r\033[K%s",
            text_printable(&arena, buffer_string(&line), terminal_columns(STDERR_FILENO) - 1));
    fflush(stderr);
    arena_free(&arena);
}

static struct pair_plan plan_launches(const struct ab_options *options, bool is_command)
{
    struct pair_plan plan = pair_plan_default(is_command);
    if (options->rounds > 0) {
        plan.rounds = (ptrdiff_t)options->rounds;
        plan.is_paced = false;
    }
    if (options->slice_ns > 0) {
        plan.slice_ns = options->slice_ns;
    }
    plan.is_aslr_off = options->run.has_no_aslr;
    plan.wants_huge_pages = !is_command && !options->has_no_huge_pages;
    /* A whole run pinned to a busy CPU waits there while another is free: measured under load, runs
     * of 10 ms took 19 ms pinned and 11 ms free, and +3 % was found in 3 s instead of not at all.
     */
    affinity_plan(&plan, options->run.cpu, options->is_not_pinned || is_command);
    return plan;
}

void ab_prepare_contest(struct ab_session *session)
{
    struct arena *arena = session->cli->arena;
    const struct ab_options *options = session->options;
    struct contest *contest = &session->contest;
    ptrdiff_t gated = 0;
    for (ptrdiff_t i = 0; i < contest->count; i++) {
        gated += contest->entries[i].gated_count * (session->side_count - 1);
    }
    session->decision.gated_count = gated;
    session->decision.confidence = options->run.confidence;
    session->clock = measure_clock_real(arena);
    session->random = random_seeded(session->runs[0].seed);
    model_run_id_new(session->decision.id, clock_unix_ns(), clock_entropy(), clock_entropy());
    /* Exact counts need no share of the error: with nothing else gated it is not divided. */
    double shares = gated > 0 ? (double)gated : 1;
    contest->rule = (struct detect_rule){.alpha = (1 - options->run.confidence) / shares,
                                         .band = options->min_effect};
    contest->plan = plan_launches(options, false);
    contest->command_plan = plan_launches(options, true);
    contest->budget_ns = options->run.budget_ns - (double)clock_since_ns(session->started);
    contest->clock = &session->clock;
    contest->random = &session->random;
    session->observer = (struct contest_observer){
        .context = session, .update = ab_show_progress, .settled = ab_settle_entry};
    contest->observer = &session->observer;
    contest_open(arena, contest);
    session->is_live = !options->run.common.quiet && terminal_is(STDERR_FILENO);
    if (!options->run.common.quiet) {
        /* What is not as the user would run it is said. */
        bool has_huge_pages = asks_huge_pages(session, 0);
        fprintf(stderr, "%td benchmark%s, at most %s in all (--budget)%s%s\n", contest->count,
                contest->count == 1 ? "" : "s", unit_format(arena, options->run.budget_ns, "ns", 3),
                session->priority.is_raised ? ", at raised priority" : "",
                has_huge_pages ? ", asking for huge pages (--no-huge-pages)" : "");
    }
}

tare_status ab_open_commands(struct ab_session *session, struct tare_error *error)
{
    tare_status status = TARE_OK;
    for (int side = 0; side < session->side_count; side++) {
        for (ptrdiff_t i = 0; i < session->plans[side].task_count && status == TARE_OK; i++) {
            struct measure_command *command = session->plans[side].tasks[i].command;
            if (command != NULL) {
                status = measure_command_open(session->cli->arena, command, error);
            }
        }
    }
    return status;
}

void ab_close_commands(struct ab_session *session)
{
    for (int side = 0; side < session->side_count; side++) {
        for (ptrdiff_t i = 0; i < session->plans[side].task_count; i++) {
            struct measure_command *command = session->plans[side].tasks[i].command;
            struct tare_error error = {0};
            if (command != NULL && measure_command_close(command, &error) != TARE_OK) {
                model_decision_warn(session->cli->arena, &session->decision, "%s", error.message);
            }
        }
    }
}

void ab_add_items(struct ab_session *session)
{
    struct arena *arena = session->cli->arena;
    struct model_decision *decision = &session->decision;
    for (ptrdiff_t i = 0; i < session->contest.count; i++) {
        const struct contest_entry *entry = &session->contest.entries[i];
        for (int side = 1; side < session->side_count; side++) {
            for (ptrdiff_t m = 0; m < entry->metric_count; m++) {
                const struct model_comparison *found = &entry->comparisons[side - 1][m];
                if (!found->is_gated && found->verdict == MODEL_INVALID &&
                    found->basis != MODEL_BASIS_EXACT) {
                    continue; /* a counter that stayed at zero has no ratio, and nobody asked */
                }
                struct model_comparison *item = model_decision_add(arena, decision);
                *item = *found;
                item->new_name = session->side_count > 2 ? session->names[side] : NULL;
                item->level =
                    judge_level(item, model_policy_thresholds(&session->config.policy, entry->label,
                                                              entry->metrics[m]));
            }
        }
    }
}

tare_status ab_finish_runs(struct ab_session *session, tare_status status, struct tare_error *error)
{
    tare_status kept = TARE_OK;
    for (int side = 0; side < session->side_count && kept == TARE_OK; side++) {
        struct model_run *run = &session->runs[side];
        run->finished_unix_ns = clock_unix_ns();
        run->state = status == TARE_OK            ? MODEL_RUN_COMPLETE
                     : status == TARE_INTERRUPTED ? MODEL_RUN_INTERRUPTED
                                                  : MODEL_RUN_FAILED;
        kept = store_run_finish(session->store, run, error);
    }
    return kept;
}

tare_status ab_keep_decision(struct ab_session *session, int code, struct tare_error *error)
{
    struct buffer text = buffer_new(session->cli->arena, BUFFER_LENGTH_MAX);
    report_comparison_json(&text, &session->decision, &session->runs[0].machine, code);
    const struct store_document document = {
        .id = session->decision.id,
        .kind = "comparison",
        .machine_id = session->runs[0].machine.id,
        .created_unix_ns = clock_unix_ns(),
        .text = buffer_string(&text),
    };
    return store_document_save(session->store, &document, error);
}

bool ab_has_same_programs(const struct ab_session *session)
{
    const struct run_plan *plans = session->plans;
    bool has_any = false;
    for (ptrdiff_t i = 0; i < plans[0].task_count && i < plans[1].task_count; i++) {
        const char *old_source = plans[0].tasks[i].source;
        const char *new_source = plans[1].tasks[i].source;
        bool is_repeated = i > 0 && strcmp(old_source, plans[0].tasks[i - 1].source) == 0;
        if (plans[0].tasks[i].command != NULL ||
            (!is_repeated && !revision_is_same_program(old_source, new_source))) {
            return false;
        }
        has_any = true;
    }
    return has_any;
}

tare_status ab_record_noise(struct ab_session *session, const char *kind, struct tare_error *error)
{
    const struct noise_source source = {.machine_id = session->runs[0].machine.id,
                                        .project = session->runs[0].project,
                                        .kind = kind,
                                        .at_unix_ns = clock_unix_ns()};
    return noise_record(session->cli->arena, session->store, &source, &session->decision, error);
}
