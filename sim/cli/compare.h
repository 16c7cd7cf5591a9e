/* SPDX-License-Identifier: BSD-2-Clause
 *
 * A comparison between its runs and its output: what was asked, the samples, and the
 * forms in which they are written. */
#ifndef SL_COMPARE_H
#define SL_COMPARE_H

#include "sim/cli/trials.h"
#include "stats/ministat.h"

struct sl_compare_options {
	struct sl_setup_options setup;
	char *n, *discard, *jobs, *metric, *raw, *threshold, *until_ci, *power, *effect, *max_runs,
		*plot;
	gboolean tests, times, json, csv;
	uint64_t runs, dropped, threads, most;
	double threshold_percent, ci_percent, power_percent, effect_percent;
	int which; /* index of the metric */
};

/* ministat's block needs so many values of each. */
enum { MINISTAT_LEAST = 3 };

struct sl_until;

/* One sample per policy, in their order. */
struct sl_compare_sets {
	struct sl_sample sample[SL_MAX_SETS];
	struct sl_summary summary[SL_MAX_SETS]; /* of non-empty samples */
	int n;
	size_t least; /* size of the smallest sample */
	/* What decided how many runs there are, with at least one plan; NULL: the user did. */
	const struct sl_until *until;
};

void sl_compare_gather(struct sl_compare_sets *sets, const struct sl_trials *t,
		       const struct sl_compare_options *o);
void sl_compare_drop(struct sl_compare_sets *sets);

/* Lines that start with '#': what it takes to get the same result again. */
void sl_compare_print_head(const struct sl_trials *t, const struct sl_compare_options *o);
/* Each run as time(1) would print it, one line, under the name of its policy; runs that are
 * discarded are left out. */
void sl_compare_print_times(const struct sl_trials *t, const struct sl_compare_options *o);
/* More tests than ministat's, one block per policy but the first. Samples of at least 2
 * values. */
void sl_compare_print_tests(const struct sl_trials *t, const struct sl_compare_options *o,
			    const struct sl_compare_sets *sets);
/* One line per policy but the first: the paired difference, beside the block's pooled t. */
void sl_compare_print_lines(const struct sl_trials *t, const struct sl_compare_options *o,
			    const struct sl_compare_sets *sets);
/* A CSV header and a line per policy but the first, "schedlab-comparison/1". */
void sl_compare_print_csv(const struct sl_trials *t, const struct sl_compare_options *o,
			  const struct sl_compare_sets *sets);
/* All of it as one JSON object, "schema": "schedlab-compare/1". */
void sl_compare_print_json(const struct sl_trials *t, const struct sl_compare_options *o,
			   const struct sl_compare_sets *sets);

/* What is odd about the samples, a line each: below the tests, else with '#'. */
void sl_compare_print_warnings(const struct sl_compare_options *o,
			       const struct sl_compare_sets *sets);

/* Before the runs: whether what will be written can be. Makes the folder o->raw. */
bool sl_compare_prepare(const struct sl_compare_options *o, GError **error);

/* A file per policy in o->raw, one value on a line. */
bool sl_compare_write_raw(const struct sl_trials *t, const struct sl_compare_options *o,
			  const struct sl_compare_sets *sets, GError **error);
/* The picture o->plot, a name that sl_gnuplot_format() knows, with its script and data beside
 * it. One more run of each policy. */
bool sl_compare_write_plot(const struct sl_trials *t, const struct sl_compare_options *o,
			   const struct sl_compare_sets *sets, GError **error);

#endif
