/* SPDX-License-Identifier: BSD-2-Clause
 *
 * The workload language: rt-app's rules and traps, extensions, and messages, as rows of
 * (tasks, what the engine gets). A row's text is the value of "tasks" unless it begins
 * with '{' + newline, then it is the whole document. */
#include "traces/workload_load.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

struct row {
	const char *text;
	const char *expected; /* the listing without its first line, or the error */
	const char *warning;  /* part of a warning; NULL: there is none */
};

/* "ok" listing or the error of one document. */
static char *result(const char *text, const char *params, const struct sl_workload_opts *opts,
		    GPtrArray *warnings)
{
	char *whole = text[0] == '{' && text[1] == '\n' ? g_strdup(text)
							: g_strdup_printf("{\"tasks\":%s}", text);
	GError *error = NULL;
	struct sl_workload *w =
		sl_workload_load_text(whole, strlen(whole), "f", params, opts, warnings, &error);
	GString *out = g_string_new(NULL);

	if (w) {
		assert_null(error);
		sl_workload_show(w, out);
		g_string_erase(out, 0, strchr(out->str, '\n') + 1 - out->str);
		sl_workload_free(w);
	} else {
		assert_non_null(error);
		g_string_assign(out, error->message);
		g_error_free(error);
	}
	g_free(whole);
	return g_string_free(out, FALSE);
}

static void check(const struct row *rows, size_t n, const struct sl_workload_opts *opts,
		  const char *params)
{
	for (size_t i = 0; i < n; i++) {
		GPtrArray *warnings = g_ptr_array_new_with_free_func(g_free);
		char *got = result(rows[i].text, params, opts, warnings);
		bool found = rows[i].warning == NULL && warnings->len == 0;

		if (strcmp(got, rows[i].expected) != 0)
			fail_msg("%s\n gives\n%s\n expected\n%s", rows[i].text, got,
				 rows[i].expected);
		for (guint k = 0; rows[i].warning && k < warnings->len; k++)
			found |= strstr(warnings->pdata[k], rows[i].warning) != NULL;
		if (!found)
			fail_msg("%s\n warns \"%s\"\n expected %s", rows[i].text,
				 warnings->len ? (char *)warnings->pdata[0] : "nothing",
				 rows[i].warning ? rows[i].warning : "nothing");
		g_ptr_array_free(warnings, TRUE);
		g_free(got);
	}
}

#define TASK(n) "task " n ": 1 thread, timeshare, nice 0\n"

static void test_loops(void **state)
{
	static const struct row rows[] = {
		/* No phases, no loop: for ever. */
		{ "{'a':{'run':10}}", TASK("a") "    loop for ever\n      run 10us\n    end\n",
		  NULL },
		/* No phases: a given loop is the phase's, the task runs once. */
		{ "{'a':{'loop':3,'run':10}}", TASK("a") "    loop 3\n      run 10us\n    end\n",
		  NULL },
		{ "{'a':{'loop':1,'run':10}}", TASK("a") "    run 10us\n", NULL },
		{ "{'a':{'loop':-1,'run':10}}",
		  TASK("a") "    loop for ever\n      run 10us\n    end\n", NULL },
		/* A phase loop of 0 never ends: compared after counting. */
		{ "{'a':{'loop':0,'run':10}}",
		  TASK("a") "    loop for ever\n      run 10us\n    end\n", "runs for ever" },
		/* With phases the task loops for ever unless told; phases once. */
		{ "{'a':{'phases':{'p':{'run':10},'q':{'loop':2,'sleep':5}}}}",
		  TASK("a") "    loop for ever\n      run 10us\n      loop 2\n        sleep 5us\n"
			    "      end\n    end\n",
		  NULL },
		/* Task loop 0 with phases ends at once. */
		{ "{'a':{'loop':0,'phases':{'p':{'run':10}}}}",
		  TASK("a") "    loop 0\n      run 10us\n    end\n", NULL },
		{ "{'a':{'loop':1,'phases':{'p':{'loop':0,'run':10}}}}",
		  TASK("a") "    loop for ever\n      run 10us\n    end\n", "runs for ever" },
		{ "{'a':{'loop':-2,'run':1}}",
		  "f:1:23: loop is -2, expected -1 to 9223372036854775807", NULL },
	};

	(void)state;
	check(rows, G_N_ELEMENTS(rows), NULL, NULL);
}

static void test_events(void **state)
{
	static const struct row rows[] = {
		/* By prefix, in rt-app's order: runtime before run, memrun before mem. */
		{ "{'a':{'loop':1,'running_note':1,'runtime2':2,'run0':3,'sleepy':4}}",
		  TASK("a") "    run 1us\n    runtime 2us\n    run 3us\n    sleep 4us\n", NULL },
		/* Duplicates stay, in place. */
		{ "{'a':{'loop':1,'run':1,'sleep':2,'run':3,'sleep':4}}",
		  TASK("a") "    run 1us\n    sleep 2us\n    run 3us\n    sleep 4us\n", NULL },
		{ "{'a':{'loop':1,'lock':'m','wait':{'ref':'c','mutex':'m'},'unlock':'m',"
		  "'signal':'c','broad':'c','sync':{'ref':'c','mutex':'m'}}}",
		  "mutex m: user\n" TASK("a") "    lock m\n    wait c mutex m\n    unlock m\n"
					      "    signal c\n    broad c\n    sync c mutex m\n",
		  NULL },
		{ "{'a':{'loop':1,'timer':{'ref':'tick','period':5},"
		  "'timer':{'ref':'unique1','period':7,'mode':'absolute'}}}",
		  TASK("a") "    timer tick 5us\n    timer unique1 7us absolute own\n", NULL },
		{ "{'a':{'loop':1,'sem_post':'s','sem_wait0':'s','yield':''}}",
		  "semaphore s: starts at 0\n" TASK("a") "    sem_post s\n    sem_wait s\n"
							 "    yield\n",
		  NULL },
		/* Textual references times instances. */
		{ "{'a':{'instance':2,'loop':1,'barrier1':'B','barrier2':'B'},"
		  "'b':{'loop':1,'barrier':'B'}}",
		  "barrier B: 5 parties\ntask a: 2 threads, timeshare, nice 0\n    barrier B\n"
		  "    barrier B\n" TASK("b") "    barrier B\n",
		  NULL },
		{ "{'a':{'loop':1,'fork':'t','run':1},'t':{'instance':0,'priority':5,'delay':9,"
		  "'loop':1,'run':2}}",
		  TASK("a") "    fork t 1\n    run 1us\ntask t: template, timeshare, nice 5, "
			    "starts at 9us\n    setnice 5\n    until 9us\n    run 2us\n",
		  NULL },
		{ "{'a':{'loop':1,'mem':1000}}", TASK("a") "    run 100ns\n",
		  "mem is approximated" },
		{ "{'a':{'loop':1,'memrun':{'type':'read','size':1000,'count':5}}}",
		  TASK("a") "    run 500ns\n", "memrun is approximated" },
		{ "{'a':{'loop':1,'iorun':9000000}}", TASK("a") "    krun 3us\n",
		  "iorun is approximated" },
		{ "{'a':{'loop':1,'suspend','run':1},'b':{'loop':1,'resume':'a'}}",
		  TASK("a") "    wait a\n    run 1us\n" TASK("b") "    broad a\n", NULL },
		{ "{'a':{'priority':3}}",
		  "f:1:11: \"a\" has no event, expected at least one such "
		  "as run or sleep",
		  NULL },
		{ "{'a':{'external_workload':'x'},'b':{'loop':1,'run':1}}",
		  TASK("a") TASK("b") "    run 1us\n", "\"a\" has no event that is known here" },
		{ "{'a':{'phases':{'r0':{'duration':2500}}}}", TASK("a"),
		  "\"r0\" has no event that is known here" },
		{ "{'a':{'loop':1,'rum':5}}",
		  "f:1:11: \"a\" has no event, expected at least one such as run or sleep",
		  "did you mean \"run\"" },
		{ "{'a':{'run'}}", "f:1:16: run has no value", NULL },
		{ "{'a':{'run':10.5}}",
		  "f:1:22: run is 10.5, expected whole microseconds (or \"10.5us\")", NULL },
		{ "{'a':{'run':'10'}}",
		  "f:1:22: \"10\" has no unit, expected a time such as \"10ms\"", NULL },
		{ "{'a':{'run':-1}}", "f:1:22: run is negative, expected a time of at least 0",
		  NULL },
		{ "{'a':{'run':true}}",
		  "f:1:22: run is true or false, expected whole "
		  "microseconds or a string with a unit such as \"10ms\"",
		  NULL },
		{ "{'a':{'timer':{'period':5}}}", "f:1:24: timer has no \"ref\"", NULL },
		{ "{'a':{'run':1,'fork':'bb'},'b':{'instance':0,'run':1}}",
		  "f:1:31: no task is named \"bb\", did you mean \"b\"?", NULL },
		{ "{'a':{'instance':0,'run':1,'barrier':'B'}}",
		  "f:1:47: barrier in a template: its parties cannot be counted; declare them in "
		  "resources ({\"type\": \"barrier\", \"parties\": n})",
		  NULL },
		{ "{'a':{'run':1},'a':{'run':2}}", "f:1:25: \"a\" occurs twice in tasks", NULL },
		{ "{'a':{'loop':1,'rum':1,'run':2}}", TASK("a") "    run 2us\n",
		  "f:1:25: warning: unknown key \"rum\" in a task is ignored, did you mean "
		  "\"run\"?" },
		{ "{'a':{'loop':1,'loop':2,'run':2}}",
		  TASK("a") "    loop 2\n      run 2us\n"
			    "    end\n",
		  "\"loop\" occurs twice here; the last one counts" },
		{ "{'a':{'sem_post':'s'}}", "f:1:11: endless loop in which no time can pass",
		  NULL },
		{ "{'a':{'loop':5000000,'phases':{'p':{'run':0}}}}",
		  "f:1:11: endless loop in which no time can pass", NULL },
	};

	(void)state;
	check(rows, G_N_ELEMENTS(rows), NULL, NULL);
}

static void test_suspend_dialects(void **state)
{
	static const struct row current[] = {
		{ "{'a':{'loop':1,'suspend':'x'},'b':{'loop':1,'resume':'x'}}",
		  TASK("a") "    wait a\n" TASK("b") "    broad x\n",
		  "f:1:35: warning: suspend waits on the task's own name \"a\", not on \"x\"; "
		  "rt-app 1.0 waited on \"x\" (--dialect=1.0)" },
	};
	static const struct row old[] = {
		{ "{'a':{'loop':1,'suspend':'x'},'b':{'loop':1,'resume':'x'}}",
		  TASK("a") "    wait x\n" TASK("b") "    broad x\n", NULL },
		{ "{'a':{'loop':1,'suspend'},'b':{'loop':1,'resume':'a'}}",
		  TASK("a") "    wait a\n" TASK("b") "    broad a\n", NULL },
	};
	const struct sl_workload_opts opts = { .dialect = SL_DIALECT_1_0 };

	(void)state;
	check(current, G_N_ELEMENTS(current), NULL, NULL);
	check(old, G_N_ELEMENTS(old), &opts, NULL);
}

static void test_properties(void **state)
{
	static const struct row rows[] = {
		{ "{'a':{'loop':1,'instance':3,'priority':-5,'delay':'7ms','cpus':[0,2,3],'run':1}"
		  "}",
		  "task a: 3 threads, timeshare, nice -5, cpus 0,2-3, starts at 7ms\n    run 1us\n",
		  NULL },
		{ "{'a':{'loop':1,'cpus':'0-1,4','run':1}}",
		  "task a: 1 thread, timeshare, nice 0, cpus 0-1,4\n    run 1us\n", NULL },
		{ "{'a':{'cpus':[],'run':1}}", "f:1:23: empty CPU list, expected at least one CPU",
		  NULL },
		/* The phase's CPUs, else the task's, set each time the phase begins. */
		{ "{'a':{'loop':1,'cpus':[1],'phases':{'p':{'cpus':[0],'loop':2,'run':1},"
		  "'q':{'run':2}}}}",
		  "task a: 1 thread, timeshare, nice 0, cpus 1\n    setmask 0\n    loop 2\n"
		  "      run 1us\n    end\n    setmask 1\n    run 2us\n",
		  NULL },
		{ "{'a':{'loop':1,'phases':{'p':{'cpus':[0],'run':1},'q':{'run':2}}}}",
		  TASK("a") "    setmask 0\n    run 1us\n    setmask all\n    run 2us\n", NULL },
		{ "{'a':{'loop':1,'policy':'SCHED_FIFO','priority':10,'run':1}}",
		  "task a: 1 thread, fifo 28, nice 0\n    run 1us\n",
		  "SCHED_FIFO priorities 1 to 99 become rtprio levels 31 to 0 (10 is level 28)" },
		{ "{'a':{'loop':1,'policy':'SCHED_FIFO','priority':10,'run':1},"
		  "'b':{'loop':1,'policy':'SCHED_FIFO','priority':12,'run':1}}",
		  "task a: 1 thread, fifo 28, nice 0\n    run 1us\n"
		  "task b: 1 thread, fifo 28, nice 0\n    run 1us\n",
		  "f:1:117: warning: priorities 10 and 12 become the same rtprio level 28" },
		{ "{'a':{'loop':1,'policy':'SCHED_RR','run':1}}",
		  "task a: 1 thread, realtime 28, nice 0\n    run 1us\n", "SCHED_RR" },
		{ "{'a':{'loop':1,'policy':'SCHED_BATCH','priority':4,'run':1}}",
		  "task a: 1 thread, timeshare, nice 4\n    run 1us\n", "SCHED_BATCH is approx" },
		{ "{'a':{'loop':1,'policy':'SCHED_IDLE','run':1}}",
		  "task a: 1 thread, idle 31, nice 0\n    run 1us\n", "SCHED_IDLE is approx" },
		{ "{'a':{'loop':1,'policy':'SCHED_DEADLINE','dl-runtime':5,'run':1}}",
		  "task a: 1 thread, fifo, nice 0\n    run 1us\n", "SCHED_DEADLINE is approx" },
		{ "{'a':{'policy':'SCHED_OTTER','run':1}}",
		  "f:1:25: unknown policy \"SCHED_OTTER\", expected one such as SCHED_OTHER",
		  NULL },
		{ "{'a':{'priority':25,'run':1}}",
		  "f:1:27: priority 25 of SCHED_OTHER is its nice value, expected -20 to 20",
		  NULL },
		{ "{'a':{'loop':1,'phases':{'p':{'priority':5,'run':1},"
		  "'q':{'policy':'SCHED_FIFO','priority':99,'run':1}}}}",
		  TASK("a") "    setnice 5\n    run 1us\n    setclass fifo 0\n    run 1us\n",
		  "SCHED_FIFO" },
		{ "{'a':{'loop':1,'taskgroup':'/x','util_min':3,'run':1}}",
		  TASK("a") "    run 1us\n", "taskgroup: task groups are not modelled" },
		{ "{'a':{'loop':1,'run':5,'phases':{'p':{'run':1}}}}", TASK("a") "    run 1us\n",
		  "event \"run\" beside phases is ignored" },
		{ "{'a':{'loop':1,'phases':{'p':{'run':1},'p':{'run':2}}}}",
		  TASK("a") "    run 1us\n    run 2us\n", NULL },
		{ "{\n\"global\":{\"pi_enabled\":true},\"tasks\":{\"a\":{\"loop\":1,\"lock\":\"m\"}"
		  "}}",
		  "mutex m: pi\n" TASK("a") "    lock m\n", NULL },
		{ "{\n\"global\":{\"default_policy\":\"SCHED_FIFO\"},\"tasks\":{\"a\":{\"loop\":1,"
		  "\"run\":1}}}",
		  "task a: 1 thread, fifo 28, nice 0\n    run 1us\n", "SCHED_FIFO" },
	};
	static const struct row known[] = {
		{ "{'a':{'loop':1,'cpus':[1,9],'phases':{'p':{'cpus':[0],'run':1}}}}",
		  "task a: 1 thread, timeshare, nice 0, cpus 1\n    setmask 0\n    run 1us\n",
		  "CPUs beyond 3 are left out" },
		{ "{'a':{'loop':1,'phases':{'p':{'cpus':[0],'run':1},'q':{'run':2}}}}",
		  TASK("a") "    setmask 0\n    run 1us\n    setmask 0-3\n    run 2us\n", NULL },
		{ "{'a':{'cpus':[4],'run':1}}",
		  "f:1:23: none of these CPUs exists, the machine has 0 to 3", NULL },
		{ "{'a':{'loop':1,'instance':'$ncpus + 1','run':1}}",
		  "task a: 5 threads, timeshare, nice 0\n    run 1us\n", NULL },
	};
	const struct sl_workload_opts four = { .ncpus = 4 };

	(void)state;
	check(rows, G_N_ELEMENTS(rows), NULL, NULL);
	check(known, G_N_ELEMENTS(known), &four, NULL);
}

static void test_conformance_keys(void **state)
{
	static const struct row rows[] = {
		{ "{'a':{'loop':1,'x_setnice0':{'thread':'b','nice':3},"
		  "'x_setclass':{'class':'realtime','prio':4},'x_setclass':{'class':'timeshare'},"
		  "'x_setmask':{'thread':'a','cpus':[1]},'x_bindcpu':0,'x_bindcpu':-1},"
		  "'b':{'loop':1,'run':1}}",
		  TASK("a") "    setnice of b 3\n    setclass realtime 4\n"
			    "    setclass timeshare 0\n    setmask 1 of a\n    bind 0\n"
			    "    bind -1\n" TASK("b") "    run 1us\n",
		  NULL },
		{ "{'a':{'loop':1,'x_setclass':{'thread':'b','class':'idle','prio':31}},"
		  "'b':{'loop':1,'run':1}}",
		  TASK("a") "    setclass of b idle 31\n" TASK("b") "    run 1us\n", NULL },
		{ "{'a':{'loop':1,'x_setclass':{'thread':'c','class':'idle'}}}",
		  "f:1:48: no task is named \"c\", did you mean \"a\"?", NULL },
		/* x_newproc: the template has an id, inherits everything, sets nothing. */
		{ "{'a':{'loop':1,'x_newproc':'t'},'t':{'instance':0,'priority':-3,'cpus':[0],"
		  "'loop':2,'run':1}}",
		  TASK("a") "    fork t 1 once\ntask t: template with an id, timeshare, nice -3, "
			    "cpus 0\n    loop 2\n      run 1us\n    end\n",
		  NULL },
		{ "{'a':{'loop':1,'x_newproc':'b'},'b':{'run':1}}",
		  "f:1:37: task \"b\" is no template, expected one with \"instance\": 0", NULL },
		{ "{'a':{'loop':1,'x_newproc':'t','fork':'t'},'t':{'instance':0,'run':1}}",
		  "f:1:53: template \"t\" is used by fork and by x_newproc", NULL },
		{ "{'i':{'x_ithread':'PI_NET','x_irq_cpu':1,'x_bind':2,'x_pin':1,'run':1}}",
		  "task i: 1 thread, timeshare, nice 0, interrupt thread on CPU 1, bound to CPU 2, "
		  "pinned\n    loop for ever\n      run 1us\n    end\n",
		  NULL },
		{ "{'a':{'x_sleep_prio':'PSOC','sleep':1}}",
		  "f:1:31: unknown kernel priority \"PSOC\", expected one such as PSOCK", NULL },
	};

	(void)state;
	check(rows, G_N_ELEMENTS(rows), NULL, NULL);
}

static void test_extensions(void **state)
{
	static const struct row rows[] = {
		{ "{'a':{'loop':1,'krun':'2.5us','execve':'1ms','send':'c',"
		  "'recv':{'ref':'c','units':3},'disk':{'ref':'d','time':'4ms'},"
		  "'read':{'ref':'d','time':'1ms'},'spawn':{'task':'t','count':2,'thread':true},"
		  "'join':'all','join':'one','mark':'','exit':''},'t':{'instance':0,'run':1}}",
		  "channel c: unbounded\ndisk d: 1 server, reads miss 1000 permille cold, 0 "
		  "warm\n" TASK(
			  "a") "    krun 2500ns\n    execve 1ms\n    send c 1\n    recv c 3\n"
			       "    disk d 4ms\n    read d 1ms\n    fork t 2 thread\n    join all\n"
			       "    join one\n    mark\n    exit\ntask t: template, timeshare, "
			       "nice 0\n"
			       "    loop for ever\n      run 1us\n    end\n",
		  NULL },
		{ "{'a':{'loop':1,'repeat':{'count':3,'do':{'run':1,'run':2}},"
		  "'for':{'i':2,'j':2,'do':{'sem_post':'s${2*$i+$j}'}}}}",
		  "semaphore s0: starts at 0\nsemaphore s1: starts at 0\n"
		  "semaphore s2: starts at 0\nsemaphore s3: starts at 0\n" TASK(
			  "a") "    loop 3\n      run 1us\n      run 2us\n    end\n    sem_post "
			       "s0\n"
			       "    sem_post s1\n    sem_post s2\n    sem_post s3\n",
		  NULL },
		{ "{'a$i':{'foreach':{'i':2},'process':'p','footprint':64,'background':true,"
		  "'loop':1,'run':'($i+1)*10us'}}",
		  "task a0: 1 thread, timeshare, nice 0, process 0, background, footprint 64 KiB\n"
		  "    run 10us\n"
		  "task a1: 1 thread, timeshare, nice 0, process 0, background, footprint 64 KiB\n"
		  "    run 20us\n",
		  NULL },
		{ "{\n\"params\":{\"n\":2,\"len\":\"10ms\",\"twice\":\"2 * $n\"},\"resources\":{"
		  "\"s\":{\"type\":\"semaphore\",\"initial\":\"$twice\"},"
		  "\"m\":{\"type\":\"mutex\",\"kind\":\"kernel\"},"
		  "\"c\":{\"type\":\"channel\",\"capacity\":7},"
		  "\"d\":{\"type\":\"disk\",\"servers\":2,\"cold_permille\":500},"
		  "\"b\":{\"type\":\"barrier\",\"parties\":9}},"
		  "\"tasks\":{\"a\":{\"instance\":\"$n\",\"loop\":1,\"run\":\"$len / $n\","
		  "\"barrier\":\"b\"}}}",
		  "mutex m: kernel\nsemaphore s: starts at 4\nbarrier b: 9 parties\n"
		  "channel c: 7 units\n"
		  "disk d: 2 servers, reads miss 500 permille cold, 0 warm\n"
		  "task a: 2 threads, timeshare, nice 0\n    run 5ms\n    barrier b\n",
		  NULL },
		{ "{'a':{'loop':{'dist':'uniform','min':1,'max':3},"
		  "'run':{'dist':'uniform','min':'1ms','max':'3ms'}}}",
		  TASK("a") "    loop drawn, mean 2, min 1, median 1, max 4\n"
			    "      run drawn, mean 2ms, min 1ms, median 1ms, max 3ms\n    end\n",
		  NULL },
		{ "{'a':{'run':{'dist':'lognorm','mean':5}}}",
		  "f:1:30: expected {\"dist\": \"lognormal\", ...}; there are constant, uniform, "
		  "exponential, lognormal, pareto, empirical",
		  NULL },
		{ "{\n\"params\":{\"n\":2},\"let\":{\"m\":\"$n+1\",\"k\":\"pick($m-2,5,6,7)\"},"
		  "\"tasks\":{\"a\":{\"instance\":\"$k\",\"loop\":1,\"run\":1}}}",
		  "task a: 6 threads, timeshare, nice 0\n    run 1us\n", NULL },
		{ "{'a':{'run':'pick(2,1us,2us)'}}",
		  "f:1:22: the index of pick() is no whole number from 0 to 1", NULL },
		{ "{'a':{'run':'3 * $nn'}}", "f:1:22: unknown parameter '$nn'", NULL },
		{ "{'a':{'run':'10ms + 1'}}", "f:1:22: sum of a time and a number", NULL },
		{ "{'a':{'run':'10parsec'}}",
		  "f:1:22: unknown unit 'parsec', expected ns, us, ms, s, min or h", NULL },
		{ "{'a':{'repeat':{'count':1,'do':{'priority':1}}}}",
		  "f:1:42: \"priority\" is no event", NULL },
	};

	(void)state;
	check(rows, G_N_ELEMENTS(rows), NULL, NULL);
}

static void test_given_params(void **state)
{
	static const char text[] = "{\n\"params\":{\"n\":{\"default\":2,\"min\":1,\"max\":8},"
				   "\"len\":\"1ms\"},\"tasks\":{\"a\":{\"instance\":\"$n\","
				   "\"loop\":1,\"run\":\"$len\"}}}";
	static const struct {
		const char *params;
		struct row row;
	} cases[] = {
		{ "n=3,len=5us",
		  { text, "task a: 3 threads, timeshare, nice 0\n    run 5us\n", NULL } },
		{ "n=2*3", { text, "task a: 6 threads, timeshare, nice 0\n    run 1ms\n", NULL } },
		{ "m=3",
		  { text, "f: no parameter is named \"m\", did you mean \"n\"?; there are n, len",
		    NULL } },
		{ "n", { text, "f: parameter \"n\", expected name=value", NULL } },
		{ "len=5",
		  { text, "f: parameter len=5, expected a time with a unit such as 10ms", NULL } },
		{ "n=1ms", { text, "f: parameter n=1ms, expected a number without a unit", NULL } },
		{ "n=9", { text, "f: parameter n is out of range, expected at most 8", NULL } },
	};

	(void)state;
	for (size_t i = 0; i < G_N_ELEMENTS(cases); i++)
		check(&cases[i].row, 1, NULL, cases[i].params);
}

static void test_documents(void **state)
{
	static const struct row rows[] = {
		/* Files of before rt-app named its resources; no type is mutex; a template of
		 * Arm's LISA as it is in the repository. */
		{ "{\n\"resources\":2,\"tasks\":{}}", "", "resources is a number" },
		{ "{\n\"resources\":{\"m\":{},\"c\":{\"type\":\"cond\"},\"s\":{\"type\":\"sem\"},"
		  "\"b\":{\"type\":\"broad\"}},\"tasks\":{}}",
		  "mutex m: user\nsemaphore s: starts at 0\n", NULL },
		{ "{\n\"global\":{\"duration\":__DURATION__,\"logdir\":__LOGDIR__},"
		  "\"tasks\":{\"a\":{\"loop\":1,\"run\":1}}}",
		  TASK("a") "    run 1us\n",
		  "f:2:22: warning: duration is the placeholder __DURATION__" },
		{ "{'a':{'run':__RUN__}}",
		  "f:1:22: run is a template's placeholder, expected whole microseconds or a "
		  "string with a unit such as \"10ms\"",
		  NULL },
		{ "{'a':{'loop':1,'dl-reclaim':true,'run':1}}", TASK("a") "    run 1us\n",
		  "f:1:25: warning: dl-reclaim: deadline parameters are not modelled" },
		{ "{\n\"global\":{\"duration\":2}}", "", "no \"tasks\": a fragment" },
		{ "{\n}", "f:1:1: no \"tasks\", expected {\"tasks\": {...}}", NULL },
		{ "[]", "f:1:10: tasks is a list, expected an object", NULL },
		{ "{'a':3}", "f:1:15: task \"a\" is a number, expected an object", NULL },
		{ "{\n\"tasks\":{},\"tasks\":{}}", "f:2:12: \"tasks\" occurs twice in the document",
		  NULL },
		{ "{\n\"tasks\":{},\"globals\":{}}", "",
		  "unknown key \"globals\" in the document is ignored, did you mean \"global\"?" },
		{ "{\n\"global\":{\"duration\":\"1.5s\"},\"tasks\":{}}", "", NULL },
		{ "{\n\"resources\":{\"x\":{\"type\":\"semafore\"}},\"tasks\":{}}",
		  "f:2:26: resource \"x\" has an unknown type, expected one such as semaphore",
		  NULL },
	};

	(void)state;
	check(rows, G_N_ELEMENTS(rows), NULL, NULL);
}

static void test_legacy_format(void **state)
{
	static const struct row rows[] = {
		{ "{\n\"resources\":{\"r\":{\"type\":\"mutex\"},\"w\":{\"type\":\"wait\"},"
		  "\"s\":{\"type\":\"signal\",\"target\":\"w\"}},\"tasks\":{\"a\":{\"exec\":5,"
		  "\"period\":100,\"lock_order\":[\"r\",\"w\",\"s\"],\"resources\":{"
		  "\"r\":{\"duration\":3},\"w\":{\"duration\":0,\"access\":[\"m\"]}}}}}",
		  "mutex r: user\nmutex m: user\n" TASK(
			  "a") "    loop for ever\n      run 5us\n      lock r\n      run 3us\n    "
			       "  unlock r\n"
			       "      lock m\n      wait w mutex m\n      unlock m\n      signal "
			       "w\n"
			       "      timer unique 100us own\n    end\n",
		  "task format of before rt-app v1.0" },
	};

	(void)state;
	check(rows, G_N_ELEMENTS(rows), NULL, NULL);
}

static void test_pure_json(void **state)
{
	const struct sl_workload_opts strict = { .strict = true };
	char *got = result("{\n\"tasks\":{\"a\":{\"run\":1,},}}", NULL, &strict, NULL);

	(void)state;
	assert_string_equal(got, "f:2:23: comma before '}', but --strict allows none");
	g_free(got);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_loops),
		cmocka_unit_test(test_events),
		cmocka_unit_test(test_suspend_dialects),
		cmocka_unit_test(test_properties),
		cmocka_unit_test(test_conformance_keys),
		cmocka_unit_test(test_extensions),
		cmocka_unit_test(test_given_params),
		cmocka_unit_test(test_documents),
		cmocka_unit_test(test_legacy_format),
		cmocka_unit_test(test_pure_json),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
