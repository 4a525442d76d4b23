#include "base/unit.h"

#include "base/assert.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct unit_suffix {
    const char *name;
    double factor;
};

static const struct unit_suffix time_suffixes[] = {
    {"", 1e9},     {"ns", 1},      {"us", 1e3},  {"µs", 1e3}, {"μs", 1e3},
    {"ms", 1e6},   {"s", 1e9},     {"sec", 1e9}, {"m", 60e9}, {"min", 60e9},
    {"h", 3600e9}, {"d", 86400e9}, {NULL, 0},
};

static const struct unit_suffix size_suffixes[] = {
    {"", 1},
    {"B", 1},
    {"k", 1024},
    {"K", 1024},
    {"Ki", 1024},
    {"KiB", 1024},
    {"M", 1048576},
    {"Mi", 1048576},
    {"MiB", 1048576},
    {"G", 1073741824},
    {"Gi", 1073741824},
    {"GiB", 1073741824},
    {"T", 1099511627776},
    {"Ti", 1099511627776},
    {"TiB", 1099511627776},
    {"kB", 1e3},
    {"MB", 1e6},
    {"GB", 1e9},
    {"TB", 1e12},
    {NULL, 0},
};

static const struct unit_suffix count_suffixes[] = {
    {"", 1}, {"k", 1e3}, {"K", 1e3}, {"M", 1e6}, {"G", 1e9}, {"T", 1e12}, {NULL, 0},
};

static const struct unit_suffix ratio_suffixes[] = {{"", 1}, {"%", 1}, {NULL, 0}};

/* Reads a number and returns where it ended, or NULL. strtod alone would also take hex, nan and
 * inf. */
static const char *number_end(const char *text, double *value)
{
    const char *digits = text;
    if (*digits == '+' || *digits == '-') {
        digits++;
    }
    if (!isdigit((unsigned char)digits[0]) &&
        !(digits[0] == '.' && isdigit((unsigned char)digits[1]))) {
        return NULL;
    }
    if (digits[0] == '0' && (digits[1] == 'x' || digits[1] == 'X')) {
        return NULL;
    }
    char *end = NULL;
    *value = strtod(text, &end);
    return isfinite(*value) ? end : NULL;
}

/* Blanks may stand before a unit, but not alone at the end. */
static const char *unit_start(const char *rest)
{
    const char *start = rest + strspn(rest, " ");
    return *start != '\0' ? start : rest;
}

static bool parse_with_suffix(const char *text, const struct unit_suffix *suffixes, double *value)
{
    double number = 0;
    const char *rest = number_end(text, &number);
    if (rest == NULL || number < 0) {
        return false;
    }
    rest = unit_start(rest);
    for (const struct unit_suffix *suffix = suffixes; suffix->name != NULL; suffix++) {
        if (strcmp(rest, suffix->name) == 0) {
            *value = number * suffix->factor;
            return isfinite(*value);
        }
    }
    return false;
}

bool unit_parse_time_ns(const char *text, double *time_ns)
{
    return parse_with_suffix(text, time_suffixes, time_ns);
}

bool unit_parse_size_bytes(const char *text, double *size_bytes)
{
    return parse_with_suffix(text, size_suffixes, size_bytes);
}

bool unit_parse_count(const char *text, double *count)
{
    return parse_with_suffix(text, count_suffixes, count);
}

bool unit_parse_ratio(const char *text, double *ratio)
{
    if (!parse_with_suffix(text, ratio_suffixes, ratio)) {
        return false;
    }
    /* Divided, not multiplied by 0.01, so that 95% is the same number as 0.95. */
    *ratio = strchr(text, '%') != NULL ? *ratio / 100 : *ratio;
    return true;
}

bool unit_parse_double(const char *text, double *value)
{
    const char *end = number_end(text, value);
    return end != NULL && *end == '\0';
}

bool unit_parse_int64(const char *text, int64_t *value)
{
    if (!isdigit((unsigned char)text[0]) && text[0] != '-') {
        return false;
    }
    char *end = NULL;
    errno = 0;
    long long number = strtoll(text, &end, 10);
    if (errno != 0 || end == text || *end != '\0') {
        return false;
    }
    *value = number;
    return true;
}

static double factor_of(const struct unit_suffix *suffixes, const char *name)
{
    for (const struct unit_suffix *suffix = suffixes; suffix->name != NULL; suffix++) {
        if (strcmp(name, suffix->name) == 0) {
            return suffix->factor;
        }
    }
    return 0;
}

bool unit_parse_quantity(struct arena *arena, const char *text, double *value, const char **unit)
{
    double number = 0;
    const char *rest = number_end(text, &number);
    if (rest == NULL) {
        return false;
    }
    rest = unit_start(rest);
    /* Counts first: a bare k is a thousand; sizes are those that end in B. */
    size_t length = strlen(rest);
    bool is_rate = length > 2 && strcmp(rest + length - 2, "/s") == 0;
    const char *base = arena_strndup(arena, rest, (ptrdiff_t)(is_rate ? length - 2 : length));
    bool is_size = base[0] != '\0' && base[strlen(base) - 1] == 'B';
    double factor = 1;
    *unit = rest;
    if (*rest == ' ') {
        return false;
    }
    if (is_size && factor_of(size_suffixes, base) != 0) {
        factor = factor_of(size_suffixes, base);
        *unit = is_rate ? "B/s" : "B";
    } else if (factor_of(count_suffixes, rest) != 0) {
        factor = factor_of(count_suffixes, rest);
        *unit = "";
    } else if (factor_of(time_suffixes, rest) != 0) {
        factor = factor_of(time_suffixes, rest);
        *unit = "ns";
    }
    *unit = arena_strdup(arena, *unit);
    *value = number * factor;
    return isfinite(*value);
}

static double scale_time(double largest_ns, const char **label)
{
    static const struct unit_suffix scales[] = {{"ns", 1},  {"µs", 1e3},   {"ms", 1e6},
                                                {"s", 1e9}, {"min", 60e9}, {NULL, 0}};
    const struct unit_suffix *best = scales;
    for (const struct unit_suffix *scale = scales; scale->name != NULL; scale++) {
        /* Minutes start at ten, so that 90 s stays 90 s. */
        double start = strcmp(scale->name, "min") == 0 ? 600e9 : scale->factor;
        /* 999.95 would print as 1000: the next unit takes over at the rounding edge. */
        if (fabs(largest_ns) >= start * 0.9995) {
            best = scale;
        }
    }
    *label = best->name;
    return best->factor;
}

static double scale_power(double largest, double base, const char *const *prefixes, int count,
                          const char **prefix)
{
    double factor = 1;
    int i = 0;
    while (i + 1 < count && fabs(largest) >= factor * base * 0.9995) {
        factor *= base;
        i++;
    }
    *prefix = prefixes[i];
    return factor;
}

double unit_scale(double largest, const char *unit, struct arena *arena, const char **label)
{
    static const char *const binary[] = {"", "Ki", "Mi", "Gi", "Ti", "Pi"};
    static const char *const decimal[] = {"", "k", "M", "G", "T", "P"};
    const char *prefix = "";
    if (strcmp(unit, "ns") == 0) {
        return scale_time(largest, label);
    }
    if (strcmp(unit, "B") == 0 || strcmp(unit, "B/s") == 0) {
        double factor = scale_power(largest, 1024, binary, 6, &prefix);
        *label = arena_printf(arena, "%s%s", prefix, unit);
        return factor;
    }
    double factor = scale_power(largest, 1000, decimal, 6, &prefix);
    *label = arena_printf(arena, "%s%s", prefix, strcmp(unit, "1") == 0 ? "" : unit);
    return factor;
}

char *unit_format_digits(struct arena *arena, double value, int significant_digits)
{
    TARE_ASSERT(significant_digits > 0);
    if (!isfinite(value)) {
        return arena_printf(arena, "%s", isnan(value) ? "nan" : value > 0 ? "inf" : "-inf");
    }
    if (value == 0) {
        return arena_strdup(arena, "0");
    }
    double magnitude = floor(log10(fabs(value)));
    if (magnitude > 15 || magnitude < -6) {
        return arena_printf(arena, "%.*e", significant_digits - 1, value);
    }
    int decimals = significant_digits - 1 - (int)magnitude;
    char *text = arena_printf(arena, "%.*f", decimals > 0 ? decimals : 0, value);
    /* 9.996 rounds up to 10.00, one digit more than asked: then a decimal less. */
    double rounded = strtod(text, NULL);
    if (decimals > 0 && fabs(rounded) >= pow(10, magnitude + 1)) {
        text = arena_printf(arena, "%.*f", decimals - 1, value);
    }
    return text;
}

char *unit_format(struct arena *arena, double value, const char *unit, int significant_digits)
{
    const char *label = unit;
    double factor = unit_scale(value, unit, arena, &label);
    char *number = unit_format_digits(arena, value / factor, significant_digits);
    return *label != '\0' ? arena_printf(arena, "%s %s", number, label) : number;
}

char *unit_format_change(struct arena *arena, double ratio, int decimals)
{
    double percent = (ratio - 1) * 100;
    double rounded = fabs(percent) < 0.5 * pow(10, -decimals) ? 0 : percent;
    const char *sign = rounded < 0 ? "−" : "+";
    return arena_printf(arena, "%s%.*f%%", sign, decimals, fabs(rounded));
}
