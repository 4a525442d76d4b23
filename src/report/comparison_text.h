/* comparison_text.h: a comparison for people: the table, the sentence to repeat, what to do next.
 */
#ifndef TARE_REPORT_COMPARISON_TEXT_H
#define TARE_REPORT_COMPARISON_TEXT_H

#include "model/comparison.h"
#include "report/run_text.h"

/* Header, table, sentences, warnings, next command. */
void report_comparison_text(struct buffer *out, const struct model_decision *decision,
                            const struct model_machine *machine, const struct report_style *style);

/* Header and table only; with a column for the gate where there was one. */
void report_comparison_table(struct buffer *out, const struct model_decision *decision,
                             const struct model_machine *machine, const struct report_style *style);

/* The interval against its band in `width` cells: -5 … 0 … +5 %; "|" the band's edges, "━" the
 * interval. */
char *report_interval_strip(struct arena *arena, const struct model_comparison *comparison,
                            double range, int width);

/* "parse/json n=64 is 4.2 % slower (3.5 to 4.9 %, 99 % sure)." */
char *report_comparison_sentence(struct arena *arena, const struct model_comparison *comparison,
                                 double confidence);

#endif
