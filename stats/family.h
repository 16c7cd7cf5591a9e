/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Many comparisons at once: the cells of a sweep. */
#ifndef SL_STATS_FAMILY_H
#define SL_STATS_FAMILY_H

#include <stddef.h>

/* Holm's step-down adjustment: adjusted[i] below alpha marks hypotheses that may be rejected
 * with a probability of at most alpha of rejecting any true one, whatever their
 * dependence. NaN (no test made) stays NaN and counts for nothing. p and
 * adjusted may be the same array. O(n log n). */
void sl_holm(const double *p, size_t n, double *adjusted);

/* The level each of n intervals needs for all of them to hold at once with the probability `level`,
 * whatever their dependence (Bonferroni): 1 - (1 - level) / n. */
double sl_family_level(double level, size_t n);

struct sl_geomean {
	double ratio;	 /* geometric mean of b[i] / a[i]; NaN when used is 0 */
	size_t used;	 /* cells with a positive number on both sides */
	size_t left_out; /* cells that lack one */
};

/* Geometric mean of ratios over the cells present on both sides; a missing value is NaN. */
struct sl_geomean sl_geomean_ratio(const double *a, const double *b, size_t n);

#endif
