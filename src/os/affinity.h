/* affinity.h: which CPUs this process may use. */
#ifndef TARE_OS_AFFINITY_H
#define TARE_OS_AFFINITY_H

/* Fills `cpus` with the numbers of the CPUs this process may run on; returns how many, at most
 * `max`. */
int affinity_cpus(int *cpus, int max);

#endif
