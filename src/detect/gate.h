/* gate.h: is a change beyond a limit, within it, or is that not known? Decided by the interval,
 * never by the estimate. Pure.
 *
 * A limit is about the change itself, new/old − 1, never inverted: a time of +10 % and a throughput
 * of −10 % are both at a limit of 10 %. Exactly at the limit is within it (2.33 → 2.097 is 10 %,
 * whatever binary fractions make of it). */
#ifndef TARE_DETECT_GATE_H
#define TARE_DETECT_GATE_H

#include "model/comparison.h"

struct detect_limit {
    bool is_set;
    bool is_absolute; /* in the metric's unit; else relative: 0.03 is 3 % */
    double value;
};

/* How much worse new is: at least `near`, at most `far`; negative: better. In units of the limit.
 * is_known is false where there is no interval. */
struct detect_change {
    bool is_known;
    double unit; /* what a relative change is multiplied with */
    double near;
    double far;
    bool has_tail;
    double tail_near; /* the slowest tenth of the rounds */
    double tail_centre;
};
struct detect_change detect_change_for_worse(const struct model_comparison *comparison,
                                             bool is_absolute);

/* Larger by more than rounding. */
bool detect_is_beyond(double value, double limit);

/* The limit that counts: never below the band, nor below the learnt noise. */
double detect_limit_effective(const struct model_comparison *comparison,
                              const struct detect_limit *limit);

/* Fail, pass or open. An invalid comparison is open. */
enum model_gate detect_gate(const struct model_comparison *comparison,
                            const struct detect_limit *limit);

#endif
