/* SPDX-License-Identifier: BSD-2-Clause
 *
 * The files Debian's package rt-app ships: all load, and each has a resolved form kept in
 * tests/traces/resolved, written anew with SL_WRITE_RESOLVED=1 in the environment. Skipped when the
 * package is absent. */
#include "traces/workload_load.h"

#include <string.h>

#include "tests/sl_test.h"

#define DOC "/usr/share/doc/rt-app"

static const char *const names[] = {
	"examples/browser-long.json",
	"examples/browser-short.json",
	"examples/cpufreq_governor_efficiency/calibration.json",
	"examples/cpufreq_governor_efficiency/dvfs.json",
	"examples/merge/global.json",
	"examples/merge/resources.json",
	"examples/merge/thread0.json",
	"examples/merge/thread1.json",
	"examples/merge/thread2.json",
	"examples/merge/thread3.json",
	"examples/mp3-long.json",
	"examples/mp3-short.json",
	"examples/spreading-tasks.json",
	"examples/template.json",
	"examples/tutorial/example1.json",
	"examples/tutorial/example2.json",
	"examples/tutorial/example3.json",
	"examples/tutorial/example4.json",
	"examples/tutorial/example5.json",
	"examples/tutorial/example6.json",
	"examples/tutorial/example7.json",
	"examples/tutorial/example8.json",
	"examples/video-long.json",
	"examples/video-short.json",
	"taskset.json",
};

/* Whether the package is there and complete; says so once. */
static bool have_package(void)
{
	for (size_t i = 0; i < G_N_ELEMENTS(names); i++) {
		char *path = g_build_filename(DOC, names[i], NULL);
		bool there = g_file_test(path, G_FILE_TEST_EXISTS);

		g_free(path);
		if (!there) {
			print_message("SKIP: %s of package rt-app is not installed\n", names[i]);
			return false;
		}
	}
	return true;
}

static char *read_text(const char *name, gsize *len)
{
	char *path = g_build_filename(DOC, name, NULL), *text = NULL;

	assert_true(g_file_get_contents(path, &text, len, NULL));
	g_free(path);
	return text;
}

/* Listing in both dialects, and the warnings of the current one. */
static char *resolve(const char *name)
{
	GString *out = g_string_new(NULL);
	gsize len;
	char *text = read_text(name, &len);

	for (int dialect = SL_DIALECT_CURRENT; dialect <= SL_DIALECT_1_0; dialect++) {
		const struct sl_workload_opts opts = { .dialect = (enum sl_dialect)dialect };
		GPtrArray *warnings = g_ptr_array_new_with_free_func(g_free);
		GError *error = NULL;
		struct sl_workload *w =
			sl_workload_load_text(text, len, name, NULL, &opts, warnings, &error);

		if (error)
			fail_msg("%s", error->message);
		g_string_append_printf(out, "dialect %s\n",
				       dialect == SL_DIALECT_1_0 ? "1.0" : "current");
		sl_workload_show(w, out);
		for (guint i = 0; i < warnings->len; i++)
			g_string_append_printf(out, "%s\n", (char *)warnings->pdata[i]);
		g_ptr_array_free(warnings, TRUE);
		sl_workload_free(w);
	}
	g_free(text);
	return g_string_free(out, FALSE);
}

static void test_resolved(void **state)
{
	(void)state;
	if (!have_package())
		skip();
	for (size_t i = 0; i < G_N_ELEMENTS(names); i++) {
		char *flat = g_strdelimit(g_strdup(names[i]), "/", '-');
		char *path = g_strconcat(SL_TEST_DIR "/resolved/", flat, ".txt", NULL);
		char *got = resolve(names[i]), *expected = NULL;

		if (g_getenv("SL_WRITE_RESOLVED"))
			assert_true(g_file_set_contents(path, got, -1, NULL));
		assert_true(g_file_get_contents(path, &expected, NULL, NULL));
		if (strcmp(got, expected) != 0)
			fail_msg("%s resolves to\n%s\nexpected\n%s", names[i], got, expected);
		g_free(flat);
		g_free(path);
		g_free(got);
		g_free(expected);
	}
}

static void test_library(void **state)
{
	char **library = sl_workload_library();

	(void)state;
	assert_true(g_strv_length(library) >= 12);
	for (char **name = library; *name; name++) {
		const struct sl_workload_opts opts = { .ncpus = 4 };
		GPtrArray *findings = g_ptr_array_new_with_free_func(g_free);
		GError *error = NULL;
		char *summary = sl_workload_summary(*name), *params = sl_workload_params(*name);

		assert_true(sl_workload_lint(*name, &opts, findings, &error));
		if (findings->len > 0)
			fail_msg("%s", (char *)findings->pdata[0]);
		assert_non_null(summary);
		assert_non_null(params);
		g_free(summary);
		g_free(params);
		g_ptr_array_free(findings, TRUE);
	}
	assert_null(sl_workload_summary("nothing"));
	g_strfreev(library);
}

static void test_names(void **state)
{
	static const struct {
		const char *spec, *message;
	} rows[] = {
		{ "hogz", "hogz: no such file and no workload of the library, did you mean "
			  "\"hogs\"? (schedlab list workloads)" },
		{ "hogs:nicee=1", "hogs: no parameter is named \"nicee\", did you mean \"nice\"?; "
				  "there are n, nice, "
				  "chunk, chunks, duration" },
		{ "./none.json", "./none.json: " },
	};

	(void)state;
	for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
		GError *error = NULL;

		assert_null(sl_workload_load(rows[i].spec, NULL, NULL, &error));
		assert_memory_equal(error->message, rows[i].message, strlen(rows[i].message));
		g_error_free(error);
	}
}

/* A million threads and as many tasks as 20 MB of text hold. */
static void test_large(void **state)
{
	GString *text = g_string_new("{\"tasks\":{");
	struct sl_workload *w;
	GError *error = NULL;

	(void)state;
	for (int i = 0; i < 200000; i++)
		g_string_append_printf(
			text,
			"\"task%d\": { \"loop\": -1, \"run\": 1000, \"sleep\": 9000, "
			"\"instance\": 5 },\n",
			i);
	g_string_append(text, "}}");
	w = sl_workload_load_text(text->str, text->len, "large", NULL, NULL, NULL, &error);
	assert_null(error);
	assert_int_equal(w->n_tasks, 200000);
	assert_int_equal(w->n_ops, 800000);
	sl_workload_free(w);
	g_string_free(text, TRUE);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_resolved),
		cmocka_unit_test(test_library),
		cmocka_unit_test(test_names),
		cmocka_unit_test(test_large),
	};

	return sl_test_exit(cmocka_run_group_tests(tests, NULL, NULL), !have_package());
}
