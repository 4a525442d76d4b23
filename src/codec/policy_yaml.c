/* policy_yaml.c: tare.yaml → struct model_policy, through libyaml's document tree.
 *
 * Each mapping of the file has a table of keys: name, function that reads the value, where the
 * result goes, and what is expected, in words with an example. policy_node.c walks them,
 * policy_value.c reads single values, policy_benchmark.c and policy_rules.c the larger ones.
 *
 * The preset is looked for first and thresholds second, wherever they stand: the other keys win
 * over the preset, and thresholds of overrides are completed from the general ones.
 *
 * Limits: POLICY_FILE_BYTES_MAX, POLICY_NODES_MAX, POLICY_LIST_MAX; libyaml itself stops at 1,000
 * levels of nesting. Cost: linear in the nodes, but for free mappings, whose names are compared
 * with each other. */
#include "codec/policy_yaml.h"

#include "codec/policy_node.h"

#include "base/assert.h"
#include "base/text.h"
#include "base/unit.h"

#include <string.h>

static tare_status read_document(struct policy_reader *reader, yaml_parser_t *parser);
static tare_status read_policy(struct policy_reader *reader, yaml_node_t *root);
static tare_status complain_parser(struct policy_reader *reader, const yaml_parser_t *parser);

static policy_read_function read_groups, read_routes, read_retention, read_counts;

#define AT(type, member) offsetof(struct type, member)

static const struct policy_key policy_keys[] = {
    {"project", policy_read_name, AT(model_policy, project), "a name such as parser", 0},
    {"preset", policy_read_preset, AT(model_policy, preset), "default, strict, copybook or bitnet",
     0},
    {"store", policy_read_text, AT(model_policy, store), "a path such as .tare", 0},
    {"build", policy_read_text, AT(model_policy, build), "a command such as make -j2 bench", 0},
    {"build_timeout", policy_read_time, AT(model_policy, build_timeout_ns), "a time such as 10min",
     0},
    {"benchmarks", policy_read_benchmarks, 0, "a list such as [{program: ./bench}]", 0},
    {"bench_from", policy_read_bench_from, AT(model_policy, bench_from), "own, base or head", 0},
    {"bench_paths", policy_read_paths, AT(model_policy, bench_paths),
     "a list of files and folders such as [bench/]", 0},
    {"against", policy_read_revision, AT(model_policy, against),
     "merge-base, a revision or a baseline's name", 0},
    {"default_branch", policy_read_revision, AT(model_policy, default_branch),
     "a branch such as main", AT(model_policy, has_default_branch)},
    {"budget", policy_read_time, AT(model_policy, budget_ns), "a time such as 60s",
     AT(model_policy, has_budget)},
    {"confidence", policy_read_confidence, AT(model_policy, confidence), "a share such as 99%",
     AT(model_policy, has_confidence)},
    {"min_effect", policy_read_share, AT(model_policy, min_effect), "a share such as 1%",
     AT(model_policy, has_min_effect)},
    {"precision", policy_read_share, AT(model_policy, precision), "a share such as 1%", 0},
    {"noise_floor_max", policy_read_share, AT(model_policy, noise_floor_max), "a share such as 5%",
     0},
    {"retries", policy_read_retries, AT(model_policy, retries), "a whole number such as 2", 0},
    {"count", read_counts, AT(model_policy, count), "a list of instructions, size and allocations",
     0},
    {"gate", policy_read_names, AT(model_policy, gate), "a list of metrics such as [time, memory]",
     0},
    {"thresholds", policy_read_thresholds, AT(model_policy, thresholds),
     "a mapping such as {time: {warning: 3%, critical: 10%}}", 0},
    {"fail_at", policy_read_level, AT(model_policy, fail_at), "minor, warning or critical", 0},
    {"fail_at_core", policy_read_level, AT(model_policy, fail_at_core),
     "minor, warning or critical", 0},
    {"overrides", policy_read_overrides, 0, "a list such as [{match: \"parse/*\", core: true}]", 0},
    {"require", policy_read_requirements, 0,
     "a list such as [{metric: throughput, at_least: 4.1 GiB/s}]", 0},
    {"inconclusive", policy_read_outcome, AT(model_policy, inconclusive), "fail, pass or neutral",
     0},
    {"missing", policy_read_outcome, AT(model_policy, missing), "fail, pass or neutral", 0},
    {"added", policy_read_outcome, AT(model_policy, added), "fail, pass or neutral", 0},
    {"conditions", policy_read_conditions, AT(model_policy, conditions), "warn or inconclusive", 0},
    {"renamed", policy_read_renames, 0, "a mapping such as {\"parse/old\": \"parse/new\"}", 0},
    {"waivers", policy_read_waivers, 0,
     "a list such as [{match: \"io/*\", reason: agreed, by: A. Person, until: 2027-01-31}]", 0},
    {"groups", read_groups, 0,
     "a mapping such as {synthetic: [\"micro/*\"], realistic: [\"replay/*\"]}", 0},
    {"routes", read_routes, AT(model_policy, routes), "a mapping such as {fix: perf-team}", 0},
    {"max_baseline_age", policy_read_age, AT(model_policy, max_baseline_age_ns),
     "an age such as 90d", 0},
    {"retention", read_retention, AT(model_policy, retention),
     "a mapping such as {keep: 500, days: 365}", 0},
    {NULL, NULL, 0, NULL, 0},
};

static const struct policy_key group_keys[] = {
    {"synthetic", policy_read_names, AT(model_policy, synthetic),
     "a list of patterns such as [\"micro/*\"]", 0},
    {"realistic", policy_read_names, AT(model_policy, realistic),
     "a list of patterns such as [\"replay/*\"]", 0},
    {"gpu", policy_read_names, AT(model_policy, gpu), "a list of patterns such as [\"cuda/*\"]", 0},
    {NULL, NULL, 0, NULL, 0},
};

#define ROUTE(key, kind)                                                                           \
    {                                                                                              \
        key, policy_read_name, (kind) * sizeof(const char *), "a name such as perf-team", 0        \
    }
static const struct policy_key route_keys[] = {
    ROUTE("fix", MODEL_ROUTE_FIX),
    ROUTE("document", MODEL_ROUTE_DOCUMENT),
    ROUTE("finalize", MODEL_ROUTE_FINALIZE),
    ROUTE("promote", MODEL_ROUTE_PROMOTE),
    ROUTE("summarize", MODEL_ROUTE_SUMMARIZE),
    ROUTE("gpu", MODEL_ROUTE_GPU),
    ROUTE("accuracy", MODEL_ROUTE_ACCURACY),
    ROUTE("retry", MODEL_ROUTE_RETRY),
    {NULL, NULL, 0, NULL, 0},
};
_Static_assert(sizeof route_keys / sizeof *route_keys == MODEL_ROUTE_COUNT + 1,
               "every route has its key");

static const struct policy_key retention_keys[] = {
    {"keep", policy_read_keep, AT(model_policy_retention, keep), "a whole number such as 500", 0},
    {"days", policy_read_days, AT(model_policy_retention, days), "a whole number such as 365", 0},
    {NULL, NULL, 0, NULL, 0},
};

/* Where each table of keys is used. */
struct key_table {
    const char *path;
    const struct policy_key *keys;
};

static const struct key_table key_tables[] = {
    {"", policy_keys},
    {"benchmarks[].", policy_benchmark_keys},
    {"thresholds.*.", policy_threshold_keys},
    {"overrides[].", policy_override_keys},
    {"overrides[].thresholds.*.", policy_threshold_keys},
    {"require[].", policy_requirement_keys},
    {"waivers[].", policy_waiver_keys},
    {"groups.", group_keys},
    {"routes.", route_keys},
    {"retention.", retention_keys},
};

struct model_text_list policy_known_keys(struct arena *arena)
{
    struct model_text_list list = {0};
    ptrdiff_t capacity = 0;
    for (size_t t = 0; t < sizeof key_tables / sizeof *key_tables; t++) {
        for (const struct policy_key *key = key_tables[t].keys; key->name != NULL; key++) {
            if (list.count == capacity) {
                list.items = arena_grow(arena, list.items, &capacity, list.count + 1,
                                        (ptrdiff_t)sizeof *list.items);
            }
            list.items[list.count++] = arena_printf(arena, "%s%s", key_tables[t].path, key->name);
        }
    }
    return list;
}

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
        .policy = policy,
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
    tare_status status = read_document(&reader, &parser);
    yaml_parser_delete(&parser);
    if (status != TARE_OK) {
        *policy = model_policy_default();
    }
    return status;
}

/* Reads the only document of the file; a second one is an error, since it would be ignored. */
static tare_status read_document(struct policy_reader *reader, yaml_parser_t *parser)
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
        status = read_policy(reader, root);
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

/* The value of a key of the whole policy; NULL: not said. */
static yaml_node_t *find_value(struct policy_reader *reader, const yaml_node_t *root,
                               const char *name)
{
    if (root->type != YAML_MAPPING_NODE) {
        return NULL;
    }
    for (yaml_node_pair_t *pair = root->data.mapping.pairs.start;
         pair < root->data.mapping.pairs.top; pair++) {
        const yaml_node_t *key = yaml_document_get_node(reader->document, pair->key);
        if (key->type == YAML_SCALAR_NODE &&
            strcmp((const char *)key->data.scalar.value, name) == 0) {
            return yaml_document_get_node(reader->document, pair->value);
        }
    }
    return NULL;
}

static const struct policy_key *key_called(const char *name)
{
    const struct policy_key *key = policy_keys;
    while (strcmp(key->name, name) != 0) {
        key++;
        TARE_ASSERT(key->name != NULL);
    }
    return key;
}

/* What the other keys build on. */
static tare_status read_foundation(struct policy_reader *reader, const yaml_node_t *root)
{
    struct model_policy *policy = reader->policy;
    yaml_node_t *preset = find_value(reader, root, "preset");
    if (preset != NULL) {
        enum model_preset chosen = MODEL_PRESET_DEFAULT;
        tare_status status = policy_read_preset(reader, preset, key_called("preset"), &chosen);
        if (status != TARE_OK) {
            return status;
        }
        *policy = model_policy_preset(chosen);
    }
    yaml_node_t *thresholds = find_value(reader, root, "thresholds");
    return thresholds == NULL ? TARE_OK
                              : policy_read_thresholds(reader, thresholds, key_called("thresholds"),
                                                       &policy->thresholds);
}

/* What only the whole can be asked. */
static tare_status check_policy(struct policy_reader *reader, const yaml_node_t *root)
{
    const struct model_policy *policy = reader->policy;
    const yaml_node_t *from = find_value(reader, root, "bench_from");
    if (from != NULL && policy->bench_from != MODEL_BENCH_FROM_OWN &&
        policy->bench_paths.count == 0) {
        return policy_complain(reader, &from->start_mark,
                               "bench_from: %s needs bench_paths: which files are the benchmarks', "
                               "such as [bench/]",
                               model_bench_from_name(policy->bench_from));
    }
    const yaml_node_t *core = find_value(reader, root, "fail_at_core");
    if (core != NULL && policy->fail_at_core > policy->fail_at) {
        return policy_complain(reader, &core->start_mark,
                               "fail_at_core: %s is later than fail_at: %s: what is core must not "
                               "fail later than the rest",
                               model_level_name(policy->fail_at_core),
                               model_level_name(policy->fail_at));
    }
    return TARE_OK;
}

static tare_status read_policy(struct policy_reader *reader, yaml_node_t *root)
{
    tare_status status = read_foundation(reader, root);
    if (status != TARE_OK) {
        return status;
    }
    status = policy_read_mapping(reader, root, policy_keys, "a policy", reader->policy);
    if (status != TARE_OK) {
        return status;
    }
    reader->policy->is_empty = root->data.mapping.pairs.start == root->data.mapping.pairs.top;
    return check_policy(reader, root);
}

static tare_status read_groups(struct policy_reader *reader, yaml_node_t *node,
                               const struct policy_key *key, void *target)
{
    (void)key;
    struct model_policy *policy = target;
    tare_status status = policy_read_mapping(reader, node, group_keys, "groups", policy);
    if (status != TARE_OK) {
        return status;
    }
    ptrdiff_t count = policy->synthetic.count + policy->realistic.count;
    const char **patterns = ARENA_ARRAY(reader->arena, const char *, count);
    for (ptrdiff_t i = 0; i < count; i++) {
        bool is_synthetic = i < policy->synthetic.count;
        patterns[i] = is_synthetic ? policy->synthetic.items[i]
                                   : policy->realistic.items[i - policy->synthetic.count];
    }
    ptrdiff_t twin = policy_first_twin(reader, patterns, count);
    return twin < 0 ? TARE_OK
                    : policy_complain(reader, &node->start_mark,
                                      "'%s' is in both groups: it can only be in one",
                                      policy_shown(reader, patterns[twin]));
}

static tare_status read_routes(struct policy_reader *reader, yaml_node_t *node,
                               const struct policy_key *key, void *target)
{
    (void)key;
    return policy_read_mapping(reader, node, route_keys, "routes", target);
}

static tare_status read_retention(struct policy_reader *reader, yaml_node_t *node,
                                  const struct policy_key *key, void *target)
{
    (void)key;
    return policy_read_mapping(reader, node, retention_keys, "retention", target);
}

static tare_status read_counts(struct policy_reader *reader, yaml_node_t *node,
                               const struct policy_key *key, void *target)
{
    static const char *const words[] = {"instructions", "size", "allocations", NULL};
    static const unsigned bits[] = {MODEL_COUNT_INSTRUCTIONS, MODEL_COUNT_SIZE,
                                    MODEL_COUNT_ALLOCATIONS};
    struct model_text_list list = {0};
    tare_status status = policy_read_names(reader, node, key, &list);
    unsigned count = 0;
    for (ptrdiff_t i = 0; status == TARE_OK && i < list.count; i++) {
        int choice = 0;
        yaml_node_t *item = policy_list_item(reader, node, i);
        status =
            item == NULL ? TARE_ERROR_USAGE : policy_read_choice(reader, item, key, words, &choice);
        count |= bits[choice];
    }
    *(unsigned *)target = count;
    return status;
}
