/* clock.h: the only place that reads a clock. */
#ifndef TARE_OS_CLOCK_H
#define TARE_OS_CLOCK_H

#include <stdint.h>
#include <time.h>

/* CLOCK_MONOTONIC. Wrapped so that it is never mixed with wall-clock time. */
typedef struct {
    int64_t ns;
} mono_time;

mono_time clock_now(void);
/* Time since `start`, in nanoseconds. */
int64_t clock_since_ns(mono_time start);
/* Time until `deadline` as ppoll(2) takes it, 0 when it is over; INT64_MAX is as good as never. */
struct timespec clock_left(mono_time deadline);
/* CLOCK_BOOTTIME minus CLOCK_MONOTONIC: grows when the machine was asleep. */
int64_t clock_suspended_ns(void);
/* Wall-clock time, for records only, never for durations. */
int64_t clock_unix_ns(void);
/* The day of a wall-clock time in UTC, as 20270131. */
int32_t clock_date(int64_t unix_ns);
/* Random bits from the system, for seeds and identifiers. */
uint64_t clock_entropy(void);

#endif
