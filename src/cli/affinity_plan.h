/* affinity_plan.h: which CPUs paired launches are pinned to. */
#ifndef TARE_CLI_AFFINITY_PLAN_H
#define TARE_CLI_AFFINITY_PLAN_H

#include "measure/pair.h"

/* `cpu` ≥ 0: that one; else, unless not to be pinned, any of those this process may use. */
void affinity_plan(struct pair_plan *plan, double cpu, bool is_not_pinned);

#endif
