/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Opening, schema, statements, errors.
 * Invariant: whoever changes rows does so within BEGIN IMMEDIATE ... COMMIT, so that a
 * process killed anywhere leaves whole transactions only. Commits are synced
 * (synchronous = FULL): callers gather rows so that a commit is rare. */
#include "sim/batch/store_sql.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <glib/gstdio.h>

#define APPLICATION_ID 0x536c5377 /* "SlSw" */
#define BUSY_MS	       30000
/* Hashes of cells come in any order: the index of a million of them (60 MB) has to stay. */
#define CACHE_KIB "-131072"

GQuark sl_store_error_quark(void)
{
	return g_quark_from_static_string("sl-store-error-quark");
}

/* %s stands for the metrics' columns. */
static const char schema[] =
	"PRAGMA application_id = 1399608183;"
	"PRAGMA user_version = 1;"
	"CREATE TABLE input(id INTEGER PRIMARY KEY, kind INTEGER NOT NULL, spec TEXT NOT NULL,"
	" digest TEXT NOT NULL, UNIQUE(kind, spec, digest));"
	"CREATE TABLE cell(id INTEGER PRIMARY KEY, hash TEXT NOT NULL UNIQUE,"
	" topology INTEGER NOT NULL REFERENCES input, costs INTEGER NOT NULL REFERENCES input,"
	" policy INTEGER NOT NULL REFERENCES input, workload INTEGER NOT NULL REFERENCES input,"
	" cpuset TEXT NOT NULL, seed INTEGER NOT NULL, until TEXT NOT NULL);"
	"CREATE TABLE run(cell INTEGER NOT NULL REFERENCES cell, run INTEGER NOT NULL,"
	" seed INTEGER NOT NULL, outcome TEXT NOT NULL, fault TEXT, digest TEXT NOT NULL,"
	" sum INTEGER NOT NULL, %s, PRIMARY KEY(cell, run)) WITHOUT ROWID;"
	"CREATE TABLE sweep(id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE,"
	" digest TEXT NOT NULL, file TEXT NOT NULL);"
	"CREATE TABLE block(sweep INTEGER NOT NULL REFERENCES sweep, place INTEGER NOT NULL,"
	" name TEXT NOT NULL, metrics TEXT NOT NULL, params TEXT NOT NULL,"
	" discard INTEGER NOT NULL, PRIMARY KEY(sweep, place)) WITHOUT ROWID;"
	"CREATE TABLE member(sweep INTEGER NOT NULL REFERENCES sweep, place INTEGER NOT NULL,"
	" cell INTEGER NOT NULL REFERENCES cell, block INTEGER NOT NULL, grp INTEGER NOT NULL,"
	" runs INTEGER NOT NULL, param TEXT NOT NULL, PRIMARY KEY(sweep, place)) WITHOUT ROWID;"
	"CREATE TABLE session(id INTEGER PRIMARY KEY, started TEXT NOT NULL, ended TEXT,"
	" host TEXT NOT NULL, version TEXT NOT NULL, command TEXT NOT NULL,"
	" runs INTEGER NOT NULL, seconds REAL NOT NULL);"
	"CREATE TABLE runner(id INTEGER PRIMARY KEY AUTOINCREMENT, host TEXT NOT NULL,"
	" pid INTEGER NOT NULL, until INTEGER NOT NULL);"
	"CREATE TABLE claim(cell INTEGER NOT NULL, run INTEGER NOT NULL, runner INTEGER NOT NULL,"
	" PRIMARY KEY(cell, run)) WITHOUT ROWID;"
	"CREATE VIEW cells AS SELECT c.id, c.hash, t.spec AS topology, k.spec AS costs, c.cpuset,"
	" w.spec AS workload, p.spec AS policy, c.seed, c.until, t.digest AS topology_digest,"
	" k.digest AS costs_digest, w.digest AS workload_digest, p.digest AS policy_digest"
	" FROM cell c JOIN input t ON t.id = c.topology JOIN input k ON k.id = c.costs"
	" JOIN input w ON w.id = c.workload JOIN input p ON p.id = c.policy;"
	"CREATE VIEW results AS SELECT c.hash, c.topology, c.costs, c.cpuset, c.workload,"
	" c.policy, r.* FROM run r JOIN cells c ON c.id = r.cell;";

#define CELL_COLUMNS                                                                               \
	"c.id, c.hash, t.spec, t.digest, k.spec, k.digest, p.spec, p.digest, w.spec, w.digest,"    \
	" c.cpuset, c.seed, c.until"
#define CELL_JOINS                                                                                 \
	" JOIN input t ON t.id = c.topology JOIN input k ON k.id = c.costs"                        \
	" JOIN input p ON p.id = c.policy JOIN input w ON w.id = c.workload"
#define RUN_COLUMNS "cell, run, seed, outcome, fault, digest, sum, %s"

/* %s as in the schema. */
static const char *const statements[SL_SQL_COUNT] = {
	[SL_SQL_BEGIN] = "BEGIN IMMEDIATE",
	[SL_SQL_COMMIT] = "COMMIT",
	[SL_SQL_ROLLBACK] = "ROLLBACK",
	[SL_SQL_ADD_INPUT] = "INSERT OR IGNORE INTO input(kind, spec, digest) VALUES(?, ?, ?)",
	[SL_SQL_FIND_INPUT] = "SELECT id FROM input WHERE kind = ? AND spec = ? AND digest = ?",
	[SL_SQL_FIND_CELL] = "SELECT id FROM cell WHERE hash = ?",
	[SL_SQL_ADD_CELL] =
		"INSERT INTO cell(hash, topology, costs, policy, workload, cpuset, seed,"
		" until) VALUES(?, ?, ?, ?, ?, ?, ?, ?)",
	[SL_SQL_SET_CELL] = "UPDATE cell SET topology = ?1, costs = ?2, policy = ?3, workload = ?4,"
			    " cpuset = ?5, seed = ?6, until = ?7 WHERE id = ?8 AND (topology <> ?1"
			    " OR costs <> ?2 OR policy <> ?3 OR workload <> ?4 OR cpuset <> ?5"
			    " OR seed <> ?6 OR until <> ?7)",
	[SL_SQL_FIND_SWEEP] = "SELECT id, digest, file FROM sweep WHERE name = ?",
	[SL_SQL_ADD_SWEEP] = "INSERT INTO sweep(name, digest, file) VALUES(?, ?, ?)",
	[SL_SQL_DROP_MEMBERS] = "DELETE FROM member WHERE sweep = ?",
	[SL_SQL_DROP_BLOCKS] = "DELETE FROM block WHERE sweep = ?",
	[SL_SQL_DROP_SWEEP] = "DELETE FROM sweep WHERE id = ?",
	[SL_SQL_ADD_BLOCK] = "INSERT INTO block(sweep, place, name, metrics, params, discard)"
			     " VALUES(?, ?, ?, ?, ?, ?)",
	[SL_SQL_ADD_MEMBER] = "INSERT INTO member(sweep, place, cell, block, grp, runs, param)"
			      " VALUES(?, ?, ?, ?, ?, ?, ?)",
	[SL_SQL_SWEEPS] = "SELECT name FROM sweep ORDER BY name",
	[SL_SQL_BLOCKS] = "SELECT name, metrics, params, discard FROM block WHERE sweep = ?"
			  " ORDER BY place",
	[SL_SQL_MEMBERS] = "SELECT m.place, m.block, m.grp, m.runs, m.param, " CELL_COLUMNS
			   " FROM member m JOIN cell c ON c.id = m.cell" CELL_JOINS
			   " WHERE m.sweep = ? ORDER BY m.place",
	[SL_SQL_SET_RUNS] = "UPDATE member SET runs = ? WHERE sweep = ? AND place = ?",
	[SL_SQL_RUNS] = "SELECT " RUN_COLUMNS " FROM run WHERE cell = ? AND run >= ?"
			" ORDER BY run",
	[SL_SQL_ALL_RUNS] = "SELECT " RUN_COLUMNS " FROM run WHERE cell >= ? ORDER BY cell, run",
	[SL_SQL_ALL_SUMS] = "SELECT cell, run, outcome, sum FROM run WHERE cell >= ?"
			    " ORDER BY cell, run",
	[SL_SQL_RUN] = "SELECT " RUN_COLUMNS " FROM run WHERE cell = ? AND run = ?",
	[SL_SQL_HAS_RUN] = "SELECT 1 FROM run WHERE cell = ? AND run = ?",
	[SL_SQL_ADD_RUN] = "INSERT OR IGNORE INTO run(" RUN_COLUMNS ") VALUES(?, ?, ?, ?, ?, ?, ?",
	[SL_SQL_ADD_RUNNER] = "INSERT INTO runner(host, pid, until) VALUES(?, ?, ?)",
	[SL_SQL_ADD_SESSION] =
		"INSERT INTO session(started, host, version, command, runs, seconds)"
		" VALUES(strftime('%%Y-%%m-%%dT%%H:%%M:%%SZ', 'now'), ?, ?, ?, 0, 0)",
	[SL_SQL_END_SESSION] = "UPDATE session SET ended = strftime('%%Y-%%m-%%dT%%H:%%M:%%SZ',"
			       " 'now'), runs = ?, seconds = ? / 1e6 WHERE id = ?",
	[SL_SQL_RENEW] = "INSERT INTO runner(id, host, pid, until) VALUES(?, ?, ?, ?)"
			 " ON CONFLICT(id) DO UPDATE SET until = excluded.until",
	[SL_SQL_RUNNERS] = "SELECT id, host, pid, until FROM runner WHERE id <> ?",
	[SL_SQL_DROP_RUNNER] = "DELETE FROM runner WHERE id = ?",
	[SL_SQL_DROP_CLAIMS] = "DELETE FROM claim WHERE runner = ?",
	[SL_SQL_ADD_CLAIM] = "INSERT OR IGNORE INTO claim(cell, run, runner) VALUES(?, ?, ?)",
	[SL_SQL_DROP_CLAIM] = "DELETE FROM claim WHERE cell = ? AND run = ? AND runner = ?",
	[SL_SQL_HASH] = "SELECT hash FROM cell WHERE id = ?",
	[SL_SQL_HASHES] = "SELECT id, hash FROM cell ORDER BY id",
	[SL_SQL_CELLS] = "SELECT " CELL_COLUMNS " FROM cell c" CELL_JOINS " ORDER BY c.id",
	[SL_SQL_CELL] = "SELECT " CELL_COLUMNS " FROM cell c" CELL_JOINS " WHERE c.id = ?",
	[SL_SQL_MOST_CELL] = "SELECT max(id) FROM cell",
};

static const struct {
	int result;
	enum sl_store_error code;
	const char *advice;
} causes[] = {
	{ SQLITE_FULL, SL_STORE_ERROR_FULL,
	  "no room is left; all runs committed so far are safe, make room and start again" },
	{ SQLITE_CORRUPT, SL_STORE_ERROR_DAMAGED,
	  "the file is damaged; \"schedlab sweep merge -o NEW FILE\" saves the rows that are "
	  "whole" },
	{ SQLITE_NOTADB, SL_STORE_ERROR_OPEN,
	  "this is no result file of a sweep, or a damaged one" },
	{ SQLITE_READONLY, SL_STORE_ERROR_OPEN, "the file or its folder may not be written" },
	{ SQLITE_CANTOPEN, SL_STORE_ERROR_OPEN, "the file cannot be opened" },
	{ SQLITE_PERM, SL_STORE_ERROR_OPEN, "access is denied" },
	{ SQLITE_AUTH, SL_STORE_ERROR_OPEN, "access is denied" },
	{ SQLITE_BUSY, SL_STORE_ERROR_USE, "another process has held the file for too long" },
};

/* Why the file cannot be opened. SQLite tries to read where it may not write, and then knows
 * only that there is nothing to read. */
static int open_errno(const struct sl_store *s)
{
	int why = sqlite3_system_errno(s->db);
	char *folder = g_path_get_dirname(s->path);

	if (why == ENOENT && s->creates && g_access(folder, W_OK) != 0)
		why = errno;
	g_free(folder);
	return why;
}

bool sl_sql_fail(struct sl_store *s, GError **error)
{
	int number = errno, result = sqlite3_errcode(s->db) & 0xff;

	if (error && *error)
		return false;
	/* SQLite tells ENOSPC from other failures, but not a quota or a limit. */
	if (result != SQLITE_IOERR)
		number = 0;
	else if (number == ENOSPC || number == EDQUOT || number == EFBIG)
		result = SQLITE_FULL;
	for (size_t i = 0; i < SL_ARRAY_LEN(causes); i++)
		if (causes[i].result == result) {
			int why = result == SQLITE_CANTOPEN ? open_errno(s) : 0;

			g_set_error(error, SL_STORE_ERROR, causes[i].code, "%s: %s%s%s", s->path,
				    causes[i].advice, why ? ": " : "", why ? g_strerror(why) : "");
			return false;
		}
	g_set_error(error, SL_STORE_ERROR, SL_STORE_ERROR_USE, "%s: %s%s%s", s->path,
		    sqlite3_errmsg(s->db), number ? ": " : "", number ? g_strerror(number) : "");
	return false;
}

bool sl_sql_exec(struct sl_store *s, const char *text, GError **error)
{
	return sqlite3_exec(s->db, text, NULL, NULL, NULL) == SQLITE_OK || sl_sql_fail(s, error);
}

static char *statement_text(const struct sl_store *s, enum sl_sql which)
{
	GString *text = g_string_new(NULL);

	for (const char *c = statements[which]; *c; c++) {
		if (c[0] == '%' && c[1] == 's')
			g_string_append(text, s->metric_list);
		else
			g_string_append_c(text, *c);
		c += *c == '%';
	}
	if (which == SL_SQL_ADD_RUN) {
		for (uint32_t i = 0; i < s->shape.n_metrics; i++)
			g_string_append(text, ", ?");
		g_string_append_c(text, ')');
	}
	return g_string_free(text, FALSE);
}

sqlite3_stmt *sl_sql(struct sl_store *s, enum sl_sql which, GError **error)
{
	sqlite3_stmt **st = &s->statement[which];

	if (*st) {
		sqlite3_reset(*st);
	} else {
		char *text = statement_text(s, which);
		int result = sqlite3_prepare_v2(s->db, text, -1, st, NULL);

		g_free(text);
		if (result != SQLITE_OK) {
			sl_sql_fail(s, error);
			return NULL;
		}
	}
	return *st;
}

static void bind_list(sqlite3_stmt *st, const char *types, va_list args)
{
	for (int i = 0; types[i]; i++) {
		if (types[i] == 'i')
			sqlite3_bind_int64(st, i + 1, va_arg(args, int64_t));
		else
			sqlite3_bind_text(st, i + 1, va_arg(args, const char *), -1,
					  SQLITE_TRANSIENT);
	}
}

void sl_sql_bind(sqlite3_stmt *st, const char *types, ...)
{
	va_list args;

	va_start(args, types);
	bind_list(st, types, args);
	va_end(args);
}

bool sl_sql_do(struct sl_store *s, enum sl_sql which, GError **error, const char *types, ...)
{
	sqlite3_stmt *st = sl_sql(s, which, error);
	va_list args;
	int result;

	if (!st)
		return false;
	va_start(args, types);
	bind_list(st, types, args);
	va_end(args);
	result = sqlite3_step(st);
	if (result != SQLITE_DONE)
		sl_sql_fail(s, error);
	sqlite3_reset(st);
	return result == SQLITE_DONE;
}

static char *metric_columns(const struct sl_store_shape *shape, const char *type)
{
	GString *text = g_string_new(NULL);

	for (uint32_t i = 0; i < shape->n_metrics; i++) {
		char *name = g_strdelimit(g_strdup(shape->metric[i]), "-", '_');

		g_string_append_printf(text, "%s[%s]%s", i ? ", " : "", name, type);
		g_free(name);
	}
	return g_string_free(text, FALSE);
}

/* A number that a pragma gives; -1 with an error. */
static int64_t pragma(struct sl_store *s, const char *text, GError **error)
{
	sqlite3_stmt *st;
	int64_t value = -1;

	if (sqlite3_prepare_v2(s->db, text, -1, &st, NULL) != SQLITE_OK) {
		sl_sql_fail(s, error);
		return -1;
	}
	if (sqlite3_step(st) == SQLITE_ROW)
		value = sqlite3_column_int64(st, 0);
	else
		sl_sql_fail(s, error);
	sqlite3_finalize(st);
	return value;
}

static bool make_schema(struct sl_store *s, GError **error)
{
	char *columns = metric_columns(&s->shape, " REAL NOT NULL");
	char **part = g_strsplit(schema, "%s", 2);
	char *text = g_strconcat(part[0], columns, part[1], NULL);
	bool ok = sl_sql_exec(s, "BEGIN IMMEDIATE", error);

	/* Another process may have made it meanwhile. */
	if (ok && pragma(s, "PRAGMA user_version", error) == 0)
		ok = sl_sql_exec(s, text, error);
	ok = ok && sl_sql_exec(s, "COMMIT", error);
	g_free(text);
	g_strfreev(part);
	g_free(columns);
	return ok;
}

static bool check_version(struct sl_store *s, int64_t version, GError **error)
{
	int64_t application = pragma(s, "PRAGMA application_id", error);

	if (application < 0)
		return false;
	if (application != APPLICATION_ID) {
		g_set_error(error, SL_STORE_ERROR, SL_STORE_ERROR_OPEN,
			    "%s: this is a database, but no result file of a sweep", s->path);
		return false;
	}
	if (version != SL_STORE_SCHEMA) {
		g_set_error(error, SL_STORE_ERROR, SL_STORE_ERROR_VERSION,
			    "%s: its schema is version %d, this program knows version %d", s->path,
			    (int)version, SL_STORE_SCHEMA);
		return false;
	}
	/* The statement names all metrics: it cannot be prepared when one is missing. */
	if (sl_sql(s, SL_SQL_RUN, NULL))
		return true;
	if ((sqlite3_errcode(s->db) & 0xff) != SQLITE_ERROR)
		return sl_sql_fail(s, error);
	g_set_error(error, SL_STORE_ERROR, SL_STORE_ERROR_VERSION,
		    "%s: was made by a version with other metrics; use a new file", s->path);
	return false;
}

static bool set_up(struct sl_store *s, enum sl_store_mode mode, GError **error)
{
	int64_t version;

	sqlite3_busy_timeout(s->db, BUSY_MS);
	if (!sl_sql_exec(s, "PRAGMA cache_size = " CACHE_KIB, error))
		return false;
	version = pragma(s, "PRAGMA user_version", error);
	if (version < 0)
		return false;
	if (version == 0 && mode == SL_STORE_CREATE &&
	    pragma(s, "SELECT count(*) FROM sqlite_master", error) == 0) {
		if (!sl_sql_exec(s, "PRAGMA journal_mode = WAL", error) || !make_schema(s, error))
			return false;
		version = SL_STORE_SCHEMA;
	}
	if (!check_version(s, version, error))
		return false;
	return mode != SL_STORE_CREATE ||
	       sl_sql_exec(s, "PRAGMA synchronous = FULL; PRAGMA wal_autocheckpoint = 4000;",
			   error);
}

/* Readers open for writing too, so that the last one to close a file takes its log away. A
 * file in a folder that may not be written cannot be opened with a log, and needs none
 * when it was closed well. */
static int open_database(struct sl_store *s, enum sl_store_mode mode)
{
	const int flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX;
	char *escaped, *uri;
	int result;

	if (mode == SL_STORE_CREATE)
		return sqlite3_open_v2(s->path, &s->db, flags | SQLITE_OPEN_CREATE, NULL);
	result = sqlite3_open_v2(s->path, &s->db, flags, NULL);
	/* Makes SQLite open a file that was cut off; nothing is written. */
	if (mode == SL_STORE_SALVAGE)
		sqlite3_db_config(s->db, SQLITE_DBCONFIG_WRITABLE_SCHEMA, 1, NULL);
	if (result == SQLITE_OK)
		result = sqlite3_exec(s->db, "PRAGMA query_only = 1; SELECT 1 FROM sqlite_master",
				      NULL, NULL, NULL);
	if ((result != SQLITE_CANTOPEN && result != SQLITE_READONLY) ||
	    !g_file_test(s->path, G_FILE_TEST_EXISTS))
		return result;
	sqlite3_close(s->db);
	escaped = g_uri_escape_string(s->path, "/", TRUE);
	uri = g_strconcat("file:", escaped, "?immutable=1", NULL);
	result = sqlite3_open_v2(
		uri, &s->db, SQLITE_OPEN_READONLY | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_URI, NULL);
	g_free(uri);
	g_free(escaped);
	return result;
}

struct sl_store *sl_store_open(const char *path, const struct sl_store_shape *shape,
			       enum sl_store_mode mode, GError **error)
{
	struct sl_store *s = g_new0(struct sl_store, 1);

	s->path = g_strdup(path);
	s->shape = *shape;
	s->creates = mode == SL_STORE_CREATE;
	s->metric_list = metric_columns(shape, "");
	s->value = g_new0(double, shape->n_metrics + 1);
	s->input = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, g_free);
	if (open_database(s, mode) == SQLITE_OK ? set_up(s, mode, error) : sl_sql_fail(s, error)) {
		s->shape.metric = NULL; /* borrowed until here */
		return s;
	}
	sl_store_close(s);
	return NULL;
}

void sl_store_close(struct sl_store *s)
{
	if (!s)
		return;
	for (int i = 0; i < SL_SQL_COUNT; i++)
		sqlite3_finalize(s->statement[i]);
	sqlite3_close(s->db);
	g_hash_table_unref(s->input);
	for (int i = 0; i < SL_INPUT_KINDS; i++)
		if (s->last[i].spec) {
			g_string_free(s->last[i].spec, TRUE);
			g_string_free(s->last[i].digest, TRUE);
		}
	g_free(s->value);
	g_free(s->metric_list);
	g_free(s->path);
	g_free(s);
}

const char *sl_store_path(const struct sl_store *s)
{
	return s->path;
}

bool sl_store_is_file(const char *path)
{
	static const char magic[16] = "SQLite format 3";
	char head[sizeof(magic)];
	FILE *file = fopen(path, "rb");
	bool is = file && fread(head, 1, sizeof(head), file) == sizeof(head) &&
		  memcmp(head, magic, sizeof(magic)) == 0;

	if (file)
		fclose(file);
	return is;
}
