/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Reading all rows in the order of the file: checking and hashing result files.
 * Invariant: no row lies between the cells `after` and `cell` of a struct sl_rows, so
 * that a visitor of ascending cells goes through the table once, whatever cells it leaves
 * out, and any other order costs a search per cell. */
#include "sim/batch/store_sql.h"

#include <string.h>

#include "sim/batch/digest.h"

/* --- Rows ------------------------------------------------------------------------------ */

void sl_rows_init(struct sl_rows *r, struct sl_store *s, enum sl_sql which)
{
	*r = (struct sl_rows){ .s = s, .which = which, .after = INT64_MAX };
}

/* One row on; r->cell is then the cell it belongs to. */
static void step(struct sl_rows *r)
{
	int result = sqlite3_step(r->st);

	r->failed = result != SQLITE_ROW && result != SQLITE_DONE;
	r->cell = result == SQLITE_ROW ? sqlite3_column_int64(r->st, 0) : INT64_MAX;
}

bool sl_rows_find(struct sl_rows *r, int64_t cell, GError **error)
{
	if (cell <= r->after || cell > r->cell) {
		r->st = sl_sql(r->s, r->which, error);
		r->failed = !r->st;
		if (!r->st)
			return false;
		sl_sql_bind(r->st, "i", cell);
		step(r);
		r->after = cell - 1;
	}
	if (r->failed)
		sl_sql_fail(r->s, error);
	return !r->failed && r->cell == cell;
}

bool sl_rows_next(struct sl_rows *r, GError **error)
{
	int64_t cell = r->cell;

	step(r);
	if (r->cell != cell)
		r->after = cell;
	if (r->failed)
		sl_sql_fail(r->s, error);
	return !r->failed && r->cell == cell;
}

bool sl_rows_end(struct sl_rows *r)
{
	if (r->st)
		sqlite3_reset(r->st);
	r->after = INT64_MAX;
	return !r->failed;
}

/* --- Checking -------------------------------------------------------------------------- */

static bool page_check(struct sl_store *s, GError **error)
{
	sqlite3_stmt *st;
	bool ok = false;

	if (sqlite3_prepare_v2(s->db, "PRAGMA quick_check(1)", -1, &st, NULL) != SQLITE_OK)
		return sl_sql_fail(s, error);
	if (sqlite3_step(st) != SQLITE_ROW)
		sl_sql_fail(s, error);
	else if (!(ok = strcmp((const char *)sqlite3_column_text(st, 0), "ok") == 0))
		g_set_error(
			error, SL_STORE_ERROR, SL_STORE_ERROR_DAMAGED,
			"%s: the file is damaged (%.120s); \"schedlab sweep merge -o NEW FILE\" "
			"saves the rows that are whole",
			s->path, (const char *)sqlite3_column_text(st, 0));
	sqlite3_finalize(st);
	return ok;
}

/* Rows of one cell with a wrong checksum are added to *wrong. */
static bool check_cell(struct sl_rows *r, int64_t id, const char *hash, uint64_t *wrong,
		       GError **error)
{
	struct sl_store_run run;
	int64_t sum;

	for (bool on = sl_rows_find(r, id, error); on; on = sl_rows_next(r, error)) {
		sl_store_read_run(r->s, r->st, &run, &sum);
		*wrong += sl_store_sum(r->s, hash, &run) != sum;
	}
	return !r->failed;
}

static bool check_rows(struct sl_store *s, uint64_t *wrong, GError **error)
{
	sqlite3_stmt *st = sl_sql(s, SL_SQL_HASHES, error);
	struct sl_rows rows;
	int result = SQLITE_DONE;
	bool ok = true;

	if (!st)
		return false;
	sl_rows_init(&rows, s, SL_SQL_ALL_RUNS);
	while (ok && (result = sqlite3_step(st)) == SQLITE_ROW) {
		const char *hash = (const char *)sqlite3_column_text(st, 1);

		ok = check_cell(&rows, sqlite3_column_int64(st, 0), hash, wrong, error);
	}
	ok = ok && (result == SQLITE_DONE || sl_sql_fail(s, error));
	sqlite3_reset(st);
	return sl_rows_end(&rows) && ok;
}

bool sl_store_check(struct sl_store *s, GError **error)
{
	uint64_t wrong = 0;

	if (!page_check(s, error) || !check_rows(s, &wrong, error))
		return false;
	if (wrong == 0)
		return true;
	g_set_error(error, SL_STORE_ERROR, SL_STORE_ERROR_DAMAGED,
		    "%s: %" G_GUINT64_FORMAT
		    " rows have a wrong checksum; \"schedlab sweep merge -o "
		    "NEW FILE\" saves the others",
		    s->path, (guint64)wrong);
	return false;
}

/* --- Content --------------------------------------------------------------------------- */

struct named {
	char hash[SL_DIGEST_CHARS + 1];
	uint32_t n; /* rows */
	uint64_t rows;
};

GArray *sl_store_content_new(void)
{
	return g_array_new(FALSE, FALSE, sizeof(struct named));
}

void sl_store_content_add(GArray *content, const struct sl_store_member *m)
{
	struct named n = { .n = m->done, .rows = m->rows };

	g_strlcpy(n.hash, m->cell.hash, sizeof(n.hash));
	g_array_append_val(content, n);
}

static int by_hash(const void *a, const void *b)
{
	return strcmp(((const struct named *)a)->hash, ((const struct named *)b)->hash);
}

char *sl_store_content_end(GArray *content)
{
	struct sl_hasher h;

	qsort(content->data, content->len, sizeof(struct named), by_hash);
	sl_hasher_init(&h, "content/2");
	for (guint i = 0; i < content->len; i++) {
		const struct named *n = &g_array_index(content, struct named, i);

		sl_hasher_text(&h, n->hash);
		sl_hasher_u64(&h, n->n);
		sl_hasher_u64(&h, n->rows);
	}
	g_array_unref(content);
	return sl_hasher_end(&h);
}
