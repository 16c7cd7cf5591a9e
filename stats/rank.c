/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Invariant: samples are sorted copies, and ranks and counts of pairs come from
 * walking two sorted arrays; no table of all pairs is ever made. */
#include "stats/rank.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <glib.h>

#include "stats/special.h"

static int by_value(const void *pa, const void *pb)
{
	const double *a = pa, *b = pb;

	return *a < *b ? -1 : *a > *b;
}

/* A sorted copy; free with g_free(). */
static double *sorted(const double *v, size_t n)
{
	double *copy = g_new(double, n);

	memcpy(copy, v, n * sizeof(*v));
	qsort(copy, n, sizeof(*copy), by_value);
	return copy;
}

static bool any_nan(const double *v, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (isnan(v[i]))
			return true;
	return false;
}

/* Ways to choose n of n + m ranks so that U is 0 .. floor(n * m / 2): coefficients of the product
 * of (1 - x^(m + i)) / (1 - x^i), i = 1 .. n. The lower half only: each coefficient
 * comes from smaller ones, whole numbers exact to 2^53 and good to 1e-14 above; the
 * upper half follows by symmetry. *all: all ways. The caller frees. */
static double *count_ways(size_t n, size_t m, double *all)
{
	const size_t size = n * m / 2 + 1;
	double *ways = g_new0(double, size);

	ways[0] = *all = 1.0;
	for (size_t i = 1; i <= n; i++) {
		*all = *all * (double)(m + i) / (double)i;
		for (size_t u = size; u-- > m + i;)
			ways[u] -= ways[u - m - i];
		for (size_t u = i; u < size; u++)
			ways[u] += ways[u - i];
	}
	return ways;
}

double sl_mann_whitney_cdf(double u, size_t n, size_t m)
{
	double pairs = (double)n * (double)m, below = 0.0, all, *ways;

	u = floor(u);
	if (u < 0.0)
		return 0.0;
	if (u >= pairs)
		return 1.0;
	if (u > floor(pairs / 2.0))
		return 1.0 - sl_mann_whitney_cdf(pairs - u - 1.0, n, m);
	ways = count_ways(n, m, &all);
	for (size_t i = 0; (double)i <= u; i++)
		below += ways[i];
	g_free(ways);
	return below / all;
}

/* U and the sum of t^3 - t over groups of t equal values, from sorted samples. */
static double u_and_ties(const double *a, size_t n, const double *b, size_t m, double *ties)
{
	size_t i = 0, j = 0;
	double u = 0.0;

	*ties = 0.0;
	while (i < n || j < m) {
		double x = i < n && (j == m || a[i] <= b[j]) ? a[i] : b[j], t;
		size_t na = i, nb = j;

		while (i < n && a[i] == x)
			i++;
		while (j < m && b[j] == x)
			j++;
		u += (double)(j - nb) * ((double)na + (double)(i - na) / 2.0);
		t = (double)(i - na + j - nb);
		*ties += t * t * t - t;
	}
	return u;
}

static double normal_sigma(size_t n, size_t m, double ties)
{
	double dn = (double)n, dm = (double)m, all = dn + dm;

	return sqrt(dn * dm / 12.0 * (all + 1.0 - ties / (all * (all - 1.0))));
}

struct sl_rank_test sl_mann_whitney(const double *a, size_t n, const double *b, size_t m)
{
	struct sl_rank_test r = { .u = NAN, .p = NAN, .p_least = NAN };
	double *sa, *sb, ties, mid = (double)n * (double)m / 2.0, sigma;

	if (any_nan(a, n) || any_nan(b, m))
		return r;
	sa = sorted(a, n);
	sb = sorted(b, m);
	r.u = u_and_ties(sa, n, sb, m, &ties);
	r.exact = n < SL_EXACT_BELOW && m < SL_EXACT_BELOW && ties == 0.0;
	sigma = normal_sigma(n, m, ties);
	/* No arrangement of n + m values is rarer than one in as many as there are. */
	r.p_least =
		fmin(1.0, 2.0 * exp(sl_log_gamma((double)n + 1.0) + sl_log_gamma((double)m + 1.0) -
				    sl_log_gamma((double)(n + m) + 1.0)));
	if (r.exact)
		r.p = fmin(1.0, 2.0 * sl_mann_whitney_cdf(fmin(r.u, 2.0 * mid - r.u), n, m));
	else if (sigma > 0.0)
		r.p = fmin(1.0, 2.0 * sl_norm_sf((fabs(r.u - mid) - 0.5) / sigma));
	else
		r.p = 1.0; /* all values equal */
	r.p = fmax(r.p, r.p_least);
	g_free(sa);
	g_free(sb);
	return r;
}

/* Pairs with b[j] - a[i] <= x. Rounded subtraction keeps the order in both, so a walk does. */
static uint64_t pairs_up_to(const double *a, size_t n, const double *b, size_t m, double x)
{
	uint64_t pairs = 0;
	size_t j = 0;

	for (size_t i = 0; i < n; i++) {
		while (j < m && b[j] - a[i] <= x)
			j++;
		pairs += j;
	}
	return pairs;
}

static double from_key(uint64_t key)
{
	uint64_t u = key ^ ((key >> 63) != 0 ? UINT64_C(1) << 63 : UINT64_MAX);
	double x;

	memcpy(&x, &u, sizeof(x));
	return x;
}

static uint64_t to_key(double x)
{
	uint64_t u;

	memcpy(&u, &x, sizeof(u));
	return u ^ ((u >> 63) != 0 ? UINT64_MAX : UINT64_C(1) << 63);
}

/* The k-th smallest difference, k from 0: bisection over all doubles, 64 steps. */
static double kth_difference(const double *a, size_t n, const double *b, size_t m, uint64_t k)
{
	uint64_t lo = to_key(b[0] - a[n - 1]), hi = to_key(b[m - 1] - a[0]);

	while (lo < hi) {
		uint64_t mid = lo + (hi - lo) / 2;

		if (pairs_up_to(a, n, b, m, from_key(mid)) > k)
			hi = mid;
		else
			lo = mid + 1;
	}
	return from_key(lo);
}

/* Differences to leave out at each end for the level; at least 0. */
static uint64_t interval_rank(size_t n, size_t m, double ties, double level, bool exact)
{
	double tail = (1.0 - level) / 2.0, below = 0.0, all, at, *ways;
	uint64_t k = 0, half = (uint64_t)n * m / 2;

	if (!exact) {
		at = (double)n * (double)m / 2.0 -
		     sl_norm_quantile(1.0 - tail) * normal_sigma(n, m, ties);
		return at > 0.0 ? (uint64_t)at : 0;
	}
	ways = count_ways(n, m, &all);
	/* Largest k with P(U < k) <= tail. */
	while (k < half && (below + ways[k]) / all <= tail)
		below += ways[k++];
	g_free(ways);
	return k;
}

struct sl_shift sl_hodges_lehmann(const double *a, size_t n, const double *b, size_t m,
				  double level)
{
	struct sl_shift r = { .shift = NAN, .low = NAN, .high = NAN };
	uint64_t pairs = (uint64_t)n * m, k;
	double *sa, *sb, ties;

	if (any_nan(a, n) || any_nan(b, m))
		return r;
	sa = sorted(a, n);
	sb = sorted(b, m);
	u_and_ties(sa, n, sb, m, &ties);
	r.exact = n < SL_EXACT_BELOW && m < SL_EXACT_BELOW && ties == 0.0;
	r.shift = kth_difference(sa, n, sb, m, (pairs - 1) / 2);
	if (pairs % 2 == 0)
		r.shift = (r.shift + kth_difference(sa, n, sb, m, pairs / 2)) / 2.0;
	k = interval_rank(n, m, ties, level, r.exact);
	/* Leaving nothing out is the widest there is; then the level is less than asked for. */
	r.exact &= k > 0;
	k = k > 0 ? k - 1 : 0;
	/* Bisection tells -0 from 0, which nobody who reads a shift does: hence + 0. */
	r.shift += 0.0;
	r.low = kth_difference(sa, n, sb, m, k) + 0.0;
	r.high = kth_difference(sa, n, sb, m, pairs - 1 - k) + 0.0;
	g_free(sa);
	g_free(sb);
	return r;
}
