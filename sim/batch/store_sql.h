/* SPDX-License-Identifier: BSD-2-Clause
 *
 * What the files of the store share: statements by name, and errors of SQLite. */
#ifndef SL_STORE_SQL_H
#define SL_STORE_SQL_H

#include <sqlite3.h>

#include "sim/batch/store.h"

enum sl_sql {
	SL_SQL_BEGIN,
	SL_SQL_COMMIT,
	SL_SQL_ROLLBACK,
	SL_SQL_ADD_INPUT,
	SL_SQL_FIND_INPUT,
	SL_SQL_FIND_CELL,
	SL_SQL_ADD_CELL,
	SL_SQL_SET_CELL,
	SL_SQL_FIND_SWEEP,
	SL_SQL_ADD_SWEEP,
	SL_SQL_DROP_MEMBERS,
	SL_SQL_DROP_BLOCKS,
	SL_SQL_DROP_SWEEP,
	SL_SQL_ADD_BLOCK,
	SL_SQL_ADD_MEMBER,
	SL_SQL_SWEEPS,
	SL_SQL_BLOCKS,
	SL_SQL_MEMBERS,
	SL_SQL_SET_RUNS,
	SL_SQL_RUNS,
	SL_SQL_ALL_RUNS,
	SL_SQL_ALL_SUMS,
	SL_SQL_RUN,
	SL_SQL_HAS_RUN,
	SL_SQL_ADD_RUN,
	SL_SQL_ADD_RUNNER,
	SL_SQL_ADD_SESSION,
	SL_SQL_END_SESSION,
	SL_SQL_RENEW,
	SL_SQL_RUNNERS,
	SL_SQL_DROP_RUNNER,
	SL_SQL_DROP_CLAIMS,
	SL_SQL_ADD_CLAIM,
	SL_SQL_DROP_CLAIM,
	SL_SQL_HASH,
	SL_SQL_HASHES,
	SL_SQL_CELLS,
	SL_SQL_CELL,
	SL_SQL_MOST_CELL,
	SL_SQL_COUNT
};

/* The last input of a kind that was asked for; spec NULL: none yet. */
struct sl_last_input {
	GString *spec, *digest;
	int64_t id;
};

struct sl_store {
	char *path;
	struct sl_store_shape shape;
	bool creates; /* opened to be made when missing */
	sqlite3 *db;
	sqlite3_stmt *statement[SL_SQL_COUNT]; /* prepared when first needed */
	char *metric_list;		       /* "real, user, ..." as columns */
	/* Of the plan being made. */
	GHashTable *input; /* "kind spec digest" -> id, all kinds but workloads */
	struct sl_last_input last[SL_INPUT_KINDS];
	int64_t sweep;
	uint32_t place;
	/* Of the runner. */
	int64_t runner, session;
	uint64_t added;
	int64_t joined_at;
	double *value; /* n_metrics, of the row being read */
};

/* The statement, reset and ready to be bound; NULL with an error. */
sqlite3_stmt *sl_sql(struct sl_store *s, enum sl_sql which, GError **error);
/* Binds one argument per character of `types`: i int64_t, t text (copied), T text or NULL. */
void sl_sql_bind(sqlite3_stmt *st, const char *types, ...);
/* Runs a statement that gives no rows. */
bool sl_sql_do(struct sl_store *s, enum sl_sql which, GError **error, const char *types, ...);
/* Sets the error that belongs to SQLite's last result; returns false. */
bool sl_sql_fail(struct sl_store *s, GError **error);
bool sl_sql_exec(struct sl_store *s, const char *text, GError **error);

/* Checksum of a row; covers the cell's hash. */
int64_t sl_store_sum(const struct sl_store *s, const char *hash, const struct sl_store_run *run);
/* Reads the row a statement of columns cell, run, seed, outcome, fault, digest, sum,
 * metrics... stands on, into run (values into s->value). *sum is the stored one. */
void sl_store_read_run(struct sl_store *s, sqlite3_stmt *st, struct sl_store_run *run,
		       int64_t *sum);
/* Adds one row within a transaction; false with an error when it is there and differs.
 * *is_new says whether it was not there. */
bool sl_store_put_run(struct sl_store *s, const char *hash, const struct sl_store_run *run,
		      bool *is_new, GError **error);
/* The id of the cell with this hash, -1 when there is none. False with an error. */
bool sl_store_find_cell(struct sl_store *s, const char *hash, int64_t *id, GError **error);
/* Adds or finds a cell. */
bool sl_store_put_cell(struct sl_store *s, const struct sl_store_cell *c, int64_t *id, bool *is_new,
		       GError **error);
/* Columns of SL_SQL_MEMBERS and SL_SQL_CELLS from the cell's id on. */
void sl_store_read_cell(sqlite3_stmt *st, int column, int64_t *id, struct sl_store_cell *c);

/* Goes through the rows of many cells: SL_SQL_ALL_RUNS or SL_SQL_ALL_SUMS. O(1) a row when
 * the cells asked for ascend by id, and a search besides when they do not. */
struct sl_rows {
	struct sl_store *s;
	enum sl_sql which;
	sqlite3_stmt *st;    /* stands on a row of `cell` */
	int64_t after, cell; /* no row in between; `cell` INT64_MAX: at the end */
	bool failed;
};
void sl_rows_init(struct sl_rows *r, struct sl_store *s, enum sl_sql which);
/* Whether r->st stands on the first row of this cell; false with r->failed: an error. */
bool sl_rows_find(struct sl_rows *r, int64_t cell, GError **error);
/* Whether r->st stands on a further row of that cell. */
bool sl_rows_next(struct sl_rows *r, GError **error);
/* False: something failed. */
bool sl_rows_end(struct sl_rows *r);

#endif
