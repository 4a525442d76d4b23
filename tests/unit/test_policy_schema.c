/* The editors' schema (docs/tare.schema.json) has exactly the keys the reader knows, with their
 * defaults. What it says about values is held against the reader by tests/cli/policy.bats. */
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

static int load(void **state)
{
    (void)state;
    struct arena arena = {0};
    static const char own_name[] = "tests/unit/test_policy_schema.c";
    const char *path = arena_printf(&arena, "%.*sdocs/tare.schema.json",
                                    (int)(strlen(__FILE__) - strlen(own_name)), __FILE__);
    json_error_t error;
    schema = json_load_file(path, JSON_REJECT_DUPLICATES, &error);
    if (schema == NULL) {
        print_error("%s:%d: %s\n", path, error.line, error.text);
    }
    arena_free(&arena);
    return schema == NULL;
}

static int unload(void **state)
{
    (void)state;
    json_decref(schema);
    return 0;
}

static void test_keys(void **state)
{
    (void)state;
    struct arena arena = {0};
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
    arena_free(&arena);
}

/* Reads a policy that only says KEY: the schema's default of it. */
static void check_default(struct arena *arena, const char *key, json_t *value)
{
    const char *text = json_is_string(value)
                           ? arena_printf(arena, "%s%s\n", key, json_string_value(value))
                           : arena_printf(arena, "%s%d\n", key, (int)json_integer_value(value));
    struct model_policy policy;
    struct tare_error error = {0};
    if (policy_read(arena, text, (ptrdiff_t)strlen(text), "x", &policy, &error) != TARE_OK) {
        fail_msg("%s%s", text, error.message);
    }
    struct model_policy usual = model_policy_default();
    usual.is_empty = false;
    struct model_text_list changes = model_policy_diff(arena, &usual, &policy);
    if (changes.count > 0) {
        fail_msg("%s is no default: %s", text, changes.items[0]);
    }
}

/* Saying what the schema calls the default changes nothing. */
static void test_defaults(void **state)
{
    (void)state;
    struct arena arena = {0};
    json_t *properties = json_object_get(schema, "properties");
    const char *name = NULL;
    json_t *child = NULL;
    int checked = 0;
    json_object_foreach(properties, name, child)
    {
        json_t *value = json_object_get(child, "default");
        if (value != NULL) {
            check_default(&arena, arena_printf(&arena, "%s: ", name), value);
            checked++;
        }
    }
    assert_true(checked >= 15);
    json_t *routes = json_object_get(json_object_get(properties, "routes"), "properties");
    assert_int_equal(json_object_size(routes), MODEL_ROUTE_COUNT);
    json_object_foreach(routes, name, child)
    {
        json_t *value = json_object_get(child, "default");
        assert_non_null(value);
        check_default(&arena, arena_printf(&arena, "routes:\n  %s: ", name), value);
    }
    arena_free(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_keys),
                                       cmocka_unit_test(test_defaults)};
    return cmocka_run_group_tests_name("policy_schema", tests, load, unload);
}
