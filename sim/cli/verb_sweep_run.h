/* SPDX-License-Identifier: BSD-2-Clause
 *
 * The runner behind `schedlab sweep run`. */
#ifndef SL_VERB_SWEEP_RUN_H
#define SL_VERB_SWEEP_RUN_H

#include "sim/batch/shard.h"
#include "sim/cli/verb_sweep.h"

struct sl_sweep_run {
	const struct sl_sweep *sweep; /* the file */
	struct sl_shard shard;
	uint32_t jobs;	   /* threads */
	int64_t budget_us; /* 0: no limit */
	double until_ci;   /* percent, 0: planned runs only */
	uint32_t most;	   /* with until_ci: runs of a cell at most */
	bool check;
	const _Atomic bool *interrupted;
};

/* Runs what is missing of the sweep with that id, prints a summary on stdout, and returns
 * the exit code. Any number of processes may do so with one file. */
int sl_sweep_run(const struct sl_cli *cli, const struct sl_sweep_run *o,
		 struct sl_sweep_inputs *inputs, struct sl_store *store, int64_t sweep);

#endif
