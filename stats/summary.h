/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Samples and their summaries: the numbers on a ministat line, and the
 * difference of two such lines. */
#ifndef SL_STATS_SUMMARY_H
#define SL_STATS_SUMMARY_H

#include <stdbool.h>
#include <stddef.h>

/* A named set of values. Borrowed: neither the name nor the values are copied
 * or changed by any function that takes a const struct sl_sample. */
struct sl_sample {
	const char *name;
	const double *v;
	size_t n;
};

/* How the generations of ministat(1) differ in arithmetic. */
struct sl_summary_rules {
	bool median_upper; /* even n: the upper middle value, not the mean of the two */
	bool one_pass;	   /* variance from the sum of squares, wrong for large offsets */
	bool libc_nan;	   /* sort samples with NaN as qsort(3) happens to do it */
	bool rounded_mean; /* equal values, too, have sum / n as it rounds, not their value */
	bool population;   /* variance divides by n, not n - 1 */
};

struct sl_summary {
	size_t n;
	double min, max, median, avg;
	double var;    /* variance */
	double stddev; /* its square root; NaN where rounding made var negative */
};

/* Summarises a sample of at least 1 value (n < 2 has no variance: NaN).
 * NaN sorts after every number unless libc_nan is set. O(n) time; O(1) memory
 * without NaN, a copy of the values with libc_nan. */
struct sl_summary sl_summarize(const double *v, size_t n, const struct sl_summary_rules *rules);

/* The k-th smallest value (k from 0), as a stable sort would place it: -0 and 0
 * keep their order in the sample. NaN counts as larger than every number.
 * O(n), nothing is moved or allocated. k must be below n. */
double sl_kth_smallest(const double *v, size_t n, size_t k);

/* Quantile p in [0,1] by linear interpolation between order statistics at
 * p * (n - 1) (type 7 of Hyndman and Fan 1996, R's default). n > 0. */
double sl_quantile(const double *v, size_t n, double p);

/* Middle value, mean of the two middle values for even n. n > 0. */
double sl_median(const double *v, size_t n);

/* Confidence levels of ministat(1), lowest first; %. */
enum { SL_LEVELS = 6 };
extern const double sl_levels[SL_LEVELS];

/* Index of a level in sl_levels, -1 when it is not one of them. */
int sl_level_index(double percent);

/* Student's t as ministat(1) tabulates it: three decimals, df above 100 taken
 * as infinity, and the original table's six misprints in the 99.5 % column
 * (df 7 to 12) kept, because printed results depend on them.
 * level is an index into sl_levels, df > 0. */
double sl_ministat_t(size_t df, int level);

/* Difference of two summaries by the pooled t of ministat(1). */
struct sl_difference {
	bool proven;	/* |diff| > err */
	double diff;	/* avg - avg of the reference */
	double err;	/* half width of its interval */
	double percent; /* diff in % of the reference's avg */
	double percent_err;
	double pooled_s;
};

/* Compares s with the reference ref (only n, avg and var are read).
 * ratio_error: the uncertainty of the percentage allows for the uncertainty
 * of the reference's mean (FreeBSD since late 2016); otherwise it is err in %
 * of the reference's avg. Both n together must exceed 2. */
struct sl_difference sl_summary_compare(const struct sl_summary *ref, const struct sl_summary *s,
					int level, bool ratio_error);

#endif
