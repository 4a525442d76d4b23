/* receipt_read.h: a receipt (receipt.h) read back, and believed only when its hash is right.
 *
 * Everything is checked: syntax (errors name line and column), format and version, the digits of
 * every number (a digit that does not change the value is a change all the same), the SHA-256, then
 * every member against the model's limits (errors name the member: run.benchmarks[3].iterations).
 * Members that are missing, unknown or of the wrong type are errors, so that what was read is all
 * there is.
 *
 * Status: TARE_ERROR_MEASURE, exit code 3, whatever is wrong. Memory: some five times the text. */
#ifndef TARE_CODEC_RECEIPT_READ_H
#define TARE_CODEC_RECEIPT_READ_H

#include "codec/receipt.h"

/* `what` names the text in messages: "'baselines/main.json'". */
tare_status receipt_read(struct arena *arena, const char *text, ptrdiff_t length, const char *what,
                         struct receipt *receipt, struct tare_error *error);

/* The same without a look at the hash and the digits, for the fuzz target: it cannot find SHA-256
 * sums, and the checks behind them must hold by themselves. */
tare_status receipt_read_unverified(struct arena *arena, const char *text, ptrdiff_t length,
                                    const char *what, struct receipt *receipt,
                                    struct tare_error *error);

#endif
