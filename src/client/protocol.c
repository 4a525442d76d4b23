/* protocol.c: answers `tare`, line by line (docs/protocol.md).
 *
 * One request, one reply; a reply is built in memory and written at once. Wrong requests get
 * {"error":…} and change nothing. End of file on the reading side means quit. */
#include "client/client.h"

#include "client/json.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
    LINE_BYTES_MAX = 4 * 1024 * 1024, /* docs/protocol.md; requests are far shorter */
    READ_BYTES = 4096,
    REPLY_BYTES_MAX = 256 * 1024 * 1024, /* the list of 100,000 cases with long names */
};

/* What a request may concern. */
struct exchange {
    struct client *client;
    const struct json_request *request;
    struct buffer *reply;
};

static void answer_hello(struct exchange *exchange);
static void answer_list(struct exchange *exchange);
static void answer_open(struct exchange *exchange);
static void answer_run(struct exchange *exchange);
static void answer_close(struct exchange *exchange);
static void answer_quit(struct exchange *exchange);

static const struct operation {
    const char *name;
    void (*answer)(struct exchange *exchange);
    bool needs_benchmark;
} operations[] = {
    {"hello", answer_hello, false}, {"list", answer_list, false},  {"open", answer_open, true},
    {"run", answer_run, true},      {"close", answer_close, true}, {"quit", answer_quit, false},
};

__attribute__((format(printf, 2, 3))) static void error_reply(struct buffer *reply,
                                                              const char *format, ...)
{
    char text[CLIENT_TEXT_BYTES_MAX + ERROR_MESSAGE_MAX];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    buffer_text(reply, "{\"error\":");
    json_text(reply, text);
    buffer_text(reply, "}\n");
}

bool client_protocol_answer(struct client *client, const char *line, size_t length,
                            struct buffer *reply)
{
    struct json_request request;
    const char *wrong = json_request_parse(line, length, &request);
    if (wrong != NULL) {
        error_reply(reply, "cannot read the request: %s", wrong);
        return true;
    }
    for (size_t i = 0; i < sizeof operations / sizeof *operations; i++) {
        const struct operation *operation = &operations[i];
        if (strcmp(request.op, operation->name) != 0) {
            continue;
        }
        if (operation->needs_benchmark && client->error.status != TARE_OK) {
            error_reply(reply, "%s", client->error.message);
            return true;
        }
        if (operation->needs_benchmark && (!request.has_benchmark || request.benchmark < 0 ||
                                           request.benchmark >= client->case_count)) {
            error_reply(reply, "there is no such benchmark: they are numbered 0 to %td",
                        client->case_count - 1);
            return true;
        }
        struct exchange exchange = {.client = client, .request = &request, .reply = reply};
        operation->answer(&exchange);
        return operation->answer != answer_quit;
    }
    error_reply(reply, "unknown operation: hello, list, open, run, close and quit are known");
    return true;
}

static void answer_hello(struct exchange *exchange)
{
    struct buffer *reply = exchange->reply;
    struct client *client = exchange->client;
    if (exchange->request->has_protocol && exchange->request->protocol < 1) {
        error_reply(reply, "protocol 1 is spoken here");
        return;
    }
    const struct client_calibration *calibration = &client->calibration;
    const char *counters_missing = client_counters_missing();
    buffer_text(reply, "{\"ok\":\"hello\",\"protocol\":1,\"harness\":\"libtare " TARE_VERSION "\"");
    if (client->benchmark_count > 0) {
        buffer_text(reply, ",\"compiler\":");
        json_text(reply, client->benchmarks[0].registration->compiler);
        buffer_printf(reply, ",\"optimized\":%s", client_is_optimized(client) ? "true" : "false");
    }
    buffer_text(reply, ",\"timer_ns\":");
    json_number(reply, calibration->timer_ns);
    buffer_text(reply, ",\"loop_ns\":");
    json_number(reply, calibration->loop_ns);
    buffer_text(reply, ",\"timer_floor_ns\":");
    json_number(reply, calibration->timer_floor_ns);
    buffer_text(reply, ",\"can_count\":[");
    if (client_heap_is_there()) {
        buffer_text(reply, "\"allocations\"");
    }
    if (counters_missing == NULL) {
        buffer_printf(reply, "%s\"counters\"", client_heap_is_there() ? "," : "");
    }
    if (client_valgrind_is_there()) {
        bool is_first = !client_heap_is_there() && counters_missing != NULL;
        buffer_printf(reply, "%s\"instructions\"", is_first ? "" : ",");
    }
    buffer_char(reply, ']');
    if (counters_missing != NULL) {
        buffer_text(reply, ",\"counters_missing\":");
        json_text(reply, counters_missing);
    }
    buffer_text(reply, "}\n");
}

static void list_parameters(const struct client_case *subject, struct buffer *reply)
{
    const struct client_benchmark *benchmark = subject->benchmark;
    buffer_text(reply, ",\"params\":{");
    for (ptrdiff_t i = 0; i < benchmark->parameter_count; i++) {
        buffer_text(reply, i > 0 ? "," : "");
        json_text(reply, benchmark->parameters[i].name);
        buffer_char(reply, ':');
        json_text(reply, benchmark->parameters[i].texts[subject->choices[i]]);
    }
    buffer_char(reply, '}');
    for (ptrdiff_t i = 0; i < benchmark->parameter_count; i++) {
        if (benchmark->parameters[i].is_threads) {
            buffer_printf(reply, ",\"threads\":%s",
                          benchmark->parameters[i].texts[subject->choices[i]]);
        }
    }
}

static void list_metric(const struct client_metric *metric, struct buffer *reply)
{
    json_text(reply, metric->name);
    buffer_text(reply, ":{\"unit\":");
    json_text(reply, metric->unit);
    buffer_printf(reply, ",\"better\":\"%s\",\"exact\":%s}",
                  metric->better == TARE_HIGHER ? "higher" : "lower",
                  metric->is_exact ? "true" : "false");
}

/* The rates are listed always: whether a body calls tare_bytes is known only when it runs. */
static void list_metrics(const struct client_benchmark *benchmark, struct buffer *reply)
{
    buffer_text(reply, ",\"metrics\":{");
    for (int i = 0; i < CLIENT_RATES; i++) {
        buffer_text(reply, i > 0 ? "," : "");
        list_metric(&client_rates[i], reply);
    }
    for (ptrdiff_t i = 0; i < benchmark->metric_count; i++) {
        buffer_char(reply, ',');
        list_metric(&benchmark->metrics[i], reply);
    }
    buffer_char(reply, '}');
}

static void answer_list(struct exchange *exchange)
{
    struct client *client = exchange->client;
    struct buffer *reply = exchange->reply;
    if (client->error.status != TARE_OK) {
        error_reply(reply, "%s", client->error.message);
        return;
    }
    for (ptrdiff_t i = 0; i < client->case_count; i++) {
        const struct client_case *subject = &client->cases[i];
        const struct client_benchmark *benchmark = subject->benchmark;
        buffer_printf(reply, "{\"benchmark\":%td,\"name\":", i);
        json_text(reply, benchmark->name);
        if (subject->variant->name[0] != '\0') {
            buffer_text(reply, ",\"variant\":");
            json_text(reply, subject->variant->name);
            buffer_printf(reply, ",\"reference\":%s",
                          subject->variant->is_reference ? "true" : "false");
        }
        if (benchmark->parameter_count > 0) {
            list_parameters(subject, reply);
        }
        list_metrics(benchmark, reply);
        if (benchmark->size_parameter != NULL) {
            buffer_text(reply, ",\"size\":");
            json_text(reply, benchmark->size_parameter);
        }
        buffer_text(reply, "}\n");
    }
    buffer_printf(reply, "{\"ok\":\"list\",\"count\":%td}\n", client->case_count);
}

static void skip_reply(struct buffer *reply, const char *reason)
{
    buffer_text(reply, "{\"skip\":");
    json_text(reply, reason);
    buffer_text(reply, "}\n");
}

static void answer_open(struct exchange *exchange)
{
    struct buffer *reply = exchange->reply;
    ptrdiff_t index = (ptrdiff_t)exchange->request->benchmark;
    struct client_opened opened = client_open(exchange->client, index);
    if (opened.outcome == CLIENT_OUTCOME_SKIPPED) {
        skip_reply(reply, opened.text);
    } else if (opened.outcome == CLIENT_OUTCOME_FAILED) {
        error_reply(reply, "%s", opened.text);
    } else if (opened.check == CLIENT_CHECK_FAILED) {
        buffer_text(reply, "{\"ok\":\"open\",\"check\":\"failed\",\"detail\":");
        json_text(reply, opened.text);
        buffer_text(reply, "}\n");
    } else {
        buffer_printf(reply, "{\"ok\":\"open\"%s}\n",
                      opened.check == CLIENT_CHECK_PASSED ? ",\"check\":\"passed\"" : "");
    }
}

static void run_histogram(const struct client_histogram *histogram, struct buffer *reply)
{
    buffer_printf(
        reply, ",\"histogram\":{\"bits\":%d,\"min_ns\":%lld,\"max_ns\":%lld,\"buckets\":[",
        CLIENT_HISTOGRAM_BITS, (long long)histogram->min_ns, (long long)histogram->max_ns);
    bool is_first = true;
    for (int32_t i = 0; i < CLIENT_HISTOGRAM_BUCKETS; i++) {
        if (histogram->counts[i] > 0) {
            buffer_printf(reply, "%s[%d,%llu]", is_first ? "" : ",", (int)i,
                          (unsigned long long)histogram->counts[i]);
            is_first = false;
        }
    }
    buffer_text(reply, "]}");
}

static void run_reply(const struct client_slice *slice, struct buffer *reply)
{
    buffer_printf(reply, "{\"ok\":\"run\",\"iterations\":%llu,\"time_ns\":",
                  (unsigned long long)slice->iterations);
    json_number(reply, slice->time_ns);
    buffer_text(reply, ",\"overhead_ns\":");
    json_number(reply, slice->overhead_ns);
    if (slice->is_deleted) {
        buffer_text(reply, ",\"deleted\":true");
    }
    if (slice->metric_count > 0) {
        buffer_text(reply, ",\"metrics\":{");
        for (ptrdiff_t i = 0; i < slice->metric_count; i++) {
            buffer_text(reply, i > 0 ? "," : "");
            json_text(reply, slice->metrics[i].name);
            buffer_char(reply, ':');
            json_number(reply, slice->metrics[i].value);
        }
        buffer_char(reply, '}');
    }
    if (slice->scaled > 0) {
        buffer_text(reply, ",\"scaled\":");
        json_number(reply, slice->scaled);
    }
    if (slice->histogram != NULL) {
        run_histogram(slice->histogram, reply);
    }
    buffer_text(reply, "}\n");
}

/* Which count a request asks for; NULL, or why it cannot be had. */
static const char *choose_count(const char *word, enum client_count *count)
{
    *count = CLIENT_COUNT_TIME;
    if (word[0] == '\0') {
        return NULL;
    }
    if (strcmp(word, "allocations") == 0) {
        *count = CLIENT_COUNT_ALLOCATIONS;
        return client_heap_is_there()
                   ? NULL
                   : "allocations are not counted here: preload libtare-alloc.so";
    }
    if (strcmp(word, "counters") == 0) {
        *count = CLIENT_COUNT_COUNTERS;
        return client_counters_missing();
    }
    if (strcmp(word, "instructions") == 0) {
        *count = CLIENT_COUNT_INSTRUCTIONS;
        return client_valgrind_is_there() ? NULL : "instructions are counted under Valgrind only";
    }
    return "only allocations, counters and instructions can be counted";
}

/* The body skipped, failed an expectation, or failed. */
static void run_refused(const struct tare_state *state, struct buffer *reply)
{
    if (state->is_check_failed) {
        buffer_text(reply, "{\"check\":\"failed\",\"detail\":");
        json_text(reply, state->detail);
        buffer_text(reply, "}\n");
    } else if (state->outcome == CLIENT_OUTCOME_SKIPPED) {
        skip_reply(reply, state->reason);
    } else {
        error_reply(reply, "%s", state->reason);
    }
}

static void answer_run(struct exchange *exchange)
{
    const struct json_request *request = exchange->request;
    struct tare_state *state = exchange->client->states[request->benchmark];
    enum client_count count;
    const char *wrong = choose_count(request->count, &count);
    if (state == NULL) {
        wrong = "the benchmark is not open";
    } else if (!request->has_iterations || request->iterations < 1) {
        wrong = "run needs at least one iteration";
    } else if (state->is_check_failed) {
        wrong = "the benchmark failed its check; it has no figures";
    }
    if (wrong != NULL) {
        error_reply(exchange->reply, "%s", wrong);
        return;
    }
    struct client_slice slice;
    if (client_slice_run(state, (uint64_t)request->iterations, count, &slice)) {
        run_reply(&slice, exchange->reply);
    } else {
        run_refused(state, exchange->reply);
    }
}

static void answer_close(struct exchange *exchange)
{
    client_close(exchange->client, (ptrdiff_t)exchange->request->benchmark);
    buffer_text(exchange->reply, "{\"ok\":\"close\"}\n");
}

static void answer_quit(struct exchange *exchange)
{
    if (exchange->client->error.status == TARE_OK) {
        client_end(exchange->client);
    }
    buffer_text(exchange->reply, "{\"ok\":\"quit\"}\n");
}

static bool write_all(int fd, const char *bytes, ptrdiff_t length)
{
    while (length > 0) {
        ssize_t written = write(fd, bytes, (size_t)length);
        if (written < 0 && errno == EINTR) {
            continue;
        }
        if (written <= 0) {
            return false;
        }
        bytes += written;
        length -= written;
    }
    return true;
}

/* Answers what complete lines the buffer holds and keeps the rest. False: time to leave. */
static bool answer_lines(struct client *client, char *line, size_t *length, int write_fd)
{
    for (;;) {
        char *newline = memchr(line, '\n', *length);
        if (newline == NULL) {
            return true;
        }
        struct arena arena = {0};
        struct buffer reply = buffer_new(&arena, REPLY_BYTES_MAX);
        size_t taken = (size_t)(newline - line) + 1;
        bool is_going_on = client_protocol_answer(client, line, taken - 1, &reply);
        bool is_written = !reply.is_full && write_all(write_fd, reply.data, reply.length);
        arena_free(&arena);
        if (!is_written || !is_going_on) {
            return false;
        }
        memmove(line, line + taken, *length - taken);
        *length -= taken;
    }
}

static void let_write_fail(int signal_number)
{
    (void)signal_number;
}

int client_protocol_serve(struct client *client, int read_fd, int write_fd)
{
    /* The driver may leave; a write then fails, and the benchmarks are still torn down. A handler,
     * because an ignored signal would stay ignored in programs that a benchmark starts. */
    signal(SIGPIPE, let_write_fail);
    /* Nor shall those hold the channel open. */
    fcntl(read_fd, F_SETFD, FD_CLOEXEC);
    fcntl(write_fd, F_SETFD, FD_CLOEXEC);
    char *line = NULL;
    size_t length = 0;
    size_t capacity = 0;
    bool is_going_on = true;
    while (is_going_on) {
        if (capacity - length < READ_BYTES && capacity < LINE_BYTES_MAX) {
            capacity = capacity == 0 ? (size_t)2 * READ_BYTES : capacity * 2;
            char *larger = realloc(line, capacity);
            if (larger == NULL) {
                break;
            }
            line = larger;
        }
        ssize_t got = read(read_fd, line + length, capacity - length);
        if (got < 0 && errno == EINTR) {
            continue;
        }
        if (got <= 0) {
            break; /* end of file, or a line beyond the limit */
        }
        length += (size_t)got;
        is_going_on = answer_lines(client, line, &length, write_fd);
    }
    free(line);
    if (client->error.status == TARE_OK) {
        client_end(client);
    }
    return 0;
}
