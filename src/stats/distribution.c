/* distribution.c: normal, t, beta, binomial and χ² probabilities.
 *
 * The idea: everything but the normal is an incomplete beta or gamma function, each evaluated by
 * its continued fraction (NIST Digital Library of Mathematical Functions, 8.17.22 and 8.9.2;
 * Lentz's recurrence) on the side where it converges fast. The power in front of the fraction is
 * where digits are lost when the parameters are large, so it is computed as a deviance plus
 * Stirling remainders (C. Loader, "Fast and accurate computation of binomial probabilities", 2000).
 * Quantiles are found by Newton's method between brackets on log–log axes, where the tails are
 * nearly straight lines.
 *
 * Cost: the fraction takes about √max(a, b) steps in the worst case, 1,000 for a million degrees of
 * freedom; a quantile about eight evaluations. */
#include "stats/distribution.h"

#include "base/assert.h"

#include <float.h>
#include <math.h>
#include <stdbool.h>

/* Enough for parameters of 10^10; the loops stop long before. */
enum { FRACTION_STEPS_MAX = 200000, QUANTILE_STEPS_MAX = 200 };

/* Lentz's recurrence replaces a zero denominator by this. */
static const double LENTZ_TINY = 1e-300;

/* ---- normal ---- */

double stats_normal_cdf(double z)
{
    return 0.5 * erfc(-z * M_SQRT1_2);
}

double stats_normal_upper(double z)
{
    return 0.5 * erfc(z * M_SQRT1_2);
}

double stats_normal_quantile(double probability)
{
    return -stats_normal_quantile_upper(probability);
}

double stats_normal_quantile_upper(double tail)
{
    TARE_ASSERT(tail > 0 && tail < 1);
    if (tail > 0.5) {
        return -stats_normal_quantile_upper(1 - tail);
    }
    if (tail == 0.5) {
        return 0;
    }
    /* Within 5e-4 (Abramowitz and Stegun 26.2.23); each Halley step then triples the digits. */
    double r = sqrt(-2 * log(tail));
    double z = r - (2.515517 + r * (0.802853 + r * 0.010328)) /
                       (1 + r * (1.432788 + r * (0.189269 + r * 0.001308)));
    for (int step = 0; step < 3; step++) {
        double density = exp(-0.5 * z * z) / sqrt(2 * M_PI);
        double newton = (stats_normal_upper(z) - tail) / density;
        z += newton / (1 - 0.5 * z * newton);
    }
    return z;
}

/* ---- the power in front of the fractions ---- */

/* log Γ(z + 1) minus Stirling's formula: the part that is small when z is large. */
static double stirling_remainder(double z)
{
    if (z <= 0) {
        return 0;
    }
    if (z < 16) {
        return log(tgamma(z + 1)) - (z + 0.5) * log(z) + z - 0.5 * log(2 * M_PI);
    }
    double square = z * z;
    double sum = 1.0 / 1188;
    sum = 1.0 / 1680 - sum / square;
    sum = 1.0 / 1260 - sum / square;
    sum = 1.0 / 360 - sum / square;
    sum = 1.0 / 12 - sum / square;
    return sum / z;
}

/* x log(x/m) + m − x without cancellation when x is near m (Loader's deviance). */
static double deviance(double x, double m)
{
    if (fabs(x - m) >= 0.1 * (x + m)) {
        return x * log(x / m) + m - x;
    }
    double v = (x - m) / (x + m);
    double sum = (x - m) * v;
    double term = 2 * x * v;
    for (int j = 1; j < 1000; j++) {
        term *= v * v;
        double next = sum + term / (2 * j + 1);
        if (next == sum) {
            break;
        }
        sum = next;
    }
    return sum;
}

/* x^a (1 − x)^b Γ(a+b) / (Γ(a) Γ(b)), with y = 1 − x passed because it may be tiny. */
static double beta_power(double x, double y, double a, double b)
{
    double n = a + b;
    double log_mass = stirling_remainder(n) - stirling_remainder(a) - stirling_remainder(b) -
                      deviance(a, n * x) - deviance(b, n * y);
    /* C(n, a) x^a y^b = √(n / (2π a b)) e^log_mass, and the power is a b / n times that. */
    return sqrt(a * b / (2 * M_PI * n)) * exp(log_mass);
}

/* ---- incomplete beta ---- */

/* Lentz's recurrence for the continued fraction 8.17.22 of I_x(a, b). */
static double beta_fraction(double x, double a, double b)
{
    double c = 1;
    double d = 1 - (a + b) * x / (a + 1);
    d = 1 / (fabs(d) < LENTZ_TINY ? LENTZ_TINY : d);
    double result = d;
    for (int m = 1; m <= FRACTION_STEPS_MAX; m++) {
        double even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m));
        d = 1 + even * d;
        d = 1 / (fabs(d) < LENTZ_TINY ? LENTZ_TINY : d);
        c = 1 + even / c;
        c = fabs(c) < LENTZ_TINY ? LENTZ_TINY : c;
        result *= c * d;
        double odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1));
        d = 1 + odd * d;
        d = 1 / (fabs(d) < LENTZ_TINY ? LENTZ_TINY : d);
        c = 1 + odd / c;
        c = fabs(c) < LENTZ_TINY ? LENTZ_TINY : c;
        double factor = c * d;
        result *= factor;
        if (fabs(factor - 1) <= 2 * DBL_EPSILON) {
            break;
        }
    }
    return result;
}

struct two_tails {
    double lower;
    double upper;
};

/* I_x(a, b) and its complement, the smaller one computed and not subtracted; y = 1 − x. */
static struct two_tails beta_tails(double x, double y, double a, double b)
{
    TARE_ASSERT(a > 0 && b > 0);
    if (x <= 0) {
        return (struct two_tails){.lower = 0, .upper = 1};
    }
    if (y <= 0) {
        return (struct two_tails){.lower = 1, .upper = 0};
    }
    double power = beta_power(x, y, a, b);
    if (x <= (a + 1) / (a + b + 2)) {
        double lower = power / a * beta_fraction(x, a, b);
        return (struct two_tails){.lower = lower, .upper = 1 - lower};
    }
    double upper = power / b * beta_fraction(y, b, a);
    return (struct two_tails){.lower = 1 - upper, .upper = upper};
}

double stats_beta_cdf(double x, double a, double b)
{
    return beta_tails(x, 1 - x, a, b).lower;
}

double stats_beta_upper(double x, double a, double b)
{
    return beta_tails(x, 1 - x, a, b).upper;
}

double stats_beta_quantile(double probability, double a, double b)
{
    TARE_ASSERT(probability >= 0 && probability <= 1);
    TARE_ASSERT(a > 0 && b > 0);
    if (probability == 0 || probability == 1) {
        return probability;
    }
    double low = 0;
    double high = 1;
    double x = a / (a + b);
    for (int step = 0; step < QUANTILE_STEPS_MAX; step++) {
        double cdf = stats_beta_cdf(x, a, b);
        if (cdf < probability) {
            low = x;
        } else {
            high = x;
        }
        /* d log cdf / d log x = x^a (1−x)^(b−1) / (B cdf); the power carries one (1 − x) more. */
        double slope = beta_power(x, 1 - x, a, b) / ((1 - x) * cdf);
        double next = x * exp((log(probability) - log(cdf)) / slope);
        if (!(next > low && next < high)) {
            next = low + (high - low) / 2;
        }
        if (fabs(next - x) <= 2 * DBL_EPSILON * x) {
            return next;
        }
        x = next;
    }
    return x;
}

/* ---- Student's t ---- */

/* P(T > t) for t >= 0, and P(0 < T <= t): each without cancellation. */
struct t_parts {
    double tail;
    double centre;
};

static struct t_parts t_split(double t, double df)
{
    if (t >
        1e150) { /* t² would overflow; even one degree of freedom has no more than 1e-150 there */
        return (struct t_parts){.tail = 0, .centre = 0.5};
    }
    double square = t * t;
    double x = df / (df + square);
    double y = square / (df + square);
    struct two_tails tails = beta_tails(x, y, df / 2, 0.5);
    return (struct t_parts){.tail = tails.lower / 2, .centre = tails.upper / 2};
}

double stats_t_upper(double t, double df)
{
    TARE_ASSERT(df > 0);
    struct t_parts parts = t_split(fabs(t), df);
    return t >= 0 ? parts.tail : 0.5 + parts.centre;
}

double stats_t_cdf(double t, double df)
{
    return stats_t_upper(-t, df);
}

double stats_t_quantile(double probability, double df)
{
    return -stats_t_quantile_upper(probability, df);
}

/* t × density(t): the derivative of either part with respect to log t, up to sign. */
static double t_slope(double t, double df)
{
    double square = t * t;
    return beta_power(df / (df + square), square / (df + square), df / 2, 0.5);
}

double stats_t_quantile_upper(double tail, double df)
{
    TARE_ASSERT(df > 0);
    TARE_ASSERT(tail > 0 && tail < 1);
    if (tail > 0.5) {
        return -stats_t_quantile_upper(1 - tail, df);
    }
    if (tail == 0.5) {
        return 0;
    }
    /* Far out the tail is a power of t, near zero the centre is: take whichever is smaller. */
    bool is_tail = tail < 0.25;
    double target = log(is_tail ? tail : 0.5 - tail);
    double low = 0;
    double high = INFINITY;
    double t = stats_normal_quantile_upper(tail);
    for (int step = 0; step < QUANTILE_STEPS_MAX; step++) {
        struct t_parts parts = t_split(t, df);
        double part = is_tail ? parts.tail : parts.centre;
        double excess = log(part) - target;
        bool is_beyond = is_tail ? excess < 0 : excess > 0;
        if (is_beyond) {
            high = t;
        } else {
            low = t;
        }
        double newton = excess * part / t_slope(t, df);
        double next = t * exp(is_tail ? newton : -newton);
        if (!(next > low && next < high)) {
            next = isinf(high) ? 2 * t : low + (high - low) / 2;
        }
        if (fabs(next - t) <= 4 * DBL_EPSILON * t) {
            return next;
        }
        t = next;
    }
    return t;
}

/* ---- binomial ---- */

double stats_binomial_cdf(ptrdiff_t successes, ptrdiff_t trials, double probability)
{
    TARE_ASSERT(trials >= 0);
    TARE_ASSERT(probability >= 0 && probability <= 1);
    if (successes < 0) {
        return 0;
    }
    if (successes >= trials) {
        return 1;
    }
    return stats_beta_upper(probability, (double)(successes + 1), (double)(trials - successes));
}

double stats_binomial_upper(ptrdiff_t successes, ptrdiff_t trials, double probability)
{
    TARE_ASSERT(trials >= 0);
    TARE_ASSERT(probability >= 0 && probability <= 1);
    if (successes < 0) {
        return 1;
    }
    if (successes >= trials) {
        return 0;
    }
    return stats_beta_cdf(probability, (double)(successes + 1), (double)(trials - successes));
}

double stats_binomial_mass(ptrdiff_t successes, ptrdiff_t trials, double probability)
{
    TARE_ASSERT(trials >= 0);
    TARE_ASSERT(probability >= 0 && probability <= 1);
    if (successes < 0 || successes > trials) {
        return 0;
    }
    double n = (double)trials;
    double k = (double)successes;
    if (probability == 0 || probability == 1) {
        return k == n * probability ? 1 : 0;
    }
    if (successes == 0) {
        return exp(n * log1p(-probability));
    }
    if (successes == trials) {
        return exp(n * log(probability));
    }
    return beta_power(probability, 1 - probability, k, n - k) * n / (k * (n - k));
}

/* ---- χ² ---- */

/* P(a, x) by its series 8.7.1: converges fast for x < a + 1. */
static double gamma_series(double x, double a)
{
    double term = 1;
    double sum = 1;
    for (int k = 1; k <= FRACTION_STEPS_MAX; k++) {
        term *= x / (a + k);
        sum += term;
        if (term <= DBL_EPSILON * sum) {
            break;
        }
    }
    return sum;
}

/* The continued fraction 8.9.2 of Γ(a, x) e^x x^−a: for x >= a + 1. */
static double gamma_fraction(double x, double a)
{
    double b = x + 1 - a;
    double c = 1 / LENTZ_TINY;
    double d = 1 / b;
    double result = d;
    for (int k = 1; k <= FRACTION_STEPS_MAX; k++) {
        double numerator = -k * (k - a);
        b += 2;
        d = numerator * d + b;
        d = 1 / (fabs(d) < LENTZ_TINY ? LENTZ_TINY : d);
        c = b + numerator / c;
        c = fabs(c) < LENTZ_TINY ? LENTZ_TINY : c;
        double factor = c * d;
        result *= factor;
        if (fabs(factor - 1) <= 2 * DBL_EPSILON) {
            break;
        }
    }
    return result;
}

static struct two_tails gamma_tails(double x, double a)
{
    TARE_ASSERT(a > 0);
    if (x <= 0) {
        return (struct two_tails){.lower = 0, .upper = 1};
    }
    /* x^a e^−x / Γ(a+1), as a Poisson probability in Loader's form. */
    double power = exp(-stirling_remainder(a) - deviance(a, x)) / sqrt(2 * M_PI * a);
    if (x < a + 1) {
        double lower = power * gamma_series(x, a);
        return (struct two_tails){.lower = lower, .upper = 1 - lower};
    }
    double upper = power * a * gamma_fraction(x, a);
    return (struct two_tails){.lower = 1 - upper, .upper = upper};
}

double stats_chi2_cdf(double x, double df)
{
    return gamma_tails(x / 2, df / 2).lower;
}

double stats_chi2_upper(double x, double df)
{
    return gamma_tails(x / 2, df / 2).upper;
}
