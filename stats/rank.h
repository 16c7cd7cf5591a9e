/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Comparison by ranks: no assumption on the shape of the distributions. */
#ifndef SL_STATS_RANK_H
#define SL_STATS_RANK_H

#include <stdbool.h>
#include <stddef.h>

/* Below this size of both samples, and without ties, p is exact. */
enum { SL_EXACT_BELOW = 50 };

struct sl_rank_test {
	double u;	/* pairs (i, j) with b[j] > a[i], ties counted half */
	double p;	/* two-sided */
	double p_least; /* the smallest p any data of these sizes can give */
	bool exact;
};

/* Mann and Whitney's test of b against a. Exact by counting (n, m below SL_EXACT_BELOW, no
 * ties), otherwise normal with correction for ties and continuity, but never below p_least, which
 * the normal curve does not know. n, m >= 1.
 * O(n log n), and O(n^2 m) when exact. NaN in a sample gives p = NaN. */
struct sl_rank_test sl_mann_whitney(const double *a, size_t n, const double *b, size_t m);

/* Hodges and Lehmann's estimate of the shift of b against a, the median of all n * m
 * differences, with the interval that belongs to the rank test. */
struct sl_shift {
	double shift, low, high;
	bool exact; /* the interval's level is at least, not about, the one asked for */
};

/* n, m >= 1; time O((n + m) log(n + m)), no table of differences. */
struct sl_shift sl_hodges_lehmann(const double *a, size_t n, const double *b, size_t m,
				  double level);

/* P(U <= u) under equality, for sizes without ties. n, m below SL_EXACT_BELOW. */
double sl_mann_whitney_cdf(double u, size_t n, size_t m);

#endif
