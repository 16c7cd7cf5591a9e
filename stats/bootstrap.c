/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Invariant: resampling draws indexes into sorted samples, so that the median of a resample
 * is found by counting indexes, in O(n), without sorting or comparing values. */
#include "stats/bootstrap.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <glib.h>

#include "sim/base/rng.h"
#include "stats/summary.h"

enum { LEAST_RESAMPLES = 999, MAX_DRAWS = 1 << 28 };

struct ranked {
	double *value;	 /* sorted */
	uint32_t *count; /* times each is in the resample */
	uint32_t *rank;	 /* place in value of the i-th of the sample */
	size_t n;
};

struct entry {
	double x;
	uint32_t i;
};

static int by_entry(const void *pa, const void *pb)
{
	const struct entry *a = pa, *b = pb;

	if (a->x != b->x)
		return a->x < b->x ? -1 : 1;
	return a->i < b->i ? -1 : a->i > b->i;
}

static int by_value(const void *pa, const void *pb)
{
	const double *a = pa, *b = pb;

	return *a < *b ? -1 : *a > *b;
}

static void ranked_init(struct ranked *r, const double *v, size_t n)
{
	struct entry *e = g_new(struct entry, n);

	r->n = n;
	r->value = g_new(double, n);
	r->count = g_new(uint32_t, n);
	r->rank = g_new(uint32_t, n);
	for (size_t i = 0; i < n; i++)
		e[i] = (struct entry){ v[i], (uint32_t)i };
	qsort(e, n, sizeof(*e), by_entry);
	for (size_t i = 0; i < n; i++) {
		r->value[i] = e[i].x;
		r->rank[e[i].i] = (uint32_t)i;
	}
	g_free(e);
}

static void ranked_clear(struct ranked *r)
{
	g_free(r->value);
	g_free(r->count);
	g_free(r->rank);
}

/* Median of the resample that count describes. */
static double counted_median(const struct ranked *r)
{
	size_t below = 0, i = 0, lower = (r->n - 1) / 2;
	double low;

	while (below + r->count[i] <= lower)
		below += r->count[i++];
	low = r->value[i];
	if (r->n % 2 != 0 || below + r->count[i] > lower + 1)
		return low;
	do {
		i++;
	} while (r->count[i] == 0);
	return (low + r->value[i]) / 2.0;
}

/* Two 32-bit draws per 64-bit one; the bias is below n / 2^32. */
static void resample(struct ranked *r, uint64_t seed, uint64_t stream)
{
	memset(r->count, 0, r->n * sizeof(*r->count));
	for (size_t i = 0; i < r->n; i += 2) {
		uint64_t bits = sl_rng_draw(seed, SL_RNG_BOOT, stream, i / 2);

		r->count[((bits >> 32) * r->n) >> 32]++;
		if (i + 1 < r->n)
			r->count[((bits & UINT32_MAX) * r->n) >> 32]++;
	}
}

static void resample_pairs(struct ranked *a, struct ranked *b, uint64_t seed, uint64_t stream)
{
	memset(a->count, 0, a->n * sizeof(*a->count));
	memset(b->count, 0, b->n * sizeof(*b->count));
	for (size_t i = 0; i < a->n; i++) {
		uint64_t bits = sl_rng_draw(seed, SL_RNG_BOOT, stream, i) >> 32;
		size_t at = (bits * a->n) >> 32;

		a->count[a->rank[at]]++;
		b->count[b->rank[at]]++;
	}
}

static size_t affordable(size_t resamples, size_t draws)
{
	size_t most = (size_t)MAX_DRAWS / MAX(draws, 1);

	return most < LEAST_RESAMPLES ? 0 : MIN(resamples, most);
}

static bool has_nan(const double *v, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (isnan(v[i]))
			return true;
	return false;
}

struct sl_ratio sl_bootstrap_ratio(const double *a, size_t n, const double *b, size_t m,
				   bool paired, double level, size_t resamples, uint64_t seed)
{
	struct sl_ratio r = { .ratio = NAN, .low = NAN, .high = NAN };
	struct ranked ra, rb;
	double *ratios;
	size_t cut;

	if (has_nan(a, n) || has_nan(b, m) || !(sl_median(a, n) > 0.0))
		return r;
	r.ratio = sl_median(b, m) / sl_median(a, n);
	r.resamples = resamples = affordable(resamples, n + m);
	if (resamples == 0)
		return r;
	ratios = g_new(double, resamples);
	ranked_init(&ra, a, n);
	ranked_init(&rb, b, m);
	for (size_t i = 0; i < resamples; i++) {
		if (paired) {
			resample_pairs(&ra, &rb, seed, 2 * i);
		} else {
			resample(&ra, seed, 2 * i);
			resample(&rb, seed, 2 * i + 1);
		}
		ratios[i] = counted_median(&rb) / counted_median(&ra);
	}
	qsort(ratios, resamples, sizeof(*ratios), by_value);
	cut = (size_t)((1.0 - level) / 2.0 * (double)(resamples + 1) + 1e-9);
	cut = cut > 0 ? cut - 1 : 0;
	r.low = ratios[cut];
	r.high = ratios[resamples - 1 - cut];
	ranked_clear(&ra);
	ranked_clear(&rb);
	g_free(ratios);
	return r;
}
