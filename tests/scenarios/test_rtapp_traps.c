/* SPDX-License-Identifier: BSD-2-Clause
 *
 * The traps of rt-app's language, from its text to the time each thread ends at: one row a
 * trap. What a row needs no run for (how keys are read, messages, warnings) is in
 * tests/traces/test_workload_lang.c; docs/workloads.md lists which test holds which trap. */
#include "policies/registry.h"
#include "sim/core/sim.h"
#include "topologies/topo_load.h"
#include "traces/workload_load.h"

#include "tests/sl_test.h"

#include <glib.h>

#define NEVER (-1)

struct row {
	const char *trap, *tasks; /* the value of "tasks" */
	const char *topology;
	enum sl_end end;
	int n;
	int64_t ended_us[4]; /* of the threads in order; NEVER: not before the limit */
	int64_t user_us[4];  /* 0: not looked at */
	enum sl_dialect dialect;
};

#define LIMIT_S 2 /* of simulated time */

static const struct row rows[] = {
	{ "a repeated event is a second event, in its place",
	  "{'a':{'loop':1,'run':1000,'sleep':2000,'run':3000,'sleep':4000}}",
	  "flat:1",
	  SL_END_DONE,
	  1,
	  { 10000 },
	  { 4000 },
	  0 },
	{ "events go by prefix, runtime before run",
	  "{'a':{'loop':1,'running_note':1000,'run7':2000,'runtimeX':640,'sleepy':5000}}",
	  "flat:1",
	  SL_END_DONE,
	  1,
	  { 8640 },
	  { 3640 },
	  0 },
	{ "run is work, which a busy CPU stretches",
	  "{'a':{'loop':1,'run':10000},'b':{'loop':1,'run':10000}}",
	  "flat:1",
	  SL_END_DONE,
	  2,
	  { 10000, 20000 },
	  { 10000, 10000 },
	  0 },
	{ "runtime begins when it is executed, and goes on in steps of 32 us",
	  "{'a':{'loop':1,'run':1000,'yield':'','runtime':10000},'b':{'loop':1,'run':8000}}",
	  "flat:1",
	  SL_END_DONE,
	  2,
	  { 19016, 9000 },
	  { 11016, 8000 },
	  0 },
	{ "runtime is looked at every 32 us",
	  "{'a':{'loop':1,'runtime':33}}",
	  "flat:1",
	  SL_END_DONE,
	  1,
	  { 64 },
	  { 64 },
	  0 },
	{ "sleep is relative to when it is executed",
	  "{'a':{'loop':2,'run':3000,'sleep':7000}}",
	  "flat:1",
	  SL_END_DONE,
	  1,
	  { 20000 },
	  { 6000 },
	  0 },
	{ "a timer's first base is zero + delay, not its first use",
	  "{'a':{'loop':1,'delay':5000,'run':3000,'timer':{'ref':'unique','period':10000}},"
	  "'b':{'loop':1,'run':3000,'timer':{'ref':'unique','period':10000}}}",
	  "flat:2",
	  SL_END_DONE,
	  2,
	  { 15000, 10000 },
	  { 0 },
	  0 },
	{ "a late relative timer starts over from now",
	  "{'a':{'loop':1,'run':25000,'timer':{'ref':'unique','period':10000},"
	  "'run':1000,'timer':{'ref':'unique','period':10000}}}",
	  "flat:1",
	  SL_END_DONE,
	  1,
	  { 35000 },
	  { 0 },
	  0 },
	{ "a late absolute timer keeps its grid and catches up",
	  "{'a':{'loop':1,'run':25000,'timer':{'ref':'unique','period':10000,'mode':'absolute'},"
	  "'run':1000,'timer':{'ref':'unique','period':10000,'mode':'absolute'},"
	  "'timer':{'ref':'unique','period':10000,'mode':'absolute'}}}",
	  "flat:1",
	  SL_END_DONE,
	  1,
	  { 30000 },
	  { 0 },
	  0 },
	{ "a timer that is not unique is one for all: each use advances it",
	  "{'a':{'loop':1,'timer':{'ref':'tick','period':10000}},"
	  "'b':{'loop':1,'run':1000,'timer':{'ref':'tick','period':10000}}}",
	  "flat:2",
	  SL_END_DONE,
	  2,
	  { 10000, 20000 },
	  { 0 },
	  0 },
	{ "a wait does not know of earlier signals",
	  "{'w':{'loop':1,'run':2000,'lock':'m','wait':{'ref':'c','mutex':'m'},'unlock':'m'},"
	  "'s':{'loop':1,'run':1000,'signal':'c','run':5000,'signal':'c'}}",
	  "flat:2",
	  SL_END_DONE,
	  2,
	  { 6000, 6000 },
	  { 0 },
	  0 },
	{ "signal wakes one, broad all",
	  "{'w':{'instance':3,'loop':1,'lock':'m','wait':{'ref':'c','mutex':'m'},'unlock':'m'},"
	  "'s':{'loop':1,'run':1000,'signal':'c','run':1000,'broad':'c'}}",
	  "flat:4",
	  SL_END_DONE,
	  4,
	  { 1000, 2000, 2000, 2000 },
	  { 0 },
	  0 },
	{ "sync signals and then waits",
	  "{'a':{'loop':1,'run':1000,'lock':'m','sync':{'ref':'c','mutex':'m'},'unlock':'m'},"
	  "'b':{'loop':1,'lock':'m','wait':{'ref':'c','mutex':'m'},'unlock':'m','run':2000,"
	  "'lock':'m','signal':'c','unlock':'m'}}",
	  "flat:2",
	  SL_END_DONE,
	  2,
	  { 3000, 3000 },
	  { 0 },
	  0 },
	{ "a barrier counts places times instances",
	  "{'a':{'instance':2,'loop':1,'run':1000,'barrier':'B'},"
	  "'b':{'loop':1,'run':7000,'barrier':'B'}}",
	  "flat:4",
	  SL_END_DONE,
	  3,
	  { 7000, 7000, 7000 },
	  { 0 },
	  0 },
	{ "a task that names a barrier in two places waits for ever",
	  "{'a':{'loop':1,'phases':{'p':{'run':1000,'barrier':'B'},"
	  "'q':{'run':1000,'barrier':'B'}}},'b':{'loop':1,'run':1000,'barrier':'B'}}",
	  "flat:2",
	  SL_END_UNTIL,
	  2,
	  { NEVER, NEVER },
	  { 1000, 1000 },
	  0 },
	{ "all instances of a task suspend on its name, and one resume wakes them",
	  "{'a':{'instance':2,'loop':1,'suspend':'','run':1000},"
	  "'b':{'loop':1,'run':4000,'resume':'a'}}",
	  "flat:4",
	  SL_END_DONE,
	  3,
	  { 5000, 5000, 4000 },
	  { 0 },
	  0 },
	{ "a resume that finds nobody is lost",
	  "{'a':{'loop':1,'run':5000,'suspend':''},'b':{'loop':1,'run':1000,'resume':'a'}}",
	  "flat:2",
	  SL_END_UNTIL,
	  2,
	  { NEVER, 1000 },
	  { 0 },
	  0 },
	{ "the value of suspend is ignored today",
	  "{'a':{'loop':1,'suspend':'x'},'b':{'loop':1,'run':1000,'resume':'x'}}",
	  "flat:2",
	  SL_END_UNTIL,
	  2,
	  { NEVER, 1000 },
	  { 0 },
	  SL_DIALECT_CURRENT },
	{ "and was the name in rt-app 1.0",
	  "{'a':{'loop':1,'suspend':'x'},'b':{'loop':1,'run':1000,'resume':'x'}}",
	  "flat:2",
	  SL_END_DONE,
	  2,
	  { 1000, 1000 },
	  { 0 },
	  SL_DIALECT_1_0 },
	{ "a semaphore remembers posts",
	  "{'a':{'loop':1,'run':5000,'sem_wait':'s'},'b':{'loop':1,'run':1000,'sem_post':'s'}}",
	  "flat:2",
	  SL_END_DONE,
	  2,
	  { 5000, 1000 },
	  { 0 },
	  0 },
	{ "without phases and loop a task repeats for ever, with a loop it ends",
	  "{'a':{'run':1000,'sleep':1000},'b':{'loop':3,'run':1000,'sleep':1000}}",
	  "flat:2",
	  SL_END_UNTIL,
	  2,
	  { NEVER, 6000 },
	  { 1000000, 3000 },
	  0 },
	{ "a phase loop of 0 never ends, a task loop of 0 with phases ends at once",
	  "{'a':{'loop':1,'phases':{'p':{'loop':0,'run':1000,'sleep':1000}}},"
	  "'b':{'loop':0,'phases':{'p':{'run':1000}}}}",
	  "flat:2",
	  SL_END_UNTIL,
	  2,
	  { NEVER, 0 },
	  { 1000000, 0 },
	  0 },
	{ "a phase's CPUs are its own, the next phase falls back to the task's",
	  "{'a':{'loop':1,'cpus':[1],'phases':{'p':{'cpus':[0],'run':1000},'q':{'run':1000}}},"
	  "'h':{'loop':1,'cpus':[1],'run':6000}}",
	  "flat:2",
	  SL_END_DONE,
	  2,
	  { 7000, 6000 },
	  { 2000, 6000 },
	  0 },
	{ "instance 0 is a template that only fork starts; the parent goes on",
	  "{'a':{'loop':1,'run':1000,'fork':'t','run':4000},"
	  "'t':{'instance':0,'loop':1,'run':2000}}",
	  "flat:2",
	  SL_END_DONE,
	  1,
	  { 5000 },
	  { 5000 },
	  0 },
	{ "a forked task's delay counts from zero and is over",
	  "{'a':{'loop':1,'run':9000,'fork':'t'},"
	  "'t':{'instance':0,'delay':5000,'loop':1,'run':2000}}",
	  "flat:2",
	  SL_END_DONE,
	  1,
	  { 9000 },
	  { 9000 },
	  0 },
	{ "the order of phases is that of the text, their loops nest in the task's",
	  "{'a':{'loop':2,'phases':{'q':{'loop':2,'run':1000},'p':{'sleep':3000}}}}",
	  "flat:1",
	  SL_END_DONE,
	  1,
	  { 10000 },
	  { 4000 },
	  0 },
	{ "delay is a start time",
	  "{'a':{'loop':1,'delay':4000,'run':1000}}",
	  "flat:1",
	  SL_END_DONE,
	  1,
	  { 5000 },
	  { 1000 },
	  0 },
	{ "a mutex is handed over, the waiter runs on",
	  "{'a':{'loop':1,'lock':'m','run':3000,'unlock':'m','run':1000},"
	  "'b':{'loop':1,'run':1000,'lock':'m','run':1000,'unlock':'m'}}",
	  "flat:2",
	  SL_END_DONE,
	  2,
	  { 4000, 4000 },
	  { 0 },
	  0 },
};

static void check_threads(const struct row *row, const struct sl_sim *s)
{
	for (int i = 0; i < row->n; i++) {
		struct sl_thread_result t;
		int64_t us;

		assert_true(sl_sim_thread(s, (uint32_t)i, &t));
		us = t.exited ? (int64_t)(t.ended / SL_NS_PER_US) : NEVER;
		if (us != row->ended_us[i])
			fail_msg("%s: thread %d ends at %" G_GINT64_FORMAT
				 " us, expected %" G_GINT64_FORMAT,
				 row->trap, i, us, row->ended_us[i]);
		us = (int64_t)(t.user_ns / SL_NS_PER_US);
		if (row->user_us[i] > 0 && us != row->user_us[i])
			fail_msg("%s: thread %d runs %" G_GINT64_FORMAT
				 " us, expected %" G_GINT64_FORMAT,
				 row->trap, i, us, row->user_us[i]);
	}
}

static void run_row(const struct row *row)
{
	const struct sl_policy *policy = sl_policy_find("fifo");
	struct sl_topo *topo = sl_topo_load(row->topology, NULL);
	struct sl_workload_opts opts = { .ncpus = topo->ncpus, .dialect = row->dialect };
	char *text = g_strdup_printf("{'tasks':%s}", row->tasks), err[256];
	GError *error = NULL;
	struct sl_workload *w =
		sl_workload_load_text(text, strlen(text), "row", NULL, &opts, NULL, &error);
	struct sl_sim_args args = { .topo = topo,
				    .policy = policy,
				    .era = sl_policy_era(policy, NULL),
				    .workload = w,
				    .seed = 1,
				    .until = LIMIT_S * SL_NS_PER_S };
	struct sl_sim *s;
	enum sl_end end;

	if (error)
		fail_msg("%s: %s", row->trap, error->message);
	s = sl_sim_new(&args, err, sizeof err);
	assert_non_null(s);
	end = sl_sim_run(s);
	if (end != row->end)
		fail_msg("%s: end %d, expected %d: %s", row->trap, (int)end, (int)row->end,
			 sl_sim_fault(s));
	check_threads(row, s);
	sl_sim_free(s);
	sl_workload_free(w);
	sl_topo_free(topo);
	g_free(text);
}

static void test_traps(void **state)
{
	(void)state;
	for (size_t i = 0; i < SL_ARRAY_LEN(rows); i++)
		run_row(&rows[i]);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_traps) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
