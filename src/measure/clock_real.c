#include "measure/target.h"
#include "os/cpu_times.h"

#include <math.h>

static mono_time real_now(void *context)
{
    (void)context;
    return clock_now();
}

static int64_t real_suspended_ns(void *context)
{
    (void)context;
    return clock_suspended_ns();
}

static double real_steal_ratio(void *context)
{
    struct cpu_times *last = context;
    struct cpu_times now = cpu_times_read("");
    double ratio = last->is_known ? cpu_times_steal_ratio(*last, now) : NAN;
    *last = now;
    return ratio;
}

struct measure_clock measure_clock_real(struct arena *arena)
{
    return (struct measure_clock){
        .context = ARENA_NEW(arena, struct cpu_times),
        .now = real_now,
        .suspended_ns = real_suspended_ns,
        .steal_ratio = real_steal_ratio,
    };
}
