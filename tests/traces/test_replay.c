/* SPDX-License-Identifier: BSD-2-Clause
 *
 * The replay builder on small traces written for one rule each: what must come out is the
 * program text of a recording. */
#include "traces/import.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "tests/traces/test_import_check.h"
#include "traces/recording.h"

/* Lines of a trace are written short: "a 1 0 10 S b 2" is, on CPU 0 at 10 us, the switch
 * from a (1), which sleeps, to b (2). They become ftrace text. */
static void add_switch(GString *s, const char *prev, int pid, int cpu, int us, const char *st,
		       const char *next, int next_pid)
{
	g_string_append_printf(s,
			       "%16s-%-7d [%03d] d..2. 1.%06d: sched_switch: prev_comm=%s "
			       "prev_pid=%d prev_prio=120 prev_state=%s ==> next_comm=%s "
			       "next_pid=%d next_prio=120\n",
			       prev, pid, cpu, us, prev, pid, st, next, next_pid);
}

static void add_wake(GString *s, const char *flags, const char *event, const char *cur, int pid,
		     int cpu, int us, const char *who, int who_pid)
{
	g_string_append_printf(s,
			       "%16s-%-7d [%03d] %s 1.%06d: %s: comm=%s pid=%d prio=120 "
			       "target_cpu=000\n",
			       cur, pid, cpu, flags, us, event, who, who_pid);
}

static void add_fork(GString *s, const char *cur, int pid, int cpu, int us, int child)
{
	g_string_append_printf(s,
			       "%16s-%-7d [%03d] ..... 1.%06d: sched_process_fork: comm=%s pid=%d "
			       "child_comm=%s child_pid=%d\n",
			       cur, pid, cpu, us, cur, pid, cur, child);
}

static void add_exec(GString *s, const char *cur, int pid, int cpu, int us, const char *file)
{
	g_string_append_printf(s,
			       "%16s-%-7d [%03d] ..... 1.%06d: sched_process_exec: filename=%s "
			       "pid=%d old_pid=%d\n",
			       cur, pid, cpu, us, file, pid, pid);
}

static void add_runtime(GString *s, const char *cur, int pid, int cpu, int us, int ns)
{
	g_string_append_printf(s,
			       "%16s-%-7d [%03d] d..2. 1.%06d: sched_stat_runtime: comm=%s pid=%d "
			       "runtime=%d [ns]\n",
			       cur, pid, cpu, us, cur, pid, ns);
}

static GString *trace(void)
{
	return g_string_new("# tracer: nop\n");
}

static struct sl_workload *import(const GString *s, const struct sl_import_opts *opts,
				  struct sl_import_report *report)
{
	GError *error = NULL;
	struct sl_workload *w = sl_trace_import_mem(s->str, s->len, "t", opts, report, &error);

	if (!w)
		fail_msg("%s", error->message);
	assert_null(import_check(w));
	return w;
}

/* The tasks and operations, blanks instead of newlines. */
static char *programs(const struct sl_workload *w)
{
	char *path = g_strconcat(SL_BINARY_DIR, "/test_replay.txt", NULL), *text, *body, *end;
	FILE *out = fopen(path, "w");

	assert_non_null(out);
	assert_true(sl_recording_print(w, out, NULL));
	fclose(out);
	assert_true(g_file_get_contents(path, &text, NULL, NULL));
	g_free(path);
	body = strstr(text, "\nrecorded ");
	body = strchr(body + 1, '\n') + 1;
	end = strstr(body, "\nend ");
	*end = '\0';
	for (char *c = body; *c; c++)
		if (*c == '\n')
			*c = ' ';
	body = g_strdup(body);
	g_free(text);
	return body;
}

static void check(GString *s, const struct sl_import_opts *opts, struct sl_import_report *report,
		  const char *expected)
{
	struct sl_workload *w = import(s, opts, report);
	char *got = programs(w);

	assert_string_equal(got, expected);
	g_free(got);
	sl_import_workload_free(w);
	g_string_free(s, TRUE);
}

/* Preempted and queued time vanish, bursts merge. */
static void test_bursts_merge(void **state)
{
	struct sl_import_report r;
	GString *s = trace();

	(void)state;
	add_switch(s, "swapper/0", 0, 0, 100, "R", "a", 1);
	add_switch(s, "a", 1, 0, 200, "R+", "b", 2);
	add_switch(s, "b", 2, 0, 250, "R", "a", 1);
	add_switch(s, "a", 1, 0, 300, "X", "b", 2);
	add_switch(s, "b", 2, 0, 330, "X", "swapper/0", 0);
	check(s, NULL, &r, "task a r150000 x task b r80000 x");
	assert_int_equal(r.healed, 0);
	assert_true(r.cpu_time == 230000);
}

/* A wait ended by a thread is an edge, by an interrupt or the idle task a sleep. */
static void test_edge_or_sleep(void **state)
{
	struct sl_import_report r;
	GString *s = trace();

	(void)state;
	add_switch(s, "a", 1, 0, 100, "S", "b", 2);
	add_wake(s, "d..4.", "sched_waking", "b", 2, 0, 140, "a", 1);
	add_switch(s, "b", 2, 0, 150, "S", "a", 1);
	add_switch(s, "a", 1, 0, 160, "D", "swapper/0", 0);
	add_wake(s, "d.h4.", "sched_waking", "swapper/0", 0, 0, 200, "a", 1);
	add_switch(s, "swapper/0", 0, 0, 210, "R", "a", 1);
	add_wake(s, "d.h4.", "sched_waking", "a", 1, 0, 220, "b", 2);
	add_switch(s, "a", 1, 0, 230, "X", "b", 2);
	add_switch(s, "b", 2, 0, 240, "X", "swapper/0", 0);
	check(s, NULL, &r,
	      "task a wn r10000 s40000b r20000 x task b r40000 k0 r10000 s70000p r10000 x");
	assert_int_equal(r.edges, 1);
	assert_int_equal(r.sleeps, 2);
	assert_int_equal(r.wake_samples, 1);
}

/* Order waking, switch-out, wakeup: the wake-up ended that block. */
static void test_early_wake(void **state)
{
	struct sl_import_report r;
	GString *s = trace();

	(void)state;
	add_switch(s, "swapper/0", 0, 0, 10, "R", "a", 1);
	add_switch(s, "swapper/1", 0, 1, 10, "R", "b", 2);
	add_wake(s, "d..4.", "sched_waking", "b", 2, 1, 100, "a", 1);
	add_switch(s, "a", 1, 0, 102, "S", "swapper/0", 0);
	add_wake(s, "d..4.", "sched_wakeup", "b", 2, 1, 104, "a", 1);
	add_switch(s, "swapper/0", 0, 0, 120, "R", "a", 1);
	add_switch(s, "a", 1, 0, 130, "X", "swapper/0", 0);
	add_switch(s, "b", 2, 1, 140, "X", "swapper/1", 0);
	check(s, NULL, &r, "task a r92000 wn r10000 x task b r90000 k0 r40000 x");
	assert_int_equal(r.early_wakes, 1);
}

/* Order waking, wakeup: it never blocked, and its next wait is another one. */
static void test_void_wake(void **state)
{
	struct sl_import_report r;
	GString *s = trace();

	(void)state;
	add_switch(s, "swapper/0", 0, 0, 10, "R", "a", 1);
	add_switch(s, "swapper/1", 0, 1, 10, "R", "b", 2);
	add_wake(s, "d..4.", "sched_waking", "b", 2, 1, 100, "a", 1);
	add_wake(s, "d..4.", "sched_wakeup", "b", 2, 1, 101, "a", 1);
	add_switch(s, "a", 1, 0, 102, "S", "swapper/0", 0);
	add_wake(s, "d.h4.", "sched_waking", "swapper/0", 0, 0, 202, "a", 1);
	add_switch(s, "swapper/0", 0, 0, 220, "R", "a", 1);
	add_switch(s, "a", 1, 0, 230, "X", "swapper/0", 0);
	add_switch(s, "b", 2, 1, 240, "X", "swapper/1", 0);
	check(s, NULL, &r, "task a r92000 s100000p r10000 x task b r230000 x");
	assert_int_equal(r.early_wakes, 0);
	assert_int_equal(r.void_wakes, 1);
}

/* A guessed early wake-up gives way to the one that comes while the thread still sleeps. */
static void test_replaced_wake(void **state)
{
	struct sl_import_report r;
	GString *s = trace();

	(void)state;
	add_switch(s, "swapper/0", 0, 0, 10, "R", "a", 1);
	add_switch(s, "swapper/1", 0, 1, 10, "R", "b", 2);
	add_wake(s, "d..4.", "sched_waking", "b", 2, 1, 100, "a", 1);
	add_switch(s, "a", 1, 0, 110, "S", "swapper/0", 0);
	add_wake(s, "d..4.", "sched_waking", "b", 2, 1, 300, "a", 1);
	add_switch(s, "swapper/0", 0, 0, 310, "R", "a", 1);
	add_switch(s, "a", 1, 0, 320, "X", "swapper/0", 0);
	add_switch(s, "b", 2, 1, 330, "X", "swapper/1", 0);
	check(s, NULL, &r, "task a r100000 wn r10000 x task b r290000 k0 r30000 x");
	assert_int_equal(r.early_wakes, 0);
}

/* idle -> a is missing: its own sched_stat_runtime says when it was switched in. */
static void test_heal_by_runtime(void **state)
{
	struct sl_import_report r;
	GString *s = trace();

	(void)state;
	add_switch(s, "a", 1, 0, 100, "S", "swapper/0", 0);
	add_wake(s, "d.h4.", "sched_waking", "swapper/0", 0, 0, 500, "a", 1);
	add_runtime(s, "a", 1, 0, 700, 150000);
	add_switch(s, "a", 1, 0, 700, "X", "swapper/0", 0);
	check(s, NULL, &r, "task a s400000p r150000 x");
	assert_int_equal(r.healed, 1);
}

/* The wake-up is missing too: it slept until it ran. */
static void test_heal_unseen_wake(void **state)
{
	struct sl_import_report r;
	GString *s = trace();

	(void)state;
	add_switch(s, "a", 1, 0, 100, "S", "swapper/0", 0);
	add_wake(s, "d..4.", "sched_waking", "a", 1, 0, 650, "b", 2);
	add_runtime(s, "a", 1, 0, 700, 150000);
	add_switch(s, "a", 1, 0, 700, "X", "b", 2);
	add_switch(s, "b", 2, 0, 720, "X", "swapper/0", 0);
	check(s, NULL, &r, "task a s450000p r100000 k r50000 x task b w0n r20000 x");
	assert_int_equal(r.healed, 1);
	assert_int_equal(r.unseen_wakes, 1);
	assert_int_equal(r.unexplained, 1);
}

/* A lost switch-out: slept if a wake-up follows. */
static void test_limbo(void **state)
{
	struct sl_import_report r;
	GString *s = trace();

	(void)state;
	add_switch(s, "swapper/0", 0, 0, 0, "R", "a", 1);
	add_runtime(s, "a", 1, 0, 100, 100000);
	add_runtime(s, "b", 2, 0, 150, 50000);
	add_wake(s, "d..4.", "sched_waking", "b", 2, 0, 160, "a", 1);
	add_switch(s, "b", 2, 0, 170, "X", "a", 1);
	add_switch(s, "a", 1, 0, 190, "X", "swapper/0", 0);
	check(s, NULL, &r, "task a r100000 wn r20000 x task b r60000 k0 r10000 x");
	assert_int_equal(r.healed, 1);
}

static const struct sl_import_opts all = { .all = true };

/* The command starts at its exec; what came before and others are left out. */
static void test_command(void **state)
{
	struct sl_import_report r;
	GString *s = trace();

	(void)state;
	add_switch(s, "swapper/0", 0, 0, 0, "R", "perf", 9);
	add_fork(s, "perf", 9, 0, 10, 10);
	add_switch(s, "perf", 9, 0, 20, "S", "perf-exec", 10);
	add_exec(s, "work", 10, 0, 50, "/usr/bin/work");
	add_fork(s, "work", 10, 0, 60, 11);
	add_switch(s, "work", 10, 0, 70, "S", "other", 5);
	add_switch(s, "other", 5, 0, 170, "R", "work", 11);
	add_wake(s, "d..4.", "sched_waking", "work", 11, 0, 180, "work", 10);
	add_switch(s, "work", 11, 0, 190, "Z", "work", 10);
	add_wake(s, "d..4.", "sched_waking", "work", 10, 0, 195, "perf", 9);
	add_switch(s, "work", 10, 0, 200, "Z", "perf", 9);
	check(s, NULL, &r, "task work r10000 f1 r10000 wk r10000 x child work r10000 k0 r10000 x");
	assert_string_equal(r.format, "ftrace");
	assert_int_equal(r.selected, 2);
	assert_true(r.makespan == 150000);
}

/* A named command, not the first one. */
static void test_named_command(void **state)
{
	const struct sl_import_opts opts = { .command = "late" };
	struct sl_import_report r;
	GString *s = trace();

	(void)state;
	add_switch(s, "swapper/0", 0, 0, 0, "R", "sh", 1);
	add_exec(s, "early", 1, 0, 10, "/bin/early");
	add_switch(s, "early", 1, 0, 500, "Z", "sh", 2);
	add_exec(s, "late", 2, 0, 510, "/bin/late");
	add_switch(s, "late", 2, 0, 530, "Z", "swapper/0", 0);
	check(s, &opts, &r, "task late r20000 x");
	assert_true(r.makespan == 20000);
}

static void test_unknown_command(void **state)
{
	const struct sl_import_opts opts = { .command = "nope" };
	GError *error = NULL;
	GString *s = trace();

	(void)state;
	add_switch(s, "swapper/0", 0, 0, 0, "R", "sh", 1);
	add_exec(s, "early", 1, 0, 10, "/bin/early");
	assert_null(sl_trace_import_mem(s->str, s->len, "t", &opts, NULL, &error));
	assert_string_equal(error->message,
			    "t: no exec of 'nope' in the trace; expected the name of "
			    "a program it starts, for example early");
	g_error_free(error);
	g_string_free(s, TRUE);
}

/* A wait for a thread left out keeps its length. */
static void test_edge_cut(void **state)
{
	const char *const only[] = { "a", NULL };
	const struct sl_import_opts opts = { .select = only, .alone = true };
	struct sl_import_report r;
	GString *s = trace();

	(void)state;
	add_switch(s, "a", 1, 0, 100, "S", "b", 2);
	add_wake(s, "d..4.", "sched_waking", "b", 2, 0, 140, "a", 1);
	add_switch(s, "b", 2, 0, 150, "S", "a", 1);
	add_switch(s, "a", 1, 0, 160, "X", "swapper/0", 0);
	check(s, &opts, &r, "task a s40000p r10000 x");
	assert_int_equal(r.edges_cut, 1);
}

/* Part of a trace: a wait across its start is shortened. */
static void test_window(void **state)
{
	const struct sl_import_opts opts = { .from = 120000, .to = 175000 };
	struct sl_import_report r;
	GString *s = trace();

	(void)state;
	add_switch(s, "a", 1, 0, 100, "S", "b", 2);
	add_runtime(s, "b", 2, 0, 220, 120000);
	add_wake(s, "d..4.", "sched_waking", "b", 2, 0, 240, "a", 1);
	add_switch(s, "b", 2, 0, 250, "S", "a", 1);
	add_switch(s, "a", 1, 0, 270, "S", "swapper/0", 0);
	add_wake(s, "d..4.", "sched_waking", "swapper/0", 0, 0, 280, "b", 2);
	check(s, &opts, &r, "task a wk r20000 x task b r20000 k0 r10000 x");
}

/* A wait that kept timing out is one wait. */
static void test_timeouts(void **state)
{
	struct sl_import_opts opts = { .keep_timeouts = true };
	struct sl_import_report r;
	GString *s = trace(), *again;
	int us = 1000;

	(void)state;
	add_switch(s, "swapper/1", 0, 1, us, "R", "b", 2);
	add_switch(s, "a", 1, 0, us, "S", "swapper/0", 0);
	for (int i = 0; i < 3; i++) {
		us += 30000;
		add_wake(s, "d.h4.", "sched_waking", "swapper/0", 0, 0, us, "a", 1);
		add_switch(s, "swapper/0", 0, 0, us, "R", "a", 1);
		us += 10;
		add_switch(s, "a", 1, 0, us, "S", "swapper/0", 0);
	}
	us += 5000;
	add_wake(s, "d..4.", "sched_waking", "b", 2, 1, us, "a", 1);
	add_switch(s, "swapper/0", 0, 0, us, "R", "a", 1);
	add_switch(s, "a", 1, 0, us + 10, "X", "swapper/0", 0);
	add_switch(s, "b", 2, 1, us + 20, "X", "swapper/1", 0);
	again = g_string_new_len(s->str, (gssize)s->len);
	check(s, &all, &r, "task a r30000 wn r10000 x task b r95030000 k0 r20000 x");
	assert_int_equal(r.timeouts, 3);
	check(again, &opts, &r,
	      "task a s30000000p r10000 s30000000p r10000 s30000000p r10000 wn r10000 x "
	      "task b r95030000 k0 r20000 x");
	assert_int_equal(r.timeouts, 0);
}

/* Ends on a grid, lengths vary: waits for absolute times. */
static void test_periodic(void **state)
{
	struct sl_import_report r;
	struct sl_workload *w;
	GString *s = trace();
	uint32_t untils = 0;

	(void)state;
	add_switch(s, "a", 1, 0, 100, "S", "swapper/0", 0);
	for (int i = 1; i <= 20; i++) {
		int us = 100 + i * 10000;

		add_wake(s, "d.h4.", "sched_waking", "swapper/0", 0, 0, us, "a", 1);
		add_switch(s, "swapper/0", 0, 0, us, "R", "a", 1);
		add_switch(s, "a", 1, 0, us + 500 + i * 97 % 700, i < 20 ? "S" : "X", "swapper/0",
			   0);
	}
	w = import(s, NULL, &r);
	for (uint32_t i = 0; i < w->n_ops; i++) {
		if (w->op[i].kind != SL_OP_UNTIL)
			continue;
		untils++;
		assert_true(w->op[i].dist.value == (uint64_t)untils * 10000000);
	}
	assert_int_equal(untils, 20);
	assert_int_equal(r.periodic, 20);
	sl_import_workload_free(w);
	g_string_free(s, TRUE);
}

/* A number used again after an exit is another thread. */
static void test_pid_reuse(void **state)
{
	struct sl_import_report r;
	GString *s = trace();

	(void)state;
	add_switch(s, "swapper/0", 0, 0, 0, "R", "p", 1);
	add_fork(s, "p", 1, 0, 10, 7);
	add_switch(s, "p", 1, 0, 20, "R", "p", 7);
	add_switch(s, "p", 7, 0, 25, "Z", "p", 1);
	add_fork(s, "p", 1, 0, 30, 7);
	add_switch(s, "p", 1, 0, 40, "R", "p", 7);
	add_switch(s, "p", 7, 0, 47, "Z", "p", 1);
	add_switch(s, "p", 1, 0, 50, "Z", "swapper/0", 0);
	check(s, NULL, &r, "task p r10000 f1 r15000 f2 r13000 x child p r5000 x child p r7000 x");
	assert_int_equal(r.reused_pids, 1);
}

/* Kernel 4.14 to 4.20-rc: every letter is one too high; the idle task's gives it away. */
static void test_shifted_states(void **state)
{
	struct sl_import_report r;
	GString *s = trace();

	(void)state;
	add_switch(s, "swapper/0", 0, 0, 0, "S", "a", 1);
	add_switch(s, "a", 1, 0, 10, "S", "b", 2);
	add_switch(s, "b", 2, 0, 20, "D", "a", 1);
	add_wake(s, "d.h4.", "sched_waking", "a", 1, 0, 25, "b", 2);
	add_switch(s, "a", 1, 0, 30, "Z", "b", 2);
	add_switch(s, "b", 2, 0, 40, "Z", "swapper/0", 0);
	check(s, NULL, &r, "task a r20000 x task b r10000 s5000p r10000 x");
	assert_true(r.shifted_states);
}

/* Kernels without sched_waking: a wake-up is believed only on the sleeper's own CPU. */
static void test_only_wakeup(void **state)
{
	struct sl_import_report r;
	GString *s = trace();

	(void)state;
	add_switch(s, "swapper/0", 0, 0, 0, "R", "a", 1);
	add_switch(s, "swapper/1", 0, 1, 0, "R", "c", 3);
	add_switch(s, "a", 1, 0, 10, "S", "b", 2);
	add_wake(s, "d..4.", "sched_wakeup", "b", 2, 0, 20, "a", 1);
	add_switch(s, "b", 2, 0, 30, "S", "a", 1);
	add_wake(s, "d..4.", "sched_wakeup", "c", 3, 1, 35, "b", 2);
	add_switch(s, "a", 1, 0, 40, "X", "b", 2);
	add_switch(s, "b", 2, 0, 50, "X", "swapper/0", 0);
	add_switch(s, "c", 3, 1, 60, "X", "swapper/1", 0);
	check(s, NULL, &r,
	      "task a r10000 wn r10000 x task b r10000 k0 r10000 s5000p r10000 x task c r60000 x");
	assert_int_equal(r.unknown_wakers, 1);
}

/* Priorities: nice from 100 to 139, real time below. */
static void test_priorities(void **state)
{
	struct sl_workload *w;
	GString *s = trace();

	(void)state;
	g_string_append(s, "  a-1 [000] 1.000100: sched_switch: prev_comm=a prev_pid=1 "
			   "prev_prio=125 prev_state=R ==> next_comm=b next_pid=2 next_prio=49\n"
			   "  b-2 [000] 1.000200: sched_switch: prev_comm=b prev_pid=2 "
			   "prev_prio=49 prev_state=X ==> next_comm=a next_pid=1 next_prio=130\n"
			   "  a-1 [000] 1.000300: sched_switch: prev_comm=a prev_pid=1 "
			   "prev_prio=130 prev_state=X ==> next_comm=s next_pid=0 next_prio=120\n");
	w = import(s, NULL, NULL);
	assert_int_equal(w->n_tasks, 2);
	assert_int_equal(w->task[0].nice, 5);
	assert_int_equal(w->task[1].pri_class, SL_CLASS_REALTIME);
	assert_int_equal(w->task[1].level, 15);
	assert_int_equal(w->op[0].kind, SL_OP_SETNICE);
	assert_int_equal(w->op[0].value, 10);
	sl_import_workload_free(w);
	g_string_free(s, TRUE);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_bursts_merge),	 cmocka_unit_test(test_edge_or_sleep),
		cmocka_unit_test(test_early_wake),	 cmocka_unit_test(test_void_wake),
		cmocka_unit_test(test_replaced_wake),	 cmocka_unit_test(test_heal_by_runtime),
		cmocka_unit_test(test_heal_unseen_wake), cmocka_unit_test(test_limbo),
		cmocka_unit_test(test_command),		 cmocka_unit_test(test_named_command),
		cmocka_unit_test(test_unknown_command),	 cmocka_unit_test(test_edge_cut),
		cmocka_unit_test(test_window),		 cmocka_unit_test(test_timeouts),
		cmocka_unit_test(test_periodic),	 cmocka_unit_test(test_pid_reuse),
		cmocka_unit_test(test_shifted_states),	 cmocka_unit_test(test_only_wakeup),
		cmocka_unit_test(test_priorities),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
