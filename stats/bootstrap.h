/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Bootstrap interval of a ratio of medians. */
#ifndef SL_STATS_BOOTSTRAP_H
#define SL_STATS_BOOTSTRAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Resamples by default; an odd number plus one, so that the 2.5 % points are whole ranks. */
enum { SL_RESAMPLES = 9999 };

struct sl_ratio {
	double ratio, low, high; /* median of b over median of a */
	size_t resamples;	 /* made */
};

/* Percentile interval (Efron 1979) of median(b) / median(a). Every draw is a function of the
 * seed, the resample and the place: the same call gives the same interval everywhere.
 * paired: a[i] and b[i] are drawn together (n == m). Large samples make fewer
 * resamples, at least 999, to keep draws below 2^28; the result says how many. Where that
 * does not go, above some 268,000 values, there is the ratio without an interval (resamples 0).
 * n, m >= 1. NaN in a sample, or a median of a that is not above 0, gives NaN. */
struct sl_ratio sl_bootstrap_ratio(const double *a, size_t n, const double *b, size_t m,
				   bool paired, double level, size_t resamples, uint64_t seed);

#endif
