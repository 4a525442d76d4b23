/* main.c: tare_main: load what was registered, calibrate, then serve `tare` or measure alone. */
#include "client/client.h"

#include <errno.h>
#include <stdlib.h>

/* "R,W": two file descriptors in decimal; false when it is not that. */
static bool parse_fds(const char *text, int *read_fd, int *write_fd)
{
    char *end = NULL;
    errno = 0;
    long first = strtol(text, &end, 10);
    if (end == text || *end != ',' || errno != 0 || first < 0 || first > INT32_MAX) {
        return false;
    }
    const char *rest = end + 1;
    long second = strtol(rest, &end, 10);
    if (end == rest || *end != '\0' || errno != 0 || second < 0 || second > INT32_MAX) {
        return false;
    }
    *read_fd = (int)first;
    *write_fd = (int)second;
    return true;
}

/* "29,0.31,30": what an earlier launch found for timer, loop and latency floor, in ns. */
static bool parse_calibration(const char *text, struct client_calibration *calibration)
{
    double *const values[] = {&calibration->timer_ns, &calibration->loop_ns,
                              &calibration->timer_floor_ns};
    for (int i = 0; i < 3; i++) {
        char *end = NULL;
        double value = text != NULL ? strtod(text, &end) : -1;
        /* A microsecond is far more than any of the three costs. */
        if (text == NULL || end == text || !(value >= 0 && value <= 1000) ||
            *end != (i < 2 ? ',' : '\0')) {
            return false;
        }
        *values[i] = value;
        text = end + 1;
    }
    return true;
}

int tare_main(int argc, char **argv)
{
    struct arena arena = {0};
    struct client client = {.arena = &arena, .empty_loop_ns = client_empty_loop_ns};
    client_registry_load(&client);
    const char *fds = getenv("TARE_PROTOCOL_FDS");
    int read_fd = -1;
    int write_fd = -1;
    int code = 0;
    if (fds != NULL && parse_fds(fds, &read_fd, &write_fd)) {
        /* A child of the benchmark that links libtare must not talk on our channel. */
        unsetenv("TARE_PROTOCOL_FDS");
        if (!parse_calibration(getenv("TARE_CALIBRATION"), &client.calibration)) {
            client.calibration = client_calibrate(&client);
        }
        code = client_protocol_serve(&client, read_fd, write_fd);
    } else {
        code = client_alone_main(&client, argc, argv);
    }
    arena_free(&arena);
    return code;
}

bool client_is_optimized(const struct client *client)
{
    for (ptrdiff_t i = 0; i < client->benchmark_count; i++) {
        if (!client->benchmarks[i].registration->is_optimized) {
            return false;
        }
    }
    return true;
}
