/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Tests of means with exact t quantiles (ministat's three-decimal table is in summary.h), and
 * how many runs they need. Differences are "b minus a", a being the reference.
 * Levels are fractions (0.95). No function keeps or changes its arrays. */
#ifndef SL_STATS_TTEST_H
#define SL_STATS_TTEST_H

#include <stdbool.h>
#include <stddef.h>

struct sl_t_test {
	double diff;	  /* mean of b - mean of a, or mean of the pairs' differences */
	double low, high; /* its confidence interval */
	double t, df, p;  /* p is two-sided; 0 when there is a difference and no spread */
	double stddev;	  /* pooled; of the pairs' differences; Welch: unused, NaN */
};

/* Student's two-sample t with pooled variance. n, m >= 2, otherwise everything is NaN. */
struct sl_t_test sl_pooled_t(const double *a, size_t n, const double *b, size_t m, double level);

/* Welch's t: unequal variances, Satterthwaite's degrees of freedom. */
struct sl_t_test sl_welch_t(const double *a, size_t n, const double *b, size_t m, double level);

/* Paired t: a[i] and b[i] belong together (the same seed). n >= 2. */
struct sl_t_test sl_paired_t(const double *a, const double *b, size_t n, double level);

/* Runs each of two unpaired samples with standard deviation s would need for
 * an interval of half width w. SIZE_MAX when w is not above 0, 2 when s is 0. */
size_t sl_unpaired_runs(double s, double w, double level);

/* Pairs (or, two_samples, runs of each) needed to prove a true difference d against a
 * standard deviation s with probability `power` at a two-sided level.
 * Normal approximation plus the usual z^2/2 (pairs) or z^2/4 (two samples); error at most 1 run
 * against the noncentral t for n >= 5. */
size_t sl_power_runs(double s, double d, double level, double power, bool two_samples);

/* Hedges' g: the difference in pooled standard deviations, corrected for small n. */
double sl_hedges_g(const double *a, size_t n, const double *b, size_t m);

#endif
