/* program_hash.h: are two programs the same, byte for byte? */
#ifndef TARE_CLI_PROGRAM_HASH_H
#define TARE_CLI_PROGRAM_HASH_H

#include "cli/run_plan.h"

/* 16 hex digits over the content of every program of the plan. "" when a task is a command (its
 * program may be an interpreter that says nothing about the work) or a program cannot be read. */
const char *program_hash(struct arena *arena, const struct run_plan *plan);
/* The same over the programs alone, whatever commands there are besides. */
const char *program_hash_built(struct arena *arena, const struct run_plan *plan);

#endif
