/* policy_benchmark.c: the entries of `benchmarks:` in tare.yaml. */
#include "codec/policy_node.h"

#include <string.h>

#define AT(type, member) offsetof(struct type, member)

static policy_read_function read_parameters;

const struct policy_key policy_benchmark_keys[] = {
    {"name", policy_read_name, AT(model_policy_benchmark, name), "a name such as end-to-end", 0},
    {"program", policy_read_text, AT(model_policy_benchmark, program),
     "a path such as ./build/bench", 0},
    {"command", policy_read_text, AT(model_policy_benchmark, command),
     "a command line such as ./tool corpus.txt", 0},
    {"shell", policy_read_bool, AT(model_policy_benchmark, is_shell), "true or false", 0},
    {"protocol", policy_read_bool, AT(model_policy_benchmark, is_protocol), "true or false", 0},
    {"timeout", policy_read_time, AT(model_policy_benchmark, timeout_ns), "a time such as 30s", 0},
    {"metrics", policy_read_texts, AT(model_policy_benchmark, metrics),
     "a list of patterns such as ['speed[tok/s]:higher=re:([0-9.]+) tok/s']", 0},
    {"params", read_parameters, 0, "a mapping such as {n: [1, 2, 4]} or {n: 4..64*2}", 0},
    {NULL, NULL, 0, NULL, 0},
};

/* A parameter's values: a list, or one text such as 4..64*2 that `--param` would take. */
static tare_status read_parameter(struct policy_reader *reader, yaml_node_t *node,
                                  const struct policy_key *key,
                                  struct model_policy_parameter *parameter)
{
    if (node->type == YAML_SEQUENCE_NODE) {
        return policy_read_texts(reader, node, key, &parameter->values);
    }
    parameter->values.items = ARENA_ARRAY(reader->arena, const char *, 1);
    parameter->values.count = 1;
    return policy_scalar(reader, node, key, &parameter->values.items[0]);
}

static tare_status read_parameters(struct policy_reader *reader, yaml_node_t *node,
                                   const struct policy_key *key, void *target)
{
    struct model_policy_benchmark *benchmark = target;
    const char **names = NULL;
    ptrdiff_t count = 0;
    tare_status status = policy_open_names(reader, node, key, &names, &count);
    if (status == TARE_OK && count > MODEL_PARAMETERS_MAX) {
        status = policy_complain(reader, &node->start_mark, "%s has %td entries (at most %d)",
                                 key->name, count, MODEL_PARAMETERS_MAX);
    }
    if (status != TARE_OK) {
        return status;
    }
    benchmark->parameters = ARENA_ARRAY(reader->arena, struct model_policy_parameter, count);
    benchmark->parameter_count = count;
    for (ptrdiff_t i = 0; status == TARE_OK && i < count; i++) {
        benchmark->parameters[i].name = names[i];
        yaml_node_t *value = policy_mapping_value(reader, node, i);
        status = value == NULL ? TARE_ERROR_USAGE
                               : read_parameter(reader, value, key, &benchmark->parameters[i]);
    }
    return status;
}

static tare_status check_benchmark(struct policy_reader *reader, const yaml_node_t *node,
                                   const struct model_policy_benchmark *benchmark)
{
    const yaml_mark_t *mark = &node->start_mark;
    if ((benchmark->program == NULL) == (benchmark->command == NULL)) {
        return policy_complain(reader, mark, "a benchmark has either a program or a command, %s",
                               benchmark->program == NULL ? "and this one has neither"
                                                          : "not both");
    }
    if (benchmark->is_shell && benchmark->command == NULL) {
        return policy_complain(reader, mark, "shell: true goes with a command, not with a program");
    }
    if (benchmark->is_protocol && benchmark->program == NULL) {
        return policy_complain(reader, mark,
                               "protocol: true goes with a program, not with a command");
    }
    return TARE_OK;
}

/* Two entries of one name, or of one program or command without names, would be one benchmark
 * measured twice. */
static tare_status check_twins(struct policy_reader *reader, const yaml_node_t *node,
                               const struct model_policy *policy)
{
    const char **names = ARENA_ARRAY(reader->arena, const char *, policy->benchmark_count);
    for (ptrdiff_t i = 0; i < policy->benchmark_count; i++) {
        const struct model_policy_benchmark *benchmark = &policy->benchmarks[i];
        names[i] = benchmark->name != NULL      ? benchmark->name
                   : benchmark->program != NULL ? benchmark->program
                                                : benchmark->command;
    }
    ptrdiff_t twin = policy_first_twin(reader, names, policy->benchmark_count);
    if (twin < 0) {
        return TARE_OK;
    }
    const yaml_node_t *item = policy_list_item(reader, node, twin);
    return item == NULL ? TARE_ERROR_USAGE
                        : policy_complain(reader, &item->start_mark,
                                          "there are two benchmarks called '%s': give each a name",
                                          policy_shown(reader, names[twin]));
}

tare_status policy_read_benchmarks(struct policy_reader *reader, yaml_node_t *node,
                                   const struct policy_key *key, void *target)
{
    struct model_policy *policy = target;
    void *items = NULL;
    tare_status status = policy_open_list(reader, node, key, sizeof *policy->benchmarks, &items,
                                          &policy->benchmark_count);
    policy->benchmarks = items;
    for (ptrdiff_t i = 0; status == TARE_OK && i < policy->benchmark_count; i++) {
        struct model_policy_benchmark *benchmark = &policy->benchmarks[i];
        yaml_node_t *item = policy_list_item(reader, node, i);
        if (item == NULL) {
            return TARE_ERROR_USAGE;
        }
        benchmark->line = policy_line(item);
        status = policy_read_mapping(reader, item, policy_benchmark_keys, "a benchmark", benchmark);
        if (status == TARE_OK) {
            status = check_benchmark(reader, item, benchmark);
        }
    }
    return status == TARE_OK ? check_twins(reader, node, policy) : status;
}
