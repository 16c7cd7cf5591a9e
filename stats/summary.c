/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Invariant: sums run over the values in the order of the file, in double:
 * with one-pass variance the printed digits depend on it. */
#include "stats/summary.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <glib.h>

#include "stats/special.h"

const double sl_levels[SL_LEVELS] = { 80, 90, 95, 98, 99, 99.5 };

/* P(T <= t) of each column; the last is not 0.9975, see spec of the table:
 * its "99.5" column is the two-sided 99.8 % point. */
static const double level_p[SL_LEVELS] = { 0.90, 0.95, 0.975, 0.99, 0.995, 0.999 };

/* Bits of a double such that unsigned order is the order of the values, with
 * -0 just below 0 and NaN of either sign last. */
static inline uint64_t order_key(double x)
{
	uint64_t u;

	if (x != x)
		return UINT64_MAX;
	memcpy(&u, &x, sizeof(u));
	return u ^ ((u >> 63) != 0 ? UINT64_MAX : UINT64_C(1) << 63);
}

static inline double key_value(uint64_t key)
{
	uint64_t u = key ^ ((key >> 63) != 0 ? UINT64_C(1) << 63 : UINT64_MAX);
	double x;

	if (key == UINT64_MAX)
		return NAN;
	memcpy(&x, &u, sizeof(x));
	return x;
}

/* The zero at place k among the zeros, in sample order, signs kept. */
static double kth_zero(const double *v, size_t n, size_t k)
{
	for (size_t i = 0; i < n; i++)
		k -= v[i] < 0.0;
	for (size_t i = 0; i < n; i++)
		if (v[i] == 0.0 && k-- == 0)
			return v[i];
	return 0.0;
}

static int by_value(const void *pa, const void *pb)
{
	const double *a = pa, *b = pb;

	return *a < *b ? -1 : *a > *b;
}

/* Radix selection: 16 bits of the key per pass, from the top. */
static double radix_select(const double *v, size_t n, size_t k)
{
	enum { DIGIT = 16, BUCKETS = 1 << DIGIT };
	size_t *count = g_new(size_t, BUCKETS);
	uint64_t prefix = 0, mask = 0;

	for (int shift = 64 - DIGIT; shift >= 0; shift -= DIGIT) {
		uint64_t digit = 0;

		memset(count, 0, BUCKETS * sizeof(*count));
		for (size_t i = 0; i < n; i++) {
			uint64_t key = order_key(v[i]);

			if ((key & mask) == prefix)
				count[(key >> shift) & (BUCKETS - 1)]++;
		}
		while (k >= count[digit])
			k -= count[digit++];
		prefix |= digit << shift;
		mask |= (uint64_t)(BUCKETS - 1) << shift;
	}
	g_free(count);
	return key_value(prefix);
}

enum { SORTED_MAX = 128 };
enum { PROBES = 4095, PROBE_MARGIN = 128, NARROW_SHARE = 8 };

/* Copies the values between two order statistics of a sample of v that should enclose place
 * *k into *part (owned by the caller), and moves *k to the place in there. Returns
 * their number; 0 when they do not enclose it or are more than a share of v. */
static size_t narrow(const double *v, size_t n, size_t *k, double **part)
{
	const size_t room = n / NARROW_SHARE, at = (size_t)((double)*k / (double)n * PROBES);
	double *probe = g_new(double, PROBES), *keep, lo = -INFINITY, hi = INFINITY;
	size_t below = 0, inside = 0;

	for (size_t i = 0; i < PROBES; i++)
		probe[i] = v[i * (n / PROBES)];
	qsort(probe, PROBES, sizeof(*probe), by_value);
	if (at >= PROBE_MARGIN)
		lo = probe[at - PROBE_MARGIN];
	if (at + PROBE_MARGIN < PROBES)
		hi = probe[at + PROBE_MARGIN];
	g_free(probe);
	/* Without a branch on the value, which could not be predicted; hence room for one more. */
	*part = keep = g_new(double, room + 1);
	for (size_t i = 0; i < n && inside < room; i++) {
		below += v[i] < lo;
		keep[inside] = v[i];
		inside += (v[i] >= lo) & (v[i] <= hi);
	}
	if (inside == room || *k < below || *k >= below + inside)
		return 0;
	*k -= below;
	return inside;
}

/* The same for few values: stable insertion sort of the keys. */
static double sort_select(const double *v, size_t n, size_t k)
{
	uint64_t keys[SORTED_MAX];

	for (size_t i = 0; i < n; i++) {
		uint64_t key = order_key(v[i]);
		size_t at = i;

		for (; at > 0 && keys[at - 1] > key; at--)
			keys[at] = keys[at - 1];
		keys[at] = key;
	}
	return key_value(keys[k]);
}

double sl_kth_smallest(const double *v, size_t n, size_t k)
{
	const size_t place = k;
	double *part = NULL, x;
	size_t inside = n >= (size_t)PROBES * NARROW_SHARE ? narrow(v, n, &k, &part) : 0;

	if (n <= SORTED_MAX)
		x = sort_select(v, n, k);
	else
		x = inside > 0 ? radix_select(part, inside, k) : radix_select(v, n, k);
	g_free(part);
	return x == 0.0 ? kth_zero(v, n, place) : x;
}

/* The value that follows x, the k-th, in order. */
static double next_in_order(const double *v, size_t n, size_t k, double x)
{
	const uint64_t key = order_key(x);
	uint64_t next = UINT64_MAX;
	size_t up_to = 0;

	if (x == 0.0)
		return sl_kth_smallest(v, n, k + 1);
	for (size_t i = 0; i < n; i++) {
		uint64_t other = order_key(v[i]);

		up_to += other <= key;
		if (other > key && other < next)
			next = other;
	}
	return up_to > k + 1 ? x : key_value(next);
}

double sl_quantile(const double *v, size_t n, double p)
{
	double at = p * (double)(n - 1);
	size_t k = (size_t)at;
	double low = sl_kth_smallest(v, n, k), part = at - (double)k;

	if (part <= 0.0 || k + 1 >= n)
		return low;
	return low + part * (next_in_order(v, n, k, low) - low);
}

double sl_median(const double *v, size_t n)
{
	size_t k = (n - 1) / 2;
	double low = sl_kth_smallest(v, n, k);

	return n % 2 != 0 ? low : (low + next_in_order(v, n, k, low)) / 2;
}

/* Extremes and median of a sample with NaN as the C library's sort happens to place
 * them, which is what the original shows. */
static void order_by_libc(struct sl_summary *s, const double *v, size_t n, bool upper)
{
	double *copy = g_new(double, n);

	memcpy(copy, v, n * sizeof(*v));
	qsort(copy, n, sizeof(*copy), by_value);
	s->min = copy[0];
	s->max = copy[n - 1];
	s->median = copy[n / 2];
	if (n % 2 == 0 && !upper)
		s->median = (copy[n / 2 - 1] + copy[n / 2]) / 2;
	g_free(copy);
}

static double two_pass_variance(const double *v, size_t n, double avg, double divisor)
{
	double sum = 0.0;

	for (size_t i = 0; i < n; i++)
		sum += (v[i] - avg) * (v[i] - avg);
	return sum / divisor;
}

/* One pass for what needs no order but the file's. Among equals (-0 and 0) the first
 * is the minimum and the last the maximum, as after a stable sort. Returns the
 * sum of squares. */
static double add_up(struct sl_summary *s, const double *v, double *total, bool *has_nan)
{
	double sum = 0.0, squares = 0.0, min = INFINITY, max = -INFINITY;
	bool nan = false;

	for (size_t i = 0; i < s->n; i++) {
		sum += v[i];
		squares += v[i] * v[i];
		min = v[i] < min ? v[i] : min;
		max = v[i] >= max ? v[i] : max;
		nan |= v[i] != v[i];
	}
	s->avg = sum / (double)s->n;
	*total = sum;
	s->min = min;
	s->max = nan ? NAN : max;
	*has_nan = nan;
	return squares;
}

struct sl_summary sl_summarize(const double *v, size_t n, const struct sl_summary_rules *rules)
{
	struct sl_summary s = { .n = n, .var = NAN };
	double divisor = (double)(rules->population ? n : n - 1), sum, squares;
	bool has_nan;

	squares = add_up(&s, v, &sum, &has_nan);
	if (has_nan && rules->libc_nan)
		order_by_libc(&s, v, n, rules->median_upper);
	else
		s.median = rules->median_upper ? sl_kth_smallest(v, n, n / 2) : sl_median(v, n);
	if (has_nan && !rules->libc_nan)
		s.min = sl_kth_smallest(v, n, 0);
	/* Else the rounding of the sum would be a spread: 11 times 2.27 has none. */
	if (s.min == s.max && s.min != 0.0 && !rules->rounded_mean)
		s.avg = s.min;
	if (n > 1)
		s.var = rules->one_pass ? (squares - sum * sum / (double)n) / divisor
					: two_pass_variance(v, n, s.avg, divisor);
	s.stddev = sqrt(s.var);
	return s;
}

int sl_level_index(double percent)
{
	for (int i = 0; i < SL_LEVELS; i++)
		if (sl_levels[i] == percent)
			return i;
	return -1;
}

double sl_ministat_t(size_t df, int level)
{
	/* Misprints of the published table the original uses, found by comparing all of
	 * its output values with the exact ones; df 7 to 12 of the last column. */
	static const double misprint[] = { 4.782, 4.499, 4.296, 4.143, 4.024, 3.929 };
	double t;

	if (level == SL_LEVELS - 1 && df >= 7 && df <= 12)
		return misprint[df - 7];
	t = df > 100 ? sl_norm_quantile(level_p[level]) : sl_t_quantile(level_p[level], (double)df);
	return floor(t * 1000.0 + 0.5) / 1000.0;
}

struct sl_difference sl_summary_compare(const struct sl_summary *ref, const struct sl_summary *s,
					int level, bool ratio_error)
{
	double n = (double)s->n, n0 = (double)ref->n, df = n + n0 - 2.0;
	double t = sl_ministat_t(s->n + ref->n - 2, level);
	struct sl_difference d = { .diff = s->avg - ref->avg };
	double re;

	d.pooled_s = sqrt(((n - 1.0) * s->var + (n0 - 1.0) * ref->var) / df);
	d.err = t * d.pooled_s * sqrt(1.0 / n + 1.0 / n0);
	d.proven = fabs(d.diff) > d.err;
	d.percent = d.diff * 100.0 / ref->avg;
	re = d.err;
	if (ratio_error)
		re = t * sqrt(((n - 1.0) * s->var +
			       (n0 - 1.0) * ref->var * (s->avg * s->avg) / (ref->avg * ref->avg)) *
			      (n + n0) / (n * n0 * df));
	d.percent_err = re * 100.0 / ref->avg;
	return d;
}
