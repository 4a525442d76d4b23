/* table.c: the table a benchmark program prints when it is run alone, row by row as they are
 * measured.
 *
 * Columns that no benchmark of the program can fill are left out. Names come from the program's
 * author, but may hold anything: they are made printable. */
#include "client/alone.h"

#include "base/text.h"

#include <stdio.h>
#include <string.h>

enum { TIME_COLUMNS = 9, RANGE_COLUMNS = 14, SPEEDUP_COLUMNS = 8, CHECK_COLUMNS = 7 };

static const char BOLD[] = "\033[1m";
static const char RED[] = "\033[31m";
static const char DIM[] = "\033[2m";
static const char PLAIN[] = "\033[0m";

static const char *style(const struct table *table, const char *code)
{
    return table->has_color ? code : "";
}

/* Right- or left-aligned by columns, not bytes: "µ" and "…" have two and three. */
static void print_padded(const char *text, int columns, bool is_right)
{
    ptrdiff_t missing = columns - text_columns(text);
    int padding = missing > 0 ? (int)missing : 0;
    printf("%*s%s%*s", is_right ? padding : 0, "", text, is_right ? 0 : padding, "");
}

void table_header(const struct table *table, const struct client *client, double min_time_ns)
{
    char timer[FORMAT_BYTES];
    char loop[FORMAT_BYTES];
    char time[FORMAT_BYTES];
    format_value(timer, client->calibration.timer_ns, "ns");
    format_value(loop, client->calibration.loop_ns, "ns");
    format_value(time, min_time_ns, "ns");
    printf("%slibtare %s, %s; subtracted: timer %s, loop %s a pass; %s each%s\n", style(table, DIM),
           TARE_VERSION, client->benchmarks[0].registration->compiler, timer, loop, time,
           style(table, PLAIN));
    printf("%s", style(table, BOLD));
    print_padded("benchmark", table->label_columns, false);
    print_padded("time", TIME_COLUMNS + 1, true);
    print_padded("middle half", RANGE_COLUMNS + 1, true);
    if (table->has_speedup) {
        print_padded("speed-up", SPEEDUP_COLUMNS + 2, true);
    }
    if (table->has_check) {
        print_padded("check", CHECK_COLUMNS + 2, true);
    }
    printf("%s\n", style(table, PLAIN));
    fflush(stdout); /* a crash shall not hide what was done */
}

static void print_speedup(const struct alone_result *result)
{
    char text[FORMAT_BYTES] = "";
    const struct alone_result *reference = result->reference;
    if (reference != NULL && reference->state == ALONE_MEASURED &&
        result->state == ALONE_MEASURED && result->time_ns.median > 0) {
        format_value(text, reference->time_ns.median / result->time_ns.median, "1");
        strcat(text, "x");
    } else if (result->subject->variant->is_reference &&
               result->subject->benchmark->variant_count > 1) {
        strcpy(text, "1x");
    }
    print_padded(text, SPEEDUP_COLUMNS + 2, true);
}

static void print_check(const struct table *table, const struct alone_result *result)
{
    /* A variant's check is the comparison with the reference: say so. */
    bool is_compared =
        result->subject->benchmark->variant_count > 1 && !result->subject->variant->is_reference;
    const char *text = result->check == CLIENT_CHECK_PASSED   ? is_compared ? "equal" : "passed"
                       : result->check == CLIENT_CHECK_FAILED ? "failed"
                                                              : "–";
    printf("%s", result->check == CLIENT_CHECK_FAILED ? style(table, RED) : "");
    print_padded(text, CHECK_COLUMNS + 2, true);
    printf("%s", result->check == CLIENT_CHECK_FAILED ? style(table, PLAIN) : "");
}

static void print_latency(const struct table *table, const struct alone_result *result,
                          const struct client_calibration *calibration)
{
    static const struct {
        const char *name;
        double share;
    } percentiles[] = {
        {"p50", 0.5}, {"p90", 0.9}, {"p99", 0.99}, {"p99.9", 0.999}, {"p99.99", 0.9999}};
    const struct client_histogram *histogram = result->histogram;
    char text[FORMAT_BYTES];
    printf("%s ", style(table, DIM));
    for (size_t i = 0; i < sizeof percentiles / sizeof *percentiles; i++) {
        /* Without ten values above it a percentile is a coin toss. */
        bool is_known = (double)histogram->total * (1 - percentiles[i].share) >= 10;
        format_value(text, client_histogram_quantile(histogram, percentiles[i].share), "ns");
        printf(" %s %s ", percentiles[i].name, is_known ? text : "–");
    }
    format_value(text, (double)histogram->max_ns, "ns");
    printf(" max %s", text);
    format_value(text, calibration->timer_floor_ns, "ns");
    printf("  (timer floor %s, %llu calls)%s\n", text, (unsigned long long)histogram->total,
           style(table, PLAIN));
}

static void print_reason(const struct table *table, const struct alone_result *result)
{
    static const char *const words[] = {[ALONE_DELETED] = "deleted",
                                        [ALONE_INVALID] = "invalid",
                                        [ALONE_SKIPPED] = "skipped",
                                        [ALONE_FAILED] = "failed"};
    struct arena arena = {0};
    const char *color = result->state == ALONE_SKIPPED ? DIM : RED;
    printf("%s", style(table, color));
    print_padded(words[result->state], TIME_COLUMNS + 1, true);
    printf("  %s%s\n", text_printable(&arena, result->text, 0), style(table, PLAIN));
    arena_free(&arena);
}

void table_row(const struct table *table, const struct alone_result *result,
               const struct client_calibration *calibration)
{
    struct arena arena = {0};
    struct buffer label = buffer_new(&arena, BUFFER_LENGTH_MAX);
    client_case_label(result->subject, &label);
    print_padded(text_printable(&arena, buffer_string(&label), table->label_columns),
                 table->label_columns, false);
    arena_free(&arena);
    if (result->state != ALONE_MEASURED) {
        print_reason(table, result);
        fflush(stdout);
        return;
    }
    char text[FORMAT_BYTES];
    format_value(text, result->time_ns.median, "ns");
    print_padded(text, TIME_COLUMNS + 1, true);
    format_range(text, result->time_ns.low, result->time_ns.high, result->time_ns.median, "ns");
    print_padded(text, RANGE_COLUMNS + 1, true);
    if (table->has_speedup) {
        print_speedup(result);
    }
    if (table->has_check) {
        print_check(table, result);
    }
    for (ptrdiff_t i = 0; i < result->metric_count; i++) {
        const struct alone_metric *metric = &result->metrics[i];
        bool is_rate = false; /* its unit says what it is */
        for (int k = 0; k < CLIENT_RATES; k++) {
            is_rate = is_rate || strcmp(metric->metric.name, client_rates[k].name) == 0;
        }
        format_value(text, metric->summary.median, metric->metric.unit);
        printf("  %s%s%s", is_rate ? "" : metric->metric.name, is_rate ? "" : " ", text);
    }
    printf("\n");
    if (result->histogram != NULL) {
        print_latency(table, result, calibration);
    }
    fflush(stdout);
}

/* One line per variant: every other parameter must be the same for the sizes to be compared, so a
 * fit is only said when the size is the only one that varies. */
void table_fit(const struct client_benchmark *benchmark, const char *variant,
               const struct alone_result *results, ptrdiff_t count)
{
    struct arena arena = {0};
    struct fit_points points = fit_points_of(&arena, benchmark, variant, results, count);
    struct fit fit = fit_growth(points.sizes, points.costs_ns, points.count);
    if (fit.name != NULL) {
        char factor[FORMAT_BYTES];
        format_value(factor, fit.factor_ns, "ns");
        printf("  %s%s%s over %s: %s, %s%s%s, residual %.0f %%",
               text_printable(&arena, benchmark->name, 0), variant[0] != '\0' ? "/" : "", variant,
               benchmark->size_parameter, fit.name, factor, fit.term[0] != '\0' ? " · " : "",
               fit.term, fit.residual * 100);
        if (fit.second != NULL) {
            printf("; %s fits nearly as well", fit.second);
        }
        printf("\n");
    }
    arena_free(&arena);
}
