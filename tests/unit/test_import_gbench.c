/* Goal: Google Benchmark's files become samples, exactly; what cannot be meant is refused where it
 * stands. Method: recorded files, literal texts. */
#include "import_fixture.h"

static char *row(const char *members)
{
    return arena_printf(&arena, "{\"context\":{},\"benchmarks\":[{\"name\":\"b\",%s}]}", members);
}

static void test_recorded(void **state)
{
    (void)state;
    import_recorded(&import_gbench, "gbench/base.json");
    assert_int_equal(runs[0].benchmark_count, 5);
    assert_string_equal(model_field_get(&runs[0].machine.identity, "host"), "host");
    assert_true(runs[0].started_unix_ns > 1000000000LL * 1700000000);
    const struct model_metric *time = find_metric("sum/64", "time");
    assert_int_equal(time->count, 5);
    assert_string_equal(time->unit, "ns");
    assert_int_equal(find_benchmark("sum/64")->launch_count, 1); /* one process */
    assert_int_equal(find_metric("sum/64", "throughput")->better, MODEL_HIGHER_IS_BETTER);
    assert_int_equal(find_metric("sum/64", "cpu")->count, 5);
    assert_int_equal(find_metric("sum/64", "item_rate")->count, 5);
    assert_true(find_benchmark("sum/64")->iterations > 1);
    const struct model_benchmark *broken = find_benchmark("broken");
    assert_int_equal(broken->state, MODEL_STATE_FAILED);
    assert_string_equal(broken->reason, "no data");
    assert_int_equal(broken->metric_count, 0);
}

static void test_slow_is_slower(void **state)
{
    (void)state;
    assert_slow_is_slower(&import_gbench, "gbench/base.json", "gbench/slow.json", "sum/1024");
    assert_slow_is_slower(&import_gbench, "gbench/base.json", "gbench/slow.json", "sum_us/4096");
}

static void test_units(void **state)
{
    (void)state;
    static const struct {
        const char *unit;
        double ns;
    } units[] = {{"ns", 1.5}, {"us", 1500}, {"ms", 1.5e6}, {"s", 1.5e9}};
    for (size_t i = 0; i < sizeof units / sizeof *units; i++) {
        assert_imported(
            &import_gbench,
            row(arena_printf(&arena, "\"real_time\":1.5,\"cpu_time\":1,\"time_unit\":\"%s\"",
                             units[i].unit)));
        assert_value(find_metric("b", "time")->values[0], units[i].ns);
    }
    assert_refused(&import_gbench, row("\"real_time\":1,\"cpu_time\":1,\"time_unit\":\"min\""),
                   "no time unit that is known");
    assert_refused(&import_gbench, row("\"real_time\":1,\"cpu_time\":1"), "no time unit");
    assert_refused(&import_gbench, row("\"time_unit\":\"ns\""), "no \"real_time\"");
}

static void test_mixed_units(void **state)
{
    (void)state;
    assert_refused(&import_gbench,
                   "{\"benchmarks\":[{\"name\":\"b\",\"real_time\":1,\"cpu_time\":1,"
                   "\"time_unit\":\"ns\"},\n{\"name\":\"b\",\"real_time\":1,\"cpu_time\":1,"
                   "\"time_unit\":\"us\"}]}",
                   "file:2:");
    assert_non_null(strstr(error.message, "is in us (lower is better) here, and in ns"));
}

static void test_aggregates(void **state)
{
    (void)state;
    /* Nothing but aggregates: the median stands for them, without launches. */
    import_recorded(&import_gbench, "gbench/aggregates.json");
    assert_int_equal(find_benchmark("sum/64")->launch_count, 0);
    assert_int_equal(find_metric("sum/64", "time")->count, 1);
    assert_string_equal(model_field_get(&runs[0].environment, "basis"), "point");
    /* Beside repetitions they say nothing new. */
    import_recorded(&import_gbench, "gbench/base.json");
    assert_null(model_field_get(&runs[0].environment, "basis"));
}

static void test_not_finite(void **state)
{
    (void)state;
    assert_imported(&import_gbench, row("\"real_time\":NaN,\"cpu_time\":2,\"time_unit\":\"ns\","
                                        "\"bytes_per_second\":-Infinity"));
    assert_int_equal(find_metric("b", "time")->count, 0);
    assert_non_null(strstr(find_metric("b", "time")->invalid_reason, "NaN"));
    assert_non_null(strstr(find_metric("b", "throughput")->invalid_reason, "infinite"));
    assert_null(find_metric("b", "cpu")->invalid_reason);
    assert_imported(&import_gbench,
                    row("\"real_time\":-1,\"cpu_time\":1e999,\"time_unit\":\"ns\""));
    assert_non_null(strstr(find_metric("b", "time")->invalid_reason, "negative"));
    assert_non_null(strstr(find_metric("b", "cpu")->invalid_reason, "infinite"));
}

static void test_counters_want_a_direction(void **state)
{
    (void)state;
    const char *text = row("\"real_time\":1,\"cpu_time\":1,\"time_unit\":\"ns\",\"hits\":5");
    assert_imported(&import_gbench, text);
    assert_null(model_metric_find(find_benchmark("b"), "hits"));
    assert_int_equal(runs[0].warning_count, 1);
    assert_non_null(strstr(runs[0].warnings[0], "left out: hits"));
    static struct import_rule rule;
    assert_int_equal(import_rule_parse(&arena, "hits[1]:higher:exact", &rule, &error), TARE_OK);
    fixture_rules = &rule;
    fixture_rule_count = 1;
    assert_imported(&import_gbench, text);
    assert_int_equal(find_metric("b", "hits")->better, MODEL_HIGHER_IS_BETTER);
    assert_true(find_metric("b", "hits")->is_exact);
    assert_int_equal(runs[0].warning_count, 0);
}

static void test_documents_are_launches(void **state)
{
    (void)state;
    const char *one = row("\"real_time\":1,\"cpu_time\":1,\"time_unit\":\"ns\"");
    assert_imported(&import_gbench, arena_printf(&arena, "noise\n%s\nmore noise\n%s\n", one, one));
    assert_int_equal(find_benchmark("b")->launch_count, 2);
    assert_int_equal(find_metric("b", "time")->launches[1], 1);
}

static void test_scattered_rows(void **state)
{
    (void)state;
    /* More benchmarks than are held at once, each three times in turn: all samples arrive. */
    enum { BENCHMARKS = 5000, TIMES = 3 };
    struct buffer text = buffer_new(&arena, 1 << 26);
    buffer_text(&text, "{\"benchmarks\":[");
    for (int i = 0; i < BENCHMARKS * TIMES; i++) {
        buffer_printf(&text,
                      "%s{\"name\":\"b%d\",\"real_time\":%d,\"cpu_time\":1,\"time_unit\":\"ns\"}",
                      i > 0 ? "," : "", i % BENCHMARKS, i);
    }
    buffer_text(&text, "]}");
    assert_imported(&import_gbench, buffer_string(&text));
    assert_int_equal(runs[0].benchmark_count, BENCHMARKS);
    for (int i = 0; i < BENCHMARKS; i += 1234) {
        const struct model_metric *time = find_metric(arena_printf(&arena, "b%d", i), "time");
        assert_int_equal(time->count, TIMES);
        assert_value(time->values[TIMES - 1], i + BENCHMARKS * (TIMES - 1));
        assert_int_equal(find_benchmark(arena_printf(&arena, "b%d", i))->launch_count, 1);
    }
}

static void test_malformed(void **state)
{
    (void)state;
    assert_refused(&import_gbench, "", "no JSON");
    assert_refused(&import_gbench, "{}", "no list \"benchmarks\"");
    assert_refused(&import_gbench, "{\"benchmarks\":[]}", "no benchmark in it");
    assert_refused(&import_gbench, "{\"benchmarks\":[1]}", "where a row should stand");
    assert_refused(&import_gbench, "{\"benchmarks\":[{\"iterations\":1}]}", "no \"name\"");
    assert_refused(&import_gbench,
                   "{\"benchmarks\":[{\"name\":\"\",\"real_time\":1,"
                   "\"cpu_time\":1,\"time_unit\":\"ns\"}]}",
                   "without a name");
    assert_refused(&import_gbench, row("\"real_time\":\"fast\""), "where a number should stand");
    assert_refused(&import_gbench, row("\"iterations\":1,\"iterations\":2"), "there twice");
    const char *whole = row("\"real_time\":1,\"cpu_time\":1,\"time_unit\":\"ns\"");
    for (size_t cut = 1; cut < strlen(whole); cut++) {
        assert_int_equal(import_bytes(&import_gbench, whole, (ptrdiff_t)cut), TARE_ERROR_MEASURE);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(test_recorded, tear_down),
        cmocka_unit_test_teardown(test_slow_is_slower, tear_down),
        cmocka_unit_test_teardown(test_units, tear_down),
        cmocka_unit_test_teardown(test_mixed_units, tear_down),
        cmocka_unit_test_teardown(test_aggregates, tear_down),
        cmocka_unit_test_teardown(test_not_finite, tear_down),
        cmocka_unit_test_teardown(test_counters_want_a_direction, tear_down),
        cmocka_unit_test_teardown(test_documents_are_launches, tear_down),
        cmocka_unit_test_teardown(test_scattered_rows, tear_down),
        cmocka_unit_test_teardown(test_malformed, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
