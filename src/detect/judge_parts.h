/* judge_parts.h: what the files of the judge share; nobody else includes it.
 *
 * judge.c sums up and decides; judge_item.c holds one comparison against its limit; judge_require.c
 * holds floors and ceilings against what new measured; judge_route.c says how far a regression
 * spreads and where it goes next; judge_evidence.c writes evidence lines; judge_words.c puts
 * changes and limits into words. */
#ifndef TARE_DETECT_JUDGE_PARTS_H
#define TARE_DETECT_JUDGE_PARTS_H

#include "detect/judge.h"

/* A growing list of sentences. */
struct judge_texts {
    const char **items;
    ptrdiff_t count;
    ptrdiff_t capacity;
};
__attribute__((format(printf, 3, 4))) void judge_say(struct arena *arena, struct judge_texts *texts,
                                                     const char *format, ...);

/* How often a waiver was used, and for what first. */
struct judge_use {
    ptrdiff_t count;
    const char *first;
};

/* Everything one judgement is made of, while it is made. */
struct judge_work {
    struct arena *arena;
    struct model_decision *decision;
    const struct judge_context *context;
    const char **labels; /* of decision->items, with parameters */
    struct judge_texts notes;
    struct judge_texts waivers;
    struct judge_use *waiver_uses; /* of each waiver of the policy */
    struct judge_texts obstacles;  /* what could not be compared, each a sentence */
    bool is_neutral;               /* something was let through as neither good nor bad */
    /* Gated comparisons, by what became of them; `open` counts the unconfirmed, too, but not the
     * invalid ones. */
    ptrdiff_t gated;
    ptrdiff_t passed;
    ptrdiff_t failed;
    ptrdiff_t waived;
    ptrdiff_t open;
    ptrdiff_t unconfirmed;
    ptrdiff_t invalid;
    enum model_level level; /* worst of what was not waived */
    /* Passing ones that are proven to be worse. */
    ptrdiff_t minor;
    ptrdiff_t in_budget; /* `warning` or more, below what the gate fails at */
    /* Indices into items of one of a kind to name, -1: none. */
    ptrdiff_t worst_failed;
    ptrdiff_t first_open;
    ptrdiff_t first_invalid;
    ptrdiff_t first_wild;
    ptrdiff_t wild; /* improved so much that it is worth a look */
    /* Requirements, by what became of them. */
    struct model_requirement *requirements;
    ptrdiff_t requirement_count;
    ptrdiff_t requirement_capacity;
    ptrdiff_t met;
    ptrdiff_t unmet;
    ptrdiff_t unknown;
    ptrdiff_t unchecked; /* could not be held against anything */
    ptrdiff_t unmet_quality;
    ptrdiff_t unmet_gpu;
    /* Benchmarks with a gated metric, and those of them that got worse beyond the band. */
    ptrdiff_t compared_benchmarks;
    ptrdiff_t worse_benchmarks;
};

/* judge_item.c: judges decision->items[at] and counts it. */
void judge_item(struct judge_work *work, ptrdiff_t at);
/* Is the left one the one to name first? */
bool judge_is_worse(const struct model_comparison *left, const struct model_comparison *right);
/* "new fsync, agreed (A. Person, until 2027-01-31)" */
const char *judge_waiver_words(struct arena *arena, const struct model_policy_waiver *waiver);

/* judge_require.c: fills the requirements and their counts. */
void judge_requirements(struct judge_work *work);

/* Factor from one metric's unit into the unit that quantities of a policy have, and that unit:
 * "ms" gives 1e6 and "ns". */
double judge_unit_factor(struct arena *arena, const char *unit, const char **base);

/* judge_route.c: how far regressions spread ("none", "localised", "system-wide"); notes on groups;
 * where to go next. */
const char *judge_spread(struct judge_work *work);
void judge_groups(struct judge_work *work);
struct model_route judge_route(struct judge_work *work, const struct model_judgement *judgement);

/* Does the benchmark say that it runs on a GPU? */
bool judge_is_gpu(const struct model_policy *policy, const char *label);

/* judge_words.c: a number somebody wrote, without zeros it does not need: "4.1 GiB/s". */
const char *judge_bound(struct arena *arena, double value, const char *unit);
/* "3.5 %", or "0.002" with the unit of an absolute limit. */
const char *judge_amount(struct arena *arena, const struct model_comparison *comparison,
                         bool is_absolute, double amount);
/* "parse/json n=4 time" */
const char *judge_subject(struct arena *arena, const char *label, const char *metric);
/* "2027-01-31" of 20270131 */
const char *judge_date(struct arena *arena, int32_t date);
/* "1 comparison", "3 comparisons" */
const char *judge_count(struct arena *arena, ptrdiff_t count, const char *singular);

#endif
