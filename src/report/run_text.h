/* run_text.h: a run for people: one table, then what the table cannot say. */
#ifndef TARE_REPORT_RUN_TEXT_H
#define TARE_REPORT_RUN_TEXT_H

#include "base/buffer.h"
#include "model/model.h"

struct report_style {
    ptrdiff_t columns; /* width to fit into; 0: no limit */
    bool has_color;
    bool is_verbose; /* every metric, every launch's conditions */
};

void report_run_text(struct buffer *out, const struct model_run *run,
                     const struct report_style *style);

/* "AMD EPYC, 2 CPUs, 24 GiB, kvm" */
char *report_machine_line(struct arena *arena, const struct model_machine *machine);

#endif
