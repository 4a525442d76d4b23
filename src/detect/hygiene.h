/* hygiene.h: is a baseline fit to be compared with? Pure: a stored run and what is known about now
 * in, sentences out.
 *
 * Each finding is one sentence: what is wrong, with its figures, and what to do about it. Nothing
 * here stops anyone: a verdict's own rules do that. */
#ifndef TARE_DETECT_HYGIENE_H
#define TARE_DETECT_HYGIENE_H

#include "model/model.h"

struct hygiene_input {
    const struct model_run *run; /* with samples */
    const struct model_run
        *now;                 /* machine and version of today; NULL: another machine's baseline */
    const char *tare_version; /* this program's */
    ptrdiff_t rerun_count;    /* complete runs of its commit on its machine; −1: not known */
};

struct hygiene_finding {
    const char *code; /* "dirty", "few-launches": for programs */
    const char *text;
};

struct hygiene_findings {
    struct hygiene_finding *items;
    ptrdiff_t count;
    ptrdiff_t capacity;
};

void hygiene_check(struct arena *arena, const struct hygiene_input *input,
                   struct hygiene_findings *findings);

/* "this baseline is 94 days and 312 commits old". commits < 0: not known, and `unknown` says why in
 * half a sentence, or is NULL. */
char *hygiene_age_text(struct arena *arena, int64_t days, int64_t commits, const char *unknown);

#endif
