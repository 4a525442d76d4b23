#include "detect/witness.h"

#include <math.h>

/* Less than this share of the instructions is start-up and addresses rather than work: it explains
 * no change of time that can be measured. */
static const double SAME_SHARE = 0.0005;
/* More instructions that make up for less than half of the change of time (on the log scale) are
 * not the whole reason. */
static const double PART_SHARE = 0.5;

enum direction { FEWER, SAME, MORE, DIRECTIONS };
enum pace { FASTER, STEADY, SLOWER, UNDECIDED, PACES };

/* What is said where one number is enough: %s is the change of the instructions. */
static const struct {
    const char *code;
    const char *format;
} sentences[PACES][DIRECTIONS] = {
    [SLOWER] =
        {
            [FEWER] = {"slower-with-less-work",
                       "fewer instructions (%s), and yet slower: dearer ones, memory, layout or "
                       "machine"},
            [SAME] = {"same-work", "same instructions%s: memory, layout or machine"},
            [MORE] = {"more-work", "more work: %s instructions"},
        },
    [FASTER] =
        {
            [FEWER] = {"less-work", "less work: %s instructions"},
            [SAME] = {"same-work", "same instructions%s: memory, layout or machine"},
            [MORE] = {"faster-with-more-work",
                      "more instructions (%s), and yet faster: cheaper ones, memory, layout or "
                      "machine"},
        },
    [STEADY] =
        {
            [FEWER] = {"less-work-unseen", "%s instructions, which the time does not show"},
            [SAME] = {"same", "same instructions%s"},
            [MORE] = {"more-work-unseen", "%s instructions, which the time does not show"},
        },
    [UNDECIDED] =
        {
            [FEWER] = {"less-work", "less work: %s instructions, whatever the time does"},
            [SAME] = {"same-work",
                      "same instructions%s: a change of time would be memory, layout or machine"},
            [MORE] = {"more-work", "more work: %s instructions, whatever the time does"},
        },
};

static enum pace pace_of(const struct model_comparison *time)
{
    bool is_slower = time->verdict == MODEL_REGRESSED;
    return is_slower                           ? SLOWER
           : time->verdict == MODEL_IMPROVED   ? FASTER
           : time->verdict == MODEL_EQUIVALENT ? STEADY
                                               : UNDECIDED;
}

/* "+4.1 %", with as many decimals as it takes to be no zero. */
static const char *change_text(struct arena *arena, double ratio)
{
    double percent = (ratio - 1) * 100;
    int decimals = fabs(percent) >= 1 ? 1 : fabs(percent) >= 0.01 ? 3 : 6;
    return arena_printf(arena, "%s%.*f %%", percent < 0 ? "−" : "+", decimals, fabs(percent));
}

struct detect_witness detect_witness(struct arena *arena, const struct model_comparison *time,
                                     const struct model_comparison *instructions)
{
    struct detect_witness witness = {0};
    if (time->verdict == MODEL_INVALID || instructions->verdict == MODEL_INVALID ||
        !instructions->has_ratio || !(instructions->ratio > 0)) {
        return witness;
    }
    double ratio = instructions->ratio;
    enum direction direction = fabs(ratio - 1) < SAME_SHARE ? SAME : ratio > 1 ? MORE : FEWER;
    enum pace pace = pace_of(time);
    const char *change = change_text(arena, ratio);
    if (pace == SLOWER && direction == MORE && time->has_ratio && time->ratio > 1 &&
        log(ratio) < PART_SHARE * log(time->ratio)) {
        witness.code = "part-more-work";
        witness.text = arena_printf(
            arena,
            "more work in part: %s instructions for %s time; the rest is memory, layout or "
            "machine",
            change, change_text(arena, time->ratio));
        return witness;
    }
    const char *shown = direction != SAME ? change
                        : ratio == 1      ? ""
                                          : arena_printf(arena, " but for %s", change);
    witness.code = sentences[pace][direction].code;
    witness.text = arena_printf(arena, sentences[pace][direction].format, shown);
    return witness;
}
