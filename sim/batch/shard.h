/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Which part of a sweep this process does, when many share it without talking. */
#ifndef SL_SHARD_H
#define SL_SHARD_H

#include <glib.h>

#include "sim/base/base.h"

/* Part `index` of `count`, from 1. {1, 1} is everything. */
struct sl_shard {
	uint32_t index, count;
	const char *launcher; /* "Slurm", ... when the environment told; NULL: the text */
};

#define SL_SHARD_MOST  100000

#define SL_SHARD_ERROR sl_shard_error_quark()
GQuark sl_shard_error_quark(void);

/* Reads "i/N"; "auto", which asks the environment; "auto/N", for launchers that tell a
 * number but not how many there are. text NULL: as auto, but everything when no launcher
 * is there that tells both. `get` is g_getenv() but in tests.
 *   Slurm          SLURM_ARRAY_TASK_ID, _MIN, _STEP, _COUNT
 *   GNU parallel   PARALLEL_SEQ (needs /N)
 *   MPI            OMPI_COMM_WORLD_RANK, _SIZE; PMI_RANK, PMI_SIZE
 *   HTCondor       ProcId and TotalSubmitProcs in the file named by _CONDOR_JOB_AD */
bool sl_shard_parse(const char *text, const char *(*get)(const char *name), struct sl_shard *shard,
		    GError **error);

/* hash: n strings. part[i] = whether cell i belongs to the shard. Cells are dealt out in the
 * order of their hashes, which is as good as shuffled: parts differ by at most one cell and
 * get their share of every workload and policy. O(n log n). */
void sl_shard_deal(const struct sl_shard *shard, const char *const *hash, size_t n, bool *part);

#endif
