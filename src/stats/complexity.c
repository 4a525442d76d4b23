/* complexity.c: least squares of time over size for six growth laws.
 *
 * Idea: minimise Σ ((c + a f(n) − t) / t)², relative errors, because times span orders of magnitude
 * and vary in proportion; plain least squares would only look at the largest size. Each law is
 * fitted with and without the constant c (a call's fixed cost); the constant is kept when it is
 * positive and the law needs it, that is when it cuts the residual by a third at least. Of the
 * possible laws the one with the smallest residual wins; a law with a constant must beat one
 * without by the same third, so that c + a n does not pass for O(n log n) or the other way round by
 * a hair.
 *
 * Limits: caches make times jump between sizes, which no law describes; the residual then stays
 * above some 10 % and the answer is not to be trusted. n and n log n differ by a factor of 2 over a
 * range of 1,000 sizes: with a narrow range or noise, is_clear says they cannot be told apart. */
#include "stats/complexity.h"

#include "base/assert.h"

#include <math.h>

/* A third: a second free parameter on five noisy points cuts the residual by about 15 % by luck. */
static const double CONSTANT_GAIN = 0.67;
static const double CLEAR_FACTOR = 1.5;
static const double RANGE_MIN = 4;

static double growth(enum stats_complexity kind, double n)
{
    switch (kind) {
    case STATS_COMPLEXITY_1:
        return 1;
    case STATS_COMPLEXITY_LOG_N:
        return log2(n);
    case STATS_COMPLEXITY_N:
        return n;
    case STATS_COMPLEXITY_N_LOG_N:
        return n * log2(n);
    case STATS_COMPLEXITY_N2:
        return n * n;
    case STATS_COMPLEXITY_N3:
        return n * n * n;
    case STATS_COMPLEXITY_COUNT:
        break;
    }
    TARE_ASSERT(kind < STATS_COMPLEXITY_COUNT);
    return 0;
}

const char *stats_complexity_name(enum stats_complexity kind)
{
    static const char *const names[STATS_COMPLEXITY_COUNT] = {
        "O(1)", "O(log n)", "O(n)", "O(n log n)", "O(n^2)", "O(n^3)",
    };
    TARE_ASSERT((int)kind >= 0 && kind < STATS_COMPLEXITY_COUNT);
    return names[kind];
}

static double residual_of(const struct stats_complexity_fit *fit, const double *sizes,
                          const double *times, ptrdiff_t count)
{
    double sum = 0;
    for (ptrdiff_t i = 0; i < count; i++) {
        double fitted = fit->constant + fit->factor * growth(fit->kind, sizes[i]);
        double error = (fitted - times[i]) / times[i];
        sum += error * error;
    }
    return sqrt(sum / (double)count);
}

/* Weighted sums with u = 1/t and v = f/t: minimise Σ (c u + a v − 1)². */
struct normal_equations {
    double uu, uv, vv, u, v;
};

static struct normal_equations sum_up(enum stats_complexity kind, const double *sizes,
                                      const double *times, ptrdiff_t count)
{
    struct normal_equations s = {0};
    for (ptrdiff_t i = 0; i < count; i++) {
        double u = 1 / times[i];
        double v = growth(kind, sizes[i]) / times[i];
        s.uu += u * u;
        s.uv += u * v;
        s.vv += v * v;
        s.u += u;
        s.v += v;
    }
    return s;
}

static struct stats_complexity_fit fit_one(enum stats_complexity kind, const double *sizes,
                                           const double *times, ptrdiff_t count)
{
    struct normal_equations s = sum_up(kind, sizes, times, count);
    struct stats_complexity_fit plain = {.kind = kind};
    if (s.vv > 0) { /* log n of n = 1 alone is zero everywhere */
        plain.factor = s.v / s.vv;
    }
    plain.is_possible = plain.factor > 0;
    plain.residual = residual_of(&plain, sizes, times, count);
    double determinant = s.uu * s.vv - s.uv * s.uv;
    if (kind == STATS_COMPLEXITY_1 || !(determinant > 1e-14 * s.uu * s.vv)) {
        return plain;
    }
    struct stats_complexity_fit full = {
        .kind = kind,
        .constant = (s.u * s.vv - s.v * s.uv) / determinant,
        .factor = (s.v * s.uu - s.u * s.uv) / determinant,
    };
    full.is_possible = full.factor > 0 && full.constant > 0;
    full.residual = residual_of(&full, sizes, times, count);
    bool is_better = full.is_possible && full.residual < CONSTANT_GAIN * plain.residual;
    return is_better ? full : plain;
}

/* Is `candidate` the better answer? A constant has to earn its place. */
static bool is_preferred(const struct stats_complexity_fit *candidate,
                         const struct stats_complexity_fit *best)
{
    if (!candidate->is_possible || !best->is_possible) {
        return candidate->is_possible;
    }
    double handicap = 1;
    if (candidate->constant > 0 && !(best->constant > 0)) {
        handicap = CONSTANT_GAIN;
    } else if (best->constant > 0 && !(candidate->constant > 0)) {
        handicap = 1 / CONSTANT_GAIN;
    }
    return candidate->residual < handicap * best->residual;
}

static bool has_range(const double *sizes, ptrdiff_t count)
{
    double smallest = INFINITY;
    double largest = 0;
    ptrdiff_t distinct = 0;
    for (ptrdiff_t i = 0; i < count; i++) {
        bool is_new = true;
        for (ptrdiff_t j = 0; j < i && is_new; j++) {
            is_new = sizes[j] != sizes[i];
        }
        distinct += is_new;
        smallest = fmin(smallest, sizes[i]);
        largest = fmax(largest, sizes[i]);
    }
    return distinct >= STATS_COMPLEXITY_SIZES_MIN && largest >= RANGE_MIN * smallest;
}

struct stats_complexity_result stats_complexity_fit(const double *sizes, const double *times,
                                                    ptrdiff_t count)
{
    TARE_ASSERT(count >= 0);
    struct stats_complexity_result result = {0};
    for (ptrdiff_t i = 0; i < count; i++) {
        TARE_ASSERT(isfinite(sizes[i]) && sizes[i] > 0);
        TARE_ASSERT(isfinite(times[i]) && times[i] > 0);
    }
    if (!has_range(sizes, count)) {
        return result;
    }
    result.is_defined = true;
    for (int kind = 0; kind < STATS_COMPLEXITY_COUNT; kind++) {
        result.all[kind] = fit_one((enum stats_complexity)kind, sizes, times, count);
        if (kind == 0 || is_preferred(&result.all[kind], &result.best)) {
            result.best = result.all[kind];
        }
    }
    result.is_clear = true;
    for (int kind = 0; kind < STATS_COMPLEXITY_COUNT; kind++) {
        const struct stats_complexity_fit *other = &result.all[kind];
        if (other->kind != result.best.kind && other->is_possible &&
            other->residual < CLEAR_FACTOR * result.best.residual) {
            result.is_clear = false;
        }
    }
    return result;
}
