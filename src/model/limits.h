/* limits.h: the largest of everything. Reaching one is a reported error, never a silent cut.
 *
 * They are far above what people use and small enough that a hostile or broken program cannot take
 * the machine down with it. */
#ifndef TARE_MODEL_LIMITS_H
#define TARE_MODEL_LIMITS_H

enum {
    MODEL_NAME_BYTES_MAX = 1024,   /* a benchmark's, metric's, unit's, parameter's or run's name */
    MODEL_VALUE_BYTES_MAX = 4096,  /* a parameter's value, a reason */
    MODEL_PARAMETERS_MAX = 32,     /* parameters of one benchmark */
    MODEL_METRICS_MAX = 256,       /* metrics of one benchmark */
    MODEL_BENCHMARKS_MAX = 100000, /* benchmarks of one run */
    MODEL_LAUNCHES_MAX = 100000,   /* launches of one benchmark */
    MODEL_SAMPLES_MAX = 100000000, /* samples of one metric */
    MODEL_FIELDS_MAX = 512,        /* facts about a machine or an environment */
    MODEL_HISTOGRAM_BUCKETS_MAX = 1 << 16,
    MODEL_PROTOCOL_LINE_BYTES_MAX = 4 * 1024 * 1024,
    MODEL_OUTPUT_BYTES_MAX = 64 * 1024 * 1024, /* kept output of one child */
};

#endif
