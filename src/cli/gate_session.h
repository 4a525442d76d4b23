/* gate_session.h: one `tare gate` from start to end, shared by the files that tell its story.
 *
 *   find base and head → read the base's policy → build and plan both sides → measure, confirm
 *   → judge → print, keep, exit */
#ifndef TARE_CLI_GATE_SESSION_H
#define TARE_CLI_GATE_SESSION_H

#include "cli/ab_session.h"
#include "cli/noise_record.h"
#include "cli/revision.h"

enum { GATE_OLD, GATE_NEW, GATE_SIDES };

struct gate_options {
    struct ab_options ab; /* must be first: it holds the common ones */
    const char *base;
    const char *head;
    double retries;
};

enum { UNSET_RETRIES = -1 };

struct gate_session {
    struct ab_session ab; /* its config holds the policy that judges: the base's */
    struct gate_options *options;
    struct worktree_repository repository;
    struct worktree_commit commits[GATE_SIDES];
    struct revision revisions[GATE_SIDES];
    const char *folder;      /* of tare.yaml below the root: "" or "sub/" */
    const char *base_reason; /* how the base was found, for people */
    bool is_parent;   /* the base is the commit before, for want of a branch to compare with */
    bool is_baseline; /* against a stored baseline, not a revision */
    struct noise_floors floors;
    /* What head measured, for requirements. */
    const struct model_benchmark **benchmarks;
    ptrdiff_t benchmark_count;
    const char *base_programs; /* hash of the base's programs before head was built */
    bool has_same_programs;    /* both sides are equal byte by byte */
    /* One per entry of the contest. */
    bool *is_confirmed; /* a confirmation was tried */
    bool *is_kept;      /* its samples are in the store */
};

/* Which commits are compared, and the base's policy; what head changes in it goes to the decision.
 */
tare_status gate_find_base(struct gate_session *session, struct tare_error *error);

/* One more line of what head changes in the rules. */
void gate_add_change(struct gate_session *session, const char *text);

/* Builds both sides and pairs their benchmarks. */
tare_status gate_plan(struct gate_session *session, const struct option_result *words,
                      struct tare_error *error);

/* Are the base's programs still what its build made? Head's build and benchmarks could reach them.
 */
tare_status gate_check_base(const struct gate_session *session, struct tare_error *error);

/* The same for head alone, when a stored baseline is the other side. */
tare_status gate_plan_head(struct gate_session *session, const struct option_result *words,
                           struct tare_error *error);

/* Measures head as `tare run` does and holds it against the baseline that the policy names; what
 * fails is measured once more. Fills the decision. */
tare_status gate_against_baseline(struct gate_session *session, const struct option_result *words,
                                  char **argv, struct tare_error *error);

/* After measuring: lists checks that head dropped and takes what they vouched for as missing; what
 * was not measured at all is invalid where doubt would pass. */
void gate_doubt(struct gate_session *session);

/* Measures until every limit is decided, confirms failures on fresh launches, retries what is in
 * doubt. */
tare_status gate_measure(struct gate_session *session, char **argv, struct tare_error *error);

#endif
