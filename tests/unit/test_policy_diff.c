/* What differs between two policies, in words. A change of every key the reader knows must be
 * told: a key without a row here, or whose change is not told, fails. */
#include "codec/policy_yaml.h"
#include "model/policy.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

static struct arena arena;

static struct model_policy read_policy(const char *text)
{
    struct model_policy policy;
    struct tare_error error = {0};
    if (policy_read(&arena, text, (ptrdiff_t)strlen(text), "tare.yaml", &policy, &error) !=
        TARE_OK) {
        fail_msg("%s\n%s", text, error.message);
    }
    return policy;
}

static struct model_text_list diff(const char *base, const char *head)
{
    struct model_policy old = read_policy(base);
    struct model_policy new = read_policy(head);
    return model_policy_diff(&arena, &old, &new);
}

/* Exactly these lines, which are separated by '\n'. */
static void assert_diff(const char *base, const char *head, const char *wanted)
{
    struct model_text_list lines = diff(base, head);
    const char *found = "";
    for (ptrdiff_t i = 0; i < lines.count; i++) {
        found = arena_printf(&arena, "%s%s%s", found, i > 0 ? "\n" : "", lines.items[i]);
    }
    if (strcmp(found, wanted) != 0) {
        fail_msg("from: %s\nto: %s\nwanted: %s\nfound: %s", base, head, wanted, found);
    }
}

struct change {
    const char *key; /* as policy_known_keys has it */
    const char *base;
    const char *head;
    const char *lines;
};

#define W1 "match: io, metric: time, reason: slow, by: A, until: 2027-01-31"

static const struct change changes[] = {
    {"project", "project: a", "project: b", "project: 'a' → 'b'"},
    {"preset", "preset: default", "preset: copybook",
     "preset: default → copybook\n"
     "fail_at: warning → critical\n"
     "fail_at_core: none → warning\n"
     "threshold time.warning: 3% → none\n"
     "threshold time.critical: 10% → none\n"
     "threshold memory.warning: 10% → none\n"
     "threshold memory.critical: 30% → none\n"
     "threshold allocated.warning: 10% → none\n"
     "threshold allocated.critical: 30% → none\n"
     "threshold peak_live.warning: 10% → none\n"
     "threshold peak_live.critical: 30% → none\n"
     "threshold *.warning: 3% → 5%"},
    {"store", "store: a", "store: b", "store: 'a' → 'b'"},
    {"build", "build: make", "build: \"true\"", "build: 'make' → 'true'"},
    {"build_timeout", "build_timeout: 60s", "build_timeout: 2h", "build_timeout: 60 s → 7200 s"},
    {"benchmarks", "benchmarks: [{program: a}, {program: b}]", "benchmarks: [{program: b}]",
     "benchmark removed: 'a'"},
    {"benchmarks", "project: x", "{project: x, benchmarks: [{program: b}]}",
     "benchmark added: 'b'"},
    {"bench_from", "{bench_from: base, bench_paths: [b]}", "{bench_from: head, bench_paths: [b]}",
     "bench_from: base → head"},
    {"bench_paths", "bench_paths: [a, b]", "bench_paths: [b, c]",
     "bench_paths removed: 'a'\nbench_paths added: 'c'"},
    {"against", "against: main", "against: HEAD", "against: 'main' → 'HEAD'"},
    {"default_branch", "default_branch: main", "default_branch: x", "default_branch: 'main' → 'x'"},
    {"budget", "budget: 60s", "budget: 1ms", "budget: 60 s → 0.001 s"},
    {"confidence", "confidence: 99%", "confidence: 60%", "confidence: 99% → 60%"},
    {"min_effect", "min_effect: 1%", "min_effect: 40%", "min_effect: 1% → 40%"},
    {"precision", "project: x", "{project: x, precision: 1%}", "precision: none → 1%"},
    {"noise_floor_max", "noise_floor_max: 5%", "noise_floor_max: 90%", "noise_floor_max: 5% → 90%"},
    {"retries", "retries: 2", "retries: 0", "retries: 2 → 0"},
    {"count", "count: [size, instructions]", "count: [allocations]",
     "count: instructions size → allocations"},
    {"gate", "gate: [time, memory]", "gate: [memory, p99]",
     "gate added: 'p99'\ngate removed: 'time'"},
    {"gate", "project: x", "{project: x, gate: [time]}",
     "gate added: 'time'\ngate added: only the metrics it names decide"},
    {"gate", "{project: x, gate: [time]}", "project: x",
     "gate removed: 'time'\ngate removed: time and the benchmarks' own metrics decide"},
    {"thresholds", "thresholds: {own: {warning: 5%}}", "thresholds: {time: {warning: 4%}}",
     "threshold own.warning: 5% → none\nthreshold own.critical: 10% → none\n"
     "threshold time.warning: 3% → 4%"},
    {"thresholds.*.warning", "thresholds: {time: {warning: 3%, critical: 60%}}",
     "thresholds: {time: {warning: 50%, critical: 60%}}", "threshold time.warning: 3% → 50%"},
    {"thresholds.*.critical", "thresholds: {a: {warning: 1 absolute, critical: 2 absolute}}",
     "thresholds: {a: {warning: 1 absolute, critical: 3 absolute}}",
     "threshold a.critical: 2 absolute → 3 absolute"},
    {"thresholds.*.critical", "thresholds: {a: {warning: 1 absolute, critical: 2 absolute}}",
     "thresholds: {a: {warning: 1 ms absolute, critical: 2 ms absolute}}",
     "threshold a.warning: 1 absolute → 1e+06 ns absolute\n"
     "threshold a.critical: 2 absolute → 2e+06 ns absolute"},
    {"fail_at", "fail_at: warning", "fail_at: critical", "fail_at: warning → critical"},
    {"fail_at_core", "fail_at_core: minor", "fail_at_core: warning",
     "fail_at_core: minor → warning"},
    {"overrides", "overrides: [{match: a, core: true}, {match: b, core: true}]",
     "overrides: [{match: b, core: true}, {match: a, core: true}]",
     "overrides: other order (the last that matches wins)"},
    {"overrides[].match", "overrides: [{match: a, core: true}]",
     "overrides: [{match: b, core: true}]",
     "override removed: a\noverride a core: 'true' → none\n"
     "override added: b\noverride b core: none → 'true'"},
    {"overrides[].core", "overrides: [{match: a, core: true}]",
     "overrides: [{match: a, core: false}]", "override a core: 'true' → 'false'"},
    {"overrides[].thresholds",
     "overrides: [{match: a, core: true, thresholds: {m: {warning: 2%}}}]",
     "overrides: [{match: a, core: true}]",
     "override a threshold m.warning: 2% → none\noverride a threshold m.critical: 10% → none"},
    {"overrides[].thresholds.*.warning", "overrides: [{match: a, thresholds: {m: {warning: 2%}}}]",
     "overrides: [{match: a, thresholds: {m: {warning: 9%}}}]",
     "override a threshold m.warning: 2% → 9%"},
    {"overrides[].thresholds.*.critical",
     "overrides: [{match: a, thresholds: {m: {critical: 20%}}}]",
     "overrides: [{match: a, thresholds: {m: {critical: 90%}}}]",
     "override a threshold m.critical: 20% → 90%"},
    {"require", "require: [{metric: m, at_most: 0}, {metric: n, at_most: 0}]",
     "require: [{metric: m, at_most: 0}]", "require removed: * n\nrequire * n at_most: 0 → none"},
    {"require[].match", "require: [{match: a, metric: m, at_most: 0}]",
     "require: [{match: b, metric: m, at_most: 0}]",
     "require removed: a m\nrequire a m at_most: 0 → none\n"
     "require added: b m\nrequire b m at_most: none → 0"},
    {"require[].metric", "require: [{metric: m, at_most: 0}]", "require: [{metric: n, at_most: 0}]",
     "require removed: * m\nrequire * m at_most: 0 → none\n"
     "require added: * n\nrequire * n at_most: none → 0"},
    {"require[].at_least", "require: [{metric: m, at_least: 4 kB/s}]",
     "require: [{metric: m, at_least: 1 B/s}]", "require * m at_least: 4000 B/s → 1 B/s"},
    {"require[].at_most", "require: [{metric: m, at_most: 5 ns}]",
     "require: [{metric: m, at_most: 5}]", "require * m at_most: 5 ns → 5"},
    {"inconclusive", "inconclusive: fail", "inconclusive: pass", "inconclusive: fail → pass"},
    {"missing", "missing: fail", "missing: neutral", "missing: fail → neutral"},
    {"added", "added: fail", "added: pass", "added: fail → pass"},
    {"conditions", "conditions: inconclusive", "conditions: warn",
     "conditions: inconclusive → warn"},
    {"renamed", "renamed: {a: b, c: d}", "renamed: {c: e, f: g}",
     "rename removed: 'a' is now 'b'\nrename of 'c': 'd' → 'e'\nrename added: 'f' is now 'g'"},
    {"waivers", "project: x", "{project: x, waivers: [{" W1 "}]}",
     "waiver added: io time \"slow\" by A until 2027-01-31"},
    {"waivers", "{project: x, waivers: [{" W1 "}]}", "project: x",
     "waiver removed: io time \"slow\" by A until 2027-01-31"},
    {"waivers[].match", "waivers: [{" W1 "}]",
     "waivers: [{match: iq, metric: time, reason: slow, by: A, until: 2027-01-31}]",
     "waiver removed: io time \"slow\" by A until 2027-01-31\n"
     "waiver added: iq time \"slow\" by A until 2027-01-31"},
    {"waivers[].metric", "waivers: [{" W1 "}]",
     "waivers: [{match: io, reason: slow, by: A, until: 2027-01-31}]",
     "waiver added: io (every metric) \"slow\" by A until 2027-01-31\n"
     "waiver removed: io time \"slow\" by A until 2027-01-31"},
    {"waivers[].reason", "waivers: [{" W1 "}]",
     "waivers: [{match: io, metric: time, reason: ok, by: A, until: 2027-01-31}]",
     "waiver changed: io time \"slow\" by A until 2027-01-31 → "
     "io time \"ok\" by A until 2027-01-31"},
    {"waivers[].by", "waivers: [{" W1 "}]",
     "waivers: [{match: io, metric: time, reason: slow, by: B, until: 2027-01-31}]",
     "waiver changed: io time \"slow\" by A until 2027-01-31 → "
     "io time \"slow\" by B until 2027-01-31"},
    {"waivers[].until", "waivers: [{" W1 "}]",
     "waivers: [{match: io, metric: time, reason: slow, by: A, until: 2099-01-31}]",
     "waiver changed: io time \"slow\" by A until 2027-01-31 → "
     "io time \"slow\" by A until 2099-01-31"},
    {"groups", "groups: {synthetic: [a]}", "groups: {realistic: [a]}",
     "groups.synthetic removed: 'a'\ngroups.realistic added: 'a'"},
    {"groups.synthetic", "groups: {synthetic: [a]}", "groups: {synthetic: [a, b]}",
     "groups.synthetic added: 'b'"},
    {"groups.realistic", "groups: {realistic: [a, b]}", "groups: {realistic: [a]}",
     "groups.realistic removed: 'b'"},
    {"groups.gpu", "groups: {gpu: [a]}", "groups: {gpu: [a, b]}", "groups.gpu added: 'b'"},
    {"routes", "routes: {fix: a}", "routes: {gpu: b}",
     "route fix: 'a' → 'perf-fixer'\nroute gpu: 'gpu-optimizer' → 'b'"},
    {"routes.fix", "routes: {fix: a}", "routes: {fix: b}", "route fix: 'a' → 'b'"},
    {"routes.document", "routes: {document: a}", "routes: {document: b}",
     "route document: 'a' → 'b'"},
    {"routes.finalize", "routes: {finalize: a}", "routes: {finalize: b}",
     "route finalize: 'a' → 'b'"},
    {"routes.promote", "routes: {promote: a}", "routes: {promote: b}", "route promote: 'a' → 'b'"},
    {"routes.summarize", "routes: {summarize: a}", "routes: {summarize: b}",
     "route summarize: 'a' → 'b'"},
    {"routes.gpu", "routes: {gpu: a}", "routes: {gpu: b}", "route gpu: 'a' → 'b'"},
    {"routes.accuracy", "routes: {accuracy: a}", "routes: {accuracy: b}",
     "route accuracy: 'a' → 'b'"},
    {"routes.retry", "routes: {retry: a}", "routes: {retry: b}", "route retry: 'a' → 'b'"},
    {"max_baseline_age", "max_baseline_age: 90d", "max_baseline_age: 12h",
     "max_baseline_age: 90 days → 43200 s"},
    {"retention", "project: x", "{project: x, retention: {keep: 5}}", "retention.keep: none → 5"},
    {"retention.keep", "retention: {keep: 5}", "retention: {keep: 6}", "retention.keep: 5 → 6"},
    {"retention.days", "retention: {days: 5}", "retention: {days: 6}", "retention.days: 5 → 6"},
    {"benchmarks[].name", "benchmarks: [{name: a, command: x}]",
     "benchmarks: [{name: b, command: x}]", "benchmark removed: 'a'\nbenchmark added: 'b'"},
    {"benchmarks[].program", "benchmarks: [{name: a, program: x}]",
     "benchmarks: [{name: a, program: y}]", "benchmark 'a' program: 'x' → 'y'"},
    {"benchmarks[].command", "benchmarks: [{name: a, command: x}]",
     "benchmarks: [{name: a, command: y}]", "benchmark 'a' command: 'x' → 'y'"},
    {"benchmarks[].shell", "benchmarks: [{command: x}]", "benchmarks: [{command: x, shell: true}]",
     "benchmark 'x' shell: false → true"},
    {"benchmarks[].protocol", "benchmarks: [{program: x}]",
     "benchmarks: [{program: x, protocol: true}]", "benchmark 'x' protocol: false → true"},
    {"benchmarks[].timeout", "benchmarks: [{command: x}]",
     "benchmarks: [{command: x, timeout: 5s}]", "benchmark 'x' timeout: none → 5 s"},
    {"benchmarks[].metrics", "benchmarks: [{command: x, metrics: [a]}]",
     "benchmarks: [{command: x, metrics: [a, b]}]", "benchmark 'x' metrics: ['a'] → ['a', 'b']"},
    {"benchmarks[].params", "benchmarks: [{command: x, params: {n: [1, 2]}}]",
     "benchmarks: [{command: x, params: {n: [1]}}]",
     "benchmark 'x' params: {'n': ['1', '2']} → {'n': ['1']}"},
};

/* Each change is told in exactly these words, and the way back is told too. */
static void test_changes(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof changes / sizeof *changes; i++) {
        assert_diff(changes[i].base, changes[i].head, changes[i].lines);
        assert_true(diff(changes[i].head, changes[i].base).count > 0);
        assert_diff(changes[i].base, changes[i].base, "");
    }
}

/* No key of the reader is without a change above. */
static void test_every_key(void **state)
{
    (void)state;
    struct model_text_list keys = policy_known_keys(&arena);
    assert_true(keys.count > 60);
    for (ptrdiff_t k = 0; k < keys.count; k++) {
        bool is_there = false;
        for (size_t i = 0; i < sizeof changes / sizeof *changes; i++) {
            is_there |= strcmp(changes[i].key, keys.items[k]) == 0;
        }
        if (!is_there) {
            fail_msg("a change of %s is not tested, and perhaps not told", keys.items[k]);
        }
    }
}

/* The same said in another way or order is no change. */
static void test_no_change(void **state)
{
    (void)state;
    assert_diff("budget: 60s\n", "budget: 1min\n", "");
    assert_diff("project: x\nmin_effect: 1%\n", "{min_effect: 0.01, project: x}", "");
    assert_diff("project: x\n", "project: x\nbudget: 60s # the default\n", "");
    assert_diff("gate: [a, b]", "gate: [b, a]", "");
    assert_diff("benchmarks: [{program: a}, {program: b}]",
                "benchmarks: [{program: b}, {program: a}]", "");
    assert_diff("thresholds: {a: {warning: 1%}, b: {warning: 2%}}",
                "thresholds: {b: {warning: 2%}, a: {warning: 1%}}", "");
    assert_diff("waivers: [{" W1 "}, {match: x, reason: r, by: b, until: 2027-01-01}]",
                "waivers: [{match: x, reason: r, by: b, until: 2027-01-01}, {" W1 "}]", "");
}

/* A file that vanished or was emptied is told; so is a difference in the last digit, and a name
 * that would draw on the terminal is shown harmless. */
static void test_edges(void **state)
{
    (void)state;
    assert_diff("fail_at: warning", "", "the policy says nothing any more");
    assert_diff("", "fail_at: warning", "there is a policy now, where there was none");
    assert_diff("", "# nothing\n", "");
    struct model_text_list lines = diff("min_effect: 0.01", "min_effect: 0.010000000000000002");
    assert_int_equal(lines.count, 1);
    assert_non_null(strstr(lines.items[0], "1.0000000000000002%"));
    assert_diff("build: a", "build: \"a\\x1b[2J\\nb\"", "build: 'a' → 'a\\x1b[2J\\nb'");
}

static int teardown(void **state)
{
    (void)state;
    arena_free(&arena);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(test_changes, teardown),
        cmocka_unit_test_teardown(test_every_key, teardown),
        cmocka_unit_test_teardown(test_no_change, teardown),
        cmocka_unit_test_teardown(test_edges, teardown),
    };
    return cmocka_run_group_tests_name("policy_diff", tests, NULL, NULL);
}
