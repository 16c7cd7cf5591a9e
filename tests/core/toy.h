/* SPDX-License-Identifier: BSD-2-Clause
 *
 * A one-queue FIFO policy and workload builders for the engine's own tests. */
#ifndef TESTS_CORE_TOY_H
#define TESTS_CORE_TOY_H

#include "sim/core/sim.h"

#include <string.h>

struct toy {
	struct sl_link queue;
};

static inline void toy_init(struct sl_pol *p)
{
	sl_list_init(&((struct toy *)p->priv)->queue);
}

static inline void toy_wake_idle(struct sl_pol *p, const struct sl_thread *td)
{
	for (uint32_t c = 0; c < p->ncpus; c++)
		if (p->cpu[c].halted && sl_bit_test(td->mask, c))
			sl_pol_ipi(p, c, SL_IPI_AST);
}

static inline void toy_add(struct sl_pol *p, struct sl_thread *td, unsigned srq)
{
	(void)srq;
	sl_list_append(&((struct toy *)p->priv)->queue, &td->runq);
	sl_pol_queued(p, td);
	toy_wake_idle(p, td);
}

static inline void toy_rem(struct sl_pol *p, struct sl_thread *td)
{
	sl_link_remove(&td->runq);
	sl_pol_dequeued(p, td);
}

static inline struct sl_thread *toy_first(struct sl_pol *p, uint32_t cpu)
{
	struct toy *toy = p->priv;

	for (struct sl_link *l = toy->queue.next; l != &toy->queue; l = l->next) {
		struct sl_thread *td = SL_OF(l, struct sl_thread, runq);

		if (sl_bit_test(td->mask, cpu))
			return td;
	}
	return NULL;
}

static inline struct sl_thread *toy_switch(struct sl_pol *p, uint32_t cpu, struct sl_thread *td,
					   unsigned sw, struct sl_thread *next)
{
	(void)sw;
	td->flags &= (uint16_t) ~(SL_TDF_NEEDRESCHED | SL_TDF_SLICEEND | SL_TDF_OWEPREEMPT);
	if (td->state == SL_TS_RUNNING && !sl_thread_is_idle(td)) {
		sl_list_append(&((struct toy *)p->priv)->queue, &td->runq);
		sl_pol_queued(p, td);
	}
	if (next)
		return next;
	next = toy_first(p, cpu);
	if (!next)
		return p->cpu[cpu].idle;
	sl_link_remove(&next->runq);
	next->cpu = (int32_t)cpu;
	return next;
}

static inline enum sl_idle_act toy_idle(struct sl_pol *p, uint32_t cpu)
{
	return toy_first(p, cpu) ? SL_IDLE_SWITCH : SL_IDLE_HALT;
}

/* Round robin by stat tick. */
static inline void toy_clock(struct sl_pol *p, uint32_t cpu, struct sl_thread *td, uint32_t cnt)
{
	(void)p;
	(void)cpu;
	(void)cnt;
	if (!sl_thread_is_idle(td))
		td->flags |= SL_TDF_NEEDRESCHED;
}

static const struct sl_machine toy_machine = {
	.hz = 1000,
	.stathz = 100,
	.clock = SL_CLOCK_ONESHOT,
	.groups = SL_CG_RULE_FLAT,
};

static const struct sl_policy toy_policy = {
	.abi = SL_POLICY_ABI,
	.name = "toy",
	.summary = "one queue for all CPUs",
	.instance_size = sizeof(struct toy),
	.machine = &toy_machine,
	.work_conserving = true,
	.init = toy_init,
	.add = toy_add,
	.rem = toy_rem,
	.sswitch = toy_switch,
	.idle = toy_idle,
	.clock = toy_clock,
};

/* A machine of n single-threaded cores. */
static struct sl_topo_cpu toy_cpus[64];
static struct sl_topo toy_topo_of(uint32_t n)
{
	for (uint32_t c = 0; c < n; c++)
		toy_cpus[c] = (struct sl_topo_cpu){ .core = (uint16_t)c,
						    .l1 = (uint16_t)c,
						    .l2 = (uint16_t)c,
						    .l3 = 0,
						    .speed_permille = 1000 };
	return (struct sl_topo){ .name = "toy", .ncpus = n, .cpu = toy_cpus };
}

/* Fields that are not named are 0: object 0, target 0. */
#define OP(k, ...)                                                                                 \
	{                                                                                          \
		.kind = SL_OP_##k, __VA_ARGS__                                                     \
	}
#define RUN_MS(ms)   OP(RUN, .dist = { .value = (ms)*SL_NS_PER_MS })
#define SLEEP_MS(ms) OP(SLEEP, .dist = { .value = (ms)*SL_NS_PER_MS })
#define TASK(n, first, count)                                                                      \
	{                                                                                          \
		.name = (n), .instances = 1, .first_op = (first), .n_ops = (count),                \
		.mask = SL_NONE, .proc_group = SL_NONE, .bind_cpu = -1                             \
	}

#endif
