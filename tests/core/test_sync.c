/* SPDX-License-Identifier: BSD-2-Clause
 *
 * What threads wait on, with right values on the toy policy. */
#include "tests/core/toy.h"

#include "tests/sl_test.h"

struct outcome {
	enum sl_end end;
	struct sl_totals total;
	struct sl_thread_result thread[4];
	char fault[2048];
};

static struct outcome out;

static void run(const struct sl_workload *w, uint32_t ncpus)
{
	struct sl_topo topo = toy_topo_of(ncpus);
	struct sl_sim_args args = {
		.topo = &topo, .policy = &toy_policy, .workload = w, .check = true
	};
	char err[256];
	struct sl_sim *s;

	memset(&out, 0, sizeof out);
	s = sl_sim_new(&args, err, sizeof err);
	if (!s)
		fail_msg("%s", err);
	out.end = sl_sim_run(s);
	snprintf(out.fault, sizeof out.fault, "%s", sl_sim_fault(s));
	sl_sim_totals(s, &out.total);
	for (uint32_t i = 0; i < SL_ARRAY_LEN(out.thread); i++)
		sl_sim_thread(s, i, &out.thread[i]);
	sl_sim_free(s);
}

static struct sl_workload workload_of(const struct sl_op *ops, uint32_t n_ops,
				      const struct sl_task *tasks, uint32_t n_tasks)
{
	return (struct sl_workload){
		.name = "t", .op = ops, .n_ops = n_ops, .task = tasks, .n_tasks = n_tasks
	};
}
#define WORKLOAD(ops, tasks) workload_of(ops, SL_ARRAY_LEN(ops), tasks, SL_ARRAY_LEN(tasks))

static void a_mutex_serialises(void **state)
{
	static const struct sl_mutex_spec mutexes[] = { { "m", SL_MUTEX_USER } };
	static const struct sl_op ops[] = { OP(LOCK), RUN_MS(5), OP(UNLOCK), RUN_MS(2) };
	static const struct sl_task tasks[] = { TASK("a", 0, 4), TASK("b", 0, 4) };
	struct sl_workload w = WORKLOAD(ops, tasks);

	(void)state;
	w.mutex = mutexes;
	w.n_mutexes = 1;
	run(&w, 2);
	assert_int_equal(out.end, SL_END_DONE);
	assert_int_equal(out.thread[0].ended, 7 * SL_NS_PER_MS);
	assert_int_equal(out.thread[1].ended, 12 * SL_NS_PER_MS);
}

static void unlocking_what_one_does_not_hold_is_a_fault(void **state)
{
	static const struct sl_mutex_spec mutexes[] = { { "m", SL_MUTEX_USER } };
	static const struct sl_op ops[] = { OP(UNLOCK) };
	static const struct sl_task tasks[] = { TASK("a", 0, 1) };
	struct sl_workload w = WORKLOAD(ops, tasks);

	(void)state;
	w.mutex = mutexes;
	w.n_mutexes = 1;
	run(&w, 1);
	assert_int_equal(out.end, SL_END_PROGRAM);
	assert_string_equal(out.fault, "program fault at 0 ns: a-0 unlocks, without holding it, "
				       "mutex \"m\" (operation 1 of 1 of task a)");
}

static void a_barrier_lets_all_go_at_once(void **state)
{
	static const struct sl_barrier_spec barriers[] = { { "b", 3 } };
	static const struct sl_op ops[] = { RUN_MS(1), OP(BARRIER), RUN_MS(4), /* a */
					    RUN_MS(6), OP(BARRIER), RUN_MS(4) };
	static const struct sl_task tasks[] = { TASK("a", 0, 3), TASK("b", 3, 3), TASK("c", 0, 3) };
	struct sl_workload w = WORKLOAD(ops, tasks);

	(void)state;
	w.barrier = barriers;
	w.n_barriers = 1;
	run(&w, 3);
	for (int i = 0; i < 3; i++)
		assert_int_equal(out.thread[i].ended, 10 * SL_NS_PER_MS);
}

/* Sends 5 units through room for 2: blocks until the reader, at 10 ms, has made room. */
static void a_channel_holds_its_capacity(void **state)
{
	static const struct sl_channel_spec channels[] = { { "c", 2 } };
	static const struct sl_op ops[] = { OP(SEND, .dist = { .value = 5 }), RUN_MS(1),
					    SLEEP_MS(10), OP(RECV, .dist = { .value = 5 }),
					    RUN_MS(1) };
	static const struct sl_task tasks[] = { TASK("w", 0, 2), TASK("r", 2, 3) };
	struct sl_workload w = WORKLOAD(ops, tasks);

	(void)state;
	w.channel = channels;
	w.n_channels = 1;
	run(&w, 2);
	assert_int_equal(out.end, SL_END_DONE);
	assert_int_equal(out.thread[0].ended, 11 * SL_NS_PER_MS);
	assert_int_equal(out.thread[1].ended, 11 * SL_NS_PER_MS);
}

static void a_condition_forgets_signals(void **state)
{
	static const struct sl_named_spec conds[] = { { "c" } };
	static const struct sl_op ops[] = { RUN_MS(5),	OP(COND_WAIT, .target = SL_NONE),
					    RUN_MS(1),	OP(COND_SIGNAL),
					    RUN_MS(20), OP(COND_BROAD) };
	static const struct sl_task tasks[] = { TASK("w", 0, 3), TASK("s", 3, 3) };
	struct sl_workload w = WORKLOAD(ops, tasks);

	(void)state;
	w.cond = conds;
	w.n_conds = 1;
	run(&w, 2);
	assert_int_equal(out.end, SL_END_DONE);
	assert_int_equal(out.thread[0].ended, 21 * SL_NS_PER_MS);
}

static void a_disk_queues(void **state)
{
	static const struct sl_disk_spec disks[] = { { "d", 1, 1000, 1000 } };
	static const struct sl_op ops[] = { OP(DISK, .dist = { .value = 8 * SL_NS_PER_MS }),
					    RUN_MS(1) };
	static const struct sl_task tasks[] = { TASK("a", 0, 2), TASK("b", 0, 2), TASK("c", 0, 2) };
	struct sl_workload w = WORKLOAD(ops, tasks);

	(void)state;
	w.disk = disks;
	w.n_disks = 1;
	run(&w, 3);
	assert_int_equal(out.thread[0].ended, 9 * SL_NS_PER_MS);
	assert_int_equal(out.thread[1].ended, 17 * SL_NS_PER_MS);
	assert_int_equal(out.thread[2].ended, 25 * SL_NS_PER_MS);
}

/* Late relative timers start over, absolute ones keep their grid. */
static void timers_keep_or_leave_their_grid(void **state)
{
	static const struct sl_named_spec timers[] = { { "t" } };
	static const struct sl_op ops[] = {
		RUN_MS(15), OP(TIMER, .dist = { .value = 10 * SL_NS_PER_MS }),
		RUN_MS(1),  OP(TIMER, .dist = { .value = 10 * SL_NS_PER_MS }),
		RUN_MS(0),
	};
	struct sl_op absolute[SL_ARRAY_LEN(ops)];
	static const struct sl_task tasks[] = { TASK("a", 0, 5) };
	struct sl_workload w = WORKLOAD(ops, tasks);

	(void)state;
	w.timer = timers;
	w.n_timers = 1;
	run(&w, 1);
	assert_int_equal(out.thread[0].ended, 25 * SL_NS_PER_MS);
	memcpy(absolute, ops, sizeof ops);
	absolute[1].flags = absolute[3].flags = SL_OPF_TIMER_ABSOLUTE;
	w.op = absolute;
	run(&w, 1);
	assert_int_equal(out.thread[0].ended, 20 * SL_NS_PER_MS);
}

/* RUNTIME is wall time: the preempted thread does less work in it. */
static void runtime_is_wall_time(void **state)
{
	static const struct sl_op ops[] = { OP(RUNTIME, .dist = { .value = 40 * SL_NS_PER_MS }),
					    RUN_MS(200) };
	static const struct sl_task tasks[] = { TASK("a", 0, 1), TASK("b", 1, 1) };
	struct sl_workload w = WORKLOAD(ops, tasks);

	(void)state;
	run(&w, 1);
	assert_true(out.thread[0].user_ns < 21 * SL_NS_PER_MS);
	assert_true(out.thread[0].ended >= 40 * SL_NS_PER_MS);
}

static void an_edge_is_remembered(void **state)
{
	static const struct sl_op ops[] = { RUN_MS(9), OP(EDGE_WAIT), RUN_MS(1), /* wakee */
					    RUN_MS(2), OP(EDGE_WAKE), RUN_MS(1) };
	static const struct sl_task tasks[] = { TASK("a", 0, 3), TASK("b", 3, 3) };
	struct sl_workload w = WORKLOAD(ops, tasks);

	(void)state;
	w.n_edges = 1;
	run(&w, 2);
	assert_int_equal(out.end, SL_END_DONE);
	assert_int_equal(out.thread[0].ended, 10 * SL_NS_PER_MS);
	assert_int_equal(out.total.wakeups, 0);
}

static void ending_with_a_lock_is_a_fault(void **state)
{
	static const struct sl_mutex_spec mutexes[] = { { "m", SL_MUTEX_USER } };
	static const struct sl_op ops[] = { OP(LOCK), RUN_MS(1) };
	static const struct sl_task tasks[] = { TASK("a", 0, 2) };
	struct sl_workload w = WORKLOAD(ops, tasks);

	(void)state;
	w.mutex = mutexes;
	w.n_mutexes = 1;
	run(&w, 1);
	assert_int_equal(out.end, SL_END_PROGRAM);
	assert_non_null(strstr(out.fault, "a-0 ends while it holds mutex \"m\""));
}

/* Two threads wake each other for ever and use no time. */
static void endless_zero_time_is_a_stall(void **state)
{
	static const struct sl_sem_spec sems[] = { { "s", 0 }, { "t", 0 } };
	static const struct sl_op ops[] = {
		OP(LOOP, .dist = { .value = UINT64_MAX }),
		OP(SEM_POST, .obj = 0),
		OP(SEM_WAIT, .obj = 1),
		OP(ENDLOOP, .target = 0),
		OP(LOOP, .dist = { .value = UINT64_MAX }),
		OP(SEM_WAIT, .obj = 0),
		OP(SEM_POST, .obj = 1),
		OP(ENDLOOP, .target = 0),
	};
	static const struct sl_task tasks[] = { TASK("a", 0, 4), TASK("b", 4, 4) };
	struct sl_workload w = WORKLOAD(ops, tasks);

	(void)state;
	w.sem = sems;
	w.n_sems = 2;
	run(&w, 1);
	assert_int_equal(out.end, SL_END_STALL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_mutex_serialises),
		cmocka_unit_test(unlocking_what_one_does_not_hold_is_a_fault),
		cmocka_unit_test(a_barrier_lets_all_go_at_once),
		cmocka_unit_test(a_channel_holds_its_capacity),
		cmocka_unit_test(a_condition_forgets_signals),
		cmocka_unit_test(a_disk_queues),
		cmocka_unit_test(timers_keep_or_leave_their_grid),
		cmocka_unit_test(runtime_is_wall_time),
		cmocka_unit_test(an_edge_is_remembered),
		cmocka_unit_test(ending_with_a_lock_is_a_fault),
		cmocka_unit_test(endless_zero_time_is_a_stall),
	};

	return cmocka_run_group_tests_name("sync", tests, NULL, NULL);
}
