/* policy_yaml.c: tare.yaml → struct model_policy, through libyaml's document tree.
 *
 * Each mapping of the file has a table of keys: name, function that reads the value, where the
 * result goes, and what is expected, in words with an example. Reading follows the tables, so the
 * depth of the walk is the depth of the tables, whatever the file nests; aliases are followed, each
 * visit is counted against POLICY_NODES_MAX, so a file that multiplies itself is refused early.
 *
 * Limits: POLICY_FILE_BYTES_MAX, POLICY_NODES_MAX, POLICY_LIST_MAX; libyaml itself stops at 1,000
 * levels of nesting. Cost: linear in the nodes, but for free mappings, whose names are compared
 * with each other. */
#include "codec/policy_yaml.h"

#include "codec/policy_value.h"

#include "base/assert.h"
#include "base/text.h"

#include <string.h>

/* The longest table, plus its end. */
enum { POLICY_KEYS_MAX = 32 };

static tare_status read_document(struct policy_reader *reader, yaml_parser_t *parser,
                                 struct model_policy *policy);
static tare_status complain_parser(struct policy_reader *reader, const yaml_parser_t *parser);
static tare_status read_mapping(struct policy_reader *reader, yaml_node_t *node,
                                const struct policy_key *keys, const char *what, void *target);

static policy_read_function read_texts, read_parameters, read_benchmarks, read_overrides,
    read_requirements, read_renames, read_waivers, read_thresholds;

#define AT(type, member) offsetof(struct type, member)

static const struct policy_key policy_keys[] = {
    {"project", policy_read_name, AT(model_policy, project), "a name such as parser", 0},
    {"store", policy_read_text, AT(model_policy, store), "a path such as .tare", 0},
    {"build", policy_read_text, AT(model_policy, build), "a command such as make -j2 bench", 0},
    {"benchmarks", read_benchmarks, 0, "a list such as [{program: ./bench}]", 0},
    {"against", policy_read_text, AT(model_policy, against),
     "merge-base, a revision or a baseline's name", 0},
    {"budget", policy_read_time, AT(model_policy, budget_ns), "a time such as 60s",
     AT(model_policy, has_budget)},
    {"confidence", policy_read_confidence, AT(model_policy, confidence), "a share such as 99%",
     AT(model_policy, has_confidence)},
    {"min_effect", policy_read_share, AT(model_policy, min_effect), "a share such as 1%",
     AT(model_policy, has_min_effect)},
    {"precision", policy_read_share, AT(model_policy, precision), "a share such as 1%", 0},
    {"gate", read_texts, AT(model_policy, gate), "a list of metrics such as [time, memory]", 0},
    {"thresholds", read_thresholds, AT(model_policy, thresholds),
     "a mapping such as {time: {warning: 3%, critical: 10%}}", 0},
    {"fail_at", policy_read_level, AT(model_policy, fail_at), "minor, warning or critical", 0},
    {"overrides", read_overrides, 0, "a list such as [{match: \"parse/*\", core: true}]", 0},
    {"require", read_requirements, 0, "a list such as [{metric: throughput, at_least: 4.1 GiB/s}]",
     0},
    {"inconclusive", policy_read_outcome, AT(model_policy, inconclusive), "fail, pass or neutral",
     0},
    {"missing", policy_read_outcome, AT(model_policy, missing), "fail, pass or neutral", 0},
    {"renamed", read_renames, 0, "a mapping such as {\"parse/old\": \"parse/new\"}", 0},
    {"waivers", read_waivers, 0,
     "a list such as [{match: \"io/*\", reason: agreed, until: 2027-01-31}]", 0},
    {NULL, NULL, 0, NULL, 0},
};

static const struct policy_key benchmark_keys[] = {
    {"name", policy_read_name, AT(model_policy_benchmark, name), "a name such as end-to-end", 0},
    {"program", policy_read_text, AT(model_policy_benchmark, program),
     "a path such as ./build/bench", 0},
    {"command", policy_read_text, AT(model_policy_benchmark, command),
     "a command line such as ./tool corpus.txt", 0},
    {"shell", policy_read_bool, AT(model_policy_benchmark, is_shell), "true or false", 0},
    {"protocol", policy_read_bool, AT(model_policy_benchmark, is_protocol), "true or false", 0},
    {"timeout", policy_read_time, AT(model_policy_benchmark, timeout_ns), "a time such as 30s", 0},
    {"metrics", read_texts, AT(model_policy_benchmark, metrics),
     "a list of patterns such as ['speed[tok/s]:higher=re:([0-9.]+) tok/s']", 0},
    {"params", read_parameters, 0, "a mapping such as {n: [1, 2, 4]} or {n: 4..64*2}", 0},
    {NULL, NULL, 0, NULL, 0},
};

static const struct policy_key thresholds_keys[] = {
    {"warning", policy_read_threshold, AT(model_metric_thresholds, warning),
     "a change such as 3% or 0.002 absolute", 0},
    {"critical", policy_read_threshold, AT(model_metric_thresholds, critical),
     "a change such as 10% or 0.005 absolute", 0},
    {NULL, NULL, 0, NULL, 0},
};

static const struct policy_key override_keys[] = {
    {"match", policy_read_name, AT(model_policy_override, match), "a pattern such as \"parse/*\"",
     0},
    {"core", policy_read_bool, AT(model_policy_override, is_core), "true or false", 0},
    {"thresholds", read_thresholds, AT(model_policy_override, thresholds),
     "a mapping such as {time: {warning: 2%, critical: 5%}}", 0},
    {NULL, NULL, 0, NULL, 0},
};

static const struct policy_key requirement_keys[] = {
    {"match", policy_read_name, AT(model_policy_requirement, match),
     "a pattern such as \"parse/*\"", 0},
    {"metric", policy_read_name, AT(model_policy_requirement, metric),
     "a metric such as throughput", 0},
    {"at_least", policy_read_quantity, AT(model_policy_requirement, at_least),
     "a number such as 4.1 GiB/s", 0},
    {"at_most", policy_read_quantity, AT(model_policy_requirement, at_most),
     "a number such as 20 ms", 0},
    {NULL, NULL, 0, NULL, 0},
};

static const struct policy_key waiver_keys[] = {
    {"match", policy_read_name, AT(model_policy_waiver, match), "a pattern such as \"io/*\"", 0},
    {"metric", policy_read_name, AT(model_policy_waiver, metric), "a metric such as time", 0},
    {"reason", policy_read_text, AT(model_policy_waiver, reason),
     "a text such as \"new fsync, agreed\"", 0},
    {"by", policy_read_text, AT(model_policy_waiver, by), "a name such as \"A. Person\"", 0},
    {"until", policy_read_date, AT(model_policy_waiver, until_date), "a day such as 2027-01-31", 0},
    {NULL, NULL, 0, NULL, 0},
};

tare_status policy_read(struct arena *arena, const char *text, ptrdiff_t length,
                        const char *file_name, struct model_policy *policy,
                        struct tare_error *error)
{
    struct tare_error own_error = {0};
    struct policy_reader reader = {
        .arena = arena,
        .file_name = text_printable(arena, file_name, 120),
        .error = error != NULL ? error : &own_error,
        .nodes_left = POLICY_NODES_MAX,
    };
    *policy = model_policy_default();
    if (length > POLICY_FILE_BYTES_MAX) {
        return error_set(reader.error, TARE_ERROR_USAGE,
                         "%s: %td bytes is too large for a policy (at most %d)", reader.file_name,
                         length, POLICY_FILE_BYTES_MAX);
    }
    yaml_parser_t parser;
    if (yaml_parser_initialize(&parser) == 0) {
        return error_set(reader.error, TARE_ERROR_MEMORY, "%s: out of memory", reader.file_name);
    }
    yaml_parser_set_input_string(&parser, (const unsigned char *)text, (size_t)length);
    tare_status status = read_document(&reader, &parser, policy);
    yaml_parser_delete(&parser);
    if (status != TARE_OK) {
        *policy = model_policy_default();
    }
    return status;
}

/* Reads the only document of the file; a second one is an error, since it would be ignored. */
static tare_status read_document(struct policy_reader *reader, yaml_parser_t *parser,
                                 struct model_policy *policy)
{
    yaml_document_t document;
    if (yaml_parser_load(parser, &document) == 0) {
        return complain_parser(reader, parser);
    }
    reader->document = &document;
    yaml_node_t *root = yaml_document_get_root_node(&document);
    tare_status status = TARE_OK;
    bool is_nothing =
        root == NULL || (root->type == YAML_SCALAR_NODE && root->data.scalar.length == 0 &&
                         root->data.scalar.style == YAML_PLAIN_SCALAR_STYLE);
    if (!is_nothing) {
        policy->is_empty = false;
        status = read_mapping(reader, root, policy_keys, "a policy", policy);
    }
    yaml_document_delete(&document);
    reader->document = NULL;
    if (status != TARE_OK || root == NULL) {
        return status;
    }
    if (yaml_parser_load(parser, &document) == 0) {
        return complain_parser(reader, parser);
    }
    const yaml_node_t *second = yaml_document_get_root_node(&document);
    if (second != NULL) {
        status = policy_complain(reader, &second->start_mark,
                                 "a second document starts here: a policy is one document");
    }
    yaml_document_delete(&document);
    return status;
}

static tare_status complain_parser(struct policy_reader *reader, const yaml_parser_t *parser)
{
    const char *problem = parser->problem != NULL ? parser->problem : "not YAML";
    if (parser->error == YAML_MEMORY_ERROR) {
        return error_set(reader->error, TARE_ERROR_MEMORY, "%s: out of memory", reader->file_name);
    }
    if (parser->error == YAML_READER_ERROR) {
        return error_set(reader->error, TARE_ERROR_USAGE,
                         "%s: %s at byte %zu: the file must be UTF-8 text", reader->file_name,
                         problem, parser->problem_offset);
    }
    if (parser->context != NULL) {
        return policy_complain(reader, &parser->problem_mark, "not valid YAML: %s, %s (line %zu)",
                               problem, parser->context, parser->context_mark.line + 1);
    }
    return policy_complain(reader, &parser->problem_mark, "not valid YAML: %s", problem);
}

/* The node by its number, counted: the guard against files that repeat themselves through aliases.
 */
static yaml_node_t *visit(struct policy_reader *reader, int number)
{
    yaml_node_t *node = yaml_document_get_node(reader->document, number);
    TARE_ASSERT(node != NULL);
    if (reader->nodes_left-- <= 0) {
        policy_complain(reader, &node->start_mark,
                        "more than %d values, aliases repeated: too much for a policy",
                        POLICY_NODES_MAX);
        return NULL;
    }
    static const char standard[] = "tag:yaml.org,2002:";
    if (node->tag != NULL && !text_starts_with((const char *)node->tag, standard)) {
        policy_complain(reader, &node->start_mark, "the tag '%s' has no meaning here: remove it",
                        policy_shown(reader, (const char *)node->tag));
        return NULL;
    }
    return node;
}

/* The text of a key in a mapping. */
static tare_status key_text(struct policy_reader *reader, int number, yaml_node_t **key_node,
                            const char **name)
{
    static const struct policy_key a_key = {.name = "a key", .expected = "a name"};
    *key_node = visit(reader, number);
    if (*key_node == NULL) {
        return TARE_ERROR_USAGE;
    }
    return policy_scalar(reader, *key_node, &a_key, name);
}

static tare_status unknown_key(struct policy_reader *reader, const yaml_node_t *node,
                               const char *name, const struct policy_key *keys, const char *what)
{
    const char *names[POLICY_KEYS_MAX] = {NULL};
    char list[512] = "";
    for (int i = 0; keys[i].name != NULL; i++) {
        TARE_ASSERT(i + 1 < POLICY_KEYS_MAX);
        names[i] = keys[i].name;
        size_t used = strlen(list);
        TARE_ASSERT(used + strlen(names[i]) + 3 < sizeof list);
        strcat(strcat(list, i > 0 ? ", " : ""), names[i]);
    }
    const char *nearest = text_nearest(name, names);
    if (nearest != NULL) {
        return policy_complain(reader, &node->start_mark, "unknown key '%s': did you mean '%s'?",
                               policy_shown(reader, name), nearest);
    }
    return policy_complain(reader, &node->start_mark, "unknown key '%s': %s has %s",
                           policy_shown(reader, name), what, list);
}

/* Reads a mapping by its table; unknown keys and keys given twice are errors. */
static tare_status read_mapping(struct policy_reader *reader, yaml_node_t *node,
                                const struct policy_key *keys, const char *what, void *target)
{
    if (node->type != YAML_MAPPING_NODE) {
        return policy_complain(reader, &node->start_mark,
                               "%s must be a mapping such as {%s: …}, not %s", what, keys[0].name,
                               policy_node_kind(node));
    }
    bool is_seen[POLICY_KEYS_MAX] = {false};
    for (yaml_node_pair_t *pair = node->data.mapping.pairs.start;
         pair < node->data.mapping.pairs.top; pair++) {
        yaml_node_t *key_node = NULL;
        const char *name = NULL;
        tare_status status = key_text(reader, pair->key, &key_node, &name);
        if (status != TARE_OK) {
            return status;
        }
        int i = 0;
        while (keys[i].name != NULL && strcmp(keys[i].name, name) != 0) {
            i++;
        }
        if (keys[i].name == NULL) {
            return unknown_key(reader, key_node, name, keys, what);
        }
        if (is_seen[i]) {
            return policy_complain(reader, &key_node->start_mark, "'%s' is given twice", name);
        }
        is_seen[i] = true;
        yaml_node_t *value = visit(reader, pair->value);
        if (value == NULL) {
            return TARE_ERROR_USAGE;
        }
        status = keys[i].read(reader, value, &keys[i], (char *)target + keys[i].offset);
        if (status != TARE_OK) {
            return status;
        }
        if (keys[i].said_offset != 0) {
            *(bool *)((char *)target + keys[i].said_offset) = true;
        }
    }
    return TARE_OK;
}

/* Checks that a node is a list within the limit and takes memory for its items. */
static tare_status open_list(struct policy_reader *reader, const yaml_node_t *node,
                             const struct policy_key *key, size_t item_bytes, void **items,
                             ptrdiff_t *count)
{
    if (node->type != YAML_SEQUENCE_NODE) {
        return policy_complain(reader, &node->start_mark, "%s wants %s, not %s", key->name,
                               key->expected, policy_node_kind(node));
    }
    *count = node->data.sequence.items.top - node->data.sequence.items.start;
    if (*count > POLICY_LIST_MAX) {
        return policy_complain(reader, &node->start_mark, "%s has %td items (at most %d)",
                               key->name, *count, POLICY_LIST_MAX);
    }
    *items = arena_alloc(reader->arena, *count, (ptrdiff_t)item_bytes);
    return TARE_OK;
}

/* Likewise for a mapping with names of the user's own; a name given twice is an error. */
static tare_status open_names(struct policy_reader *reader, const yaml_node_t *node,
                              const struct policy_key *key, const char ***names, ptrdiff_t *count)
{
    if (node->type != YAML_MAPPING_NODE) {
        return policy_complain(reader, &node->start_mark, "%s wants %s, not %s", key->name,
                               key->expected, policy_node_kind(node));
    }
    const yaml_node_pair_t *pairs = node->data.mapping.pairs.start;
    *count = node->data.mapping.pairs.top - pairs;
    /* 1,000: every name is compared with every other one. */
    if (*count > 1000) {
        return policy_complain(reader, &node->start_mark, "%s has %td entries (at most 1000)",
                               key->name, *count);
    }
    *names = ARENA_ARRAY(reader->arena, const char *, *count);
    for (ptrdiff_t i = 0; i < *count; i++) {
        yaml_node_t *key_node = NULL;
        tare_status status = key_text(reader, pairs[i].key, &key_node, &(*names)[i]);
        if (status != TARE_OK) {
            return status;
        }
        if (!model_name_is_valid((*names)[i])) {
            return policy_complain(reader, &key_node->start_mark, "'%s' is no name",
                                   policy_shown(reader, (*names)[i]));
        }
        for (ptrdiff_t j = 0; j < i; j++) {
            if (strcmp((*names)[i], (*names)[j]) == 0) {
                return policy_complain(reader, &key_node->start_mark, "'%s' is given twice",
                                       policy_shown(reader, (*names)[i]));
            }
        }
    }
    return TARE_OK;
}

static yaml_node_t *list_item(struct policy_reader *reader, const yaml_node_t *node, ptrdiff_t i)
{
    return visit(reader, node->data.sequence.items.start[i]);
}

static yaml_node_t *mapping_value(struct policy_reader *reader, const yaml_node_t *node,
                                  ptrdiff_t i)
{
    return visit(reader, node->data.mapping.pairs.start[i].value);
}

static int line_of(const yaml_node_t *node)
{
    return (int)node->start_mark.line + 1;
}

static tare_status read_texts(struct policy_reader *reader, yaml_node_t *node,
                              const struct policy_key *key, void *target)
{
    struct model_text_list *list = target;
    void *items = NULL;
    tare_status status = open_list(reader, node, key, sizeof *list->items, &items, &list->count);
    list->items = items;
    for (ptrdiff_t i = 0; status == TARE_OK && i < list->count; i++) {
        yaml_node_t *item = list_item(reader, node, i);
        status =
            item == NULL ? TARE_ERROR_USAGE : policy_scalar(reader, item, key, &list->items[i]);
    }
    return status;
}

/* A parameter's values: a list, or one text such as 4..64*2 that `--param` would take. */
static tare_status read_parameter(struct policy_reader *reader, yaml_node_t *node,
                                  const struct policy_key *key,
                                  struct model_policy_parameter *parameter)
{
    if (node->type == YAML_SEQUENCE_NODE) {
        return read_texts(reader, node, key, &parameter->values);
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
    tare_status status = open_names(reader, node, key, &names, &count);
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
        yaml_node_t *value = mapping_value(reader, node, i);
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

static tare_status read_benchmarks(struct policy_reader *reader, yaml_node_t *node,
                                   const struct policy_key *key, void *target)
{
    struct model_policy *policy = target;
    void *items = NULL;
    tare_status status =
        open_list(reader, node, key, sizeof *policy->benchmarks, &items, &policy->benchmark_count);
    policy->benchmarks = items;
    for (ptrdiff_t i = 0; status == TARE_OK && i < policy->benchmark_count; i++) {
        struct model_policy_benchmark *benchmark = &policy->benchmarks[i];
        yaml_node_t *item = list_item(reader, node, i);
        if (item == NULL) {
            return TARE_ERROR_USAGE;
        }
        benchmark->line = line_of(item);
        status = read_mapping(reader, item, benchmark_keys, "a benchmark", benchmark);
        if (status == TARE_OK) {
            status = check_benchmark(reader, item, benchmark);
        }
    }
    return status;
}

static tare_status check_thresholds(struct policy_reader *reader, const yaml_node_t *node,
                                    const struct model_metric_thresholds *thresholds)
{
    const struct model_threshold *warning = &thresholds->warning;
    const struct model_threshold *critical = &thresholds->critical;
    if (!warning->is_set || !critical->is_set) {
        return TARE_OK;
    }
    if (warning->is_absolute != critical->is_absolute ||
        strcmp(warning->unit, critical->unit) != 0) {
        return policy_complain(
            reader, &node->start_mark,
            "thresholds of %s: warning and critical must both be relative, or both "
            "absolute in one unit",
            policy_shown(reader, thresholds->metric));
    }
    if (critical->value < warning->value) {
        return policy_complain(reader, &node->start_mark,
                               "thresholds of %s: critical must not be below warning",
                               policy_shown(reader, thresholds->metric));
    }
    return TARE_OK;
}

static tare_status read_thresholds(struct policy_reader *reader, yaml_node_t *node,
                                   const struct policy_key *key, void *target)
{
    struct model_threshold_list *list = target;
    const char **names = NULL;
    tare_status status = open_names(reader, node, key, &names, &list->count);
    if (status != TARE_OK) {
        return status;
    }
    list->items = ARENA_ARRAY(reader->arena, struct model_metric_thresholds, list->count);
    for (ptrdiff_t i = 0; status == TARE_OK && i < list->count; i++) {
        struct model_metric_thresholds *thresholds = &list->items[i];
        yaml_node_t *value = mapping_value(reader, node, i);
        if (value == NULL) {
            return TARE_ERROR_USAGE;
        }
        thresholds->metric = names[i];
        thresholds->line = line_of(value);
        status = read_mapping(reader, value, thresholds_keys, "a metric's thresholds", thresholds);
        if (status == TARE_OK) {
            status = check_thresholds(reader, value, thresholds);
        }
    }
    return status;
}

static tare_status read_overrides(struct policy_reader *reader, yaml_node_t *node,
                                  const struct policy_key *key, void *target)
{
    struct model_policy *policy = target;
    void *items = NULL;
    tare_status status =
        open_list(reader, node, key, sizeof *policy->overrides, &items, &policy->override_count);
    policy->overrides = items;
    for (ptrdiff_t i = 0; status == TARE_OK && i < policy->override_count; i++) {
        struct model_policy_override *override = &policy->overrides[i];
        yaml_node_t *item = list_item(reader, node, i);
        if (item == NULL) {
            return TARE_ERROR_USAGE;
        }
        override->line = line_of(item);
        status = read_mapping(reader, item, override_keys, "an override", override);
        if (status == TARE_OK && override->match == NULL) {
            status =
                policy_complain(reader, &item->start_mark,
                                "an override needs match: which benchmarks, such as \"parse/*\"");
        }
    }
    return status;
}

static tare_status read_requirements(struct policy_reader *reader, yaml_node_t *node,
                                     const struct policy_key *key, void *target)
{
    struct model_policy *policy = target;
    void *items = NULL;
    tare_status status = open_list(reader, node, key, sizeof *policy->requirements, &items,
                                   &policy->requirement_count);
    policy->requirements = items;
    for (ptrdiff_t i = 0; status == TARE_OK && i < policy->requirement_count; i++) {
        struct model_policy_requirement *requirement = &policy->requirements[i];
        yaml_node_t *item = list_item(reader, node, i);
        if (item == NULL) {
            return TARE_ERROR_USAGE;
        }
        requirement->match = "*";
        requirement->line = line_of(item);
        status = read_mapping(reader, item, requirement_keys, "a requirement", requirement);
        bool is_whole = requirement->metric != NULL &&
                        (requirement->at_least.is_set || requirement->at_most.is_set);
        if (status == TARE_OK && !is_whole) {
            status = policy_complain(reader, &item->start_mark,
                                     "a requirement needs metric, and at_least or at_most");
        }
    }
    return status;
}

static tare_status read_renames(struct policy_reader *reader, yaml_node_t *node,
                                const struct policy_key *key, void *target)
{
    struct model_policy *policy = target;
    const char **names = NULL;
    tare_status status = open_names(reader, node, key, &names, &policy->rename_count);
    if (status != TARE_OK) {
        return status;
    }
    policy->renames = ARENA_ARRAY(reader->arena, struct model_policy_rename, policy->rename_count);
    for (ptrdiff_t i = 0; status == TARE_OK && i < policy->rename_count; i++) {
        policy->renames[i].old_name = names[i];
        yaml_node_t *value = mapping_value(reader, node, i);
        status = value == NULL ? TARE_ERROR_USAGE
                               : policy_read_name(reader, value, key, &policy->renames[i].new_name);
    }
    return status;
}

static tare_status read_waivers(struct policy_reader *reader, yaml_node_t *node,
                                const struct policy_key *key, void *target)
{
    struct model_policy *policy = target;
    void *items = NULL;
    tare_status status =
        open_list(reader, node, key, sizeof *policy->waivers, &items, &policy->waiver_count);
    policy->waivers = items;
    for (ptrdiff_t i = 0; status == TARE_OK && i < policy->waiver_count; i++) {
        struct model_policy_waiver *waiver = &policy->waivers[i];
        yaml_node_t *item = list_item(reader, node, i);
        if (item == NULL) {
            return TARE_ERROR_USAGE;
        }
        waiver->line = line_of(item);
        status = read_mapping(reader, item, waiver_keys, "a waiver", waiver);
        if (status == TARE_OK && (waiver->match == NULL || waiver->reason == NULL)) {
            status = policy_complain(reader, &item->start_mark,
                                     "a waiver needs match and reason: what is waived, and why");
        }
    }
    return status;
}
