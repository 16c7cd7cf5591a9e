/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Joining result files.
 * Invariant: a row enters a file by merging only when its checksum, which covers the
 * hash of its cell, is right. Of a damaged file, cells are asked for one by one where
 * reading on fails, so that one bad page costs no more than what lies on it. */
#include "sim/batch/store_sql.h"

#include <string.h>

#include <glib/gstdio.h>

static int64_t file_size(struct sl_store *s)
{
	GStatBuf st;

	return g_stat(s->path, &st) == 0 ? (int64_t)st.st_size : 0;
}

/* No row takes fewer bytes. */
#define ROW_LEAST 16
/* How far to look on behind what cannot be read. */
#define MISSES_MOST 1000

struct merge {
	struct sl_store *to, *from;
	struct sl_store_merge *count;
	GError **error;
	bool damaged;	    /* the source: only what has a right checksum is believed */
	uint64_t rows_left; /* more than fit into the source: its pages run in circles */
	struct sl_store_cell cell;
	struct sl_rows rows;	/* of the source, when it is not damaged */
	int64_t from_id, to_id; /* to_id -1: not looked for yet */
};

static bool need_cell(struct merge *m)
{
	bool is_new;

	if (m->to_id >= 0)
		return true;
	/* The plans, which came before, have the newest spelling. */
	if (!sl_store_find_cell(m->to, m->cell.hash, &m->to_id, m->error))
		return false;
	if (m->to_id >= 0)
		return true;
	if (!sl_store_put_cell(m->to, &m->cell, &m->to_id, &is_new, m->error))
		return false;
	m->count->cells += is_new;
	return true;
}

/* Copies one row that stands in `st`; false: stop. */
static bool copy_row(struct merge *m, sqlite3_stmt *st)
{
	struct sl_store_run run;
	int64_t sum;
	bool is_new;

	sl_store_read_run(m->from, st, &run, &sum);
	if (sl_store_sum(m->from, m->cell.hash, &run) != sum) {
		m->count->lost++;
		return true;
	}
	if (!need_cell(m))
		return false;
	run.cell = m->to_id;
	if (!sl_store_put_run(m->to, m->cell.hash, &run, &is_new, m->error))
		return false;
	if (is_new)
		m->count->runs++;
	else
		m->count->twice++;
	return true;
}

/* Reading on from row `next` failed: tries runs one by one. */
static bool copy_singly(struct merge *m, int64_t next)
{
	for (uint32_t misses = 0; misses < MISSES_MOST; next++) {
		sqlite3_stmt *st = sl_sql(m->from, SL_SQL_RUN, NULL);
		int result = SQLITE_ERROR;
		bool ok = true;

		if (st) {
			sl_sql_bind(st, "ii", m->from_id, next);
			result = sqlite3_step(st);
			if (result == SQLITE_ROW)
				ok = copy_row(m, st);
			sqlite3_reset(st);
		}
		misses = result == SQLITE_ROW ? 0 : misses + 1;
		if (!ok)
			return false;
	}
	return true;
}

static bool copy_runs(struct merge *m)
{
	sqlite3_stmt *st = sl_sql(m->from, SL_SQL_RUNS, NULL);
	int64_t next = 0;
	bool ok = true;
	int result = SQLITE_ERROR;

	if (st) {
		sl_sql_bind(st, "ii", m->from_id, (int64_t)0);
		while (ok && m->rows_left && (result = sqlite3_step(st)) == SQLITE_ROW) {
			m->rows_left--;
			next = sqlite3_column_int64(st, 1) + 1;
			ok = copy_row(m, st);
		}
		sqlite3_reset(st);
	}
	if (!ok || result == SQLITE_DONE)
		return ok;
	m->count->lost++;
	return copy_singly(m, next);
}

/* The same of a file that is not damaged. */
static bool copy_on(struct merge *m)
{
	struct sl_rows *r = &m->rows;
	bool ok = true;

	for (bool on = sl_rows_find(r, m->from_id, m->error); on && ok;
	     on = ok && sl_rows_next(r, m->error))
		ok = copy_row(m, r->st);
	return ok && !r->failed;
}

/* The row `st` stands on is a cell of the source. A cell without rows is left to plans. */
static bool copy_cell(struct merge *m, sqlite3_stmt *st)
{
	memset(&m->cell, 0, sizeof(m->cell));
	sl_store_read_cell(st, 0, &m->from_id, &m->cell);
	m->to_id = -1;
	return m->damaged ? copy_runs(m) : copy_on(m);
}

/* A number that a statement without arguments gives; 0 when it cannot be had. */
static int64_t ask_number(struct sl_store *s, enum sl_sql which)
{
	sqlite3_stmt *st = sl_sql(s, which, NULL);
	int64_t number = 0;

	if (st && sqlite3_step(st) == SQLITE_ROW)
		number = sqlite3_column_int64(st, 0);
	if (st)
		sqlite3_reset(st);
	return number;
}

/* Reading on behind cell m->from_id failed: asks for each by its id. */
static bool copy_cells_singly(struct merge *m)
{
	int64_t last = ask_number(m->from, SL_SQL_MOST_CELL), id = m->from_id + 1;
	bool ok = true;

	m->count->lost++;
	for (uint32_t misses = 0; id <= last && misses < MISSES_MOST && ok; id++) {
		sqlite3_stmt *st = sl_sql(m->from, SL_SQL_CELL, NULL);

		misses++;
		if (!st)
			continue;
		sl_sql_bind(st, "i", id);
		if (sqlite3_step(st) == SQLITE_ROW) {
			misses = 0;
			ok = copy_cell(m, st);
		}
		sqlite3_reset(st);
	}
	return ok;
}

static bool copy_cells(struct merge *m)
{
	sqlite3_stmt *st = sl_sql(m->from, SL_SQL_CELLS, NULL);
	bool ok = true;
	int result = SQLITE_ERROR;

	sl_rows_init(&m->rows, m->from, SL_SQL_ALL_RUNS);
	while (ok && st && m->rows_left && (result = sqlite3_step(st)) == SQLITE_ROW) {
		m->rows_left--;
		ok = copy_cell(m, st);
	}
	sl_rows_end(&m->rows);
	if (st)
		sqlite3_reset(st);
	return ok && (result == SQLITE_DONE || copy_cells_singly(m));
}

struct planned {
	struct merge *m;
	bool ok;
};

static bool copy_block(const struct sl_store_block *b, void *ctx)
{
	struct planned *p = ctx;

	p->ok = sl_store_plan_block(p->m->to, p->m->to->place++, b, p->m->error);
	return p->ok;
}

static bool copy_member(const struct sl_store_member *member, void *ctx)
{
	struct planned *p = ctx;

	p->ok = sl_store_plan_cell(p->m->to, &member->cell, p->m->error);
	return p->ok;
}

static bool copy_sweep(struct merge *m, const char *name)
{
	sqlite3_stmt *st = sl_sql(m->from, SL_SQL_FIND_SWEEP, m->error);
	struct planned p = { .m = m, .ok = true };
	int64_t id;
	bool ok;

	if (!st)
		return false;
	sl_sql_bind(st, "t", name);
	if (sqlite3_step(st) != SQLITE_ROW) {
		sqlite3_reset(st);
		return sl_sql_fail(m->from, m->error);
	}
	id = sqlite3_column_int64(st, 0);
	ok = sl_sql_do(m->to, SL_SQL_ADD_SWEEP, m->error, "ttt", name, sqlite3_column_text(st, 1),
		       sqlite3_column_text(st, 2));
	sqlite3_reset(st);
	m->to->sweep = sqlite3_last_insert_rowid(m->to->db);
	m->to->place = 0;
	ok = ok && sl_store_each_block(m->from, id, copy_block, &p, m->error) && p.ok;
	m->to->place = 0;
	return ok && sl_store_each_member(m->from, id, false, copy_member, &p, m->error) && p.ok;
}

/* Plans of the same name have to be the same, or the joined file would be neither's. */
static bool same_plan(struct merge *m, const char *name, bool *has)
{
	sqlite3_stmt *a = sl_sql(m->to, SL_SQL_FIND_SWEEP, m->error);
	sqlite3_stmt *b = sl_sql(m->from, SL_SQL_FIND_SWEEP, m->error);
	bool same = true;

	if (!a || !b)
		return false;
	sl_sql_bind(a, "t", name);
	sl_sql_bind(b, "t", name);
	*has = sqlite3_step(a) == SQLITE_ROW;
	if (*has && sqlite3_step(b) == SQLITE_ROW)
		same = g_strcmp0((const char *)sqlite3_column_text(a, 1),
				 (const char *)sqlite3_column_text(b, 1)) == 0;
	sqlite3_reset(a);
	sqlite3_reset(b);
	if (!same)
		g_set_error(m->error, SL_STORE_ERROR, SL_STORE_ERROR_OPEN,
			    "%s: its sweep \"%s\" has another plan than that of the files before",
			    m->from->path, name);
	return same;
}

static bool copy_sweeps(struct merge *m)
{
	char **names = sl_store_sweeps(m->from, m->error);
	bool ok = names != NULL, has;

	for (char **name = names; ok && *name; name++) {
		ok = same_plan(m, *name, &has);
		if (ok && !has)
			ok = copy_sweep(m, *name);
	}
	g_strfreev(names);
	return ok;
}

bool sl_store_merge(struct sl_store *s, struct sl_store *from, struct sl_store_merge *count,
		    GError **error)
{
	struct merge m = { .to = s, .from = from, .count = count, .error = error };
	bool ok;

	memset(count, 0, sizeof(*count));
	m.damaged = !sl_store_check(from, NULL);
	m.rows_left = m.damaged ? (uint64_t)MAX(file_size(from), 0) / ROW_LEAST : UINT64_MAX;
	if (!sl_sql_do(s, SL_SQL_BEGIN, error, ""))
		return false;
	/* Sweeps first: a joined file then has the ids of its parts. A plan has no
	 * checksum, so that of a damaged file is not believed. */
	ok = (m.damaged || copy_sweeps(&m)) && copy_cells(&m) &&
	     sl_sql_do(s, SL_SQL_COMMIT, error, "");
	count->damaged = m.damaged;
	if (!ok)
		sl_store_plan_cancel(s);
	return ok;
}
