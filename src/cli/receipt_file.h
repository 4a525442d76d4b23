/* receipt_file.h: a receipt from a file. */
#ifndef TARE_CLI_RECEIPT_FILE_H
#define TARE_CLI_RECEIPT_FILE_H

#include "codec/receipt.h"

/* path "-": standard input. Read, checked to the last digit, or refused with its name and the
 * place. */
tare_status receipt_file_read(struct arena *arena, const char *path, struct receipt *receipt,
                              struct tare_error *error);

/* Samples of all metrics. */
int64_t receipt_file_samples(const struct model_run *run);

#endif
