/* What a gate decided, for people within 80 columns and as JSON. */
#include "report/gate_text.h"

#include "base/text.h"
#include "report/comparison_json.h"

#include "judge_fixture.h"

#include <jansson.h>

static void assert_fits(const char *text, ptrdiff_t width)
{
    struct arena arena = {0};
    char *copy = arena_strdup(&arena, text);
    for (char *line = strtok(copy, "\n"); line != NULL; line = strtok(NULL, "\n")) {
        if (text_columns(line) > width) {
            print_error("%td columns: %s\n", text_columns(line), line);
        }
        assert_true(text_columns(line) <= width);
    }
    arena_free(&arena);
}

static const char *text_of(struct fixture *f, struct report_style style)
{
    struct model_machine machine = {0};
    struct buffer out = buffer_new(&f->arena, BUFFER_LENGTH_MAX);
    model_decision_sort(&f->decision);
    judge(f);
    report_gate_text(&out, &f->decision, &machine, &style);
    return buffer_string(&out);
}

static const char *narrow(struct fixture *f)
{
    return text_of(f, (struct report_style){.columns = 80});
}

static void assert_has(const char *text, const char *part)
{
    if (strstr(text, part) == NULL) {
        print_error("no \"%s\" in:\n%s\n", part, text);
    }
    assert_non_null(strstr(text, part));
}

static void assert_lacks(const char *text, const char *part)
{
    if (strstr(text, part) != NULL) {
        print_error("\"%s\" in:\n%s\n", part, text);
    }
    assert_null(strstr(text, part));
}

/* One of everything. */
static struct fixture *rich(struct model_policy_waiver *waivers)
{
    struct fixture *f = fixture_new();
    waivers[0] = (struct model_policy_waiver){.match = "io/*",
                                              .metric = "time",
                                              .reason = "new fsync, agreed",
                                              .by = "A. Person",
                                              .until_date = TODAY};
    waivers[1] = (struct model_policy_waiver){
        .match = "old/*", .reason = "long ago", .by = "B. Person", .until_date = TODAY - 1};
    set_waivers(f, waivers, 2);
    static const char *changes[] = {"threshold time.warning: 3% → 50%"};
    f->decision.policy_changes = changes;
    f->decision.policy_change_count = 1;
    f->decision.next = "tare profile --diff --rev main";
    add_time(f, "parse/json", 1.2, 1.3);
    add_time(f, "lookup/1M", 0.95, 1.2)->seconds_more = 25;
    add_time(f, "io/write", 1.1, 1.2);
    add_time(f, "write/json", 0.999, 1.001);
    add_benchmark(f, "decode/display", "throughput", "B/s", 4.0 * 1073741824, 12);
    add_requirement(f, "decode/display", "throughput")->at_least =
        quantity(4.1 * 1073741824, "B/s");
    add_requirement(f, "decode/*", "throughput")->at_least = quantity(3.9 * 1073741824, "B/s");
    add_requirement(f, "encode", "throughput")->at_least = quantity(3.9 * 1073741824, "B/s");
    return f;
}

/* Goal: everything that decided is there, within 80 columns. */
static void test_everything(void **state)
{
    (void)state;
    struct model_policy_waiver waivers[2];
    struct fixture *f = rich(waivers);
    const char *text = narrow(f);
    assert_fits(text, 80);
    assert_has(text, "gate\n");
    assert_has(text, "FAIL\n");
    assert_has(text, "FAIL parse/json time: at least 20 % worse (limit 3 %), confirmed");
    assert_has(text, "about 25 s more would");
    assert_has(text, "waived io/write time");
    assert_has(text, "gate: FAIL (critical): parse/json time is at least 20 % worse (limit 3 %)");
    assert_has(text, "at least 4.1 GiB/s");
    assert_has(text, "4.00 GiB/s (3.99 … 4.01)");
    assert_has(text, "NOT MET");
    assert_has(text, "NOT CHECKED: no benchmark of new has this name");
    assert_has(text,
               "waiver: io/write time waived: new fsync, agreed (A. Person, until 2027-01-31)");
    assert_has(text, "ended on 2027-01-30");
    assert_has(text, "judged by the base's policy; this change edits it:\n  threshold");
    assert_has(text, "certainty: 4 comparisons decide");
    assert_has(text, "route: fix (perf-fixer): beyond the budget; localised");
    assert_has(text, "next: tare profile --diff --rev main\n");
    assert_lacks(text, "perf: "); /* evidence is for -v and for ledgers */
    assert_lacks(text, "\033");
    assert_has(text_of(f, (struct report_style){.columns = 80, .is_verbose = true}), "perf: ");
    fixture_free(f);
}

/* Goal: each outcome has its word in the sentence to repeat. */
static void test_outcomes(void **state)
{
    (void)state;
    struct fixture *f = fixture_new();
    assert_has(narrow(f), "gate: invalid: nothing was compared.");
    f->context.has_baseline = false;
    assert_has(narrow(f), "gate: no-baseline: there is nothing to compare with.");
    f->context.has_baseline = true;
    add_time(f, "a", 0.999, 1.001);
    const char *text = narrow(f);
    assert_has(text, "gate: pass: 1 comparison is within its limit.");
    assert_has(text, "pass\n");
    assert_lacks(text, "FAIL");
    add_time(f, "b", 0.9, 1.2);
    assert_has(narrow(f), "gate: inconclusive: 1 of 2 comparisons are not decided; b time");
    f->policy.inconclusive = MODEL_OUTCOME_NEUTRAL;
    assert_has(narrow(f), "gate: neutral: 1 of 2 comparisons are within their limit; 1 of 2");
    fixture_free(f);
}

/* Goal: a comparison that nobody judged has no gate in its table or JSON. */
static void test_without_judgement(void **state)
{
    (void)state;
    struct fixture *f = fixture_new();
    struct model_machine machine = {0};
    add_time(f, "a", 0.999, 1.001);
    struct buffer out = buffer_new(&f->arena, BUFFER_LENGTH_MAX);
    report_comparison_json(&out, &f->decision, &machine, 0);
    json_t *root = json_loads(buffer_string(&out), 0, NULL);
    assert_true(json_is_null(json_object_get(root, "gate")));
    json_t *item = json_array_get(json_object_get(root, "comparisons"), 0);
    assert_true(json_is_null(json_object_get(item, "gate")));
    assert_true(json_is_null(json_object_get(item, "limit")));
    json_decref(root);
    fixture_free(f);
}

/* Goal: names and reasons from outside cannot move the cursor; long lists are cut and say so. */
static void test_hostile_and_many(void **state)
{
    (void)state;
    struct fixture *f = fixture_new();
    for (int i = 0; i < 30; i++) {
        add_time(f, arena_printf(&f->arena, "evil\033[2J/%d", i), 1.2, 1.3);
    }
    const char *text = narrow(f);
    assert_lacks(text, "\033");
    assert_fits(text, 80);
    assert_has(text, "FAIL 20 more (-v shows them)");
    assert_has(text, "gate: FAIL (critical): 30 of 30 comparisons are beyond their");
    fixture_free(f);
}

static const char *field(const json_t *object, const char *key)
{
    return json_string_value(json_object_get(object, key));
}

/* Goal: JSON carries the judgement whole, beside what it always had. */
static void test_json(void **state)
{
    (void)state;
    struct model_policy_waiver waivers[2];
    struct fixture *f = rich(waivers);
    struct model_machine machine = {0};
    struct buffer out = buffer_new(&f->arena, BUFFER_LENGTH_MAX);
    const struct model_judgement *j = judge(f);
    report_comparison_json(&out, &f->decision, &machine, j->exit_code);
    json_t *root = json_loads(buffer_string(&out), 0, NULL);
    assert_non_null(root);
    assert_int_equal(json_integer_value(json_object_get(root, "exit")), 1);
    const json_t *gate = json_object_get(root, "gate");
    assert_string_equal(field(gate, "outcome"), "fail");
    assert_string_equal(field(gate, "level"), "critical");
    assert_string_equal(field(gate, "fail_at"), "warning");
    assert_string_equal(field(gate, "reason"), j->reason);
    assert_string_equal(field(gate, "spread"), "localised");
    assert_non_null(field(gate, "correction"));
    const json_t *route = json_object_get(gate, "route");
    assert_string_equal(field(route, "kind"), "fix");
    assert_string_equal(field(route, "name"), "perf-fixer");
    assert_true(json_array_size(json_object_get(route, "evidence")) >= 2);
    const json_t *requirements = json_object_get(gate, "requirements");
    assert_int_equal(json_array_size(requirements), 3);
    assert_string_equal(field(json_array_get(requirements, 0), "gate"), "fail");
    assert_true(json_is_true(json_object_get(json_array_get(requirements, 0), "checked")));
    assert_true(json_is_false(json_object_get(json_array_get(requirements, 2), "checked")));
    assert_int_equal(json_array_size(json_object_get(gate, "waivers")), 2);
    assert_true(json_is_array(json_object_get(gate, "notes")));

    const json_t *items = json_object_get(root, "comparisons");
    const json_t *failed = json_array_get(items, 0);
    assert_string_equal(field(failed, "gate"), "fail");
    assert_true(json_number_value(json_object_get(failed, "limit")) == 0.03);
    assert_true(json_is_true(json_object_get(failed, "confirmed")));
    assert_true(json_is_null(json_object_get(failed, "waiver")));
    const json_t *waived = json_array_get(items, 2);
    assert_string_equal(field(waived, "gate"), "waived");
    assert_non_null(strstr(field(waived, "waiver"), "new fsync"));
    assert_string_equal(field(json_array_get(items, 1), "gate"), "inconclusive");
    json_decref(root);
    fixture_free(f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_everything),
        cmocka_unit_test(test_outcomes),
        cmocka_unit_test(test_without_judgement),
        cmocka_unit_test(test_hostile_and_many),
        cmocka_unit_test(test_json),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
