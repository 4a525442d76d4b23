#include "base/error.h"

#include <stdio.h>
#include <string.h>

/* Writes the message, ending a cut one in "…" without splitting a UTF-8 character. */
static void error_format(struct tare_error *error, const char *format, va_list arguments)
{
    int length = vsnprintf(error->message, sizeof error->message, format, arguments);
    if (length < 0) {
        error->message[0] = '\0';
        return;
    }
    if ((size_t)length < sizeof error->message) {
        return;
    }
    static const char ellipsis[] = "…";
    size_t cut = sizeof error->message - sizeof ellipsis;
    while (cut > 0 && ((unsigned char)error->message[cut] & 0xC0) == 0x80) {
        cut--;
    }
    memcpy(error->message + cut, ellipsis, sizeof ellipsis);
}

tare_status error_set(struct tare_error *error, tare_status status, const char *format, ...)
{
    if (error == NULL || error->status != TARE_OK) {
        return status;
    }
    error->status = status;
    va_list arguments;
    va_start(arguments, format);
    error_format(error, format, arguments);
    va_end(arguments);
    return status;
}

tare_status error_set_errno(struct tare_error *error, tare_status status, int errno_value,
                            const char *format, ...)
{
    if (error == NULL || error->status != TARE_OK) {
        return status;
    }
    error->status = status;
    va_list arguments;
    va_start(arguments, format);
    error_format(error, format, arguments);
    va_end(arguments);
    size_t length = strlen(error->message);
    snprintf(error->message + length, sizeof error->message - length, ": %s",
             strerror(errno_value));
    return status;
}

void error_clear(struct tare_error *error)
{
    if (error != NULL) {
        *error = (struct tare_error){0};
    }
}
