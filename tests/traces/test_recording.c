/* SPDX-License-Identifier: BSD-2-Clause
 *
 * .slr: the same after a round trip, refused when cut, changed or newer. */
#include "traces/recording.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>
#include <glib/gstdio.h>

#include "tests/traces/test_import_check.h"
#include "traces/import.h"

#define RECORDED SL_SOURCE_DIR "/traces/recorded/"

static const char *const names[] = { "make-hello-j4", "pbzip2-p4", "pbzip2-p2", "pbzip2-p2-1cpu" };

static struct sl_workload *load(const char *path)
{
	GError *error = NULL;
	struct sl_workload *w = sl_trace_import(path, NULL, NULL, &error);

	if (!w)
		fail_msg("%s", error->message);
	return w;
}

static struct sl_workload *load_recorded(const char *name, const char *suffix)
{
	char *path = g_strconcat(RECORDED, name, suffix, NULL);
	struct sl_workload *w = load(path);

	g_free(path);
	return w;
}

static void check_same(const struct sl_workload *a, const struct sl_workload *b)
{
	assert_true(a->digest == b->digest);
	assert_int_equal(a->n_tasks, b->n_tasks);
	assert_int_equal(a->n_ops, b->n_ops);
	assert_int_equal(a->n_edges, b->n_edges);
	assert_true(a->wake_latency == b->wake_latency);
	assert_true(a->recorded == b->recorded);
	assert_string_equal(a->name, b->name);
	for (uint32_t i = 0; i < a->n_tasks; i++)
		assert_string_equal(a->task[i].name, b->task[i].name);
	for (uint32_t i = 0; i < a->n_ops; i++)
		assert_memory_equal(&a->op[i], &b->op[i], sizeof(a->op[i]));
}

static void test_shipped(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		struct sl_workload *text = load_recorded(names[i], ".perf.gz");
		struct sl_workload *slr = load_recorded(names[i], ".slr");

		check_same(text, slr);
		assert_null(import_check(slr));
		sl_import_workload_free(text);
		sl_import_workload_free(slr);
	}
}

/* At most 1/20 of the perf text, and byte for byte the shipped file. */
static void test_save(void **state)
{
	char *path = g_strconcat(SL_BINARY_DIR, "/test_recording.slr", NULL);

	(void)state;
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		char *shipped = g_strconcat(RECORDED, names[i], ".slr", NULL);
		char *perf = g_strconcat(RECORDED, names[i], ".perf.gz", NULL);
		struct sl_import_report report;
		struct sl_workload *w = sl_trace_import(perf, NULL, &report, NULL);
		struct sl_workload *again;
		GStatBuf st;

		assert_non_null(w);
		assert_true(sl_recording_save(w, path, NULL));
		assert_int_equal(g_stat(path, &st), 0);
		assert_true((uint64_t)st.st_size * 20 <= report.bytes);
		again = load(path);
		/* The name comes from the recording, not from the file's name. */
		check_same(w, again);
		sl_import_workload_free(again);
		again = load(shipped);
		check_same(w, again);
		sl_import_workload_free(again);
		sl_import_workload_free(w);
		g_free(shipped);
		g_free(perf);
	}
	g_unlink(path);
	g_free(path);
}

static char *message(const void *data, size_t len)
{
	GError *error = NULL;
	struct sl_workload *w = sl_trace_import_mem(data, len, "x.slr", NULL, NULL, &error);
	char *text;

	if (w) {
		sl_import_workload_free(w);
		return g_strdup("accepted");
	}
	text = g_strdup(error->message);
	g_error_free(error);
	return text;
}

static void check_message(const char *data, const char *expected)
{
	char *got = message(data, strlen(data));

	assert_string_equal(got, expected);
	g_free(got);
}

#define HEAD  "schedlab recording 1\nname x\nlatency 5\n"
#define HEAD2 "schedlab recording 2\nname x\nlatency 5\n"
#define HEAD3 "schedlab recording 3\nname x\nlatency 5\nrecorded 0\n"

static void test_bad_text(void **state)
{
	(void)state;
	check_message(
		"schedlab recording 4\nname x\n",
		"x.slr:1:21: damaged or foreign recording; expected version 1 to 3: this recording "
		"was made by a newer schedlab");
	check_message(HEAD2 "task a\n",
		      "x.slr:4:1: damaged or foreign recording; expected recorded");
	check_message(
		"schedlab recording x\n",
		"x.slr:1:20: damaged or foreign recording; expected \"schedlab recording 2\"");
	check_message(HEAD "r5\n", "x.slr:4:3: damaged or foreign recording; expected a task line "
				   "before the first operation");
	check_message(HEAD "task a\nq5\n",
		      "x.slr:5:1: damaged or foreign recording; expected an operation (r, s, u, w, "
		      "k, f, t, n, x), task, child or end");
	check_message(HEAD "task a\nr5\nk7\nend 1 0\n",
		      "x.slr:6:3: damaged or foreign recording; expected the number of an edge "
		      "mentioned before");
	check_message(HEAD2 "recorded 0\nsem jobs 1\n",
		      "x.slr:5:2: damaged or foreign recording; expected a number within bounds");
	check_message(HEAD3 "sem jobs\n",
		      "x.slr:5:9: damaged or foreign recording; expected a count");
	check_message(HEAD3 "sem jobs 1\ntask a\nd1n\n",
		      "x.slr:7:3: damaged or foreign recording; expected the number of a semaphore "
		      "above");
	check_message(HEAD3 "task a\nx\nsem jobs 1\n",
		      "x.slr:7:5: damaged or foreign recording; expected a semaphore before the "
		      "first task");
	check_message(HEAD3 "task a\nq5\n",
		      "x.slr:6:1: damaged or foreign recording; expected an operation (r, s, u, w, "
		      "k, f, t, n, x, d, p, c), task, child or end");
	check_message(HEAD "task a nice=99\n",
		      "x.slr:4:15: damaged or foreign recording; expected a "
		      "nice value from -20 to 20");
	check_message(HEAD "task a\nr5\n",
		      "x.slr:5:3: damaged or foreign recording; expected the end line: the file is "
		      "cut off");
	check_message(HEAD "task a\nr5\nend 1 00000000\n",
		      "x.slr:6:6: damaged or foreign recording; expected the checksum of the lines "
		      "above");
	check_message(HEAD "task a\nr5\nend 2 00000000\n",
		      "x.slr:6:6: damaged or foreign recording; expected the number of operations "
		      "above");
}

/* A file cut at any byte is refused, and so is one with any byte changed that matters. */
static void test_damage(void **state)
{
	char *data;
	gsize len;

	(void)state;
	assert_true(g_file_get_contents(RECORDED "pbzip2-p2.slr", &data, &len, NULL));
	for (gsize n = 0; n < len; n++) {
		char *got = message(data, n);

		assert_string_not_equal(got, "accepted");
		g_free(got);
	}
	/* Behind gzip's ten-byte head everything is checked. */
	for (gsize i = 10; i < len; i++) {
		char *got;

		data[i] ^= 0x10;
		got = message(data, len);
		assert_string_not_equal(got, "accepted");
		g_free(got);
		data[i] ^= 0x10;
	}
	g_free(data);
}

static void test_print(void **state)
{
	struct sl_workload *w = load_recorded("pbzip2-p2", ".slr");
	char *path = g_strconcat(SL_BINARY_DIR, "/test_recording.txt", NULL);
	FILE *out = fopen(path, "w");
	struct sl_workload *again;
	char *text;

	(void)state;
	assert_non_null(out);
	assert_true(sl_recording_print(w, out, NULL));
	fclose(out);
	/* What is printed is itself a recording, only not compressed. */
	assert_true(g_file_get_contents(path, &text, NULL, NULL));
	assert_true(g_str_has_prefix(text, "schedlab recording 2\nname pbzip2-p2\nlatency "));
	again = load(path);
	check_same(w, again);
	sl_import_workload_free(again);
	sl_import_workload_free(w);
	g_unlink(path);
	g_free(path);
	g_free(text);
}

/* The example of the manual page is a recording. */
static void test_manual(void **state)
{
	char *page, *begin, *end;
	struct sl_workload *w;
	GError *error = NULL;

	(void)state;
	assert_true(
		g_file_get_contents(SL_SOURCE_DIR "/docs/schedlab-recording.5", &page, NULL, NULL));
	begin = strstr(page, ".Bd -literal");
	begin = strstr(begin, "schedlab recording");
	end = strstr(begin, ".Ed");
	w = sl_trace_import_mem(begin, (size_t)(end - begin), "manual", NULL, NULL, &error);
	if (!w)
		fail_msg("%s", error->message);
	assert_int_equal(w->n_tasks, 2);
	assert_null(import_check(w));
	sl_import_workload_free(w);
	g_free(page);
}

/* A ninja log is kept as any other trace is: its job slots and the wait for all jobs. */
static void test_ninja(void **state)
{
	static const char log[] = "# ninja log v5\n"
				  "0\t100\t1\tsub dir/a.o\t11\n"
				  "0\t300\t1\tb.o\t22\n"
				  "100\t350\t1\tc.o\t33\n";
	char *path = g_strconcat(SL_BINARY_DIR, "/test_recording_ninja.slr", NULL);
	struct sl_workload *w, *again;
	FILE *out = g_fopen(path, "w");
	char *text;

	(void)state;
	w = sl_trace_import_mem(log, strlen(log), "build", NULL, NULL, NULL);
	assert_non_null(w);
	assert_non_null(out);
	assert_true(sl_recording_print(w, out, NULL));
	fclose(out);
	assert_true(g_file_get_contents(path, &text, NULL, NULL));
	assert_true(g_str_has_prefix(text, "schedlab recording 3\nname build\nlatency 0\n"
					   "recorded 350000000\nsem jobs 2\ntask ninja\n"
					   "d0n\nf1\nd0n\nf2\nd0n\nf3\ncp\nx\n"
					   "child a.o\nr100000000\np0\nx\n"));
	again = load(path);
	check_same(w, again);
	sl_import_workload_free(again);
	assert_true(sl_recording_save(w, path, NULL));
	again = load(path);
	check_same(w, again);
	assert_int_equal(again->n_sems, 1);
	assert_string_equal(again->sem[0].name, "jobs");
	assert_int_equal(again->sem[0].initial, 2);
	assert_true(import_check_run(again, 3) == 250 * SL_NS_PER_MS);
	sl_import_workload_free(again);
	sl_import_workload_free(w);
	g_unlink(path);
	g_free(path);
	g_free(text);
}

/* Workloads that are no imports are refused, not half written. */
static void test_foreign(void **state)
{
	const struct sl_op op = { .kind = SL_OP_YIELD, .obj = SL_NONE, .target = SL_NONE };
	const struct sl_task task = { .name = "t",
				      .instances = 1,
				      .n_ops = 1,
				      .mask = SL_NONE,
				      .proc_group = SL_NONE,
				      .bind_cpu = -1 };
	const struct sl_workload w = {
		.name = "w", .op = &op, .n_ops = 1, .task = &task, .n_tasks = 1
	};
	GError *error = NULL;

	(void)state;
	assert_false(sl_recording_save(&w, SL_BINARY_DIR "/never.slr", &error));
	assert_string_equal(error->message, "w: an operation of task 't' cannot stand in a "
					    "recording; expected a workload made from a trace "
					    "of scheduler events or a ninja log");
	assert_false(g_file_test(SL_BINARY_DIR "/never.slr", G_FILE_TEST_EXISTS));
	g_error_free(error);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_shipped),	 cmocka_unit_test(test_save),
		cmocka_unit_test(test_bad_text), cmocka_unit_test(test_damage),
		cmocka_unit_test(test_print),	 cmocka_unit_test(test_foreign),
		cmocka_unit_test(test_manual),	 cmocka_unit_test(test_ninja),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
