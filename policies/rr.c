/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Round robin: as fifo, but a turn ends after a fixed number of stat ticks.
 * Invariant: list 0 is in order of turns; a thread keeps what it used of a turn that
 * was cut short. */
#include "policies/registry.h"
#include "policies/simple.h"

static void enqueue(struct sl_simple *s, struct sl_thread *td, enum sl_simple_why why)
{
	if (why == SL_SIMPLE_DISPLACED) {
		sl_list_prepend(&s->list[0], &td->runq);
		return;
	}
	sl_simple_thread_of(td)->used = 0;
	sl_list_append(&s->list[0], &td->runq);
}

static struct sl_thread *pick(struct sl_simple *s, uint32_t cpu)
{
	return sl_simple_first(&s->list[0], cpu);
}

static bool tick(struct sl_simple *s, struct sl_thread *td)
{
	return sl_simple_thread_of(td)->used >= s->param[0];
}

static const struct sl_simple_ops rr = {
	.enqueue = enqueue,
	.pick = pick,
	.tick = tick,
	.param = { 12 },
};

static const struct sl_tunable tunables[] = {
	{ .name = "kern.sched.slice",
	  .unit = "stat ticks",
	  .help = "length of a turn",
	  .least = 1,
	  .most = 1000000,
	  SL_SIMPLE_PARAM(0) },
};

const struct sl_policy sl_policy_rr = {
	SL_SIMPLE_POLICY,
	.name = "rr",
	.summary = "round robin with a fixed slice (teaching)",
	.tunables = tunables,
	.n_tunables = SL_ARRAY_LEN(tunables),
	.extra = &rr,
};
