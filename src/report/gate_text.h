/* gate_text.h: what a gate decided, for people: the table with a column of its own, what failed or
 * stayed open and why, the sentence to repeat, requirements, waivers, changes of the policy, and
 * where to go next. */
#ifndef TARE_REPORT_GATE_TEXT_H
#define TARE_REPORT_GATE_TEXT_H

#include "base/buffer.h"
#include "model/comparison.h"
#include "report/run_text.h"

/* The decision must have been judged (judge_decision). */
void report_gate_text(struct buffer *out, const struct model_decision *decision,
                      const struct model_machine *machine, const struct report_style *style);

/* In one word, as JSON has it: "pass", "neutral" (let through, neither good nor bad), "fail",
 * "invalid" (exit 3), "no-baseline" (exit 5), "inconclusive" (exit 4), "interrupted" (exit
 * 130). */
const char *report_gate_outcome(const struct model_judgement *judgement);

#endif
