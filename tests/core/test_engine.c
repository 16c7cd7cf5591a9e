/* SPDX-License-Identifier: BSD-2-Clause */
#include "tests/core/toy.h"

#include "tests/sl_test.h"

struct switches {
	struct sl_rec rec[4096];
	uint32_t n;
};

static void keep(void *ctx, const struct sl_rec *rec, uint32_t n)
{
	struct switches *s = ctx;

	for (uint32_t i = 0; i < n && s->n < SL_ARRAY_LEN(s->rec); i++)
		if (rec[i].kind == SL_REC_SWITCH)
			s->rec[s->n++] = rec[i];
}

struct outcome {
	enum sl_end end;
	struct sl_totals total;
	struct sl_thread_result thread[8];
	struct sl_cpu_result cpu0;
	char fault[2048];
	struct switches switches;
};

static void run(const struct sl_workload *w, uint32_t ncpus, sl_time until,
		const struct sl_costs *costs, struct outcome *out)
{
	struct sl_topo topo = toy_topo_of(ncpus);
	struct sl_sink sink = { .take = keep, .ctx = &out->switches };
	struct sl_sim_args args = { .topo = &topo,
				    .policy = &toy_policy,
				    .workload = w,
				    .costs = costs,
				    .seed = 1,
				    .until = until,
				    .check = true,
				    .sinks = &sink,
				    .n_sinks = 1 };
	char err[256];
	struct sl_sim *s;

	memset(out, 0, sizeof *out);
	s = sl_sim_new(&args, err, sizeof err);
	if (!s)
		fail_msg("%s", err);
	out->end = sl_sim_run(s);
	snprintf(out->fault, sizeof out->fault, "%s", sl_sim_fault(s));
	sl_sim_totals(s, &out->total);
	for (uint32_t i = 0; i < SL_ARRAY_LEN(out->thread); i++)
		sl_sim_thread(s, i, &out->thread[i]);
	sl_sim_cpu(s, 0, &out->cpu0);
	sl_sim_free(s);
}

#define WORKLOAD(ops, tasks)                                                                       \
	{                                                                                          \
		.name = "t", .op = (ops), .n_ops = SL_ARRAY_LEN(ops), .task = (tasks),             \
		.n_tasks = SL_ARRAY_LEN(tasks)                                                     \
	}

static struct outcome out;

static void one_burst_takes_its_length(void **state)
{
	static const struct sl_op ops[] = { RUN_MS(25) };
	static const struct sl_task tasks[] = { TASK("a", 0, 1) };
	const struct sl_workload w = WORKLOAD(ops, tasks);

	(void)state;
	run(&w, 1, 0, NULL, &out);
	assert_int_equal(out.end, SL_END_DONE);
	assert_int_equal(out.total.real_ns, 25 * SL_NS_PER_MS);
	assert_int_equal(out.total.user_ns, 25 * SL_NS_PER_MS);
	assert_int_equal(out.total.ticks, 2);
	assert_int_equal(out.switches.n, 2);
	assert_int_equal(out.switches.rec[1].b, SL_REC_IDLE);
}

/* Fidelity row 38: run 10 ms + run 10 ms and run 20 ms give identical records. */
static void phase_boundary_is_no_event(void **state)
{
	static const struct sl_op two[] = { OP(LOOP, .dist = { .value = 2 }), RUN_MS(10),
					    OP(ENDLOOP, .target = 0), RUN_MS(3) };
	static const struct sl_op one[] = { RUN_MS(23) };
	static const struct sl_task t2[] = { TASK("a", 0, 4) }, t1[] = { TASK("a", 0, 1) };
	const struct sl_workload w2 = WORKLOAD(two, t2), w1 = WORKLOAD(one, t1);
	uint64_t digest;

	(void)state;
	run(&w2, 1, 0, NULL, &out);
	digest = out.total.digest;
	run(&w1, 1, 0, NULL, &out);
	assert_int_equal(digest, out.total.digest);
	assert_int_equal(out.total.real_ns, 23 * SL_NS_PER_MS);
}

static void two_hogs_share_one_cpu_by_ticks(void **state)
{
	static const struct sl_op ops[] = { RUN_MS(100) };
	static const struct sl_task tasks[] = { TASK("a", 0, 1), TASK("b", 0, 1) };
	const struct sl_workload w = WORKLOAD(ops, tasks);

	(void)state;
	run(&w, 1, 0, NULL, &out);
	assert_int_equal(out.total.real_ns, 200 * SL_NS_PER_MS);
	/* The tick at 190 ms takes the CPU from a, which has 0 ns left: it ends when it is
	 * next dispatched, at 200 ms. */
	assert_int_equal(out.thread[0].ended, 200 * SL_NS_PER_MS);
	assert_int_equal(out.thread[0].wait_ns, 100 * SL_NS_PER_MS);
	assert_int_equal(out.thread[1].wait_ns, 100 * SL_NS_PER_MS);
	assert_int_equal(out.total.wasted_ns, 0);
}

static void tick_counts_are_exact(void **state)
{
	static const struct sl_op ops[] = { RUN_MS(60000) };
	static const struct sl_task tasks[] = { TASK("a", 0, 1) };
	const struct sl_workload w = WORKLOAD(ops, tasks);

	(void)state;
	run(&w, 2, 60 * SL_NS_PER_S, NULL, &out);
	/* 100 Hz; the tick at 60 s is at the end and not executed. */
	assert_int_equal(out.total.ticks, 5999);
	assert_int_equal(out.end, SL_END_UNTIL);
}

static void a_sleeper_wakes_when_it_said(void **state)
{
	static const struct sl_op ops[] = { RUN_MS(1), SLEEP_MS(7), RUN_MS(2) };
	static const struct sl_task tasks[] = { TASK("a", 0, 3) };
	const struct sl_workload w = WORKLOAD(ops, tasks);

	(void)state;
	run(&w, 1, 0, NULL, &out);
	assert_int_equal(out.total.real_ns, 10 * SL_NS_PER_MS);
	assert_int_equal(out.total.wakeups, 1);
	assert_int_equal(out.total.latency_max, 0);
	assert_int_equal(out.total.idle_ns, 7 * SL_NS_PER_MS);
}

static void zero_length_bursts_end(void **state)
{
	static const struct sl_op ops[] = { RUN_MS(0),	 SLEEP_MS(0), RUN_MS(0),
					    SLEEP_MS(1), OP(YIELD),   RUN_MS(0) };
	static const struct sl_task tasks[] = { TASK("a", 0, 6) };
	const struct sl_workload w = WORKLOAD(ops, tasks);

	(void)state;
	run(&w, 1, 0, NULL, &out);
	assert_int_equal(out.end, SL_END_DONE);
	assert_int_equal(out.total.real_ns, SL_NS_PER_MS);
}

static void no_threads_end_at_once(void **state)
{
	static const struct sl_op ops[] = { RUN_MS(1) };
	static const struct sl_task tasks[] = { { .name = "template",
						  .n_ops = 1,
						  .mask = SL_NONE,
						  .proc_group = SL_NONE,
						  .bind_cpu = -1 } };
	const struct sl_workload w = WORKLOAD(ops, tasks);

	(void)state;
	run(&w, 1, 0, NULL, &out);
	assert_int_equal(out.end, SL_END_DONE);
	assert_int_equal(out.total.end_ns, 0);
}

static void a_deadlock_says_who_waits_for_what(void **state)
{
	static const struct sl_mutex_spec mutexes[] = { { "m", SL_MUTEX_USER },
							{ "n", SL_MUTEX_USER } };
	static const struct sl_op ops[] = {
		OP(LOCK, .obj = 0), SLEEP_MS(5), OP(LOCK, .obj = 1), RUN_MS(1), /* a */
		OP(LOCK, .obj = 1), SLEEP_MS(5), OP(LOCK, .obj = 0), RUN_MS(1), /* b */
	};
	static const struct sl_task tasks[] = { TASK("a", 0, 4), TASK("b", 4, 4) };
	struct sl_workload w = WORKLOAD(ops, tasks);

	(void)state;
	w.mutex = mutexes;
	w.n_mutexes = 2;
	run(&w, 1, 0, NULL, &out);
	assert_int_equal(out.end, SL_END_DEADLOCK);
	assert_non_null(strstr(out.fault, "a-0 waits for mutex \"n\" held by b-1"));
	assert_non_null(strstr(out.fault, "b-1 waits for mutex \"m\" held by a-0"));
}

static void a_parent_waits_for_its_children(void **state)
{
	static const struct sl_op ops[] = {
		OP(FORK, .target = 1, .dist = { .value = 2 }),
		OP(WAIT_CHILD, .flags = SL_OPF_WAIT_ALL, .wprio = SL_WPRIO_PWAIT), RUN_MS(1),
		RUN_MS(4), /* child */
	};
	static const struct sl_task tasks[] = {
		TASK("p", 0, 3),
		{ .name = "c",
		  .first_op = 3,
		  .n_ops = 1,
		  .mask = SL_NONE,
		  .proc_group = SL_NONE,
		  .bind_cpu = -1 },
	};
	const struct sl_workload w = WORKLOAD(ops, tasks);

	(void)state;
	run(&w, 2, 0, NULL, &out);
	assert_int_equal(out.end, SL_END_DONE);
	assert_int_equal(out.total.forks, 2);
	/* Two children on two CPUs (4 ms), then 1 ms. */
	assert_int_equal(out.total.real_ns, 5 * SL_NS_PER_MS);
}

static void smt_siblings_are_retimed(void **state)
{
	static const struct sl_op ops[] = { RUN_MS(10), RUN_MS(5) };
	static const struct sl_task tasks[] = { TASK("a", 0, 1), TASK("b", 1, 1) };
	const struct sl_workload w = WORKLOAD(ops, tasks);
	struct sl_costs costs = { .smt_permille = { 1000, 500 } };
	struct sl_topo topo = toy_topo_of(2);
	struct sl_sim_args args = {
		.topo = &topo, .policy = &toy_policy, .workload = &w, .costs = &costs
	};
	char err[256];
	struct sl_sim *s;
	struct sl_totals total;

	(void)state;
	toy_cpus[1].core = 0;
	s = sl_sim_new(&args, err, sizeof err);
	assert_non_null(s);
	assert_int_equal(sl_sim_run(s), SL_END_DONE);
	sl_sim_totals(s, &total);
	/* Both at half speed until b's 5 ms are done at 10 ms; a's last 5 ms alone. */
	assert_int_equal(total.real_ns, 15 * SL_NS_PER_MS);
	assert_int_equal(total.user_ns, 25 * SL_NS_PER_MS);
	sl_sim_free(s);
}

/* Fidelity row 41: switch and wake-up cost of 2.9 us each come out as set. */
static void pingpong_costs_what_was_set(void **state)
{
	static const struct sl_sem_spec sems[] = { { "ping", 0 }, { "pong", 0 } };
	static const struct sl_op ops[] = {
		OP(LOOP, .dist = { .value = 1000 }),
		OP(SEM_POST, .obj = 0),
		OP(SEM_WAIT, .obj = 1),
		OP(ENDLOOP, .target = 0),
		OP(LOOP, .dist = { .value = 1000 }),
		OP(SEM_WAIT, .obj = 0),
		OP(SEM_POST, .obj = 1),
		OP(ENDLOOP, .target = 0),
	};
	static const struct sl_task tasks[] = { TASK("a", 0, 4), TASK("b", 4, 4) };
	struct sl_workload w = WORKLOAD(ops, tasks);
	struct sl_costs costs = { .switch_ns = 2900, .wake_ns = 2900 };

	(void)state;
	w.sem = sems;
	w.n_sems = 2;
	run(&w, 1, 0, &costs, &out);
	assert_int_equal(out.end, SL_END_DONE);
	/* 1000 round trips of two wake-ups and two switches; the first wait may not block. */
	assert_true(out.total.real_ns > 11550000 && out.total.real_ns < 11650000);
}

static void equal_runs_give_equal_digests(void **state)
{
	static const struct sl_op ops[] = { OP(LOOP, .dist = { .value = 20 }), RUN_MS(3),
					    SLEEP_MS(2), OP(ENDLOOP, .target = 0) };
	static const struct sl_task tasks[] = { TASK("a", 0, 4), TASK("b", 0, 4), TASK("c", 0, 4) };
	const struct sl_workload w = WORKLOAD(ops, tasks);
	uint64_t first;

	(void)state;
	run(&w, 2, 0, NULL, &out);
	first = out.total.digest;
	run(&w, 2, 0, NULL, &out);
	assert_int_equal(first, out.total.digest);
	run(&w, 1, 0, NULL, &out);
	assert_int_not_equal(first, out.total.digest);
}

static void a_set_stop_flag_ends_making_threads(void **state)
{
	static const struct sl_op ops[] = { RUN_MS(1) };
	static const struct sl_task tasks[] = { TASK("a", 0, 1) };
	const struct sl_workload w = WORKLOAD(ops, tasks);
	const _Atomic bool stop = true;
	const struct sl_topo topo = toy_topo_of(1);
	struct sl_sim_args args = { .policy = &toy_policy, .workload = &w, .stop = &stop };
	char err[128] = "";

	(void)state;
	args.topo = &topo;
	assert_null(sl_sim_new(&args, err, sizeof err));
	assert_string_equal(err, "interrupted before it began");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(one_burst_takes_its_length),
		cmocka_unit_test(phase_boundary_is_no_event),
		cmocka_unit_test(two_hogs_share_one_cpu_by_ticks),
		cmocka_unit_test(tick_counts_are_exact),
		cmocka_unit_test(a_sleeper_wakes_when_it_said),
		cmocka_unit_test(zero_length_bursts_end),
		cmocka_unit_test(no_threads_end_at_once),
		cmocka_unit_test(a_deadlock_says_who_waits_for_what),
		cmocka_unit_test(a_parent_waits_for_its_children),
		cmocka_unit_test(smt_siblings_are_retimed),
		cmocka_unit_test(pingpong_costs_what_was_set),
		cmocka_unit_test(equal_runs_give_equal_digests),
		cmocka_unit_test(a_set_stop_flag_ends_making_threads),
	};

	return cmocka_run_group_tests_name("engine", tests, NULL, NULL);
}
