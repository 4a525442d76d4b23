/* alone.h: measuring without `tare`: what was measured of a case, and how it is shown. */
#ifndef TARE_CLIENT_ALONE_H
#define TARE_CLIENT_ALONE_H

#include "client/client.h"

/* 1000 slices of a benchmark are more than a median needs. */
enum { ALONE_SLICES_MAX = 1000 };

enum alone_state {
    ALONE_NOT_RUN, /* filtered out */
    ALONE_MEASURED,
    ALONE_DELETED, /* the loop cost no more than an empty one */
    ALONE_INVALID, /* failed its check */
    ALONE_SKIPPED,
    ALONE_FAILED,
};

struct alone_summary {
    double median, mean, low, high, min, max; /* low and high: the quartiles */
};

/* A metric beyond time, over all slices. */
struct alone_metric {
    struct client_metric metric;
    struct alone_summary summary;
};

struct alone_result {
    const struct client_case *subject;
    enum alone_state state;
    enum client_check check;
    const char *text; /* reason or detail */
    ptrdiff_t slice_count;
    uint64_t iterations;                /* per slice */
    double overhead_ns;                 /* per iteration */
    struct alone_summary time_ns;       /* per iteration */
    struct client_histogram *histogram; /* latency mode: all slices; else NULL */
    struct alone_metric metrics[CLIENT_SLICE_METRICS_MAX];
    ptrdiff_t metric_count;
    const struct alone_result
        *reference; /* same parameters; NULL when there is none or it is this */
};

/* ---- sample.c: slices until min_time is reached */
void alone_measure(struct client *client, ptrdiff_t index, double min_time_ns,
                   struct alone_result *result);
/* Sorts `values`; count > 0. Quantiles interpolate linearly between order statistics. */
struct alone_summary alone_summarize(double *values, ptrdiff_t count);

/* ---- fit.c: which growth describes cost over size best */
struct fit {
    const char *name;   /* "O(n log n)"; NULL when nothing can be said */
    const char *term;   /* "n log n"; "" for O(1) */
    double factor_ns;   /* cost = factor · term */
    double residual;    /* root mean square of the relative deviations: 0.03 is 3 % */
    const char *second; /* another that fits nearly as well, or NULL */
};
/* Needs at least 3 different sizes ≥ 1 with positive costs. */
struct fit fit_growth(const double *sizes, const double *costs_ns, ptrdiff_t count);

struct fit_points {
    double *sizes;
    double *costs_ns;
    ptrdiff_t count;
};
/* The measured points of one variant; none when another parameter than the size varies. */
struct fit_points fit_points_of(struct arena *arena, const struct client_benchmark *benchmark,
                                const char *variant, const struct alone_result *results,
                                ptrdiff_t count);

/* ---- format.c: numbers for people, three digits, without libm */
enum { FORMAT_BYTES = 48 };
void format_value(char text[FORMAT_BYTES], double value, const char *unit);
/* "12.2…12.5": both in the unit and with the decimals that format_value gives `median`. */
void format_range(char text[FORMAT_BYTES], double low, double high, double median,
                  const char *unit);
bool format_parse_time_ns(const char *text, double *time_ns);

/* ---- table.c, alone_json.c */
struct table {
    int label_columns;
    bool has_speedup, has_check, has_color;
};
void table_header(const struct table *table, const struct client *client, double min_time_ns);
void table_row(const struct table *table, const struct alone_result *result,
               const struct client_calibration *calibration);
void table_fit(const struct client_benchmark *benchmark, const char *variant,
               const struct alone_result *results, ptrdiff_t count);
void alone_json_list(const struct client *client, const bool *is_selected);
void alone_json(const struct client *client, const struct alone_result *results, ptrdiff_t count,
                int exit_code);

#endif
