/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Invariant: bucket b holds the values lowest(b) .. lowest(b + 1) - 1; values below 2^bits have a
 * bucket each, and above that (highest(b) - lowest(b)) / lowest(b) < 2^-bits. */
#include "stats/histogram.h"

#include <math.h>
#include <string.h>

#include "stats/special.h"

enum { MAX_BITS = 14, EXACT_BINOMIAL = 100000 };

static size_t bucket_of(unsigned bits, uint64_t value)
{
	unsigned exponent;

	if (value >> bits == 0)
		return (size_t)value;
	exponent = 63 - (unsigned)__builtin_clzll(value) - bits;
	return ((size_t)exponent << bits) + (size_t)(value >> exponent);
}

static uint64_t lowest(unsigned bits, size_t b)
{
	size_t block = b >> bits;

	if (block == 0)
		return b;
	return (((uint64_t)b & ((UINT64_C(1) << bits) - 1)) + (UINT64_C(1) << bits)) << (block - 1);
}

static uint64_t highest(unsigned bits, size_t b)
{
	size_t block = b >> bits;

	return lowest(bits, b) + (block == 0 ? 0 : (UINT64_C(1) << (block - 1)) - 1);
}

void sl_histogram_init(struct sl_histogram *h, unsigned bits)
{
	memset(h, 0, sizeof(*h));
	h->bits = CLAMP(bits, 1, MAX_BITS);
	h->n_buckets = (size_t)(65 - h->bits) << h->bits;
	h->bucket = g_new0(uint64_t, h->n_buckets);
	h->min = UINT64_MAX;
}

void sl_histogram_clear(struct sl_histogram *h)
{
	g_free(h->bucket);
	memset(h, 0, sizeof(*h));
}

void sl_histogram_add(struct sl_histogram *h, uint64_t value, uint64_t times)
{
	if (times == 0)
		return;
	h->bucket[bucket_of(h->bits, value)] += times;
	h->count += times;
	h->min = MIN(h->min, value);
	h->max = MAX(h->max, value);
}

bool sl_histogram_merge(struct sl_histogram *into, const struct sl_histogram *from)
{
	if (into->bits != from->bits)
		return false;
	for (size_t b = 0; b < into->n_buckets; b++)
		into->bucket[b] += from->bucket[b];
	into->count += from->count;
	into->min = MIN(into->min, from->min);
	into->max = MAX(into->max, from->max);
	return true;
}

double sl_histogram_error(const struct sl_histogram *h)
{
	return ldexp(1.0, -(int)h->bits);
}

/* Bucket that holds the value of rank k, from 1. */
static size_t bucket_at(const struct sl_histogram *h, uint64_t k)
{
	uint64_t below = 0;
	size_t b = 0;

	while (b + 1 < h->n_buckets && below + h->bucket[b] < k)
		below += h->bucket[b++];
	return b;
}

/* P(X <= k) of the binomial distribution with n and q. */
static double binomial_cdf(uint64_t k, uint64_t n, double q)
{
	if (k >= n)
		return 1.0;
	return sl_inc_beta((double)(n - k), (double)k + 1.0, 1.0 - q, q);
}

/* Smallest k with P(X <= k) >= p. */
static uint64_t binomial_quantile(double p, uint64_t n, double q)
{
	uint64_t lo = 0, hi = n;
	double at;

	if (n > EXACT_BINOMIAL) {
		at = floor((double)n * q + sl_norm_quantile(p) * sqrt((double)n * q * (1.0 - q)));
		return at <= 0.0 ? 0 : at >= (double)n ? n : (uint64_t)at;
	}
	while (lo < hi) {
		uint64_t mid = lo + (hi - lo) / 2;

		if (binomial_cdf(mid, n, q) >= p)
			hi = mid;
		else
			lo = mid + 1;
	}
	return lo;
}

struct sl_percentile sl_histogram_quantile(const struct sl_histogram *h, double q, double level)
{
	struct sl_percentile r = { .value = 0 };
	uint64_t rank, low, high;

	if (h->count == 0)
		return r;
	rank = (uint64_t)ceil(q * (double)h->count);
	rank = CLAMP(rank, 1, h->count);
	r.value = MIN(highest(h->bits, bucket_at(h, rank)), h->max);
	/* X of the values lie below the true quantile: rank X is at or below it, rank X + 1 above.
	 */
	low = binomial_quantile((1.0 - level) / 2.0, h->count, q);
	high = binomial_quantile((1.0 + level) / 2.0, h->count, q) + 1;
	r.low_open = low == 0;
	r.high_open = high > h->count;
	r.low = r.low_open ? h->min : MAX(lowest(h->bits, bucket_at(h, low)), h->min);
	r.high = r.high_open ? h->max : MIN(highest(h->bits, bucket_at(h, high)), h->max);
	return r;
}

void sl_histogram_to_json(const struct sl_histogram *h, GString *out)
{
	const char *separator = "";

	g_string_append_printf(out,
			       "{\"schema\": \"schedlab-histogram/1\", \"bits\": %u, "
			       "\"count\": %" G_GUINT64_FORMAT ", \"min\": %" G_GUINT64_FORMAT
			       ", \"max\": %" G_GUINT64_FORMAT ", \"buckets\": [",
			       h->bits, h->count, h->count > 0 ? h->min : 0, h->max);
	for (size_t b = 0; b < h->n_buckets; b++) {
		if (h->bucket[b] == 0)
			continue;
		g_string_append_printf(out, "%s[%" G_GUINT64_FORMAT ", %" G_GUINT64_FORMAT "]",
				       separator, lowest(h->bits, b), h->bucket[b]);
		separator = ", ";
	}
	g_string_append(out, "]}");
}
