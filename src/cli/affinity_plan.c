#include "cli/affinity_plan.h"

#include "os/affinity.h"

void affinity_plan(struct pair_plan *plan, double cpu, bool is_not_pinned)
{
    plan->cpu_count = 0;
    if (cpu >= 0) {
        plan->cpus[plan->cpu_count++] = (int)cpu;
    } else if (!is_not_pinned) {
        plan->cpu_count = affinity_cpus(plan->cpus, PAIR_CPUS_MAX);
    }
}
