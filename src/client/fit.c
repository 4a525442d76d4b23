/* fit.c: how cost grows with size.
 *
 * For each candidate f the factor c in cost = c · f(n) is found by least squares of the relative
 * deviations, Σ (1 − c·f(n)/cost)²: sizes often span decades, and unweighted the largest would
 * decide alone. With x = f(n)/cost the minimum is at c = Σx / Σx², and the smallest root mean
 * square wins. (Least squares through the origin, as in any text book; the weights are 1/cost².) */
#include "client/alone.h"

#include <string.h>

/* At least three sizes: through two points nearly every growth fits. */
enum { SIZES_MIN = 3 };
/* A second candidate whose residual is within 1.5 times the best one's is named along. */
static const double NEARLY_AS_GOOD = 1.5;

/* log2 without libm: the exponent by halving, then the series of atanh on [1, 2). Relative error
 * below 1e-9 for the sizes of benchmarks. */
static double log2_of(double value)
{
    double exponent = 0;
    while (value >= 2) {
        value /= 2;
        exponent += 1;
    }
    /* ln(value) = 2·atanh(y), y = (value − 1)/(value + 1) < 1/3: 16 terms leave y^33 < 1e-15. */
    double y = (value - 1) / (value + 1);
    double power = y;
    double sum = 0;
    for (int k = 1; k < 33; k += 2) {
        sum += power / k;
        power *= y * y;
    }
    return exponent + 2 * sum / 0.69314718055994530942;
}

static double growth_one(double n)
{
    (void)n;
    return 1;
}

static double growth_log(double n)
{
    return log2_of(n);
}

static double growth_linear(double n)
{
    return n;
}

static double growth_n_log(double n)
{
    return n * log2_of(n);
}

static double growth_square(double n)
{
    return n * n;
}

static double growth_cube(double n)
{
    return n * n * n;
}

static const struct {
    const char *name;
    const char *term;
    double (*function)(double n);
} growths[] = {{"O(1)", "", growth_one},         {"O(log n)", "log2 n", growth_log},
               {"O(n)", "n", growth_linear},     {"O(n log n)", "n log2 n", growth_n_log},
               {"O(n^2)", "n^2", growth_square}, {"O(n^3)", "n^3", growth_cube}};

static bool is_fit_for(const double *sizes, const double *costs_ns, ptrdiff_t count)
{
    ptrdiff_t different = 0;
    for (ptrdiff_t i = 0; i < count; i++) {
        if (!(sizes[i] >= 1) || !(costs_ns[i] > 0)) {
            return false;
        }
        bool is_new = true;
        for (ptrdiff_t j = 0; j < i; j++) {
            is_new = is_new && sizes[j] != sizes[i];
        }
        different += is_new;
    }
    return different >= SIZES_MIN;
}

static double square_residual(double (*function)(double n), const double *sizes,
                              const double *costs_ns, ptrdiff_t count, double *factor)
{
    double sum_x = 0;
    double sum_xx = 0;
    for (ptrdiff_t i = 0; i < count; i++) {
        double x = function(sizes[i]) / costs_ns[i];
        sum_x += x;
        sum_xx += x * x;
    }
    *factor = sum_xx > 0 ? sum_x / sum_xx : 0;
    double sum = 0;
    for (ptrdiff_t i = 0; i < count; i++) {
        double deviation = 1 - *factor * function(sizes[i]) / costs_ns[i];
        sum += deviation * deviation;
    }
    return sum / (double)count;
}

struct fit fit_growth(const double *sizes, const double *costs_ns, ptrdiff_t count)
{
    struct fit best = {0};
    if (!is_fit_for(sizes, costs_ns, count)) {
        return best;
    }
    double residuals[sizeof growths / sizeof *growths];
    size_t best_index = 0;
    for (size_t i = 0; i < sizeof growths / sizeof *growths; i++) {
        double factor = 0;
        residuals[i] = square_residual(growths[i].function, sizes, costs_ns, count, &factor);
        if (i == 0 || residuals[i] < residuals[best_index]) {
            best_index = i;
            best = (struct fit){.name = growths[i].name,
                                .term = growths[i].term,
                                .factor_ns = factor,
                                .residual = __builtin_sqrt(residuals[i])};
        }
    }
    for (size_t i = 0; i < sizeof growths / sizeof *growths; i++) {
        if (i != best_index && __builtin_sqrt(residuals[i]) <= NEARLY_AS_GOOD * best.residual) {
            best.second = growths[i].name;
        }
    }
    return best;
}

/* The number of the size parameter, or −1 when there is none or another parameter varies too. */
static ptrdiff_t size_index(const struct client_benchmark *benchmark)
{
    ptrdiff_t index = -1;
    for (ptrdiff_t i = 0; i < benchmark->parameter_count && benchmark->size_parameter != NULL;
         i++) {
        if (strcmp(benchmark->parameters[i].name, benchmark->size_parameter) == 0) {
            index = i;
        } else if (benchmark->parameters[i].count > 1) {
            return -1;
        }
    }
    return index;
}

struct fit_points fit_points_of(struct arena *arena, const struct client_benchmark *benchmark,
                                const char *variant, const struct alone_result *results,
                                ptrdiff_t count)
{
    struct fit_points points = {.sizes = ARENA_ARRAY(arena, double, count),
                                .costs_ns = ARENA_ARRAY(arena, double, count)};
    ptrdiff_t index = size_index(benchmark);
    for (ptrdiff_t i = 0; i < count && index >= 0; i++) {
        const struct alone_result *result = &results[i];
        if (result->state == ALONE_MEASURED && result->subject->benchmark == benchmark &&
            strcmp(result->subject->variant->name, variant) == 0) {
            int32_t choice = result->subject->choices[index];
            points.sizes[points.count] = (double)benchmark->parameters[index].values[choice];
            points.costs_ns[points.count++] = result->time_ns.median;
        }
    }
    return points;
}
