/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Rows of runs, and who works on which.
 * Invariant: a run is claimed by at most one living runner; a claim is dropped in the
 * transaction that adds its row. Doing a run twice is harmless: the second row has to be
 * equal. */
#define _POSIX_C_SOURCE 200809L

#include "sim/batch/store_sql.h"

#include <errno.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

#include "sim/base/rng.h"

/* A runner renews its lease well before it ends. */
#define LEASE_US (30 * G_TIME_SPAN_SECOND)

bool sl_store_outcome_good(const char *outcome)
{
	return strcmp(outcome, "done") == 0 || strcmp(outcome, "until") == 0;
}

static uint64_t mix_text(uint64_t h, const char *text)
{
	for (; text && *text; text++)
		h = sl_rng_mix(h ^ (unsigned char)*text);
	return sl_rng_mix(h ^ (text ? 1 : 2));
}

int64_t sl_store_sum(const struct sl_store *s, const char *hash, const struct sl_store_run *run)
{
	uint64_t h = mix_text(0, hash);

	h = sl_rng_mix(h ^ run->run);
	h = sl_rng_mix(h ^ run->seed);
	h = mix_text(h, run->outcome);
	h = mix_text(h, run->fault);
	h = sl_rng_mix(h ^ run->digest);
	for (uint32_t i = 0; i < s->shape.n_metrics; i++) {
		uint64_t bits;
		double value = run->value[i] + 0.0; /* -0 comes back from the file as 0 */

		memcpy(&bits, &value, sizeof(bits));
		h = sl_rng_mix(h ^ bits);
	}
	return (int64_t)h;
}

void sl_store_read_run(struct sl_store *s, sqlite3_stmt *st, struct sl_store_run *run, int64_t *sum)
{
	const char *digest = (const char *)sqlite3_column_text(st, 5);

	run->cell = sqlite3_column_int64(st, 0);
	run->run = (uint32_t)sqlite3_column_int64(st, 1);
	run->seed = (uint64_t)sqlite3_column_int64(st, 2);
	run->outcome = (const char *)sqlite3_column_text(st, 3);
	run->fault = (const char *)sqlite3_column_text(st, 4);
	run->digest = digest ? g_ascii_strtoull(digest, NULL, 16) : 0;
	*sum = sqlite3_column_int64(st, 6);
	for (uint32_t i = 0; i < s->shape.n_metrics; i++)
		s->value[i] = sqlite3_column_double(st, 7 + (int)i);
	run->value = s->value;
	if (!run->outcome)
		run->outcome = "";
}

bool sl_store_each_run(struct sl_store *s, int64_t cell, uint32_t first,
		       bool (*visit)(const struct sl_store_run *run, void *ctx), void *ctx,
		       GError **error)
{
	sqlite3_stmt *st = sl_sql(s, SL_SQL_RUNS, error);
	struct sl_store_run run;
	int64_t sum;
	int result;

	if (!st)
		return false;
	sl_sql_bind(st, "ii", cell, (int64_t)first);
	while ((result = sqlite3_step(st)) == SQLITE_ROW) {
		sl_store_read_run(s, st, &run, &sum);
		if (!visit(&run, ctx))
			break;
	}
	if (result != SQLITE_DONE && result != SQLITE_ROW)
		sl_sql_fail(s, error);
	sqlite3_reset(st);
	return result == SQLITE_DONE || result == SQLITE_ROW;
}

static bool renew(struct sl_store *s, GError **error)
{
	return sl_sql_do(s, SL_SQL_RENEW, error, "itii", s->runner, g_get_host_name(),
			 (int64_t)getpid(), (int64_t)g_get_real_time() + LEASE_US);
}

bool sl_store_join(struct sl_store *s, const char *version, const char *command, GError **error)
{
	s->added = 0;
	s->joined_at = g_get_monotonic_time();
	if (!sl_sql_do(s, SL_SQL_BEGIN, error, ""))
		return false;
	if (sl_sql_do(s, SL_SQL_ADD_RUNNER, error, "tii", g_get_host_name(), (int64_t)getpid(),
		      (int64_t)g_get_real_time() + LEASE_US)) {
		s->runner = sqlite3_last_insert_rowid(s->db);
		if (sl_sql_do(s, SL_SQL_ADD_SESSION, error, "ttt", g_get_host_name(), version,
			      command)) {
			s->session = sqlite3_last_insert_rowid(s->db);
			if (sl_sql_do(s, SL_SQL_COMMIT, error, ""))
				return true;
		}
	}
	sl_store_plan_cancel(s);
	return false;
}

bool sl_store_renew(struct sl_store *s, GError **error)
{
	return renew(s, error);
}

bool sl_store_leave(struct sl_store *s, GError **error)
{
	bool ok = sl_sql_do(s, SL_SQL_BEGIN, error, "") &&
		  sl_sql_do(s, SL_SQL_DROP_CLAIMS, error, "i", s->runner) &&
		  sl_sql_do(s, SL_SQL_DROP_RUNNER, error, "i", s->runner) &&
		  sl_sql_do(s, SL_SQL_END_SESSION, error, "iii", (int64_t)s->added,
			    (int64_t)(g_get_monotonic_time() - s->joined_at), s->session) &&
		  sl_sql_do(s, SL_SQL_COMMIT, error, "");

	if (!ok)
		sl_store_plan_cancel(s);
	return ok;
}

static bool gone(const char *host, int64_t pid, int64_t until)
{
	if (until < g_get_real_time())
		return true;
	return g_strcmp0(host, g_get_host_name()) == 0 && kill((pid_t)pid, 0) != 0 &&
	       errno == ESRCH;
}

/* Drops runners that are gone, with their claims. */
static bool bury(struct sl_store *s, GError **error)
{
	sqlite3_stmt *st = sl_sql(s, SL_SQL_RUNNERS, error);
	GArray *dead;
	int result;
	bool ok;

	if (!st)
		return false;
	dead = g_array_new(FALSE, FALSE, sizeof(int64_t));
	sl_sql_bind(st, "i", s->runner);
	while ((result = sqlite3_step(st)) == SQLITE_ROW) {
		int64_t id = sqlite3_column_int64(st, 0);

		if (gone((const char *)sqlite3_column_text(st, 1), sqlite3_column_int64(st, 2),
			 sqlite3_column_int64(st, 3)))
			g_array_append_val(dead, id);
	}
	ok = result == SQLITE_DONE || sl_sql_fail(s, error);
	sqlite3_reset(st);
	for (guint i = 0; i < dead->len && ok; i++) {
		int64_t id = g_array_index(dead, int64_t, i);

		ok = sl_sql_do(s, SL_SQL_DROP_CLAIMS, error, "i", id) &&
		     sl_sql_do(s, SL_SQL_DROP_RUNNER, error, "i", id);
	}
	g_array_unref(dead);
	return ok;
}

static bool claim_one(struct sl_store *s, const struct sl_store_job *job, enum sl_claim *what,
		      GError **error)
{
	sqlite3_stmt *st = sl_sql(s, SL_SQL_HAS_RUN, error);
	int result;

	if (!st)
		return false;
	sl_sql_bind(st, "ii", job->cell, (int64_t)job->run);
	result = sqlite3_step(st);
	if (result != SQLITE_ROW && result != SQLITE_DONE)
		sl_sql_fail(s, error);
	sqlite3_reset(st);
	if (result == SQLITE_ROW) {
		*what = SL_CLAIM_DONE;
		return true;
	}
	if (result != SQLITE_DONE ||
	    !sl_sql_do(s, SL_SQL_ADD_CLAIM, error, "iii", job->cell, (int64_t)job->run, s->runner))
		return false;
	*what = sqlite3_changes(s->db) ? SL_CLAIM_MINE : SL_CLAIM_OTHERS;
	return true;
}

uint32_t sl_store_claim(struct sl_store *s, const struct sl_store_job *job, uint32_t n,
			uint32_t want, enum sl_claim *what, GError **error)
{
	uint32_t i = 0, mine = 0;
	bool ok;

	/* A claim that a power failure takes back is no loss: no need to wait for the disk. */
	if (!sl_sql_exec(s, "PRAGMA synchronous = NORMAL", error) ||
	    !sl_sql_do(s, SL_SQL_BEGIN, error, ""))
		return 0;
	ok = bury(s, error) && renew(s, error);
	for (; i < n && mine < want && ok; i++) {
		ok = claim_one(s, &job[i], &what[i], error);
		mine += ok && what[i] == SL_CLAIM_MINE;
	}
	if (ok && sl_sql_do(s, SL_SQL_COMMIT, error, ""))
		return i;
	sl_store_plan_cancel(s);
	return 0;
}

bool sl_store_release(struct sl_store *s, const struct sl_store_job *job, uint32_t n,
		      GError **error)
{
	bool ok = sl_sql_exec(s, "PRAGMA synchronous = NORMAL", error) &&
		  sl_sql_do(s, SL_SQL_BEGIN, error, "");

	if (!ok)
		return false;
	for (uint32_t i = 0; i < n && ok; i++)
		ok = sl_sql_do(s, SL_SQL_DROP_CLAIM, error, "iii", job[i].cell, (int64_t)job[i].run,
			       s->runner);
	ok = ok && sl_sql_do(s, SL_SQL_COMMIT, error, "");
	if (!ok)
		sl_store_plan_cancel(s);
	return ok;
}

/* Whether the row that is in the file equals this one. */
static bool same_run(struct sl_store *s, int64_t sum, const struct sl_store_run *run,
		     const char *hash, GError **error)
{
	sqlite3_stmt *st = sl_sql(s, SL_SQL_RUN, error);
	struct sl_store_run old;
	int64_t old_sum = 0;
	bool ok = false;

	if (!st)
		return false;
	sl_sql_bind(st, "ii", run->cell, (int64_t)run->run);
	if (sqlite3_step(st) != SQLITE_ROW) {
		sl_sql_fail(s, error);
	} else {
		sl_store_read_run(s, st, &old, &old_sum);
		ok = old_sum == sum;
		if (!ok)
			g_set_error(error, SL_STORE_ERROR, SL_STORE_ERROR_DIFFERENT,
				    "%s: run %u of cell %s has two results (digests "
				    "%016" G_GINT64_MODIFIER "x and %016" G_GINT64_MODIFIER
				    "x): the programs that made them, or their inputs, differ",
				    s->path, run->run, hash, (guint64)old.digest,
				    (guint64)run->digest);
	}
	sqlite3_reset(st);
	return ok;
}

bool sl_store_put_run(struct sl_store *s, const char *hash, const struct sl_store_run *run,
		      bool *is_new, GError **error)
{
	sqlite3_stmt *st = sl_sql(s, SL_SQL_ADD_RUN, error);
	int64_t sum = sl_store_sum(s, hash, run);
	char digest[17];
	int result;

	if (!st)
		return false;
	g_snprintf(digest, sizeof(digest), "%016" G_GINT64_MODIFIER "x", (guint64)run->digest);
	sl_sql_bind(st, "iiitTti", run->cell, (int64_t)run->run, (int64_t)run->seed, run->outcome,
		    run->fault, digest, sum);
	for (uint32_t i = 0; i < s->shape.n_metrics; i++)
		sqlite3_bind_double(st, 8 + (int)i, run->value[i] + 0.0);
	result = sqlite3_step(st);
	*is_new = result == SQLITE_DONE && sqlite3_changes(s->db) > 0;
	if (result != SQLITE_DONE)
		sl_sql_fail(s, error);
	sqlite3_reset(st);
	return result == SQLITE_DONE && (*is_new || same_run(s, sum, run, hash, error));
}

static char *hash_of(struct sl_store *s, int64_t cell, GError **error)
{
	sqlite3_stmt *st = sl_sql(s, SL_SQL_HASH, error);
	char *hash = NULL;

	if (!st)
		return NULL;
	sl_sql_bind(st, "i", cell);
	if (sqlite3_step(st) == SQLITE_ROW)
		hash = g_strdup((const char *)sqlite3_column_text(st, 0));
	else
		sl_sql_fail(s, error);
	sqlite3_reset(st);
	return hash;
}

static bool add_one(struct sl_store *s, const struct sl_store_run *run, GError **error)
{
	char *hash = hash_of(s, run->cell, error);
	bool is_new = false;
	bool ok = hash && sl_store_put_run(s, hash, run, &is_new, error) &&
		  sl_sql_do(s, SL_SQL_DROP_CLAIM, error, "iii", run->cell, (int64_t)run->run,
			    s->runner);

	s->added += is_new;
	g_free(hash);
	return ok;
}

bool sl_store_add(struct sl_store *s, const struct sl_store_run *run, uint32_t n, GError **error)
{
	bool ok = sl_sql_exec(s, "PRAGMA synchronous = FULL", error) &&
		  sl_sql_do(s, SL_SQL_BEGIN, error, "");

	if (!ok)
		return false;
	for (uint32_t i = 0; i < n && ok; i++)
		ok = add_one(s, &run[i], error);
	ok = ok && sl_sql_do(s, SL_SQL_COMMIT, error, "");
	if (!ok)
		sl_store_plan_cancel(s);
	return ok;
}
