/* receipt_write.h: a run, or a baseline with its run, as a receipt (receipt.h).
 *
 * The same content gives the same bytes. Every sample is in it; a number that is not finite has no
 * place there and is refused (TARE_ERROR_MEASURE). Lines are short enough to be compared line by
 * line: one for every metric's values, one for every fact. */
#ifndef TARE_CODEC_RECEIPT_WRITE_H
#define TARE_CODEC_RECEIPT_WRITE_H

#include "base/buffer.h"
#include "codec/receipt.h"

/* Appends the document with a newline to `out`, whose limit should be RECEIPT_BYTES_MAX, and fills
 * both hashes of the receipt. */
tare_status receipt_write(struct receipt *receipt, struct buffer *out, struct tare_error *error);

#endif
