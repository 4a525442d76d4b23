#include "cli/ab_revisions.h"

#include "base/text.h"
#include "codec/shell_words.h"
#include "measure/rotation.h"

#include <stdio.h>
#include <string.h>

/* A build that takes longer than an hour hangs. */
static const double BUILD_TIMEOUT_NS = 3600e9;

static void show_stage(void *context, enum revision_stage stage, const char *name, int layout)
{
    const struct ab_revisions *request = context;
    if (!request->is_quiet && stage != REVISION_CACHED) {
        struct arena arena = {0};
        fprintf(stderr, "%s\n", revision_stage_text(&arena, stage, name, layout));
        arena_free(&arena);
    }
}

tare_status ab_revision_plan(struct arena *arena, const struct text_list *words,
                             const struct run_options *options, const struct revision *revision,
                             struct run_plan *plan, const char **program, struct tare_error *error)
{
    tare_status status = revision_program(arena, revision, words->items[0], program, error);
    if (status != TARE_OK) {
        return status;
    }
    struct option_result placed = {.has_rest = true};
    text_list_add(arena, &placed.rest, *program);
    for (ptrdiff_t i = 1; i < words->count; i++) {
        text_list_add(arena, &placed.rest, words->items[i]);
    }
    struct run_options own = *options;
    own.directory = revision->directory;
    status = run_plan_make(arena, &own, &placed, plan, error);
    /* A command is called by what was typed, not by where its build lies. */
    const char **typed = ARENA_ARRAY(arena, const char *, words->count + 1);
    memcpy(typed, words->items, (size_t)words->count * sizeof *typed);
    const char *name = text_printable(arena, shell_words_join(arena, typed), 200);
    for (ptrdiff_t i = 0; i < plan->task_count && own.names.count == 0; i++) {
        if (plan->tasks[i].command != NULL) {
            plan->tasks[i].benchmark.name = name;
        }
    }
    return status;
}

/* All layouts of one task become one target that takes another build at every launch. */
static tare_status rotate(struct arena *arena, struct run_plan *plan,
                          const struct run_plan *layouts, int count, struct tare_error *error)
{
    for (ptrdiff_t t = 0; t < plan->task_count; t++) {
        struct measure_rotation *rotation = ARENA_NEW(arena, struct measure_rotation);
        rotation->inner = ARENA_ARRAY(arena, struct measure_target, count);
        rotation->count = count;
        for (int i = 0; i < count; i++) {
            if (layouts[i].task_count != plan->task_count || plan->tasks[t].command != NULL) {
                return error_set(
                    error, TARE_ERROR_MEASURE,
                    "--layouts needs a benchmark program whose builds all have the same "
                    "benchmarks");
            }
            rotation->inner[i] = layouts[i].tasks[t].target;
        }
        plan->tasks[t].target = measure_target_rotation(rotation);
    }
    return TARE_OK;
}

static tare_status plan_side(struct arena *arena, const struct ab_revisions *request,
                             const struct run_options *options, int side, struct run_plan *plan,
                             const char **name, const char **program,
                             struct model_decision *decision, struct tare_error *error)
{
    const struct revision_observer observer = {.context = (void *)request, .update = show_stage};
    int builds = request->layouts > 0 ? request->layouts : 1;
    struct run_plan *layouts = ARENA_ARRAY(arena, struct run_plan, builds);
    struct revision *revisions = ARENA_ARRAY(arena, struct revision, builds);
    for (int i = 0; i < builds; i++) {
        const struct revision_request one = {
            .revision = request->revisions[side],
            .same_as = i > 0 ? &revisions[0] : NULL,
            .build = request->build,
            .layout = request->layouts > 0 ? revision_layout(i + 1, side, request->side_count) : 0,
            .timeout_ns = BUILD_TIMEOUT_NS,
            .observer = &observer,
        };
        tare_status status = revision_prepare(arena, &one, &revisions[i], error);
        if (status == TARE_OK) {
            status = ab_revision_plan(arena, request->words, options, &revisions[i], &layouts[i],
                                      program, error);
        }
        if (status != TARE_OK) {
            return status;
        }
        if (i > 0) {
            run_plan_share_calibration(&layouts[0], &layouts[i]);
        }
    }
    if (revisions[0].commit.left_out != NULL) {
        model_decision_warn(arena, decision, "%s", revisions[0].commit.left_out);
    }
    if (revisions[0].warning != NULL) {
        model_decision_warn(arena, decision, "%s", revisions[0].warning);
    }
    *name = revisions[0].name;
    *plan = layouts[0];
    plan->commit = revision_commit(&revisions[0]);
    return request->layouts > 0 ? rotate(arena, plan, layouts, builds, error) : TARE_OK;
}

tare_status ab_revisions_plan(struct arena *arena, const struct ab_revisions *request,
                              const struct run_options *options, struct run_plan *plans,
                              const char **names, struct model_decision *decision,
                              struct tare_error *error)
{
    const char *programs[PAIR_SIDES_MAX] = {NULL};
    for (int side = 0; side < request->side_count; side++) {
        tare_status status = plan_side(arena, request, options, side, &plans[side], &names[side],
                                       &programs[side], decision, error);
        if (status != TARE_OK) {
            return status;
        }
        if (side > 0 && request->layouts == 0 &&
            revision_is_same_program(programs[0], programs[side])) {
            model_decision_warn(
                arena, decision,
                "%s and %s built the same program, byte by byte: this compares it with "
                "itself",
                text_printable(arena, names[0], 60), text_printable(arena, names[side], 60));
        }
    }
    return TARE_OK;
}
