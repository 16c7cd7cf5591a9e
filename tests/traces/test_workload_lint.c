/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Lint: each kind of finding once, with its place, and files in which nothing is found. */
#include "traces/workload_load.h"

#include <glib/gstdio.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

/* All findings of a text, one a line. */
static char *lint(const char *text)
{
	char *path = NULL;
	int fd = g_file_open_tmp("schedlab-lint-XXXXXX.json", &path, NULL);
	GPtrArray *findings = g_ptr_array_new_with_free_func(g_free);
	GString *out = g_string_new(NULL);
	GError *error = NULL;
	size_t prefix = strlen(path);

	assert_true(fd >= 0);
	assert_true(g_file_set_contents(path, text, -1, NULL));
	assert_true(sl_workload_lint(path, NULL, findings, &error));
	for (guint i = 0; i < findings->len; i++)
		g_string_append_printf(out, "%s\n", (char *)findings->pdata[i] + prefix + 1);
	g_close(fd, NULL);
	g_unlink(path);
	g_free(path);
	g_ptr_array_free(findings, TRUE);
	return g_string_free(out, FALSE);
}

static void test_findings(void **state)
{
	static const struct {
		const char *text, *expected;
	} rows[] = {
		{ "{'tasks':{'a':{'run':1,'sleep':2}}}", "" },
		{ "{'tasks':{'a':{'run':1,'suspend'},'b':{'run':1,'resume':'a'}}}", "" },
		{ "{'tasks':{'a':{'run':1,'suspend'},\n'b':{'run':1,'resume':'c'}}}",
		  "1:24: warning: suspend \"a\": waits for a name that nobody signals or resumes\n"
		  "2:14: warning: resume \"c\": wakes a name for which nobody waits or "
		  "suspends\n" },
		{ "{'tasks':{'a':{'run':1,'sem_wait':'s'}}}",
		  "1:24: warning: sem_wait \"s\": waits for a semaphore that nobody posts\n" },
		{ "{'resources':{'s':{'type':'semaphore','initial':3}},"
		  "'tasks':{'a':{'run':1,'sem_wait':'s'}}}",
		  "" },
		{ "{'tasks':{'a':{'run':1,'sem_post':'s'}}}",
		  "1:24: warning: sem_post \"s\": posts a semaphore for which nobody waits\n" },
		{ "{'tasks':{'a':{'run':1,'recv':'s'}}}",
		  "1:24: warning: recv \"s\": receives from a channel to which nobody sends\n" },
		{ "{'tasks':{'a':{'run':1,'send':'s'}}}",
		  "1:24: warning: send \"s\": sends to a channel from which nobody receives\n" },
		{ "{'tasks':{'a':{'run':1,'barrier':'B','run':2,'barrier':'B'},"
		  "'b':{'run':1,'barrier':'B'}}}",
		  "1:24: warning: barrier \"B\" cannot meet: 3 parties (each place that names it "
		  "counts), but only 2 threads\n" },
		{ "{'tasks':{'a':{'loop':1,'phases':{'p':{'loop':-1,'run':1},\n"
		  "'q':{'run':2}}}}}",
		  "2:6: warning: run \"a\": never reached: what stands before it does not end\n" },
		{ "{'tasks':{'a':{'loop':1,'run':1,'exit':'','sleep':1}}}",
		  "1:43: warning: sleep \"a\": never reached: what stands before it does not "
		  "end\n" },
		{ "{'tasks':{'a':{'loop':0,'phases':{'p':{'run':1}}}}}",
		  "1:11: warning: a \"a\": never reached: its loop count is 0\n" },
		{ "{'tasks':{'a':{'run':1},'t':{'instance':0,'loop':1,'run':1}}}",
		  "1:25: warning: t \"t\": a template (instance 0) that nobody forks\n" },
		{ "{'tasks':{'a':{'run':1,'slep':1}}}",
		  "1:24: warning: unknown key \"slep\" in a task is ignored, did you mean "
		  "\"sleep\"?\n" },
	};

	(void)state;
	for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
		char *got = lint(rows[i].text);

		if (strcmp(got, rows[i].expected) != 0)
			fail_msg("%s\n gives\n%s\n expected\n%s", rows[i].text, got,
				 rows[i].expected);
		g_free(got);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_findings) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
