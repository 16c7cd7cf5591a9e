/* SPDX-License-Identifier: BSD-2-Clause
 *
 * The character plot of ministat(1): points of up to SL_MAX_SETS sets stacked
 * over one axis, bars of mean, median and standard deviation below. */
#ifndef SL_STATS_PLOT_H
#define SL_STATS_PLOT_H

#include <stdbool.h>
#include <stdio.h>

#include "stats/summary.h"

enum { SL_MAX_SETS = 7 };

/* Symbol of set i (from 0) is SL_SYMBOLS[i + 1]. */
#define SL_SYMBOLS " x+*%#@O"

/* In plots of three or more sets: points of more than one set are here. With
 * two sets it is the original's `*`, which can mean nothing else there. */
#define SL_OVERLAP '&'

struct sl_plot_options {
	int width;	    /* columns between the borders, >= 0 */
	bool separate_bars; /* a bar line per set */
	/* Draw as the original does: as high as the last set only, overlaps as the
	 * symbol of the OR of the sets' numbers. */
	bool original;
};

/* Draws n sets with their summaries. A sample of equal values or one with NaN or
 * infinity gives a line that says why there is no plot.
 * Time O(values + rows * width), memory O(width * n). */
void sl_plot(FILE *out, const struct sl_sample *sets, const struct sl_summary *sums, int n,
	     const struct sl_plot_options *opt);

#endif
