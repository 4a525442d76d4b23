/* libtare's JSON reader and its answers to requests, good and bad. */
#include "client/client.h"
#include "client/json.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static uint64_t passes_seen;
static int calls_seen;

TARE_BENCHMARK(plain)
{
    calls_seen++;
    uint64_t passes = 0;
    TARE_LOOP(t)
    {
        passes++;
        tare_keep(passes);
    }
    passes_seen += passes;
    tare_report(t, "level", 7);
}

TARE_DESCRIBE(plain)
{
    tare_params(d, "n", "1,2");
    tare_fit_size(d, "n");
    tare_metric_exact(d, "level", "1", TARE_HIGHER);
}

TARE_BENCHMARK_NAMED(latency, "group/\"late\"")
{
    TARE_LOOP_LATENCY(t)
    {
        tare_clobber();
    }
}

TARE_BENCHMARK(wrong)
{
    TARE_LOOP(t)
    {
        tare_clobber();
    }
}

static void never_holds(struct tare_state *t)
{
    tare_expect_near(t, "sum", 1.0, 2.0, 1e-6);
}

TARE_DESCRIBE(wrong)
{
    tare_check(d, never_holds);
}

TARE_BENCHMARK(broken)
{
    TARE_LOOP(t)
    {
        break;
    }
}

TARE_BENCHMARK(expects)
{
    TARE_LOOP(t)
    {
        tare_clobber();
    }
    tare_expect(t, 0, "a \"wrong\" answer");
}

TARE_BENCHMARK(declines)
{
    tare_skip(t, "no GPU");
}

static struct arena arena;
static struct client client;

static int group_setup(void **unused)
{
    (void)unused;
    client = (struct client){.arena = &arena};
    client_registry_load(&client);
    client.calibration = client_calibrate(&client);
    return client.error.status == TARE_OK ? 0 : -1;
}

static int group_teardown(void **unused)
{
    (void)unused;
    client_end(&client);
    arena_free(&arena);
    return 0;
}

/* The reply to one request. */
static const char *ask(const char *request)
{
    struct buffer *reply = ARENA_NEW(&arena, struct buffer);
    *reply = buffer_new(&arena, BUFFER_LENGTH_MAX);
    client_protocol_answer(&client, request, strlen(request), reply);
    const char *text = buffer_string(reply);
    assert_int_equal(text[strlen(text) - 1], '\n');
    return text;
}

static void assert_reply(const char *request, const char *part)
{
    const char *reply = ask(request);
    if (strstr(reply, part) == NULL) {
        fail_msg("%s was answered by %s, not %s", request, reply, part);
    }
}

/* ---- JSON ---- */

static void test_request_good(void **unused)
{
    (void)unused;
    static const char *const texts[] = {
        "{\"op\":\"run\",\"benchmark\":3,\"iterations\":200}",
        " { \"op\" : \"r\\u0075n\" , \"benchmark\":3.0, \"iterations\":2e2 } ",
        ("{\"x\":[1,{\"y\":null}],\"op\":\"run\",\"z\":\"\\ud83d\\ude00é\",\"benchmark\":3,"
         "\"iterations\":200,\"t\":true,\"f\":false,\"n\":-1.5e-3}"),
    };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        struct json_request request;
        assert_null(json_request_parse(texts[i], strlen(texts[i]), &request));
        assert_string_equal(request.op, "run");
        assert_true(request.has_benchmark && request.benchmark == 3);
        assert_true(request.has_iterations && request.iterations == 200);
    }
}

/* Goal: whatever is not one JSON object is refused with a reason. */
static void test_request_bad(void **unused)
{
    (void)unused;
    static const char *const texts[] = {"",
                                        "x",
                                        "[]",
                                        "{",
                                        "{\"op\"}",
                                        "{\"op\":}",
                                        "{\"a\":1,}",
                                        "{,}",
                                        "{\"a\":1}}",
                                        "{\"a\":01}",
                                        "{\"a\":1.}",
                                        "{\"a\":.5}",
                                        "{\"a\":+1}",
                                        "{\"a\":1e}",
                                        "{\"a\":-}",
                                        "{\"a\":nul}",
                                        "{\"a\":\"\\x\"}",
                                        "{\"a\":\"\\u12\"}",
                                        "{\"a\":\"",
                                        "{\"a\":[1 2]}",
                                        "{a:1}",
                                        "{\"a\":NaN}",
                                        "{\"a\":\"\n\"}",
                                        "{\"a\":[}"};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        struct json_request request;
        assert_non_null(json_request_parse(texts[i], strlen(texts[i]), &request));
    }
}

/* Goal: nesting is limited, so that a hostile line cannot exhaust the stack. */
static void test_request_deep(void **unused)
{
    (void)unused;
    char text[200] = "{\"a\":";
    memset(text + 5, '[', 100);
    memset(text + 105, ']', 80);
    struct json_request request;
    assert_string_equal(json_request_parse(text, 185, &request), "nested too deeply");
}

/* Goal: numbers that are no integers, or do not fit, are not taken for one; a long word is no word.
 */
static void test_request_values(void **unused)
{
    (void)unused;
    static const char text[] =
        "{\"op\":\"a word that is much longer than any that a request can have\","
        "\"benchmark\":1.5,\"iterations\":1e30,\"protocol\":\"1\",\"count\":7}";
    struct json_request request;
    assert_null(json_request_parse(text, strlen(text), &request));
    assert_string_not_equal(request.op, "");
    assert_int_equal(strlen(request.op), 1);
    assert_false(request.has_benchmark);
    assert_false(request.has_iterations);
    assert_false(request.has_protocol);
    assert_string_equal(request.count, "");
}

/* Goal: any bytes become a JSON text that is valid. */
static void test_text_escaped(void **unused)
{
    (void)unused;
    struct buffer out = buffer_new(&arena, 1000);
    json_text(&out, "a\"b\\c\n\x1b[31m\xff\xc3\xa9\xed\xa0\x80\x7f");
    assert_string_equal(buffer_string(&out), "\"a\\\"b\\\\c\\u000a\\u001b[31m\xEF\xBF\xBD\xc3\xa9"
                                             "\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD\\u007f\"");
}

static void test_number_written(void **unused)
{
    (void)unused;
    struct buffer out = buffer_new(&arena, 1000);
    json_number(&out, 0.1);
    buffer_char(&out, ' ');
    json_number(&out, 1.0 / 3);
    buffer_char(&out, ' ');
    json_number(&out, HUGE_VAL);
    assert_string_equal(buffer_string(&out), "0.1 0.33333333333333331 null");
}

/* ---- answers ---- */

static void test_hello(void **unused)
{
    (void)unused;
    assert_reply("{\"op\":\"hello\",\"protocol\":1}", "{\"ok\":\"hello\",\"protocol\":1,");
    assert_reply("{\"op\":\"hello\",\"protocol\":1}", "\"harness\":\"libtare ");
    assert_reply("{\"op\":\"hello\",\"protocol\":1}", "\"timer_floor_ns\":");
}

static void test_list(void **unused)
{
    (void)unused;
    const char *list = ask("{\"op\":\"list\"}");
    assert_non_null(strstr(list, "{\"benchmark\":0,\"name\":\"plain\",\"params\":{\"n\":\"1\"},"));
    assert_non_null(strstr(list,
                           ",\"level\":{\"unit\":\"1\",\"better\":\"higher\",\"exact\":true}},"
                           "\"size\":\"n\"}\n"));
    assert_non_null(strstr(list, "{\"benchmark\":2,\"name\":\"group/\\\"late\\\"\",\"metrics\":{"
                                 "\"throughput\":{\"unit\":\"B/s\",\"better\":\"higher\","
                                 "\"exact\":false},"));
    assert_non_null(strstr(list, "{\"ok\":\"list\",\"count\":7}\n"));
}

/* Goal: N passes are made, no more, no less, and the metric is there. */
static void test_run(void **unused)
{
    (void)unused;
    assert_reply("{\"op\":\"open\",\"benchmark\":0}", "{\"ok\":\"open\"}\n");
    passes_seen = 0;
    calls_seen = 0;
    assert_reply("{\"op\":\"run\",\"benchmark\":0,\"iterations\":1234}",
                 "{\"ok\":\"run\",\"iterations\":1234,\"time_ns\":");
    assert_int_equal(passes_seen, 1234);
    assert_int_equal(calls_seen, 1);
    assert_reply("{\"op\":\"run\",\"benchmark\":0,\"iterations\":1}", "\"metrics\":{\"level\":7}");
    assert_reply("{\"op\":\"close\",\"benchmark\":0}", "{\"ok\":\"close\"}");
}

/* Goal: the counts of all buckets add up to the passes, in the first slice and in a later one. */
static void test_run_latency(void **unused)
{
    (void)unused;
    assert_reply("{\"op\":\"open\",\"benchmark\":2}", "{\"ok\":\"open\"}");
    for (int slice = 0; slice < 3; slice++) {
        const char *reply = ask("{\"op\":\"run\",\"benchmark\":2,\"iterations\":30}");
        assert_non_null(strstr(reply, "\"histogram\":{\"bits\":7,\"min_ns\":"));
        const char *pair = strstr(reply, "\"buckets\":[");
        assert_non_null(pair);
        pair += strlen("\"buckets\":[");
        long total = 0;
        while (*pair == '[') {
            total += strtol(strchr(pair, ',') + 1, NULL, 10);
            pair = strchr(pair, ']') + 1;
            pair += *pair == ',';
        }
        assert_int_equal(total, 30);
    }
}

static void test_failed_check(void **unused)
{
    (void)unused;
    assert_reply("{\"op\":\"open\",\"benchmark\":3}",
                 "{\"ok\":\"open\",\"check\":\"failed\",\"detail\":\"sum: got 1, want 2");
    assert_reply("{\"op\":\"run\",\"benchmark\":3,\"iterations\":1}", "{\"error\":");
}

/* Goal: what a body finds out in a timed slice is told as what it is, not as a failure. */
static void test_declined_runs(void **unused)
{
    (void)unused;
    assert_reply("{\"op\":\"open\",\"benchmark\":5}", "{\"ok\":\"open\"}");
    assert_string_equal(ask("{\"op\":\"run\",\"benchmark\":5,\"iterations\":9}"),
                        "{\"check\":\"failed\",\"detail\":\"a \\\"wrong\\\" answer\"}\n");
    assert_reply("{\"op\":\"open\",\"benchmark\":6}", "{\"ok\":\"open\"}");
    assert_string_equal(ask("{\"op\":\"run\",\"benchmark\":6,\"iterations\":9}"),
                        "{\"skip\":\"no GPU\"}\n");
}

static void test_broken_loop(void **unused)
{
    (void)unused;
    assert_reply("{\"op\":\"open\",\"benchmark\":4}", "{\"ok\":\"open\"}");
    assert_reply("{\"op\":\"run\",\"benchmark\":4,\"iterations\":10}", "left before its end");
}

/* Goal: wrong requests are answered by an error and change nothing. */
static void test_wrong_requests(void **unused)
{
    (void)unused;
    static const char *const requests[] = {
        "{}",
        "{\"op\":\"dance\"}",
        "{\"op\":7}",
        "nonsense",
        "{\"op\":\"open\"}",
        "{\"op\":\"open\",\"benchmark\":-1}",
        "{\"op\":\"open\",\"benchmark\":7}",
        "{\"op\":\"open\",\"benchmark\":9223372036854775807}",
        "{\"op\":\"run\",\"benchmark\":1,\"iterations\":5}", /* not open */
        "{\"op\":\"run\",\"benchmark\":1}",
        "{\"op\":\"hello\",\"protocol\":0}",
    };
    for (size_t i = 0; i < sizeof requests / sizeof *requests; i++) {
        assert_reply(requests[i], "{\"error\":\"");
    }
    assert_reply("{\"op\":\"open\",\"benchmark\":1}", "{\"ok\":\"open\"}");
    assert_reply("{\"op\":\"run\",\"benchmark\":1,\"iterations\":0}", "{\"error\":\"");
    assert_reply("{\"op\":\"run\",\"benchmark\":1,\"iterations\":1,\"count\":\"sheep\"}",
                 "{\"error\":\"");
    assert_reply("{\"op\":\"run\",\"benchmark\":1,\"iterations\":1,\"count\":\"instructions\"}",
                 "{\"error\":\"instructions are counted under Valgrind only\"}\n");
    assert_reply("{\"op\":\"run\",\"benchmark\":1,\"iterations\":1,\"count\":\"allocations\"}",
                 "preload libtare-alloc.so");
    assert_reply("{\"op\":\"close\",\"benchmark\":1}", "{\"ok\":\"close\"}");
    assert_reply("{\"op\":\"close\",\"benchmark\":1}", "{\"ok\":\"close\"}");
}

static void test_quit(void **unused)
{
    (void)unused;
    struct buffer reply = buffer_new(&arena, 1000);
    static const char quit[] = "{\"op\":\"quit\"}";
    assert_false(client_protocol_answer(&client, quit, strlen(quit), &reply));
    assert_string_equal(buffer_string(&reply), "{\"ok\":\"quit\"}\n");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_request_good), cmocka_unit_test(test_request_bad),
        cmocka_unit_test(test_request_deep), cmocka_unit_test(test_request_values),
        cmocka_unit_test(test_text_escaped), cmocka_unit_test(test_number_written),
        cmocka_unit_test(test_hello),        cmocka_unit_test(test_list),
        cmocka_unit_test(test_run),          cmocka_unit_test(test_run_latency),
        cmocka_unit_test(test_failed_check), cmocka_unit_test(test_declined_runs),
        cmocka_unit_test(test_broken_loop),  cmocka_unit_test(test_wrong_requests),
        cmocka_unit_test(test_quit),
    };
    return cmocka_run_group_tests(tests, group_setup, group_teardown);
}
