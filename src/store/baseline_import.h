/* baseline_import.h: a receipt comes into the store: its run, and the baseline that points at it.
 *
 * One transaction: all of it is in the store afterwards, or nothing. */
#ifndef TARE_STORE_BASELINE_IMPORT_H
#define TARE_STORE_BASELINE_IMPORT_H

#include "codec/receipt.h"
#include "store/store.h"

/* How the reason of an entry in the history begins that an import made. Such entries are about one
 * store, so they are not exported. */
#define STORE_IMPORT_REASON "imported from "

struct store_import {
    const struct receipt *receipt;
    const char *name; /* the baseline's */
    int64_t at_unix_ns;
    const char *by;
    const char *reason; /* STORE_IMPORT_REASON and where it came from */
};

struct store_import_result {
    bool is_run_new;
    bool is_baseline_changed;
    char previous_run_id[27]; /* what the baseline pointed at before; "" when it was not there */
    int64_t previous_started_unix_ns; /* when that was measured; 0 when there was none */
    ptrdiff_t history_count;          /* entries of the file's history that were new here */
};

/* The baseline is set for the machine of the run. A run that is there already must have the same
 * content, else TARE_ERROR_MEASURE; a baseline that points at it already is left alone, history and
 * all. Figures of the metrics are kept when they have been made (detect/figures.h). */
tare_status store_baseline_import(struct store *store, const struct store_import *import,
                                  struct store_import_result *result, struct tare_error *error);

#endif
