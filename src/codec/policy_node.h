/* policy_node.h: how the readers of tare.yaml walk its nodes. Of no use elsewhere. */
#ifndef TARE_CODEC_POLICY_NODE_H
#define TARE_CODEC_POLICY_NODE_H

#include "codec/policy_value.h"
#include "model/policy.h"

/* Reads a mapping by its table; unknown keys and keys given twice are errors. `what` is "a policy".
 */
tare_status policy_read_mapping(struct policy_reader *reader, yaml_node_t *node,
                                const struct policy_key *keys, const char *what, void *target);

/* Checks that a node is a list within the limit and takes memory for its items. */
tare_status policy_open_list(struct policy_reader *reader, const yaml_node_t *node,
                             const struct policy_key *key, size_t item_bytes, void **items,
                             ptrdiff_t *count);

/* Likewise for a mapping with names of the user's own; a name given twice is an error. */
tare_status policy_open_names(struct policy_reader *reader, const yaml_node_t *node,
                              const struct policy_key *key, const char ***names, ptrdiff_t *count);

/* Item i of a list, the i-th value of a mapping; NULL and an error when there is too much of it. */
yaml_node_t *policy_list_item(struct policy_reader *reader, const yaml_node_t *node, ptrdiff_t i);
yaml_node_t *policy_mapping_value(struct policy_reader *reader, const yaml_node_t *node,
                                  ptrdiff_t i);

int policy_line(const yaml_node_t *node);

/* Place of the first text that was there before; −1: all differ. */
ptrdiff_t policy_first_twin(struct policy_reader *reader, const char *const *texts,
                            ptrdiff_t count);

/* Lists of texts into a struct model_text_list. Metrics and patterns are names, at least one, none
 * twice; paths lie inside the project. */
policy_read_function policy_read_texts, policy_read_names, policy_read_paths;

/* Parts of a struct model_policy, and the tables of keys of their entries (policy_benchmark.c,
 * policy_rules.c). */
policy_read_function policy_read_benchmarks, policy_read_thresholds, policy_read_overrides,
    policy_read_requirements, policy_read_renames, policy_read_waivers;
extern const struct policy_key policy_benchmark_keys[], policy_threshold_keys[],
    policy_override_keys[], policy_requirement_keys[], policy_waiver_keys[];

#endif
