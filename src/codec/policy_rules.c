/* policy_rules.c: what tare.yaml says about judging: thresholds, overrides, requirements, renames,
 * waivers. A rule that could not have an effect, or that another one would silently replace, is an
 * error. */
#include "codec/policy_node.h"

#include <string.h>

#define AT(type, member) offsetof(struct type, member)

static policy_read_function read_override_thresholds;

const struct policy_key policy_threshold_keys[] = {
    {"warning", policy_read_threshold, AT(model_metric_thresholds, warning),
     "a change such as 3% or 0.002 absolute", 0},
    {"critical", policy_read_threshold, AT(model_metric_thresholds, critical),
     "a change such as 10% or 0.005 absolute", 0},
    {NULL, NULL, 0, NULL, 0},
};

const struct policy_key policy_override_keys[] = {
    {"match", policy_read_name, AT(model_policy_override, match), "a pattern such as \"parse/*\"",
     0},
    {"core", policy_read_bool, AT(model_policy_override, is_core), "true or false",
     AT(model_policy_override, has_core)},
    {"thresholds", read_override_thresholds, AT(model_policy_override, thresholds),
     "a mapping such as {time: {warning: 2%, critical: 5%}}", 0},
    {NULL, NULL, 0, NULL, 0},
};

const struct policy_key policy_requirement_keys[] = {
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

const struct policy_key policy_waiver_keys[] = {
    {"match", policy_read_name, AT(model_policy_waiver, match), "a pattern such as \"io/*\"", 0},
    {"metric", policy_read_name, AT(model_policy_waiver, metric), "a metric such as time", 0},
    {"reason", policy_read_text, AT(model_policy_waiver, reason),
     "a text such as \"new fsync, agreed\"", 0},
    {"by", policy_read_text, AT(model_policy_waiver, by), "a name such as \"A. Person\"", 0},
    {"until", policy_read_date, AT(model_policy_waiver, until_date), "a day such as 2027-01-31", 0},
    {NULL, NULL, 0, NULL, 0},
};

static const char *shown_threshold(struct policy_reader *reader,
                                   const struct model_threshold *threshold)
{
    return arena_printf(reader->arena, "%g%%", threshold->value * 100);
}

static tare_status check_thresholds(struct policy_reader *reader, const yaml_node_t *node,
                                    const struct model_metric_thresholds *thresholds)
{
    const struct model_threshold *warning = &thresholds->warning;
    const struct model_threshold *critical = &thresholds->critical;
    const char *metric = policy_shown(reader, thresholds->metric);
    if (!warning->is_set && !critical->is_set) {
        return policy_complain(reader, &node->start_mark,
                               "thresholds of %s: say warning, critical or both", metric);
    }
    if (!warning->is_set || !critical->is_set) {
        return TARE_OK;
    }
    if (warning->is_absolute != critical->is_absolute ||
        strcmp(warning->unit, critical->unit) != 0) {
        return policy_complain(
            reader, &node->start_mark,
            "thresholds of %s: warning and critical must both be relative, or both "
            "absolute in one unit",
            metric);
    }
    if (critical->value < warning->value) {
        return policy_complain(reader, &node->start_mark,
                               "thresholds of %s: critical must not be below warning", metric);
    }
    return TARE_OK;
}

/* A level that is not said is that of `donor`, when both are shares. */
static tare_status complete_thresholds(struct policy_reader *reader, const yaml_node_t *node,
                                       const struct model_metric_thresholds *donor,
                                       struct model_metric_thresholds *thresholds)
{
    bool is_warning_said = thresholds->warning.is_set;
    const struct model_threshold *said =
        is_warning_said ? &thresholds->warning : &thresholds->critical;
    struct model_threshold *unsaid = is_warning_said ? &thresholds->critical : &thresholds->warning;
    if (donor == NULL || unsaid->is_set || said->is_absolute) {
        return TARE_OK;
    }
    const struct model_threshold *given = is_warning_said ? &donor->critical : &donor->warning;
    if (!given->is_set || given->is_absolute) {
        return TARE_OK;
    }
    *unsaid = *given;
    if (thresholds->critical.value < thresholds->warning.value) {
        return policy_complain(reader, &node->start_mark,
                               "thresholds of %s: %s is not said here and stays %s, which does not "
                               "fit: say both",
                               policy_shown(reader, thresholds->metric),
                               is_warning_said ? "critical" : "warning",
                               shown_threshold(reader, given));
    }
    return TARE_OK;
}

static const struct model_metric_thresholds *find_row(const struct model_threshold_list *list,
                                                      const char *metric)
{
    for (ptrdiff_t i = 0; i < list->count; i++) {
        if (strcmp(list->items[i].metric, metric) == 0) {
            return &list->items[i];
        }
    }
    return NULL;
}

/* The rows as the file has them, each completed from `donors`; room is left for `more` rows. */
static tare_status read_rows(struct policy_reader *reader, yaml_node_t *node,
                             const struct policy_key *key,
                             const struct model_threshold_list *donors, ptrdiff_t more,
                             struct model_metric_thresholds **rows, ptrdiff_t *count)
{
    const char **names = NULL;
    tare_status status = policy_open_names(reader, node, key, &names, count);
    if (status != TARE_OK) {
        return status;
    }
    *rows = ARENA_ARRAY(reader->arena, struct model_metric_thresholds, *count + more);
    for (ptrdiff_t i = 0; status == TARE_OK && i < *count; i++) {
        struct model_metric_thresholds *row = &(*rows)[i];
        yaml_node_t *value = policy_mapping_value(reader, node, i);
        if (value == NULL) {
            return TARE_ERROR_USAGE;
        }
        row->metric = names[i];
        row->line = policy_line(value);
        status =
            policy_read_mapping(reader, value, policy_threshold_keys, "a metric's thresholds", row);
        if (status == TARE_OK) {
            status = check_thresholds(reader, value, row);
        }
        if (status == TARE_OK) {
            const struct model_metric_thresholds *own = find_row(donors, row->metric);
            const struct model_metric_thresholds *donor = own != NULL ? own : find_row(donors, "*");
            status = complete_thresholds(reader, value, donor, row);
        }
    }
    return status;
}

/* The file's rows, then those of the preset that the file says nothing about. A row "*" of the file
 * speaks about all of them. */
tare_status policy_read_thresholds(struct policy_reader *reader, yaml_node_t *node,
                                   const struct policy_key *key, void *target)
{
    const struct model_threshold_list preset =
        model_policy_preset(reader->policy->preset).thresholds;
    struct model_metric_thresholds *rows = NULL;
    ptrdiff_t count = 0;
    tare_status status = read_rows(reader, node, key, &preset, preset.count, &rows, &count);
    if (status != TARE_OK) {
        return status;
    }
    struct model_threshold_list said = {.items = rows, .count = count};
    bool is_all_said = find_row(&said, "*") != NULL;
    for (ptrdiff_t i = 0; i < preset.count && !is_all_said; i++) {
        if (find_row(&said, preset.items[i].metric) == NULL) {
            rows[count++] = preset.items[i];
        }
    }
    *(struct model_threshold_list *)target =
        (struct model_threshold_list){.items = rows, .count = count};
    return TARE_OK;
}

static tare_status read_override_thresholds(struct policy_reader *reader, yaml_node_t *node,
                                            const struct policy_key *key, void *target)
{
    struct model_metric_thresholds *rows = NULL;
    ptrdiff_t count = 0;
    tare_status status =
        read_rows(reader, node, key, &reader->policy->thresholds, 0, &rows, &count);
    *(struct model_threshold_list *)target =
        (struct model_threshold_list){.items = rows, .count = status == TARE_OK ? count : 0};
    return status;
}

/* Complains when two items of a list have the same key. */
static tare_status check_twins(struct policy_reader *reader, const yaml_node_t *node,
                               const char *const *keys, ptrdiff_t count, const char *advice)
{
    ptrdiff_t twin = policy_first_twin(reader, keys, count);
    if (twin < 0) {
        return TARE_OK;
    }
    const yaml_node_t *item = policy_list_item(reader, node, twin);
    return item == NULL ? TARE_ERROR_USAGE
                        : policy_complain(reader, &item->start_mark, "'%s' is there before: %s",
                                          policy_shown(reader, keys[twin]), advice);
}

static tare_status check_override(struct policy_reader *reader, const yaml_node_t *node,
                                  const struct model_policy_override *override)
{
    if (override->match == NULL) {
        return policy_complain(reader, &node->start_mark,
                               "an override needs match: which benchmarks, such as \"parse/*\"");
    }
    if (!override->has_core && override->thresholds.count == 0) {
        return policy_complain(reader, &node->start_mark,
                               "an override of '%s' needs core or thresholds: it changes nothing",
                               policy_shown(reader, override->match));
    }
    return TARE_OK;
}

tare_status policy_read_overrides(struct policy_reader *reader, yaml_node_t *node,
                                  const struct policy_key *key, void *target)
{
    struct model_policy *policy = target;
    void *items = NULL;
    tare_status status = policy_open_list(reader, node, key, sizeof *policy->overrides, &items,
                                          &policy->override_count);
    if (status != TARE_OK) {
        return status;
    }
    policy->overrides = items;
    const char **matches = ARENA_ARRAY(reader->arena, const char *, policy->override_count);
    for (ptrdiff_t i = 0; status == TARE_OK && i < policy->override_count; i++) {
        struct model_policy_override *override = &policy->overrides[i];
        yaml_node_t *item = policy_list_item(reader, node, i);
        if (item == NULL) {
            return TARE_ERROR_USAGE;
        }
        override->line = policy_line(item);
        status = policy_read_mapping(reader, item, policy_override_keys, "an override", override);
        if (status == TARE_OK) {
            status = check_override(reader, item, override);
        }
        matches[i] = override->match;
    }
    return status == TARE_OK ? check_twins(reader, node, matches, policy->override_count,
                                           "write both as one override")
                             : status;
}

static tare_status check_requirement(struct policy_reader *reader, const yaml_node_t *node,
                                     const struct model_policy_requirement *requirement)
{
    const struct model_quantity *floor = &requirement->at_least;
    const struct model_quantity *ceiling = &requirement->at_most;
    if (requirement->metric == NULL || !(floor->is_set || ceiling->is_set)) {
        return policy_complain(reader, &node->start_mark,
                               "a requirement needs metric, and at_least or at_most");
    }
    if (!floor->is_set || !ceiling->is_set) {
        return TARE_OK;
    }
    if (strcmp(floor->unit, ceiling->unit) != 0) {
        return policy_complain(reader, &node->start_mark,
                               "at_least and at_most must be in one unit, not '%s' and '%s'",
                               policy_shown(reader, floor->unit),
                               policy_shown(reader, ceiling->unit));
    }
    return floor->value <= ceiling->value
               ? TARE_OK
               : policy_complain(reader, &node->start_mark,
                                 "at_least is above at_most: nothing can satisfy both");
}

tare_status policy_read_requirements(struct policy_reader *reader, yaml_node_t *node,
                                     const struct policy_key *key, void *target)
{
    struct model_policy *policy = target;
    void *items = NULL;
    tare_status status = policy_open_list(reader, node, key, sizeof *policy->requirements, &items,
                                          &policy->requirement_count);
    if (status != TARE_OK) {
        return status;
    }
    policy->requirements = items;
    const char **names = ARENA_ARRAY(reader->arena, const char *, policy->requirement_count);
    for (ptrdiff_t i = 0; status == TARE_OK && i < policy->requirement_count; i++) {
        struct model_policy_requirement *requirement = &policy->requirements[i];
        yaml_node_t *item = policy_list_item(reader, node, i);
        if (item == NULL) {
            return TARE_ERROR_USAGE;
        }
        requirement->match = "*";
        requirement->line = policy_line(item);
        status = policy_read_mapping(reader, item, policy_requirement_keys, "a requirement",
                                     requirement);
        if (status == TARE_OK) {
            status = check_requirement(reader, item, requirement);
        }
        if (status == TARE_OK) {
            names[i] =
                arena_printf(reader->arena, "%s %s", requirement->match, requirement->metric);
        }
    }
    return status == TARE_OK ? check_twins(reader, node, names, policy->requirement_count,
                                           "write at_least and at_most as one requirement")
                             : status;
}

tare_status policy_read_renames(struct policy_reader *reader, yaml_node_t *node,
                                const struct policy_key *key, void *target)
{
    struct model_policy *policy = target;
    const char **names = NULL;
    tare_status status = policy_open_names(reader, node, key, &names, &policy->rename_count);
    if (status != TARE_OK) {
        return status;
    }
    policy->renames = ARENA_ARRAY(reader->arena, struct model_policy_rename, policy->rename_count);
    for (ptrdiff_t i = 0; i < policy->rename_count; i++) {
        struct model_policy_rename *rename = &policy->renames[i];
        rename->old_name = names[i];
        yaml_node_t *value = policy_mapping_value(reader, node, i);
        status = value == NULL ? TARE_ERROR_USAGE
                               : policy_read_name(reader, value, key, &rename->new_name);
        if (status != TARE_OK) {
            return status;
        }
        if (strcmp(rename->old_name, rename->new_name) == 0) {
            return policy_complain(reader, &value->start_mark, "'%s' is renamed to itself",
                                   policy_shown(reader, rename->new_name));
        }
        for (ptrdiff_t j = 0; j < i; j++) {
            if (strcmp(policy->renames[j].new_name, rename->new_name) == 0) {
                return policy_complain(reader, &value->start_mark,
                                       "two benchmarks are renamed to '%s'",
                                       policy_shown(reader, rename->new_name));
            }
        }
    }
    return TARE_OK;
}

static const char *missing_in_waiver(const struct model_policy_waiver *waiver)
{
    return waiver->match == NULL     ? "match"
           : waiver->reason == NULL  ? "reason"
           : waiver->by == NULL      ? "by"
           : waiver->until_date == 0 ? "until"
                                     : NULL;
}

tare_status policy_read_waivers(struct policy_reader *reader, yaml_node_t *node,
                                const struct policy_key *key, void *target)
{
    struct model_policy *policy = target;
    void *items = NULL;
    tare_status status =
        policy_open_list(reader, node, key, sizeof *policy->waivers, &items, &policy->waiver_count);
    if (status != TARE_OK) {
        return status;
    }
    policy->waivers = items;
    const char **names = ARENA_ARRAY(reader->arena, const char *, policy->waiver_count);
    for (ptrdiff_t i = 0; status == TARE_OK && i < policy->waiver_count; i++) {
        struct model_policy_waiver *waiver = &policy->waivers[i];
        yaml_node_t *item = policy_list_item(reader, node, i);
        if (item == NULL) {
            return TARE_ERROR_USAGE;
        }
        waiver->line = policy_line(item);
        status = policy_read_mapping(reader, item, policy_waiver_keys, "a waiver", waiver);
        if (status == TARE_OK && missing_in_waiver(waiver) != NULL) {
            status =
                policy_complain(reader, &item->start_mark,
                                "a waiver needs match, reason, by and until (what, why, who, until "
                                "when): this one has no %s",
                                missing_in_waiver(waiver));
        }
        if (status == TARE_OK) {
            names[i] = arena_printf(reader->arena, "%s%s%s", waiver->match,
                                    waiver->metric != NULL ? " " : "",
                                    waiver->metric != NULL ? waiver->metric : "");
        }
    }
    return status == TARE_OK ? check_twins(reader, node, names, policy->waiver_count,
                                           "change that waiver instead of adding one")
                             : status;
}
