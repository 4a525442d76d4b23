/* ab_revisions.h: the sides of `tare ab --rev OLD [NEW…] -- PROGRAM`: built, and with --layouts
 * built many times. */
#ifndef TARE_CLI_AB_REVISIONS_H
#define TARE_CLI_AB_REVISIONS_H

#include "cli/revision.h"
#include "cli/run_plan.h"
#include "measure/pair.h"
#include "model/comparison.h"

struct ab_revisions {
    const char *revisions[PAIR_SIDES_MAX]; /* NULL: the working tree */
    int side_count;
    const char *build;             /* NULL: nothing to build */
    int layouts;                   /* 0: one plain build a side */
    const struct text_list *words; /* the program and its arguments */
    bool is_quiet;
};

/* Builds every side and plans what it measures. names[side] is what the side is called. Warnings go
 * to the decision. */
tare_status ab_revisions_plan(struct arena *arena, const struct ab_revisions *request,
                              const struct run_options *options, struct run_plan *plans,
                              const char **names, struct model_decision *decision,
                              struct tare_error *error);

/* What the program (words[0]) of one build measures; *program becomes its place. */
tare_status ab_revision_plan(struct arena *arena, const struct text_list *words,
                             const struct run_options *options, const struct revision *revision,
                             struct run_plan *plan, const char **program, struct tare_error *error);

#endif
