/* priority.h: a place in front of the queue while something is measured.
 *
 * On a busy machine a process waits for the CPU longer than a slice takes. Where it is permitted
 * (root, CAP_SYS_NICE, RLIMIT_NICE) this process, and with it every child that it starts, gets a
 * better nice level; all sides of a comparison get the same. */
#ifndef TARE_OS_PRIORITY_H
#define TARE_OS_PRIORITY_H

#include <stdbool.h>

struct priority {
    int before; /* nice level to go back to */
    int now;
    bool is_raised;
};

/* Raises as far as it is permitted; where it is not, nothing changes and is_raised is false. */
struct priority priority_raise(void);
void priority_restore(const struct priority *priority);

#endif
