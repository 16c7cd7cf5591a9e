/* SPDX-License-Identifier: BSD-2-Clause
 *
 * The result file of sweeps: one SQLite database, schema in schedlab-sweep(5).
 * A run is done once its row is committed. Rows of `cell` and `run` hold nothing that
 * depends on when, where or by how many threads they were made.
 * A store is used by one thread at a time; any number of processes may share a file. */
#ifndef SL_STORE_H
#define SL_STORE_H

#include <glib.h>

#include "sim/base/base.h"

/* Version of the schema, PRAGMA user_version. */
#define SL_STORE_SCHEMA 1
/* Raised whenever the same inputs give other figures than before: part of every cell's
 * hash, so that old rows are kept and not mistaken for new ones. */
#define SL_RESULT_VERSION 1

#define SL_STORE_ERROR	  sl_store_error_quark()
GQuark sl_store_error_quark(void);

enum sl_store_error {
	SL_STORE_ERROR_OPEN,	  /* missing, not readable, not writable, no result file */
	SL_STORE_ERROR_DAMAGED,	  /* contradicts itself; good rows can be saved by merging */
	SL_STORE_ERROR_FULL,	  /* no room: what was committed before is safe */
	SL_STORE_ERROR_VERSION,	  /* another schema, or other metrics */
	SL_STORE_ERROR_USE,	  /* locked for too long, or a failure of ours */
	SL_STORE_ERROR_DIFFERENT, /* one run, two results: determinism is broken */
};

struct sl_store;

/* Metrics, in the order of their columns; '-' in a name becomes '_'. Borrowed
 * during the call. */
struct sl_store_shape {
	const char *const *metric;
	uint32_t n_metrics;
};

enum sl_store_mode {
	SL_STORE_READ,	  /* must exist */
	SL_STORE_CREATE,  /* read and write, made when missing */
	SL_STORE_SALVAGE, /* read what can be read of a file that may be damaged */
};

/* NULL with an error. Does not look at the rows: see sl_store_check(). */
struct sl_store *sl_store_open(const char *path, const struct sl_store_shape *shape,
			       enum sl_store_mode mode, GError **error);
void sl_store_close(struct sl_store *s); /* NULL is fine */
const char *sl_store_path(const struct sl_store *s);

/* Whether the file at path begins as a SQLite database does. */
bool sl_store_is_file(const char *path);

/* Looks at every page, and every row's checksum. O(file). */
bool sl_store_check(struct sl_store *s, GError **error);

/* --- Planning ------------------------------------------------------------------------ */

enum sl_input_kind {
	SL_INPUT_TOPOLOGY,
	SL_INPUT_COSTS,
	SL_INPUT_POLICY,
	SL_INPUT_WORKLOAD,
	SL_INPUT_KINDS
};

struct sl_store_cell {
	const char *hash; /* of everything below but block, group, runs, param and the specs */
	const char *spec[SL_INPUT_KINDS], *digest[SL_INPUT_KINDS];
	const char *cpuset; /* "all" or a list */
	uint64_t seed;	    /* of run 0 */
	const char *until;  /* "" or a duration */
	/* Its place in a sweep. */
	uint32_t block, group, runs;
	const char *param; /* "threads=4,size=1", "" */
};

struct sl_store_block {
	const char *name, *metrics, *params; /* lists with ',' */
	uint32_t discard;
};

/* Makes the plan of sweep `name` in one transaction. *same: the file holds this very
 * plan (by digest) already, nothing was begun and nothing may be added. */
bool sl_store_plan_begin(struct sl_store *s, const char *name, const char *digest, const char *file,
			 bool *same, GError **error);
bool sl_store_plan_block(struct sl_store *s, uint32_t index, const struct sl_store_block *b,
			 GError **error);
bool sl_store_plan_cell(struct sl_store *s, const struct sl_store_cell *c, GError **error);
bool sl_store_plan_end(struct sl_store *s, GError **error);
void sl_store_plan_cancel(struct sl_store *s); /* after a failure */

/* --- Reading a plan -------------------------------------------------------------------- */

/* The sweeps in the file by name, ascending; g_strfreev(). NULL with an error. */
char **sl_store_sweeps(struct sl_store *s, GError **error);
/* Id of a sweep, and the file it was planned from (freed by the caller; may be NULL).
 * -1 with an error when there is none. */
int64_t sl_store_find_sweep(struct sl_store *s, const char *name, char **file, GError **error);

/* Visits the blocks of a sweep in order. */
bool sl_store_each_block(struct sl_store *s, int64_t sweep,
			 bool (*visit)(const struct sl_store_block *b, void *ctx), void *ctx,
			 GError **error);

struct sl_store_member {
	struct sl_store_cell cell; /* strings are valid during the visit */
	int64_t id;
	uint32_t place, done, failed; /* rows with a run below cell.runs; failed: of those */
	uint64_t rows;		      /* a hash of the checksums of these rows */
};
/* Visits the cells of a sweep in its order until false is returned (which is no error);
 * without `counts`, done, failed and rows are 0. One pass over the rows when cells stand in
 * the file in that order, as they do unless sweeps share them. */
bool sl_store_each_member(struct sl_store *s, int64_t sweep, bool counts,
			  bool (*visit)(const struct sl_store_member *m, void *ctx), void *ctx,
			  GError **error);
/* Wanted runs of a cell in a sweep, when they grow. */
bool sl_store_set_runs(struct sl_store *s, int64_t sweep, uint32_t place, uint32_t runs,
		       GError **error);

/* --- Runs ------------------------------------------------------------------------------ */

struct sl_store_run {
	int64_t cell;
	uint32_t run;
	uint64_t seed;
	const char *outcome; /* "done", "until", or a fault's name */
	const char *fault;   /* in words, NULL after a good end */
	uint64_t digest;     /* of the records */
	const double *value; /* shape.n_metrics, read by index */
};

/* Good ends. */
bool sl_store_outcome_good(const char *outcome);

/* Rows of one cell with run >= first, ascending. Strings valid during the visit. */
bool sl_store_each_run(struct sl_store *s, int64_t cell, uint32_t first,
		       bool (*visit)(const struct sl_store_run *run, void *ctx), void *ctx,
		       GError **error);

/* A runner is a process that takes work; its claims are void when its lease ends or, on
 * this host, when its process is gone. */
bool sl_store_join(struct sl_store *s, const char *version, const char *command, GError **error);
bool sl_store_renew(struct sl_store *s, GError **error);
/* Gives back all claims and closes the session. */
bool sl_store_leave(struct sl_store *s, GError **error);

struct sl_store_job {
	int64_t cell;
	uint32_t run;
};
enum sl_claim { SL_CLAIM_MINE, SL_CLAIM_DONE, SL_CLAIM_OTHERS };
/* Goes through n runs in one transaction until `want` of them are claimed; what[i] says
 * what became of job i. Returns how many were looked at; 0 with an error. */
uint32_t sl_store_claim(struct sl_store *s, const struct sl_store_job *job, uint32_t n,
			uint32_t want, enum sl_claim *what, GError **error);
/* Gives back claims of n runs. */
bool sl_store_release(struct sl_store *s, const struct sl_store_job *job, uint32_t n,
		      GError **error);
/* Commits n rows and drops their claims. A row that is there already must be equal. */
bool sl_store_add(struct sl_store *s, const struct sl_store_run *run, uint32_t n, GError **error);

/* A hash of all cells and rows of a sweep in order of their hashes: equal for equal
 * content, whatever made it. Made from a visit of all members, with counts; ending frees the array
 * and gives 32 digits, freed by the caller. */
GArray *sl_store_content_new(void);
void sl_store_content_add(GArray *content, const struct sl_store_member *m);
char *sl_store_content_end(GArray *content);

/* --- Merging --------------------------------------------------------------------------- */

struct sl_store_merge {
	uint64_t cells, runs; /* new in the target */
	uint64_t twice;	      /* runs that both had, all equal */
	uint64_t lost;	      /* rows that are not whole, and places that could not be read */
	bool damaged;	      /* the source: its plans were not taken over */
};
/* Adds everything in `from`. Of a damaged file only rows with a right checksum are taken;
 * plans have to come from elsewhere. SL_STORE_ERROR_DIFFERENT: one run, two results. */
bool sl_store_merge(struct sl_store *s, struct sl_store *from, struct sl_store_merge *count,
		    GError **error);

#endif
