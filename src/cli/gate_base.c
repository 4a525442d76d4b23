/* gate_base.c: which commits a gate compares, and by whose rules.
 *
 * The judged must not move the goalposts: neither the base nor the rules may come from head. The
 * base follows from the command line, from what the CI system says, or from the repository's own
 * branches; the policy is the one in the base. */
#include "base/text.h"
#include "cli/gate_session.h"
#include "codec/policy_yaml.h"
#include "os/worktree_history.h"

#include <stdlib.h>
#include <string.h>

/* Head is the working tree, unless named. */
static tare_status find_head(struct gate_session *session, struct tare_error *error)
{
    struct arena *arena = session->ab.cli->arena;
    const char *head = session->options->head;
    struct worktree_commit *commit = &session->commits[GATE_NEW];
    struct worktree_commit born;
    tare_status status = worktree_resolve(arena, &session->repository, "HEAD", &born, error);
    if (status != TARE_OK) {
        return status;
    }
    return head != NULL ? worktree_resolve(arena, &session->repository, head, commit, error)
                        : worktree_record(arena, &session->repository, commit, error);
}

/* The revision that head is to be held against, before their common ancestor is looked for. */
static tare_status choose_target(struct gate_session *session, const char **target,
                                 struct tare_error *error)
{
    struct arena *arena = session->ab.cli->arena;
    /* GitHub and GitLab say what a request is to be merged into. */
    static const char *const variables[] = {"GITHUB_BASE_REF",
                                            "CI_MERGE_REQUEST_TARGET_BRANCH_NAME"};
    if (session->options->base != NULL) {
        *target = session->options->base;
        return TARE_OK;
    }
    for (size_t i = 0; i < sizeof variables / sizeof *variables; i++) {
        const char *branch = getenv(variables[i]);
        if (branch != NULL && branch[0] != '\0') {
            /* In full: a tag or a branch of head's may be called origin/main, too. */
            *target = arena_printf(arena, "refs/remotes/origin/%s", branch);
            return TARE_OK;
        }
    }
    tare_status status = worktree_default_branch(arena, &session->repository, target, error);
    if (status == TARE_OK && *target == NULL) {
        status = error_set(error, TARE_ERROR_USAGE,
                           "there is no branch to compare with (looked for origin/HEAD, "
                           "origin/main, origin/master, main, master): name one with --base%s",
                           session->repository.is_shallow
                               ? "; this is a shallow clone, fetch it first: git fetch origin "
                                 "main:refs/remotes/origin/main"
                               : "");
    }
    return status;
}

/* The commit that HEAD (or --head) stands on: a working tree is no commit of the history. */
static const char *head_name(const struct gate_session *session)
{
    return session->options->head != NULL ? session->options->head : "HEAD";
}

static tare_status say_no_ancestor(const struct gate_session *session, const char *shown,
                                   struct tare_error *error)
{
    if (session->repository.is_shallow) {
        return error_set(error, TARE_ERROR_USAGE,
                         "this shallow clone does not reach back to where head and %s parted: run "
                         "`git fetch --unshallow` (in GitHub's checkout action: fetch-depth: 0)",
                         shown);
    }
    return error_set(error, TARE_ERROR_USAGE,
                     "head and %s have no commit in common: name the base with --base COMMIT",
                     shown);
}

/* On the tip of the branch itself there is nothing between: the commit before is the base. */
static tare_status take_parent(struct gate_session *session, struct worktree_commit *base,
                               struct tare_error *error)
{
    struct arena *arena = session->ab.cli->arena;
    const char *parent = arena_printf(arena, "%s~1", head_name(session));
    struct tare_error missing = {0};
    tare_status status = worktree_resolve(arena, &session->repository, parent, base, &missing);
    if (status != TARE_OK) {
        return error_set(
            error, TARE_ERROR_USAGE, "head is the first commit%s: there is nothing to compare with",
            session->repository.is_shallow ? " that this shallow clone holds (git fetch --deepen=1)"
                                           : "");
    }
    session->base_reason = " (the commit before: head is the tip of the branch)";
    session->is_parent = true;
    return TARE_OK;
}

/* Is there nothing between this commit and head? A file that lies about untracked, such as the
 * gate's own output, is no change. */
static tare_status is_head_itself(const struct gate_session *session, const char *ancestor,
                                  const struct worktree_commit *head, bool *is_itself,
                                  struct tare_error *error)
{
    const struct worktree_commit *judged = &session->commits[GATE_NEW];
    bool has_changes = true;
    *is_itself = strcmp(ancestor, judged->hash) == 0;
    if (*is_itself || !judged->is_working_tree || strcmp(ancestor, head->hash) != 0) {
        return TARE_OK;
    }
    tare_status status =
        worktree_has_changes(session->ab.cli->arena, &session->repository, &has_changes, error);
    *is_itself = !has_changes;
    return status;
}

static tare_status find_base(struct gate_session *session, const char *target,
                             struct tare_error *error)
{
    struct arena *arena = session->ab.cli->arena;
    const struct worktree_repository *repository = &session->repository;
    struct worktree_commit *base = &session->commits[GATE_OLD];
    struct worktree_commit tip;
    struct worktree_commit head;
    const char *ancestor = NULL;
    session->is_parent = false;
    tare_status status = worktree_resolve(arena, repository, target, &tip, error);
    if (status == TARE_OK) {
        status = worktree_resolve(arena, repository, head_name(session), &head, error);
    }
    if (status == TARE_OK) {
        status = worktree_merge_base(arena, repository, tip.hash, head.hash, &ancestor, error);
    }
    if (status != TARE_OK) {
        return status;
    }
    if (ancestor == NULL) {
        return say_no_ancestor(session, tip.name, error);
    }
    bool is_itself = false;
    status = is_head_itself(session, ancestor, &head, &is_itself, error);
    if (status != TARE_OK) {
        return status;
    }
    if (is_itself && session->options->base == NULL) {
        return take_parent(session, base, error);
    }
    if (is_itself) {
        return error_set(
            error, TARE_ERROR_USAGE,
            "base and head are the same commit (%.7s)%s: there is nothing to judge. Name "
            "another --base, or commit or change something",
            ancestor,
            session->commits[GATE_NEW].is_dirty
                ? ", but for untracked files (git add those that belong to the change)"
                : "");
    }
    session->base_reason = strcmp(ancestor, tip.hash) == 0
                               ? ""
                               : arena_printf(arena, " (where head and %s parted)", tip.name);
    const char *wanted = strcmp(ancestor, tip.hash) == 0 ? target : ancestor;
    return worktree_resolve(arena, repository, wanted, base, error);
}

/* tare.yaml of a commit: in the folder tare was called in, or the nearest above. */
static tare_status read_policy(struct gate_session *session, const struct worktree_commit *commit,
                               bool *is_found, struct model_policy *policy, const char **folder,
                               struct tare_error *error)
{
    struct arena *arena = session->ab.cli->arena;
    char *prefix = arena_strdup(arena, session->repository.prefix);
    *is_found = false;
    *policy = model_policy_default();
    for (;;) {
        const char *path = arena_printf(arena, "%stare.yaml", prefix);
        char *text = NULL;
        ptrdiff_t length = 0;
        tare_status status =
            worktree_file(arena, &session->repository, commit, path, &text, &length, error);
        if (status != TARE_OK) {
            return status;
        }
        if (text != NULL && length > POLICY_FILE_BYTES_MAX) {
            return error_set(error, TARE_ERROR_USAGE, "%s of %s is larger than %d KiB", path,
                             commit->name, POLICY_FILE_BYTES_MAX / 1024);
        }
        if (text != NULL) {
            *is_found = true;
            *folder = prefix;
            const char *name = arena_printf(arena, "%s:%s", commit->name, path);
            return policy_read(arena, text, length, name, policy, error);
        }
        if (prefix[0] == '\0') {
            return TARE_OK;
        }
        prefix[strlen(prefix) - 1] = '\0';
        char *slash = strrchr(prefix, '/');
        prefix[slash != NULL ? slash - prefix + 1 : 0] = '\0';
    }
}

void gate_add_change(struct gate_session *session, const char *text)
{
    struct model_decision *decision = &session->ab.decision;
    const char **grown =
        ARENA_ARRAY(session->ab.cli->arena, const char *, decision->policy_change_count + 1);
    if (decision->policy_change_count > 0) {
        memcpy(grown, decision->policy_changes,
               (size_t)decision->policy_change_count * sizeof *grown);
    }
    grown[decision->policy_change_count++] = text;
    decision->policy_changes = grown;
}

/* What head changes in the rules. `broken`: why the base's cannot be read, NULL: they can. */
static void list_changes(struct gate_session *session, const struct model_policy *base,
                         const struct model_policy *head, const char *broken)
{
    struct arena *arena = session->ab.cli->arena;
    if (broken != NULL) {
        gate_add_change(session,
                        arena_printf(arena, "the base's policy cannot be read, head's %s: %s",
                                     head != NULL ? "judges" : "is missing too", broken));
    } else if (base == NULL && head != NULL) {
        gate_add_change(session, "tare.yaml is new: the base has none, so its first version judges "
                                 "this change");
    } else if (base != NULL && head == NULL) {
        gate_add_change(session, "tare.yaml is removed");
    } else if (base != NULL) {
        struct model_text_list changes = model_policy_diff(arena, base, head);
        for (ptrdiff_t i = 0; i < changes.count; i++) {
            gate_add_change(session, changes.items[i]);
        }
    }
}

/* The rules that judge are the base's; what head changes in them is listed. A base without any
 * takes those of head, which is said: somebody has to begin. */
static tare_status choose_policy(struct gate_session *session, struct tare_error *error)
{
    struct arena *arena = session->ab.cli->arena;
    struct model_policy base;
    struct model_policy head;
    bool has_base = false;
    bool has_head = false;
    const char *head_folder = "";
    session->folder = "";
    tare_status status = read_policy(session, &session->commits[GATE_OLD], &has_base, &base,
                                     &session->folder, error);
    const char *broken = NULL;
    if (status == TARE_ERROR_USAGE) {
        /* Otherwise the change that mends it could not pass. */
        broken = arena_strdup(arena, error->message);
        has_base = false;
        error_clear(error);
        status = TARE_OK;
    }
    if (status == TARE_OK) {
        status = read_policy(session, &session->commits[GATE_NEW], &has_head, &head, &head_folder,
                             error);
    }
    if (status != TARE_OK) {
        return status;
    }
    struct config *config = &session->ab.config;
    config->is_found = has_base || has_head;
    config->policy = has_base ? base : head;
    if (!has_base) {
        session->folder = head_folder;
    }
    config->directory = arena_printf(arena, "%s/%s", session->repository.root, session->folder);
    config->path =
        arena_printf(arena, "%s:%stare.yaml", session->commits[has_base ? GATE_OLD : GATE_NEW].name,
                     session->folder);
    if (config->policy.store != NULL) {
        config->store = config_path(arena, config, config->policy.store);
    }
    list_changes(session, has_base ? &base : NULL, has_head ? &head : NULL, broken);
    return TARE_OK;
}

/* The base's policy may name another branch, a revision, or a baseline. One step only. */
static tare_status follow_policy(struct gate_session *session, struct tare_error *error)
{
    const struct model_policy *policy = &session->ab.config.policy;
    if (session->options->base != NULL) {
        return TARE_OK;
    }
    const char *target = NULL;
    if (strcmp(policy->against, "merge-base") != 0) {
        struct worktree_commit named;
        struct tare_error unknown = {0};
        tare_status status = worktree_resolve(session->ab.cli->arena, &session->repository,
                                              policy->against, &named, &unknown);
        session->is_baseline = status != TARE_OK;
        target = session->is_baseline ? NULL : policy->against;
    } else if (policy->has_default_branch) {
        target = policy->default_branch;
    }
    if (target == NULL) {
        return TARE_OK;
    }
    tare_status status = find_base(session, target, error);
    if (status != TARE_OK) {
        return status;
    }
    session->ab.decision.policy_change_count = 0;
    return choose_policy(session, error);
}

/* Builds and results lie in .tare. What comes there with the change itself is no evidence of it. */
static tare_status refuse_brought_along(struct gate_session *session, struct tare_error *error)
{
    static const char *const places[] = {".tare/worktrees", ".tare/store.db"};
    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        if (worktree_has_path(session->ab.cli->arena, &session->repository,
                              &session->commits[GATE_NEW], places[i])) {
            return error_set(error, TARE_ERROR_USAGE,
                             "%s is checked in: builds and results that come along with a change "
                             "prove nothing about it. Take it out: git rm -r --cached .tare (tare "
                             "baseline export makes files to commit)",
                             places[i]);
        }
    }
    return TARE_OK;
}

tare_status gate_find_base(struct gate_session *session, struct tare_error *error)
{
    const char *target = NULL;
    const char *cache = NULL;
    tare_status status =
        revision_repository(session->ab.cli->arena, NULL, &session->repository, &cache, error);
    if (status == TARE_OK && session->repository.root == NULL) {
        status = error_set(error, TARE_ERROR_USAGE,
                           "a gate wants a working tree, this repository is bare");
    }
    if (status == TARE_OK) {
        status = find_head(session, error);
    }
    if (status == TARE_OK) {
        status = refuse_brought_along(session, error);
    }
    if (status == TARE_OK) {
        status = choose_target(session, &target, error);
    }
    if (status == TARE_OK) {
        status = find_base(session, target, error);
    }
    if (status == TARE_OK) {
        status = choose_policy(session, error);
    }
    return status == TARE_OK ? follow_policy(session, error) : status;
}
