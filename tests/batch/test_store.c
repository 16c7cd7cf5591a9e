/* SPDX-License-Identifier: BSD-2-Clause
 *
 * The result file: plans, rows, claims, merging, and rows that are not whole. */
#include "sim/batch/store_sql.h"

#include <glib/gstdio.h>

#include "tests/sl_test.h"

static const char *const metrics[] = { "real", "latency-p99" };
static const struct sl_store_shape shape = { metrics, 2 };

enum { CELLS = 3, RUNS = 4 };

static int make_folder(void **state)
{
	*state = g_dir_make_tmp("store-XXXXXX", NULL);
	return *state ? 0 : -1;
}

static int drop_folder(void **state)
{
	GDir *dir = g_dir_open(*state, 0, NULL);
	const char *name;

	while ((name = g_dir_read_name(dir)) != NULL) {
		char *path = g_build_filename(*state, name, NULL);

		g_unlink(path);
		g_free(path);
	}
	g_dir_close(dir);
	g_rmdir(*state);
	g_free(*state);
	return 0;
}

static struct sl_store *open_named(void **state, const char *name, enum sl_store_mode mode)
{
	char *path = g_build_filename(*state, name, NULL);
	GError *error = NULL;
	struct sl_store *s = sl_store_open(path, &shape, mode, &error);

	if (!s)
		fail_msg("%s", error->message);
	g_free(path);
	return s;
}

static bool plan_as(struct sl_store *s, const char *digest, const char *spelling)
{
	const struct sl_store_block block = { "b", "real", "n", 1 };
	bool same;

	assert_true(sl_store_plan_begin(s, "sweep", digest, "[cells b]", &same, NULL));
	if (same)
		return false;
	assert_true(sl_store_plan_block(s, 0, &block, NULL));
	for (int i = 0; i < CELLS; i++) {
		char hash[33];
		struct sl_store_cell c = {
			.hash = hash,
			.spec = { "up", "auto", spelling, "hogs" },
			.digest = { "t", "k", "p", "w" },
			.cpuset = "all",
			.seed = 5,
			.until = "",
			.group = (uint32_t)i,
			.runs = RUNS,
			.param = "n=1",
		};

		g_snprintf(hash, sizeof(hash), "%032d", 100 - i);
		assert_true(sl_store_plan_cell(s, &c, NULL));
	}
	assert_true(sl_store_plan_end(s, NULL));
	return true;
}

/* Row `run` of a cell; always the same figures. */
static bool add_row(struct sl_store *s, int64_t cell, uint32_t run, double more, GError **error)
{
	const double value[] = { (double)cell + 0.1 * run + more, -0.0 };
	const struct sl_store_run row = { .cell = cell,
					  .run = run,
					  .seed = 5 + run,
					  .outcome = "done",
					  .digest = 77 * run,
					  .value = value };

	return sl_store_add(s, &row, 1, error);
}

static void fill(struct sl_store *s, int64_t first, int64_t last)
{
	for (int64_t cell = first; cell <= last; cell++)
		for (uint32_t run = 0; run < RUNS; run++)
			assert_true(add_row(s, cell, run, 0, NULL));
}

static bool note_content(const struct sl_store_member *m, void *ctx)
{
	sl_store_content_add(ctx, m);
	return true;
}

static char *content(struct sl_store *s)
{
	int64_t id = sl_store_find_sweep(s, "sweep", NULL, NULL);

	GArray *cells;

	if (id < 0)
		return NULL;
	cells = sl_store_content_new();
	assert_true(sl_store_each_member(s, id, true, note_content, cells, NULL));
	return sl_store_content_end(cells);
}

static bool count(const struct sl_store_member *m, void *ctx)
{
	uint32_t *sum = ctx;

	sum[0]++;
	sum[1] += m->done;
	sum[2] += m->failed;
	assert_int_equal(m->place + 1, m->id);
	assert_string_equal(m->cell.param, "n=1");
	assert_string_equal(m->cell.spec[SL_INPUT_WORKLOAD], "hogs");
	return true;
}

static void plans(void **state)
{
	struct sl_store *s = open_named(state, "a", SL_STORE_CREATE);
	uint32_t sum[3] = { 0 };
	char **names;
	int64_t id;

	assert_true(plan_as(s, "d1", "ule"));
	assert_false(plan_as(s, "d1", "ule")); /* known */
	fill(s, 1, 2);
	assert_true(plan_as(s, "d2", "ule@2017")); /* replaced; cells and rows stay */
	names = sl_store_sweeps(s, NULL);
	assert_int_equal(g_strv_length(names), 1);
	id = sl_store_find_sweep(s, "sweep", NULL, NULL);
	assert_true(sl_store_each_member(s, id, true, count, sum, NULL));
	assert_int_equal(sum[0], CELLS);
	assert_int_equal(sum[1], 2 * RUNS);
	assert_int_equal(sum[2], 0);
	assert_true(sl_store_check(s, NULL));
	g_strfreev(names);
	sl_store_close(s);
}

static void rows_once(void **state)
{
	struct sl_store *s = open_named(state, "a", SL_STORE_CREATE);
	GError *error = NULL;

	plan_as(s, "d1", "ule");
	fill(s, 1, 1);
	assert_true(add_row(s, 1, 2, 0, NULL)); /* the same again is fine */
	assert_false(add_row(s, 1, 2, 1e-9, &error));
	assert_true(g_error_matches(error, SL_STORE_ERROR, SL_STORE_ERROR_DIFFERENT));
	g_error_free(error);
	sl_store_close(s);
}

/* Cells asked for in any order, with and without rows, also between others'. */
static void rows_of_cells(void **state)
{
	static const int64_t order[] = { 1, 3, 4, 2, 2, 3, 1, 7, 5 };
	static const uint32_t wanted[] = { RUNS, RUNS, 0, 1, 1, RUNS, RUNS, 0, 0 };
	struct sl_store *s = open_named(state, "a", SL_STORE_CREATE);
	struct sl_rows rows;

	plan_as(s, "d1", "ule");
	fill(s, 1, 1);
	fill(s, 3, 3);
	assert_true(add_row(s, 2, 2, 0, NULL));
	sl_rows_init(&rows, s, SL_SQL_ALL_SUMS);
	for (size_t i = 0; i < SL_ARRAY_LEN(order); i++) {
		uint32_t n = 0;

		for (bool on = sl_rows_find(&rows, order[i], NULL); on;
		     on = sl_rows_next(&rows, NULL)) {
			assert_int_equal(sqlite3_column_int64(rows.st, 0), order[i]);
			n++;
		}
		assert_int_equal(n, wanted[i]);
	}
	assert_true(sl_rows_end(&rows));
	sl_store_close(s);
}

static void claims(void **state)
{
	struct sl_store *a = open_named(state, "a", SL_STORE_CREATE), *b;
	const struct sl_store_job job[] = { { 1, 0 }, { 1, 1 }, { 1, 2 }, { 2, 0 } };
	enum sl_claim what[4];

	plan_as(a, "d1", "ule");
	b = open_named(state, "a", SL_STORE_CREATE);
	assert_true(sl_store_join(a, "v", "c", NULL) && sl_store_join(b, "v", "c", NULL));
	assert_true(add_row(a, 1, 0, 0, NULL));
	assert_int_equal(sl_store_claim(a, job, 4, 1, what, NULL), 2);
	assert_int_equal(what[0], SL_CLAIM_DONE);
	assert_int_equal(what[1], SL_CLAIM_MINE);
	assert_int_equal(sl_store_claim(b, job, 4, 4, what, NULL), 4);
	assert_int_equal(what[1], SL_CLAIM_OTHERS);
	assert_int_equal(what[2], SL_CLAIM_MINE);
	assert_int_equal(what[3], SL_CLAIM_MINE);
	/* A row ends the claim; what a runner gives back or leaves is free. */
	assert_true(sl_store_release(b, &job[2], 1, NULL));
	assert_int_equal(sl_store_claim(a, &job[2], 1, 1, what, NULL), 1);
	assert_int_equal(what[0], SL_CLAIM_MINE);
	assert_true(sl_store_leave(b, NULL));
	assert_int_equal(sl_store_claim(a, &job[3], 1, 1, what, NULL), 1);
	assert_int_equal(what[0], SL_CLAIM_MINE);
	sl_store_close(b);
	sl_store_close(a);
}

static void merging(void **state)
{
	struct sl_store *whole = open_named(state, "whole", SL_STORE_CREATE);
	struct sl_store *part[2], *all = open_named(state, "all", SL_STORE_CREATE);
	struct sl_store_merge n;
	char *want, *got;

	plan_as(whole, "d", "ule");
	fill(whole, 1, CELLS);
	want = content(whole);
	for (int i = 0; i < 2; i++) {
		part[i] = open_named(state, i ? "p1" : "p0", SL_STORE_CREATE);
		plan_as(part[i], "d", "ule");
		fill(part[i], i ? 2 : 1, i ? 3 : 2); /* cell 2 is done by both */
		assert_true(sl_store_merge(all, part[i], &n, NULL));
		assert_int_equal(n.twice, i ? RUNS : 0);
		assert_int_equal(n.runs, i ? RUNS : 2 * RUNS);
		assert_int_equal(n.lost, 0);
		assert_false(n.damaged);
	}
	got = content(all);
	assert_string_equal(got, want);
	g_free(got);
	g_free(want);
	for (int i = 0; i < 2; i++)
		sl_store_close(part[i]);
	sl_store_close(all);
	sl_store_close(whole);
}

static void sql(void **state, const char *name, const char *text)
{
	char *path = g_build_filename(*state, name, NULL);
	sqlite3 *db;

	assert_int_equal(sqlite3_open(path, &db), SQLITE_OK);
	assert_int_equal(sqlite3_exec(db, text, NULL, NULL, NULL), SQLITE_OK);
	sqlite3_close(db);
	g_free(path);
}

static void spoilt_rows(void **state)
{
	struct sl_store *s = open_named(state, "a", SL_STORE_CREATE), *into;
	struct sl_store_merge n;
	GError *error = NULL;

	plan_as(s, "d", "ule");
	fill(s, 1, CELLS);
	sl_store_close(s);
	sql(state, "a",
	    "UPDATE run SET latency_p99 = 1 WHERE cell = 2 AND run = 1;"
	    "UPDATE run SET seed = 6 WHERE cell = 3 AND run = 0");
	s = open_named(state, "a", SL_STORE_READ);
	assert_false(sl_store_check(s, &error));
	assert_true(g_error_matches(error, SL_STORE_ERROR, SL_STORE_ERROR_DAMAGED));
	g_error_free(error);
	into = open_named(state, "b", SL_STORE_CREATE);
	assert_true(sl_store_merge(into, s, &n, NULL));
	assert_true(n.damaged);
	assert_int_equal(n.lost, 2);
	assert_int_equal(n.runs, CELLS * RUNS - 2);
	assert_null(content(into)); /* its plan is not believed */
	assert_true(sl_store_check(into, NULL));
	sl_store_close(into);
	sl_store_close(s);
}

static void refusals(void **state)
{
	static const char *const other[] = { "real", "rate" };
	const struct sl_store_shape wrong = { other, 2 };
	char *path = g_build_filename(*state, "a", NULL);
	GError *error = NULL;

	assert_null(sl_store_open(path, &shape, SL_STORE_READ, &error));
	assert_true(g_error_matches(error, SL_STORE_ERROR, SL_STORE_ERROR_OPEN));
	g_clear_error(&error);
	sl_store_close(open_named(state, "a", SL_STORE_CREATE));
	assert_true(sl_store_is_file(path));
	assert_null(sl_store_open(path, &wrong, SL_STORE_READ, &error));
	assert_true(g_error_matches(error, SL_STORE_ERROR, SL_STORE_ERROR_VERSION));
	g_clear_error(&error);
	sql(state, "a", "PRAGMA user_version = 99");
	assert_null(sl_store_open(path, &shape, SL_STORE_CREATE, &error));
	assert_true(g_error_matches(error, SL_STORE_ERROR, SL_STORE_ERROR_VERSION));
	g_clear_error(&error);
	sql(state, "c", "CREATE TABLE x(y)");
	g_free(path);
	path = g_build_filename(*state, "c", NULL);
	assert_null(sl_store_open(path, &shape, SL_STORE_CREATE, &error));
	assert_true(g_error_matches(error, SL_STORE_ERROR, SL_STORE_ERROR_OPEN));
	g_clear_error(&error);
	g_free(path);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(plans, make_folder, drop_folder),
		cmocka_unit_test_setup_teardown(rows_once, make_folder, drop_folder),
		cmocka_unit_test_setup_teardown(rows_of_cells, make_folder, drop_folder),
		cmocka_unit_test_setup_teardown(claims, make_folder, drop_folder),
		cmocka_unit_test_setup_teardown(merging, make_folder, drop_folder),
		cmocka_unit_test_setup_teardown(spoilt_rows, make_folder, drop_folder),
		cmocka_unit_test_setup_teardown(refusals, make_folder, drop_folder),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
