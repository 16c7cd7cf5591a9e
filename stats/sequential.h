/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Run until the interval is narrow enough, without losing the stated error rate.
 *
 * Looking at the interval after every run and stopping when it is narrow covers the
 * truth less often than it says, because runs that happen to agree stop early.
 * Stein's rule (Annals of Mathematical Statistics 16, 1945) does not: the spread is taken
 * from a pilot of fixed size only, and decides once how many runs there will be.
 * Given normal values the interval mean of all +- t(pilot - 1) * s(pilot) / sqrt(all) then covers
 * with exactly the stated probability at least, whatever the true spread, and a test by "does it
 * contain 0" has exactly the stated error rate. docs/statistics.md shows both measured. */
#ifndef SL_STATS_SEQUENTIAL_H
#define SL_STATS_SEQUENTIAL_H

#include <stdbool.h>
#include <stddef.h>

/* Pilot size by default: t(19) is 2.09, 7 % more than with the spread known. */
enum { SL_PILOT = 20 };

struct sl_stein {
	size_t pilot; /* values the spread is taken from, >= 2 */
	double s;     /* their standard deviation */
	double t;     /* quantile of t with pilot - 1 degrees of freedom */
	size_t runs;  /* values needed in all; SIZE_MAX when no number will do */
	/* Set by a caller who plans several intervals from one pilot, each at the level of
	 * sl_family_level(): how many hold together; 0 and 1: this one alone. All of them may then
	 * have as many values as the largest plan wants, for that is decided by the spreads of the
	 * pilot, of which normal means know nothing. */
	size_t family;
};

/* Plans from the first `pilot` values of v for an interval of half width w at the level. */
struct sl_stein sl_stein_plan(const double *v, size_t pilot, double w, double level);

/* Plans from the first `pilot` differences in v for a test of "is their mean 0?" by the interval of
 * sl_stein_half_width(): it errs with 1 - level when the mean is 0, and finds a mean of d (or
 * beyond) with at least the probability `power`, both whatever the true spread. */
struct sl_stein sl_stein_power_plan(const double *v, size_t pilot, double d, double level,
				    double power);

/* Half width after n values (n >= pilot): what is printed while it shrinks and,
 * when max-runs came first, the width reached. */
double sl_stein_half_width(const struct sl_stein *plan, size_t n);

#endif
