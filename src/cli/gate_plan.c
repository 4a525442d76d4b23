/* gate_plan.c: both sides of a gate, built and planned by the base's policy. */
#include "base/text.h"
#include "cli/ab_revisions.h"
#include "cli/gate_session.h"
#include "cli/program_hash.h"
#include "os/file.h"
#include "os/worktree_history.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void show_stage(void *context, enum revision_stage stage, const char *name, int layout)
{
    const struct gate_session *session = context;
    if (!session->options->ab.run.common.quiet && stage != REVISION_CACHED) {
        struct arena arena = {0};
        fprintf(stderr, "%s\n", revision_stage_text(&arena, stage, name, layout));
        arena_free(&arena);
    }
}

/* bench_from: both sides get their benchmarks' source from the same commit. */
static tare_status share_benchmarks(struct gate_session *session, struct tare_error *error)
{
    const struct model_policy *policy = &session->ab.config.policy;
    if (policy->bench_from == MODEL_BENCH_FROM_OWN) {
        return TARE_OK;
    }
    int donor = policy->bench_from == MODEL_BENCH_FROM_BASE ? GATE_OLD : GATE_NEW;
    struct arena *arena = session->ab.cli->arena;
    struct worktree_commit composed;
    const char **paths = ARENA_ARRAY(arena, const char *, policy->bench_paths.count + 1);
    for (ptrdiff_t i = 0; i < policy->bench_paths.count; i++) {
        paths[i] = arena_printf(arena, "%s%s", session->folder, policy->bench_paths.items[i]);
    }
    tare_status status = worktree_compose(arena, &session->repository, &session->commits[1 - donor],
                                          &session->commits[donor], paths,
                                          policy->bench_paths.count, &composed, error);
    if (status == TARE_OK) {
        composed.name =
            arena_printf(arena, "%s with benchmarks of %s", session->commits[1 - donor].name,
                         session->commits[donor].name);
        session->commits[1 - donor] = composed;
    }
    return status;
}

static tare_status build_side(struct gate_session *session, int side, struct tare_error *error)
{
    struct arena *arena = session->ab.cli->arena;
    const struct model_policy *policy = &session->ab.config.policy;
    const char *build = session->options->ab.build;
    const struct revision_observer observer = {.context = session, .update = show_stage};
    const struct revision chosen = {.commit = session->commits[side]};
    const char *folder = arena_printf(arena, "%s/%s", session->repository.root, session->folder);
    const struct revision_request request = {
        .repository = file_is_directory(folder) ? folder : NULL,
        .same_as = &chosen,
        .build = build != NULL ? build : policy->build,
        .timeout_ns = policy->build_timeout_ns,
        .observer = &observer,
    };
    tare_status status = revision_prepare(arena, &request, &session->revisions[side], error);
    if (status == TARE_OK && session->revisions[side].warning != NULL) {
        model_decision_warn(arena, &session->ab.decision, "%s", session->revisions[side].warning);
    }
    if (status == TARE_OK && session->commits[side].left_out != NULL) {
        model_decision_warn(arena, &session->ab.decision, "%s", session->commits[side].left_out);
    }
    session->ab.names[side] = session->commits[side].name;
    return status;
}

/* A program that is part of the commit, byte by byte, was not made by the build: both sides would
 * be what somebody checked in one day. */
static tare_status check_was_built(struct gate_session *session, int side, const char *path,
                                   struct tare_error *error)
{
    const struct revision *revision = &session->revisions[side];
    size_t root = strlen(revision->root) + 1;
    if (!revision->has_build || strlen(path) <= root ||
        !worktree_is_as_committed(session->ab.cli->arena, &session->repository,
                                  &session->commits[side], path + root, path)) {
        return TARE_OK;
    }
    return error_set(error, TARE_ERROR_MEASURE,
                     "%s of %s is the file that is checked in: the build did not make it, so it "
                     "says nothing about the source",
                     path + root, revision->name);
}

/* The policy's programs as paths in the side's worktree. */
static tare_status place_programs(struct gate_session *session, int side,
                                  struct model_policy *policy, struct tare_error *error)
{
    struct arena *arena = session->ab.cli->arena;
    struct model_policy_benchmark *entries =
        ARENA_ARRAY(arena, struct model_policy_benchmark, policy->benchmark_count);
    for (ptrdiff_t i = 0; i < policy->benchmark_count; i++) {
        entries[i] = policy->benchmarks[i];
        if (entries[i].program == NULL) {
            continue;
        }
        tare_status status = revision_program(arena, &session->revisions[side], entries[i].program,
                                              &entries[i].program, error);
        if (status == TARE_OK) {
            status = check_was_built(session, side, entries[i].program, error);
        }
        if (status != TARE_OK) {
            return status;
        }
    }
    policy->benchmarks = entries;
    return TARE_OK;
}

/* Words behind -- stand in for the policy's list. */
static tare_status plan_words(struct gate_session *session, int side, const struct text_list *words,
                              struct tare_error *error)
{
    const char *program = NULL;
    tare_status status =
        ab_revision_plan(session->ab.cli->arena, words, &session->options->ab.run,
                         &session->revisions[side], &session->ab.plans[side], &program, error);
    bool is_program = status == TARE_OK && session->ab.plans[side].task_count > 0 &&
                      session->ab.plans[side].tasks[0].command == NULL;
    return is_program ? check_was_built(session, side, program, error) : status;
}

static tare_status plan_configured(struct gate_session *session, int side, struct tare_error *error)
{
    struct config config = session->ab.config;
    config.directory = session->revisions[side].directory;
    tare_status status = place_programs(session, side, &config.policy, error);
    return status == TARE_OK
               ? run_plan_configured(session->ab.cli->arena, &session->options->ab.run, &config,
                                     &session->ab.plans[side], error)
               : status;
}

/* A base without the program, or without benchmarks in it, is no baseline; a head without them is
 * broken. */
static tare_status plan_side(struct gate_session *session, int side, const struct text_list *words,
                             struct tare_error *error)
{
    tare_status status = words->count > 0 ? plan_words(session, side, words, error)
                                          : plan_configured(session, side, error);
    session->ab.plans[side].commit = revision_commit(&session->revisions[side]);
    if (status == TARE_OK && session->ab.plans[side].task_count == 0) {
        status = error_set(error, TARE_ERROR_MEASURE, "%s has no benchmarks",
                           session->revisions[side].name);
    }
    if (status == TARE_ERROR_MEASURE && side == GATE_OLD) {
        const struct tare_error cause = *error;
        error_clear(error);
        status = error_set(error, TARE_ERROR_NO_BASELINE,
                           "the base cannot be measured, so there is nothing to compare with: %s",
                           cause.message);
    }
    return status;
}

/* Is this file of head a binary that was checked in, not built? (A script is its own source.) */
static bool is_checked_in_binary(const struct gate_session *session, const char *word)
{
    struct arena *arena = session->ab.cli->arena;
    const struct revision *head = &session->revisions[GATE_NEW];
    const char *path = arena_printf(arena, "%s/%s", head->directory,
                                    text_starts_with(word, "./") ? word + 2 : word);
    const void *bytes = NULL;
    ptrdiff_t length = 0;
    if (!file_map(path, &bytes, &length)) {
        return false;
    }
    bool is_elf = length > 4 && memcmp(bytes, "\177ELF", 4) == 0;
    file_unmap(bytes, length);
    return is_elf &&
           worktree_is_as_committed(arena, &session->repository, &session->commits[GATE_NEW],
                                    path + strlen(head->root) + 1, path);
}

/* A command whose program is found through PATH, or elsewhere, or was checked in, is the same on
 * both sides whatever head changes. */
static void warn_of_path(struct gate_session *session)
{
    const struct model_policy *policy = &session->ab.config.policy;
    for (ptrdiff_t i = 0; i < policy->benchmark_count; i++) {
        const char *command = policy->benchmarks[i].command;
        if (command == NULL || policy->benchmarks[i].is_shell) {
            continue;
        }
        ptrdiff_t length = (ptrdiff_t)strcspn(command, " \t");
        const char *word = arena_strndup(session->ab.cli->arena, command, length);
        const char *how = strchr(word, '/') == NULL ? "found through PATH"
                          : word[0] == '/'          ? "outside of the worktree"
                          : is_checked_in_binary(session, word)
                              ? "checked in, not made by the build,"
                              : NULL;
        if (how != NULL) {
            model_decision_warn(session->ab.cli->arena, &session->ab.decision,
                                "%s is %s and is the same program on both sides: only what it "
                                "reads from the worktree differs",
                                text_printable(session->ab.cli->arena, word, 60), how);
        }
    }
}

/* A build that fails on one side only may want the line that head brings. */
static tare_status explain_build(struct gate_session *session, int side, tare_status status,
                                 struct tare_error *error)
{
    const struct model_decision *decision = &session->ab.decision;
    for (ptrdiff_t i = 0; i < decision->policy_change_count; i++) {
        if (side == GATE_NEW && text_starts_with(decision->policy_changes[i], "build")) {
            const struct tare_error first = *error;
            error_clear(error);
            return error_set(error, status,
                             "%s\n  (head changes %s; the base's line was used, as the base's "
                             "policy judges: land that change first, or give --build)",
                             first.message, decision->policy_changes[i]);
        }
    }
    return status;
}

/* A library of the checkout would be loaded by both sides, and be the same. */
static tare_status check_loader(const struct gate_session *session, struct tare_error *error)
{
    static const char *const variables[] = {"LD_LIBRARY_PATH", "LD_PRELOAD"};
    struct arena *arena = session->ab.cli->arena;
    const char *root = session->repository.root;
    size_t length = strlen(root);
    for (size_t i = 0; i < sizeof variables / sizeof *variables; i++) {
        const char *value = getenv(variables[i]);
        for (const char *part = value; part != NULL && *part != '\0';) {
            size_t part_length = strcspn(part, ": ");
            bool is_inside = part_length >= length && strncmp(part, root, length) == 0 &&
                             (part_length == length || part[length] == '/');
            if (is_inside) {
                return error_set(
                    error, TARE_ERROR_USAGE,
                    "%s names %s, which is in this checkout: both sides would load "
                    "the same library. Use a path relative to the worktree, or unset "
                    "it",
                    variables[i],
                    text_printable(arena, arena_strndup(arena, part, (ptrdiff_t)part_length), 100));
            }
            part += part_length + (part[part_length] != '\0');
        }
    }
    return TARE_OK;
}

/* Is there anything to measure? Says what will be built. */
static tare_status begin_plan(struct gate_session *session, const struct option_result *words,
                              struct tare_error *error)
{
    if (words->rest.count == 0 && session->ab.config.policy.benchmark_count == 0) {
        return error_set(error, TARE_ERROR_USAGE,
                         "%s lists no benchmarks: write them there (benchmarks:), or give the "
                         "program behind --: tare gate --base main --build 'make bench' -- ./bench",
                         session->ab.config.is_found ? session->ab.config.path : "no tare.yaml");
    }
    session->ab.side_count = GATE_SIDES;
    if (!session->options->ab.run.common.quiet) {
        fprintf(stderr, "base: %s%s; head: %s\n",
                session->is_baseline ? session->ab.config.policy.against
                                     : session->commits[GATE_OLD].name,
                session->is_baseline ? ", a stored baseline" : session->base_reason,
                session->commits[GATE_NEW].name);
    }
    if (session->is_parent && !session->is_baseline) {
        model_decision_warn(session->ab.cli->arena, &session->ab.decision,
                            "head is the tip of the branch: it is held against the commit before, "
                            "%s; what came earlier is not judged",
                            session->commits[GATE_OLD].name);
    }
    return check_loader(session, error);
}

static tare_status build_and_explain(struct gate_session *session, int side,
                                     struct tare_error *error)
{
    tare_status status = build_side(session, side, error);
    return status == TARE_ERROR_MEASURE ? explain_build(session, side, status, error) : status;
}

tare_status gate_plan_head(struct gate_session *session, const struct option_result *words,
                           struct tare_error *error)
{
    tare_status status = begin_plan(session, words, error);
    if (status == TARE_OK) {
        status = build_and_explain(session, GATE_NEW, error);
    }
    if (status == TARE_OK) {
        status = plan_side(session, GATE_NEW, &words->rest, error);
    }
    const struct ab_options *options = &session->options->ab;
    return status == TARE_OK
               ? counting_open(session->ab.cli->arena, &options->run.counts, &options->gate,
                               session->ab.config.policy.count, &session->ab.counting, error)
               : status;
}

tare_status gate_plan(struct gate_session *session, const struct option_result *words,
                      struct tare_error *error)
{
    struct arena *arena = session->ab.cli->arena;
    tare_status status = begin_plan(session, words, error);
    if (status == TARE_OK) {
        status = share_benchmarks(session, error);
    }
    for (int side = 0; side < GATE_SIDES && status == TARE_OK; side++) {
        status = build_and_explain(session, side, error);
        if (status == TARE_OK) {
            status = plan_side(session, side, &words->rest, error);
        }
        if (status == TARE_OK && side == GATE_OLD) {
            /* Before anything of head's runs. */
            session->base_programs = program_hash_built(arena, &session->ab.plans[GATE_OLD]);
        }
    }
    if (status != TARE_OK) {
        return status;
    }
    run_plan_share_calibration(&session->ab.plans[GATE_OLD], &session->ab.plans[GATE_NEW]);
    if (words->rest.count == 0) {
        warn_of_path(session);
    }
    session->has_same_programs = ab_has_same_programs(&session->ab);
    if (session->has_same_programs) {
        model_decision_warn(arena, &session->ab.decision,
                            "%s and %s built the same programs, byte by byte: only files that they "
                            "read can differ",
                            text_printable(arena, session->ab.names[GATE_OLD], 60),
                            text_printable(arena, session->ab.names[GATE_NEW], 60));
    }
    return ab_plan_pairs(&session->ab, error);
}

tare_status gate_check_base(const struct gate_session *session, struct tare_error *error)
{
    const char *now = program_hash_built(session->ab.cli->arena, &session->ab.plans[GATE_OLD]);
    if (strcmp(now, session->base_programs) == 0) {
        return TARE_OK;
    }
    return error_set(error, TARE_ERROR_MEASURE,
                     "a program of %s was changed while head was built or measured: what was "
                     "compared is not the base. Look into head's build and benchmarks; then rm -rf "
                     "%s",
                     session->ab.names[GATE_OLD], session->revisions[GATE_OLD].root);
}
