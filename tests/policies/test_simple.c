/* SPDX-License-Identifier: BSD-2-Clause
 *
 * The teaching policies in whole runs under the checker: who gets the CPU, in which
 * order, and that no CPU idles beside a thread that may run there. */
#include "policies/registry.h"
#include "sim/core/sim.h"
#include "tests/sl_test.h"

#define MAX_TASKS 4
#define MAX_OPS	  8

struct bench {
	struct sl_op op[MAX_TASKS * MAX_OPS];
	struct sl_task task[MAX_TASKS];
	uint64_t mask[MAX_TASKS];
	struct sl_workload w;
	struct sl_topo_cpu cpu[4];
	struct sl_topo topo;
	sl_time user[MAX_TASKS], ended[MAX_TASKS];
	struct sl_totals total;
};

static void begin(struct bench *b, uint32_t ncpus)
{
	memset(b, 0, sizeof(*b));
	for (uint32_t c = 0; c < ncpus; c++)
		b->cpu[c] = (struct sl_topo_cpu){ .core = (uint16_t)c,
						  .l1 = (uint16_t)c,
						  .l2 = (uint16_t)c,
						  .l3 = 0,
						  .speed_permille = 1000 };
	b->topo = (struct sl_topo){ .name = "bench", .ncpus = ncpus, .cpu = b->cpu };
	b->w = (struct sl_workload){
		.name = "bench", .op = b->op, .task = b->task, .mask = b->mask, .mask_words = 1
	};
}

static void op(struct bench *b, struct sl_task *task, enum sl_op_kind kind, uint64_t value)
{
	b->op[b->w.n_ops++] = (struct sl_op){
		.kind = (uint8_t)kind, .obj = SL_NONE, .target = SL_NONE, .dist = { .value = value }
	};
	task->n_ops++;
}

/* A task that runs and sleeps `loops` times; sleep 0: none. Times in ms. */
static struct sl_task *task(struct bench *b, uint64_t delay, uint64_t loops, uint64_t run,
			    uint64_t sleep)
{
	uint32_t loop_at = 0;
	struct sl_task *t = &b->task[b->w.n_tasks++];

	*t = (struct sl_task){ .name = "t",
			       .instances = 1,
			       .first_op = b->w.n_ops,
			       .delay = delay * SL_NS_PER_MS,
			       .mask = SL_NONE,
			       .proc_group = SL_NONE,
			       .bind_cpu = -1 };
	op(b, t, SL_OP_LOOP, loops);
	op(b, t, SL_OP_RUN, run * SL_NS_PER_MS);
	if (sleep > 0)
		op(b, t, SL_OP_SLEEP, sleep * SL_NS_PER_MS);
	op(b, t, SL_OP_ENDLOOP, 0);
	b->op[b->w.n_ops - 1].target = loop_at;
	return t;
}

static void run(struct bench *b, const char *policy, sl_time until_ms)
{
	char err[200] = "";
	struct sl_sim_args args = {
		.topo = &b->topo,
		.policy = sl_policy_find(policy),
		.workload = &b->w,
		.seed = 1,
		.until = until_ms * SL_NS_PER_MS,
		.check = true,
	};
	struct sl_sim *s;

	assert_non_null(args.policy);
	assert_null(sl_workload_check(&b->w, &(uint32_t){ 0 }, &(bool){ false }));
	s = sl_sim_new(&args, err, sizeof(err));
	assert_string_equal(err, "");
	assert_non_null(s);
	(void)sl_sim_run(s);
	assert_string_equal(sl_sim_fault(s), "");
	for (uint32_t i = 0; i < b->w.n_tasks; i++) {
		struct sl_thread_result r;

		assert_true(sl_sim_thread(s, i, &r));
		b->user[i] = r.user_ns;
		b->ended[i] = r.ended;
	}
	sl_sim_totals(s, &b->total);
	sl_sim_free(s);
}

static void fifo_runs_to_completion(void **state)
{
	struct bench b;

	(void)state;
	begin(&b, 1);
	(void)task(&b, 0, 1, 500, 0);
	(void)task(&b, 1, 1, 100, 0);
	(void)task(&b, 2, 1, 50, 0);
	run(&b, "fifo", 1000);
	assert_int_equal(b.ended[0], 500 * SL_NS_PER_MS);
	assert_int_equal(b.ended[1], 600 * SL_NS_PER_MS);
	assert_int_equal(b.ended[2], 650 * SL_NS_PER_MS);
}

static void rr_shares_equally(void **state)
{
	struct bench b;

	(void)state;
	begin(&b, 1);
	for (int i = 0; i < 3; i++)
		(void)task(&b, 0, UINT64_MAX, 10000, 0);
	run(&b, "rr", 9 * 3 * 945);
	/* Turns of 12 stat ticks, 94.5 ms: nobody is more than a turn behind. */
	for (int i = 1; i < 3; i++)
		assert_in_range(b.user[i], b.user[0] - 95 * SL_NS_PER_MS,
				b.user[0] + 95 * SL_NS_PER_MS);
	assert_in_range(b.total.switches, 260, 280);
}

/* Nice 0 holds 21 tickets, nice 20 one. */
static void lottery_follows_tickets(void **state)
{
	struct bench b;

	(void)state;
	begin(&b, 1);
	(void)task(&b, 0, UINT64_MAX, 10000, 0);
	task(&b, 0, UINT64_MAX, 10000, 0)->nice = 20;
	run(&b, "lottery", 1000 * 1000);
	/* 10,583 turns: expectation 21/22 = 95.45 %, five standard deviations are 1 %. */
	assert_in_range(b.user[0], 9440 * SL_NS_PER_S / 10, 9650 * SL_NS_PER_S / 10);
}

/* A thread that sleeps stays on top and displaces the hog. */
static void mlfq_favours_sleepers(void **state)
{
	struct bench b;

	(void)state;
	begin(&b, 1);
	(void)task(&b, 0, UINT64_MAX, 100000, 0);
	(void)task(&b, 200, 100, 1, 20);
	run(&b, "mlfq", 3000);
	/* 100 times 1 + 20 ms, and at most a first-level turn (23.6 ms) of delay in each of
	 * the three seconds, when the hog is on top as well. */
	assert_in_range(b.ended[1], 2300 * SL_NS_PER_MS, 2371 * SL_NS_PER_MS);
}

static void no_cpu_idles_beside_work(void **state)
{
	static const char *const policies[] = { "fifo", "rr", "mlfq", "lottery" };

	(void)state;
	for (size_t i = 0; i < SL_ARRAY_LEN(policies); i++) {
		struct bench b;

		begin(&b, 4);
		(void)task(&b, 0, UINT64_MAX, 30, 7);
		(void)task(&b, 3, UINT64_MAX, 50, 1);
		(void)task(&b, 5, UINT64_MAX, 11, 13);
		(void)task(&b, 9, UINT64_MAX, 3, 2);
		run(&b, policies[i], 5000);
		assert_int_equal(b.total.wasted_ns, 0);
		assert_int_equal(b.total.wait_ns, 0);
	}
}

static void masks_are_kept(void **state)
{
	static const char *const policies[] = { "fifo", "rr", "mlfq", "lottery" };

	(void)state;
	for (size_t i = 0; i < SL_ARRAY_LEN(policies); i++) {
		struct bench b;

		begin(&b, 2);
		b.mask[0] = 2;
		b.w.n_masks = 1;
		for (int t = 0; t < 3; t++)
			task(&b, 0, 40, 10, 5)->mask = 0;
		run(&b, policies[i], 5000);
		/* All three share CPU 1 (the checker sees to the masks). */
		assert_in_range(b.total.end_ns, 1200 * SL_NS_PER_MS, 1300 * SL_NS_PER_MS);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(fifo_runs_to_completion),  cmocka_unit_test(rr_shares_equally),
		cmocka_unit_test(lottery_follows_tickets),  cmocka_unit_test(mlfq_favours_sleepers),
		cmocka_unit_test(no_cpu_idles_beside_work), cmocka_unit_test(masks_are_kept),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
