/* SPDX-License-Identifier: BSD-2-Clause
 *
 * A sweep file: what to run, as products of axes. Key-file syntax, schedlab-sweep(5):
 *
 *   [sweep]                       defaults for all groups of cells
 *   policies = 4bsd; ule@2017:kern.sched.slice={3,6,12}
 *   runs = 31
 *   [cells builds]                one product; any other key is a workload parameter
 *   topologies = e5-2420
 *   workloads = buildworld
 *   jobs = 8,16
 *
 * Names are not looked up here: nothing of a sweep file is loaded but its text. */
#ifndef SL_SWEEP_FILE_H
#define SL_SWEEP_FILE_H

#include "topologies/input.h"

/* Axes in the order of the product: the last one turns fastest. */
enum sl_axis {
	SL_AXIS_TOPOLOGY,
	SL_AXIS_COSTS,
	SL_AXIS_CPUSET,
	SL_AXIS_WORKLOAD, /* with all its parameters */
	SL_AXIS_POLICY,	  /* the first policy is the reference */
	SL_AXES
};

/* Words of axes that stand for "what the command line does without the option". */
#define SL_SWEEP_AUTO "auto" /* costs: those of the topology */
#define SL_SWEEP_ALL  "all"  /* cpusets: every CPU */

/* Values of one key, and where they stand (line and column from 1). */
struct sl_sweep_list {
	GPtrArray *item; /* of char *, at least one once a file was read */
	uint32_t line, col;
};

struct sl_sweep_param {
	char *name;
	struct sl_sweep_list value;
};

struct sl_sweep_block {
	char *name;
	uint32_t line;
	struct sl_sweep_list axis[SL_AXES];
	GPtrArray *param;  /* of struct sl_sweep_param * */
	GPtrArray *metric; /* of char *, the first one decides */
	uint32_t metric_line, metric_col;
	uint32_t runs, discard;
	uint64_t seed;
	char *until; /* a duration, NULL: to the workload's end */
	uint32_t until_line, until_col;
};

struct sl_sweep {
	char *name;	  /* of the sweep: key `name`, else the file's */
	char *path;	  /* for messages */
	char *text;	  /* the file */
	GPtrArray *block; /* of struct sl_sweep_block *, at least one */
};

#define SL_SWEEP_MOST_RUNS  1000000
#define SL_SWEEP_MOST_CELLS 10000000

/* Reads a file ("-": standard input). NULL with "path:line:col: what, what was expected";
 * domain SL_TOPO_ERROR. Free with sl_sweep_free(). */
struct sl_sweep *sl_sweep_load(const char *path, GError **error);
/* The same from text; path is for messages and gives the name. */
struct sl_sweep *sl_sweep_parse(const char *path, const char *text, size_t len, GError **error);
void sl_sweep_free(struct sl_sweep *sweep); /* NULL is fine */

/* Number of cells; 0 with an error when there are more than SL_SWEEP_MOST_CELLS. */
uint64_t sl_sweep_count(const struct sl_sweep *sweep, GError **error);

/* One cell as spelled, valid during the visit. */
struct sl_sweep_cell {
	const struct sl_sweep_block *block;
	uint32_t block_index;
	uint32_t group;		   /* cells that differ in nothing but the policy have one number */
	const char *axis[SL_AXES]; /* workload: with parameters, "pbzip2:threads=4" */
	const char *const *param;  /* values, one per block->param */
};

/* Visits all cells in the order of the file. Stops at, and returns, the first false. */
bool sl_sweep_each(const struct sl_sweep *sweep,
		   bool (*visit)(const struct sl_sweep_cell *cell, void *ctx), void *ctx);

/* Sets "path:line:col: sentence" for a fault found later. */
void sl_sweep_fail(const struct sl_sweep *sweep, uint32_t line, uint32_t col, GError **error,
		   const char *format, ...) G_GNUC_PRINTF(5, 6);

#endif
