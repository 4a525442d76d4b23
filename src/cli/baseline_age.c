#include "cli/baseline_age.h"

#include "base/text.h"
#include "base/unit.h"
#include "base/version.h"
#include "measure/environment.h"
#include "os/git_call.h"

#include <stdio.h>
#include <string.h>

static const int64_t DAY_NS = INT64_C(86400) * 1000000000;
/* Runs looked at when those of one commit are counted; a busier history has its reruns nearby. */
enum { RERUNS_LIST_MAX = 1000 };

/* Full or abbreviated; nothing that git could take for an option or an expression. */
static bool is_hash(const char *text)
{
    size_t length = text != NULL ? strspn(text, "0123456789abcdef") : 0;
    return length >= 4 && length <= 64 && text[length] == '\0';
}

static bool ask_git(struct arena *arena, const char *directory, const char *const *arguments,
                    struct git_reply *reply)
{
    const struct git_call call = {.directory = directory, .timeout_ns = GIT_ASK_TIMEOUT_NS};
    struct tare_error ignored = {0};
    return git_run(arena, &call, arguments, reply, &ignored) == TARE_OK && reply->is_success;
}

/* The commits since; −1 and the reason when they cannot be counted. */
static int64_t count_commits(struct arena *arena, const struct baseline_age_request *request,
                             const char **unknown)
{
    const struct model_commit *commit = request->commit;
    struct git_reply reply;
    int64_t count = 0;
    if (!commit->is_known || !is_hash(commit->hash)) {
        *unknown = "its commit is not known";
        return -1;
    }
    if (!ask_git(arena, request->directory, GIT("rev-parse", "--verify", "--quiet", "HEAD"),
                 &reply)) {
        *unknown = "there is no git repository with a commit here to count commits in";
        return -1;
    }
    const char *object = arena_printf(arena, "%s^{commit}", commit->hash);
    if (!ask_git(arena, request->directory, GIT("cat-file", "-e", object), &reply)) {
        *unknown = "its commit is not in this repository (a shallow clone? 'git fetch --unshallow' "
                   "brings all)";
        return -1;
    }
    const char *range = arena_printf(arena, "%s..HEAD", commit->hash);
    if (!ask_git(arena, request->directory, GIT("rev-list", "--count", range, "--"), &reply)) {
        *unknown = "git did not count the commits since";
        return -1;
    }
    char *digits = arena_strndup(arena, reply.output, (ptrdiff_t)strcspn(reply.output, "\n"));
    return unit_parse_int64(digits, &count) && count >= 0 ? count : -1;
}

void baseline_age_read(struct arena *arena, const struct baseline_age_request *request,
                       struct baseline_age *age)
{
    *age = (struct baseline_age){0};
    const char *unknown = NULL;
    int64_t age_ns = request->now_unix_ns - request->started_unix_ns;
    age->days = age_ns > 0 ? age_ns / DAY_NS : 0;
    age->commits = count_commits(arena, request, &unknown);
    if (age->commits >= 0) {
        struct git_reply reply;
        age->is_on_branch =
            ask_git(arena, request->directory,
                    GIT("merge-base", "--is-ancestor", request->commit->hash, "HEAD"), &reply);
    }
    age->text = hygiene_age_text(arena, age->days, age->commits, unknown);
    if (age->commits >= 0 && !age->is_on_branch) {
        age->text = arena_printf(arena, "%s, on another branch", age->text);
    }
    age->is_stale = request->age_max_ns > 0 && (double)age_ns > request->age_max_ns;
    if (age->is_stale) {
        age->warning = arena_printf(
            arena, "%s (more than %.0f days): measure again and 'tare baseline promote' it",
            age->text, request->age_max_ns / (double)DAY_NS);
    } else if (age_ns < 0) {
        age->warning = "this baseline says that it was measured in the future: is the clock right?";
    }
}

/* Complete runs of the same commit on the same machine, the baseline's own among them; −1 when it
 * cannot be known. */
static ptrdiff_t count_reruns(struct arena *arena, struct store *store, const struct model_run *run)
{
    struct tare_error ignored = {0};
    struct store_reruns reruns;
    if (!run->commit.is_known || run->commit.is_dirty || run->commit.hash == NULL ||
        store_reruns_list(store, arena, run->machine.id, run->project, RERUNS_LIST_MAX, &reruns,
                          &ignored) != TARE_OK) {
        return -1;
    }
    ptrdiff_t count = 0;
    for (ptrdiff_t i = 0; i < reruns.count; i++) {
        count += strcmp(reruns.items[i].commit_hash, run->commit.hash) == 0;
    }
    return count;
}

tare_status baseline_hygiene_read(struct arena *arena, struct store *store,
                                  const struct store_baseline *baseline,
                                  struct hygiene_findings *findings, struct tare_error *error)
{
    struct model_run run;
    struct model_run now = {0};
    tare_status status = store_run_load(store, arena, baseline->run.id, true, &run, error);
    if (status != TARE_OK) {
        return status;
    }
    measure_machine_read(arena, &now.machine);
    bool is_here = strcmp(now.machine.id, run.machine.id) == 0;
    const struct hygiene_input input = {
        .run = &run,
        .now = is_here ? &now : NULL,
        .tare_version = TARE_VERSION_STRING,
        .rerun_count = count_reruns(arena, store, &run),
    };
    hygiene_check(arena, &input, findings);
    return TARE_OK;
}
