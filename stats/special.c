/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Invariant: no function here cancels two nearly equal numbers to get a
 * probability; tails are computed as tails. */
#include "stats/special.h"

#include <float.h>
#include <math.h>
#include <stdbool.h>

#define LN_SQRT_2PI 0.91893853320467274178
#define SQRT_HALF   0.70710678118654752440
#define SQRT_2PI    2.50662827463100050242

/* Rounds of Newton and Lentz: reached only by arguments that do not converge. */
enum { MAX_NEWTON = 200, MAX_LENTZ = 20000 };

/* Remainder of Stirling's formula, x >= 10 (DLMF 5.11.1; error below 1e-16). */
static double stirling_rest(double x)
{
	static const double c[] = { 1.0 / 12.0,	  -1.0 / 360.0,	     1.0 / 1260.0, -1.0 / 1680.0,
				    1.0 / 1188.0, -691.0 / 360360.0, 1.0 / 156.0 };
	double y = 1.0 / (x * x), sum = 0.0;

	for (int i = (int)(sizeof(c) / sizeof(c[0])) - 1; i >= 0; i--)
		sum = sum * y + c[i];
	return sum / x;
}

double sl_log_gamma(double x)
{
	double product = 1.0;

	if (!(x > 0.0))
		return NAN;
	for (; x < 10.0; x += 1.0)
		product *= x;
	return (x - 0.5) * log(x) - x + LN_SQRT_2PI + stirling_rest(x) - log(product);
}

double sl_log_beta(double a, double b)
{
	double p = fmin(a, b), q = fmax(a, b), rest;

	if (!(p > 0.0))
		return NAN;
	if (q < 10.0)
		return sl_log_gamma(p) + sl_log_gamma(q) - sl_log_gamma(p + q);
	rest = stirling_rest(q) - stirling_rest(p + q);
	if (p < 10.0)
		return sl_log_gamma(p) + rest + p - p * log(p + q) +
		       (q - 0.5) * log1p(-p / (p + q));
	return LN_SQRT_2PI + stirling_rest(p) + rest - 0.5 * log(q) + (p - 0.5) * log(p / (p + q)) +
	       q * log1p(-p / (p + q));
}

/* The continued fraction, for x < (a + 1) / (a + b + 2), where it converges fast. */
static double beta_fraction(double a, double b, double x)
{
	const double tiny = 1e-300;
	double c = 1.0, d = 1.0 - (a + b) * x / (a + 1.0), h;

	d = 1.0 / (fabs(d) < tiny ? tiny : d);
	h = d;
	for (int m = 1; m < MAX_LENTZ; m++) {
		double even = m * (b - m) * x / ((a + 2 * m - 1.0) * (a + 2 * m));
		double odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1.0));
		double step;

		d = 1.0 + even * d;
		c = 1.0 + even / c;
		d = 1.0 / (fabs(d) < tiny ? tiny : d);
		c = fabs(c) < tiny ? tiny : c;
		h *= d * c;
		d = 1.0 + odd * d;
		c = 1.0 + odd / c;
		d = 1.0 / (fabs(d) < tiny ? tiny : d);
		c = fabs(c) < tiny ? tiny : c;
		step = d * c;
		h *= step;
		if (fabs(step - 1.0) < DBL_EPSILON)
			break;
	}
	return h;
}

/* ln x, from whichever of x and y = 1 - x is exact near its end. */
static double log_of(double x, double y)
{
	return x > 0.5 ? log1p(-y) : log(x);
}

double sl_inc_beta(double a, double b, double x, double y)
{
	double front;

	if (!(a > 0.0 && b > 0.0 && x >= 0.0 && y >= 0.0))
		return NAN;
	if (x == 0.0 || y == 0.0)
		return y == 0.0 ? 1.0 : 0.0;
	front = exp(a * log_of(x, y) + b * log_of(y, x) - sl_log_beta(a, b));
	if (x <= (a + 1.0) / (a + b + 2.0))
		return front * beta_fraction(a, b, x) / a;
	return 1.0 - front * beta_fraction(b, a, y) / b;
}

static double gamma_fraction(double a, double x)
{
	const double tiny = 1e-300;
	double b = x + 1.0 - a, c = 1.0 / tiny, d = 1.0 / b, h = d;

	for (int i = 1; i < MAX_LENTZ; i++) {
		double an = -i * (i - a), step;

		b += 2.0;
		d = an * d + b;
		d = 1.0 / (fabs(d) < tiny ? tiny : d);
		c = b + an / c;
		c = fabs(c) < tiny ? tiny : c;
		step = d * c;
		h *= step;
		if (fabs(step - 1.0) < DBL_EPSILON)
			break;
	}
	return h;
}

double sl_inc_gamma_upper(double a, double x)
{
	double front, term, sum;

	if (!(a > 0.0 && x >= 0.0))
		return NAN;
	if (x == 0.0)
		return 1.0;
	front = exp(a * log(x) - x - sl_log_gamma(a));
	if (x >= a + 1.0)
		return front * gamma_fraction(a, x);
	term = sum = 1.0 / a;
	for (int i = 1; i < MAX_LENTZ && term > sum * DBL_EPSILON / 4; i++) {
		term *= x / (a + i);
		sum += term;
	}
	return 1.0 - front * sum;
}

double sl_chi2_sf(double x, double df)
{
	return x <= 0.0 ? 1.0 : sl_inc_gamma_upper(df / 2.0, x / 2.0);
}

double sl_norm_sf(double z)
{
	return 0.5 * erfc(z * SQRT_HALF);
}

double sl_norm_cdf(double z)
{
	return 0.5 * erfc(-z * SQRT_HALF);
}

/* z > 0 with upper tail q <= 1/2: Abramowitz & Stegun 26.2.23 to start, then
 * Halley's method on the tail, which converges cubically. */
static double norm_upper(double q)
{
	double u = sqrt(-2.0 * log(q));
	double z = u - (2.515517 + u * (0.802853 + u * 0.010328)) /
			       (1.0 + u * (1.432788 + u * (0.189269 + u * 0.001308)));

	for (int i = 0; i < MAX_NEWTON; i++) {
		double step = (sl_norm_sf(z) - q) * SQRT_2PI * exp(0.5 * z * z);

		step /= 1.0 + 0.5 * z * step;
		z += step;
		if (fabs(step) <= 4.0 * DBL_EPSILON * fabs(z) || !isfinite(z))
			break;
	}
	return z;
}

double sl_norm_quantile(double p)
{
	if (!(p >= 0.0 && p <= 1.0))
		return NAN;
	if (p == 0.0 || p == 1.0)
		return p == 0.0 ? -INFINITY : INFINITY;
	if (p == 0.5)
		return 0.0;
	return p < 0.5 ? -norm_upper(p) : norm_upper(1.0 - p);
}

double sl_t_two_sided(double t, double df)
{
	double t2 = t * t;

	if (!(df > 0.0) || isnan(t))
		return NAN;
	if (isinf(t2))
		return 0.0;
	return sl_inc_beta(df / 2.0, 0.5, df / (df + t2), t2 / (df + t2));
}

double sl_t_sf(double t, double df)
{
	double tail = 0.5 * sl_t_two_sided(t, df);

	return t >= 0.0 ? tail : 1.0 - tail;
}

static double t_density(double t, double df)
{
	return exp(-0.5 * (df + 1.0) * log1p(t * t / df) - sl_log_beta(df / 2.0, 0.5)) / sqrt(df);
}

/* t > 0 with upper tail q < 1/2: Newton's method kept inside a bracket. */
static double t_upper(double q, double df)
{
	double lo = 0.0, hi = 1.0, t;

	while (sl_t_sf(hi, df) > q) {
		lo = hi;
		hi *= 2.0;
		if (isinf(hi))
			return hi;
	}
	t = fmin(fmax(norm_upper(q), lo), hi);
	for (int i = 0; i < MAX_NEWTON; i++) {
		double miss = sl_t_sf(t, df) - q;
		double next = t + miss / t_density(t, df);

		if (miss > 0.0)
			lo = t;
		else
			hi = t;
		if (!(next > lo && next < hi))
			next = 0.5 * (lo + hi);
		if (fabs(next - t) <= 2.0 * DBL_EPSILON * t)
			return next;
		t = next;
	}
	return t;
}

double sl_t_quantile(double p, double df)
{
	if (!(p >= 0.0 && p <= 1.0 && df > 0.0))
		return NAN;
	if (p == 0.0 || p == 1.0)
		return p == 0.0 ? -INFINITY : INFINITY;
	if (p == 0.5)
		return 0.0;
	return p < 0.5 ? -t_upper(p, df) : t_upper(1.0 - p, df);
}

double sl_beta_quantile(double p, double a, double b)
{
	double lo = 0.0, hi = 1.0, x = a / (a + b);

	if (!(p >= 0.0 && p <= 1.0 && a > 0.0 && b > 0.0))
		return NAN;
	if (p == 0.0 || p == 1.0)
		return p;
	for (int i = 0; i < MAX_NEWTON && hi - lo > DBL_EPSILON * x; i++) {
		double miss = sl_inc_beta(a, b, x, 1.0 - x) - p;
		double slope = exp((a - 1.0) * log(x) + (b - 1.0) * log1p(-x) - sl_log_beta(a, b));
		double next = x - miss / slope;

		if (miss < 0.0)
			lo = x;
		else
			hi = x;
		if (!(next > lo && next < hi))
			next = 0.5 * (lo + hi);
		if (fabs(next - x) <= 2.0 * DBL_EPSILON * x)
			return next;
		x = next;
	}
	return x;
}
