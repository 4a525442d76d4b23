/* baseline_age.h: how old a baseline is, in days and in commits, and what else speaks against it.
 *
 *     struct baseline_age age;
 *     baseline_age_read(arena, &(struct baseline_age_request){.commit = …, …}, &age);
 *     if (age.is_stale) fprintf(stderr, "%s\n", age.warning);
 *
 * Asks git four short questions; changes nothing. */
#ifndef TARE_CLI_BASELINE_AGE_H
#define TARE_CLI_BASELINE_AGE_H

#include "detect/hygiene.h"
#include "store/store.h"

/* 90 days: what policies have as max_baseline_age by default. */
#define BASELINE_AGE_MAX_NS (90 * 86400e9)

struct baseline_age_request {
    const struct model_commit *commit;
    int64_t started_unix_ns; /* of the run */
    int64_t now_unix_ns;
    double age_max_ns;     /* older is stale; 0: never */
    const char *directory; /* of the repository; NULL: the current one */
};

struct baseline_age {
    int64_t days;
    int64_t commits;   /* from the baseline's commit to HEAD; −1: not known */
    bool is_on_branch; /* HEAD comes from the baseline's commit */
    const char *text;  /* "this baseline is 94 days and 312 commits old" */
    bool is_stale;
    const char *warning; /* NULL, or the text with what to do */
};

void baseline_age_read(struct arena *arena, const struct baseline_age_request *request,
                       struct baseline_age *age);

/* What else speaks against it: loads the run with its samples and this machine. */
tare_status baseline_hygiene_read(struct arena *arena, struct store *store,
                                  const struct store_baseline *baseline,
                                  struct hygiene_findings *findings, struct tare_error *error);

#endif
