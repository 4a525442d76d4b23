/* policy_yaml.h: reads tare.yaml.
 *
 * Everything that cannot be meant is an error with file, line and column: unknown keys (with the
 * nearest known one), keys given twice, values of the wrong kind (with an example of the right
 * one), bad units, thresholds that are negative or no number. Nothing is guessed and nothing is
 * ignored. */
#ifndef TARE_CODEC_POLICY_YAML_H
#define TARE_CODEC_POLICY_YAML_H

#include "base/arena.h"
#include "base/error.h"
#include "model/policy.h"

/* Fills *policy from `length` bytes of text; `file_name` is for messages. An empty file, or one
 * that holds only comments, gives the defaults with is_empty set. On an error *policy is the
 * default one. */
tare_status policy_read(struct arena *arena, const char *text, ptrdiff_t length,
                        const char *file_name, struct model_policy *policy,
                        struct tare_error *error);

/* Every key the reader knows, as "benchmarks[].program" or "thresholds.*.warning": what the manual,
 * the editors' schema and the list of changes are held against. */
struct model_text_list policy_known_keys(struct arena *arena);

#endif
