/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Heads and payloads of trace lines in all their historical forms. */
#include "traces/import_text.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>

#include <cmocka.h>

struct head_case {
	const char *line;
	bool ftrace, ok, has_cpu;
	int32_t tid, tgid;
	uint32_t cpu;
	uint8_t ctx;
	uint64_t at;
	const char *event; /* how the rest starts */
};

static const struct head_case heads[] = {
	{ "            perf 29293 [000]  4897.249758: sched:x: a", false, true, true, 29293, -1, 0,
	  SL_CTX_UNKNOWN, 4897249758000, " sched:x" },
	{ "            perf 29293 [1023]  4897.249758178: sched:x: a", false, true, true, 29293, -1,
	  1023, SL_CTX_UNKNOWN, 4897249758178, " sched:x" },
	{ "perf  7496/7500  [003] 264874.155353:    1001001   cpu-clock: ", false, true, true, 7500,
	  7496, 3, SL_CTX_UNKNOWN, 264874155353000, "    1001001" },
	{ "             :-1 29294/-1    [000]  4897.5: x", false, true, true, -1, 29294, 0,
	  SL_CTX_UNKNOWN, 4897500000000, " x" },
	{ "             :-1    -1 [000]  4897.5: x", false, true, true, -1, -1, 0, SL_CTX_UNKNOWN,
	  4897500000000, " x" },
	{ "    perf 29293   1  4897.249758: sched:x", false, true, true, 29293, -1, 1,
	  SL_CTX_UNKNOWN, 4897249758000, " sched:x" },
	{ "            perf 29293  4897.249758: sched:x", false, true, false, 29293, -1, 0,
	  SL_CTX_UNKNOWN, 4897249758000, " sched:x" },
	{ "     12 [003] 1.5:    77 [001]     2.000001: x", false, true, true, 77, -1, 1,
	  SL_CTX_UNKNOWN, 2000001000, " x" },
	{ "  rs:main Q:Reg   501 [002]     2.000001: x", false, true, true, 501, -1, 2,
	  SL_CTX_UNKNOWN, 2000001000, " x" },
	{ "      python3.11   501 [002]     2.000001: x", false, true, true, 501, -1, 2,
	  SL_CTX_UNKNOWN, 2000001000, " x" },
	{ "                   501 [002]     2.000001: x", false, true, true, 501, -1, 2,
	  SL_CTX_UNKNOWN, 2000001000, " x" },
	{ "            perf 99999999999 [000]  1.0: x", false, false, false, 0, 0, 0, 0, 0, NULL },
	{ "            perf 1 [99999]  1.0: x", false, false, false, 0, 0, 0, 0, 0, NULL },
	{ "            perf 1 [000]  99999999999999.0: x", false, false, false, 0, 0, 0, 0, 0,
	  NULL },
	{ "", false, false, false, 0, 0, 0, 0, 0, NULL },
	{ ".", false, false, false, 0, 0, 0, 0, 0, NULL },

	{ "            bash-29237   [001] d..2.  4895.195084: s: x", true, true, true, 29237, -1, 1,
	  SL_CTX_TASK, 4895195084000, " s" },
	{ "            bash-29237   [001] d.h1  4895.195084: s: x", true, true, true, 29237, -1, 1,
	  SL_CTX_IRQ, 4895195084000, " s" },
	{ "            bash-29237   [001] dNs1.  4895.195084: s: x", true, true, true, 29237, -1, 1,
	  SL_CTX_SOFT, 4895195084000, " s" },
	{ "            bash-29237   [001]   4895.195084: s: x", true, true, true, 29237, -1, 1,
	  SL_CTX_UNKNOWN, 4895195084000, " s" },
	{ "            bash-29237   (  29230) [001] .....  4895.195084: s", true, true, true, 29237,
	  29230, 1, SL_CTX_TASK, 4895195084000, " s" },
	{ "          <idle>-0     (-----) [006] ....    10.258854: s", true, true, true, 0, -1, 6,
	  SL_CTX_TASK, 10258854000, " s" },
	{ "    bash-29237     1d..2. 18973us : s", true, true, true, 29237, -1, 1, SL_CTX_TASK,
	  18973000, " s" },
	{ "rcu_pree-15        1d.h2. 123997us#: s", true, true, true, 15, -1, 1, SL_CTX_IRQ,
	  123997000, " s" },
	{ "    bash-29237   1d..2.  4895.195087361: s", true, true, true, 29237, -1, 1, SL_CTX_TASK,
	  4895195087361, " s" },
	/* Kernels with PREEMPT_RT or PREEMPT_LAZY: a lazy flag third, a lazy depth sixth. */
	{ "          <idle>-0       [007] dN.h4..    46.299705: s", true, true, true, 0, -1, 7,
	  SL_CTX_IRQ, 46299705000, " s" },
	{ "     ksoftirqd/7-54      [007] d...213    46.299750: s", true, true, true, 54, -1, 7,
	  SL_CTX_TASK, 46299750000, " s" },
	{ "     ksoftirqd/7-54      [007] dN.s313    46.299754: s", true, true, true, 54, -1, 7,
	  SL_CTX_SOFT, 46299754000, " s" },
	{ "Binder-Thread #-647   [000] 1.5: s", true, true, true, 647, -1, 0, SL_CTX_UNKNOWN,
	  1500000000, " s" },
	{ "systemd-journal-1662  [003]   653.065292: s", true, true, true, 1662, -1, 3,
	  SL_CTX_UNKNOWN, 653065292000, " s" },
	{ "       -12 [003]-4242  [001] d..2.  1.000000: s", true, true, true, 4242, -1, 1,
	  SL_CTX_TASK, 1000000000, " s" },
	{ "            perf 29293 [000]  4897.249758: s", true, false, false, 0, 0, 0, 0, 0, NULL },
};

static void test_heads(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(heads) / sizeof(heads[0]); i++) {
		const struct head_case *c = &heads[i];
		struct sl_head h;
		bool ok = c->ftrace ? sl_head_ftrace(c->line, strlen(c->line), &h)
				    : sl_head_perf(c->line, strlen(c->line), &h);

		if (ok != c->ok)
			fail_msg("line %zu: %s", i, c->line);
		if (!ok)
			continue;
		assert_int_equal(h.tid, c->tid);
		assert_int_equal(h.tgid, c->tgid);
		assert_int_equal(h.has_cpu, c->has_cpu);
		if (h.has_cpu)
			assert_int_equal(h.cpu, c->cpu);
		assert_int_equal(h.ctx, c->ctx);
		assert_true(h.at == c->at);
		assert_memory_equal(h.event, c->event, strlen(c->event));
	}
}

/* Long lines go a faster way. Every head means the same there, whatever its numbers' widths. */
static void test_heads_long(void **state)
{
	static const char tail[] = "                                                          "
				   "comm=a pid=5 prio=120 target_cpu=003";

	(void)state;
	for (size_t i = 0; i < sizeof(heads) / sizeof(heads[0]); i++) {
		char *line = test_malloc(strlen(heads[i].line) + sizeof(tail));
		struct sl_head a, b;

		strcpy(line, heads[i].line);
		strcat(line, tail);
		assert_int_equal(sl_head_perf(line, strlen(line), &a),
				 sl_head_perf(heads[i].line, strlen(heads[i].line), &b));
		if (!heads[i].ftrace && heads[i].ok) {
			assert_int_equal(a.tid, heads[i].tid);
			assert_int_equal(a.tgid, heads[i].tgid);
			assert_int_equal(a.has_cpu, heads[i].has_cpu);
			assert_int_equal(a.cpu, heads[i].has_cpu ? heads[i].cpu : a.cpu);
			assert_true(a.at == heads[i].at);
			assert_memory_equal(a.event, heads[i].event, strlen(heads[i].event));
		}
		test_free(line);
	}
}

/* Numbers of every width in perf's columns; names as hard as they come. */
static void test_heads_columns(void **state)
{
	static const char *const names[] = { "make", "a 1 [2] 3.5:", "x.y 7 [000]", "",
					     "12345678" };
	static const uint32_t scale[] = { 1000000, 1 };
	uint64_t sec = 1, tid = 1, cpu = 0;

	(void)state;
	for (unsigned k = 0; k < 400; k++, sec = sec * 7 % 999999999, tid = tid * 11 % 999999999,
		      cpu = cpu * 3 % 65535 + 1) {
		unsigned places = k % 2 ? 9 : 3, ns = k * 2503 % (k % 2 ? 1000000000 : 1000);
		char line[256];
		struct sl_head h;

		snprintf(line, sizeof(line),
			 "%16s %5u [%03u] %5llu.%0*u: %20s: prev_comm=a prev_pid=5 prev_prio=120",
			 names[k % 5], (unsigned)tid, (unsigned)cpu, (unsigned long long)sec,
			 (int)places, ns, "sched:sched_switch");
		assert_true(sl_head_perf(line, strlen(line), &h));
		assert_true(h.at == sec * 1000000000u + (uint64_t)ns * scale[k % 2]);
		assert_int_equal(h.tid, tid);
		assert_int_equal(h.cpu, cpu);
		assert_memory_equal(h.event + strspn(h.event, " "), "sched:sched_switch:", 19);
	}
}

/* A head never reads beyond its line: every prefix of every line is tried. */
static void test_heads_cut(void **state)
{
	unsigned found = 0;

	(void)state;
	for (size_t i = 0; i < sizeof(heads) / sizeof(heads[0]); i++) {
		for (size_t n = 0; n <= strlen(heads[i].line); n++) {
			char *copy = test_malloc(n + 1);
			struct sl_head h;

			memcpy(copy, heads[i].line, n);
			found += sl_head_perf(copy, n, &h);
			found += sl_head_ftrace(copy, n, &h);
			test_free(copy);
		}
	}
	assert_true(found > 20);
}

struct payload_case {
	const char *text;
	enum sl_payload result;
	uint8_t kind, state;
	int32_t tid, tid2;
	const char *comm, *comm2;
	int16_t prio;
	uint64_t value;
};

static const struct payload_case payloads[] = {
	{ " sched:sched_switch: prev_comm=a prev_pid=5 prev_prio=120 prev_state=R+ ==> "
	  "next_comm=b next_pid=6 next_prio=100",
	  SL_PAYLOAD_OK, SL_EV_SWITCH, SL_EVS_RUNNABLE, 5, 6, "a", "b", 120, 0 },
	{ "       sched_switch:         prev_comm=a prev_pid=5 prev_prio=120 prev_state=1024 "
	  "next_comm=b next_pid=6 next_prio=100",
	  SL_PAYLOAD_OK, SL_EV_SWITCH, SL_EVS_RUNNABLE, 5, 6, "a", "b", 120, 0 },
	{ "sched_switch: prev_comm=a prev_pid=5 prev_prio=120 prev_state=D|K ==> next_comm=b "
	  "next_pid=6 next_prio=100 next_info=3,4,1",
	  SL_PAYLOAD_OK, SL_EV_SWITCH, SL_EVS_DISK, 5, 6, "a", "b", 120, 0 },
	{ "sched_switch: prev_comm=x ==> y prev_pid=5 prev_prio=120 prev_state=S ==> "
	  "next_comm=p=1 pid=9 next_pid=6 next_prio=100",
	  SL_PAYLOAD_OK, SL_EV_SWITCH, SL_EVS_SLEEP, 5, 6, "x ==> y", "p=1 pid=9", 120, 0 },
	{ "sched_switch: prev_comm= lead prev_pid=5 prev_prio=120 prev_state=Z ==> "
	  "next_comm=tail  next_pid=6 next_prio=100",
	  SL_PAYLOAD_OK, SL_EV_SWITCH, SL_EVS_DEAD, 5, 6, " lead", "tail ", 120, 0 },
	{ "sched_switch: perf:14569 [120] R ==> rs:main Q:Reg:14570 [120]", SL_PAYLOAD_OK,
	  SL_EV_SWITCH, SL_EVS_RUNNABLE, 14569, 14570, "perf", "rs:main Q:Reg", 120, 0 },
	{ "sched_switch: k:1 [2] R ==>:77 [120] S ==> x:1 [0]", SL_PAYLOAD_OK, SL_EV_SWITCH,
	  SL_EVS_SLEEP, 77, 1, "k:1 [2] R ==>", "x", 120, 0 },
	{ "sched_switch: task swapper:0 [140] (R) ==> init:1 [120]", SL_PAYLOAD_OK, SL_EV_SWITCH,
	  SL_EVS_RUNNABLE, 0, 1, "swapper", "init", 140, 0 },
	{ "sched_switch: prev_comm=a prev_pid=5 prev_prio=120 prev_st", SL_PAYLOAD_BAD, 0, 0, 0, 0,
	  NULL, NULL, 0, 0 },
	{ "sched_switch: prev_comm=a prev_pid=9223372036854775808 prev_prio=1 prev_state=S ==> "
	  "next_comm=b next_pid=6 next_prio=100",
	  SL_PAYLOAD_BAD, 0, 0, 0, 0, NULL, NULL, 0, 0 },
	{ "sched_waking: comm=a pid=5 prio=120 target_cpu=003", SL_PAYLOAD_OK, SL_EV_WAKING, 0, 5,
	  -1, "a", "", 120, 0 },
	{ "sched_wakeup: comm=a pid=5 prio=120 success=1 target_cpu=003", SL_PAYLOAD_OK,
	  SL_EV_WAKEUP, 0, 5, -1, "a", "", 120, 0 },
	{ "sched_wakeup: comm=a pid=5 prio=120 success=0 target_cpu=003", SL_PAYLOAD_OK, SL_EV_SEEN,
	  0, 5, -1, "a", "", 120, 0 },
	{ "sched_wakeup: rcu_sched:9 [120] success=1 CPU:000", SL_PAYLOAD_OK, SL_EV_WAKEUP, 0, 9,
	  -1, "rcu_sched", "", 120, 0 },
	{ "sched_wakeup: rcu_sched:9 [120] CPU:000", SL_PAYLOAD_OK, SL_EV_WAKEUP, 0, 9, -1,
	  "rcu_sched", "", 120, 0 },
	{ "sched_wakeup: task a:9 [120] success=1 [000]", SL_PAYLOAD_OK, SL_EV_WAKEUP, 0, 9, -1,
	  "a", "", 120, 0 },
	{ "sched_wakeup_new: comm=p=1 pid=9 pid=5 prio=120 target_cpu=003", SL_PAYLOAD_OK,
	  SL_EV_WAKEUP_NEW, 0, 5, -1, "p=1 pid=9", "", 120, 0 },
	{ "sched_process_fork: comm=a pid=5 child_comm=a b child_pid=6", SL_PAYLOAD_OK, SL_EV_FORK,
	  0, 5, 6, "a", "a b", -1, 0 },
	{ "sched_process_fork: parent_comm=a parent_pid=5 child_comm=b child_pid=6", SL_PAYLOAD_OK,
	  SL_EV_FORK, 0, 5, 6, "a", "b", -1, 0 },
	{ "sched_process_fork: parent a:5  child b:6", SL_PAYLOAD_OK, SL_EV_FORK, 0, 5, 6, "a", "b",
	  -1, 0 },
	{ "sched_process_exec: filename=/opt/my pid=3 x/prog pid=5 old_pid=7", SL_PAYLOAD_OK,
	  SL_EV_EXEC, 0, 5, 7, "prog", "", -1, 0 },
	{ "sched_process_exit: comm=a pid=5 prio=120 group_dead=false", SL_PAYLOAD_OK, SL_EV_EXIT,
	  0, 5, -1, "a", "", 120, 1 },
	{ "sched_process_exit: comm=a pid=5 prio=120", SL_PAYLOAD_OK, SL_EV_EXIT, 0, 5, -1, "a", "",
	  120, 0 },
	{ "sched_stat_runtime: comm=a pid=5 runtime=51546 [ns] vruntime=77 [ns]", SL_PAYLOAD_OK,
	  SL_EV_RUNTIME, 0, 5, -1, "a", "", -1, 51546 },
	{ "sched_stat_runtime: task: pipe-test-100k:13521 runtime: 5092 [ns], vruntime: 133 [ns]",
	  SL_PAYLOAD_OK, SL_EV_RUNTIME, 0, 13521, -1, "pipe-test-100k", "", -1, 5092 },
	{ "sched_wakeup: comm= pid=74 prio=120 target_cpu=006", SL_PAYLOAD_OK, SL_EV_WAKEUP, 0, 74,
	  -1, "", "", 120, 0 },
	{ "sched_wakeup: comm=bash pid=1977 prio=120 target_cpu=000 reason=3", SL_PAYLOAD_OK,
	  SL_EV_WAKEUP, 0, 1977, -1, "bash", "", 120, 0 },
	{ "sched_switch: prev_comm=a prev_pid=5 prev_prio=142 prev_state=S ==> next_comm=b "
	  "next_pid=6 next_prio=65534",
	  SL_PAYLOAD_OK, SL_EV_SWITCH, SL_EVS_SLEEP, 5, 6, "a", "b", -1, 0 },
	{ "sched_stat_runtime: comm=a pid=5 runtime=", SL_PAYLOAD_BAD, 0, 0, 0, 0, NULL, NULL, 0,
	  0 },
	{ "sched_load_se: cpu=2 path=(null)", SL_PAYLOAD_OTHER, 0, 0, 0, 0, NULL, NULL, 0, 0 },
	{ "cpu_idle: state=0 cpu_id=6", SL_PAYLOAD_OTHER, 0, 0, 0, 0, NULL, NULL, 0, 0 },
	{ "", SL_PAYLOAD_OTHER, 0, 0, 0, 0, NULL, NULL, 0, 0 },
};

static void test_payloads(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(payloads) / sizeof(payloads[0]); i++) {
		const struct payload_case *c = &payloads[i];
		struct sl_scan s = { c->text, c->text + strlen(c->text) };
		struct sl_event ev = { 0 };
		const char *expected = NULL;
		enum sl_payload got = sl_payload_parse(&s, &ev, &expected);

		if (got != c->result)
			fail_msg("payload %zu: %s", i, c->text);
		if (got == SL_PAYLOAD_BAD)
			assert_non_null(expected);
		if (got != SL_PAYLOAD_OK)
			continue;
		assert_int_equal(ev.kind, c->kind);
		assert_int_equal(ev.tid, c->tid);
		assert_int_equal(ev.tid2, c->tid2);
		assert_string_equal(ev.comm, c->comm);
		assert_string_equal(ev.comm2, c->comm2);
		assert_int_equal(ev.prio, c->prio);
		assert_true(ev.value == c->value);
		if (ev.kind == SL_EV_SWITCH)
			assert_int_equal(ev.state, c->state);
	}
}

/* Where a bad payload goes wrong is pointed at. */
static void test_bad_place(void **state)
{
	static const char text[] = "sched_waking: comm=a pid=5 prio=x";
	struct sl_scan s = { text, text + strlen(text) };
	struct sl_event ev = { 0 };
	const char *expected = NULL;

	(void)state;
	assert_int_equal(sl_payload_parse(&s, &ev, &expected), SL_PAYLOAD_BAD);
	assert_int_equal(s.p - text, 32);
	assert_string_equal(expected, "a number");
}

static uint8_t parse_state(const char *text, uint8_t *raw)
{
	struct sl_scan s = { text, text + strlen(text) };

	return sl_state_parse(&s, raw);
}

static void test_states(void **state)
{
	static const struct {
		const char *text;
		uint8_t plain, shifted;
	} cases[] = {
		{ "R", SL_EVS_RUNNABLE, SL_EVS_RUNNABLE },
		{ "S", SL_EVS_SLEEP, SL_EVS_RUNNABLE },
		{ "D", SL_EVS_DISK, SL_EVS_SLEEP },
		{ "T", SL_EVS_SLEEP, SL_EVS_DISK },
		{ "X", SL_EVS_DEAD, SL_EVS_SLEEP },
		{ "Z", SL_EVS_DEAD, SL_EVS_DEAD },
		{ "P", SL_EVS_PARKED, SL_EVS_DEAD },
		{ "I", SL_EVS_IDLE, SL_EVS_PARKED },
		{ "", SL_EVS_IDLE, SL_EVS_IDLE },
		{ "W", SL_EVS_RUNNABLE, SL_EVS_RUNNABLE },
		{ "0", SL_EVS_RUNNABLE, SL_EVS_RUNNABLE },
		{ "1", SL_EVS_SLEEP, SL_EVS_RUNNABLE },
		{ "2", SL_EVS_DISK, SL_EVS_SLEEP },
		{ "256", SL_EVS_RUNNABLE, SL_EVS_IDLE },
		{ "4096", SL_EVS_RUNNABLE, SL_EVS_RUNNABLE },
		{ "128", SL_EVS_IDLE, SL_EVS_DEAD },
		{ "1026", SL_EVS_DISK, SL_EVS_SLEEP },
		{ "16", SL_EVS_DEAD, SL_EVS_SLEEP },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		uint8_t raw, plain = parse_state(cases[i].text, &raw);

		if (plain != cases[i].plain || sl_state_unshift(plain, raw) != cases[i].shifted)
			fail_msg("state \"%s\": %u, shifted %u", cases[i].text, plain,
				 sl_state_unshift(plain, raw));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_heads),	   cmocka_unit_test(test_heads_cut),
		cmocka_unit_test(test_heads_long), cmocka_unit_test(test_heads_columns),
		cmocka_unit_test(test_payloads),   cmocka_unit_test(test_bad_place),
		cmocka_unit_test(test_states),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
