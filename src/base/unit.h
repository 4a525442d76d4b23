/* unit.h: numbers with units, as people write and read them.
 *
 * Reading: times ("10s", "250ms", "1.5 min"), sizes ("64k", "4.1 GiB"), percentages ("1%"), counts
 * ("10k", "1e6"). k, M, G, T are powers of 1000 for counts; for sizes k/K/Ki are 1024-based like dd
 * and most Unix tools, and "kB", "MB", "GB" are 1000-based as SI says.
 *
 * Writing: 812 ns, 12.3 µs, 4.1 GiB/s: three significant digits, or as many as asked. */
#ifndef TARE_BASE_UNIT_H
#define TARE_BASE_UNIT_H

#include "base/arena.h"

#include <stdbool.h>
#include <stdint.h>

/* Each reader accepts the whole text or nothing: false on trailing characters, no digits, NaN,
 * infinity, a negative value or an unknown unit. A bare number is seconds, bytes, a ratio or a
 * count. */
bool unit_parse_time_ns(const char *text, double *time_ns);
bool unit_parse_size_bytes(const char *text, double *size_bytes);
bool unit_parse_count(const char *text, double *count);
/* "1%" and "0.01" both give 0.01. */
bool unit_parse_ratio(const char *text, double *ratio);
/* A finite decimal number, sign allowed, nothing else around it. */
bool unit_parse_double(const char *text, double *value);
bool unit_parse_int64(const char *text, int64_t *value);
/* A number of any sign with any unit: times come back in "ns", sizes in "B" and rates of them in
 * "B/s"
 * ("4.1 GiB/s"), counts ("10k") and bare numbers in "", anything else in the unit as written
 * ("tok/s"). */
bool unit_parse_quantity(struct arena *arena, const char *text, double *value, const char **unit);

/* A value with its unit for people, scaled by the unit's kind: "ns" → ns, µs, ms, s, min; "B" → B,
 * KiB…; "B/s" likewise; "1/s", "items/s", "flop/s", "" and anything else → k, M, G with the unit
 * behind. */
char *unit_format(struct arena *arena, double value, const char *unit, int significant_digits);

/* Scales several values alike, so that a row of a table shares one unit: returns the divisor for
 * `largest` and sets *label to the scaled unit's name. */
double unit_scale(double largest, const char *unit, struct arena *arena, const char **label);

/* A number with the given significant digits and no exponent for everyday sizes: 1230, 12.3,
 * 0.0012. */
char *unit_format_digits(struct arena *arena, double value, int significant_digits);

/* Signed percentage of a ratio: 1.042 → "+4.2%", 0.999 → "−0.1%" (with a real minus sign). */
char *unit_format_change(struct arena *arena, double ratio, int decimals);

#endif
