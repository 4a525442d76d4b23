/* oracle.h: looks up an expected value that R or SciPy computed (r_values.h, scipy_values.h). */
#ifndef TARE_TESTS_ORACLE_ORACLE_H
#define TARE_TESTS_ORACLE_ORACLE_H

#include <math.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct oracle_row {
    const char *key;
    double value;
};

#include "r_values.h"
#include "scipy_values.h"

static inline double oracle_find(const struct oracle_row *rows, size_t count, const char *key)
{
    for (size_t i = 0; i < count; i++) {
        if (strcmp(rows[i].key, key) == 0) {
            return rows[i].value;
        }
    }
    fprintf(stderr, "no expected value \"%s\"\n", key);
    abort();
}

/* |actual − expected| <= tolerance × max(|expected|, floor); says what differs. */
static inline int oracle_is_close(double actual, double expected, double tolerance, const char *key)
{
    double allowed = tolerance * fabs(expected) + 1e-300;
    if (fabs(actual - expected) <= allowed) {
        return 1;
    }
    fprintf(stderr, "%s: %.17g, expected %.17g\n", key, actual, expected);
    return 0;
}

#define R_VALUE(key) oracle_find(r_rows, sizeof r_rows / sizeof r_rows[0], (key))
#define SCIPY_VALUE(key) oracle_find(scipy_rows, sizeof scipy_rows / sizeof scipy_rows[0], (key))

/* The key is a printf format with its arguments. */
static inline const char *oracle_key(char *buffer, size_t size, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
static inline const char *oracle_key(char *buffer, size_t size, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(buffer, size, format, arguments);
    va_end(arguments);
    return buffer;
}

#define ORACLE_COUNT(array) ((ptrdiff_t)(sizeof(array) / sizeof((array)[0])))

#endif
