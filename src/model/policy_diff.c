/* policy_diff.c: what differs between two policies, one sentence each.
 *
 * Everything is compared by how it is shown with all its digits: whatever looks the same is the
 * same. Entries of lists are paired by what identifies them (a benchmark's name, an override's
 * pattern), so that an entry that moved is no difference; only among overrides does the order
 * count, since the last that matches wins. A test holds the whole against the keys the reader
 * knows. Cost: n log n in the entries. */
#include "model/policy.h"

#include "base/buffer.h"
#include "base/text.h"
#include "base/unit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Digits that tell any two doubles apart, and those that are shown when they suffice. */
enum { DIGITS_ALL = 17, DIGITS_SHOWN = 6 };

struct diff {
    struct arena *arena;
    struct model_text_list lines;
    ptrdiff_t capacity;
};

static void diff_values(struct diff *diff, const struct model_policy *base,
                        const struct model_policy *head);
static void diff_routes(struct diff *diff, const struct model_policy *base,
                        const struct model_policy *head);
static void diff_text_lists(struct diff *diff, const struct model_policy *base,
                            const struct model_policy *head);
static void diff_thresholds(struct diff *diff, const char *prefix,
                            const struct model_threshold_list *base,
                            const struct model_threshold_list *head);
static void diff_benchmarks(struct diff *diff, const struct model_policy *base,
                            const struct model_policy *head);
static void diff_overrides(struct diff *diff, const struct model_policy *base,
                           const struct model_policy *head);
static void diff_requirements(struct diff *diff, const struct model_policy *base,
                              const struct model_policy *head);
static void diff_renames(struct diff *diff, const struct model_policy *base,
                         const struct model_policy *head);
static void diff_waivers(struct diff *diff, const struct model_policy *base,
                         const struct model_policy *head);

struct model_text_list model_policy_diff(struct arena *arena, const struct model_policy *base,
                                         const struct model_policy *head)
{
    struct diff diff = {.arena = arena};
    diff_values(&diff, base, head);
    diff_text_lists(&diff, base, head);
    diff_thresholds(&diff, "", &base->thresholds, &head->thresholds);
    diff_overrides(&diff, base, head);
    diff_requirements(&diff, base, head);
    diff_waivers(&diff, base, head);
    diff_renames(&diff, base, head);
    diff_benchmarks(&diff, base, head);
    diff_routes(&diff, base, head);
    return diff.lines;
}

__attribute__((format(printf, 2, 3))) static void say(struct diff *diff, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    const char *line = arena_vprintf(diff->arena, format, arguments);
    va_end(arguments);
    if (diff->lines.count == diff->capacity) {
        diff->lines.items = arena_grow(diff->arena, diff->lines.items, &diff->capacity,
                                       diff->lines.count + 1, (ptrdiff_t)sizeof *diff->lines.items);
    }
    diff->lines.items[diff->lines.count++] = text_printable(diff->arena, line, 0);
}

/* How one value is shown; `value` points at it. */
typedef const char *show_function(struct arena *arena, const void *value, int digits);

static const char *show_text(struct arena *arena, const void *value, int digits)
{
    (void)digits;
    const char *text = NULL;
    memcpy(&text, value, sizeof text);
    return text == NULL ? "none" : arena_printf(arena, "'%s'", text);
}

static const char *show_share(struct arena *arena, const void *value, int digits)
{
    return arena_printf(arena, "%.*g%%", digits, *(const double *)value * 100);
}

/* 0 is "not said" wherever a share or a time may be absent. */
static const char *show_optional_share(struct arena *arena, const void *value, int digits)
{
    return *(const double *)value == 0 ? "none" : show_share(arena, value, digits);
}

static const char *show_time(struct arena *arena, const void *value, int digits)
{
    const double day_ns = 86400e9;
    double time_ns = *(const double *)value;
    if (time_ns == 0) {
        return "none";
    }
    bool is_days = time_ns >= day_ns;
    return arena_printf(arena, "%.*g %s", digits, is_days ? time_ns / day_ns : time_ns / 1e9,
                        is_days ? "days" : "s");
}

static const char *show_bool(struct arena *arena, const void *value, int digits)
{
    (void)arena, (void)digits;
    return *(const bool *)value ? "true" : "false";
}

static const char *show_int(struct arena *arena, const void *value, int digits)
{
    (void)digits;
    return arena_printf(arena, "%d", *(const int *)value);
}

static const char *show_limit(struct arena *arena, const void *value, int digits)
{
    (void)digits;
    int64_t number = *(const int64_t *)value;
    return number == 0 ? "none" : arena_printf(arena, "%lld", (long long)number);
}

static const char *show_preset(struct arena *arena, const void *value, int digits)
{
    (void)arena, (void)digits;
    return model_preset_name(*(const enum model_preset *)value);
}

static const char *show_level(struct arena *arena, const void *value, int digits)
{
    (void)arena, (void)digits;
    const char *name = model_level_name(*(const enum model_level *)value);
    return name != NULL ? name : "none";
}

static const char *show_outcome(struct arena *arena, const void *value, int digits)
{
    (void)arena, (void)digits;
    return model_outcome_name(*(const enum model_outcome *)value);
}

static const char *show_conditions(struct arena *arena, const void *value, int digits)
{
    (void)arena, (void)digits;
    return model_conditions_name(*(const enum model_conditions *)value);
}

static const char *show_bench_from(struct arena *arena, const void *value, int digits)
{
    (void)arena, (void)digits;
    return model_bench_from_name(*(const enum model_bench_from *)value);
}

static const char *show_count(struct arena *arena, const void *value, int digits)
{
    (void)digits;
    unsigned count = *(const unsigned *)value;
    const char *parts[] = {(count & MODEL_COUNT_INSTRUCTIONS) != 0 ? " instructions" : "",
                           (count & MODEL_COUNT_SIZE) != 0 ? " size" : "",
                           (count & MODEL_COUNT_ALLOCATIONS) != 0 ? " allocations" : ""};
    const char *text = arena_printf(arena, "%s%s%s", parts[0], parts[1], parts[2]);
    return text[0] == '\0' ? "none" : text + 1;
}

static const char *show_threshold(struct arena *arena, const void *value, int digits)
{
    const struct model_threshold *threshold = value;
    if (!threshold->is_set) {
        return "none";
    }
    return threshold->is_absolute
               ? arena_printf(arena, "%.*g%s%s absolute", digits, threshold->value,
                              threshold->unit[0] != '\0' ? " " : "", threshold->unit)
               : show_share(arena, &threshold->value, digits);
}

static const char *show_quantity(struct arena *arena, const void *value, int digits)
{
    const struct model_quantity *quantity = value;
    return !quantity->is_set ? "none"
                             : arena_printf(arena, "%.*g%s%s", digits, quantity->value,
                                            quantity->unit[0] != '\0' ? " " : "", quantity->unit);
}

static const char *show_texts(struct arena *arena, const void *value, int digits)
{
    (void)digits;
    const struct model_text_list *list = value;
    struct buffer text = buffer_new(arena, BUFFER_LENGTH_MAX);
    for (ptrdiff_t i = 0; i < list->count; i++) {
        buffer_printf(&text, "%s'%s'", i > 0 ? ", " : "", list->items[i]);
    }
    return list->count == 0 ? "none" : arena_printf(arena, "[%s]", buffer_string(&text));
}

static const char *show_parameters(struct arena *arena, const void *value, int digits)
{
    const struct model_policy_benchmark *benchmark = value;
    struct buffer text = buffer_new(arena, BUFFER_LENGTH_MAX);
    for (ptrdiff_t i = 0; i < benchmark->parameter_count; i++) {
        buffer_printf(&text, "%s'%s': %s", i > 0 ? ", " : "", benchmark->parameters[i].name,
                      show_texts(arena, &benchmark->parameters[i].values, digits));
    }
    return benchmark->parameter_count == 0 ? "none"
                                           : arena_printf(arena, "{%s}", buffer_string(&text));
}

/* "SUBJECT: base → head", when the two differ. */
static void diff_value(struct diff *diff, const char *subject, show_function *show,
                       const void *base, const void *head)
{
    const char *old = show(diff->arena, base, DIGITS_ALL);
    const char *new = show(diff->arena, head, DIGITS_ALL);
    if (strcmp(old, new) == 0) {
        return;
    }
    const char *old_short = show(diff->arena, base, DIGITS_SHOWN);
    const char *new_short = show(diff->arena, head, DIGITS_SHOWN);
    bool is_enough = strcmp(old_short, new_short) != 0;
    say(diff, "%s: %s → %s", subject, is_enough ? old_short : old, is_enough ? new_short : new);
}

/* A member of a struct and how it is shown. */
struct diff_member {
    const char *key;
    show_function *show;
    size_t offset;
};

static void diff_members(struct diff *diff, const char *subject, const struct diff_member *members,
                         size_t count, const void *base, const void *head)
{
    for (size_t i = 0; i < count; i++) {
        size_t offset = members[i].offset;
        diff_value(diff, arena_printf(diff->arena, "%s%s", subject, members[i].key),
                   members[i].show, (const char *)base + offset, (const char *)head + offset);
    }
}

#define AT(type, member) offsetof(struct type, member)
#define COUNT(array) (sizeof(array) / sizeof *(array))

static void diff_values(struct diff *diff, const struct model_policy *base,
                        const struct model_policy *head)
{
    static const struct diff_member members[] = {
        {"preset", show_preset, AT(model_policy, preset)},
        {"fail_at", show_level, AT(model_policy, fail_at)},
        {"fail_at_core", show_level, AT(model_policy, fail_at_core)},
        {"inconclusive", show_outcome, AT(model_policy, inconclusive)},
        {"missing", show_outcome, AT(model_policy, missing)},
        {"added", show_outcome, AT(model_policy, added)},
        {"conditions", show_conditions, AT(model_policy, conditions)},
        {"min_effect", show_share, AT(model_policy, min_effect)},
        {"noise_floor_max", show_share, AT(model_policy, noise_floor_max)},
        {"confidence", show_share, AT(model_policy, confidence)},
        {"precision", show_optional_share, AT(model_policy, precision)},
        {"budget", show_time, AT(model_policy, budget_ns)},
        {"retries", show_int, AT(model_policy, retries)},
        {"count", show_count, AT(model_policy, count)},
        {"against", show_text, AT(model_policy, against)},
        {"default_branch", show_text, AT(model_policy, default_branch)},
        {"bench_from", show_bench_from, AT(model_policy, bench_from)},
        {"project", show_text, AT(model_policy, project)},
        {"store", show_text, AT(model_policy, store)},
        {"build", show_text, AT(model_policy, build)},
        {"build_timeout", show_time, AT(model_policy, build_timeout_ns)},
        {"max_baseline_age", show_time, AT(model_policy, max_baseline_age_ns)},
        {"retention.keep", show_limit, AT(model_policy, retention.keep)},
        {"retention.days", show_limit, AT(model_policy, retention.days)},
    };
    if (base->is_empty != head->is_empty) {
        say(diff, head->is_empty ? "the policy says nothing any more"
                                 : "there is a policy now, where there was none");
    }
    diff_members(diff, "", members, COUNT(members), base, head);
}

static void diff_routes(struct diff *diff, const struct model_policy *base,
                        const struct model_policy *head)
{
    for (int i = 0; i < MODEL_ROUTE_COUNT; i++) {
        const char *subject =
            arena_printf(diff->arena, "route %s", model_route_key((enum model_route_kind)i));
        diff_value(diff, subject, show_text, &base->routes[i], &head->routes[i]);
    }
}

/* An entry of a list with what identifies it. */
struct diff_entry {
    const char *key;
    const void *item;
    ptrdiff_t place;
};

struct diff_entries {
    struct diff_entry *items;
    ptrdiff_t count;
};

static struct diff_entries entries_new(struct diff *diff, ptrdiff_t count)
{
    return (struct diff_entries){.items = ARENA_ARRAY(diff->arena, struct diff_entry, count),
                                 .count = count};
}

static int by_key_then_place(const void *a, const void *b)
{
    const struct diff_entry *first = a;
    const struct diff_entry *second = b;
    int order = strcmp(first->key, second->key);
    return order != 0 ? order : (first->place > second->place) - (first->place < second->place);
}

static void entries_sort(struct diff_entries *entries)
{
    for (ptrdiff_t i = 0; i < entries->count; i++) {
        entries->items[i].place = i;
    }
    if (entries->count > 1) {
        qsort(entries->items, (size_t)entries->count, sizeof *entries->items, by_key_then_place);
    }
}

/* An entry as each policy has it; NULL: this one has not. */
struct diff_pair {
    const char *key;
    const void *base;
    const void *head;
};

/* Says what differs between the two. */
typedef void pair_function(struct diff *diff, const struct diff_pair *pair);

/* Pairs the entries of two lists by their keys and says what differs. */
static void diff_entries(struct diff *diff, struct diff_entries base, struct diff_entries head,
                         pair_function *compare)
{
    entries_sort(&base);
    entries_sort(&head);
    ptrdiff_t i = 0;
    ptrdiff_t j = 0;
    while (i < base.count || j < head.count) {
        int order = i == base.count   ? 1
                    : j == head.count ? -1
                                      : strcmp(base.items[i].key, head.items[j].key);
        compare(diff, &(struct diff_pair){
                          .key = order <= 0 ? base.items[i].key : head.items[j].key,
                          .base = order <= 0 ? base.items[i].item : NULL,
                          .head = order >= 0 ? head.items[j].item : NULL,
                      });
        i += order <= 0;
        j += order >= 0;
    }
}

static bool is_in_both(const struct diff_pair *pair)
{
    return pair->base != NULL && pair->head != NULL;
}

static const char *added_or_removed(const struct diff_pair *pair)
{
    return pair->base == NULL ? "added" : "removed";
}

/* The item is the name of the list. */
static void compare_text(struct diff *diff, const struct diff_pair *pair)
{
    if (!is_in_both(pair)) {
        const char *list = pair->base != NULL ? pair->base : pair->head;
        say(diff, "%s %s: '%s'", list, added_or_removed(pair), pair->key);
    }
}

static struct diff_entries text_entries(struct diff *diff, const char *name,
                                        const struct model_text_list *list)
{
    struct diff_entries entries = entries_new(diff, list->count);
    for (ptrdiff_t i = 0; i < list->count; i++) {
        entries.items[i] = (struct diff_entry){.key = list->items[i], .item = name};
    }
    return entries;
}

static void diff_text_lists(struct diff *diff, const struct model_policy *base,
                            const struct model_policy *head)
{
    static const struct diff_member lists[] = {
        {"gate", NULL, AT(model_policy, gate)},
        {"bench_paths", NULL, AT(model_policy, bench_paths)},
        {"groups.synthetic", NULL, AT(model_policy, synthetic)},
        {"groups.realistic", NULL, AT(model_policy, realistic)},
        {"groups.gpu", NULL, AT(model_policy, gpu)},
    };
    for (size_t i = 0; i < COUNT(lists); i++) {
        const struct model_text_list *old = (const void *)((const char *)base + lists[i].offset);
        const struct model_text_list *new = (const void *)((const char *)head + lists[i].offset);
        diff_entries(diff, text_entries(diff, lists[i].key, old),
                     text_entries(diff, lists[i].key, new), compare_text);
    }
    if ((base->gate.count == 0) != (head->gate.count == 0)) {
        say(diff, head->gate.count == 0
                      ? "gate removed: time and the benchmarks' own metrics decide"
                      : "gate added: only the metrics it names decide");
    }
}

static const struct model_metric_thresholds *find_metric(const struct model_threshold_list *list,
                                                         const char *metric)
{
    for (ptrdiff_t i = 0; i < list->count; i++) {
        if (strcmp(list->items[i].metric, metric) == 0) {
            return &list->items[i];
        }
    }
    return NULL;
}

static void diff_metric(struct diff *diff, const char *prefix, const char *metric,
                        const struct model_metric_thresholds *base,
                        const struct model_metric_thresholds *head)
{
    static const struct model_metric_thresholds none = {.metric = ""};
    static const struct diff_member members[] = {
        {".warning", show_threshold, AT(model_metric_thresholds, warning)},
        {".critical", show_threshold, AT(model_metric_thresholds, critical)},
    };
    const char *subject = arena_printf(diff->arena, "%sthreshold %s", prefix, metric);
    diff_members(diff, subject, members, COUNT(members), base != NULL ? base : &none,
                 head != NULL ? head : &none);
}

/* At most a thousand metrics on each side (the reader's limit), so each is simply looked for. */
static void diff_thresholds(struct diff *diff, const char *prefix,
                            const struct model_threshold_list *base,
                            const struct model_threshold_list *head)
{
    for (ptrdiff_t i = 0; i < base->count; i++) {
        const char *metric = base->items[i].metric;
        diff_metric(diff, prefix, metric, &base->items[i], find_metric(head, metric));
    }
    for (ptrdiff_t i = 0; i < head->count; i++) {
        const char *metric = head->items[i].metric;
        if (find_metric(base, metric) == NULL) {
            diff_metric(diff, prefix, metric, NULL, &head->items[i]);
        }
    }
}

static void compare_override(struct diff *diff, const struct diff_pair *pair)
{
    static const struct model_policy_override none = {.match = ""};
    const struct model_policy_override *old = pair->base != NULL ? pair->base : &none;
    const struct model_policy_override *new = pair->head != NULL ? pair->head : &none;
    if (!is_in_both(pair)) {
        say(diff, "override %s: %s", added_or_removed(pair), pair->key);
    }
    const char *prefix = arena_printf(diff->arena, "override %s ", pair->key);
    const char *core[] = {old->has_core ? (old->is_core ? "true" : "false") : NULL,
                          new->has_core ? (new->is_core ? "true" : "false") : NULL};
    diff_value(diff, arena_printf(diff->arena, "%score", prefix), show_text, &core[0], &core[1]);
    diff_thresholds(diff, prefix, &old->thresholds, &new->thresholds);
}

static struct diff_entries override_entries(struct diff *diff, const struct model_policy *policy)
{
    struct diff_entries entries = entries_new(diff, policy->override_count);
    for (ptrdiff_t i = 0; i < entries.count; i++) {
        entries.items[i] =
            (struct diff_entry){.key = policy->overrides[i].match, .item = &policy->overrides[i]};
    }
    return entries;
}

/* Do the patterns that both have stand in the same order? `base` is in the file's. */
static bool is_order_kept(struct diff_entries base, struct diff_entries head)
{
    entries_sort(&head);
    ptrdiff_t last = -1;
    for (ptrdiff_t i = 0; i < base.count; i++) {
        const char *key = base.items[i].key;
        ptrdiff_t low = 0;
        ptrdiff_t high = head.count;
        while (low < high) {
            ptrdiff_t middle = low + (high - low) / 2;
            bool is_before = strcmp(head.items[middle].key, key) < 0;
            low = is_before ? middle + 1 : low;
            high = is_before ? high : middle;
        }
        if (low < head.count && strcmp(head.items[low].key, key) == 0) {
            if (head.items[low].place < last) {
                return false;
            }
            last = head.items[low].place;
        }
    }
    return true;
}

static void diff_overrides(struct diff *diff, const struct model_policy *base,
                           const struct model_policy *head)
{
    if (!is_order_kept(override_entries(diff, base), override_entries(diff, head))) {
        say(diff, "overrides: other order (the last that matches wins)");
    }
    diff_entries(diff, override_entries(diff, base), override_entries(diff, head),
                 compare_override);
}

static void compare_requirement(struct diff *diff, const struct diff_pair *pair)
{
    static const struct model_policy_requirement none = {.match = ""};
    static const struct diff_member members[] = {
        {" at_least", show_quantity, AT(model_policy_requirement, at_least)},
        {" at_most", show_quantity, AT(model_policy_requirement, at_most)},
    };
    if (!is_in_both(pair)) {
        say(diff, "require %s: %s", added_or_removed(pair), pair->key);
    }
    diff_members(diff, arena_printf(diff->arena, "require %s", pair->key), members, COUNT(members),
                 pair->base != NULL ? pair->base : &none, pair->head != NULL ? pair->head : &none);
}

static struct diff_entries requirement_entries(struct diff *diff, const struct model_policy *policy)
{
    struct diff_entries entries = entries_new(diff, policy->requirement_count);
    for (ptrdiff_t i = 0; i < entries.count; i++) {
        const struct model_policy_requirement *item = &policy->requirements[i];
        entries.items[i] = (struct diff_entry){
            .key = arena_printf(diff->arena, "%s %s", item->match, item->metric), .item = item};
    }
    return entries;
}

static void diff_requirements(struct diff *diff, const struct model_policy *base,
                              const struct model_policy *head)
{
    diff_entries(diff, requirement_entries(diff, base), requirement_entries(diff, head),
                 compare_requirement);
}

static void compare_rename(struct diff *diff, const struct diff_pair *pair)
{
    const struct model_policy_rename *old = pair->base;
    const struct model_policy_rename *new = pair->head;
    const char *old_name = old != NULL ? old->new_name : "";
    const char *new_name = new != NULL ? new->new_name : "";
    if (!is_in_both(pair)) {
        say(diff, "rename %s: '%s' is now '%s'", added_or_removed(pair), pair->key,
            old != NULL ? old_name : new_name);
    } else if (strcmp(old_name, new_name) != 0) {
        say(diff, "rename of '%s': '%s' → '%s'", pair->key, old_name, new_name);
    }
}

static struct diff_entries rename_entries(struct diff *diff, const struct model_policy *policy)
{
    struct diff_entries entries = entries_new(diff, policy->rename_count);
    for (ptrdiff_t i = 0; i < entries.count; i++) {
        entries.items[i] =
            (struct diff_entry){.key = policy->renames[i].old_name, .item = &policy->renames[i]};
    }
    return entries;
}

static void diff_renames(struct diff *diff, const struct model_policy *base,
                         const struct model_policy *head)
{
    diff_entries(diff, rename_entries(diff, base), rename_entries(diff, head), compare_rename);
}

/* io/x time "new fsync, agreed" by A. Person until 2027-01-31 */
static const char *show_waiver(struct diff *diff, const struct model_policy_waiver *waiver)
{
    return arena_printf(diff->arena, "%s %s \"%s\" by %s until %04d-%02d-%02d", waiver->match,
                        waiver->metric != NULL ? waiver->metric : "(every metric)", waiver->reason,
                        waiver->by, waiver->until_date / 10000, waiver->until_date / 100 % 100,
                        waiver->until_date % 100);
}

static void compare_waiver(struct diff *diff, const struct diff_pair *pair)
{
    const char *old = pair->base != NULL ? show_waiver(diff, pair->base) : "";
    const char *new = pair->head != NULL ? show_waiver(diff, pair->head) : "";
    if (!is_in_both(pair)) {
        say(diff, "waiver %s: %s", added_or_removed(pair), pair->base != NULL ? old : new);
    } else if (strcmp(old, new) != 0) {
        say(diff, "waiver changed: %s → %s", old, new);
    }
}

static struct diff_entries waiver_entries(struct diff *diff, const struct model_policy *policy)
{
    struct diff_entries entries = entries_new(diff, policy->waiver_count);
    for (ptrdiff_t i = 0; i < entries.count; i++) {
        const struct model_policy_waiver *item = &policy->waivers[i];
        const char *metric = item->metric != NULL ? item->metric : "";
        entries.items[i] = (struct diff_entry){
            .key = arena_printf(diff->arena, "%s\n%s", item->match, metric), .item = item};
    }
    return entries;
}

static void diff_waivers(struct diff *diff, const struct model_policy *base,
                         const struct model_policy *head)
{
    diff_entries(diff, waiver_entries(diff, base), waiver_entries(diff, head), compare_waiver);
}

static void compare_benchmark(struct diff *diff, const struct diff_pair *pair)
{
    static const struct diff_member members[] = {
        {"name", show_text, AT(model_policy_benchmark, name)},
        {"program", show_text, AT(model_policy_benchmark, program)},
        {"command", show_text, AT(model_policy_benchmark, command)},
        {"shell", show_bool, AT(model_policy_benchmark, is_shell)},
        {"protocol", show_bool, AT(model_policy_benchmark, is_protocol)},
        {"timeout", show_time, AT(model_policy_benchmark, timeout_ns)},
        {"metrics", show_texts, AT(model_policy_benchmark, metrics)},
        {"params", show_parameters, 0},
    };
    if (!is_in_both(pair)) {
        say(diff, "benchmark %s: '%s'", added_or_removed(pair), pair->key);
        return;
    }
    diff_members(diff, arena_printf(diff->arena, "benchmark '%s' ", pair->key), members,
                 COUNT(members), pair->base, pair->head);
}

static struct diff_entries benchmark_entries(struct diff *diff, const struct model_policy *policy)
{
    struct diff_entries entries = entries_new(diff, policy->benchmark_count);
    for (ptrdiff_t i = 0; i < entries.count; i++) {
        const struct model_policy_benchmark *item = &policy->benchmarks[i];
        const char *key = item->name != NULL      ? item->name
                          : item->program != NULL ? item->program
                                                  : item->command;
        entries.items[i] = (struct diff_entry){.key = key, .item = item};
    }
    return entries;
}

static void diff_benchmarks(struct diff *diff, const struct model_policy *base,
                            const struct model_policy *head)
{
    diff_entries(diff, benchmark_entries(diff, base), benchmark_entries(diff, head),
                 compare_benchmark);
}
