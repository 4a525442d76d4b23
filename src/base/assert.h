/* assert.h: assertions that stay on in every build.
 *
 * A failed TARE_ASSERT is a bug in Tare, never a user's mistake: it prints the expression and the
 * place, and aborts. A user's mistake is a tare_status with a message (error.h). */
#ifndef TARE_BASE_ASSERT_H
#define TARE_BASE_ASSERT_H

_Noreturn void base_assert_failed(const char *expression, const char *file, int line);

#define TARE_ASSERT(expression)                                                                    \
    ((expression) ? (void)0 : base_assert_failed(#expression, __FILE__, __LINE__))

#endif
