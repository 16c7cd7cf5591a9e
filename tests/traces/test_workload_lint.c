/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Lint: each kind of finding once, with its place, and files in which nothing is found. */
#include "traces/workload_load.h"

#include <glib/gstdio.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>
#include <time.h>

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

/* 11,000 tasks that take 16 of 88,000 mutexes each: 1.3 million pairs, of which none or nearly all
 * lie on circles. Cost is linear in pairs; the bound, in CPU time, leaves room for sanitizers. */
static void test_many_pairs(void **state)
{
	static const char text[] = "{'tasks':{'t$i':{'foreach':{'i':11000},'loop':1,"
				   "'for':{'j':16,'do':{'lock':'m${%s}'}},'run':1,"
				   "'for1':{'j':16,'do':{'unlock':'m${%s}'}}}}}";
	static const char *const name[] = { "$i*8+$j", "($i*8+$j)%88000" };

	(void)state;
	for (int circular = 0; circular < 2; circular++) {
		char *json = g_strdup_printf(text, name[circular], name[circular]);
		clock_t begin = clock();
		char *got = lint(json);

		assert_true((clock() - begin) / CLOCKS_PER_SEC < 10);
		if (circular) {
			assert_non_null(strstr(got, "; and so on; at "));
		} else {
			assert_string_equal(got, "");
		}
		g_free(got);
		g_free(json);
	}
}

/* A circle is found wherever it stands: behind 1000 pairs that lie on none. */
static void test_late_circle(void **state)
{
	char *got = lint("{'tasks':{'c$i':{'foreach':{'i':1000},'loop':1,'lock':'m$i',"
			 "'lock1':'m${$i+1}','run':1,'unlock1':'m${$i+1}','unlock':'m$i'},\n"
			 "'a':{'lock1':'A','lock2':'B','run':1,'unlock2':'B','unlock1':'A'},\n"
			 "'b':{'lock1':'B','lock2':'A','run':1,'unlock2':'A','unlock1':'B'}}}");

	(void)state;
	assert_string_equal(got, "2:18: warning: lock2 \"B\": taken while \"A\" is held; at 3:18 "
				 "\"A\" while \"B\" is held: the tasks can wait for each other for "
				 "ever\n");
	g_free(got);
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
		/* Mutexes. The second form of each is right. */
		{ "{'tasks':{'a':{'run':1,'unlock':'m'}}}",
		  "1:24: warning: unlock \"m\": unlocked, but the task does not hold it\n" },
		{ "{'tasks':{'a':{'lock':'m','run':1,'lock1':'m','unlock':'m'}}}",
		  "1:35: warning: lock1 \"m\": locked twice; the task waits for itself\n" },
		{ "{'tasks':{'a':{'loop':1,'lock':'m','run':1}}}",
		  "1:25: warning: lock \"m\": never unlocked: the task ends with it\n" },
		{ "{'tasks':{'a':{'loop':1,'lock':'m','exit':''}}}",
		  "1:25: warning: lock \"m\": never unlocked: the task ends with it\n" },
		{ "{'tasks':{'a':{'loop':2,'lock':'m','run':1}}}",
		  "1:25: warning: lock \"m\": still held at the end of the loop, whose next turn "
		  "locks it again\n" },
		{ "{'tasks':{'a':{'loop':1,'phases':{'p':{'lock':'m','run':1},\n"
		  "'q':{'loop':2,'unlock':'m','run':1}}}}}",
		  "2:1: warning: q \"m\": unlocked in the loop, whose next turn unlocks it "
		  "again\n" },
		{ "{'tasks':{'a':{'phases':{'p':{'lock':'m','run':1},'q':{'unlock':'m'}}}}}", "" },
		{ "{'tasks':{'a':{'lock':'m','run':1,'repeat':{'count':3,'do':{'unlock':'m','run':"
		  "1,"
		  "'lock':'m'}},'unlock':'m'}}}",
		  "" },
		{ "{'tasks':{'a':{'run':1,'wait':{'ref':'c','mutex':'m'}},'b':{'run':1,"
		  "'signal':'c'}}}",
		  "1:24: warning: wait \"m\": this mutex is not held, and waiting gives it up\n" },
		{ "{'tasks':{'a':{'lock':'m','sync':{'ref':'c','mutex':'m'},'unlock':'m'}}}", "" },
		{ "{'tasks':{'a':{'lock1':'A','lock2':'B','run':1,'unlock2':'B','unlock1':'A'},\n"
		  "'b':{'lock1':'B','lock2':'A','run':1,'unlock2':'A','unlock1':'B'}}}",
		  "1:28: warning: lock2 \"B\": taken while \"A\" is held; at 2:18 \"A\" while "
		  "\"B\" is held: the tasks can wait for each other for ever\n" },
		/* Both orders in one thread follow each other. */
		{ "{'tasks':{'a':{'lock1':'A','lock2':'B','run':1,'unlock2':'B','unlock1':'A',"
		  "'lock3':'B','lock4':'A','unlock4':'A','unlock3':'B'}}}",
		  "" },
		{ "{'tasks':{'a':{'instance':2,'lock1':'A','lock2':'B','run':1,'unlock2':'B',"
		  "'unlock1':'A',\n'lock3':'B','lock4':'A','unlock4':'A','unlock3':'B'}}}",
		  "1:41: warning: lock2 \"B\": taken while \"A\" is held; at 2:13 \"A\" while "
		  "\"B\" is held: the tasks can wait for each other for ever\n" },
		/* Three philosophers. */
		{ "{'tasks':{'p$i':{'foreach':{'i':3},'lock1':'f$i','lock2':'f${($i+1)%3}','run':1,"
		  "'unlock2':'f${($i+1)%3}','unlock1':'f$i'}}}",
		  "1:50: warning: lock2 \"f1\": taken while \"f0\" is held; at 1:50 \"f2\" while "
		  "\"f1\" is held; at 1:50 \"f0\" while \"f2\" is held: the tasks can wait for "
		  "each other for ever\n" },
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
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_findings),
		cmocka_unit_test(test_late_circle),
		cmocka_unit_test(test_many_pairs),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
