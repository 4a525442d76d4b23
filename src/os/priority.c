#include "os/priority.h"

#include "os/launcher.h"

#include <errno.h>
#include <stddef.h>
#include <sys/resource.h>

/* −10 is nine tenths of a CPU against one ordinary process. Not −20: should a benchmark run wild,
 * the machine must still answer. −5, three quarters, is what some limits allow. */
static const int LEVELS[] = {-10, -5};

/* Children are started by the launcher's process, if it is there already; else it will be started
 * by us and take our level. */
static bool set_level(int level)
{
    if (setpriority(PRIO_PROCESS, 0, level) != 0) {
        return false;
    }
    return launcher_pid() <= 0 || setpriority(PRIO_PROCESS, (id_t)launcher_pid(), level) == 0;
}

struct priority priority_raise(void)
{
    errno = 0;
    int before = getpriority(PRIO_PROCESS, 0);
    struct priority priority = {.before = before, .now = before};
    if (before == -1 && errno != 0) {
        return priority;
    }
    for (size_t i = 0; i < sizeof LEVELS / sizeof *LEVELS && !priority.is_raised; i++) {
        if (LEVELS[i] < before && set_level(LEVELS[i])) {
            priority.now = LEVELS[i];
            priority.is_raised = true;
        }
    }
    if (!priority.is_raised) {
        (void)set_level(before); /* ours may be raised, though the launcher's could not be */
    }
    return priority;
}

void priority_restore(const struct priority *priority)
{
    if (priority->is_raised) {
        (void)set_level(priority->before); /* lowering is always permitted */
    }
}
