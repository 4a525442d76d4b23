/* format.c: numbers with units for the table, three significant digits. libtare does without libm,
 * so scales are found by comparing. */
#include "client/alone.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct scale {
    const char *name;
    double factor;
};

static const struct scale time_scales[] = {{"ns", 1}, {"µs", 1e3}, {"ms", 1e6}, {"s", 1e9}};
static const struct scale byte_scales[] = {
    {"B", 1}, {"KiB", 1024}, {"MiB", 1048576}, {"GiB", 1073741824}, {"TiB", 1099511627776.0}};
static const struct scale plain_scales[] = {
    {"", 1}, {"k", 1e3}, {"M", 1e6}, {"G", 1e9}, {"T", 1e12}};

#define COUNT(table) (sizeof(table) / sizeof *(table))

/* The largest scale that keeps the number at 1 or above; 999.7 prints as 1000 and so takes the
 * next. */
static struct scale choose(const struct scale *scales, size_t count, double value)
{
    struct scale best = scales[0];
    for (size_t i = 1; i < count; i++) {
        if (fabs(value) >= scales[i].factor * 0.9995) {
            best = scales[i];
        }
    }
    return best;
}

/* Splits a unit into the scaled name and what follows: "B/s" → "GiB" and "/s". */
static struct scale scale_of(double value, const char *unit, const char **rest)
{
    *rest = "";
    if (strcmp(unit, "ns") == 0) {
        return choose(time_scales, COUNT(time_scales), value);
    }
    if (unit[0] == 'B' && (unit[1] == '\0' || unit[1] == '/')) {
        *rest = unit + 1;
        return choose(byte_scales, COUNT(byte_scales), value);
    }
    *rest = strcmp(unit, "1") == 0 ? "" : unit;
    return choose(plain_scales, COUNT(plain_scales), value);
}

static int decimals_of(double value)
{
    double size = fabs(value);
    if (size == 0) {
        return 0;
    }
    int decimals = 2;
    for (double edge = 9.995; size >= edge && decimals > 0; edge *= 10) {
        decimals--;
    }
    /* 0.00123 keeps three digits; below a billionth it is as good as zero. */
    for (double edge = 0.9995; size < edge && decimals < 9; edge /= 10) {
        decimals++;
    }
    return decimals;
}

void format_value(char text[FORMAT_BYTES], double value, const char *unit)
{
    const char *rest = "";
    struct scale scale = scale_of(value, unit, &rest);
    double scaled = value / scale.factor;
    bool has_name = scale.name[0] != '\0' || rest[0] != '\0';
    /* "GiB/s" and "Gflop/s" are words of their own; "M items/s" is easier to read apart. */
    bool is_joined = rest[0] == '\0' || rest[0] == '/' || strcmp(rest, "flop/s") == 0;
    bool is_apart = scale.name[0] != '\0' && !is_joined;
    snprintf(text, FORMAT_BYTES, "%.*f%s%s%s%.24s", decimals_of(scaled), scaled,
             has_name ? " " : "", scale.name, is_apart ? " " : "", rest);
}

void format_range(char text[FORMAT_BYTES], double low, double high, double median, const char *unit)
{
    const char *rest = "";
    struct scale scale = scale_of(median, unit, &rest);
    int decimals = decimals_of(median / scale.factor);
    snprintf(text, FORMAT_BYTES, "%.*f…%.*f", decimals, low / scale.factor, decimals,
             high / scale.factor);
}

bool format_parse_time_ns(const char *text, double *time_ns)
{
    static const struct scale units[] = {{"", 1e9},   {"ns", 1},  {"us", 1e3},  {"µs", 1e3},
                                         {"ms", 1e6}, {"s", 1e9}, {"min", 60e9}};
    /* strtod alone would also take hex, nan and inf. */
    if (!isdigit((unsigned char)text[0]) || (text[0] == '0' && tolower(text[1]) == 'x')) {
        return false;
    }
    char *end = NULL;
    double number = strtod(text, &end);
    while (*end == ' ') {
        end++;
    }
    for (size_t i = 0; i < COUNT(units); i++) {
        if (strcmp(end, units[i].name) == 0) {
            *time_ns = number * units[i].factor;
            return isfinite(*time_ns) && *time_ns > 0;
        }
    }
    return false;
}
