/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Plans in the result file: cells, inputs, the members of a sweep.
 * Invariant: a sweep's plan is replaced as a whole; cells and runs are never removed. */
#include "sim/batch/store_sql.h"

#include <string.h>

#include "sim/base/rng.h"

static int64_t ask_input(struct sl_store *s, int64_t kind, const char *spec, const char *digest,
			 GError **error)
{
	sqlite3_stmt *st;
	int64_t id = -1;

	if (!sl_sql_do(s, SL_SQL_ADD_INPUT, error, "itt", kind, spec, digest))
		return -1;
	if (sqlite3_changes(s->db) > 0)
		return sqlite3_last_insert_rowid(s->db);
	st = sl_sql(s, SL_SQL_FIND_INPUT, error);
	if (!st)
		return -1;
	sl_sql_bind(st, "itt", kind, spec, digest);
	if (sqlite3_step(st) == SQLITE_ROW)
		id = sqlite3_column_int64(st, 0);
	else
		sl_sql_fail(s, error);
	sqlite3_reset(st);
	return id;
}

/* The id of an input that was not the last of its kind, added when it is new. There may be a
 * million workloads, each used by one group of cells: these are not kept. */
static int64_t look_up_input(struct sl_store *s, enum sl_input_kind kind, const char *spec,
			     const char *digest, GError **error)
{
	char *key = NULL;
	const int64_t *known = NULL;
	int64_t id, *boxed;

	if (kind != SL_INPUT_WORKLOAD) {
		key = g_strdup_printf("%d %s %s", (int)kind, digest, spec);
		known = g_hash_table_lookup(s->input, key);
	}
	id = known ? *known : ask_input(s, kind, spec, digest, error);
	if (key && !known && id >= 0) {
		boxed = g_new(int64_t, 1);
		*boxed = id;
		g_hash_table_insert(s->input, g_steal_pointer(&key), boxed);
	}
	g_free(key);
	return id;
}

/* The id of an input. Neighbours share most of theirs. */
static int64_t input_id(struct sl_store *s, enum sl_input_kind kind, const char *spec,
			const char *digest, GError **error)
{
	struct sl_last_input *last = &s->last[kind];

	if (last->spec && strcmp(last->spec->str, spec) == 0 &&
	    strcmp(last->digest->str, digest) == 0)
		return last->id;
	last->id = look_up_input(s, kind, spec, digest, error);
	if (!last->spec) {
		last->spec = g_string_new(NULL);
		last->digest = g_string_new(NULL);
	}
	g_string_assign(last->spec, last->id < 0 ? "" : spec);
	g_string_assign(last->digest, last->id < 0 ? "" : digest);
	return last->id;
}

bool sl_store_find_cell(struct sl_store *s, const char *hash, int64_t *id, GError **error)
{
	sqlite3_stmt *st = sl_sql(s, SL_SQL_FIND_CELL, error);
	int result;

	*id = -1;
	if (!st)
		return false;
	sl_sql_bind(st, "t", hash);
	result = sqlite3_step(st);
	if (result == SQLITE_ROW)
		*id = sqlite3_column_int64(st, 0);
	else if (result != SQLITE_DONE)
		sl_sql_fail(s, error);
	sqlite3_reset(st);
	return result == SQLITE_ROW || result == SQLITE_DONE;
}

bool sl_store_put_cell(struct sl_store *s, const struct sl_store_cell *c, int64_t *id, bool *is_new,
		       GError **error)
{
	int64_t input[SL_INPUT_KINDS];

	if (!sl_store_find_cell(s, c->hash, id, error))
		return false;
	*is_new = *id < 0;
	for (int i = 0; i < SL_INPUT_KINDS; i++) {
		input[i] = input_id(s, (enum sl_input_kind)i, c->spec[i], c->digest[i], error);
		if (input[i] < 0)
			return false;
	}
	/* The same inputs may be spelled otherwise: the last spelling stays. */
	if (!*is_new)
		return sl_sql_do(s, SL_SQL_SET_CELL, error, "iiiititi", input[SL_INPUT_TOPOLOGY],
				 input[SL_INPUT_COSTS], input[SL_INPUT_POLICY],
				 input[SL_INPUT_WORKLOAD], c->cpuset, (int64_t)c->seed, c->until,
				 *id);
	if (!sl_sql_do(s, SL_SQL_ADD_CELL, error, "tiiiitit", c->hash, input[SL_INPUT_TOPOLOGY],
		       input[SL_INPUT_COSTS], input[SL_INPUT_POLICY], input[SL_INPUT_WORKLOAD],
		       c->cpuset, (int64_t)c->seed, c->until))
		return false;
	*id = sqlite3_last_insert_rowid(s->db);
	return true;
}

/* A plan of that name: 1 with its id and whether it is the same, 0 none, -1 error. */
static int look_up(struct sl_store *s, const char *name, const char *digest, int64_t *id,
		   bool *same, GError **error)
{
	sqlite3_stmt *st = sl_sql(s, SL_SQL_FIND_SWEEP, error);
	int result;

	*same = false;
	if (!st)
		return -1;
	sl_sql_bind(st, "t", name);
	result = sqlite3_step(st);
	if (result == SQLITE_ROW) {
		*id = sqlite3_column_int64(st, 0);
		*same = g_strcmp0((const char *)sqlite3_column_text(st, 1), digest) == 0;
	} else if (result != SQLITE_DONE) {
		sl_sql_fail(s, error);
	}
	sqlite3_reset(st);
	return result == SQLITE_ROW ? 1 : result == SQLITE_DONE ? 0 : -1;
}

bool sl_store_plan_begin(struct sl_store *s, const char *name, const char *digest, const char *file,
			 bool *same, GError **error)
{
	int64_t old = 0;
	int found;

	if (!sl_sql_do(s, SL_SQL_BEGIN, error, ""))
		return false;
	found = look_up(s, name, digest, &old, same, error);
	if (found >= 0 && *same) {
		sl_store_plan_cancel(s);
		return true;
	}
	if (found < 0 ||
	    (found > 0 && !(sl_sql_do(s, SL_SQL_DROP_MEMBERS, error, "i", old) &&
			    sl_sql_do(s, SL_SQL_DROP_BLOCKS, error, "i", old) &&
			    sl_sql_do(s, SL_SQL_DROP_SWEEP, error, "i", old))) ||
	    !sl_sql_do(s, SL_SQL_ADD_SWEEP, error, "ttt", name, digest, file)) {
		sl_store_plan_cancel(s);
		return false;
	}
	s->sweep = sqlite3_last_insert_rowid(s->db);
	s->place = 0;
	return true;
}

bool sl_store_plan_block(struct sl_store *s, uint32_t index, const struct sl_store_block *b,
			 GError **error)
{
	return sl_sql_do(s, SL_SQL_ADD_BLOCK, error, "iittti", s->sweep, (int64_t)index, b->name,
			 b->metrics, b->params, (int64_t)b->discard);
}

bool sl_store_plan_cell(struct sl_store *s, const struct sl_store_cell *c, GError **error)
{
	int64_t id;
	bool is_new;

	return sl_store_put_cell(s, c, &id, &is_new, error) &&
	       sl_sql_do(s, SL_SQL_ADD_MEMBER, error, "iiiiiit", s->sweep, (int64_t)s->place++, id,
			 (int64_t)c->block, (int64_t)c->group, (int64_t)c->runs, c->param);
}

bool sl_store_plan_end(struct sl_store *s, GError **error)
{
	if (sl_sql_do(s, SL_SQL_COMMIT, error, ""))
		return true;
	sl_store_plan_cancel(s);
	return false;
}

void sl_store_plan_cancel(struct sl_store *s)
{
	sl_sql_do(s, SL_SQL_ROLLBACK, NULL, "");
}

char **sl_store_sweeps(struct sl_store *s, GError **error)
{
	sqlite3_stmt *st = sl_sql(s, SL_SQL_SWEEPS, error);
	GPtrArray *names;
	int result;

	if (!st)
		return NULL;
	names = g_ptr_array_new();
	while ((result = sqlite3_step(st)) == SQLITE_ROW)
		g_ptr_array_add(names, g_strdup((const char *)sqlite3_column_text(st, 0)));
	if (result != SQLITE_DONE)
		sl_sql_fail(s, error);
	sqlite3_reset(st);
	g_ptr_array_add(names, NULL);
	if (result == SQLITE_DONE)
		return (char **)g_ptr_array_free(names, FALSE);
	g_strfreev((char **)g_ptr_array_free(names, FALSE));
	return NULL;
}

int64_t sl_store_find_sweep(struct sl_store *s, const char *name, char **file, GError **error)
{
	sqlite3_stmt *st = sl_sql(s, SL_SQL_FIND_SWEEP, error);
	int64_t id = -1;
	int result;

	if (!st)
		return -1;
	sl_sql_bind(st, "t", name);
	result = sqlite3_step(st);
	if (result == SQLITE_ROW) {
		id = sqlite3_column_int64(st, 0);
		if (file)
			*file = g_strdup((const char *)sqlite3_column_text(st, 2));
	} else if (result == SQLITE_DONE) {
		g_set_error(error, SL_STORE_ERROR, SL_STORE_ERROR_OPEN,
			    "%s: holds no sweep called \"%s\"", s->path, name);
	} else {
		sl_sql_fail(s, error);
	}
	sqlite3_reset(st);
	return id;
}

bool sl_store_each_block(struct sl_store *s, int64_t sweep,
			 bool (*visit)(const struct sl_store_block *b, void *ctx), void *ctx,
			 GError **error)
{
	sqlite3_stmt *st = sl_sql(s, SL_SQL_BLOCKS, error);
	int result;

	if (!st)
		return false;
	sl_sql_bind(st, "i", sweep);
	while ((result = sqlite3_step(st)) == SQLITE_ROW) {
		const struct sl_store_block b = {
			.name = (const char *)sqlite3_column_text(st, 0),
			.metrics = (const char *)sqlite3_column_text(st, 1),
			.params = (const char *)sqlite3_column_text(st, 2),
			.discard = (uint32_t)sqlite3_column_int64(st, 3),
		};

		if (!visit(&b, ctx))
			break;
	}
	if (result != SQLITE_DONE && result != SQLITE_ROW)
		sl_sql_fail(s, error);
	sqlite3_reset(st);
	return result == SQLITE_DONE || result == SQLITE_ROW;
}

void sl_store_read_cell(sqlite3_stmt *st, int column, int64_t *id, struct sl_store_cell *c)
{
	*id = sqlite3_column_int64(st, column++);
	c->hash = (const char *)sqlite3_column_text(st, column++);
	for (int i = 0; i < SL_INPUT_KINDS; i++) {
		c->spec[i] = (const char *)sqlite3_column_text(st, column++);
		c->digest[i] = (const char *)sqlite3_column_text(st, column++);
	}
	c->cpuset = (const char *)sqlite3_column_text(st, column++);
	c->seed = (uint64_t)sqlite3_column_int64(st, column++);
	c->until = (const char *)sqlite3_column_text(st, column++);
}

static bool count_runs(struct sl_rows *rows, struct sl_store_member *m, GError **error)
{
	for (bool on = sl_rows_find(rows, m->id, error); on; on = sl_rows_next(rows, error)) {
		uint64_t run = (uint64_t)sqlite3_column_int64(rows->st, 1);
		const char *outcome = (const char *)sqlite3_column_text(rows->st, 2);

		if (run >= m->cell.runs)
			continue;
		m->done++;
		m->failed += !outcome || !sl_store_outcome_good(outcome);
		m->rows = sl_rng_mix(m->rows ^ run);
		m->rows = sl_rng_mix(m->rows ^ (uint64_t)sqlite3_column_int64(rows->st, 3));
	}
	return !rows->failed;
}

static void read_member(sqlite3_stmt *st, struct sl_store_member *m)
{
	m->place = (uint32_t)sqlite3_column_int64(st, 0);
	m->cell.block = (uint32_t)sqlite3_column_int64(st, 1);
	m->cell.group = (uint32_t)sqlite3_column_int64(st, 2);
	m->cell.runs = (uint32_t)sqlite3_column_int64(st, 3);
	m->cell.param = (const char *)sqlite3_column_text(st, 4);
	sl_store_read_cell(st, 5, &m->id, &m->cell);
}

bool sl_store_each_member(struct sl_store *s, int64_t sweep, bool counts,
			  bool (*visit)(const struct sl_store_member *m, void *ctx), void *ctx,
			  GError **error)
{
	sqlite3_stmt *st = sl_sql(s, SL_SQL_MEMBERS, error);
	struct sl_rows rows;
	bool go = true, ok = true;
	int result;

	if (!st)
		return false;
	sl_rows_init(&rows, s, SL_SQL_ALL_SUMS);
	sl_sql_bind(st, "i", sweep);
	while (go && (result = sqlite3_step(st)) != SQLITE_DONE) {
		struct sl_store_member m = { 0 };

		ok = result == SQLITE_ROW || sl_sql_fail(s, error);
		if (ok) {
			read_member(st, &m);
			ok = !counts || count_runs(&rows, &m, error);
		}
		go = ok && visit(&m, ctx);
	}
	sqlite3_reset(st);
	sl_rows_end(&rows);
	return ok;
}

bool sl_store_set_runs(struct sl_store *s, int64_t sweep, uint32_t place, uint32_t runs,
		       GError **error)
{
	return sl_sql_do(s, SL_SQL_SET_RUNS, error, "iii", (int64_t)runs, sweep, (int64_t)place);
}
