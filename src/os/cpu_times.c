#include "os/cpu_times.h"

#include "os/machine.h"
#include "os/machine_parse.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

/* Columns of the line "cpu", in proc(5)'s order. The two guest columns behind are counted in user.
 */
enum { USER, NICE, SYSTEM, IDLE, IOWAIT, IRQ, SOFTIRQ, STEAL, COLUMN_COUNT };

struct cpu_times cpu_times_read(const char *root)
{
    struct arena arena = {0};
    const char *text = machine_file(&arena, (struct machine_source){root}, "/proc/stat");
    struct cpu_times times = text != NULL ? cpu_times_parse(text) : (struct cpu_times){0};
    arena_free(&arena);
    return times;
}

struct cpu_times cpu_times_parse(const char *text)
{
    struct cpu_times times = {0};
    if (strncmp(text, "cpu ", 4) != 0) {
        return times;
    }
    uint64_t columns[COLUMN_COUNT] = {0};
    const char *at = text + 4;
    int count = 0;
    while (count < COLUMN_COUNT) {
        while (*at == ' ') {
            at++;
        }
        if (!isdigit((unsigned char)*at)) {
            break;
        }
        char *end = NULL;
        columns[count++] = strtoull(at, &end, 10);
        at = end;
    }
    /* Kernels before 2.6.11 had no steal column: then nothing is known about it. */
    times.is_known = count == COLUMN_COUNT;
    times.idle_ticks = columns[IDLE] + columns[IOWAIT];
    times.steal_ticks = columns[STEAL];
    for (int i = 0; i < COLUMN_COUNT; i++) {
        times.total_ticks += columns[i];
    }
    int64_t switches = machine_parse_keyed(text, "ctxt");
    times.context_switches = switches > 0 ? (uint64_t)switches : 0;
    return times;
}

static bool is_forward(struct cpu_times before, struct cpu_times after)
{
    return before.is_known && after.is_known && after.total_ticks > before.total_ticks &&
           after.steal_ticks >= before.steal_ticks && after.idle_ticks >= before.idle_ticks;
}

double cpu_times_steal_ratio(struct cpu_times before, struct cpu_times after)
{
    if (!is_forward(before, after)) {
        return NAN;
    }
    double steal = (double)(after.steal_ticks - before.steal_ticks);
    double idle = (double)(after.idle_ticks - before.idle_ticks);
    double wanted = (double)(after.total_ticks - before.total_ticks) - idle;
    /* Nothing wanted to run, so nothing was taken away. */
    return wanted > 0 ? fmin(steal / wanted, 1) : 0;
}

double cpu_times_busy_ratio(struct cpu_times before, struct cpu_times after)
{
    if (!is_forward(before, after)) {
        return NAN;
    }
    double total = (double)(after.total_ticks - before.total_ticks);
    double idle = (double)(after.idle_ticks - before.idle_ticks);
    return fmax(0, 1 - idle / total);
}

struct cpu_switches cpu_switches_read(void)
{
    struct rusage usage;
    if (getrusage(RUSAGE_SELF, &usage) != 0) {
        return (struct cpu_switches){-1, -1};
    }
    return (struct cpu_switches){usage.ru_nvcsw, usage.ru_nivcsw};
}
