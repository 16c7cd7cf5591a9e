/* SPDX-License-Identifier: BSD-2-Clause
 *
 * The results of a sweep for one metric, as samples and comparisons: what all forms of
 * the report are made from. */
#ifndef SL_VERB_SWEEP_TABLE_H
#define SL_VERB_SWEEP_TABLE_H

#include "sim/cli/verb_sweep.h"
#include "stats/family.h"
#include "stats/summary.h"

struct sl_sweep_tblock {
	char *name;
	char **metrics, **params; /* NULL-terminated */
	uint32_t discard;
};

/* One cell: spellings, and of the metric in hand its sample. Strings live as long as the
 * table. */
struct sl_sweep_tcell {
	uint32_t block, group, runs;
	int64_t id;
	const char *hash, *topology, *costs, *cpuset, *workload, *policy, *until, *param;
	const char *digest[SL_INPUT_KINDS];
	uint64_t seed;
	double *v; /* good runs from `discard` on, ascending by run */
	size_t n;
	bool whole;	       /* no run is missing or failed */
	struct sl_summary sum; /* when n > 0 */
	/* Against the first cell of its group. */
	bool compared, identical, paired;
	double diff, low, high; /* of means, at 95 % */
	double p, p_holm;
	bool better, worse; /* proven after Holm's correction over the whole table */
};

struct sl_sweep_table {
	char *sweep;	  /* its name */
	GPtrArray *block; /* of struct sl_sweep_tblock * */
	GArray *cell;	  /* of struct sl_sweep_tcell, groups together */
	GStringChunk *text;
	int metric;	 /* in hand, -1: none */
	size_t compared; /* comparisons made */
};

/* What to look at. */
struct sl_sweep_choice {
	char **policies;  /* NULL: all. Else these, the first being the reference */
	const char *only; /* NULL, or: cells whose label or block contains this text */
};

/* The cells without their samples. */
bool sl_sweep_table_load(struct sl_sweep_table *t, struct sl_store *store, const char *sweep,
			 const struct sl_sweep_choice *choice, GError **error);
/* Reads the samples of a metric and compares. Cells of blocks that do not list the metric are left
 * empty unless `always`. */
bool sl_sweep_table_fill(struct sl_sweep_table *t, struct sl_store *store, int metric, bool always,
			 GError **error);
void sl_sweep_table_clear(struct sl_sweep_table *t);

/* Whether a block lists a metric. */
bool sl_sweep_table_wants(const struct sl_sweep_tblock *b, int metric);
/* "mencoder:threads=4 on q6600, CPUs 0-1, costs none"; freed by the caller. */
char *sl_sweep_table_label(const struct sl_sweep_tcell *c);
/* The end (exclusive) of the group that starts at cell i. */
guint sl_sweep_table_group_end(const struct sl_sweep_table *t, guint i);
/* "better", "worse", "not proven", "identical", "reference", "missing". */
const char *sl_sweep_table_verdict(const struct sl_sweep_tcell *c);
/* Whether the block of cells `from` .. `end` - 1 has something to take the mean of: several groups
 * of several policies. */
bool sl_sweep_table_has_geomean(const struct sl_sweep_table *t, guint from, guint end);
/* By how much policy `column` differs from the first over the groups of the block. A group counts
 * when both have it whole, so that nobody gains by failing in the hard ones. */
struct sl_geomean sl_sweep_table_geomean(const struct sl_sweep_table *t, guint from, guint end,
					 guint column);
/* "1.0312", "1.0312 over 3 of 4 cells" or "-"; freed by the caller. */
char *sl_sweep_geomean_text(const struct sl_geomean *mean);
/* The command that repeats a cell's runs; freed by the caller. */
char *sl_sweep_table_command(const struct sl_sweep_tcell *c);

#endif
