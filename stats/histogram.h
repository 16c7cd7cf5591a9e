/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Log-linear histogram of whole numbers (latencies in ns): every power of two is cut into 2^bits
 * equal buckets, so a value is known to one part in 2^bits whatever its size.
 * Histograms of the same bits add up exactly; percentiles come from the sum, never
 * from averages of percentiles. */
#ifndef SL_STATS_HISTOGRAM_H
#define SL_STATS_HISTOGRAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <glib.h>

struct sl_histogram {
	unsigned bits; /* 1 to 14 */
	size_t n_buckets;
	uint64_t *bucket;  /* owned */
	uint64_t count;	   /* values in all */
	uint64_t min, max; /* exact; min is UINT64_MAX while there is no value */
};

/* A bits of 7 (58 KiB) bounds the relative error by 0.8 %. Free with sl_histogram_clear(). */
void sl_histogram_init(struct sl_histogram *h, unsigned bits);
void sl_histogram_clear(struct sl_histogram *h);

/* O(1). Counts up to 2^64 - 1 values. */
void sl_histogram_add(struct sl_histogram *h, uint64_t value, uint64_t times);

/* Adds the values of from; false, and nothing done, when the bits differ. */
bool sl_histogram_merge(struct sl_histogram *into, const struct sl_histogram *from);

/* Largest relative error of any percentile: 2^-bits. */
double sl_histogram_error(const struct sl_histogram *h);

struct sl_percentile {
	uint64_t value;		  /* at or above the true one, by at most the relative error */
	uint64_t low, high;	  /* interval for the percentile of the population */
	bool low_open, high_open; /* too few values to bound it there; low is min, high is max */
};

/* The q-quantile (0 <= q <= 1): the value at rank ceil(q * count), and the order
 * statistics between which the population's lies with at least the level, from the
 * binomial distribution (exact up to 100,000 values, normal above), widened to whole buckets.
 * All 0 when there are no values. */
struct sl_percentile sl_histogram_quantile(const struct sl_histogram *h, double q, double level);

/* {"schema": "schedlab-histogram/1", "bits": 7, ..., "buckets": [[lowest value, count], ...]} */
void sl_histogram_to_json(const struct sl_histogram *h, GString *out);

#endif
