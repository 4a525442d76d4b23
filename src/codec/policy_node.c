/* policy_node.c: walking the nodes of tare.yaml by tables of keys.
 *
 * The depth of the walk is the depth of the tables, whatever the file nests; aliases are followed,
 * and each visit is counted against POLICY_NODES_MAX, so a file that multiplies itself is refused
 * early. */
#include "codec/policy_node.h"

#include "base/assert.h"
#include "base/text.h"

#include <stdlib.h>
#include <string.h>

/* The longest table, plus its end. */
enum { POLICY_KEYS_MAX = 48 };

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
    char list[640] = "";
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
tare_status policy_read_mapping(struct policy_reader *reader, yaml_node_t *node,
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
tare_status policy_open_list(struct policy_reader *reader, const yaml_node_t *node,
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
tare_status policy_open_names(struct policy_reader *reader, const yaml_node_t *node,
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

yaml_node_t *policy_list_item(struct policy_reader *reader, const yaml_node_t *node, ptrdiff_t i)
{
    return visit(reader, node->data.sequence.items.start[i]);
}

yaml_node_t *policy_mapping_value(struct policy_reader *reader, const yaml_node_t *node,
                                  ptrdiff_t i)
{
    return visit(reader, node->data.mapping.pairs.start[i].value);
}

int policy_line(const yaml_node_t *node)
{
    return (int)node->start_mark.line + 1;
}

/* One text of a list, with its place. */
struct placed_text {
    const char *text;
    ptrdiff_t place;
};

static int by_text_then_place(const void *a, const void *b)
{
    const struct placed_text *first = a;
    const struct placed_text *second = b;
    int order = strcmp(first->text, second->text);
    return order != 0 ? order : (first->place > second->place) - (first->place < second->place);
}

ptrdiff_t policy_first_twin(struct policy_reader *reader, const char *const *texts, ptrdiff_t count)
{
    struct placed_text *sorted = ARENA_ARRAY(reader->arena, struct placed_text, count);
    for (ptrdiff_t i = 0; i < count; i++) {
        sorted[i] = (struct placed_text){texts[i], i};
    }
    if (count > 1) {
        qsort(sorted, (size_t)count, sizeof *sorted, by_text_then_place);
    }
    ptrdiff_t first = -1;
    for (ptrdiff_t i = 1; i < count; i++) {
        bool is_twin = strcmp(sorted[i].text, sorted[i - 1].text) == 0;
        if (is_twin && (first < 0 || sorted[i].place < first)) {
            first = sorted[i].place;
        }
    }
    return first;
}

tare_status policy_read_texts(struct policy_reader *reader, yaml_node_t *node,
                              const struct policy_key *key, void *target)
{
    struct model_text_list *list = target;
    void *items = NULL;
    tare_status status =
        policy_open_list(reader, node, key, sizeof *list->items, &items, &list->count);
    list->items = items;
    for (ptrdiff_t i = 0; status == TARE_OK && i < list->count; i++) {
        yaml_node_t *item = policy_list_item(reader, node, i);
        status =
            item == NULL ? TARE_ERROR_USAGE : policy_scalar(reader, item, key, &list->items[i]);
    }
    return status;
}

/* Complains about item i of a list. */
static tare_status complain_item(struct policy_reader *reader, const yaml_node_t *node, ptrdiff_t i,
                                 const char *message, const char *text)
{
    const yaml_node_t *item = policy_list_item(reader, node, i);
    return item == NULL ? TARE_ERROR_USAGE
                        : policy_complain(reader, &item->start_mark, "'%s' %s",
                                          policy_shown(reader, text), message);
}

tare_status policy_read_names(struct policy_reader *reader, yaml_node_t *node,
                              const struct policy_key *key, void *target)
{
    struct model_text_list *list = target;
    tare_status status = policy_read_texts(reader, node, key, target);
    if (status != TARE_OK) {
        return status;
    }
    if (list->count == 0) {
        return policy_complain(reader, &node->start_mark,
                               "%s is an empty list: it wants %s (or remove the key)", key->name,
                               key->expected);
    }
    for (ptrdiff_t i = 0; i < list->count; i++) {
        if (!model_name_is_valid(list->items[i])) {
            return complain_item(reader, node, i, "is no name", list->items[i]);
        }
    }
    ptrdiff_t twin = policy_first_twin(reader, list->items, list->count);
    return twin < 0 ? TARE_OK
                    : complain_item(reader, node, twin, "is given twice", list->items[twin]);
}

/* A path that stays inside the folder it starts from, whatever is done with it. */
static bool is_inside(const char *path)
{
    /* A leading '-' would be taken for an option, ':' for git's pathspec magic. */
    bool is_plain = path[0] != '/' && path[0] != '-' && path[0] != ':';
    while (is_plain && *path != '\0') {
        size_t length = strcspn(path, "/");
        is_plain = !(length == 2 && path[0] == '.' && path[1] == '.');
        path += length;
        path += *path == '/';
    }
    return is_plain;
}

tare_status policy_read_paths(struct policy_reader *reader, yaml_node_t *node,
                              const struct policy_key *key, void *target)
{
    struct model_text_list *list = target;
    tare_status status = policy_read_names(reader, node, key, target);
    for (ptrdiff_t i = 0; status == TARE_OK && i < list->count; i++) {
        if (!is_inside(list->items[i])) {
            status =
                complain_item(reader, node, i, "must be a path inside the project, such as bench/",
                              list->items[i]);
        }
    }
    return status;
}
