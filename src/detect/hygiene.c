#include "detect/hygiene.h"

#include "base/buffer.h"
#include "base/text.h"
#include "detect/runs.h"
#include "stats/summary.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* Below 8 launches the summary cannot trim, and verdicts stay inconclusive. */
enum { LAUNCHES_MIN = STATS_SUMMARY_TRIM_LAUNCHES_MIN };
/* ±3 %: a baseline known less well than that cannot show the changes people usually gate on. */
static const double HALF_WIDTH_MAX = 0.03;
/* Beyond 5 % of stolen time the hypervisor is a part of the measurement (advice.c says the same).
 */
static const double STEAL_MAX = 0.05;
/* With fewer than 3 runs of one commit nobody knows how much runs differ from each other. */
enum { RERUNS_MIN = 3 };

struct checking {
    struct arena *arena;
    const struct hygiene_input *input;
    struct hygiene_findings *findings;
};

__attribute__((format(printf, 3, 4))) static void find(struct checking *checking, const char *code,
                                                       const char *format, ...)
{
    struct hygiene_findings *findings = checking->findings;
    va_list arguments;
    va_start(arguments, format);
    const char *text = arena_vprintf(checking->arena, format, arguments);
    va_end(arguments);
    findings->items = arena_grow(checking->arena, findings->items, &findings->capacity,
                                 findings->count + 1, (ptrdiff_t)sizeof *findings->items);
    findings->items[findings->count++] = (struct hygiene_finding){.code = code, .text = text};
}

static void check_state(struct checking *checking)
{
    const struct model_run *run = checking->input->run;
    if (run->state != MODEL_RUN_COMPLETE) {
        find(checking, "incomplete",
             "its run is %s, so benchmarks may be missing: measure again and promote that run",
             run->state == MODEL_RUN_RUNNING ? "running or was killed"
                                             : model_run_state_name(run->state));
    }
    ptrdiff_t bad = 0;
    for (ptrdiff_t i = 0; i < run->benchmark_count; i++) {
        bad += run->benchmarks[i].state == MODEL_STATE_FAILED ||
               run->benchmarks[i].state == MODEL_STATE_INVALID;
    }
    if (bad > 0) {
        find(checking, "failed-benchmarks",
             "%td of its %td benchmarks failed or are invalid and cannot be compared with: repair "
             "them, measure again, promote",
             bad, run->benchmark_count);
    }
}

static void check_commit(struct checking *checking)
{
    const struct model_commit *commit = &checking->input->run->commit;
    if (!commit->is_known) {
        find(
            checking, "no-commit",
            "its commit is not known, so nobody can build it again: measure inside the repository");
    } else if (commit->is_dirty) {
        find(checking, "dirty",
             "it was measured with uncommitted changes, so its commit is not what was measured: "
             "commit, measure again, promote");
    }
}

/* Launches and precision of each benchmark's first metric that varies. */
static void check_precision(struct checking *checking)
{
    const struct model_run *run = checking->input->run;
    ptrdiff_t few = 0;
    ptrdiff_t wide = 0;
    double widest = 0;
    ptrdiff_t measured = 0;
    for (ptrdiff_t i = 0; i < run->benchmark_count; i++) {
        const struct model_benchmark *benchmark = &run->benchmarks[i];
        const struct model_metric *metric = benchmark->metrics;
        if (benchmark->state != MODEL_STATE_OK || benchmark->metric_count == 0 ||
            metric->is_exact || metric->count == 0 || metric->invalid_reason != NULL) {
            continue;
        }
        struct arena scratch = {0};
        struct stats_summary summary = stats_summarise(metric->values, metric->launches,
                                                       metric->count, run->confidence, &scratch);
        arena_free(&scratch);
        const struct stats_interval *interval = &summary.interval;
        double half = interval->is_defined && interval->estimate > 0
                          ? (interval->high - interval->low) / 2 / interval->estimate
                          : 0;
        measured++;
        few += summary.launches < LAUNCHES_MIN;
        wide += half > HALF_WIDTH_MAX;
        widest = half > widest ? half : widest;
    }
    if (few > 0) {
        find(checking, "few-launches",
             "%td of %td benchmarks have fewer than %d launches, which is too few to compare with: "
             "measure with --runs %d or more",
             few, measured, LAUNCHES_MIN, LAUNCHES_MIN);
    }
    if (wide > 0) {
        /* Beyond ±100 % the number says nothing more. */
        find(
            checking, "wide-intervals",
            "%td of %td benchmarks are known to no better than ±%.0f %% (the worst to ±%.0f %%%s): "
            "measure longer or on a quieter machine",
            wide, measured, HALF_WIDTH_MAX * 100, fmin(widest, 1) * 100,
            widest > 1 ? " or worse" : "");
    }
}

static void check_steal(struct checking *checking)
{
    const struct model_run *run = checking->input->run;
    double stolen_ns = 0;
    double known_ns = 0;
    for (ptrdiff_t i = 0; i < run->benchmark_count; i++) {
        for (ptrdiff_t j = 0; j < run->benchmarks[i].launch_count; j++) {
            const struct model_launch *launch = &run->benchmarks[i].launches[j];
            if (isfinite(launch->steal_ratio)) {
                stolen_ns += launch->steal_ratio * launch->duration_ns;
                known_ns += launch->duration_ns;
            }
        }
    }
    if (known_ns > 0 && stolen_ns / known_ns > STEAL_MAX) {
        find(
            checking, "steal",
            "the hypervisor took %.0f %% of the CPU time while it was measured: measure again at a "
            "quieter hour, or gate side by side (against: merge-base), which is immune",
            stolen_ns / known_ns * 100);
    }
}

/* The compiler is known of a run only, not of now. */
static bool is_comparable(const char *difference)
{
    return !text_starts_with(difference, "compiler ");
}

static void check_conditions(struct checking *checking)
{
    enum { SHOWN_MAX = 4 };
    const struct hygiene_input *input = checking->input;
    if (input->now == NULL) {
        return;
    }
    struct detect_differences differences =
        detect_conditions_differ(checking->arena, input->run, input->now);
    struct buffer list = buffer_new(checking->arena, BUFFER_LENGTH_MAX);
    ptrdiff_t count = 0;
    for (ptrdiff_t i = 0; i < differences.condition_count; i++) {
        if (!is_comparable(differences.conditions[i])) {
            continue;
        }
        if (count++ < SHOWN_MAX) {
            buffer_printf(&list, "%s%s", count > 1 ? ", " : "",
                          text_printable(checking->arena, differences.conditions[i], 80));
        }
    }
    if (count > SHOWN_MAX) {
        buffer_printf(&list, " and %td more", count - SHOWN_MAX);
    }
    if (count > 0) {
        find(checking, "conditions",
             "this machine has changed since (%s): measure the baseline's commit again and promote",
             buffer_string(&list));
    }
}

static void check_version(struct checking *checking)
{
    const char *made_by = checking->input->run->tare_version;
    const char *here = checking->input->tare_version;
    if (made_by != NULL && here != NULL && strcmp(made_by, here) != 0) {
        find(checking, "other-version",
             "it was measured by tare %s, and this is %s, which may measure a little differently: "
             "measure again and promote",
             text_printable(checking->arena, made_by, 40), here);
    }
}

static void check_reruns(struct checking *checking)
{
    ptrdiff_t count = checking->input->rerun_count;
    if (count >= 0 && count < RERUNS_MIN) {
        find(checking, "no-reruns",
             "%td %s of its commit %s in the store, and how much runs differ by themselves is "
             "learnt "
             "from %d or more: 'tare run' the same commit again",
             count, count == 1 ? "run" : "runs", count == 1 ? "is" : "are", RERUNS_MIN);
    }
}

void hygiene_check(struct arena *arena, const struct hygiene_input *input,
                   struct hygiene_findings *findings)
{
    struct checking checking = {.arena = arena, .input = input, .findings = findings};
    *findings = (struct hygiene_findings){0};
    check_state(&checking);
    check_commit(&checking);
    check_precision(&checking);
    check_steal(&checking);
    check_conditions(&checking);
    check_version(&checking);
    check_reruns(&checking);
}

char *hygiene_age_text(struct arena *arena, int64_t days, int64_t commits, const char *unknown)
{
    const char *in_days = arena_printf(arena, "%lld day%s", (long long)days, days == 1 ? "" : "s");
    if (commits >= 0) {
        return arena_printf(arena, "this baseline is %s and %lld commit%s old", in_days,
                            (long long)commits, commits == 1 ? "" : "s");
    }
    return arena_printf(arena, "this baseline is %s old%s%s", in_days, unknown != NULL ? "; " : "",
                        unknown != NULL ? unknown : "");
}
