#include "report/run_text.h"

#include "base/assert.h"
#include "base/text.h"
#include "base/unit.h"
#include "report/fit.h"
#include "report/strip.h"
#include "report/table.h"
#include "report/wrap.h"
#include "stats/summary.h"

#include <math.h>
#include <string.h>

static void print_header(struct buffer *out, const struct model_run *run,
                         const struct report_style *style);
static void print_table(struct buffer *out, const struct model_run *run,
                        const struct report_style *style);
static void print_latencies(struct buffer *out, const struct model_run *run,
                            const struct report_style *style);
static void print_details(struct buffer *out, const struct model_run *run,
                          const struct report_style *style);
static void print_notes(struct buffer *out, const struct model_run *run,
                        const struct report_style *style);

void report_run_text(struct buffer *out, const struct model_run *run,
                     const struct report_style *style)
{
    print_header(out, run, style);
    print_table(out, run, style);
    print_latencies(out, run, style);
    report_fits(out, run, style->columns);
    if (style->is_verbose) {
        print_details(out, run, style);
    }
    print_notes(out, run, style);
}

static const char *printable_field(struct arena *arena, const struct model_fields *fields,
                                   const char *key)
{
    const char *value = model_field_get(fields, key);
    return value != NULL ? text_printable(arena, value, 60) : NULL;
}

char *report_machine_line(struct arena *arena, const struct model_machine *machine)
{
    struct buffer line = buffer_new(arena, 4096);
    const char *cpu = printable_field(arena, &machine->identity, "cpu");
    const char *cpus = printable_field(arena, &machine->identity, "cpus");
    const char *memory = printable_field(arena, &machine->identity, "memory");
    const char *virtual = printable_field(arena, &machine->conditions, "virtualisation");
    buffer_text(&line, cpu != NULL ? cpu : "unknown CPU");
    if (cpus != NULL) {
        buffer_printf(&line, ", %s CPU%s", cpus, strcmp(cpus, "1") == 0 ? "" : "s");
    }
    if (memory != NULL) {
        buffer_printf(&line, ", %s", memory);
    }
    if (virtual != NULL) {
        buffer_printf(&line, ", %s", virtual);
    }
    return arena_strdup(arena, buffer_string(&line));
}

static void print_header(struct buffer *out, const struct model_run *run,
                         const struct report_style *style)
{
    const char *line = report_machine_line(out->arena, &run->machine);
    if (run->commit.is_known) {
        const char *branch = run->commit.branch[0] != '\0'
                                 ? text_printable(out->arena, run->commit.branch, 40)
                                 : "detached";
        line = arena_printf(out->arena, "%s    %.9s (%s%s)", line, run->commit.hash, branch,
                            run->commit.is_dirty ? ", dirty" : "");
    }
    wrap_line(out, line, style->columns);
}

/* As many digits as the interval supports: its half-width stands in the last one. */
static int supported_digits(const struct stats_interval *interval)
{
    if (!interval->is_defined || !(interval->estimate > 0)) {
        return 3;
    }
    double half_width = (interval->high - interval->low) / 2 / interval->estimate;
    double digits = half_width > 0 ? floor(-log10(half_width)) + 1 : 4;
    return (int)fmin(fmax(digits, 3), 5);
}

static const char *estimate_cell(struct arena *arena, const struct model_metric *metric,
                                 const struct stats_summary *summary)
{
    double value = summary->interval.is_defined ? summary->interval.estimate : summary->median;
    return unit_format(arena, value, metric->unit, supported_digits(&summary->interval));
}

static const char *uncertainty_cell(struct arena *arena, const struct stats_summary *summary)
{
    const struct stats_interval *interval = &summary->interval;
    if (!interval->is_defined || !(interval->estimate > 0)) {
        return "?";
    }
    double half_width = (interval->high - interval->low) / 2 / interval->estimate * 100;
    if (half_width >= 100) {
        return ">100 %";
    }
    return half_width < 0.095  ? arena_printf(arena, "%.2f %%", half_width)
           : half_width < 9.95 ? arena_printf(arena, "%.1f %%", half_width)
                               : arena_printf(arena, "%.0f %%", half_width);
}

static struct stats_summary summarise(struct arena *arena, const struct model_metric *metric,
                                      double confidence)
{
    return stats_summarise(metric->values, metric->launches, metric->count, confidence, arena);
}

/* The value of a metric in a cell, or NULL when it was not measured. */
static const char *metric_cell(struct arena *arena, const struct model_benchmark *benchmark,
                               const char *name, double confidence)
{
    const struct model_metric *metric = model_metric_find(benchmark, name);
    if (metric == NULL || metric->count == 0) {
        return NULL;
    }
    if (metric->invalid_reason != NULL) {
        return "invalid";
    }
    struct stats_summary summary = summarise(arena, metric, confidence);
    if (metric->is_exact && strcmp(metric->unit, "1") == 0) {
        return arena_printf(arena, "%.6g", summary.median);
    }
    return unit_format(arena, summary.median, metric->unit, 3);
}

/* An exact count with all its digits; the CPU's own counters are none. */
static const char *count_cell(struct arena *arena, const struct model_benchmark *benchmark,
                              const char *name)
{
    const struct model_metric *metric = model_metric_find(benchmark, name);
    if (metric == NULL || !metric->is_exact || metric->count == 0) {
        return NULL;
    }
    return metric->invalid_reason != NULL ? "invalid"
                                          : arena_printf(arena, "%.15g", metric->values[0]);
}

/* What the benchmark works off per second, when it says what its work is. */
static const char *const rate_names[] = {"throughput", "item_rate", "flop_rate"};
/* Metrics that Tare adds: they have columns of their own, or are details. */
static const char *const added_names[] = {"time",
                                          "user",
                                          "system",
                                          "cpu",
                                          "memory",
                                          "allocations",
                                          "allocated",
                                          "peak_live",
                                          "p50",
                                          "p90",
                                          "p99",
                                          "p99.9",
                                          "p99.99",
                                          "max",
                                          "minor_faults",
                                          "major_faults",
                                          "voluntary_switches",
                                          "involuntary_switches",
                                          "instructions",
                                          "cycles",
                                          "branches",
                                          "branch_misses",
                                          "cache_misses",
                                          "cpu_instructions",
                                          "binary_size",
                                          "text_size",
                                          "rodata_size",
                                          "data_size"};
enum {
    RATE_NAMES = sizeof rate_names / sizeof *rate_names,
    ADDED_NAMES = sizeof added_names / sizeof *added_names,
};

static bool is_among(const char *name, const char *const *names, int count)
{
    for (int i = 0; i < count; i++) {
        if (strcmp(name, names[i]) == 0) {
            return true;
        }
    }
    return false;
}

static const char *rate_cell(struct arena *arena, const struct model_benchmark *benchmark,
                             double confidence)
{
    for (int i = 0; i < RATE_NAMES; i++) {
        const char *cell = metric_cell(arena, benchmark, rate_names[i], confidence);
        if (cell != NULL) {
            return cell;
        }
    }
    return NULL;
}

/* The first metric of the benchmark's own, with its name; --verbose shows the others. The primary
 * metric is shown already, whatever it is called. */
static const char *own_cell(struct arena *arena, const struct model_benchmark *benchmark,
                            double confidence)
{
    for (ptrdiff_t i = 1; i < benchmark->metric_count; i++) {
        const char *name = benchmark->metrics[i].name;
        if (is_among(name, rate_names, RATE_NAMES) || is_among(name, added_names, ADDED_NAMES)) {
            continue;
        }
        const char *cell = metric_cell(arena, benchmark, name, confidence);
        if (cell != NULL) {
            return arena_printf(arena, "%s %s", text_printable(arena, name, 16), cell);
        }
    }
    return NULL;
}

static bool has_same_parameters(const struct model_benchmark *a, const struct model_benchmark *b)
{
    if (a->parameter_count != b->parameter_count) {
        return false;
    }
    for (ptrdiff_t i = 0; i < a->parameter_count; i++) {
        if (strcmp(a->parameters[i].name, b->parameters[i].name) != 0 ||
            strcmp(a->parameters[i].value, b->parameters[i].value) != 0) {
            return false;
        }
    }
    return true;
}

static const struct model_benchmark *find_reference(const struct model_run *run,
                                                    const struct model_benchmark *benchmark)
{
    for (ptrdiff_t i = 0; i < run->benchmark_count; i++) {
        const struct model_benchmark *other = &run->benchmarks[i];
        if (other != benchmark && other->is_reference && other->state == MODEL_STATE_OK &&
            strcmp(other->suite, benchmark->suite) == 0 &&
            strcmp(other->name, benchmark->name) == 0 && has_same_parameters(other, benchmark)) {
            return other;
        }
    }
    return NULL;
}

/* "3.21×" with the part that is uncertain in brackets, when both sides have an interval. The two
 * were measured one after the other, so their log intervals add up as independent ones do. */
static const char *speedup_cell(struct arena *arena, const struct model_run *run,
                                const struct model_benchmark *benchmark)
{
    if (benchmark->is_reference) {
        return "reference";
    }
    const struct model_benchmark *reference =
        benchmark->variant[0] != '\0' ? find_reference(run, benchmark) : NULL;
    if (reference == NULL || reference->metric_count == 0 || benchmark->metrics[0].count == 0) {
        return NULL;
    }
    struct stats_interval old = summarise(arena, &reference->metrics[0], run->confidence).interval;
    struct stats_interval new = summarise(arena, &benchmark->metrics[0], run->confidence).interval;
    if (!old.is_defined || !new.is_defined || !(old.low > 0) || !(new.low > 0)) {
        return NULL;
    }
    double ratio = old.estimate / new.estimate;
    double half_old = log(old.high / old.low) / 2;
    double half_new = log(new.high / new.low) / 2;
    double half = sqrt(half_old * half_old + half_new * half_new);
    return arena_printf(arena, "%s× (%s–%s)", unit_format_digits(arena, ratio, 3),
                        unit_format_digits(arena, ratio * exp(-half), 3),
                        unit_format_digits(arena, ratio * exp(half), 3));
}

struct run_columns {
    int name, time, uncertainty, strip, rate, own, speedup, user, system, memory, allocations,
        instructions, size, check, launches;
};

static struct run_columns add_columns(struct table *table, double confidence)
{
    struct run_columns c;
    const char *uncertainty = arena_printf(table->arena, "± (%g %%)", confidence * 100);
    c.name = table_add_column(table, "benchmark", TABLE_LEFT, 0);
    c.time = table_add_column(table, "time", TABLE_RIGHT, 0);
    c.uncertainty = table_add_column(table, uncertainty, TABLE_RIGHT, 0);
    c.strip = table_add_column(table, "spread", TABLE_LEFT, 9);
    c.rate = table_add_column(table, "rate", TABLE_RIGHT, 3);
    c.own = table_add_column(table, "own metric", TABLE_RIGHT, 2);
    c.speedup = table_add_column(table, "speed-up", TABLE_RIGHT, 1);
    c.user = table_add_column(table, "user", TABLE_RIGHT, 6);
    c.system = table_add_column(table, "system", TABLE_RIGHT, 6);
    c.memory = table_add_column(table, "memory", TABLE_RIGHT, 4);
    c.allocations = table_add_column(table, "allocs", TABLE_RIGHT, 5);
    c.instructions = table_add_column(table, "instructions", TABLE_RIGHT, 1);
    c.size = table_add_column(table, "size", TABLE_RIGHT, 2);
    c.check = table_add_column(table, "check", TABLE_LEFT, 7);
    c.launches = table_add_column(table, "launches", TABLE_RIGHT, 8);
    return c;
}

static void fill_row(struct table *table, const struct run_columns *c, const struct model_run *run,
                     const struct model_benchmark *benchmark)
{
    struct arena *arena = table->arena;
    struct table_row *row = table_add_row(table);
    row->cells[c->name] = text_printable(arena, model_benchmark_label(arena, benchmark), 0);
    if (benchmark->state != MODEL_STATE_OK || benchmark->metric_count == 0 ||
        benchmark->metrics[0].count == 0) {
        const char *reason = benchmark->reason != NULL ? benchmark->reason : "no samples";
        const char *state =
            benchmark->state == MODEL_STATE_OK ? "invalid" : model_state_name(benchmark->state);
        row->line = arena_printf(arena, "%s: %s", state, text_printable(arena, reason, 500));
        row->color = "\033[31m";
        return;
    }
    const struct model_metric *primary = &benchmark->metrics[0];
    struct stats_summary summary = summarise(arena, primary, run->confidence);
    row->cells[c->time] = estimate_cell(arena, primary, &summary);
    row->cells[c->uncertainty] = uncertainty_cell(arena, &summary);
    row->cells[c->strip] = report_strip(arena, primary->values, primary->count, 10);
    row->cells[c->rate] = rate_cell(arena, benchmark, run->confidence);
    row->cells[c->own] = own_cell(arena, benchmark, run->confidence);
    row->cells[c->speedup] = speedup_cell(arena, run, benchmark);
    row->cells[c->user] = metric_cell(arena, benchmark, "user", run->confidence);
    row->cells[c->system] = metric_cell(arena, benchmark, "system", run->confidence);
    row->cells[c->memory] = metric_cell(arena, benchmark, "memory", run->confidence);
    row->cells[c->allocations] = metric_cell(arena, benchmark, "allocations", run->confidence);
    row->cells[c->instructions] = count_cell(arena, benchmark, "instructions");
    row->cells[c->size] = metric_cell(arena, benchmark, "binary_size", run->confidence);
    row->cells[c->check] = benchmark->check == MODEL_CHECK_PASSED ? "passed" : NULL;
    row->cells[c->launches] = arena_printf(arena, "%td", summary.launches);
}

static void print_table(struct buffer *out, const struct model_run *run,
                        const struct report_style *style)
{
    struct table table = table_new(out->arena);
    struct run_columns columns = add_columns(&table, run->confidence);
    for (ptrdiff_t i = 0; i < run->benchmark_count; i++) {
        fill_row(&table, &columns, run, &run->benchmarks[i]);
    }
    if (run->benchmark_count > 0) {
        table_print(&table, out, style->columns, style->has_color);
    }
}

static void print_latencies(struct buffer *out, const struct model_run *run,
                            const struct report_style *style)
{
    static const char *const names[] = {"p50", "p90", "p99", "p99.9", "p99.99", "max"};
    struct arena *arena = out->arena;
    struct table table = table_new(arena);
    table_add_column(&table, "latency", TABLE_LEFT, 0);
    for (size_t k = 0; k < sizeof names / sizeof *names; k++) {
        table_add_column(&table, names[k], TABLE_RIGHT, 0);
    }
    table_add_column(&table, "timer's floor", TABLE_RIGHT, 1);
    for (ptrdiff_t i = 0; i < run->benchmark_count; i++) {
        const struct model_benchmark *benchmark = &run->benchmarks[i];
        if (model_metric_find(benchmark, "p99.99") == NULL || benchmark->state != MODEL_STATE_OK) {
            continue;
        }
        struct table_row *row = table_add_row(&table);
        row->cells[0] = text_printable(arena, model_benchmark_label(arena, benchmark), 0);
        for (int k = 0; k < (int)(sizeof names / sizeof *names); k++) {
            row->cells[k + 1] = metric_cell(arena, benchmark, names[k], run->confidence);
        }
        row->cells[7] = unit_format(arena, benchmark->timer_floor_ns, "ns", 3);
    }
    if (table.row_count > 0) {
        buffer_char(out, '\n');
        table_print(&table, out, style->columns, false);
    }
}

static void print_details(struct buffer *out, const struct model_run *run,
                          const struct report_style *style)
{
    struct arena *arena = out->arena;
    struct table table = table_new(arena);
    static const char *const titles[] = {"metric", "median", "±", "min", "p95", "max", "n", "unit"};
    table_add_column(&table, "benchmark", TABLE_LEFT, 0);
    for (size_t k = 0; k < sizeof titles / sizeof *titles; k++) {
        table_add_column(&table, titles[k], k == 0 || k == 7 ? TABLE_LEFT : TABLE_RIGHT, 0);
    }
    for (ptrdiff_t i = 0; i < run->benchmark_count; i++) {
        const struct model_benchmark *benchmark = &run->benchmarks[i];
        for (ptrdiff_t m = 0; m < benchmark->metric_count; m++) {
            const struct model_metric *metric = &benchmark->metrics[m];
            struct table_row *row = table_add_row(&table);
            row->cells[0] = text_printable(arena, model_benchmark_label(arena, benchmark), 0);
            if (metric->count == 0 || metric->invalid_reason != NULL ||
                benchmark->state != MODEL_STATE_OK) {
                const char *reason =
                    metric->invalid_reason != NULL ? metric->invalid_reason : "no valid figure";
                row->line = arena_printf(arena, "%s: %s", metric->name, reason);
                continue;
            }
            struct stats_summary summary = summarise(arena, metric, run->confidence);
            row->cells[1] = text_printable(arena, metric->name, 24);
            row->cells[2] = unit_format_digits(arena, summary.median, 5);
            row->cells[3] = uncertainty_cell(arena, &summary);
            row->cells[4] = unit_format_digits(arena, summary.min, 5);
            row->cells[5] = unit_format_digits(arena, summary.p95, 5);
            row->cells[6] = unit_format_digits(arena, summary.max, 5);
            row->cells[7] = arena_printf(arena, "%td", summary.count);
            row->cells[8] = text_printable(arena, metric->unit, 16);
        }
    }
    buffer_char(out, '\n');
    table_print(&table, out, style->columns, false);
}

static void print_note(struct buffer *out, const struct report_style *style, const char *where,
                       const char *text)
{
    const char *note =
        arena_printf(out->arena, "%snote:%s %s%s%s", style->has_color ? "\033[33m" : "",
                     style->has_color ? "\033[0m" : "", where, where[0] != '\0' ? ": " : "",
                     text_printable(out->arena, text, 0));
    wrap_line(out, note, style->columns);
}

static void print_notes(struct buffer *out, const struct model_run *run,
                        const struct report_style *style)
{
    for (ptrdiff_t i = 0; i < run->benchmark_count; i++) {
        const struct model_benchmark *benchmark = &run->benchmarks[i];
        const char *label =
            text_printable(out->arena, model_benchmark_label(out->arena, benchmark), 60);
        for (ptrdiff_t w = 0; w < benchmark->warning_count; w++) {
            print_note(out, style, label, benchmark->warnings[w]);
        }
        for (ptrdiff_t m = 0; m < benchmark->metric_count && !style->is_verbose; m++) {
            if (benchmark->metrics[m].invalid_reason != NULL) {
                print_note(out, style,
                           arena_printf(out->arena, "%s, %s", label, benchmark->metrics[m].name),
                           benchmark->metrics[m].invalid_reason);
            }
        }
    }
    for (ptrdiff_t w = 0; w < run->warning_count; w++) {
        print_note(out, style, "", run->warnings[w]);
    }
}
