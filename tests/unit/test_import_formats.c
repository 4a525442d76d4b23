/* Goal: each harness's file gives its names, units, directions, processes and values; point values
 * are told from samples; what is cut off, twice or of unknown unit is refused. Method: recorded
 * files (for what can be installed), synthetic ones and literal texts. */
#include "import_fixture.h"

#include "model/point.h"

static void test_hyperfine(void **state)
{
    (void)state;
    import_recorded(&import_hyperfine, "hyperfine/base.json");
    assert_int_equal(runs[0].benchmark_count, 2);
    assert_int_equal(find_benchmark("sum 1000 n=1000")->launch_count, 8);
    assert_int_equal(find_metric("sum 1000 n=1000", "time")->count, 8);
    assert_int_equal(find_metric("sum 1000 n=1000", "user")->count, 1);
    assert_slow_is_slower(&import_hyperfine, "hyperfine/base.json", "hyperfine/slow.json",
                          "sum 2000 n=2000");
    import_recorded(&import_hyperfine, "hyperfine/ignored.json");
    const struct model_benchmark *ignored = &runs[0].benchmarks[0];
    assert_int_equal(ignored->launches[2].exit_status, 3 << 8);
    assert_non_null(strstr(ignored->warnings[0], "3 of 3 runs"));
}

static void test_hyperfine_points(void **state)
{
    (void)state;
    assert_imported(
        &import_hyperfine,
        "{\"results\":[{\"command\":\"a\\nb\",\"mean\":2,\"median\":1.5,\"stddev\":null,"
        "\"memory_usage_byte\":[1000,3000,2000]}]}");
    assert_true(model_benchmark_is_point(find_benchmark("a\\nb")));
    assert_value(find_metric("a\\nb", "time")->values[0], 1.5e9);
    assert_value(find_metric("a\\nb", "memory")->values[0], 3000);
    assert_refused(&import_hyperfine, "{\"results\":[{\"mean\":1}]}", "no \"command\"");
    assert_refused(&import_hyperfine,
                   "{\"results\":[{\"command\":\"a\",\"mean\":1},{\"command\":\"a\",\"mean\":1}]}",
                   "there twice");
}

static void test_go(void **state)
{
    (void)state;
    import_recorded(&import_go, "go/base.txt");
    assert_int_equal(runs[0].benchmark_count, 3);
    const char *label = model_benchmark_label(&arena, &runs[0].benchmarks[0]);
    assert_int_equal(strncmp(label, "example.com/sums:Sum gomaxprocs=", 32), 0);
    assert_int_equal(runs[0].benchmarks[0].launch_count, 3); /* three processes, count 2 each */
    assert_int_equal(find_metric(label, "time")->count, 6);
    assert_int_equal(find_metric(label, "time")->launches[5], 2);
    assert_int_equal(find_metric(label, "throughput")->better, MODEL_HIGHER_IS_BETTER);
    assert_slow_is_slower(&import_go, "go/base.txt", "go/slow.txt", label);
}

static void test_go_lines(void **state)
{
    (void)state;
    assert_imported(&import_go, "Unit x/op better=higher assume=exact\n"
                                "pkg: p\nBenchmarkA/k=v/fast-8 10 1.5 ns/op 3 x/op 7 y/op 2 MB/s\n"
                                "ignored text\nBenchmarkA\n  BenchmarkA 1 2\n"
                                "pkg: p\nBenchmarkA/k=v/fast-8 10 2.5 ns/op 3 x/op\n"
                                "--- FAIL: BenchmarkB\n--- SKIP: BenchmarkC\n--- FAIL: TestX\n");
    static const char label[] = "p:A/fast gomaxprocs=8 k=v";
    assert_int_equal(find_benchmark(label)->launch_count, 2);
    assert_true(find_metric(label, "x/op")->is_exact);
    assert_int_equal(find_metric(label, "x/op")->better, MODEL_HIGHER_IS_BETTER);
    assert_value(find_metric(label, "throughput")->values[0], 2e6);
    assert_non_null(strstr(runs[0].warnings[0], "left out: y/op"));
    assert_int_equal(find_benchmark("p:B")->state, MODEL_STATE_FAILED);
    assert_int_equal(find_benchmark("p:C")->state, MODEL_STATE_SKIPPED);
    assert_int_equal(runs[0].benchmark_count, 3);
    assert_refused(&import_go, "BenchmarkA 10 1.5 ns/op\nBenchmarkA 10 1.5\n", "file:2:1");
    assert_refused(&import_go, "BenchmarkA 10 x ns/op\n", "'x' is no number");
    assert_refused(&import_go, "goos: linux\nPASS\n", "no benchmark in it");
}

static void test_libtest(void **state)
{
    (void)state;
    import_recorded(&import_libtest, "libtest/base.txt");
    assert_int_equal(runs[0].benchmark_count, 2);
    assert_true(model_benchmark_is_point(find_benchmark("sums::fold")));
    assert_true(mean_of("sums::fold", "throughput") > 1e6);
    assert_slow_is_slower(&import_libtest, "libtest/base.txt", "libtest/slow.txt", "sums::fold");
    assert_imported(&import_libtest, "     Running benches/x.rs (target/y)\n"
                                     "test a ... bench:   1,234,567.5 ns/iter (+/- 1,234)\n"
                                     "test b ... FAILED\ntest c ... ok\n");
    assert_value(find_metric("benches/x.rs:a", "time")->values[0], 1234567.5);
    assert_int_equal(find_benchmark("benches/x.rs:b")->state, MODEL_STATE_FAILED);
    assert_int_equal(runs[0].benchmark_count, 2);
    assert_refused(&import_libtest, "test a ... bench:   12", "was it cut off?");
    assert_refused(&import_libtest, "test a ... bench: 5 h/iter\n", "unknown unit 'h/iter'");
    assert_refused(&import_libtest, "test a ... bench: 5 ns/iter\ntest a ... bench: 6 ns/iter\n",
                   "two single values");
}

static void test_pytest(void **state)
{
    (void)state;
    import_recorded(&import_pytest, "pytest/base.json");
    assert_int_equal(runs[0].benchmark_count, 3);
    const struct model_metric *time = find_metric("test_sums.py:test_sum n=100", "time");
    assert_true(time->count >= 8);
    assert_int_equal(find_benchmark("test_sums.py:test_sum n=100")->launch_count, 1);
    assert_string_equal(model_field_get(&runs[0].machine.identity, "host"), "host");
    assert_true(runs[0].started_unix_ns > 0);
    assert_slow_is_slower(&import_pytest, "pytest/base.json", "pytest/slow.json",
                          "test_sums.py:test_sum n=1000");
    import_recorded(&import_pytest, "pytest/nodata.json");
    assert_true(model_benchmark_is_point(find_benchmark("test_sums.py:test_alone")));
}

static void test_pytest_details(void **state)
{
    (void)state;
    assert_imported(
        &import_pytest,
        "{\"machine_info\":{\"node\":\"n\",\"cpu\":{\"brand_raw\":\"c\",\"count\":2}},"
        "\"commit_info\":{\"id\":\"9d55\",\"dirty\":true,\"branch\":\"main\"},\"benchmarks\":["
        "{\"fullname\":\"b.py::t[small]\",\"params\":{\"n\":1},\"param\":\"small\","
        "\"stats\":{\"data\":[1e-6,2e-6],\"iterations\":4}}],\"datetime\":\"2019-11-17T02:22:"
        "16\"}");
    assert_string_equal(runs[0].commit.hash, "9d55");
    assert_true(runs[0].commit.is_dirty);
    assert_string_equal(model_field_get(&runs[0].machine.identity, "cpu"), "c");
    assert_int_equal(runs[0].started_unix_ns, 1573957336000000000);
    /* An id that is not made of the values keeps its brackets, so that names stay apart. */
    assert_value(find_metric("b.py:t[small]", "time")->values[1], 2e3);
    assert_value(find_benchmark("b.py:t[small]")->iterations, 4);
    assert_refused(&import_pytest, "{\"machine_info\":{},\"benchmarks\":[{\"name\":\"a\"}]}",
                   "no \"stats\"");
}

static void test_pyperf(void **state)
{
    (void)state;
    static const char *const names[] = {"pyperf/base.json", "pyperf/base.json.gz"};
    for (int i = 0; i < 2; i++) {
        import_recorded(&import_pyperf, names[i]);
        assert_int_equal(runs[0].benchmark_count, 2);
        assert_int_equal(find_benchmark("sum_100")->launch_count, 6);
        assert_int_equal(find_metric("sum_100", "time")->count, 24);
        assert_string_equal(model_field_get(&runs[0].machine.identity, "host"), "host");
        assert_true(runs[0].started_unix_ns > 0);
    }
    assert_slow_is_slower(&import_pyperf, "pyperf/base.json", "pyperf/slow.json", "sum_1000");
}

static void test_pyperf_shared(void **state)
{
    (void)state;
    assert_imported(&import_pyperf,
                    "{\"benchmarks\":[{\"runs\":[{\"warmups\":[[1,2]]},{\"values\":[1,2]},"
                    "{\"values\":[3]}]}],\"metadata\":{\"name\":\"x\",\"unit\":\"byte\"}}");
    assert_string_equal(find_metric("x", "memory")->unit, "B");
    assert_int_equal(find_benchmark("x")->launch_count, 2); /* calibration is none */
    assert_refused(&import_pyperf,
                   "{\"benchmarks\":[{\"runs\":[{\"values\":[1]}]}],"
                   "\"metadata\":{\"unit\":\"mile\"}}",
                   "unknown unit 'mile'");
}

static void test_jmh(void **state)
{
    (void)state;
    import_recorded(&import_jmh, "jmh/synthetic.json");
    assert_int_equal(runs[0].benchmark_count, 3);
    const struct model_metric *time = find_metric("org.x.Sum.sum mode=avgt n=100", "time");
    assert_int_equal(time->count, 4);
    assert_int_equal(time->launches[2], 1);
    assert_value(time->values[0], 2400);
    const struct model_metric *rate = find_metric("org.x.Sum.sum mode=thrpt threads=4", "op_rate");
    assert_value(rate->values[0], 1500);
    assert_int_equal(rate->better, MODEL_HIGHER_IS_BETTER);
    assert_true(model_benchmark_is_point(find_benchmark("org.x.Sum.sum mode=thrpt threads=4")));
    assert_int_equal(find_metric("org.x.Sum.sum mode=sample", "time")->count, 3);
    assert_non_null(strstr(runs[0].warnings[0], "gc.alloc.rate.norm"));
    assert_refused(&import_jmh,
                   "[{\"benchmark\":\"a\",\"mode\":\"avgt\",\"primaryMetric\":{\"score\":1,"
                   "\"scoreUnit\":\"parsecs/op\"}}]",
                   "unknown scoreUnit 'parsecs/op'");
}

static void test_catch2(void **state)
{
    (void)state;
    import_recorded(&import_catch2, "catch2/base.xml");
    assert_int_equal(runs[0].benchmark_count, 3);
    assert_true(model_benchmark_is_point(find_benchmark("sums:sum 100")));
    assert_int_equal(find_benchmark("fails:throws")->state, MODEL_STATE_FAILED);
    assert_slow_is_slower(&import_catch2, "catch2/base.xml", "catch2/slow.xml", "sums:sum 1000");
    static const char start[] = "<Catch name=\"x\">\n<TestCase name=\"a &lt;b&gt;\">\n"
                                "<BenchmarkResults name=\"s\" iterations=\"2\">\n"
                                "<mean value=\"1.5\"/>\n</BenchmarkResults>\n";
    assert_imported(&import_catch2, arena_printf(&arena,
                                                 "%s<OverallResult success=\"false\"/>\n"
                                                 "</TestCase>\n</Catch>\n",
                                                 start));
    assert_int_equal(find_benchmark("a <b>:s")->state, MODEL_STATE_INVALID);
    assert_refused(&import_catch2, start, "it was cut off");
}

static void test_criterion(void **state)
{
    (void)state;
    import_recorded(&import_criterion, "criterion/base/sums/fold/100/new/benchmark.json");
    assert_int_equal(find_metric("sums:fold value=100", "time")->count, 10);
    assert_int_equal(find_benchmark("sums:fold value=100")->launch_count, 1);
    assert_slow_is_slower(&import_criterion, "criterion/base/sums/fold/1000/new/benchmark.json",
                          "criterion/slow/sums/fold/1000/new/benchmark.json",
                          "sums:fold value=1000");
    import_recorded(&import_criterion, "criterion/old-dialect/g/new/benchmark.json");
    assert_value(find_metric("g", "time")->values[1], 110);
    import_recorded(&import_criterion, "criterion/estimates-only/g/new/benchmark.json");
    assert_true(model_benchmark_is_point(find_benchmark("g")));
    assert_value(find_metric("g", "time")->values[0], 105.5);
}

static void test_cargo_criterion(void **state)
{
    (void)state;
    import_recorded(&import_cargo_criterion, "cargo-criterion/synthetic.json");
    assert_int_equal(runs[0].benchmark_count, 1);
    assert_value(find_metric("g/f/20", "time")->values[1], 110);
    assert_refused(&import_cargo_criterion,
                   "{\"reason\":\"benchmark-complete\",\"id\":\"a\",\"unit\":\"ns\","
                   "\"iteration_count\":[1],\"measured_values\":[]}",
                   "1 counts of iterations and 0 times");
    assert_refused(&import_cargo_criterion,
                   "{\"reason\":\"benchmark-complete\",\"id\":\"a\",\"unit\":\"cycles\","
                   "\"iteration_count\":[1],\"measured_values\":[1]}",
                   "unknown unit 'cycles'");
}

static void test_csv(void **state)
{
    (void)state;
    import_recorded(&import_csv, "csv/own.csv");
    assert_value(find_metric("s:parse n=1000", "time")->values[1], 1.5e6);
    assert_int_equal(find_benchmark("s:parse n=1000")->launch_count, 2);
    assert_int_equal(find_metric("s:parse n=1000", "speed")->count, 1);
    assert_non_null(find_metric("s:write, all", "speed")->invalid_reason);
    import_recorded(&import_csv, "csv/criterion-raw.csv");
    assert_value(find_metric("g:f value=20", "time")->values[1], 110);
    import_recorded(&import_csv, "hyperfine/plain.csv");
    assert_true(model_benchmark_is_point(&runs[0].benchmarks[0]));
    assert_int_equal(runs[0].benchmarks[0].parameter_count, 1);
    assert_refused(&import_csv, "benchmark,time[ms]:lower\na,1\nb\n", "file:3:1");
    assert_refused(&import_csv, "benchmark,time[ms]:lower\na,fast\n", "'fast' is no number");
    assert_refused(&import_csv, "benchmark,time[ms]:lower\na,\"1\n", "a quote that does not end");
    assert_refused(&import_csv, "benchmark,launch,t:lower\na,-1,1\n", "number of a process");
    assert_refused(&import_csv, "benchmark,time\na,1\n", "no value in it that can be kept");
}

static void test_bmf(void **state)
{
    (void)state;
    import_recorded(&import_bmf, "bmf/synthetic.json");
    assert_value(find_metric("parse", "latency")->values[0], 88);
    assert_int_equal(find_metric("write", "throughput")->better, MODEL_HIGHER_IS_BETTER);
    assert_string_equal(model_field_get(&runs[0].environment, "basis"), "point");
    assert_non_null(strstr(runs[0].warnings[0], "hits"));
    assert_refused(&import_bmf, "{\"a\":{\"latency\":{\"lower_value\":1}}}", "no \"value\"");
}

static void test_github_custom(void **state)
{
    (void)state;
    static const char text[] = "[{\"name\":\"parse\",\"unit\":\"ms/op\",\"value\":1.5}]";
    assert_refused(&import_custom, text, "no value in it that can be kept: left out: time");
    static struct import_rule rules[2];
    assert_int_equal(import_rule_parse(&arena, "time:lower", &rules[0], &error), TARE_OK);
    assert_int_equal(import_rule_parse(&arena, "value:higher", &rules[1], &error), TARE_OK);
    fixture_rules = rules;
    fixture_rule_count = 2;
    import_recorded(&import_custom, "github-custom/synthetic.json");
    assert_value(find_metric("parse", "time")->values[0], 1.5e6);
    assert_string_equal(find_metric("size", "value")->unit, "KiB");
}

static void test_github_history(void **state)
{
    (void)state;
    import_recorded(&import_history, "github-history/synthetic.js");
    assert_int_equal(run_count, 3);
    assert_int_equal(runs[0].benchmark_count, 2);
    assert_string_equal(runs[0].commit.subject, "First");
    assert_int_equal(runs[0].started_unix_ns, 1600000000000000000);
    assert_string_equal(runs[1].commit.hash, "2222222222222222222222222222222222222222");
    assert_value(runs[1].benchmarks[0].metrics[0].values[0], 2400);
    assert_string_equal(runs[2].benchmarks[0].suite, "Speed");
    assert_int_equal(runs[2].benchmarks[0].metrics[0].better, MODEL_HIGHER_IS_BETTER);
}

static void test_nanobench(void **state)
{
    (void)state;
    import_recorded(&import_nanobench, "nanobench/synthetic.json");
    assert_value(find_metric("sums:fold", "time")->values[1], 110); /* batch of 2 */
    assert_value(find_metric("sums:fold", "instructions")->values[0], 1000);
    assert_null(model_metric_find(find_benchmark("sums:fold"), "pagefaults")); /* not counted */
    assert_int_equal(find_benchmark("sums:fold")->launch_count, 1);
    assert_refused(&import_nanobench, "{\"results\":[{\"name\":\"a\",\"batch\":0}]}",
                   "a batch that is no positive number");
}

static void test_vitest(void **state)
{
    (void)state;
    import_recorded(&import_vitest, "vitest/synthetic.json");
    assert_value(find_metric("sums.bench.ts > sums:fold", "time")->values[1], 0.3e6);
    assert_true(model_benchmark_is_point(find_benchmark("sums.bench.ts > sums:loop")));
}

static void test_mitata(void **state)
{
    (void)state;
    import_recorded(&import_mitata, "mitata/synthetic.json");
    assert_value(find_metric("fold $n n=100", "time")->values[1], 101.5);
    assert_int_equal(find_benchmark("throws")->state, MODEL_STATE_FAILED);
    assert_string_equal(find_benchmark("throws")->reason, "no data");
    assert_string_equal(model_field_get(&runs[0].machine.identity, "cpu"), "Test CPU");
}

static void test_benchmarkdotnet(void **state)
{
    (void)state;
    import_recorded(&import_dotnet, "benchmarkdotnet/synthetic-report-full.json");
    const struct model_metric *time = find_metric("Sums:Fold Mode=fast N=10", "time");
    assert_int_equal(time->count, 2);
    assert_value(time->values[1], 110);
    assert_int_equal(time->launches[1], 1);
    assert_value(find_metric("Sums:Fold Mode=fast N=10", "allocated")->values[0], 24);
    assert_int_equal(find_benchmark("Sums:Broken")->state, MODEL_STATE_FAILED);
    assert_true(model_benchmark_is_point(find_benchmark("Sums:Brief")));
}

static void test_codspeed(void **state)
{
    (void)state;
    import_recorded(&import_codspeed, "codspeed/synthetic.json");
    assert_true(model_benchmark_is_point(find_benchmark("tests/test_sums.py:test_sum")));
    assert_value(find_metric("tests/test_sums.py:test_sum", "time")->values[0], 100.5);
}

/* Every recorded file is of one format and no other. */
static void test_recognition_is_unique(void **state)
{
    (void)state;
    static const struct {
        const struct import_format *format;
        const char *name;
    } files[] = {
        {&import_gbench, "gbench/slow.json"}, {&import_hyperfine, "hyperfine/slow.json"},
        {&import_go, "go/slow.txt"},          {&import_libtest, "libtest/slow.txt"},
        {&import_pytest, "pytest/slow.json"}, {&import_pyperf, "pyperf/slow.json"},
        {&import_catch2, "catch2/slow.xml"},  {&import_jmh, "jmh/synthetic.json"},
        {&import_bmf, "bmf/synthetic.json"},  {&import_csv, "csv/own.csv"},
    };
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        import_recorded(files[i].format, files[i].name);
    }
}

static void assert_unknown(const char *bytes, ptrdiff_t length, const char *part)
{
    struct import_memory memory = {.bytes = bytes, .length = length};
    struct import_source source = import_source_memory(&memory, "file");
    const struct import_format *format = NULL;
    error = (struct tare_error){0};
    assert_int_equal(import_format_recognise(&source, &format, &error), TARE_ERROR_MEASURE);
    if (strstr(error.message, part) == NULL) {
        fail_msg("'%s' is not in '%s'", part, error.message);
    }
}

static void test_unknown(void **state)
{
    (void)state;
    assert_unknown("", 0, "the file is empty");
    assert_unknown(" \n", 2, "only blanks");
    assert_unknown("\xff\xfe{\0", 4, "UTF-16");
    assert_unknown("\x7f"
                   "ELF\0\0",
                   6, "no known format. Looked for:");
    assert_unknown("hello", 5, "hyperfine");
    const struct import_format *format = NULL;
    error = (struct tare_error){0};
    assert_int_equal(import_format_find("hyperfin", &format, &error), TARE_ERROR_USAGE);
    assert_non_null(strstr(error.message, "did you mean 'hyperfine'?"));
}

static void test_times(void **state)
{
    (void)state;
    assert_int_equal(import_time_parse("1970-01-01T00:00:01Z"), 1000000000);
    assert_int_equal(import_time_parse("2019-11-29 21:26:59"), 1575062819000000000);
    assert_int_equal(import_time_parse("2019/11/29-21:26:59"), 1575062819000000000);
    assert_int_equal(import_time_parse("2019-11-29T21:26:59.5+01:00"), 1575059219500000000);
    assert_int_equal(import_time_parse("2019-11-29T21:26:59-0530"), 1575082619000000000);
    assert_int_equal(import_time_parse("yesterday"), 0);
    assert_int_equal(import_time_parse("2019-13-29T21:26:59"), 0);
    assert_int_equal(import_time_parse(NULL), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(test_hyperfine, tear_down),
        cmocka_unit_test_teardown(test_hyperfine_points, tear_down),
        cmocka_unit_test_teardown(test_go, tear_down),
        cmocka_unit_test_teardown(test_go_lines, tear_down),
        cmocka_unit_test_teardown(test_libtest, tear_down),
        cmocka_unit_test_teardown(test_pytest, tear_down),
        cmocka_unit_test_teardown(test_pytest_details, tear_down),
        cmocka_unit_test_teardown(test_pyperf, tear_down),
        cmocka_unit_test_teardown(test_pyperf_shared, tear_down),
        cmocka_unit_test_teardown(test_jmh, tear_down),
        cmocka_unit_test_teardown(test_catch2, tear_down),
        cmocka_unit_test_teardown(test_criterion, tear_down),
        cmocka_unit_test_teardown(test_cargo_criterion, tear_down),
        cmocka_unit_test_teardown(test_csv, tear_down),
        cmocka_unit_test_teardown(test_bmf, tear_down),
        cmocka_unit_test_teardown(test_github_custom, tear_down),
        cmocka_unit_test_teardown(test_github_history, tear_down),
        cmocka_unit_test_teardown(test_nanobench, tear_down),
        cmocka_unit_test_teardown(test_vitest, tear_down),
        cmocka_unit_test_teardown(test_mitata, tear_down),
        cmocka_unit_test_teardown(test_benchmarkdotnet, tear_down),
        cmocka_unit_test_teardown(test_codspeed, tear_down),
        cmocka_unit_test_teardown(test_recognition_is_unique, tear_down),
        cmocka_unit_test_teardown(test_unknown, tear_down),
        cmocka_unit_test_teardown(test_times, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
