/* Numbers with units: what is read, what is refused, and how values are written for people. */
#include "base/unit.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

struct reading {
    const char *text;
    double value;
};

static void check_readings(bool (*parse)(const char *, double *), const struct reading *readings)
{
    for (; readings->text != NULL; readings++) {
        double value = NAN;
        if (!parse(readings->text, &value) || value != readings->value) {
            fail_msg("'%s' gave %.17g, not %.17g", readings->text, value, readings->value);
        }
    }
}

static void check_refusals(bool (*parse)(const char *, double *), const char *const *texts)
{
    for (; *texts != NULL; texts++) {
        double value = 0;
        if (parse(*texts, &value)) {
            fail_msg("'%s' was read as %.17g", *texts, value);
        }
    }
}

/* What no reader of a quantity takes, whatever its unit. */
static const char *const never_numbers[] = {
    "",     " ",     "s",     "%",    "-1",   "-1s", "-1%", "nan",   "NaN", "inf", "infinity",
    "0x10", "0x1p3", "1e999", "1e",   "1..2", "1,5", "1 2", " 1",    "1 ",  "1s ", "1\t",
    "--1",  "+-1",   "1sx",   "1 %%", ".",    "e5",  "１",  "1_000", "1\n", "$1",  NULL,
};

/* Times in every unit, bare numbers as seconds. */
static void test_time(void **state)
{
    (void)state;
    static const struct reading good[] = {
        {"10s", 10e9},   {"250ms", 250e6}, {"1.5 min", 90e9}, {"1m", 60e9},     {"2h", 7200e9},
        {"1d", 86400e9}, {"3us", 3000},    {"3µs", 3000},     {"3μs", 3000},    {"7ns", 7},
        {"0", 0},        {"2", 2e9},       {".5s", 0.5e9},    {"1e3 ns", 1000}, {"+4s", 4e9},
        {"5sec", 5e9},   {"1e-400s", 0},   {NULL, 0},
    };
    static const char *const bad[] = {"10S", "10 parsecs", "5k", "5y", "5 mins", NULL};
    check_readings(unit_parse_time_ns, good);
    check_refusals(unit_parse_time_ns, bad);
    check_refusals(unit_parse_time_ns, never_numbers);
}

/* Sizes: k and Ki are 1024, kB is 1000. */
static void test_size(void **state)
{
    (void)state;
    static const struct reading good[] = {
        {"64k", 65536},
        {"64K", 65536},
        {"64KiB", 65536},
        {"64kB", 64000},
        {"1M", 1048576},
        {"1MB", 1e6},
        {"4.5 GiB", 4.5 * 1073741824.0},
        {"1T", 1099511627776.0},
        {"12", 12},
        {"12B", 12},
        {NULL, 0},
    };
    static const char *const bad[] = {"1s", "1KB", "1kb", "1E", "5 bytes", NULL};
    check_readings(unit_parse_size_bytes, good);
    check_refusals(unit_parse_size_bytes, bad);
    check_refusals(unit_parse_size_bytes, never_numbers);
}

/* Counts are decimal; shares are percentages or plain numbers, and 95% is exactly 0.95. */
static void test_count_and_ratio(void **state)
{
    (void)state;
    static const struct reading counts[] = {{"10k", 10000}, {"1e6", 1e6}, {"2M", 2e6},
                                            {"3G", 3e9},    {"0", 0},     {NULL, 0}};
    static const struct reading ratios[] = {{"1%", 0.01},   {"95%", 0.95}, {"99.5%", 0.995},
                                            {"0.01", 0.01}, {"7 %", 0.07}, {"300%", 3},
                                            {"0%", 0},      {NULL, 0}};
    static const char *const bad_counts[] = {"1Ki", "1 k B", "ten", NULL};
    static const char *const bad_ratios[] = {"1%%", "1 percent", "1k", NULL};
    check_readings(unit_parse_count, counts);
    check_readings(unit_parse_ratio, ratios);
    check_refusals(unit_parse_count, bad_counts);
    check_refusals(unit_parse_ratio, bad_ratios);
    check_refusals(unit_parse_count, never_numbers);
    check_refusals(unit_parse_ratio, never_numbers);
}

/* A value too large for a double after scaling is refused, not infinite. */
static void test_overflow(void **state)
{
    (void)state;
    double value = 0;
    assert_true(unit_parse_time_ns("1e299h", &value) == false || isfinite(value));
    assert_false(unit_parse_time_ns("1e305s", &value));
    assert_false(unit_parse_size_bytes("1e300T", &value));
}

/* Plain numbers: signs, the limits of 64 bits, nothing around them. */
static void test_plain_numbers(void **state)
{
    (void)state;
    double value = 0;
    int64_t integer = 0;
    assert_true(unit_parse_double("-1.5e3", &value) && value == -1500);
    assert_false(unit_parse_double("1.5x", &value));
    assert_false(unit_parse_double("nan", &value));
    assert_true(unit_parse_int64("9223372036854775807", &integer) && integer == INT64_MAX);
    assert_true(unit_parse_int64("-9223372036854775808", &integer) && integer == INT64_MIN);
    assert_false(unit_parse_int64("9223372036854775808", &integer));
    assert_false(unit_parse_int64("-", &integer));
    assert_false(unit_parse_int64("", &integer));
    assert_false(unit_parse_int64(" 1", &integer));
    assert_false(unit_parse_int64("1.0", &integer));
    assert_false(unit_parse_int64("1e3", &integer));
}

/* Quantities keep unknown units, and bring known ones to ns, B and B/s. */
static void test_quantity(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        double value;
        const char *unit;
    } cases[] = {
        {"4.5 GiB/s", 4.5 * 1073741824.0, "B/s"},
        {"20 ms", 20e6, "ns"},
        {"12MB", 12e6, "B"},
        {"0", 0, ""},
        {"10k", 10000, ""},
        {"-3 dB", -3, "dB"},
        {"50 tok/s", 50, "tok/s"},
        {"7/s", 7, "/s"},
        {"1B", 1, "B"},
    };
    struct arena arena = {0};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        double value = NAN;
        const char *unit = NULL;
        assert_true(unit_parse_quantity(&arena, cases[i].text, &value, &unit));
        assert_true(value == cases[i].value);
        assert_string_equal(unit, cases[i].unit);
    }
    double value = 0;
    const char *unit = NULL;
    assert_false(unit_parse_quantity(&arena, "fast", &value, &unit));
    assert_false(unit_parse_quantity(&arena, "", &value, &unit));
    assert_false(unit_parse_quantity(&arena, "5 ", &value, &unit));
    assert_false(unit_parse_quantity(&arena, "nan ms", &value, &unit));
    assert_false(unit_parse_quantity(&arena, "1e308 GiB", &value, &unit));
    arena_free(&arena);
}

/* Values are scaled to a unit people read, with the digits asked for, also at the rounding edges.
 */
static void test_format(void **state)
{
    (void)state;
    static const struct {
        double value;
        const char *unit;
        int digits;
        const char *text;
    } cases[] = {
        {812.4, "ns", 3, "812 ns"},
        {999.4, "ns", 3, "999 ns"},
        {999.96, "ns", 3, "1.00 µs"},
        {12345, "ns", 3, "12.3 µs"},
        {0.5, "ns", 3, "0.500 ns"},
        {90e9, "ns", 3, "90.0 s"},
        {599e9, "ns", 3, "599 s"},
        {600e9, "ns", 3, "10.0 min"},
        {9.996, "B", 3, "10.0 B"},
        {1023, "B", 4, "1023 B"},
        {1024, "B", 3, "1.00 KiB"},
        {4.1 * 1073741824, "B/s", 2, "4.1 GiB/s"},
        {1234567, "items/s", 3, "1.23 Mitems/s"},
        {42, "", 2, "42"},
        {0, "ns", 3, "0 ns"},
        {-1500, "ns", 2, "-1.5 µs"},
        {NAN, "ns", 3, "nan ns"},
    };
    struct arena arena = {0};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        assert_string_equal(unit_format(&arena, cases[i].value, cases[i].unit, cases[i].digits),
                            cases[i].text);
    }
    arena_free(&arena);
}

/* Digits: as many as asked, never one more because of rounding, an exponent only far out. */
static void test_digits(void **state)
{
    (void)state;
    static const struct {
        double value;
        int digits;
        const char *text;
    } cases[] = {
        {1234, 3, "1234"},       {12.34, 3, "12.3"},
        {0.001234, 2, "0.0012"}, {9.996, 3, "10.0"},
        {99.96, 3, "100"},       {0.09996, 3, "0.100"},
        {-9.996, 3, "-10.0"},    {1e20, 3, "1.00e+20"},
        {1e-9, 2, "1.0e-09"},    {1, 1, "1"},
        {9.6, 1, "10"},          {INFINITY, 3, "inf"},
        {-INFINITY, 3, "-inf"},
    };
    struct arena arena = {0};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        assert_string_equal(unit_format_digits(&arena, cases[i].value, cases[i].digits),
                            cases[i].text);
    }
    arena_free(&arena);
}

/* Changes carry a sign, a real minus, and no "−0.0". */
static void test_change(void **state)
{
    (void)state;
    struct arena arena = {0};
    assert_string_equal(unit_format_change(&arena, 1.042, 1), "+4.2%");
    assert_string_equal(unit_format_change(&arena, 0.999, 1), "−0.1%");
    assert_string_equal(unit_format_change(&arena, 0.9999, 1), "+0.0%");
    assert_string_equal(unit_format_change(&arena, 1, 1), "+0.0%");
    assert_string_equal(unit_format_change(&arena, 3, 0), "+200%");
    arena_free(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_time),
        cmocka_unit_test(test_size),
        cmocka_unit_test(test_count_and_ratio),
        cmocka_unit_test(test_overflow),
        cmocka_unit_test(test_plain_numbers),
        cmocka_unit_test(test_quantity),
        cmocka_unit_test(test_format),
        cmocka_unit_test(test_digits),
        cmocka_unit_test(test_change),
    };
    return cmocka_run_group_tests_name("unit", tests, NULL, NULL);
}
