/* SPDX-License-Identifier: BSD-2-Clause
 *
 * The observer, from hand-written records with known answers, and against the engine's own
 * integral of wasted CPU time. */
#include "sim/core/observe.h"
#include "tests/core/toy.h"

#include "tests/sl_test.h"

#define MS     SL_NS_PER_MS
#define IDLE   SL_REC_IDLE
#define LEN(a) (uint32_t)(sizeof(a) / sizeof((a)[0]))

static struct sl_rec started(sl_time ms, uint32_t tid, uint32_t task, uint32_t parent)
{
	return (struct sl_rec){ .at = ms * MS,
				.kind = SL_REC_START,
				.a = tid,
				.b = parent,
				.aux = (uint64_t)task << 32 };
}

static struct sl_rec switched(sl_time ms, uint16_t cpu, uint32_t out, uint32_t in,
			      enum sl_tstate state)
{
	return (struct sl_rec){ .at = ms * MS,
				.kind = SL_REC_SWITCH,
				.cpu = cpu,
				.a = out,
				.b = in,
				.aux = (uint64_t)state };
}

static struct sl_rec woken(sl_time ms, uint32_t tid)
{
	return (struct sl_rec){ .at = ms * MS, .kind = SL_REC_WAKE, .a = tid, .b = IDLE };
}

static const uint64_t mask_of_cpu1[] = { 2 };

static const struct sl_op ops[] = {
	RUN_MS(1000),
	OP(BIND, .value = 0),
	OP(SETMASK, .target = 3, .obj = 0),
};

/* free: any CPU; cpu1: CPU 1 only; binds: left out; told: its mask is changed by task 2;
 * pair: two instances; child: a template. */
static const struct sl_task tasks[] = {
	TASK("free", 0, 1),
	{ .name = "cpu1",
	  .instances = 1,
	  .n_ops = 1,
	  .mask = 0,
	  .proc_group = SL_NONE,
	  .bind_cpu = -1 },
	TASK("binds", 1, 2),
	TASK("told", 0, 1),
	{ .name = "pair",
	  .instances = 2,
	  .n_ops = 1,
	  .mask = SL_NONE,
	  .proc_group = SL_NONE,
	  .bind_cpu = -1 },
	{ .name = "child", .n_ops = 1, .mask = SL_NONE, .proc_group = SL_NONE, .bind_cpu = -1 },
};

static const struct sl_workload workload = { .name = "w",
					     .op = ops,
					     .n_ops = LEN(ops),
					     .task = tasks,
					     .n_tasks = LEN(tasks),
					     .mask = mask_of_cpu1,
					     .n_masks = 1,
					     .mask_words = 1 };

static struct sl_observed observe(const struct sl_rec *rec, uint32_t n, uint32_t ncpus,
				  sl_time end_ms, struct sl_observe_opts opts)
{
	struct sl_topo topo = toy_topo_of(ncpus);
	struct sl_observer *o;
	struct sl_sink sink;
	struct sl_observed out;

	opts.topo = &topo;
	opts.workload = &workload;
	o = sl_observer_new(&opts);
	assert_non_null(o);
	sink = sl_observer_sink(o);
	sink.take(sink.ctx, rec, n);
	out = *sl_observer_finish(o, end_ms * MS);
	sl_observer_free(o);
	assert_false(out.no_memory);
	return out;
}

#define OBSERVE(rec, ncpus, end_ms, ...)                                                           \
	observe(rec, LEN(rec), ncpus, end_ms, (struct sl_observe_opts){ __VA_ARGS__ })

static void a_gap_opens_with_the_idle_cpu_and_closes_with_the_dispatch(void **state)
{
	const struct sl_rec rec[] = {
		started(0, 0, 0, IDLE),
		switched(0, 0, IDLE, 0, SL_TS_CAN_RUN),
		started(10, 1, 0, IDLE), /* CPU 1 is idle: gap of 30 ms */
		switched(40, 1, IDLE, 1, SL_TS_CAN_RUN),
	};
	struct sl_observed o = OBSERVE(rec, 2, 100, 0);

	(void)state;
	assert_int_equal(o.gaps, 1);
	assert_int_equal(o.long_gaps, 1);
	assert_int_equal(o.n_worst, 1);
	assert_int_equal(o.worst[0].opened, 10 * MS);
	assert_int_equal(o.worst[0].closed, 40 * MS);
	assert_int_equal(o.worst[0].tid, 1);
	assert_int_equal(o.worst[0].idle_cpu, 1);
	assert_int_equal(o.worst[0].ran_on, 1);
	assert_int_equal(o.worst[0].opening, SL_GAP_STARTED);
	assert_int_equal(o.worst[0].closing, SL_GAP_RUNS);
	assert_int_equal(o.gap_sum, 30 * MS);
	assert_int_equal(o.wasted, 30 * MS);
	assert_int_equal(o.gap_length[24], 1); /* 2^24 ns = 16.8 ms */
	assert_int_equal(o.judged, 2);
	assert_int_equal(o.left_out, 0);
}

static void a_gap_closes_when_the_last_idle_cpu_goes_to_another(void **state)
{
	const struct sl_rec rec[] = {
		started(0, 0, 0, IDLE),
		started(0, 1, 0, IDLE),
		switched(20, 0, IDLE, 1, SL_TS_CAN_RUN),
	};
	struct sl_observed o = OBSERVE(rec, 1, 50, 0);

	(void)state;
	assert_int_equal(o.gaps, 2);
	assert_int_equal(o.gap_sum, 40 * MS);
	assert_int_equal(o.wasted, 20 * MS); /* one CPU, however many wait */
	assert_int_equal(o.worst[0].tid, 1);
	assert_int_equal(o.worst[0].ran_on, 0);
	assert_int_equal(o.worst[1].tid, 0);
	assert_int_equal(o.worst[1].ran_on, -1);
	assert_int_equal(o.worst[1].closing, SL_GAP_TAKEN);
	assert_int_equal(o.worst[1].closing_tid, 1);
}

static void a_gap_opens_with_the_event_that_made_it(void **state)
{
	const struct sl_rec rec[] = {
		started(0, 0, 0, IDLE),
		switched(0, 0, IDLE, 0, SL_TS_CAN_RUN),
		started(0, 1, 0, IDLE),
		switched(0, 1, IDLE, 1, SL_TS_CAN_RUN),
		started(1, 2, 0, IDLE),
		switched(10, 0, 0, IDLE, SL_TS_SLEEP),	 /* 2 waits beside CPU 0 */
		switched(30, 0, IDLE, 2, SL_TS_CAN_RUN), /* 20 ms */
		switched(40, 1, 1, IDLE, SL_TS_RUNQ),	 /* 1 is put back beside CPU 1 */
		switched(70, 1, IDLE, 1, SL_TS_CAN_RUN), /* 30 ms */
		switched(80, 1, 1, IDLE, SL_TS_SLEEP),
		woken(81, 1), /* up to the end, 40 ms */
	};
	struct sl_observed o = OBSERVE(rec, 2, 121, 0);

	(void)state;
	assert_int_equal(o.long_gaps, 3);
	assert_int_equal(o.worst[0].opening, SL_GAP_WOKEN);
	assert_int_equal(o.worst[0].closing, SL_GAP_OVER);
	assert_int_equal(o.worst[1].opening, SL_GAP_PUT_BACK);
	assert_int_equal(o.worst[1].opening_tid, IDLE);
	assert_int_equal(o.worst[2].opening, SL_GAP_CPU_IDLE);
	assert_int_equal(o.worst[2].opening_tid, 0);
}

static void masks_decide_whether_an_idle_cpu_counts(void **state)
{
	const struct sl_rec rec[] = {
		started(0, 0, 0, IDLE),
		switched(0, 1, IDLE, 0, SL_TS_CAN_RUN),
		started(10, 1, 1, IDLE), /* may use CPU 1 only, which is busy */
		switched(60, 1, 0, 1, SL_TS_SLEEP),
	};
	struct sl_observed o = OBSERVE(rec, 2, 100, 0);

	(void)state;
	assert_int_equal(o.gaps, 0);
	assert_int_equal(o.wasted, 0);
}

static void threads_of_unknown_freedom_are_left_out(void **state)
{
	const struct sl_rec rec[] = {
		started(0, 0, 2, IDLE), /* binds itself */
		started(0, 1, 3, IDLE), /* may get another mask */
		started(0, 2, 5, 1),	/* has its parent's mask, whatever that is */
		switched(90, 0, IDLE, 0, SL_TS_CAN_RUN),
	};
	struct sl_observed o = OBSERVE(rec, 4, 100, 0);

	(void)state;
	assert_int_equal(o.left_out, 3);
	assert_int_equal(o.judged, 0);
	assert_int_equal(o.gaps, 0);
}

static void a_child_inherits_its_parents_mask(void **state)
{
	const struct sl_rec rec[] = {
		started(0, 0, 1, IDLE), switched(0, 1, IDLE, 0, SL_TS_CAN_RUN),
		started(10, 1, 5, 0), /* CPU 1 only, like its parent: no gap */
	};
	struct sl_observed o = OBSERVE(rec, 2, 100, 0);

	(void)state;
	assert_int_equal(o.judged, 2);
	assert_int_equal(o.gaps, 0);
}

static void the_grace_time_and_the_start_of_counting(void **state)
{
	const struct sl_rec rec[] = {
		started(0, 0, 0, IDLE),
		switched(10, 0, IDLE, 0, SL_TS_CAN_RUN), /* exactly the grace time */
		switched(20, 0, 0, IDLE, SL_TS_SLEEP),
		woken(30, 0),
		switched(41, 0, IDLE, 0, SL_TS_CAN_RUN),
	};
	struct sl_observed o = OBSERVE(rec, 1, 100, 0);

	(void)state;
	assert_int_equal(o.gaps, 2);
	assert_int_equal(o.long_gaps, 1);
	o = OBSERVE(rec, 1, 100, .grace = 11 * MS);
	assert_int_equal(o.long_gaps, 0);
	o = OBSERVE(rec, 1, 100, .from = 35 * MS);
	assert_int_equal(o.gaps, 1);
	assert_int_equal(o.gap_sum, 6 * MS);
	assert_int_equal(o.wasted, 6 * MS);
}

static void an_open_gap_ends_with_the_run(void **state)
{
	const struct sl_rec rec[] = { started(5, 0, 0, IDLE) };
	struct sl_observed o = OBSERVE(rec, 1, 100, 0);

	(void)state;
	assert_int_equal(o.long_gaps, 1);
	assert_int_equal(o.worst[0].closed, 100 * MS);
	assert_int_equal(o.worst[0].ran_on, -1);
	assert_int_equal(o.wasted, 95 * MS);
}

static void the_longest_gaps_are_listed_first(void **state)
{
	struct sl_rec rec[40];
	uint32_t n = 0;
	sl_time at = 0;
	struct sl_observed o;

	(void)state;
	rec[n++] = started(0, 0, 0, IDLE);
	rec[n++] = switched(0, 0, IDLE, 0, SL_TS_CAN_RUN);
	for (uint32_t i = 1; i <= 12; i++) { /* gaps of 11, 22, 33 ... ms */
		rec[n++] = switched(++at, 0, 0, IDLE, SL_TS_SLEEP);
		rec[n++] = woken(at, 0);
		at += 11 * i;
		rec[n++] = switched(at, 0, IDLE, 0, SL_TS_CAN_RUN);
	}
	o = observe(rec, n, 1, at, (struct sl_observe_opts){ 0 });
	assert_int_equal(o.long_gaps, 12);
	assert_int_equal(o.n_worst, SL_OBSERVE_GAPS);
	for (uint32_t i = 0; i < SL_OBSERVE_GAPS; i++)
		assert_int_equal(o.worst[i].closed - o.worst[i].opened, (12 - i) * 11 * MS);
}

static void shares_of_equal_hogs(void **state)
{
	const struct sl_rec rec[] = {
		started(0, 0, 4, IDLE),
		started(0, 1, 4, IDLE),
		switched(0, 0, IDLE, 0, SL_TS_CAN_RUN),
		switched(300, 0, 0, 1, SL_TS_RUNQ),
		switched(400, 0, 1, 0, SL_TS_RUNQ),
	};
	struct sl_observed o = OBSERVE(rec, 1, 1000, 0);

	(void)state;
	assert_true(o.has_hogs);
	assert_int_equal(o.hogs.task, 4);
	assert_int_equal(o.hogs.n, 2);
	assert_int_equal(o.hogs.run_min, 100);
	assert_int_equal(o.hogs.run_max, 900);
	assert_int_equal(o.hogs.run_mean, 500);
	assert_int_equal(o.hogs.wait_min, 100);
	assert_int_equal(o.hogs.wait_max, 900);
	assert_int_equal(o.hogs.window, 1000 * MS);
	o = OBSERVE(rec, 1, 1000, .from = 400 * MS);
	assert_int_equal(o.hogs.run_min, 0);
	assert_int_equal(o.hogs.run_max, 1000);
}

static void a_thread_that_slept_is_no_hog(void **state)
{
	const struct sl_rec rec[] = {
		started(0, 0, 4, IDLE),
		started(0, 1, 4, IDLE),
		switched(0, 0, IDLE, 0, SL_TS_CAN_RUN),
		switched(300, 0, 0, 1, SL_TS_SLEEP),
	};
	struct sl_observed o = OBSERVE(rec, 1, 1000, 0);

	(void)state;
	assert_false(o.has_hogs);
}

static void useless_moves(void **state)
{
	const struct sl_rec rec[] = {
		started(0, 0, 0, IDLE),
		switched(0, 0, IDLE, 0, SL_TS_CAN_RUN),
		switched(10, 0, 0, IDLE, SL_TS_SLEEP),
		woken(20, 0),
		switched(20, 1, IDLE, 0, SL_TS_CAN_RUN), /* CPU 0 has been idle since 10 */
		started(22, 1, 0, IDLE),
		switched(22, 0, IDLE, 1, SL_TS_CAN_RUN),
		switched(24, 1, 0, IDLE, SL_TS_RUNQ),
		switched(24, 0, 1, 0, SL_TS_SLEEP), /* back after 4 ms; CPU 1 only just idle */
	};
	struct sl_observed o = OBSERVE(rec, 2, 100, 0);

	(void)state;
	assert_int_equal(o.migrations, 2);
	assert_int_equal(o.home_idle, 1);
	assert_int_equal(o.back_again, 1);
	o = OBSERVE(rec, 2, 100, .grace = 4 * MS);
	assert_int_equal(o.back_again, 0);
}

/* A policy that never tells an idle CPU of a new thread: the engine's integral of wasted
 * time and the observer's are the same. */
static void quiet_add(struct sl_pol *p, struct sl_thread *td, unsigned srq)
{
	(void)srq;
	sl_list_append(&((struct toy *)p->priv)->queue, &td->runq);
	sl_pol_queued(p, td);
	if (p->cpu[0].halted)
		sl_pol_ipi(p, 0, SL_IPI_AST);
}

static void the_integral_is_the_engines(void **state)
{
	static const struct sl_op run[] = { OP(LOOP, .dist = { .value = UINT64_MAX }), RUN_MS(7),
					    SLEEP_MS(3), OP(ENDLOOP) };
	static const struct sl_task three[] = {
		{ .name = "t",
		  .instances = 3,
		  .n_ops = 4,
		  .mask = SL_NONE,
		  .proc_group = SL_NONE,
		  .bind_cpu = -1 },
	};
	const struct sl_workload w = {
		.name = "w", .op = run, .n_ops = 4, .task = three, .n_tasks = 1
	};
	struct sl_topo topo = toy_topo_of(2);
	struct sl_policy quiet = toy_policy;
	struct sl_observe_opts opts = { .topo = &topo, .workload = &w };
	struct sl_observer *o = sl_observer_new(&opts);
	struct sl_sink sink = sl_observer_sink(o);
	struct sl_sim_args args = { .topo = &topo,
				    .policy = &quiet,
				    .workload = &w,
				    .until = SL_NS_PER_S,
				    .sinks = &sink,
				    .n_sinks = 1 };
	char err[128];
	struct sl_sim *s;
	struct sl_totals t;
	const struct sl_observed *out;

	(void)state;
	quiet.add = quiet_add;
	quiet.work_conserving = false;
	s = sl_sim_new(&args, err, sizeof err);
	assert_non_null(s);
	assert_int_equal(sl_sim_run(s), SL_END_UNTIL);
	sl_sim_totals(s, &t);
	out = sl_observer_finish(o, t.end_ns);
	assert_true(out->wasted > 100 * MS);
	assert_int_equal(out->wasted, t.wasted_ns);
	assert_int_equal(out->migrations, t.migrations);
	sl_sim_free(s);
	sl_observer_free(o);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_gap_opens_with_the_idle_cpu_and_closes_with_the_dispatch),
		cmocka_unit_test(a_gap_closes_when_the_last_idle_cpu_goes_to_another),
		cmocka_unit_test(a_gap_opens_with_the_event_that_made_it),
		cmocka_unit_test(masks_decide_whether_an_idle_cpu_counts),
		cmocka_unit_test(threads_of_unknown_freedom_are_left_out),
		cmocka_unit_test(a_child_inherits_its_parents_mask),
		cmocka_unit_test(the_grace_time_and_the_start_of_counting),
		cmocka_unit_test(an_open_gap_ends_with_the_run),
		cmocka_unit_test(the_longest_gaps_are_listed_first),
		cmocka_unit_test(shares_of_equal_hogs),
		cmocka_unit_test(a_thread_that_slept_is_no_hog),
		cmocka_unit_test(useless_moves),
		cmocka_unit_test(the_integral_is_the_engines),
	};

	return cmocka_run_group_tests_name("observe", tests, NULL, NULL);
}
