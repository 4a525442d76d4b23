/* The editors' schema (docs/tare.schema.json) has exactly the keys the reader knows. What it says
 * about values is held against the reader by tests/cli/policy.bats. */
#include "codec/policy_yaml.h"

#include <jansson.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

enum { KEYS_MAX = 500, DEPTH_MAX = 12 };

struct keys {
    struct arena *arena;
    const char *names[KEYS_MAX];
    int count;
};

static json_t *schema;

/* What "$ref", or the single "$ref" in an allOf, points at. */
static json_t *resolve(json_t *node)
{
    const char *reference = json_string_value(json_object_get(node, "$ref"));
    if (reference == NULL) {
        json_t *all = json_object_get(node, "allOf");
        reference = json_string_value(json_object_get(json_array_get(all, 0), "$ref"));
    }
    static const char place[] = "#/definitions/";
    if (reference == NULL || strncmp(reference, place, sizeof place - 1) != 0) {
        return node;
    }
    json_t *found =
        json_object_get(json_object_get(schema, "definitions"), reference + sizeof place - 1);
    assert_non_null(found);
    return found;
}

/* Adds the keys of a schema node, named as policy_known_keys names them. */
static void collect(struct keys *keys, json_t *node, const char *path, int depth)
{
    assert_true(depth < DEPTH_MAX);
    node = resolve(node);
    const char *name = NULL;
    json_t *child = NULL;
    json_object_foreach(json_object_get(node, "properties"), name, child)
    {
        assert_true(keys->count < KEYS_MAX);
        const char *key = arena_printf(keys->arena, "%s%s", path, name);
        keys->names[keys->count++] = key;
        collect(keys, child, arena_printf(keys->arena, "%s.", key), depth + 1);
    }
    /* Every mapping is closed: an editor marks a key that is not listed. */
    if (json_object_get(node, "properties") != NULL) {
        assert_true(json_is_false(json_object_get(node, "additionalProperties")));
    }
    json_t *items = json_object_get(node, "items");
    if (items != NULL) {
        int length = (int)strlen(path) - 1;
        collect(keys, items, arena_printf(keys->arena, "%.*s[].", length, path), depth + 1);
    }
    json_t *others = json_object_get(node, "additionalProperties");
    if (json_is_object(others)) {
        collect(keys, others, arena_printf(keys->arena, "%s*.", path), depth + 1);
    }
}

static bool has(const char *const *names, ptrdiff_t count, const char *name)
{
    for (ptrdiff_t i = 0; i < count; i++) {
        if (strcmp(names[i], name) == 0) {
            return true;
        }
    }
    return false;
}

static void test_keys(void **state)
{
    (void)state;
    struct arena arena = {0};
    static const char own_name[] = "tests/unit/test_policy_schema.c";
    const char *path = arena_printf(&arena, "%.*sdocs/tare.schema.json",
                                    (int)(strlen(__FILE__) - strlen(own_name)), __FILE__);
    json_error_t error;
    schema = json_load_file(path, JSON_REJECT_DUPLICATES, &error);
    if (schema == NULL) {
        fail_msg("%s:%d: %s", path, error.line, error.text);
    }
    struct keys found = {.arena = &arena};
    collect(&found, schema, "", 0);
    struct model_text_list known = policy_known_keys(&arena);
    for (ptrdiff_t i = 0; i < known.count; i++) {
        if (!has(found.names, found.count, known.items[i])) {
            fail_msg("the reader knows %s, the schema does not", known.items[i]);
        }
    }
    for (int i = 0; i < found.count; i++) {
        if (!has(known.items, known.count, found.names[i])) {
            fail_msg("the schema has %s, the reader does not", found.names[i]);
        }
    }
    json_decref(schema);
    arena_free(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_keys)};
    return cmocka_run_group_tests_name("policy_schema", tests, NULL, NULL);
}
