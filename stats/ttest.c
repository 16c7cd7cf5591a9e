/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Invariant: every test is finished by one function from (difference, standard
 * error, degrees of freedom), so that no two disagree about spreads of zero. */
#include "stats/ttest.h"

#include <float.h>
#include <math.h>
#include <stdint.h>

#include "stats/diagnose.h"
#include "stats/special.h"

struct moments {
	double mean, squares; /* sum of squared deviations */
};

static struct moments moments_of(const double *v, size_t n)
{
	struct moments m = { 0.0, 0.0 };

	if (n > 0 && sl_all_equal(v, n)) /* the rounding of a sum is no spread */
		return (struct moments){ v[0], 0.0 };
	for (size_t i = 0; i < n; i++)
		m.mean += v[i];
	m.mean /= (double)n;
	for (size_t i = 0; i < n; i++)
		m.squares += (v[i] - m.mean) * (v[i] - m.mean);
	return m;
}

static struct sl_t_test finish(double diff, double error, double df, double stddev, double level)
{
	struct sl_t_test r = { .diff = diff, .df = df, .stddev = stddev };
	double half;

	if (!(df > 0.0)) {
		r.low = r.high = r.t = r.p = NAN;
		return r;
	}
	half = error > 0.0 ? sl_t_quantile(0.5 + level / 2.0, df) * error : error;
	r.low = diff - half;
	r.high = diff + half;
	if (error == 0.0) {
		r.t = diff == 0.0 ? 0.0 : copysign(INFINITY, diff);
		r.p = diff == 0.0 ? 1.0 : 0.0;
		return r;
	}
	r.t = diff / error;
	r.p = sl_t_two_sided(r.t, df);
	return r;
}

struct sl_t_test sl_pooled_t(const double *a, size_t n, const double *b, size_t m, double level)
{
	struct moments ma = moments_of(a, n), mb = moments_of(b, m);
	double df = (double)n + (double)m - 2.0;
	double s = n < 2 || m < 2 ? NAN : sqrt((ma.squares + mb.squares) / df);

	return finish(mb.mean - ma.mean, s * sqrt(1.0 / (double)n + 1.0 / (double)m),
		      isnan(s) ? NAN : df, s, level);
}

struct sl_t_test sl_welch_t(const double *a, size_t n, const double *b, size_t m, double level)
{
	struct moments ma = moments_of(a, n), mb = moments_of(b, m);
	double va = ma.squares / ((double)n - 1.0) / (double)n;
	double vb = mb.squares / ((double)m - 1.0) / (double)m;
	double df =
		(va + vb) * (va + vb) / (va * va / ((double)n - 1.0) + vb * vb / ((double)m - 1.0));

	if (n < 2 || m < 2)
		df = NAN;
	else if (va + vb == 0.0)
		df = (double)n + (double)m - 2.0;
	return finish(mb.mean - ma.mean, sqrt(va + vb), df, NAN, level);
}

/* Decimal numbers that differ by one amount do so in binary but for their rounding: half a unit in
 * the last place of each. */
static bool same_difference(double a0, double b0, double a, double b)
{
	double largest = fmax(fmax(fabs(a0), fabs(b0)), fmax(fabs(a), fabs(b)));

	return fabs(b - a - (b0 - a0)) <= 2.0 * DBL_EPSILON * largest;
}

struct sl_t_test sl_paired_t(const double *a, const double *b, size_t n, double level)
{
	double mean = 0.0, squares = 0.0, s;
	bool equal = n > 0;

	for (size_t i = 0; i < n; i++) {
		mean += b[i] - a[i];
		equal &= same_difference(a[0], b[0], a[i], b[i]);
	}
	mean = equal ? b[0] - a[0] : mean / (double)n;
	for (size_t i = 0; i < n && !equal; i++)
		squares += (b[i] - a[i] - mean) * (b[i] - a[i] - mean);
	s = n < 2 ? NAN : sqrt(squares / ((double)n - 1.0));
	return finish(mean, s / sqrt((double)n), n < 2 ? NAN : (double)n - 1.0, s, level);
}

static double unpaired_half(double s, double n, double level)
{
	return sl_t_quantile(0.5 + level / 2.0, 2.0 * n - 2.0) * s * sqrt(2.0 / n);
}

size_t sl_unpaired_runs(double s, double w, double level)
{
	double z = sl_norm_quantile(0.5 + level / 2.0), n;

	if (!(w > 0.0) || !(s >= 0.0))
		return SIZE_MAX;
	n = fmax(2.0, floor(2.0 * (z * s / w) * (z * s / w)));
	if (!(n < 1e15))
		return SIZE_MAX;
	/* The normal quantile gives too few, by a handful at most once n is large. */
	while (unpaired_half(s, n, level) > w)
		n += 1.0;
	return (size_t)n;
}

size_t sl_power_runs(double s, double d, double level, double power, bool two_samples)
{
	double za = sl_norm_quantile(0.5 + level / 2.0), zb = sl_norm_quantile(power);
	double ratio = (za + zb) * s / d, n;

	if (!(fabs(d) > 0.0) || !(s >= 0.0))
		return SIZE_MAX;
	n = two_samples ? 2.0 * ratio * ratio + za * za / 4.0 : ratio * ratio + za * za / 2.0;
	return n < 1e15 ? (size_t)fmax(2.0, ceil(n)) : SIZE_MAX;
}

double sl_hedges_g(const double *a, size_t n, const double *b, size_t m)
{
	struct sl_t_test t = sl_pooled_t(a, n, b, m, 0.95);

	return t.diff / t.stddev *
	       exp(sl_log_gamma(t.df / 2.0) - sl_log_gamma((t.df - 1.0) / 2.0)) / sqrt(t.df / 2.0);
}
