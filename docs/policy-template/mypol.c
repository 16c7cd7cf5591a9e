/* SPDX-License-Identifier: BSD-2-Clause
 *
 * A scheduling policy outside schedlab's tree, on the thin adapter policies/simple.h: of
 * those who wait, the thread goes first whose present turn has used least. Change it. */
#include "policies/simple.h"

static void enqueue(struct sl_simple *s, struct sl_thread *td, enum sl_simple_why why)
{
	struct sl_simple_thread *mine = sl_simple_thread_of(td);
	struct sl_link *at = s->list[0].next;

	if (why != SL_SIMPLE_DISPLACED)
		mine->used = 0;
	/* Behind all that have used as little. */
	while (at != &s->list[0] &&
	       sl_simple_thread_of(SL_OF(at, struct sl_thread, runq))->used <= mine->used)
		at = at->next;
	sl_link_put_before(at, &td->runq);
}

static struct sl_thread *pick(struct sl_simple *s, uint32_t cpu)
{
	return sl_simple_first(&s->list[0], cpu);
}

/* A stat tick: the turn is over after `slice` of them. */
static bool tick(struct sl_simple *s, struct sl_thread *td)
{
	return sl_simple_thread_of(td)->used >= s->param[0];
}

static const struct sl_simple_ops ops = {
	.enqueue = enqueue, .pick = pick, .tick = tick, .param = { 10 }
};
static const struct sl_tunable tunables[] = {
	{ .name = "kern.sched.slice",
	  .unit = "stat ticks",
	  .help = "length of a turn",
	  .least = 1,
	  .most = 1000,
	  SL_SIMPLE_PARAM(0) },
};
static const struct sl_policy mypol = {
	SL_SIMPLE_POLICY, .name = "mypol",	.summary = "least used turn first",
	.extra = &ops,	  .tunables = tunables, .n_tunables = 1,
};

const struct sl_policy *sl_policy_module(void);
const struct sl_policy *sl_policy_module(void)
{
	return &mypol;
}
