#include "base/error.h"

#include <stdio.h>
#include <string.h>

/* Writes the message into its first `size` bytes, ending a cut one in "…" without splitting a UTF-8
 * character. */
static void error_format(struct tare_error *error, size_t size, const char *format,
                         va_list arguments)
{
    int length = vsnprintf(error->message, size, format, arguments);
    if (length < 0) {
        error->message[0] = '\0';
        return;
    }
    if ((size_t)length < size) {
        return;
    }
    static const char ellipsis[] = "…";
    size_t cut = size - sizeof ellipsis;
    while (cut > 0 && ((unsigned char)error->message[cut] & 0xC0) == 0x80) {
        cut--;
    }
    memcpy(error->message + cut, ellipsis, sizeof ellipsis);
}

tare_status(error_set)(struct tare_error *error, tare_status status, const char *format, ...)
{
    if (error == NULL || error->status != TARE_OK) {
        return status;
    }
    error->status = status;
    va_list arguments;
    va_start(arguments, format);
    error_format(error, sizeof error->message, format, arguments);
    va_end(arguments);
    return status;
}

tare_status(error_set_errno)(struct tare_error *error, tare_status status, int errno_value,
                             const char *format, ...)
{
    if (error == NULL || error->status != TARE_OK) {
        return status;
    }
    error->status = status;
    va_list arguments;
    va_start(arguments, format);
    /* The system's reason is kept whole; a long message makes room for it. */
    const char *reason = strerror(errno_value);
    error_format(error, sizeof error->message - strlen(reason) - strlen(": "), format, arguments);
    va_end(arguments);
    strcat(strcat(error->message, ": "), reason);
    return status;
}

void error_clear(struct tare_error *error)
{
    if (error != NULL) {
        *error = (struct tare_error){0};
    }
}
