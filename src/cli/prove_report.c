#include "cli/prove_report.h"

#include "base/text.h"
#include "base/unit.h"
#include "report/json_write.h"
#include "report/run_text.h"
#include "report/table.h"
#include "report/wrap.h"
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
    ptrdiff_t covering;       /* intervals that hold what was really added */
    ptrdiff_t alarms;         /* differences claimed */
    ptrdiff_t judged;         /* trials that came to an interval, or claimed without one */
    double seconds_median;    /* NaN: no trials */
    double half_width_median; /* NaN: no intervals */
};

static struct tally tally(struct arena *arena, const struct prove_scenario *scenario)
{
    struct tally result = {.seconds_median = NAN, .half_width_median = NAN};
    double *seconds = ARENA_ARRAY(arena, double, scenario->count);
    double *half_widths = ARENA_ARRAY(arena, double, scenario->count);
    for (ptrdiff_t i = 0; i < scenario->count; i++) {
        const struct prove_trial *trial = &scenario->trials[i];
        result.verdicts[trial->verdict]++;
        seconds[i] = trial->seconds;
        bool is_alarm = trial->verdict == MODEL_REGRESSED || trial->verdict == MODEL_IMPROVED;
        result.alarms += is_alarm;
        result.judged += is_alarm || trial->has_interval;
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

/* A cell of a scenario whose turn did not come, and one that trials without an interval leave open.
 */
static const char NOT_TRIED[] = "–";
static const char NOT_KNOWN[] = "?";

static const char *rate_text(struct arena *arena, ptrdiff_t part, ptrdiff_t whole)
{
    if (whole == 0) {
        return NOT_TRIED;
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

static const struct table_column prove_columns[] = {
    {"added", TABLE_RIGHT, 0},     {"band", TABLE_RIGHT, 0}, {"n", TABLE_RIGHT, 0},
    {"regressed", TABLE_RIGHT, 0}, {"found", TABLE_LEFT, 3}, {"improved", TABLE_RIGHT, 0},
    {"same", TABLE_RIGHT, 0},      {"open", TABLE_RIGHT, 0}, {"covered", TABLE_RIGHT, 0},
    {"±", TABLE_RIGHT, 1},         {"time", TABLE_RIGHT, 2},
};

static void add_row(struct table *table, const struct prove_scenario *scenario)
{
    struct arena *arena = table->arena;
    struct tally t = tally(arena, scenario);
    struct table_row *row = table_add_row(table);
    row->cells[0] =
        scenario->effect > 0 ? arena_printf(arena, "+%g %%", scenario->effect * 100) : "none";
    row->cells[1] = arena_printf(arena, "%g %%", scenario->band * 100);
    row->cells[2] = arena_printf(arena, "%td", scenario->count);
    row->cells[3] = rate_text(arena, t.verdicts[MODEL_REGRESSED], scenario->count);
    if (scenario->count == 0) {
        for (int c = 5; c < (int)(sizeof prove_columns / sizeof *prove_columns); c++) {
            row->cells[c] = NOT_TRIED;
        }
        return;
    }
    row->cells[4] = bar(arena, t.verdicts[MODEL_REGRESSED], scenario->count);
    row->cells[5] = arena_printf(arena, "%td", t.verdicts[MODEL_IMPROVED]);
    row->cells[6] = arena_printf(arena, "%td", t.verdicts[MODEL_EQUIVALENT]);
    row->cells[7] = arena_printf(arena, "%td", t.verdicts[MODEL_INCONCLUSIVE]);
    row->cells[8] =
        t.intervals > 0 ? arena_printf(arena, "%td/%td", t.covering, t.intervals) : NOT_KNOWN;
    row->cells[9] =
        t.intervals > 0 ? arena_printf(arena, "%.2f %%", t.half_width_median * 100) : NOT_KNOWN;
    row->cells[10] = arena_printf(arena, "%.1f s", t.seconds_median);
}

static void print_table(struct buffer *out, const struct prove_result *result, ptrdiff_t columns)
{
    struct table table = table_new(out->arena);
    for (size_t i = 0; i < sizeof prove_columns / sizeof *prove_columns; i++) {
        const struct table_column *column = &prove_columns[i];
        table_add_column(&table, column->title, column->align, column->drop_order);
    }
    for (ptrdiff_t i = 0; i < result->scenario_count; i++) {
        add_row(&table, &result->scenarios[i]);
    }
    table_print(&table, out, columns, false);
}

/* False alarms: any difference claimed where none is. A trial that ended without an interval could
 * not have raised one, so it does not count as one that kept quiet. */
static void print_false_alarms(struct buffer *out, const struct prove_result *result,
                               ptrdiff_t columns)
{
    struct arena *arena = out->arena;
    ptrdiff_t alarms = 0;
    ptrdiff_t judged = 0;
    ptrdiff_t trials = 0;
    for (ptrdiff_t i = 0; i < result->scenario_count; i++) {
        const struct prove_scenario *scenario = &result->scenarios[i];
        if (scenario->effect == 0) {
            struct tally t = tally(arena, scenario);
            alarms += t.alarms;
            judged += t.judged;
            trials += scenario->count;
        }
    }
    if (trials > 0 && judged == 0) {
        wrap_line(out,
                  arena_printf(arena,
                               "False alarms: not known: none of %td comparisons without a change "
                               "came to an interval (--each allows more time).",
                               trials),
                  columns);
    } else if (trials > 0) {
        struct stats_interval rate = stats_proportion_exact(alarms, judged, RATE_ALPHA);
        const char *others =
            judged < trials ? arena_printf(arena, "; %td did not", trials - judged) : "";
        wrap_line(out,
                  arena_printf(arena,
                               "False alarms: %td of %td comparisons without a change that came to "
                               "an interval%s (at most %.1f %%, 95 %% sure).",
                               alarms, judged, others, rate.high * 100),
                  columns);
    }
}

/* The smallest added work that was found in 95 % of the trials, with the default band. */
static void print_smallest(struct buffer *out, const struct prove_result *result, bool is_zero_band,
                           ptrdiff_t columns)
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
        wrap_line(out,
                  arena_printf(out->arena,
                               "Found at least 95 %% of the time within %.3g s, %s: from +%g %%.",
                               result->each_s, how, smallest * 100),
                  columns);
    } else {
        wrap_line(out,
                  arena_printf(out->arena,
                               "Nothing tried was found 95 %% of the time within %.3g s, %s.",
                               result->each_s, how),
                  columns);
    }
}

void prove_report_text(struct buffer *out, const struct prove_result *result,
                       const struct model_machine *machine, ptrdiff_t columns)
{
    wrap_line(out,
              arena_printf(out->arena, "%s    %g %% confidence, at most %.3g s a comparison",
                           report_machine_line(out->arena, machine), result->confidence * 100,
                           result->each_s),
              columns);
    print_table(out, result, columns);
    print_false_alarms(out, result, columns);
    print_smallest(out, result, false, columns);
    print_smallest(out, result, true, columns);
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
