/* error.h: how a failed operation travels up the stack.
 *
 * A function that can fail returns a tare_status and takes a `struct tare_error *` last. The
 * message is written once, where the facts are known (what, where, what to do); the first error
 * wins, so callers on the way up may call error_set again without losing the cause. */
#ifndef TARE_BASE_ERROR_H
#define TARE_BASE_ERROR_H

#include <stdarg.h>
#include <stdbool.h>

/* The status decides the exit code of the command (cli/exit.h maps one to the other). */
typedef enum {
    TARE_OK = 0,
    TARE_ERROR_USAGE,       /* wrong arguments or configuration: exit 2 */
    TARE_ERROR_MEASURE,     /* the program under test failed, a file is unreadable: exit 3 */
    TARE_ERROR_NO_BASELINE, /* nothing to compare with: exit 5 */
    TARE_ERROR_MEMORY,      /* out of memory: exit 3 */
    TARE_ERROR_IO,          /* disk full, unreadable store, failed system call: exit 3 */
    TARE_INTERRUPTED,       /* Ctrl-C; what was finished is kept: exit 130 */
} tare_status;

enum { ERROR_MESSAGE_MAX = 1024 };

/* Zero-initialise: `struct tare_error error = {0};`. */
struct tare_error {
    tare_status status;
    char message[ERROR_MESSAGE_MAX];
};

/* Records status and message unless an earlier error is already there, and returns `status`, so
 * that `return error_set(error, TARE_ERROR_IO, "…")` reads well. `error` may be NULL. A message
 * longer than the buffer is cut at a character and ends in "…". */
__attribute__((format(printf, 3, 4))) tare_status error_set(struct tare_error *error,
                                                            tare_status status, const char *format,
                                                            ...);

/* Like error_set, and appends ": " and the text of errno_value. */
__attribute__((format(printf, 4, 5))) tare_status error_set_errno(struct tare_error *error,
                                                                  tare_status status,
                                                                  int errno_value,
                                                                  const char *format, ...);

/* The static analyser does not look into functions with "…", and would think that they may return
 * TARE_OK. */
#ifdef __clang_analyzer__
#define error_set(error, status, ...) ((error_set)((error), (status), __VA_ARGS__), (status))
#define error_set_errno(error, status, ...)                                                        \
    ((error_set_errno)((error), (status), __VA_ARGS__), (status))
#endif

/* Forgets a recorded error, for the caller that has handled it. */
void error_clear(struct tare_error *error);

#endif
