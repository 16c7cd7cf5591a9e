/* SPDX-License-Identifier: BSD-2-Clause
 *
 * ministat(1): its block as a library call, and its command line.
 * Three generations of the program are known:
 *   2015     upper median, one-pass variance, as Debian's package prints
 *   2016     mean of the two middle values, two-pass variance
 *   current  and an uncertainty of the percentage that allows for the
 *            reference's own; options -P and -q
 * The default has the arithmetic of `current`, but reads and draws without the
 * faults that all of them share. */
#ifndef SL_STATS_MINISTAT_H
#define SL_STATS_MINISTAT_H

#include <stdbool.h>
#include <stdio.h>

#include "stats/plot.h"
#include "stats/summary.h"

/* What --compat selects. */
struct sl_ministat_rules {
	const char *name;
	struct sl_summary_rules summary;
	bool ratio_error;  /* see sl_summary_compare() */
	bool original;	   /* draw and read with the original's faults */
	const char *flags; /* option letters known */
	const char *usage; /* text after "Unknown option" and its like */
};

/* All rules, ended by a null name; the first is the default. */
extern const struct sl_ministat_rules sl_ministat_rules[];

/* By name; NULL when there is none. */
const struct sl_ministat_rules *sl_ministat_find_rules(const char *name);

enum { SL_PLOT_WIDTH = 74 };

struct sl_ministat_options {
	const struct sl_ministat_rules *rules; /* NULL: the default */
	int level;	    /* index into sl_levels; SL_LEVEL_95 is ministat's default */
	int width;	    /* of the plot */
	bool no_plot;	    /* -A */
	bool only_numbers;  /* -n: neither plot nor comparisons */
	bool quiet;	    /* -q: no names, no heading */
	bool population;    /* -P: standard deviation of a population, no comparisons */
	bool separate_bars; /* -s */
};

enum { SL_LEVEL_95 = 2 };

/* Prints the block: names, plot, table, and under each set but the first its
 * comparison with the first. 1 to SL_MAX_SETS sets of at least 3 values. */
void sl_ministat_print(FILE *out, const struct sl_sample *sets, int n,
		       const struct sl_ministat_options *opt);

/* The same as a string; free with g_free(). */
char *sl_ministat_text(const struct sl_sample *sets, int n, const struct sl_ministat_options *opt);

/* The verdict lines on d ("Difference at ..." or "No difference proven ..."). */
void sl_ministat_print_difference(FILE *out, const struct sl_difference *d, int level);

/* Columns of the terminal that out is, less the borders; SL_PLOT_WIDTH when it
 * is none. COLUMNS in the environment, when out is a terminal, counts before its size. */
int sl_ministat_width(FILE *out);

/* The program ministat(1). argv[0] is the name messages carry ("ministat"). Returns
 * the exit status: 0, 1 a file cannot be opened, 2 bad usage or data. The
 * only use of the environment is that of sl_ministat_width(), and
 * POSIXLY_CORRECT, which ends options at the first file. */
int sl_ministat_main(int argc, char **argv, FILE *out, FILE *err);

#endif
