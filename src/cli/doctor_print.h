/* doctor_print.h: how `tare doctor` shows what it found, for people and as JSON. */
#ifndef TARE_CLI_DOCTOR_PRINT_H
#define TARE_CLI_DOCTOR_PRINT_H

#include "measure/doctor.h"
#include "measure/tune.h"

#include <stdbool.h>

struct doctor_result {
    const struct machine *machine;
    const struct doctor_findings *findings;
    const struct noise_result *noise; /* NULL: not measured */
    const char *verdict;              /* "fit", "noisy", "not fit", "not measured" */
    double seconds;
    bool is_quiet; /* only what is not all right */
    bool has_color;
    int columns;
};

void doctor_print_text(struct arena *arena, const struct doctor_result *result);
void doctor_print_json(struct arena *arena, const struct doctor_result *result);

enum tune_action { TUNE_ACTION_TUNE, TUNE_ACTION_RESTORE };

struct tune_result {
    enum tune_action action;
    bool is_dry_run;
    const struct tune_report *report;
    int exit_code;
};

void tune_print_text(struct arena *arena, const struct tune_result *result);
void tune_print_json(struct arena *arena, const struct tune_result *result);

#endif
