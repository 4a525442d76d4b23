/* receipt_hash.h: the canonical form of a JSON value, hashed, and the one way numbers are written.
 *
 * Canonical: no blanks; members of every object sorted by the bytes of their names; strings with
 * the escapes \" \\ \b \f \n \r \t and \u00xx for the other control characters, all else as it is;
 * numbers as receipt_number and %lld write them. SHA-256 comes from libmd. */
#ifndef TARE_CODEC_RECEIPT_HASH_H
#define TARE_CODEC_RECEIPT_HASH_H

#include "base/buffer.h"
#include "codec/receipt.h"

#include <jansson.h>

/* Of the document without its member "sha256", and of its member "run" alone. */
void receipt_hash(const json_t *document, char hash[RECEIPT_HASH_BYTES],
                  char run_hash[RECEIPT_HASH_BYTES]);

enum { RECEIPT_NUMBER_BYTES = 40 };

/* The shortest of 15, 16 or 17 significant digits that reads back as the same double; whole numbers
 * below 1e17 in plain digits. The value is finite. */
void receipt_number(double value, char text[RECEIPT_NUMBER_BYTES]);

/* The text in quotation marks, escaped. It must be UTF-8. */
void receipt_quote(struct buffer *out, const char *text);

#endif
