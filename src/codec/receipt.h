/* receipt.h: a run as a document of its own: everything measured, and a SHA-256 over it.
 *
 * receipt_write.h writes it, receipt_read.h reads it back, the same run bit for bit;
 * docs/receipt.md describes the format. A baseline as a file to commit is a receipt that also
 * carries the baseline's name and history. */
#ifndef TARE_CODEC_RECEIPT_H
#define TARE_CODEC_RECEIPT_H

#include "model/model.h"

#define RECEIPT_FORMAT "tare-receipt"
#define RECEIPT_KIND_RUN "run"

enum {
    RECEIPT_VERSION = 1,
    /* Some 7 million samples. Larger runs are kept in a store, not in a repository. */
    RECEIPT_BYTES_MAX = 128 * 1024 * 1024,
    RECEIPT_HISTORY_MAX = 10000, /* a promotion a day for 27 years */
    RECEIPT_HASH_BYTES = 65,     /* 64 hex digits and the NUL */
};

/* Who moved the baseline, when and why. */
struct receipt_promotion {
    const char *action;          /* "save", "promote", "remove", "import" */
    const char *run_id;          /* "" for remove */
    const char *previous_run_id; /* "" when there was none */
    int64_t at_unix_ns;
    const char *by;
    const char *reason;
};

struct receipt {
    char sha256[RECEIPT_HASH_BYTES];     /* over the whole content */
    char run_sha256[RECEIPT_HASH_BYTES]; /* over the run alone: the same run gives the same */
    const char *baseline;                /* NULL: a run without a baseline's name */
    struct receipt_promotion *history;   /* oldest first */
    ptrdiff_t history_count;
    struct model_run run;
};

#endif
