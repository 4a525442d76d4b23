/* fuzz_client_protocol.c: whatever comes down the pipe, libtare answers in whole lines and lives
 * on.
 *
 * The input is a conversation: lines, each one request. Iterations are left to the benchmark below,
 * which refuses more than a few so that the fuzzer does not wait. */
#include "client/client.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

TARE_BENCHMARK(quick)
{
    if (tare_iterations(t) > 1000) {
        tare_skip(t, "too many for a fuzzer");
        return;
    }
    TARE_LOOP(t)
    {
        tare_clobber();
    }
    tare_report(t, "level", 1);
}

TARE_DESCRIBE(quick)
{
    tare_params(d, "n", "1..3");
    tare_metric(d, "level", "1", TARE_LOWER);
}

TARE_BENCHMARK(slow_path)
{
    if (tare_iterations(t) > 1000) {
        tare_fail(t, "too many for a fuzzer");
        return;
    }
    TARE_LOOP_LATENCY(t)
    {
        tare_clobber();
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct arena arena = {0};
    struct client client = {.arena = &arena};
    client_registry_load(&client);
    const char *rest = (const char *)data;
    const char *end = rest + size;
    bool is_going_on = true;
    while (is_going_on && rest < end) {
        const char *newline = memchr(rest, '\n', (size_t)(end - rest));
        const char *stop = newline != NULL ? newline : end;
        struct buffer reply = buffer_new(&arena, BUFFER_LENGTH_MAX);
        is_going_on = client_protocol_answer(&client, rest, (size_t)(stop - rest), &reply);
        if (reply.length == 0 || reply.data[reply.length - 1] != '\n') {
            abort(); /* every request has an answer that ends in a newline */
        }
        rest = stop + 1;
    }
    client_end(&client);
    arena_free(&arena);
    return 0;
}
