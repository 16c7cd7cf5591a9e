/* SPDX-License-Identifier: BSD-2-Clause
 *
 * The same without the adapter: round robin over one queue for all CPUs, written against
 * the whole contract, sim/core/policy.h, for policies that port a kernel's own code. */
#include "sim/core/policy.h"

struct fullpol {
	struct sl_link queue;
	int32_t slice; /* stat ticks */
};

static void init(struct sl_pol *p)
{
	struct fullpol *me = p->priv;

	sl_list_init(&me->queue);
	me->slice = 10;
}

/* Queues td and wakes the halted CPUs that may run it. */
static void add(struct sl_pol *p, struct sl_thread *td, unsigned srq)
{
	(void)srq;
	sl_list_append(&((struct fullpol *)p->priv)->queue, &td->runq);
	sl_pol_queued(p, td);
	for (uint32_t cpu = 0; cpu < p->ncpus; cpu++)
		if (p->cpu[cpu].halted && sl_bit_test(td->mask, cpu))
			sl_pol_ipi(p, cpu, SL_IPI_AST);
}

static void rem(struct sl_pol *p, struct sl_thread *td)
{
	sl_link_remove(&td->runq);
	sl_pol_dequeued(p, td);
}

static struct sl_thread *first_for(struct sl_pol *p, uint32_t cpu)
{
	struct sl_link *queue = &((struct fullpol *)p->priv)->queue;

	for (struct sl_link *l = queue->next; l != queue; l = l->next) {
		struct sl_thread *td = SL_OF(l, struct sl_thread, runq);

		if (sl_bit_test(td->mask, cpu))
			return td;
	}
	return NULL;
}

/* The switch: put td back if it still runs, then take the first. */
static struct sl_thread *sswitch(struct sl_pol *p, uint32_t cpu, struct sl_thread *td, unsigned sw,
				 struct sl_thread *next)
{
	(void)sw;
	td->flags &= (uint16_t) ~(SL_TDF_NEEDRESCHED | SL_TDF_SLICEEND | SL_TDF_OWEPREEMPT);
	if (td->state == SL_TS_RUNNING && !sl_thread_is_idle(td)) {
		sl_list_append(&((struct fullpol *)p->priv)->queue, &td->runq);
		sl_pol_queued(p, td);
	}
	if (next)
		return next;
	next = first_for(p, cpu);
	if (!next)
		return p->cpu[cpu].idle;
	sl_link_remove(&next->runq);
	next->cpu = (int32_t)cpu;
	*(int32_t *)next->priv = 0;
	return next;
}

static enum sl_idle_act idle(struct sl_pol *p, uint32_t cpu)
{
	return first_for(p, cpu) ? SL_IDLE_SWITCH : SL_IDLE_HALT;
}

/* A stat tick: the per-thread state counts those of the present turn. */
static void clock(struct sl_pol *p, uint32_t cpu, struct sl_thread *td, uint32_t cnt)
{
	int32_t *used = td->priv;

	(void)cpu;
	*used += (int32_t)cnt;
	if (*used >= ((struct fullpol *)p->priv)->slice)
		td->flags |= SL_TDF_NEEDRESCHED;
}

static const struct sl_tunable tunables[] = {
	{ .name = "kern.sched.slice",
	  .unit = "ticks",
	  .help = "stat ticks until the next one's turn",
	  .least = 1,
	  .most = 1000,
	  .offset = offsetof(struct fullpol, slice) },
};

static const struct sl_machine machine = {
	.hz = 1000,
	.stathz = 127,
	.clock = SL_CLOCK_ONESHOT,
	.groups = SL_CG_RULE_FLAT,
};

static const struct sl_policy fullpol = {
	.abi = SL_POLICY_ABI,
	.name = "fullpol",
	.summary = "round robin, one queue for all CPUs",
	.instance_size = sizeof(struct fullpol),
	.thread_size = sizeof(int32_t),
	.tunables = tunables,
	.n_tunables = 1,
	.machine = &machine,
	.work_conserving = true,
	.init = init,
	.add = add,
	.rem = rem,
	.sswitch = sswitch,
	.idle = idle,
	.clock = clock,
};

const struct sl_policy *sl_policy_module(void);
const struct sl_policy *sl_policy_module(void)
{
	return &fullpol;
}
