#include "cli/prove_report.h"

#include "base/text.h"
#include "base/unit.h"
#include "report/json_write.h"
#include "report/run_text.h"
#include "report/table.h"
#include "stats/interval.h"
#include "stats/order.h"

#include <math.h>

/* Of the rates shown: the usual 95 %. */
static const double RATE_ALPHA = 0.05;

void prove_trial_add(struct arena *arena, struct prove_scenario *scenario,
                     const struct prove_trial *trial)
{
    scenario->trials = arena_grow(arena, scenario->trials, &scenario->capacity, scenario->count + 1,
                                  (ptrdiff_t)sizeof *scenario->trials);
    scenario->trials[scenario->count++] = *trial;
}

struct tally {
    ptrdiff_t verdicts[MODEL_VERDICT_COUNT];
    ptrdiff_t intervals;
    ptrdiff_t covering; /* intervals that hold what was really added */
    double seconds_median;
    double half_width_median;
};

static struct tally tally(struct arena *arena, const struct prove_scenario *scenario)
{
    struct tally result = {0};
    double *seconds = ARENA_ARRAY(arena, double, scenario->count);
    double *half_widths = ARENA_ARRAY(arena, double, scenario->count);
    for (ptrdiff_t i = 0; i < scenario->count; i++) {
        const struct prove_trial *trial = &scenario->trials[i];
        result.verdicts[trial->verdict]++;
        seconds[i] = trial->seconds;
        if (trial->has_interval) {
            half_widths[result.intervals++] = log(trial->high / trial->low) / 2;
            double truth = 1 + trial->added;
            result.covering += trial->low <= truth && truth <= trial->high;
        }
    }
    if (scenario->count > 0) {
        result.seconds_median = stats_median(seconds, scenario->count, arena);
    }
    if (result.intervals > 0) {
        result.half_width_median = stats_median(half_widths, result.intervals, arena);
    }
    return result;
}

static const char *rate_text(struct arena *arena, ptrdiff_t part, ptrdiff_t whole)
{
    if (whole == 0) {
        return "?";
    }
    struct stats_interval rate = stats_proportion_exact(part, whole, RATE_ALPHA);
    return arena_printf(arena, "%.0f%% (%.0f–%.0f)", 100.0 * (double)part / (double)whole,
                        100 * rate.low, 100 * rate.high);
}

/* A bar of ten cells. */
static const char *bar(struct arena *arena, ptrdiff_t part, ptrdiff_t whole)
{
    struct buffer text = buffer_new(arena, 256);
    ptrdiff_t filled = whole > 0 ? (part * 10 + whole / 2) / whole : 0;
    buffer_repeat(&text, "█", filled);
    buffer_repeat(&text, "·", 10 - filled);
    return arena_strdup(arena, buffer_string(&text));
}

static void print_table(struct buffer *out, const struct prove_result *result)
{
    struct arena *arena = out->arena;
    struct table table = table_new(arena);
    static const char *const titles[] = {"added work", "band",     "trials", "regressed",
                                         "found",      "improved", "equiv",  "undecided",
                                         "covered",    "± median", "seconds"};
    for (size_t i = 0; i < sizeof titles / sizeof *titles; i++) {
        table_add_column(&table, titles[i], i == 4 ? TABLE_LEFT : TABLE_RIGHT, 0);
    }
    for (ptrdiff_t i = 0; i < result->scenario_count; i++) {
        const struct prove_scenario *scenario = &result->scenarios[i];
        struct tally t = tally(arena, scenario);
        struct table_row *row = table_add_row(&table);
        row->cells[0] =
            scenario->effect > 0 ? arena_printf(arena, "+%g %%", scenario->effect * 100) : "none";
        row->cells[1] = arena_printf(arena, "%g %%", scenario->band * 100);
        row->cells[2] = arena_printf(arena, "%td", scenario->count);
        row->cells[3] = rate_text(arena, t.verdicts[MODEL_REGRESSED], scenario->count);
        row->cells[4] = bar(arena, t.verdicts[MODEL_REGRESSED], scenario->count);
        row->cells[5] = arena_printf(arena, "%td", t.verdicts[MODEL_IMPROVED]);
        row->cells[6] = arena_printf(arena, "%td", t.verdicts[MODEL_EQUIVALENT]);
        row->cells[7] = arena_printf(arena, "%td", t.verdicts[MODEL_INCONCLUSIVE]);
        row->cells[8] = arena_printf(arena, "%td/%td", t.covering, t.intervals);
        row->cells[9] = arena_printf(arena, "%.2f %%", t.half_width_median * 100);
        row->cells[10] = arena_printf(arena, "%.1f", t.seconds_median);
    }
    table_print(&table, out, 0, false);
}

/* False alarms: any difference claimed where none is. */
static void print_false_alarms(struct buffer *out, const struct prove_result *result)
{
    ptrdiff_t alarms = 0;
    ptrdiff_t trials = 0;
    for (ptrdiff_t i = 0; i < result->scenario_count; i++) {
        const struct prove_scenario *scenario = &result->scenarios[i];
        if (scenario->effect == 0) {
            struct tally t = tally(out->arena, scenario);
            alarms += t.verdicts[MODEL_REGRESSED] + t.verdicts[MODEL_IMPROVED];
            trials += scenario->count;
        }
    }
    if (trials > 0) {
        struct stats_interval rate = stats_proportion_exact(alarms, trials, RATE_ALPHA);
        buffer_printf(out,
                      "False alarms: %td of %td comparisons without a change (at most %.1f %%, 95 "
                      "%% sure).\n",
                      alarms, trials, rate.high * 100);
    }
}

/* The smallest added work that was found in 95 % of the trials, with the default band. */
static void print_smallest(struct buffer *out, const struct prove_result *result, bool is_zero_band)
{
    double smallest = INFINITY;
    bool has_any = false;
    for (ptrdiff_t i = 0; i < result->scenario_count; i++) {
        const struct prove_scenario *scenario = &result->scenarios[i];
        if (scenario->effect == 0 || scenario->count == 0 ||
            (scenario->band == 0) != is_zero_band) {
            continue;
        }
        has_any = true;
        struct tally t = tally(out->arena, scenario);
        if ((double)t.verdicts[MODEL_REGRESSED] >= 0.95 * (double)scenario->count) {
            smallest = fmin(smallest, scenario->effect);
        }
    }
    if (!has_any) {
        return;
    }
    const char *how = is_zero_band ? "asking for any difference" : "with the band";
    if (isfinite(smallest)) {
        buffer_printf(out, "Found at least 95 %% of the time within %.3g s, %s: from +%g %%.\n",
                      result->each_s, how, smallest * 100);
    } else {
        buffer_printf(out, "Nothing tried was found 95 %% of the time within %.3g s, %s.\n",
                      result->each_s, how);
    }
}

void prove_report_text(struct buffer *out, const struct prove_result *result,
                       const struct model_machine *machine)
{
    buffer_printf(out, "%s    %g %% confidence, at most %.3g s a comparison\n",
                  report_machine_line(out->arena, machine), result->confidence * 100,
                  result->each_s);
    print_table(out, result);
    print_false_alarms(out, result);
    print_smallest(out, result, false);
    print_smallest(out, result, true);
}

static json_t *trial_json(struct arena *arena, const struct prove_result *result,
                          const struct prove_trial *trial)
{
    json_t *object = json_object();
    json_object_set_new(object, "benchmark",
                        json_write_text(arena, result->labels[trial->benchmark]));
    json_object_set_new(object, "verdict", json_string(model_verdict_name(trial->verdict)));
    json_object_set_new(object, "seconds", json_write_number(trial->seconds));
    json_object_set_new(object, "added", json_write_number(trial->added));
    json_object_set_new(object, "launches", json_integer(trial->launches));
    json_object_set_new(object, "ratio", json_write_number(trial->ratio));
    json_object_set_new(object, "ci",
                        json_write_pair(trial->has_interval, trial->low, trial->high));
    return object;
}

void prove_report_json(struct buffer *out, const struct prove_result *result,
                       const struct model_machine *machine, int exit_code)
{
    struct arena arena = {0};
    json_t *scenarios = json_array();
    for (ptrdiff_t i = 0; i < result->scenario_count; i++) {
        const struct prove_scenario *scenario = &result->scenarios[i];
        struct tally t = tally(&arena, scenario);
        json_t *trials = json_array();
        for (ptrdiff_t k = 0; k < scenario->count; k++) {
            json_array_append_new(trials, trial_json(&arena, result, &scenario->trials[k]));
        }
        json_t *object = json_object();
        json_object_set_new(object, "added", json_write_number(scenario->effect));
        json_object_set_new(object, "band", json_write_number(scenario->band));
        json_object_set_new(object, "n", json_integer(scenario->count));
        for (int v = 0; v < MODEL_VERDICT_COUNT; v++) {
            json_object_set_new(object, model_verdict_name((enum model_verdict)v),
                                json_integer(t.verdicts[v]));
        }
        json_object_set_new(object, "covered", json_integer(t.covering));
        json_object_set_new(object, "intervals", json_integer(t.intervals));
        json_object_set_new(object, "seconds_median", json_write_number(t.seconds_median));
        json_object_set_new(object, "half_width_median", json_write_number(t.half_width_median));
        json_object_set_new(object, "trials", trials);
        json_array_append_new(scenarios, object);
    }
    json_t *root = json_pack("{s:i,s:s}", "tare", 1, "kind", "prove");
    json_object_set_new(root, "confidence", json_write_number(result->confidence));
    json_object_set_new(root, "each_seconds", json_write_number(result->each_s));
    json_object_set_new(root, "scenarios", scenarios);
    json_object_set_new(root, "machine", json_write_machine(&arena, machine));
    json_object_set_new(root, "seconds", json_write_number(result->seconds));
    json_object_set_new(root, "exit", json_integer(exit_code));
    json_write_dump(out, root);
    arena_free(&arena);
}
