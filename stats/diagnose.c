/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Invariant: samples are not changed; whatever needs an order works on a sorted copy. */
#include "stats/diagnose.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <glib.h>

#include "stats/special.h"
#include "stats/summary.h"

enum { SW_MAX = 5000, SPLIT_MIN = 7, OUTLIERS_MIN = 8, TREND_MIN = 8, TREND_MAX = 10000 };

bool sl_all_equal(const double *v, size_t n)
{
	for (size_t i = 1; i < n; i++)
		if (v[i] != v[0])
			return false;
	return true;
}

static int by_value(const void *pa, const void *pb)
{
	const double *a = pa, *b = pb;

	return *a < *b ? -1 : *a > *b;
}

static double *sorted(const double *v, size_t n)
{
	double *copy = g_new(double, n);

	memcpy(copy, v, n * sizeof(*v));
	qsort(copy, n, sizeof(*copy), by_value);
	return copy;
}

static bool all_finite(const double *v, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (!isfinite(v[i]))
			return false;
	return true;
}

static double polynomial(const double *c, int n, double x)
{
	double sum = 0.0;

	for (int i = n - 1; i >= 0; i--)
		sum = sum * x + c[i];
	return sum;
}

/* Royston's weights of the upper half, largest first; a[i] belongs to x[n - 1 - i]
 * and, with the other sign, to x[i]. */
static void royston_weights(double *a, size_t n)
{
	static const double c1[] = { 0, 0.221157, -0.147981, -2.07119, 4.434685, -2.706056 };
	static const double c2[] = { 0, 0.042981, -0.293762, -1.752461, 5.682633, -3.582633 };
	const size_t half = n / 2, fixed = n > 5 ? 2 : 1;
	double squares = 0.0, root, factor, first, second = 0.0;

	if (n == 3) {
		a[0] = sqrt(0.5);
		return;
	}
	for (size_t i = 0; i < half; i++) {
		a[i] = -sl_norm_quantile(((double)i + 1.0 - 0.375) / ((double)n + 0.25));
		squares += 2.0 * a[i] * a[i];
	}
	root = sqrt(squares);
	first = polynomial(c1, 6, 1.0 / sqrt((double)n)) + a[0] / root;
	factor = squares - 2.0 * a[0] * a[0];
	if (fixed == 2) {
		second = polynomial(c2, 6, 1.0 / sqrt((double)n)) + a[1] / root;
		factor -= 2.0 * a[1] * a[1];
	}
	factor = sqrt(factor / (1.0 - 2.0 * first * first - 2.0 * second * second));
	a[0] = first;
	if (fixed == 2)
		a[1] = second;
	for (size_t i = fixed; i < half; i++)
		a[i] /= factor;
}

/* P(W is this small), rest = 1 - W. */
static double royston_p(double rest, size_t n)
{
	static const double g[] = { -2.273, 0.459 };
	static const double c3[] = { 0.544, -0.39978, 0.025054, -6.714e-4 };
	static const double c4[] = { 1.3822, -0.77857, 0.062767, -0.0020322 };
	static const double c5[] = { -1.5861, -0.31082, -0.083751, 0.0038915 };
	static const double c6[] = { -0.4803, -0.082676, 0.0030302 };
	const double size = (double)n, log_n = log(size);
	double y = log(rest), gamma;

	if (n == 3)
		return fmax(0.0, 6.0 / G_PI * (asin(sqrt(1.0 - rest)) - asin(sqrt(0.75))));
	if (n > 11)
		return sl_norm_sf((y - polynomial(c5, 4, log_n)) / exp(polynomial(c6, 3, log_n)));
	gamma = polynomial(g, 2, size);
	if (y >= gamma)
		return 0.0;
	y = -log(gamma - y);
	return sl_norm_sf((y - polynomial(c3, 4, size)) / exp(polynomial(c4, 4, size)));
}

struct sl_normality sl_shapiro_wilk(const double *v, size_t n)
{
	struct sl_normality r = { NAN, NAN };
	double *x, *a, mean = 0.0, sa = 0.0, sx = 0.0, sax = 0.0, root, rest;

	if (n < 3 || n > SW_MAX || !all_finite(v, n) || sl_all_equal(v, n))
		return r;
	x = sorted(v, n);
	a = g_new0(double, n / 2 + 1);
	royston_weights(a, n);
	for (size_t i = 0; i < n; i++)
		mean += (x[i] - x[0]) / (double)n;
	for (size_t i = 0; i < n; i++)
		sx += (x[i] - x[0] - mean) * (x[i] - x[0] - mean);
	for (size_t i = 0; i < n / 2; i++) {
		sa += 2.0 * a[i] * a[i];
		sax += a[i] * (x[n - 1 - i] - x[i]);
	}
	/* 1 - W without cancellation: W is the squared correlation of x and a. */
	root = sqrt(sa * sx);
	rest = (root - sax) * (root + sax) / (sa * sx);
	r.w = 1.0 - rest;
	r.p = rest > 0.0 ? royston_p(rest, n) : 1.0;
	g_free(a);
	g_free(x);
	return r;
}

/* Share that about 1 % of uniform samples of n exceed, fitted to simulated ones of 7 to 1000
 * values: `bench_statistics split` prints what it does to several shapes. */
static double split_limit(size_t n)
{
	return 0.75 + 0.64 / sqrt((double)n);
}

struct sl_split sl_find_split(const double *v, size_t n)
{
	struct sl_split r = { .share = 0.0 };
	double *x, mean = 0.0, all = 0.0, sum = 0.0;

	if (n < SPLIT_MIN || !all_finite(v, n) || sl_all_equal(v, n))
		return r;
	x = sorted(v, n);
	for (size_t i = 0; i < n; i++)
		mean += x[i] / (double)n;
	for (size_t i = 0; i < n; i++)
		all += (x[i] - mean) * (x[i] - mean);
	for (size_t k = 1; k < n; k++) {
		double low, share;

		sum += x[k - 1] - mean;
		low = sum / (double)k;
		/* k low^2 + (n - k) high^2, where k low + (n - k) high = 0 */
		share = low * low * (double)k * (double)n / (double)(n - k) / all;
		if (x[k] == x[k - 1] || share <= r.share)
			continue;
		r.share = share;
		r.n_low = k;
		r.low = mean + low;
		r.high = mean - sum / (double)(n - k);
	}
	r.two_groups = r.share > split_limit(n) && r.n_low >= 3 && n - r.n_low >= 3 &&
		       r.n_low * 10 >= n && (n - r.n_low) * 10 >= n;
	g_free(x);
	return r;
}

struct sl_fences sl_find_outliers(const double *v, size_t n)
{
	struct sl_fences r = { -INFINITY, INFINITY, 0, 0 };
	double q1, q3;

	if (n < OUTLIERS_MIN || !all_finite(v, n))
		return r;
	q1 = sl_quantile(v, n, 0.25);
	q3 = sl_quantile(v, n, 0.75);
	r.low = q1 - 3.0 * (q3 - q1);
	r.high = q3 + 3.0 * (q3 - q1);
	for (size_t i = n; i-- > 0;) {
		if (v[i] < r.low || v[i] > r.high) {
			r.n_out++;
			r.first = i;
		}
	}
	return r;
}

double sl_trend_p(const double *v, size_t n)
{
	double s = 0.0, var = (double)n * (double)(n - 1) * (2.0 * (double)n + 5.0), *x;

	if (n < TREND_MIN || sl_all_equal(v, n))
		return 1.0;
	if (n > TREND_MAX || !all_finite(v, n))
		return NAN;
	for (size_t i = 0; i < n; i++)
		for (size_t j = i + 1; j < n; j++)
			s += (v[j] > v[i]) - (v[j] < v[i]);
	x = sorted(v, n);
	for (size_t i = 0, j; i < n; i = j) {
		double t;

		for (j = i; j < n && x[j] == x[i];)
			j++;
		t = (double)(j - i);
		var -= t * (t - 1.0) * (2.0 * t + 5.0);
	}
	g_free(x);
	return fmin(1.0, 2.0 * sl_norm_sf((fabs(s) - 1.0) / sqrt(var / 18.0)));
}
