/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Many runs of several policies: the matrix behind `compare`. Run i of every policy has
 * seed base+i, so that all policies meet the same work; run 0 finds a cold page cache.
 * Rows are stored by place, not by time of arrival: the number of threads cannot be
 * seen in the result. */
#ifndef SL_TRIALS_H
#define SL_TRIALS_H

#include "sim/cli/metrics.h"
#include "sim/cli/setup.h"

/* The buckets of sl_totals.latency from the first to the last that is not empty. */
struct sl_latencies {
	uint32_t first, n;
	sl_time max;
	uint64_t count[];
};

struct sl_trial {
	bool done;
	enum sl_end end;
	double value[SL_METRIC_DEFS]; /* as sl_metric_defs */
	uint64_t digest;
	struct sl_latencies *latencies; /* of a done run, when they are kept */
	char *fault;			/* words, when the end is a bad one */
};

struct sl_trials {
	const struct sl_cli *cli;
	const struct sl_setup *setup;
	uint32_t policies, runs; /* runs: of each policy, so far */
	GArray *row;		 /* of struct sl_trial: run * policies + policy */
	bool keep_latencies;	 /* in every row */
	const _Atomic bool *stop;
	/* More for the progress line, after `runs` runs of each policy; NULL: nothing. */
	void (*note)(const void *ctx, uint32_t runs, char *text, size_t size);
	const void *note_ctx;
	uint32_t before; /* runs of each policy before those that are being added */
	int64_t said_at; /* when progress was last shown, monotonic us */
};

void sl_trials_init(struct sl_trials *t, const struct sl_cli *cli, const struct sl_setup *setup,
		    const _Atomic bool *stop);
void sl_trials_clear(struct sl_trials *t);

/* Adds `runs` runs of every policy, on `jobs` threads (0: one per CPU). False with an
 * error when threads cannot be had; runs may be missing after an interrupt. */
bool sl_trials_add(struct sl_trials *t, uint32_t runs, uint32_t jobs, GError **error);

const struct sl_trial *sl_trials_at(const struct sl_trials *t, uint32_t policy, uint32_t run);

/* How many runs, counted from the first, every policy has done: all of them, but after an
 * interrupt. What lies behind a gap is not counted: the runs missing there are the long ones,
 * and a sample without them would look faster than it is. */
uint32_t sl_trials_whole(const struct sl_trials *t);

/* Values of one metric of one policy, runs from `discard` to sl_trials_whole(), in order. Freed
 * by the caller; *n is their number. Value i of all policies is of one seed. */
double *sl_trials_values(const struct sl_trials *t, uint32_t policy, int metric, uint32_t discard,
			 size_t *n);

#endif
