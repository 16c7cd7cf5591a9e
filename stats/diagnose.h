/* SPDX-License-Identifier: BSD-2-Clause
 *
 * What is odd about one sample: things to say beside a verdict, never reasons to drop a value. */
#ifndef SL_STATS_DIAGNOSE_H
#define SL_STATS_DIAGNOSE_H

#include <stdbool.h>
#include <stddef.h>

struct sl_normality {
	double w, p; /* NaN outside 3 <= n <= 5000 or when all values are equal */
};

/* Shapiro and Wilk's W with Royston's approximation (Applied Statistics 44, 1995, AS R94). */
struct sl_normality sl_shapiro_wilk(const double *v, size_t n);

/* Best split of the sorted values in two groups. */
struct sl_split {
	double share;	  /* of the sum of squares that the split explains, 0 to 1 */
	double low, high; /* means of the groups */
	size_t n_low;	  /* values in the lower group */
	bool two_groups;  /* more than one mode: see sl_find_split() */
};

/* A normal sample is explained to 64 %, a uniform one to 75 %. two_groups is set when the
 * share exceeds what 1 % of uniform samples (the flattest single mode) of that size reach, and
 * both groups hold at least 3 values and a tenth of all; that takes at least 7. O(n log n). */
struct sl_split sl_find_split(const double *v, size_t n);

/* Tukey's outer fences: quartiles -+ 3 times their distance. */
struct sl_fences {
	double low, high;
	size_t n_out; /* values outside */
	size_t first; /* index of the first of them, when n_out > 0 */
};

/* Of samples of at least 8 values; smaller ones have no outliers to name (n_out is 0). */
struct sl_fences sl_find_outliers(const double *v, size_t n);

/* Mann and Kendall's test for a trend over the order of the runs, two-sided p, normal
 * with correction for ties. 1 for n < 8, NaN above 10,000 values (it is quadratic). */
double sl_trend_p(const double *v, size_t n);

/* All values are the same number. */
bool sl_all_equal(const double *v, size_t n);

#endif
