/* ab_session.h: one `tare ab` from start to end, shared by the files that tell its story. */
#ifndef TARE_CLI_AB_SESSION_H
#define TARE_CLI_AB_SESSION_H

#include "cli/command.h"
#include "cli/config.h"
#include "cli/contest.h"
#include "cli/counting.h"
#include "cli/run_options.h"
#include "cli/run_plan.h"
#include "os/priority.h"
#include "store/store.h"

enum { UNSET_ROUNDS = -1 };

struct ab_options {
    struct run_options run; /* must be first: it holds the common ones */
    double min_effect;
    double rounds;
    double slice_ns;
    bool is_not_pinned;
    bool keeps_priority;
    bool has_no_huge_pages;
    bool must_print_same;
    struct text_list gate;
    const char *revision;
    const char *build;
    double layouts;
};

struct ab_session {
    struct cli *cli;
    struct ab_options *options;
    struct run_plan plans[PAIR_SIDES_MAX];
    const char *names[PAIR_SIDES_MAX];
    int side_count;
    struct contest contest;
    struct counting counting;
    struct measure_clock clock;
    struct random random;
    struct priority priority;
    struct config config;
    struct store *store;
    struct model_run runs[PAIR_SIDES_MAX]; /* one per side, so that verdicts can be recomputed */
    struct model_decision decision;
    mono_time started;
    struct contest_observer observer;
    mono_time shown;
    bool is_live;
};

/* What each side measures: programs or commands named by words, or built from revisions. */
tare_status ab_plan_sides(struct ab_session *session, const struct option_result *words,
                          struct tare_error *error);
/* The benchmarks that all sides have become entries of the contest; the others are missing or
 * added. */
tare_status ab_plan_pairs(struct ab_session *session, struct tare_error *error);

/* Every side is a run of its own in the store, which is opened when it is not yet. */
tare_status ab_begin_runs(struct ab_session *session, char **argv, struct tare_error *error);
/* Rule, plan, budget and observer of the contest; says what will be spent. */
void ab_prepare_contest(struct ab_session *session);
tare_status ab_open_commands(struct ab_session *session, struct tare_error *error);
void ab_close_commands(struct ab_session *session);
/* An entry will not be measured any more: counts what can be counted, keeps its samples. */
tare_status ab_settle_entry(void *context, struct contest_entry *entry, struct tare_error *error);
/* The line that people watch; context is the session. */
void ab_show_progress(void *context, const struct contest_entry *entry, double left_ns);
/* What the contest found becomes items of the decision. */
void ab_add_items(struct ab_session *session);
tare_status ab_finish_runs(struct ab_session *session, tare_status status,
                           struct tare_error *error);
/* Are all programs of both sides equal, byte by byte? Commands are not looked into. */
bool ab_has_same_programs(const struct ab_session *session);
/* What a comparison of identical programs found is noise, and is remembered as such. */
tare_status ab_record_noise(struct ab_session *session, const char *kind, struct tare_error *error);
/* Keeps the decision as it is printed in JSON. */
tare_status ab_keep_decision(struct ab_session *session, int code, struct tare_error *error);

#endif
