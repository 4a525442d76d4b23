#include "cli/doctor_print.h"

#include "base/assert.h"
#include "base/buffer.h"
#include "base/text.h"
#include "base/unit.h"
#include "measure/environment.h"
#include "report/json_write.h"
#include "report/table.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Value and advice start here: two spaces, level, name. */
enum { LEVEL_COLUMNS = 6, NAME_COLUMNS = 16, TEXT_COLUMN = 2 + LEVEL_COLUMNS + NAME_COLUMNS };

static void print_machine(struct arena *arena, const struct machine *machine);
static void print_finding(struct arena *arena, const struct doctor_result *result,
                          const struct doctor_finding *finding);
static void print_noise(struct arena *arena, const struct noise_result *noise, bool has_color);

void doctor_print_text(struct arena *arena, const struct doctor_result *result)
{
    print_machine(arena, result->machine);
    for (ptrdiff_t i = 0; i < result->findings->count; i++) {
        const struct doctor_finding *finding = &result->findings->items[i];
        if (!result->is_quiet || finding->level != DOCTOR_OK) {
            print_finding(arena, result, finding);
        }
    }
    if (result->noise != NULL) {
        print_noise(arena, result->noise, result->has_color);
        printf("\n%s\n", result->noise->sentence);
    } else {
        printf("\nThe noise was not measured, so there is no verdict.\n");
    }
    ptrdiff_t warnings = doctor_count(result->findings, DOCTOR_WARN);
    printf("tare: %s, %td warning%s (exit 0), %.1f s\n", result->verdict, warnings,
           warnings == 1 ? "" : "s", result->seconds);
}

static void print_machine(struct arena *arena, const struct machine *machine)
{
    struct model_machine model;
    measure_machine_fill(arena, machine, &model);
    const char *memory = model_field_get(&model.identity, "memory");
    printf("%s, %lld CPUs, %s, machine %.8s\n",
           machine->cpu_model[0] != '\0' ? machine->cpu_model : "unknown CPU",
           (long long)machine->cpus_online, memory != NULL ? memory : "memory unknown", model.id);
}

/* Words of `text` in lines that fit, each beginning at `column`; the first begins where the cursor
 * is. */
static void print_wrapped(const char *text, int column, int columns)
{
    int width = columns - column > 20 ? columns - column : 20;
    ptrdiff_t used = 0;
    while (*text != '\0') {
        size_t length = strcspn(text, " ");
        /* Commands are copied by people: bytes are close enough to columns for those. */
        if (used > 0 && used + 1 + (ptrdiff_t)length > width) {
            printf("\n%*s", column, "");
            used = 0;
        }
        printf("%s%.*s", used > 0 ? " " : "", (int)length, text);
        used += (ptrdiff_t)length + (used > 0);
        text += length + strspn(text + length, " ");
    }
    printf("\n");
}

static void print_finding(struct arena *arena, const struct doctor_result *result,
                          const struct doctor_finding *finding)
{
    static const char *const colors[] = {"\033[32m", "\033[36m", "\033[33m"};
    printf("  %s%-*s%s%-*s", result->has_color ? colors[finding->level] : "", LEVEL_COLUMNS,
           doctor_level_name(finding->level), result->has_color ? "\033[0m" : "", NAME_COLUMNS,
           finding->name);
    print_wrapped(text_printable(arena, finding->value, 0), TEXT_COLUMN, result->columns);
    if (finding->advice != NULL) {
        printf("%*s", TEXT_COLUMN, "");
        print_wrapped(finding->advice, TEXT_COLUMN, result->columns);
    }
}

static const char *percent(struct arena *arena, double ratio)
{
    return isfinite(ratio) ? arena_printf(arena, "%.1f %%", ratio * 100) : "unknown";
}

static void add_kernel_row(struct arena *arena, struct table *table,
                           const struct noise_spread *spread)
{
    struct table_row *row = table_add_row(table);
    row->cells[0] = spread->name;
    row->cells[1] = unit_format(arena, spread->median_ns, "ns", 3);
    row->cells[2] = percent(arena, spread->cv);
    row->cells[3] = percent(arena, spread->disturbed_ratio);
    row->cells[4] = arena_printf(arena, "×%.1f", spread->worst_ratio);
    row->cells[5] = unit_format_change(arena, spread->drift_ratio, 1);
    row->cells[6] = unit_format(arena, spread->seconds[0] * 1e9, "ns", 2);
}

static void print_noise(struct arena *arena, const struct noise_result *noise, bool has_color)
{
    printf("\nnoise of fixed work, %td slices each in %s\n", noise->slice_count,
           unit_format(arena, noise->duration_ns, "ns", 3));
    struct table table = table_new(arena);
    static const char *const titles[] = {"kernel", "slice", "spread",       "disturbed",
                                         "worst",  "drift", "A/B of 1 % in"};
    for (size_t i = 0; i < sizeof titles / sizeof *titles; i++) {
        table_add_column(&table, titles[i], i == 0 ? TABLE_LEFT : TABLE_RIGHT, 0);
    }
    for (int kernel = 0; kernel < NOISE_KERNEL_COUNT; kernel++) {
        add_kernel_row(arena, &table, &noise->kernels[kernel]);
    }
    struct buffer text = buffer_new(arena, BUFFER_LENGTH_MAX);
    table_print(&table, &text, 0, has_color);
    printf("%s", buffer_string(&text));
    printf("wake-up from a nap of 1 ms: late by %s, 1 in 100 by %s, worst %s\n",
           unit_format(arena, noise->wake_up_median_ns, "ns", 3),
           unit_format(arena, noise->wake_up_p99_ns, "ns", 3),
           unit_format(arena, noise->wake_up_worst_ns, "ns", 3));
    printf("meanwhile: steal %s, CPUs busy %s, preempted %.1f times a second\n",
           percent(arena, noise->steal_ratio), percent(arena, noise->busy_ratio),
           noise->preemptions_per_s);
}

static json_t *kernel_json(const struct noise_spread *spread)
{
    json_t *seconds = json_array();
    for (int i = 0; i < NOISE_EFFECT_COUNT; i++) {
        json_array_append_new(seconds, json_pack("{s:f,s:o}", "effect", noise_effects[i], "seconds",
                                                 json_write_number(spread->seconds[i])));
    }
    return json_pack("{s:s,s:o,s:o,s:o,s:o,s:o,s:o,s:o}", "name", spread->name, "median_ns",
                     json_write_number(spread->median_ns), "cv", json_write_number(spread->cv),
                     "worst_ratio", json_write_number(spread->worst_ratio), "disturbed_ratio",
                     json_write_number(spread->disturbed_ratio), "drift_ratio",
                     json_write_number(spread->drift_ratio), "pair_deviation",
                     json_write_number(spread->pair_deviation), "ab", seconds);
}

static json_t *noise_json(const struct noise_result *noise)
{
    json_t *kernels = json_array();
    for (int kernel = 0; kernel < NOISE_KERNEL_COUNT; kernel++) {
        json_array_append_new(kernels, kernel_json(&noise->kernels[kernel]));
    }
    json_t *wake_up =
        json_pack("{s:o,s:o,s:o}", "median_ns", json_write_number(noise->wake_up_median_ns),
                  "p99_ns", json_write_number(noise->wake_up_p99_ns), "worst_ns",
                  json_write_number(noise->wake_up_worst_ns));
    json_t *clock = json_pack("{s:o,s:o}", "cost_ns", json_write_number(noise->clock_cost_ns),
                              "step_ns", json_write_number(noise->clock_step_ns));
    bool has_effect = noise->effect > 0;
    return json_pack(
        "{s:o,s:I,s:I,s:o,s:o,s:o,s:o,s:o,s:o,s:o,s:o,s:s,s:s}", "duration_ns",
        json_write_number(noise->duration_ns), "slices", (json_int_t)noise->slice_count, "blocks",
        (json_int_t)noise->block_count, "kernels", kernels, "wake_up", wake_up, "clock", clock,
        "steal_ratio", json_write_number(noise->steal_ratio), "busy_ratio",
        json_write_number(noise->busy_ratio), "preemptions_per_s",
        json_write_number(noise->preemptions_per_s), "effect",
        has_effect ? json_write_number(noise->effect) : json_null(), "effect_seconds",
        has_effect ? json_write_number(noise->effect_seconds) : json_null(), "worst_kernel",
        noise->kernels[noise->worst_kernel].name, "sentence", noise->sentence);
}

static json_t *findings_json(struct arena *arena, const struct doctor_findings *findings)
{
    json_t *array = json_array();
    for (ptrdiff_t i = 0; i < findings->count; i++) {
        const struct doctor_finding *finding = &findings->items[i];
        json_array_append_new(array, json_pack("{s:s,s:s,s:o,s:o}", "name", finding->name, "level",
                                               doctor_level_name(finding->level), "value",
                                               json_write_text(arena, finding->value), "advice",
                                               json_write_text(arena, finding->advice)));
    }
    return array;
}

static void print_json(json_t *value)
{
    char *text = json_dumps(value, JSON_COMPACT | JSON_REAL_PRECISION(9));
    TARE_ASSERT(text != NULL);
    printf("%s\n", text);
    free(text);
    json_decref(value);
}

void doctor_print_json(struct arena *arena, const struct doctor_result *result)
{
    struct model_machine model;
    measure_machine_fill(arena, result->machine, &model);
    print_json(json_pack("{s:i,s:s,s:s,s:o,s:o,s:o,s:f,s:i}", "tare", 1, "kind", "doctor",
                         "verdict", result->verdict, "findings",
                         findings_json(arena, result->findings), "noise",
                         result->noise != NULL ? noise_json(result->noise) : json_null(), "machine",
                         json_write_machine(arena, &model), "seconds", result->seconds, "exit", 0));
}

static const char *action_name(enum tune_action action)
{
    return action == TUNE_ACTION_TUNE ? "tune" : "restore";
}

static const char *one_line(struct arena *arena, const char *text)
{
    size_t length = text != NULL ? strcspn(text, "\n") : 0;
    return text != NULL ? text_printable(arena, arena_strndup(arena, text, (ptrdiff_t)length), 60)
                        : "?";
}

static void print_setting(struct arena *arena, const struct tune_result *result,
                          const struct tune_setting *setting)
{
    const char *target =
        result->action == TUNE_ACTION_TUNE ? setting->set : one_line(arena, setting->found);
    const char *now = one_line(arena, setting->now);
    switch (setting->outcome) {
    case TUNE_CHANGED:
        printf("  %-9s %s: %s → %s", result->is_dry_run ? "would set" : "set", setting->path, now,
               target);
        break;
    case TUNE_UNCHANGED:
        printf("  %-9s %s: %s", "already", setting->path, now);
        break;
    case TUNE_FAILED:
        printf("  %-9s %s: %s", "failed", setting->path, setting->reason);
        break;
    }
    printf("%s\n", setting->is_changed_meanwhile ? " (somebody had changed it meanwhile)" : "");
}

void tune_print_text(struct arena *arena, const struct tune_result *result)
{
    const struct tune_report *report = result->report;
    bool is_tune = result->action == TUNE_ACTION_TUNE;
    for (ptrdiff_t i = 0; i < report->count; i++) {
        print_setting(arena, result, &report->settings[i]);
    }
    if (!is_tune && !report->had_state) {
        printf("Nothing to restore: there is no %s.\n", report->state_path);
    } else if (is_tune && !result->is_dry_run) {
        printf("%s in %s; 'tare doctor --restore' puts it back.\n"
               "Address space randomisation stays on: Tare wants launches to differ in layout.\n",
               report->had_state ? "What an earlier --tune found is kept"
                                 : "What was found is kept",
               report->state_path);
    } else if (!is_tune && !result->is_dry_run && tune_count(report, TUNE_FAILED) > 0) {
        printf("%s stays, so that the rest can be put back later.\n", report->state_path);
    }
    printf("tare: %s, %td set, %td already, %td failed (exit %d)\n", action_name(result->action),
           result->is_dry_run ? 0 : tune_count(report, TUNE_CHANGED),
           tune_count(report, TUNE_UNCHANGED), tune_count(report, TUNE_FAILED), result->exit_code);
}

void tune_print_json(struct arena *arena, const struct tune_result *result)
{
    json_t *settings = json_array();
    for (ptrdiff_t i = 0; i < result->report->count; i++) {
        const struct tune_setting *setting = &result->report->settings[i];
        json_array_append_new(settings,
                              json_pack("{s:o,s:o,s:o,s:o,s:s,s:o,s:b}", "path",
                                        json_write_text(arena, setting->path), "found",
                                        json_write_text(arena, setting->found), "set",
                                        json_write_text(arena, setting->set), "now",
                                        json_write_text(arena, setting->now), "outcome",
                                        tune_outcome_name(setting->outcome), "reason",
                                        json_write_text(arena, setting->reason),
                                        "changed_meanwhile", setting->is_changed_meanwhile));
    }
    print_json(json_pack("{s:i,s:s,s:s,s:b,s:o,s:b,s:o,s:i}", "tare", 1, "kind", "tune", "action",
                         action_name(result->action), "dry_run", result->is_dry_run, "state_file",
                         json_write_text(arena, result->report->state_path), "had_state",
                         result->report->had_state, "settings", settings, "exit",
                         result->exit_code));
}
