/* check.c: expectations and results. The first one that does not hold is kept, in words, and makes
 * the benchmark invalid. Comparing never allocates but for the copy of a result, which is made
 * while checking and never while timing. */
#include "client/client.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

__attribute__((format(printf, 2, 3))) static int refuse(struct tare_state *t, const char *format,
                                                        ...)
{
    if (!t->is_check_failed) {
        va_list arguments;
        va_start(arguments, format);
        vsnprintf(t->detail, sizeof t->detail, format, arguments);
        va_end(arguments);
    }
    t->is_check_failed = true;
    return 0;
}

/* Written so that a NaN on either side is not near; equal infinities are. */
static bool is_near(double got, double want, double tolerance)
{
    double scale = fabs(want) > 1 ? fabs(want) : 1;
    return got == want || fabs(got - want) <= tolerance * scale;
}

int tare_expect_near(struct tare_state *t, const char *what, double got, double want,
                     double tolerance)
{
    t->is_check_made = true;
    if (is_near(got, want, tolerance)) {
        return 1;
    }
    return refuse(t, "%s: got %.9g, want %.9g (tolerance %.3g)", what, got, want, tolerance);
}

int tare_expect_near_array(struct tare_state *t, const char *what, const double *got,
                           const double *want, size_t count, double tolerance)
{
    t->is_check_made = true;
    for (size_t i = 0; i < count; i++) {
        if (!is_near(got[i], want[i], tolerance)) {
            return refuse(t, "%s[%zu]: got %.9g, want %.9g (tolerance %.3g)", what, i, got[i],
                          want[i], tolerance);
        }
    }
    return 1;
}

int tare_expect_near_floats(struct tare_state *t, const char *what, const float *got,
                            const float *want, size_t count, double tolerance)
{
    t->is_check_made = true;
    for (size_t i = 0; i < count; i++) {
        if (!is_near((double)got[i], (double)want[i], tolerance)) {
            return refuse(t, "%s[%zu]: got %.7g, want %.7g (tolerance %.3g)", what, i,
                          (double)got[i], (double)want[i], tolerance);
        }
    }
    return 1;
}

int tare_expect_equal_bytes(struct tare_state *t, const char *what, const void *got,
                            const void *want, size_t size_bytes)
{
    t->is_check_made = true;
    const unsigned char *a = got;
    const unsigned char *b = want;
    for (size_t i = 0; i < size_bytes; i++) {
        if (a[i] != b[i]) {
            return refuse(t, "%s: byte %zu of %zu is 0x%02x, want 0x%02x", what, i, size_bytes,
                          a[i], b[i]);
        }
    }
    return 1;
}

int tare_expect(struct tare_state *t, int condition, const char *format, ...)
{
    t->is_check_made = true;
    if (condition) {
        return 1;
    }
    char text[CLIENT_TEXT_BYTES_MAX];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    return refuse(t, "%s", text);
}

static void give(struct tare_state *t, const void *bytes, size_t size_bytes, bool is_near_given,
                 double tolerance)
{
    if (!t->is_checking || t->thread_index != 0) {
        return;
    }
    free(t->result.bytes);
    t->result = (struct client_result){.bytes = malloc(size_bytes > 0 ? size_bytes : 1),
                                       .size_bytes = size_bytes,
                                       .is_near = is_near_given,
                                       .tolerance = tolerance,
                                       .is_given = true};
    if (t->result.bytes == NULL) {
        t->result.is_given = false;
        tare_fail(t, "out of memory for a result of %zu bytes", size_bytes);
        return;
    }
    if (size_bytes > 0) {
        memcpy(t->result.bytes, bytes, size_bytes);
    }
}

void tare_result(struct tare_state *t, const void *bytes, size_t size_bytes)
{
    give(t, bytes, size_bytes, false, 0);
}

void tare_result_near(struct tare_state *t, const double *values, size_t count, double tolerance)
{
    give(t, values, count * sizeof *values, true, tolerance);
}

void client_result_compare(struct tare_state *t, const struct client_result *want)
{
    const struct client_result *got = &t->result;
    if (!got->is_given && !want->is_given) {
        return;
    }
    t->is_check_made = true;
    if (got->is_given != want->is_given || got->size_bytes != want->size_bytes) {
        refuse(t, "result of %zu bytes, the reference's has %zu", got->size_bytes,
               want->size_bytes);
    } else if (want->is_near || got->is_near) {
        double tolerance = got->tolerance > want->tolerance ? got->tolerance : want->tolerance;
        tare_expect_near_array(t, "result", got->bytes, want->bytes,
                               got->size_bytes / sizeof(double), tolerance);
    } else {
        tare_expect_equal_bytes(t, "result", got->bytes, want->bytes, got->size_bytes);
    }
}
