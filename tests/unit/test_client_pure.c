/* libtare's pure parts: values of parameters, histogram, fit, numbers for people, counters'
 * arithmetic. */
#include "client/alone.h"

#include <errno.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

/* ---- values ---- */

struct values_case {
    const char *text;
    const char *expected; /* joined by blanks; NULL: refused */
};

/* Goal: the grammar of parameter values, good and bad. Method: a table of texts and their values.
 */
static void test_values(void **unused)
{
    (void)unused;
    static const struct values_case cases[] = {
        {"1,2,4", "1 2 4"},
        {"7", "7"},
        {"-3,5", "-3 5"},
        {"4..64*2", "4 8 16 32 64"},
        {"1k..1M*10", "1000 10000 100000 1000000"},
        {"1Ki,2Mi,1G", "1024 2097152 1000000000"},
        {"10..50+10", "10 20 30 40 50"},
        {"1..3", "1 2 3"},
        {"1..10*3", "1 3 9"},
        {"1,8..32*2", "1 8 16 32"},
        {"gzip,zstd", "gzip zstd"},
        {"1,two", "1 two"},
        {"9223372036854775807", "9223372036854775807"},
        {"4611686018427387904..9223372036854775807*2", "4611686018427387904"},
        {"", NULL},
        {",", NULL},
        {"1,,2", NULL},
        {"1,", NULL},
        {"1..", NULL},
        {"..5", NULL},
        {"5..1", NULL},
        {"1..8*1", NULL},
        {"0..8*2", NULL},
        {"1..8+0", NULL},
        {"1..8*", NULL},
        {"1..8*x", NULL},
        {"1..99999999", NULL}, /* more values than the limit */
        {"3,3", NULL},
        {"1k,1000", NULL}, /* the same twice, once it is read */
        {"a\nb", NULL},
        {"\xff", NULL},
        {"99999999999G", "99999999999G"}, /* not an integer that fits: a text */
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct arena arena = {0};
        struct tare_error error = {0};
        struct client_parameter parameter = {.name = "n"};
        tare_status status = client_values_parse(&arena, cases[i].text, &parameter, &error);
        if (cases[i].expected == NULL) {
            assert_int_equal(status, TARE_ERROR_USAGE);
            assert_non_null(strstr(error.message, "'n'"));
        } else {
            struct buffer joined = buffer_new(&arena, 10000);
            for (ptrdiff_t k = 0; k < parameter.count; k++) {
                buffer_printf(&joined, "%s%s", k > 0 ? " " : "", parameter.texts[k]);
            }
            assert_int_equal(status, TARE_OK);
            assert_string_equal(buffer_string(&joined), cases[i].expected);
        }
        arena_free(&arena);
    }
}

/* Goal: only a parameter whose values are all integers is one. */
static void test_values_kinds(void **unused)
{
    (void)unused;
    struct arena arena = {0};
    struct client_parameter parameter = {.name = "n"};
    assert_int_equal(client_values_parse(&arena, "1k,2", &parameter, NULL), TARE_OK);
    assert_int_equal(parameter.values[0], 1000);
    assert_int_equal(client_values_parse(&arena, "1k,x", &parameter, NULL), TARE_OK);
    assert_null(parameter.values);
    arena_free(&arena);
}

/* ---- histogram ---- */

/* Goal: buckets tile the integers: each value lies in its bucket, buckets follow each other, none
 * is wider than 1/128 of its value. Method: all small values, then the edges of every power of two.
 */
static void test_histogram_buckets(void **unused)
{
    (void)unused;
    for (int64_t value = 0; value < 100000; value++) {
        int32_t bucket = client_histogram_bucket_of(value);
        int64_t low = client_histogram_bucket_low(bucket);
        int64_t width = client_histogram_bucket_width(bucket);
        assert_true(low <= value && value < low + width);
        assert_true(width == 1 || width * 128 <= low);
        assert_int_equal(client_histogram_bucket_low(bucket + 1), low + width);
    }
    for (int power = 8; power < 63; power++) {
        int64_t edge = (int64_t)1 << power;
        assert_int_equal(client_histogram_bucket_of(edge),
                         client_histogram_bucket_of(edge - 1) + 1);
    }
    assert_true(client_histogram_bucket_of(INT64_MAX) < CLIENT_HISTOGRAM_BUCKETS);
    assert_int_equal(client_histogram_bucket_of(-5), 0);
    /* By the formula of docs/protocol.md: p = 8, s = 1, so 1·128 + 300 / 2. */
    assert_int_equal(client_histogram_bucket_of(300), 128 + 150);
}

/* Goal: quantiles within a bucket of the true ones, also after merging; never above the maximum. */
static void test_histogram_quantiles(void **unused)
{
    (void)unused;
    static struct client_histogram low_half, whole;
    client_histogram_clear(&low_half);
    client_histogram_clear(&whole);
    for (int64_t value = 1; value <= 5000; value++) {
        client_histogram_add(&low_half, value);
        client_histogram_add(&whole, value + 5000);
    }
    client_histogram_merge(&whole, &low_half);
    assert_int_equal(whole.total, 10000);
    assert_int_equal(whole.min_ns, 1);
    assert_int_equal(whole.max_ns, 10000);
    static const double shares[] = {0.01, 0.5, 0.9, 0.99, 0.999};
    for (size_t i = 0; i < sizeof shares / sizeof *shares; i++) {
        double got = client_histogram_quantile(&whole, shares[i]);
        double want = shares[i] * 10000;
        assert_true(got >= want && got <= want * 1.01 + 1);
    }
    assert_true(client_histogram_quantile(&whole, 1) == 10000);
}

/* ---- fit ---- */

static double cost_of(int growth, double n)
{
    switch (growth) {
    case 0:
        return 5;
    case 1:
        return 5 * log2(n);
    case 2:
        return 5 * n;
    case 3:
        return 5 * n * log2(n);
    case 4:
        return 5 * n * n;
    default:
        return 5 * n * n * n;
    }
}

/* Goal: each growth is recognised from its own costs, with the factor and next to no residual, and
 * still with 5 % of alternating error. Method: costs computed with libm's log2. */
static void test_fit_recognises(void **unused)
{
    (void)unused;
    static const char *const names[] = {"O(1)",       "O(log n)", "O(n)",
                                        "O(n log n)", "O(n^2)",   "O(n^3)"};
    static const double sizes[] = {16, 100, 1000, 10000, 77777};
    for (int growth = 0; growth < 6; growth++) {
        double costs[5];
        for (int i = 0; i < 5; i++) {
            costs[i] = cost_of(growth, sizes[i]);
        }
        struct fit fit = fit_growth(sizes, costs, 5);
        assert_string_equal(fit.name, names[growth]);
        assert_true(fabs(fit.factor_ns - 5) < 1e-6);
        assert_true(fit.residual < 1e-6);
        for (int i = 0; i < 5; i++) {
            costs[i] *= i % 2 == 0 ? 1.05 : 0.95;
        }
        fit = fit_growth(sizes, costs, 5);
        assert_string_equal(fit.name, names[growth]);
        assert_true(fit.residual > 0.03 && fit.residual < 0.07);
    }
}

/* Goal: nothing is claimed of too few sizes, equal sizes, sizes below 1 or costs that are not
 * positive. */
static void test_fit_refuses(void **unused)
{
    (void)unused;
    double two[] = {1, 2};
    double same[] = {4, 4, 4};
    double zero_size[] = {0, 1, 2};
    double good[] = {1, 2, 4};
    double zero_cost[] = {1, 0, 2};
    double nan_cost[] = {1, NAN, 2};
    assert_null(fit_growth(two, two, 2).name);
    assert_null(fit_growth(same, good, 3).name);
    assert_null(fit_growth(zero_size, good, 3).name);
    assert_null(fit_growth(good, zero_cost, 3).name);
    assert_null(fit_growth(good, nan_cost, 3).name);
    assert_null(fit_growth(NULL, NULL, 0).name);
    assert_non_null(fit_growth(good, good, 3).name);
}

/* ---- numbers ---- */

/* Goal: three digits, the right unit, no 1000 where the next unit begins. */
static void test_format(void **unused)
{
    (void)unused;
    static const struct {
        double value;
        const char *unit;
        const char *expected;
    } cases[] = {
        {0, "ns", "0 ns"},
        {0.3127, "ns", "0.313 ns"},
        {812.4, "ns", "812 ns"},
        {999.4, "ns", "999 ns"},
        {999.7, "ns", "1.00 µs"},
        {12345, "ns", "12.3 µs"},
        {2.5e9, "ns", "2.50 s"},
        {4.1 * 1073741824, "B/s", "4.10 GiB/s"},
        {100, "B", "100 B"},
        {37.04e6, "items/s", "37.0 M items/s"},
        {1.45e9, "flop/s", "1.45 Gflop/s"},
        {42, "1", "42.0"},
        {42, "frobs", "42.0 frobs"},
        {-12.34, "ns", "-12.3 ns"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[FORMAT_BYTES];
        format_value(text, cases[i].value, cases[i].unit);
        assert_string_equal(text, cases[i].expected);
    }
    char text[FORMAT_BYTES];
    format_range(text, 880e3, 1010e3, 890e3, "ns");
    assert_string_equal(text, "880…1010");
}

/* Goal: a unit of any length, and any number, stay within the buffer. */
static void test_format_bounded(void **unused)
{
    (void)unused;
    char text[FORMAT_BYTES];
    format_value(text, 1e300, "a unit that is far too long for a table of figures");
    assert_true(strlen(text) < FORMAT_BYTES);
    format_value(text, NAN, "ns");
    assert_true(strlen(text) < FORMAT_BYTES);
}

static void test_parse_time(void **unused)
{
    (void)unused;
    static const struct {
        const char *text;
        double expected_ns; /* 0: refused */
    } cases[] = {{"200ms", 200e6}, {"1s", 1e9},   {"0.5", 0.5e9}, {"3 us", 3e3}, {"10ns", 10},
                 {"", 0},          {"0", 0},      {"-1s", 0},     {"nan", 0},    {"1x", 0},
                 {"0x10", 0},      {"1e999s", 0}, {"s", 0}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        double time_ns = 0;
        bool is_read = format_parse_time_ns(cases[i].text, &time_ns);
        assert_int_equal(is_read, cases[i].expected_ns > 0);
        assert_true(!is_read || time_ns == cases[i].expected_ns);
    }
}

/* Goal: quartiles as R's quantile(type = 7) gives them, for one, two and five values. */
static void test_summary(void **unused)
{
    (void)unused;
    double five[] = {5, 1, 4, 2, 3};
    struct alone_summary summary = alone_summarize(five, 5);
    assert_true(summary.median == 3 && summary.low == 2 && summary.high == 4);
    assert_true(summary.min == 1 && summary.max == 5 && summary.mean == 3);
    double two[] = {4, 2};
    summary = alone_summarize(two, 2);
    assert_true(summary.median == 3 && summary.low == 2.5 && summary.high == 3.5);
    double one[] = {7};
    summary = alone_summarize(one, 1);
    assert_true(summary.median == 7 && summary.low == 7 && summary.high == 7);
}

/* ---- counters ---- */

/* Goal: a multiplexed counter is scaled by enabled/running and says so; one that never ran has no
 * value. Method: readings made up here, because virtual machines have no counters. */
static void test_counters(void **unused)
{
    (void)unused;
    struct client_counter_values values = {.scaled = 1};
    client_counters_add(&values, 0, &(struct client_counter_reading){1000, 100, 100});
    client_counters_add(&values, 1, &(struct client_counter_reading){1000, 100, 25});
    client_counters_add(&values, 2, &(struct client_counter_reading){0, 100, 0});
    assert_true(values.is_there[0] && values.values[0] == 1000);
    assert_true(values.is_there[1] && values.values[1] == 4000);
    assert_false(values.is_there[2]);
    assert_true(values.scaled == 0.25);
}

static void test_counters_missing(void **unused)
{
    (void)unused;
    static const int errors[] = {ENOENT, EACCES, EPERM, ENOSYS, EINVAL};
    for (size_t i = 0; i < sizeof errors / sizeof *errors; i++) {
        assert_true(strlen(client_counters_missing_for(errors[i])) > 10);
    }
    assert_non_null(strstr(client_counters_missing_for(EACCES), "perf_event_paranoid"));
    assert_non_null(strstr(client_counters_missing_for(ENOENT), "virtual machine"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_values),
        cmocka_unit_test(test_values_kinds),
        cmocka_unit_test(test_histogram_buckets),
        cmocka_unit_test(test_histogram_quantiles),
        cmocka_unit_test(test_fit_recognises),
        cmocka_unit_test(test_fit_refuses),
        cmocka_unit_test(test_format),
        cmocka_unit_test(test_format_bounded),
        cmocka_unit_test(test_parse_time),
        cmocka_unit_test(test_summary),
        cmocka_unit_test(test_counters),
        cmocka_unit_test(test_counters_missing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
