#include "codec/decision_read.h"

#include "codec/json_read.h"

#include <math.h>
#include <string.h>

/* The document being read; the first mistake sticks. */
struct reading {
    struct arena *arena;
    const char *what;
    tare_status status;
    struct tare_error *error;
};

static void refuse(struct reading *reading, const char *problem)
{
    if (reading->status == TARE_OK) {
        reading->status = error_set(reading->error, TARE_ERROR_MEASURE, "%s is no comparison: %s",
                                    reading->what, problem);
    }
}

static double read_number(struct reading *reading, const json_t *object, const char *name)
{
    const json_t *value = json_object_get(object, name);
    if (value == NULL || json_is_null(value)) {
        return NAN;
    }
    if (!json_is_number(value)) {
        refuse(reading, "a figure is not a number");
        return NAN;
    }
    return json_number_value(value);
}

static double read_number_or(struct reading *reading, const json_t *object, const char *name,
                             double fallback)
{
    double value = read_number(reading, object, name);
    return isnan(value) ? fallback : value;
}

static ptrdiff_t read_count(struct reading *reading, const json_t *object, const char *name)
{
    double value = read_number_or(reading, object, name, 0);
    if (!(value >= 0 && value <= MODEL_SAMPLES_MAX)) {
        refuse(reading, "a count is out of range");
        return 0;
    }
    return (ptrdiff_t)value;
}

/* The place of a word among the names that a function gives; names end with `count`. */
static int read_choice(struct reading *reading, const json_t *object, const char *name, int count,
                       const char *(*name_of)(int))
{
    const char *text = json_string_value(json_object_get(object, name));
    for (int i = 0; i < count && text != NULL; i++) {
        if (name_of(i) != NULL && strcmp(name_of(i), text) == 0) {
            return i;
        }
    }
    refuse(reading, "a verdict, basis or direction is unknown");
    return 0;
}

static const char *verdict_name(int i)
{
    return model_verdict_name((enum model_verdict)i);
}

static const char *basis_name(int i)
{
    return model_basis_name((enum model_basis)i);
}

static const char *better_name(int i)
{
    return model_better_name((enum model_better)i);
}

static struct model_side read_side(struct reading *reading, const json_t *side)
{
    struct model_side result = {
        .launches = read_count(reading, side, "launches"),
        .count = read_count(reading, side, "n"),
    };
    double median = read_number(reading, side, "median");
    result.count = isnan(median) ? 0 : result.count;
    result.median = isnan(median) ? 0 : median;
    return result;
}

static void read_parameters(struct reading *reading, const json_t *params,
                            struct model_comparison *item)
{
    size_t count = json_object_size(params);
    if (count > MODEL_PARAMETERS_MAX) {
        refuse(reading, "too many parameters");
        return;
    }
    item->parameters = ARENA_ARRAY(reading->arena, struct model_parameter, (ptrdiff_t)count);
    const char *name;
    json_t *value;
    json_object_foreach((json_t *)params, name, value)
    {
        item->parameters[item->parameter_count++] = (struct model_parameter){
            .name = arena_strdup(reading->arena, name),
            .value =
                arena_strdup(reading->arena, json_is_string(value) ? json_string_value(value) : ""),
        };
    }
}

static void read_interval(struct reading *reading, const json_t *object,
                          struct model_comparison *item)
{
    const json_t *pair = json_object_get(object, "ci");
    item->ratio = read_number_or(reading, object, "ratio", 0);
    item->has_ratio = item->ratio > 0;
    item->has_interval = json_array_size(pair) == 2;
    if (item->has_interval) {
        item->low = json_number_value(json_array_get(pair, 0));
        item->high = json_number_value(json_array_get(pair, 1));
        bool is_sound = item->low > 0 && item->high >= item->low && isfinite(item->high);
        if (!is_sound) {
            refuse(reading, "an interval is none");
        }
    }
}

static void read_item(struct reading *reading, const json_t *object, struct model_comparison *item)
{
    struct arena *arena = reading->arena;
    *item = (struct model_comparison){
        .benchmark = json_read_text(arena, object, "benchmark", NULL),
        .new_name = json_read_text(arena, object, "new_name", NULL),
        .metric = json_read_text(arena, object, "metric", NULL),
        .unit = json_read_text(arena, object, "unit", ""),
        .method = json_read_text(arena, object, "ci_method", "none"),
        .reason = json_read_text(arena, object, "reason", ""),
        .reason_code = json_read_text(arena, object, "reason_code", ""),
        .witness = json_read_text(arena, object, "witness", NULL),
        .better = (enum model_better)read_choice(reading, object, "better", 2, better_name),
        .basis = (enum model_basis)read_choice(reading, object, "basis", 4, basis_name),
        .verdict = (enum model_verdict)read_choice(reading, object, "verdict", MODEL_VERDICT_COUNT,
                                                   verdict_name),
        .is_gated = json_is_true(json_object_get(object, "gated")),
        .old_side = read_side(reading, json_object_get(object, "old")),
        .new_side = read_side(reading, json_object_get(object, "new")),
        .tail_ratio = read_number_or(reading, object, "tail_ratio", 0),
        .band = read_number_or(reading, object, "band", 0),
        .floor = read_number_or(reading, object, "noise_floor", 0),
        .seconds = read_number_or(reading, object, "seconds", 0),
        .seconds_more = read_number_or(reading, object, "seconds_more", 0),
        .limit = -1,
    };
    if (item->benchmark == NULL || item->metric == NULL) {
        refuse(reading, "a comparison has no benchmark or metric");
        item->benchmark = item->metric = "";
    }
    if (!(item->band >= 0 && item->band < 1)) {
        refuse(reading, "a band is out of range");
    }
    read_parameters(reading, json_object_get(object, "params"), item);
    read_interval(reading, object, item);
}

static const char **read_texts(struct reading *reading, const json_t *root, const char *name,
                               ptrdiff_t *count)
{
    const json_t *array = json_object_get(root, name);
    size_t size = json_array_size(array);
    const char **texts = ARENA_ARRAY(reading->arena, const char *, (ptrdiff_t)size);
    for (size_t i = 0; i < size; i++) {
        const char *text = json_string_value(json_array_get(array, i));
        texts[i] = arena_strdup(reading->arena, text != NULL ? text : "");
    }
    *count = (ptrdiff_t)size;
    return texts;
}

static void read_fields(struct reading *reading, const json_t *object, struct model_fields *fields)
{
    const char *key;
    json_t *value;
    if (json_object_size(object) > MODEL_FIELDS_MAX) {
        refuse(reading, "too many facts about a machine");
        return;
    }
    json_object_foreach((json_t *)object, key, value)
    {
        if (json_is_string(value)) {
            model_field_set(reading->arena, fields, key, json_string_value(value));
        }
    }
}

static void read_machine(struct reading *reading, const json_t *object,
                         struct model_machine *machine)
{
    const char *id = json_read_text(reading->arena, object, "id", "");
    if (strlen(id) == sizeof machine->id - 1) {
        memcpy(machine->id, id, sizeof machine->id);
    }
    read_fields(reading, json_object_get(object, "identity"), &machine->identity);
    read_fields(reading, json_object_get(object, "conditions"), &machine->conditions);
}

static void read_root(struct reading *reading, const json_t *root,
                      struct decision_document *document)
{
    struct model_decision *decision = &document->decision;
    const char *id = json_read_text(reading->arena, root, "id", "");
    if (strcmp(json_read_text(reading->arena, root, "kind", ""), "comparison") != 0 ||
        strlen(id) != sizeof decision->id - 1) {
        refuse(reading, "it has no kind \"comparison\" or no id");
        return;
    }
    memcpy(decision->id, id, sizeof decision->id);
    decision->old_name = json_read_text(reading->arena, root, "old", "old");
    decision->new_name = json_read_text(reading->arena, root, "new", "new");
    decision->confidence = read_number_or(reading, root, "confidence", 0);
    decision->gated_count = read_count(reading, root, "gated_comparisons");
    decision->seconds = read_number_or(reading, root, "seconds", 0);
    decision->next = json_read_text(reading->arena, root, "next", NULL);
    decision->missing = read_texts(reading, root, "missing", &decision->missing_count);
    decision->added = read_texts(reading, root, "added", &decision->added_count);
    decision->policy_changes =
        read_texts(reading, root, "policy_changes", &decision->policy_change_count);
    decision->warnings = read_texts(reading, root, "warnings", &decision->warning_count);
    decision->warning_capacity = decision->warning_count;
    document->exit_code = (int)read_count(reading, root, "exit");
    read_machine(reading, json_object_get(root, "machine"), &document->machine);
    size_t index;
    json_t *item;
    json_array_foreach(json_object_get(root, "comparisons"), index, item)
    {
        read_item(reading, item, model_decision_add(reading->arena, decision));
    }
}

tare_status decision_read(struct arena *arena, const char *text, const char *what,
                          struct decision_document *document, struct tare_error *error)
{
    *document = (struct decision_document){0};
    json_t *root = NULL;
    tare_status status = json_read_object(arena, text, what, &root, error);
    if (status != TARE_OK) {
        return status;
    }
    struct reading reading = {.arena = arena, .what = what, .error = error};
    read_root(&reading, root, document);
    json_decref(root);
    return reading.status;
}
