/* fuzz_receipt.c: any bytes as a receipt. Read as it is, it is refused with a message or whole;
 * read without a look at the hash, what is accepted can be written, read back with its hash, and
 * written again to the same bytes. */
#include "base/assert.h"
#include "codec/receipt_read.h"
#include "codec/receipt_write.h"

#include <stdint.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const char *written(struct arena *arena, struct receipt *receipt, ptrdiff_t *length)
{
    struct tare_error error = {0};
    struct buffer out = buffer_new(arena, RECEIPT_BYTES_MAX);
    TARE_ASSERT(receipt_write(receipt, &out, &error) == TARE_OK);
    *length = out.length;
    return buffer_string(&out);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct arena arena = {0};
    struct tare_error error = {0};
    struct receipt receipt;
    const char *bytes = size > 0 ? (const char *)data : "";
    if (receipt_read(&arena, bytes, (ptrdiff_t)size, "input", &receipt, &error) != TARE_OK) {
        TARE_ASSERT(error.status == TARE_ERROR_MEASURE && error.message[0] != '\0');
    }
    error_clear(&error);
    if (receipt_read_unverified(&arena, bytes, (ptrdiff_t)size, "input", &receipt, &error) ==
        TARE_OK) {
        ptrdiff_t length;
        ptrdiff_t length_again;
        const char *text = written(&arena, &receipt, &length);
        struct receipt again;
        error_clear(&error);
        TARE_ASSERT(receipt_read(&arena, text, length, "output", &again, &error) == TARE_OK);
        TARE_ASSERT(strcmp(again.sha256, receipt.sha256) == 0);
        const char *text_again = written(&arena, &again, &length_again);
        TARE_ASSERT(length_again == length && memcmp(text, text_again, (size_t)length) == 0);
    } else {
        TARE_ASSERT(error.status == TARE_ERROR_MEASURE && error.message[0] != '\0');
    }
    arena_free(&arena);
    return 0;
}
