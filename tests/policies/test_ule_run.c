/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Whole runs of every era under the checker, stopped at odd moments: ULE's books must
 * agree with each other (ule.md 3, invariants 1 - 4, and the tables of the searches). */
#include "policies/registry.h"
#include "policies/ule.h"
#include "sim/core/sim.h"
#include "tests/sl_test.h"

#define TASKS 5
#define US    SL_NS_PER_US

/* Lengths between a tenth and twice the mean. */
static const uint64_t quantiles[] = { 100 * US,	 1000 * US,  2000 * US,	  /* short */
				      2000 * US, 15000 * US, 40000 * US,  /* long */
				      500 * US,	 4000 * US,  9000 * US }; /* sleeps */

#define SHORT                                                                                      \
	{                                                                                          \
		.n = 2, .first = 0, .value = 1000 * US                                             \
	}
#define LONG                                                                                       \
	{                                                                                          \
		.n = 2, .first = 3, .value = 18000 * US                                            \
	}
#define SLEEP                                                                                      \
	{                                                                                          \
		.n = 2, .first = 6, .value = 4500 * US                                             \
	}
#define FOR_EVER                                                                                   \
	{                                                                                          \
		.value = UINT64_MAX                                                                \
	}

static const struct sl_op ops[] = {
	/* 0: short bursts */
	{ .kind = SL_OP_LOOP, .dist = FOR_EVER },
	{ .kind = SL_OP_RUN, .dist = SHORT },
	{ .kind = SL_OP_SLEEP, .dist = SLEEP, .wprio = SL_WPRIO_PSOCK },
	{ .kind = SL_OP_ENDLOOP, .target = 0 },
	/* 4: long bursts with yields */
	{ .kind = SL_OP_LOOP, .dist = FOR_EVER },
	{ .kind = SL_OP_RUN, .dist = LONG },
	{ .kind = SL_OP_YIELD },
	{ .kind = SL_OP_RUN, .dist = LONG },
	{ .kind = SL_OP_SLEEP, .dist = SHORT },
	{ .kind = SL_OP_ENDLOOP, .target = 0 },
	/* 10: forks children that end */
	{ .kind = SL_OP_LOOP, .dist = FOR_EVER },
	{ .kind = SL_OP_FORK, .target = 3 },
	{ .kind = SL_OP_RUN, .dist = SHORT },
	{ .kind = SL_OP_WAIT_CHILD },
	{ .kind = SL_OP_ENDLOOP, .target = 0 },
	/* 15: the child */
	{ .kind = SL_OP_RUN, .dist = LONG },
	{ .kind = SL_OP_EXIT },
	/* 17: binds, changes class and nice */
	{ .kind = SL_OP_LOOP, .dist = FOR_EVER },
	{ .kind = SL_OP_BIND, .value = 1 },
	{ .kind = SL_OP_RUN, .dist = SHORT },
	{ .kind = SL_OP_BIND, .value = -1 },
	{ .kind = SL_OP_SETCLASS, .target = SL_NONE, .value = SL_CLASS_REALTIME, .value2 = 3 },
	{ .kind = SL_OP_RUN, .dist = SHORT },
	{ .kind = SL_OP_SETCLASS, .target = SL_NONE, .value = SL_CLASS_TIMESHARE },
	{ .kind = SL_OP_SETNICE, .target = SL_NONE, .value = 7 },
	{ .kind = SL_OP_RUN, .dist = LONG },
	{ .kind = SL_OP_SLEEP, .dist = SLEEP },
	{ .kind = SL_OP_ENDLOOP, .target = 0 },
};

static struct sl_task task(uint32_t first, uint32_t n, uint32_t instances)
{
	return (struct sl_task){ .name = "t",
				 .instances = instances,
				 .first_op = first,
				 .n_ops = n,
				 .mask = SL_NONE,
				 .proc_group = SL_NONE,
				 .bind_cpu = -1 };
}

static void check_cpu(const struct sl_pol *p, uint32_t c)
{
	const struct ule *u = p->priv;
	const struct ule_cpu *q = ule_cpu_of(p, c);
	int32_t queued = 0, xferable = 0;

	for (int i = 0; i < ULE_QUEUES; i++)
		for (uint32_t l = 0; l < q->rq[i].nqs; l++) {
			bool used = !sl_runq_list_empty(&q->rq[i], l);

			assert_int_equal(used, !sl_list_empty(&q->rq[i].list[l]));
			for (const struct sl_thread *td = used ? sl_runq_head(&q->rq[i], l) : NULL;
			     td != NULL; td = sl_runq_behind(&q->rq[i], td, l)) {
				assert_int_equal(td->cpu, c);
				assert_int_equal(td->state, SL_TS_RUNQ);
				assert_int_equal(ule_thread_of(td)->index, l);
				xferable += ule_thread_of(td)->xferable;
				queued++;
			}
		}
	assert_int_equal(q->load, queued + !sl_thread_is_idle(p->cpu[c].cur));
	assert_int_equal(q->sysload, q->load);
	assert_int_equal(q->transferable, xferable);
	if (u->era->queue == &ule_queue_three)
		assert_in_range((q->idx - q->ridx) & (u->era->nqs - 1), 0, 1);
}

static void check_group(const struct sl_pol *p, const struct sl_cpu_group *g)
{
	const struct ule *u = p->priv;
	int32_t load = 0, transferable = 0;

	for (uint32_t c = g->first; c <= g->last; c++) {
		if (!sl_bit_test(g->mask, c))
			continue;
		load += ule_cpu_of(p, c)->load;
		transferable += ule_cpu_of(p, c)->transferable;
		assert_in_range(ule_cpu_of(p, c)->lowpri, 0, u->worst[g->id]);
	}
	assert_int_equal(u->sum[g->id].load, load);
	assert_int_equal(u->sum[g->id].transferable, transferable);
	for (uint32_t i = 0; i < g->nchildren; i++)
		assert_in_range(u->worst[g->child[i].id], 0, u->worst[g->id]);
}

static void run(const struct sl_topo *topo, const struct sl_era *era, uint64_t seed)
{
	const struct sl_task tasks[TASKS] = { task(0, 4, 5), task(4, 6, 3), task(10, 5, 2),
					      task(15, 2, 0), task(17, 11, 1) };
	const struct sl_workload w = { .name = "mix",
				       .op = ops,
				       .n_ops = SL_ARRAY_LEN(ops),
				       .task = tasks,
				       .n_tasks = TASKS,
				       .quantile = quantiles,
				       .n_quantiles = SL_ARRAY_LEN(quantiles) };
	struct sl_sim_args args = { .topo = topo,
				    .policy = &sl_policy_ule,
				    .era = era,
				    .workload = &w,
				    .seed = seed,
				    .until = 1500 * SL_NS_PER_MS + seed * 7777777,
				    .check = true };
	char err[200] = "";
	struct sl_sim *s;

	assert_null(sl_workload_check(&w, &(uint32_t){ 0 }, &(bool){ false }));
	s = sl_sim_new(&args, err, sizeof(err));
	assert_string_equal(err, "");
	assert_int_equal(sl_sim_run(s), SL_END_UNTIL);
	assert_string_equal(sl_sim_fault(s), "");
	for (uint32_t c = 0; c < topo->ncpus; c++)
		check_cpu(sl_sim_pol(s), c);
	for (uint32_t g = 0; g < sl_sim_pol(s)->tree->ngroups; g++)
		check_group(sl_sim_pol(s), &sl_sim_pol(s)->tree->group[g]);
	sl_sim_free(s);
}

/* 2 packages of 2 cores with 2 threads. */
static void books_agree(void **state)
{
	struct sl_topo_cpu cpu[8];
	struct sl_topo topo = { .name = "2x2x2", .ncpus = 8, .cpu = cpu };
	static const char *const eras[] = { "10.4", "11.0", "2017", "2017-1ppq",
					    "12",   "13",   "14",   "15" };

	(void)state;
	for (uint16_t c = 0; c < 8; c++)
		cpu[c] = (struct sl_topo_cpu){ .package = c / 4,
					       .core = c / 2,
					       .thread = c % 2,
					       .l1 = c / 2,
					       .l2 = c / 2,
					       .l3 = c / 4,
					       .speed_permille = 1000 };
	for (size_t e = 0; e < SL_ARRAY_LEN(eras); e++)
		for (uint64_t seed = 1; seed <= 8; seed++)
			run(&topo, sl_policy_era(&sl_policy_ule, eras[e]), seed);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(books_agree),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
