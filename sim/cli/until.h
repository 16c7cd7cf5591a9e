/* SPDX-License-Identifier: BSD-2-Clause
 *
 * How many runs a comparison needs: --until-ci and --power. The runs made first are the
 * pilot and decide once (Stein's rule, stats/sequential.h), so that stopping cannot flatter
 * the result. What has to be known is each policy's difference to the reference, run by run;
 * with a single policy its mean. The intervals of several differences hold all at once with the
 * stated probability. */
#ifndef SL_UNTIL_H
#define SL_UNTIL_H

#include "sim/cli/compare.h"
#include "stats/sequential.h"

struct sl_until {
	int n; /* plans: 0 when nothing was planned */
	struct sl_stein plan[SL_MAX_SETS];
	double reference;  /* |mean| of the reference's pilot: percents are of this */
	uint32_t dropped;  /* runs of each policy that are not values */
	uint32_t runs;	   /* of each policy, dropped ones included */
	bool short_of_aim; /* --max-runs allows no more, the aim needs more */
	/* With --power: runs of each policy that unpaired samples would need, the most of all
	 * pairs of policies; SIZE_MAX when there is no number. */
	size_t unpaired;
};

/* Plans from the runs made so far. */
void sl_until_plan(struct sl_until *u, const struct sl_trials *t,
		   const struct sl_compare_options *o);

/* Half width of the widest interval after that many runs of each policy, in percent. */
double sl_until_width(const struct sl_until *u, uint32_t runs);

/* Whether the samples have all the values the plan wants. */
bool sl_until_reached(const struct sl_until *u, const struct sl_compare_sets *sets);

/* For sl_trials.note; ctx is a struct sl_until. */
void sl_until_note(const void *ctx, uint32_t runs, char *text, size_t size);

/* The outcome on lines that start with '#': what was planned, and the mean of a single policy with
 * the interval that keeps the level. */
void sl_until_print(const struct sl_until *u, const struct sl_compare_options *o,
		    const struct sl_compare_sets *sets);

#endif
